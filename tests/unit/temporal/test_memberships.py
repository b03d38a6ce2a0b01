"""What temporal rules ask of literals, as bits beside those of the ontology's ranges."""

import pytest
from rdflib import XSD, Literal

from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.data_range import Compared, Datatype, DatatypeRestriction
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.memberships import Memberships
from pantarhei.values.builtin import SWRLB

HIGH = Compared(SWRLB.greaterThanOrEqual, Literal(80))
ODD = Compared(SWRLB.notEqual, Literal("odd"))


def vocabulary_of(ranges, *literals, numbers="by_datatype"):
    made = Vocabulary(compile_([]), numbers)
    made.adopt(_Program(ranges))
    for each in literals:
        made.number(Literal(each))
    return made


class _Program:
    """A program that has data ranges alone."""

    predicates = names = literals = builtins = ()

    def __init__(self, ranges):
        self.ranges = ranges


def shown(memberships, width=1):
    rows = memberships.bits.reshape(-1, width).tolist()
    return [sum(byte << 8 * place for place, byte in enumerate(row)) for row in rows]


def test_a_literal_is_decided_when_it_is_new_and_keeps_its_bits():
    vocabulary = vocabulary_of((), 79, 80)
    memberships = Memberships((HIGH, ODD), vocabulary)
    assert shown(memberships)[:2] == [0, 1]
    vocabulary.number(Literal("even")), vocabulary.number(Literal("81", datatype=XSD.double))
    assert shown(memberships)[:4] == [0, 1, 2, 1]


@pytest.mark.parametrize("count", [1, 8, 9])
def test_the_bits_of_the_ontology_come_first(count):
    ranges = tuple(
        DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, Literal(n)),)) for n in range(count)
    )
    vocabulary = vocabulary_of(ranges, 0, 90)
    memberships = Memberships((*ranges, HIGH), vocabulary)
    assert shown(memberships, (count + 8) // 8)[:2] == [1, (1 << (count + 1)) - 1]
    assert Memberships(ranges, vocabulary).bits is vocabulary.memberships


def test_a_number_that_means_another_literal_is_decided_anew():
    vocabulary = vocabulary_of((), 90)
    memberships, mark = Memberships((HIGH,), vocabulary), vocabulary.mark
    vocabulary.number(Literal(91)), vocabulary.number(Literal(92))
    assert shown(memberships)[:3] == [1, 1, 1]
    vocabulary.back_to(mark)
    vocabulary.number(Literal(3))
    assert shown(memberships)[:2] == [1, 0]


def test_numbers_that_are_read_by_value_are_compared_so():
    tenth = Compared(SWRLB.equal, Literal("0.1", datatype=XSD.double))
    for numbers, bits in (("by_datatype", [1, 1]), ("by_value", [1, 0])):
        vocabulary = vocabulary_of((), numbers=numbers)
        for datatype in (XSD.double, XSD.decimal):
            vocabulary.number(Literal("0.1", datatype=datatype))
        assert shown(Memberships((tenth,), vocabulary))[:2] == bits

"""Where two names may be of one individual, a rule that compares names says whether it asks for that."""

import pytest
from rdflib import OWL, RDF, XSD, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import TemporalRuleError
from pantarhei.model.data_range import Compared, Datatype, DatatypeRestriction
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.literal_tests import RangeMemberships
from pantarhei.values.scalar_functions import SWRLB

EX = Namespace("http://e/")
NO_AXIOMS = pr.load_ontology(Graph())
VALVES = [(EX[name], RDF.type, EX.valve) for name in ("v1", "v2", "v3")]


def conclusions(text, facts=(*VALVES, (EX.v1, OWL.sameAs, EX.v2)), unique_names=False):
    rules = pr.load_rules(text + "\n", prefixes={"": str(EX), "owl": str(OWL)})
    reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(1), unique_names=unique_names, temporal=rules)
    reasoner.push(0, facts)
    return " ".join(sorted(map(str, reasoner.atoms())))


@pytest.mark.parametrize(
    ("text", "column", "instead"),
    [
        (
            "a(X, Y) :- valve(X), valve(Y), X != Y.",
            32,
            r"not owl:sameAs\(X, Y\) as a further condition, or unique_names=True",
        ),
        ("a(X, Y) :- valve(X), valve(Y), X = Y.", 32, r"owl:sameAs\(X, Y\), or unique_names=True"),
        ("a(X) :- valve(X), X != v1.", 19, r"not owl:sameAs\(X, v1\) as a further condition"),
    ],
)
def test_what_compares_names_is_refused(text, column, instead):
    with pytest.raises(TemporalRuleError, match=instead) as told:
        conclusions(text)
    assert told.value.column == column
    assert conclusions(text, VALVES, unique_names=True)


def test_what_asks_for_individuals_compares_them():
    assert conclusions("a(X, Y) :- valve(X), valve(Y), X != Y, not owl:sameAs(X, Y).") == (
        "a(v1, v3) a(v2, v3) a(v3, v1) a(v3, v2)"
    )
    assert conclusions("a(X, Y) :- valve(X), valve(Y), owl:sameAs(X, Y).") == "a(v1, v2) a(v2, v1)"


def test_of_two_names_that_may_be_values_it_is_not_known_whether_they_differ():
    facts = [(EX.x, EX.p, EX.v1), (EX.y, EX.p, EX.v2)]
    for text in (
        "a(A, B) :- p(X, A), p(Y, B), A != B.",
        "a(A, B) :- p(X, A), p(Y, B), A = B, X != Y, not owl:sameAs(X, Y).",
    ):
        assert conclusions(text, facts) == ""
    assert conclusions("a(A) :- p(X, A), A != 7.", facts) == "a(v1) a(v2)"


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
    memberships = RangeMemberships((HIGH, ODD), vocabulary)
    assert shown(memberships)[:2] == [0, 1]
    vocabulary.number(Literal("even")), vocabulary.number(Literal("81", datatype=XSD.double))
    assert shown(memberships)[:4] == [0, 1, 2, 1]


@pytest.mark.parametrize("count", [1, 8, 9])
def test_the_bits_of_the_ontology_come_first(count):
    ranges = tuple(
        DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, Literal(n)),)) for n in range(count)
    )
    vocabulary = vocabulary_of(ranges, 0, 90)
    memberships = RangeMemberships((*ranges, HIGH), vocabulary)
    assert shown(memberships, (count + 8) // 8)[:2] == [1, (1 << (count + 1)) - 1]
    assert RangeMemberships(ranges, vocabulary).bits is vocabulary.memberships


def test_a_number_that_means_another_literal_is_decided_anew():
    vocabulary = vocabulary_of((), 90)
    memberships, mark = RangeMemberships((HIGH,), vocabulary), vocabulary.mark
    vocabulary.number(Literal(91)), vocabulary.number(Literal(92))
    assert shown(memberships)[:3] == [1, 1, 1]
    vocabulary.roll_back_to(mark)
    vocabulary.number(Literal(3))
    assert shown(memberships)[:2] == [1, 0]


def test_numbers_that_are_read_by_value_are_compared_so():
    tenth = Compared(SWRLB.equal, Literal("0.1", datatype=XSD.double))
    for numbers, bits in (("by_datatype", [1, 1]), ("by_value", [1, 0])):
        vocabulary = vocabulary_of((), numbers=numbers)
        for datatype in (XSD.double, XSD.decimal):
            vocabulary.number(Literal("0.1", datatype=datatype))
        assert shown(RangeMemberships((tenth,), vocabulary))[:2] == bits

"""Numbers of what rules speak of: given in the order in which things are met, and kept."""

from rdflib import XSD, Literal

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.data_range import Datatype
from pantarhei.rules.compilation.numbering import Numbering
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, B, R, V, a, b, is_a, member, related, x, y

ONE, ONE_POINT_ZERO = Literal(1), Literal("1.0", datatype=XSD.decimal, normalize=False)


def test_predicates_and_names_are_numbered_in_the_order_in_which_they_are_met():
    numbering = Numbering()
    assert [numbering.predicate(atom) for atom in (is_a(A, x), related(R, x, y), is_a(A, y))] == [0, 1, 0]
    assert [numbering.argument(name, {}) for name in (b, a, b)] == [-2, -3, -2]
    assert list(numbering.predicates) == [Symbol(A, 1), Symbol(R, 2)] and list(numbering.names) == [b, a]


def test_a_class_and_a_property_of_one_name_have_two_numbers():
    numbering = Numbering()
    assert numbering.predicate(is_a(A, x)) != numbering.predicate(related(A, x, y))


def test_an_argument_is_the_number_of_its_variable_or_stands_for_a_constant():
    numbering = Numbering()
    assert numbering.atom(related(R, x, y), {x: 0, y: 1}) == (0, 0, 1)
    assert numbering.atom(related(R, y, a), {x: 0, y: 1}) == (0, 1, -2)
    assert numbering.atom(is_a(A, y), {x: 0, y: 1}) == (1, 1, NONE)


def test_literals_of_one_value_are_one_constant():
    numbering = Numbering()
    arguments = [numbering.argument(each, {}) for each in (ONE, ONE_POINT_ZERO, Literal("1"))]
    assert [-2 - argument - FIRST_LITERAL for argument in arguments] == [0, 0, 1]
    assert [literal.n3() for _, literal in numbering.literals.values()] == [ONE.n3(), Literal("1").n3()]


def test_what_has_numbers_already_keeps_them():
    vocabulary = Vocabulary(compile_([]))
    vocabulary.encode([member(B, b), (a, V, Literal("first")), (a, V, ONE)])
    numbering = Numbering(vocabulary)
    assert numbering.predicate(is_a(B, x)) == vocabulary.find_class(B)
    assert numbering.argument(a, {}) == -2 - vocabulary.find(a)
    assert numbering.argument(ONE_POINT_ZERO, {}) == -2 - vocabulary.find(ONE)
    assert numbering.argument(EX.new, {}) == -2 - len(vocabulary.names)


def test_data_ranges_and_built_ins_are_numbered_apart():
    numbering = Numbering()
    ranges = [Datatype(XSD.integer), Datatype(XSD.string), Datatype(XSD.integer)]
    assert [numbering.range(each) for each in ranges] == [0, 1, 0]
    assert [numbering.builtin(name) for name in (EX.less, EX.add, EX.less)] == [0, 1, 0]

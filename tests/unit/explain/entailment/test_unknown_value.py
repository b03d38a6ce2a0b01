"""Values of which only data ranges are known: what is implied, what rules say of them, what cannot be."""

import pytest
from rdflib import OWL, RDF, RDFS, XSD, Literal, Namespace, Variable

from pantarhei.explain.entailment.closure import Closure
from pantarhei.explain.entailment.unknown_value import ANY_LITERAL, RangeNames, is_range_name
from pantarhei.model.data_range import DataComplementOf, DataIntersectionOf, DataOneOf, Datatype, DataUnionOf
from pantarhei.model.rule import Atom, Builtin, Member, Rule

EX = Namespace("http://example.org/")
SWRLB = Namespace("http://www.w3.org/2003/11/swrlb#")
X, Y, Z, U = map(Variable, "xyzu")
INTEGER, DECIMAL, STRING, BOOLEAN = (Datatype(XSD[n]) for n in ("integer", "decimal", "string", "boolean"))


def has_value_in(range_, class_=EX.C, inside=True):
    return Rule("x", (Atom(EX.v, (X, Y)),), Atom(class_, (X,)), tests=(Member(Y, range_, inside),))


def only(range_):
    return Rule("prp-rng", (Atom(EX.v, (X, Y)),), None, tests=(Member(Y, range_, False),))


def value_of(closure, *ranges, on=EX.v):
    """A fresh value of `on`, in the ranges, and the facts that say so."""
    value = closure.fresh()
    return value, [(EX.a, on, value), *(closure.value_in(value, range_) for range_ in ranges)]


# -- names ------------------------------------------------------------------------------------------


def test_of_a_value_nothing_is_known_but_that_it_is_one():
    assert RangeNames().known([]) == ANY_LITERAL
    assert RangeNames().known([EX.A]) == ANY_LITERAL


def test_what_is_known_is_the_intersection():
    names = RangeNames()
    one, other = names.name_of(INTEGER), names.name_of(BOOLEAN)
    assert names.known([one, EX.A]) == INTEGER
    assert names.known([one, other]) == DataIntersectionOf((INTEGER, BOOLEAN))


def test_a_range_has_one_name_and_each_its_own():
    names = RangeNames()
    ranges = [
        INTEGER,
        Datatype(EX.integer),
        DataOneOf((Literal("a b"),)),
        DataOneOf((Literal("a/b"),)),
        DataOneOf((Literal("<a>"),)),
    ]
    found = [names.name_of(range_) for range_ in ranges]
    assert len(set(found)) == len(ranges)
    assert [names.name_of(range_) for range_ in ranges] == found
    assert all(map(is_range_name, found))
    assert not any(set(' <>"{}|\\^`') & set(name) for name in found)
    assert not is_range_name(EX.integer)


def test_a_copy_learns_by_itself():
    names = RangeNames()
    known = names.name_of(INTEGER)
    copy = names.copy()
    copy.name_of(STRING)
    assert copy.name_of(INTEGER) == known
    assert set(names.names) == {INTEGER}


def test_only_ranges_that_rules_ask_for_are_implied():
    names = RangeNames()
    integer, decimal = names.name_of(INTEGER), names.name_of(DECIMAL)
    assert names.copy().implied([integer]) == []
    assert list(names.variants([has_value_in(DECIMAL)]))
    assert names.implied([integer]) == [decimal]
    assert names.implied([integer, decimal]) == []
    assert names.implied([EX.A]) == []


def test_what_holds_of_every_literal_is_implied_of_each():
    everything = DataUnionOf((BOOLEAN, DataComplementOf(BOOLEAN)))
    names = RangeNames()
    assert list(names.variants([has_value_in(everything)]))
    assert names.implied([]) == [names.name_of(everything)]


# -- variants ---------------------------------------------------------------------------------------


def variants(rule):
    names = RangeNames()
    return names, list(names.variants([rule]))


def test_a_rule_without_tests_has_no_variants():
    assert variants(Rule("x", (Atom(EX.v, (X, Y)),), Atom(EX.C, (X,))))[1] == []


def test_a_test_inside_becomes_an_atom():
    names, (variant,) = variants(has_value_in(INTEGER))
    assert variant.body == (Atom(EX.v, (X, Y)), Atom(names.name_of(INTEGER), (Y,)))
    assert variant.tests == ()
    assert variant.head == Atom(EX.C, (X,))


def test_a_test_outside_becomes_an_atom_of_the_complement():
    names, (variant,) = variants(has_value_in(INTEGER, inside=False))
    assert variant.body[-1] == Atom(names.name_of(DataComplementOf(INTEGER)), (Y,))


def test_outside_a_complement_is_inside():
    names, (variant,) = variants(has_value_in(DataComplementOf(INTEGER), inside=False))
    assert variant.body[-1] == Atom(names.name_of(INTEGER), (Y,))


def test_a_constraint_of_what_is_outside_says_what_is_inside():
    names, made = variants(only(INTEGER))
    assert [v.head for v in made] == [None, Atom(names.name_of(INTEGER), (Y,))]
    assert made[1].body == (Atom(EX.v, (X, Y)),)
    assert made[1].tests == ()


def test_a_constraint_of_what_is_inside_says_what_is_outside():
    rule = Rule("x", (Atom(EX.v, (X, Y)),), None, tests=(Member(Y, INTEGER, True),))
    names, made = variants(rule)
    assert made[-1].head == Atom(names.name_of(DataComplementOf(INTEGER)), (Y,))


def test_two_tests_have_a_variant_for_each_choice():
    tests = (Member(Y, INTEGER, True), Member(Z, STRING, True))
    rule = Rule("x", (Atom(EX.v, (X, Y)), Atom(EX.w, (X, Z))), Atom(EX.C, (X,)), tests=tests)
    names, made = variants(rule)
    assert {(v.body[2:], v.tests) for v in made} == {
        ((Atom(names.name_of(INTEGER), (Y,)),), tests[1:]),
        ((Atom(names.name_of(STRING), (Z,)),), tests[:1]),
        ((Atom(names.name_of(INTEGER), (Y,)), Atom(names.name_of(STRING), (Z,))), ()),
    }


def test_many_tests_have_one_variant():
    letters = list(map(Variable, "abcde"))
    body = tuple(Atom(EX.v, (X, letter)) for letter in letters)
    tests = tuple(Member(letter, INTEGER, True) for letter in letters)
    _, made = variants(Rule("x", body, Atom(EX.C, (X,)), tests=tests))
    assert [v.tests for v in made] == [()]


def test_a_test_of_a_computed_variable_has_no_variant():
    compute = Builtin(SWRLB.divide, (U, Literal(1), Y))
    assert (
        variants(Rule("x", (Atom(EX.v, (X, Y)),), None, tests=(compute, Member(U, INTEGER, False))))[1] == []
    )


def test_beside_a_computation_a_test_is_not_turned_around():
    compute = Builtin(SWRLB.add, (U, Literal(1), Y))
    rule = Rule("x", (Atom(EX.v, (X, Y)),), None, tests=(compute, Member(Y, INTEGER, False)))
    assert all(variant.head is None for variant in variants(rule)[1])


# -- in a closure -----------------------------------------------------------------------------------


def test_a_rule_fires_for_a_value_whose_range_is_narrower():
    closure = Closure([has_value_in(DECIMAL)], [])
    for range_, expected in ((INTEGER, True), (DECIMAL, True), (STRING, False)):
        _, facts = value_of(closure, range_)
        with closure.assuming(facts):
            assert closure.holds((EX.a, RDF.type, EX.C)) is expected
        assert not closure.holds((EX.a, RDF.type, EX.C))


def test_a_rule_of_what_is_outside_fires_for_a_value_that_is_apart():
    closure = Closure([has_value_in(DECIMAL, inside=False)], [])
    for range_, expected in ((STRING, True), (INTEGER, False), (DataComplementOf(INTEGER), False)):
        _, facts = value_of(closure, range_)
        with closure.assuming(facts):
            assert closure.holds((EX.a, RDF.type, EX.C)) is expected


def test_a_rule_fires_for_a_value_of_which_nothing_is_known_if_it_asks_for_any():
    closure = Closure([has_value_in(DataUnionOf((BOOLEAN, DataComplementOf(BOOLEAN))))], [])
    _, facts = value_of(closure)
    with closure.assuming(facts):
        assert closure.holds((EX.a, RDF.type, EX.C))


def test_ranges_that_are_derived_imply_others():
    narrow = Rule("x", (Atom(EX.D, (X,)), Atom(EX.v, (X, Y))), None, tests=(Member(Y, INTEGER, False),))
    closure = Closure([narrow, has_value_in(DECIMAL, EX.C)], [])
    _, facts = value_of(closure)
    with closure.assuming(facts):
        assert not closure.holds((EX.a, RDF.type, EX.C))
        with closure.assuming([(EX.a, RDF.type, EX.D)]):
            assert closure.holds((EX.a, RDF.type, EX.C))
        assert not closure.holds((EX.a, RDF.type, EX.C))


def test_two_ranges_together_imply_a_third():
    at_least = Datatype(XSD.nonNegativeInteger)
    closure = Closure([has_value_in(DataOneOf((Literal(0),)))], [])
    value, facts = value_of(closure, at_least, Datatype(XSD.nonPositiveInteger))
    with closure.assuming(facts):
        assert closure.holds((EX.a, RDF.type, EX.C))
        assert not closure.is_impossible(value)


def test_literals_are_tested_as_ever():
    closure = Closure([has_value_in(DECIMAL), only(DECIMAL)], [])
    with closure.assuming([(EX.a, EX.v, Literal(1))]):
        assert closure.holds((EX.a, RDF.type, EX.C))
        assert not closure.inconsistent
    with closure.assuming([(EX.a, EX.v, Literal("x"))]):
        assert closure.inconsistent


# -- what cannot be ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranges", "impossible"),
    [
        ((), False),
        ((INTEGER, DECIMAL), False),
        ((INTEGER, STRING), True),
        ((INTEGER, DataComplementOf(DECIMAL)), True),
        ((DECIMAL, DataComplementOf(INTEGER)), False),
        ((DataOneOf(()),), True),
        ((DataOneOf((Literal(1),)), DataOneOf((Literal(2),))), True),
        ((DataOneOf((Literal(1),)), DataOneOf((Literal("1.0", datatype=XSD.decimal),))), False),
    ],
)
def test_a_value_is_impossible_where_its_ranges_share_no_literal(ranges, impossible):
    closure = Closure([], [])
    value, facts = value_of(closure, *ranges)
    with closure.assuming(facts):
        assert closure.is_impossible(value) is impossible
        assert (closure.proof_of_impossible_value(value) is not None) is impossible
        assert not closure.inconsistent
    assert not closure.is_impossible(value)


def test_a_value_that_equals_a_literal_outside_its_range_is_impossible():
    closure = Closure([], [])
    value, facts = value_of(closure, INTEGER)
    for literal, impossible in ((Literal("x"), True), (Literal(5), False)):
        with closure.assuming([*facts, (value, OWL.sameAs, literal)]):
            assert closure.is_impossible(value) is impossible


def test_a_proof_of_an_impossible_value_starts_from_what_was_assumed():
    closure = Closure([only(INTEGER)], [])
    value, facts = value_of(closure, DataOneOf((Literal(1.5),)))
    with closure.assuming(facts):
        proof = closure.proof_of_impossible_value(value)
    assert proof.steps[-1].fact is None
    assert all(max(step.premises, default=-1) < i for i, step in enumerate(proof.steps))
    given = {step.fact for step in proof.steps if step.rule is None} - set(facts)
    assert all(subject == value and is_range_name(range_) for subject, _, range_ in given)
    assert any(step.fact == facts[0] for step in proof.steps)
    assert closure.proof_of_impossible_value(value) is None


def test_a_value_between_ranges_that_share_nothing_has_a_proof_by_its_ranges():
    closure = Closure([], [])
    value, facts = value_of(closure, INTEGER, STRING)
    with closure.assuming(facts):
        proof = closure.proof_of_impossible_value(value)
    assert proof.steps[-1].rule.name == "dt-empty"
    assert set(proof.facts) == set(facts[1:])


def test_datatypes_are_named_and_other_ranges_are_not():
    closure = Closure([only(INTEGER), has_value_in(DECIMAL), has_value_in(DataComplementOf(STRING))], [])
    value, facts = value_of(closure)
    with closure.assuming(facts):
        assert closure.datatypes_of(value) == {XSD.integer, XSD.decimal}
    assert closure.datatypes_of(value) == frozenset()
    assert Datatype(RDFS.Literal) == closure.ranges_of(value)

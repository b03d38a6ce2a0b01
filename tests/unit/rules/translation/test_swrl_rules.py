"""SWRL rules as rules and constraints: atoms, built-ins, what is refused, and what would not end."""

from __future__ import annotations

import pytest
from rdflib import OWL, RDF, RDFS, XSD, Literal, Namespace, Variable

from pantarhei.model.rule import Origin
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    Bound,
    BuiltInAtom,
    Cardinality,
    Class,
    ClassAtom,
    DataRangeAtom,
    DifferentAtom,
    Property,
    PropertyAtom,
    PropertyKind,
    SameAtom,
    SwrlRule,
)
from pantarhei.rules.compilation.program import compile_
from pantarhei.rules.translation.body import NotARuleError
from pantarhei.rules.translation.swrl_rules import endless, rules_of_swrl
from pantarhei.values.scalar_functions import SWRLB

EX, B = Namespace("http://example.org/"), Namespace(SWRLB)
x, y, z, r, s = map(Variable, ("x", "y", "z", "r", "s"))
A, C, D = Class(EX.A), Class(EX.C), Class(EX.D)
p, q = Property(EX.p), Property(EX.q)
d, e = Property(EX.d, PropertyKind.DATA), Property(EX.e, PropertyKind.DATA)
INTEGER = owl.Datatype(XSD.integer)
ORIGIN = Origin("the rule")
FIVE = Literal("5", datatype=XSD.integer)


def isa(type_, argument=x):
    return ClassAtom(type_, argument)


def texts(body, *head):
    rules = rules_of_swrl(SwrlRule(tuple(body), head), ORIGIN)
    compile_(rule for rule in rules if rule.body)
    assert all(rule.name == "pr-swrl" and rule.origin == ORIGIN for rule in rules)
    return [str(rule) for rule in rules]


def refusal(body, *head):
    with pytest.raises(NotARuleError) as caught:
        rules_of_swrl(SwrlRule(tuple(body), head), ORIGIN)
    return caught.value.reason


def test_each_atom_of_the_head_is_a_rule():
    assert texts([isa(A), PropertyAtom(p, x, y)], isa(C), PropertyAtom(q, y, x)) == [
        "C(?x) :- A(?x), p(?x, ?y).",
        "q(?y, ?x) :- A(?x), p(?x, ?y).",
    ]


HEADS = {
    "a conjunction": (
        isa(owl.IntersectionOf((C, owl.HasValue(p, EX.i)))),
        ["C(?x) :- A(?x).", "p(?x, i) :- A(?x)."],
    ),
    "⊤": (isa(owl.THING), []),
    "⊥": (isa(owl.NOTHING), ["⊥ :- A(?x)."]),
    "a complement": (isa(owl.ComplementOf(C)), ["⊥ :- A(?x), C(?x)."]),
    "a universal": (isa(owl.AllValuesFrom(p, C)), ["C(?y) :- A(?x), p(?x, ?y)."]),
    "at most none": (isa(Cardinality(Bound.MAX, 0, p, C)), ["⊥ :- A(?x), p(?x, ?y), C(?y)."]),
    "at most one": (isa(Cardinality(Bound.MAX, 1, p)), ["⊥ :- A(?x), p(?x, ?y), p(?x, ?z), ?y ≠ ?z."]),
    "an inverse": (PropertyAtom(owl.InverseOf(p), x, EX.i), ["p(i, ?x) :- A(?x)."]),
    "oneself": (isa(owl.HasSelf(p)), ["p(?x, ?x) :- A(?x)."]),
    "a universal property": (PropertyAtom(Property(OWL.topObjectProperty), x, x), []),
    "an empty property": (PropertyAtom(Property(OWL.bottomObjectProperty), x, x), ["⊥ :- A(?x)."]),
    "sameness": (SameAtom(x, EX.i), ["⊥ :- A(?x), i ≠ ?x."]),
    "sameness with oneself": (SameAtom(x, x), []),
    "difference": (DifferentAtom(x, EX.i), ["differentFrom(?x, i) :- A(?x)."]),
    "what the body has": (isa(A), []),
}


@pytest.mark.parametrize("name", HEADS)
def test_a_head_becomes(name):
    atom, expected = HEADS[name]
    assert texts([isa(A)], atom) == expected


def test_an_empty_head_is_a_constraint():
    assert texts([isa(A), isa(C)]) == ["⊥ :- A(?x), C(?x)."]


def test_a_rule_without_a_body_is_a_fact():
    assert [rule.head.ground({}) for rule in rules_of_swrl(SwrlRule((), (isa(A, EX.i),)), ORIGIN)] == [
        (EX.i, RDF.type, EX.A)
    ]
    (constraint,) = rules_of_swrl(SwrlRule((), ()), ORIGIN)
    assert constraint.is_constraint and not constraint.body


BODIES = {
    "an existential": ([isa(owl.SomeValuesFrom(p, C))], ["D(?x) :- p(?x, ?y), C(?y)."]),
    "a union": ([isa(owl.UnionOf((A, C)))], ["D(?x) :- A(?x).", "D(?x) :- C(?x)."]),
    "a nominal": ([isa(A), PropertyAtom(p, x, y), isa(owl.OneOf((EX.i,)), y)], ["D(?x) :- p(?x, i), A(?x)."]),
    "⊥": ([isa(A), isa(owl.NOTHING)], []),
    "⊤ beside an atom": ([isa(A), isa(owl.THING)], ["D(?x) :- A(?x)."]),
    "⊤ alone": ([isa(owl.THING)], ["D(?x) :- Thing(?x)."]),
    "a difference": (
        [isa(A), PropertyAtom(p, x, y), DifferentAtom(x, y)],
        ["D(?x) :- A(?x), p(?x, ?y), ?x ≠ ?y."],
    ),
    "a difference from oneself": ([isa(A), DifferentAtom(x, x)], []),
    "sameness": (
        [isa(A), isa(C, y), SameAtom(x, y)],
        ["D(?x) :- A(?x), C(?x).", "D(?x) :- A(?x), sameAs(?x, ?y), C(?y)."],
    ),
    "sameness with a name": (
        [isa(A), SameAtom(x, EX.i)],
        ["D(i) :- A(i).", "D(?x) :- sameAs(?x, i), A(?x)."],
    ),
    "a value": ([PropertyAtom(d, x, FIVE)], [f"D(?x) :- d(?x, {FIVE.n3()})."]),
    "a datatype": ([PropertyAtom(d, x, y), DataRangeAtom(INTEGER, y)], ["D(?x) :- d(?x, ?y), ?y ∈ integer."]),
    "any literal": (
        [PropertyAtom(d, x, y), DataRangeAtom(owl.Datatype(RDFS.Literal), y)],
        ["D(?x) :- d(?x, ?y)."],
    ),
    "a nested data range": ([isa(owl.SomeValuesFrom(d, INTEGER))], ["D(?x) :- d(?x, ?y), ?y ∈ integer."]),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_becomes(name):
    body, expected = BODIES[name]
    assert texts(body, isa(D)) == expected


def test_a_data_range_in_the_head_denies_what_is_outside():
    assert texts([PropertyAtom(d, x, y)], DataRangeAtom(INTEGER, y)) == ["⊥ :- d(?x, ?y), ?y ∉ integer."]
    assert texts([PropertyAtom(d, x, y)], DataRangeAtom(owl.ANY_LITERAL, y)) == []
    assert texts([isa(A)], isa(owl.AllValuesFrom(d, INTEGER))) == ["⊥ :- A(?x), d(?x, ?y), ?y ∉ integer."]


def test_sameness_twice_makes_each_combination_that_differs():
    body = [isa(A), PropertyAtom(p, x, y), PropertyAtom(p, x, z), SameAtom(x, y), SameAtom(x, z)]
    assert len(texts(body, isa(D))) == 3


# --- Built-ins ---


def built_in(name, *arguments):
    return BuiltInAtom(B[name], arguments)


@pytest.mark.parametrize(
    "name", ["equal", "notEqual", "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"]
)
def test_a_comparison_is_a_test(name):
    assert texts([PropertyAtom(d, x, y), built_in(name, y, FIVE)], isa(D)) == [
        f"D(?x) :- d(?x, ?y), {name}(?y, {FIVE.n3()})."
    ]


def test_a_computation_binds_its_result_for_the_head():
    assert texts([PropertyAtom(d, x, y), built_in("add", r, y, FIVE)], PropertyAtom(e, x, r)) == [
        f"e(?x, ?z) :- d(?x, ?y), add(?z, ?y, {FIVE.n3()})."
    ]


def test_computations_are_put_behind_what_they_need():
    body = [
        built_in("lessThan", s, FIVE),
        built_in("abs", s, r),
        built_in("subtract", r, y, FIVE),
        PropertyAtom(d, x, y),
    ]
    assert texts(body, isa(D)) == [
        f"D(?x) :- d(?x, ?y), subtract(?z, ?y, {FIVE.n3()}), abs(?u, ?z), lessThan(?u, {FIVE.n3()})."
    ]


def test_more_operands_are_taken_two_at_a_time():
    body = [PropertyAtom(d, x, y), built_in("multiply", r, y, y, FIVE, y)]
    assert texts(body, PropertyAtom(e, x, r)) == [
        f"e(?x, ?v) :- d(?x, ?y), multiply(?z, ?y, ?y), multiply(?u, ?z, {FIVE.n3()}), multiply(?v, ?u, ?y)."
    ]


@pytest.mark.parametrize("result", [z, FIVE])
def test_a_result_that_is_known_is_compared(result):
    known = "?z" if result == z else FIVE.n3()
    computed = "?u" if result == z else "?z"
    body = [PropertyAtom(d, x, y), PropertyAtom(e, x, z), built_in("abs", result, y)]
    atoms = "d(?x, ?y), e(?x, ?z)"
    if result == FIVE:
        body.pop(1)
        atoms = "d(?x, ?y)"
    assert texts(body, isa(D)) == [f"D(?x) :- {atoms}, abs({computed}, ?y), equal({computed}, {known})."]


def test_a_result_computed_twice_is_compared():
    body = [PropertyAtom(d, x, y), built_in("abs", r, y), built_in("floor", r, y)]
    assert texts(body, isa(D)) == ["D(?x) :- d(?x, ?y), abs(?z, ?y), floor(?u, ?y), equal(?u, ?z)."]


# --- What is refused ---

REFUSED = {
    "a choice in the head": ([isa(A)], isa(owl.UnionOf((C, D))), "ObjectUnionOf"),
    "an existential in the head": ([isa(A)], isa(owl.SomeValuesFrom(p, C)), "ObjectSomeValuesFrom"),
    "a built-in in the head": ([isa(A)], built_in("equal", x, x), "equal in its head"),
    "a complement in the body": ([isa(owl.ComplementOf(A))], isa(C), "proves nothing"),
    "an unknown built-in": (
        [PropertyAtom(d, x, y), built_in("matches", y, FIVE)],
        isa(C),
        "matches is not supported",
    ),
    "a built-in of others": ([isa(A), BuiltInAtom(EX.odd, (x,))], isa(C), "http://example.org/odd"),
    "too few arguments": (
        [PropertyAtom(d, x, y), built_in("add", r, y)],
        isa(C),
        "add has 2 arguments, not 3",
    ),
    "too many arguments": (
        [PropertyAtom(d, x, y), built_in("abs", r, y, y)],
        isa(C),
        "abs has 3 arguments, not 2",
    ),
    "a head without its variable": ([isa(A)], isa(C, y), "binds ?y"),
    "an inequality without its variable": ([isa(A), DifferentAtom(x, y)], isa(C), "binds ?y"),
    "a comparison without its variable": ([isa(A), built_in("equal", y, FIVE)], isa(C), "binds ?y"),
    "a data range without its variable": ([isa(A), DataRangeAtom(INTEGER, y)], isa(C), "binds ?y"),
    "computations in a circle": (
        [isa(A), built_in("abs", r, s), built_in("abs", s, r)],
        isa(C),
        "?r, ?s need one another's results",
    ),
    "sameness of two names": ([isa(A), SameAtom(EX.i, EX.j)], isa(D), "share no variable"),
    "two parts": ([isa(A), isa(C, y)], isa(D), "A(?x) and C(?y) share no variable"),
    "two parts that only a test joins": (
        [PropertyAtom(d, x, y), PropertyAtom(d, z, r), built_in("equal", y, r)],
        PropertyAtom(p, x, z),
        "share no variable",
    ),
    "a head apart from the body": ([isa(A)], isa(C, EX.i), "share no variable"),
    "tests alone": ([built_in("equal", FIVE, FIVE)], isa(C, EX.i), "no atom of a class or property"),
    "sameness of names, always": ([], SameAtom(EX.i, EX.j), "no atom of a class or property"),
    "a class of literals": ([PropertyAtom(d, x, y)], isa(C, y), "literal ?y"),
    "a property of a result": (
        [PropertyAtom(d, x, y), built_in("abs", r, y)],
        PropertyAtom(p, r, x),
        "literal ?r",
    ),
    "what feeds itself": (
        [PropertyAtom(d, x, y), built_in("add", r, y, FIVE)],
        PropertyAtom(d, x, r),
        "without end",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_rule_says_why(name):
    body, head, reason = REFUSED[name]
    assert reason in refusal(body, head)


def rule(source, target, name="add"):
    body = (PropertyAtom(source, x, y), built_in(name, r, y, *([FIVE] if name == "add" else [])))
    (made,) = rules_of_swrl(SwrlRule(body, (PropertyAtom(target, x, r),)), Origin("the rule"))
    return made


def test_computing_from_another_property_ends():
    body = [PropertyAtom(d, x, z), PropertyAtom(e, x, y), built_in("add", r, y, FIVE)]
    (made,) = rules_of_swrl(SwrlRule(tuple(body), (PropertyAtom(d, x, r),)), Origin("the rule"))
    assert endless([made]) == ()


def test_rounding_what_is_rounded_ends():
    assert endless([rule(d, d, "floor"), rule(d, e, "abs"), rule(e, d, "unaryMinus")]) == ()


def test_two_rules_that_feed_each_other_do_not_end():
    there, back, apart = rule(d, e), rule(e, d, "floor"), rule(d, Property(EX.f, PropertyKind.DATA))
    assert endless([there, apart]) == ()
    assert endless([there, back, apart]) == (there,)

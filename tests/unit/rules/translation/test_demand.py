"""Rules made on demand, and what a reading of names makes of rules."""

import pytest
from rdflib import OWL

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.data_range import ILL_TYPED
from pantarhei.model.rule import Different, Member, Rule
from pantarhei.rules.translation.demand import DIFFERENT, SAME, THING, Theory
from pantarhei.values.membership import COMPARABLE
from strategies import EX, A, B, R, V, a, b, is_a, related, x, y, z

CLASS, PROPERTY = Symbol(EX.C, 1), Symbol(EX.p, 2)
NOTHING, EMPTY = Symbol(OWL.Nothing, 1), Symbol(OWL.bottomObjectProperty, 2)
OF_THINGS = Rule("cax-sco", (is_a(OWL.Thing, x),), is_a(A, x))


def made(theory, *symbols, ill_typed=()):
    return sorted(f"{rule.name}: {rule}" for rule in theory.demanded(symbols, ill_typed))


def test_without_names_that_say_something_of_all_nothing_is_demanded():
    for unique_names in (True, False):
        assert made(Theory.of([], unique_names), CLASS, PROPERTY) == []


def test_equality_is_written_out_for_each_symbol():
    assert made(Theory.of([], unique_names=False), SAME, CLASS, PROPERTY) == [
        "eq-rep-o: p(?x, ?z) :- p(?x, ?y), sameAs(?z, ?y).",
        "eq-rep-s: C(?y) :- C(?x), sameAs(?x, ?y).",
        "eq-rep-s: p(?z, ?y) :- p(?x, ?y), sameAs(?x, ?z).",
        "eq-sym: sameAs(?y, ?x) :- sameAs(?x, ?y).",
        "eq-trans: sameAs(?x, ?z) :- sameAs(?x, ?y), sameAs(?y, ?z), ?x ≠ ?z.",
    ]


def test_under_unique_names_an_equality_of_two_is_denied():
    (rule,) = Theory.of([], unique_names=True).demanded([SAME, CLASS], [])
    assert rule.name == "pr-unique"
    assert rule.head is None and rule.different


@pytest.mark.parametrize("unique_names", [True, False])
def test_what_is_empty_or_ill_typed_is_denied_once_it_is_met(unique_names):
    theory = Theory.of([], unique_names)
    assert made(theory, NOTHING, EMPTY) == [
        "cls-nothing2: ⊥ :- Nothing(?x).",
        "pr-empty: ⊥ :- bottomObjectProperty(?x, ?y).",
    ]
    (rule,) = theory.demanded([Symbol(V, 2)], [V])
    assert rule.name == "dt-not-type"
    assert rule.tests == (Member(y, ILL_TYPED),)


def test_nothing_differs_from_itself_and_difference_goes_both_ways():
    assert made(Theory.of([], unique_names=True), DIFFERENT) == ["eq-diff1: ⊥ :- differentFrom(?x, ?x)."]
    assert "pr-different: differentFrom(?y, ?x) :- differentFrom(?x, ?y)." in made(
        Theory.of([], unique_names=False), DIFFERENT
    )


def test_each_argument_of_each_predicate_is_a_thing_where_that_is_asked():
    assert made(Theory.of([OF_THINGS], unique_names=True), THING, CLASS, PROPERTY) == [
        "pr-thing: Thing(?x) :- C(?x).",
        "pr-thing: Thing(?x) :- p(?x, ?y).",
        "pr-thing: Thing(?y) :- p(?x, ?y).",
    ]


def test_a_theory_follows_what_it_speaks_of():
    plain, open_ = Theory.of([], unique_names=True), Theory.of([], unique_names=False)
    things = Theory.of([OF_THINGS], unique_names=True)
    assert not plain.follows([CLASS, PROPERTY], [CLASS, PROPERTY])
    assert not open_.follows([CLASS, PROPERTY], [CLASS, PROPERTY])
    assert things.follows([CLASS], [CLASS])
    assert open_.follows([CLASS], [SAME, CLASS])
    assert not plain.follows([CLASS], [SAME, CLASS])
    assert not any(theory.follows([], [SAME]) for theory in (plain, open_, things))
    for symbol in (SAME, DIFFERENT, NOTHING, EMPTY):
        assert all(theory.follows([symbol], [symbol]) for theory in (plain, open_, things))


def test_without_unique_names_denied_values_are_equal_and_denied_literals_contradict():
    functional = Rule("prp-fp", (related(R, x, y), related(R, x, z)), None, (Different(y, z),))
    assert Theory.of([functional], unique_names=True).rules == (functional,)
    equal, literals = Theory.of([functional], unique_names=False).rules
    assert equal.head.predicate == OWL.sameAs and equal.different
    assert literals.head is None and literals.different
    assert {test.range for test in literals.tests} == {COMPARABLE}


def test_without_unique_names_an_inequality_on_which_more_depends_must_be_known():
    rule = Rule("pr-swrl", (related(R, x, y), related(R, x, z)), is_a(B, x), (Different(y, z),))
    denied = Rule("pr-oneof", (is_a(A, x),), None, (Different(x, a), Different(x, b)))
    for made_ in Theory.of([rule, denied], unique_names=False).rules:
        assert not made_.different or not any(atom.predicate == OWL.differentFrom for atom in made_.body)
    assert any(
        atom.predicate == OWL.differentFrom
        for made_ in Theory.of([rule], unique_names=False).rules
        for atom in made_.body
    )

"""The reference closure: the least set that contains the facts and is closed under the rules."""

from itertools import combinations

from hypothesis import given, settings
from rdflib import RDF

from oracle.canonical_literals import canonical_facts
from oracle.materialization import closure, instances, is_consistent
from pantarhei.model.rule import Different, Rule
from strategies import (
    EX,
    FUNCTIONAL,
    INVERSE_FUNCTIONAL,
    IRREFLEXIVE,
    ONE,
    ONE_POINT_ZERO,
    OVER_LITERALS,
    TRANSITIVE,
    TWO,
    A,
    B,
    C,
    R,
    S,
    V,
    a,
    b,
    c,
    facts,
    is_a,
    member,
    related,
    rules,
    w,
    x,
    y,
    z,
)  # fmt: skip

TRANSITIVE_R = TRANSITIVE[0]
FUNCTIONAL_R = FUNCTIONAL[0]


def test_a_transitive_property_is_closed_over_a_cycle():
    assert closure([TRANSITIVE_R], {(a, R, b), (b, R, c), (c, R, a)}) == {
        (s, R, o) for s in (a, b, c) for o in (a, b, c)
    }


def test_a_chain_of_three_needs_all_three():
    chain = Rule("prp-spo2", (related(R, x, y), related(S, y, z), related(R, z, w)), related(S, x, w))
    assert closure([chain], {(a, R, b), (b, S, c), (c, R, a)}) >= {(a, S, a)}
    assert closure([chain], {(a, R, b), (b, S, c)}) == {(a, R, b), (b, S, c)}


def test_a_variable_that_occurs_twice_takes_one_value():
    narcissist = Rule("pr-self", (related(R, x, x),), is_a(A, x))
    assert closure([narcissist], {(a, R, b), (c, R, c)}) == {(a, R, b), (c, R, c), member(A, c)}


def test_a_class_membership_is_an_rdf_type_triple_to_a_rule():
    typed = Rule("cls-hv2", (related(RDF.type, x, A),), is_a(B, x))
    assert closure([typed], {member(A, a)}) == {member(A, a), member(B, a)}


def test_instances_give_the_rule_its_ground_body_in_order_and_its_head():
    assert list(instances([TRANSITIVE_R], {(b, R, c), (a, R, b)})) == [
        (TRANSITIVE_R, ((a, R, b), (b, R, c)), (a, R, c))
    ]


def test_a_constraint_has_instances_without_head():
    assert list(instances([IRREFLEXIVE[0]], {(a, R, a), (a, R, b)})) == [(IRREFLEXIVE[0], ((a, R, a),), None)]


def test_a_constraint_derives_nothing_and_is_seen_only_by_consistency():
    assert closure([IRREFLEXIVE[0]], {(a, R, a)}) == {(a, R, a)}
    assert not is_consistent([IRREFLEXIVE[0]], {(a, R, a)})


def test_consistency_looks_at_what_is_derived():
    assert is_consistent([TRANSITIVE_R, IRREFLEXIVE[0]], {(a, R, b)})
    assert not is_consistent([TRANSITIVE_R, IRREFLEXIVE[0]], {(a, R, b), (b, R, a)})


def test_two_values_of_a_functional_property_are_a_contradiction_and_one_value_is_not():
    assert is_consistent([FUNCTIONAL_R], {(a, R, b), (b, R, c)})
    assert not is_consistent([FUNCTIONAL_R], {(a, R, b), (a, R, c)})


def test_two_subjects_of_an_inverse_functional_property_are_a_contradiction():
    assert is_consistent([INVERSE_FUNCTIONAL[0]], {(a, R, b), (a, R, c)})
    assert not is_consistent([INVERSE_FUNCTIONAL[0]], {(a, R, c), (b, R, c)})


def test_literals_of_one_value_do_not_differ():
    functional = next(rule for rule in OVER_LITERALS if rule.different)
    assert is_consistent([functional], {(a, V, ONE), (a, V, ONE_POINT_ZERO)})
    assert not is_consistent([functional], {(a, V, ONE), (a, V, TWO)})


def test_an_inequality_may_name_a_constant():
    only_b = Rule("cls-maxc1", (related(R, x, y),), None, (Different(y, b),))
    assert is_consistent([only_b], {(a, R, b)})
    assert not is_consistent([only_b], {(a, R, c)})


def test_a_constant_of_a_rule_matches_by_value():
    has_one = OVER_LITERALS[0]
    assert member(A, a) in closure([has_one], {(a, V, ONE_POINT_ZERO)})
    assert member(A, a) not in closure([has_one], {(a, V, TWO)})


def test_a_head_with_a_literal_as_subject_is_not_derived():
    inverse = Rule("prp-inv1", (related(V, x, y),), related(EX.isValueOf, y, x))
    assert closure([inverse], {(a, V, ONE)}) == canonical_facts({(a, V, ONE)})


@settings(max_examples=60, deadline=None)
@given(rules(literals=True), facts(literals=True))
def test_the_closure_is_a_closure_operator(rules, facts):
    closed = closure(rules, facts)
    assert closed >= canonical_facts(facts)
    assert closure(rules, closed) == closed
    assert all(closure(rules, facts - {fact}) <= closed for fact in facts)


@settings(max_examples=60, deadline=None)
@given(rules(literals=True), facts(literals=True))
def test_the_closure_is_closed_and_every_fact_of_it_is_given_or_derived(rules, facts):
    closed = closure(rules, facts)
    heads = {head for _, _, head in instances(rules, closed) if head is not None}
    assert heads <= closed
    assert closed - heads <= canonical_facts(facts)


@settings(max_examples=60, deadline=None)
@given(rules(), facts(max_size=5))
def test_subsets_of_a_consistent_set_are_consistent(rules, facts):
    if is_consistent(rules, facts):
        assert all(
            is_consistent(rules, subset) for n in range(len(facts)) for subset in combinations(facts, n)
        )


def test_rules_may_be_given_in_any_order():
    subclasses = [Rule("cax-sco", (is_a(A, x),), is_a(B, x)), Rule("cax-sco", (is_a(B, x),), is_a(C, x))]
    assert closure(subclasses, {member(A, a)}) == closure(reversed(subclasses), {member(A, a)})

"""Conflict sets: the minimal inconsistent sets of assertions."""

from hypothesis import given, settings

from counts import cases
from oracle.canonical_literals import canonical_triple
from oracle.conflicts import canonical_assertions, conflict_sets
from oracle.materialization import is_consistent
from pantarhei.model.rule import Rule
from strategies import (
    DISJOINT_CLASSES,
    FUNCTIONAL,
    ONE,
    ONE_POINT_ZERO,
    OVER_LITERALS,
    TWO,
    A,
    B,
    C,
    D,
    R,
    V,
    a,
    b,
    c,
    is_a,
    member,
    ontologies,
    streams,
    x,
)  # fmt: skip

A_B_DISJOINT = DISJOINT_CLASSES[0]
OLD_A, NEW_A, NEW_B = (1, member(A, a)), (2, member(A, a)), (2, member(B, a))


def test_no_conflict_set_without_contradiction():
    assert conflict_sets([A_B_DISJOINT], {OLD_A, (1, member(B, b))}) == frozenset()


def test_a_fact_asserted_twice_conflicts_once_by_each_assertion():
    assert conflict_sets([A_B_DISJOINT], {OLD_A, NEW_A, NEW_B}) == {
        frozenset({OLD_A, NEW_B}), frozenset({NEW_A, NEW_B}),
    }  # fmt: skip


def test_a_conflict_set_lists_assertions_and_not_the_background_it_rests_on():
    assert conflict_sets([A_B_DISJOINT], {OLD_A}, background={member(B, a)}) == {frozenset({OLD_A})}


def test_a_fact_that_contradicts_what_it_implies_is_a_conflict_set_of_its_own():
    rules = [Rule("cax-sco", (is_a(C, x),), is_a(D, x)), Rule("cax-dw", (is_a(C, x), is_a(D, x)), None)]
    assert conflict_sets(rules, {(1, member(D, a)), (2, member(C, a))}) == {frozenset({(2, member(C, a))})}


def test_three_values_of_a_functional_property_conflict_in_pairs():
    values = [(1, (a, R, a)), (2, (a, R, b)), (3, (a, R, c))]
    assert conflict_sets([FUNCTIONAL[0]], values) == {frozenset(values) - {value} for value in values}


def test_literals_of_one_value_at_one_time_are_one_assertion():
    functional = next(rule for rule in OVER_LITERALS if rule.different)
    assert conflict_sets([functional], [(1, (a, V, ONE)), (1, (a, V, ONE_POINT_ZERO)), (2, (a, V, TWO))]) == {
        frozenset({(1, canonical_triple((a, V, ONE))), (2, canonical_triple((a, V, TWO)))})
    }


def test_an_inconsistent_background_is_in_conflict_with_no_assertion_at_all():
    background = {member(A, a), member(B, a)}
    assert conflict_sets([A_B_DISJOINT], {OLD_A}, background) == {frozenset()}


@settings(max_examples=cases(8, 100), deadline=None)
@given(ontologies(literals=True), streams(literals=True))
def test_conflict_sets_are_inconsistent_and_cease_to_be_without_any_member(ontology, stream):
    rules, background = ontology
    assertions = canonical_assertions((at, fact) for at, abox in stream for fact in abox)
    conflicts = conflict_sets(rules, assertions, background)
    assert bool(conflicts) != is_consistent(rules, {fact for _, fact in assertions} | background)
    for conflict in conflicts:
        assert conflict <= assertions
        facts = [fact for _, fact in conflict]
        assert not is_consistent(rules, background.union(facts))
        assert all(
            is_consistent(rules, background.union(facts[:i], facts[i + 1 :])) for i in range(len(facts))
        )

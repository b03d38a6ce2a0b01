"""Window repairs: the order, one step, the fold over a stream, and PB26's Algorithm 3 beside them."""

from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import cases
from oracle.conflicts import canonical_assertions, conflict_sets
from oracle.materialization import is_consistent
from oracle.window_repair import (
    algorithm3,
    fold,
    maximal_consistent_subsets,
    maximal_subsets_without_conflict,
    precedes,
    repair,
    repair_of_conflicts,
)
from strategies import (
    DISJOINT_CLASSES,
    FUNCTIONAL,
    NO_TRIPLE_INTERSECTION,
    A,
    B,
    C,
    R,
    a,
    b,
    c,
    conflict_hypergraphs,
    member,
    ontologies,
    streams,
)  # fmt: skip


def subsets(elements):
    return map(frozenset, chain.from_iterable(combinations(elements, n) for n in range(len(elements) + 1)))


def occurrences(stream):
    return canonical_assertions((at, fact) for at, abox in stream for fact in abox)


E0, E1, E2, E3, E4 = (1, "e0"), (1, "e1"), (1, "e2"), (2, "e3"), (2, "e4")


# ----- the window order ---------------------------------------------------------------------------


def test_the_newest_timestamp_with_a_difference_decides():
    assert precedes({E0, E1, E2}, {E3})
    assert precedes({E0, E3}, {E1, E3, E4})
    assert not precedes({E3}, {E0, E1, E2})


def test_different_parts_of_one_timestamp_that_do_not_contain_each_other_are_incomparable():
    assert not precedes({E3}, {E4}) and not precedes({E4}, {E3})
    assert not precedes({E3}, {E0, E4})


def test_nothing_precedes_itself():
    assert not precedes({E0, E3}, {E0, E3})


@settings(max_examples=60, deadline=None)
@given(*[st.frozensets(st.sampled_from((E0, E1, E3, E4, (3, "e5"))))] * 3)
def test_the_window_order_is_a_strict_order_that_extends_inclusion(one, two, three):
    assert not (precedes(one, two) and precedes(two, one))
    assert not (precedes(one, two) and precedes(two, three)) or precedes(one, three)
    assert not one < two or precedes(one, two)


# ----- one step on conflict sets ------------------------------------------------------------------


def test_old_gives_way_to_new():
    assert repair_of_conflicts({E0, E1, E3}, [{E0, E3}]) == {E1, E3}


def test_of_two_equally_new_assertions_in_conflict_both_go():
    assert repair_of_conflicts({E0, E3, E4}, [{E3, E4}]) == {E0}


def test_an_older_fact_may_go_with_two_newer_ones_that_contradict_each_other():
    assert repair_of_conflicts({E0, E1, E3, E4}, [{E3, E4}, {E0, E3}, {E0, E4}]) == {E1}


def test_a_conflict_set_of_one_removes_it_whatever_its_age():
    assert repair_of_conflicts({E0, E3}, [{E3}, {E0, E3}]) == {E0}


def test_a_conflict_set_that_is_not_wholly_present_says_nothing():
    assert repair_of_conflicts({E0, E1}, [{E0, E3}]) == {E0, E1}


@settings(max_examples=cases(12, 150), deadline=None)
@given(conflict_hypergraphs(max_conflicts=4))
def test_maximal_subsets_are_those_that_no_other_subset_without_conflict_is_above(hypergraph):
    elements, conflicts = hypergraph
    if len(elements) > 7:
        return
    free = [subset for subset in subsets(elements) if not any(conflict <= subset for conflict in conflicts)]
    assert maximal_subsets_without_conflict(elements, conflicts) == {
        subset for subset in free if not any(precedes(subset, other) for other in free)
    }


@settings(max_examples=cases(12, 150), deadline=None)
@given(conflict_hypergraphs())
def test_what_is_decided_without_guessing_agrees_with_the_repair(hypergraph):
    """The grounded fixpoint: what it calls in lies in every repair, what it calls out in none."""
    elements, conflicts = hypergraph
    inside, outside = set(), set()
    before = None
    while before != (before := (len(inside), len(outside))):
        for e in elements:
            mine = [conflict - {e} for conflict in conflicts if e in conflict]
            if any(others <= inside and all(at >= e[0] for at, _ in others) for others in mine):
                outside.add(e)
            if all(any(other[0] < e[0] or other in outside for other in others) for others in mine):
                inside.add(e)
    repairs = maximal_subsets_without_conflict(elements, conflicts)
    assert all(inside <= kept and not outside & kept for kept in repairs)


@settings(max_examples=cases(12, 150), deadline=None)
@given(conflict_hypergraphs(), st.integers(1, 4))
def test_no_decision_depends_on_what_is_older(hypergraph, start):
    elements, conflicts = hypergraph
    recent = frozenset(e for e in elements if e[0] >= start)
    assert repair_of_conflicts(recent, conflicts) == repair_of_conflicts(elements, conflicts) & recent


# ----- one step on assertions ---------------------------------------------------------------------


def test_a_new_value_of_a_functional_property_replaces_the_old_one():
    assert repair([FUNCTIONAL[0]], {(1, (a, R, b)), (2, (a, R, c))}) == {(2, (a, R, c))}


def test_two_values_at_one_time_cut_each_other_and_the_older_one():
    assert repair([FUNCTIONAL[0]], {(1, (a, R, a)), (2, (a, R, b)), (2, (a, R, c))}) == frozenset()


def test_the_background_is_never_removed():
    assert repair([DISJOINT_CLASSES[0]], {(9, member(A, a))}, {member(B, a)}) == frozenset()


def test_a_background_that_is_inconsistent_has_no_maximal_consistent_subset():
    rules, background = [DISJOINT_CLASSES[0]], {member(A, a), member(B, a)}
    assert maximal_consistent_subsets(rules, {(1, member(C, a))}, background) == frozenset()


@settings(max_examples=60, deadline=None)
@given(ontologies(), streams(max_assertions=6))
def test_maximal_consistent_subsets_by_consistency_alone(ontology, stream):
    rules, background = ontology
    assertions = occurrences(stream)
    consistent = [s for s in subsets(assertions) if is_consistent(rules, {f for _, f in s} | background)]
    maximal = {s for s in consistent if not any(precedes(s, other) for other in consistent)}
    assert maximal_consistent_subsets(rules, assertions, background) == maximal
    assert repair(rules, assertions, background) == frozenset.intersection(*maximal)


@settings(max_examples=cases(12, 150), deadline=None)
@given(ontologies(literals=True), streams(literals=True))
def test_a_repair_of_facts_timed_at_their_newest_occurrence_decides_all_occurrences(ontology, stream):
    rules, background = ontology
    assertions = occurrences(stream)
    newest = {fact: max(at for at, other in assertions if other == fact) for _, fact in assertions}
    kept = {fact for _, fact in repair(rules, {(at, fact) for fact, at in newest.items()}, background)}
    assert repair(rules, assertions, background) == {(at, fact) for at, fact in assertions if fact in kept}


@settings(max_examples=60, deadline=None)
@given(ontologies(), streams())
def test_a_repair_is_consistent_and_repairing_it_again_changes_nothing(ontology, stream):
    rules, background = ontology
    kept = repair(rules, occurrences(stream), background)
    assert is_consistent(rules, {fact for _, fact in kept} | background)
    assert repair(rules, kept, background) == kept


# ----- the fold over a stream ---------------------------------------------------------------------


#   at:   1    2    3
#         A    B    C       A and B are disjoint, and so are B and C
def test_disproving_a_disproof_is_not_a_proof():
    rules = [DISJOINT_CLASSES[0], DISJOINT_CLASSES[2]]
    stream = [(1, {member(A, a)}), (2, {member(B, a)}), (3, {member(C, a)})]
    assert fold(rules, stream, width=None)[-1] == {(3, member(C, a))}
    assert repair(rules, occurrences(stream)) == {(1, member(A, a)), (3, member(C, a))}


#   at:   0    1    2    3    4       width = 2
#         A              B            at 3 the window is [1, 3]: A has left, and nothing is in conflict
def test_what_left_the_window_conflicts_with_nothing_and_both_ends_are_included():
    stream = [(0, {member(A, a)}), (3, {member(B, a)})]
    assert fold([DISJOINT_CLASSES[0]], stream, width=2)[-1] == {(3, member(B, a))}
    stream = [(1, {member(C, a)}), (3, {member(B, b)})]
    assert fold([], stream, width=2)[-1] == {(1, member(C, a)), (3, member(B, b))}
    assert fold([], stream, width=1)[-1] == {(3, member(B, b))}


def test_a_fact_that_is_cut_may_be_asserted_again():
    stream = [(1, {member(A, a)}), (2, {member(B, a)}), (3, {member(A, a)})]
    steps = fold([DISJOINT_CLASSES[0]], stream, width=None)
    assert steps == [{(1, member(A, a))}, {(2, member(B, a))}, {(3, member(A, a))}]


def test_a_cut_fact_loses_all_its_occurrences():
    stream = [(1, {member(A, a)}), (2, {member(A, a)}), (3, {member(B, a)})]
    assert fold([DISJOINT_CLASSES[0]], stream, width=None)[-1] == {(3, member(B, a))}


def test_aboxes_out_of_order_are_refused():
    with pytest.raises(ValueError, match="ascending order"):
        fold([], [(2, set()), (1, set())], width=None)


@settings(max_examples=cases(8, 100), deadline=None)
@given(ontologies(literals=True), streams(literals=True), st.integers(0, 6))
def test_sliding_commutes_with_the_fold(ontology, stream, width):
    """PB26 Lemma 2: the repair of a window, cut down to its newer part, is the repair of that part."""
    rules, background = ontology
    for step, (at, _) in enumerate(stream):
        window = [(s, abox) for s, abox in stream[: step + 1] if s >= at - width]
        whole = fold(rules, stream[: step + 1], None, background)[-1]
        assert {x for x in whole if x[0] >= at - width} == fold(rules, window, None, background)[-1]
        assert (
            fold(rules, stream[: step + 1], width, background)[-1]
            == fold(rules, window, None, background)[-1]
        )


@settings(max_examples=60, deadline=None)
@given(ontologies(), streams())
def test_every_step_of_the_fold_is_consistent_and_keeps_only_what_was_kept_or_arrived(ontology, stream):
    rules, background = ontology
    before = frozenset()
    for kept, (at, abox) in zip(fold(rules, stream, None, background), stream, strict=True):
        assert is_consistent(rules, {fact for _, fact in kept} | background)
        assert kept <= before | {(at, fact) for fact in abox}
        before = kept


# ----- PB26's Algorithm 3 -------------------------------------------------------------------------

SMALLEST_DIFFERENCE = [{E3, E4}, {E1, E4}, {E0, E1, E3}]


def test_algorithm_3_keeps_what_a_repair_lacks():
    elements = {E0, E1, E2, E3, E4}
    assert elements - algorithm3(SMALLEST_DIFFERENCE) == {E0, E2}
    assert {E3, E1, E2} in maximal_subsets_without_conflict(elements, SMALLEST_DIFFERENCE)
    assert repair_of_conflicts(elements, SMALLEST_DIFFERENCE) == {E2}


def test_algorithm_3_removes_what_all_repairs_contain():
    e5, e6 = (3, "e5"), (3, "e6")
    conflicts = [{e5, e6}, {E3, e5}, {E0, E3, e6}, {E0, E1, e6}]
    elements = frozenset().union(*conflicts)
    assert elements - algorithm3(conflicts) == frozenset()
    assert maximal_subsets_without_conflict(elements, conflicts) == {
        frozenset({e5, E0, E1}), frozenset({e6, E3, E1}),
    }  # fmt: skip
    assert repair_of_conflicts(elements, conflicts) == {E1}


def test_algorithm_3_ends_on_two_equally_new_assertions_in_conflict_and_removes_both():
    assert algorithm3([{E3, E4}]) == {E3, E4}


def test_algorithm_3_looks_only_at_the_smallest_of_equally_recent_oldest_parts():
    assert algorithm3([{E0, E3}, {E0, E1, E4}]) == {E0}


def test_algorithm_3_refuses_an_empty_conflict_set():
    with pytest.raises(ValueError, match="inconsistent by itself"):
        algorithm3([frozenset()])


@settings(max_examples=cases(12, 150), deadline=None)
@given(conflict_hypergraphs())
def test_what_algorithm_3_keeps_is_free_of_conflict(hypergraph):
    elements, conflicts = hypergraph
    kept = elements - algorithm3(conflicts)
    assert not any(conflict <= kept for conflict in conflicts)


def test_algorithm_3_agrees_with_the_repair_where_each_conflict_has_one_oldest_assertion():
    rules = [NO_TRIPLE_INTERSECTION[0], DISJOINT_CLASSES[0]]
    assertions = {(1, member(A, a)), (2, member(B, a)), (3, member(C, a))}
    conflicts = conflict_sets(rules, assertions)
    assert assertions - algorithm3(conflicts) == repair(rules, assertions) == assertions - {(1, member(A, a))}

"""Conflict sets from a lineage that is made up, against all minimal sets that derive a violation."""

from itertools import combinations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counts import cases
from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.materialize.model import FOREVER
from pantarhei.repair.conflict import Budget, ConflictPairs, Conflicts, find_conflicts, minimal

NOW = 9  # the level of the arriving ABox
sets = st.lists(st.frozensets(st.integers(0, 6), max_size=5), max_size=12)


# -- minimal sets ----------------------------------------------------------------------------------


@given(sets)
def test_minimal_keeps_what_contains_no_other(given):
    assert set(minimal(given)) == {one for one in given if not any(other < one for other in given)}
    assert len(minimal(given)) == len(set(minimal(given)))


@given(sets)
def test_minimal_is_idempotent_and_in_one_order(given):
    assert minimal(minimal(given)) == minimal(given) == minimal(given[::-1])
    assert list(map(len, minimal(given))) == sorted(map(len, minimal(given)))


def test_what_is_compared_is_counted():
    spent = []
    minimal([frozenset({1}), frozenset({1, 2}), frozenset({3, 4}), frozenset({1, 2, 3})], spent.append)
    assert sum(spent) == 3, "a set is compared with smaller ones whose smallest member it has"


# -- lineages --------------------------------------------------------------------------------------


def padded(rows, width):
    return [*rows, *[NONE] * (width - len(rows))]


def closed(facts, instances):
    """`facts` with all that follows by rule instances."""
    facts = set(facts)
    while new := {head for head, body in instances if facts >= set(body)} - facts:
        facts |= new
    return facts


def lineage(assertions, instances, violations, background=()):
    """Of `{row: level}`, `[(head, body)]`, `[(constraint, body)]`; bodies are tuples of rows.

    As the kernel gives it: what can be derived and takes part in a proof of a violation.
    """
    background = closed(background, instances)
    facts = closed({*assertions, *background}, instances)
    violations = [(number, body) for number, body in violations if facts >= set(body)]
    derived = [(head, body) for head, body in instances if facts >= set(body) and head not in background]
    reached = {row for _, body in violations for row in body}
    while new := {row for head, body in derived if head in reached for row in body} - reached:
        reached |= new
    rows, instances = sorted(reached), [(head, body) for head, body in derived if head in reached]
    width = max(len(body) for _, body in (*instances, *violations))
    return Lineage(
        violations=np.array([[n, *padded(body, width)] for n, body in violations], np.int32),
        instances=np.array([[head, 0, *padded(body, width)] for head, body in instances], np.int32).reshape(
            -1, 2 + width
        ),
        rows=np.array(rows, np.int32),
        facts=np.zeros((len(rows), 3), np.int32),
        levels=np.array([FOREVER if row in background else 0 for row in rows], np.int64),
        bases=np.array([assertions.get(row, NONE) for row in rows], np.int64),
        cut_short=False,
    )


def found(conflicts):
    if isinstance(conflicts, Conflicts):
        assert not conflicts.undecided
        conflicts = conflicts.found
    return {conflict.rows: conflict.constraints for conflict in conflicts}


def by_definition(assertions, instances, violations, background=()):
    """The minimal sets of assertions that violate something, with the constraints that each violates as a
    minimal set of that constraint."""

    def violated(chosen):
        facts = closed({*chosen, *background}, instances)
        return {constraint for constraint, body in violations if facts >= set(body)}

    asserted = sorted(set(assertions) - set(background))
    subsets = [frozenset(s) for n in range(len(asserted) + 1) for s in combinations(asserted, n)]
    inconsistent = [chosen for chosen in subsets if violated(chosen)]
    least = [one for one in inconsistent if not any(other < one for other in inconsistent)]
    return {chosen: tuple(sorted(violated(chosen))) for chosen in least}


bodies = st.lists(st.integers(0, 7), min_size=1, max_size=3, unique=True).map(tuple)


@settings(max_examples=cases(130, 400), deadline=None)
@given(
    levels=st.lists(st.sampled_from((NONE, 3, 5, NOW)), min_size=8, max_size=8),
    instances=st.lists(st.tuples(st.integers(0, 7), bodies), max_size=8),
    violations=st.lists(st.tuples(st.integers(0, 2), bodies), min_size=1, max_size=4),
    background=st.sets(st.integers(0, 7), max_size=1),
)
def test_the_conflict_sets_are_those_of_the_definition(levels, instances, violations, background):
    assertions = {row: level for row, level in enumerate(levels) if level != NONE}
    expected = by_definition(assertions, instances, violations, background)
    assume(expected and frozenset() not in expected)
    given = lineage(assertions, instances, violations, background)
    assert found(find_conflicts(given, NOW, Budget())) == expected


PAIR = {0: 5, 1: NOW}


def test_an_older_against_an_arriving_fact_is_a_pair():
    conflicts = find_conflicts(lineage(PAIR, [], [(4, (0, 1))]), NOW, Budget())
    assert isinstance(conflicts, ConflictPairs)
    assert conflicts.older.tolist() == [0] and conflicts.newer.tolist() == [1]
    assert found(conflicts) == {frozenset({0, 1}): (4,)} and len(conflicts) == 1


def test_pairs_are_found_through_proofs_of_one_fact_each():
    """0 → 2 → 3, 1 → 4, and 3 against 4, by two constraints."""
    instances = [(2, (0,)), (3, (2,)), (4, (1,))]
    conflicts = find_conflicts(
        lineage(PAIR, instances, [(7, (3, 4)), (6, (2, 1)), (7, (3, 4))]), NOW, Budget()
    )
    assert isinstance(conflicts, ConflictPairs)
    assert found(conflicts) == {frozenset({0, 1}): (6, 7)} and len(conflicts) == 1


def test_two_arriving_facts_are_a_pair_of_equally_old_ones():
    conflicts = find_conflicts(lineage({0: NOW, 1: NOW, 2: 5}, [], [(4, (0, 1)), (4, (2, 1))]), NOW, Budget())
    assert isinstance(conflicts, ConflictPairs)
    assert found(conflicts) == {frozenset({0, 1}): (4,), frozenset({1, 2}): (4,)}
    assert conflicts.cut().tolist() == [0, 1, 2]


def test_what_is_no_pair_is_searched():
    cases = [
        (PAIR, [], [(0, (1,))]),  # one fact alone
        ({0: 5, 1: NOW, 2: 5}, [], [(0, (0, 1, 2))]),  # three
        ({0: 5, 1: NOW}, [(0, (1,))], [(0, (0, 1))]),  # asserted and derived
        ({0: 5, 1: NOW, 2: 5}, [(3, (0,)), (3, (2,))], [(0, (3, 1))]),  # derived in two ways
        ({0: 5, 1: NOW, 2: 5}, [(3, (0, 2))], [(0, (3, 1))]),  # from two facts
    ]
    for case in cases:
        conflicts = find_conflicts(lineage(*case), NOW, Budget())
        assert isinstance(conflicts, Conflicts)
        assert found(conflicts) == by_definition(*case)


def test_the_background_is_no_member():
    case = ({1: NOW, 2: 5}, [(3, (2, 8))], [(0, (3, 1, 8))], {8})
    assert found(find_conflicts(lineage(*case), NOW, Budget())) == {frozenset({1, 2}): (0,)}


def many_ways(count):
    """`count` facts that each follow from either of two assertions, all together in conflict."""
    assertions = {2 * i + side: 5 for i in range(count) for side in (0, 1)}
    instances = [(100 + i, (2 * i + side,)) for i in range(count) for side in (0, 1)]
    return assertions | {999: NOW}, instances, [(0, (*range(100, 100 + count), 999))]


def test_past_the_budget_only_other_components_have_their_conflict_sets_listed():
    assertions, instances, violations = many_ways(12)
    given = lineage(assertions | PAIR_ELSEWHERE, instances, [*violations, (1, (500, 501))])
    conflicts = find_conflicts(given, NOW, Budget(sets=1000))
    assert isinstance(conflicts, Conflicts)
    assert conflicts.undecided and conflicts.undecided <= frozenset(assertions)
    assert {conflict.rows for conflict in conflicts.found} == {frozenset({500, 501})}
    whole = find_conflicts(given, NOW, Budget())
    assert not whole.undecided and len(whole.found) == 2**12 + 1


def test_a_component_past_the_steps_takes_nothing_from_smaller_ones_and_leaves_some_to_choose_with():
    assertions, instances, violations = many_ways(12)
    for hard, pair in ((0, 1), (1, 0)):  # whichever comes first
        given = lineage(
            assertions | PAIR_ELSEWHERE, instances, [(hard, violations[0][1]), (pair, (500, 501))]
        )
        conflicts = find_conflicts(given, NOW, Budget(steps=300))
        assert conflicts.undecided <= frozenset(assertions)
        assert {conflict.rows for conflict in conflicts.found} == {frozenset({500, 501})}
        assert 100 <= conflicts.steps < 300


PAIR_ELSEWHERE = {500: 5, 501: NOW}

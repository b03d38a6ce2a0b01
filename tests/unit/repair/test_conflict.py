"""Conflict sets from lineages that are made up, against all minimal sets that derive a violation."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counts import cases
from lineages import Case, Meaning, lineage_of
from pantarhei import Budget, OptionError
from pantarhei.encoding.numbers import NONE
from pantarhei.repair.conflict import ConflictEvidence, Conflicts, KeptEvidence, OpenRules
from strategies import conflict_hypergraphs

pytestmark = pytest.mark.timeout(60)
NOW = 9  # the level of the arriving ABox


def conflicts_of(case, budget=Budget()):  # noqa: B008
    """The conflicts of a case, and the rows of its members."""
    lineage = lineage_of(case)
    evidence, places = ConflictEvidence.of(lineage, budget)
    return evidence.conflicts(budget), lineage.rows[places].tolist()


def named(conflicts, rows):
    found = {frozenset(rows[each] for each in conflict.rows): conflict.constraints for conflict in conflicts}
    assert len(found) == len(list(conflicts)) == len(conflicts)
    return found


def found(case, budget=Budget()):  # noqa: B008
    return named(*conflicts_of(case, budget))


def members_of(conflicts, rows):
    return {frozenset(rows[member] for member in pair) for pair in conflicts.pairs[:, :2].tolist()}


bodies = st.lists(st.integers(0, 7), min_size=1, max_size=3, unique=True).map(tuple)


@settings(max_examples=cases(65, 400), deadline=None)
@given(
    levels=st.lists(st.sampled_from((NONE, 3, 5, NOW)), min_size=8, max_size=8),
    instances=st.lists(st.tuples(st.integers(0, 7), bodies), max_size=8),
    violations=st.lists(st.tuples(st.integers(0, 2), bodies), min_size=1, max_size=4),
    background=st.frozensets(st.integers(0, 7), max_size=1),
)
def test_the_conflict_sets_are_those_of_the_definition(levels, instances, violations, background):
    assertions = {row: level for row, level in enumerate(levels) if level != NONE}
    case = Case(assertions, instances, violations, background)
    expected = Meaning(case).conflict_sets()
    assume(expected and frozenset() not in expected)
    assert found(case) == expected


# -- pairs and others ------------------------------------------------------------------------------


PAIR = {0: 5, 1: NOW}


def test_an_older_against_an_arriving_fact_is_a_pair():
    conflicts, rows = conflicts_of(Case(PAIR, [], [(4, (0, 1))]))
    assert members_of(conflicts, rows) == {frozenset({0, 1})} and not conflicts.larger
    assert named(conflicts, rows) == {frozenset({0, 1}): (4,)}


def test_pairs_are_found_through_proofs_of_one_fact_each():
    """0 → 2 → 3, 1 → 4, and 3 against 4, by two constraints, one of them twice."""
    case = Case(PAIR, [(2, (0,)), (3, (2,)), (4, (1,))], [(7, (3, 4)), (6, (2, 1)), (7, (3, 4))])
    conflicts, rows = conflicts_of(case)
    assert len(conflicts.pairs) == 2 and not conflicts.larger
    assert named(conflicts, rows) == {frozenset({0, 1}): (6, 7)}


def test_two_arriving_facts_are_a_pair_too():
    conflicts, rows = conflicts_of(Case({0: NOW, 1: NOW, 2: 5}, [], [(4, (0, 1)), (4, (2, 1))]))
    assert members_of(conflicts, rows) == {frozenset({0, 1}), frozenset({1, 2})}


def test_a_fact_derived_in_two_ways_makes_two_pairs():
    conflicts, rows = conflicts_of(Case({0: 5, 1: NOW, 2: 5}, [(3, (0,)), (3, (2,))], [(0, (3, 1))]))
    assert members_of(conflicts, rows) == {frozenset({0, 1}), frozenset({1, 2})}


def test_a_fact_that_contradicts_alone_is_no_member_of_a_pair():
    case = Case({0: 5, 1: NOW, 2: 5}, [], [(0, (1,)), (3, (1,)), (0, (0, 1)), (0, (0, 2))])
    conflicts, rows = conflicts_of(case)
    assert named(conflicts, rows) == {frozenset({1}): (0, 3), frozenset({0, 2}): (0,)}
    assert len(conflicts.singles) == 2 and members_of(conflicts, rows) == {frozenset({0, 2})}


@pytest.mark.parametrize(
    "case",
    [
        Case({0: 5, 1: NOW, 2: 5}, [], [(0, (0, 1, 2))]),  # three
        Case({0: 5, 1: NOW, 2: 5}, [(3, (0, 2))], [(0, (3, 1))]),  # from two facts
        Case({0: 5, 1: NOW, 2: 5, 4: 5}, [(3, (0, 2))], [(0, (3, 1)), (1, (1, 4))]),  # a pair beside it
    ],
)
def test_what_may_not_be_a_pair_is_searched(case):
    conflicts, rows = conflicts_of(case)
    assert not len(conflicts.pairs) and conflicts.larger
    assert named(conflicts, rows) == Meaning(case).conflict_sets()


def test_one_fact_asserted_and_derived_is_in_a_conflict_of_its_own():
    assert found(Case({0: 5, 1: NOW}, [(0, (1,))], [(0, (0, 1))])) == {frozenset({1}): (0,)}


def test_the_background_is_no_member():
    case = Case({1: NOW, 2: 5}, [(3, (2, 8))], [(0, (3, 1, 8))], frozenset({8}))
    assert found(case) == {frozenset({1, 2}): (0,)}


def test_a_conflict_by_two_constraints_is_counted_once():
    one = Conflicts(
        np.array([[4, 1], [4, 2]]), np.array([[0, 1, 5], [0, 1, 6], [0, 2, 5]]), [], frozenset(), True
    )
    assert len(one) == len(list(one)) == 3
    none = Conflicts(np.empty((0, 2)), np.empty((0, 3)), [], frozenset(), True)
    assert len(none) == len(list(none)) == 0


# -- limits ----------------------------------------------------------------------------------------


def many_ways(count, first=0):
    """`count` facts that each follow from either of two assertions, all together in conflict."""
    assertions = {first + 2 * i + side: 5 for i in range(count) for side in (0, 1)}
    derived = range(first + 100, first + 100 + count)
    instances = [(head, (first + 2 * i + side,)) for i, head in enumerate(derived) for side in (0, 1)]
    return Case(assertions | {first + 99: NOW}, instances, [(0, (*derived, first + 99))])


def together(*given):
    return Case(
        {row: level for case in given for row, level in case.assertions.items()},
        [each for case in given for each in case.instances],
        [each for case in given for each in case.violations],
    )


ELSEWHERE = Case({500: 5, 501: NOW}, [], [(1, (500, 501))])


def test_past_the_sets_only_other_groups_have_their_conflict_sets_listed():
    hard = many_ways(12)
    conflicts, rows = conflicts_of(together(hard, ELSEWHERE), Budget(sets=1000))
    assert not conflicts.is_complete
    assert {rows[each] for each in conflicts.lost} == set(hard.assertions)
    assert named(conflicts, rows) == {frozenset({500, 501}): (1,)}
    conflicts, _ = conflicts_of(together(hard, ELSEWHERE))
    assert conflicts.is_complete and not conflicts.lost and len(conflicts) == 2**12 + 1


@pytest.mark.parametrize("first", [0, 600])
def test_a_group_past_the_steps_takes_nothing_from_others(first):
    """Four groups of one size are listed with the steps that one of them takes."""
    small = [many_ways(3, 1000 + first + 200 * number) for number in range(4)]
    needed = next(
        steps for steps in range(10_000) if conflicts_of(small[0], Budget(steps=steps))[0].is_complete
    )
    conflicts, rows = conflicts_of(together(many_ways(10, first), *small), Budget(steps=needed))
    assert {rows[each] for each in conflicts.lost} == set(many_ways(10, first).assertions)
    assert len(named(conflicts, rows)) == 4 * 2**3


@pytest.mark.parametrize(("steps", "is_complete"), [(0, False), (779, False), (780, True)])
def test_past_the_steps_no_pair_of_a_group_is_listed_and_its_members_are_lost(steps, is_complete):
    """Each pair is noted twice, as those of a functional property are, and counts once."""
    values = dict.fromkeys(range(40), NOW)
    case = Case(values, [], [(0, pair) for pair in permutations(values, 2)])
    conflicts, rows = conflicts_of(together(case, ELSEWHERE), Budget(steps=steps))
    assert conflicts.is_complete is is_complete
    lost = (set() if is_complete else set(values)) | (set() if steps else set(ELSEWHERE.assertions))
    assert {rows[each] for each in conflicts.lost} == lost
    assert len(named(conflicts, rows)) == bool(steps) + 780 * is_complete


@pytest.mark.parametrize("name", ["sets", "steps", "instances"])
def test_a_budget_is_of_whole_numbers(name):
    with pytest.raises(OptionError, match=name):
        Budget(**{name: 1.5})


# -- evidence --------------------------------------------------------------------------------------


def wide(count):
    """`count` older facts and a newer one, by a rule each; as many rules lead nowhere near a conflict."""
    levels = dict.fromkeys(range(count), 1) | {count: 2}
    rules = [(1000 + row, (row,)) for row in range(count)]
    return Case(levels, rules, [(3, (1000 + row, count)) for row in range(count)])


def with_chain(length):
    """A conflict at the end of a chain of rules."""
    return Case(
        {0: 5, 1: NOW}, [(10 + i, (10 + i - 1 if i else 0,)) for i in range(length)], [(2, (9 + length, 1))]
    )


def test_members_are_numbered_from_0_with_their_facts_and_levels():
    case = Case({3: 5, 7: NOW, 8: 4, 6: NOW}, [(9, (3,))], [(4, (9, 7)), (2, (8,))])
    lineage = lineage_of(case)
    evidence, places = ConflictEvidence.of(lineage, Budget())
    assert sorted(lineage.rows[places].tolist()) == [3, 7, 8], "6 is in no conflict"
    assert evidence.facts.tolist() == lineage.facts[places].tolist()
    assert evidence.levels.tolist() == lineage.assertion_levels[places].tolist()
    rows = lineage.rows[places].tolist()
    assert [[rows[member], constraint] for member, constraint in evidence.singles.tolist()] == [[8, 2]]


def test_evidence_has_what_takes_part_in_conflicts_alone():
    """1,000 facts that 0 derives by the way lead to no conflict of two; an older part is decided alone."""
    case = Case(
        {0: 5, 1: NOW, 2: NOW}, [(3, (0,)), (4, (2,)), (4, (0,))], [(0, (3, 1)), (5, (2,)), (5, (4,))]
    )
    evidence, _ = ConflictEvidence.of(lineage_of(case), Budget())
    assert len(evidence.rules.heads) == 0 and len(evidence.singles) == 2


@pytest.mark.parametrize(
    ("case", "is_taken"), [(with_chain(20), False), (with_chain(200), True), (wide(100), False)]
)
def test_a_small_lineage_is_kept_as_it_is_and_gives_the_same_conflicts(case, is_taken):
    lineage = lineage_of(case)
    kept = KeptEvidence(lineage, Budget())
    assert (kept.bytes != lineage.bytes) is is_taken
    at_once, places = ConflictEvidence.of(lineage, Budget())
    assert not is_taken or kept.bytes == at_once.bytes
    rows = lineage.rows[places].tolist()
    assert named(kept.conflicts(), rows) == named(at_once.conflicts(Budget()), rows)
    assert named(KeptEvidence(at_once, Budget()).conflicts(), rows) == named(kept.conflicts(), rows)


def test_a_lineage_that_is_cut_short_has_other_conflicts():
    lineage = lineage_of(Case(PAIR, [], [(4, (0, 1))]))
    assert ConflictEvidence.of(lineage, Budget())[0].conflicts(Budget()).is_complete
    evidence = ConflictEvidence.of(lineage._replace(cut_short=True, floor=4), Budget())[0]
    assert len(evidence.conflicts(Budget())) == 1 and not evidence.conflicts(Budget()).is_complete


@given(conflict_hypergraphs())
def test_evidence_of_given_sets_has_those_conflict_sets(hypergraph):
    _, conflicts = hypergraph
    alone = {next(iter(each)) for each in conflicts if len(each) == 1}
    members = sorted(frozenset().union(*conflicts), key=lambda one: (one in alone, one))
    place = {one: number for number, one in enumerate(members)}
    sets = [(sorted(map(place.get, each)), [number, 99]) for number, each in enumerate(conflicts)]
    levels = np.array([at for at, _ in members], np.int64)
    for is_complete in (True, False):
        found = ConflictEvidence.of_sets(levels, sets, is_complete).conflicts(Budget())
        assert found.is_complete is is_complete
        assert named(found, range(len(members))) == {frozenset(each): tuple(rules) for each, rules in sets}


# -- open rules ------------------------------------------------------------------------------------


def open_rules():
    """0 against 1 and 2; 3 → 4, 4 against 5, twice."""
    levels = np.array([5, NOW, 5, 5, NONE, NOW], np.int64)
    columns = ([NONE, 4, NONE, NONE], [8, 0, 7, 6], [0, 3, 4, 6, 8], [2, 1, 0, 3, 4, 5, 5, 4])
    return OpenRules(levels, *(np.array(column, np.int32) for column in columns))


def test_groups_are_the_smallest_first_and_have_their_own_rules_alone():
    rules = open_rules()
    leaders = rules.residue().leaders()
    joined, chains = rules.groups(np.ones(6, np.bool_), leaders)
    assert (joined.asserted, joined.instances, joined.violations) == ([0, 1, 2], set(), {(8, (0, 1, 2))})
    assert (chains.asserted, chains.instances) == ([3, 5], {(4, (3,))})
    assert chains.violations == {(7, (4, 5)), (6, (4, 5))}
    assert (joined.size, chains.size) == (4, 5)
    (alone,) = rules.groups(leaders == leaders[4], leaders)
    assert alone == chains


def test_renumbered_atoms_keep_their_rules_and_levels():
    order = np.array([5, 3, 4, 2, 0, 1])
    rules = open_rules().reordered(order)
    assert rules.levels.tolist() == [NOW, 5, NONE, 5, 5, NOW]
    joined, chains = rules.groups(np.ones(6, np.bool_), rules.residue().leaders())
    assert joined.violations == {(8, (3, 4, 5))}
    assert (chains.instances, chains.violations) == ({(2, (1,))}, {(7, (0, 2)), (6, (0, 2))})

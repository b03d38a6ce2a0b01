"""The exact cut of lineages that are made up: counterexamples of simpler rules, groups and their budgets."""

import random
from bisect import bisect_left
from itertools import chain

import pytest

import pantarhei.repair.cut as exact_module
from counts import seeds
from lineages import Case, Meaning, large_cases, lineage_of, rank, small_cases
from oracle import window_repair as reference
from pantarhei.proofs.supports import StepBudget
from pantarhei.repair.conflict import Budget
from pantarhei.repair.cut import Grounded, algorithm3, exact_cut, grounded

pytestmark = pytest.mark.timeout(60)
A, B, C, D, E, W, X, Y, Z = range(9)
UNLIMITED = Budget()


def cut(case, budget=UNLIMITED):
    """(removed, undecided), as rows."""
    lineage = lineage_of(case)
    found = exact_cut(lineage, budget, rank)
    assert found.places.tolist() == sorted(found.places.tolist())
    return tuple(frozenset(lineage.rows[places].tolist()) for places in found)


def removed(levels, conflicts, rules=()):
    """The removed rows where each conflict is the body of a constraint; nothing is undecided."""
    case = Case(levels, rules, [(0, body) for body in conflicts])
    found, undecided = cut(case)
    assert not undecided and found == Meaning(case).cut()
    return found


def by_algorithm3(levels, conflicts):
    """The rows that Algorithm 3 removes, here and in the reference."""
    sets = list(map(frozenset, conflicts))
    found = algorithm3(sets, levels)
    named = [frozenset((levels[row], row) for row in each) for each in sets]
    assert reference.algorithm3(named) == {(levels[row], row) for row in found}
    return found


# -- counterexamples of simpler rules --------------------------------------------------------------


def test_ties_cut_and_forgotten():
    """The subset with A lacks C, though A itself is removed."""
    assert removed({A: 2, B: 2, C: 1}, [(A, B), (A, C)]) == {A, B, C}


def test_all_open_ones_cut():
    """No subset has Z, since X or Y is in each: so W stays."""
    levels = {X: 2, Y: 2, Z: 1, W: 0}
    assert removed(levels, [(X, Y), (X, Z), (Y, Z), (Z, W)]) == {X, Y, Z}


def test_one_greedy_maximal_subset():
    """{A} is a maximal subset, and so is {B}."""
    assert removed({A: 2, B: 2}, [(A, B)]) == {A, B}
    assert removed({A: 2, B: 2, C: 2}, [(A, B), (B, C)]) == {A, B, C}
    assert removed({A: 2, B: 2, C: 1}, [(A, B), (B, C)]) == {A, B, C}, "C goes with B, stays with A"


def test_a_fact_that_derives_what_it_contradicts_goes_and_nothing_else():
    """C → D and C ∧ D → ⊥: C at 2 contradicts alone, so D at 1 stays."""
    assert removed({D: 1, C: 2}, [(C, D)], [(D, (C,))]) == {C}


def test_a_fact_that_rests_on_a_removed_one_is_kept_for_what_it_asserts():
    """A → B; A goes by C, B is asserted itself, older."""
    assert removed({A: 2, B: 1, C: 3}, [(A, C)], [(B, (A,))]) == {A}


def test_an_older_fact_that_a_newer_one_implies_is_not_cut_before_it():
    """A at 3 → B; B at 1 is asserted too; B against C at 2: C goes."""
    assert removed({A: 3, B: 1, C: 2}, [(B, C)], [(B, (A,))]) == {C}


def test_of_three_that_contradict_together_the_oldest_goes():
    assert removed({A: 3, B: 2, C: 1}, [(A, B, C)]) == {C}
    assert removed({A: 3, B: 1, C: 1}, [(A, B, C)]) == {B, C}


def test_a_fact_removed_for_a_newer_one_removes_no_older_one():
    assert removed({A: 3, B: 2, C: 1}, [(A, B), (B, C)]) == {B}


def test_two_ways_to_be_right_that_both_need_an_older_fact_keep_it():
    """A or B at 3; C goes with A, D with B; E is impossible with C, D and W, so E stays."""
    levels = {A: 3, B: 3, C: 2, D: 2, W: 3, E: 1}
    conflicts = [(A, B), (A, C), (B, D), (C, D, W, E)]
    assert removed(levels, conflicts) == {A, B, C, D}
    state = grounded(list(map(frozenset, conflicts)), levels)
    assert E in state.undecided, "the grounded fixpoint does not decide it"


def test_what_follows_from_either_way_to_be_right_cuts_an_older_fact():
    """A or B at 2, C from each of them; C against D."""
    assert removed({A: 2, B: 2, D: 1}, [(A, B), (C, D)], [(C, (A,)), (C, (B,))]) == {A, B, D}


def test_what_follows_from_a_join_of_open_facts_may_cut_an_older_one():
    """A or B at 2; A ∧ W → C; C against D."""
    levels = {A: 2, B: 2, W: 2, D: 1}
    assert removed(levels, [(A, B), (C, D)], [(C, (A, W))]) == {A, B, D}


# -- Algorithm 3 -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("levels", "conflicts", "exact", "by_printed"),
    [
        # A or B at 2; at 1 A against C, C against D: with B either of C and D may be right
        ({A: 2, B: 2, C: 1, D: 1}, [(A, B), (A, C), (C, D)], {A, B, C, D}, {A, B, C}),
        # the example of the documentation: three facts at 1, two at 2
        ({A: 1, B: 1, C: 1, D: 2, E: 2}, [(D, E), (E, B), (A, B, D)], {A, B, D, E}, {B, D, E}),
    ],
)
def test_algorithm3_keeps_what_some_maximal_subset_lacks(levels, conflicts, exact, by_printed):
    assert removed(levels, conflicts) == exact
    assert by_algorithm3(levels, conflicts) == by_printed


def test_with_fewer_than_four_facts_algorithm3_agrees():
    subsets = [(A,), (B,), (C,), (A, B), (A, C), (B, C), (A, B, C)]
    for times in ((1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 2, 1), (1, 2, 1), (1, 2, 2)):
        for chosen in range(1, 1 << len(subsets)):
            conflicts = [body for place, body in enumerate(subsets) if chosen >> place & 1]
            if not any(set(one) < set(other) for one in conflicts for other in conflicts):
                levels = dict(zip((A, B, C), times, strict=True))
                assert by_algorithm3(levels, conflicts) == removed(levels, conflicts)


# -- groups ----------------------------------------------------------------------------------------


def hard(number, size=5):
    """A group of `2 * size` facts of one time that can be chosen from in many ways, and an older fact."""
    left, right = ([1000 * number + 100 * side + i for i in range(size)] for side in (0, 1))
    levels = dict.fromkeys((*left, *right), 2) | {1000 * number + 999: 1}
    bodies = [tuple(left), *zip(left, right, strict=True), (left[0], 1000 * number + 999)]
    return Case(levels, [], [(0, body) for body in bodies])


def together(cases):
    return Case(
        {row: level for case in cases for row, level in case.assertions.items()},
        [each for case in cases for each in case.instances],
        [each for case in cases for each in case.violations],
    )


def needed(case):
    """The fewest steps with which a case is decided."""
    return bisect_left(range(100_000), True, key=lambda steps: not cut(case, Budget(steps=steps))[1])


def test_each_group_has_the_budget_for_itself():
    steps, groups = needed(hard(0)), list(map(hard, range(4)))
    assert not cut(together(groups), Budget(steps=steps))[1]
    for fewer in (steps - 1, steps // 2):
        undecided = [cut(group, Budget(steps=fewer))[1] for group in groups]
        assert all(undecided)
        assert cut(together(groups), Budget(steps=fewer))[1] == frozenset().union(*undecided)


def test_a_group_past_its_budget_takes_nothing_from_others():
    small = [hard(number, 2) for number in range(1, 4)]
    steps = needed(small[0])
    assert steps < needed(hard(0))
    for order in ([hard(0), *small], [*small, hard(0)]):
        found, undecided = cut(together(order), Budget(steps=steps))
        assert undecided == frozenset(hard(0).assertions)
        assert found - undecided == frozenset().union(*(cut(case)[0] for case in small))


def test_all_groups_together_have_a_limit(monkeypatch):
    steps = needed(hard(0))
    four = list(map(hard, range(4)))
    monkeypatch.setattr(exact_module, "_SEARCHES", 3)
    assert cut(together(four), Budget(steps=steps))[1] == frozenset(four[3].assertions)
    monkeypatch.setattr(exact_module, "_SEARCHES", 4)
    assert not cut(together(four), Budget(steps=steps))[1]


def test_past_the_budget_what_newer_levels_decided_is_decided():
    """The group of the newest level is decided before the steps are used up on the next ones."""
    bodies = [(row, row + 1) for row in range(0, 12, 2)] + [(row, row + 1, row + 2) for row in range(1, 10)]
    case = Case({row: 9 - row // 4 for row in range(12)}, [], [(0, body) for body in bodies])
    exact, _ = cut(case)
    sizes = {len(cut(case, Budget(steps=steps))[1]) for steps in range(needed(case) + 1)}
    assert {0, 12} < sizes, "there is something between all and nothing"
    for steps in range(needed(case)):
        found, undecided = cut(case, Budget(steps=steps))
        newest = [
            row
            for row in case.assertions
            if case.assertions[row] > max(case.assertions[u] for u in undecided)
        ]
        assert found.intersection(newest) == exact.intersection(newest)


def renamed(case, names):
    return Case(
        {names[row]: level for row, level in case.assertions.items()},
        [(names[head], tuple(map(names.get, body))) for head, body in case.instances],
        [(number, tuple(map(names.get, body))) for number, body in case.violations],
        frozenset(map(names.get, case.background)),
    )


@pytest.mark.parametrize("seed", seeds(2, 40))
def test_a_limit_ends_a_search_at_the_same_step_however_terms_are_numbered(seed):
    dice, undecided = random.Random(seed), 0
    for case in chain(small_cases(dice, 100), large_cases(dice, 100)):
        rows = {*case.assertions, *case.background}
        rows.update(row for head, body in case.instances for row in (head, *body))
        rows = sorted(rows.union(*(body for _, body in case.violations)))
        names = dict(zip(rows, dice.sample(range(100), len(rows)), strict=True))
        back = {name: row for row, name in names.items()}
        other = lineage_of(renamed(case, names), dice)

        def ranked(facts, back=back):
            return [back[name] for name, *_ in facts.tolist()]

        budget = Budget(dice.choice((1, 2, 5, 20_000)), dice.randrange(40))
        found = exact_cut(other, budget, ranked)
        same = tuple(frozenset(back[name] for name in other.rows[places].tolist()) for places in found)
        assert same == cut(case, budget), f"{budget}, {names}, {case}"
        undecided += bool(same[1])
    assert undecided


# -- hitting sets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(50))
def test_minimal_hitting_sets_meet_each_set_and_have_no_member_too_many(seed):
    dice = random.Random(seed)
    sets = [frozenset(dice.sample(range(7), dice.randint(1, 4))) for _ in range(dice.randint(0, 6))]
    everything = [frozenset(row for row in range(7) if mask >> row & 1) for mask in range(1 << 7)]
    hitting = [each for each in everything if all(each & one for one in sets)]
    search = exact_module._SubsetSearch(
        exact_module.OpenGroup([], set(), set()), {}, StepBudget(20_000, 1_000_000)
    )
    found = search._minimal_hitting_sets(sets)
    assert sorted(map(sorted, found)) == sorted(
        sorted(each) for each in hitting if not any(other < each for other in hitting)
    )


# -- the grounded fixpoint and Algorithm 3, on conflicts of numbered elements

NEW, OLD, OLDEST = 9, 5, 1


def sets(*members):
    return [frozenset(each) for each in members]


def state(in_=(), out=(), undecided=()):
    return Grounded(frozenset(in_), frozenset(out), frozenset(undecided))


def test_of_no_conflicts_nothing_is_removed():
    assert grounded([], {}) == state()
    assert algorithm3([], {}) == frozenset()


def test_the_older_of_two_is_out_and_what_it_kept_out_is_in():
    """2 contradicts 1, which contradicts 0."""
    times = {0: OLDEST, 1: OLD, 2: NEW}
    assert grounded(sets((0, 1), (1, 2)), times) == state(in_=(0, 2), out=(1,))
    assert algorithm3(sets((0, 1), (1, 2)), times) == {1}


def test_an_element_that_contradicts_alone_is_out():
    times = {0: NEW, 1: OLD}
    assert grounded(sets((0,)), times) == state(out=(0,))
    assert algorithm3(sets((0,)), times) == {0}


def test_two_of_one_time_are_undecided_and_what_depends_on_them_is_too():
    times = {0: NEW, 1: NEW, 2: OLD}
    assert grounded(sets((0, 1), (1, 2)), times) == state(undecided=(0, 1, 2))
    assert algorithm3(sets((0, 1), (1, 2)), times) == {0, 1, 2}


def test_of_a_larger_conflict_the_oldest_is_out_where_the_others_are_in():
    times = {0: OLD, 1: OLD, 2: NEW}
    assert grounded(sets((0, 1, 2)), times) == state(in_=(2,), undecided=(0, 1))
    assert algorithm3(sets((0, 1, 2)), times) == {0, 1}
    assert grounded(sets((0, 1, 2)), {**times, 1: OLDEST}) == state(in_=(0, 2), out=(1,))

"""The exact cut and the conflict sets of random lineages, against the definitions by enumeration."""

import random

import numpy as np
import pytest

import pantarhei.repair.conflict as conflict_module
import pantarhei.repair.cut as exact_module
from counts import of_many, seeds, some
from lineages import Meaning, large_cases, lineage_of, rank, small_cases, tangled_cases
from oracle.window_repair import repair_of_conflicts
from pantarhei.materialize.kernel.constants import OPEN
from pantarhei.materialize.kernel.decision import Decision
from pantarhei.materialize.kernel.horn import program_of
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.repair.conflict import Budget, ConflictEvidence, decision_of
from pantarhei.repair.cut import exact_cut

SMALL, LARGE, LIMITED = 2000, 1000, 200  # cases of a seed
UNLIMITED = Budget()
SEARCHED = []  # how many cases of a seed had open facts that the pair rule does not settle


def rows_at(lineage, places):
    return frozenset(lineage.rows[places].tolist())


def cut_of(lineage, budget=UNLIMITED):
    """(removed, undecided), as rows."""
    cut = exact_cut(lineage, budget, rank)
    return rows_at(lineage, cut.places), rows_at(lineage, cut.undecided)


def conflicts_of(lineage, budget=UNLIMITED):
    """(constraints of each conflict set, what lists them)."""
    evidence, places = ConflictEvidence.of(lineage, budget)
    rows = lineage.rows[places].tolist()
    assert evidence.facts[:, 0].tolist() == rows
    found = evidence.conflicts(budget)
    listed = list(found)
    named = {frozenset(rows[each] for each in one.rows): tuple(sorted(one.constraints)) for one in listed}
    assert len(found) == len(listed) == len(named), "each conflict set is counted and listed once"
    return named, found


def check_cut(case, lineage, meaning, why):
    removed, undecided = cut_of(lineage)
    assert removed == meaning.cut(), why
    assert not undecided, why


# -- without limits --------------------------------------------------------------------------------


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", seeds(1, 100, 5000))
def test_the_cut_and_the_conflict_sets_of_a_small_lineage_are_those_of_the_definition(seed):
    dice = random.Random(seed)
    for number, case in enumerate(small_cases(dice, SMALL)):
        why = f"seed {seed}, case {number}: {case}"
        lineage, meaning = lineage_of(case, dice), Meaning(case)
        check_cut(case, lineage, meaning, why)
        named, found = conflicts_of(lineage)
        assert named == meaning.conflict_sets(), why
        assert found.is_complete and not found.lost, why


@pytest.mark.timeout(120)
@pytest.mark.parametrize("draw", some([large_cases, tangled_cases], [large_cases]))
@pytest.mark.parametrize("seed", seeds(1, 30, 1500))
def test_the_cut_of_a_large_lineage_is_the_one_of_the_definition(draw, seed):
    """Its conflict sets are minimal, and the same cut follows from them."""
    dice = random.Random(seed)
    for number, case in enumerate(draw(dice, LARGE)):
        why = f"seed {seed}, case {number}: {case}"
        lineage, meaning = lineage_of(case, dice), Meaning(case)
        check_cut(case, lineage, meaning, why)
        named, found = conflicts_of(lineage)
        assert found.is_complete, why
        for members, constraints in named.items():
            assert meaning.violated(members) == constraints, why
            assert all(meaning.is_consistent(members - {one}) for one in members), why
        hit = Meaning(case._replace(instances=(), violations=[(0, tuple(each)) for each in named]))
        assert hit.cut() == meaning.cut(), why


@pytest.mark.parametrize("seed", seeds(1, 10))
def test_the_enumeration_agrees_with_the_reference(seed):
    for case in small_cases(random.Random(seed), 100):
        meaning = Meaning(case)
        elements = {(at, row) for row, at in meaning.levels.items()}
        sets = [{(meaning.levels[row], row) for row in each} for each in meaning.conflict_sets()]
        assert meaning.cut() == {row for _, row in elements - repair_of_conflicts(elements, sets)}, case


# -- with limits -----------------------------------------------------------------------------------


def check_limited(case, lineage, meaning, budget, why):
    """Check that the exact cut and what a budget leaves undecided are removed, and nothing else."""
    why = f"{budget}, {why}"
    exact = meaning.cut()
    removed, undecided = cut_of(lineage, budget)
    assert exact <= removed, why
    assert removed - exact <= undecided <= removed, why
    assert meaning.is_consistent(meaning.levels.keys() - removed), why
    return undecided


def open_rows(lineage):
    """The rows that are neither in all maximal subsets nor in none, as far as levels decide it."""
    decision = decision_of(lineage, UNLIMITED)
    places = np.flatnonzero(lineage.asserted)
    order = places[np.argsort(-lineage.assertion_levels[places], kind="stable")]
    _, starts = np.unique(-lineage.assertion_levels[order], return_index=True)
    decision.decide_by_levels(contiguous(order), contiguous(np.append(starts, len(order))))
    return rows_at(lineage, decision.statuses() == OPEN)


BUDGETS = [Budget(steps=steps) for steps in range(51)] + [Budget(sets=sets) for sets in range(6)]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("draw", "count"), [(small_cases, 300), (large_cases, 300), (tangled_cases, 40)])
@pytest.mark.parametrize("seed", seeds(1, 20, 1000))
def test_past_its_budget_a_repair_removes_open_facts_and_counts_them_as_undecided(draw, count, seed):
    dice, searched = random.Random(seed), 0
    for number, case in enumerate(draw(dice, count)):
        why = f"seed {seed}, case {number}: {case}"
        lineage, meaning = lineage_of(case, dice), Meaning(case)
        entangled = open_rows(lineage)
        undecided = check_limited(case, lineage, meaning, Budget(steps=0), why)
        assert undecided <= entangled, f"what is not open was decided; {why}"
        if not undecided:
            continue
        searched += 1
        mixed = [Budget(dice.randrange(6), dice.randrange(51)) for _ in range(10)]
        for budget in (*BUDGETS, *mixed):
            undecided = check_limited(case, lineage, meaning, budget, why)
            assert undecided <= entangled, f"what is not open was decided; {budget}, {why}"
    SEARCHED.append(searched)
    assert searched, "some cases have more to decide than the budget suffices for"


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", seeds(1, 20, 1000))
def test_past_the_budget_each_listed_conflict_set_is_one(seed):
    dice, incomplete = random.Random(seed), 0
    for number, case in enumerate(small_cases(dice, LIMITED)):
        lineage, expected = lineage_of(case, dice), Meaning(case).conflict_sets()
        for budget in (Budget(steps=dice.randrange(51)), Budget(sets=dice.randrange(6)), Budget(0, 0)):
            why = f"{budget}, seed {seed}, case {number}: {case}"
            named, found = conflicts_of(lineage, budget)
            assert named.items() <= expected.items(), why
            assert not found.is_complete or named == expected, why
            assert not found.lost or not found.is_complete, why
            incomplete += not found.is_complete
    assert incomplete, "some conflict sets are more than the budget suffices for"


@pytest.fixture
def tested_alone(monkeypatch):
    """Limit the kernel's steps for testing assertions alone to the number in the list."""
    most = [0]

    def limited(lineage, budget):
        columns = map(contiguous, (lineage.instances, lineage.violations))
        background = contiguous(lineage.background, np.uint8)
        return Decision(program_of(contiguous(lineage.rows), background, *columns), most[0])

    monkeypatch.setattr(exact_module, "decision_of", limited)
    monkeypatch.setattr(conflict_module, "decision_of", limited)
    return most


@pytest.mark.timeout(120)
@pytest.mark.parametrize("draw", [small_cases, large_cases, tangled_cases])
@pytest.mark.parametrize("seed", seeds(1, 10, 500))
def test_assertions_that_are_not_tested_alone_are_decided_or_undecided(tested_alone, draw, seed):
    dice = random.Random(seed)
    for number, case in enumerate(draw(dice, LIMITED)):
        lineage, meaning = lineage_of(case, dice), Meaning(case)
        for most in (-1, 0, 1, 3, 6, 10, 20):
            tested_alone[0] = most
            check_limited(
                case, lineage, meaning, UNLIMITED, f"{most} steps, seed {seed}, case {number}: {case}"
            )


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", seeds(1, 10, 500))
def test_listed_conflict_sets_are_minimal_where_assertions_are_not_tested_alone(tested_alone, seed):
    dice = random.Random(seed)
    for number, case in enumerate(small_cases(dice, LIMITED)):
        lineage, expected = lineage_of(case, dice), Meaning(case).conflict_sets()
        for most in (-1, 0, 1, 3, 6, 10, 20):
            tested_alone[0] = most
            why = f"{most} steps, seed {seed}, case {number}: {case}"
            named, found = conflicts_of(lineage)
            assert named.items() <= expected.items(), why
            assert not found.is_complete or named == expected, why


@of_many
def test_many_cases_had_open_facts_that_were_searched():
    if len(SEARCHED) < 60:
        pytest.skip("the cases were not all tried")
    assert sum(SEARCHED) > 1200

"""The status of asserted atoms, level by level and at once, against the maximal subsets and conflict sets."""

import random

import numpy as np
import pytest

from counts import seeds
from lineages import Case, Meaning, large_cases, lineage_of, small_cases
from pantarhei.materialize.kernel.constants import BOTTOM, IN, OPEN, OUT
from pantarhei.materialize.kernel.decision import Decision
from pantarhei.materialize.kernel.horn import program_of
from pantarhei.materialize.kernel_values import contiguous

pytestmark = pytest.mark.timeout(60)
UNLIMITED = 1 << 40
CASES = 300  # of a seed


def decision_of(lineage, most_tests=UNLIMITED):
    columns = map(contiguous, (lineage.instances, lineage.violations))
    background = contiguous(lineage.background, np.uint8)
    return Decision(program_of(contiguous(lineage.rows), background, *columns), most_tests)


def levels_of(lineage):
    """(asserted places, newest level first, where each level begins)."""
    places = np.flatnonzero(lineage.asserted)
    order = places[np.argsort(-lineage.assertion_levels[places], kind="stable")]
    _, starts = np.unique(-lineage.assertion_levels[order], return_index=True)
    return contiguous(order), contiguous(np.append(starts, len(order)))


def by_levels(lineage, most_tests=UNLIMITED):
    """The decision about a lineage; the rows of each status."""
    decision = decision_of(lineage, most_tests)
    opened = decision.decide_by_levels(*levels_of(lineage))
    found = rows_by_status(lineage, decision)
    assert opened == len(found[OPEN])
    return decision, found


def rows_by_status(lineage, decision):
    statuses = decision.statuses()
    return {status: frozenset(lineage.rows[statuses == status].tolist()) for status in (0, IN, OUT, OPEN)}


def statuses_of(levels, constraints, rules=(), background=(), most_tests=UNLIMITED):
    case = Case(levels, rules, [(0, body) for body in constraints], frozenset(background))
    found = by_levels(lineage_of(case), most_tests)[1]
    return {row: status for status in (IN, OUT, OPEN) for row in found[status]}


# -- by levels -------------------------------------------------------------------------------------


def test_the_older_of_two_is_out():
    assert statuses_of({0: 5, 1: 9}, [(0, 1)]) == {0: OUT, 1: IN}


def test_two_of_one_level_are_open():
    assert statuses_of({0: 9, 1: 9}, [(0, 1)]) == {0: OPEN, 1: OPEN}


def test_an_atom_that_contradicts_alone_is_out_and_leaves_others_alone():
    assert statuses_of({0: 9, 1: 9, 2: 5}, [(1,), (0, 1), (1, 2)]) == {0: IN, 1: OUT, 2: IN}


def test_what_is_in_no_proof_of_a_contradiction_is_in():
    """0 → 2 and 2 against 1; 3 → 2 as well, older."""
    assert statuses_of({0: 5, 1: 9, 3: 4}, [(1, 2)], [(2, (0,)), (2, (3,))]) == {0: OUT, 1: IN, 3: OUT}
    assert statuses_of({0: 5, 1: 9, 3: 4}, [(1, 2)], [(2, (0,)), (4, (3,))]) == {0: OUT, 1: IN}


def test_an_asserted_atom_that_follows_from_kept_ones_is_in():
    """0 → 1; 1 is asserted too, older, and in a conflict with 2, which loses."""
    assert statuses_of({0: 9, 1: 3, 2: 3}, [(1, 2)], [(1, (0,))]) == {0: IN, 2: OUT, 1: IN}


def test_an_open_atom_leaves_open_what_depends_on_it():
    """0 or 1 at 9; 1 against 2, 0 against 3, 2 against 4; 5 against 6 has nothing to do with them."""
    found = statuses_of(dict(enumerate([9, 9, 5, 5, 1, 5, 1])), [(0, 1), (1, 2), (0, 3), (2, 4), (5, 6)])
    assert found == {0: OPEN, 1: OPEN, 2: OPEN, 3: OPEN, 4: OPEN, 5: IN, 6: OUT}


def test_rules_around_a_cycle_come_to_an_end():
    cycle = [(1, (0,)), (2, (1,)), (0, (2,))]
    assert statuses_of({0: 5, 9: 9}, [(2, 9)], cycle) == {0: OUT, 9: IN}
    assert statuses_of({0: 9, 1: 9, 2: 9, 9: 9}, [(2, 9)], cycle) == dict.fromkeys((0, 1, 2, 9), OPEN)
    assert statuses_of({0: 9, 1: 9, 2: 9}, [(1, 2)], cycle) == dict.fromkeys((0, 1, 2), OUT)


@pytest.mark.parametrize("draw", [small_cases, large_cases])
@pytest.mark.parametrize("seed", seeds(1, 10))
def test_in_and_out_are_what_all_and_no_maximal_subsets_have(draw, seed):
    dice, opened = random.Random(seed), 0
    for number, case in enumerate(draw(dice, CASES)):
        lineage, subsets = lineage_of(case, dice), Meaning(case).maximal_subsets()
        _, found = by_levels(lineage)
        why = f"seed {seed}, case {number}: {case}"
        assert all(found[IN] <= each and not found[OUT] & each for each in subsets), why
        assert found[IN] | found[OUT] | found[OPEN] == frozenset(lineage.rows[lineage.asserted].tolist()), why
        assert found[OPEN] or len(subsets) == 1, why
        levels = Meaning(case).levels
        for row in found[OPEN]:
            kept = {one for one in found[IN] if levels[one] >= levels[row]}
            assert row not in Meaning(case).closed(kept), f"it follows from what is kept; {why}"
        opened += bool(found[OPEN])
    assert opened


@pytest.mark.parametrize("most_tests", [-1, 0, 5, 20])
@pytest.mark.parametrize("seed", seeds(1, 5))
def test_untested_atoms_are_open_and_what_is_in_or_out_is_right(most_tests, seed):
    dice, incomplete = random.Random(seed), 0
    for number, case in enumerate(small_cases(dice, CASES)):
        lineage, subsets = lineage_of(case, dice), Meaning(case).maximal_subsets()
        decision, found = by_levels(lineage, most_tests)
        why = f"{most_tests} steps, seed {seed}, case {number}: {case}"
        assert all(found[IN] <= each and not found[OUT] & each for each in subsets), why
        untested = frozenset(lineage.rows[decision.are_untested() == 1].tolist())
        assert not untested & found[OUT] and bool(untested) is not decision.is_complete, why
        meaning = Meaning(case)
        for row in found[OPEN] - untested:
            newer = {one for one in found[IN] if meaning.levels[one] > meaning.levels[row]}
            assert meaning.is_consistent(newer | {row}), why
        incomplete += not decision.is_complete
        if decision.is_complete:
            assert found == by_levels(lineage)[1], why
    assert incomplete


def test_many_that_derive_one_atom_are_tested_by_one_propagation():
    """n atoms derive the first atom of a chain of m, whose last one a newer atom contradicts."""

    def work(count, length):
        rules = [(1000, (row,)) for row in range(count)]
        rules += [(1001 + step, (1000 + step,)) for step in range(length)]
        levels = dict.fromkeys(range(count), 1) | {999: 2}
        decision, found = by_levels(lineage_of(Case(levels, rules, [(0, (1000 + length, 999))])))
        assert found[OUT] == frozenset(range(count)) and found[IN] == {999}
        assert decision.kept is decision.possible, "nothing is open"
        return decision.possible.work

    assert work(320, 160) <= 5 * work(80, 40)


# -- at once ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", seeds(1, 10))
def test_at_once_finds_sets_of_one_and_leaves_the_members_of_larger_ones_open(seed):
    """More may be open: atoms of proofs that are not minimal."""
    dice = random.Random(seed)
    for number, case in enumerate(small_cases(dice, CASES)):
        lineage, expected = lineage_of(case, dice), Meaning(case).conflict_sets()
        decision = decision_of(lineage)
        decision.decide_together(contiguous(np.flatnonzero(lineage.asserted)))
        why = f"seed {seed}, case {number}: {case}"
        singles = {}
        for place, constraint in decision.singles.array().reshape(-1, 2).tolist():
            singles.setdefault(frozenset({int(lineage.rows[place])}), set()).add(constraint)
        assert singles == {rows: {*found} for rows, found in expected.items() if len(rows) == 1}, why
        found = rows_by_status(lineage, decision)
        assert found[OUT] == frozenset().union(*singles), why
        assert found[OPEN] >= frozenset().union(*(rows for rows in expected if len(rows) > 1)), why
        assert not found[OPEN] or any(len(rows) > 1 for rows in expected), why


@pytest.mark.parametrize("seed", seeds(1, 10))
def test_the_residue_has_the_conflict_sets_of_more_than_one(seed):
    dice = random.Random(seed)
    for number, case in enumerate(small_cases(dice, CASES)):
        lineage, expected = lineage_of(case, dice), Meaning(case).conflict_sets()
        decision = decision_of(lineage)
        decision.decide_together(contiguous(np.flatnonzero(lineage.asserted)))
        found = rows_by_status(lineage, decision)
        rules, violations = rules_of(lineage, decision.residue())
        left = Meaning(Case(dict.fromkeys(found[OPEN], 0), rules, violations))
        larger = {rows: each for rows, each in expected.items() if len(rows) > 1}
        assert left.conflict_sets() == larger, f"seed {seed}, case {number}: {case}"


def rules_of(lineage, residue):
    """The rules and constraints of a residue, over rows of the lineage."""
    places, heads, numbers, starts, bodies = residue
    row = lineage.rows[places].tolist()
    rules, violations = [], []
    assert places.tolist() == sorted(set(places.tolist())) and starts[-1] == len(bodies)
    for head, number, start, end in zip(heads, numbers, starts, starts[1:], strict=False):
        body = tuple(row[atom] for atom in bodies[start:end])
        assert body, "a rule of the residue has an open body atom"
        (violations if head == BOTTOM else rules).append((int(number) if head == BOTTOM else row[head], body))
    return rules, violations

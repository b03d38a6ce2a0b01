"""Random lineages of ⊥, with their cut and their conflict sets by definition: by enumeration of subsets.

Rows are integers. This module uses neither the repair nor the kernel; a set of rows is a bitmask.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import combinations
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel_values import Lineage

Body = tuple[int, ...]
Mask = int


class Case(NamedTuple):
    """Facts with rule instances and violations.

    Args:
        assertions: the newest level of each asserted row.
        instances: pairs `head, body`.
        violations: pairs `constraint, body`.
        background: rows of the background.
    """

    assertions: Mapping[int, int]
    instances: Sequence[tuple[int, Body]]
    violations: Sequence[tuple[int, Body]]
    background: frozenset[int] = frozenset()


# -- by definition -------------------------------------------------------------------------------------


class Meaning:
    """Entailment and consistency over sets of rows.

    Attributes:
        levels: the newest level of each asserted row, without the background.
    """

    def __init__(self, case: Case) -> None:
        self._rules = [(1 << head, mask_of(body)) for head, body in case.instances]
        self._constraints = [(number, mask_of(body)) for number, body in case.violations]
        self._given = self._closed(mask_of(case.background))
        self._known: dict[Mask, tuple[int, ...]] = {}
        self.levels = self._without_background(case.assertions)

    def asserting(self, assertions: Mapping[int, int]) -> Meaning:
        """Return the same rules with other assertions."""
        other = copy(self)
        other.levels = self._without_background(assertions)
        return other

    def closed(self, rows: Iterable[int]) -> frozenset[int]:
        """Return all rows derived from rows and the background, including these."""
        return rows_of(self._closed(mask_of(rows) | self._given))

    def violated(self, rows: Iterable[int]) -> tuple[int, ...]:
        """Return the constraints that rows and the background violate."""
        return self._violated(mask_of(rows))

    def is_consistent(self, rows: Iterable[int]) -> bool:
        """Return True if rows and the background violate nothing."""
        return not self.violated(rows)

    def maximal_subsets(self) -> set[frozenset[int]]:
        """Return the consistent subsets that are maximal in the window order (PB26 Definition 6).

        A consistent subset is maximal iff at each level its rows are maximal among those that are consistent
        with its newer rows. The subsets of each level are enumerated for each maximal set of newer rows.
        """
        kept: set[Mask] = {0}
        for at in sorted(set(self.levels.values()), reverse=True):
            level = mask_of(row for row, of_row in self.levels.items() if of_row == at)
            kept = {newer | part for newer in kept for part in self._maximal(newer, level)}
        return set(map(rows_of, kept))

    def cut(self) -> frozenset[int]:
        """Return the rows that are missing in some maximal subset (PB26 Definition 7)."""
        return frozenset(self.levels) - frozenset.intersection(*self.maximal_subsets())

    def conflict_sets(self) -> dict[frozenset[int], tuple[int, ...]]:
        """Return the minimal inconsistent subsets, each with its violated constraints (PB26 Def. 10)."""
        found: dict[Mask, tuple[int, ...]] = {}
        if not self._violated(mask_of(self.levels)):
            return {}
        for size in range(len(self.levels) + 1):
            for chosen in map(mask_of, combinations(self.levels, size)):
                if not any(chosen & smaller == smaller for smaller in found):
                    violated = self._violated(chosen)
                    if violated:
                        found[chosen] = violated
        return {rows_of(mask): violated for mask, violated in found.items()}

    def _without_background(self, assertions: Mapping[int, int]) -> dict[int, int]:
        return {row: at for row, at in assertions.items() if not self._given >> row & 1}

    def _maximal(self, newer: Mask, level: Mask) -> Iterator[Mask]:
        """Yield the maximal subsets of a level that are consistent with `newer`."""
        found: list[Mask] = []
        if not self._violated(newer | level):
            yield level
            return
        rows = list(rows_of(level))
        for size in range(len(rows) - 1, -1, -1):
            for chosen in map(mask_of, combinations(rows, size)):
                if not any(chosen & larger == chosen for larger in found) and not self._violated(
                    newer | chosen
                ):
                    found.append(chosen)
                    yield chosen

    def _violated(self, mask: Mask) -> tuple[int, ...]:
        known = self._known.get(mask)
        if known is None:
            closed = self._closed(mask | self._given)
            violated = {number for number, body in self._constraints if closed & body == body}
            known = self._known[mask] = tuple(sorted(violated))
        return known

    def _closed(self, mask: Mask) -> Mask:
        before = -1
        while mask != before:
            before = mask
            for head, body in self._rules:
                if mask & body == body:
                    mask |= head
        return mask


def mask_of(rows: Iterable[int]) -> Mask:
    """Return the bitmask of rows."""
    mask = 0
    for row in rows:
        mask |= 1 << row
    return mask


def rows_of(mask: Mask) -> frozenset[int]:
    """Return the rows of a bitmask."""
    return frozenset(row for row in range(mask.bit_length()) if mask >> row & 1)


# -- in the kernel's format --------------------------------------------------------------------------------


def lineage_of(case: Case, order: random.Random | None = None) -> Lineage:
    """Return the lineage of ⊥ in a case: the rule instances that take part in proofs of violations.

    Args:
        order: shuffles rows, instances and violations.
    """
    meaning = Meaning(case)
    background, facts = meaning.closed(()), meaning.closed(case.assertions)
    violations = [(number, body) for number, body in case.violations if facts.issuperset(body)]
    derived = [
        (head, body) for head, body in case.instances if facts.issuperset(body) and head not in background
    ]
    reached = {row for _, body in violations for row in body}
    while more := {row for head, body in derived if head in reached for row in body} - reached:
        reached |= more
    rows, instances = sorted(reached), [(head, body) for head, body in derived if head in reached]
    if order is not None:
        for each in (rows, instances, violations):
            order.shuffle(each)
    width = max((len(body) for _, body in (*instances, *violations)), default=1)
    return Lineage(
        violations=_table([(number, *_padded(body, width)) for number, body in violations], 1 + width),
        instances=_table([(head, 0, *_padded(body, width)) for head, body in instances], 2 + width),
        rows=np.array(rows, np.int32),
        facts=_table([(row, 0, NONE) for row in rows], 3),
        levels=np.array([FOREVER if row in background else 0 for row in rows], np.int64),
        assertion_levels=np.array([case.assertions.get(row, NONE) for row in rows], np.int64),
        cut_short=False,
    )


def rank(facts: np.ndarray) -> list[list[int]]:
    """Return sort keys of the facts of such a lineage."""
    found: list[list[int]] = facts.tolist()
    return found


def _padded(body: Body, width: int) -> Body:
    return (*body, *[NONE] * (width - len(body)))


def _table(rows: Sequence[Body], width: int) -> np.ndarray:
    return np.array(rows, np.int32).reshape(-1, width)


# -- random cases --------------------------------------------------------------------------------------


def small_cases(dice: random.Random, count: int) -> Iterator[Case]:
    """Yield cases of up to 8 assertions at up to 4 levels: with cycles, background, several proofs, ties,
    joins.
    """
    return _contradicting(dice, count, _small)


def large_cases(dice: random.Random, count: int) -> Iterator[Case]:
    """Yield cases of up to 14 assertions at up to 7 levels, with at most 6 at one level."""
    return _contradicting(dice, count, _large)


def tangled_cases(dice: random.Random, count: int) -> Iterator[Case]:
    """Yield cases of up to 12 assertions, many of one level, with joins and without constraints on one row:
    most of them leave groups that must be searched over several levels.
    """
    return _contradicting(dice, count, _tangled)


def _contradicting(dice, count, draw) -> Iterator[Case]:  # type: ignore[no-untyped-def]
    """Yield drawn cases with violations that the background alone does not cause."""
    while count:
        case = draw(dice)
        meaning = Meaning(case)
        if meaning.is_consistent(()) and not meaning.is_consistent(meaning.levels):
            count -= 1
            yield case


def _small(dice: random.Random) -> Case:
    atoms = dice.randint(3, 11)
    asserted = dice.sample(range(atoms), dice.randint(2, min(8, atoms)))
    times = dice.choice((1, 2, 2, 3, 4))
    levels = {row: dice.randint(1, times) for row in asserted}
    return _with_rules(dice, atoms, levels, dice.randint(0, 12), dice.randint(1, 6), dice.choice((0, 0, 1)))


def _large(dice: random.Random) -> Case:
    atoms = dice.randint(9, 18)
    asserted = dice.sample(range(atoms), dice.randint(7, min(14, atoms)))
    times = dice.choice((3, 4, 5, 7))
    slots = [at for at in range(1, times + 1) for _ in range(6)]
    levels = dict(zip(asserted, dice.sample(slots, len(asserted)), strict=True))
    return _with_rules(
        dice, atoms, levels, dice.randint(0, 16), dice.randint(2, 12), dice.choice((0, 0, 0, 1))
    )


def _tangled(dice: random.Random) -> Case:
    asserted, derived = dice.randint(5, 12), dice.randint(0, 4)
    rows = range(asserted + derived)
    times = dice.choice((2, 3, 3, 4))
    levels = {row: min(dice.randint(1, times), dice.randint(1, times)) for row in range(asserted)}
    newest = dice.sample(range(asserted), 2)
    levels |= dict.fromkeys(newest, times)
    rules = [
        (head, tuple(dice.sample(rows, dice.choice((1, 2, 2))))) for head in rows[asserted:] for _ in range(2)
    ]
    bodies = [tuple(dice.sample(rows, dice.choice((2, 2, 3)))) for _ in range(dice.randint(3, 10))]
    return Case(
        levels,
        [(head, body) for head, body in rules if head not in body],
        [(dice.randrange(3), body) for body in (tuple(newest), *bodies)],
    )


def _with_rules(
    dice: random.Random, atoms: int, levels: dict[int, int], rules: int, constraints: int, given: int
) -> Case:
    """Return a case with these numbers of rules, constraints and background rows; bodies have up to 3 rows.

    In half of the cases no constraint has a body of one row, so that more rows are undecided.
    """

    def body(shortest: int, longest: int) -> Body:
        return tuple(dice.sample(range(atoms), dice.randint(shortest, longest)))

    longest = dice.choice((1, 2, 2, 3))
    drawn = [(dice.randrange(atoms), body(1, longest)) for _ in range(rules)]
    shortest, longest = dice.choice(((1, 2), (1, 3), (2, 2), (2, 3)))
    return Case(
        levels,
        [(head, body) for head, body in drawn if head not in body],
        [(dice.randrange(3), body(shortest, longest)) for _ in range(constraints)],
        frozenset(dice.sample(range(atoms), given)),
    )


def instance_levels(lineage: Lineage):
    """Return for each instance of a lineage the level of its head: the minimum of its body."""
    bodies = lineage.instances[:, 2:]
    if not len(bodies):
        return np.empty(0, np.int64)
    levels = np.where(bodies == NONE, FOREVER, lineage.levels[lineage.places(bodies)])
    return levels.min(axis=1, initial=FOREVER)

"""Conflict sets: the minimal sets of assertions that violate a constraint (PB26 Def. 10), from the lineage of
⊥.

Assertions are *facts* here, each timed at its newest occurrence: a maximal consistent subset that holds one
occurrence of a fact holds them all. The background is true by itself and never part of a conflict set.

Rows of the kernel stand for facts throughout.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.errors import check_type
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.proofs.antichain import Exceeded, Set, minimal
from pantarhei.repair.component import Allowance, components


@dataclass(frozen=True, slots=True)
class Budget:
    """How much the repair of one step may search.

    There can be exponentially many conflict sets (n facts that each follow in two ways) and exponentially
    many ways to choose among them. Past the budget the newest assertions are kept for as long as they are
    consistent, and the others in the same component are removed.

    Args:
        sets: conflict sets and partial supports kept at once, for each connected component of conflicts.
        steps: combinations and comparisons, for all components together: equal shares, and what smaller
            components leave is for the larger ones. Choosing has at least the share of one component.
        instances: rule instances of the lineage of ⊥; past it all assertions in the lineage are removed.

    Raises:
        OptionError: one of these is no whole number.
    """

    sets: int = 20_000
    steps: int = 1_000_000
    instances: int = 300_000

    def __post_init__(self) -> None:
        for name in ("sets", "steps", "instances"):
            check_type(name, getattr(self, name), int, "a whole number")


@dataclass(frozen=True, slots=True)
class RowConflict:
    """A conflict set with the numbers of the constraints that it violates."""

    rows: Set
    constraints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ConflictPairs:
    """Conflicts of two asserted facts, `older[i]` against `newer[i]`, by the constraint `constraints[i]`.

    Every newer fact belongs to the arriving ABox: the usual case, kept as columns. Where `inner`, the older
    one does too, and they are equally old.
    """

    older: Integers
    newer: Integers
    constraints: Integers
    inner: npt.NDArray[np.bool_]

    @property
    def found(self) -> ConflictPairs:
        """The conflicts, as `Conflicts.found`."""
        return self

    @property
    def undecided(self) -> Set:
        """Nothing, as `Conflicts.undecided`."""
        return frozenset()

    def cut(self) -> Integers:
        """The rows to be removed: all older ones, and both where they are equally old.

        A fact with an equally old rival is lacking in the maximal subsets that have the rival, and each rival
        is in some; an older fact goes with any of its rivals.
        """
        return np.unique(np.concatenate([self.older, self.newer[self.inner]]))

    def __len__(self) -> int:
        return len(np.unique(_packed(self.older, self.newer)))

    def __iter__(self) -> Iterator[RowConflict]:
        by_set: dict[Set, list[int]] = defaultdict(list)
        for older, newer, constraint in zip(
            self.older.tolist(), self.newer.tolist(), self.constraints.tolist(), strict=True
        ):
            by_set[frozenset((older, newer))].append(constraint)
        for rows, constraints in by_set.items():
            yield RowConflict(rows, tuple(sorted(set(constraints))))


@dataclass(frozen=True, slots=True)
class Conflicts:
    """All conflict sets of a step.

    Args:
        found: the conflict sets, minimal across all constraints.
        undecided: assertions of components past the budget that are not known to be in every repair; the
            conflict sets of those components are not listed.
        steps: steps of the budget that are left.
    """

    found: Sequence[RowConflict]
    undecided: Set
    steps: int


def find_conflicts(lineage: Lineage, arriving: int, budget: Budget) -> ConflictPairs | Conflicts:
    """The conflict sets behind the violations of `lineage`, when the ABox of level `arriving` came.

    Costs linear time where each violation is by two asserted facts, in general the number of supports
    (bounded by `budget`).
    """
    if lineage.cut_short:
        asserted = (lineage.bases != NONE) & ~lineage.background
        return Conflicts((), frozenset(lineage.rows[asserted].tolist()), budget.steps)
    pairs = _as_pairs(lineage, arriving)
    if pairs is not None:
        return pairs
    times = dict(zip(lineage.rows.tolist(), lineage.bases.tolist(), strict=True))
    candidates: dict[Set, set[int]] = defaultdict(set)
    undecided: set[int] = set()
    allowance = Allowance(budget.sets, budget.steps)
    for component, meter in allowance.metered(components(lineage), lambda part: part.size, later=1):
        try:
            for rows, constraint in component.violating(meter):
                candidates[rows].add(constraint)
        except Exceeded:
            undecided |= component.undecided(times)
    found = [RowConflict(rows, tuple(sorted(candidates[rows]))) for rows in minimal(candidates)]
    return Conflicts(found, frozenset(undecided), allowance.steps)


def _as_pairs(lineage: Lineage, arriving: int) -> ConflictPairs | None:
    """The conflicts as columns, if each is of an arriving and an older fact, and each row has one proof."""
    bodies = lineage.violations[:, 1:]
    origins = _origins(lineage)
    if origins is None:
        return None
    members = _mapped(origins, lineage.places(bodies), bodies)
    present = members != NONE
    low, high = np.where(present, members, len(origins)).min(axis=1), members.max(axis=1)
    if np.any(low >= high) or np.any(present & (members != low[:, None]) & (members != high[:, None])):
        return None  # not two
    low_times, high_times = lineage.bases[low], lineage.bases[high]
    if np.any(np.maximum(low_times, high_times) != arriving):
        return None
    low_is_older = low_times < high_times
    older, newer = np.where(low_is_older, low, high), np.where(low_is_older, high, low)
    inner = low_times == high_times
    return ConflictPairs(lineage.rows[older], lineage.rows[newer], lineage.violations[:, 0], inner)


def _origins(lineage: Lineage) -> npt.NDArray[np.int64] | None:
    """For each row of the lineage the place of the one assertion it follows from, NONE for the background.

    None if some row is both asserted and derived, or derived in two ways, or from two assertions.
    """
    origins = np.where(lineage.background, NONE, np.arange(len(lineage.rows)))
    if not len(lineage.instances):
        return origins
    bodies = lineage.instances[:, 2:]
    members = _mapped(origins, lineage.places(bodies), bodies)
    heads, parents = lineage.places(lineage.instances[:, 0]), members.max(axis=1)
    asserted = lineage.bases != NONE
    supports = np.bincount(heads, minlength=len(origins)) + asserted
    if np.any((members != NONE) & (members != parents[:, None])) or np.any(parents == NONE):
        return None
    if np.any(supports != 1, where=~lineage.background):
        return None
    origins[heads] = parents
    for _ in range(len(heads).bit_length()):  # no proof is longer than there are heads
        origins = _mapped(origins, origins, origins)  # twice as far back
    return origins if np.all(asserted[origins[~lineage.background]]) else None


def _mapped(
    origins: npt.NDArray[np.int64], places: npt.NDArray[np.int64], rows: npt.NDArray[Any]
) -> npt.NDArray[np.int64]:
    """`origins` at `places`, NONE where `rows` is NONE."""
    return np.where(rows == NONE, NONE, origins[places])


def _packed(high: Integers, low: Integers) -> npt.NDArray[np.int64]:
    """Two columns of rows as one of 64-bit keys."""
    keys: npt.NDArray[np.int64] = (high.astype(np.int64) << 32) | low
    return keys

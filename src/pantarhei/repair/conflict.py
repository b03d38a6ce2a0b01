"""Conflict sets: the minimal sets of assertions that violate a constraint (PB26 Def. 10), from the lineage of
⊥.

Assertions are *facts* here, each timed at its newest occurrence: a maximal consistent subset that holds one
occurrence of a fact holds them all. The background is true by itself and never part of a conflict set.

Rows of the kernel stand for facts throughout.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from pantarhei.materialize.model import Lineage
from pantarhei.rules.program import NONE, Integers

Set = frozenset[int]


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a repair may search, for each connected component of conflicts.

    There can be exponentially many conflict sets (n facts that each follow in two ways) and exponentially
    many ways to choose among them.

    Args:
        sets: conflict sets and partial supports kept at once.
        steps: combinations and comparisons.
    """

    sets: int = 20_000
    steps: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Conflict:
    """A conflict set with the numbers of the constraints that it violates."""

    rows: Set
    constraints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Conflicts of two asserted facts, `older[i]` against `newer[i]`, by the constraint `constraints[i]`.

    Every newer fact belongs to the arriving ABox and no older one does: the usual case, kept as columns.
    """

    older: Integers
    newer: Integers
    constraints: Integers

    def __len__(self) -> int:
        return len(np.unique(_packed(self.older, self.newer)))

    def __iter__(self) -> Iterator[Conflict]:
        by_set: dict[Set, list[int]] = defaultdict(list)
        for older, newer, constraint in zip(
            self.older.tolist(), self.newer.tolist(), self.constraints.tolist(), strict=True
        ):
            by_set[frozenset((older, newer))].append(constraint)
        for rows, constraints in by_set.items():
            yield Conflict(rows, tuple(sorted(set(constraints))))


@dataclass(frozen=True, slots=True)
class Conflicts:
    """All conflict sets of a step.

    Args:
        found: the conflict sets, minimal across all constraints.
        unresolved: for each component past its budget, the asserted facts in its lineage; their conflict sets
            are not
            listed.
    """

    found: Sequence[Conflict]
    unresolved: tuple[Set, ...]


def find_conflicts(lineage: Lineage, arriving: int, budget: Budget) -> Pairs | Conflicts:
    """The conflict sets behind the violations of `lineage`, when the ABox of level `arriving` came.

    Costs linear time where each violation is by two asserted facts, in general the number of supports
    (bounded by `budget`).
    """
    pairs = _as_pairs(lineage, arriving)
    if pairs is not None:
        return pairs
    graph = _Graph(lineage)
    candidates: dict[Set, set[int]] = defaultdict(set)
    unresolved = []
    for component in graph.components():
        try:
            for rows, constraint in component.violating(budget):
                candidates[rows].add(constraint)
        except _Exceeded:
            unresolved.append(frozenset(component.asserted))
    found = [Conflict(rows, tuple(sorted(candidates[rows]))) for rows in minimal(candidates)]
    return Conflicts(found, tuple(unresolved))


def minimal(sets: Iterable[Set], spend: Callable[[int], None] = lambda comparisons: None) -> list[Set]:
    """Those of `sets` that contain no other, smallest first; `spend` is told how many comparisons come.

    >>> minimal([frozenset({1, 2}), frozenset({2}), frozenset({1, 3})])
    [frozenset({2}), frozenset({1, 3})]
    """
    kept: list[Set] = []
    smaller: dict[int, list[Set]] = defaultdict(
        list
    )  # the kept ones of smaller size, by one of their members
    for size, candidates in groupby(sorted(set(sets), key=lambda s: (len(s), sorted(s))), key=len):
        found = []
        for candidate in candidates:
            rivals = [smaller[member] for member in candidate if member in smaller] if size else []
            spend(sum(map(len, rivals)))
            if not any(rival <= candidate for group in rivals for rival in group):
                found.append(candidate)
        for one in found:
            if not one:
                return [one]
            smaller[min(one)].append(one)
        kept += found
    return kept


def _as_pairs(lineage: Lineage, arriving: int) -> Pairs | None:
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
    if np.any(np.maximum(low_times, high_times) != arriving) or np.any(low_times == high_times):
        return None
    low_is_older = low_times < high_times
    older, newer = np.where(low_is_older, low, high), np.where(low_is_older, high, low)
    return Pairs(lineage.rows[older], lineage.rows[newer], lineage.violations[:, 0])


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


class _Exceeded(Exception):
    """The budget of a component is used up."""


class _Antichain:
    """Sets none of which contains another. Adding costs a look at those that share a member."""

    def __init__(self, meter: _Meter) -> None:
        self.sets: set[Set] = set()
        self._meter = meter
        self._by_smallest: dict[int, list[Set]] = defaultdict(list)
        self._by_member: dict[int, set[Set]] = defaultdict(set)

    def add(self, new: Set) -> bool:
        """Take in `new` and drop what contains it; False if it contains one of the sets itself."""
        if new in self.sets:
            return False
        rivals = [self._by_smallest[member] for member in new if member in self._by_smallest]
        larger = self._by_member[min(new)]
        self._meter.spend(len(larger) + sum(map(len, rivals)))
        if any(known <= new for group in rivals for known in group):
            return False
        for known in [known for known in larger if new < known]:
            self._drop(known)
        self._meter.keep()
        self.sets.add(new)
        self._by_smallest[min(new)].append(new)
        for member in new:
            self._by_member[member].add(new)
        return True

    def _drop(self, known: Set) -> None:
        self.sets.discard(known)
        self._by_smallest[min(known)].remove(known)
        for member in known:
            self._by_member[member].discard(known)


@dataclass(slots=True)
class _Component:
    """A connected part of the lineage: what is asserted in it, its rule instances and its violations."""

    asserted: list[int]
    instances: list[tuple[int, tuple[int, ...]]]
    violations: list[tuple[int, tuple[int, ...]]]

    def violating(self, budget: Budget) -> list[tuple[Set, int]]:
        """(support of a violation, its constraint), the minimal supports among them.

        Raises:
            _Exceeded: the budget is used up.
        """
        meter = _Meter(budget)
        supports = self._supports(meter)
        found = []
        for constraint, body in self.violations:
            for rows in meter.unions(frozenset(), [supports[row] for row in body]):
                meter.keep()
                found.append((rows, constraint))
        return found

    def _supports(self, meter: _Meter) -> dict[int, _Antichain]:
        """For each row the minimal sets of assertions it follows from: a semi-naive fixpoint over antichains.

        A proof that uses its own conclusion is never minimal, so recursion ends here by itself.
        """
        supports: dict[int, _Antichain] = defaultdict(lambda: _Antichain(meter))
        uses: dict[int, list[tuple[int, list[int]]]] = defaultdict(list)
        for head, body in self.instances:
            for row in body:
                uses[row].append((head, [other for other in body if other != row]))
        news: deque[tuple[int, Set]] = deque()
        for row in self.asserted:
            supports[row].add(frozenset((row,)))
            news.append((row, frozenset((row,))))
        while news:
            row, support = news.popleft()
            if support not in supports[row].sets:  # a smaller one came since
                continue
            for head, others in uses[row]:
                for union in meter.unions(support, [supports[other] for other in others]):
                    if supports[head].add(union):
                        news.append((head, union))
        return supports


class _Meter:
    """Counts work against a budget."""

    def __init__(self, budget: Budget) -> None:
        self.sets, self.steps = budget.sets, budget.steps

    def keep(self) -> None:
        """One more set is kept."""
        self.sets -= 1
        if self.sets < 0:
            raise _Exceeded

    def spend(self, steps: int) -> None:
        """So many combinations or comparisons are about to be made."""
        self.steps -= steps
        if self.steps < 0:
            raise _Exceeded

    def unions(self, start: Set, choices: list[_Antichain]) -> list[Set]:
        """The minimal unions of `start` with one set from each antichain."""
        result = [start]
        for alternatives in choices:
            self.spend(len(result) * len(alternatives.sets))
            unions = {one | other for one in result for other in alternatives.sets}
            if len(unions) > self.sets:
                raise _Exceeded
            result = minimal(unions, self.spend) if len(unions) > 1 else list(unions)
        return result


class _Graph:
    """The lineage without the background."""

    def __init__(self, lineage: Lineage) -> None:
        rows = lineage.rows.tolist()
        background = set(lineage.rows[lineage.background].tolist())
        self.asserted = [
            row
            for row, base in zip(rows, lineage.bases.tolist(), strict=True)
            if base != NONE and row not in background
        ]
        self.violations = [
            (rule, tuple({row for row in body if row != NONE and row not in background}))
            for rule, *body in sorted(set(map(tuple, lineage.violations.tolist())))
        ]
        self.instances = [
            (head, tuple({row for row in body if row != NONE and row not in background}))
            for head, _, *body in lineage.instances.tolist()
        ]
        self._leader: dict[int, int] = {}

    def components(self) -> list[_Component]:
        """The connected parts, by the order in which their first violation was found."""
        for _, body in self.violations:
            self._unite(body)
        for head, body in self.instances:
            self._unite((head, *body))
        parts: dict[int, _Component] = {}
        for rule, body in self.violations:
            parts.setdefault(self._find(body[0]), _Component([], [], [])).violations.append((rule, body))
        for head, body in self.instances:
            parts[self._find(head)].instances.append((head, body))
        for row in self.asserted:
            parts[self._find(row)].asserted.append(row)
        return list(parts.values())

    def _find(self, row: int) -> int:
        root = row
        while (parent := self._leader.setdefault(root, root)) != root:
            root = parent
        while self._leader[row] != root:
            self._leader[row], row = root, self._leader[row]
        return root

    def _unite(self, rows: Sequence[int]) -> None:
        for row in rows[1:]:
            self._leader[self._find(row)] = self._find(rows[0])

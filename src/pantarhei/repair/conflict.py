"""Conflict sets: the minimal sets of assertions that violate a constraint (PB26 Def. 10), from the lineage of
⊥.

Assertions are *facts* here, each timed at its newest occurrence: a maximal consistent subset that holds one
occurrence of a fact holds them all. The background is true by itself and never part of a conflict set.

Rows of the kernel stand for facts throughout.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
        steps: combinations tried.
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


def minimal(sets: Iterable[Set]) -> list[Set]:
    """Those of `sets` that contain no other, smallest first.

    >>> minimal([frozenset({1, 2}), frozenset({2}), frozenset({1, 3})])
    [frozenset({2}), frozenset({1, 3})]
    """
    kept: list[Set] = []
    containing: dict[int, list[Set]] = defaultdict(list)  # by one of their members
    for candidate in sorted(set(sets), key=lambda s: (len(s), sorted(s))):
        if not any(smaller <= candidate for member in candidate for smaller in containing[member]):
            kept.append(candidate)
            containing[min(candidate)].append(candidate)
    return kept


def _as_pairs(lineage: Lineage, arriving: int) -> Pairs | None:
    """The conflicts as columns, if nothing is derived and each is of an arriving and an older fact."""
    bodies = lineage.violations[:, 1:]
    if (
        len(lineage.instances)
        or bodies.shape[1] < 2
        or np.any(bodies[:, 2:] != NONE)
        or np.any(bodies[:, :2] < 0)
    ):
        return None
    places = lineage.places(bodies[:, :2])
    times = lineage.bases[places]
    if np.any(lineage.background[places]) or np.any(times.max(axis=1) != arriving):
        return None
    if np.any(times.min(axis=1) == arriving):
        return None
    first_is_older = times[:, 0] < times[:, 1]
    older = np.where(first_is_older, bodies[:, 0], bodies[:, 1])
    newer = np.where(first_is_older, bodies[:, 1], bodies[:, 0])
    return Pairs(older, newer, lineage.violations[:, 0])


def _packed(high: Integers, low: Integers) -> npt.NDArray[np.int64]:
    """Two columns of rows as one of 64-bit keys."""
    keys: npt.NDArray[np.int64] = (high.astype(np.int64) << 32) | low
    return keys


class _Exceeded(Exception):
    """The budget of a component is used up."""


@dataclass(slots=True)
class _Component:
    """A connected part of the lineage: what is asserted in it, its rule instances and its violations."""

    asserted: list[int]
    instances: list[tuple[int, tuple[int, ...]]]
    violations: list[tuple[int, tuple[int, ...]]]

    def violating(self, budget: Budget) -> Iterator[tuple[Set, int]]:
        """(minimal support of a violation, its constraint), as a list of all before the first is given."""
        supports = self._supports(budget)
        meter = _Meter(budget)
        found = [
            (rows, constraint)
            for constraint, body in self.violations
            for rows in meter.unions([supports[row] for row in body])
        ]
        return iter(found)

    def _supports(self, budget: Budget) -> dict[int, list[Set]]:
        """For each row the minimal sets of assertions it follows from: a fixpoint over antichains.

        A proof that uses its own conclusion is never minimal, so recursion ends here by itself.
        """
        supports: dict[int, list[Set]] = defaultdict(list)
        for row in self.asserted:
            supports[row] = [frozenset((row,))]
        uses: dict[int, list[int]] = defaultdict(list)
        for number, (_, body) in enumerate(self.instances):
            for row in body:
                uses[row].append(number)
        meter = _Meter(budget)
        waiting = list(range(len(self.instances)))
        queued = [True] * len(self.instances)
        while waiting:
            number = waiting.pop()
            queued[number] = False
            head, body = self.instances[number]
            before = supports[head]
            after = minimal([*before, *meter.unions([supports[row] for row in body])])
            if len(after) != len(before) or set(after) != set(before):
                supports[head] = after
                meter.keep(len(after) - len(before))
                for user in uses[head]:
                    if not queued[user]:
                        queued[user] = True
                        waiting.append(user)
        return supports


class _Meter:
    """Counts work against a budget."""

    def __init__(self, budget: Budget) -> None:
        self.sets, self.steps = budget.sets, budget.steps

    def keep(self, sets: int) -> None:
        self.sets -= sets
        if self.sets < 0:
            raise _Exceeded

    def unions(self, choices: list[list[Set]]) -> list[Set]:
        """The minimal unions of one set from each list."""
        result = [frozenset[int]()]
        for alternatives in choices:
            self.steps -= len(result) * len(alternatives)
            if self.steps < 0 or len(result) * len(alternatives) > 10 * self.sets:
                raise _Exceeded
            result = minimal(one | other for one in result for other in alternatives)
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

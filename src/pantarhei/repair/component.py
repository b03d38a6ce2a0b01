"""A connected part of the lineage of ⊥: its minimal supports, and what can be decided without them.

Rows of the kernel stand for facts. The background is true by itself, and left out everywhere.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from pantarhei.encoding.numbers import NONE
from pantarhei.graphs.groups import Groups
from pantarhei.materialize.model import Lineage

Set = frozenset[int]
_Part = TypeVar("_Part")


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


class Exceeded(Exception):
    """A budget is used up."""


class Meter:
    """Counts work against a budget: sets kept and steps taken."""

    def __init__(self, sets: int, steps: int) -> None:
        self.sets, self.steps = sets, steps

    def keep(self) -> None:
        """One more set is kept."""
        self.sets -= 1
        if self.sets < 0:
            raise Exceeded

    def release(self) -> None:
        """A set is kept no longer."""
        self.sets += 1

    def spend(self, steps: int) -> None:
        """So many combinations or comparisons are about to be made."""
        self.steps -= steps
        if self.steps < 0:
            raise Exceeded

    def unions(self, start: Set, choices: list[Antichain]) -> list[Set]:
        """The minimal unions of `start` with one set from each antichain."""
        result = [start]
        for alternatives in choices:
            self.spend(len(result) * len(alternatives.sets))
            unions = {one | other for one in result for other in alternatives.sets}
            if len(unions) > self.sets:
                raise Exceeded
            result = minimal(unions, self.spend) if len(unions) > 1 else list(unions)
        return result


class Allowance:
    """The steps of one repair, which all parts of its work share.

    Args:
        sets: sets that each part may keep at once.
        steps: steps that are left for all parts.
    """

    def __init__(self, sets: int, steps: int) -> None:
        self.sets, self.steps = sets, steps

    def metered(
        self, parts: Iterable[_Part], size: Callable[[_Part], int], later: int = 0
    ) -> Iterator[tuple[_Part, Meter]]:
        """Each of `parts` with the meter for it, smallest first: what small parts leave is for larger ones.

        What is left is divided by the number of parts to come, `later` ones included; parts of one size have
        equal shares, so that the order among them does not count.
        """
        by_size = sorted(parts, key=size)
        waiting = len(by_size) + later
        for _, group in groupby(by_size, key=size):
            equals = list(group)
            share = self.steps // waiting
            for part in equals:
                meter = Meter(self.sets, share)
                yield part, meter
                self.steps -= share - max(meter.steps, 0)
            waiting -= len(equals)


class Antichain:
    """Sets none of which contains another. Adding costs a look at those that share a member."""

    def __init__(self, meter: Meter) -> None:
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
        self._meter.release()
        self.sets.discard(known)
        self._by_smallest[min(known)].remove(known)
        for member in known:
            self._by_member[member].discard(known)


@dataclass(slots=True)
class Component:
    """A connected part of the lineage: what is asserted in it, its rule instances and its violations."""

    asserted: list[int]
    instances: list[tuple[int, tuple[int, ...]]]
    violations: list[tuple[int, tuple[int, ...]]]

    @property
    def size(self) -> int:
        """Assertions, rule instances and violations."""
        return len(self.asserted) + len(self.instances) + len(self.violations)

    def violating(self, meter: Meter) -> list[tuple[Set, int]]:
        """(support of a violation, its constraint), the minimal supports among them.

        Raises:
            Exceeded: the budget is used up.
        """
        supports = self._supports(meter)
        found = []
        for constraint, body in self.violations:
            for rows in meter.unions(frozenset(), [supports[row] for row in body]):
                meter.keep()
                found.append((rows, constraint))
        return found

    def _supports(self, meter: Meter) -> dict[int, Antichain]:
        """For each row the minimal sets of assertions it follows from: a semi-naive fixpoint over antichains.

        A proof that uses its own conclusion is never minimal, so recursion ends here by itself.
        """
        supports: dict[int, Antichain] = defaultdict(lambda: Antichain(meter))
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

    def undecided(self, times: Mapping[int, int]) -> Set:
        """What is left when the newest assertions are kept, time by time, for as long as they are consistent.

        Every maximal consistent subset contains those, since it prefers newer ones. Costs the instances
        (linear Horn satisfiability, after Dowling and Gallier).
        """
        missing = [len(body) for _, body in self.instances] + [len(body) for _, body in self.violations]
        heads = [head for head, _ in self.instances]
        uses: dict[int, list[int]] = defaultdict(list)
        for number, (_, body) in enumerate([*self.instances, *self.violations]):
            for row in body:
                uses[row].append(number)
        by_age = sorted(self.asserted, key=lambda row: -times[row])
        known: set[int] = set()
        kept = 0
        for _, group in groupby(by_age, key=times.__getitem__):
            members = list(group)
            news = list(members)
            while news:
                row = news.pop()
                if row in known:
                    continue
                known.add(row)
                for number in uses[row]:
                    missing[number] -= 1
                    if missing[number] == 0:
                        if number >= len(heads):
                            return frozenset(by_age[kept:])
                        news.append(heads[number])
            kept += len(members)
        return frozenset()


def components(lineage: Lineage) -> list[Component]:
    """The connected parts of a lineage, by the order in which their first violation was found."""
    return _Graph(lineage).components()


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

    def components(self) -> list[Component]:
        """The connected parts, by the order in which their first violation was found."""
        groups: Groups[int] = Groups()
        for _, body in self.violations:
            groups.unite(body)
        for head, body in self.instances:
            groups.unite((head, *body))
        parts: dict[int, Component] = {}
        for rule, body in self.violations:
            parts.setdefault(groups.leader(body[0]), Component([], [], [])).violations.append((rule, body))
        for head, body in self.instances:
            parts[groups.leader(head)].instances.append((head, body))
        for row in self.asserted:
            parts[groups.leader(row)].asserted.append(row)
        return list(parts.values())

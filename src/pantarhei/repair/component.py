"""A connected part of the lineage of ⊥: its minimal supports, and what can be decided without them.

Rows of the kernel stand for facts. The background is true by itself, and left out everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from pantarhei.encoding.numbers import NONE
from pantarhei.graphs.groups import Groups
from pantarhei.materialize.lineage_rows import Lineage
from pantarhei.proofs.antichain import Meter, Set, supports_of

_Part = TypeVar("_Part")


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
        supports = supports_of(self.asserted, self.instances, meter)
        found = []
        for constraint, body in self.violations:
            for rows in meter.unions(frozenset(), [supports[row] for row in body]):
                meter.keep()
                found.append((rows, constraint))
        return found

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

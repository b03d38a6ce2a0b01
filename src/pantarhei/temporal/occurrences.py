"""How often facts have occurred in a window: of the last assertions (#), or at so many of the last ticks.

window [3 #], arrivals by tick          1: a b     2: a     3: c a        at 3: a twice, c once
                                            ----------------------
                                           evicted |  last three
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pantarhei.encoding.numbers import Fact


class Occurrence(NamedTuple):
    """A fact at a tick."""

    tick: int
    fact: Fact


OccurrenceChanges = Mapping[Occurrence, bool]
"""Occurrences that entered or left a window, and whether they are inside now."""


class Occurrences:
    """What a window holds, fact by fact, each at most once a tick.

    The present tick may be told again and again. Costs what is told of it, and what leaves the window.

    Args:
        size: how many assertions, or how many ticks it reaches back.
        counts_tuples: whether it is a window of assertions.
        first: where the timeline begins.
    """

    def __init__(self, size: int, counts_tuples: bool, first: int) -> None:
        self._size, self.counts_tuples, self._first = size, counts_tuples, first
        self._inside: deque[Occurrence] = deque()  # of windows of ticks without the present one
        self._closed: list[Occurrence] = []  # the last assertions before the present tick
        self._present: dict[Fact, None] = {}  # of windows of ticks: what occurs at the present one
        self._tick = first
        self.counts: Counter[Fact] = Counter()

    def begin(self, closed: Iterable[Occurrence], tick: int) -> None:
        """Go on at a tick, after what occurred before it."""
        for each in closed:
            self._inside.append(each)
            self.counts[each.fact] += 1
            if self.counts_tuples and len(self._inside) > self._size:
                self._leave()
        self.come_to(tick)

    def come_to(self, tick: int) -> OccurrenceChanges:
        """A new tick has come; returns what leaves with it."""
        ended, self._tick = self._tick, tick
        if self.counts_tuples:
            self._closed = list(self._inside)
            return {}
        self._inside.extend(Occurrence(ended, fact) for fact in self._present)
        self._present = {}
        changed: dict[Occurrence, bool] = {}
        while self._inside and self._inside[0].tick < tick - self._size:
            changed[self._leave()] = False
        return changed

    def add(self, fresh: Iterable[Fact]) -> OccurrenceChanges:
        """Add facts to the present tick, as its last ones.

        Returns: Occurrences that entered the window (True) and that left it (False).
        """
        changed: dict[Occurrence, bool] = {}
        for fact in fresh:
            entered = Occurrence(self._tick, fact)
            changed[entered] = True
            self.counts[fact] += 1
            if not self.counts_tuples:
                self._present[fact] = None
                continue
            self._inside.append(entered)
            if len(self._inside) > self._size:
                changed[self._leave()] = False
        return changed

    def remove(self, lost: Iterable[Fact]) -> OccurrenceChanges:
        """Remove facts from the present tick of a window of ticks; return the occurrences that leave."""
        for fact in lost:
            del self._present[fact]
            self._less(fact)
        return {Occurrence(self._tick, fact): False for fact in lost}

    def replace(self, last: list[Fact]) -> OccurrenceChanges:
        """Replace what occurs at the present tick in a window of assertions. Costs the window's size.

        Args:
            last: the last facts of the tick, in their order, as many as the window holds.

        Returns: Occurrences that are in the window (True), and others that were in it before (False).
        """
        before, room = self._inside, self._size - len(last)
        older = self._closed[-room:] if room > 0 else []
        self._inside = deque([*older, *(Occurrence(self._tick, fact) for fact in last[-self._size :])])
        self.counts = Counter(each.fact for each in self._inside)
        return {**dict.fromkeys(before, False), **dict.fromkeys(self._inside, True)}

    def __iter__(self) -> Iterator[Occurrence]:
        """What is inside, the oldest first."""
        yield from self._inside
        yield from (Occurrence(self._tick, fact) for fact in self._present)

    @property
    def start(self) -> int:
        """The first tick of the window's timeline (LA17 Definitions 3 and 4)."""
        if not self.counts_tuples:
            return max(self._first, self._tick - self._size)
        return self._inside[0].tick if len(self._inside) == self._size else self._first

    @property
    def oldest(self) -> int | None:
        """The tick of the oldest occurrence inside, None if there is none."""
        return next((each.tick for each in self), None)

    def next_due(self) -> int | None:
        """The next tick at which something leaves though nothing comes."""
        oldest = None if self.counts_tuples else self.oldest
        return None if oldest is None else oldest + self._size + 1

    def _leave(self) -> Occurrence:
        left = self._inside.popleft()
        self._less(left.fact)
        return left

    def _less(self, fact: Fact) -> None:
        self.counts[fact] -= 1
        if not self.counts[fact]:
            del self.counts[fact]

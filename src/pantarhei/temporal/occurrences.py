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
        self._inside: deque[Occurrence] = deque()
        self._present = 0  # how many of those inside are of the present tick
        self._evicted: list[Occurrence] = []  # by what came at the present tick
        self._told: list[Fact] = []  # of the present tick
        self._tick = first
        self.counts: Counter[Fact] = Counter()

    def begin(self, closed: Iterable[Occurrence], tick: int) -> None:
        """Go on at a tick, after what occurred before it."""
        for each in closed:
            self._enter(each)
        self.come_to(tick)

    def come_to(self, tick: int) -> OccurrenceChanges:
        """A new tick has come; returns what leaves with it."""
        self._tick, self._present, self._evicted, self._told = tick, 0, [], []
        changed: dict[Occurrence, bool] = {}
        while not self.counts_tuples and self._inside and self._inside[0].tick < tick - self._size:
            changed[self._leave()] = False
        return changed

    def change(self, facts: list[Fact]) -> OccurrenceChanges:
        """All that occurs at the present tick, in its order; returns what may be inside now and was not, and
        the other way round.
        """
        changed: dict[Occurrence, bool] = {}
        if facts[: len(self._told)] != self._told:
            changed.update(self._undo())
        fresh = facts[len(self._told) :]
        for fact in fresh:
            entered = Occurrence(self._tick, fact)
            changed[entered] = True
            changed.update((left, False) for left in self._enter(entered))
        self._present += len(fresh)
        self._told = list(facts)
        return changed

    def __iter__(self) -> Iterator[Occurrence]:
        """What is inside, the oldest first."""
        return iter(self._inside)

    @property
    def start(self) -> int:
        """The first tick of the window's timeline (LA17 Definitions 3 and 4)."""
        if not self.counts_tuples:
            return max(self._first, self._tick - self._size)
        return self._inside[0].tick if len(self._inside) == self._size else self._first

    @property
    def oldest(self) -> int | None:
        """The tick of the oldest assertion inside, None if there is none."""
        return self._inside[0].tick if self._inside else None

    def next_due(self) -> int | None:
        """The next tick at which something leaves though nothing comes."""
        if self.counts_tuples or not self._inside:
            return None
        return self._inside[0].tick + self._size + 1

    def _enter(self, occurrence: Occurrence) -> Iterator[Occurrence]:
        """Take in an occurrence; what it evicts."""
        self._inside.append(occurrence)
        self.counts[occurrence.fact] += 1
        evicted = []
        if self.counts_tuples and len(self._inside) > self._size:
            evicted.append(self._leave())
            self._evicted += evicted
        return iter(evicted)

    def _leave(self) -> Occurrence:
        left = self._inside.popleft()
        self._less(left.fact)
        return left

    def _undo(self) -> OccurrenceChanges:
        """Take back what came at the present tick."""
        gone = len(self._told) - self._present_inside()
        for fact in self._told[gone:]:
            self._inside.pop()
            self._less(fact)
        back = [each for each in self._evicted if each.tick < self._tick]
        self._inside.extendleft(reversed(back))
        self.counts.update(each.fact for each in back)
        taken_back = {Occurrence(self._tick, fact): False for fact in self._told}
        self._present, self._evicted, self._told = 0, [], []
        return {**taken_back, **dict.fromkeys(back, True)}

    def _present_inside(self) -> int:
        """How many of the present tick are inside still: it can have more than the window holds."""
        return self._present - sum(each.tick == self._tick for each in self._evicted)

    def _less(self, fact: Fact) -> None:
        self.counts[fact] -= 1
        if not self.counts[fact]:
            del self.counts[fact]

"""□: what has held at each tick of a window, kept as the start of each fact's present run.

window [n], present tick t               t-n             t
a run that began at t-n or before:   ----|===============|      holds
a run that began later:                       |==========|      will hold at its start + n
"""

from __future__ import annotations

from heapq import heappop, heappush

from pantarhei.encoding.numbers import Fact


class StateBox:
    """Always within a window, of what comes and goes (states, conclusions).

    Args:
        size: how many ticks the window reaches back.
        first: where the timeline begins: windows look back no further.
    """

    def __init__(self, size: int, first: int) -> None:
        self._size, self._first = size, first
        self._starts: dict[Fact, int] = {}
        self._due: dict[int, set[Fact]] = {}  # by the tick they hold from
        self._dues: list[int] = []  # a heap of these ticks
        self._broken: dict[Fact, int] = {}  # runs that ended at a tick, and may go on there yet
        self._broken_at = first

    def begin(self, starts: dict[Fact, int], tick: int) -> list[Fact]:
        """Go on at a tick with what has run since some start; returns what holds then."""
        self._starts = starts
        held: list[Fact] = []
        for fact, start in starts.items():
            if self._holds_from(start) <= tick:
                held.append(fact)
            else:
                self._wait(self._holds_from(start), fact)
        return held

    def next_due(self) -> int | None:
        """The next tick from which a run is long enough."""
        while self._dues and not self._due[self._dues[0]]:
            del self._due[heappop(self._dues)]
        return self._dues[0] if self._dues else None

    def come_to(self, tick: int) -> list[Fact]:
        """A new tick has come: what holds from then on, since its run has become long enough."""
        fresh: list[Fact] = []
        while self._dues and self._dues[0] <= tick:
            fresh += sorted(self._due.pop(heappop(self._dues)))
        return fresh

    def change(self, came: list[Fact], went: list[Fact], tick: int) -> tuple[list[Fact], list[Fact]]:
        """What came and went at the present tick; returns what holds now and what no more."""
        if tick != self._broken_at:
            self._broken, self._broken_at = {}, tick
        fresh: list[Fact] = []
        for fact in came:
            start = self._starts[fact] = self._broken.pop(fact, tick)
            holds_from = self._holds_from(start)
            if holds_from <= tick:
                fresh.append(fact)
            else:
                self._wait(holds_from, fact)
        ended: list[Fact] = []
        for fact in went:
            start = self._starts.pop(fact)
            if start < tick:
                self._broken[fact] = start
            holds_from = self._holds_from(start)
            if holds_from <= tick:
                ended.append(fact)
            else:
                self._due[holds_from].discard(fact)
        return fresh, ended

    def _wait(self, due: int, fact: Fact) -> None:
        if due not in self._due:
            heappush(self._dues, due)
        self._due.setdefault(due, set()).add(fact)

    def _holds_from(self, start: int) -> int:
        """The first tick at which the window lies inside a run, cut where the timeline begins."""
        return start if start <= self._first else start + self._size

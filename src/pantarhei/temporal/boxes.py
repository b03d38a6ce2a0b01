"""□: what has held at each tick of a window, kept as the start of each fact's present run.

window [n], present tick t               t-n             t
a run that began at t-n or before:   ----|===============|      holds
a run that began later:                       |==========|      will hold at its start + n
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers


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


class EventBox:
    """Always within a window, of what is asserted anew at each tick. Costs what is asserted at a tick.

    Args:
        size: how many ticks the window reaches back.
        first: where the timeline begins: windows look back no further.
    """

    def __init__(self, size: int, first: int) -> None:
        self._size, self._first = size, first
        self._closed = self._now = _NO_RUNS  # those of the tick before, and of the present one
        self._held = _NO_RUNS  # those of them that are long enough
        self._tick = first

    @property
    def held(self) -> Integers:
        """What holds always."""
        return self._held.facts

    def next_due(self) -> int | None:
        """The next tick: what is not asserted anew then has not held always."""
        return self._tick + 1 if len(self.held) else None

    def change(self, facts: Integers, tick: int) -> tuple[Integers, Integers]:
        """What is asserted at a tick in all; returns what holds now and what no more."""
        self.tell(facts, tick)
        before, self._held = self._held, self._now.since(max(self._first, tick - self._size))
        return self._held.without(before), before.without(self._held)

    def tell(self, facts: Integers, tick: int) -> None:
        """What is asserted at a tick in all, where nobody asks yet what holds."""
        if tick > self._tick:
            self._closed = self._now if tick == self._tick + 1 else _NO_RUNS
            self._tick = tick
        self._now = self._closed.going_on(facts, tick)


class _Runs(NamedTuple):
    """Since when facts of one predicate have been there.

    Args:
        facts: the facts, by their keys.
        keys: a number for each fact, ascending.
        starts: for each fact the tick that its run began at.
    """

    facts: Integers
    keys: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]

    def going_on(self, facts: Integers, tick: int) -> _Runs:
        """The runs of facts at a tick: those that are here go on, the others begin; a fact may recur."""
        keys = _keys(facts)
        order = keys.argsort()
        keys = keys[order]
        differs = keys[1:] != keys[:-1]
        if not differs.all():
            first = np.append(True, differs).nonzero()[0]
            order, keys = order.take(first), keys.take(first)
        starts = np.full(len(keys), tick, np.int64)
        if len(self.keys) and len(keys):
            places, there = self._find(keys)
            np.copyto(starts, self.starts.take(places, mode="clip"), where=there)
        return _Runs(facts[order], keys, starts)

    def since(self, tick: int) -> _Runs:
        """The runs that began at a tick or before."""
        long = self.starts <= tick
        return self if long.all() else _Runs(self.facts[long], self.keys[long], self.starts[long])

    def without(self, others: _Runs) -> Integers:
        """The facts that have no run among others."""
        if not len(self.keys) or not len(others.keys):
            return self.facts
        return self.facts[~others._find(self.keys)[1]]

    def _find(self, keys: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """The places where some keys are, and which are there at all."""
        places = self.keys.searchsorted(keys)
        return places, self.keys.take(places, mode="clip") == keys


_NO_RUNS = _Runs(NO_FACTS, np.empty(0, np.int64), np.empty(0, np.int64))


def _keys(facts: Integers) -> npt.NDArray[np.int64]:
    """A number for each fact of one predicate."""
    terms: npt.NDArray[np.int64] = np.ascontiguousarray(facts[:, 1:]).view(np.int64)[:, 0]
    return terms

"""□: what has held at each tick of a window, kept as the start of each fact's present run.

window [n], present tick t               t-n             t
a run that began at t-n or before:   ----|===============|      holds
a run that began later:                       |==========|      will hold at its start + n
"""

from __future__ import annotations

from collections import defaultdict
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
        self._due: defaultdict[int, set[Fact]] = defaultdict(set)  # by the tick they hold from
        self._broken: dict[Fact, int] = {}  # runs that ended in the present tick, which may go on yet

    def begin(self, starts: dict[Fact, int], tick: int) -> list[Fact]:
        """Go on at a tick with what has run since some start; returns what holds then."""
        self._starts = starts
        held: list[Fact] = []
        for fact, start in starts.items():
            if self._holds_from(start) <= tick:
                held.append(fact)
            else:
                self._due[self._holds_from(start)].add(fact)
        return held

    def next_due(self) -> int | None:
        """The next tick from which a run is long enough."""
        return min(self._due, default=None)

    def come_to(self, tick: int) -> list[Fact]:
        """A new tick has come: what holds from then on, since its run has become long enough."""
        self._broken.clear()
        fresh: list[Fact] = []
        for due in sorted(each for each in self._due if each <= tick):
            fresh += sorted(self._due.pop(due))
        return fresh

    def change(self, came: list[Fact], went: list[Fact], tick: int) -> tuple[list[Fact], list[Fact]]:
        """What came and went at the present tick; returns what holds now and what no more."""
        fresh: list[Fact] = []
        for fact in came:
            start = self._starts[fact] = self._broken.pop(fact, tick)
            holds_from = self._holds_from(start)
            if holds_from <= tick:
                fresh.append(fact)
            else:
                self._due[holds_from].add(fact)
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
                if not self._due[holds_from]:
                    del self._due[holds_from]
        return fresh, ended

    def _holds_from(self, start: int) -> int:
        """The first tick at which the window lies inside a run, cut where the timeline begins."""
        return start if start <= self._first else start + self._size


class EventBox:
    """Always within a window, of what is asserted anew at each tick. Costs what is asserted at a tick.

    Args:
        size: how many ticks the window reaches back.
        first: where the timeline begins.
    """

    def __init__(self, size: int, first: int) -> None:
        self._size, self._first = size, first
        self._closed = self._now = _NO_RUNS  # those of the tick before, and of the present one
        self._tick = first
        self.held = NO_FACTS

    def begin(self, facts: Integers, starts: npt.NDArray[np.int64], tick: int) -> None:
        """Go on after a tick at which these facts had run since their starts."""
        self._now, self._tick = _Runs.of(facts, starts), tick

    def next_due(self) -> int | None:
        """The next tick: what is not asserted anew then has not held always."""
        return self._tick + 1 if len(self.held) else None

    def change(self, facts: Integers, tick: int) -> tuple[Integers, Integers]:
        """What is asserted at a tick in all, each fact once; returns what holds now and what no more."""
        if tick > self._tick:
            self._closed = self._now if tick == self._tick + 1 else _NO_RUNS
            self._tick = tick
        self._now = _Runs.of(facts, self._closed.starts_of(facts, tick))
        holds = facts[self._now.starts_of(facts, tick) <= max(self._first, tick - self._size)]
        before, self.held = self.held, holds
        return _without(holds, before), _without(before, holds)


class _Runs(NamedTuple):
    """Since when facts of one predicate have been there.

    Args:
        keys: a number for each fact, ascending.
        starts: for each fact the tick that its run began at.
    """

    keys: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, facts: Integers, starts: npt.NDArray[np.int64]) -> _Runs:
        keys = _keys(facts)
        order = np.argsort(keys)
        return cls(keys[order], starts[order])

    def starts_of(self, facts: Integers, otherwise: int) -> npt.NDArray[np.int64]:
        """The starts of facts, `otherwise` for those that are not there."""
        found = np.full(len(facts), otherwise, np.int64)
        if len(self.keys) and len(facts):
            keys = _keys(facts)
            places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            there = self.keys[places] == keys
            found[there] = self.starts[places[there]]
        return found


_NO_RUNS = _Runs(np.empty(0, np.int64), np.empty(0, np.int64))


def _keys(facts: Integers) -> npt.NDArray[np.int64]:
    """A number for each fact of one predicate."""
    return facts[:, 1].astype(np.int64) << 32 | (facts[:, 2].astype(np.int64) & 0xFFFFFFFF)


def _without(facts: Integers, others: Integers) -> Integers:
    """The facts of a predicate that are not among others of it."""
    if not len(facts) or not len(others):
        return facts
    return facts[~np.isin(_keys(facts), _keys(others))]

"""□ over what the stream says: a box for each class or property and window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pantarhei.encoding.numbers import Fact, Integers, as_tuples
from pantarhei.temporal.boxes import EventBox, StateBox
from pantarhei.temporal.numbered import Feed
from pantarhei.temporal.operators import Rows, by_predicate, of, rows_of
from pantarhei.temporal.past import Past
from pantarhei.temporal.waking import Waking


class StatesAlways:
    """Always within windows, of states. Costs what comes and goes, and what becomes long enough.

    Args:
        feeds: what the boxes feed.
        first: where the timeline begins.
    """

    def __init__(self, feeds: Iterable[Feed], first: int) -> None:
        self._feeds = list(feeds)
        self._boxes = [StateBox(feed.size, first) for feed in self._feeds]
        self._places = _by_source(self._feeds)
        self._waking = Waking(self._boxes)

    def begin(self, past: Past, states: Integers, tick: int) -> Iterator[Integers]:
        """Go on at a tick with the states of the tick before; the rows that hold then."""
        turns = past.states
        for place, (feed, box) in enumerate(zip(self._feeds, self._boxes, strict=True)):
            starts = turns.begun(states[states[:, 0] == feed.source], past.begun)
            yield rows_of(box.begin(starts, tick), feed.target)
            self._waking.look_at(place)

    def next_due(self) -> int | None:
        """The next tick from which something holds though nothing is said."""
        return self._waking.next_due()

    def come_to(self, tick: int) -> Iterator[Integers]:
        """A new tick has come: the rows that hold from then on."""
        for place in self._waking.due(tick):
            yield rows_of(self._boxes[place].come_to(tick), self._feeds[place].target)
            self._waking.look_at(place)

    def change(self, came: Integers, went: Integers, tick: int) -> Iterator[Rows]:
        """What came and went at the present tick; returns what holds now and what no more."""
        coming, going = self._parts(came), self._parts(went)
        for source in sorted({*coming, *going}):
            for place in self._places[source]:
                box, target = self._boxes[place], self._feeds[place].target
                fresh, ended = box.change(coming.get(source, []), going.get(source, []), tick)
                yield Rows(rows_of(fresh, target), rows_of(ended, target))
                self._waking.look_at(place)

    def _parts(self, facts: Integers) -> dict[int, list[Fact]]:
        found: defaultdict[int, list[Fact]] = defaultdict(list)
        if self._places:
            for fact in as_tuples(facts):
                if fact[0] in self._places:
                    found[fact[0]].append(fact)
        return found


class EventsAlways:
    """Always within windows, of what is asserted anew at each tick. Costs what is asserted at a tick.

    Args:
        feeds: what the boxes feed.
        first: where the timeline begins.
    """

    def __init__(self, feeds: Iterable[Feed], first: int) -> None:
        self._feeds = list(feeds)
        self._boxes = [EventBox(feed.size, first) for feed in self._feeds]
        self._places = _by_source(self._feeds)
        self._running: set[int] = set()  # classes and properties that were asserted when last told
        self._is_due, self._tick = False, first

    def begin(self, past: Past, tick: int) -> None:
        """Go on at a tick with what was asserted at each of those before, up to the last."""
        runs: dict[Fact, int] = {}
        last = tick
        for said in past if self._feeds else ():
            went_on = runs if said.tick == last + 1 else {}
            runs = {fact: went_on.get(fact, said.tick) for fact in as_tuples(said.events)}
            last = said.tick
        if last == tick - 1:
            facts = np.array(list(runs), np.int32).reshape(-1, 3)
            starts = np.array(list(runs.values()), np.int64)
            for feed, box in zip(self._feeds, self._boxes, strict=True):
                of_source = facts[:, 0] == feed.source
                box.begin(facts[of_source], starts[of_source], last)
                if of_source.any():
                    self._running.add(feed.source)

    def next_due(self) -> int | None:
        """The next tick, if anything holds: what is not asserted anew then has not held always."""
        return self._tick + 1 if self._is_due else None

    def change(self, events: Integers, tick: int) -> Iterator[Rows]:
        """All that is asserted at a tick; returns what holds now and what no more."""
        self._is_due, self._tick = False, tick
        if not self._places:
            return
        asserted = {predicate: part for predicate, part in by_predicate(events) if predicate in self._places}
        none = events[:0]
        for source in sorted({*asserted, *self._running}):
            for place in self._places[source]:
                box, target = self._boxes[place], self._feeds[place].target
                fresh, ended = box.change(asserted.get(source, none), tick)
                self._is_due = self._is_due or len(box.held) > 0
                if len(fresh) or len(ended):
                    yield Rows(of(fresh, target), of(ended, target))
        self._running = set(asserted)


def _by_source(feeds: Sequence[Feed]) -> dict[int, list[int]]:
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, feed in enumerate(feeds):
        places[feed.source].append(place)
    return dict(places)

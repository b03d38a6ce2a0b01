"""□ over what the stream says: a box for each class or property and window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, as_tuples
from pantarhei.temporal.boxes import EventBox, StateBox
from pantarhei.temporal.data_stream import union, without
from pantarhei.temporal.numbered import Feed
from pantarhei.temporal.operators import Rows, of, rows_of
from pantarhei.temporal.past import Past, held_at
from pantarhei.temporal.selecting import Batches
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
    """Always within windows, of what is asserted anew at each tick, or holds at each.

    Costs what is asserted at a tick, and the states where both count.

    Args:
        boxes: what the boxes feed; all that feeds one predicate is one box.
        first: where the timeline begins.
    """

    def __init__(self, boxes: Iterable[Sequence[Feed]], first: int) -> None:
        self._feeds = list(map(list, boxes))
        self._boxes = [EventBox(feeds[0].size, first) for feeds in self._feeds]
        self._places = {
            is_asserted: _places(
                (feed.source, place)
                for place, feeds in enumerate(self._feeds)
                for feed in feeds
                if feed.is_asserted is is_asserted
            )
            for is_asserted in (True, False)
        }
        self._standing = Batches(NO_FACTS)  # the states of now
        self._running: set[int] = set()  # boxes that had anything when they were last told
        self._is_due, self._tick = False, first

    def begin(self, past: Past, states: Integers, tick: int) -> None:
        """Go on at a tick with what was said at those before; the states are those of the tick before."""
        self._standing = Batches(self._among(states))
        if not self._feeds:
            return
        said = {each.tick: each.events for each in past}
        turns = [(each.tick, self._among(each.came), self._among(each.went)) for each in past]
        oldest = max(past.begun, tick - max(feeds[0].size for feeds in self._feeds))
        held = (
            held_at(turns, as_tuples(self._standing.facts), tick - 1, oldest) if self._places[False] else ()
        )
        standing = {each: np.array(sorted(facts), np.int32) for each, facts in held if facts}
        for each in sorted({*said, *standing}):
            events, states_then = (Batches(given.get(each, NO_FACTS)) for given in (said, standing))
            for place in self._touched(events, states_then):
                self._boxes[place].tell(self._facts(place, events, states_then), each)

    def next_due(self) -> int | None:
        """The next tick, if anything holds: what is not said anew then has not held always."""
        return self._tick + 1 if self._is_due or len(self._standing.facts) else None

    def change_states(self, came: Integers, went: Integers) -> None:
        """States came and went at the present tick."""
        if self._places[False] and (len(came) or len(went)):
            kept = without(self._standing.facts, self._among(went))
            self._standing = Batches(union(kept, self._among(came)))

    def change(self, events: Batches, tick: int) -> Iterator[Rows]:
        """All that is asserted at a tick; returns what holds now and what no more."""
        self._is_due, self._tick = False, tick
        touched = self._touched(events, self._standing) if self._feeds else set[int]()
        running, self._running = self._running, touched
        for place in sorted(touched | running):
            box, target = self._boxes[place], self._feeds[place][0].target
            fresh, ended = box.change(self._facts(place, events, self._standing), tick)
            self._is_due = self._is_due or len(box.held) > 0
            if len(fresh) or len(ended):
                yield Rows(of(fresh, target), of(ended, target))

    def _among(self, states: Integers) -> Integers:
        return states[np.isin(states[:, 0], list(self._places[False]))] if self._places[False] else NO_FACTS

    def _touched(self, events: Batches, standing: Batches) -> set[int]:
        """The boxes that are fed by anything said."""
        found = set[int]()
        for places, facts in ((self._places[True], events), (self._places[False], standing)):
            for source in facts.by_predicate if places and len(facts.facts) else ():
                found.update(places.get(source, ()))
        return found

    def _facts(self, place: int, events: Batches, standing: Batches) -> Integers:
        """What is there at a tick for a box; a fact may recur."""
        found = []
        for feed in self._feeds[place]:
            batch = (events if feed.is_asserted else standing).by_predicate.get(feed.source)
            if batch is not None:
                found.append(batch.facts if feed.selector is None else feed.selector.rows(batch, NONE)[0])
        return found[0] if len(found) == 1 else np.concatenate([NO_FACTS, *found])


def _by_source(feeds: Sequence[Feed]) -> dict[int, list[int]]:
    return _places((feed.source, place) for place, feed in enumerate(feeds))


def _places(given: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Places by the predicates that they belong to."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for source, place in given:
        places[source].append(place)
    return dict(places)

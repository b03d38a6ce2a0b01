"""□ over what the stream says: a box for each class or property and window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples, from_tuples
from pantarhei.materialize.kernel.runs import Runs
from pantarhei.temporal.boxes import StateBox
from pantarhei.temporal.numbered import Feed
from pantarhei.temporal.operators import NOTHING, Rows, rows_of
from pantarhei.temporal.past import Past, held_at
from pantarhei.temporal.selecting import WHOLE, Followed, Following, Selectors
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

    Costs what is asserted at a tick and was at the one before, and the states where both count; within a
    tick what changes.

    Args:
        selectors: those of the program.
        boxes: what the boxes feed; all that feeds one predicate is one box.
        first: where the timeline begins.
    """

    def __init__(self, selectors: Selectors, boxes: Iterable[Sequence[Feed]], first: int) -> None:
        feeds = [feed for box in boxes for feed in box]
        self._events, self._states = (
            Following(
                selectors,
                (
                    Followed(feed.source, feed.target, 0, feed.selector or WHOLE)
                    for feed in feeds
                    if feed.is_asserted is is_asserted
                ),
            )
            for is_asserted in (True, False)
        )
        sizes = np.zeros(max((feed.target for feed in feeds), default=0) + 1, np.int32)
        for feed in feeds:
            sizes[feed.target] = feed.size
        self._largest = max((feed.size for feed in feeds), default=None)
        self._runs = Runs(sizes, first)
        self._standing: dict[Fact, None] = {}  # the states of now
        self._turned = NO_FACTS, NO_FACTS  # states that came and went since the last `change`
        self._tick = first - 1

    def begin(self, past: Past, states: Integers, tick: int) -> None:
        """Go on at a tick with what was said at those before; the states are those of the tick before."""
        self._standing = dict.fromkeys(as_tuples(self._among(states)))
        self._tick = tick - 1
        if self._largest is None:
            return
        said = {each.tick: each.events for each in past}
        turns = [(each.tick, self._among(each.came), self._among(each.went)) for each in past]
        oldest = max(past.begun, tick - self._largest)
        held = held_at(turns, self._standing, tick - 1, oldest) if self._states.sources else ()
        standing = {each: np.array(sorted(facts), np.int32) for each, facts in held if facts}
        for each in sorted({*said, *standing}):
            self._tell(said.get(each, NO_FACTS), standing.get(each, NO_FACTS), each)

    def next_due(self) -> int | None:
        """The next tick, if anything holds: what is not said anew then has not held always."""
        return self._tick + 1 if self._runs.held or len(self._standing) else None

    def change_states(self, came: Integers, went: Integers) -> None:
        """States came and went at the present tick."""
        if self._states.sources and (len(came) or len(went)):
            coming, going = self._turned = self._among(came), self._among(went)
            for fact in as_tuples(going):
                self._standing.pop(fact, None)
            self._standing.update(dict.fromkeys(as_tuples(coming)))

    def change(self, fresh: Integers, lost: Integers, tick: int) -> Rows:
        """Apply new and lost events of a tick.

        Returns: Rows that hold now and did not, and rows that do not hold any more.
        """
        if self._largest is None:
            return NOTHING
        (came, went), self._turned = self._turned, (NO_FACTS, NO_FACTS)
        if tick != self._tick:
            self._tick = tick
            self._tell(fresh, from_tuples(self._standing), tick)
            return Rows(*self._runs.change())
        self._events.take_back(self._runs, lost)
        self._states.take_back(self._runs, went)
        self._events.tell(self._runs, fresh)
        self._states.tell(self._runs, came)
        return Rows(*self._runs.change())

    def _tell(self, events: Integers, states: Integers, tick: int) -> None:
        self._runs.come_to(tick)
        self._events.tell(self._runs, events)
        self._states.tell(self._runs, states)

    def _among(self, states: Integers) -> Integers:
        return states[np.isin(states[:, 0], list(self._states.sources))] if self._states.sources else NO_FACTS


def _by_source(feeds: Sequence[Feed]) -> dict[int, list[int]]:
    """Places of feeds by the predicates that they follow."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, feed in enumerate(feeds):
        places[feed.source].append(place)
    return dict(places)

"""Input of the second kernel: base rows for `p now`, `p within n ticks` and □, and timers.

asserted at t     holds until t + n
a state           holds until it is removed; if it ends at t, it last held at t - 1: until t - 1 + n
remembered        as a state, one tick later
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples, from_tuples
from pantarhei.materialize.kernel.runs import Runs
from pantarhei.temporal.expiry_model import (
    EXPIRED,
    NO_ROW_CHANGES,
    UNTIL_REMOVED,
    Expiries,
    ExpiryModel,
    RowChanges,
    StateBox,
    StratumOperator,
    Until,
    rows_of,
)
from pantarhei.temporal.numbered import NumberedInput, NumberedTemporalProgram
from pantarhei.temporal.selection import (
    RowMapper,
    RowMapping,
    SupportCounts,
)
from pantarhei.temporal.tick_history import LastChanges, TickHistory, facts_by_tick


class InputRows:
    """Rows whose expiries follow from input directly. Costs what changes.

    Args:
        program: the rules.
        model: model with the rows.
    """

    def __init__(self, program: NumberedTemporalProgram, model: ExpiryModel) -> None:
        self._model = model
        direct = [feed for feed in program.feeds if feed.is_direct]
        self._of_events, self._of_states = (
            program.mapper((feed for feed in direct if feed.is_asserted is flag), lambda feed: feed.size)
            for flag in (True, False)
        )
        self._of_conclusions = RowMapper(
            program.selectors,
            (
                RowMapping(source, target, size)
                for source, windows in program.windows.items()
                for target, size in windows
            ),
        )
        self._supports = SupportCounts(self._of_events)
        self._raised: list[tuple[Integers, Integers]] = []  # at the present tick, with their previous levels
        self._before: dict[Fact, int] = {}  # earlier expiries of rows removed from `_raised`

    def restore(self, past: TickHistory, states: Integers, concluded: Integers) -> None:
        """Start from the input before the present tick.

        Args:
            states, concluded: states and remembered conclusions of the tick before.
        """
        events, ticks = past.part("events")
        for size, rows, places in self._of_events.rows_from(events):
            self._add_lasting(rows, ticks[places] + size)
        self._begin(self._of_states, states, past.last_changes("added", "removed"))
        self._begin(self._of_conclusions, concluded, past.last_changes("concluded", "withdrawn"))

    def _begin(self, following: RowMapper[int], standing: Integers, changes: LastChanges) -> None:
        for _, rows, _ in following.rows_from(standing):
            self._model.add(rows, UNTIL_REMOVED)
        for size, rows, places in following.rows_from(changes.absent):
            self._add_lasting(rows, changes.until[places] - 1 + size)

    def advance(self, ended: int, concluded: Integers, withdrawn: Integers) -> None:
        """Start a new tick after one at which remembered conclusions changed."""
        self._raised, self._before = [], {}
        self._supports.reset()
        for _, rows, _ in self._of_conclusions.rows_from(concluded):
            self._model.add(rows, UNTIL_REMOVED)
        for size, rows, _ in self._of_conclusions.rows_from(withdrawn):
            self._model.lower(rows, ended - 1 + size)

    def change_states(self, added: Integers, removed: Integers) -> None:
        """Apply changes of states at the present tick."""
        for size, rows, _ in self._of_states.rows_from(removed):
            self._model.lower(rows, self._earlier(rows, self._model.tick - 1 + size))
        self._raise([(rows, UNTIL_REMOVED) for _, rows, _ in self._of_states.rows_from(added)])

    def remove_events(self, lost: Integers, remaining: Callable[[], Integers]) -> None:
        """Remove events of the present tick.

        Args:
            remaining: returns the other events, without those to be added next.
        """
        parts = [rows for _, rows, _ in self._of_events.rows_from(lost)]
        for rows in self._supports.unsupported(parts, lambda: self._rows(remaining())):
            if len(rows):
                self._model.lower(rows, self._earlier(rows, EXPIRED))

    def _rows(self, events: Integers) -> Iterator[Integers]:
        return (rows for _, rows, _ in self._of_events.rows_from(events))

    def add_events(self, fresh: Integers) -> None:
        """Add events of the present tick."""
        parts = self._of_events.rows_from(fresh)
        for _, rows, _ in parts:
            self._supports.add(rows)
        self._raise([(rows, self._model.tick + size) for size, rows, _ in parts])

    def _raise(self, parts: Sequence[tuple[Integers, int]]) -> None:
        """Raise rows, recording their earlier expiries for a later `_earlier`."""
        if parts:
            self._raised.append(self._model.add_parts(parts))

    def _earlier(self, rows: Integers, otherwise: Until) -> Until:
        """Return the expiries of rows before they were raised at this tick; else `otherwise`."""
        known = self._before
        for raised, levels in self._raised:
            for fact, expiry in zip(as_tuples(raised), self._model.expiries(levels).tolist(), strict=True):
                known.setdefault(fact, expiry)  # the expiry before the first raise counts
        self._raised = []
        if not known:
            return otherwise
        others = np.broadcast_to(np.asarray(otherwise, np.int64), len(rows))
        facts = zip(as_tuples(rows), others.tolist(), strict=True)
        return np.array([known.get(fact, other) for fact, other in facts], np.int64)

    def _add_lasting(self, rows: Integers, expiries: Expiries) -> None:
        """Add the rows that have not expired."""
        lasting = expiries >= self._model.tick
        if lasting.any():
            self._model.add(rows[lasting], expiries[lasting])


class Timers:
    """Due ticks of operators. Costs the operators that are due or changed, however many others there are.

    Args:
        things: the operators; each is identified by its place.
    """

    def __init__(self, things: Sequence[StateBox | StratumOperator]) -> None:
        self._things = things
        self._heap: list[
            tuple[int, int]
        ] = []  # ticks and places; entries that differ from `_noted` are obsolete
        self._noted: dict[int, int] = {}
        for place in range(len(things)):
            self.update(place)

    def update(self, place: int) -> None:
        """Update the due tick of an operator."""
        due = self._things[place].next_due()
        if due is None:
            self._noted.pop(place, None)
        elif self._noted.get(place) != due:
            self._noted[place] = due
            heappush(self._heap, (due, place))

    def next_due(self) -> int | None:
        """Return the next due tick of any operator."""
        while self._heap and self._noted.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def due(self, tick: int) -> list[int]:
        """Return the places of the operators due at a tick, ascending; `update` schedules them again."""
        found: set[int] = set()
        while (due := self.next_due()) is not None and due <= tick:
            place = heappop(self._heap)[1]
            del self._noted[place]
            found.add(place)
        return sorted(found)


class StateBoxes:
    """□ over states. Costs states that begin and end, and runs that become long enough.

    Args:
        feeds: inputs of the boxes.
        first: first tick of the timeline.
    """

    def __init__(self, feeds: Iterable[NumberedInput], first: int) -> None:
        self._feeds = list(feeds)
        self._boxes = [StateBox(feed.size, first) for feed in self._feeds]
        self._places = _by_source(self._feeds)
        self._timers = Timers(self._boxes)

    def restore(self, past: TickHistory, states: Integers, tick: int) -> Iterator[Integers]:
        """Resume at a tick with the states of the tick before; yield the rows that hold then."""
        changes = past.last_changes("added", "removed")
        for place, (feed, box) in enumerate(zip(self._feeds, self._boxes, strict=True)):
            starts = changes.since_when(states[states[:, 0] == feed.source], past.complete_from)
            yield rows_of(box.restore(starts, tick), feed.target)
            self._timers.update(place)

    def next_due(self) -> int | None:
        """Return the next tick from which a row holds although no input arrives."""
        return self._timers.next_due()

    def advance(self, tick: int) -> Iterator[Integers]:
        """Start a new tick; yield the rows that hold from then on."""
        for place in self._timers.due(tick):
            yield rows_of(self._boxes[place].advance(tick), self._feeds[place].target)
            self._timers.update(place)

    def change(self, added: Integers, removed: Integers, tick: int) -> Iterator[RowChanges]:
        """Apply states that began and ended at the present tick; yield the row changes."""
        coming, going = self._parts(added), self._parts(removed)
        for source in sorted({*coming, *going}):
            for place in self._places[source]:
                box, target = self._boxes[place], self._feeds[place].target
                fresh, ended = box.change(coming.get(source, []), going.get(source, []), tick)
                yield RowChanges(rows_of(fresh, target), rows_of(ended, target))
                self._timers.update(place)

    def _parts(self, facts: Integers) -> dict[int, list[Fact]]:
        found: defaultdict[int, list[Fact]] = defaultdict(list)
        if self._places:
            for fact in as_tuples(facts):
                if fact[0] in self._places:
                    found[fact[0]].append(fact)
        return found


class EventBoxes:
    """□ over assertions at each tick, or assertions and states.

    Costs the assertions of a tick and of the one before, and the states where both count; within a tick the
    changes.

    Costs what is asserted at a tick and was at the one before, and the states where both count; within a
    tick what changes.

    Args:
        program: the rules.
        boxes: inputs of the boxes; all inputs of one predicate are one box.
        first: first tick of the timeline.
    """

    def __init__(
        self, program: NumberedTemporalProgram, boxes: Iterable[Sequence[NumberedInput]], first: int
    ) -> None:
        feeds = [feed for box in boxes for feed in box]
        self._events, self._states = (
            program.mapper((feed for feed in feeds if feed.is_asserted is flag), lambda _: 0)
            for flag in (True, False)
        )
        sizes = np.zeros(max((feed.target for feed in feeds), default=0) + 1, np.int32)
        for feed in feeds:
            sizes[feed.target] = feed.size
        self._largest = max((feed.size for feed in feeds), default=None)
        self._runs = Runs(sizes, first)
        self._standing: dict[Fact, None] = {}  # present states
        self._changed = NO_FACTS, NO_FACTS  # state changes since the last `change`
        self._tick = first - 1

    def restore(self, past: TickHistory, states: Integers, tick: int) -> None:
        """Resume at a tick with earlier input; the states are those of the tick before."""
        self._standing = dict.fromkeys(as_tuples(self._among(states)))
        self._tick = tick - 1
        if self._largest is None:
            return
        events = {each.tick: each.events for each in past}
        changes = [(each.tick, self._among(each.added), self._among(each.removed)) for each in past]
        oldest = max(past.complete_from, tick - self._largest)
        held = facts_by_tick(changes, self._standing, tick - 1, oldest) if self._states.sources else ()
        standing = {each: np.array(sorted(facts), np.int32) for each, facts in held if facts}
        for each in sorted({*events, *standing}):
            self._add_tick(events.get(each, NO_FACTS), standing.get(each, NO_FACTS), each)

    def next_due(self) -> int | None:
        """Return the next tick if anything holds: without a new assertion it ends."""
        return self._tick + 1 if self._runs.held or len(self._standing) else None

    def change_states(self, added: Integers, removed: Integers) -> None:
        """Apply changes of states at the present tick."""
        if self._states.sources and (len(added) or len(removed)):
            coming, going = self._changed = self._among(added), self._among(removed)
            for fact in as_tuples(going):
                self._standing.pop(fact, None)
            self._standing.update(dict.fromkeys(as_tuples(coming)))

    def change(self, fresh: Integers, lost: Integers, tick: int) -> RowChanges:
        """Apply new and lost events of a tick.

        Returns: Row changes.
        """
        if self._largest is None:
            return NO_ROW_CHANGES
        (added, removed), self._changed = self._changed, (NO_FACTS, NO_FACTS)
        if tick != self._tick:
            self._tick = tick
            self._add_tick(fresh, from_tuples(self._standing), tick)
            return RowChanges(*self._runs.change())
        self._events.remove_runs(self._runs, lost)
        self._states.remove_runs(self._runs, removed)
        self._events.add_runs(self._runs, fresh)
        self._states.add_runs(self._runs, added)
        return RowChanges(*self._runs.change())

    def _add_tick(self, events: Integers, states: Integers, tick: int) -> None:
        self._runs.come_to(tick)
        self._events.add_runs(self._runs, events)
        self._states.add_runs(self._runs, states)

    def _among(self, states: Integers) -> Integers:
        return states[np.isin(states[:, 0], list(self._states.sources))] if self._states.sources else NO_FACTS


def _by_source(feeds: Sequence[NumberedInput]) -> dict[int, list[int]]:
    """Return the places of inputs by the predicates that they follow."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, feed in enumerate(feeds):
        places[feed.source].append(place)
    return dict(places)

"""Input of the temporal kernel: base rows for atoms now, within a window (◇) and throughout a window (□).

Expiries of the base rows for a window of n ticks:

assertion at tick t          t + n
state                        none; after the state ends at tick t, it held last at t - 1: t - 1 + n
remembered conclusion        as a state, one tick later
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples, from_tuples
from pantarhei.materialize.kernel.runs import Runs
from pantarhei.temporal import expiry_model
from pantarhei.temporal.numbered import NumberedInput, NumberedTemporalProgram
from pantarhei.temporal.selection import RowMapper, RowMapping, SupportCounts
from pantarhei.temporal.tick_history import LastChanges, TickHistory, facts_by_tick


class InputRows:
    """Base rows for atoms now and for ◇, whose expiries follow directly from input.

    An update costs time linear in the changed input.

    Args:
        program: the rules.
        model: model that stores the rows.
    """

    def __init__(self, program: NumberedTemporalProgram, model: expiry_model.ExpiryModel) -> None:
        self._model = model
        direct = [feed for feed in program.inputs if feed.is_direct]
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
        self._raised: list[
            tuple[Integers, Integers]
        ] = []  # rows raised at the present tick, with their previous levels
        self._before: dict[Fact, int] = {}  # expiries of raised rows at the start of the tick

    def restore(self, past: TickHistory, states: Integers, concluded: Integers) -> None:
        """Insert the rows of the input before the present tick.

        Args:
            states, concluded: states and remembered conclusions at the end of the last closed tick.
        """
        events, ticks = past.part("events")
        for size, rows, indexes in self._of_events.rows_from(events):
            self._add_lasting(rows, ticks[indexes] + size)
        self._restore(self._of_states, states, past.last_changes("added", "removed"))
        self._restore(self._of_conclusions, concluded, past.last_changes("concluded", "withdrawn"))

    def _restore(self, mapper: RowMapper[int], present: Integers, changes: LastChanges) -> None:
        for _, rows, _ in mapper.rows_from(present):
            self._model.add(rows, expiry_model.UNTIL_REMOVED)
        for size, rows, indexes in mapper.rows_from(changes.absent):
            self._add_lasting(rows, changes.until[indexes] - 1 + size)

    def advance(self, ended: int, concluded: Integers, withdrawn: Integers) -> None:
        """Start a new tick, given the changes of remembered conclusions at the closed tick `ended`."""
        self._raised, self._before = [], {}
        self._supports.reset()
        for _, rows, _ in self._of_conclusions.rows_from(concluded):
            self._model.add(rows, expiry_model.UNTIL_REMOVED)
        for size, rows, _ in self._of_conclusions.rows_from(withdrawn):
            self._model.lower(rows, ended - 1 + size)

    def change_states(self, added: Integers, removed: Integers) -> None:
        """Apply states that began and ended at the present tick."""
        for size, rows, _ in self._of_states.rows_from(removed):
            self._model.lower(rows, self._earlier(rows, self._model.tick - 1 + size))
        self._raise([(rows, expiry_model.UNTIL_REMOVED) for _, rows, _ in self._of_states.rows_from(added)])

    def remove_events(self, lost: Integers, remaining: Callable[[], Integers]) -> None:
        """Remove the rows of events that were removed from the present tick.

        Args:
            remaining: returns the other events of the tick, except those that `add_events` receives next.
        """
        parts = [rows for _, rows, _ in self._of_events.rows_from(lost)]
        for rows in self._supports.unsupported(parts, lambda: self._rows(remaining())):
            if len(rows):
                self._model.lower(rows, self._earlier(rows, expiry_model.EXPIRED))

    def _rows(self, events: Integers) -> Iterator[Integers]:
        return (rows for _, rows, _ in self._of_events.rows_from(events))

    def add_events(self, fresh: Integers) -> None:
        """Add the rows of new events of the present tick."""
        parts = self._of_events.rows_from(fresh)
        for _, rows, _ in parts:
            self._supports.add(rows)
        self._raise([(rows, self._model.tick + size) for size, rows, _ in parts])

    def _raise(self, parts: Sequence[tuple[Integers, int]]) -> None:
        """Insert rows or raise their expiries; keep the previous levels for `_earlier`."""
        if parts:
            self._raised.append(self._model.add_parts(parts))

    def _earlier(self, rows: Integers, otherwise: expiry_model.Until) -> expiry_model.Until:
        """Return the expiry that each row had at the start of the tick; `otherwise` for a row whose expiry is
        unchanged.
        """
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

    def _add_lasting(self, rows: Integers, expiries: expiry_model.Expiries) -> None:
        """Insert the rows that have not expired."""
        lasting = expiries >= self._model.tick
        if lasting.any():
            self._model.add(rows[lasting], expiries[lasting])


class Timers:
    """Priority queue of the ticks at which operators are due.

    `update` costs O(log n); reading the due operators costs time linear in their number.

    Args:
        operators: the operators, identified by their indexes.
    """

    def __init__(self, operators: Sequence[expiry_model.StateBox | expiry_model.StratumOperator]) -> None:
        self._operators = operators
        # (due tick, index); entries that differ from `_due_ticks` are obsolete
        self._heap: list[tuple[int, int]] = []
        self._due_ticks: dict[int, int] = {}
        for index in range(len(operators)):
            self.update(index)

    def update(self, index: int) -> None:
        """Reschedule an operator, given its index."""
        due = self._operators[index].next_due()
        if due is None:
            self._due_ticks.pop(index, None)
        elif self._due_ticks.get(index) != due:
            self._due_ticks[index] = due
            heappush(self._heap, (due, index))

    def next_due(self) -> int | None:
        """Return the next tick at which an operator is due; None if there is none."""
        while self._heap and self._due_ticks.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def due(self, tick: int) -> list[int]:
        """Unschedule the operators due at a tick; return their indexes, ascending."""
        found: set[int] = set()
        while (due := self.next_due()) is not None and due <= tick:
            index = heappop(self._heap)[1]
            del self._due_ticks[index]
            found.add(index)
        return sorted(found)


class StateBoxes:
    """□ over states: one `StateBox` for each input.

    An update costs time linear in the states that begin or end, and the runs that become long enough.

    Args:
        feeds: the inputs.
        first: first tick of the timeline.
    """

    def __init__(self, feeds: Iterable[NumberedInput], first: int) -> None:
        self._feeds = list(feeds)
        self._boxes = [expiry_model.StateBox(feed.size, first) for feed in self._feeds]
        self._indexes: defaultdict[int, list[int]] = defaultdict(list)
        for index, feed in enumerate(self._feeds):
            self._indexes[feed.source].append(index)
        self._timers = Timers(self._boxes)

    def restore(self, past: TickHistory, states: Integers, tick: int) -> Iterator[Integers]:
        """Resume at a tick with the states of the tick before; yield the rows that hold."""
        changes = past.last_changes("added", "removed")
        for index, (feed, box) in enumerate(zip(self._feeds, self._boxes, strict=True)):
            starts = changes.starts_of(states[states[:, 0] == feed.source], past.complete_from)
            yield expiry_model.rows_of(box.restore(starts, tick), feed.target)
            self._timers.update(index)

    def next_due(self) -> int | None:
        """Return the next tick at which a row begins to hold although no input arrives; None if there is
        none.
        """
        return self._timers.next_due()

    def advance(self, tick: int) -> Iterator[Integers]:
        """Start a new tick; yield the rows that begin to hold."""
        for index in self._timers.due(tick):
            yield expiry_model.rows_of(self._boxes[index].advance(tick), self._feeds[index].target)
            self._timers.update(index)

    def change(self, added: Integers, removed: Integers, tick: int) -> Iterator[expiry_model.RowChanges]:
        """Apply states that began and ended at the present tick; yield the row changes."""
        begun, ended = self._by_predicate(added), self._by_predicate(removed)
        for source in sorted({*begun, *ended}):
            for index in self._indexes[source]:
                box, target = self._boxes[index], self._feeds[index].target
                fresh, broken = box.change(begun.get(source, []), ended.get(source, []), tick)
                yield expiry_model.RowChanges(
                    expiry_model.rows_of(fresh, target), expiry_model.rows_of(broken, target)
                )
                self._timers.update(index)

    def _by_predicate(self, facts: Integers) -> dict[int, list[Fact]]:
        found: defaultdict[int, list[Fact]] = defaultdict(list)
        if self._indexes:
            for fact in as_tuples(facts):
                if fact[0] in self._indexes:
                    found[fact[0]].append(fact)
        return found


class EventBoxes:
    """□ over assertions, or over assertions and states together.

    A new tick costs time linear in its assertions, in those of the tick before, and in the present states if
    states count. A further change within the tick costs time linear in the change.

    Args:
        program: the rules.
        boxes: inputs, grouped by target: a fact of the target holds if at each tick of the window some input
            of its group has it.
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
        self._present_states: dict[Fact, None] = {}  # present states
        self._changed = NO_FACTS, NO_FACTS  # state changes since the last `change`
        self._tick = first - 1

    def restore(self, past: TickHistory, states: Integers, tick: int) -> None:
        """Resume at a tick with earlier input; `states` are the states of the tick before."""
        self._present_states = dict.fromkeys(as_tuples(self._states.followed(states)))
        self._tick = tick - 1
        if self._largest is None:
            return
        events = {each.tick: each.events for each in past}
        changes = [
            (each.tick, self._states.followed(each.added), self._states.followed(each.removed))
            for each in past
        ]
        oldest = max(past.complete_from, tick - self._largest)
        held = facts_by_tick(changes, self._present_states, tick - 1, oldest) if self._states.sources else ()
        states_by_tick = {each: np.array(sorted(facts), np.int32) for each, facts in held if facts}
        for each in sorted({*events, *states_by_tick}):
            self._add_tick(events.get(each, NO_FACTS), states_by_tick.get(each, NO_FACTS), each)

    def next_due(self) -> int | None:
        """Return the next tick if a run is open: without a new assertion the run ends there."""
        return self._tick + 1 if self._runs.held or len(self._present_states) else None

    def change_states(self, added: Integers, removed: Integers) -> None:
        """Record states that began and ended at the present tick; `change` applies them."""
        if self._states.sources and (len(added) or len(removed)):
            begun, ended = self._changed = (self._states.followed(added), self._states.followed(removed))
            for fact in as_tuples(ended):
                self._present_states.pop(fact, None)
            self._present_states.update(dict.fromkeys(as_tuples(begun)))

    def change(self, fresh: Integers, lost: Integers, tick: int) -> expiry_model.RowChanges:
        """Apply inserted and removed events of a tick, and recorded states; return the row changes."""
        if self._largest is None:
            return expiry_model.NO_ROW_CHANGES
        (added, removed), self._changed = self._changed, (NO_FACTS, NO_FACTS)
        if tick != self._tick:
            self._tick = tick
            self._add_tick(fresh, from_tuples(self._present_states), tick)
            return expiry_model.RowChanges(*self._runs.take_change())
        self._events.remove_runs(self._runs, lost)
        self._states.remove_runs(self._runs, removed)
        self._events.add_runs(self._runs, fresh)
        self._states.add_runs(self._runs, added)
        return expiry_model.RowChanges(*self._runs.take_change())

    def _add_tick(self, events: Integers, states: Integers, tick: int) -> None:
        self._runs.advance(tick)
        self._events.add_runs(self._runs, events)
        self._states.add_runs(self._runs, states)

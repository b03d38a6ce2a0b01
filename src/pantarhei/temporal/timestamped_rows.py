"""Base rows for @: each row contains the time of the tick at which a fact held; and the ticks of windows.

p@n has (x, time of u) until u + n        for each tick u at which p(x) was input
        (pair of x and the time of u, y)  for p(x, y)
tick~n has (unit, time of u) until u + n  for each tick u
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, Integers, as_tuples
from pantarhei.temporal.data_stream import LazyFactSet, difference, union
from pantarhei.temporal.expiry_model import ExpiryModel, RowChanges, StratumOperator
from pantarhei.temporal.numbered import NumberedInput, NumberedTemporalProgram
from pantarhei.temporal.selection import FIRST_ARGUMENT, RowMapper, SupportCounts
from pantarhei.temporal.tick_history import TickHistory, facts_by_tick
from pantarhei.temporal.tuples import PairNumbers

Parts = Iterator[tuple[Integers, int]]
"""Rows of the temporal kernel in arrays, each with its expiry."""

_Changes = tuple[Parts, Integers]
"""Rows to insert, and rows to delete before the insertion."""


class _RowKind(NamedTuple):
    size: int
    has_pairs: bool  # true if subject and tick form a pair, false if the tick is the object


class TimestampedRows:
    """Base rows with the times of ticks.

    Each tick costs time linear in its events, and in all states and remembered conclusions that rules read by
    @.

    Args:
        program: the rules.
        pairs: numbers the pairs of a first argument and a time, for facts with two arguments.
        first: first tick of the timeline.
    """

    def __init__(self, program: NumberedTemporalProgram, pairs: PairNumbers, first: int) -> None:
        self._program, self._pairs, self._first = program, pairs, first
        feeds = program.dated_inputs
        self._states = self._mapper(feed for feed in feeds if not feed.is_asserted)
        self._events = self._mapper(feed for feed in feeds if feed.is_asserted)
        self._conclusions = self._mapper(program.dated_conclusions)
        self._supports = SupportCounts(self._states, self._events)
        self._present = LazyFactSet()  # present states that have rows
        self._last_time = first - 1, NONE
        self._concluded = NO_FACTS  # remembered conclusions at the end of the last closed tick

    def _mapper(self, feeds: Iterable[NumberedInput]) -> RowMapper[_RowKind]:
        return self._program.mapper(feeds, lambda feed: _RowKind(feed.size, feed.arity > 1), FIRST_ARGUMENT)

    def restore(self, past: TickHistory, states: Integers, concluded: Integers, tick: int) -> Parts:
        """Yield the rows of the input before a tick.

        Args:
            states, concluded: states and remembered conclusions at the end of the last closed tick.
            tick: the present tick.
        """
        self._present = LazyFactSet(self._states.followed(states))
        self._concluded = self._conclusions.followed(concluded)
        yield from self._clocks(self._first, tick)
        for record in past:
            yield from self.events(record.events, record.tick)
        feeds, dated = self._program.dated_inputs, self._program.dated_conclusions
        changes = [(each.tick, each.added, each.removed) for each in past]
        for feed in (feed for feed in feeds if not feed.is_asserted):
            yield from self._held(changes, states, feed, past.complete_from, tick)
        changes = [(each.tick, each.concluded, each.withdrawn) for each in past]
        for feed in dated:
            yield from self._held(changes, concluded, feed, past.complete_from, tick)
        yield from self.present_states(tick)

    def advance(self, tick: int, ended: int, concluded: Integers, withdrawn: Integers) -> Parts:
        """Start a new tick, given the changes of remembered conclusions at the closed tick `ended`; yield the
        new rows.
        """
        self._supports.reset()
        added, removed = (self._conclusions.followed(rows) for rows in (concluded, withdrawn))
        self._concluded = union(difference(self._concluded, removed), added)
        yield from self._clocks(ended + 1, tick)
        yield from self._rows(self._conclusions, self._concluded, ended)
        yield from self.present_states(tick)

    def states(
        self, added: Integers, removed: Integers, tick: int, events: Callable[[], Integers]
    ) -> _Changes:
        """Apply states that began and ended at the present tick; return the row changes.

        Args:
            events: returns the events of the tick, which may support the rows of ended states.
        """
        begun, ended = (self._states.followed(added), self._states.followed(removed))
        self._present.change(NO_FACTS, ended)
        lost = self._unsupported(self._rows(self._states, ended, tick), tick, events)
        self._present.change(begun, NO_FACTS)
        return self._counted(self._rows(self._states, begun, tick)), lost

    def change_events(
        self, fresh: Integers, lost: Integers, tick: int, remaining: Callable[[], Integers]
    ) -> _Changes:
        """Apply inserted and removed events of the present tick; return the row changes.

        Args:
            remaining: returns the events of the tick that did not change.
        """
        lost = self._unsupported(self._rows(self._events, lost, tick), tick, remaining)
        return self._counted(self.events(fresh, tick)), lost

    def events(self, events: Integers, tick: int) -> Parts:
        """Return the rows of events at a tick."""
        return self._rows(self._events, events, tick)

    def present_states(self, tick: int) -> Parts:
        """Return the rows of all present states at a tick."""
        return self._rows(self._states, self._present.facts, tick)

    def _counted(self, parts: Parts) -> Parts:
        for rows, expiry in parts:
            self._supports.add(rows)
            yield rows, expiry

    def _unsupported(self, parts: Parts, tick: int, events: Callable[[], Integers]) -> Integers:
        """Return the rows of removed facts that neither an event nor a state supports."""

        def remaining() -> Iterator[Integers]:
            for others in (self.events(events(), tick), self.present_states(tick)):
                yield from (rows for rows, _ in others)

        return np.concatenate([NO_FACTS, *self._supports.unsupported([rows for rows, _ in parts], remaining)])

    def is_repeating(self, concludes_at_ticks: bool) -> bool:
        """Test whether the next tick has new rows even if no input arrives.

        Args:
            concludes_at_ticks: true if conclusions at named ticks exist, which may be future ticks.
        """
        return len(self._present) > 0 or len(self._concluded) > 0 or concludes_at_ticks

    def _rows(self, mapper: RowMapper[_RowKind], facts: Integers, tick: int) -> Parts:
        """Yield the rows that facts at a tick derive."""
        if not len(facts) or not mapper.sources:
            return
        time = self._time(tick)
        for (size, has_pairs), rows, _ in mapper.rows_from(facts, time):
            if has_pairs:
                rows[:, 1] = self._pairs.numbers_at(rows[:, 1], time, tick + size)
            yield rows, tick + size

    def _held(
        self,
        changes: list[tuple[int, Integers, Integers]],
        facts: Integers,
        feed: NumberedInput,
        begun: int,
        tick: int,
    ) -> Parts:
        """Yield the rows of one input at earlier ticks, for facts that begin and end.

        Args:
            changes: tick, begun facts and ended facts, for each tick with changes.
            facts: facts that held at the end of the last closed tick.
            begun: first tick with a complete record.
            tick: the present tick.
        """
        mapper = self._mapper([feed])
        for each, held_facts in facts_by_tick(
            changes, as_tuples(facts), tick - 1, max(begun, tick - feed.size)
        ):
            there = sorted(fact for fact in held_facts if fact[0] == feed.source)
            held = np.array(there, np.int32).reshape(-1, 3)
            yield from self._rows(mapper, held, each)

    def _clocks(self, after: int, tick: int) -> Parts:
        for target, size in self._program.clocks:
            for each in range(max(after, self._first, tick - size), tick + 1):
                row = (target, self._program.unit, self._time(each))
                yield np.array([row], np.int32), each + size

    def _time(self, tick: int) -> int:
        """Return the number of the literal for a tick; the last result is cached."""
        if self._last_time[0] != tick:
            self._last_time = tick, self._program.time(tick)
        return self._last_time[1]


class TickCounter(StratumOperator):
    """Operator that derives conclusions that hold at enough ticks of a window.

    Args:
        source, target: predicates, as in `temporal_program.TickCount`.
        size: length of the window in ticks.
        times: required number of ticks; None for all ticks of the window.
        arity: number of arguments of the target.
        pairs: resolves the pairs in facts with two arguments.
        first: first tick of the timeline.
        tick: the present tick.
    """

    def __init__(
        self,
        source: int,
        target: int,
        size: int,
        times: int | None,
        arity: int,
        pairs: PairNumbers,
        first: int,
        tick: int,
    ) -> None:
        self._target, self._size, self._times = target, size, times
        self._arity, self._pairs = arity, pairs
        self._first, self._tick = first, tick
        self._ticks: dict[int, int] = {}  # number of ticks at which a fact holds, by its packed arguments
        self._held: set[int] = set()
        self._required_before = self._required()  # the required number of ticks at the last reaction
        self.watched, self.derives = (source,), target

    def react(self, changed: Integers, model: ExpiryModel) -> RowChanges:
        """Update the counts. Costs time linear in the changes; in all facts that hold while the window still
        grows.
        """
        self._tick = model.tick
        changes = self._changes(changed)
        before, self._required_before = self._required_before, self._required()
        if before != self._required_before:
            changes = {**dict.fromkeys(self._held, 0), **changes}
        ticks, held, required = self._ticks, self._held, self._required_before
        inserted, deleted = list[int](), list[int]()
        for key, more in changes.items():
            count = ticks.get(key, 0) + more
            if count:
                ticks[key] = count
            else:
                ticks.pop(key, None)
            if count < required:
                if key in held:
                    held.discard(key)
                    deleted.append(key)
            elif key not in held:
                held.add(key)
                inserted.append(key)
        return RowChanges(self._rows(inserted), self._rows(deleted))

    def _changes(self, changed: Integers) -> dict[int, int]:
        """Return the changes of the counts, by packed arguments."""
        terms = np.full((len(changed), 2), NONE, np.int32)
        if self._arity == 1:
            terms[:, 0] = changed[:, 1]
        else:
            terms[:, 0], terms[:, 1] = self._pairs.first_terms(changed[:, 1]), changed[:, 2]
        found: dict[int, int] = {}
        for key, sign in zip(terms.view(np.int64)[:, 0].tolist(), changed[:, 3].tolist(), strict=True):
            found[key] = found.get(key, 0) + sign
        return found

    def _rows(self, keys: list[int]) -> Integers:
        rows = np.empty((len(keys), 3), np.int32)
        rows[:, 0], rows[:, 1:] = self._target, np.array(keys, np.int64).view(np.int32).reshape(-1, 2)
        return rows

    def next_due(self) -> int | None:
        """Return the next tick if the window is still growing, else None.

        While a window grows, a fact can cease to hold at each tick without a change of the input, since it
        must hold at one tick more.
        """
        is_growing = self._times is None and self._required_before <= self._size
        return self._tick + 1 if self._held and is_growing else None

    def _required(self) -> int:
        """Return the required number of ticks; the window is truncated at the start of the timeline."""
        return self._times or min(self._size, self._tick - self._first) + 1

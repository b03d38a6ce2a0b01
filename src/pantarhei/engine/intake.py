"""Intake of a stream: puts ABoxes in time order and pushes them. Waiting ABoxes are part of the history.

So an ABox stops waiting in the same step that inserts it, waits again if the step fails, and is stored by
checkpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, partial
from threading import RLock
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pantarhei.engine.stream_history import Counters
from pantarhei.engine.stream_state import Arriving, StreamState
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import (
    FutureABoxError,
    InputError,
    LateABoxError,
    MissingOptionError,
    OptionError,
    TimestampError,
)
from pantarhei.model.durations import parse_duration
from pantarhei.model.time import (
    Duration,
    TimeKind,
    TimePoint,
    duration_ticks,
    in_zone_of,
    plain_time,
    show_length,
    show_time,
    ticks_of,
    time_of,
)
from pantarhei.owl.graph_files import GraphFile, graph_at
from pantarhei.rdf.triple_table import frozen_abox
from pantarhei.window.sliding import kind_at
from pantarhei.window.watermark import Arrived, Timed, Tolerance

if TYPE_CHECKING:
    from pantarhei.encoding.encode import ABox

    HandOver: TypeAlias = Callable[[TimePoint, ABox], object]
    HandOverInvalid: TypeAlias = Callable[[TimePoint, ABox | GraphFile, InputError], object]

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Options of `run`, documented at `StreamReasoner.run`.

    Raises:
        OptionError: `clock` is not a function, or is given without `max_ahead`.
    """

    allowed_lateness: Duration | None = None
    on_late: HandOver | None = None
    max_ahead: Duration | None = None
    clock: Callable[[], TimePoint] | None = None
    on_ahead: HandOver | None = None
    on_invalid: HandOverInvalid | None = None

    def __post_init__(self) -> None:
        check_ahead(self.max_ahead, clock=self.clock, on_ahead=self.on_ahead)
        check_durations(allowed_lateness=self.allowed_lateness, max_ahead=self.max_ahead)
        check_functions(on_late=self.on_late, on_invalid=self.on_invalid)

    @property
    def are_in_order(self) -> bool:
        """True if each ABox is pushed on arrival, so that an ABox out of order is an error."""
        bounds, functions = (self.allowed_lateness, self.max_ahead), (self.on_late, self.on_invalid)
        return all(each is None for each in (*bounds, *functions))

    def tolerance(self, kind: TimeKind) -> Tolerance:
        """Return the limits of disorder in ticks.

        Raises:
            TimestampError: an option does not fit the kind of time.
        """
        return Tolerance.of(self.allowed_lateness, self.max_ahead, kind)


def check_ahead(max_ahead: Duration | None, **functions: object) -> None:
    """Check the functions that need `max_ahead`.

    Raises:
        OptionError: one is not a function, or `max_ahead` is missing.
    """
    check_functions(**functions)
    for name, given in functions.items():
        if given is not None and max_ahead is None:
            reason = f"{name} has an effect only with a limit on how far ahead an ABox may be."
            raise MissingOptionError("max_ahead", "…", reason)


def check_durations(**durations: Duration | None) -> None:
    """Check durations that are given as texts, before the kind of the stream's time is known.

    Raises:
        OptionError: a text is not a duration.
    """
    for name, given in durations.items():
        if isinstance(given, str):
            try:
                parse_duration(given)
            except TimestampError as error:
                raise OptionError(name, repr(given), error.expected) from None


def check_functions(**functions: object) -> None:
    """Check functions among the options of `run`.

    Raises:
        OptionError: one is not a function.
    """
    for name, given in functions.items():
        if given is not None and not callable(given):
            raise OptionError(name, repr(given), "a function, or None")


class Intake:
    """Intake of the ABoxes of a stream in time order.

    Args:
        held: the state, with the waiting ABoxes.
        lock: held during each change of the state.
        step: runs a step and notifies followers of queries.
        options: options about ABoxes out of order.
    """

    def __init__(
        self,
        held: StreamState,
        lock: RLock,
        step: Callable[[Callable[[], WindowUpdate]], WindowUpdate],
        options: Arrivals,
    ) -> None:
        self._held, self._lock, self._step = held, lock, step
        self._options, self._tolerance = options, cache(options.tolerance)

    def updates(self, stream: Iterable[tuple[TimePoint, ABox | GraphFile]]) -> Iterator[WindowUpdate]:
        """Push the waiting ABoxes that are complete, then each ABox of `stream` as soon as it is complete.

        An ABox is complete when no ABox with an earlier or equal timestamp can arrive any more.

        Raises:
            LateABoxError, FutureABoxError: an ABox is too late or too far ahead, and no handler is given for
            it.
            InputError: an ABox is invalid. It does not wait any more.
        """
        if self._options.are_in_order:
            yield from self._in_order(stream)
            return
        yield from self._complete()
        for at, abox in stream:
            try:
                arrived = self._arrive(at, abox)
            except InputError as error:
                self._hand_over_invalid(at, abox, error)
            else:
                yield from arrived
                yield from self._complete()
        yield from self._refute(self._ended())
        yield from self._pushed(None)

    def _in_order(self, stream: Iterable[tuple[TimePoint, ABox | GraphFile]]) -> Iterator[WindowUpdate]:
        """Push the waiting ABoxes, then each ABox of `stream` on arrival."""
        with self._lock:
            waiting = self._held.history.waiting
            if len(waiting):
                self._held.set_waiting(waiting.with_unproven())
        yield from self._pushed(None)
        for at, abox in stream:
            yield self._step(partial(self._held.step, at, Arriving((graph_at(abox, "abox"),))))

    # -- arrivals ----------------------------------------------------------------------------------

    def _arrive(self, given: TimePoint, abox: ABox | GraphFile) -> Iterator[WindowUpdate]:
        """Add an ABox to the waiting ones, or pass late and refuted ABoxes to their handlers.

        Raises:
            InputError: the ABox is invalid, or its timestamp is invalid or of another kind than the stream's.
        """
        cut = self._held.is_cut(given)
        at, frozen = plain_time(given), frozen_abox(graph_at(abox, "abox"))
        with self._lock:
            history = self._held.history
            kind = kind_at(self._held.options.window, history.step, at, history.waiting.kind)
            timed, clock = Timed(ticks_of(at, kind), at, frozen), self._clock(kind)
            tolerance, now = self._tolerance(kind), None if history.step is None else history.step.now
            arrived = replace(history.waiting, kind=kind).arrive(timed, tolerance, now, clock)
            self._store(arrived)
            if cut:
                self._held.count(Counters(times_cut=1))
        newest = arrived.waiting.newest
        if arrived.is_late:
            return self._hand_over_late([timed], max(t for t in (newest, now) if t is not None), kind)
        return self._refute(arrived, next(t for t in (clock, newest, timed.ticks) if t is not None))

    def _ended(self) -> Arrived[ABox]:
        with self._lock:
            arrived = self._held.history.waiting.end()
            self._store(arrived)
        return arrived

    def _store(self, arrived: Arrived[ABox]) -> None:
        """Store the waiting items. If no handler takes refuted items, only the first refuted one is dropped,
        whose error is raised now.
        """
        waiting = arrived.waiting
        if arrived.refuted and self._options.on_ahead is None:
            waiting = replace(waiting, unproven=(*arrived.refuted[1:], *waiting.unproven))
        if waiting is not self._held.history.waiting:
            self._held.set_waiting(waiting)

    def _clock(self, kind: TimeKind) -> int | None:
        """Return the time of the clock, in ticks.

        Raises:
            OptionError: the clock returns times of another kind than the stream's.
        """
        if self._options.clock is None:
            return None
        now = self._options.clock()
        try:
            return ticks_of(now, kind)
        except TimestampError as error:
            expected = f"a function whose result is {error.expected} (it returned {show_time(now):.100})"
            raise OptionError("clock", repr(self._options.clock)[:200], expected) from None

    # -- ABoxes that are not inserted --------------------------------------------------------------

    def _hand_over_late(
        self, late: Sequence[Timed[ABox]], newest: int, kind: TimeKind
    ) -> Iterator[WindowUpdate]:
        """Pass items to the handler of late ones: items older than the watermark or than the present time."""
        if self._options.on_late is not None:
            for each in late:
                self._count(Counters(late=1))
                self._options.on_late(each.at, each.item)
            return
        self._count(Counters(late=1))  # now: iteration may end before the error
        yield from self._pushed(None)
        raise late_error(late[0], newest, kind, self._options.allowed_lateness)

    def _hand_over_invalid(self, at: TimePoint, abox: ABox | GraphFile, error: InputError) -> None:
        """Pass an invalid ABox to its handler; without one raise `error`, which is being handled."""
        if self._options.on_invalid is None:
            raise error
        self._count(Counters(invalid=1))
        self._options.on_invalid(at, abox, error)

    def _refute(self, arrived: Arrived[ABox], time: int | None = None) -> Iterator[WindowUpdate]:
        """Pass items to the handler of those too far ahead of `time`, by default of the newest time."""
        if not arrived.refuted:
            return
        if self._options.on_ahead is not None:
            for each in arrived.refuted:
                self._count(Counters(ahead=1))
                self._options.on_ahead(each.at, each.item)
            return
        self._count(Counters(ahead=1))
        yield from self._pushed(None)
        kind, first = arrived.waiting.kind, arrived.refuted[0]
        time = arrived.waiting.newest if time is None else time
        assert kind is not None and time is not None, "it is ahead of something"
        raise ahead_error(first, time, kind, self._options.max_ahead, self._options.clock is not None)

    def _count(self, more: Counters) -> None:
        with self._lock:
            self._held.count(more)

    # -- departures --------------------------------------------------------------------------------

    def _complete(self) -> Iterator[WindowUpdate]:
        """Push the items that the watermark has passed, one timestamp after the other."""
        kind = self._held.history.waiting.kind
        return iter(()) if kind is None else self._pushed(self._tolerance(kind).lateness)

    def _pushed(self, lateness: int | None) -> Iterator[WindowUpdate]:
        """Push the complete items, one timestamp after the other. With a lateness of None all waiting items
        are complete.
        """
        while self._held.history.waiting.is_complete(lateness):
            passed = self._passed()
            if passed:
                step = self._held.history.step
                assert step is not None, "time was advanced"
                yield from self._hand_over_late(passed, step.now, step.kind)
                continue
            try:
                update = self._step(partial(self._push_oldest, lateness))
            except _NothingDueError:  # another thread has pushed it
                continue
            except _InvalidError as invalid:
                first, error = invalid.args
            else:
                yield update
                continue
            self._hand_over_invalid(first.at, first.item, error)

    def _passed(self) -> list[Timed[ABox]]:
        """Remove and return the oldest items if time has advanced beyond them by `advance` or `push`."""
        with self._lock:
            waiting, step = self._held.history.waiting, self._held.history.step
            oldest, others = waiting.without_oldest()
            if step is None or not oldest or oldest[0].ticks >= step.now:
                return []
            self._held.set_waiting(others)
            return oldest

    def _push_oldest(self, lateness: int | None) -> WindowUpdate:
        """Push the oldest items as one ABox. The caller holds the lock.

        Raises:
            _InvalidError: an item is invalid. It does not wait any more.
            _NothingDueError: no item is complete.
        """
        waiting = self._held.history.waiting
        if not waiting.is_complete(lateness):
            raise _NothingDueError
        parts, others = waiting.without_oldest()
        try:
            return self._held.step(parts[0].at, Arriving([part.item for part in parts], waiting=others))
        except InputError as error:
            if len(parts) == 1:
                self._held.set_waiting(others)
                raise _InvalidError(parts[0], error) from error
        first, others = parts[0], others.with_items(parts[1:])  # one of them is wrong: each by itself
        try:
            return self._held.step(first.at, Arriving((first.item,), waiting=others))
        except InputError as error:
            self._held.set_waiting(others)
            raise _InvalidError(first, error) from error


def late_error(
    late: Timed[Item], newest: int, kind: TimeKind, allowed_lateness: Duration | None
) -> LateABoxError:
    """Return the error for an item that is late: older than the newest time, or than the watermark.

    Args:
        newest: the newest time in ticks.
        allowed_lateness: the option; None for none.
    """
    latest, by = show_time(in_zone_of(time_of(newest, kind), late.at)), show_length(newest - late.ticks, kind)
    return LateABoxError(show_time(late.at), latest, _written(allowed_lateness), by)


def ahead_error(
    ahead: Timed[Item], time: int, kind: TimeKind, max_ahead: Duration | None, has_clock: bool
) -> FutureABoxError:
    """Return the error for an item that is too far ahead.

    Args:
        time: the reference time in ticks.
        has_clock: whether the reference is a clock, not the other items.
    """
    reference = "the clock" if has_clock else "the other ABoxes"
    latest = show_time(in_zone_of(time_of(time, kind), ahead.at))
    needed = show_length(ahead.ticks - time, kind)
    return FutureABoxError(show_time(ahead.at), latest, reference, _written(max_ahead), needed)


def _written(length: Duration | None) -> str:
    """Return a duration as its option is written: a timedelta as an ISO 8601 duration."""
    if isinstance(length, timedelta):
        return show_length(duration_ticks(length, TimeKind.DATETIME), TimeKind.DATETIME).strip('"')
    return str(length or 0)


class _InvalidError(Exception):
    """Invalid item: the item, and the error."""


class _NothingDueError(Exception):
    """No item is complete."""

"""Reports of a query, one for each boundary, equal ones held once; and the change of a step."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from operator import eq
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, overload

from pantarhei.errors import FollowerOverflowError, OptionError, check_choice
from pantarhei.model.message_text import counted
from pantarhei.model.term import Term
from pantarhei.model.time import TimePoint, show_time
from pantarhei.rdf.ntriples import exactly

if TYPE_CHECKING:
    import asyncio


AnswerRow = tuple[Term | None, ...]
"""Terms of a row, None for an unbound variable; `()` for ASK; a triple for CONSTRUCT."""


class AnswerReport(NamedTuple):
    """One report of a query.

    Args:
        at: time of the report; the end of a window that closed.
        added, removed: rows with their multiplicity.
    """

    at: TimePoint
    added: Counter[AnswerRow]
    removed: Counter[AnswerRow]


class RepeatedReport(NamedTuple):
    """Equal reports at consecutive times.

    Args:
        times: times of the reports; the ends of windows that closed.
        added, removed: rows with their multiplicity.
    """

    times: Sequence[TimePoint]
    added: Counter[AnswerRow]
    removed: Counter[AnswerRow]

    @property
    def repeats(self) -> int:
        """Number of reports."""
        return len(self.times)


class AnswerReports(Sequence[AnswerReport]):
    """Reports of a query in one step, in the order of time.

    Iteration yields a report for each time. Reports of window boundaries without a change between them share
    their rows.

    Args:
        distinct: runs of equal reports.
    """

    def __init__(self, distinct: Iterable[RepeatedReport]) -> None:
        self.distinct = tuple(distinct)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(each.repeats for each in self.distinct))

    def __len__(self) -> int:
        return self._ends[-1] if self.distinct else 0

    def __iter__(self) -> Iterator[AnswerReport]:
        for times, added, removed in self.distinct:
            for at in times:
                yield AnswerReport(at, added, removed)

    def nonempty(self) -> AnswerReports:
        """Return the reports that have rows."""
        return AnswerReports(each for each in self.distinct if each.added or each.removed)

    @overload
    def __getitem__(self, place: int) -> AnswerReport: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[AnswerReport, ...]: ...
    def __getitem__(self, place: int | slice) -> AnswerReport | tuple[AnswerReport, ...]:
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(len(self))))
        at = place + len(self) if place < 0 else place
        if not 0 <= at < len(self):
            raise IndexError(place)
        run = bisect_right(self._ends, at)
        times, added, removed = self.distinct[run]
        return AnswerReport(times[at - (self._ends[run - 1] if run else 0)], added, removed)

    def total(self, is_delta: bool) -> tuple[Counter[AnswerRow], Counter[AnswerRow]]:
        """Return the inserted and the deleted rows of all reports.

        Args:
            is_delta: an insert and a delete of one row cancel out; else all rows are added up.
        """
        if len(self) == 1:
            return self.distinct[0].added, self.distinct[0].removed
        added: Counter[AnswerRow] = Counter()
        removed: Counter[AnswerRow] = Counter()
        for each in self.distinct:
            for all_rows, rows in ((added, each.added), (removed, each.removed)):
                for row, copies in rows.items():
                    all_rows[row] += copies * each.repeats
        return (added - removed, removed - added) if is_delta else (added, removed)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, AnswerReports) and self.distinct == other.distinct:
            return True
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if len(self) == 1:
            return f"AnswerReports({self[0]!r})"
        times = f"at {show_time(self[0].at)} to {show_time(self[-1].at)}" if self else "none"
        return f"AnswerReports({counted(len(self), 'report')}: {times})"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored, tuple(map(tuple, self.distinct)))


def _restored(distinct: tuple[tuple[Any, ...], ...]) -> AnswerReports:
    return AnswerReports(RepeatedReport(*each) for each in distinct)


class AnswerChange:
    """Reports of a query in one step; terms are decoded at first access.

    Args:
        at: time of the step.
        make: returns the reports.
        is_delta: an insert and a delete of one row in different reports cancel out.
    """

    __slots__ = ("_make", "_reports", "_total", "at", "is_delta")

    def __init__(self, at: TimePoint, make: Callable[[], AnswerReports], is_delta: bool = False) -> None:
        self.at, self.is_delta = at, is_delta
        self._make: Callable[[], AnswerReports] | None = make
        self._total: tuple[Counter[AnswerRow], Counter[AnswerRow]] | None = None

    @classmethod
    def merged(cls, at: TimePoint, added: Counter[AnswerRow], removed: Counter[AnswerRow]) -> AnswerChange:
        """Return one change with the inserted and deleted rows of several."""
        return cls(at, lambda: AnswerReports([RepeatedReport((at,), added, removed)]), is_delta=True)

    @property
    def reports(self) -> AnswerReports:
        """Single reports: one, or one for each window that closed in the step."""
        make = self._make
        if make is not None:
            self._reports = make()
            self._make = None  # releases what it refers to
        return self._reports

    @property
    def _rows(self) -> tuple[Counter[AnswerRow], Counter[AnswerRow]]:
        total = self._total
        if total is None:
            total = self._total = self.reports.total(self.is_delta)
        return total

    @property
    def added(self) -> Counter[AnswerRow]:
        """Inserted rows with their multiplicity."""
        return self._rows[0]

    @property
    def removed(self) -> Counter[AnswerRow]:
        """Deleted rows with their multiplicity."""
        return self._rows[1]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnswerChange):
            return NotImplemented
        return (self.at, self._rows, self.reports) == (other.at, other._rows, other.reports)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"AnswerChange(at {show_time(self.at)}: +{self.added.total()} -{self.removed.total()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored_change, (self.at, self.reports, self.is_delta)


def _restored_change(at: TimePoint, reports: AnswerReports, is_delta: bool) -> AnswerChange:
    return AnswerChange(at, lambda: reports, is_delta)


Overflow = Literal["error", "drop_oldest", "coalesce", "block"]
MOST_WAITING = 10_000
"""Number of changes that may wait for a follower by default."""
_POLL = 0.05  # seconds between checks that a loop still runs


class Follower:
    """Changes that wait to be read in an event loop, at most `limit` of them; iterate it with `async for`.

    Attributes:
        dropped: number of changes that were not delivered: left out, or for `"coalesce"` merged with others.

    Args:
        name: the query's name.
        limit: number of changes that may wait.
        overflow: policy for a change when `limit` changes wait.
        begin: called when it is iterated; returns whether there will be changes. `end` when it is no longer.
    """

    def __init__(
        self,
        name: str,
        limit: int,
        overflow: Overflow,
        begin: Callable[[Follower], bool],
        end: Callable[[Follower], object],
    ) -> None:
        check_choice("overflow", overflow, get_args(Overflow))
        if type(limit) is not int or limit < 1:
            raise OptionError("limit", repr(limit), "a whole number above 0")
        self.dropped = 0
        self._name, self._limit, self._overflow = name, limit, overflow
        self._begin, self._end = begin, end
        self._room = threading.Condition()
        self._waiting = deque[AnswerChange]()
        self._merged: tuple[TimePoint, Counter[AnswerRow]] | None = None  # behind those that wait
        self._has_ended = self._has_failed = self._is_woken = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready: asyncio.Event | None = None

    def __aiter__(self) -> AsyncIterator[AnswerChange]:
        return self._changes()

    async def _changes(self) -> AsyncIterator[AnswerChange]:
        import asyncio  # imported where it is used, to keep start-up short

        self._loop, self._ready = asyncio.get_running_loop(), asyncio.Event()
        if not self._begin(self):
            return
        try:
            while True:
                self._ready.clear()
                self._is_woken = False
                change, has_ended = self._take()
                if change is not None:
                    yield change
                elif has_ended:
                    return
                else:
                    await self._ready.wait()
        finally:
            self.end()
            self._end(self)

    def _take(self) -> tuple[AnswerChange | None, bool]:
        """Return the next change, and whether the changes have ended.

        Raises:
            FollowerOverflowError: changes were left out since the last that was read.
        """
        with self._room:
            if self._waiting:
                change = self._waiting.popleft()
                self._room.notify_all()
                return change, False
            if self._has_failed:
                raise FollowerOverflowError(self._name, self._limit, self.dropped)
            if self._merged is not None:
                (at, rows), self._merged = self._merged, None
                return AnswerChange.merged(at, +rows, -rows), False
            return None, self._has_ended

    # -- in any thread -----------------------------------------------------------------------------

    def put(self, change: AnswerChange) -> None:
        """Deliver a change. With `"block"` this waits until there is room, or the reading loop stops."""
        with self._room:
            if self._merged is not None:
                self._merge(change)
            elif self._has_failed:
                self.dropped += 1
            elif len(self._waiting) < self._limit or self._makes_room(change):
                self._waiting.append(change)
        self._wake()

    def end(self) -> None:
        """End the changes: the loop that reads them ends after those that wait."""
        with self._room:
            self._has_ended = True
            self._room.notify_all()
        self._wake()

    def _makes_room(self, change: AnswerChange) -> bool:
        """Return whether a change may wait although `limit` changes do; the lock is held."""
        overflow = self._overflow
        if overflow == "block":
            while len(self._waiting) >= self._limit and self._is_read_elsewhere() and not self._has_ended:
                self._wake()
                self._room.wait(_POLL)
            if len(self._waiting) < self._limit:
                return True
            overflow = "error"  # no other thread would make room
        if overflow == "coalesce" and change.is_delta:
            self._merge(change)
            return False
        self.dropped += 1
        if overflow == "error":
            self._has_failed = True
            return False
        self._waiting.popleft()
        return True

    def _merge(self, change: AnswerChange) -> None:
        """Add a change to the merged ones. Costs its own rows."""
        rows = Counter[AnswerRow]() if self._merged is None else self._merged[1]
        self.dropped += self._merged is not None
        rows.update(change.added)
        rows.subtract(change.removed)
        for row in (*change.added, *change.removed):
            if not rows[row]:
                del rows[row]
        self._merged = change.at, rows

    def _is_read_elsewhere(self) -> bool:
        """Return whether the loop that reads runs in another thread."""
        import asyncio

        if self._loop is None or not self._loop.is_running():
            return False
        try:
            return asyncio.get_running_loop() is not self._loop
        except RuntimeError:  # no loop runs in this thread
            return True

    def _wake(self) -> None:
        """Let the loop read. Where it does not run, one call waits in it, not one for each change."""
        if self._loop is not None and self._ready is not None and not self._is_woken:
            self._is_woken = True
            with suppress(RuntimeError):  # the loop was closed while a reader waited in it
                self._loop.call_soon_threadsafe(self._ready.set)

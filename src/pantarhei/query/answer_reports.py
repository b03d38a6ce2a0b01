"""Reports of a query in a step, where consecutive equal reports are stored once; and their delivery to event
loops.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate, islice
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, overload
from typing import Literal as OneOf

from rdflib import Literal

from pantarhei.errors import FollowerOverflowError, OptionError, check_choice
from pantarhei.model.message_text import counted, disambiguate
from pantarhei.model.representation import ROWS, call_text, panel, table
from pantarhei.model.term import Term
from pantarhei.model.time import TimePoint, show_time
from pantarhei.query.answers import AnswerTable, check_distinct_names, columns_of, time_column
from pantarhei.rdf.ntriples import exactly

if TYPE_CHECKING:
    import asyncio


AnswerRow = tuple[Term | None, ...]
"""Terms of a row, None for an unbound variable; `()` for ASK; a triple for CONSTRUCT."""


class AnswerReport(NamedTuple):
    """One report of a query.

    Args:
        at: time of the report; if a window closed, the end of the window.
        added, removed: inserted and deleted rows with their number of copies; if the query reports all
            answers, `added` has all rows.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> query = reasoner.register("SELECT ?state { ?car a ?state }")
    >>> update = reasoner.push(1, [gas])
    >>> (report,) = update.answers[query].reports
    >>> report.at, report.added[EX.Accelerating,]
    (1, 1)
    """

    at: TimePoint
    added: Counter[AnswerRow]
    removed: Counter[AnswerRow]

    def __repr__(self) -> str:
        return call_text(self, [f"at {show_time(self.at)}: {row_counts(self.added, self.removed)}"])

    def _repr_html_(self) -> str:
        return panel(repr(self), *changes_in_html(self.added, self.removed))


def row_counts(added: Counter[AnswerRow], removed: Counter[AnswerRow]) -> str:
    """Return the numbers of inserted and deleted rows as text."""
    return f"+{added.total():,} -{removed.total():,}"


def changes_in_html(
    added: Mapping[AnswerRow, int], removed: Mapping[AnswerRow, int], variables: Sequence[str] = ()
) -> Iterator[str]:
    """Yield tables of inserted and of deleted rows with their number of copies, as HTML."""
    for title, rows in (("added", added), ("removed", removed)):
        if rows:
            yield f"<div>{title}</div>"
            yield answers_in_html(rows, variables)


def answers_in_html(answers: Mapping[AnswerRow, int], variables: Sequence[str] = ()) -> str:
    """Return the first answers as an HTML table; the number of copies has a column if a row has several."""
    copied = any(copies > 1 for copies in islice(answers.values(), ROWS))
    rows = ((*row, copies) if copied else row for row, copies in answers.items())
    columns = [*(f"?{name}" for name in variables), *(["copies"] if copied else [])] if variables else []
    return disambiguate(lambda: table(columns, rows, len(answers)))


def signed_rows(
    added: Mapping[AnswerRow, int], removed: Mapping[AnswerRow, int]
) -> list[tuple[str, AnswerRow]]:
    """Return each copy of each deleted row with `-`, then of each inserted row with `+`, sorted by their
    terms in N-Triples syntax.
    """
    return [
        (sign, row)
        for sign, rows in (("-", removed), ("+", added))
        for row in sorted(rows, key=lambda row: tuple("" if term is None else term.n3() for term in row))
        for _ in range(rows[row])
    ]


class RepeatedReport(NamedTuple):
    """Equal reports at consecutive times.

    Args:
        times: times of the reports; if windows closed, the ends of the windows.
        added, removed: as in `AnswerReport`, for each of the reports.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> text, window = "SELECT ?s { ?car a ?s }", pr.Window(2, slide=1)
    >>> query = reasoner.register(text, window=window, on="close", emit="rstream")
    >>> _ = reasoner.push(1, [gas])
    >>> [run.repeats for run in reasoner.advance(4).answers[query].reports.distinct]
    [3]
    """

    times: Sequence[TimePoint]
    added: Counter[AnswerRow]
    removed: Counter[AnswerRow]

    def __repr__(self) -> str:
        times = counted(self.repeats, "time")
        return call_text(self, [f"{times}: {row_counts(self.added, self.removed)} at each"])

    @property
    def repeats(self) -> int:
        """Number of reports."""
        return len(self.times)


class AnswerReports(Sequence[AnswerReport]):
    """Reports of a query in one step, in ascending order of time.

    Iteration yields one report for each time. Equal reports share their rows.

    Args:
        distinct: runs of equal reports.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> text, window = "SELECT ?car { ?car a ?state }", pr.Window(2, slide=1)
    >>> query = reasoner.register(text, window=window, on="close")
    >>> _ = reasoner.push(1, [gas])
    >>> reports = reasoner.advance(4).answers[query].reports
    >>> [(report.at, len(report.added), len(report.removed)) for report in reports]
    [(1, 1, 0)]
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
    def __getitem__(self, index: int) -> AnswerReport: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[AnswerReport, ...]: ...
    def __getitem__(self, index: int | slice) -> AnswerReport | tuple[AnswerReport, ...]:
        if isinstance(index, slice):
            return tuple(self[each] for each in range(*index.indices(len(self))))
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        run = bisect_right(self._ends, at)
        times, added, removed = self.distinct[run]
        return AnswerReport(times[at - (self._ends[run - 1] if run else 0)], added, removed)

    def total(self, is_delta: bool) -> tuple[Counter[AnswerRow], Counter[AnswerRow]]:
        """Return the inserted and the deleted rows of all reports.

        Args:
            is_delta: whether an insert and a delete of one row cancel out; otherwise inserts and deletes are
                summed separately.
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
            at, added, removed = self[0]
            return call_text(self, [f"at {show_time(at)}: {row_counts(added, removed)}"])
        times = f"at {show_time(self[0].at)} to {show_time(self[-1].at)}" if self else "none"
        return call_text(self, [f"{counted(len(self), 'report')}: {times}"])

    def _repr_html_(self) -> str:
        rows = ((at, len(added), len(removed)) for at, added, removed in self)
        return panel(repr(self), table(("at", "added", "removed"), rows, len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored, tuple(map(tuple, self.distinct)))


def _restored(distinct: tuple[tuple[Any, ...], ...]) -> AnswerReports:
    return AnswerReports(RepeatedReport(*each) for each in distinct)


class AnswerChange(AnswerTable):
    """Reports of a query in one step; terms are decoded at first access.

    Args:
        at: time of the step.
        make: returns the reports.
        is_delta: whether `added` and `removed` omit a row that one report inserts and another one deletes.
        names: names of the columns of the rows.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> query = reasoner.register("SELECT ?state { ?car a ?state }")
    >>> update = reasoner.push(1, [gas])
    >>> change = update.answers[query]
    >>> change.added[EX.Accelerating,], change.removed
    (1, Counter())
    >>> sorted(change.to_pandas()["state"].str.split("#").str[1])
    ['Accelerating', 'Attended', 'GasPedalPressed']
    """

    __slots__ = ("_make", "_reports", "_total", "at", "is_delta", "names")

    def __init__(
        self,
        at: TimePoint,
        make: Callable[[], AnswerReports],
        is_delta: bool = False,
        names: tuple[str, ...] = (),
    ) -> None:
        self.at, self.is_delta, self.names = at, is_delta, names
        self._make: Callable[[], AnswerReports] | None = make
        self._total: tuple[Counter[AnswerRow], Counter[AnswerRow]] | None = None

    @classmethod
    def merged(cls, at: TimePoint, rows: Counter[AnswerRow], names: tuple[str, ...]) -> AnswerChange:
        """Return a change that has the sum of the rows of several changes; copies of a deleted row are
        negative.
        """
        return cls(at, lambda: AnswerReports([RepeatedReport((at,), +rows, -rows)]), True, names)

    @property
    def reports(self) -> AnswerReports:
        """The single reports: one report, or one for each window that closed in the step."""
        make = self._make
        if make is not None:
            self._reports = make()
            self._make = None  # releases the objects that it refers to
        return self._reports

    @property
    def _rows(self) -> tuple[Counter[AnswerRow], Counter[AnswerRow]]:
        total = self._total
        if total is None:
            total = self._total = self.reports.total(self.is_delta)
        return total

    @property
    def added(self) -> Counter[AnswerRow]:
        """Inserted rows with their number of copies."""
        return self._rows[0]

    @property
    def removed(self) -> Counter[AnswerRow]:
        """Deleted rows with their number of copies."""
        return self._rows[1]

    def columns(self) -> dict[str, list[Term | None]]:
        """Return the rows of all reports as columns: `at`, the time of the report (`window_at` if the query
        has a variable `at`); `change`, which is `+` for an inserted and `-` for a deleted row; and the
        columns of the query's answers.

        Raises:
            OptionError: the query has a variable `change`.
        """
        check_distinct_names(self.names, ("change",))
        rows = [
            (Literal(at), Literal(sign), row)
            for at, added, removed in self.reports.nonempty()
            for sign, row in signed_rows(added, removed)
        ]
        return {
            time_column(self.names): [at for at, _, _ in rows],
            "change": [sign for _, sign, _ in rows],
            **columns_of(self.names, [row for _, _, row in rows]),
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnswerChange):
            return NotImplemented
        return (self.at, self._rows, self.reports) == (other.at, other._rows, other.reports)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = "" if self._make is not None else f": {row_counts(self.added, self.removed)}"
        return call_text(self, [f"at {show_time(self.at)}{counts}"])

    def _repr_html_(self) -> str:
        return panel(repr(self), *changes_in_html(self.added, self.removed))

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored_change, self.at, self.reports, self.is_delta, self.names)


def _restored_change(
    at: TimePoint, reports: AnswerReports, is_delta: bool, names: tuple[str, ...] = ()
) -> AnswerChange:
    return AnswerChange(at, lambda: reports, is_delta, names)


Overflow = OneOf["error", "drop_oldest", "coalesce", "block"]
MAX_QUEUED = 10_000
"""Default number of changes that may be queued for a follower."""
_POLL = 0.05  # seconds between checks whether the event loop still runs


class Follower:
    """Queue of changes for an event loop, with at most `limit` changes; iterate over it with `async for`.

    Attributes:
        dropped: number of changes that were not delivered by themselves: dropped, or merged into another
            change (`"coalesce"`).

    Args:
        name: name of the query.
        limit: number of changes that may be queued.
        overflow: policy for a change that arrives when `limit` changes are queued.
        begin: called when an iteration begins; returns whether changes will be delivered.
        end: called when the iteration ends.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> query = reasoner.register("SELECT ?state { ?car a ?state }")
    >>> import asyncio
    >>> async def first():
    ...     async for change in query.follow(limit=100):
    ...         return change.at
    >>> async def main():
    ...     waiting = asyncio.create_task(first())
    ...     await asyncio.sleep(0)
    ...     reasoner.push(1, [gas])
    ...     return await waiting
    >>> asyncio.run(main())
    1
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
        self._condition = threading.Condition()
        self._queue = deque[AnswerChange]()
        # Delivered after the queued changes: the newest of the merged changes, and the sum of their rows.
        self._merged: tuple[AnswerChange, Counter[AnswerRow]] | None = None
        self._has_ended = self._has_failed = self._is_woken = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready: asyncio.Event | None = None

    def __aiter__(self) -> AsyncIterator[AnswerChange]:
        return self._changes()

    async def _changes(self) -> AsyncIterator[AnswerChange]:
        import asyncio  # imported here to keep start-up short

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
        """Remove and return the next change, None if there is none; also return whether the changes have
        ended.

        Raises:
            FollowerOverflowError: changes have been dropped since the last queued change.
        """
        with self._condition:
            if self._queue:
                change = self._queue.popleft()
                self._condition.notify_all()
                return change, False
            if self._has_failed:
                raise FollowerOverflowError(self._name, self._limit, self.dropped)
            if self._merged is not None:
                (newest, rows), self._merged = self._merged, None
                return AnswerChange.merged(newest.at, rows, newest.names), False
            return None, self._has_ended

    # -- called by any thread ----------------------------------------------------------------------

    def put(self, change: AnswerChange) -> None:
        """Queue a change. With `"block"`, this waits until there is room, or until the reading event loop
        stops.
        """
        with self._condition:
            if self._merged is not None:
                self._merge(change)
            elif self._has_failed:
                self.dropped += 1
            elif len(self._queue) < self._limit or self._makes_room(change):
                self._queue.append(change)
        self._wake()

    def end(self) -> None:
        """End the changes; the iteration ends after the queued changes."""
        with self._condition:
            self._has_ended = True
            self._condition.notify_all()
        self._wake()

    def _makes_room(self, change: AnswerChange) -> bool:
        """Apply the overflow policy; returns whether a change can be queued. The caller holds the lock."""
        overflow = self._overflow
        if overflow == "block":
            while len(self._queue) >= self._limit and self._is_read_elsewhere() and not self._has_ended:
                self._wake()
                self._condition.wait(_POLL)
            if len(self._queue) < self._limit:
                return True
            overflow = "error"  # no other thread can make room
        if overflow == "coalesce" and change.is_delta:
            self._merge(change)
            return False
        self.dropped += 1
        if overflow == "error":
            self._has_failed = True
            return False
        self._queue.popleft()
        return True

    def _merge(self, change: AnswerChange) -> None:
        """Add a change to the merged change. The cost is linear in the number of rows of the added change."""
        rows = Counter[AnswerRow]() if self._merged is None else self._merged[1]
        self.dropped += self._merged is not None
        rows.update(change.added)
        rows.subtract(change.removed)
        for row in (*change.added, *change.removed):
            if not rows[row]:
                del rows[row]
        self._merged = change, rows

    def _is_read_elsewhere(self) -> bool:
        """Return whether another thread runs the event loop that reads the changes."""
        import asyncio

        if self._loop is None or not self._loop.is_running():
            return False
        try:
            return asyncio.get_running_loop() is not self._loop
        except RuntimeError:  # no loop runs in this thread
            return True

    def _wake(self) -> None:
        """Wake the event loop. At most one wake-up call is pending, even if several changes are queued."""
        if self._loop is not None and self._ready is not None and not self._is_woken:
            self._is_woken = True
            with suppress(RuntimeError):  # the event loop was closed while a reader waited
                self._loop.call_soon_threadsafe(self._ready.set)

"""Reports of a query, one for each boundary, equal ones held once; and the change of a step."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from operator import eq
from typing import Any, NamedTuple, overload

from pantarhei.model.messages import counted
from pantarhei.model.term import Term
from pantarhei.model.time import TimePoint, show_time
from pantarhei.rdf.pickling import exactly

AnswerRow = tuple[Term | None, ...]
"""The terms of a row, None where a variable is unbound; of ASK the row `()`; of CONSTRUCT a triple."""


class AnswerReport(NamedTuple):
    """Rows that a query reported once.

    Args:
        at: when; of a window that closed, its end.
        added, removed: rows, with how many copies.
    """

    at: TimePoint
    added: Counter[AnswerRow]
    removed: Counter[AnswerRow]


class SameReports(NamedTuple):
    """Equal reports at one time or several, one after another.

    Args:
        times: when; of windows that closed, their ends.
        added, removed: rows, with how many copies.
    """

    times: Sequence[TimePoint]
    added: Counter[AnswerRow]
    removed: Counter[AnswerRow]

    @property
    def repeats(self) -> int:
        """How many reports they are."""
        return len(self.times)


class AnswerReports(Sequence[AnswerReport]):
    """The reports of a query in one step, in the order of time.

    Iterating gives a report for each time. Where time passed many boundaries of a window and nothing changed
    between them, their reports share their rows.

    Args:
        distinct: equal reports together, as they followed each other.
    """

    def __init__(self, distinct: Iterable[SameReports]) -> None:
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

    def with_rows(self) -> AnswerReports:
        """The reports that have rows."""
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
        """Return the rows that came and the rows that went by all reports.

        Args:
            is_delta: a row that came with one report and went with another did neither; else all is added up.
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
    return AnswerReports(SameReports(*each) for each in distinct)


class AnswerChange:
    """Reports of a query in one step; their terms are made when first read.

    Args:
        at: when the step was.
        make: makes the reports.
        is_delta: reports have the rows that came and went, so that a row inserted by one and deleted by the
            next cancels out.
    """

    __slots__ = ("_make", "_reports", "_total", "at", "is_delta")

    def __init__(self, at: TimePoint, make: Callable[[], AnswerReports], is_delta: bool = False) -> None:
        self.at, self.is_delta = at, is_delta
        self._make: Callable[[], AnswerReports] | None = make
        self._total: tuple[Counter[AnswerRow], Counter[AnswerRow]] | None = None

    @classmethod
    def merged(cls, at: TimePoint, added: Counter[AnswerRow], removed: Counter[AnswerRow]) -> AnswerChange:
        """Return one change of the rows that came and went by several."""
        return cls(at, lambda: AnswerReports([SameReports((at,), added, removed)]), is_delta=True)

    @property
    def reports(self) -> AnswerReports:
        """The single reports: one, except where several windows closed in the step."""
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
        """The rows that came, with how many copies."""
        return self._rows[0]

    @property
    def removed(self) -> Counter[AnswerRow]:
        """The rows that went, with how many copies."""
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

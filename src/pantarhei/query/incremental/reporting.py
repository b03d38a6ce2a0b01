"""Scheduling of reports: records the deltas of registered queries, and emits their reports.

A query that reports at each step, the common case, costs nothing in a step that does not change its answers.
Other queries are evaluated after each step, when time leaves a timestamp, or when a window closes, as their
policy says.

The deltas of an operator are applied to the answers of its subscribers lazily, several at a time. This is
faster because inserting a row into the stored answers costs more than computing the row (the dictionary is
seldom in the processor's cache), and splitting a delta by query costs a pass over the delta.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from pantarhei.encoding.numbers import Integers
from pantarhei.materialize.kernel.bags import group_by_suffix
from pantarhei.model.time import TimeKind, TimePoint
from pantarhei.query.answer_reports import AnswerChange, AnswerReports, RepeatedReport
from pantarhei.query.answers import column_names
from pantarhei.query.continuous_query import ContinuousQuery
from pantarhei.query.incremental.journal import ABSENT
from pantarhei.query.incremental.operator import Bag, Operator, Row, Rows, SharedState
from pantarhei.query.incremental.persistent_terms import Decoder
from pantarhei.query.incremental.query_sources import QuerySource
from pantarhei.query.incremental.query_state import QueryState, Version, nothing_pending
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, Times, joined

_MIN_DEFERRED: Final = 256
"""Number of rows that may be deferred even if the answers have fewer than four times as many rows."""


class MemberIndex(NamedTuple):
    """Immutable index of the queries that read one operator, by parameter values.

    Args:
        size: number of parameters; the last columns of the rows have their values.
        by_numbers: queries by the term numbers of their parameter values.
    """

    size: int
    by_numbers: Mapping[Row, list[QueryState]]

    def split(self, change: Rows) -> Iterator[tuple[QueryState, Rows]]:
        """Split a delta of the operator by query; queries without changes are skipped."""
        parts = group_by_suffix(change, self.size) if self.size else {(): change}
        for numbers, own in parts.items():
            for registered in self.by_numbers.get(numbers, ()):
                yield registered, own


class Subscribers:
    """Queries whose answers are the rows of one operator. Deltas are applied to the answers lazily.

    `are_plain` is True if all these queries report at each step.
    """

    def __init__(self, shared: SharedState) -> None:
        self._shared = shared
        self._deferred: dict[int, Rows] = {}
        self._max_deferred = _MIN_DEFERRED
        self.pending_rows = 0
        """Number of deferred rows."""
        self.members, self.are_plain = MemberIndex(0, {}), True

    def set_queries(self, queries: list[QueryState]) -> None:
        """Set the queries, of which there must be at least one. No deferred deltas may exist."""
        by_numbers: dict[Row, list[QueryState]] = {}
        for registered in queries:
            by_numbers.setdefault(registered.numbers, []).append(registered)
            registered.flush = self.flush
        self.members = MemberIndex(len(queries[0].numbers), by_numbers)
        self.are_plain = all(registered.is_plain for registered in queries)

    def clear(self) -> None:
        """Apply deferred deltas, and remove all queries."""
        self.flush()
        for queries in self.members.by_numbers.values():
            for registered in queries:
                registered.flush = nothing_pending
        self.members = MemberIndex(0, {})

    def defer(self, change: Rows) -> None:
        """Store a delta, to be applied when answers are read, or when too many rows are deferred."""
        deferred = self._deferred
        number = len(deferred)
        self._shared.journal.entries.append((deferred, number, ABSENT))
        deferred[number] = change
        self.pending_rows += len(change)
        if self.pending_rows > self._max_deferred:
            self.flush()

    def flush(self) -> None:
        """Apply all deferred deltas to the answers."""
        if not self._deferred:
            return
        journal = self._shared.journal
        before = journal.savepoint()
        try:
            changes = [own for change in self._deferred.values() for own in self.members.split(change)]
            self._shared.add_to_each([(registered.reported, own) for registered, own in changes])
            journal.replace(self._deferred, {})
        except BaseException:
            journal.restore(before)
            raise
        self.pending_rows = 0
        stored = sum(len(each.reported) for queries in self.members.by_numbers.values() for each in queries)
        self._max_deferred = max(_MIN_DEFERRED, stored // 4)

    def recount(self) -> None:
        """Recompute the number of deferred rows after a rollback."""
        self.pending_rows = sum(map(len, self._deferred.values()))


class EncodedReport(NamedTuple):
    """Report of a query in term numbers, or several equal reports.

    Args:
        times: times of the reports; for a window that closed, the end of the window.
        change: signed delta of rows; a `Version` if all answers are reported.
    """

    times: Sequence[TimePoint]
    change: Rows | Version

    def decoded(self, decoder: Decoder) -> RepeatedReport:
        """Decode the report to terms."""
        change = self.change
        if isinstance(change, Version):
            return RepeatedReport(self.times, change.rows(), Counter())
        inserted = {row: weight for row, weight in change.items() if weight > 0}
        deleted = {row: -weight for row, weight in change.items() if weight < 0}
        return RepeatedReport(self.times, decoder.bag(inserted), decoder.bag(deleted))


class ReportBatch(NamedTuple):
    """Reports of several queries at the same times.

    Args:
        times: times of the reports; for windows that closed, the ends of the windows.
        changes: delta of each query; a `Version` for a query that reports all answers.
        shared: deltas of operators that are not split by query yet.
    """

    times: Sequence[TimePoint]
    changes: Sequence[tuple[QueryState, Rows | Version]]
    shared: Sequence[tuple[MemberIndex, Rows]] = ()

    @property
    def single(self) -> Iterator[tuple[QueryState, Rows | Version]]:
        """Iterate over the delta or `Version` of each query. The cost is linear in the number of rows of
        `shared`.
        """
        yield from self.changes
        for members, change in self.shared:
            yield from members.split(change)


class StepReports(NamedTuple):
    """All reports of a step.

    Args:
        at: time of the step.
        reports: batches of reports, in ascending order of time.
        decoder: decoder of the rows in the batches.
    """

    at: TimePoint
    reports: Sequence[ReportBatch]
    decoder: Decoder

    def are_followed(self) -> bool:
        """Return whether one of the queries has a follower."""
        handles = (registered.handle for reports in self.reports for registered, _ in reports.single)
        return any(handle is not None and handle.has_followers for handle in handles)

    def by_query(self) -> Iterator[tuple[ContinuousQuery, AnswerChange]]:
        """Iterate over the queries that have reports, with all reports of the query."""
        of_query: dict[QueryState, list[EncodedReport]] = {}
        for reports in self.reports:
            for registered, change in reports.single:
                _append(of_query.setdefault(registered, []), EncodedReport(reports.times, change))
        for registered, reported in of_query.items():
            if registered.handle is not None:
                is_delta = registered.policy.emit == "delta"
                make = partial(_decoded, reported, self.decoder)
                names = column_names(registered.query)
                yield registered.handle, AnswerChange(self.at, make, is_delta, names)


def _decoded(reported: Iterable[EncodedReport], decoder: Decoder) -> AnswerReports:
    return AnswerReports(each.decoded(decoder) for each in reported)


def _append(reports: list[EncodedReport], report: EncodedReport) -> None:
    """Append a report; if it has the same answers as the last report, extend the times of that report."""
    times, change = report
    is_same = reports and isinstance(change, Version) and change is reports[-1].change
    together = joined(reports[-1].times, times) if is_same else None
    if together is None:
        reports.append(report)
    else:
        reports[-1] = EncodedReport(together, change)


class ReportScheduler:
    """Records the deltas of operators, and emits the reports of queries."""

    def __init__(self, shared: SharedState) -> None:
        self._shared, self._journal = shared, shared.journal
        self._subscribers: dict[Operator, Subscribers] = {}  # by the operator that they read
        self._scheduled: list[QueryState] = []  # queries that do not report at each step
        self.sees_windows = False
        """True if a query depends on times, so that each step of a block must be processed."""
        self._closing: set[QuerySource] = set()  # sources of windows whose closing triggers reports
        self._delayed: dict[QueryState, None] = {}  # queries that report at each step, with a pending delta
        self._reports: dict[int, ReportBatch] = {}  # reports of the present step, numbered
        self._in_block = False  # whether the present step is a block of steps

    def set_queries(self, queries: Iterable[QueryState]) -> None:
        """Set the active queries."""
        for subscribers in self._subscribers.values():
            subscribers.clear()
        self._journal.replace(self._delayed, {each: None for each in queries if each in self._delayed})
        of_root: dict[Operator, list[QueryState]] = {}
        for registered in queries:
            of_root.setdefault(registered.root, []).append(registered)
        # subscribers are kept while their operator exists: a rollback may restore deferred deltas
        known = self._subscribers
        self._subscribers = {root: known.get(root) or Subscribers(self._shared) for root in of_root}
        for root, own in of_root.items():
            self._subscribers[root].set_queries(own)
        self._scheduled = [registered for registered in queries if not registered.is_plain]
        self.sees_windows = bool(self._scheduled)
        closing = (each.windows.values() for each in self._scheduled if each.policy.closes)
        self._closing = {source for windows in closing for source in windows}

    def begin(self, is_block: bool = False) -> None:
        """Begin a step, and drop the reports of the step before.

        Args:
            is_block: whether the step is a block of several steps, which `end` ends.
        """
        self._reports = {}  # a new dictionary, since no rollback crosses the begin of a step
        self._in_block = is_block

    def end(self, at: TimePoint, step: Step | None, log: Log) -> None:
        """End a block of steps, and evaluate the queries that report after each step."""
        self._in_block = False
        self.record_changes({}, at, False)
        if step is not None:
            self.report_after_step(step, log)

    @property
    def reports(self) -> list[ReportBatch]:
        """Reports of the present step."""
        return [reports for reports in self._reports.values() if reports.changes or reports.shared]

    def forget(self, registered: QueryState) -> None:
        """Remove the reports of a query in the present step."""
        for number, reports in self._reports.items():
            changes = list(reports.single)
            left = [(each, change) for each, change in changes if each is not registered]
            if len(left) < len(changes):
                self._journal.record(self._reports, number)
                self._reports[number] = ReportBatch(reports.times, left)

    @property
    def pending_rows(self) -> int:
        """Number of deferred rows."""
        return sum(subscribers.pending_rows for subscribers in self._subscribers.values())

    def flush(self) -> None:
        """Apply all deferred deltas."""
        for subscribers in self._subscribers.values():
            subscribers.flush()

    def recount(self) -> None:
        """Recompute the number of deferred rows after a rollback."""
        for subscribers in self._subscribers.values():
            subscribers.recount()

    def report_next(self, registered: QueryState) -> None:
        """Report the pending delta of a query at the end of the next step."""
        self._journal.record(self._delayed, registered)
        self._delayed[registered] = None

    # -- windows that close ------------------------------------------------------------------------

    @property
    def has_closing_windows(self) -> bool:
        """True if a query reports when its window closes."""
        return bool(self._closing)

    def due(self, kind: TimeKind, after: int, until: int, change: int | None) -> int | None:
        """Return the next boundary of a window at which a query's report may differ; None if there is none.

        Args:
            after: present tick; only later boundaries are considered.
            until: time to which the stream advances.
            change: first tick above `after` at which the passage of time changes the content of a window;
                None for never.
        """
        ticks = (source.next_closing(kind, after, until, change) for source in self._closing)
        return min((tick for tick in ticks if tick is not None), default=None)

    def closes_before_arrivals(self, step: Step) -> bool:
        """Return whether the present time is the end of a left-closed window that has not closed."""
        return any(source.closes_before_arrivals(step) for source in self._closing)

    def note_changed(self) -> None:
        """Record that the next report of each window may differ from the last one."""
        for source in self._closing:
            if not source.is_changed:
                self._journal.set(source, "is_changed", True)

    def closing(self, source: QuerySource, step: Step) -> int | None:
        """Return the present time if it is the end of a left-closed window that closes before the step's
        arrivals; None otherwise.

        A left-closed window contains no fact asserted at its end.
        """
        return step.now if source in self._closing and source.closes_before_arrivals(step) else None

    def close_before_arrivals(self, step: Step, log: Log) -> None:
        """Close the left-closed windows that end at the present time."""
        closing = (each for each in self._closing if each.closes_before_arrivals(step))
        self._close({source: range(step.now, step.now + 1) for source in closing}, step.kind, log)

    def leave_tick(self, now: Step, step: Step, log: Log, on_the_way: bool) -> None:
        """Close the windows that end as time advances from `now` to `step`, and evaluate the queries that
        report when time leaves a timestamp.

        The sources do not change in between, since the engine makes a step at each time at which one changes.
        """
        if step.now <= now.now or not self._scheduled:
            return
        closing = {each: each.closing_on_the_way(now, step, on_the_way) for each in self._closing}
        self._close({each: some for each, some in closing.items() if some}, now.kind, log)
        for registered in self._scheduled:
            policy = registered.policy
            if policy.tick == "timestamp" and not policy.closes and policy.is_due(now.kind, now.now):
                self._evaluate(registered, log, at_tick(now))

    def _close(self, closing: Mapping[QuerySource, range], kind: TimeKind, log: Log) -> None:
        """Close the windows of sources at boundaries, and evaluate the queries of these windows.

        The sources do not change between the boundaries.
        """
        for source, boundaries in closing.items():
            self._journal.set(source, "closed", boundaries[-1])
            self._journal.set(source, "is_changed", False)
        for registered in self._scheduled if closing else ():
            policy = registered.policy
            if policy.closes:
                some = (
                    (source, closing[source]) for source in registered.windows.values() if source in closing
                )
                whole = (
                    source.whole_windows(kind, boundaries, policy.since) if policy.whole else boundaries
                    for source, boundaries in some
                )
                ranges = tuple(each for each in policy.due_ticks(kind, whole) if each)
                if ranges:
                    self._evaluate(registered, log, Times(kind, ranges))

    # -- steps -------------------------------------------------------------------------------------

    def record_changed_facts(self, source: QuerySource, changed: Integers) -> None:
        """Record the changed facts of a source for the queries that report only on changes of their sources.

        Args:
            changed: facts inserted (1) and deleted (-1, last column).
        """
        observing = [each for each in self._scheduled if each.policy.reports_on_change]
        weights = {each: weight for each in observing if (weight := each.weight(source))}
        for *fact, sign in changed.tolist() if weights else ():
            for registered, weight in weights.items():
                self._shared.add(registered.changed_facts, tuple(fact), sign * weight)

    def record_changes(self, changes: Mapping[Operator, Rows], at: TimePoint, on_the_way: bool) -> None:
        """Record the deltas of operators.

        Args:
            on_the_way: True if further parts of the step follow, so that nothing is reported yet.
        """
        delayed = self._delayed
        on_the_way = on_the_way or self._in_block
        shared: list[tuple[MemberIndex, Rows]] = []
        reported: list[tuple[QueryState, Rows]] = []
        for operator, change in changes.items():
            subscribers = self._subscribers.get(operator)
            if subscribers is None:
                continue
            if subscribers.are_plain and not delayed and not on_the_way:
                shared.append((subscribers.members, change))
                subscribers.defer(change)
            else:
                reported += self._record_single(subscribers.members.split(change), on_the_way)
        if delayed and not on_the_way:
            flushed = [(registered, self._take_pending(registered)) for registered in delayed]
            flushed = [(registered, change) for registered, change in flushed if change]
            self._shared.add_to_each([(registered.answers, change) for registered, change in flushed])
            reported += flushed
            self._journal.replace(delayed, {})
        if reported or shared:
            self._add_batch(ReportBatch((at,), reported, shared))

    def _record_single(
        self, changes: Iterable[tuple[QueryState, Rows]], on_the_way: bool
    ) -> list[tuple[QueryState, Rows]]:
        """Record the deltas of single queries; returns the deltas to be reported now."""
        reported: list[tuple[QueryState, Rows]] = []
        added: list[tuple[Bag, Rows]] = []
        for registered, own in changes:
            if not registered.is_plain:
                added.append((registered.pending, own))
            elif on_the_way or registered in self._delayed:
                added.append((registered.pending, own))
                self.report_next(registered)
            else:
                reported.append((registered, own))
                added.append((registered.answers, own))
        self._shared.add_to_each(added)
        return reported

    def report_after_step(self, step: Step, log: Log) -> None:
        """Evaluate the queries that report after each step."""
        for registered in () if self._in_block else self._scheduled:
            policy = registered.policy
            if not policy.closes and policy.tick == "abox" and policy.is_due(step.kind, step.now):
                self._evaluate(registered, log, at_tick(step))

    def _evaluate(self, registered: QueryState, log: Log, times: Times) -> None:
        """Report at times between which no source changes, if the query's policy permits it."""
        policy = registered.policy
        if registered.policy.reports_on_change:
            if not registered.changed_facts:
                return
            self._journal.replace(registered.changed_facts, {})
        if "non-empty" in policy.conditions and not registered.has_assertions(log):
            return
        change = self._take_pending(registered)
        if policy.emit == "rstream":
            self._report_all(registered, change, times[:1] if registered.policy.reports_on_change else times)
        elif change:
            self._report(registered, change, times[0])

    def _take_pending(self, registered: QueryState) -> Bag:
        """Return and clear the pending delta of a query."""
        change = dict(registered.pending)
        self._journal.replace(registered.pending, {})
        return change

    def _report(self, registered: QueryState, change: Rows, at: TimePoint) -> None:
        """Emit a delta in the query's output mode: all of it, only inserted rows, or only deleted rows."""
        self._shared.add_all(registered.answers, change)
        if (emit := registered.policy.emit) != "delta":
            sign = 1 if emit == "istream" else -1
            change = {row: weight for row, weight in change.items() if weight * sign > 0}
        if change:
            self._add_batch(ReportBatch((at,), [(registered, change)]))

    def _report_all(self, registered: QueryState, change: Rows, times: Sequence[TimePoint]) -> None:
        """Report all answers of a query, which are equal at all these times."""
        answers = registered.answers
        self._shared.add_all(answers, change)
        version = Version.after(registered.version, change, answers, self._shared.terms.decoder)
        self._journal.set(registered, "version", version)
        self._add_batch(ReportBatch(times, [(registered, version)]))

    def _add_batch(self, reports: ReportBatch) -> None:
        """Add a batch of reports."""
        number = len(self._reports)
        self._journal.entries.append((self._reports, number, ABSENT))
        self._reports[number] = reports


def at_tick(step: Step) -> Times:
    """Return the time of a step."""
    return Times(step.kind, (range(step.now, step.now + 1),))

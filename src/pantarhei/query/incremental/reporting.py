"""Which registered queries report at which moments.

Those that report at each step, the usual ones, cost nothing where a step does not touch them. The others are
looked at: after each step, when time leaves a timestamp, or when their windows close.

Who has the rows of an operator as answers. Their answers are brought up to date when somebody looks.

What changes waits, whole and once for all of them: to add a row to answers costs more than to make it, since
where it belongs is seldom in the processor's cache, and to tell whose it is costs a look at each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from pantarhei.encoding.numbers import Integers
from pantarhei.materialize.kernel.bags import by_end
from pantarhei.model.time import TimeKind, TimePoint
from pantarhei.query.answer_reports import AnswerChange, AnswerReports, SameReports
from pantarhei.query.continuous_query import ContinuousQuery
from pantarhei.query.incremental.answer_versions import Version
from pantarhei.query.incremental.journal import ABSENT
from pantarhei.query.incremental.operator import Bag, Operator, Row, SharedState
from pantarhei.query.incremental.persistent_terms import Decoder
from pantarhei.query.incremental.query_sources import QuerySource
from pantarhei.query.incremental.query_state import QueryState, nothing_pending
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, Times, joined

_FEW: Final = 256
"""So many rows may wait in any case; beyond that, a quarter of the rows that there are."""


class MemberIndex(NamedTuple):
    """Queries by what the rows of an operator end with that are theirs; nothing in it changes any more.

    Args:
        size: with how many numbers the rows end that say whose they are.
        by_numbers: the queries by these numbers.
    """

    size: int
    by_numbers: Mapping[Row, list[QueryState]]

    def split(self, change: Mapping[Row, int]) -> Iterator[tuple[QueryState, Mapping[Row, int]]]:
        """Of a change what is each query's own, for those that it changes anything for."""
        parts = by_end(change, self.size) if self.size else {(): change}
        for numbers, own in parts.items():
            for registered in self.by_numbers.get(numbers, ()):
                yield registered, own


class Subscribers:
    """The queries whose answers are the rows of one operator.

    `are_plain` says whether all of them report at each step.
    """

    def __init__(self, shared: SharedState) -> None:
        self._shared = shared
        self._waiting: dict[int, Mapping[Row, int]] = {}
        self._most = _FEW
        self.pending_rows = 0
        """How many rows wait to be added to answers."""
        self.members, self.are_plain = MemberIndex(0, {}), True

    def set_queries(self, queries: list[QueryState]) -> None:
        """Have these members from now on, one at least; nothing waits."""
        by_numbers: dict[Row, list[QueryState]] = {}
        for registered in queries:
            by_numbers.setdefault(registered.numbers, []).append(registered)
            registered.flush = self.flush
        self.members = MemberIndex(len(queries[0].numbers), by_numbers)
        self.are_plain = all(registered.is_plain for registered in queries)

    def clear(self) -> None:
        """Bring the answers of all members up to date, and have no members."""
        self.flush()
        for queries in self.members.by_numbers.values():
            for registered in queries:
                registered.flush = nothing_pending
        self.members = MemberIndex(0, {})

    def defer(self, change: Mapping[Row, int]) -> None:
        """Add a change to the answers of those whose rows it has: when somebody looks, or much waits."""
        waiting = self._waiting
        number = len(waiting)
        self._shared.journal.entries.append((waiting, number, ABSENT))
        waiting[number] = change
        self.pending_rows += len(change)
        if self.pending_rows > self._most:
            self.flush()

    def flush(self) -> None:
        """Bring the answers of all members up to date."""
        if not self._waiting:
            return
        journal = self._shared.journal
        before = journal.mark()
        try:
            changes = [own for change in self._waiting.values() for own in self.members.split(change)]
            self._shared.add_to_each([(registered.reported, own) for registered, own in changes])
            journal.replace(self._waiting, {})
        except BaseException:
            journal.back(before)
            raise
        self.pending_rows = 0
        held = sum(len(each.reported) for queries in self.members.by_numbers.values() for each in queries)
        self._most = max(_FEW, held // 4)

    def recount(self) -> None:
        """The journal has gone back: see how many rows wait."""
        self.pending_rows = sum(map(len, self._waiting.values()))


class Report(NamedTuple):
    """Report of a query at one time, or equal reports at several.

    Args:
        times: when; at its close, the window's end.
        change: the rows that came (above 0) or went (below), with how many copies; a `Version` where it
            reports all answers.
    """

    times: Sequence[TimePoint]
    change: Mapping[Row, int] | Version

    def decoded(self, decoder: Decoder) -> SameReports:
        """The report in terms."""
        change = self.change
        if isinstance(change, Version):
            return SameReports(self.times, change.rows(), Counter())
        came = {row: weight for row, weight in change.items() if weight > 0}
        went = {row: -weight for row, weight in change.items() if weight < 0}
        return SameReports(self.times, decoder.bag(came), decoder.bag(went))


class ReportBatch(NamedTuple):
    """What queries reported together.

    Args:
        times: when; of windows that closed, their ends.
        changes: the rows of each query that came (above 0) or went (below), with how many copies; or a
            `Version`.
        shared: such changes of several queries, still to be told apart.
    """

    times: Sequence[TimePoint]
    changes: Sequence[tuple[QueryState, Mapping[Row, int] | Version]]
    shared: Sequence[tuple[MemberIndex, Mapping[Row, int]]] = ()

    @property
    def single(self) -> Iterator[tuple[QueryState, Mapping[Row, int] | Version]]:
        """The changes of each query. Costs a look at all."""
        yield from self.changes
        for members, change in self.shared:
            yield from members.split(change)


class StepReports(NamedTuple):
    """All reports of a step.

    Args:
        at: when the step was.
        reports: one after another.
        decoder: what numbers in rows stand for.
    """

    at: TimePoint
    reports: Sequence[ReportBatch]
    decoder: Decoder

    def are_followed(self) -> bool:
        """Whether anybody follows one of the queries."""
        handles = (registered.handle for reports in self.reports for registered, _ in reports.single)
        return any(handle is not None and handle.is_followed for handle in handles)

    def by_query(self) -> Iterator[tuple[ContinuousQuery, AnswerChange]]:
        """The queries, each with all that it reported."""
        of_query: dict[QueryState, list[Report]] = {}
        for reports in self.reports:
            for registered, change in reports.single:
                _append(of_query.setdefault(registered, []), Report(reports.times, change))
        for registered, reported in of_query.items():
            if registered.handle is not None:
                is_delta = registered.policy.emit == "delta"
                make = partial(_decoded, reported, self.decoder)
                yield registered.handle, AnswerChange(self.at, make, is_delta)


def _decoded(reported: Iterable[Report], decoder: Decoder) -> AnswerReports:
    return AnswerReports(each.decoded(decoder) for each in reported)


def _append(reports: list[Report], report: Report) -> None:
    """Append a report; join it to the report before it where both have the same answers."""
    times, change = report
    is_same = reports and isinstance(change, Version) and change is reports[-1].change
    together = joined(reports[-1].times, times) if is_same else None
    if together is None:
        reports.append(report)
    else:
        reports[-1] = Report(together, change)


class ReportScheduler:
    """Takes down what changes in the answers of queries, and lets them report."""

    def __init__(self, shared: SharedState) -> None:
        self._shared, self._journal = shared, shared.journal
        self._subscribers: dict[
            Operator, Subscribers
        ] = {}  # those who have the rows of an operator as answers
        self._scheduled: list[QueryState] = []  # those that do not report at each step
        self.sees_windows = False
        """Whether some query looks at times of its own, and so has to be told of each step of a block."""
        self._closing: set[QuerySource] = set()  # whose closing some query waits for
        self._delayed: dict[
            QueryState, None
        ] = {}  # of those that report at each step: with something pending
        self._reports: dict[int, ReportBatch] = {}  # those of the present step, numbered
        self._in_block = False  # whether what comes is part of a longer step

    def set_queries(self, queries: Iterable[QueryState]) -> None:
        """Know these queries, and no others."""
        for audience in self._subscribers.values():
            audience.clear()
        self._journal.replace(self._delayed, {each: None for each in queries if each in self._delayed})
        of_root: dict[Operator, list[QueryState]] = {}
        for registered in queries:
            of_root.setdefault(registered.root, []).append(registered)
        # an audience lasts as long as its operator: what waits there may come back with an earlier state
        self._subscribers = {
            root: self._subscribers.get(root) or Subscribers(self._shared) for root in of_root
        }
        for root, own in of_root.items():
            self._subscribers[root].set_queries(own)
        self._scheduled = [registered for registered in queries if not registered.is_plain]
        self.sees_windows = bool(self._scheduled)
        closing = (each.windows.values() for each in self._scheduled if each.policy.closes)
        self._closing = {content for windows in closing for content in windows}

    def begin(self, is_block: bool = False) -> None:
        """A step begins: nothing has been reported in it.

        Args:
            is_block: it is a block of steps, told one by one, which `end` ends.
        """
        self._reports = {}  # another dictionary: to what came before it nobody goes back
        self._in_block = is_block

    def end(self, at: TimePoint, step: Step | None, log: Log) -> None:
        """A block has come to its end: those report that look at each step."""
        self._in_block = False
        self.record_changes({}, at, False)
        if step is not None:
            self.report_after_step(step, log)

    @property
    def reports(self) -> list[ReportBatch]:
        """What has been reported in the present step."""
        return [reports for reports in self._reports.values() if reports.changes or reports.shared]

    def forget(self, registered: QueryState) -> None:
        """Have nothing reported by a query in the present step."""
        for number, reports in self._reports.items():
            changes = list(reports.single)
            left = [(each, change) for each, change in changes if each is not registered]
            if len(left) < len(changes):
                self._journal.note(self._reports, number)
                self._reports[number] = ReportBatch(reports.times, left)

    @property
    def pending_rows(self) -> int:
        """How many rows wait to be added to answers."""
        return sum(audience.pending_rows for audience in self._subscribers.values())

    def flush(self) -> None:
        """Bring all answers up to date."""
        for audience in self._subscribers.values():
            audience.flush()

    def recount(self) -> None:
        """The journal has gone back: see how many rows wait."""
        for audience in self._subscribers.values():
            audience.recount()

    def report_next(self, registered: QueryState) -> None:
        """What is pending for a query that reports at each step is reported at the end of the next one."""
        self._journal.note(self._delayed, registered)
        self._delayed[registered] = None

    # -- windows that close ------------------------------------------------------------------------

    @property
    def has_closing_windows(self) -> bool:
        """True where a query reports when its window closes."""
        return bool(self._closing)

    def due(self, kind: TimeKind, after: int, until: int, change: int | None) -> int | None:
        """Return the next boundary of a window that a query waits for at which its report may differ.

        Args:
            change: the first tick above `after` at which time alone changes what queries see; None for never.
        """
        ticks = (content.next_closing(kind, after, until, change) for content in self._closing)
        return min((tick for tick in ticks if tick is not None), default=None)

    def closes_before_arrivals(self, step: Step) -> bool:
        """Return whether a window closed to the left ends at the present time, and has not closed."""
        return any(content.closes_before_arrivals(step) for content in self._closing)

    def note_changed(self) -> None:
        """Note that reports at the next boundaries may differ from the last ones."""
        for content in self._closing:
            if not content.is_changed:
                self._journal.set(content, "is_changed", True)

    def closing(self, content: QuerySource, step: Step) -> int | None:
        """The boundary that is about to close at which time has come, before anything arrives there.

        So it is with windows closed to the left, which hold nothing of that timestamp.
        """
        return step.now if content in self._closing and content.closes_before_arrivals(step) else None

    def close_before_arrivals(self, step: Step, log: Log) -> None:
        """Close the windows closed to the left that end at the present time, before arrivals."""
        closing = (each for each in self._closing if each.closes_before_arrivals(step))
        self._close({content: range(step.now, step.now + 1) for content in closing}, step.kind, log)

    def leave_tick(self, now: Step, step: Step, log: Log, on_the_way: bool) -> None:
        """Close the windows that end as time advances from `now` to `step`, and leave the timestamp `now`.

        Nothing that queries see changes in between: else time would have stopped there.
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
        """Close the windows of contents at boundaries, and report for each query that waits for them.

        No content changes between the boundaries.
        """
        for content, boundaries in closing.items():
            self._journal.set(content, "closed", boundaries[-1])
            self._journal.set(content, "is_changed", False)
        for registered in self._scheduled if closing else ():
            policy = registered.policy
            if policy.closes:
                some = (
                    (content, closing[content])
                    for content in registered.windows.values()
                    if content in closing
                )
                whole = (
                    content.whole_windows(kind, boundaries, policy.since) if policy.whole else boundaries
                    for content, boundaries in some
                )
                ranges = tuple(each for each in policy.due_ticks(kind, whole) if each)
                if ranges:
                    self._evaluate(registered, log, Times(kind, ranges))

    # -- steps -------------------------------------------------------------------------------------

    def record_changed_facts(self, content: QuerySource, noted: Integers) -> None:
        """Take down which facts came to a content and went, for the queries that ask whether any did."""
        asking = [each for each in self._scheduled if each.reports_on_change]
        weights = {each: weight for each in asking if (weight := each.weight(content))}
        for *fact, sign in noted.tolist() if weights else ():
            for registered, weight in weights.items():
                self._shared.add(registered.changed_facts, tuple(fact), sign * weight)

    def record_changes(
        self, changes: Mapping[Operator, Mapping[Row, int]], at: TimePoint, on_the_way: bool
    ) -> None:
        """Take down what changed in the rows of operators.

        Args:
            on_the_way: the step has not come to its end.
        """
        late = self._delayed
        on_the_way = on_the_way or self._in_block
        shared: list[tuple[MemberIndex, Mapping[Row, int]]] = []
        told: list[tuple[QueryState, Mapping[Row, int]]] = []
        for operator, change in changes.items():
            audience = self._subscribers.get(operator)
            if audience is None:
                continue
            if audience.are_plain and not late and not on_the_way:
                shared.append((audience.members, change))
                audience.defer(change)
            else:
                told += self._record_single(audience.members.split(change), on_the_way)
        if late and not on_the_way:
            taken = [(registered, self._take_pending(registered)) for registered in late]
            taken = [(registered, change) for registered, change in taken if change]
            self._shared.add_to_each([(registered.answers, change) for registered, change in taken])
            told += taken
            self._journal.replace(late, {})
        if told or shared:
            self._add_batch(ReportBatch((at,), told, shared))

    def _record_single(
        self, changes: Iterable[tuple[QueryState, Mapping[Row, int]]], on_the_way: bool
    ) -> list[tuple[QueryState, Mapping[Row, int]]]:
        """Take down what changed for single queries; gives what is reported now."""
        told: list[tuple[QueryState, Mapping[Row, int]]] = []
        added: list[tuple[Bag, Mapping[Row, int]]] = []
        for registered, own in changes:
            if not registered.is_plain:
                added.append((registered.pending, own))
            elif on_the_way or registered in self._delayed:
                added.append((registered.pending, own))
                self.report_next(registered)
            else:
                told.append((registered, own))
                added.append((registered.answers, own))
        self._shared.add_to_each(added)
        return told

    def report_after_step(self, step: Step, log: Log) -> None:
        """A step has come to its end: look at the queries that look after each."""
        for registered in () if self._in_block else self._scheduled:
            policy = registered.policy
            if not policy.closes and policy.tick == "abox" and policy.is_due(step.kind, step.now):
                self._evaluate(registered, log, at_tick(step))

    def _evaluate(self, registered: QueryState, log: Log, times: Times) -> None:
        """Report at times between which no content changes, if the conditions hold."""
        policy = registered.policy
        if registered.reports_on_change:
            if not registered.changed_facts:
                return
            self._journal.replace(registered.changed_facts, {})
        if "non-empty" in policy.conditions and not registered.has_assertions(log):
            return
        change = self._take_pending(registered)
        if policy.emit == "rstream":
            self._report_all(registered, change, times[:1] if registered.reports_on_change else times)
        elif change:
            self._report(registered, change, times[0])

    def _take_pending(self, registered: QueryState) -> Bag:
        """What has changed since the last report, and is told now."""
        change = dict(registered.pending)
        self._journal.replace(registered.pending, {})
        return change

    def _report(self, registered: QueryState, change: Mapping[Row, int], at: TimePoint) -> None:
        """Report the changed answers of a query: all, those that came, or those that went."""
        self._shared.add_all(registered.answers, change)
        if (emit := registered.policy.emit) != "delta":
            sign = 1 if emit == "istream" else -1
            change = {row: weight for row, weight in change.items() if weight * sign > 0}
        if change:
            self._add_batch(ReportBatch((at,), [(registered, change)]))

    def _report_all(
        self, registered: QueryState, change: Mapping[Row, int], times: Sequence[TimePoint]
    ) -> None:
        """Report all answers of a query, unchanged between the times."""
        answers = registered.answers
        self._shared.add_all(answers, change)
        version = Version.after(registered.version, change, answers, self._shared.terms.decoder)
        self._journal.set(registered, "version", version)
        self._add_batch(ReportBatch(times, [(registered, version)]))

    def _add_batch(self, reports: ReportBatch) -> None:
        """Take down what has been reported."""
        number = len(self._reports)
        self._journal.entries.append((self._reports, number, ABSENT))
        self._reports[number] = reports


def at_tick(step: Step) -> Times:
    """Return the time of a step."""
    return Times(step.kind, (range(step.now, step.now + 1),))

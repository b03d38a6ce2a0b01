"""Registration of continuous queries with a reasoner or graph, and notification of their followers."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any, TypeVar
from weakref import WeakSet

from pantarhei.encoding.numbers import concat_symbols
from pantarhei.engine.consumer import QUERIES
from pantarhei.engine.maintained_state import MaintainedState
from pantarhei.engine.update import GraphUpdate, WindowUpdate
from pantarhei.errors import (
    ExcludedOptionError,
    OptionError,
    QueryError,
    RegistrationMemoryError,
    TimestampError,
    check_type,
)
from pantarhei.model.time import Duration, TimeKind, duration_ticks, show_time, time_of
from pantarhei.query.algebra.nodes import Query
from pantarhei.query.answer_reports import AnswerRow
from pantarhei.query.answers import MAX_BYTES
from pantarhei.query.continuous_query import (
    AnswerChanges,
    ContinuousQuery,
    QueryStats,
    Registration,
    ReportPolicy,
    run_all,
)
from pantarhei.query.graph_names import QUALITY_GRAPH
from pantarhei.query.incremental.query_sources import Conclusions, NamedWindows, WindowState
from pantarhei.query.incremental.query_state import (
    QueryState,
    ReadAnswers,
    from_bytes,
    needed_symbols,
    plan_text,
)
from pantarhei.query.incremental.registry import QueryRegistry
from pantarhei.query.incremental.reporting import StepReports
from pantarhei.query.planner import QueryService
from pantarhei.window.sliding import Step, Window

_U = TypeVar("_U", WindowUpdate, GraphUpdate)
_Found = TypeVar("_Found")


class IncrementalMaintainer:
    """Maintainer of a registered query, behind its handle.

    Args:
        registered: state of the query.
    """

    def __init__(self, registered: QueryState, registrar: QueryRegistrar) -> None:
        self.registered, self._registrar = registered, registrar
        self.name, self.text, self.query = registered.name, registered.text, registered.query
        self._known: tuple[object, Counter[AnswerRow]] = (None, Counter())
        self._read = ReadAnswers()
        self._last: Callable[[], Counter[AnswerRow]] | None = None  # returns the answers at closing

    def count(self) -> int:
        if self._last is not None:
            return len(self._last())
        return self._registrar.read(
            lambda registry, present: len(self.registered.answers if self._last is None else self._last())
        )

    def rows(self) -> Counter[AnswerRow]:
        if self._last is not None:
            return self._last()

        def read_rows(registry: QueryRegistry, present: WindowState) -> Counter[AnswerRow]:
            if self._last is not None:  # closed while this thread waited
                return self._last()
            counts = self.registered.answers  # up to date: from here on the journal stays as it is
            state = registry.journal.change_count, present.at
            if self._known[0] != state:
                decoder = registry.terms.decoder
                if self.registered.order is None:
                    self._known = state, self._read.rows(counts, decoder)
                else:
                    rows = registry.in_order(self.registered, present)
                    self._known = state, Counter({decoder.row(row): counts[row] for row in rows})
            return self._known[1]

        return self._registrar.read(read_rows)

    def plan(self) -> str:
        return self._registrar.read(
            lambda registry, present: plan_text(self.registered, registry.network.source)
        )

    def stats(self) -> QueryStats:
        return self._registrar.read(lambda registry, present: self.registered.stats)

    def close(self) -> None:
        def end(registry: QueryRegistry, present: WindowState) -> None:
            counts, decoder = dict(self.registered.answers), registry.terms.decoder
            rows = registry.in_order(self.registered, present)
            self._registrar.drop(self)  # under the lock: the kept answers are the last reported ones
            self._last = cache(lambda: Counter({decoder.row(row): counts[row] for row in rows}))

        self._registrar.read(end)


class QueryRegistrar:
    """Registrar of continuous queries.

    Args:
        held: state of a reasoner, or of a graph without time.
        door: query service for parsing, and for named graphs.
        lock: held during each step, and each read of answers.
        window: the reasoner's window, None for a graph without time.
        conclusions: conclusions of temporal rules, None without rules.
    """

    def __init__(
        self,
        held: MaintainedState[Any],
        door: QueryService,
        lock: threading.RLock,
        window: Window | None = None,
        conclusions: Conclusions | None = None,
    ) -> None:
        self._held, self._query_service, self._lock = held, door, lock
        self.queries: dict[str, ContinuousQuery] = {}
        self._followed = WeakSet[ContinuousQuery]()  # and those that were
        self._window = window
        self._registry = QueryRegistry(
            self._present,
            window or Window(0),
            door.dataset,
            lambda: held.forms.facts,
            conclusions,
            held.max_bytes or MAX_BYTES,
        )
        held.attach(QUERIES, self._registry)
        self._depth, self._reports_each_step = 0, False  # nested blocks, and the mode of the outermost
        # updates not yet delivered to followers: of a block, and of a thread that notifies
        self._undelivered: list[WindowUpdate | GraphUpdate] = []
        self._delivering = threading.local()
        self._given = 0

    def register(
        self,
        text: str,
        name: str | None = None,
        window: Window | None = None,
        on: object = "change",
        emit: object = "delta",
        reports_present: bool = False,
    ) -> ContinuousQuery:
        """Register a query given as text.

        Args:
            reports_present: the first report has all present answers.
        """
        check_type("text", text, str, "a SPARQL query as text")
        if name is not None and (type(name) is not str or not name):
            # rdflib's IRIs equal no text: none would find the query
            raise OptionError("name", repr(name), "a non-empty text, such as str(iri) for an IRI, or None")
        check_type("window", window, Window | None, "a Window, or None for the reasoner's window")
        if name in self.queries:
            raise OptionError("name", repr(name), "a name that no other registered query has")
        policy = ReportPolicy.of(on, emit)
        own = self._own_window(window, policy)
        name = self._new_name() if name is None else name
        query = self._query_service.algebra(text)
        if QUALITY_GRAPH in query.graphs:
            raise QueryError(
                f"a registered query cannot read <{QUALITY_GRAPH}>; evaluate this query after a step by "
                "`query`"
            )
        handle = self._registered(name, text, query, own, policy, reports_present)
        if (exceeded := self._held.exceeded) is not None:
            beside = self._held.consumer_bytes
            handle.close()
            _, most, needed = exceeded  # of facts there are no more than before
            raise RegistrationMemoryError(most, needed, len(handle.answers), beside)
        return handle

    def resume(self, name: str, given: Registration) -> ContinuousQuery:
        """Return the handle of a query that a checkpoint has restored.

        Raises:
            OptionError: the query was registered with other arguments. Also raises the errors of `register`.
        """
        registered, policy = self._registry.queries[name], ReportPolicy.of(given.on, given.emit)
        window = self._own_window(given.window, policy) or self._window
        content, was = registered.source.window, registered.policy
        kind = self._kind(content, was.period)
        same_window = window is None or content.is_as(window, kind)
        if registered.text != given.text or not same_window or not was.is_equivalent(policy, kind):
            own = None if self._window is None or content.is_as(self._window, kind) else content
            expected = f"{Registration(registered.text, own, was.on, was.emit)}, the query of the checkpoint"
            raise OptionError(f"queries[{name!r}]", str(given), expected)
        return self.queries[name]

    def register_parsed(
        self,
        name: str,
        text: str,
        query: Query,
        window: Window | None,
        policy: ReportPolicy,
        named: NamedWindows | None = None,
    ) -> ContinuousQuery:
        """Register a parsed query; raises the errors of `register`.

        Unless the query reports at each step, its first report has all present answers.

        Args:
            name: name of the query.
            text: original text of the query.
            query: the parsed query.
            window: window of its default graph; None if the default graph is not a window.
            policy: when and what to report.
            named: its named windows; their names are unique among queries.
        """
        own = None if window is None else self._own_window(window, policy)
        if named is not None:
            windows = {each: self._own_window(other, policy) for each, other in named.windows.items()}
            named = named._replace(windows=windows)
        is_plain = policy.is_plain
        return self._registered(name, text, query, own, policy, reports_present=not is_plain, named=named)

    def restore(self, saved: bytes) -> None:
        """Register the queries of a checkpoint."""
        queries = [(query, self._query_service.algebra(query.text)) for query in from_bytes(saved)]
        self._held.require_facts(
            concat_symbols(*(needed_symbols(prepared, query.policy) for query, prepared in queries))
        )
        for query, prepared in queries:
            self._registered(query.name, query.text, prepared, query.window, query.policy, is_restored=True)
            self._registry.restore_query(self._registry.queries[query.name], query)

    def _registered(
        self,
        name: str,
        text: str,
        query: Query,
        own: Window | None,
        policy: ReportPolicy,
        reports_present: bool = False,
        is_restored: bool = False,
        named: NamedWindows | None = None,
    ) -> ContinuousQuery:
        """Register a query and return its handle. If this is interrupted, the query is removed.

        Args:
            is_restored: the query comes from a checkpoint, so that its named graphs may have left the window.
        """
        self._held.require_facts(needed_symbols(query, policy))
        windows = (own, *(() if named is None else named.windows.values()))
        if any(window is not None for window in windows):
            self._held.require_levels()
        try:
            registered = self._registry.register(
                name, text, query, self._present, own, policy, checks_graphs=not is_restored, named=named
            )
            if reports_present:
                self._registry.report_all(registered)
            self._held.consumers.refresh()
            handle = registered.handle = ContinuousQuery(
                IncrementalMaintainer(registered, self), self._followed
            )
            self.queries[name] = handle
            return handle
        except BaseException as error:
            self._drop(name)
            if isinstance(error, RecursionError):
                raise QueryError("the query is nested too deeply") from None
            raise

    def _new_name(self) -> str:
        while True:
            self._given += 1
            if (name := f"query-{self._given}") not in self.queries:
                return name

    def _own_window(self, window: Window | None, policy: ReportPolicy) -> Window | None:
        """Return the window of a query; None if it is the same as the reasoner's window.

        Raises:
            OptionError: reports at closing need a window that closes; or the reasoner's window is too short.
        """
        if self._window is None:
            if window is not None or not policy.is_plain:
                reason = "A graph without time has no windows, and reports at each change."
                raise ExcludedOptionError("window", str(window), reason)
            return None
        kind = self._kind(window, policy.period)
        _check_kind(window, policy.period, kind)
        if policy.closes and (window or self._window).slide is None:
            expected = 'a Window with a slide, since on="close" reports when the window closes'
            raise OptionError("window", str(window or self._window), expected)
        if window is None or window.is_as(self._window, kind):
            return None
        least = self._window.range_to_hold(window, kind)
        if self._window.length(kind) < least:
            is_clock = kind is TimeKind.DATETIME
            needed = timedelta(microseconds=least) if is_clock else show_time(time_of(least, kind))
            expected = (
                f"a window that the reasoner's window {self._window} contains; to register this query, "
                f"create a reasoner whose window has a range of {needed} or more"
            )
            raise OptionError("window", str(window), expected)
        return window

    def _kind(self, window: Window | None, period: Duration | None) -> TimeKind:
        """Return the kind of the stream's time.

        Before the first step it is derived from the reasoner's window, and from a query's window and period.
        """
        step = self._held.history.step
        if isinstance(step, Step):
            return step.kind
        assert self._window is not None, "time passes"
        if self._window.kind is not None:
            return self._window.kind
        lengths = (period, None if window is None else window.range)
        if self._window.range == 0 and any(isinstance(each, str | timedelta) for each in lengths):
            return TimeKind.DATETIME
        return TimeKind.FLOAT if window is not None and window.kind is TimeKind.FLOAT else TimeKind.INTEGER

    @property
    def _present(self) -> WindowState:
        held, history = self._held, self._held.history
        step = history.step if isinstance(history.step, Step) else None
        return WindowState(held.model, history.log, step, history.now)

    def read(self, function: Callable[[QueryRegistry, WindowState], _Found]) -> _Found:
        """Call a function that reads registered queries, between steps."""
        with self._lock:
            return function(self._registry, self._present)

    def drop(self, kept: IncrementalMaintainer) -> None:
        """Remove a query."""
        with self._lock:
            self._drop(kept.name)

    def _drop(self, name: str) -> None:
        """Remove the query with a name, if there is one."""
        self._registry.drop(name)
        self.queries.pop(name, None)
        if not self._depth:
            self._registry.purge(lambda: self._present)

    # -- steps -------------------------------------------------------------------------------------

    def step(self, work: Callable[[], _U]) -> _U:
        """Run a step, and attach the reports to its update."""
        with self._lock:
            if self._depth and not self._reports_each_step:  # the whole block is one step for the queries
                update = replace(work(), answers=AnswerChanges())
                self._undelivered = [update]
                return update
            if not self._depth:
                self._registry.terms.begin_step()
            self._registry.scheduler.begin()
            update = replace(work(), answers=AnswerChanges())
            has_reports = self._fill(update)
            if self._depth:
                self._undelivered += [update] if has_reports else []
                return update
        self._notify(update)
        return update

    @contextmanager
    def block(self, each_step: bool) -> Iterator[None]:
        """Run a block of steps atomically; followers are notified afterwards.

        Args:
            each_step: queries process each step; otherwise the block is one step for them. Ignored in a
                nested block.
        """
        with self._lock:
            reporting = self._registry.scheduler
            ends_late = not self._depth and not each_step and reporting.sees_windows
            if not self._depth:
                self._registry.terms.begin_step()
                reporting.begin(is_block=ends_late)
                self._reports_each_step = each_step
            self._depth += 1
            before = list(self._undelivered)
            try:
                with self._held.whole(each_step or ends_late):
                    yield
                    if ends_late and self._undelivered:
                        self._registry.end_block(self._undelivered[-1].at)
            except BaseException:
                self._undelivered = before
                raise
            finally:
                self._depth -= 1
                if not self._depth:
                    self._registry.purge(lambda: self._present)
            if self._depth:
                return
            undelivered, self._undelivered = self._undelivered, []
            if undelivered and not self._reports_each_step:
                self._fill(undelivered[-1])
        for update in undelivered:
            self._notify(update)

    def _fill(self, update: WindowUpdate | GraphUpdate) -> bool:
        """Attach the reports to an update; returns true if there are any."""
        reports = self._registry.scheduler.reports
        if reports:
            made = StepReports(update.at, reports, self._registry.terms.decoder)
            update.answers.fill(made.are_followed, made.by_query)
        return bool(reports)

    def _notify(self, update: WindowUpdate | GraphUpdate) -> None:
        """Notify followers. Updates of steps that a follower runs itself are delivered afterwards."""
        if not self._followed or not update.answers.has_followers:
            return
        waiting: deque[WindowUpdate | GraphUpdate] | None = getattr(self._delivering, "updates", None)
        if waiting is not None:
            waiting.append(update)
            return
        self._delivering.updates = waiting = deque([update])

        def undelivered() -> Iterator[Callable[[], None]]:
            while waiting:
                yield waiting.popleft().answers.notify

        try:
            run_all(undelivered())
        finally:
            self._delivering.updates = None


def _check_kind(window: Window | None, period: Duration | None, kind: TimeKind) -> None:
    """Check that a query's window and period have the stream's kind of time.

    Raises:
        OptionError: one has another kind of time.
    """
    option, given = "window", str(window)
    try:
        if window is not None:
            window.next_boundary(kind, 0)
        option, given = "on", repr(period)
        if period is not None:
            duration_ticks(period, kind)
    except TimestampError as error:
        raise OptionError(option, given, error.expected) from None

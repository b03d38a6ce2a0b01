"""Queries that are re-evaluated at each report, over windows that are not views of one window model.

The elements in the windows are stored as they arrived. An evaluation materializes each graph of the query
from the elements in its windows, by a new reasoner that receives them in time order, unless they are the same
as before; the cost is that of materializing the windows. The time of a triple is the newest timestamp at
which it has support. The content of a graph has changed if its materialization has changed or, for a query
that uses the times of triples, the time of a triple.

Content of a window that counts ABoxes or triples, after each of the ABoxes a to e; `!` marks a closing:

                            a    b    c    d    e
    triples of the ABox     2    2    1    5    1
    [TRIPLES 3 STEP 3]      a    ab!  c    cd!  e        tumbling
    [TRIPLES 3 STEP 1]      a!   ab!  bc!  d!   de!      the newest ABoxes with at least 3 triples

Such a window closes with the ABox that completes its step, and moves when the next ABox arrives.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar, cast

from rdflib import BNode, Literal, URIRef

from pantarhei.continuous.stream_query import LaggedWindow, StreamQuerySpec
from pantarhei.encoding.encode import prefix_of_push
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimeKind, TimePoint, ticks_of, time_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.query.algebra.analysis import depends_on_clock
from pantarhei.query.algebra.nodes import Query
from pantarhei.query.algebra.passes import optimize
from pantarhei.query.answer_reports import AnswerChange, AnswerReports, AnswerRow, RepeatedReport
from pantarhei.query.answers import QueryResult, column_names
from pantarhei.query.continuous_query import QueryStats
from pantarhei.query.expressions import LiteralValues, clock_at
from pantarhei.query.expressions.context import TripleTimes, values_of
from pantarhei.query.languages.stream_text import CountWindow
from pantarhei.query.planner import execute
from pantarhei.query.solutions import NO_LIMITS, TermSpace
from pantarhei.query.sources.view import GraphFacts, View, single
from pantarhei.rdf.triple_table import is_table, triples_of
from pantarhei.reasoner import StreamReasoner
from pantarhei.window.sliding import Step, Times, Window, joined, step_to

if TYPE_CHECKING:
    from pantarhei.continuous.stream_query import StreamElement
    from pantarhei.encoding.encode import ABox


_Held = TypeVar("_Held")


class CountedWindow(Generic[_Held]):
    """Content of a window that counts ABoxes or triples.

    It contains the ABoxes since its last move, and as many of the ABoxes before them, the newest first, as
    are needed to reach the window's size when the step is complete. Empty ABoxes are ignored.

    >>> window = CountedWindow(CountWindow(3, 3, "triples"))
    >>> [(window.add(name, count), *window.content) for name, count in (("a", 2), ("b", 2), ("c", 1))]
    [(False, 'a'), (True, 'a', 'b'), (False, 'c')]
    """

    def __init__(self, window: CountWindow) -> None:
        self._window = window
        self._older: deque[tuple[_Held, int]] = deque()
        self._newer: list[tuple[_Held, int]] = []
        self._before = self._since = 0  # the number of ABoxes or triples in _older and in _newer

    def add(self, held: _Held, triples: int) -> bool:
        """Add an ABox of `triples` triples; return whether the window closes with this ABox."""
        count = triples if self._window.of == "triples" else 1
        if not count:
            return False
        if self._since >= self._window.step:
            self._older += self._newer
            self._before, self._since = self._before + self._since, 0
            self._newer = []
        self._newer.append((held, count))
        self._since += count
        room = self._window.size - max(self._since, self._window.step)
        while self._older and self._before - self._older[0][1] >= room:
            self._before -= self._older.popleft()[1]
        return self._since >= self._window.step

    @property
    def is_full(self) -> bool:
        """True if the content has at least the window's size."""
        return self._before + self._since >= self._window.size

    @property
    def content(self) -> tuple[_Held, ...]:
        """ABoxes in the window, oldest first."""
        return tuple(held for held, _ in (*self._older, *self._newer))


class _StreamItem(NamedTuple):
    """Element of a stream that may be in a window."""

    tick: int
    stream: URIRef
    triples: tuple[Triple, ...]


_Content = tuple[_StreamItem, ...]


@dataclass(frozen=True)
class _MaterializedGraph:
    """Materialized graph of a query, with the elements from which it was derived.

    Args:
        content: the elements in the graph's windows.
        triples: the materialization.
        times: the times of the triples; empty if the query does not use them.
    """

    content: _Content
    triples: tuple[Triple, ...]
    times: TripleTimes

    @cached_property
    def timed_values(self) -> frozenset[Hashable]:
        """Each triple, as values of its terms, with its time; two graphs are equal if these are."""
        return frozenset((values_of(triple), self.times.of(triple)) for triple in self.triples)


class RecomputedQuery:
    """Query over streams that is re-evaluated from the contents of its windows at each report.

    Args:
        spec: the specification of the query.
        reason: the reason why the query is not maintained incrementally, for the plan.
        name: the name of the query.
        ontology: the ontology under which graphs are materialized.

    Raises:
        InconsistentOntologyError: the static triples contradict the ontology.
    """

    def __init__(self, spec: StreamQuerySpec, reason: str, name: str, ontology: Ontology) -> None:
        self.name, self.text, self.query = name, spec.text.text, spec.query
        self._spec, self._reason, self._ontology = spec, reason, ontology
        self._node = optimize(spec.query.node, has_forms=True)
        self._windows: tuple[LaggedWindow | CountedWindow[_StreamItem] | None, ...] = tuple(
            CountedWindow(window.extent)
            if isinstance(window.extent, CountWindow)
            else LaggedWindow.of(window.extent)
            for window in spec.windows
        )
        self._spine, self._clocks, self._uses_triple_times = spec.spine, spec.clocks, spec.uses_triple_times
        self._uses_clock = depends_on_clock(spec.query.node)
        self._lock = threading.Lock()  # another thread may read the state while the query runs
        self._step: Step | None = None
        self._began = self._element_count = 0
        self._held: list[_StreamItem] = []
        self._graphs: dict[URIRef | None, _MaterializedGraph] = {}
        self._seen = self._graph_contents([()] * len(spec.windows))
        self._answers: Counter[AnswerRow] = Counter()

    # -- time --------------------------------------------------------------------------------------

    def push(self, element: StreamElement) -> AnswerChange | None:
        """Process an element of a stream."""
        with self._lock:
            self._element_count += 1
            triples = _triples(element.abox, prefix_of_push(self._element_count, 0))
            reports = self._advance(element.at)
            assert self._step is not None, "time has been advanced to the element"
            held, policy = _StreamItem(self._step.now, element.stream, triples), self._spec.policy
            self._held.append(held)
            closes = self._count(held)
            if (closes and policy.period is None) if policy.closes else policy.tick == "abox":
                reports += self._evaluate_now(self._step)
            self._forget(self._step)
        return _change(element.at, reports, self.query)

    def _count(self, held: _StreamItem) -> bool:
        """Add an element to the counting windows of its stream; return whether one closes and is to be
        reported.
        """
        counting = [
            counted
            for counted, window in zip(self._windows, self._spec.windows, strict=True)
            if isinstance(counted, CountedWindow) and window.stream == held.stream
        ]
        closing = [counted for counted in counting if counted.add(held, len(set(held.triples)))]
        return any(counted.is_full or not self._spec.policy.whole for counted in closing)

    def advance(self, at: TimePoint) -> AnswerChange | None:
        """Advance time to `at`; return the reports that are due until then, None without reports."""
        with self._lock:
            reports = self._advance(at)
        return _change(at, reports, self.query)

    def _advance(self, at: TimePoint) -> list[RepeatedReport]:
        before, policy = self._step, self._spec.policy
        self._step = step = step_to(self._spine, before, at)
        if before is None:
            since = policy.since
            self._began = step.now if since is None else ticks_of(since, step.kind)
        elif before.now < step.now and policy.closes:
            return self._close(step.kind, before.now, step.now)
        elif before.now < step.now and policy.tick == "timestamp":
            return self._evaluate_now(before)
        return []

    def _close(self, kind: TimeKind, before: int, now: int) -> list[RepeatedReport]:
        """Return the reports at the window boundaries after tick `before`, up to tick `now`.

        The query is evaluated once for consecutive boundaries between which no content changes.
        """
        stops = {stop for each in self._clocks for stop in each.window.stops(kind, before, now)}
        reports: list[RepeatedReport] = []
        for until in (*sorted(stops), now):
            _extend(reports, self._close_some(kind, before, until))
            before = until
        return reports

    def _close_some(self, kind: TimeKind, before: int, now: int) -> list[RepeatedReport]:
        reports: list[RepeatedReport] = []
        closing = self._closings(kind, before, now)
        is_alike = len(closing) == 1 and not self._uses_clock
        while closing:
            at = min(each[0] for ranges in closing.values() for each in ranges)
            change = self._next_change(kind, at) if is_alike else at + 1
            for is_left, ranges in closing.items():
                some = ranges if change is None else _parted(ranges, change, False)
                if some:
                    _extend(reports, self._evaluate_at(kind, Times(kind, some), is_left))
            left = {} if change is None else {of: _parted(some, change, True) for of, some in closing.items()}
            closing = {of: some for of, some in left.items() if some}
        return reports

    def _closings(self, kind: TimeKind, before: int, now: int) -> dict[bool, tuple[range, ...]]:
        """Return the ticks after `before` up to `now` at which windows close, so that a report is due.

        The key is True for left-closed windows, whose reports precede those of other windows (False).
        """
        policy = self._spec.policy
        found: dict[bool, tuple[range, ...]] = {}
        for is_left in (True, False):
            moving = (each for each in self._clocks if (each.window.closed == "left") is is_left)
            closings = (each.closings(kind, before, now, self._began, policy.whole) for each in moving)
            found[is_left] = tuple(each for each in policy.due_ticks(kind, closings) if each)
        return {is_left: ranges for is_left, ranges in found.items() if ranges}

    def _next_change(self, kind: TimeKind, at: int) -> int | None:
        """Return the first tick after the boundary `at` at which time alone changes a window; None if
        none.
        """
        ticks: list[int] = []
        for moving, each_window in zip(self._windows, self._spec.windows, strict=True):
            if isinstance(moving, LaggedWindow):
                window, lag = moving.window, moving.lag(kind)
                is_boundary = window.next_boundary(kind, at) == at
                first, last = moving.content_at(kind, at if is_boundary else window.step_at(kind, at).end)
                inside, after = (
                    next(
                        (each.tick for each in self._held_from(tick) if each.stream == each_window.stream),
                        None,
                    )
                    for tick in (first, last + 1)
                )
                if inside is not None and inside <= last:
                    ticks.append(window.leaving_at(kind, inside + lag))
                if after is not None:
                    ticks.append(window.entering_at(kind, after + lag))
        return max(min(ticks), at + 1) if ticks else None

    def _held_from(self, tick: int) -> Iterator[_StreamItem]:
        """Iterate over the stored elements from a tick on."""
        return islice(self._held, bisect_left(self._held, tick, key=_tick), None)

    def _forget(self, step: Step) -> None:
        """Delete the stored elements that are before all present and future windows."""
        if None in self._windows:
            return
        moving = (window for window in self._windows if isinstance(window, LaggedWindow))
        first = min((self._first_needed(each, step) for each in moving), default=step.now + 1)
        if self._held and self._held[0].tick < first:
            del self._held[: bisect_left(self._held, first, key=_tick)]

    @staticmethod
    def _first_needed(moving: LaggedWindow, step: Step) -> int:
        return moving.content_at(step.kind, moving.window.step_at(step.kind, step.now).end)[0]

    # -- evaluation --------------------------------------------------------------------------------

    def _evaluate_now(self, step: Step) -> list[RepeatedReport]:
        """Return the report at the time of a step, at which no window closes, if the policy requires one."""
        if not self._spec.policy.is_due(step.kind, step.now):
            return []
        return self._evaluate_at(step.kind, Times(step.kind, (range(step.now, step.now + 1),)), None)

    def _evaluate_at(self, kind: TimeKind, times: Times, closes_left: bool | None) -> list[RepeatedReport]:
        """Return the reports at times between which no content changes, if the policy requires them.

        Args:
            closes_left: True if left-closed windows close at these times, False if other windows do; None if
                no window closes.
        """
        policy, now = self._spec.policy, next(times.ticks())
        contents = [self._content(place, kind, now, closes_left) for place in range(len(self._windows))]
        if "change" in policy.conditions:
            before, self._seen = self._seen, self._graph_contents(contents)
            if self._seen == before:
                return []
            times = Times(kind, (range(now, now + 1),))
        if "non-empty" in policy.conditions and not any(held.triples for each in contents for held in each):
            return []
        last, self._answers = self._answers, self._evaluated(contents, times[0])
        if self._answers == last:
            self._answers = last  # so that consecutive reports share the object
        if policy.emit == "rstream":
            return [RepeatedReport(times, self._answers, Counter())]
        inserted, deleted = self._answers - last, last - self._answers
        if policy.emit == "istream":
            deleted = Counter()
        elif policy.emit == "dstream":
            inserted = Counter()
        return [RepeatedReport(times[:1], inserted, deleted)] if inserted or deleted else []

    def _graph_contents(self, contents: Sequence[_Content]) -> Mapping[URIRef | None, frozenset[Hashable]]:
        return {name: graph.timed_values for name, graph in self._materialized_graphs(contents).items()}

    def _content(self, place: int, kind: TimeKind, now: int, closes_left: bool | None) -> _Content:
        """Return the content of window number `place` at tick `now`: at its closing if it closes, else its
        present one."""
        stream, moving = self._spec.windows[place].stream, self._windows[place]
        held: Sequence[_StreamItem] = self._held
        if isinstance(moving, CountedWindow):
            return moving.content
        if moving is not None:
            window = moving.window
            closes = (window.closed == "left") is closes_left and window.next_boundary(kind, now) == now
            first, last = moving.content_at(kind, now if closes else window.step_at(kind, now).end)
            held = held[bisect_left(held, first, key=_tick) : bisect_left(held, last + 1, key=_tick)]
        return tuple(each for each in held if each.stream == stream)

    # -- answers -----------------------------------------------------------------------------------

    def _evaluated(self, contents: Sequence[_Content], at: TimePoint) -> Counter[AnswerRow]:
        spec, terms, graphs = self._spec, TermSpace(), self._materialized_graphs(contents)
        held = {name: each.triples for name, each in graphs.items() if name is not None}
        named = {name: GraphFacts.of(terms, triples) for name, triples in {**spec.named, **held}.items()}
        default = GraphFacts.of(terms, graphs[None].triples)
        times: dict[Term | None, TripleTimes] = {name: each.times for name, each in graphs.items()}
        view = View(single(default, named), terms, LiteralValues([]), times=times)
        return _rows(execute(spec.query, self._node, clock_at(at), view, NO_LIMITS))

    def _materialized_graphs(self, contents: Sequence[_Content]) -> dict[URIRef | None, _MaterializedGraph]:
        """Materialize the graphs of the query by name, with the default graph under None.

        Args:
            contents: the content of each of the query's windows.
        """
        graphs: dict[URIRef | None, _MaterializedGraph] = {}
        default: list[_StreamItem] = []
        for window, content in zip(self._spec.windows, contents, strict=True):
            if window.is_default:
                default += content
            else:
                graphs[window.name] = self._materialized_graph(window.name, content, ())
        merged = tuple(sorted(dict.fromkeys(default), key=_tick))
        graphs[None] = self._materialized_graph(None, merged, self._spec.always)
        return graphs

    def _materialized_graph(
        self, name: URIRef | None, content: _Content, always: tuple[Triple, ...]
    ) -> _MaterializedGraph:
        """Materialize a graph; the result is cached until its content changes.

        Args:
            name: the name of the graph; None for the default graph.
            content: the elements in the windows of the graph.
            always: the static triples of the graph.
        """
        known = self._graphs.get(name)
        if known is None or known.content != content:
            reasoner = self._reasoner(content, always)
            times = self._times(reasoner) if self._uses_triple_times else ()
            known = _MaterializedGraph(content, tuple(reasoner.materialization()), TripleTimes(times))
            self._graphs[name] = known
        return known

    def _reasoner(self, content: _Content, always: tuple[Triple, ...]) -> StreamReasoner:
        """Return a reasoner with all elements of a content in its window; its timestamps are ticks."""
        window = Window(content[-1].tick - content[0].tick if content else 0)
        reasoner = StreamReasoner(self._ontology, window, always)
        for each in content:
            reasoner.push(each.tick, each.triples)
        return reasoner

    def _times(self, reasoner: StreamReasoner) -> Iterator[tuple[Triple, Literal]]:
        """Yield each triple that has support in the streams, with the newest timestamp of its support."""
        for tick in reasoner.timestamps:
            assert self._step is not None, "time has been advanced to the elements in the windows"
            at = clock_at(time_of(cast(int, tick), self._step.kind))
            yield from ((triple, at) for triple in reasoner.interpretation(tick))

    def count(self) -> int:
        return len(self._answers)

    def rows(self) -> Counter[AnswerRow]:
        return self._answers  # not a copy, since reports replace the object and never change it

    def stats(self) -> QueryStats:
        with self._lock:
            counted = (window.content for window in self._windows if isinstance(window, CountedWindow))
            kept = {id(each): len(each.triples) for each in chain(self._held, *counted)}
            return QueryStats.of(len(self._answers), 0, sum(kept.values()))

    def plan(self) -> str:
        return "\n".join([f"Re-evaluated at each report: {self._reason}", *self._spec.window_lines])

    def close(self) -> None:
        with self._lock:
            self._held.clear()


def _triples(abox: ABox, prefix: str) -> tuple[Triple, ...]:
    """Return the triples of an ABox; blank nodes of a table are prefixed, since their labels are local
    to it.
    """
    if not is_table(abox):
        return tuple(triples_of(abox))
    return tuple((_own(s, prefix), p, _own(o, prefix)) for s, p, o in triples_of(abox))


def _own(term: Term, prefix: str) -> Term:
    return BNode(f"{prefix}{term}") if isinstance(term, BNode) else term


def _tick(held: _StreamItem) -> int:
    return held.tick


def _rows(result: QueryResult) -> Counter[AnswerRow]:
    """Convert the answers of a query to rows with their multiplicities."""
    if result.type == "SELECT":
        return Counter(result.rows)
    if result.type == "ASK":
        return Counter([()] if result.askAnswer else [])
    return Counter(cast(Iterable[Triple], result.graph))


def _parted(ranges: Iterable[range], tick: int, is_after: bool) -> tuple[range, ...]:
    """Return the parts of ascending ranges before a tick, or those from the tick on; empty parts are
    dropped.
    """
    places = ((each, max(0, -((each.start - tick) // each.step))) for each in ranges)
    parts = (each[place:] if is_after else each[:place] for each, place in places)
    return tuple(part for part in parts if part)


def _extend(reports: list[RepeatedReport], later: list[RepeatedReport]) -> None:
    """Append reports; a report whose answers are the same object as in the report before is merged with
    it.
    """
    for times, added, removed in later:
        is_same = reports and added is reports[-1].added
        together = joined(reports[-1].times, times) if is_same else None
        if together is None:
            reports.append(RepeatedReport(times, added, removed))
        else:
            reports[-1] = RepeatedReport(together, added, removed)


def _change(at: TimePoint, reports: list[RepeatedReport], query: Query) -> AnswerChange | None:
    """Return the reports of a step as an `AnswerChange`; None without reports."""
    if not reports:
        return None
    return AnswerChange(
        at,
        lambda: AnswerReports(
            RepeatedReport(times, Counter(rows), removed) for times, rows, removed in reports
        ),
        names=column_names(query),
    )

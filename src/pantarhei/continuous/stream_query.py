"""Continuous queries over streams: their specification, the merging of streams, and the handle
`StreamQuery`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rdflib import Graph, URIRef, Variable

from pantarhei.errors import MissingOptionError, StreamsEndedError, TimestampError
from pantarhei.io.stream_reader import read_stream
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import (
    Duration,
    TimeKind,
    TimePoint,
    duration_ticks,
    plain_time,
    show_time,
    ticks_of,
    time_of,
    timed,
)
from pantarhei.owl.graph_files import GraphFile, graph_at
from pantarhei.query.algebra.analysis import expressions_of
from pantarhei.query.algebra.nodes import Graph as GraphNode
from pantarhei.query.algebra.nodes import Node, Query, nodes_of, uses_timestamps
from pantarhei.query.answer_reports import AnswerChange, AnswerReport
from pantarhei.query.continuous_query import ContinuousQuery, QueryMaintainer, ReportPolicy
from pantarhei.query.languages import StreamText
from pantarhei.query.languages.stream_text import (
    CountWindow,
    Extent,
    NewestTimestamp,
    PastWindow,
    StreamWindow,
)
from pantarhei.rdf.triple_table import triples_of
from pantarhei.window.sliding import Closed, Step, Window, step_to

if TYPE_CHECKING:
    from pantarhei.encoding.encode import ABox


@dataclass(frozen=True, slots=True)
class LaggedWindow:
    """Time window whose content may end a fixed time before the window's boundary.

    Args:
        window: the window that determines the boundaries.
        ago: duration between the end of the content and the boundary; None for 0.
    """

    window: Window
    ago: Duration | None = None

    @classmethod
    def of(cls, extent: Extent) -> LaggedWindow | None:
        """Convert the extent of a window; None for an extent that does not move with time."""
        match extent:
            case Window():
                return cls(extent)
            case PastWindow(window, ago):
                return cls(window, ago)
        return None

    def lag(self, kind: TimeKind) -> int:
        """Return `ago` in ticks."""
        return 0 if self.ago is None else duration_ticks(self.ago, kind)

    def content_at(self, kind: TimeKind, boundary: int) -> tuple[int, int]:
        """Return the first and the last tick (included) of the content at a boundary."""
        first, last = self.window.content_at(kind, boundary)
        return first - self.lag(kind), last - self.lag(kind)

    def closings(self, kind: TimeKind, before: int, now: int, began: int, whole: bool) -> range:
        """Return the boundaries that close when time advances from tick `before` to tick `now`.

        Args:
            began: the tick at which the streams begin.
            whole: whether to return only boundaries whose content begins at tick `began` or later.
        """
        found = self.window.closings(kind, before, now)
        return self.window.whole(kind, found, began + self.lag(kind)) if whole else found


@dataclass(frozen=True, slots=True)
class StreamQuerySpec:
    """Specification of a query over streams.

    Args:
        text: the parsed text.
        query: the query of the text, without FROM and FROM NAMED.
        windows: the windows of the text, with origin and included ends.
        policy: time and content of reports.
        always: static triples of the default graph.
        named: static named graphs.
    """

    text: StreamText
    query: Query
    windows: tuple[StreamWindow, ...]
    policy: ReportPolicy
    always: tuple[Triple, ...]
    named: Mapping[URIRef, tuple[Triple, ...]]

    @classmethod
    def of(
        cls,
        made: StreamText,
        static: Mapping[str, Graph | Iterable[Triple] | GraphFile],
        origin: TimePoint,
        closed: Closed,
        since: TimePoint | None,
    ) -> StreamQuerySpec:
        """Create the specification of a text.

        Args:
            static: static graphs by IRI.
            origin, closed, since: arguments of `register`.

        Raises:
            OptionError: a static graph that the text names is missing or invalid.
        """
        graphs = {
            URIRef(name): tuple(dict.fromkeys(triples_of(graph_at(graph, "static"), "static")))
            for name, graph in static.items()
        }
        windows = tuple(_placed(window, origin, closed) for window in made.windows)
        names = {window.name for window in windows}
        default = [name for name in made.query.default_graphs or () if name not in names]
        named = made.query.named_graphs
        beside = [*graphs] if made.query.default_graphs is None and named is None else [*(named or ())]
        read = (("FROM", default), ("GRAPH", graphs_named(made.query.node)), ("FROM NAMED", beside))
        for clause, name in ((clause, name) for clause, graph_names in read for name in graph_names):
            if name not in names and name not in graphs:
                reason, value = f"The query reads {clause} <{name}>.", f'{{"{name}": graph}}'
                raise MissingOptionError("static", value, reason)
        policy = ReportPolicy.of(made.on, made.emit, made.tick)
        by_period = policy.period is not None and all(isinstance(w.extent, CountWindow) for w in windows)
        policy = replace(policy, whole=made.whole_windows and not by_period, since=since)
        return cls(
            made,
            replace(made.query, default_graphs=None, named_graphs=None),
            windows,
            policy,
            tuple(triple for name in default for triple in graphs[URIRef(name)]),
            {URIRef(name): graphs[URIRef(name)] for name in beside if name not in names},
        )

    @property
    def moving(self) -> tuple[LaggedWindow, ...]:
        """Windows that move with time."""
        found = (LaggedWindow.of(window.extent) for window in self.windows)
        return tuple(each for each in found if each is not None)

    @property
    def clocks(self) -> tuple[LaggedWindow, ...]:
        """Windows whose closing triggers reports.

        These are the windows that move with time or, if there are none, a window for the period of the
        reports.
        """
        period = self.policy.period
        if self.moving or period is None:
            return self.moving
        return (LaggedWindow(Window(period, period, closed="right")),)

    @property
    def uses_triple_times(self) -> bool:
        """True if the query uses the times of triples."""
        return any(
            uses_timestamps(expression)
            for node in nodes_of(self.query.node)
            for expression in expressions_of(node)
        )

    @property
    def spine(self) -> Window:
        """Window whose timestamps advance the query's time; they also decide whether times are numbers or
        datetimes.
        """
        ranges = [each.window.range for each in self.clocks if each.window.kind is not None]
        return Window(ranges[0] if ranges else 0)

    @property
    def window_lines(self) -> list[str]:
        """Line of text for each window, with its graph, its extent and its stream."""
        return [
            f"  {'the default graph' if window.is_default else f'<{window.name}>'}: "
            f"{window.extent} over <{window.stream}>"
            for window in self.windows
        ]


def _placed(window: StreamWindow, origin: TimePoint, closed: Closed) -> StreamWindow:
    """Set the origin and the included ends of a time window; other windows are returned unchanged."""
    match window.extent:
        case Window() as extent:
            return replace(window, extent=replace(extent, origin=origin, closed=closed))
        case PastWindow(extent, ago):
            return replace(window, extent=PastWindow(replace(extent, origin=origin, closed=closed), ago))
        case NewestTimestamp():
            return replace(window, extent=Window(0))
    return window


def graphs_named(node: Node) -> list[Term]:
    """Return the IRIs of the graphs that a query names by GRAPH."""
    names = [each.name for each in nodes_of(node) if isinstance(each, GraphNode)]
    return [name for name in names if not isinstance(name, Variable)]


def end_tick(spec: StreamQuerySpec, kind: TimeKind, now: int) -> int | None:
    """Return the tick to which time must be advanced at the end of the streams, for the last report.

    For a query that reports when windows close, it is the tick at which all windows with an element have
    closed; for a query that reports when time leaves a timestamp, the next tick; for other queries None.

    Args:
        now: the last tick of the streams.
    """
    if spec.policy.closes:
        ends = (_last(each, kind, now) for each in spec.clocks)
        return max((end for end in ends if end is not None), default=None)
    return now + 1 if spec.policy.tick == "timestamp" else None


def _last(moving: LaggedWindow, kind: TimeKind, now: int) -> int | None:
    """Return the tick at which the last window that contains tick `now` closes; None if it has closed."""
    window, lag = moving.window, moving.lag(kind)
    end = window.leaving_at(kind, now + lag)
    return end if end - (window.closed != "left") >= window.step_at(kind, now).end else None


Stream = str | os.PathLike[str] | Iterable[tuple[TimePoint, "ABox"]]
"""Path of a file for `read_stream`, or pairs of timestamp and ABox."""


class StreamElement(NamedTuple):
    """Element of a stream: its timestamp, the IRI of its stream, and its asserted triples."""

    at: TimePoint
    stream: URIRef
    abox: ABox


def select_streams(streams: Mapping[str, Stream], names: Iterable[URIRef]) -> dict[URIRef, Stream]:
    """Return the streams with the given names.

    Raises:
        OptionError: there is no stream with one of the names.
    """
    given = {URIRef(name): stream for name, stream in streams.items()}
    for name in names:
        if name not in given:
            reason, value = f"The query reads the stream <{name}>.", f'{{"{name}": stream}}'
            raise MissingOptionError("streams", value, reason)
    return {name: given[name] for name in names}


def merge_streams(streams: Mapping[URIRef, Stream]) -> Iterator[StreamElement]:
    """Merge streams by timestamp; elements with equal timestamps are in the order of the streams.

    Streams are read lazily; one element of each stream is read ahead.

    Raises:
        TimestampError: an item is not a pair of timestamp and ABox, or streams have timestamps of different
            kinds.
        PantarheiError: a file cannot be read.
    """
    if len(streams) == 1:
        ((name, stream),) = streams.items()
        return _elements(name, stream)
    parts = [_elements(name, stream) for name, stream in streams.items()]
    return merge(*parts, key=_comparable())


def _elements(name: URIRef, stream: Stream) -> Iterator[StreamElement]:
    items = read_stream(stream) if isinstance(stream, str | os.PathLike) else timed(stream)
    return (StreamElement(plain_time(at), name, abox) for at, abox in items)


def _comparable() -> Callable[[StreamElement], Any]:
    """Return a sort key for elements, their timestamp, that raises an error for timestamps of different
    kinds.
    """
    kinds: set[bool] = set()

    def time(element: StreamElement) -> TimePoint:
        kinds.add(isinstance(element.at, datetime))
        if len(kinds) > 1:
            given = f"the timestamp {show_time(element.at)} in <{element.stream}>"
            raise TimestampError(given, "a timestamp of the same kind as in the other streams")
        return element.at

    return time


class DrivenQuery(QueryMaintainer, Protocol):
    """Query that processes the elements of streams in time order."""

    def push(self, element: StreamElement) -> AnswerChange | None:
        """Process an element; return the reports that it causes, None without reports."""

    def advance(self, at: TimePoint) -> AnswerChange | None:
        """Advance time to `at` without an element; return the reports that are due, None without reports."""


class StreamQuery(ContinuousQuery):
    """Continuous query over streams, built by `register`; iterating over `run` reads the streams.

    Args:
        driven: the query that processes the elements.
        spec: the specification of the query.
        elements: the elements of the streams, in time order.
        until: time to which the query advances at the end of the streams; None for the time at which all
            windows that contain an element have closed.

    >>> import pantarhei as pr
    >>> from rdflib import RDF
    >>> fires = [(at, [(URIRef(f"urn:fire:{at}"), RDF.type, URIRef("urn:Fire"))]) for at in (1, 5)]
    >>> text = "SELECT ?fire FROM STREAM <urn:s> [RANGE 4 STEP 4] { ?fire a <urn:Fire> }"
    >>> query = pr.register(text, streams={"urn:s": fires})
    >>> [(report.at, len(report.added)) for report in query.run()]
    [(4, 1), (8, 1)]
    """

    def __init__(
        self,
        driven: DrivenQuery,
        spec: StreamQuerySpec,
        elements: Iterator[StreamElement],
        until: TimePoint | None,
    ) -> None:
        super().__init__(driven)
        self._driven, self._spec, self._until = driven, spec, until
        self._reports, self._has_run = self._driven_by(elements), False

    def run(self) -> Iterator[AnswerReport]:
        """Read the streams and yield the reports; if called again before the end, continue the same
        iteration.

        After the end of the streams or an error, iterators over the query's changes end, too.

        Raises:
            StreamsEndedError: the streams have been read to their end, or have failed.
            LateABoxError: a stream is not in time order.
            TimestampError: a timestamp is invalid, or its kind differs from other timestamps or from the
                windows.
            PantarheiError: a stream cannot be read.
        """
        if self._has_run:
            raise StreamsEndedError(self.name)
        return self._reports

    def _driven_by(self, elements: Iterator[StreamElement]) -> Iterator[AnswerReport]:
        step: Step | None = None
        spine = self._spec.spine
        try:
            for element in elements:
                if self.is_closed:
                    return
                step = step_to(spine, step, element.at)
                yield from self._notify(self._driven.push(element))
            if step is not None and not self.is_closed and (end := self._end(step)) is not None:
                yield from self._notify(self._driven.advance(end))
        finally:
            self._has_run = True
            self._end_changes()

    def _end(self, step: Step) -> TimePoint | None:
        """Return the time to which the query advances after the last step; None if time is not advanced."""
        policy = self._spec.policy
        if not policy.closes and policy.tick == "abox":
            return None  # the query reports after ABoxes only
        if self._until is None:
            ticks = end_tick(self._spec, step.kind, step.now)
        else:
            ticks = ticks_of(self._until, step.kind)
        return None if ticks is None or ticks <= step.now else time_of(ticks, step.kind)

    def _notify(self, change: AnswerChange | None) -> Iterator[AnswerReport]:
        if change is not None:
            self.notify(change)
            yield from change.reports

"""Continuous queries over streams: `StreamQuery.run` merges the streams and emits reports."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rdflib import Graph, URIRef, Variable

from pantarhei.errors import OptionError, StreamsEndedError, TimestampError
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
    """Time window, whose content may end before its boundary.

    Args:
        window: the window that determines the boundaries.
        ago: time between the end of the content and the boundary, None for 0.
    """

    window: Window
    ago: Duration | None = None

    @classmethod
    def of(cls, extent: Extent) -> LaggedWindow | None:
        """Convert an extent; None for an extent that does not move with time."""
        match extent:
            case Window():
                return cls(extent)
            case PastWindow(window, ago):
                return cls(window, ago)
        return None

    def lag(self, kind: TimeKind) -> int:
        """Return the number of ticks between the end of the content and the boundary."""
        return 0 if self.ago is None else duration_ticks(self.ago, kind)

    def content_at(self, kind: TimeKind, boundary: int) -> tuple[int, int]:
        """Return the first and the last tick inside at a boundary."""
        first, last = self.window.content_at(kind, boundary)
        return first - self.lag(kind), last - self.lag(kind)

    def closings(self, kind: TimeKind, before: int, now: int, began: int, whole: bool) -> range:
        """Return the boundaries that close when time advances from tick `before` to tick `now`.

        Args:
            whole: only boundaries whose content begins at tick `began` or later.
        """
        found = self.window.closings(kind, before, now)
        return self.window.whole(kind, found, began + self.lag(kind)) if whole else found


@dataclass(frozen=True, slots=True)
class StreamQuerySpec:
    """Specification of a query over streams.

    Args:
        text: the parsed text.
        query: its query, without FROM and FROM NAMED.
        windows: its windows, aligned with the given origin and closed ends.
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
        static: Mapping[str, Graph | Iterable[Triple]],
        origin: TimePoint,
        closed: Closed,
        since: TimePoint | None,
    ) -> StreamQuerySpec:
        """Create the specification of a text.

        Raises:
            OptionError: a static graph that the text names is not given, or is invalid.
        """
        graphs = {
            URIRef(name): tuple(dict.fromkeys(triples_of(graph, "static"))) for name, graph in static.items()
        }
        windows = tuple(_placed(window, origin, closed) for window in made.windows)
        names = {window.name for window in windows}
        default = [name for name in made.query.default_graphs or () if name not in names]
        named = made.query.named_graphs
        beside = [*graphs] if made.query.default_graphs is None and named is None else [*(named or ())]
        asked_for = [*default, *graphs_named(made.query.node), *beside]
        for name in asked_for:
            if name not in names and name not in graphs:
                expected = f"the graph <{name}>, which the query names, among the given ones"
                raise OptionError("static", ", ".join(f"<{each}>" for each in graphs) or "none", expected)
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
        """Time windows."""
        found = (LaggedWindow.of(window.extent) for window in self.windows)
        return tuple(each for each in found if each is not None)

    @property
    def clocks(self) -> tuple[LaggedWindow, ...]:
        """Windows whose closing triggers reports: the time windows, or the query's period if all windows
        count ABoxes or triples.
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
        """A window with the query's kind of time, for advancing time."""
        ranges = [each.window.range for each in self.clocks if each.window.kind is not None]
        return Window(ranges[0] if ranges else 0)

    @property
    def window_lines(self) -> list[str]:
        """A line of text for each window: its graph, its extent and its stream."""
        return [
            f"  {'the default graph' if window.is_default else f'<{window.name}>'}: "
            f"{window.extent} over <{window.stream}>"
            for window in self.windows
        ]


def _placed(window: StreamWindow, origin: TimePoint, closed: Closed) -> StreamWindow:
    """Align a window."""
    match window.extent:
        case Window() as extent:
            return replace(window, extent=replace(extent, origin=origin, closed=closed))
        case PastWindow(extent, ago):
            return replace(window, extent=PastWindow(replace(extent, origin=origin, closed=closed), ago))
        case NewestTimestamp():
            return replace(window, extent=Window(0))
    return window


def graphs_named(node: Node) -> list[Term]:
    """Return the constant graph names of GRAPH."""
    names = [each.name for each in nodes_of(node) if isinstance(each, GraphNode)]
    return [name for name in names if not isinstance(name, Variable)]


def end_tick(spec: StreamQuerySpec, kind: TimeKind, now: int) -> int | None:
    """Return the tick to which time advances at the end of the streams.

    It is the tick at which all windows that contain an element have closed; the next tick for a query that
    reports when time leaves a timestamp; None if time need not advance.
    """
    if spec.policy.closes:
        ends = (_last(each, kind, now) for each in spec.clocks)
        return max((end for end in ends if end is not None), default=None)
    return now + 1 if spec.policy.tick == "timestamp" else None


def _last(moving: LaggedWindow, kind: TimeKind, now: int) -> int | None:
    """Return the tick at which the last window closes that begins by `now`."""
    window, lag = moving.window, moving.lag(kind)
    end = window.leaving_at(kind, now + lag)
    return end if end - (window.closed != "left") >= window.step_at(kind, now).end else None


Stream = str | os.PathLike[str] | Iterable[tuple[TimePoint, "ABox"]]
"""Path of a file for `read_stream`, or pairs of timestamp and ABox."""


class StreamElement(NamedTuple):
    """Element of a stream.

    Args:
        at: timestamp.
        stream: IRI of the stream.
        abox: asserted triples.
    """

    at: TimePoint
    stream: URIRef
    abox: ABox


def select_streams(streams: Mapping[str, Stream], names: Iterable[URIRef]) -> dict[URIRef, Stream]:
    """Return the streams that a text names.

    Raises:
        OptionError: a stream is missing.
    """
    given = {URIRef(name): stream for name, stream in streams.items()}
    for name in names:
        if name not in given:
            known = ", ".join(f"<{each}>" for each in given) or "none"
            expected = f"the stream <{name}>, which the query names, among the given ones"
            raise OptionError("streams", known, expected)
    return {name: given[name] for name in names}


def merge_streams(streams: Mapping[URIRef, Stream]) -> Iterator[StreamElement]:
    """Merge streams by timestamp; elements with equal timestamps are in the order of the streams.

    Each stream is read lazily, one element ahead.

    Raises:
        TimestampError: an item is not a pair, or streams have times of different kinds.
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
    """Return a sort key of elements by time; it raises an error for times of different kinds."""
    kinds: set[bool] = set()

    def time(element: StreamElement) -> TimePoint:
        kinds.add(isinstance(element.at, datetime))
        if len(kinds) > 1:
            given = f"the timestamp {show_time(element.at)} in <{element.stream}>"
            raise TimestampError(given, "a time of the same kind as in the other streams")
        return element.at

    return time


class DrivenQuery(QueryMaintainer, Protocol):
    """Query driven by the elements of streams, in time order."""

    def push(self, element: StreamElement) -> AnswerChange | None:
        """Process an element; returns the reports, None without reports."""

    def advance(self, at: TimePoint) -> AnswerChange | None:
        """Advance time to `at` without arrivals; returns the reports, None without reports."""


class StreamQuery(ContinuousQuery):
    """Continuous query over streams, made by `register`; `run` reads the streams.

    Args:
        driven: the query that processes the elements.
        spec: specification of the query.
        elements: elements of the streams, in time order.
        until: time to advance to at the end; None: until all windows that contain an element have closed.
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
        """Iterate over the reports while the streams are read; a second iterator continues the first.

        After the end of the streams or an error, iterators over changes end.

        Raises:
            StreamsEndedError: the streams have been read before.
            LateABoxError: a stream is not in time order.
            TimestampError: a timestamp is invalid, or its kind differs from other timestamps or from the
                windows.
            PantarheiError: a stream cannot be read.
        """
        if self._has_run:
            raise StreamsEndedError(self.name)
        return self._reports

    def _driven_by(self, elements: Iterator[StreamElement]) -> Iterator[AnswerReport]:
        try:
            yield from self._reports_of(elements)
        finally:
            self._has_run = True
            self._end_changes()

    def _reports_of(self, elements: Iterator[StreamElement]) -> Iterator[AnswerReport]:
        step: Step | None = None
        spine = self._spec.spine
        for element in elements:
            if self.is_closed:
                return
            step = step_to(spine, step, element.at)
            yield from self._notify(self._driven.push(element))
        if step is None or self.is_closed:
            return
        end = self._end(step)
        if end is not None:
            yield from self._notify(self._driven.advance(end))

    def _end(self, step: Step) -> TimePoint | None:
        """Return the time to advance to at the end of the streams at `step`; None if time does not
        advance.
        """
        policy = self._spec.policy
        if not policy.closes and policy.tick == "abox":
            return None  # it looks after ABoxes only
        if self._until is None:
            ticks = end_tick(self._spec, step.kind, step.now)
        else:
            ticks = ticks_of(self._until, step.kind)
        return None if ticks is None or ticks <= step.now else time_of(ticks, step.kind)

    def _notify(self, change: AnswerChange | None) -> Iterator[AnswerReport]:
        if change is not None:
            self.notify(change)
            yield from change.reports

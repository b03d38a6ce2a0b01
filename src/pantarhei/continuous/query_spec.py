"""Specification of a query over streams: its windows, static graphs and report policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from rdflib import Graph, URIRef, Variable

from pantarhei.errors import OptionError
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import Duration, TimeKind, TimePoint, duration_ticks
from pantarhei.query.algebra.analysis import expressions_of
from pantarhei.query.algebra.nodes import Graph as GraphNode
from pantarhei.query.algebra.nodes import Node, Query, nodes_of, uses_timestamps
from pantarhei.query.continuous_query import ReportPolicy
from pantarhei.query.languages import StreamText
from pantarhei.query.languages.stream_text import (
    CountWindow,
    Extent,
    NewestTimestamp,
    PastWindow,
    StreamWindow,
)
from pantarhei.rdf.triple_table import triples_of
from pantarhei.window.sliding import Closed, Window


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

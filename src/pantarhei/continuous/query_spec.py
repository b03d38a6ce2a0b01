"""What a text asks for, made ready to be answered: windows, static graphs, and when it reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from rdflib import Graph, URIRef, Variable

from pantarhei.errors import OptionError
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import Duration, TimeKind, TimePoint, duration_ticks
from pantarhei.query.algebra.analysis import expressions_of
from pantarhei.query.algebra.expressions import uses_timestamps
from pantarhei.query.algebra.nodes import Graph as GraphNode
from pantarhei.query.algebra.nodes import Node, Query, nodes_of
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
    """A window over time, which may lie in the past.

    Args:
        window: whose boundaries are looked at.
        ago: how long before a boundary its content ends, None for not at all.
    """

    window: Window
    ago: Duration | None = None

    @classmethod
    def of(cls, extent: Extent) -> LaggedWindow | None:
        """What moves with time, None where nothing does."""
        match extent:
            case Window():
                return cls(extent)
            case PastWindow(window, ago):
                return cls(window, ago)
        return None

    def lag(self, kind: TimeKind) -> int:
        """How many ticks before a boundary its content ends."""
        return 0 if self.ago is None else duration_ticks(self.ago, kind)

    def content_at(self, kind: TimeKind, boundary: int) -> tuple[int, int]:
        """The first and the last tick inside at a boundary."""
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
    """What a text asks for.

    Args:
        made: what the text registers.
        query: what is to be answered, without FROM and FROM NAMED.
        windows: as the text has them; those over time begin where they are to, and are closed as they are.
        policy: when it reports, and what.
        always: the triples of the default graph that no stream brings.
        named: the static graphs that GRAPH finds.
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
        """What a text asks for.

        Raises:
            OptionError: it asks for a static graph that is not given, or one is none.
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
                expected = f"the graph <{name}>, which the query asks for, among those given"
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
        """The windows over time."""
        found = (LaggedWindow.of(window.extent) for window in self.windows)
        return tuple(each for each in found if each is not None)

    @property
    def clocks(self) -> tuple[LaggedWindow, ...]:
        """What closes as time passes: the windows over time; where all count, the periods of the query."""
        period = self.policy.period
        if self.moving or period is None:
            return self.moving
        return (LaggedWindow(Window(period, period, closed="right")),)

    @property
    def uses_triple_times(self) -> bool:
        """Whether it asks for the times of triples."""
        return any(
            uses_timestamps(expression)
            for node in nodes_of(self.query.node)
            for expression in expressions_of(node)
        )

    @property
    def spine(self) -> Window:
        """A window that has the kind of time of the query's; what time does is seen by it."""
        ranges = [each.window.range for each in self.clocks if each.window.kind is not None]
        return Window(ranges[0] if ranges else 0)

    @property
    def window_lines(self) -> list[str]:
        """A line for each window: the graph that it is, what is inside, and its stream."""
        return [
            f"  {'the default graph' if window.is_default else f'<{window.name}>'}: "
            f"{window.extent} over <{window.stream}>"
            for window in self.windows
        ]


def _placed(window: StreamWindow, origin: TimePoint, closed: Closed) -> StreamWindow:
    """The window with its boundaries where they are to be."""
    match window.extent:
        case Window() as extent:
            return replace(window, extent=replace(extent, origin=origin, closed=closed))
        case PastWindow(extent, ago):
            return replace(window, extent=PastWindow(replace(extent, origin=origin, closed=closed), ago))
        case NewestTimestamp():
            return replace(window, extent=Window(0))
    return window


def graphs_named(node: Node) -> list[Term]:
    """The graphs that GRAPH names."""
    names = [each.name for each in nodes_of(node) if isinstance(each, GraphNode)]
    return [name for name in names if not isinstance(name, Variable)]

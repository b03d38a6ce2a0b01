"""Queries with time windows over one stream, maintained incrementally by one reasoner.

The window of the reasoner contains all windows of the query. A time window that ends now is a view of each
longer window over the same stream that ends now: its facts are those whose settled level is inside the
shorter window (query/incremental/query_sources.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

from rdflib import URIRef, Variable

from pantarhei.continuous.stream_query import StreamQuerySpec
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import QueryWindowError
from pantarhei.model.term import Triple
from pantarhei.model.time import TimeKind
from pantarhei.ontology.ontology import Ontology
from pantarhei.query.algebra.nodes import BGP, Closure, NegatedSet, Node, Query, nodes_of, with_children
from pantarhei.query.algebra.nodes import Graph as GraphNode
from pantarhei.query.answer_reports import AnswerChange, AnswerRow
from pantarhei.query.continuous_query import QueryStats
from pantarhei.query.incremental.query_sources import NamedWindows
from pantarhei.query.languages.stream_text import CountWindow, Extent, PastWindow, StreamWindow
from pantarhei.reasoner import StreamReasoner
from pantarhei.window.sliding import Window

if TYPE_CHECKING:
    from pantarhei.continuous.stream_query import StreamElement
    from pantarhei.model.time import TimePoint


class WindowViews(NamedTuple):
    """Query over windows that are views of one window model.

    Args:
        query: the query over the views.
        default: the window of the default graph; None if the default graph is not a window.
        named: the windows of named graphs, by name.
        background: static triples that are in each window.
        static: static named graphs.
    """

    query: Query
    default: Window | None
    named: Mapping[URIRef, Window]
    background: tuple[Triple, ...]
    static: Mapping[URIRef, tuple[Triple, ...]]

    @property
    def windows(self) -> tuple[Window, ...]:
        """All windows of the query."""
        return (*(() if self.default is None else (self.default,)), *self.named.values())

    @property
    def reasoner_window(self) -> Window:
        """Window that contains all windows of the query at any time: the longest of them if possible."""
        kind = next((window.kind for window in self.windows if window.kind is not None), None)
        ticks = kind or TimeKind.INTEGER
        longest = max(self.windows, key=lambda window: -window.start_at(ticks, 0))
        if longest.kind is kind and _holds_all(longest, self.windows, ticks):
            return longest
        return Window(float(cast(int, longest.range)) if kind is TimeKind.FLOAT else longest.range)

    @property
    def uses_default_graph(self) -> bool:
        """True if the query matches the default graph."""
        return _uses_default_graph(self.query)

    def by_name(self, always: tuple[Triple, ...]) -> NamedWindows | None:
        """Return the named graphs as data of registered queries; None if there are none.

        Args:
            always: the triples of the default graph, if that is not a window.
        """
        if not (self.named or self.static):
            return None
        return NamedWindows(self.named, always if self.default is None else None, self.static)


def views_of(spec: StreamQuerySpec, takes_static: bool = False) -> WindowViews | str:
    """Rewrite a query to views of one window model; return the reason as a text if that is impossible.

    Args:
        takes_static: whether the caller supports static named graphs.
    """
    static = spec.named if takes_static else {}
    reason = _not_of_one_stream(spec.windows) or _not_of_graphs(spec, static)
    if reason is not None:
        return reason
    default = next((_window(each) for each in spec.windows if each.is_default), None)
    named = {each.name: _window(each) for each in spec.windows if not each.is_default}
    if default is None and len(named) == 1 and not static and not _uses_default_graph(spec.query):
        (window,) = named.values()
        return WindowViews(replace(spec.query, node=_inside(spec.query.node)), window, {}, (), {})
    return WindowViews(spec.query, default, named, () if default is None else spec.always, static)


# -- reasons against views -----------------------------------------------------------------------------------


def _not_of_one_stream(windows: Sequence[StreamWindow]) -> str | None:
    """Return the reason why windows are not views of one window over one stream; None if they are."""
    for window in windows:
        problem = _problem(window.extent)
        if problem is not None:
            return f"its window {problem}" if len(windows) == 1 else f"its window <{window.name}> {problem}"
    if len({window.stream for window in windows}) > 1:
        return "its windows are over several streams"
    return None


def _problem(extent: Extent) -> str | None:
    match extent:
        case Window():
            return None
        case PastWindow():
            return "is in the past"
        case CountWindow(of=counted):
            return f"counts {'ABoxes' if counted == 'aboxes' else counted}"
    return "has no end"


def _not_of_graphs(spec: StreamQuerySpec, static: Collection[URIRef]) -> str | None:
    """Return the reason why a query needs data that are neither views nor static graphs; None if it
    does not.
    """
    if spec.uses_triple_times:
        return "it uses the times of triples"
    names = {node.name for node in nodes_of(spec.query.node) if isinstance(node, GraphNode)}
    if any(isinstance(name, Variable) for name in names):
        return "GRAPH has a variable"
    default = [window for window in spec.windows if window.is_default]
    if not names <= {*static, *(window.name for window in spec.windows if not window.is_default)}:
        return "it reads a static named graph"
    if len(default) > 1:
        return "its default graph consists of several windows"
    if default and len(spec.windows) > 1 and spec.always:
        return "its default graph is a window with static graphs, which other windows do not contain"
    return None


# -- windows -------------------------------------------------------------------------------------------------


def _window(window: StreamWindow) -> Window:
    assert isinstance(window.extent, Window), "checked by _not_of_one_stream"
    return window.extent


def _holds_all(window: Window, others: Sequence[Window], kind: TimeKind) -> bool:
    """Return whether `window` can be a reasoner's window, and contains all others at any time.

    That includes the closing of the other windows.
    """
    try:
        window.check_holds_all(kind)
    except QueryWindowError:
        return False
    length = window.length(kind)
    return all(window.range_to_hold(other, kind) <= length for other in others)


# -- the default graph -------------------------------------------------------------------------------------


def _uses_default_graph(query: Query) -> bool:
    return query.form == "DESCRIBE" or _matches_outside(query.node)


def _matches_outside(node: Node) -> bool:
    if isinstance(node, GraphNode):
        return False
    matches = isinstance(node, Closure | NegatedSet) or (isinstance(node, BGP) and bool(node.patterns))
    return matches or any(map(_matches_outside, node.children))


def _inside(node: Node) -> Node:
    """Replace each GRAPH node by its pattern, which then matches the default graph."""
    return node.child if isinstance(node, GraphNode) else with_children(node, _inside)


class WindowedQuery:
    """Query over streams whose windows are views of a reasoner's window.

    Args:
        spec: the specification of the query.
        views: the query, rewritten to views.
        name: the name of the query.
        ontology: the ontology of the reasoner.

    Raises:
        InconsistentOntologyError: the static triples contradict the ontology.
    """

    def __init__(self, spec: StreamQuerySpec, views: WindowViews, name: str, ontology: Ontology) -> None:
        self.name, self.text, self.query = name, spec.text.text, spec.query
        self._spec = spec
        self._reasoner = StreamReasoner(ontology, views.reasoner_window, views.background)
        always = () if views.default is not None else entailed_triples(spec.always, ontology)
        registrar, named = self._reasoner._query_registrar(), views.by_name(always)
        self._handle = registrar.register_parsed(
            name, self.text, views.query, views.default, spec.policy, named
        )

    def push(self, element: StreamElement) -> AnswerChange | None:
        """Process an element of a stream."""
        return self._change(self._reasoner.push(element.at, element.abox))

    def advance(self, at: TimePoint) -> AnswerChange | None:
        """Advance time to `at`; return the reports that are due, None without reports."""
        return self._change(self._reasoner.advance(at))

    def _change(self, update: WindowUpdate) -> AnswerChange | None:
        change: AnswerChange | None = update.answers.get(self._handle)
        return change

    def count(self) -> int:
        return self._handle._maintainer.count()

    def rows(self) -> Counter[AnswerRow]:
        return self._handle._maintainer.rows()

    def plan(self) -> str:
        windows = self._spec.window_lines
        of = "one window" if len(windows) == 1 else "windows that are views of one window"
        return "\n".join([f"Maintained over {of}", *windows, self._handle.plan()])

    def stats(self) -> QueryStats:
        return self._handle.stats()

    def close(self) -> None:
        self._handle.close()


def entailed_triples(triples: Iterable[Triple], ontology: Ontology) -> tuple[Triple, ...]:
    """Return the triples entailed by `triples` and the ontology."""
    return tuple(StreamReasoner(ontology, Window(0), tuple(triples)).materialization())

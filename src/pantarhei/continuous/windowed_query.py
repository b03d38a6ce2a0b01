"""A query of windows over one stream: kept up to date, by a reasoner of its own that holds all of them.

Which texts are asked of views of one window model, and why others are not.

A window over time that ends now is a view of each longer one over its stream that does: what holds in it are
the facts of that whose settled level is inside (query/incremental/query_sources.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

from rdflib import URIRef, Variable

from pantarhei.continuous.query_spec import StreamQuerySpec
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import QueryWindowError
from pantarhei.model.term import Triple
from pantarhei.model.time import TimeKind
from pantarhei.ontology.ontology import Ontology
from pantarhei.query.algebra.nodes import BGP, Closure, NegatedSet, Node, Query, nodes_of, with_children
from pantarhei.query.algebra.nodes import Graph as GraphNode
from pantarhei.query.answer_reports import AnswerChange, AnswerRow
from pantarhei.query.continuous_query import QueryStats
from pantarhei.query.incremental.window_state import NamedWindows
from pantarhei.query.languages.stream_text import CountWindow, Extent, PastWindow, StreamWindow
from pantarhei.reasoner import StreamReasoner
from pantarhei.window.sliding import Window

if TYPE_CHECKING:
    from pantarhei.continuous.stream_query import StreamElement
    from pantarhei.model.time import TimePoint


class WindowViews(NamedTuple):
    """A query over windows that are views of one model.

    Args:
        query: what is asked of them.
        default: the window that its default graph is, None where that is none.
        named: the windows that other graphs are, by their names.
        background: what each window holds besides.
        static: graphs with names that no stream changes.
    """

    query: Query
    default: Window | None
    named: Mapping[URIRef, Window]
    background: tuple[Triple, ...]
    static: Mapping[URIRef, tuple[Triple, ...]]

    @property
    def windows(self) -> tuple[Window, ...]:
        """All its windows."""
        return (*(() if self.default is None else (self.default,)), *self.named.values())

    @property
    def holding(self) -> Window:
        """A window of a reasoner that holds what all of them do: the longest, if it can."""
        kind = next((window.kind for window in self.windows if window.kind is not None), None)
        ticks = kind or TimeKind.INTEGER
        longest = max(self.windows, key=lambda window: -window.start_at(ticks, 0))
        if longest.kind is kind and _holds_all(longest, self.windows, ticks):
            return longest
        return Window(float(cast(int, longest.range)) if kind is TimeKind.FLOAT else longest.range)

    @property
    def uses_default_graph(self) -> bool:
        """Whether it looks at the default graph."""
        return _looks_outside(self.query)

    def by_name(self, always: tuple[Triple, ...]) -> NamedWindows | None:
        """The windows with names, None where there are none.

        Args:
            always: what the default graph has if it is no window.
        """
        if not (self.named or self.static):
            return None
        return NamedWindows(self.named, always if self.default is None else None, self.static)


def views_of(asked: StreamQuerySpec, takes_static: bool = False) -> WindowViews | str:
    """The query over views of one model; or why there is none such.

    Args:
        takes_static: whether there may be static graphs with names.
    """
    static = asked.named if takes_static else {}
    reason = _not_of_one_stream(asked.windows) or _not_of_graphs(asked, static)
    if reason is not None:
        return reason
    default = next((_window(each) for each in asked.windows if each.is_default), None)
    named = {each.name: _window(each) for each in asked.windows if not each.is_default}
    if default is None and len(named) == 1 and not static and not _looks_outside(asked.query):
        (window,) = named.values()
        return WindowViews(replace(asked.query, node=_inside(asked.query.node)), window, {}, (), {})
    return WindowViews(asked.query, default, named, () if default is None else asked.always, static)


# -- what is no view -----------------------------------------------------------------------------------------


def _not_of_one_stream(windows: Sequence[StreamWindow]) -> str | None:
    """Why windows are no views of one that holds all of them, None if they are."""
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
            return "lies in the past"
        case CountWindow(of=counted):
            return f"counts {'ABoxes' if counted == 'aboxes' else counted}"
    return "has no end"


def _not_of_graphs(asked: StreamQuerySpec, static: Collection[URIRef]) -> str | None:
    """Why the graphs that a query looks at are no such views, or what always holds; None if they are."""
    if asked.uses_triple_times:
        return "it asks for the times of triples"
    names = {node.name for node in nodes_of(asked.query.node) if isinstance(node, GraphNode)}
    if any(isinstance(name, Variable) for name in names):
        return "GRAPH has a variable"
    default = [window for window in asked.windows if window.is_default]
    if not names <= {*static, *(window.name for window in asked.windows if not window.is_default)}:
        return "it looks at a static graph by its name"
    if len(default) > 1:
        return "its default graph is several windows together"
    if default and len(asked.windows) > 1 and asked.always:
        return "its default graph is a window with static graphs, and other windows are without these"
    return None


# -- windows -------------------------------------------------------------------------------------------------


def _window(window: StreamWindow) -> Window:
    assert isinstance(window.extent, Window), "others are no views"
    return window.extent


def _holds_all(window: Window, others: Sequence[Window], kind: TimeKind) -> bool:
    """Whether a reasoner may have a window, and it holds what others do at any time, and when they close."""
    try:
        window.check_holds_all(kind)
    except QueryWindowError:
        return False
    length = window.length(kind)
    return all(window.range_to_hold(other, kind) <= length for other in others)


# -- the default graph -------------------------------------------------------------------------------------


def _looks_outside(query: Query) -> bool:
    return query.form == "DESCRIBE" or _matches_outside(query.node)


def _matches_outside(node: Node) -> bool:
    if isinstance(node, GraphNode):
        return False
    matches = isinstance(node, Closure | NegatedSet) or (isinstance(node, BGP) and bool(node.patterns))
    return matches or any(map(_matches_outside, node.children))


def _inside(node: Node) -> Node:
    """What stands in GRAPH asks the default graph."""
    return node.child if isinstance(node, GraphNode) else with_children(node, _inside)


class WindowedQuery:
    """Answers a query whose windows are views of a reasoner's.

    Args:
        asked: what the text asks for.
        views: the same, over these windows.

    Raises:
        InconsistentOntologyError: what always holds contradicts the ontology.
    """

    def __init__(self, asked: StreamQuerySpec, views: WindowViews, name: str, ontology: Ontology) -> None:
        self.name, self.text, self.query = name, asked.text.text, asked.query
        self._asked = asked
        self._reasoner = StreamReasoner(ontology, views.holding, views.background)
        always = () if views.default is not None else entailed_triples(asked.always, ontology)
        registrar, named = self._reasoner._registering(), views.by_name(always)
        self._kept = registrar.register_parsed(
            name, self.text, views.query, views.default, asked.policy, named
        )

    def push(self, element: StreamElement) -> AnswerChange | None:
        """A stream brings something."""
        return self._change(self._reasoner.push(element.at, element.abox))

    def advance(self, at: TimePoint) -> AnswerChange | None:
        """Time comes to `at`, and nothing arrives."""
        return self._change(self._reasoner.advance(at))

    def _change(self, update: WindowUpdate) -> AnswerChange | None:
        change: AnswerChange | None = update.answers.get(self._kept)
        return change

    def count(self) -> int:
        return self._kept._answering.count()

    def rows(self) -> Counter[AnswerRow]:
        return self._kept._answering.rows()

    def plan(self) -> str:
        windows = self._asked.window_lines
        how = "one window" if len(windows) == 1 else "windows that are views of one"
        return "\n".join([f"Kept up to date over {how}", *windows, self._kept.plan()])

    def stats(self) -> QueryStats:
        return self._kept.stats()

    def close(self) -> None:
        self._kept.close()


def entailed_triples(triples: Iterable[Triple], ontology: Ontology) -> tuple[Triple, ...]:
    """Return the triples that follow from these without a stream."""
    return tuple(StreamReasoner(ontology, Window(0), tuple(triples)).materialization())

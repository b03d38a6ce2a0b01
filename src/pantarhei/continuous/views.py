"""Which texts are asked of views of one window model, and why others are not.

A window over time that ends now is a view of each longer one over its stream that does: what holds in it are
the facts of that whose settled level is inside (query/incremental/contents.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from rdflib import URIRef, Variable

from pantarhei.continuous.asked_of_streams import AskedOfStreams
from pantarhei.errors import QueryWindowError
from pantarhei.model.term import Triple
from pantarhei.model.time import TimeKind
from pantarhei.query.algebra.nodes import BGP, Closure, NegatedSet, Node, Query, nodes_of
from pantarhei.query.algebra.nodes import Graph as GraphNode
from pantarhei.query.algebra.rebuilding import with_children
from pantarhei.query.incremental.all_contents import NamedWindows
from pantarhei.query.languages.stream_text import CountWindow, Extent, PastWindow, StreamWindow
from pantarhei.window.sliding import Window


class Views(NamedTuple):
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
    def looks_outside(self) -> bool:
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


def views_of(asked: AskedOfStreams, takes_static: bool = False) -> Views | str:
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
        return Views(replace(asked.query, node=_inside(asked.query.node)), window, {}, (), {})
    return Views(asked.query, default, named, () if default is None else asked.always, static)


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


def _not_of_graphs(asked: AskedOfStreams, static: Collection[URIRef]) -> str | None:
    """Why the graphs that a query looks at are no such views, or what always holds; None if they are."""
    if asked.looks_at_times:
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

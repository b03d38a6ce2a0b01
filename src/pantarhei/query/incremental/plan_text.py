"""How a registered query is kept up to date, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pantarhei.model.messages import counted
from pantarhei.model.term import short
from pantarhei.query.algebra.nodes import Node
from pantarhei.query.incremental.closures import NODES
from pantarhei.query.incremental.contents import Content
from pantarhei.query.incremental.leaves import DescribeLeaf
from pantarhei.query.incremental.network import is_idle
from pantarhei.query.incremental.operator import Operator
from pantarhei.query.incremental.registered import Registered
from pantarhei.query.incremental.roots import AskRoot, ConstructRoot
from pantarhei.query.incremental.shapes import parameters_of, particular
from pantarhei.query.operators.account import Account
from pantarhei.query.plan_text import Show, title
from pantarhei.query.plan_text import plan_text as node_text


def plan_text(registered: Registered, content_of: Callable[[Operator], Content], show: Show = short) -> str:
    """A line for each operator, with what a change costs and how many rows it keeps; below it those that it
    takes rows from. Patterns stand below what matches them, and so does what is evaluated anew as a whole.
    What is asked of a graph with a name stands below that.

    Args:
        content_of: gives what an operator is asked of.
    """
    return "\n".join(_Lines(registered, content_of, show).of(registered.root, ""))


class _Lines:
    """The lines of a query's operators."""

    def __init__(self, registered: Registered, content_of: Callable[[Operator], Content], show: Show) -> None:
        self._registered, self._content_of, self._show = registered, content_of, show

    def of(self, operator: Operator, around: str) -> list[str]:
        """Those of an operator and all below it; `around` says which graph the lines stand in."""
        graph = self._graph(operator)
        lines = self._within(operator, graph)
        return lines if graph == around else [f"Graph {graph}", *_indented(lines)]

    def _within(self, operator: Operator, graph: str) -> list[str]:
        below = [line for source in operator.inputs for line in self.of(source, graph)]
        names, node = self._registered.names, operator.node
        node = particular(node, names) if parameters_of(node) else node
        if is_idle(node):
            if operator.inputs:  # it brings the parameters behind, which are not shown
                return below
            (node,) = node.children
        if not operator.inputs:
            below = node_text(node, Account(), self._show).splitlines()
            if not isinstance(operator, DescribeLeaf):
                below = [line.removeprefix("  ") for line in below[1:]]
        rows = sum(map(len, operator.bags))
        kept = f"  → {counted(rows, 'row')} kept" if rows else ""
        first = f"{self._title(operator, node)}  ({operator.maintenance.value}){kept}"
        return [first, *_indented(below)]

    def _graph(self, operator: Operator) -> str:
        """The names of the graph that an operator is asked of; none of the default graph."""
        content = self._content_of(operator)
        if content is self._registered.content:
            return ""
        named = [name for name, window in self._registered.windows.items() if window is content]
        names = [content.name, *named]
        return ", ".join(self._show(name) for name in names if name is not None)

    def _title(self, operator: Operator, node: Node) -> str:
        if isinstance(operator, AskRoot):
            return "Ask"
        if isinstance(operator, ConstructRoot):
            return "Construct"
        if isinstance(operator, DescribeLeaf):
            return "Describe"
        return "Terms of the graph" if node == NODES else title(node, self._show)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]

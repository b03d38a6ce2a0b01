"""How a registered query is kept up to date, as text."""

from __future__ import annotations

from collections.abc import Mapping

from rdflib import Variable

from pantarhei.language.counted import counted
from pantarhei.language.term import Term, short
from pantarhei.query.algebra.nodes import Node
from pantarhei.query.incremental.closures import NODES
from pantarhei.query.incremental.leaves import DescribeLeaf
from pantarhei.query.incremental.network import is_idle
from pantarhei.query.incremental.operator import Operator
from pantarhei.query.incremental.registered import Registered
from pantarhei.query.incremental.roots import AskRoot, ConstructRoot
from pantarhei.query.incremental.shapes import parameters_of, particular
from pantarhei.query.operators.account import Account
from pantarhei.query.plan_text import Show, title
from pantarhei.query.plan_text import plan_text as node_text


def plan_text(registered: Registered, show: Show = short) -> str:
    """A line for each operator, with what a change costs and how many rows it keeps; below it those that it
    takes rows from. Patterns stand below what matches them, and so does what is evaluated anew as a whole.
    """
    return "\n".join(_lines(registered.root, registered.names, show))


def _lines(operator: Operator, names: Mapping[Variable, Term], show: Show) -> list[str]:
    below = [line for source in operator.inputs for line in _lines(source, names, show)]
    node = particular(operator.node, names) if parameters_of(operator.node) else operator.node
    if is_idle(node):
        if operator.inputs:  # it brings the parameters behind, which are not shown
            return below
        (node,) = node.children
    if not operator.inputs:
        below = node_text(node, Account(), show).splitlines()
        if not isinstance(operator, DescribeLeaf):
            below = [line.removeprefix("  ") for line in below[1:]]
    rows = sum(map(len, operator.bags))
    kept = f"  → {counted(rows, 'row')} kept" if rows else ""
    first = f"{_title(operator, node, show)}  ({operator.maintenance.value}){kept}"
    return [first, *(f"  {line}" for line in below)]


def _title(operator: Operator, node: Node, show: Show) -> str:
    if isinstance(operator, AskRoot):
        return "Ask"
    if isinstance(operator, ConstructRoot):
        return "Construct"
    if isinstance(operator, DescribeLeaf):
        return "Describe"
    return "Terms of the graph" if node == NODES else title(node, show)

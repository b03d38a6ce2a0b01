"""How a registered query is kept up to date, as text."""

from __future__ import annotations

from pantarhei.language.counted import counted
from pantarhei.language.term import short
from pantarhei.query.incremental.closures import NODES
from pantarhei.query.incremental.leaves import DescribeLeaf
from pantarhei.query.incremental.operator import Operator
from pantarhei.query.incremental.registered import Registered
from pantarhei.query.incremental.roots import AskRoot, ConstructRoot
from pantarhei.query.operators.account import Account
from pantarhei.query.plan_text import Show, title
from pantarhei.query.plan_text import plan_text as node_text


def plan_text(registered: Registered, show: Show = short) -> str:
    """A line for each operator, with what a change costs and how many rows it keeps; below it those that it
    takes rows from. Patterns stand below what matches them, and so does what is evaluated anew as a whole.
    """
    return "\n".join(_lines(registered.root, show))


def _lines(operator: Operator, show: Show) -> list[str]:
    below = [line for source in operator.inputs for line in _lines(source, show)]
    if not operator.inputs:
        below = node_text(operator.node, Account(), show).splitlines()
        if not isinstance(operator, DescribeLeaf):
            below = [line.removeprefix("  ") for line in below[1:]]
    rows = sum(map(len, operator.bags))
    kept = f"  → {counted(rows, 'row')} kept" if rows else ""
    first = f"{_title(operator, show)}  ({operator.maintenance.value}){kept}"
    return [first, *(f"  {line}" for line in below)]


def _title(operator: Operator, show: Show) -> str:
    if isinstance(operator, AskRoot):
        return "Ask"
    if isinstance(operator, ConstructRoot):
        return "Construct"
    if isinstance(operator, DescribeLeaf):
        return "Describe"
    return "Terms of the graph" if operator.node == NODES else title(operator.node, show)

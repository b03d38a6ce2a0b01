"""How a registered query is kept up to date, as text."""

from __future__ import annotations

from pantarhei.language.counted import counted
from pantarhei.language.term import short
from pantarhei.query.incremental.groups import GroupOperator
from pantarhei.query.incremental.leaves import WholeLeaf
from pantarhei.query.incremental.operator import Operator
from pantarhei.query.incremental.registered import Registered
from pantarhei.query.incremental.slices import SliceOperator
from pantarhei.query.plan_text import title


def plan_text(registered: Registered) -> str:
    """A line for each operator, those that it takes rows from below it."""
    return "\n".join(_lines(registered.root, 0))


def _lines(operator: Operator, depth: int) -> list[str]:
    rows = sum(map(len, operator.bags))
    kept = f"  → {counted(rows, 'row')} kept" if rows else ""
    lines = [f"{'  ' * depth}{title(operator.node, short)} ({_how(operator)}){kept}"]
    for source in operator.inputs:
        lines += _lines(source, depth + 1)
    return lines


def _how(operator: Operator) -> str:
    if isinstance(operator, WholeLeaf):
        return "evaluated anew where it may have changed"
    if isinstance(operator, GroupOperator):
        return "each group that changed anew"
    if isinstance(operator, SliceOperator):
        return "the first rows anew"
    return "exact, by the rows that changed"

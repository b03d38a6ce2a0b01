"""From the nodes of a query to operators."""

from __future__ import annotations

from collections.abc import Callable

from pantarhei.query.algebra.binding import expressions_of
from pantarhei.query.algebra.expressions import is_drawn, looks_at_clock
from pantarhei.query.algebra.nodes import (
    BGP,
    Closure,
    Distinct,
    Extend,
    Filter,
    Graph,
    Group,
    Join,
    LeftJoin,
    Mark,
    Minus,
    NegatedSet,
    Node,
    OrderBy,
    Project,
    Slice,
    Union,
    Values,
)
from pantarhei.query.incremental.closures import (
    ALL_TRIPLES,
    NODES,
    ClosureOperator,
    NodesOperator,
    is_by_steps,
    needs_nodes,
)
from pantarhei.query.incremental.distinct import DistinctOperator
from pantarhei.query.incremental.facts import FactLeaf
from pantarhei.query.incremental.groups import GroupOperator, drawn_below
from pantarhei.query.incremental.joins import (
    JoinOperator,
    LeftJoinOperator,
    MarkOperator,
    MinusOperator,
    marked_parts,
    tested_below,
)
from pantarhei.query.incremental.leaves import FilteredLeaf, GivenLeaf, Look, PatternLeaf, WholeLeaf
from pantarhei.query.incremental.operator import Operator, Shared
from pantarhei.query.incremental.row_expressions import RowExpression
from pantarhei.query.incremental.row_operators import (
    ExtendOperator,
    FilterOperator,
    ProjectOperator,
    UnionOperator,
)
from pantarhei.query.incremental.separation import is_kernel_pattern, separated
from pantarhei.query.incremental.slices import SliceOperator, sliced_parts

Use = Callable[[Node], Operator]
"""Gives the operator of a node, which may be shared."""


def made(node: Node, shared: Shared, look: Look, use: Use) -> Operator:
    """A new operator for a node."""
    if is_whole(node):
        return WholeLeaf(node, shared, look)
    if isinstance(node, BGP):
        return _of_pattern(node, shared, look, use)
    if isinstance(node, NegatedSet):
        return FactLeaf(node, shared, look)
    if isinstance(node, Values):
        return GivenLeaf(node, shared)
    if isinstance(node, Closure):
        return _of_path(node, shared, use)
    if isinstance(node, OrderBy):  # the rows are the same
        return ProjectOperator(Project(node.child, node.variables), shared, use(node.child))
    if isinstance(node, Mark):
        parts = marked_parts(node)
        assert parts is not None, "else it is whole"
        return MarkOperator(node, shared, use(node.left), use(parts[0]), parts[1])
    if isinstance(node, Slice):
        sliced = sliced_parts(node)
        assert sliced is not None, "else it is whole"
        return SliceOperator(node, shared, use(sliced[0]), sliced[1])
    if isinstance(node, Project) and _takes_of_pattern(node):
        return PatternLeaf(node, shared, look)
    if isinstance(node, Filter) and _is_matched_whole(node.child):
        condition = RowExpression(node.condition, node.variables, shared)
        if condition.test is not None:
            return FilteredLeaf(node, shared, look, condition, condition.test)
    if isinstance(node, Project) and isinstance(node.child, Group) and _tells_groups(node, node.child):
        group = drawn_below(node.child)
        return GroupOperator(group, shared, use(group.child), node.names)
    if isinstance(node, Group):
        node = drawn_below(node)
    if isinstance(node, LeftJoin):
        node = tested_below(node)
    return _OPERATORS[type(node)](node, shared, *map(use, node.children))


def _of_pattern(node: BGP, shared: Shared, look: Look, use: Use) -> Operator:
    if not node.patterns:
        return GivenLeaf(Values((), ((),)), shared)
    parts = separated(node)
    if parts is not node:
        return made(parts, shared, look, use)
    if is_kernel_pattern(node.patterns[0]):
        return PatternLeaf(node, shared, look)
    return FactLeaf(node, shared, look)


def _takes_of_pattern(node: Project) -> bool:
    """Whether a projection takes variables of a pattern that the kernel matches as one body."""
    return _is_matched_whole(node.child) and set(node.names) <= set(node.child.variables)


def _is_matched_whole(node: Node) -> bool:
    """Whether the kernel matches a pattern as one body."""
    if not isinstance(node, BGP) or not node.patterns or separated(node) is not node:
        return False
    return is_kernel_pattern(node.patterns[0])


def _tells_groups(node: Project, group: Group) -> bool:
    """Whether a projection leaves a row of its own to each group, which follows the changes below."""
    return set(group.keys or ()) <= set(node.names) and not is_whole(group)


def _of_path(node: Closure, shared: Shared, use: Use) -> Operator:
    if node == NODES:
        return NodesOperator(shared, use(ALL_TRIPLES))
    return ClosureOperator(node, shared, use(node.step), use(NODES) if needs_nodes(node) else None)


def is_whole(node: Node) -> bool:
    """Whether a node is evaluated anew as a whole, and not from the changes of what is below it."""
    if isinstance(node, Graph) or any(map(looks_at_clock, expressions_of(node))):
        return True
    if isinstance(node, Closure):
        return not is_by_steps(node)
    if isinstance(node, LeftJoin):
        return bool(node.marks) or (node.condition is not None and is_drawn(node.condition))
    if isinstance(node, Mark):
        return marked_parts(node) is None
    if isinstance(node, Filter):
        return is_drawn(node.condition)
    return isinstance(node, Slice) and sliced_parts(node) is None


_OPERATORS: dict[type[Node], Callable[..., Operator]] = {
    Filter: FilterOperator,
    Extend: ExtendOperator,
    Project: ProjectOperator,
    Union: UnionOperator,
    Join: JoinOperator,
    LeftJoin: LeftJoinOperator,
    Minus: MinusOperator,
    Distinct: DistinctOperator,
    Group: GroupOperator,
}

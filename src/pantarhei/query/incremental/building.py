"""From the nodes of a query to operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rdflib import Variable

from pantarhei.language.term import RDF_TYPE
from pantarhei.query.algebra.binding import expressions_of, looks_outside
from pantarhei.query.algebra.expressions import Call, Expression, OrderKey, is_drawn, parts_of, variables_of
from pantarhei.query.algebra.nodes import (
    BGP,
    UNIT,
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
    TriplePattern,
    Union,
    Values,
    is_hidden,
    nodes_of,
)

Built = Callable[[Node], "object"]


def looks_at_clock(expression: Expression) -> bool:
    """Whether an expression has another value at each step."""
    return any(isinstance(part, Call) and part.function == "NOW" for part in parts_of(expression))


def _own_expressions(node: Node) -> tuple[Expression, ...]:
    """The expressions of a node itself."""
    return expressions_of(node)


def is_whole(node: Node) -> bool:
    """Whether a node is evaluated anew as a whole, and not from the changes of what is below it."""
    if isinstance(node, Closure | NegatedSet | Graph):
        return True
    if any(map(looks_at_clock, _own_expressions(node))):
        return True
    if isinstance(node, BGP):
        return not all(map(is_kernel_pattern, node.patterns)) or len(components(node)) != 1
    if isinstance(node, LeftJoin):
        return bool(node.marks) or (node.condition is not None and is_drawn(node.condition))
    if isinstance(node, Mark):
        return marked_parts(node) is None
    if isinstance(node, Filter):
        return is_drawn(node.condition)
    if isinstance(node, Slice):
        return sliced_parts(node) is None
    return False


def is_kernel_pattern(pattern: TriplePattern) -> bool:
    """Whether the facts that match a pattern are those of one class or property."""
    if isinstance(pattern.predicate, Variable):
        return False
    return pattern.predicate != RDF_TYPE or not isinstance(pattern.object, Variable)


def components(node: BGP) -> list[tuple[TriplePattern, ...]]:
    """The patterns in parts that share no variable."""
    parts: list[tuple[set[Variable], list[TriplePattern]]] = []
    for pattern in node.patterns:
        variables = {place for place in pattern.places if isinstance(place, Variable)}
        together: tuple[set[Variable], list[TriplePattern]] = (variables, [pattern])
        for part in [part for part in parts if part[0] & variables]:
            parts.remove(part)
            together = (together[0] | part[0], [*part[1], *together[1]])
        parts.append(together)
    return [tuple(patterns) for _, patterns in parts]


def marked_parts(node: Mark) -> tuple[Node, tuple[Expression, ...]] | None:
    """What EXISTS looks for, and the conditions that look at the row outside too; None where it is looked at
    deeper inside.
    """
    right, conditions = node.right, ()
    while True:
        if isinstance(right, Filter):
            conditions, right = (right.condition, *conditions), right.child
        elif isinstance(right, Project) and all(map(is_hidden, right.lost)):
            right = right.child
        else:
            break
    seen = looks_outside(right)
    if seen & set(node.left.variables) or any(is_drawn(c) or looks_at_clock(c) for c in conditions):
        return None
    return right, conditions


def sliced_parts(node: Slice) -> tuple[Node, tuple[OrderKey, ...]] | None:
    """The node whose rows are ordered, and by what; None where the order looks at what DISTINCT leaves out."""
    above: list[Distinct | Project] = []
    child = node.child
    while isinstance(child, Distinct | Project):
        above.append(child)
        child = child.child
    if not isinstance(child, OrderBy):
        return node.child, ()
    if any(is_drawn(key.expression) or looks_at_clock(key.expression) for key in child.keys):
        return None
    seen = {variable for key in child.keys for variable in variables_of(key.expression)}
    plain: Node = child.child
    if not any(isinstance(part, Distinct) for part in above):
        return plain, child.keys
    for part in reversed(above):
        plain = replace(part, child=plain)
    return (plain, child.keys) if seen <= set(plain.variables) else None


__all__ = ["UNIT", "Extend", "Group", "Join", "Minus", "Union", "Values", "nodes_of"]

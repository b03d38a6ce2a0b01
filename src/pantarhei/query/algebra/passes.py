"""Optimizer: passes that rewrite a node to a cheaper one with equal rows.

The first pass is not an optimization. A path of length zero relates each term of the graph, and each end that
is given as a term, to itself. EXISTS substitutes the values of the outer row for the variables of its pattern
(SPARQL 1.1, section 18.6), and such a value may be a term that is not in the graph: a value from VALUES,
BIND, an aggregate, another graph, or a path of length zero. The pass marks the ends of paths for which EXISTS
may substitute such a term.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from rdflib import Literal, Variable

from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.algebra.analysis import correlated_variables

Variables = frozenset[Variable]


class _Origins(NamedTuple):
    """Origins of the values of a node's variables.

    Args:
        graph: variables that each row binds to a term of the graph.
        elsewhere: variables that a row may bind to a term that is not in the graph.
    """

    graph: Variables
    elsewhere: Variables


def mark_substituted_ends(node: algebra.Node) -> algebra.Node:
    """Set `substituted` of each path inside EXISTS."""
    node = algebra.with_children(node, mark_substituted_ends)
    if isinstance(node, algebra.Exists):
        outside = _origins(node.left).elsewhere
        return replace(node, right=_mark_ends(node.right, outside, frozenset(node.left.variables)))
    if isinstance(node, algebra.LeftJoin) and node.exists:
        rows = algebra.Join(node.left, node.right)
        outside, all_ = _origins(rows).elsewhere, frozenset(rows.variables)
        marks = tuple((variable, _mark_ends(pattern, outside, all_)) for variable, pattern in node.exists)
        return replace(node, exists=marks)
    return node


def _mark_ends(node: algebra.Node, outside: Variables, variables: Variables) -> algebra.Node:
    """Set `substituted` of the paths in the pattern of an EXISTS.

    Args:
        outside: variables that the outer row may bind to a term that is not in the graph.
        variables: all variables that the outer row may bind.
    """
    if isinstance(node, algebra.Graph):
        outside = variables
    elif isinstance(node, algebra.Closure) and node.may_be_empty:
        return replace(node, substituted=node.substituted | outside.intersection(node.variables))
    elif isinstance(node, algebra.Group) or (
        isinstance(node, algebra.Project) and not all(map(algebra.is_hidden, node.dropped))
    ):
        # a variable that a subquery does not project is not the outer variable
        outside, variables = (each.intersection(node.variables) for each in (outside, variables))
    return algebra.with_children(node, lambda child: _mark_ends(child, outside, variables))


def _origins(node: algebra.Node) -> _Origins:
    every = frozenset(node.variables)
    below = [_origins(child) for child in node.children]
    match node:
        case algebra.BGP():
            ends = frozenset(v for pattern in node.patterns for v in (pattern.subject, pattern.object))
            return _Origins(every & ends, every - ends)
        case algebra.NegatedSet():
            return _Origins(every, frozenset())
        case algebra.Closure():
            is_open = every == {node.subject, node.object} or not node.may_be_empty
            return _Origins(every, frozenset()) if is_open else _Origins(frozenset(), every)
        case algebra.Join():
            both = below[0].graph | below[1].graph
            return _Origins(both, (below[0].elsewhere | below[1].elsewhere) - both)
        case algebra.LeftJoin():
            return _Origins(below[0].graph, (below[0].elsewhere | below[1].elsewhere) - below[0].graph)
        case algebra.Union():
            return _Origins(below[0].graph & below[1].graph, below[0].elsewhere | below[1].elsewhere)
        case algebra.Extend(variable=variable, expression=Variable() as other) if other in below[0].graph:
            return _Origins(below[0].graph | {variable}, below[0].elsewhere)
        case algebra.Project() | algebra.Group():
            kept = below[0].graph & every
            rest = every - kept if isinstance(node, algebra.Group) else below[0].elsewhere & every
            return _Origins(kept, rest)
        case algebra.Graph():
            return _Origins(frozenset(), every)
    if not below:
        return _Origins(frozenset(), every)
    return _Origins(below[0].graph, (below[0].elsewhere | every - set(node.children[0].variables)) & every)


# -- names -------------------------------------------------------------------------------------------------


def name_aggregates(node: algebra.Node) -> algebra.Node:
    """Name aggregates by the variables of SELECT, instead of copying their columns."""
    node = algebra.with_children(node, name_aggregates)
    above: list[algebra.Extend | algebra.Filter | algebra.OrderBy] = []
    group = node.child if isinstance(node, algebra.Project) else node
    while isinstance(group, algebra.Extend | algebra.Filter | algebra.OrderBy):
        above.append(group)
        group = group.child
    if not isinstance(node, algebra.Project) or not isinstance(group, algebra.Group):
        return node
    made = {aggregate.variable for aggregate in group.aggregates}
    names: dict[Variable, Variable] = {
        part.expression: part.variable
        for part in above
        if isinstance(part, algebra.Extend)
        and isinstance(part.expression, Variable)
        and part.expression in made
    }
    aggregates = tuple(replace(a, variable=names.get(a.variable, a.variable)) for a in group.aggregates)
    child: algebra.Node = replace(group, aggregates=aggregates)
    for part in reversed(above):
        if not isinstance(part, algebra.Extend) or part.variable not in child.variables:
            child = _rename(part, child, names)
    return replace(node, child=child)


def _rename(
    part: algebra.Extend | algebra.Filter | algebra.OrderBy,
    child: algebra.Node,
    names: Mapping[Variable, algebra.Expression],
) -> algebra.Node:
    """Return an operator over another child, with renamed columns."""

    def renamed(expression: algebra.Expression) -> algebra.Expression:
        return algebra.replaced(expression, names)

    if isinstance(part, algebra.Extend):
        return replace(part, child=child, expression=renamed(part.expression))
    if isinstance(part, algebra.Filter):
        return replace(part, child=child, condition=renamed(part.condition))
    keys = tuple(replace(key, expression=renamed(key.expression)) for key in part.keys)
    return replace(part, child=child, keys=keys)


# -- filters -------------------------------------------------------------------------------------------------


def push_filters(node: algebra.Node) -> algebra.Node:
    """Move each condition down to the lowest node that binds all its variables."""
    node = algebra.with_children(node, push_filters)
    if not isinstance(node, algebra.Filter):
        return node
    child = node.child
    for condition in _conjuncts(node.condition):
        child = _push(child, condition)
    return child


def _conjuncts(condition: algebra.Expression) -> tuple[algebra.Expression, ...]:
    if isinstance(condition, algebra.Call) and condition.function == "&&":
        return tuple(part for argument in condition.arguments for part in _conjuncts(argument))
    return (condition,)


def _push(node: algebra.Node, condition: algebra.Expression) -> algebra.Node:
    used = algebra.variables_of(condition)
    if not algebra.is_volatile(condition):
        if isinstance(node, algebra.Join):
            if used <= node.left.certain:
                return replace(node, left=_push(node.left, condition))
            if used <= node.right.certain:
                return replace(node, right=_push(node.right, condition))
        elif (
            isinstance(node, algebra.LeftJoin | algebra.Minus | algebra.Exists) and used <= node.left.certain
        ):
            return replace(node, left=_push(node.left, condition))
        elif isinstance(node, algebra.Union) and used <= node.certain:
            return replace(node, left=_push(node.left, condition), right=_push(node.right, condition))
        elif (isinstance(node, algebra.Project) and used <= node.certain) or (
            isinstance(node, algebra.Extend | algebra.Graph | algebra.Filter)
            and used <= node.child.certain
            # the times of triples depend on the graph
            and not (isinstance(node, algebra.Graph) and algebra.uses_timestamps(condition))
        ):  # a variable that Project drops is another variable outside
            return replace(node, child=_push(node.child, condition))
    return algebra.Filter(node, condition)


# -- joins ---------------------------------------------------------------------------------------------------


def order_joins(node: algebra.Node) -> algebra.Node:
    """Order the joins of a group: constant rows first, then all triple patterns as one pattern, and paths
    with two variables last.

    The order of joins determines the literal form of a shared variable. So this pass is used only for graphs
    in which each value has one form, and it leaves joins with constant or computed literals unchanged.
    """
    node = algebra.with_children(node, order_joins)
    if not isinstance(node, algebra.Join):
        return node
    parts = _join_operands(node)
    if any(_has_new_literals(inner) for part in parts for inner in algebra.nodes_of(part)):
        return node
    patterns = tuple(pattern for part in parts if isinstance(part, algebra.BGP) for pattern in part.patterns)
    others = [part for part in parts if not isinstance(part, algebra.BGP)]
    merged = [*others, algebra.BGP(patterns)] if patterns else others
    first, *rest = sorted(merged, key=_rank)
    for part in rest:
        first = algebra.Join(first, part)
    return first


def _has_new_literals(node: algebra.Node) -> bool:
    """Return whether a node has constant or computed literals, whose forms may differ from those in the
    graph.
    """
    if isinstance(node, algebra.Values):
        return any(isinstance(term, Literal) for row in node.rows for term in row)
    return isinstance(node, algebra.Group) or (
        isinstance(node, algebra.Extend) and not isinstance(node.expression, Variable)
    )


def _join_operands(node: algebra.Node) -> list[algebra.Node]:
    if not isinstance(node, algebra.Join):
        return [node]
    return [*_join_operands(node.left), *_join_operands(node.right)]


def _rank(node: algebra.Node) -> int:
    """Return the rank of a node in the order of joins; nodes of equal rank keep their order."""
    if isinstance(node, algebra.Values):
        return 0
    base = node.child if isinstance(node, algebra.Filter) else node
    if isinstance(base, algebra.BGP):
        return 1
    if isinstance(node, algebra.Closure | algebra.NegatedSet) and len(node.variables) == 2:
        return 3
    return 2


# -- columns -------------------------------------------------------------------------------------------------


def drop_columns(node: algebra.Node) -> algebra.Node:
    """Project triple patterns to the variables that nodes above them use.

    All variables are kept below volatile expressions, since RAND is evaluated once for each solution.
    """
    return _narrow(node, frozenset(node.variables))


def _narrow(node: algebra.Node, needed: frozenset[Variable]) -> algebra.Node:
    if isinstance(node, algebra.BGP):
        kept = tuple(variable for variable in node.variables if variable in needed)
        return node if len(kept) == len(node.variables) else algebra.Project(node, kept)
    if isinstance(node, algebra.Project):
        return replace(node, child=_narrow(node.child, frozenset(node.names)))
    if isinstance(node, algebra.Filter):
        if isinstance(node.child, algebra.BGP):
            kept = tuple(variable for variable in node.variables if variable in needed)
            return node if len(kept) == len(node.variables) else algebra.Project(node, kept)
        return replace(node, child=_narrow(node.child, needed | _used_by(node.condition, node.child)))
    if isinstance(node, algebra.Extend):
        return replace(node, child=_narrow(node.child, needed | _used_by(node.expression, node.child)))
    if isinstance(node, algebra.OrderBy):
        used = frozenset(v for key in node.keys for v in algebra.variables_of(key.expression))
        return replace(node, child=_narrow(node.child, needed | used))
    if isinstance(node, algebra.Group):
        return replace(node, child=_narrow(node.child, _used_by_group(node)))
    if isinstance(node, algebra.Slice):  # LIMIT without an order needs few rows, and no columns are dropped
        return node if _is_unordered(node.child) else replace(node, child=_narrow(node.child, needed))
    if isinstance(node, algebra.Graph):
        return replace(node, child=_narrow(node.child, needed.union(_variable(node.name))))
    if isinstance(node, algebra.Join | algebra.Union):
        left = needed.union(node.right.variables)
        right = needed.union(node.left.variables)
        return replace(node, left=_narrow(node.left, left), right=_narrow(node.right, right))
    if isinstance(node, algebra.LeftJoin):
        used = frozenset() if node.condition is None else _used_by(node.condition, *node.children)
        for _, pattern in node.exists:
            used = used.union(pattern.variables, correlated_variables(pattern))
        left, right = needed.union(used, node.right.variables), needed.union(used, node.left.variables)
        return replace(node, left=_narrow(node.left, left), right=_narrow(node.right, right))
    if isinstance(node, algebra.Minus | algebra.Exists):
        used = frozenset(node.right.variables) | correlated_variables(node.right)
        shared = frozenset(node.left.variables)
        if isinstance(node, algebra.Exists):
            shared |= used
        return replace(node, left=_narrow(node.left, needed | used), right=_narrow(node.right, shared))
    return algebra.with_children(node, drop_columns) if isinstance(node, algebra.Distinct) else node


def _used_by(expression: algebra.Expression, *children: algebra.Node) -> frozenset[Variable]:
    """Return the variables on which an expression over the rows of nodes depends."""
    if algebra.is_volatile(expression):
        return frozenset(variable for child in children for variable in child.variables)
    return frozenset(algebra.variables_of(expression))


def _is_unordered(node: algebra.Node) -> bool:
    while isinstance(node, algebra.Project):
        node = node.child
    return not isinstance(node, algebra.OrderBy | algebra.Group | algebra.Distinct)


def _variable(term: object) -> tuple[Variable, ...]:
    return (term,) if isinstance(term, Variable) else ()


def _used_by_group(node: algebra.Group) -> frozenset[Variable]:
    """Return the variables on which the keys and aggregates of a group depend."""
    needed: set[Variable] = set(node.keys or ())
    for made in node.aggregates:
        if made.argument is not None:
            needed |= _used_by(made.argument, node.child)
        elif made.distinct:
            needed.update(node.child.variables)
    return frozenset(needed)


# `mark_substituted_ends` is first, since the other passes move and drop nodes on which it depends.
PASSES: tuple[algebra.Pass, ...] = (
    mark_substituted_ends,
    name_aggregates,
    push_filters,
    order_joins,
    drop_columns,
)


def optimize(node: algebra.Node, has_forms: bool) -> algebra.Node:
    """Apply all passes.

    Args:
        has_forms: whether a value may have several forms in the graph; joins then keep the order of the text.
    """
    for simplify in PASSES:
        if not (has_forms and simplify is order_joins):
            node = simplify(node)
    return node

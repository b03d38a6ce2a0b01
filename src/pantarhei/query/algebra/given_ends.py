"""The ends of paths that EXISTS gives values which may be no terms of the graph.

A path that may have no step relates each term of the graph to itself, and each end that is given. In EXISTS
the values of the row outside stand for the variables of the pattern (SPARQL 1.1, section 18.6), and so are
given. Where they are terms of the graph that makes no difference. They need not be where VALUES, BIND or an
aggregate says them, another graph, or such a path with a given end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from rdflib import Variable

from pantarhei.query.algebra.nodes import (
    BGP,
    Closure,
    Extend,
    Graph,
    Group,
    Join,
    LeftJoin,
    Mark,
    NegatedSet,
    Node,
    Project,
    Union,
    is_hidden,
)
from pantarhei.query.algebra.rebuilding import with_children

Variables = frozenset[Variable]


class _Origins(NamedTuple):
    """Where the values of a node's variables come from.

    Args:
        graph: the variables that each row binds to a term of the graph.
        elsewhere: those that a row may bind to another term.
    """

    graph: Variables
    elsewhere: Variables


def say_given_ends(node: Node) -> Node:
    """The node where each path says which of its ends are given from outside of EXISTS."""
    node = with_children(node, say_given_ends)
    if isinstance(node, Mark):
        outside = _origins(node.left).elsewhere
        return replace(node, right=_given(node.right, outside, frozenset(node.left.variables)))
    if isinstance(node, LeftJoin) and node.marks:
        rows = Join(node.left, node.right)
        outside, all_ = _origins(rows).elsewhere, frozenset(rows.variables)
        marks = tuple((variable, _given(pattern, outside, all_)) for variable, pattern in node.marks)
        return replace(node, marks=marks)
    return node


def _given(node: Node, outside: Variables, variables: Variables) -> Node:
    """The pattern of an EXISTS with its ends that are given.

    Args:
        outside: what the row outside may bind to a term that the graph does not have.
        variables: what it may bind at all.
    """
    if isinstance(node, Graph):
        outside = variables
    elif isinstance(node, Closure) and node.may_stay:
        return replace(node, given=node.given | outside.intersection(node.variables))
    elif isinstance(node, Group) or (isinstance(node, Project) and not all(map(is_hidden, node.lost))):
        # what a query inside does not name is another variable there
        outside, variables = (each.intersection(node.variables) for each in (outside, variables))
    return with_children(node, lambda child: _given(child, outside, variables))


def _origins(node: Node) -> _Origins:
    """Where the values of a node's variables come from."""
    every = frozenset(node.variables)
    below = [_origins(child) for child in node.children]
    match node:
        case BGP():
            ends = frozenset(v for pattern in node.patterns for v in (pattern.subject, pattern.object))
            return _Origins(every & ends, every - ends)
        case NegatedSet():
            return _Origins(every, frozenset())
        case Closure():
            is_open = every == {node.subject, node.object} or not node.may_stay
            return _Origins(every, frozenset()) if is_open else _Origins(frozenset(), every)
        case Join():
            both = below[0].graph | below[1].graph
            return _Origins(both, (below[0].elsewhere | below[1].elsewhere) - both)
        case LeftJoin():
            return _Origins(below[0].graph, (below[0].elsewhere | below[1].elsewhere) - below[0].graph)
        case Union():
            return _Origins(below[0].graph & below[1].graph, below[0].elsewhere | below[1].elsewhere)
        case Extend(variable=variable, expression=Variable() as other) if other in below[0].graph:
            return _Origins(below[0].graph | {variable}, below[0].elsewhere)
        case Project() | Group():
            kept = below[0].graph & every
            return _Origins(kept, every - kept if isinstance(node, Group) else below[0].elsewhere & every)
        case Graph():
            return _Origins(frozenset(), every)
    if not below:
        return _Origins(frozenset(), every)
    return _Origins(below[0].graph, (below[0].elsewhere | every - set(node.children[0].variables)) & every)

"""From the nodes of a query to operators."""

from __future__ import annotations

from dataclasses import replace

from rdflib import BNode, Literal, URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.language.term import RDF_TYPE
from pantarhei.query.algebra.binding import expressions_of, looks_outside
from pantarhei.query.algebra.expressions import Call, Expression, OrderKey, is_drawn, parts_of, variables_of
from pantarhei.query.algebra.nodes import (
    BGP,
    Closure,
    Distinct,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Mark,
    NegatedSet,
    Node,
    OrderBy,
    Project,
    Slice,
    TriplePattern,
    is_hidden,
    nodes_of,
)


def looks_at_clock(expression: Expression) -> bool:
    """Whether an expression has another value at each step."""
    return any(isinstance(part, Call) and part.function == "NOW" for part in parts_of(expression))


def is_whole(node: Node) -> bool:
    """Whether a node is evaluated anew as a whole, and not from the changes of what is below it."""
    if isinstance(node, Closure | NegatedSet | Graph):
        return True
    if any(map(looks_at_clock, expressions_of(node))):
        return True
    if isinstance(node, BGP):
        return not all(map(is_kernel_pattern, node.patterns)) or not node.patterns
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
    if isinstance(pattern.predicate, Variable) or isinstance(pattern.subject, Literal):
        return False
    return pattern.predicate != RDF_TYPE or not isinstance(pattern.object, Variable | Literal)


def separate(node: BGP) -> Node:
    """A pattern as a join of parts, in each of which all hangs together by variables."""
    parts: list[tuple[set[Variable], list[int]]] = []
    for place, pattern in enumerate(node.patterns):
        variables, places = {each for each in pattern.places if isinstance(each, Variable)}, [place]
        for part in [part for part in parts if part[0] & variables]:
            parts.remove(part)
            variables, places = part[0] | variables, part[1] + places
        parts.append((variables, places))
    if len(parts) == 1:
        return node
    joined: Node
    joined, *others = (BGP(tuple(node.patterns[place] for place in sorted(places))) for _, places in parts)
    for other in others:
        joined = Join(joined, other)
    return joined if joined.variables == node.variables else Project(joined, node.variables)


def symbols_of(node: Node) -> frozenset[Symbol] | None:
    """The classes and properties that a node looks at; None for all, and for more than the facts."""
    found: set[Symbol] = set()
    for part in nodes_of(node):
        if isinstance(part, NegatedSet | Graph) or (isinstance(part, Closure) and part.is_reflexive):
            return None
        if any(map(looks_at_clock, expressions_of(part))):
            return None
        for pattern in part.patterns if isinstance(part, BGP) else ():
            if isinstance(pattern.predicate, Variable | BNode | Literal):
                return None
            if pattern.predicate != RDF_TYPE:
                found.add(Symbol(pattern.predicate, 2))
            elif isinstance(pattern.object, URIRef):
                found.add(Symbol(pattern.object, 1))
            else:
                return None
    return frozenset(found)


def marked_parts(node: Mark) -> tuple[Node, tuple[Expression, ...]] | None:
    """What EXISTS looks for, and the conditions that look at the row outside too; None where it is looked at
    deeper inside.
    """
    right: Node = node.right
    conditions: tuple[Expression, ...] = ()
    while True:
        if isinstance(right, Filter):
            conditions, right = (right.condition, *conditions), right.child
        elif isinstance(right, Project) and all(map(is_hidden, right.lost)):
            right = right.child
        else:
            break
    seen = looks_outside(right)
    if seen & set(node.left.variables) or any(is_drawn(each) or looks_at_clock(each) for each in conditions):
        return None
    return right, conditions


def sliced_parts(node: Slice) -> tuple[Node, tuple[OrderKey, ...]] | None:
    """The node whose rows are ordered, and by what; None where that is something DISTINCT leaves out."""
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

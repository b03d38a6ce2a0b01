"""Properties of algebra nodes, and substitution of terms for variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol, Symbols
from pantarhei.model.term import RDF_TYPE, Term
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH, ONTOLOGY_GRAPH, QUALITY_GRAPH, SCHEMA_GRAPH

_GRAPHS_WITHOUT_FACTS: Final[frozenset[algebra.PatternTerm]] = frozenset(
    (CONCLUSIONS_GRAPH, ONTOLOGY_GRAPH, QUALITY_GRAPH, SCHEMA_GRAPH)
)
"""Named graphs without facts of the window."""


def symbols_of_query(query: algebra.Query) -> Symbols:
    """Return the classes and properties that a query reads; None for all, as for a query over a timestamp's
    graph.
    """
    return None if query.form == "DESCRIBE" or query.has_dataset_clause else symbols_of(query.node)


def symbols_of(node: algebra.Node) -> Symbols:
    """Return the classes and properties that a node reads; None for all, as for GRAPH with a timestamp's
    graph.
    """
    graphs = [part for part in algebra.nodes_of(node) if isinstance(part, algebra.Graph)]
    if not all(part.name in _GRAPHS_WITHOUT_FACTS for part in graphs):
        return None
    excluded = {id(part) for graph in graphs for part in algebra.nodes_of(graph)}
    found: set[Symbol] = set()
    for part in algebra.nodes_of(node):
        if id(part) in excluded:
            continue
        if isinstance(part, algebra.NegatedSet) or (isinstance(part, algebra.Closure) and part.is_reflexive):
            return None
        for pattern in part.patterns if isinstance(part, algebra.BGP) else ():
            symbols = symbols_of_pattern(pattern.predicate, pattern.object)
            if symbols is None:
                return None
            found |= symbols
    return frozenset(found)


def symbols_of_pattern(predicate: algebra.PatternTerm | None, object_: algebra.PatternTerm | None) -> Symbols:
    """Return the class or property whose facts match a triple pattern; None for all.

    >>> from rdflib import RDF, Variable
    >>> symbols_of_pattern(RDF.type, URIRef("urn:x/C")), symbols_of_pattern(RDF.type, Variable("c"))
    (frozenset({Symbol(name=rdflib.term.URIRef('urn:x/C'), arity=1)}), None)
    """
    if not isinstance(predicate, URIRef):
        return None
    if predicate != RDF_TYPE:
        return frozenset((Symbol(predicate, 2),))
    return frozenset((Symbol(object_, 1),)) if isinstance(object_, URIRef) else None


def correlated_variables(node: algebra.Node) -> frozenset[Variable]:
    """Return the variables of an EXISTS pattern for which substituting outer values can change its rows.

    These are variables that an expression uses but its operand does not bind in every row; variables of the
    right operand of MINUS, which are no longer shared once substituted; variables in the patterns of a nested
    EXISTS; and the `substituted` ends of paths.
    """
    found: set[Variable] = set()
    for part in algebra.nodes_of(node):
        first = part.children[0] if part.children else None
        inside = part.left if isinstance(part, algebra.LeftJoin) else first
        for expression in expressions_of(part):
            certain = inside.certain if inside is not None else frozenset()
            if isinstance(part, algebra.LeftJoin):
                certain = certain | part.right.certain
            found |= algebra.variables_of(expression) - certain
        if isinstance(part, algebra.Closure):
            found |= part.substituted
        if isinstance(part, algebra.Minus):
            found |= set(part.right.variables)
        if isinstance(part, algebra.Exists):
            found |= _pattern_variables(part.right) - part.left.certain
        if isinstance(part, algebra.LeftJoin):
            for _, pattern in part.exists:
                found |= _pattern_variables(pattern) - part.left.certain - part.right.certain
    return frozenset(found)


def _pattern_variables(node: algebra.Node) -> set[Variable]:
    """Return the variables of a node that occur in its patterns."""
    patterns = (
        part
        for part in algebra.nodes_of(node)
        if isinstance(part, algebra.BGP | algebra.Closure | algebra.NegatedSet | algebra.Graph)
    )
    return {variable for part in patterns for variable in part.variables}.intersection(node.variables)


def expressions_of(node: algebra.Node) -> tuple[algebra.Expression, ...]:
    """Return the expressions of a node, without the expressions of its children."""
    if isinstance(node, algebra.Filter):
        return (node.condition,)
    if isinstance(node, algebra.Extend):
        return (node.expression,)
    if isinstance(node, algebra.LeftJoin):
        return () if node.condition is None else (node.condition,)
    if isinstance(node, algebra.OrderBy):
        return tuple(key.expression for key in node.keys)
    if isinstance(node, algebra.Group):
        return tuple(a.argument for a in node.aggregates if a.argument is not None)
    return ()


def is_volatile_node(node: algebra.Node) -> bool:
    """Return whether two evaluations of a node may have different rows."""
    return any(algebra.is_volatile(each) for part in algebra.nodes_of(node) for each in expressions_of(part))


def depends_on_clock(node: algebra.Node) -> bool:
    """Return whether the rows of a node depend on NOW."""
    return any(algebra.uses_clock(each) for part in algebra.nodes_of(node) for each in expressions_of(part))


def substitute(node: algebra.Node, values: Mapping[Variable, Term]) -> algebra.Node:
    """Substitute terms for variables, in patterns and expressions.

    Each pattern that contained such a variable is extended by a column with the term, so that the rows still
    bind the variable.
    """
    if not values:
        return node
    parts = {f.name: _substituted_part(getattr(node, f.name), f.name, values) for f in fields(node)}
    made = replace(node, **parts)
    if isinstance(node, algebra.BGP | algebra.Closure | algebra.NegatedSet | algebra.Graph):
        terms = [p for p in node.variables if p in values and p not in made.variables]
        for variable in terms:
            made = algebra.Extend(made, variable, values[variable])
    return made


# Fields that name columns, in which nothing is substituted.
_COLUMN_FIELDS = ("variable", "names", "keys", "start", "end", "rows")


def _substituted_part(part: Any, name: str, values: Mapping[Variable, Term]) -> Any:
    if isinstance(part, algebra.Node):
        return substitute(part, values)
    if isinstance(part, algebra.TriplePattern):
        return algebra.TriplePattern(*(_value(term, values) for term in part.terms))
    if isinstance(part, algebra.OrderKey):
        return replace(part, expression=algebra.replaced(part.expression, dict(values)))
    if isinstance(part, algebra.Aggregate):
        argument = None if part.argument is None else algebra.replaced(part.argument, dict(values))
        return replace(part, argument=argument)
    if name == "exists":
        return tuple((variable, substitute(pattern, values)) for variable, pattern in part)
    if name in _COLUMN_FIELDS and not (name == "keys" and part and isinstance(part[0], algebra.OrderKey)):
        return part
    if isinstance(part, tuple):
        return tuple(_substituted_part(member, name, values) for member in part)
    if name in ("condition", "expression") and part is not None:
        return algebra.replaced(part, dict(values))
    if name in ("subject", "object", "name"):
        return _value(part, values)
    return part


def _value(term: algebra.PatternTerm, values: Mapping[Variable, Term]) -> algebra.PatternTerm:
    return values.get(term, term) if isinstance(term, Variable) else term


def with_bindings(node: algebra.Node, values: Mapping[Variable, Term]) -> algebra.Node:
    """Return a node in which variables have fixed values, in every pattern and expression and in its rows."""
    row = algebra.Values(tuple(values), (tuple(values.values()),))
    return algebra.Join(row, substitute(node, values))

"""The classes and properties that a query looks at."""

from __future__ import annotations

from typing import Final

from rdflib import URIRef

from pantarhei.encoding.numbers import Symbol, Symbols
from pantarhei.model.term import RDF_TYPE
from pantarhei.query.algebra.nodes import BGP, Closure, Graph, NegatedSet, Node, Place, Query, nodes_of
from pantarhei.query.sparql import CONCLUSIONS_GRAPH, ONTOLOGY_GRAPH, QUALITY_GRAPH, SCHEMA_GRAPH

_BESIDE: Final[frozenset[Place]] = frozenset((CONCLUSIONS_GRAPH, ONTOLOGY_GRAPH, QUALITY_GRAPH, SCHEMA_GRAPH))
"""The graphs that have no facts of the window."""


def symbols_of_query(query: Query) -> Symbols:
    """Those that its answers depend on; None for all, and where other graphs than the default are asked."""
    if query.form == "DESCRIBE" or query.default_graphs is not None or query.named_graphs is not None:
        return None
    return symbols_of(query.node)


def symbols_of(node: Node) -> Symbols:
    """Those that a node looks at; None for all, and where a named graph with facts of the window is asked."""
    graphs = [part for part in nodes_of(node) if isinstance(part, Graph)]
    if not all(part.name in _BESIDE for part in graphs):
        return None
    beside = {id(part) for graph in graphs for part in nodes_of(graph)}
    found: set[Symbol] = set()
    for part in nodes_of(node):
        if id(part) in beside:
            continue
        if isinstance(part, NegatedSet) or (isinstance(part, Closure) and part.is_reflexive):
            return None
        for pattern in part.patterns if isinstance(part, BGP) else ():
            symbols = symbols_of_pattern(pattern.predicate, pattern.object)
            if symbols is None:
                return None
            found |= symbols
    return frozenset(found)


def symbols_of_pattern(predicate: Place | None, object_: Place | None) -> Symbols:
    """Those that a pattern of one triple looks at, by what stands in two of its places; None for all.

    >>> from rdflib import RDF, Variable
    >>> symbols_of_pattern(RDF.type, URIRef("urn:x/C")), symbols_of_pattern(RDF.type, Variable("c"))
    (frozenset({Symbol(name=rdflib.term.URIRef('urn:x/C'), arity=1)}), None)
    """
    if not isinstance(predicate, URIRef):
        return None
    if predicate != RDF_TYPE:
        return frozenset((Symbol(predicate, 2),))
    return frozenset((Symbol(object_, 1),)) if isinstance(object_, URIRef) else None

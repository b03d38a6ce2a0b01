"""What the engine answers over a graph, as the short texts of `asked`."""

from __future__ import annotations

from typing import Any

from rdflib import Graph

from asked import PREFIXES, short, triples
from pantarhei.query import QueryResult, run_query
from pantarhei.query.algebra.nodes import Node, Query
from pantarhei.query.syntax import read_query


def read(text: str, base: str | None = None) -> Query:
    """The algebra of a query that may use the prefixes of `asked`."""
    return read_query(text, PREFIXES, base)


def pattern(text: str) -> Node:
    """The algebra of a group graph pattern, written without its outer braces."""
    return read(f"ASK {{ {text} }}").node


def graph(data: str) -> Graph:
    """The graph of a text in Turtle, without its prefixes, literals as they are written."""
    made = Graph()
    for triple in triples(data):
        made.add(triple)
    return made


def ask(query: str, data: str = "", **options: Any) -> QueryResult:
    """The answers over a graph."""
    return run_query(graph(data), query, namespaces=PREFIXES, **options)


def rows(query: str, data: str = "", **options: Any) -> list[str]:
    """SELECT's rows in their order."""
    return [" ".join(map(short, row)) for row in ask(query, data, **options)]

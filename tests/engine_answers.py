"""Answers of the engine over a graph, as the short texts of `oracle_answers`."""

from __future__ import annotations

from typing import Any

from rdflib import Graph

from oracle_answers import PREFIXES, short, triples
from pantarhei.query import QueryResult, run_query
from pantarhei.query.algebra.nodes import Node, Query
from pantarhei.query.syntax import read_query


def read(text: str, base: str | None = None) -> Query:
    """Parse a query to algebra; it can use the prefixes of `oracle_answers`."""
    return read_query(text, PREFIXES, base)


def pattern(text: str) -> Node:
    """Parse a group graph pattern, written without its outer braces, to algebra."""
    return read(f"ASK {{ {text} }}").node


def graph(data: str) -> Graph:
    """Parse Turtle without prefix declarations to a graph; literals keep their lexical forms."""
    made = Graph()
    for triple in triples(data):
        made.add(triple)
    return made


def ask(query: str, data: str = "", **options: Any) -> QueryResult:
    """Return the answers of a query over a graph."""
    return run_query(graph(data), query, namespaces=PREFIXES, **options)


def rows(query: str, data: str = "", **options: Any) -> list[str]:
    """Return SELECT's rows in order."""
    return [" ".join(map(short, row)) for row in ask(query, data, **options)]

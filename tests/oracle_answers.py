"""Answers of the oracle as short texts: `1^integer` for a typed literal, `a` for the name `:a`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyoxigraph
from rdflib import XSD, URIRef

from oracle.answers import answers
from oracle.answers.terms import ntriples
from pantarhei.model.term import Term, Triple
from pantarhei.rdf.ntriples import to_rdflib

PREFIXES = {"": "urn:", "xsd": str(XSD)}
_DECLARED = "".join(f"PREFIX {prefix}: <{iri}> " for prefix, iri in PREFIXES.items())


def triples(text: str) -> list[Triple]:
    """Parse Turtle without prefix declarations; literals keep their lexical forms."""
    quads = pyoxigraph.parse(f"{_DECLARED}{text}".encode(), format=pyoxigraph.RdfFormat.TURTLE)
    return [tuple(map(to_rdflib, (q.subject, q.predicate, q.object))) for q in quads]  # type: ignore[misc]


def short(term: Term | None) -> str:
    """Return a term as a short text, `-` for None."""
    if term is None:
        return "-"
    if isinstance(term, URIRef):
        return term.removeprefix(str(XSD)).removeprefix("urn:")
    text, _, datatype = ntriples(term).partition("^^")
    return (
        f"{text[1:-1]}^{datatype.strip('<>').removeprefix(str(XSD)).removeprefix('urn:')}"
        if datatype
        else text
    )


def rows(query: str, data: str | Iterable[Triple] = (), **given: Any) -> list[str]:
    """Return SELECT's rows, sorted."""
    return sorted(rows_in_order(query, data, **given))


def rows_in_order(query: str, data: str | Iterable[Triple] = (), **given: Any) -> list[str]:
    """Return SELECT's rows, in an order that ORDER BY allows."""
    graph = triples(data) if isinstance(data, str) else data
    found = answers(query, graph, namespaces=PREFIXES, **given).rows_in_order
    return [" ".join(map(short, row)) for row in found]


def result(expression: str, **given: Any) -> str:
    """Return the value of an expression, `-` for an error."""
    (row,) = rows(f"SELECT ({expression} AS ?result) {{}}", **given)
    return row

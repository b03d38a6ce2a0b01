"""Evaluation of SPARQL queries by rdflib, after everything that would leave the process has been refused.

rdflib would ask the network for SERVICE, and for FROM and FROM NAMED; nothing global is set to prevent it,
the query is refused instead. A query is evaluated to its end at once, so that an answer is of one state of
the window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from threading import get_ident
from typing import Any

from pyparsing import ParseBaseException
from rdflib import Graph, URIRef
from rdflib.graph import ConjunctiveGraph
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.evaluate import evalQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Query, SPARQLError

from pantarhei.errors import QueryError, check_type
from pantarhei.language.term import Term
from pantarhei.query.answers import QueryResult
from pantarhei.query.parser import parse_query, parse_update


def evaluate(
    graph: Graph,
    query: str | Query,
    namespaces: Mapping[str, Any] | None = None,
    bindings: Mapping[str, Term] | None = None,
    base: str | None = None,
) -> QueryResult:
    """The answers of `query` over `graph`.

    Args:
        query: its text; or what rdflib prepared, which one thread at a time may use.

    Raises:
        QueryError: it is malformed, is an update, or has SERVICE, FROM or FROM NAMED; or GRAPH where there is
            none.
        OptionError: `query` is neither.
    """
    check_type("query", query, (str, Query), "a SPARQL query as text, or one that rdflib prepared")
    prepared = query if isinstance(query, Query) else prepare(query, namespaces, base)
    _refuse_network(prepared)
    if not isinstance(graph, ConjunctiveGraph) and "Graph" in _operators(prepared.algebra):
        raise QueryError("GRAPH needs a dataset, and this is a single graph; ask the reasoner's dataset")
    try:
        return QueryResult.of(evalQuery(graph, prepared, dict(bindings or {}), base))
    except SPARQLError as error:
        raise QueryError(f"the query failed: {error}") from error
    except RecursionError:
        raise QueryError("the query is nested too deeply") from None


def prepare(text: str, namespaces: Mapping[str, Any] | None = None, base: str | None = None) -> Query:
    """The query that `text` writes, for the calling thread; one that comes again is not parsed again.

    Raises:
        QueryError: it is malformed, with the place; or is an update; or has SERVICE, FROM or FROM NAMED.
    """
    prefixes = tuple(sorted((prefix, str(iri)) for prefix, iri in (namespaces or {}).items()))
    return _prepared(text, prefixes, base, get_ident())


@lru_cache(maxsize=64)
def _prepared(text: str, prefixes: tuple[tuple[str, str], ...], base: str | None, thread: int) -> Query:
    """A query of each thread's own: rdflib notes in its expressions what they are evaluated on."""
    query = _parsed(text, {prefix: URIRef(iri) for prefix, iri in prefixes}, base)
    _refuse_network(query)
    return query


def _parsed(text: str, namespaces: Mapping[str, URIRef], base: str | None) -> Query:
    try:
        return translateQuery(parse_query(text), base, namespaces)
    except ParseBaseException as error:
        if _is_update(text):
            raise QueryError(
                "this is an update: the materialization is read-only; push an ABox to change it"
            ) from None
        raise QueryError(_place(error)) from None
    except RecursionError:
        raise QueryError("the query is nested too deeply") from None
    except (
        Exception
    ) as error:  # rdflib's translation raises bare exceptions, for an unknown prefix among others
        raise QueryError(f"malformed query: {_translation_failure(error)}") from error


_EMPTY = "the query is empty: expected SELECT, CONSTRUCT, DESCRIBE or ASK"


def _place(error: ParseBaseException) -> str:
    """What is wrong there, with line and column, and the line with a mark below the place."""
    is_at_end, is_at_start = not error.pstr[error.loc :].strip(), "ConstructQuery |" in error.msg
    if is_at_end:
        return _EMPTY if is_at_start else "malformed query: it ends before it is complete"
    mark = " " * (error.column - 1) + "^"
    reason = (
        "neither a whole PREFIX or BASE nor SELECT, CONSTRUCT, DESCRIBE or ASK begins here"
        if is_at_start
        else "what begins here is not complete, or no part of a query"
    )
    place = f"line {error.lineno}, column {error.column}"
    return f"malformed query, {place}: {reason}\n    {error.line}\n    {mark}"


def _translation_failure(error: Exception) -> str:
    """What rdflib says, but for prefixes."""
    _, _, prefix = str(error).partition("Unknown namespace prefix : ")
    return f"the prefix {prefix}: is not declared; write PREFIX {prefix}: <…> first" if prefix else str(error)


def _is_update(text: str) -> bool:
    try:
        return bool(parse_update(text).request)
    except (ParseBaseException, RecursionError):
        return False


def _refuse_network(query: Query) -> None:
    if query.algebra.datasetClause:
        raise QueryError(
            "FROM and FROM NAMED are refused: they would be fetched from the network; "
            "the default graph is the materialization, the others are reached with GRAPH"
        )
    if "ServiceGraphPattern" in _operators(query.algebra):
        raise QueryError("SERVICE is refused: it would ask a server on the network; query what is local only")


def _operators(part: object) -> Iterator[str]:
    """The names of all operators of a query's algebra, expressions and nested queries included."""
    pending = [part]
    while pending:
        part = pending.pop()
        if isinstance(part, CompValue):
            yield part.name
            pending.extend(part.values())
        elif isinstance(part, Mapping):
            pending.extend(part.values())
        elif not isinstance(part, str) and hasattr(part, "__iter__"):
            pending.extend(part)

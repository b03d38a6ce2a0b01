"""Queries as they are asked: read and planned once, answered at one moment, within limits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
from rdflib import RDF, RDFS, XSD, BNode, Graph, Literal, URIRef, Variable
from rdflib.plugins.sparql.sparql import Query as PreparedQuery

from pantarhei.encoding.numbers import Symbols
from pantarhei.errors import OptionError, QueryError, QueryMemoryError, check_type
from pantarhei.model.term import Term, respelled, short
from pantarhei.model.time import TimePoint
from pantarhei.query.algebra.analysis import symbols_of_query, with_bindings
from pantarhei.query.algebra.nodes import Graph as GraphNode
from pantarhei.query.algebra.nodes import Node, Project, Query, nodes_of
from pantarhei.query.algebra.passes import optimize
from pantarhei.query.answers import MAX_BYTES, QueryResult
from pantarhei.query.expressions import Context, clock_at
from pantarhei.query.operators.executor import Executor
from pantarhei.query.operators.pattern_joins import Profile
from pantarhei.query.operators.result_forms import construct, describe
from pantarhei.query.plan_text import plan_text
from pantarhei.query.query_limits import MAX_LENGTH, NO_LIMITS, QueryLimits
from pantarhei.query.sources.view import View, graph_view
from pantarhei.query.syntax import read_query

_KEPT = 256  # so many texts are remembered

_Key = tuple[str, tuple[tuple[str, str], ...] | None, str | None]

_OF_RDFLIB = {"owl": "http://www.w3.org/2002/07/owl#", "rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}


class PlannedQuery:
    """A query that was read; it is planned when it is first answered.

    Args:
        looks_at_clock: whether it may call NOW.
    """

    def __init__(self, query: Query, looks_at_clock: bool) -> None:
        self.query, self.uses_clock = query, looks_at_clock
        self.has_graphs = any(isinstance(node, GraphNode) for node in nodes_of(query.node))
        self._plans: dict[bool, Node] = {}

    @cached_property
    def symbols(self) -> Symbols:
        """The classes and properties that it looks at, None for all."""
        return symbols_of_query(self.query)

    def plan(self, has_forms: bool) -> Node:
        """The node to be evaluated."""
        found = self._plans.get(has_forms)
        if found is None:
            found = self._plans[has_forms] = optimize(self.query.node, has_forms)
        return found


class QueryPlanner:
    """Remembers the texts that were asked last.

    Threads share it without a lock, which one that is interrupted might keep: each look at what is remembered
    is one call, and nothing is wrong where another thread has forgotten a text before the next.

    Args:
        prefixes: those that a text may use without declaring them, where a question brings none.
    """

    def __init__(self, prefixes: Mapping[str, str] | None = None) -> None:
        self.prefixes = _OF_RDFLIB if prefixes is None else dict(prefixes)
        self._known: OrderedDict[_Key, PlannedQuery] = OrderedDict()

    def prepare(
        self,
        query: str | PreparedQuery | PlannedQuery,
        prefixes: Mapping[str, Any] | None = None,
        base: str | None = None,
        guard: QueryLimits = NO_LIMITS,
    ) -> PlannedQuery:
        """Read the text of a query; one that was read before is not read again, nor one that this returned.

        Raises:
            QueryError: it is malformed, an update, or has SERVICE, or exceeds a limit of `guard`.
            OptionError: it is no text, nor prepared by rdflib's `prepareQuery`.
        """
        if isinstance(query, PlannedQuery):
            return query
        if isinstance(query, PreparedQuery):
            given = getattr(query, "_original_args", None)
            if given is None:
                raise OptionError(
                    "query", "<a translated query>", "a text, or what rdflib's prepareQuery gives"
                )
            query, prefixes, base = given
        check_type("query", query, str, "a SPARQL query as text, or one that rdflib prepared")
        check_type("base", base, str | None, "an IRI as text, or None")
        text = str(query)
        known = None if prefixes is None else _pairs(prefixes)
        key = (text, known, base)
        found = self._known.get(key)
        if found is not None:
            with suppress(KeyError):  # it has been forgotten meanwhile
                self._known.move_to_end(key)
            return found
        asked = read_query(text, self.prefixes if known is None else dict(known), base, guard=guard)
        guard.check()
        found = PlannedQuery(asked, "NOW" in text.upper() or "\\" in text)  # which may be an escape in it
        self._known[key] = found
        while len(self._known) > _KEPT:
            with suppress(KeyError):  # all have been forgotten meanwhile
                self._known.popitem(last=False)
        return found

    def answer(
        self,
        view: View,
        query: str | PreparedQuery | PlannedQuery,
        *,
        bindings: Mapping[Any, Term] | None = None,
        guard: QueryLimits = NO_LIMITS,
        now: TimePoint | None = None,
    ) -> QueryResult:
        """Return the answers of a query, evaluated to the end.

        Args:
            view: what it is asked of.
            bindings: values for variables.
            guard: its limits.
            now: what NOW() is, where that is a datetime; else it is the time of the call.

        Raises:
            QueryError: the query is malformed, or asks for what is refused, or not here.
            QueryLengthError, QueryTimeoutError, QueryMemoryError: it exceeds a limit.
            OptionError: an option has no such value.
        """
        prepared = self.prepare(query, guard=guard)
        asked = prepared.query
        if asked.default_graphs is not None or asked.named_graphs is not None:
            view = view.restricted(asked.default_graphs, asked.named_graphs)
        elif prepared.has_graphs and not view.has_names:
            raise QueryError("GRAPH needs a dataset, and this is a single graph; ask the reasoner's dataset")
        values = _values(bindings or {})
        clock = (
            clock_at(now if isinstance(now, datetime) else datetime.now(UTC))
            if prepared.uses_clock
            else _NO_TIME
        )
        try:
            if values:
                node = optimize(_with_values(asked, values), has_forms=True)
            else:
                node = prepared.plan(view.dataset.default.has_forms or prepared.has_graphs)
            guard.check()
            return execute(asked, node, clock, view, guard)
        except MemoryError:
            raise QueryMemoryError(guard.max_bytes) from None
        except RecursionError:
            raise QueryError("the query is nested too deeply") from None


def _pairs(prefixes: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Prefixes and what they stand for, in order."""
    expected = "prefixes with the IRIs that they stand for, such as {'ex': 'http://example.org/'}"
    check_type("initNs", prefixes, Mapping, expected)
    pairs = [(prefix, str(iri)) for prefix, iri in prefixes.items()]
    if not all(isinstance(prefix, str) and ":" in iri for prefix, iri in pairs):
        raise OptionError("initNs", repr(dict(prefixes))[:200], expected)
    return tuple(sorted(pairs))


def limited(
    timeout: float | None = None, max_bytes: int | None = MAX_BYTES, max_length: int | None = MAX_LENGTH
) -> QueryLimits:
    """Return the limits of a query whose time begins now.

    Raises:
        OptionError: one of them is not a positive number.
    """
    if timeout is not None and not (isinstance(timeout, int | float) and timeout > 0):
        raise OptionError("timeout", repr(timeout), "seconds, more than none, or None")
    if max_bytes is not None and not (isinstance(max_bytes, int) and max_bytes > 0):
        raise OptionError("max_bytes", repr(max_bytes), "a number of bytes, or None")
    if max_length is not None and not (isinstance(max_length, int) and max_length > 0):
        raise OptionError("max_length", repr(max_length), "a number of characters, or None")
    return QueryLimits(timeout, max_bytes, max_length)


def _values(bindings: Mapping[Any, Term]) -> dict[Variable, Term]:
    expected = "variables' names with terms of rdflib, such as {'x': URIRef('http://example.org/x')}"
    check_type("initBindings", bindings, Mapping, expected)
    values = {str(name).lstrip("?$"): term for name, term in bindings.items()}
    for name, term in values.items():
        if not (name and f"_{name}".isidentifier() and isinstance(term, URIRef | BNode | Literal)):
            raise OptionError("initBindings", f"{{{name!r}: {term!r}}}"[:200], expected)
    return {Variable(name): respelled(term) for name, term in values.items()}


def _with_values(asked: Query, values: Mapping[Variable, Term]) -> Node:
    """The node of a query with given values, with the same columns."""
    node = with_bindings(asked.node, values)
    return Project(node, asked.variables) if asked.form == "SELECT" else node


_NO_TIME = Literal("")  # of queries that never ask


def execute(asked: Query, node: Node, clock: Literal, view: View, guard: QueryLimits) -> QueryResult:
    """The answers of a query that has been read and planned.

    Args:
        node: its plan.
        clock: what NOW() is.

    Raises:
        QueryTimeoutError, QueryMemoryError: it takes more than it may.
    """
    context = Context(view.terms, guard, view.literals, clock, view.times)
    account = Profile()
    evaluation = Executor(view.dataset, context, account=account)
    table = evaluation.first_rows(node, 1) if asked.form == "ASK" else evaluation.rows(node)

    def plan() -> str:
        return plan_text(node, account, short)

    terms = view.terms
    if asked.form == "SELECT":
        columns = [table.column(variable) for variable in asked.variables]
        return QueryResult(
            "SELECT",
            asked.variables,
            table.size,
            lambda: [terms.terms(column) for column in columns],
            prefixes=asked.prefixes,
            plan=plan,
        )
    if asked.form == "ASK":
        return QueryResult("ASK", answer=table.size > 0, plan=plan)
    if asked.form == "CONSTRUCT":
        made = construct(asked.template, table, terms)
        triples = [np.ascontiguousarray(column) for column in made.T]
        return QueryResult(
            "CONSTRUCT",
            size=len(made),
            decode=lambda: [terms.terms(column) for column in triples],
            prefixes=asked.prefixes,
            plan=plan,
        )
    found = describe(asked.described, table, view.dataset.default, terms)
    decoded = list(zip(*found, strict=True)) or [(), (), ()]
    return QueryResult(
        "DESCRIBE", size=len(found), decode=lambda: decoded, prefixes=asked.prefixes, plan=plan
    )


_questions = QueryPlanner()


def run_query(
    graph: Graph,
    text: str,
    *,
    namespaces: Mapping[str, Any] | None = None,
    bindings: Mapping[str, Term] | None = None,
    timeout: float | None = None,
    max_bytes: int | None = MAX_BYTES,
    max_length: int | None = MAX_LENGTH,
) -> QueryResult:
    """Return the answers of a SPARQL query over a graph or a dataset, evaluated to the end in this process.

    Costs a copy of the graph, unless it is a reasoner's.

    Args:
        namespaces: prefixes that the query may use without declaring them; by default the graph's.
        bindings: values for variables.
        timeout: seconds that reading and answering it may take, None for any.
        max_bytes: bytes that the rows of one operator may take, and all texts that functions make; None for
            any.
        max_length: characters that its text may have, None for any.

    Raises:
        QueryError: the query is malformed, or an update, or has SERVICE, or FROM of what is not there; or it
            has GRAPH and `graph` is a single graph.
        QueryLengthError, QueryTimeoutError, QueryMemoryError: it exceeds a limit.

    >>> run_query(Graph(), "ASK { ?x a ?c }").askAnswer
    False
    """
    from pantarhei.query.window_store import ReadOnlyStore

    known = dict(graph.namespaces()) if namespaces is None else namespaces
    if isinstance(graph.store, ReadOnlyStore):
        limits: dict[str, Any] = {"timeout": timeout, "max_bytes": max_bytes, "max_length": max_length}
        result = graph.query(text, initNs=dict(known), initBindings=dict(bindings or {}), **limits)
        assert isinstance(result, QueryResult)
        return result
    guard = limited(timeout, max_bytes, max_length)
    prepared = _questions.prepare(text, known, guard=guard)
    return _questions.answer(graph_view(graph), prepared, bindings=bindings, guard=guard)

"""One-shot queries: parse, plan (cached), and execute within limits."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from rdflib import RDF, RDFS, XSD, BNode, Graph, Literal, URIRef, Variable

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
from pantarhei.query.operators.executor import Executor, Profile
from pantarhei.query.operators.result_forms import construct, describe
from pantarhei.query.plan_text import plan_text
from pantarhei.query.query_limits import MAX_LENGTH, NO_LIMITS, QueryLimits
from pantarhei.query.sources.view import View, graph_view
from pantarhei.query.syntax import read_query

if TYPE_CHECKING:
    from rdflib.plugins.sparql.sparql import Query as PreparedQuery

_KEPT = 256  # cached texts

_Key = tuple[str, tuple[tuple[str, str], ...] | None, str | None]

_OF_RDFLIB = {"owl": "http://www.w3.org/2002/07/owl#", "rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}


class PlannedQuery:
    """A parsed query; it is planned when it is first executed.

    Args:
        uses_clock: whether it may call NOW.
    """

    def __init__(self, query: Query, uses_clock: bool) -> None:
        self.query, self.uses_clock = query, uses_clock
        self.has_graphs = any(isinstance(node, GraphNode) for node in nodes_of(query.node))
        self._plans: dict[bool, Node] = {}

    @cached_property
    def symbols(self) -> Symbols:
        """Classes and properties that it reads, None for all."""
        return symbols_of_query(self.query)

    def plan(self, has_forms: bool) -> Node:
        """Return the optimized node."""
        found = self._plans.get(has_forms)
        if found is None:
            found = self._plans[has_forms] = optimize(self.query.node, has_forms)
        return found


class QueryPlanner:
    """Parses, plans and executes queries; caches the most recent texts.

    Threads share it without a lock, which an interrupted thread might keep: each access to the cache is one
    call, and another thread may evict a text between two accesses.

    Args:
        prefixes: prefixes that need no declaration, if a query comes without its own.
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
        """Return the parsed query of a text, from the cache if possible; a parsed query is returned as it is.

        Raises:
            QueryError: it is malformed, an update, or has SERVICE, or exceeds a limit of `guard`.
            OptionError: it is neither a text nor prepared by rdflib's `prepareQuery`.
        """
        if isinstance(query, PlannedQuery):
            return query
        if _is_prepared_by_rdflib(query):
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
            with suppress(KeyError):  # evicted by another thread
                self._known.move_to_end(key)
            return found
        parsed = read_query(text, self.prefixes if known is None else dict(known), base, guard=guard)
        guard.check()
        found = PlannedQuery(parsed, "NOW" in text.upper() or "\\" in text)  # an escape may spell NOW
        self._known[key] = found
        while len(self._known) > _KEPT:
            with suppress(KeyError):  # emptied by another thread
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
        """Execute a query to its end.

        Args:
            view: dataset that it is evaluated over.
            bindings: values for variables.
            guard: its limits.
            now: value of NOW() if it is a datetime; else NOW() is the time of the call.

        Raises:
            QueryError: the query is malformed, or refers to an unknown graph.
            QueryLengthError, QueryTimeoutError, QueryMemoryError: it exceeds a limit.
            OptionError: an option has no such value.
        """
        prepared = self.prepare(query, guard=guard)
        parsed = prepared.query
        if parsed.default_graphs is not None or parsed.named_graphs is not None:
            view = view.restricted(parsed.default_graphs, parsed.named_graphs)
        elif prepared.has_graphs and not view.has_names:
            raise QueryError(
                "GRAPH needs a dataset, and this is a single graph; query the reasoner's dataset"
            )
        values = _values(bindings or {})
        clock = (
            clock_at(now if isinstance(now, datetime) else datetime.now(UTC))
            if prepared.uses_clock
            else _NO_TIME
        )
        try:
            if values:
                node = optimize(_with_values(parsed, values), has_forms=True)
            else:
                node = prepared.plan(view.dataset.default.has_forms or prepared.has_graphs)
            guard.check()
            return execute(parsed, node, clock, view, guard)
        except MemoryError:
            raise QueryMemoryError(guard.max_bytes) from None
        except RecursionError:
            raise QueryError("the query is nested too deeply") from None


def _is_prepared_by_rdflib(query: object) -> bool:
    """Return True for a result of rdflib's `prepareQuery`, without loading its slow module."""
    module = sys.modules.get("rdflib.plugins.sparql.sparql")
    return module is not None and isinstance(query, module.Query)


def _pairs(prefixes: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the sorted pairs of prefixes and namespaces."""
    expected = "prefixes with their namespaces, such as {'ex': 'http://example.org/'}"
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
        raise OptionError("timeout", repr(timeout), "seconds above 0, or None")
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


def _with_values(parsed: Query, values: Mapping[Variable, Term]) -> Node:
    """Return the node of a query with values for variables, with its columns unchanged."""
    node = with_bindings(parsed.node, values)
    return Project(node, parsed.variables) if parsed.form == "SELECT" else node


_NO_TIME = Literal("")  # for queries without NOW


def execute(parsed: Query, node: Node, clock: Literal, view: View, guard: QueryLimits) -> QueryResult:
    """Execute a plan.

    Args:
        node: the plan.
        clock: value of NOW().

    Raises:
        QueryTimeoutError, QueryMemoryError: it exceeds a limit.
    """
    context = Context(view.terms, guard, view.literals, clock, view.times)
    profile = Profile()
    evaluation = Executor(view.dataset, context, profile=profile)
    table = evaluation.first_rows(node, 1) if parsed.form == "ASK" else evaluation.rows(node)

    def plan() -> str:
        return plan_text(node, profile, short)

    terms = view.terms
    if parsed.form == "SELECT":
        columns = [table.column(variable) for variable in parsed.variables]
        return QueryResult(
            "SELECT",
            parsed.variables,
            table.size,
            lambda: [terms.terms(column) for column in columns],
            prefixes=parsed.prefixes,
            plan=plan,
        )
    if parsed.form == "ASK":
        return QueryResult("ASK", answer=table.size > 0, plan=plan)
    if parsed.form == "CONSTRUCT":
        made = construct(parsed.template, table, terms)
        triples = [np.ascontiguousarray(column) for column in made.T]
        return QueryResult(
            "CONSTRUCT",
            size=len(made),
            decode=lambda: [terms.terms(column) for column in triples],
            prefixes=parsed.prefixes,
            plan=plan,
        )
    found = describe(parsed.described, table, view.dataset.default, terms)
    decoded = list(zip(*found, strict=True)) or [(), (), ()]
    return QueryResult(
        "DESCRIBE", size=len(found), decode=lambda: decoded, prefixes=parsed.prefixes, plan=plan
    )


_planner = QueryPlanner()


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
    """Execute a SPARQL query over an rdflib graph or dataset.

    Costs a copy of the graph, unless it is a reasoner's.

    Args:
        namespaces: prefixes that need no declaration; by default the graph's.
        bindings: values for variables.
        timeout: greatest number of seconds for parsing and execution, None for no limit.
        max_bytes: greatest size of the rows of one operator, and of all computed strings; None for no limit.
        max_length: greatest number of characters of the text, None for no limit.

    Raises:
        QueryError: the query is malformed, an update, or has SERVICE, FROM with an unknown graph, or GRAPH
            over a single graph.
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
    prepared = _planner.prepare(text, known, guard=guard)
    return _planner.answer(graph_view(graph), prepared, bindings=bindings, guard=guard)

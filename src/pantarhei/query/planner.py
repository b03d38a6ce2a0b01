"""One-shot queries: parse, plan (cached), and execute within limits."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rdflib import RDF, RDFS, XSD, BNode, Graph, Literal, URIRef, Variable
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from pantarhei.encoding.numbers import FactForms, Symbols
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import OptionError, QueryError, QueryMemoryError, check_type
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import Term, Triple, respelled, short
from pantarhei.model.time import TimePoint
from pantarhei.query.algebra.analysis import symbols_of_query, with_bindings
from pantarhei.query.algebra.nodes import Graph as GraphNode
from pantarhei.query.algebra.nodes import Node, Project, Query, nodes_of
from pantarhei.query.algebra.passes import optimize
from pantarhei.query.answers import MAX_BYTES, QueryResult
from pantarhei.query.expressions import Context, LiteralValues, clock_at
from pantarhei.query.graph_names import (
    CONCLUSIONS_GRAPH,
    ONTOLOGY_GRAPH,
    QUALITY_GRAPH,
    SCHEMA_GRAPH,
    declarations,
    is_timestamp_graph,
    timestamp_graph,
)
from pantarhei.query.operators.executor import Executor, Profile
from pantarhei.query.operators.result_forms import construct, describe
from pantarhei.query.plan_text import plan_text
from pantarhei.query.solutions import MAX_LENGTH, NO_LIMITS, QueryLimits, TermSpace
from pantarhei.query.sources.relation import FactSource
from pantarhei.query.sources.view import GraphFacts, LazyGraphs, View, graph_view, single
from pantarhei.query.sources.window import JoinedFacts, WindowFacts
from pantarhei.query.syntax import read_query
from pantarhei.rdf.triple_table import triples_of

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


Facts = Iterable[Triple]


# A view is replaced after its queries have computed more terms than this.
_MOST_TERMS = 1 << 18


# rdflib's name of the default graph of a dataset with `default_union`.
_UNION = "__UNION__"


@dataclass(frozen=True)
class DataVersion:
    """State of the window that a query is evaluated over.

    Args:
        model: the window model.
        forms: literal forms by fact.
        timestamps: returns the timestamps in the window.
        interpretation: returns the facts of a timestamp.
        is_revertible: True inside of `all_or_nothing`, which on failure takes back the numbers of terms.
        quality: returns the triples of the graph `urn:pantarhei:quality`, None without that graph.
        conclusions: returns a model with the triples of `urn:pantarhei:conclusions`, None without it.
        default_conclusions: model of the conclusions in the default graph that are not in `model`, None for
            none.
    """

    model: WindowModel
    forms: FactForms
    timestamps: Callable[[], Iterable[TimePoint]]
    interpretation: Callable[[TimePoint], Facts]
    is_revertible: bool
    quality: Callable[[], Facts] | None = None
    conclusions: Callable[[], WindowModel] | None = None
    default_conclusions: WindowModel | None = None


class QueryRequest(NamedTuple):
    """A parsed query with values of variables and limits.

    Args:
        schema: whether the default graph includes the schema.
    """

    query: PlannedQuery
    bindings: Mapping[Any, Term] | None
    schema: bool
    guard: QueryLimits


class QueryService:
    """Executes queries over a reasoner's window.

    Args:
        ontology: the graph `urn:pantarhei:ontology`, whose prefixes need no declaration.
        schema: returns the axioms between names that the ontology entails.
        state: completes the facts of some predicates, None for all; returns an object that identifies the
            version of the data.
        version: returns the present version of the data, after `state`.
        now: returns the time of the stream for NOW(), None before it begins.
    """

    def __init__(
        self,
        ontology: Graph,
        schema: Callable[[], Facts],
        state: Callable[[Symbols], object],
        version: Callable[[Symbols], DataVersion],
        now: Callable[[], TimePoint | None],
    ) -> None:
        self._ontology, self._axioms, self._state_of, self._version = ontology, schema, state, version
        self._now, self._is_revertible = now, False
        self._planner = QueryPlanner({p: str(iri) for p, iri in ontology.namespaces()})
        self._state: object = None
        self._view: View | None = None
        self._numbered: tuple[Vocabulary, tuple[int, int, int]] | None = None
        self._literals: tuple[object, LiteralValues] | None = None
        self._schema: tuple[Triple, ...] | None = None

    @property
    def prefixes(self) -> Mapping[str, str]:
        """Prefixes that need no declaration."""
        return self._planner.prefixes

    def algebra(self, text: str) -> Query:
        """Return the algebra of a query.

        Raises:
            QueryError: it is malformed, an update, or has SERVICE.
        """
        return self._planner.prepare(text).query

    def prepare(
        self,
        query: Any,
        prefixes: Any = None,
        base: str | None = None,
        bindings: Any = None,
        schema: bool = False,
        **limits: Any,
    ) -> QueryRequest:
        """Parse a query; independent of the state of the window.

        Args:
            schema: whether the default graph includes the schema.
            limits: options of `limited`.
        """
        check_type("schema", schema, bool, "True or False")
        guard = limited(**limits)
        return QueryRequest(self._planner.prepare(query, prefixes, base, guard), bindings, schema, guard)

    def execute(self, request: QueryRequest, name: str | None = None) -> QueryResult:
        """Execute a query over the present state.

        Args:
            name: graph that it is evaluated over, None for the dataset.
        """
        view = self._present(request.query.symbols if name is None else None)
        if name == _UNION:
            view = view.united()
        elif name is not None and name != DATASET_DEFAULT_GRAPH_ID:
            view = self._single(view, name)
        if request.schema:
            view = view.joined(SCHEMA_GRAPH)
        return self._answered(view, request)

    def execute_over_graph(self, request: QueryRequest) -> QueryResult:
        """Execute a query over the materialization alone, or with the schema."""
        view = self._present(request.query.symbols)
        view = view.joined(SCHEMA_GRAPH) if request.schema else view
        alone = View(single(view.dataset.default), view.terms, view.literals, has_names=False)
        return self._answered(alone, request)

    def _answered(self, view: View, request: QueryRequest) -> QueryResult:
        """Execute a query; after an interruption the view is dropped."""
        query, bindings, _, guard = request
        try:
            now = self._now() if query.uses_clock else None
            result = self._planner.answer(view, query, bindings=bindings, guard=guard, now=now)
            return result.decoded() if self._is_revertible else result
        except BaseException:
            self._view = None
            raise

    def _single(self, view: View, name: str) -> View:
        source = view.dataset.graph(URIRef(name))
        if source is None:  # a graph that has left the window since
            source = GraphFacts.of(view.terms, ())
        return View(single(source), view.terms, view.literals, has_names=False)

    # -- views -------------------------------------------------------------------------------------

    def _present(self, symbols: Symbols) -> View:
        """Return the view of the present state: the cached one, unless the state or the vocabulary has
        changed.

        Args:
            symbols: predicates that are read, None for all.
        """
        state = self._state_of(symbols)
        if self._view is None or not self._is_of(state) or len(self._view.terms.locals) > _MOST_TERMS:
            version = self._version(symbols)
            vocabulary = version.model.vocabulary
            terms = TermSpace(vocabulary.find, vocabulary.lexicon.term, vocabulary.shows, vocabulary.value_of)
            self._view = View(self.dataset(version, terms), terms, self._literals_of(version.model))
            self._state, self._is_revertible = state, version.is_revertible
            self._numbered = vocabulary, vocabulary.counts
        return self._view

    def _is_of(self, state: object) -> bool:
        """Return True if the cached view is of that state, and the vocabulary is unchanged."""
        if self._state is not state or self._numbered is None:
            return False
        vocabulary, counts = self._numbered
        return vocabulary.counts == counts

    def dataset(self, version: DataVersion, terms: TermSpace) -> LazyGraphs:
        """Return the dataset of a version, with the numbers of `terms`."""
        facts: FactSource = WindowFacts(version.model, terms, version.forms)
        if version.default_conclusions is not None:
            facts = JoinedFacts(facts, WindowFacts(version.default_conclusions, terms, {}))
        return LazyGraphs(facts, lambda: self.names(version), lambda name: self._graph(version, terms, name))

    def _literals_of(self, model: WindowModel) -> LiteralValues:
        """Return the cache of the values of the vocabulary's literals; a new one after renumbering."""
        revision = model.vocabulary.revision
        if self._literals is None or self._literals[0] is not revision:
            self._literals = revision, LiteralValues(model.vocabulary.lexicon.literals)
        return self._literals[1]

    def names(self, version: DataVersion | None = None) -> list[URIRef]:
        """Return the names of the graphs that `GRAPH ?g` iterates; others need their name in the query."""
        version = self._version(frozenset()) if version is None else version
        return [ONTOLOGY_GRAPH, SCHEMA_GRAPH, *map(timestamp_graph, version.timestamps())]

    def _graph(self, version: DataVersion, terms: TermSpace, name: Term) -> FactSource | None:
        if name == CONCLUSIONS_GRAPH and version.conclusions is not None:
            return WindowFacts(version.conclusions(), terms, {})
        triples = self.triples(name, version)
        return None if triples is None else GraphFacts.of(terms, triples)

    def triples(self, name: Term, version: DataVersion | None = None) -> Facts | None:
        """Return the triples of a named graph, None for an unknown name."""
        if name == ONTOLOGY_GRAPH:
            return triples_of(self._ontology)
        if name == SCHEMA_GRAPH:
            if self._schema is None:
                self._schema = tuple(dict.fromkeys((*declarations(self._ontology), *self._axioms())))
            return self._schema
        if name == QUALITY_GRAPH:
            now = self._version(frozenset()) if version is None else version
            return None if now.quality is None else now.quality()
        if name == CONCLUSIONS_GRAPH:
            now = self._version(frozenset()) if version is None else version
            return None if now.conclusions is None else now.conclusions().match(None, None, None)
        if is_timestamp_graph(name):
            now = self._version(None) if version is None else version
            for at in now.timestamps():
                if timestamp_graph(at) == name:
                    return now.interpretation(at)
        return None

"""One-shot queries: parsed, planned once, and executed within limits; and the service that executes them over
a reasoner's window, with one cached view of the present state.
"""

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
from pantarhei.errors import OptionError, QueryError, QueryMemoryError, TimestampError, check_type
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import Term, Triple, respelled, short
from pantarhei.model.time import Duration, TimePoint, seconds_of
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
from pantarhei.query.sources.relation import FactSource, LazyGraphs
from pantarhei.query.sources.view import GraphFacts, View, graph_view, single
from pantarhei.query.sources.window import JoinedFacts, WindowFacts
from pantarhei.query.syntax import read_query
from pantarhei.rdf.triple_table import triples_of

if TYPE_CHECKING:
    from rdflib.plugins.sparql.sparql import Query as PreparedQuery


_MAX_CACHED_TEXTS = 256  # number of cached texts

_Key = tuple[str, tuple[tuple[str, str], ...] | None, str | None]

_DEFAULT_PREFIXES = {
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": str(RDF),
    "rdfs": str(RDFS),
    "xsd": str(XSD),
}


class PlannedQuery:
    """Parsed query; its plan is computed at the first execution.

    Args:
        uses_clock: whether the query may call NOW.
    """

    def __init__(self, query: Query, uses_clock: bool) -> None:
        self.query, self.uses_clock = query, uses_clock
        self.has_graphs = any(isinstance(node, GraphNode) for node in nodes_of(query.node))
        self._plans: dict[bool, Node] = {}

    @cached_property
    def symbols(self) -> Symbols:
        """Classes and properties that the query reads, None for all."""
        return symbols_of_query(self.query)

    def plan(self, has_forms: bool) -> Node:
        """Return the optimized algebra.

        Args:
            has_forms: whether a value can have several literal forms in the data.
        """
        found = self._plans.get(has_forms)
        if found is None:
            found = self._plans[has_forms] = optimize(self.query.node, has_forms)
        return found


class QueryPlanner:
    """Parses, plans and executes queries; caches the parsed queries of recent texts.

    Threads share the planner without a lock, since an interrupted thread might never release a lock. So each
    access to the cache is a single call, and another thread may evict an entry between two accesses.

    Args:
        prefixes: prefixes that queries can use without declaring them, unless a call gives its own prefixes.
    """

    def __init__(self, prefixes: Mapping[str, str] | None = None) -> None:
        self.prefixes = _DEFAULT_PREFIXES if prefixes is None else dict(prefixes)
        self._cache: OrderedDict[_Key, PlannedQuery] = OrderedDict()

    def prepare(
        self,
        query: str | PreparedQuery | PlannedQuery,
        prefixes: Mapping[str, Any] | None = None,
        base: str | None = None,
        limits: QueryLimits = NO_LIMITS,
    ) -> PlannedQuery:
        """Return the parsed query of a text, from the cache if possible. A parsed query is returned
        unchanged.

        Raises:
            QueryError: the query is malformed, an update, or has SERVICE, or exceeds a limit of `limits`.
            OptionError: the query is neither a text nor the result of rdflib's `prepareQuery`.
        """
        if isinstance(query, PlannedQuery):
            return query
        if _is_prepared_by_rdflib(query):
            given = getattr(query, "_original_args", None)
            if given is None:
                expected = "a text, or a query prepared by rdflib's prepareQuery"
                raise OptionError("query", repr(query)[:60] + "…", expected)
            query, prefixes, base = given
        check_type("query", query, str, "a SPARQL query as text, or one that rdflib prepared")
        check_type("base", base, str | None, "an IRI as text, or None")
        text = str(query)
        known = None if prefixes is None else _pairs(prefixes)
        key = (text, known, base)
        found = self._cache.get(key)
        if found is not None:
            with suppress(KeyError):  # evicted by another thread
                self._cache.move_to_end(key)
            return found
        parsed = read_query(text, self.prefixes if known is None else dict(known), base, limits=limits)
        limits.check()
        # NOW may be written with escape sequences
        found = PlannedQuery(parsed, "NOW" in text.upper() or "\\" in text)
        self._cache[key] = found
        while len(self._cache) > _MAX_CACHED_TEXTS:
            with suppress(KeyError):  # emptied by another thread
                self._cache.popitem(last=False)
        return found

    def answer(
        self,
        view: View,
        query: str | PreparedQuery | PlannedQuery,
        *,
        bindings: Mapping[Any, Term] | None = None,
        limits: QueryLimits = NO_LIMITS,
        now: TimePoint | None = None,
    ) -> QueryResult:
        """Execute a query completely.

        Args:
            view: dataset to be queried.
            bindings: values of variables.
            limits: limits of the execution.
            now: value of NOW() if it is a datetime; otherwise NOW() is the time of the call.

        Raises:
            QueryError: the query is malformed, or refers to an unknown graph.
            QueryLengthError, QueryTimeoutError, QueryMemoryError: the query exceeds a limit.
            OptionError: an option is invalid.
        """
        prepared = self.prepare(query, limits=limits)
        parsed = prepared.query
        if parsed.has_dataset_clause:
            view = view.restricted(parsed.default_graphs, parsed.named_graphs)
        elif prepared.has_graphs and not view.has_names:
            raise QueryError(
                "GRAPH needs a dataset, but a single graph is given; query the reasoner's dataset"
            )
        values = _values(bindings or {})
        clock = _NO_TIME
        if prepared.uses_clock:
            clock = clock_at(now if isinstance(now, datetime) else datetime.now(UTC))
        try:
            if values:
                bound = with_bindings(parsed.node, values)
                if parsed.form == "SELECT":  # keep the columns
                    bound = Project(bound, parsed.variables)
                node = optimize(bound, has_forms=True)
            else:
                node = prepared.plan(view.dataset.default.has_forms or prepared.has_graphs)
            limits.check()
            return execute(parsed, node, clock, view, limits)
        except MemoryError:
            raise QueryMemoryError(limits.max_bytes) from None
        except RecursionError:
            raise QueryError("the query is nested too deeply") from None


def _is_prepared_by_rdflib(query: object) -> bool:
    """Return whether an object is a result of rdflib's `prepareQuery`, without importing rdflib's slow
    module.
    """
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
    timeout: Duration | None = None, max_bytes: int | None = MAX_BYTES, max_length: int | None = MAX_LENGTH
) -> QueryLimits:
    """Return the limits of a query; its time begins now.

    Raises:
        OptionError: a limit is not a positive number, and the timeout not a duration above 0.
    """
    seconds = None if timeout is None else _seconds(timeout)
    if max_bytes is not None and not (isinstance(max_bytes, int) and max_bytes > 0):
        raise OptionError("max_bytes", repr(max_bytes), "a number of bytes above 0, or None")
    if max_length is not None and not (isinstance(max_length, int) and max_length > 0):
        raise OptionError("max_length", repr(max_length), "a number of characters above 0, or None")
    return QueryLimits(seconds, max_bytes, max_length)


def _seconds(timeout: Duration) -> float:
    try:
        seconds = seconds_of(timeout)
    except TimestampError:
        seconds = 0.0
    if not seconds > 0:
        raise OptionError("timeout", repr(timeout), "seconds above 0, a duration such as 5s or PT5S, or None")
    return seconds


def _values(bindings: Mapping[Any, Term]) -> dict[Variable, Term]:
    expected = "a mapping of variable names to rdflib terms, such as {'x': URIRef('http://example.org/x')}"
    check_type("initBindings", bindings, Mapping, expected)
    values = {str(name).lstrip("?$"): term for name, term in bindings.items()}
    for name, term in values.items():
        if not (name and f"_{name}".isidentifier() and isinstance(term, URIRef | BNode | Literal)):
            raise OptionError("initBindings", f"{{{name!r}: {term!r}}}"[:200], expected)
    return {Variable(name): respelled(term) for name, term in values.items()}


_NO_TIME = Literal("")  # value of NOW() for queries that do not call it


def execute(parsed: Query, node: Node, clock: Literal, view: View, limits: QueryLimits) -> QueryResult:
    """Execute a plan.

    Args:
        node: the plan.
        clock: value of NOW().

    Raises:
        QueryTimeoutError, QueryMemoryError: the execution exceeds a limit.
    """
    context = Context(view.terms, limits, view.literals, clock, view.times)
    profile = Profile()
    evaluation = Executor(view.dataset, context, profile=profile)
    table = evaluation.first_rows(node, 1) if parsed.form == "ASK" else evaluation.rows(node)

    def plan() -> str:
        return plan_text(node, profile, short)

    if parsed.form == "ASK":
        return QueryResult("ASK", answer=table.size > 0, plan=plan)
    terms, size, prefixes = view.terms, table.size, parsed.prefixes
    if parsed.form == "DESCRIBE":
        found = describe(parsed.described, table, view.dataset.default, terms)
        decoded = list(zip(*found, strict=True)) or [(), (), ()]
        return QueryResult("DESCRIBE", (), len(found), lambda: decoded, prefixes=prefixes, plan=plan)
    if parsed.form == "SELECT":
        columns = [table.column(variable) for variable in parsed.variables]
    else:
        made = construct(parsed.template, table, terms)
        columns, size = [np.ascontiguousarray(column) for column in made.T], len(made)

    def decode() -> list[list[Term | None]]:
        return [terms.terms(column) for column in columns]

    return QueryResult(parsed.form, parsed.variables, size, decode, prefixes=prefixes, plan=plan)


_planner = QueryPlanner()


def run_query(
    graph: Graph,
    text: str,
    *,
    namespaces: Mapping[str, Any] | None = None,
    bindings: Mapping[str, Term] | None = None,
    timeout: Duration | None = None,
    max_bytes: int | None = MAX_BYTES,
    max_length: int | None = MAX_LENGTH,
) -> QueryResult:
    """Execute a SPARQL query over an rdflib graph or dataset.

    A graph that does not belong to a reasoner is copied first, in time linear in its size.

    Args:
        namespaces: prefixes that the query can use without declaring them; by default the graph's.
        bindings: values of variables.
        timeout: time limit for parsing and execution: a duration, or a number of seconds; None for no limit.
        max_bytes: greatest number of bytes of the rows of one operator, and of all computed strings; None for
            no limit.
        max_length: greatest number of characters of the text; None for no limit.

    Raises:
        QueryError: the query is malformed, is an update, has SERVICE, has FROM with an unknown graph, or has
        GRAPH over a single graph.
        QueryLengthError, QueryTimeoutError, QueryMemoryError: the query exceeds a limit.

    >>> run_query(Graph(), "ASK { ?x a ?c }").askAnswer
    False
    """
    from pantarhei.query.window_store import ReadOnlyStore

    known = dict(graph.namespaces()) if namespaces is None else namespaces
    if isinstance(graph.store, ReadOnlyStore):
        options: dict[str, Any] = {"timeout": timeout, "max_bytes": max_bytes, "max_length": max_length}
        result = graph.query(text, initNs=dict(known), initBindings=dict(bindings or {}), **options)
        assert isinstance(result, QueryResult)
        return result
    limits = limited(timeout, max_bytes, max_length)
    prepared = _planner.prepare(text, known, limits=limits)
    return _planner.answer(graph_view(graph), prepared, bindings=bindings, limits=limits)


Facts = Iterable[Triple]


# A view is replaced once its queries have computed more than this number of terms.
_MAX_LOCAL_TERMS = 1 << 18


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
        is_revertible: True inside `all_or_nothing`, which on failure discards term numbers that were assigned
            in it.
        quality: returns the triples of the graph `urn:pantarhei:quality`; None without that graph.
        conclusions: returns a model with the triples of the graph `urn:pantarhei:conclusions`; None without
            that graph.
        default_conclusions: model with those conclusions in the default graph that `model` does not contain;
            None if there are none.
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
    """Parsed query with its options.

    Args:
        bindings: values of variables; None for none.
        schema: whether the default graph includes the schema.
        limits: limits of the execution.
    """

    query: PlannedQuery
    bindings: Mapping[Any, Term] | None
    schema: bool
    limits: QueryLimits


class QueryService:
    """Executes queries over a reasoner's window.

    Args:
        ontology: the graph `urn:pantarhei:ontology`; queries can use its prefixes without declaring them.
        schema: returns the axioms between names that the ontology entails.
        state: completes the facts of these predicates, None for all; returns an object that identifies the
            version of the data.
        version: returns the present version of the data; called after `state`.
        now: returns the time of the stream for NOW(); None before the stream begins.
    """

    def __init__(
        self,
        ontology: Graph,
        schema: Callable[[], Facts],
        state: Callable[[Symbols], object],
        version: Callable[[Symbols], DataVersion],
        now: Callable[[], TimePoint | None],
    ) -> None:
        self._ontology, self._entailed_axioms = ontology, schema
        self._state_of, self._version = state, version
        self._now, self._is_revertible = now, False
        self._planner = QueryPlanner({p: str(iri) for p, iri in ontology.namespaces()})
        self._state: object = None
        self._view: View | None = None
        self._numbered_vocabulary: tuple[Vocabulary, tuple[int, int, int]] | None = None
        self._literals: tuple[object, LiteralValues] | None = None
        self._schema: tuple[Triple, ...] | None = None

    @property
    def prefixes(self) -> Mapping[str, str]:
        """Prefixes that queries can use without declaring them."""
        return self._planner.prefixes

    def algebra(self, text: str) -> Query:
        """Return the algebra of a query.

        Raises:
            QueryError: the query is malformed, an update, or has SERVICE.
        """
        return self._planner.prepare(text).query

    def prepare(
        self,
        query: Any,
        prefixes: Any = None,
        base: str | None = None,
        bindings: Any = None,
        schema: bool = False,
        **options: Any,
    ) -> QueryRequest:
        """Parse a query, independently of the state of the window.

        Args:
            schema: whether the default graph includes the schema.
            options: arguments of `limited`.
        """
        check_type("schema", schema, bool, "True or False")
        limits = limited(**options)
        return QueryRequest(self._planner.prepare(query, prefixes, base, limits), bindings, schema, limits)

    def execute(self, request: QueryRequest, name: str | None = None) -> QueryResult:
        """Execute a query over the present state.

        Args:
            name: name of the graph to be queried; None for the dataset.
        """
        view = self._present_view(request.query.symbols if name is None else None)
        if name == _UNION:
            view = view.united()
        elif name is not None and name != DATASET_DEFAULT_GRAPH_ID:
            view = self._single_graph_view(view, name)
        if request.schema:
            view = view.joined(SCHEMA_GRAPH)
        return self._execute(view, request)

    def execute_over_graph(self, request: QueryRequest) -> QueryResult:
        """Execute a query over the default graph only, with the schema if the request includes it."""
        view = self._present_view(request.query.symbols)
        view = view.joined(SCHEMA_GRAPH) if request.schema else view
        alone = View(single(view.dataset.default), view.terms, view.literals, has_names=False)
        return self._execute(alone, request)

    def _execute(self, view: View, request: QueryRequest) -> QueryResult:
        """Execute a query; an interruption discards the cached view."""
        query, bindings, _, limits = request
        try:
            now = self._now() if query.uses_clock else None
            result = self._planner.answer(view, query, bindings=bindings, limits=limits, now=now)
            return result.decoded() if self._is_revertible else result
        except BaseException:
            self._view = None
            raise

    def _single_graph_view(self, view: View, name: str) -> View:
        source = view.dataset.graph(URIRef(name))
        if source is None:  # the graph has left the window
            source = GraphFacts.of(view.terms, ())
        return View(single(source), view.terms, view.literals, has_names=False)

    # -- views -------------------------------------------------------------------------------------

    def _present_view(self, symbols: Symbols) -> View:
        """Return the view of the present state, from the cache unless the state or the vocabulary has
        changed.

        Args:
            symbols: predicates that the query reads, None for all.
        """
        state = self._state_of(symbols)
        view = self._view
        if view is None or not self._is_current(state) or len(view.terms.locals) > _MAX_LOCAL_TERMS:
            version = self._version(symbols)
            vocabulary = version.model.vocabulary
            terms = TermSpace(vocabulary.find, vocabulary.lexicon.term, vocabulary.shows, vocabulary.value_of)
            view = View(self.dataset(version, terms), terms, self._literals_of(version.model))
            self._view = view
            self._state, self._is_revertible = state, version.is_revertible
            self._numbered_vocabulary = vocabulary, vocabulary.counts
        return view

    def _is_current(self, state: object) -> bool:
        """Return whether the cached view is of this state, and the vocabulary has not changed."""
        if self._state is not state or self._numbered_vocabulary is None:
            return False
        vocabulary, counts = self._numbered_vocabulary
        return vocabulary.counts == counts

    def dataset(self, version: DataVersion, terms: TermSpace) -> LazyGraphs:
        """Return the dataset of a version of the data.

        Args:
            terms: assigns the term numbers of the dataset.
        """
        facts: FactSource = WindowFacts(version.model, terms, version.forms)
        if version.default_conclusions is not None:
            facts = JoinedFacts(facts, WindowFacts(version.default_conclusions, terms, {}))
        return LazyGraphs(facts, lambda: self.names(version), lambda name: self._graph(version, terms, name))

    def _literals_of(self, model: WindowModel) -> LiteralValues:
        """Return the cached values of the vocabulary's literals; renumbering the vocabulary empties the
        cache.
        """
        revision = model.vocabulary.revision
        if self._literals is None or self._literals[0] is not revision:
            self._literals = revision, LiteralValues(model.vocabulary.lexicon.literals)
        return self._literals[1]

    def names(self, version: DataVersion | None = None) -> list[URIRef]:
        """Return the names of the graphs over which `GRAPH ?g` iterates; other graphs must be named."""
        version = self._version(frozenset()) if version is None else version
        return [ONTOLOGY_GRAPH, SCHEMA_GRAPH, *map(timestamp_graph, version.timestamps())]

    def _graph(self, version: DataVersion, terms: TermSpace, name: Term) -> FactSource | None:
        if name == CONCLUSIONS_GRAPH and version.conclusions is not None:
            return WindowFacts(version.conclusions(), terms, {})
        triples = self.triples(name, version)
        return None if triples is None else GraphFacts.of(terms, triples)

    def triples(self, name: Term, version: DataVersion | None = None) -> Facts | None:
        """Return the triples of a named graph; None for an unknown name."""
        if name == ONTOLOGY_GRAPH:
            return triples_of(self._ontology)
        if name == SCHEMA_GRAPH:
            if self._schema is None:
                self._schema = tuple(dict.fromkeys((*declarations(self._ontology), *self._entailed_axioms())))
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

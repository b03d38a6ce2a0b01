"""Query service over a reasoner's window; caches one view for each state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rdflib import Graph, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from pantarhei.encoding.numbers import FactForms, Symbols
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import check_type
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.query.algebra.nodes import Query
from pantarhei.query.answers import QueryResult
from pantarhei.query.expressions import LiteralValues
from pantarhei.query.graph_names import (
    CONCLUSIONS_GRAPH,
    ONTOLOGY_GRAPH,
    QUALITY_GRAPH,
    SCHEMA_GRAPH,
    declarations,
    is_timestamp_graph,
    timestamp_graph,
)
from pantarhei.query.planner import PlannedQuery, QueryPlanner, limited
from pantarhei.query.query_limits import QueryLimits
from pantarhei.query.solutions import TermSpace
from pantarhei.query.sources.relation import FactSource
from pantarhei.query.sources.view import GraphFacts, LazyGraphs, View, single
from pantarhei.query.sources.window import JoinedFacts, WindowFacts
from pantarhei.rdf.triple_table import triples_of

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

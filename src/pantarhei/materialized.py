"""Common base of `StreamReasoner` and `DynamicGraph`: a materialization with queries."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from rdflib import Dataset, Graph, URIRef

from pantarhei.encoding.numbers import Symbols
from pantarhei.engine.diagnostics import Unexpected
from pantarhei.engine.maintained_state import MaintainedState, StateVersion
from pantarhei.engine.update import GraphUpdate, Stats, WindowUpdate
from pantarhei.errors import QueryError
from pantarhei.materialize.model import WindowModel, Work
from pantarhei.model.representation import html_of
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import Duration
from pantarhei.ontology.ontology import Ontology
from pantarhei.query.algebra.analysis import symbols_of_pattern
from pantarhei.query.answers import MAX_BYTES, QueryResult
from pantarhei.query.solutions import MAX_LENGTH
from pantarhei.query.window_store import (
    DatasetStore,
    TripleSet,
    TripleSource,
    WindowDataset,
    WindowGraph,
    WindowStore,
)

if TYPE_CHECKING:
    from rdflib.plugins.sparql.sparql import Query as PreparedQuery

    from pantarhei.engine.query_registrar import QueryRegistrar
    from pantarhei.query.continuous_query import ContinuousQuery
    from pantarhei.query.incremental.query_sources import Conclusions
    from pantarhei.query.planner import DataVersion, QueryService
    from pantarhei.window.sliding import Window

_G = TypeVar("_G", bound=Graph)
_U = TypeVar("_U", WindowUpdate, GraphUpdate)


class Materialized(ABC):
    """Maintained materialization with its graphs and queries. Calls from several threads are serialized."""

    _held: MaintainedState[Any]
    window: Window | None = None

    def _initialize(self, ontology: Ontology, held: MaintainedState[Any]) -> None:
        """Initialize the object with an ontology and a state."""
        self.ontology, self._held = ontology, held
        self._lock = threading.RLock()  # also for reads, which may index the kernel's rows
        self._registrar: QueryRegistrar | None = None

    def _repr_html_(self) -> str:
        return html_of(self, lambda: self.ontology.labels)

    def _shown_parts(self) -> dict[str, object]:
        return {
            "ontology": repr(self.ontology),
            "registered queries": dict(self.queries),
            "statistics": self.stats(),
        }

    @abstractmethod
    def stats(self) -> Stats:
        """Return sizes and counters, such as the numbers of facts, terms and bytes."""

    def unexpected(self) -> Unexpected:
        """Return suspicious assertions: axioms, unknown names, and numbers that are never equal."""
        with self._lock:
            return self._held.unexpected()

    # -- steps -------------------------------------------------------------------------------------

    def _step(self, work: Callable[[], _U]) -> _U:
        """Run a step, and notify the followers of registered queries."""
        if self._registrar is None:
            with self._lock:
                return work()
        return self._registrar.step(work)

    @contextmanager
    def all_or_nothing(self, each_step: bool = False) -> Iterator[None]:
        """Context whose steps are applied as a whole: after an error in it, all of them are undone.

        A rollback costs a materialization. Unused terms are collected before the block, not within it.
        Followers of registered queries are notified at the end of the block.

        Args:
            each_step: whether each update has the changes of registered queries in its step; by default the
                last update has the changes of the whole block. In a nested block, the outer block's value
                applies.

        >>> import pantarhei as pr
        >>> from rdflib import RDF, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
        >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
        >>> try:
        ...     with reasoner.all_or_nothing():
        ...         _ = reasoner.push(1, [gas])
        ...         raise ValueError("a part of the message is missing")
        ... except ValueError:
        ...     print(reasoner.timestamps)
        ()
        """
        with self._lock:
            if self._registrar is None:
                with self._held.whole(each_step):
                    yield
            else:
                with self._registrar.block(each_step):
                    yield

    # -- facts -------------------------------------------------------------------------------------

    def materialization(self) -> set[Triple]:
        """Return all facts: the background, the assertions that repairs kept, and their consequences.

        Triples of the schema are not included. Cost is linear in the result.
        """
        with self._lock:
            model, forms = self._held.state().shown
            return set(self._held.vocabulary.decode(model.facts(), forms))

    @property
    def background(self) -> set[Triple]:
        """Facts of the background, as given."""
        with self._lock:
            facts, forms = self._held.foundation.background
            return set(self._held.vocabulary.decode(facts, forms.by_fact))

    @cached_property
    def graph(self) -> Graph:
        """Materialization as a live, read-only rdflib graph."""
        return self._with_prefixes(
            WindowGraph(store=WindowStore(_LiveSource(self), self._run_graph_query, self._lock))
        )

    @cached_property
    def dataset(self) -> Dataset:
        """Live, read-only rdflib dataset with `graph` as default graph, and the named graphs listed at
        `query`.
        """
        store = DatasetStore(_LiveSource(self), _NamedGraphs(self), self._run_query, self._lock)
        return self._with_prefixes(WindowDataset(store))

    def query(
        self,
        text: str | PreparedQuery,
        initBindings: Mapping[str, Term] | None = None,
        initNs: Mapping[str, str] | None = None,
        *,
        timeout: Duration | None = None,
        max_bytes: int | None = MAX_BYTES,
        max_length: int | None = MAX_LENGTH,
        schema: bool = False,
        base: str | None = None,
    ) -> QueryResult:
        """Return the answers of a SPARQL 1.1 query over the present materialization.

        The named graphs are `urn:pantarhei:ontology`, the loaded ontology, and `urn:pantarhei:schema`, its
        declarations and the entailed axioms about names. A stream reasoner also has
        `urn:pantarhei:at:<timestamp>`, the interpretation of each timestamp in the window;
        `urn:pantarhei:quality` (docs/history.md); and `urn:pantarhei:conclusions`, the conclusions of
        temporal rules at the present tick. `GRAPH ?g` does not match the last two; they must be named. `FROM`
        and `FROM NAMED` select among the graphs. Joins compare literals by value; answers have the lexical
        forms that were asserted.

        A text is parsed and planned once. For costs and limits see docs/queries.md.

        Args:
            text: the text of the query, or a query prepared by rdflib's `prepareQuery`.
            initBindings: values of variables, by name.
            initNs: predeclared prefixes; by default those of the ontology's graph.
            timeout: time limit for parsing and evaluation: a duration (`"5s"`), or a number of seconds; None
                for no limit.
            max_bytes: memory limit in bytes, for the rows of one operator, and for all texts created by
                functions; None for no limit.
            max_length: maximum number of characters of the text; None for no limit.
            schema: whether the default graph also contains the triples of `urn:pantarhei:schema`.
            base: the base of relative IRIs.

        Raises:
            QueryError: the query is malformed, an update, or unsupported (SERVICE, other graphs in FROM).
            QueryLengthError, QueryTimeoutError, QueryMemoryError: the query exceeds a limit; no state has
                changed.
            OptionError: the query is not a text, or a limit has an invalid value.

        >>> import pantarhei as pr
        >>> from rdflib import RDF, Namespace
        >>> EX = Namespace("http://example.org/pedals#")
        >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
        >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
        >>> _ = reasoner.push(1, [gas])
        >>> result = reasoner.query("SELECT ?state { ?car a ?state } ORDER BY ?state")
        >>> len(result), result.to_pandas()["state"][0]
        (5, 'http://example.org/pedals#Accelerating')
        """
        return self._run_query(
            text,
            None,
            bindings=initBindings,
            prefixes=initNs,
            timeout=timeout,
            max_bytes=max_bytes,
            max_length=max_length,
            schema=schema,
            base=base,
        )

    def _run_query(self, query: str | PreparedQuery, name: str | None, **options: Any) -> QueryResult:
        prepared = self._query_service.prepare(query, **options)
        with self._lock:
            return self._query_service.execute(prepared, name)

    def _run_graph_query(self, query: str | PreparedQuery, name: str | None, **options: Any) -> QueryResult:
        prepared = self._query_service.prepare(query, **options)
        with self._lock:
            return self._query_service.execute_over_graph(prepared)

    # -- registered queries ------------------------------------------------------------------------

    def register(self, text: str, name: str | None = None) -> ContinuousQuery:
        """Register a SPARQL query: each update has its inserted and deleted answers.

        Args:
            text: the query, as for `query`.
            name: the name of the query; by default `query-1` and so on.

        Raises:
            QueryError: the query is malformed or not supported, or a block of `all_or_nothing` is active.
            OptionError: the name is taken.
        """
        with self._lock:
            return self._query_registrar().register(text, name)

    def _query_registrar(self) -> QueryRegistrar:
        """Return the registrar of queries.

        Raises:
            QueryError: a block of `all_or_nothing` is active.
        """
        if self._held.is_part:
            raise QueryError(
                "a query cannot be registered inside all_or_nothing; register it before the block"
            )
        if self._registrar is None:
            from pantarhei.engine.query_registrar import QueryRegistrar

            conclusions = self._conclusion_source()
            self._registrar = QueryRegistrar(
                self._held, self._query_service, self._lock, self.window, conclusions
            )
        return self._registrar

    def _conclusion_source(self) -> Conclusions | None:
        """Return the source of rule conclusions for registered queries; None without temporal rules."""
        return None

    def _additional_facts(self, state: StateVersion[Any]) -> WindowModel | None:
        """Return facts that the default graph contains in addition to the materialization; None if
        there are none.
        """
        return None

    @property
    def queries(self) -> Mapping[str, ContinuousQuery]:
        """Registered queries by name. A query ends with its `close()`."""
        return MappingProxyType({} if self._registrar is None else dict(self._registrar.queries))

    @abstractmethod
    def _data_version(self, symbols: Symbols) -> DataVersion:
        """Return the data for a query that uses the classes and properties `symbols`."""

    @cached_property
    def _query_service(self) -> QueryService:
        from pantarhei.query.planner import QueryService  # rdflib's parser takes longer than a first answer

        return QueryService(
            self.ontology.graph,
            lambda: self.ontology.schema.triples(),
            self._held.state,
            self._data_version,
            lambda: None if self.window is None else self._held.history.now,
        )

    def _with_prefixes(self, graph: _G) -> _G:
        for prefix, namespace in self.ontology.graph.namespaces():
            graph.bind(prefix, namespace)
        return graph

    @property
    def work(self) -> Work:
        """Counters of the work that the model has done."""
        with self._lock:
            return self._held.model.work


class _LiveSource:
    """Source of the triples of the live graph: the present model."""

    def __init__(self, owner: Materialized) -> None:
        self._owner = owner

    def match(self, subject: Term | None, predicate: Term | None, object: Term | None) -> Iterator[Triple]:
        with self._owner._lock:
            state = self._owner._held.state(symbols_of_pattern(predicate, object))
            (model, forms), additional = state.shown, self._owner._additional_facts(state)
            found = list(model.match(subject, predicate, object, forms))
            if additional is not None:
                found += additional.match(subject, predicate, object)
            return iter(found)

    def __len__(self) -> int:
        with self._owner._lock:
            state = self._owner._held.state()
            additional = self._owner._additional_facts(state)
            return len(state.shown.model) + (0 if additional is None else len(additional))


class _NamedGraphs:
    """Source of the named graphs of the live dataset."""

    def __init__(self, owner: Materialized) -> None:
        self._owner = owner

    def names(self) -> list[URIRef]:
        with self._owner._lock:
            return self._owner._query_service.names()

    def graph(self, name: URIRef) -> TripleSource | None:
        with self._owner._lock:
            triples = self._owner._query_service.triples(name)
            return None if triples is None else TripleSet(triples)

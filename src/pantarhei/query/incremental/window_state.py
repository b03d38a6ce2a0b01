"""State of the window for registered queries: evaluation of algebra nodes over it, and the query sources in
use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rdflib import Literal, URIRef

from pantarhei.encoding.numbers import Fact, Symbols
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.query.algebra.nodes import Node, Place, Query
from pantarhei.query.expressions import Context, LiteralValues, clock_at
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.persistent_terms import PersistentTermIds
from pantarhei.query.incremental.query_sources import (
    Conclusions,
    ConclusionSource,
    ConstantSource,
    JoinedSource,
    QuerySource,
    WindowViewSource,
)
from pantarhei.query.operators.executor import Executor
from pantarhei.query.operators.result_forms import describe
from pantarhei.query.query_limits import QueryLimits
from pantarhei.query.service import DataVersion
from pantarhei.query.solutions import SolutionTable, TermSpace
from pantarhei.query.sources.relation import FactSource, FactSources
from pantarhei.query.sources.view import LazyGraphs, View
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, Window


class WindowState(NamedTuple):
    """State of the window.

    Args:
        model: the window model.
        log: the ABoxes in the window.
        step: the present step; None before the stream begins, and for a graph without time.
        at: the present time.
    """

    model: WindowModel
    log: Log
    step: Step | None
    at: TimePoint | None


class StateEvaluator:
    """Evaluator of algebra nodes over the present state, by column.

    If `uses_clock` is set because a query uses NOW(), each state gets a new evaluation context.

    Args:
        present: initial state.
        dataset: returns the named graphs of a data version.
        forms: present literal forms.
        named: returns the source of a named graph; None for a graph of `dataset`.
        max_bytes: limit on the rows of an operator, and on the texts that functions create in one step.
    """

    def __init__(
        self,
        present: WindowState,
        terms: PersistentTermIds,
        dataset: Callable[[DataVersion, TermSpace], FactSources],
        forms: Mapping[Fact, Literal],
        named: Callable[[Place], QuerySource | None],
        max_bytes: int,
    ) -> None:
        self._guard = QueryLimits(max_bytes=max_bytes)
        self.state, self.terms, self.uses_clock = present, terms, False
        self._dataset_of, self._forms = dataset, forms
        self._named = named
        self._datasets: dict[QuerySource, FactSources] = {}
        self._literals = self._literals_now()
        self.context = self._context()

    def set_state(self, present: WindowState) -> None:
        """Switch to another state."""
        self.state = present
        self._guard.restart()
        if self._datasets:
            self._datasets.clear()
        self.terms.synchronize()
        if self._literals[0] is not self.terms.revision:
            self._literals = self._literals_now()
            self.context = self._context()
        elif self.uses_clock:
            self.context = self._context()

    def clear_caches(self) -> None:
        """Drop cached datasets, since term numbers may have changed their meaning."""
        self._datasets.clear()

    def _literals_now(self) -> tuple[object, LiteralValues]:
        vocabulary = self.state.model.vocabulary
        return vocabulary.revision, LiteralValues(vocabulary.lexicon.literals)

    def _context(self) -> Context:
        now = clock_at(self.state.at) if self.uses_clock else _NO_TIME
        return Context(self.terms, self._guard, self._literals[1], now)

    def rows(self, source: QuerySource, node: Node, query: Query | None = None) -> SolutionTable:
        """Evaluate a node.

        Args:
            query: query whose FROM and FROM NAMED select the graphs.
        """
        return Executor(self._queried(source, query), self.context).rows(node)

    def describe(self, query: Query, table: SolutionTable, source: QuerySource) -> list[Triple]:
        """Return the triples of a DESCRIBE for these rows."""
        return describe(query.described, table, self._queried(source, query).default, self.terms)

    def check_graphs(self, query: Query, source: QuerySource) -> None:
        """Check that the graphs a query names exist.

        Raises:
            QueryError: a graph does not exist.
        """
        self._view(source).restricted(query.default_graphs, query.named_graphs)

    def _queried(self, source: QuerySource, query: Query | None) -> FactSources:
        """Return the dataset of a query; graphs that have left the window are left out."""
        if query is None or (query.default_graphs is None and query.named_graphs is None):
            return self._dataset(source)
        graph_of = self._dataset(source).graph
        default, named = (
            None if names is None else [name for name in names if graph_of(name) is not None]
            for names in (query.default_graphs, query.named_graphs)
        )
        return self._view(source).restricted(default, named).dataset

    def _view(self, source: QuerySource) -> View:
        return View(self._dataset(source), self.terms, self._literals[1])

    def _dataset(self, source: QuerySource) -> FactSources:
        """Return the dataset whose default graph is a source."""
        found = self._datasets.get(source)
        if found is None:
            others = self._dataset_of(self._data_version(), self.terms)

            def graph(name: Term) -> FactSource | None:
                named = self._named(name)
                return others.graph(name) if named is None else self._source(named)

            found = self._datasets[source] = LazyGraphs(self._source(source), others.names, graph)
        return found

    def _source(self, source: QuerySource) -> FactSource:
        return source.graph(self.terms, self._forms)

    def _data_version(self) -> DataVersion:
        (model, log, *_), forms = self.state, self._forms

        def interpretation(at: TimePoint) -> set[Triple]:
            (entry,) = (entry for entry in log if entry.at == at)
            facts = model.interpretation(entry.level)
            return set(model.vocabulary.decode(facts, {**forms, **entry.forms.by_fact}))

        return DataVersion(model, forms, lambda: [entry.at for entry in log], interpretation, False)


_NO_TIME = Literal("")  # value of NOW() while no query uses it


class NamedWindows(NamedTuple):
    """Windows of a query that are named graphs.

    Args:
        windows: windows by graph name; None as a window stands for the reasoner's window.
        always: triples of the default graph; None if the default graph is a window.
        static: triples of named graphs that never change.
    """

    windows: Mapping[URIRef, Window | None]
    always: tuple[Triple, ...] | None
    static: Mapping[URIRef, tuple[Triple, ...]] = MappingProxyType({})


class QuerySources:
    """Sources in use by registered queries.

    Args:
        window: the reasoner's window; any window for a graph without time.
        conclusions: conclusions of temporal rules; None without rules.
    """

    def __init__(
        self, journal: Journal, window: Window, model: WindowModel, conclusions: Conclusions | None
    ) -> None:
        self._journal, self._conclusions = journal, conclusions
        self.whole = QuerySource(journal, window, model)
        # sources by window (None for the reasoner's) and by whether they include the conclusions
        self._window_sources: dict[tuple[Window | None, bool], QuerySource] = {(None, False): self.whole}
        self._conclusion_source: ConclusionSource | None = None
        self._named: dict[URIRef, QuerySource] = {}  # sources of `_window_sources` by graph name
        self._static: dict[URIRef, QuerySource] = {}

    def __iter__(self) -> Iterator[QuerySource]:
        """Iterate over the sources that can change. The conclusions are first, since other sources depend on
        them.
        """
        made = self._window_sources.values()
        return iter(made) if self._conclusion_source is None else iter((self._conclusion_source, *made))

    @property
    def windows(self) -> Mapping[QuerySource, Window]:
        """Windows of the sources, except of sources that have the reasoner's window."""
        return {source: window for (window, _), source in self._window_sources.items() if window is not None}

    def default_source(self, window: Window | None, needed: Symbols, present: WindowState) -> QuerySource:
        """Return the source of a query's default graph.

        Args:
            window: the query's window, None for the reasoner's window.
            needed: classes and properties that the query reads, None for all.
        """
        joins = self._conclusions is not None and self._conclusions.are_joined_for(needed)
        found = self._window_sources.get((window, joins))
        if found is None:
            found = self.whole
            if window is not None:
                found = WindowViewSource(self._journal, window, *present[:3])
            if joins:
                found = JoinedSource(found, self.conclusions, present.model)
            self._window_sources[window, joins] = found
        return found

    def sources_for(
        self, window: Window | None, named: NamedWindows | None, needed: Symbols, present: WindowState
    ) -> tuple[QuerySource, Mapping[URIRef | None, QuerySource]]:
        """Return the source of a query's default graph, and the sources of its windows by graph name.

        If the default graph is a window, its name is None. Graph names are unique among all queries. Windows
        that are named graphs contain no conclusions.
        """
        windows: dict[URIRef | None, QuerySource] = {}
        if named is None or named.always is None:
            source = windows[None] = self.default_source(window, needed, present)
        else:
            vocabulary = self.whole.model.vocabulary
            source = ConstantSource(self._journal, self.whole.window, vocabulary, named.always)
        for name, own in () if named is None else named.windows.items():
            assert name not in self._named, "each query has names of its own"
            self._named[name] = windows[name] = self.default_source(own, frozenset(), present)
        for name, triples in () if named is None else named.static.items():
            vocabulary = self.whole.model.vocabulary
            self._static[name] = ConstantSource(self._journal, self.whole.window, vocabulary, triples)
        return source, windows

    @property
    def conclusions(self) -> ConclusionSource:
        """Source of the conclusions, created on first access. Temporal rules must exist."""
        if self._conclusion_source is None:
            given, vocabulary = self._conclusions, self.whole.model.vocabulary
            assert given is not None, "there are rules"
            self._conclusion_source = ConclusionSource(
                self._journal, self.whole.window, vocabulary, given.facts()
            )
        return self._conclusion_source

    def named(self, name: Place) -> QuerySource | None:
        """Return the source of a named graph, None if the graph has none."""
        if self._conclusions is not None and name == CONCLUSIONS_GRAPH:
            return self.conclusions
        return self._named.get(name, self._static.get(name)) if isinstance(name, URIRef) else None

    def begin_step(self) -> Iterable[QuerySource]:
        """Update the source of the conclusions to a step; returns all sources that can change."""
        if self._conclusions is None:
            return self._window_sources.values()
        changed = self._conclusions.take_facts()
        if self._conclusion_source is not None:
            self._conclusion_source.update(changed)
        return self

    def keep(self, windows: Iterable[tuple[URIRef | None, QuerySource]], needs_conclusions: bool) -> None:
        """Drop all sources except the window model and these.

        Args:
            windows: sources of the queries' windows, with their graph names.
            needs_conclusions: whether a query names the graph of conclusions.
        """
        windows = list(windows)
        used, names = {self.whole, *(source for _, source in windows)}, {name for name, _ in windows}
        self._window_sources = {key: source for key, source in self._window_sources.items() if source in used}
        self._named = {name: source for name, source in self._named.items() if name in names}
        if not needs_conclusions and not any(is_joined for _, is_joined in self._window_sources):
            self._conclusion_source = None

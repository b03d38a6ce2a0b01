"""The state of the window that registered queries are at, and evaluation by column over it."""

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
from pantarhei.query.query_limits import Guard
from pantarhei.query.service import Moment
from pantarhei.query.solutions import Table, TermSpace
from pantarhei.query.sources.relation import Dataset, Source
from pantarhei.query.sources.view import Graphs, View
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, Window


class WindowState(NamedTuple):
    """The state of the window.

    Args:
        model: the window model.
        log: the ABoxes in the window.
        step: where time has come to, None before the stream begins, and where there is no window.
        at: the same as a time.
    """

    model: WindowModel
    log: Log
    step: Step | None
    at: TimePoint | None


class StateEvaluator:
    """Evaluates nodes by column over the present state.

    `uses_clock` says whether any query looks at the clock: then each state has a context of its own.

    Args:
        present: the state to begin with.
        dataset: the graphs that queries are asked of at a moment.
        forms: how literals of the materialization are written now.
        named: gives the content that a graph is, None for one that `dataset` has.
        max_bytes: limits the rows of an operator, and the texts that functions make in one step.
    """

    def __init__(
        self,
        present: WindowState,
        terms: PersistentTermIds,
        dataset: Callable[[Moment, TermSpace], Dataset],
        forms: Mapping[Fact, Literal],
        named: Callable[[Place], QuerySource | None],
        max_bytes: int,
    ) -> None:
        self._guard = Guard(max_bytes=max_bytes)
        self.state, self.terms, self.uses_clock = present, terms, False
        self._dataset_of, self._forms = dataset, forms
        self._named = named
        self._datasets: dict[QuerySource, Dataset] = {}
        self._literals = self._literals_now()
        self.context = self._context()

    def set_state(self, present: WindowState) -> None:
        """Look at another state of the window."""
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
        """Forget what was only kept to save work: numbers may mean something else now."""
        self._datasets.clear()

    def _literals_now(self) -> tuple[object, LiteralValues]:
        vocabulary = self.state.model.vocabulary
        return vocabulary.revision, LiteralValues(vocabulary.lexicon.literals)

    def _context(self) -> Context:
        now = clock_at(self.state.at) if self.uses_clock else _NO_TIME
        return Context(self.terms, self._guard, self._literals[1], now)

    def rows(self, content: QuerySource, node: Node, query: Query | None = None) -> Table:
        """The rows of a node.

        Args:
            query: whose FROM and FROM NAMED say which graphs are asked.
        """
        return Executor(self._queried(content, query), self.context).rows(node)

    def describe(self, query: Query, table: Table, content: QuerySource) -> list[Triple]:
        """The triples of a DESCRIBE whose rows these are."""
        return describe(query.described, table, self._queried(content, query).default, self.terms)

    def check_graphs(self, query: Query, content: QuerySource) -> None:
        """Nothing, if the graphs that a query names are there.

        Raises:
            QueryError: one is not.
        """
        self._view(content).restricted(query.default_graphs, query.named_graphs)

    def _queried(self, content: QuerySource, query: Query | None) -> Dataset:
        """The graphs that a query is asked of; one that has left the window since is empty."""
        if query is None or (query.default_graphs is None and query.named_graphs is None):
            return self._dataset(content)
        there = self._dataset(content).graph
        default, named = (
            None if names is None else [name for name in names if there(name) is not None]
            for names in (query.default_graphs, query.named_graphs)
        )
        return self._view(content).restricted(default, named).dataset

    def _view(self, content: QuerySource) -> View:
        return View(self._dataset(content), self.terms, self._literals[1])

    def _dataset(self, content: QuerySource) -> Dataset:
        """The graphs, with a content as the default one."""
        found = self._datasets.get(content)
        if found is None:
            others = self._dataset_of(self._moment(), self.terms)

            def graph(name: Term) -> Source | None:
                named = self._named(name)
                return others.graph(name) if named is None else self._source(named)

            found = self._datasets[content] = Graphs(self._source(content), others.names, graph)
        return found

    def _source(self, content: QuerySource) -> Source:
        return content.graph(self.terms, self._forms)

    def _moment(self) -> Moment:
        (model, log, *_), forms = self.state, self._forms

        def interpretation(at: TimePoint) -> set[Triple]:
            (entry,) = (entry for entry in log if entry.at == at)
            facts = model.interpretation(entry.level)
            return set(model.vocabulary.decode(facts, {**forms, **entry.forms.by_fact}))

        return Moment(model, forms, lambda: [entry.at for entry in log], interpretation, False)


_NO_TIME = Literal("")  # where no query asks


class NamedWindows(NamedTuple):
    """The windows that a query is asked of by the names of graphs.

    Args:
        windows: by these names; None for the reasoner's.
        always: what the default graph always has; None where it is a window.
        static: graphs with names that always have the same triples.
    """

    windows: Mapping[URIRef, Window | None]
    always: tuple[Triple, ...] | None
    static: Mapping[URIRef, tuple[Triple, ...]] = MappingProxyType({})


class QuerySources:
    """The contents that are followed.

    Args:
        window: the reasoner's; where no time passes, any.
        conclusions: those of temporal rules, None where there are none.
    """

    def __init__(
        self, journal: Journal, window: Window, model: WindowModel, conclusions: Conclusions | None
    ) -> None:
        self._journal, self._conclusions = journal, conclusions
        self.whole = QuerySource(journal, window, model)
        # by the window of queries, None for the reasoner's, and whether conclusions are joined to it
        self._made: dict[tuple[Window | None, bool], QuerySource] = {(None, False): self.whole}
        self._concluded: ConclusionSource | None = None
        self._named: dict[URIRef, QuerySource] = {}  # those of `_made` that are graphs with names
        self._static: dict[URIRef, QuerySource] = {}

    def __iter__(self) -> Iterator[QuerySource]:
        """All that may change; the conclusions first, which others look at."""
        made = self._made.values()
        return iter(made) if self._concluded is None else iter((self._concluded, *made))

    @property
    def windows(self) -> Mapping[QuerySource, Window]:
        """Those of queries that have windows of their own."""
        return {content: window for (window, _), content in self._made.items() if window is not None}

    def default_source(self, window: Window | None, needed: Symbols, present: WindowState) -> QuerySource:
        """What a query is asked of by default.

        Args:
            window: its own, None for the reasoner's.
            needed: the classes and properties whose facts it looks at, None for all.
        """
        joins = self._conclusions is not None and self._conclusions.are_joined_for(needed)
        found = self._made.get((window, joins))
        if found is None:
            found = self.whole
            if window is not None:
                found = WindowViewSource(self._journal, window, *present[:3])
            if joins:
                found = JoinedSource(found, self.conclusions, present.model)
            self._made[window, joins] = found
        return found

    def sources_for(
        self, window: Window | None, named: NamedWindows | None, needed: Symbols, present: WindowState
    ) -> tuple[QuerySource, Mapping[URIRef | None, QuerySource]]:
        """What a query is asked of: by default, and its windows by the names of the graphs that they are.

        The default graph has the name None, if it is a window. No other query has names that this one has. To
        windows with names no conclusions are joined.
        """
        windows: dict[URIRef | None, QuerySource] = {}
        if named is None or named.always is None:
            content = windows[None] = self.default_source(window, needed, present)
        else:
            vocabulary = self.whole.model.vocabulary
            content = ConstantSource(self._journal, self.whole.window, vocabulary, named.always)
        for name, own in () if named is None else named.windows.items():
            assert name not in self._named, "each query has names of its own"
            self._named[name] = windows[name] = self.default_source(own, frozenset(), present)
        for name, triples in () if named is None else named.static.items():
            vocabulary = self.whole.model.vocabulary
            self._static[name] = ConstantSource(self._journal, self.whole.window, vocabulary, triples)
        return content, windows

    @property
    def conclusions(self) -> ConclusionSource:
        """The conclusions, followed from now on; there are rules."""
        if self._concluded is None:
            given, vocabulary = self._conclusions, self.whole.model.vocabulary
            assert given is not None, "there are rules"
            self._concluded = ConclusionSource(self._journal, self.whole.window, vocabulary, given.facts())
        return self._concluded

    def named(self, name: Place) -> QuerySource | None:
        """The content that a graph is, None for one that is none."""
        if self._conclusions is not None and name == CONCLUSIONS_GRAPH:
            return self.conclusions
        return self._named.get(name, self._static.get(name)) if isinstance(name, URIRef) else None

    def begin_step(self) -> Iterable[QuerySource]:
        """A step has been made: let the conclusions be what they are after it; gives all contents."""
        if self._conclusions is None:
            return self._made.values()
        changed = self._conclusions.take_facts()
        if self._concluded is not None:
            self._concluded.update(changed)
        return self

    def keep(self, windows: Iterable[tuple[URIRef | None, QuerySource]], needs_conclusions: bool) -> None:
        """Drop all contents except these and the window model.

        Args:
            windows: the windows of queries, with the names of their graphs.
            needs_conclusions: whether a query names the graph of conclusions.
        """
        windows = list(windows)
        used, names = {self.whole, *(content for _, content in windows)}, {name for name, _ in windows}
        self._made = {key: content for key, content in self._made.items() if content in used}
        self._named = {name: content for name, content in self._named.items() if name in names}
        if not needs_conclusions and not any(is_joined for _, is_joined in self._made):
            self._concluded = None

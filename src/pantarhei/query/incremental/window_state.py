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
from pantarhei.query.incremental.persistent_terms import LastingTerms
from pantarhei.query.incremental.query_sources import (
    ConclusionContent,
    Conclusions,
    ConstantContent,
    Content,
    JoinedContent,
    WindowView,
)
from pantarhei.query.operators.evaluation import Evaluation
from pantarhei.query.operators.forms import described
from pantarhei.query.query_limits import Guard
from pantarhei.query.service import Moment
from pantarhei.query.solutions import Table, TermSpace
from pantarhei.query.sources.relation import Dataset, Source
from pantarhei.query.sources.view import Graphs, View
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, Window


class Present(NamedTuple):
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


class Outlook:
    """Evaluates nodes by column over the present state.

    `tells_time` says whether any query looks at the clock: then each state has a context of its own.

    Args:
        present: the state to begin with.
        dataset: the graphs that queries are asked of at a moment.
        forms: how literals of the materialization are written now.
        named: gives the content that a graph is, None for one that `dataset` has.
        max_bytes: limits the rows of an operator, and the texts that functions make in one step.
    """

    def __init__(
        self,
        present: Present,
        terms: LastingTerms,
        dataset: Callable[[Moment, TermSpace], Dataset],
        forms: Mapping[Fact, Literal],
        named: Callable[[Place], Content | None],
        max_bytes: int,
    ) -> None:
        self._guard = Guard(max_bytes=max_bytes)
        self.present, self.terms, self.tells_time = present, terms, False
        self._dataset_of, self._forms = dataset, forms
        self._named = named
        self._datasets: dict[Content, Dataset] = {}
        self._literals = self._literals_now()
        self.context = self._context()

    def stand_at(self, present: Present) -> None:
        """Look at another state of the window."""
        self.present = present
        self._guard.restart()
        if self._datasets:
            self._datasets.clear()
        self.terms.look_again()
        if self._literals[0] is not self.terms.revision:
            self._literals = self._literals_now()
            self.context = self._context()
        elif self.tells_time:
            self.context = self._context()

    def forget(self) -> None:
        """Forget what was only kept to save work: numbers may mean something else now."""
        self._datasets.clear()

    def _literals_now(self) -> tuple[object, LiteralValues]:
        vocabulary = self.present.model.vocabulary
        return vocabulary.revision, LiteralValues(vocabulary.lexicon.literals)

    def _context(self) -> Context:
        now = clock_at(self.present.at) if self.tells_time else _NO_TIME
        return Context(self.terms, self._guard, self._literals[1], now)

    def rows(self, content: Content, node: Node, query: Query | None = None) -> Table:
        """The rows of a node.

        Args:
            query: whose FROM and FROM NAMED say which graphs are asked.
        """
        return Evaluation(self._asked(content, query), self.context).rows(node)

    def described(self, query: Query, table: Table, content: Content) -> list[Triple]:
        """The triples of a DESCRIBE whose rows these are."""
        return described(query.described, table, self._asked(content, query).default, self.terms)

    def check_graphs(self, query: Query, content: Content) -> None:
        """Nothing, if the graphs that a query names are there.

        Raises:
            QueryError: one is not.
        """
        self._view(content).restricted(query.default_graphs, query.named_graphs)

    def _asked(self, content: Content, query: Query | None) -> Dataset:
        """The graphs that a query is asked of; one that has left the window since is empty."""
        if query is None or (query.default_graphs is None and query.named_graphs is None):
            return self._dataset(content)
        there = self._dataset(content).graph
        default, named = (
            None if names is None else [name for name in names if there(name) is not None]
            for names in (query.default_graphs, query.named_graphs)
        )
        return self._view(content).restricted(default, named).dataset

    def _view(self, content: Content) -> View:
        return View(self._dataset(content), self.terms, self._literals[1])

    def _dataset(self, content: Content) -> Dataset:
        """The graphs, with a content as the default one."""
        found = self._datasets.get(content)
        if found is None:
            others = self._dataset_of(self._moment(), self.terms)

            def graph(name: Term) -> Source | None:
                named = self._named(name)
                return others.graph(name) if named is None else self._source(named)

            found = self._datasets[content] = Graphs(self._source(content), others.names, graph)
        return found

    def _source(self, content: Content) -> Source:
        return content.source(self.terms, self._forms)

    def _moment(self) -> Moment:
        (model, log, *_), forms = self.present, self._forms

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


class AllContents:
    """The contents that are followed.

    Args:
        window: the reasoner's; where no time passes, any.
        conclusions: those of temporal rules, None where there are none.
    """

    def __init__(
        self, journal: Journal, window: Window, model: WindowModel, conclusions: Conclusions | None
    ) -> None:
        self._journal, self._conclusions = journal, conclusions
        self.whole = Content(journal, window, model)
        # by the window of queries, None for the reasoner's, and whether conclusions are joined to it
        self._made: dict[tuple[Window | None, bool], Content] = {(None, False): self.whole}
        self._concluded: ConclusionContent | None = None
        self._named: dict[URIRef, Content] = {}  # those of `_made` that are graphs with names
        self._static: dict[URIRef, Content] = {}

    def __iter__(self) -> Iterator[Content]:
        """All that may change; the conclusions first, which others look at."""
        made = self._made.values()
        return iter(made) if self._concluded is None else iter((self._concluded, *made))

    @property
    def windows(self) -> Mapping[Content, Window]:
        """Those of queries that have windows of their own."""
        return {content: window for (window, _), content in self._made.items() if window is not None}

    def of(self, window: Window | None, needed: Symbols, present: Present) -> Content:
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
                found = WindowView(self._journal, window, *present[:3])
            if joins:
                found = JoinedContent(found, self.concluded, present.model)
            self._made[window, joins] = found
        return found

    def asked(
        self, window: Window | None, named: NamedWindows | None, needed: Symbols, present: Present
    ) -> tuple[Content, Mapping[URIRef | None, Content]]:
        """What a query is asked of: by default, and its windows by the names of the graphs that they are.

        The default graph has the name None, if it is a window. No other query has names that this one has. To
        windows with names no conclusions are joined.
        """
        windows: dict[URIRef | None, Content] = {}
        if named is None or named.always is None:
            content = windows[None] = self.of(window, needed, present)
        else:
            vocabulary = self.whole.model.vocabulary
            content = ConstantContent(self._journal, self.whole.window, vocabulary, named.always)
        for name, own in () if named is None else named.windows.items():
            assert name not in self._named, "each query has names of its own"
            self._named[name] = windows[name] = self.of(own, frozenset(), present)
        for name, triples in () if named is None else named.static.items():
            vocabulary = self.whole.model.vocabulary
            self._static[name] = ConstantContent(self._journal, self.whole.window, vocabulary, triples)
        return content, windows

    @property
    def concluded(self) -> ConclusionContent:
        """The conclusions, followed from now on; there are rules."""
        if self._concluded is None:
            given, vocabulary = self._conclusions, self.whole.model.vocabulary
            assert given is not None, "there are rules"
            self._concluded = ConclusionContent(self._journal, self.whole.window, vocabulary, given.facts())
        return self._concluded

    def named(self, name: Place) -> Content | None:
        """The content that a graph is, None for one that is none."""
        if self._conclusions is not None and name == CONCLUSIONS_GRAPH:
            return self.concluded
        return self._named.get(name, self._static.get(name)) if isinstance(name, URIRef) else None

    def begin_step(self) -> Iterable[Content]:
        """A step has been made: let the conclusions be what they are after it; gives all contents."""
        if self._conclusions is None:
            return self._made.values()
        changed = self._conclusions.take_facts()
        if self._concluded is not None:
            self._concluded.go_on(changed)
        return self

    def keep(self, windows: Iterable[tuple[URIRef | None, Content]], needs_conclusions: bool) -> None:
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

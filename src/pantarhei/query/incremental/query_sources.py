"""Data sources of registered queries (the window model, shorter windows, conclusions of temporal rules), and
the evaluation of algebra nodes over them.

A shorter window that ends now is a view of the window model. It contains the background, and the facts whose
settled level is not below the level of the window's first timestamp. The view is exact, since repairs decide
newest first: an older fact never influences a newer one. A view stores its facts in a window model without
rules, so that patterns are matched by the same code.

Conclusions of temporal rules hold at the present tick and have no timestamp, so each window that ends now
contains them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from rdflib import Literal, URIRef

from pantarhei.encoding.numbers import (
    NO_FACTS,
    Fact,
    FactForms,
    Integers,
    Renaming,
    Symbols,
    UsedTerms,
    as_tuples,
)
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import WindowModel, plain_model
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimeKind, TimePoint, ticks_of
from pantarhei.query.algebra.nodes import Node, PatternTerm, Query
from pantarhei.query.expressions import Context, LiteralValues, clock_at
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.pattern_changes import FactMatcher, PatternMatcher
from pantarhei.query.incremental.persistent_terms import PersistentTermIds
from pantarhei.query.operators.executor import Executor
from pantarhei.query.operators.result_forms import describe
from pantarhei.query.planner import DataVersion
from pantarhei.query.solutions import QueryLimits, SolutionTable, TermSpace
from pantarhei.query.sources.relation import FactSource, LazyGraphs
from pantarhei.query.sources.view import GraphFacts, View
from pantarhei.query.sources.window import WindowFacts
from pantarhei.window.log import Changes, Log
from pantarhei.window.sliding import Step, Window


class QuerySource:
    """Facts of the window model, as the data of queries.

    Args:
        window: window whose boundaries trigger reports; any window for a graph without time.
    """

    name: Term | None = None
    """Name of the graph, None for the default graph."""

    def __init__(self, journal: Journal, window: Window, model: WindowModel) -> None:
        self.journal, self.window, self.model = journal, window, model
        self.patterns, self.facts = PatternMatcher(), FactMatcher()
        self.closed: int | None = None
        """The last boundary that has closed."""
        self.first_tick: int | None = None
        """Tick of the first observed step."""
        self.is_changed = True
        """True if facts may have changed since the last boundary that closed."""

    def advance(self, changes: Changes, model: WindowModel, closing: int | None) -> Integers:
        """Advance to the state after a step.

        Args:
            closing: boundary of a window that is to be closed, at which the source gets that window's
                content; None to get the content of the open window.

        Returns:
            Facts inserted (1) and deleted (-1, last column), shape (n, 4); a fact may occur several times.
        """
        self.model = model
        return changes.fact_changes

    def refill(self, model: WindowModel) -> None:
        """Copy the facts of the window model again if the model has got new rules."""

    def graph(self, terms: TermSpace, forms: FactForms) -> FactSource:
        """Return a graph of the present facts.

        Args:
            terms: maps terms to term numbers.
            forms: present literal forms.
        """
        return WindowFacts(self.model, terms, forms)

    @property
    def bytes_used(self) -> int:
        """Memory of facts stored outside the window model, in bytes."""
        return 0

    def used_terms(self, used: UsedTerms) -> None:
        """Collect the symbols and terms of facts that are stored outside the window model."""

    def first_level(self, log: Log) -> int:
        """Return the lowest level of the source's window."""
        return log.timeline.first_level

    def has_assertions(self, log: Log) -> bool:
        """Return whether the window contains an assertion of the stream. The cost is linear in the number of
        the window's leading ABoxes without facts.
        """
        first = self.first_level(log)
        return any(len(entry.facts) for entry in log.timeline.after(first - 1))

    def renumber(self, renaming: Renaming) -> None:
        """Replace term numbers."""
        self.patterns.renumber()
        self.facts.renumber()

    def next_closing(self, kind: TimeKind, after: int, until: int, change: int | None) -> int | None:
        """Return the next boundary above `after` at which a report may differ from the report at the boundary
        before it; None if there is none.

        Args:
            until: time to which the stream advances; only windows that close on the way are considered.
            change: first tick above `after` at which the passage of time changes the content of a window;
                None for never.
        """
        closings = self.window.closings(kind, after, until)
        is_seen = not self.is_changed
        if closings and closings[0] == after:  # this window closes with the present content
            is_seen = is_seen or self.is_open(after)
            closings = closings[1:]
        if not closings or not is_seen or self.window.zone is not None:
            return closings[0] if closings else None
        if change is None:
            return None
        late = closings[max(0, -((closings[0] - change) // closings.step)) :]
        return late[0] if late else None

    def next_change(self, kind: TimeKind, after: int, log: Log) -> int | None:
        """Return the first tick above `after` at which the oldest ABox has left the window; None if the
        window has no ABox.
        """
        oldest = next(iter(log.timeline.after(self.first_level(log) - 1)), None)
        return None if oldest is None else max(after + 1, self.window.leaving_at(kind, oldest.ticks))

    def closing_on_the_way(self, now: Step, step: Step, on_the_way: bool) -> range:
        """Return the boundaries of windows that close as time advances from `now` to `step` and have not
        closed yet.

        Args:
            on_the_way: True if the window that ends at `step` closes later, before the arrivals of that step.
        """
        if self.closed is None:
            return range(0)
        closings = self.window.closings(now.kind, now.now, step.now)
        first = max(0, -((closings.start - self.closed - 1) // closings.step))
        last = len(closings) - (on_the_way and len(closings) > 0 and closings[-1] == step.now)
        return closings[first:last]

    def closes_before_arrivals(self, step: Step) -> bool:
        """Return whether the present time is a boundary of a left-closed window that has not closed; such a
        window closes before the arrivals of the step.
        """
        is_left = self.window.closed == "left" and self.is_open(step.now)
        return is_left and self.window.next_boundary(step.kind, step.now) == step.now

    def is_open(self, boundary: int) -> bool:
        """Return whether the window that ends at a boundary has not closed."""
        return self.closed is not None and self.closed < boundary

    def begin_observing(self, step: Step) -> None:
        """Ignore window boundaries before the first observed step.

        Args:
            step: the first observed step.
        """
        self.journal.set(self, "closed", step.now - (self.window.closed != "left"))
        self.journal.set(self, "first_tick", step.now)

    def whole_windows(self, kind: TimeKind, boundaries: range, since: TimePoint | None) -> range:
        """Return the boundaries whose windows begin at `since` or later; None stands for the first observed
        step.
        """
        first_tick = self.first_tick if since is None else ticks_of(since, kind)
        if first_tick is None or not boundaries:
            return range(0)
        return self.window.whole(kind, boundaries, first_tick)


class StoredSource(QuerySource):
    """Facts stored in a separate window model without rules; journaled."""

    def __init__(self, journal: Journal, window: Window, vocabulary: Vocabulary) -> None:
        super().__init__(journal, window, plain_model(NO_FACTS, vocabulary))

    def replace_facts(self, facts: Integers) -> None:
        """Replace all facts."""
        self.journal.set(self, "model", plain_model(facts, self.model.vocabulary))

    def change(self, inserted: Integers, deleted: Integers) -> Integers:
        """Insert and delete facts; returns the changes in the format of `advance`."""
        if not len(inserted) and not len(deleted):
            return _NO_CHANGES
        self.journal.record_all(_Stored(self.model), [*as_tuples(inserted), *as_tuples(deleted)])
        self.model.add(inserted, 0)
        self.model.cut(deleted)
        return self.model.take_changes()

    @property
    def bytes_used(self) -> int:
        return self.model.bytes_used

    def used_terms(self, used: UsedTerms) -> None:
        used.add(self.model.facts())

    def renumber(self, renaming: Renaming) -> None:
        super().renumber(renaming)
        self.replace_facts(renaming.facts(self.model.facts()))


class ConstantSource(StoredSource):
    """Triples that never change, in their given literal forms."""

    def __init__(
        self, journal: Journal, window: Window, vocabulary: Vocabulary, triples: tuple[Triple, ...]
    ) -> None:
        super().__init__(journal, window, vocabulary)
        self._triples = triples

    def graph(self, terms: TermSpace, forms: FactForms) -> FactSource:
        return GraphFacts.of(terms, self._triples)


class WindowViewSource(StoredSource):
    """Facts of a shorter window, as a view of the window model.

    Args:
        model: the window model.
        log: the ABoxes in the model's window.
        step: the present step; None before the stream begins.

    `start` is the lowest level of the window.
    """

    def __init__(
        self, journal: Journal, window: Window, model: WindowModel, log: Log, step: Step | None
    ) -> None:
        super().__init__(journal, window, model.vocabulary)
        self.start, self.program = log.timeline.first_level, model.program
        if step is not None:
            self.start = self._level_at(log, step.kind, window.step_at(step.kind, step.now).end)
            self.begin_observing(step)
        self._fill(model)

    def _fill(self, model: WindowModel) -> None:
        """Copy the facts of the window from the window model."""
        self.journal.set(self, "program", model.program)
        facts = model.facts()
        self.replace_facts(facts[model.levels(facts) >= self.start])

    def refill(self, model: WindowModel) -> None:
        if self.program is not model.program:
            self._fill(model)

    def _level_at(self, log: Log, kind: TimeKind, boundary: int) -> int:
        """Return the lowest level of the window that ends at a boundary."""
        return log.timeline.first_level_from(self.window.content_at(kind, boundary)[0])

    def first_level(self, log: Log) -> int:
        return max(self.start, log.timeline.first_level)

    def advance(self, changes: Changes, model: WindowModel, closing: int | None) -> Integers:
        step, log, levels = changes.step, changes.log, changes.levels
        assert step is not None and log is not None and levels is not None, "views ask for levels"
        end = self.window.step_at(step.kind, step.now).end if closing is None else closing
        old, new = self.start, max(self.start, self._level_at(log, step.kind, end))
        was, is_ = levels.old >= old, levels.new >= new
        left = [levels.facts[was & ~is_]]
        for level in range(max(old, log.timeline.first_level), new):
            facts = model.interpretation(level)
            left.append(facts[~_among(facts, levels.facts)])
        inserted, deleted = levels.facts[~was & is_], np.concatenate(left)
        if new != old:
            self.journal.set(self, "start", new)
        return self.change(inserted, deleted)


class _Stored(dict[Fact, None]):
    """Facts of a model as a dictionary, so that the journal can undo insertions and deletions."""

    def __init__(self, model: WindowModel) -> None:
        self._model = model

    def get(self, fact: Fact, default: Any = None) -> Any:
        return None if self._model.kernel.store.row_of(*fact) >= 0 else default

    def pop(self, fact: Fact, default: Any = None) -> Any:
        self._model.cut(np.array([fact], np.int32))
        self._model.take_changes()

    def __setitem__(self, fact: Fact, value: None) -> None:
        self._model.add(np.array([fact], np.int32), 0)
        self._model.take_changes()


def _among(some: Integers, facts: Integers) -> Any:
    known = set(as_tuples(facts))
    return np.array([fact in known for fact in as_tuples(some)], np.bool_)


_NO_CHANGES = np.empty((0, 4), np.int32)


class Conclusions(Protocol):
    """Conclusions of temporal rules that are triples, as facts in the numbers of the vocabulary."""

    def are_joined_for(self, needed: Symbols) -> bool:
        """Return whether the default graph contains conclusions of these classes and properties.

        Args:
            needed: classes and properties; None for all.
        """

    def facts(self) -> Integers:
        """Return all conclusions, shape (n, 3)."""

    def take_facts(self) -> Integers:
        """Return the conclusions inserted (1) and deleted (-1, last column) since the last call; a conclusion
        occurs at most once.
        """


class ConclusionSource(StoredSource):
    """Conclusions of temporal rules; the data of the graph `urn:pantarhei:conclusions`.

    Args:
        window: the reasoner's window.
        facts: the present conclusions.
    """

    name = CONCLUSIONS_GRAPH

    def __init__(self, journal: Journal, window: Window, vocabulary: Vocabulary, facts: Integers) -> None:
        super().__init__(journal, window, vocabulary)
        self.replace_facts(facts)
        self.changes = self.change(facts[:0], facts[:0])
        """Changes of the last step."""

    def update(self, changed: Integers) -> None:
        """Apply the changes of a step.

        Args:
            changed: conclusions inserted (1) and deleted (-1, last column).
        """
        inserted, deleted = (changed[changed[:, 3] == sign, :3] for sign in (1, -1))
        self.changes = self.change(inserted, deleted)

    def advance(self, changes: Changes, model: WindowModel, closing: int | None) -> Integers:
        return self.changes

    def graph(self, terms: TermSpace, forms: FactForms) -> FactSource:
        return super().graph(terms, {})  # conclusions have first forms


class JoinedSource(StoredSource):
    """Union of another source and all conclusions.

    Args:
        base: the other source.
        model: the window model.
    """

    def __init__(self, base: QuerySource, conclusions: ConclusionSource, model: WindowModel) -> None:
        super().__init__(base.journal, base.window, model.vocabulary)
        self._base, self._conclusions, self.program = base, conclusions, model.program
        self.closed, self.first_tick = base.closed, base.first_tick
        self._fill()

    def _fill(self) -> None:
        self.replace_facts(np.concatenate([self._base.model.facts(), self._conclusions.model.facts()]))

    def refill(self, model: WindowModel) -> None:
        if self.program is not model.program:
            self._base.refill(model)
            self.journal.set(self, "program", model.program)
            self._fill()

    def advance(self, changes: Changes, model: WindowModel, closing: int | None) -> Integers:
        changed = self._base.advance(changes, model, closing)
        facts = np.concatenate([changed[:, :3], self._conclusions.changes[:, :3]])
        are_present = _contains(self._base.model, facts) | _contains(self._conclusions.model, facts)
        were_present = _contains(self.model, facts)
        return self.change(facts[are_present & ~were_present], facts[were_present & ~are_present])

    def first_level(self, log: Log) -> int:
        return self._base.first_level(log)

    @property
    def bytes_used(self) -> int:
        return super().bytes_used + self._base.bytes_used

    def renumber(self, renaming: Renaming) -> None:
        self._base.renumber(renaming)
        super().renumber(renaming)


def _contains(model: WindowModel, facts: Integers) -> npt.NDArray[np.bool_]:
    """Return for each fact whether a model contains it."""
    return np.asarray(model.kernel.store.present(contiguous(facts)), np.bool_)


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
        dataset: Callable[[DataVersion, TermSpace], LazyGraphs],
        forms: Mapping[Fact, Literal],
        named: Callable[[PatternTerm], QuerySource | None],
        max_bytes: int,
    ) -> None:
        self._limits = QueryLimits(max_bytes=max_bytes)
        self.state, self.terms, self.uses_clock = present, terms, False
        self._dataset_of, self._forms = dataset, forms
        self._named = named
        self._datasets: dict[QuerySource, LazyGraphs] = {}
        self._literals = self._literals_now()
        self.context = self._context()

    def set_state(self, present: WindowState) -> None:
        """Switch to another state."""
        self.state = present
        self._limits.restart()
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
        return Context(self.terms, self._limits, self._literals[1], now)

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

    def _queried(self, source: QuerySource, query: Query | None) -> LazyGraphs:
        """Return the dataset of a query; graphs that have left the window are left out."""
        if query is None or not query.has_dataset_clause:
            return self._dataset(source)
        graph_of = self._dataset(source).graph
        default, named = (
            None if names is None else [name for name in names if graph_of(name) is not None]
            for names in (query.default_graphs, query.named_graphs)
        )
        return self._view(source).restricted(default, named).dataset

    def _view(self, source: QuerySource) -> View:
        return View(self._dataset(source), self.terms, self._literals[1])

    def _dataset(self, source: QuerySource) -> LazyGraphs:
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
            window, facts = self.whole.window, given.facts()
            self._conclusion_source = ConclusionSource(self._journal, window, vocabulary, facts)
        return self._conclusion_source

    def named(self, name: PatternTerm) -> QuerySource | None:
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

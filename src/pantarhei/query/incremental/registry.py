"""Registry of a reasoner's registered queries: maintains their answers after each step, and schedules
reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import numpy as np

from pantarhei.encoding.numbers import (
    FIRST_LITERAL,
    NO_FACTS,
    FactForms,
    Pace,
    Renaming,
    Symbol,
    Symbols,
    UsedTerms,
    as_tuples,
    concat_symbols,
)
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint
from pantarhei.query.algebra.analysis import depends_on_clock
from pantarhei.query.algebra.nodes import Node, Project, Query, variables_of
from pantarhei.query.algebra.passes import optimize
from pantarhei.query.answers import MAX_BYTES
from pantarhei.query.continuous_query import BYTES_A_ROW, PLAIN, ReportPolicy
from pantarhei.query.expressions import order
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH
from pantarhei.query.incremental.journal import Journal, JournalSavepoint
from pantarhei.query.incremental.operator import Bag, Operator, Row, Rows, SharedState, rows_of, table_of
from pantarhei.query.incremental.persistent_terms import LiteralForms, PersistentTermIds, rewritten_facts
from pantarhei.query.incremental.query_sources import (
    Conclusions,
    NamedWindows,
    QuerySource,
    QuerySources,
    StateEvaluator,
    WindowState,
)
from pantarhei.query.incremental.query_state import QueryState, SavedQuery, needed_symbols, to_bytes
from pantarhei.query.incremental.reporting import ReportScheduler
from pantarhei.query.incremental.shared_plans import PlanInstance, SharedPlans
from pantarhei.query.incremental.slices import SliceOperator
from pantarhei.query.planner import DataVersion
from pantarhei.query.solutions import TermSpace
from pantarhei.query.sources.relation import LazyGraphs
from pantarhei.window.log import Changes, Log
from pantarhei.window.sliding import Step, Window

_Savepoint = tuple[JournalSavepoint, WindowState, int, int]
"""Savepoint of the journal, the state of the window, and two counters of `bytes_used`."""


class QueryRegistry:
    """Consumer (engine/consumer.py) that maintains registered queries.

    Args:
        present: state of the window.
        window: the reasoner's window; any window for a graph without time.
        dataset: returns the named graphs of a data version.
        forms: returns the present literal forms.
        conclusions: conclusions of temporal rules, which are updated before this consumer; None without
            rules.
        max_bytes: limit on the rows of an operator, and on the texts that functions create in one step.
    """

    receives_each_step = False

    def __init__(
        self,
        present: WindowState,
        window: Window,
        dataset: Callable[[DataVersion, TermSpace], LazyGraphs],
        forms: Callable[[], FactForms],
        conclusions: Conclusions | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._forms_of = forms
        self.journal = Journal()
        sources = self._sources = QuerySources(self.journal, window, present.model, conclusions)
        self.terms = PersistentTermIds(present.model.vocabulary, self.journal)
        self._forms = LiteralForms(self.journal, self.terms)
        by_fact = self._forms.facts
        self._evaluator = StateEvaluator(present, self.terms, dataset, by_fact, sources.named, max_bytes)
        self._shared = SharedState(self.journal, self.terms, self._evaluator.context)
        self._plans = SharedPlans(self._shared, self._evaluator, sources.named)
        self.network = self._plans.network
        self._last_initialised = 0  # serial number of the last initialised operator
        self.scheduler = ReportScheduler(self._shared)
        self._changes_when_counted, self._counted_rows = 0, 0
        self.queries: dict[str, QueryState] = {}

    @property
    def needs_levels(self) -> bool:
        """True if a query has a window of its own."""
        return bool(self._sources.windows)

    @property
    def needed_symbols(self) -> Symbols:
        """Classes and properties whose facts the queries depend on, None for all."""
        return concat_symbols(*(needed_symbols(each.query, each.policy) for each in self.queries.values()))

    # -- queries -----------------------------------------------------------------------------------

    def register(
        self,
        name: str,
        text: str,
        query: Query,
        present: WindowState,
        window: Window | None = None,
        policy: ReportPolicy = PLAIN,
        checks_graphs: bool = True,
        named: NamedWindows | None = None,
    ) -> QueryState:
        """Register a query.

        Args:
            window: window of its default graph, None for the reasoner's; ignored if `named` has the default
                graph's triples.
            checks_graphs: whether the graphs that it names must exist.
            named: windows that are named graphs; their names are unique among queries.

        Raises:
            QueryError: a graph does not exist.
        """
        self._set_state(present)
        self._plans.purge()
        self.scheduler.flush()  # deferred deltas would be lost by a rollback
        before = self.mark()
        try:
            self._evaluator.uses_clock = self._evaluator.uses_clock or depends_on_clock(query.node)
            self._set_state(present)
            for known in self._sources:
                known.refill(present.model)
            needed, now = needed_symbols(query, policy), self._evaluator.state
            source, windows = self._sources.sources_for(window, named, needed, now)
            if checks_graphs:
                self._evaluator.check_graphs(query, source)
            node: Node = optimize(query.node, has_forms=True)
            if query.form == "SELECT" and node.variables != query.variables:
                node = Project(node, query.variables)
            made = self._plans.make(query, node, source)
            registered = QueryState(name, text, query, node, made, source, windows, policy)
            initialised = dict(self.network.initialise(self._last_initialised))
            self.journal.set(self, "_last_initialised", self.network.last_serial)
            self._shared.add_all(registered.answers, self._present_rows(made, initialised))
            self.queries[name] = registered
            self._refresh_queries()
            self.scheduler.note_changed()
        except BaseException:
            self.queries.pop(name, None)
            self.back(before)
            self._keep_queries(undone=True)
            raise
        return registered

    def _keep_queries(self, undone: bool = False) -> None:
        """Drop plans and sources that no query uses.

        Args:
            undone: as in `SharedPlans.keep`.
        """
        self._plans.keep([registered.plan for registered in self.queries.values()], undone)
        windows = (each for registered in self.queries.values() for each in registered.windows.items())
        needs_conclusions = any(CONCLUSIONS_GRAPH in each.query.graphs for each in self.queries.values())
        self._sources.keep(windows, needs_conclusions)
        self._refresh_queries()

    def _present_rows(self, plan: PlanInstance, initialised: dict[Operator, Rows]) -> Rows:
        """Return the present rows of a query.

        Args:
            initialised: rows of the operators that the query's registration has initialised.
        """
        if plan.member is None:
            return self.network.rows(plan.root, initialised)
        if plan.rows is not None:
            return plan.rows
        return next(query.current_rows for query in self.queries.values() if query.plan.member is plan.member)

    def _refresh_queries(self) -> None:
        """Recompute the data that depend on the set of queries."""
        self.scheduler.set_queries(self.queries.values())
        self._counted_rows = 0  # so that `bytes_used` counts again
        self._evaluator.uses_clock = any(depends_on_clock(each.query.node) for each in self.queries.values())

    def in_order(self, registered: QueryState, present: WindowState) -> list[Row]:
        """Return the rows of a query's answers, ordered by its ORDER BY."""
        self._set_state(present)
        rows, node = list(registered.answers), registered.order
        if node is None:
            return rows
        variables = registered.variables
        if {v for key in node.keys for v in variables_of(key.expression)} <= set(variables):
            ordered = order(node.keys, table_of(rows, variables), self._shared.context)
            return [rows[index] for index in ordered.tolist()]
        root = registered.root
        if isinstance(root, SliceOperator):
            known = root.in_order()
        else:
            known = rows_of(self._evaluator.rows(registered.source, registered.node), variables)
        indexes = {row: index for index, row in enumerate(dict.fromkeys(known))}
        return sorted(rows, key=lambda row: indexes.get(row, len(indexes)))

    def drop(self, name: str) -> None:
        """Remove a query, if it exists."""
        registered = self.queries.get(name)
        if registered is None:
            return
        try:
            self.scheduler.forget(registered)
            del self.queries[name]
            self._keep_queries()
        except BaseException:
            self.queries.pop(name, None)
            self._keep_queries()
            raise

    def purge(self, state: Callable[[], WindowState]) -> None:
        """Delete the rows of removed queries. It must not be called during a step or a block of steps.

        Args:
            state: returns the state of the window.
        """
        if self._plans.has_removed:
            self._set_state(state())
            self._plans.purge()

    # -- steps -------------------------------------------------------------------------------------

    @property
    def bytes_used(self) -> int:
        """Approximate memory in bytes.

        Stored rows are counted again, and deferred deltas are applied, only when an eighth of the rows may
        have changed.
        """
        if 8 * self.scheduler.pending_rows > self._counted_rows:
            self.scheduler.flush()  # a row deleted by a deferred delta is stored twice
        changed, waiting = self.journal.change_count, self.scheduler.pending_rows
        if 8 * (changed - self._changes_when_counted) >= self._counted_rows:
            self._counted_rows = sum(len(bag) for bag in self._bags()) + len(self._forms.facts)
            self._changes_when_counted = changed
        sources = sum(source.bytes_used for source in self._sources)
        return sources + BYTES_A_ROW * (self._counted_rows + waiting + 2 * len(self.terms.locals))

    def due(self, after: int, until: int) -> int | None:
        """Return the next boundary at which a query's window closes and its report may differ; None if there
        is none.
        """
        now, log = self._evaluator.state.step, self._evaluator.state.log
        if now is None or not self.scheduler.has_closing_windows:
            return None
        if after < now.now == until and self.scheduler.closes_before_arrivals(now):
            return until  # a window closes before the arrivals of the present time
        if self._evaluator.uses_clock:
            change: int | None = after + 1  # NOW() changes at each boundary
        else:
            found = (source.next_change(now.kind, after, log) for source in self._sources)
            change = min((tick for tick in found if tick is not None), default=None)
        return self.scheduler.due(now.kind, after, until, change)

    def before(self, step: Step, model: WindowModel) -> None:
        """Close windows at a boundary before arrivals."""
        self.scheduler.close_before_arrivals(step, self._evaluator.state.log)

    def apply(self, changes: Changes, model: WindowModel) -> None:
        """Update all queries to the model's state."""
        step, log, evaluator = changes.step, changes.log, self._evaluator
        assert log is not None, "each step has a log"
        sees_windows = self.scheduler.sees_windows
        before = evaluator.state
        if sees_windows and step is not None and before.step is not None:
            self.scheduler.leave_tick(before.step, step, before.log, changes.is_intermediate)
        evaluator.set_state(WindowState(model, log, step, changes.at))
        self._shared.context = evaluator.context
        done = self.network.step(self._changed_leaves(changes, model, before.log), self._last_initialised)
        if self._last_initialised < self.network.last_serial:
            done.update(self.network.initialise(self._last_initialised))
            self.journal.set(self, "_last_initialised", self.network.last_serial)
        if changes.at is not None:
            self.scheduler.record_changes(done, changes.at, changes.is_intermediate)
        if sees_windows and step is not None and not changes.is_intermediate:
            self.scheduler.report_after_step(step, log)

    def end_block(self, at: TimePoint) -> None:
        """End a block of steps."""
        self.scheduler.end(at, self._evaluator.state.step, self._evaluator.state.log)

    def _changed_leaves(self, changes: Changes, model: WindowModel, log_before: Log) -> dict[Operator, Rows]:
        """Return the deltas of the leaves."""
        assert changes.log is not None, "each step has a log"
        before, form_of = self._forms.change(changes.forms)
        leaves: dict[Operator, Rows] = {}
        touched: dict[QuerySource, set[Symbol]] = {}
        sees_windows, step = self.scheduler.sees_windows, changes.step
        is_changed = bool(changes.entries or before)
        for source in self._sources.begin_step():
            if step is not None and source.closed is None:
                source.begin_observing(step)
            closing = self.scheduler.closing(source, step) if sees_windows and step is not None else None
            first_level = source.first_level(log_before) if sees_windows else 0
            changed, rewritten, source_form_of = source.advance(changes, model, closing), NO_FACTS, form_of
            if source.name is not None:
                source_form_of = self._forms.first()
            elif before:
                rewritten = rewritten_facts(before, changed, source.model)
            leaves.update(source.patterns.changes(source.model, changed, rewritten, source_form_of))
            if source.facts.leaves:
                leaves.update(source.facts.changes(source.model, changed, rewritten, source_form_of))
            if sees_windows:
                self.scheduler.record_changed_facts(source, changed)
                is_changed = is_changed or len(changed) > 0 or first_level != source.first_level(changes.log)
            if source in self.network.recompute_leaves:
                facts = np.concatenate([changed[:, :3], rewritten])
                touched[source] = source.model.vocabulary.predicates_of(facts)
        if is_changed:
            self.scheduler.note_changed()
        # all sources have advanced
        leaves.update(self.network.recompute(touched, self._last_initialised))
        return leaves

    def mark(self) -> _Savepoint:
        """Return a savepoint of the present state."""
        return (
            self.journal.savepoint(),
            self._evaluator.state,
            self._counted_rows,
            self.journal.change_count - self._changes_when_counted,
        )

    def back(self, mark: object) -> None:
        """Restore a savepoint."""
        assert isinstance(mark, tuple), "savepoints are created by `mark`"
        state, self._evaluator.state, self._counted_rows, since = cast(_Savepoint, mark)
        self.journal.restore(state)
        self._changes_when_counted = self.journal.change_count - since
        self.scheduler.recount()
        self._clear_caches()
        self._renumber()

    # -- terms -------------------------------------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> None:
        """Collect the symbols and terms in use."""
        self.scheduler.flush()
        for source in self._sources:
            source.used_terms(used)
        numbers = np.array(list(self.terms.settled_values(self._used_numbers())), np.int64)
        used.names[numbers[numbers < FIRST_LITERAL]] = 1
        used.literals[numbers[numbers >= FIRST_LITERAL] - FIRST_LITERAL] = 1
        for registered in self.queries.values():
            if registered.changed_facts:
                used.add(np.array(list(registered.changed_facts), np.int32))

    def renamed(self, renaming: Renaming) -> None:
        """Replace the term numbers in all state."""
        self.scheduler.flush()
        names, literals = renaming.names.tolist(), renaming.literals.tolist()
        used = self._used_numbers()
        values = {
            value: names[value] if value < FIRST_LITERAL else literals[value - FIRST_LITERAL]
            for value in self.terms.settled_values(used)
        }
        numbers = self.terms.renumber(values, used)

        def renamed_row(row: Row) -> Row:
            return tuple([numbers[number] for number in row])

        for source in self._sources:
            source.renumber(renaming)
        for operator in self.network:
            operator.renumber(renamed_row)
        for registered in self.queries.values():
            self._shared.renumber_bag(registered.answers, renamed_row)
            self._shared.renumber_bag(registered.pending, renamed_row)
            facts = renaming.facts(np.array(list(registered.changed_facts), np.int32).reshape(-1, 3))
            moved = zip(as_tuples(facts), registered.changed_facts.values(), strict=True)
            self.journal.replace(registered.changed_facts, dict(moved))
        self._forms.replace(self._forms_of())
        self._clear_caches()
        self._renumber()

    def _renumber(self) -> None:
        """Update the term numbers of parameter values in parameterised plans."""
        if self._plans.renumber():
            self.scheduler.set_queries(self.queries.values())

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """Adopt the literal forms of a rebuilt model."""
        self._forms.replace(self._forms_of())

    def saved(self) -> Callable[[Pace], bytes]:
        """Return a function that encodes the registered queries (see `Consumer`)."""
        windows, decoder = self._sources.windows, self.terms.decoder
        kept = [SavedQuery.of(q, windows.get(q.source), decoder) for q in self.queries.values()]
        return lambda pace: to_bytes([make(pace) for make in kept], pace)

    def report_all(self, registered: QueryState) -> None:
        """Make all present answers of a new query pending, so that its first report includes them."""
        present = dict(registered.answers)
        self.journal.replace(registered.answers, {})
        self.journal.set(registered, "version", None)
        self._set_pending(registered, present)

    def restore_query(self, registered: QueryState, saved: SavedQuery) -> None:
        """Restore the last reported answers of a new query from a checkpoint."""
        if saved.rows is None:
            return
        last, now = saved.decode_answers(self.terms), registered.answers
        pending = {row: now.get(row, 0) - last.get(row, 0) for row in {**now, **last}}
        self._set_pending(registered, {row: n for row, n in pending.items() if n})
        self.journal.replace(registered.answers, last)
        self.journal.set(registered, "version", None)
        changed = saved.decode_changed_facts(registered.source.model.vocabulary)
        self.journal.replace(registered.changed_facts, changed)
        if saved.closed is not None:
            self.journal.set(registered.source, "closed", saved.closed)

    def _set_pending(self, registered: QueryState, changes: Rows) -> None:
        """Set the pending delta of a query; its next report includes it."""
        self.journal.replace(registered.pending, changes)
        if registered.is_plain:
            self.scheduler.report_next(registered)

    def _bags(self) -> Iterator[Bag]:
        for operator in self.network:
            yield from operator.bags
        for registered in self.queries.values():
            yield registered.reported
            yield registered.pending

    def _used_numbers(self) -> set[int]:
        """Return the numbers of all terms in rows."""
        return {number for bag in self._bags() for row in bag for number in row}

    def _clear_caches(self) -> None:
        """Drop data that can be recomputed, since term numbers may have changed their meaning."""
        self._evaluator.clear_caches()
        self._shared.values.clear()
        for operator in self.network:
            operator.clear_caches()

    def _set_state(self, present: WindowState) -> None:
        """Switch to another state of the window."""
        self._evaluator.set_state(present)
        self._shared.context = self._evaluator.context
        whole = self._sources.whole
        whole.model = present.model
        if present.step is not None and whole.closed is None:
            whole.begin_observing(present.step)

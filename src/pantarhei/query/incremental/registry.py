"""The registered queries of a reasoner: told of each step, they say what it changed in their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import cast

import numpy as np

from pantarhei.encoding.numbers import (
    FIRST_LITERAL,
    NO_FACTS,
    FactForms,
    Renaming,
    Symbol,
    Symbols,
    UsedTerms,
    as_tuples,
    concat_symbols,
)
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint
from pantarhei.query.algebra.analysis import tells_time
from pantarhei.query.algebra.expressions import variables_of
from pantarhei.query.algebra.nodes import Node, Project, Query
from pantarhei.query.algebra.passes import simplified
from pantarhei.query.answers import MAX_BYTES
from pantarhei.query.continuous_query import BYTES_A_ROW, PLAIN, ReportPolicy
from pantarhei.query.expressions import order
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH
from pantarhei.query.incremental.journal import Journal, Mark
from pantarhei.query.incremental.operator import Bag, Operator, Row, SharedState, rows_of, table_of
from pantarhei.query.incremental.persistent_terms import LiteralForms, PersistentTermIds, rewritten_facts
from pantarhei.query.incremental.query_sources import Conclusions, QuerySource, StepChanges
from pantarhei.query.incremental.query_state import QueryState, SavedQuery, needed_symbols, to_bytes
from pantarhei.query.incremental.reporting import ReportScheduler
from pantarhei.query.incremental.shared_plans import PlanInstance, SharedPlans
from pantarhei.query.incremental.slices import SliceOperator
from pantarhei.query.incremental.window_state import NamedWindows, QuerySources, StateEvaluator, WindowState
from pantarhei.query.service import Moment
from pantarhei.query.solutions import TermSpace
from pantarhei.query.sources.relation import Dataset
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, Window

_Standing = tuple[Mark, WindowState, int, int]
"""The state of the journal, and that of the window."""


class QueryRegistry:
    """The consumer (engine/consumer.py) that keeps registered queries up to date.

    Args:
        present: the state of the window.
        window: the reasoner's; where no time passes, any.
        dataset: the graphs that queries are asked of at a moment.
        forms: how literals of the materialization are written now.
        conclusions: those of temporal rules, which are told before this; None where there are none.
        max_bytes: limits the rows of an operator, and the texts that functions make in one step.
    """

    follows_steps = False

    def __init__(
        self,
        present: WindowState,
        window: Window,
        dataset: Callable[[Moment, TermSpace], Dataset],
        forms: Callable[[], FactForms],
        conclusions: Conclusions | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._forms_of = forms
        self.journal = Journal()
        contents = self._sources = QuerySources(self.journal, window, present.model, conclusions)
        self.terms = PersistentTermIds(present.model.vocabulary, self.journal)
        self._forms = LiteralForms(self.journal, self.terms)
        self._evaluator = StateEvaluator(
            present, self.terms, dataset, self._forms.facts, contents.named, max_bytes
        )
        self._shared = SharedState(self.journal, self.terms, self._evaluator.context)
        self._plans = SharedPlans(self._shared, self._evaluator, contents.named)
        self.network = self._plans.network
        self._begun = 0  # so many of the operators that were made
        self.scheduler = ReportScheduler(self._shared)
        self._counted, self._rows_then = 0, 0
        self.queries: dict[str, QueryState] = {}

    @property
    def wants_levels(self) -> bool:
        """Whether any query has a window of its own."""
        return bool(self._sources.windows)

    @property
    def asks_for(self) -> Symbols:
        """The classes and properties whose facts any query needs, None for all."""
        return concat_symbols(*(registered.needed_symbols for registered in self.queries.values()))

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
        """Keep a query up to date from now on.

        Args:
            window: its default graph, None for the reasoner's; unless `named` says what that always has.
            checks_graphs: the graphs that it names have to be there.
            named: the windows that it is asked of by names, which no other query has.

        Raises:
            QueryError: one is not.
        """
        self._set_state(present)
        self._plans.purge()
        self.scheduler.flush()  # what waits for an audience is lost where that is sorted out, then undone
        before = self.mark()
        try:
            self._evaluator.uses_clock = self._evaluator.uses_clock or tells_time(query.node)
            self._set_state(present)
            for known in self._sources:
                known.refill(present.model)
            needed, now = needed_symbols(query, policy), self._evaluator.state
            content, windows = self._sources.sources_for(window, named, needed, now)
            if checks_graphs:
                self._evaluator.check_graphs(query, content)
            node: Node = simplified(query.node, has_forms=True)
            if query.form == "SELECT" and node.variables != query.variables:
                node = Project(node, query.variables)
            made = self._plans.make(query, node, content)
            registered = QueryState(name, text, query, node, made, content, windows, policy)
            began = dict(self.network.begin(self._begun))
            self.journal.set(self, "_begun", self.network.last_serial)
            self._shared.add_all(registered.answers, self._rows_now(made, began))
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
        """Have what the queries rest on, and no more; `undone` as `SharedPlans.keep` takes it."""
        self._plans.keep([registered.plan for registered in self.queries.values()], undone)
        windows = (each for registered in self.queries.values() for each in registered.windows.items())
        needs_conclusions = any(CONCLUSIONS_GRAPH in each.query.graphs for each in self.queries.values())
        self._sources.keep(windows, needs_conclusions)
        self._refresh_queries()

    def _rows_now(self, plan: PlanInstance, began: dict[Operator, Mapping[Row, int]]) -> Mapping[Row, int]:
        """The rows of a query, where these operators have just begun."""
        if plan.member is None:
            return self.network.rows(plan.root, began)
        if plan.rows is not None:
            return plan.rows
        return next(query.current_rows for query in self.queries.values() if query.plan.member is plan.member)

    def _refresh_queries(self) -> None:
        """Take down which queries there are."""
        self.scheduler.set_queries(self.queries.values())
        self._rows_then = 0  # they are counted anew
        self._evaluator.uses_clock = any(tells_time(each.query.node) for each in self.queries.values())

    def in_order(self, registered: QueryState, present: WindowState) -> list[Row]:
        """The rows of its answers, in the order of ORDER BY if there is one."""
        self._set_state(present)
        rows, node = list(registered.answers), registered.order
        if node is None:
            return rows
        variables = registered.variables
        if {v for key in node.keys for v in variables_of(key.expression)} <= set(variables):
            ordered = order(node.keys, table_of(rows, variables), self._shared.context)
            return [rows[place] for place in ordered.tolist()]
        root = registered.root
        if isinstance(root, SliceOperator):
            known = root.in_order()
        else:
            known = rows_of(self._evaluator.rows(registered.source, registered.node), variables)
        places = {row: place for place, row in enumerate(dict.fromkeys(known))}
        return sorted(rows, key=lambda row: places.get(row, len(places)))

    def drop(self, name: str) -> None:
        """Keep a query up to date no more, if there is one of that name."""
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

    def purge(self, look: Callable[[], WindowState]) -> None:
        """Have the rows of queries no more that are dropped; between steps, and blocks of steps.

        Args:
            look: gives the state of the window.
        """
        if self._plans.has_removed:
            self._set_state(look())
            self._plans.purge()

    # -- steps -------------------------------------------------------------------------------------

    @property
    def bytes_used(self) -> int:
        """What it holds, in bytes, roughly; its rows are counted when an eighth of them may have changed, and
        those that wait become answers then.
        """
        if 8 * self.scheduler.pending_rows > self._rows_then:
            self.scheduler.flush()  # rows that are to go take room twice
        noted, waiting = self.journal.change_count, self.scheduler.pending_rows
        if 8 * (noted - self._counted) >= self._rows_then:
            self._rows_then = sum(len(bag) for bag in self._bags()) + len(self._forms.facts)
            self._counted = noted
        contents = sum(content.bytes_used for content in self._sources)
        return contents + BYTES_A_ROW * (self._rows_then + waiting + 2 * len(self.terms.locals))

    def due(self, after: int, until: int) -> int | None:
        """Return the next boundary at which the window of a query closes, and its report may differ."""
        now, log = self._evaluator.state.step, self._evaluator.state.log
        if now is None or not self.scheduler.has_closing_windows:
            return None
        if after < now.now == until and self.scheduler.closes_before_arrivals(now):
            return until  # the present time, on the way
        if self._evaluator.uses_clock:
            change: int | None = after + 1  # NOW() is another one at each boundary
        else:
            found = (content.next_change(now.kind, after, log) for content in self._sources)
            change = min((tick for tick in found if tick is not None), default=None)
        return self.scheduler.due(now.kind, after, until, change)

    def before(self, step: Step, model: WindowModel) -> None:
        """Time has come to a boundary, and nothing has arrived there."""
        self.scheduler.close_before_arrivals(step, self._evaluator.state.log)

    def apply(self, changes: StepChanges, model: WindowModel) -> None:
        """Bring all queries to where the model is."""
        step, log, outlook = changes.step, changes.log, self._evaluator
        assert log is not None, "a step says what is in the window"
        looks = self.scheduler.sees_windows
        before = outlook.state
        if looks and step is not None and before.step is not None:
            self.scheduler.leave_tick(before.step, step, before.log, changes.on_the_way)
        outlook.set_state(WindowState(model, log, step, changes.at))
        self._shared.context = outlook.context
        done = self.network.step(self._changed_leaves(changes, model, before.log), self._begun)
        if self._begun < self.network.last_serial:
            done.update(self.network.begin(self._begun))
            self.journal.set(self, "_begun", self.network.last_serial)
        if changes.at is not None:
            self.scheduler.record_changes(done, changes.at, changes.on_the_way)
        if looks and step is not None and not changes.on_the_way:
            self.scheduler.report_after_step(step, log)

    def end_block(self, at: TimePoint) -> None:
        """A block of steps has come to its end, at a time."""
        self.scheduler.end(at, self._evaluator.state.step, self._evaluator.state.log)

    def _changed_leaves(
        self, changes: StepChanges, model: WindowModel, log_before: Log
    ) -> dict[Operator, Mapping[Row, int]]:
        """What changed in the rows of leaves."""
        assert changes.log is not None, "a step says what is in the window"
        before, shown = self._forms.change(changes.forms)
        leaves: dict[Operator, Mapping[Row, int]] = {}
        touched: dict[QuerySource, set[Symbol]] = {}
        looks, step = self.scheduler.sees_windows, changes.step
        is_changed = bool(changes.entries or before)
        for content in self._sources.begin_step():
            if step is not None and content.closed is None:
                content.begin(step)
            closing = self.scheduler.closing(content, step) if looks and step is not None else None
            first_level = content.first_level(log_before) if looks else 0
            noted, again, as_shown = content.advance(changes, model, closing), NO_FACTS, shown
            if content.name is not None:
                as_shown = self._forms.first()
            elif before:
                again = rewritten_facts(before, noted, content.model)
            leaves.update(content.patterns.changes(content.model, noted, again, as_shown))
            if content.facts.leaves:
                leaves.update(content.facts.changes(content.model, noted, again, as_shown))
            if looks:
                self.scheduler.record_changed_facts(content, noted)
                is_changed = is_changed or len(noted) > 0 or first_level != content.first_level(changes.log)
            if content in self.network.recompute_leaves:
                facts = np.concatenate([noted[:, :3], again])
                touched[content] = content.model.vocabulary.predicates_of(facts)
        if is_changed:
            self.scheduler.note_changed()
        leaves.update(self.network.recompute(touched, self._begun))  # now that all contents have gone on
        return leaves

    def mark(self) -> _Standing:
        """How things stand."""
        return (
            self.journal.mark(),
            self._evaluator.state,
            self._rows_then,
            self.journal.change_count - self._counted,
        )

    def back(self, mark: object) -> None:
        """Be as when `mark` was given."""
        assert isinstance(mark, tuple), "marks come from `mark`"
        state, self._evaluator.state, self._rows_then, since = cast(_Standing, mark)
        self.journal.back(state)
        self._counted = self.journal.change_count - since
        self.scheduler.recount()
        self._clear_caches()
        self._renumber()

    # -- terms -------------------------------------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> None:
        """Note the symbols and terms whose numbers it holds."""
        self.scheduler.flush()
        for content in self._sources:
            content.used_terms(used)
        numbers = np.array(list(self.terms.settled_values(self._used())), np.int64)
        used.names[numbers[numbers < FIRST_LITERAL]] = 1
        used.literals[numbers[numbers >= FIRST_LITERAL] - FIRST_LITERAL] = 1
        for registered in self.queries.values():
            if registered.changed_facts:
                used.add(np.array(list(registered.changed_facts), np.int32))

    def renamed(self, renaming: Renaming) -> None:
        """Go on in the numbers that terms have from now on."""
        self.scheduler.flush()
        names, literals = renaming.names.tolist(), renaming.literals.tolist()
        used = self._used()
        values = {
            value: names[value] if value < FIRST_LITERAL else literals[value - FIRST_LITERAL]
            for value in self.terms.settled_values(used)
        }
        numbers = self.terms.renumber(values, used)

        def renamed_row(row: Row) -> Row:
            return tuple([numbers[number] for number in row])

        for content in self._sources:
            content.renumber(renaming)
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
        """Names may have other numbers."""
        if self._plans.renumber():
            self.scheduler.set_queries(self.queries.values())

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """Begin from what the model holds."""
        self._forms.replace(self._forms_of())

    def saved(self) -> Callable[[], bytes]:
        """See `Consumer`."""
        windows, decoder = self._sources.windows, self.terms.decoder
        kept = [SavedQuery.of(q, windows.get(q.source), decoder) for q in self.queries.values()]
        return lambda: to_bytes([make() for make in kept])

    def report_all(self, registered: QueryState) -> None:
        """Let the first report of a query that has just been registered bring all its answers."""
        present = dict(registered.answers)
        self.journal.replace(registered.answers, {})
        self.journal.set(registered, "version", None)
        self._hold_back(registered, present)

    def restore_query(self, registered: QueryState, saved: SavedQuery) -> None:
        """Let a query that has just been registered go on from what a checkpoint had of it."""
        if saved.rows is None:
            return
        last, now = saved.decode_answers(self.terms), registered.answers
        pending = {row: now.get(row, 0) - last.get(row, 0) for row in {**now, **last}}
        self._hold_back(registered, {row: n for row, n in pending.items() if n})
        self.journal.replace(registered.answers, last)
        self.journal.set(registered, "version", None)
        self.journal.replace(
            registered.changed_facts, saved.decode_changed_facts(registered.source.model.vocabulary)
        )
        if saved.closed is not None:
            self.journal.set(registered.source, "closed", saved.closed)

    def _hold_back(self, registered: QueryState, changes: Mapping[Row, int]) -> None:
        """Let changes of a query wait for its next report."""
        self.journal.replace(registered.pending, changes)
        if registered.is_plain:
            self.scheduler.report_next(registered)

    def _bags(self) -> Iterator[Bag]:
        for operator in self.network:
            yield from operator.bags
        for registered in self.queries.values():
            yield registered.reported
            yield registered.pending

    def _used(self) -> set[int]:
        """The numbers of all terms in rows."""
        return {number for bag in self._bags() for row in bag for number in row}

    def _clear_caches(self) -> None:
        """Forget what was only kept to save work: numbers may mean something else now."""
        self._evaluator.clear_caches()
        self._shared.values.reset()
        for operator in self.network:
            operator.clear_caches()

    def _set_state(self, present: WindowState) -> None:
        """Look at another state of the window."""
        self._evaluator.set_state(present)
        self._shared.context = self._evaluator.context
        whole = self._sources.whole
        whole.model = present.model
        if present.step is not None and whole.closed is None:
            whole.begin(present.step)

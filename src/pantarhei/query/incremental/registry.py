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
    together,
)
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint
from pantarhei.query.algebra.analysis import tells_time
from pantarhei.query.algebra.expressions import variables_of
from pantarhei.query.algebra.nodes import Node, Project, Query
from pantarhei.query.algebra.passes import simplified
from pantarhei.query.answers import MAX_BYTES
from pantarhei.query.continuous_query import BYTES_A_ROW, PLAIN, Policy
from pantarhei.query.expressions import order
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH
from pantarhei.query.incremental.journal import Journal, Mark
from pantarhei.query.incremental.operator import Bag, Operator, Row, Shared, rows_of, table_of
from pantarhei.query.incremental.persistent_terms import LastingTerms, ShownForms, reformed
from pantarhei.query.incremental.query_sources import Conclusions, Content, StepChanges
from pantarhei.query.incremental.query_state import Registered, SavedQuery, needed_for, to_bytes
from pantarhei.query.incremental.reporting import Reporting
from pantarhei.query.incremental.shared_plans import SharedPlan, SharedPlans
from pantarhei.query.incremental.slices import SliceOperator
from pantarhei.query.incremental.window_state import AllContents, NamedWindows, Outlook, Present
from pantarhei.query.service import Moment
from pantarhei.query.solutions import TermSpace
from pantarhei.query.sources.relation import Dataset
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, Window

_Standing = tuple[Mark, Present, int, int]
"""The state of the journal, and that of the window."""


class Registry:
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
        present: Present,
        window: Window,
        dataset: Callable[[Moment, TermSpace], Dataset],
        forms: Callable[[], FactForms],
        conclusions: Conclusions | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._forms_of = forms
        self.journal = Journal()
        contents = self._contents = AllContents(self.journal, window, present.model, conclusions)
        self.terms = LastingTerms(present.model.vocabulary, self.journal)
        self._forms = ShownForms(self.journal, self.terms)
        self._outlook = Outlook(present, self.terms, dataset, self._forms.facts, contents.named, max_bytes)
        self._shared = Shared(self.journal, self.terms, self._outlook.context)
        self._plans = SharedPlans(self._shared, self._outlook, contents.named)
        self.network = self._plans.network
        self._begun = 0  # so many of the operators that were made
        self.reporting = Reporting(self._shared)
        self._counted, self._rows_then = 0, 0
        self.queries: dict[str, Registered] = {}

    @property
    def wants_levels(self) -> bool:
        """Whether any query has a window of its own."""
        return bool(self._contents.windows)

    @property
    def asks_for(self) -> Symbols:
        """The classes and properties whose facts any query needs, None for all."""
        return together(*(registered.asks_for for registered in self.queries.values()))

    # -- queries -----------------------------------------------------------------------------------

    def register(
        self,
        name: str,
        text: str,
        query: Query,
        present: Present,
        window: Window | None = None,
        policy: Policy = PLAIN,
        checks_graphs: bool = True,
        named: NamedWindows | None = None,
    ) -> Registered:
        """Keep a query up to date from now on.

        Args:
            window: its default graph, None for the reasoner's; unless `named` says what that always has.
            checks_graphs: the graphs that it names have to be there.
            named: the windows that it is asked of by names, which no other query has.

        Raises:
            QueryError: one is not.
        """
        self._stand_at(present)
        self._plans.let_go()
        self.reporting.catch_up()  # what waits for an audience is lost where that is sorted out, then undone
        before = self.mark()
        try:
            self._outlook.tells_time = self._outlook.tells_time or tells_time(query.node)
            self._stand_at(present)
            for known in self._contents:
                known.refill(present.model)
            needed, now = needed_for(query, policy), self._outlook.present
            content, windows = self._contents.asked(window, named, needed, now)
            if checks_graphs:
                self._outlook.check_graphs(query, content)
            node: Node = simplified(query.node, has_forms=True)
            if query.form == "SELECT" and node.variables != query.variables:
                node = Project(node, query.variables)
            made = self._plans.make(query, node, content)
            registered = Registered(name, text, query, node, made, content, windows, policy)
            began = dict(self.network.begin(self._begun))
            self.journal.set(self, "_begun", self.network.made)
            self._shared.add_all(registered.answers, self._rows_now(made, began))
            self.queries[name] = registered
            self._sort_out()
            self.reporting.note_changed()
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
        self._contents.keep(windows, needs_conclusions)
        self._sort_out()

    def _rows_now(self, plan: SharedPlan, began: dict[Operator, Mapping[Row, int]]) -> Mapping[Row, int]:
        """The rows of a query, where these operators have just begun."""
        if plan.member is None:
            return self.network.rows(plan.root, began)
        if plan.rows is not None:
            return plan.rows
        return next(query.current for query in self.queries.values() if query.plan.member is plan.member)

    def _sort_out(self) -> None:
        """Take down which queries there are."""
        self.reporting.sort_out(self.queries.values())
        self._rows_then = 0  # they are counted anew
        self._outlook.tells_time = any(tells_time(each.query.node) for each in self.queries.values())

    def in_order(self, registered: Registered, present: Present) -> list[Row]:
        """The rows of its answers, in the order of ORDER BY if there is one."""
        self._stand_at(present)
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
            known = rows_of(self._outlook.rows(registered.content, registered.node), variables)
        places = {row: place for place, row in enumerate(dict.fromkeys(known))}
        return sorted(rows, key=lambda row: places.get(row, len(places)))

    def drop(self, name: str) -> None:
        """Keep a query up to date no more, if there is one of that name."""
        registered = self.queries.get(name)
        if registered is None:
            return
        try:
            self.reporting.forget(registered)
            del self.queries[name]
            self._keep_queries()
        except BaseException:
            self.queries.pop(name, None)
            self._keep_queries()
            raise

    def let_go(self, look: Callable[[], Present]) -> None:
        """Have the rows of queries no more that are dropped; between steps, and blocks of steps.

        Args:
            look: gives the state of the window.
        """
        if self._plans.have_left:
            self._stand_at(look())
            self._plans.let_go()

    # -- steps -------------------------------------------------------------------------------------

    @property
    def bytes_used(self) -> int:
        """What it holds, in bytes, roughly; its rows are counted when an eighth of them may have changed, and
        those that wait become answers then.
        """
        if 8 * self.reporting.rows_waiting > self._rows_then:
            self.reporting.catch_up()  # rows that are to go take room twice
        noted, waiting = self.journal.noted, self.reporting.rows_waiting
        if 8 * (noted - self._counted) >= self._rows_then:
            self._rows_then = sum(len(bag) for bag in self._bags()) + len(self._forms.facts)
            self._counted = noted
        contents = sum(content.bytes_used for content in self._contents)
        return contents + BYTES_A_ROW * (self._rows_then + waiting + 2 * len(self.terms.locals))

    def due(self, after: int, until: int) -> int | None:
        """Return the next boundary at which the window of a query closes, and its report may differ."""
        now, log = self._outlook.present.step, self._outlook.present.log
        if now is None or not self.reporting.waits:
            return None
        if after < now.now == until and self.reporting.closes_before_arrivals(now):
            return until  # the present time, on the way
        if self._outlook.tells_time:
            change: int | None = after + 1  # NOW() is another one at each boundary
        else:
            found = (content.next_change(now.kind, after, log) for content in self._contents)
            change = min((tick for tick in found if tick is not None), default=None)
        return self.reporting.due(now.kind, after, until, change)

    def before(self, step: Step, model: WindowModel) -> None:
        """Time has come to a boundary, and nothing has arrived there."""
        self.reporting.come_to(step, self._outlook.present.log)

    def apply(self, changes: StepChanges, model: WindowModel) -> None:
        """Bring all queries to where the model is."""
        step, log, outlook = changes.step, changes.log, self._outlook
        assert log is not None, "a step says what is in the window"
        looks = self.reporting.sees_windows
        before = outlook.present
        if looks and step is not None and before.step is not None:
            self.reporting.leave(before.step, step, before.log, changes.on_the_way)
        outlook.stand_at(Present(model, log, step, changes.at))
        self._shared.context = outlook.context
        done = self.network.step(self._changed_leaves(changes, model, before.log), self._begun)
        if self._begun < self.network.made:
            done.update(self.network.begin(self._begun))
            self.journal.set(self, "_begun", self.network.made)
        if changes.at is not None:
            self.reporting.tell(done, changes.at, changes.on_the_way)
        if looks and step is not None and not changes.on_the_way:
            self.reporting.look(step, log)

    def end_block(self, at: TimePoint) -> None:
        """A block of steps has come to its end, at a time."""
        self.reporting.end(at, self._outlook.present.step, self._outlook.present.log)

    def _changed_leaves(
        self, changes: StepChanges, model: WindowModel, log_before: Log
    ) -> dict[Operator, Mapping[Row, int]]:
        """What changed in the rows of leaves."""
        assert changes.log is not None, "a step says what is in the window"
        before, shown = self._forms.change(changes.forms)
        leaves: dict[Operator, Mapping[Row, int]] = {}
        touched: dict[Content, set[Symbol]] = {}
        looks, step = self.reporting.sees_windows, changes.step
        is_changed = bool(changes.entries or before)
        for content in self._contents.begin_step():
            if step is not None and content.closed is None:
                content.begin(step)
            closing = self.reporting.closing(content, step) if looks and step is not None else None
            first_level = content.first_level(log_before) if looks else 0
            noted, again, as_shown = content.take(changes, model, closing), NO_FACTS, shown
            if content.name is not None:
                as_shown = self._forms.first()
            elif before:
                again = reformed(before, noted, content.model)
            leaves.update(content.patterns.changes(content.model, noted, again, as_shown))
            if content.facts.leaves:
                leaves.update(content.facts.changes(content.model, noted, again, as_shown))
            if looks:
                self.reporting.note_moved(content, noted)
                is_changed = is_changed or len(noted) > 0 or first_level != content.first_level(changes.log)
            if content in self.network.whole_leaves:
                facts = np.concatenate([noted[:, :3], again])
                touched[content] = content.model.vocabulary.predicates_of(facts)
        if is_changed:
            self.reporting.note_changed()
        leaves.update(self.network.change_whole(touched, self._begun))  # now that all contents have gone on
        return leaves

    def mark(self) -> _Standing:
        """How things stand."""
        return self.journal.mark(), self._outlook.present, self._rows_then, self.journal.noted - self._counted

    def back(self, mark: object) -> None:
        """Be as when `mark` was given."""
        assert isinstance(mark, tuple), "marks come from `mark`"
        state, self._outlook.present, self._rows_then, since = cast(_Standing, mark)
        self.journal.back(state)
        self._counted = self.journal.noted - since
        self.reporting.recount()
        self._forget()
        self._renumber()

    # -- terms -------------------------------------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> None:
        """Note the symbols and terms whose numbers it holds."""
        self.reporting.catch_up()
        for content in self._contents:
            content.used_terms(used)
        numbers = np.array(list(self.terms.settled_values(self._used())), np.int64)
        used.names[numbers[numbers < FIRST_LITERAL]] = 1
        used.literals[numbers[numbers >= FIRST_LITERAL] - FIRST_LITERAL] = 1
        for registered in self.queries.values():
            if registered.moved:
                used.add(np.array(list(registered.moved), np.int32))

    def renamed(self, renaming: Renaming) -> None:
        """Go on in the numbers that terms have from now on."""
        self.reporting.catch_up()
        names, literals = renaming.names.tolist(), renaming.literals.tolist()
        used = self._used()
        values = {
            value: names[value] if value < FIRST_LITERAL else literals[value - FIRST_LITERAL]
            for value in self.terms.settled_values(used)
        }
        numbers = self.terms.renamed(values, used)

        def renamed_row(row: Row) -> Row:
            return tuple([numbers[number] for number in row])

        for content in self._contents:
            content.renamed(renaming)
        for operator in self.network:
            operator.renamed(renamed_row)
        for registered in self.queries.values():
            self._shared.rename(registered.answers, renamed_row)
            self._shared.rename(registered.pending, renamed_row)
            facts = renaming.facts(np.array(list(registered.moved), np.int32).reshape(-1, 3))
            moved = zip(as_tuples(facts), registered.moved.values(), strict=True)
            self.journal.replace(registered.moved, dict(moved))
        self._forms.replace(self._forms_of())
        self._forget()
        self._renumber()

    def _renumber(self) -> None:
        """Names may have other numbers."""
        if self._plans.renumber():
            self.reporting.sort_out(self.queries.values())

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """Begin from what the model holds."""
        self._forms.replace(self._forms_of())

    def saved(self) -> Callable[[], bytes]:
        """See `Consumer`."""
        windows, decoder = self._contents.windows, self.terms.decoder
        kept = [SavedQuery.of(q, windows.get(q.content), decoder) for q in self.queries.values()]
        return lambda: to_bytes([make() for make in kept])

    def report_all(self, registered: Registered) -> None:
        """Let the first report of a query that has just been registered bring all its answers."""
        present = dict(registered.answers)
        self.journal.replace(registered.answers, {})
        self.journal.set(registered, "version", None)
        self._hold_back(registered, present)

    def take_up(self, registered: Registered, saved: SavedQuery) -> None:
        """Let a query that has just been registered go on from what a checkpoint had of it."""
        if saved.rows is None:
            return
        last, now = saved.answers(self.terms), registered.answers
        pending = {row: now.get(row, 0) - last.get(row, 0) for row in {**now, **last}}
        self._hold_back(registered, {row: n for row, n in pending.items() if n})
        self.journal.replace(registered.answers, last)
        self.journal.set(registered, "version", None)
        self.journal.replace(registered.moved, saved.moved_facts(registered.content.model.vocabulary))
        if saved.closed is not None:
            self.journal.set(registered.content, "closed", saved.closed)

    def _hold_back(self, registered: Registered, changes: Mapping[Row, int]) -> None:
        """Let changes of a query wait for its next report."""
        self.journal.replace(registered.pending, changes)
        if registered.is_plain:
            self.reporting.report_next(registered)

    def _bags(self) -> Iterator[Bag]:
        for operator in self.network:
            yield from operator.bags
        for registered in self.queries.values():
            yield registered.reported
            yield registered.pending

    def _used(self) -> set[int]:
        """The numbers of all terms in rows."""
        return {number for bag in self._bags() for row in bag for number in row}

    def _forget(self) -> None:
        """Forget what was only kept to save work: numbers may mean something else now."""
        self._outlook.forget()
        self._shared.values.forget()
        for operator in self.network:
            operator.forget()

    def _stand_at(self, present: Present) -> None:
        """Look at another state of the window."""
        self._outlook.stand_at(present)
        self._shared.context = self._outlook.context
        whole = self._contents.whole
        whole.model = present.model
        if present.step is not None and whole.closed is None:
            whole.begin(present.step)

"""The registered queries of a reasoner: told of each step, they say what it changed in their answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from rdflib import XSD, Literal

from pantarhei.encoding.forms import FactForms
from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Fact, Integers, as_tuples
from pantarhei.encoding.renaming import Renaming, UsedTerms
from pantarhei.language.term import Triple
from pantarhei.language.time import TimePoint, time_of
from pantarhei.materialize.model import WindowModel
from pantarhei.query.algebra.binding import expressions_of
from pantarhei.query.algebra.expressions import Expression, looks_at_clock, variables_of
from pantarhei.query.algebra.nodes import Distinct, Node, OrderBy, Project, Query, Slice, nodes_of
from pantarhei.query.algebra.passes import simplified
from pantarhei.query.expressions import Context, LiteralValues, order
from pantarhei.query.guard import NO_LIMITS
from pantarhei.query.incremental.contents import Content, StepChanges, View
from pantarhei.query.incremental.journal import Journal, Mark
from pantarhei.query.incremental.lasting_terms import LastingTerms
from pantarhei.query.incremental.leaves import DescribeLeaf, WholeLeaf
from pantarhei.query.incremental.network import Network
from pantarhei.query.incremental.operator import Bag, Operator, Row, Shared, rows_of, table_of
from pantarhei.query.incremental.patterns import Shown
from pantarhei.query.incremental.registered import Registered
from pantarhei.query.incremental.reports import PLAIN, Policy, Report, Reported
from pantarhei.query.incremental.roots import AskRoot, ConstructRoot
from pantarhei.query.incremental.saving import SavedQuery, to_bytes
from pantarhei.query.operators.evaluation import Evaluation
from pantarhei.query.operators.forms import described
from pantarhei.query.sources.relation import Dataset
from pantarhei.query.table import Table
from pantarhei.query.terms import TermSpace
from pantarhei.query.window_door import Moment
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, Window

# Stands for what changed before a restart.
_SOME_FACT = (0, 0, NONE)

_BYTES_A_ROW = 250  # a tuple of some numbers, and its place in a dictionary


class RegistryMark(NamedTuple):
    """How the registry stood: its dictionaries, and how many operators had begun."""

    state: Mark
    begun: int


class Present(NamedTuple):
    """The state of the window that queries are at.

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


class Registry:
    """The consumer (engine/consumer.py) that keeps registered queries up to date.

    Args:
        present: the state of the window.
        window: the reasoner's; where no time passes, any.
        dataset: the graphs that queries are asked of at a moment.
        forms: how literals of the materialization are written now.
    """

    follows_parts = True

    def __init__(
        self,
        present: Present,
        window: Window,
        dataset: Callable[[Moment, TermSpace], Dataset],
        forms: Callable[[], FactForms],
    ) -> None:
        self._dataset_of, self._forms_of = dataset, forms
        self._present = present
        self.journal = Journal()
        self._whole = Content(self.journal, window, present.model)
        self.terms = LastingTerms(present.model.vocabulary, self.journal)
        self._forms: dict[Fact, Literal] = {}
        self._datasets: dict[Content, Dataset] = {}
        self._literals: tuple[object, LiteralValues] | None = None
        self._tells_time = False
        self._shared = Shared(self.journal, self.terms, self._context())
        self.network = Network(self._shared, self._look)
        self._begun = 0
        self._counted, self._rows_then = 0, 0
        self.queries: dict[str, Registered] = {}
        self._of_root: dict[Operator, list[Registered]] = {}
        self._looking: list[Registered] = []  # those that do not report at each step
        self._closing_contents: set[Content] = set()
        self.reporting: list[Registered] = []
        """Those that have reported in the present step."""
        self._views: dict[Window, View] = {}

    @property
    def wants_levels(self) -> bool:
        """Whether any query has a window of its own."""
        return bool(self._views)

    @property
    def _contents(self) -> list[Content]:
        return [self._whole, *self._views.values()]

    # -- queries -----------------------------------------------------------------------------------

    def register(
        self,
        name: str,
        text: str,
        query: Query,
        present: Present,
        window: Window | None = None,
        policy: Policy = PLAIN,
    ) -> Registered:
        """Keep a query up to date from now on.

        Args:
            window: its own; None for the reasoner's.
        """
        self._stand_at(present)
        content = self._whole if window is None else self._view(window)
        node: Node = simplified(query.node, has_forms=True)
        if query.form == "SELECT" and node.variables != query.variables:
            node = Project(node, query.variables)
        root = self._root(query, node, content)
        registered = Registered(name, text, query, root, content, policy)
        began = dict(self.network.begin(self._begun))
        self._begun = self.network.made
        for row, weight in self.network.rows(root, began).items():
            self._shared.add(registered.answers, row, weight)
        self.queries[name] = registered
        self._sort_out()
        return registered

    def _sort_out(self) -> None:
        """Take down which queries are looked at when; a step costs nothing for the others."""
        queries = self.queries.values()
        self._of_root = {}
        for registered in queries:
            self._of_root.setdefault(registered.root, []).append(registered)
        self._looking = [registered for registered in queries if not registered.policy.is_plain]
        self._closing_contents = {each.content for each in self._looking if each.policy.closes}
        self._tells_time = any(map(looks_at_clock, self._expressions()))
        self._shared.context = self._context()

    def _expressions(self) -> Iterator[Expression]:
        for registered in self.queries.values():
            for node in nodes_of(registered.query.node):
                yield from expressions_of(node)

    def _view(self, window: Window) -> View:
        view = self._views.get(window)
        if view is None:
            view = self._views[window] = View(self.journal, window, *self._present[:3])
        return view

    def in_order(self, registered: Registered, present: Present) -> list[Row]:
        """The rows of its answers, in the order of ORDER BY if there is one."""
        self._stand_at(present)
        rows, node = list(registered.answers), registered.query.node
        while isinstance(node, Project | Distinct | Slice):
            node = node.child
        if not isinstance(node, OrderBy):
            return rows
        variables = registered.root.variables
        if {v for key in node.keys for v in variables_of(key.expression)} <= set(variables):
            ordered = order(node.keys, table_of(rows, variables), self._shared.context)
            return [rows[place] for place in ordered.tolist()]
        known = dict.fromkeys(rows_of(self._look(registered.content, registered.root.node), variables))
        places = {row: place for place, row in enumerate(known)}
        return sorted(rows, key=lambda row: places.get(row, len(places)))

    def drop(self, registered: Registered) -> None:
        """Keep a query up to date no more."""
        if self.queries.get(registered.name) is registered:
            del self.queries[registered.name]
            self.network.drop(registered.root)
            used = {query.content for query in self.queries.values()}
            self._views = {window: view for window, view in self._views.items() if view in used}
            self._sort_out()

    def _root(self, query: Query, node: Node, content: Content) -> Operator:
        """The operator whose rows are the answers of a query."""
        if query.form == "SELECT":
            return self.network.use(node, content)

        def look(node: Node) -> Table:
            return self._look(content, node)

        root: Operator
        if query.form == "DESCRIBE":
            root = DescribeLeaf(
                node, self._shared, look, lambda table: self._described(query, table, content)
            )
        else:
            kind = AskRoot if query.form == "ASK" else ConstructRoot
            root = kind(query, self._shared, self.network.use(node, content))
        self.network.add(root, content)
        return root

    def _described(self, query: Query, table: Table, content: Content) -> list[Triple]:
        """The triples of DESCRIBE, as things stand."""
        return described(query.described, table, self._dataset(content).default, self.terms)

    # -- steps -------------------------------------------------------------------------------------

    def watch(self) -> None:
        """A step begins: nothing has been reported in it."""
        for registered in self.reporting:
            registered.reported = Reported()
        self.reporting = []

    @property
    def bytes_used(self) -> int:
        """What it holds, in bytes, roughly; its rows are counted when an eighth of them may have changed."""
        if 8 * (self.journal.noted - self._counted) >= self._rows_then:
            self._rows_then = sum(len(bag) for bag in self._bags()) + len(self._forms)
            self._counted = self.journal.noted
        views = sum(view.model.bytes_used for view in self._views.values())
        return views + _BYTES_A_ROW * (self._rows_then + 2 * len(self.terms.locals))

    def due(self, after: int, until: int) -> int | None:
        """The next boundary at which the window of a query closes."""
        if self._present.step is None or not self._closing_contents:
            return None
        kind = self._present.step.kind
        ticks = (content.next_closing(kind, after, until) for content in self._closing_contents)
        return min((tick for tick in ticks if tick is not None), default=None)

    def before(self, step: Step, model: WindowModel) -> None:
        """Time has come to a boundary: windows closed to the left close before anything arrives there, the
        others when time goes on.
        """
        for content in self._contents:
            is_left = content.window.closed == "left"
            if (
                is_left
                and content.is_open(step.now)
                and content.window.next_boundary(step.kind, step.now) == step.now
            ):
                self._close(content, step.now, step)

    def _close(self, content: Content, boundary: int, step: Step) -> None:
        self.journal.set(content, "closed", boundary)
        at = time_of(boundary, step.kind)
        for registered in self._looking:
            if registered.content is content and registered.policy.closes:
                self._look_at(registered, at, boundary, step)

    def apply(self, changes: StepChanges, model: WindowModel) -> None:
        """Bring all queries to where the model is."""
        step, log = changes.step, changes.log
        assert log is not None, "a step says what is in the window"
        if step is not None:
            self._leave(step)
        self._stand_at(Present(model, log, step, changes.at))
        before, shown = self._reform(changes)
        leaves: dict[Operator, Mapping[Row, int]] = {}
        for content in self._contents:
            closing = None if step is None else self._closing(content, step)
            noted = content.take(changes, model, closing)
            reformed = _stayed(before, noted, content.model)
            told = content.model, noted, reformed, shown
            leaves.update(content.patterns.changes(*told).items())
            leaves.update(content.facts.changes(*told).items())
            self._note_moved(content, noted)
            for leaf in self._touched(content, noted, reformed):
                if self.network.serial(leaf) <= self._begun:
                    leaves[leaf] = leaf.change()
        done = dict(self.network.step(leaves, self._begun))
        if self._begun < self.network.made:
            done.update(self.network.begin(self._begun))
            self._begun = self.network.made
        for operator, change in done.items():
            for registered in self._of_root.get(operator, ()):
                self._told(registered, change, changes.on_the_way)
        if not changes.on_the_way and step is not None:
            for registered in self._looking:
                if not registered.policy.closes and registered.policy.tick == "abox":
                    self._look_at(registered, time_of(step.now, step.kind), step.now, step)

    def _note_moved(self, content: Content, noted: Integers) -> None:
        """Take down which facts came and went, for the queries that ask whether any did."""
        asking = [q for q in self._looking if q.content is content and q.asks_for_change]
        if asking:
            for *fact, sign in noted.tolist():
                for registered in asking:
                    self._shared.add(registered.moved, tuple(fact), sign)

    def _leave(self, step: Step) -> None:
        """Time goes on from where it stood: windows that end there close, timestamps are left."""
        now = self._present.step
        if now is None or step.now <= now.now or not self._looking:
            return
        for content in self._contents:
            if content.closes_as_time_leaves(now.kind, now.now, step.now):
                self._close(content, now.now, now)
        for registered in self._looking:
            if registered.policy.tick == "timestamp" and not registered.policy.closes:
                self._look_at(registered, time_of(now.now, now.kind), now.now, now)

    def _closing(self, content: Content, step: Step) -> int | None:
        """The boundary that is about to close at which time has come, before anything arrives there.

        So it is with windows closed to the left, which hold nothing of that timestamp.
        """
        content.begin(step)
        is_open = content.window.closed == "left" and content.is_open(step.now)
        at_boundary = is_open and content.window.next_boundary(step.kind, step.now) == step.now
        return step.now if at_boundary and content in self._closing_contents else None

    def _told(self, registered: Registered, change: Mapping[Row, int], on_the_way: bool) -> None:
        """The answers of a query have changed so.

        Args:
            on_the_way: the step has not come to its end.
        """
        at = self._present.at
        assert at is not None, "a step has been made"
        if registered.policy.is_plain and not registered.pending and not on_the_way:
            self._report(registered, change, at)
            return
        for row, weight in change.items():
            self._shared.add(registered.pending, row, weight)

    def _look_at(self, registered: Registered, at: TimePoint, now: int, step: Step) -> None:
        """Report, if the conditions hold."""
        policy, content = registered.policy, registered.content
        if not policy.looks_at(step.kind, now):
            return
        if registered.asks_for_change:
            if not registered.moved:
                return
            self.journal.replace(registered.moved, {})
        if "non-empty" in policy.conditions and not content.has_assertions(self._present.log):
            return
        change = dict(registered.pending)
        self.journal.replace(registered.pending, {})
        if change or policy.emit == "rstream":
            self._report(registered, change, at)

    def _report(self, registered: Registered, change: Mapping[Row, int], at: TimePoint) -> None:
        """Say what has changed in the answers of a query."""
        came: Bag = {}
        went: Bag = {}
        for row, weight in change.items():
            self._shared.add(registered.answers, row, weight)
            (came if weight > 0 else went)[row] = abs(weight)
        emit = registered.policy.emit
        if emit == "rstream":
            came, went = dict(registered.answers), {}
        elif emit == "istream":
            went = {}
        elif emit == "dstream":
            came = {}
        if came or went or emit == "rstream":
            if not registered.reported.reports:
                self.reporting.append(registered)
            registered.reported.reports.append(Report(at, came, went))

    def _reform(self, changes: StepChanges) -> tuple[Mapping[Fact, Literal | None], Shown | None]:
        """Take over the forms in which literals are written now.

        Returns: How facts were written whose literals are written another way now; and how facts are shown.
        """
        before: dict[Fact, Literal | None] = {}
        for fact, form in changes.forms.items():
            old = self._forms.get(fact)
            if old == form:
                continue
            before[fact] = old
            self.journal.note(self._forms, fact)
            if form is None:
                del self._forms[fact]
            else:
                self._forms[fact] = form
        if not self._forms and not before and not self.terms.has_further_numbers:
            return {}, None
        terms, forms = self.terms, self._forms

        def shown(fact: Fact, sign: int) -> int | None:
            form = before[fact] if sign < 0 and fact in before else forms.get(fact)
            return terms.first_form(fact[2]) if form is None else terms.id_of(form)

        return before, shown

    def _touched(self, content: Content, noted: Integers, reformed: Integers) -> Iterator[WholeLeaf]:
        """The leaves that are to be evaluated anew."""
        leaves = self.network.whole_leaves.get(content)
        if not leaves:
            return
        names = content.model.vocabulary.symbols
        changed = {names[number] for number in {*noted[:, 0].tolist(), *reformed[:, 0].tolist()}}
        for leaf in leaves:
            if leaf.symbols is None or not changed.isdisjoint(leaf.symbols):
                yield leaf

    def mark(self) -> RegistryMark:
        """How things stand."""
        return RegistryMark(self.journal.mark(), self._begun)

    def back(self, mark: object) -> None:
        """Be as when `mark` was given."""
        assert isinstance(mark, RegistryMark)
        self.journal.back(mark.state)
        self._begun = mark.begun
        self._forget()

    # -- terms -------------------------------------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> None:
        """Note the symbols and terms whose numbers it holds."""
        numbers = np.array([self.terms.value(n) for n in self._used() if n != NONE], np.int64)
        used.names[numbers[numbers < FIRST_LITERAL]] = 1
        used.literals[numbers[numbers >= FIRST_LITERAL] - FIRST_LITERAL] = 1
        for registered in self.queries.values():
            if registered.moved:
                used.add(np.array(list(registered.moved), np.int32))

    def renamed(self, renaming: Renaming) -> None:
        """Go on in the numbers that terms have from now on."""
        names, literals = renaming.names.tolist(), renaming.literals.tolist()
        used = self._used()
        values = {
            value: names[value] if value < FIRST_LITERAL else literals[value - FIRST_LITERAL]
            for value in {self.terms.value(number) for number in used}
            if value != NONE
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
        self.journal.replace(self._forms, self._forms_of())
        self._forget()

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """Begin from what the model holds."""
        self.journal.replace(self._forms, self._forms_of())

    def saved(self) -> bytes:
        """What a checkpoint is to keep."""
        windows: dict[Content, Window] = {view: window for window, view in self._views.items()}
        return to_bytes([SavedQuery.of(q, windows.get(q.content), self.terms) for q in self.queries.values()])

    def take_up(self, registered: Registered, saved: SavedQuery) -> None:
        """Let a query that has just been registered go on from what a checkpoint had of it."""
        if saved.rows is None:
            return
        last, now = saved.answers(self.terms), registered.answers
        pending = {row: now.get(row, 0) - last.get(row, 0) for row in {**now, **last}}
        self.journal.replace(registered.pending, {row: n for row, n in pending.items() if n})
        self.journal.replace(registered.answers, last)
        if saved.has_moved:
            self.journal.replace(registered.moved, {_SOME_FACT: 1})
        if saved.closed is not None:
            self.journal.set(registered.content, "closed", saved.closed)

    def _bags(self) -> Iterator[Bag]:
        for operator in self.network:
            yield from operator.bags
        for registered in self.queries.values():
            yield registered.answers
            yield registered.pending

    def _used(self) -> set[int]:
        """The numbers of all terms in rows."""
        return {number for bag in self._bags() for row in bag for number in row}

    def _forget(self) -> None:
        """Forget what was only kept to save work: numbers may mean something else now."""
        self._datasets.clear()
        self._shared.values.forget()
        for operator in self.network:
            operator.forget()

    # -- looking at the present state --------------------------------------------------------------

    def _stand_at(self, present: Present) -> None:
        """Look at another state of the window."""
        self.journal.set(self, "_present", present)
        self._whole.model = present.model
        if present.step is not None:
            self._whole.begin(present.step)
        self._datasets.clear()
        self.terms.look_again()
        if self._tells_time or self._literals is None or self._literals[0] is not self.terms.revision:
            self._shared.context = self._context()

    def _context(self) -> Context:
        vocabulary = self._present.model.vocabulary
        if self._literals is None or self._literals[0] is not vocabulary.revision:
            self._literals = vocabulary.revision, LiteralValues(vocabulary.lexicon.literals)
        return Context(
            self.terms,
            NO_LIMITS,
            self._literals[1],
            _clock(self._present.at) if self._tells_time else _NO_TIME,
            None,
        )

    def _look(self, content: Content, node: Node) -> Table:
        """The rows of a node, evaluated by column."""
        return Evaluation(self._dataset(content), self._shared.context).rows(node)

    def _dataset(self, content: Content) -> Dataset:
        """The graphs as they are, with a content as the default one."""
        found = self._datasets.get(content)
        if found is None:
            found = self._datasets[content] = self._dataset_of(self._moment(content), self.terms)
        return found

    def _moment(self, content: Content) -> Moment:
        (model, log, *_), forms = self._present, self._forms

        def interpretation(at: TimePoint) -> set[Triple]:
            (entry,) = (entry for entry in log if entry.at == at)
            facts = model.interpretation(entry.level)
            return set(model.vocabulary.decode(facts, {**forms, **entry.forms.by_fact}))

        return Moment(content.model, forms, lambda: [entry.at for entry in log], interpretation, False)


def _stayed(before: Mapping[Fact, object], noted: Integers, model: WindowModel) -> Integers:
    """Those of the facts that are stored, and have not just come."""
    if not before:
        return NO_FACTS
    mentions = Counter(fact for fact in as_tuples(noted[:, :3]) if fact in before)
    row_of = model.kernel.store.row_of
    stayed = [fact for fact in before if mentions[fact] % 2 == 0 and row_of(*fact) >= 0]
    return np.array(stayed, np.int32).reshape(-1, 3)


_NO_TIME = Literal("")  # where no query asks


def _clock(at: TimePoint | None) -> Literal:
    """What NOW() is at a time."""
    if isinstance(at, datetime):
        return Literal(at.astimezone(UTC).isoformat(), datatype=XSD.dateTime, normalize=False)
    return Literal("" if at is None else at)

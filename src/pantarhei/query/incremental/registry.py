"""The registered queries of a reasoner: told of each step, they say what it changed in their answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

import numpy as np
from rdflib import XSD, Literal

from pantarhei.encoding.forms import FactForms
from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Fact, Integers, as_tuples
from pantarhei.encoding.renaming import Renaming, UsedTerms
from pantarhei.language.term import Triple
from pantarhei.language.time import TimePoint
from pantarhei.materialize.model import WindowModel
from pantarhei.query.algebra.expressions import variables_of
from pantarhei.query.algebra.nodes import Distinct, Node, OrderBy, Project, Query, Slice
from pantarhei.query.algebra.passes import simplified
from pantarhei.query.expressions import Context, LiteralValues, order
from pantarhei.query.guard import NO_LIMITS
from pantarhei.query.incremental.journal import ABSENT, Journal, Mark
from pantarhei.query.incremental.lasting_terms import LastingTerms
from pantarhei.query.incremental.leaves import DescribeLeaf, WholeLeaf
from pantarhei.query.incremental.network import Network
from pantarhei.query.incremental.operator import Bag, Operator, Row, Shared, rows_of, table_of
from pantarhei.query.incremental.patterns import Shown
from pantarhei.query.incremental.roots import AskRoot, ConstructRoot
from pantarhei.query.operators.evaluation import Evaluation
from pantarhei.query.operators.forms import described
from pantarhei.query.sources.relation import Dataset
from pantarhei.query.table import Table
from pantarhei.query.terms import TermSpace
from pantarhei.query.window_door import Moment
from pantarhei.window.log import Log

_BYTES_A_ROW = 250  # a tuple of some numbers, and its place in a dictionary


class Step(Protocol):
    """What the registry looks at of a step's changes."""

    @property
    def noted(self) -> Integers: ...
    @property
    def forms(self) -> Mapping[Fact, Literal | None]: ...
    @property
    def at(self) -> TimePoint | None: ...
    @property
    def log(self) -> Log | None: ...


class Registered:
    """A query that is kept up to date.

    Args:
        name: it is known by.
        text: as it was given.
        query: what that means.
        root: the operator of its answers.
        nodes: what is used of the network.
    """

    def __init__(self, name: str, text: str, query: Query, root: Operator) -> None:
        self.name, self.text, self.query, self.root = name, text, query, root
        self.answers: Answers = Answers(self)
        self.followers: list[Callable[..., object]] = []


class Answers(dict[Row, int]):
    """The answers of a query as last reported."""

    def __init__(self, of: Registered) -> None:
        super().__init__()
        self.of = of

    __hash__ = object.__hash__  # type: ignore[assignment]


class RegistryMark(NamedTuple):
    """How the registry stood: its dictionaries, and how many operators there were."""

    state: Mark
    made: int


class Registry:
    """The consumer that keeps registered queries up to date.

    Args:
        dataset: the graphs that queries are asked of at a moment.
        forms: how literals of the materialization are written now.
    """

    wants_levels = False

    def __init__(
        self,
        model: WindowModel,
        log: Log,
        dataset: Callable[[Moment, TermSpace], Dataset],
        forms: Callable[[], FactForms],
    ) -> None:
        self._dataset_of, self._forms_of = dataset, forms
        self._model, self._log = model, log
        self.journal = Journal()
        self.terms = LastingTerms(model.vocabulary, self.journal)
        self._forms: dict[Fact, Literal] = {}
        self._dataset: Dataset | None = None
        self._literals: tuple[object, LiteralValues] | None = None
        self._shared = Shared(self.journal, self.terms, self._context(None))
        self.network = Network(self._shared, self._look)
        self.queries: dict[str, Registered] = {}
        self._begun = 0
        self._watched = self.journal.mark()

    # -- queries -----------------------------------------------------------------------------------

    def register(
        self, name: str, text: str, query: Query, model: WindowModel, log: Log, at: TimePoint | None
    ) -> Registered:
        """Keep a query up to date from now on."""
        self._stand_at(model, log, at)
        node: Node = simplified(query.node, has_forms=True)
        if query.form == "SELECT" and node.variables != query.variables:
            node = Project(node, query.variables)
        root = self._root(query, node)
        registered = Registered(name, text, query, root)
        began = dict(self.network.begin(self._begun))
        self._begun = self.network.made
        for row, weight in self.network.rows(root, began).items():
            self._shared.add(registered.answers, row, weight)
        self.queries[name] = registered
        return registered

    def in_order(self, registered: Registered) -> list[Row]:
        """The rows of its answers, in the order of ORDER BY if there is one."""
        rows, node = list(registered.answers), registered.query.node
        while isinstance(node, Project | Distinct | Slice):
            node = node.child
        if not isinstance(node, OrderBy):
            return rows
        variables = registered.root.variables
        if {v for key in node.keys for v in variables_of(key.expression)} <= set(variables):
            ordered = order(node.keys, table_of(rows, variables), self._shared.context)
            return [rows[place] for place in ordered.tolist()]
        known = dict.fromkeys(rows_of(self._look(registered.root.node), variables))
        places = {row: place for place, row in enumerate(known)}
        return sorted(rows, key=lambda row: places.get(row, len(places)))

    def drop(self, registered: Registered) -> None:
        """Keep a query up to date no more."""
        if self.queries.get(registered.name) is registered:
            del self.queries[registered.name]
            self.network.drop(registered.root)

    def _root(self, query: Query, node: Node) -> Operator:
        """The operator whose rows are the answers of a query."""
        if query.form == "SELECT":
            return self.network.use(node)
        root: Operator
        if query.form == "DESCRIBE":
            root = DescribeLeaf(node, self._shared, self._look, lambda table: self._described(query, table))
        else:
            kind = AskRoot if query.form == "ASK" else ConstructRoot
            root = kind(query, self._shared, self.network.use(node))
        self.network.add(root)
        return root

    def _described(self, query: Query, table: Table) -> list[Triple]:
        """The triples of DESCRIBE, as things stand."""
        return described(query.described, table, self._present().default, self.terms)

    def watch(self) -> None:
        """Say from now on what changes."""
        self._watched = self.journal.mark()

    def changes(self) -> dict[Registered, tuple[Bag, Bag]]:
        """What came to the answers of queries, and what went, since `watch`. Costs what has changed."""
        before: dict[Answers, Bag] = {}
        for table, row, value in self.journal.since(self._watched):
            if type(table) is Answers:
                before.setdefault(table, {}).setdefault(row, 0 if value is ABSENT else value)
        changed: dict[Registered, tuple[Bag, Bag]] = {}
        for answers, rows in before.items():
            came: Bag = {}
            went: Bag = {}
            for row, was in rows.items():
                weight = answers.get(row, 0) - was
                if weight:
                    (came if weight > 0 else went)[row] = abs(weight)
            if came or went:
                changed[answers.of] = came, went
        return changed

    # -- steps (engine/consumer.py) ----------------------------------------------------------------

    @property
    def bytes_used(self) -> int:
        """What it holds, in bytes, roughly."""
        rows = sum(len(bag) for bag in self._bags())
        return _BYTES_A_ROW * (rows + len(self._forms) + 2 * len(self.terms.locals))

    def due(self, after: int, until: int) -> int | None:
        """No window of its own closes."""
        return None

    def before(self, step: object, model: WindowModel) -> None:
        """Nothing is due."""

    def apply(self, changes: Step, model: WindowModel) -> None:
        """Bring all queries to where the model is."""
        assert changes.log is not None, "a step says what is in the window"
        self._stand_at(model, changes.log, changes.at)
        reformed, shown = self._reform(changes)
        until = self._begun
        leaves: dict[Operator, Mapping[Row, int]] = dict(
            self.network.patterns.changes(model, changes.noted, reformed, shown).items()
        )
        for leaf in self._touched(changes.noted, reformed):
            if self.network.serial(leaf) <= until:
                leaves[leaf] = leaf.change()
        done = dict(self.network.step(leaves, until))
        if until < self.network.made:
            done.update(self.network.begin(until))
            self._begun = self.network.made
        for registered in self.queries.values():
            for row, weight in done.get(registered.root, {}).items():
                self._shared.add(registered.answers, row, weight)

    def _reform(self, changes: Step) -> tuple[Integers, Shown | None]:
        """Take over the forms in which literals are written now.

        Returns: The facts that were there before and are, written another way; and how facts are shown.
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
            return NO_FACTS, None
        terms, forms = self.terms, self._forms

        def shown(fact: Fact, sign: int) -> int | None:
            form = before[fact] if sign < 0 and fact in before else forms.get(fact)
            return terms.first_form(fact[2]) if form is None else terms.id_of(form)

        if not before:
            return NO_FACTS, shown
        mentions = Counter(fact for fact in as_tuples(changes.noted[:, :3]) if fact in before)
        stayed = [fact for fact in before if mentions[fact] % 2 == 0]
        return np.array(stayed, np.int32).reshape(-1, 3), shown

    def _touched(self, noted: Integers, reformed: Integers) -> Iterator[WholeLeaf]:
        """The leaves that are to be evaluated anew."""
        leaves = self.network.whole_leaves
        if not leaves:
            return
        names = self._model.vocabulary.symbols
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
        self._begun = mark.made
        self._forget()

    # -- terms -------------------------------------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> None:
        """Note the symbols and terms whose numbers it holds."""
        numbers = np.array([self.terms.value(n) for n in self._used() if n != NONE], np.int64)
        used.names[numbers[numbers < FIRST_LITERAL]] = 1
        used.literals[numbers[numbers >= FIRST_LITERAL] - FIRST_LITERAL] = 1

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

        self.network.patterns.renamed()
        for operator in self.network:
            operator.renamed(renamed_row)
        for registered in self.queries.values():
            self._shared.rename(registered.answers, renamed_row)
        self.journal.replace(self._forms, self._forms_of())
        self._forget()
        self.watch()  # a step begins with it

    def rebuilt(self, model: WindowModel, saved: bytes | None) -> None:
        """Begin from what the model holds."""
        self._model = model
        self.journal.replace(self._forms, self._forms_of())

    def saved(self) -> bytes:
        """What a checkpoint is to keep."""
        return b""

    def _bags(self) -> Iterator[Bag]:
        for operator in self.network:
            yield from operator.bags
        for registered in self.queries.values():
            yield registered.answers

    def _used(self) -> set[int]:
        """The numbers of all terms in rows."""
        return {number for bag in self._bags() for row in bag for number in row}

    def _forget(self) -> None:
        """Forget what was only kept to save work: numbers may mean something else now."""
        self._dataset = None
        self._shared.values.forget()
        for operator in self.network:
            operator.forget()

    # -- looking at the present state --------------------------------------------------------------

    def _stand_at(self, model: WindowModel, log: Log, at: TimePoint | None) -> None:
        """Look at a model as it is at a time."""
        self._model, self._log, self._dataset = model, log, None
        self.terms.look_again()
        self._shared.context = self._context(at)

    def _context(self, at: TimePoint | None) -> Context:
        revision = self._model.vocabulary.revision
        if self._literals is None or self._literals[0] is not revision:
            self._literals = revision, LiteralValues(self._model.vocabulary.lexicon.literals)
        return Context(self.terms, NO_LIMITS, self._literals[1], _clock(at), None)

    def _look(self, node: Node) -> Table:
        """The rows of a node, evaluated by column."""
        return Evaluation(self._present(), self._shared.context).rows(node)

    def _present(self) -> Dataset:
        """The graphs as they are."""
        if self._dataset is None:
            self._dataset = self._dataset_of(self._moment(), self.terms)
        return self._dataset

    def _moment(self) -> Moment:
        model, log, forms = self._model, self._log, self._forms

        def interpretation(at: TimePoint) -> set[Triple]:
            (entry,) = (entry for entry in log if entry.at == at)
            facts = model.interpretation(entry.level)
            return set(model.vocabulary.decode(facts, {**forms, **entry.forms.by_fact}))

        return Moment(model, forms, lambda: [entry.at for entry in log], interpretation, False)


def _clock(at: TimePoint | None) -> Literal:
    """What NOW() is at a time."""
    if isinstance(at, datetime):
        return Literal(at.astimezone(UTC).isoformat(), datatype=XSD.dateTime, normalize=False)
    return Literal("" if at is None else at)

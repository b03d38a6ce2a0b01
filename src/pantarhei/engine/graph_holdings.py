"""What a graph without time holds: its assertions, the model, the terms; changed whole or not at all."""

from __future__ import annotations

from collections.abc import Callable

from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.forms import FactForms
from pantarhei.engine.assertions import Assertions, Net, facts_of, keys_of
from pantarhei.engine.books import Counters
from pantarhei.engine.changes import Changes
from pantarhei.engine.consumer import NOTHING_TOLD
from pantarhei.engine.options import Derive
from pantarhei.engine.stats import Stats
from pantarhei.engine.unexpected import Known
from pantarhei.engine.update import NO_DELTA, GraphUpdate, TripleDelta
from pantarhei.engine.upkeep import Upkeep
from pantarhei.errors import ContradictionError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.materialize.model import WindowModel
from pantarhei.repair.conflict import Budget
from pantarhei.repair.contradiction import Contradiction, contradictions
from pantarhei.repair.result import ConflictList
from pantarhei.rules.compilation.program import Program
from pantarhei.window.limits import Limits

# All assertions of a graph are equally old.
_LEVEL = 0

_NONE = ConflictList[Contradiction].of(())


class GraphHoldings(Upkeep[Assertions]):
    """The state of a graph without time; not for several threads at once.

    Args:
        foundation: what all rests on; it belongs to the holdings, which go on numbering.
        refuses: whether a change is refused by which the assertions contradict each other.
        budget: limits of listing conflicts.
        derive: whether all is derived, or what consumers and constraints need.
        known: gives the names that ontology and background know.

    Raises:
        InconsistentOntologyError: the background violates a constraint.
    """

    def __init__(
        self,
        foundation: Foundation,
        refuses: bool,
        budget: Budget,
        derive: Derive = "all",
        known: Known = lambda: None,
    ) -> None:
        self._refuses, self._budget = refuses, budget
        self._always = frozenset(keys_of(foundation.background.facts))
        super().__init__(foundation, Assertions(), "newest", Limits(), derive, known)

    def change(self, insert: Callable[[], Encoded], delete: Callable[[], Encoded]) -> GraphUpdate:
        """Delete some facts, then insert others.

        Args:
            insert, delete: each encodes what is to be inserted, or deleted.

        Raises:
            ContradictionError: it is refused.
        """
        self.forget_unused()
        done = self._undone_if_broken(lambda marks: self._change(insert(), delete()))
        if isinstance(done, ContradictionError):
            raise done
        return done

    def _change(self, given: Encoded, deleted: Encoded) -> GraphUpdate | ContradictionError:
        """What a change comes to; a refusal is a step as well, by which nothing changes."""
        self._cover(given.facts)
        model, net = self.model, self.books.net(given, deleted)
        self.lose_model()
        self._make(model, net)
        conflicts = self._conflicts(model, net)
        if conflicts is None or not self._refuses:
            return self._put_in_place(model, net, given, conflicts)
        self._make(model, Net(net.went, net.came))  # back
        model.violations()
        model.take_changes()
        self._standing = self._standing._replace(model=model)
        return ContradictionError(*conflicts.first())

    def _put_in_place(
        self, model: WindowModel, net: Net, given: Encoded, conflicts: ConflictList[Contradiction] | None
    ) -> GraphUpdate:
        """Store what a change came to: the one moment from which on it is done."""
        noted, standing = model.take_changes(), self._standing
        books, forms = standing.books.after(net, conflicts is None), self.forms.change(noted, given)
        told = NOTHING_TOLD
        if self.consumers:
            levels = model.take_levels(noted)
            changes = Changes(noted, levels=levels, forms=forms.after, at=books.now, log=books.log)
            told = standing.told.with_step(changes, None)
            told = self._tell_consumers(told, model) if standing.tells else told
        delta = NO_DELTA
        if self._derive == "all":
            delta = TripleDelta.of(noted, self.vocabulary.lexicon, forms.seen)
        update = GraphUpdate(
            books.now,
            delta,
            net.already_asserted,
            net.not_asserted,
            books.is_consistent,
            _NONE if conflicts is None else conflicts,
        )
        self._standing = standing._replace(books=books, forms=self.forms.after(forms), model=model, told=told)
        return update

    def _make(self, model: WindowModel, change: Net) -> None:
        """Make a change to the model. What always holds is not taken out."""
        went = [key for key in change.went if key not in self._always]
        if went:
            model.cut(facts_of(went))
        if change.came:
            model.add(facts_of(change.came), _LEVEL)

    def _conflicts(self, model: WindowModel, change: Net) -> ConflictList[Contradiction] | None:
        """How what is asserted contradicts itself; None if it does not.

        Costs nothing where it did not before the change and does not now.
        """
        if not self.books.is_consistent:  # what contradicted before may do so still
            model.find_violations()
        return self._contradictions(model, {**self.books.forms, **change.forms})

    def _contradictions(self, model: WindowModel, forms: FactForms) -> ConflictList[Contradiction] | None:
        """Those behind the violations that a model has noted; None if it has noted none."""
        lineage = model.lineage(self._budget.instances)
        if lineage is None:
            return None
        lexicon, rules = self.vocabulary.lexicon, model.program.rules
        return contradictions(lineage, self._budget, lexicon, rules, forms)

    def conflicts(self) -> ConflictList[Contradiction]:
        """All minimal conflicts of what is asserted now. Costs a pass over the facts where there are any."""
        if self.books.is_consistent:
            return _NONE
        self.model.find_violations()
        found = self._contradictions(self.model, self.books.forms)
        return _NONE if found is None else found

    def _filled_from(self, books: Assertions, program: Program) -> tuple[WindowModel, Assertions]:
        model = self.foundation.model(program=program)
        model.add(books.facts, _LEVEL)
        return model, books

    def stats(self) -> Stats:
        """What is held, and what was done; what only streams have is 0."""
        self.forget_unused()
        model, books, terms = self.model, self.books, self.vocabulary
        size = model.bytes_used, books.bytes, vocabulary_bytes(terms), self.consumers.bytes_used
        counters = *Counters(pushes=books.step), 0, 0
        rules = len(self.growing.program.rules), len(model.program.rules)
        stored = len(model), len(books.keys), 0
        return Stats(*stored, *terms.counts, *size, *model.work, *counters, *rules, *self.mistakes)

"""State of a graph without time: assertions, model and vocabulary; changed as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rdflib import Literal

from pantarhei.encoding.encode import encode_abox
from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.numbers import (
    NO_FORMS,
    Encoded,
    Fact,
    FactForms,
    Forms,
    Integers,
    Renaming,
    UsedTerms,
    as_tuples,
)
from pantarhei.engine.consumer import NOTHING_PENDING
from pantarhei.engine.diagnostics import NameSource
from pantarhei.engine.maintained_state import MaintainedState
from pantarhei.engine.options import Derive
from pantarhei.engine.stream_history import Counters
from pantarhei.engine.update import GraphUpdate, Stats, StepAssertions, TripleDelta, UnknownDelta
from pantarhei.errors import ContradictionError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.materialize.model import WindowModel
from pantarhei.model.labels import Labels
from pantarhei.model.term import Triple
from pantarhei.repair.conflict import Budget
from pantarhei.repair.consistency import Contradiction, contradictions
from pantarhei.repair.result import ConflictList
from pantarhei.rules.compilation.program import Program
from pantarhei.window.log import EMPTY_LOG, Changes, Log
from pantarhei.window.retention import Limits

if TYPE_CHECKING:
    from pantarhei.encoding.encode import ABox

# A fact's twelve bytes as an object, and its place in a dictionary.
_BYTES_PER_ASSERTION = 130
# A form kept beside a fact: a literal, its key, and a place in a dictionary, roughly.
_BYTES_PER_FORM = 400

Key = bytes
"""A fact as its twelve bytes: a third of the memory of a tuple, and made from columns at once."""


class NetChange(NamedTuple):
    """Net effect of a change on the assertions. No fact is both inserted and deleted.

    Args:
        inserted: the inserted facts.
        deleted: the deleted facts.
        forms: forms of inserted literals that differ from the first form of their value.
        already_asserted: the number of facts to insert that were asserted before.
        not_asserted: the number of facts to delete that were not asserted.
    """

    inserted: Sequence[Key]
    deleted: Sequence[Key]
    forms: FactForms = NO_FORMS.by_fact
    already_asserted: int = 0
    not_asserted: int = 0


class Assertions:
    """Assertions of a graph after some changes.

    `after` returns new assertions, which take over the dictionaries: the old object must not be used again.

    Args:
        step: the number of changes so far.
        is_consistent: true if the assertions violate no constraint.
        keys: the facts, each with the number of the change that inserted it.
        forms: by fact, the forms of literals that differ from the first form of their value.
        pending: a change that is applied when the facts are first read. If this is interrupted, it is applied
            again from the beginning.
    """

    def __init__(
        self,
        step: int = 0,
        is_consistent: bool = True,
        keys: dict[Key, int] | None = None,
        forms: dict[Fact, Literal] | None = None,
        pending: NetChange | None = None,
    ) -> None:
        self.step, self.is_consistent = step, is_consistent
        self._keys: dict[Key, int] = {} if keys is None else keys
        self._forms: dict[Fact, Literal] = {} if forms is None else forms
        self._pending = pending

    @property
    def keys(self) -> Mapping[Key, int]:
        """The facts, each with the number of the change that inserted it."""
        self._apply_pending()
        return self._keys

    @property
    def forms(self) -> Mapping[Fact, Literal]:
        """By fact, the forms of literals that differ from the first form of their value."""
        self._apply_pending()
        return self._forms

    @property
    def facts(self) -> Integers:
        """The facts, shape (n, 3), in order of insertion."""
        return facts_of(self.keys)

    @property
    def now(self) -> int:
        """The number of changes so far, which serves as the time."""
        return self.step

    @property
    def log(self) -> Log:
        """The empty log: no ABox has a timestamp."""
        return EMPTY_LOG

    @property
    def bytes(self) -> int:
        """Approximate memory in bytes."""
        return _BYTES_PER_ASSERTION * len(self.keys) + _BYTES_PER_FORM * len(self.forms)

    def net(self, given: Encoded, deleted: Encoded) -> NetChange:
        """Return the net effect of deleting some facts, then inserting others. Costs time linear in these
        facts.
        """
        known, removed = self.keys, dict.fromkeys(keys_of(deleted.facts))
        added = dict.fromkeys(keys_of(given.facts))
        new = {key: None for key in added if key not in known}
        old = [key for key in removed if key in known and key not in added]
        forms = given.forms.by_fact
        if forms:
            keys = keys_of(np.array(list(forms), np.int32))
            forms = {fact: form for key, (fact, form) in zip(keys, forms.items(), strict=True) if key in new}
        already = sum(key in known and key not in removed for key in added)
        return NetChange(list(new), old, forms, already, sum(key not in known for key in removed))

    def after(self, change: NetChange, is_consistent: bool) -> Assertions:
        """Return the assertions after another change, which is applied when they are read. They replace this
        object.
        """
        self._apply_pending()
        return Assertions(self.step + 1, is_consistent, self._keys, self._forms, change)

    def _apply_pending(self) -> None:
        """Apply the pending change. Applying it twice has no further effect."""
        if self._pending is None:
            return
        for key in self._pending.deleted:
            self._keys.pop(key, None)
        if self._forms:
            for fact in as_tuples(facts_of(self._pending.deleted)):
                self._forms.pop(fact, None)
        self._keys.update(dict.fromkeys(self._pending.inserted, self.step))
        self._forms.update(self._pending.forms)
        self._pending = None

    def copy(self) -> Assertions:
        """Return a copy that later changes do not affect. Costs time linear in the facts."""
        return Assertions(self.step, self.is_consistent, dict(self.keys), dict(self.forms))

    # -- their terms (engine/memory.py) --------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> int:
        """Mark the symbols and terms of the facts. Returns the number of facts."""
        used.add(self.facts)
        return len(self.keys)

    def renamed(self, renaming: Renaming) -> Assertions:
        """Return an independent copy in new numbers."""
        keys = dict(zip(keys_of(renaming.facts(self.facts)), self.keys.values(), strict=True))
        forms = renaming.forms(Forms(self.forms)).by_fact
        return Assertions(self.step, self.is_consistent, keys, dict(forms))


def keys_of(facts: Integers) -> list[Key]:
    """Return the keys of facts, shape (n, 3)."""
    keys: list[Key] = np.ascontiguousarray(facts, np.int32).view("V12").ravel().tolist()
    return keys


def facts_of(keys: Iterable[Key]) -> Integers:
    """Return the facts of keys, shape (n, 3)."""
    return np.frombuffer(b"".join(keys), np.int32).reshape(-1, 3).copy()


# All assertions of a graph are equally old.
_LEVEL = 0

_NONE = ConflictList[Contradiction].of(())


class GraphState(MaintainedState[Assertions]):
    """State of a graph without time. Not thread-safe.

    Args:
        foundation: the foundation; the state owns it and numbers further terms in it.
        refuses: refuse a change after which the assertions contradict each other.
        budget: limits of listing conflicts.
        derive: derive all facts, or only those that consumers and constraints need.
        known: function that returns the names of ontology and background.
        labels: function that returns the names shown for IRIs.

    Raises:
        InconsistentOntologyError: the background violates a constraint.
    """

    def __init__(
        self,
        foundation: Foundation,
        refuses: bool,
        budget: Budget,
        derive: Derive = "all",
        known: NameSource = lambda: None,
        labels: Callable[[], Labels] = dict,
    ) -> None:
        self._refuses, self._budget, self.labels = refuses, budget, labels
        self._background_keys = frozenset(keys_of(foundation.background.facts))
        super().__init__(foundation, Assertions(), "newest", Limits(), derive, known)

    def change(self, insert: ABox, delete: ABox) -> GraphUpdate:
        """Delete facts, then insert others.

        Args:
            insert, delete: the facts; blank nodes keep their labels.

        Raises:
            ContradictionError: the assertions contradict each other afterwards, and such changes are refused.
        """
        before = self._begin_step(may_forget=True)
        try:
            done = self._change(*(encode_abox(self.vocabulary, abox, "") for abox in (insert, delete)))
        except BaseException:
            self._roll_back(before)
            raise
        if isinstance(done, ContradictionError):
            raise done
        return done

    def _change(self, given: Encoded, deleted: Encoded) -> GraphUpdate | ContradictionError:
        """Apply a change. A refused change is undone, and its error is returned."""
        self._cover(given.facts)
        model, net = self.model, self.history.net(given, deleted)
        self.drop_model()
        self._apply(model, net)
        conflicts = self._conflicts(model, net)
        if conflicts is None or not self._refuses:
            return self._commit(model, net, given, conflicts)
        self._apply(model, NetChange(net.deleted, net.inserted))  # back
        model.violations()
        model.take_changes()
        self._version = self._version._replace(model=model)
        return ContradictionError(*conflicts.first())

    def _commit(
        self,
        model: WindowModel,
        net: NetChange,
        given: Encoded,
        conflicts: ConflictList[Contradiction] | None,
    ) -> GraphUpdate:
        """Store the result of a change, which takes effect with this."""
        noted, version = model.take_changes(), self._version
        history, forms = version.history.after(net, conflicts is None), self.forms.change(noted, given)
        delivery = NOTHING_PENDING
        if self.consumers:
            levels = model.take_levels(noted)
            changes = Changes(noted, levels=levels, forms=forms.after, at=history.now, log=history.log)
            delivery = version.delivery.with_step(changes, None)
            delivery = self._deliver(delivery, model) if version.delivers_steps else delivery
        delta: TripleDelta = UnknownDelta(self.labels)
        if self._derive == "all":
            delta = TripleDelta.of(noted, self.vocabulary.lexicon, forms.all_forms, self.labels)
        update = GraphUpdate(
            history.now,
            delta,
            net.already_asserted,
            net.not_asserted,
            history.is_consistent,
            _NONE if conflicts is None else conflicts,
            assertions=self._asserted(net, forms.all_forms),
        )
        self._version = version._replace(
            history=history, forms=self.forms.after(forms), model=model, delivery=delivery
        )
        return update

    def _asserted(self, net: NetChange, forms: FactForms) -> StepAssertions:
        """Return the assertions that a change inserted and deleted."""
        lexicon, parts = self.vocabulary.lexicon, (net.inserted, net.deleted)

        def make() -> tuple[frozenset[Triple], frozenset[Triple]]:
            inserted, deleted = (frozenset(lexicon.decode(facts_of(keys), forms)) for keys in parts)
            return inserted, deleted

        return StepAssertions(make)

    def _apply(self, model: WindowModel, change: NetChange) -> None:
        """Apply a change to the model. Facts of the background are not removed."""
        deleted = [key for key in change.deleted if key not in self._background_keys]
        if deleted:
            model.cut(facts_of(deleted))
        if change.inserted:
            model.add(facts_of(change.inserted), _LEVEL)

    def _conflicts(self, model: WindowModel, change: NetChange) -> ConflictList[Contradiction] | None:
        """Return the contradictions among the assertions; None if there are none.

        Costs nothing if the graph was consistent before and the change violates no constraint.
        """
        if not self.history.is_consistent:  # earlier contradictions may remain
            model.find_violations()
        return self._contradictions(model, {**self.history.forms, **change.forms})

    def _contradictions(self, model: WindowModel, forms: FactForms) -> ConflictList[Contradiction] | None:
        """Return the contradictions behind the recorded violations; None if there are none."""
        lineage = model.lineage(self._budget.instances)
        if lineage is None:
            return None
        lexicon, rules = self.vocabulary.lexicon, model.program.rules
        found = contradictions(lineage, self._budget, lexicon, rules, forms)
        return found.mapped(lambda each: replace(each, labels=self.labels()))

    def conflicts(self) -> ConflictList[Contradiction]:
        """Return all minimal conflicts of the assertions. Costs a pass over the facts if the graph is
        inconsistent.
        """
        if self.history.is_consistent:
            return _NONE
        self.model.find_violations()
        found = self._contradictions(self.model, self.history.forms)
        return _NONE if found is None else found

    def _build_from(self, history: Assertions, program: Program) -> tuple[WindowModel, Assertions]:
        model = self.foundation.model(program=program)
        model.add(history.facts, _LEVEL)
        return model, history

    def stats(self) -> Stats:
        """Return sizes and counters; counters of streams are 0."""
        self.forget_unused()
        model, history, terms = self.model, self.history, self.vocabulary
        size = model.bytes_used, history.bytes, vocabulary_bytes(terms), self.consumers.bytes_used
        counters = *Counters(pushes=history.step), 0, 0
        rules = len(self.growing.program.rules), len(model.program.rules)
        stored = len(model), len(history.keys), 0
        return Stats(*stored, *terms.counts, *size, *model.work, *counters, *rules, *self.mistakes)

"""State that is maintained step by step: ground truth, model and vocabulary, with the consumers of its
changes.

A step ends by storing one value, a `StateVersion`, with all that it has changed. If a step fails or is
interrupted before that, the model is rebuilt from the ground truth. Subclasses define what a step is and how
the model is built: `StreamState` for a stream, `GraphState` for a graph without time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from pantarhei.encoding.given_forms import GivenForms
from pantarhei.encoding.lexicon import Tables
from pantarhei.encoding.numbers import (
    NO_FACTS,
    NO_FORMS,
    Encoded,
    FactForms,
    Integers,
    Symbols,
    concat_symbols,
)
from pantarhei.engine.consumer import NOTHING_PENDING, Consumer, Consumers, DeliveryState, Marks, Saved
from pantarhei.engine.diagnostics import (
    DatatypeDiagnostics,
    InputDiagnostics,
    NameSource,
    Unexpected,
)
from pantarhei.engine.memory import Compact, Memory, compact, most_entries
from pantarhei.engine.options import Derive
from pantarhei.engine.stream_history import GroundTruthT
from pantarhei.errors import OptionError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import Keep, WindowModel
from pantarhei.rules.compilation.program import PartialProgram, Program, ProgramState
from pantarhei.window.log import Changes
from pantarhei.window.retention import Exceeded, Limits

_Done = TypeVar("_Done")

_NEWEST = '"newest" where a query has a window of its own: with "every" facts have several timestamps'


class ModelView(NamedTuple):
    """Model with the forms of its literals."""

    model: WindowModel
    forms: FactForms


class StateVersion(NamedTuple, Generic[GroundTruthT]):
    """State after a step.

    Args:
        history: the ground truth.
        forms: the forms of literals in the materialization.
        memory: the memory that counts against the limits.
        model: the model of `history`; None if it is lost, or being changed.
        is_part: True inside a `whole` block, whose rollback needs the terms of earlier histories.
        delivers_steps: whether consumers receive each step; otherwise they receive all at the end of the
            block.
        delivery: the changes that consumers still have to receive.
        needed: the predicates that consumers need, whose facts are all in the model; None for all.
        complete: a model of the same history with all rules, if one was needed.
        noted: the diagnostics of the input.
    """

    history: GroundTruthT
    forms: GivenForms
    memory: Memory
    model: WindowModel | None = None
    is_part: bool = False
    delivers_steps: bool = True
    delivery: DeliveryState = NOTHING_PENDING
    needed: Symbols = None
    complete: ModelView | None = None
    noted: InputDiagnostics = InputDiagnostics()

    @property
    def shown(self) -> ModelView:
        """The model that queries read, with its forms."""
        if self.complete is not None:
            return self.complete
        assert self.model is not None, "it was made before"
        return ModelView(self.model, self.forms.facts)


class Savepoint(NamedTuple, Generic[GroundTruthT]):
    """State before a step, for a rollback.

    Args:
        standing: the state.
        grown: the program in force.
        known: the size of the vocabulary.
        marks: the states of the consumers.
        seen: the number of values that the diagnostics have noted.
    """

    standing: StateVersion[GroundTruthT]
    grown: ProgramState
    known: tuple[int, ...]
    marks: Marks
    seen: int


class MaintainedState(ABC, Generic[GroundTruthT]):
    """Base class of `StreamState` and `GraphState`; not for several threads at once.

    Args:
        foundation: the foundation; the state owns it and assigns further numbers.
        history: the initial ground truth.
        keep: the storage of facts in a model.
        limits: the limits.
        derive: whether to derive everything, or what consumers and constraints need.
        known: returns the names of ontology and background.

    Raises:
        InconsistentOntologyError: the background violates a constraint.
        MemoryLimitError: the background alone exceeds the limits.
    """

    def __init__(
        self,
        foundation: Foundation,
        history: GroundTruthT,
        keep: Keep,
        limits: Limits,
        derive: Derive,
        known: NameSource,
    ) -> None:
        self._known = known
        rules, by_datatype = foundation.growing.theory.rules, foundation.numbers == "by_datatype"
        self._number_watch = DatatypeDiagnostics(rules, by_datatype)
        self.foundation, self._keep, self._derive = foundation, keep, derive
        self.growing, self.vocabulary = foundation.growing, foundation.vocabulary
        self.consumers = Consumers()
        memory = Memory(limits, self.vocabulary, self.consumers)
        needed: Symbols = None if derive == "all" else frozenset()
        self._standing = StateVersion(history, GivenForms(self.vocabulary), memory, needed=needed)
        written = self.forms.change(Changes.of_all(self.model, 1).fact_changes, foundation.background)
        self._standing = self._standing._replace(forms=self.forms.after(written))
        self.most_entries = most_entries(self.vocabulary, len(self.model))
        self._entries_kept = self.vocabulary.size
        exceeded = memory.exceeded(self.model, self.history.log)
        if exceeded is not None:
            raise limits.error(exceeded, None)

    # -- steps -------------------------------------------------------------------------------------

    def _begin_step(self, may_forget: bool) -> Savepoint[GroundTruthT]:
        """Collect unused terms if there are many and it is allowed; return what `_roll_back` needs."""
        vocabulary, memory = self.vocabulary, self._standing.memory
        size, known = vocabulary.size, vocabulary.mark
        is_large = size > self.most_entries or memory.unused or memory.limits.max_bytes is not None
        if may_forget and is_large:
            self.forget_unused()
            known = vocabulary.mark
        marks = self.consumers.mark() if self.consumers.attached else {}
        return Savepoint(self._standing, self.growing.grown, known, marks, self._number_watch.mark)

    def _roll_back(self, to: Savepoint[GroundTruthT]) -> None:
        """Restore the state before a step, unless the step has stored its result already."""
        if self.history.step is not to.standing.history.step:
            return
        if self._standing is not to.standing:
            self.drop_model()
        self.consumers.back(to.marks)
        self.growing.grown = to.grown
        self.vocabulary.roll_back_to(to.known)
        self._standing = self._standing._replace(noted=to.standing.noted)
        self._number_watch.back_to(to.seen)

    def _cover(self, facts: Integers) -> None:
        """Add the rules that asserted facts demand to the program, and update the diagnostics."""
        before = self._standing.noted
        noted = before.after(facts, self.vocabulary, self.foundation.common, self._known)
        if apart := self._number_watch.found(facts, self.vocabulary):
            noted = noted.with_numbers(apart)
        if noted is not before:
            self._standing = self._standing._replace(noted=noted)
        is_covered = len(self.vocabulary.symbols) <= self.growing.grown.covered
        if (not is_covered or self.vocabulary.ill_typed.has_members) and not self.growing.covers(facts):
            self.drop_model()  # one of the grown program is to be made
            self.growing.grow(facts)

    @contextmanager
    def whole(self, each_step: bool = False) -> Iterator[None]:
        """Roll back all steps inside the block if one raises. No terms are collected meanwhile.

        Args:
            each_step: deliver the changes of each step, not all at the end. Inside another block the outer
                one decides.
        """
        self.forget_unused()
        history, forms = self.history.copy(), self.forms.copy()
        grown, size, seen = self.growing.grown, self.vocabulary.size, self._number_watch.mark
        marks, consumers = self.consumers.mark(), copy(self.consumers)
        memory = replace(self._standing.memory, consumers=consumers)
        before = self._standing._replace(
            history=history, forms=forms, memory=memory, model=None, complete=None
        )
        held = memory.of_consumers
        try:
            delivers_steps = before.delivers_steps if before.is_part else each_step
            self._standing = self._standing._replace(is_part=True, delivers_steps=delivers_steps)
            yield
            delivery = self._standing.delivery if before.is_part else self._delivered_at_end(held)
            self._standing = self._standing._replace(
                is_part=before.is_part, delivers_steps=before.delivers_steps, delivery=delivery
            )
        except BaseException:
            self._standing, self.consumers = before, consumers
            self.consumers.back(marks)
            self.growing.grown = grown
            self._number_watch.back_to(seen)
            self.most_entries = (
                size  # updates of the block may still be read: terms are collected at the next step
            )
            raise

    def _delivered_at_end(self, held: int) -> DeliveryState:
        """Deliver the pending changes at the end of a block, before which consumers held `held` bytes.

        Raises:
            MemoryLimitError: they hold too much then.
        """
        delivery, memory = self._deliver(self._standing.delivery), self._standing.memory
        if (exceeded := memory.exceeded_since(held, self.model, self.history.log)) is not None:
            raise memory.limits.error(exceeded, self.history.now, memory.of_consumers)
        return delivery

    def replace(self, history: GroundTruthT, forms: GivenForms, noted: InputDiagnostics) -> None:
        """Replace the history, in the numbers of the present vocabulary."""
        standing = self._standing._replace(history=history, forms=forms, model=None, complete=None)
        self._standing = standing._replace(noted=noted)
        self._number_watch.go_on_with(noted.seen)

    def drop_model(self) -> None:
        """Drop the model: it is about to change, or is unusable. It is rebuilt when needed."""
        self._standing = self._standing._replace(model=None, complete=None)

    # -- consumers ---------------------------------------------------------------------------------

    def attach(self, name: str, consumer: Consumer) -> None:
        """Add a consumer, which starts from the present model and receives the changes of all later steps.

        Raises:
            OptionError: the name is taken; or the consumer needs levels and `keep="every"` has several.
        """
        if consumer.needs_levels and self._keep == "every":
            raise OptionError("keep", '"every"', _NEWEST)
        self.require_facts(consumer.needed_symbols)
        self._deliver_all()
        self.model.record_levels(self.consumers.needs_levels or consumer.needs_levels)
        self.consumers.attach(name, consumer, self.model)

    def require_levels(self) -> None:
        """Record level changes from now on, for an attached consumer that is about to need them.

        Raises:
            OptionError: facts have no one level.
        """
        if self._keep == "every":
            raise OptionError("keep", '"every"', _NEWEST)
        self._deliver_all()
        self.model.record_levels()

    def require_facts(self, symbols: Symbols) -> None:
        """Derive all facts of some predicates from now on, for a consumer that is about to read them.

        If further rules must run, this costs a materialization, and rules that nobody needs any more stop
        running.

        Args:
            symbols: the predicates, None for all.

        Raises:
            MemoryLimitError: a limit is exceeded then; nothing has changed.
        """
        standing = self._standing
        if self.part.has_all_of(symbols):
            if standing.needed is not None:
                self._standing = standing._replace(needed=concat_symbols(standing.needed, symbols))
            return
        self._deliver_all()
        standing, needed = self._standing, concat_symbols(self.consumers.needed_symbols, symbols)
        model, history = self._build(standing.history, self.growing.part_for(needed))
        limits, exceeded = standing.memory.limits, standing.memory.exceeded(model, history.log)
        if exceeded is not None and not limits.drops:
            raise limits.error(exceeded, history.now)
        self._standing = standing._replace(model=model, history=history, needed=needed, complete=None)

    @property
    def part(self) -> PartialProgram:
        """The rules in force."""
        return self.growing.part_for(self._standing.needed)

    def saved_consumers(self) -> dict[str, Saved]:
        """Return a function for each consumer, by name, that makes the bytes that a checkpoint stores.

        Inside a block the pending changes are delivered first.
        """
        self._deliver_all()
        return self.consumers.saved()

    def _deliver_all(self) -> None:
        """Deliver the pending changes, so that the consumers are at the state of the model."""
        marks = self.consumers.mark()
        try:
            self._standing = self._standing._replace(delivery=self._deliver(self._standing.delivery))
        except BaseException:
            self.consumers.back(marks)
            raise

    def _deliver(self, delivery: DeliveryState, model: WindowModel | None = None) -> DeliveryState:
        """Deliver pending changes; `model` is the model of the step, by default the present one."""
        if not self.consumers:
            return NOTHING_PENDING
        return self.consumers.deliver(
            delivery, self.model if model is None else model
        )  # one without facts is false

    # -- looking -----------------------------------------------------------------------------------

    @property
    def noted(self) -> InputDiagnostics:
        """Diagnostics of the input so far."""
        return self._standing.noted._replace(seen=self._number_watch.seen)

    @property
    def mistakes(self) -> tuple[int, int, int]:
        """Numbers of assertions that write axioms, of unknown names, and of properties whose numbers never
        meet.
        """
        noted = self._standing.noted
        return noted.axioms, len(noted.unknown), len(noted.numbers)

    def unexpected(self) -> Unexpected:
        """Return the suspicious input so far."""
        return self.noted.for_users(self.vocabulary, self.foundation.common, self._known)

    @property
    def history(self) -> GroundTruthT:
        """The ground truth."""
        return self._standing.history

    @property
    def forms(self) -> GivenForms:
        """Forms of the literals in the materialization."""
        return self._standing.forms

    def state(self, symbols: Symbols = None) -> StateVersion[GroundTruthT]:
        """Return the state, with a model in which all facts of some predicates are derived.

        Returns the same value until something changes. If rules are needed that do not run, this costs a
        materialization, once until the next step.

        Args:
            symbols: the predicates, None for all.
        """
        model = self.make_model()
        if self._standing.complete is None and not self.part.has_all_of(symbols):
            self._standing = self._standing._replace(complete=self._complete_beside(model))
        return self._standing

    def _complete_beside(self, kept: WindowModel) -> ModelView:
        """Build a model with all rules, beside the model that is maintained."""
        model, _ = self._build_from(self.history, self.growing.program)
        model.violations()
        model.take_changes()
        facts = model.facts()
        more = facts[~np.asarray(kept.kernel.store.present(contiguous(facts)), np.bool_)]
        came = np.column_stack([more, np.ones(len(more), np.int32)])
        forms = self.forms.change(came, Encoded(NO_FACTS, NO_FORMS)).came
        return ModelView(model, {**forms, **self.forms.facts})

    @property
    def is_part(self) -> bool:
        """True inside a `whole` block."""
        return self._standing.is_part

    @property
    def facts(self) -> int | None:
        """Number of facts in the model; None if the model is lost. Costs O(1)."""
        model = self._standing.model
        return None if model is None else len(model)

    @property
    def exceeded(self) -> Exceeded | None:
        """The limit that is exceeded; None also if the excess is evicted with the next step."""
        memory = self._standing.memory
        return None if memory.limits.drops else memory.exceeded(self.model, self.history.log)

    @property
    def max_bytes(self) -> int | None:
        """The limit of bytes, None without a limit."""
        return self._standing.memory.limits.max_bytes

    @property
    def consumer_bytes(self) -> int:
        """Bytes that temporal rules and registered queries hold, if they count against a limit."""
        return self._standing.memory.of_consumers

    # -- terms that are not used any more ----------------------------------------------------------

    def forget_unused(self) -> None:
        """Collect unused terms if there are many; not inside a block, whose rollback needs their numbers.

        After an error the state is unchanged; the model may have to be rebuilt.
        """
        vocabulary, standing = self.vocabulary, self._standing
        wanted = standing.memory.unused or vocabulary.size > self.most_entries
        if vocabulary.size * 8 > self._entries_kept * 9:  # some of them may not be used any more
            wanted = wanted or standing.memory.is_tight(standing.model, standing.history.log)
        if wanted and not standing.is_part:
            self._forget_unused()

    def _forget_unused(self) -> None:
        vocabulary, standing, model = self.vocabulary, self._standing, self.model
        found = compact(vocabulary, self.foundation.common, self.history, self.forms, model, self.consumers)
        memory = replace(standing.memory, unused=0)
        if found.forgets_nothing:
            self._standing = self._standing._replace(memory=memory)
        else:
            self._take_compact(found, memory, model)
        self.most_entries, self._entries_kept = most_entries(vocabulary, found.stored), vocabulary.size

    def _take_compact(self, found: Compact[GroundTruthT], memory: Memory, model: WindowModel) -> None:
        standing = self._standing
        before = self.vocabulary.tables, standing._replace(model=None)
        marks = self.consumers.mark()
        self.drop_model()
        try:
            taken = StateVersion(
                found.history, found.forms, memory, needed=standing.needed, noted=standing.noted
            )
            self._take_over(found.tables, taken)
            self.consumers.renamed(found.renaming)
        except BaseException:
            self._take_over(*before)
            self.consumers.back(marks)
            raise
        model.rename(found.renaming)
        self._standing = self._standing._replace(model=model)

    def _take_over(self, tables: Tables, standing: StateVersion[GroundTruthT]) -> None:
        self.growing.recheck_symbols()
        self.vocabulary.replace_tables(tables)
        self._standing = standing

    # -- the model from the history ------------------------------------------------------------------

    @property
    def model(self) -> WindowModel:
        """The model. Costs a materialization if an error lost it."""
        return self.make_model()

    def make_model(self) -> WindowModel:
        """Return the model. Costs a materialization if an error lost it."""
        known = self._standing.model
        if known is not None and not known.is_broken:
            return known
        model, history = self._build(self.history)
        self._standing = self._standing._replace(model=model, history=history)
        return model

    def _build(
        self, history: GroundTruthT, part: PartialProgram | None = None
    ) -> tuple[WindowModel, GroundTruthT]:
        """Build the model of a history; return it, and the history with what undoing its newest part takes.

        Args:
            part: the rules to run, None for the rules in force.
        """
        model, history = self._build_from(history, (part or self.part).program)
        model.violations()
        model.take_changes()
        model.record_levels(self.consumers.needs_levels)
        return model, history

    @abstractmethod
    def _build_from(self, history: GroundTruthT, program: Program) -> tuple[WindowModel, GroundTruthT]:
        """Build the model of a history with the rules of a program; returns what `_build` returns."""

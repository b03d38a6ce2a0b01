"""State that is maintained step by step: ground truth, model, vocabulary, and the consumers of its changes.

A step ends by storing one value, a `StateVersion`, with everything that it has changed. If the step fails or
is interrupted before that, the model is rebuilt from the ground truth. Subclasses define the steps, and how
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

_NEWEST = '"newest", since with "every" the reasoner supports no query that has its own window'


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
        model: the model of `history`; None if an error lost it, or while a step changes it.
        is_part: True inside a `whole` block. Its rollback needs the terms of earlier histories.
        delivers_steps: True if consumers receive the changes of each step; False if they receive all changes
            at the end of the block.
        delivery: the changes that consumers have not received yet.
        needed: the predicates that consumers need, whose facts are all in the model; None for all.
        complete: a model of the same history with all rules, if a query needed it.
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
        """The model that queries read, with its literal forms."""
        if self.complete is not None:
            return self.complete
        assert self.model is not None, "it was made before"
        return ModelView(self.model, self.forms.facts)


class Savepoint(NamedTuple, Generic[GroundTruthT]):
    """State before a step, for a rollback.

    Args:
        version: the state.
        grown: the program in force.
        known: the size of the vocabulary.
        marks: the states of the consumers.
        seen: the number of values that the diagnostics have recorded.
    """

    version: StateVersion[GroundTruthT]
    grown: ProgramState
    known: tuple[int, ...]
    marks: Marks
    seen: int


class MaintainedState(ABC, Generic[GroundTruthT]):
    """Base class of `StreamState` and `GraphState`. Not thread-safe.

    Args:
        foundation: the foundation; the state owns it and numbers further terms in it.
        history: the initial ground truth.
        keep: how models store facts.
        limits: the limits of facts and bytes.
        derive: derive all facts, or only those that consumers and constraints need.
        known: function that returns the names of ontology and background.

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
        self._datatypes = DatatypeDiagnostics(rules, by_datatype)
        self.foundation, self._keep, self._derive = foundation, keep, derive
        self.growing, self.vocabulary = foundation.growing, foundation.vocabulary
        self.consumers = Consumers()
        memory = Memory(limits, self.vocabulary, self.consumers)
        needed: Symbols = None if derive == "all" else frozenset()
        self._version = StateVersion(history, GivenForms(self.vocabulary), memory, needed=needed)
        written = self.forms.change(Changes.of_all(self.model, 1).fact_changes, foundation.background)
        self._version = self._version._replace(forms=self.forms.after(written))
        self.most_entries = most_entries(self.vocabulary, len(self.model))
        self._entries_kept = self.vocabulary.size
        exceeded = memory.exceeded(self.model, self.history.log)
        if exceeded is not None:
            raise limits.error(exceeded, None)

    # -- steps -------------------------------------------------------------------------------------

    def _begin_step(self, may_forget: bool) -> Savepoint[GroundTruthT]:
        """Return a savepoint for `_roll_back`. First collects unused terms if there are many and `may_forget`
        is true.
        """
        vocabulary, memory = self.vocabulary, self._version.memory
        size, known = vocabulary.size, vocabulary.mark
        is_large = size > self.most_entries or memory.unused or memory.limits.max_bytes is not None
        if may_forget and is_large:
            self.forget_unused()
            known = vocabulary.mark
        marks = self.consumers.mark() if self.consumers.attached else {}
        return Savepoint(self._version, self.growing.grown, known, marks, self._datatypes.mark)

    def _roll_back(self, to: Savepoint[GroundTruthT]) -> None:
        """Restore the state before a step, unless the step has already stored its result."""
        if self.history.step is not to.version.history.step:
            return
        if self._version is not to.version:
            self.drop_model()
        self.consumers.back(to.marks)
        self.growing.grown = to.grown
        self.vocabulary.roll_back_to(to.known)
        self._version = self._version._replace(noted=to.version.noted)
        self._datatypes.roll_back_to(to.seen)

    def _cover(self, facts: Integers) -> None:
        """Extend the program by the rules that asserted facts require, and update the diagnostics."""
        before = self._version.noted
        noted = before.after(facts, self.vocabulary, self.foundation.common, self._known)
        if apart := self._datatypes.found(facts, self.vocabulary):
            noted = noted.with_numbers(apart)
        if noted is not before:
            self._version = self._version._replace(noted=noted)
        is_covered = len(self.vocabulary.symbols) <= self.growing.grown.covered
        if (not is_covered or self.vocabulary.ill_typed.has_members) and not self.growing.covers(facts):
            self.drop_model()  # one of the grown program is to be made
            self.growing.grow(facts)

    @contextmanager
    def whole(self, each_step: bool = False) -> Iterator[None]:
        """Roll back all steps inside the block if one raises. No terms are collected inside the block.

        Args:
            each_step: deliver the changes of each step instead of all changes at the end. In a nested block
                the value of the outer block applies.
        """
        self.forget_unused()
        history, forms = self.history.copy(), self.forms.copy()
        grown, size, seen = self.growing.grown, self.vocabulary.size, self._datatypes.mark
        marks, consumers = self.consumers.mark(), copy(self.consumers)
        memory = replace(self._version.memory, consumers=consumers)
        before = self._version._replace(
            history=history, forms=forms, memory=memory, model=None, complete=None
        )
        held = memory.of_consumers
        try:
            delivers_steps = before.delivers_steps if before.is_part else each_step
            self._version = self._version._replace(is_part=True, delivers_steps=delivers_steps)
            yield
            delivery = self._version.delivery if before.is_part else self._delivered_at_end(held)
            self._version = self._version._replace(
                is_part=before.is_part, delivers_steps=before.delivers_steps, delivery=delivery
            )
        except BaseException:
            self._version, self.consumers = before, consumers
            self.consumers.back(marks)
            self.growing.grown = grown
            self._datatypes.roll_back_to(seen)
            self.most_entries = (
                size  # updates of the block may still be read: terms are collected at the next step
            )
            raise

    def _delivered_at_end(self, held: int) -> DeliveryState:
        """Deliver the pending changes at the end of a block. `held` are the bytes of the consumers before the
        block.

        Raises:
            MemoryLimitError: the consumers exceed a limit then.
        """
        delivery, memory = self._deliver(self._version.delivery), self._version.memory
        if (exceeded := memory.exceeded_since(held, self.model, self.history.log)) is not None:
            raise memory.limits.error(exceeded, self.history.now, memory.of_consumers)
        return delivery

    def replace(self, history: GroundTruthT, forms: GivenForms, noted: InputDiagnostics) -> None:
        """Replace the history; its numbers are those of the present vocabulary."""
        version = self._version._replace(history=history, forms=forms, model=None, complete=None)
        self._version = version._replace(noted=noted)
        self._datatypes.replace_seen(noted.seen)

    def drop_model(self) -> None:
        """Drop the model, which is about to change or is unusable. It is rebuilt when it is needed."""
        self._version = self._version._replace(model=None, complete=None)

    # -- consumers ---------------------------------------------------------------------------------

    def attach(self, name: str, consumer: Consumer) -> None:
        """Add a consumer. It starts from the present model and receives the changes of all later steps.

        Raises:
            OptionError: the name is taken; or the consumer needs levels, which `keep="every"` does not have.
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
            OptionError: with `keep="every"` a fact has several levels.
        """
        if self._keep == "every":
            raise OptionError("keep", '"every"', _NEWEST)
        self._deliver_all()
        self.model.record_levels()

    def require_facts(self, symbols: Symbols) -> None:
        """Derive all facts of some predicates from now on, for a consumer that is about to read them.

        If further rules are needed, this costs a materialization, and rules that no consumer needs any more
        are dropped.

        Args:
            symbols: the predicates, None for all.

        Raises:
            MemoryLimitError: the larger model exceeds a limit; nothing has changed.
        """
        version = self._version
        if self.part.has_all_of(symbols):
            if version.needed is not None:
                self._version = version._replace(needed=concat_symbols(version.needed, symbols))
            return
        self._deliver_all()
        version, needed = self._version, concat_symbols(self.consumers.needed_symbols, symbols)
        model, history = self._build(version.history, self.growing.part_for(needed))
        limits, exceeded = version.memory.limits, version.memory.exceeded(model, history.log)
        if exceeded is not None and not limits.drops:
            raise limits.error(exceeded, history.now)
        self._version = version._replace(model=model, history=history, needed=needed, complete=None)

    @property
    def part(self) -> PartialProgram:
        """The rules in force."""
        return self.growing.part_for(self._version.needed)

    def saved_consumers(self) -> dict[str, Saved]:
        """Return for each consumer, by name, a function that returns the bytes for a checkpoint.

        Inside a block the pending changes are delivered first.
        """
        self._deliver_all()
        return self.consumers.saved()

    def _deliver_all(self) -> None:
        """Deliver the pending changes, so that the consumers reflect the present model."""
        marks = self.consumers.mark()
        try:
            self._version = self._version._replace(delivery=self._deliver(self._version.delivery))
        except BaseException:
            self.consumers.back(marks)
            raise

    def _deliver(self, delivery: DeliveryState, model: WindowModel | None = None) -> DeliveryState:
        """Deliver pending changes. `model` is the model after the step, by default the present one."""
        if not self.consumers:
            return NOTHING_PENDING
        return self.consumers.deliver(
            delivery, self.model if model is None else model
        )  # one without facts is false

    # -- looking -----------------------------------------------------------------------------------

    @property
    def noted(self) -> InputDiagnostics:
        """Diagnostics of the input."""
        return self._version.noted._replace(seen=self._datatypes.seen)

    @property
    def mistakes(self) -> tuple[int, int, int]:
        """Counts of three kinds of suspicious input: assertions that write axioms, unknown names, and
        properties with numbers that are not comparable.
        """
        noted = self._version.noted
        return noted.axioms, len(noted.unknown), len(noted.numbers)

    def unexpected(self) -> Unexpected:
        """Return the suspicious input so far."""
        return self.noted.for_users(self.vocabulary, self.foundation.common, self._known)

    @property
    def history(self) -> GroundTruthT:
        """The ground truth."""
        return self._version.history

    @property
    def forms(self) -> GivenForms:
        """Forms of the literals in the materialization."""
        return self._version.forms

    def state(self, symbols: Symbols = None) -> StateVersion[GroundTruthT]:
        """Return the present state, with a model that has all facts of these predicates.

        The result is the same object until the state changes. If rules are needed that are not in force, this
        costs a materialization, at most once in each step.

        Args:
            symbols: the predicates, None for all.
        """
        model = self.make_model()
        if self._version.complete is None and not self.part.has_all_of(symbols):
            self._version = self._version._replace(complete=self._complete_beside(model))
        return self._version

    def _complete_beside(self, kept: WindowModel) -> ModelView:
        """Build a second model, with all rules, in addition to the maintained one."""
        model, _ = self._build_from(self.history, self.growing.program)
        model.violations()
        model.take_changes()
        facts = model.facts()
        more = facts[~np.asarray(kept.kernel.store.present(contiguous(facts)), np.bool_)]
        inserted = np.column_stack([more, np.ones(len(more), np.int32)])
        forms = self.forms.change(inserted, Encoded(NO_FACTS, NO_FORMS)).inserted
        return ModelView(model, {**forms, **self.forms.facts})

    @property
    def is_part(self) -> bool:
        """True inside a `whole` block."""
        return self._version.is_part

    @property
    def facts(self) -> int | None:
        """Number of facts in the model; None if the model is lost. Costs O(1)."""
        model = self._version.model
        return None if model is None else len(model)

    @property
    def exceeded(self) -> Exceeded | None:
        """The limit that is exceeded; None if none is, or if the next step evicts the excess."""
        memory = self._version.memory
        return None if memory.limits.drops else memory.exceeded(self.model, self.history.log)

    @property
    def max_bytes(self) -> int | None:
        """The limit of bytes, None without a limit."""
        return self._version.memory.limits.max_bytes

    @property
    def consumer_bytes(self) -> int:
        """Bytes of temporal rules and registered queries, 0 if they do not count against a limit."""
        return self._version.memory.of_consumers

    # -- terms that are not used any more ----------------------------------------------------------

    def forget_unused(self) -> None:
        """Collect unused terms if there are many. Does nothing inside a block, whose rollback needs their
        numbers.

        After an exception the state is unchanged, but the model may have to be rebuilt.
        """
        vocabulary, version = self.vocabulary, self._version
        wanted = version.memory.unused or vocabulary.size > self.most_entries
        if vocabulary.size * 8 > self._entries_kept * 9:  # some of them may not be used any more
            wanted = wanted or version.memory.is_tight(version.model, version.history.log)
        if wanted and not version.is_part:
            self._forget_unused()

    def _forget_unused(self) -> None:
        vocabulary, version, model = self.vocabulary, self._version, self.model
        found = compact(vocabulary, self.foundation.common, self.history, self.forms, model, self.consumers)
        memory = replace(version.memory, unused=0)
        if found.forgets_nothing:
            self._version = self._version._replace(memory=memory)
        else:
            self._adopt(found, memory, model)
        self.most_entries, self._entries_kept = most_entries(vocabulary, found.stored), vocabulary.size

    def _adopt(self, found: Compact[GroundTruthT], memory: Memory, model: WindowModel) -> None:
        version = self._version
        before = self.vocabulary.tables, version._replace(model=None)
        marks = self.consumers.mark()
        self.drop_model()
        try:
            taken = StateVersion(
                found.history, found.forms, memory, needed=version.needed, noted=version.noted
            )
            self._replace_tables(found.tables, taken)
            self.consumers.renamed(found.renaming)
        except BaseException:
            self._replace_tables(*before)
            self.consumers.back(marks)
            raise
        model.rename(found.renaming)
        self._version = self._version._replace(model=model)

    def _replace_tables(self, tables: Tables, version: StateVersion[GroundTruthT]) -> None:
        self.growing.recheck_symbols()
        self.vocabulary.replace_tables(tables)
        self._version = version

    # -- the model from the history ------------------------------------------------------------------

    @property
    def model(self) -> WindowModel:
        """The model. Costs a materialization if an error lost it."""
        return self.make_model()

    def make_model(self) -> WindowModel:
        """Return the model. Costs a materialization if an error lost it."""
        known = self._version.model
        if known is not None and not known.is_broken:
            return known
        model, history = self._build(self.history)
        self._version = self._version._replace(model=model, history=history)
        return model

    def _build(
        self, history: GroundTruthT, part: PartialProgram | None = None
    ) -> tuple[WindowModel, GroundTruthT]:
        """Build the model of a history. Returns it, and the history with the undo record of its newest part.

        Args:
            part: the rules to use, None for the rules in force.
        """
        model, history = self._build_from(history, (part or self.part).program)
        model.violations()
        model.take_changes()
        model.record_levels(self.consumers.needs_levels)
        return model, history

    @abstractmethod
    def _build_from(self, history: GroundTruthT, program: Program) -> tuple[WindowModel, GroundTruthT]:
        """Build the model of a history with the rules of a program. Returns the values that `_build`
        returns.
        """

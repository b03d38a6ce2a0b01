"""What a reasoner holds: the books of its stream, the window model, the terms; changed whole or not at all.

The books hold what was asserted and cut: the ground truth, which the window model is derived from. A step
ends with storing one value, a `Standing`, that has all it changed. Whatever goes wrong before that, an
interrupt between any two steps of Python among it, the model is made again from the books.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.given_forms import GivenForms
from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, Integers
from pantarhei.encoding.tables import Tables
from pantarhei.engine.attempts import Attempts
from pantarhei.engine.books import Books, Counters
from pantarhei.engine.changes import Changes
from pantarhei.engine.compaction import compact, most_entries
from pantarhei.engine.consumer import NOTHING_TOLD, Consumer, Consumers, Marks, Told
from pantarhei.engine.memory import Memory
from pantarhei.engine.options import Options
from pantarhei.engine.stats import Stats
from pantarhei.engine.step_log import StepLog
from pantarhei.engine.tick import Outcome, Tick
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import OptionError
from pantarhei.interpretation.closed_abox import ClosedABox
from pantarhei.interpretation.foundation import Foundation
from pantarhei.language.time import TimePoint
from pantarhei.materialize.model import WindowModel
from pantarhei.rdf.blank_nodes import prefix_of_push
from pantarhei.repair.step import Repairer
from pantarhei.rules.compilation.growth import Grown
from pantarhei.window.sliding import Step, step_to


class Standing(NamedTuple):
    """How things stand after a step.

    Args:
        books: what was asserted and cut.
        forms: how literals of the materialization were written.
        memory: what counts against the limits.
        model: the window model of `books`; None where it is lost, or being changed.
        is_part: whether the step is part of a `whole`, so that terms of earlier books are needed still.
        told: what consumers have been told.
    """

    books: Books
    forms: GivenForms
    memory: Memory
    model: WindowModel | None = None
    is_part: bool = False
    told: Told = NOTHING_TOLD


class Holdings:
    """The state of a reasoner; not for several threads at once.

    Args:
        foundation: what all rests on; it belongs to the holdings, which go on numbering.
        options: what the reasoner was told.

    Raises:
        InconsistentOntologyError: the background violates a constraint.
        MemoryLimitError: the background alone exceeds the limits.
    """

    def __init__(self, foundation: Foundation, options: Options) -> None:
        self.foundation, self.options = foundation, options
        self._repairer = Repairer(options.repair, options.budget, foundation.vocabulary)
        self.growing, self.vocabulary = foundation.growing, foundation.vocabulary
        self.consumers = Consumers()
        memory = Memory(options.limits, self.vocabulary, self.consumers)
        self._standing = Standing(Books(), GivenForms(self.vocabulary), memory)
        written = self.forms.change(Changes.of_all(self.model, 1).noted, foundation.background)
        self._standing = self._standing._replace(forms=self.forms.after(written))
        self.most_entries = most_entries(self.vocabulary, len(self.model))
        self._entries_kept = self.vocabulary.size
        self._log = StepLog(options.limits)
        exceeded = memory.exceeded(self.model, self.books.log)
        if exceeded is not None:
            raise options.limits.error(exceeded, None)

    # -- steps -------------------------------------------------------------------------------------

    def pass_(self, at: TimePoint) -> WindowUpdate:
        """Time alone."""
        return self._step_to(at, lambda step, marks: self._transact(step, marks, lambda tick: tick.pass_(at)))

    def take_in(self, at: TimePoint, parts: Sequence[Callable[[str], ClosedABox]]) -> WindowUpdate:
        """An ABox, new or a further part of the newest.

        Args:
            at: its timestamp.
            parts: each encodes a part of it, told what the labels of its blank nodes are to begin with.
        """
        return self._step_to(at, lambda step, marks: self._take_in(step, marks, at, self._read(parts)))

    def _read(self, parts: Sequence[Callable[[str], ClosedABox]]) -> ClosedABox:
        number = self.books.messages + 1
        return ClosedABox.together([read(prefix_of_push(number, place)) for place, read in enumerate(parts)])

    def _step_to(self, at: TimePoint, work: Callable[[Step, Marks], WindowUpdate]) -> WindowUpdate:
        """What `work` comes to at the step to `at`; begun without terms that have long not been used.

        Broken off before it has stored how things stand then, it leaves no trace.
        """
        step = step_to(self.options.window, self.books.step, at)
        self.forget_unused(step)
        before, grown, known = self._standing, self.growing.grown, self.vocabulary.mark
        marks = self.consumers.mark()
        try:
            return work(step, marks)
        except BaseException:
            if self.books.step is before.books.step:
                self._take_back(before, grown, known, marks)
            raise

    def _take_back(self, before: Standing, grown: Grown, known: tuple[int, ...], marks: Marks) -> None:
        """Forget what a step has made that was broken off."""
        if self._standing is not before:
            self.lose_model()
        self.consumers.back(marks)
        self.growing.grown = grown
        self.vocabulary.back_to(known)

    def _take_in(self, step: Step, marks: Marks, at: TimePoint, given: ClosedABox) -> WindowUpdate:
        if not self.growing.covers(given.asserted.facts):
            self.lose_model()  # one of the grown program is to be made
            self.growing.grow(given.asserted.facts)
        newest, arriving = self.books.log.newest, given.asserted.facts
        if newest is not None and newest.ticks == step.now:
            return self._transact(step, marks, lambda tick: tick.extend(newest, given.asserted), arriving)
        return self._transact(step, marks, lambda tick: tick.take_in(at, given), arriving)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What is done inside is undone after an error. No term is forgotten meanwhile."""
        self.forget_unused()
        forms, grown, size = self.forms.copy(), self.growing.grown, self.vocabulary.size
        marks, consumers = self.consumers.mark(), copy(self.consumers)
        memory = replace(self._standing.memory, consumers=consumers)
        before = self._standing._replace(forms=forms, memory=memory, model=None)
        try:
            self._standing = self._standing._replace(is_part=True)
            yield
            told = self._standing.told if before.is_part else self._tell_consumers(self._standing.told)
            self._standing = self._standing._replace(is_part=before.is_part, told=told)
        except BaseException:
            self._standing, self.consumers = before, consumers
            self.consumers.back(marks)
            self.growing.grown = grown
            self.most_entries = size  # its updates may be looked at: terms are forgotten at the next step
            raise

    def replace(self, books: Books, forms: GivenForms) -> None:
        """Hold these books from now on, in the numbers of the present vocabulary."""
        self._standing = self._standing._replace(books=books, forms=forms, model=None)

    def lose_model(self) -> None:
        """Let the model be made again, where it is to be changed or is of no use."""
        self._standing = self._standing._replace(model=None)

    def note_late(self) -> None:
        """Count an ABox that came too late."""
        books = replace(self.books, counters=self.books.counters.plus(Counters(late=1)))
        self._standing = self._standing._replace(books=books)

    # -- those who are told of each step -----------------------------------------------------------

    def attach(self, name: str, consumer: Consumer) -> None:
        """Tell `consumer` of each step from now on. It begins with what the model holds.

        Raises:
            OptionError: there is one of that name; or it asks for levels, and facts have no one level.
        """
        if consumer.wants_levels and self.options.keep == "every":
            expected = '"newest" where a consumer asks for levels: with "every" a fact has no one level'
            raise OptionError("keep", '"every"', expected)
        self._tell_all()
        self.model.note_levels(self.consumers.wants_levels or consumer.wants_levels)
        self.consumers.attach(name, consumer, self.model)
        self._standing = self._standing._replace(told=self._standing.told.without(name))

    def saved_consumers(self) -> dict[str, bytes]:
        """What a checkpoint keeps of each consumer, by name.

        Inside a `whole` they are told first what waits.
        """
        self._tell_all()
        return self.consumers.saved()

    def _tell_all(self) -> None:
        """Tell consumers what waits, so that they stand where the model does."""
        marks = self.consumers.mark()
        try:
            self._standing = self._standing._replace(told=self._tell_consumers(self._standing.told))
        except BaseException:
            self.consumers.back(marks)
            raise

    def _tell_consumers(self, told: Told, model: WindowModel | None = None) -> Told:
        """Tell what waits, where there are consumers; `model` is that of the step, by default the present."""
        if not self.consumers:
            return NOTHING_TOLD
        return self.consumers.tell(told, self.model if model is None else model)  # one without facts is false

    # -- looking -----------------------------------------------------------------------------------

    @property
    def books(self) -> Books:
        """What was asserted and cut."""
        return self._standing.books

    @property
    def forms(self) -> GivenForms:
        """How literals of the materialization were written."""
        return self._standing.forms

    @property
    def state(self) -> Standing:
        """How things stand, with the model: another value whenever anything has changed."""
        self.make_model()
        return self._standing

    @property
    def facts(self) -> int | None:
        """How many facts the materialization has; None where the model is lost. Costs O(1)."""
        model = self._standing.model
        return None if model is None else len(model)

    def stats(self) -> Stats:
        """What is held, and what was done."""
        self.forget_unused()
        model, log, terms = self.model, self.books.log, self.vocabulary
        stored = len(model), log.assertions, len(log.timeline)
        size = model.bytes_used, log.bytes, vocabulary_bytes(terms), self.consumers.bytes_used
        return Stats(*stored, *terms.counts, *size, *model.work, *self.books.counters)

    def computed_literals(self) -> Integers:
        """The literals in the materialization that need not be in the books: what rules have computed."""
        if not self.growing.program.builtins:
            return np.empty(0, np.int32)
        objects = self.model.facts()[:, 2]
        return objects[objects >= FIRST_LITERAL]

    # -- terms that are not used any more ----------------------------------------------------------

    def forget_unused(self, step: Step | None = None) -> None:
        """Make the state compact if much is not used; not where one of old numbers may come back: inside a
        `whole`, and with consumers while a further part of the newest timestamp may come.

        Args:
            step: the step that is about to be made, if one is.

        After an error it is as it was; the model may have to be made again.
        """
        vocabulary, standing = self.vocabulary, self._standing
        wanted = standing.memory.unused or vocabulary.size > self.most_entries
        if vocabulary.size * 8 > self._entries_kept * 9:  # some of them may not be used any more
            wanted = wanted or standing.memory.is_tight(standing.model, standing.books.log)
        if standing.is_part or not wanted or (self.consumers and self._may_continue(step)):
            return
        model, before = self.model, (vocabulary.tables, self._standing._replace(model=None))
        found = compact(vocabulary, self.foundation.common, self.books, self.forms, model, self.consumers)
        marks = self.consumers.mark()
        self.lose_model()
        try:
            memory = replace(standing.memory, unused=0)
            self._take_over(found.tables, Standing(found.books, found.forms, memory))
            self.consumers.renamed(found.renaming)
        except BaseException:
            self._take_over(*before)
            self.consumers.back(marks)
            raise
        model.rename(found.renaming)
        self._standing = self._standing._replace(model=model)
        self.most_entries, self._entries_kept = most_entries(vocabulary, found.stored), vocabulary.size

    def _may_continue(self, step: Step | None) -> bool:
        """Whether a further part of the newest timestamp is coming or may come."""
        newest = self.books.log.newest
        return newest is not None and (step is None or step.now == newest.ticks)

    def _take_over(self, tables: Tables, standing: Standing) -> None:
        self.growing.look_again()
        self.vocabulary.go_on_with(tables)
        self._standing = standing

    # -- one step ----------------------------------------------------------------------------------

    def _transact(
        self, step: Step, marks: Marks, stages: Callable[[Tick], Outcome], arriving: Integers = NO_FACTS
    ) -> WindowUpdate:
        """A tick's `stages` done to the model and written into the books, or nothing.

        The model counts as lost until all has gone well; who needs it then makes it again from the books.
        `arriving` are the facts of the ABox that it takes in.
        """
        tick = self._tick(step, marks)
        self.lose_model()
        if not self.options.limits:
            return self._put_in_place(tick.model, stages(tick))
        common = self.foundation.common
        return self._put_in_place(*Attempts(tick, stages, arriving, common, self._made_from).outcome())

    def _put_in_place(self, model: WindowModel, done: Outcome) -> WindowUpdate:
        """Store what a tick came to: the one moment from which on it is done.

        An error before, in logging as well, leaves all as it was.
        """
        is_part, told = self._standing.is_part, done.told
        if not is_part:
            told = self._tell_consumers(told, model)
        self._log.write(done)
        forms, kept = self.forms.after(done.forms), None if done.needs_rebuild else model
        self._standing = Standing(done.books, forms, done.memory, kept, is_part, told)
        return done.update

    def _tick(self, step: Step, marks: Marks) -> Tick:
        model = self.model
        model.note_levels(self.consumers.wants_levels)
        return Tick(
            model,
            self.books,
            self.forms,
            self.growing.program.rules,
            self._repairer,
            step,
            self.options.window,
            self._standing.memory,
            self.consumers,
            self._standing.told,
            marks,
        )

    # -- the model from the books ------------------------------------------------------------------

    @property
    def model(self) -> WindowModel:
        """The window model; made again where an error lost it, which costs a materialization."""
        return self.make_model()

    def make_model(self) -> WindowModel:
        """The window model. Costs a materialization of the window where an error lost it."""
        known = self._standing.model
        if known is not None and not known.is_broken:
            return known
        model, books = self._made_from(self.books)
        self._standing = self._standing._replace(model=model, books=books)
        return model

    def _made_from(self, books: Books) -> tuple[WindowModel, Books]:
        """The model of `books`, and the books with what undoing the newest ABox takes in that model."""
        newest, arrival = books.log.newest, books.arrival
        older = books.log if newest is None else books.log.without_newest()
        entries = list(older.kept())[::-1]
        first = entries[0][0].level if entries else newest.level if newest else books.log.timeline.next_level
        model = self.foundation.model(self.options.keep, first)
        model.fill([(facts, entry.level) for entry, facts in entries])
        if newest is not None and arrival is not None:
            previous = model.add(newest.facts, newest.level)
            if len(newest.cut):
                model.cut(newest.cut)
            books = replace(books, arrival=arrival._replace(facts=newest.facts, previous=previous))
        model.violations()
        model.take_changes()
        model.note_levels(self.consumers.wants_levels)
        return model, books

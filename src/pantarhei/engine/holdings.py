"""What a reasoner holds: the books of its stream, the window model, the terms; changed whole or not at all.

The books hold what was asserted and cut: the ground truth, which the window model is derived from. A step
ends with storing one value, a `Standing`, that has all it changed. Whatever goes wrong before that, an
interrupt between any two steps of Python among it, the model is made again from the books.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.given_forms import GivenForms
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers
from pantarhei.encoding.renaming import UsedTerms
from pantarhei.encoding.tables import Tables
from pantarhei.engine.books import Books, Counters
from pantarhei.engine.changes import Changes
from pantarhei.engine.compaction import compact, most_entries
from pantarhei.engine.consumer import NOTHING_TOLD, Consumer, Consumers, Marks, Told
from pantarhei.engine.options import Options
from pantarhei.engine.stats import Stats
from pantarhei.engine.tick import Outcome, Tick
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import OptionError
from pantarhei.interpretation.closed_abox import ClosedABox
from pantarhei.interpretation.foundation import Foundation
from pantarhei.language.time import TimePoint, show_time, time_of
from pantarhei.materialize.level_changes import LevelChanges
from pantarhei.materialize.model import Overfull, WindowModel
from pantarhei.rdf.blank_nodes import prefix_of_push
from pantarhei.repair.step import Repairer
from pantarhei.rules.compilation.growth import Grown
from pantarhei.window.limits import later_starts
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, step_to

_limits_log = logging.getLogger("pantarhei.limits")
_repair_log = logging.getLogger("pantarhei.repair")
_NO_FACTS = np.empty((0, 3), np.int32)


class Standing(NamedTuple):
    """How things stand after a step.

    Args:
        books: what was asserted and cut.
        forms: how literals of the materialization were written.
        model: the window model of `books`; None where it is lost, or being changed.
        unused: how many bytes of the terms are known to be those of terms in no use.
        is_part: whether the step is part of a `whole`, so that terms of earlier books are needed still.
        told: what consumers have been told.
    """

    books: Books
    forms: GivenForms
    model: WindowModel | None = None
    unused: int = 0
    is_part: bool = False
    told: Told = NOTHING_TOLD


class _Start(NamedTuple):
    """What a step starts from, beside how things stand.

    Args:
        step: where time comes to.
        marks: how consumers stood.
    """

    step: Step
    marks: Marks


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
        self.foundation, self.options, self.limits = foundation, options, options.limits
        self._repairer = Repairer(options.repair, options.budget, foundation.vocabulary)
        self.growing, self.vocabulary = foundation.growing, foundation.vocabulary
        self.consumers = Consumers()
        self._standing = Standing(Books(), GivenForms(self.vocabulary))
        facts = self.model.facts()
        written = self.forms.change(_signed(facts, 1), foundation.background)
        self._standing = self._standing._replace(forms=self.forms.after(written))
        self.most_entries = most_entries(self.vocabulary, len(facts))
        self._entries_kept = self.vocabulary.size
        self._dropped_told = 0
        exceeded = self.limits.exceeded(len(facts), self._bytes())
        if exceeded is not None:
            raise self.limits.error(exceeded, None)

    # -- steps -------------------------------------------------------------------------------------

    def pass_(self, at: TimePoint) -> WindowUpdate:
        """Time alone."""
        return self._step_to(at, lambda start: self._transact(start, lambda tick: tick.pass_(at)))

    def take_in(self, at: TimePoint, parts: Sequence[Callable[[str], ClosedABox]]) -> WindowUpdate:
        """An ABox, new or a further part of the newest.

        Args:
            at: its timestamp.
            parts: each encodes a part of it, told what the labels of its blank nodes are to begin with.
        """
        return self._step_to(at, lambda start: self._take_in(start, at, self._read(parts)))

    def _read(self, parts: Sequence[Callable[[str], ClosedABox]]) -> ClosedABox:
        number = self.books.messages + 1
        return ClosedABox.together([read(prefix_of_push(number, place)) for place, read in enumerate(parts)])

    def _step_to(self, at: TimePoint, work: Callable[[_Start], WindowUpdate]) -> WindowUpdate:
        """What `work` comes to at the step to `at`; begun without terms that have long not been used.

        Broken off before it has stored how things stand then, it leaves no trace.
        """
        step = step_to(self.options.window, self.books.step, at)
        self.forget_unused(step)
        before, grown, known = self._standing, self.growing.grown, self.vocabulary.mark
        marks = self.consumers.mark()
        try:
            return work(_Start(step, marks))
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

    def _take_in(self, start: _Start, at: TimePoint, given: ClosedABox) -> WindowUpdate:
        if not self.growing.covers(given.asserted.facts):
            self.lose_model()  # one of the grown program is to be made
            self.growing.grow(given.asserted.facts)
        newest, arriving = self.books.log.newest, given.asserted.facts
        if newest is not None and newest.ticks == start.step.now:
            return self._transact(start, lambda tick: tick.extend(newest, given.asserted), arriving)
        return self._transact(start, lambda tick: tick.take_in(at, given), arriving)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What is done inside is undone after an error. No term is forgotten meanwhile."""
        self.forget_unused()
        forms, grown, size = self.forms.copy(), self.growing.grown, self.vocabulary.size
        before, marks = self._standing._replace(forms=forms, model=None), self.consumers.mark()
        consumers = copy(self.consumers)
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

    def make_model(self) -> None:
        """Make the model now if it is lost. Costs a materialization of the window then."""
        if self._standing.model is None:
            model, books = self._made_from(self.books)
            self._standing = self._standing._replace(model=model, books=books)

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
    def facts(self) -> int | None:
        """How many facts the materialization has; None where the model is lost. Costs O(1)."""
        model = self._standing.model
        return None if model is None else len(model)

    def stats(self) -> Stats:
        """What is held, and what was done."""
        self.forget_unused()
        model, vocabulary = self.model, self.vocabulary
        size = model.bytes_used, vocabulary_bytes(vocabulary), self.consumers.bytes_used
        return Stats.of(len(model), self.books.log, vocabulary.counts, size, model.work, self.books.counters)

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
        wanted = standing.unused or vocabulary.size > self.most_entries or self._is_tight()
        if standing.is_part or not wanted or (self.consumers and self._may_continue(step)):
            return
        model, before = self.model, (vocabulary.tables, self._standing._replace(model=None))
        found = compact(vocabulary, self.foundation.common, self.books, self.forms, model, self.consumers)
        marks = self.consumers.mark()
        self.lose_model()
        try:
            self._take_over(found.tables, Standing(found.books, found.forms))
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

    def _is_tight(self) -> bool:
        """Whether bytes are nearly too many, and terms may have come that are not used any more."""
        most = self.limits.max_bytes
        if most is None or self.vocabulary.size * 8 <= self._entries_kept * 9:
            return False
        books, _, model, unused, *_ = self._standing
        kernel = 0 if model is None else model.bytes_used
        return 4 * (kernel + self._bytes_beside(books.log, unused)) > 3 * most

    def _take_over(self, tables: Tables, standing: Standing) -> None:
        self.growing.look_again()
        self.vocabulary.take(tables)
        self._standing = standing

    # -- one step ----------------------------------------------------------------------------------

    def _transact(
        self, start: _Start, stages: Callable[[Tick], Outcome], arriving: Integers = _NO_FACTS
    ) -> WindowUpdate:
        """A tick's `stages` done to the model and written into the books, or nothing.

        The model counts as lost until all has gone well; who needs it then makes it again from the books.
        Where it came to too much on the way, and timestamps may leave early, it is seen first whether the
        ABox, whose facts are `arriving`, is too much alone; then attempts are made from later starts.
        """
        try:
            model = self.model
            self.lose_model()
            return self._put_in_place(model, self._done(self._tick(model, self.books, start), stages))
        except Overfull as error:
            full = error.facts, error.bytes
        step = start.step
        starts = self._later_starts(step) if self.limits.drops else []
        try:
            if starts:
                return self._begun_later(start, stages, starts, arriving)
        except Overfull as error:
            full = error.facts, error.bytes
        raise self.limits.error(self.limits.exceeded_by(*full), time_of(step.now, step.kind))

    def _begun_later(
        self, start: _Start, stages: Callable[[Tick], Outcome], starts: list[int], arriving: Integers
    ) -> WindowUpdate:
        """A tick's `stages` done from the first of `starts` from which they come through.

        Costs a materialization of the window, and of what is left of it for each start. From the last it is
        tried first: where that is too much all others are.

        Raises:
            Overfull, MemoryLimitError: the ABox is too much even without anything older.
        """
        before = self._all_of(self.model, -1)
        self.lose_model()

        def attempt(level: int) -> tuple[WindowModel, Outcome]:
            tick = self._tick_from(level, start, before)
            return tick.model, self._done(tick, stages, self._unused_beside(tick.model, arriving))

        if len(starts) == 1:
            return self._put_in_place(*attempt(starts[0]))
        attempt(starts[-1])  # not kept: two models at once may be too much
        for level in starts[:-1]:
            with suppress(Overfull):
                return self._put_in_place(*attempt(level))
        return self._put_in_place(*attempt(starts[-1]))

    def _put_in_place(self, model: WindowModel, done: Outcome) -> WindowUpdate:
        """Store what a tick came to: the one moment from which on it is done.

        An error before, in logging as well, leaves all as it was.
        """
        self._tell(done)
        is_part, told = self._standing.is_part, done.told
        if not is_part:
            told = self._tell_consumers(told, model)
        forms, kept = self.forms.after(done.forms), None if done.roomy else model
        self._standing = Standing(done.books, forms, kept, done.unused, is_part, told)
        return done.update

    def _tick(self, model: WindowModel, books: Books, start: _Start) -> Tick:
        model.note_levels(self.consumers.wants_levels)
        return Tick(
            model,
            books,
            self.forms,
            self.growing.program.rules,
            self._repairer,
            start.step,
            self.options.window,
            self.consumers,
            self._standing.told,
            start.marks,
            self.limits,
            unused=self._unused,
        )

    def _tick_from(self, level: int, start: _Start, before: Changes) -> Tick:
        """A tick with nothing below `level`, in a model of its own.

        What it changes begins with `before`, by which all that was in the window went.
        """
        model, books = self._made_from(replace(self.books, log=self.books.log.from_level(level)))
        tick = self._tick(model, replace(books, log=self.books.log), start)
        return replace(tick, start=level, before=Changes.together([before, self._all_of(model, 1)]))

    def _all_of(self, model: WindowModel, sign: int) -> Changes:
        """The changes by which all facts of a model came (1), or went (-1)."""
        model.note_levels(self.consumers.wants_levels)
        facts, levels = model.facts(), None
        if model.notes_levels:
            nowhere, known = np.full(len(facts), NONE, np.int64), model.levels(facts)
            levels = LevelChanges(facts, *((nowhere, known) if sign > 0 else (known, nowhere)))
        return Changes(_signed(facts, sign), levels=levels)

    def _unused_beside(self, model: WindowModel, arriving: Integers) -> int:
        """How many bytes of the terms are those of terms that neither a model uses nor what arrives, roughly.

        Costs a pass over the facts.
        """
        used = UsedTerms(*self.vocabulary.counts)
        used.add_first(*self.foundation.common)
        model.mark_terms(used)
        used.add(arriving)
        return int(vocabulary_bytes(self.vocabulary) * (1 - used.share))

    def _done(self, tick: Tick, stages: Callable[[Tick], Outcome], unused: int | None = None) -> Outcome:
        """What a tick's `stages` come to, within the limits; `unused` is as far as is known, if not given."""
        limits = self.limits
        if not limits:
            return stages(tick)
        bytes_left = self._bytes_left(tick, self._unused if unused is None else unused)
        with tick.model.limited(limits.most_facts_on_the_way, bytes_left):
            done = stages(tick)
        if done.doubtful:
            self._check_anew(done)
        return done

    def _check_anew(self, done: Outcome) -> None:
        """Make what a tick came to anew, with the terms in use alone, to see whether it is within the limits.

        Raises:
            MemoryLimitError: it is not.
        """
        model, books = self._made_from(done.books)
        forms, vocabulary = self.forms.copy().after(done.forms), copy(self.vocabulary)
        common = self.foundation.common
        vocabulary.take(compact(vocabulary, common, books, forms, model, self.consumers).tables)
        needed = model.bytes_used + books.log.bytes + vocabulary_bytes(vocabulary)
        needed += self.consumers.bytes_used
        exceeded = self.limits.exceeded(len(model), needed)
        if exceeded is not None:
            raise self.limits.error(exceeded, done.update.at)

    # -- limits ------------------------------------------------------------------------------------

    @property
    def _unused(self) -> int:
        """How many bytes of the terms are known to be those of terms in no use."""
        return self._standing.unused

    def _bytes(self) -> int:
        """What is held against `max_bytes`; 0 if there is no such limit."""
        if self.limits.max_bytes is None:
            return 0
        return self.model.bytes_used + self._bytes_beside(self.books.log, self._unused)

    def _bytes_beside(self, log: Log, unused: int) -> int:
        """The bytes of books, consumers and terms, without those of terms that are known to be in no use."""
        terms = max(0, vocabulary_bytes(self.vocabulary) - unused)
        return log.bytes + terms + self.consumers.bytes_used

    def _bytes_left(self, tick: Tick, unused: int) -> int | None:
        """The bytes that the kernel's arrays may grow to; None for any number."""
        most, log = self.limits.max_bytes, tick.books.log.from_level(tick.start)
        return None if most is None else max(0, most - self._bytes_beside(log, unused))

    def _later_starts(self, step: Step) -> list[int]:
        """The levels to begin at, one after the other, where a tick has no room beside what is older."""
        log, newest = self.books.log, self.books.log.newest
        further = newest is not None and newest.ticks == step.now
        end = newest.level if further and newest is not None else self.books.log.timeline.next_level
        return list(later_starts([entry for entry in log if step.first <= entry.ticks < step.now], end))

    def _tell(self, done: Outcome) -> None:
        """Log what a tick did, now that nothing else keeps it from being done."""
        repair, remembered = done.update.repair, done.books.repairs
        if remembered and remembered[-1][1] is repair:
            _repair_log.info("%s", repair)
        self._tell_of_dropped(done)

    def _tell_of_dropped(self, done: Outcome) -> None:
        """Warn of timestamps that leave early: at the first, and whenever they have doubled since."""
        dropped, early = done.books.counters.dropped_early, done.update.dropped_early
        if not early:
            return
        level = logging.WARNING if dropped >= 2 * self._dropped_told else logging.DEBUG
        names = ", ".join(
            f"{name}={getattr(self.limits, name)}"
            for name in ("max_facts", "max_bytes")
            if getattr(self.limits, name) is not None
        )
        _limits_log.log(
            level,
            "at %s, %d of the window's timestamps (%s) left early, to keep %s; %d so far",
            show_time(done.update.at),
            len(early),
            " to ".join(dict.fromkeys(map(show_time, (early[0], early[-1])))),
            names,
            dropped,
        )
        if level == logging.WARNING:
            self._dropped_told = dropped

    # -- the model from the books ------------------------------------------------------------------

    @property
    def model(self) -> WindowModel:
        """The window model; made again where an error lost it, which costs a materialization."""
        self.make_model()
        model = self._standing.model
        assert model is not None, "it was just made"
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
        return model, books


def _signed(facts: Integers, sign: int) -> Integers:
    """Facts as changes of one sign."""
    return np.column_stack([facts, np.full(len(facts), sign, np.int32)])

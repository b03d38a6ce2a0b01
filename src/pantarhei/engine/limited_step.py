"""One step within limits: from the whole window, or from a later start where that is too much on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace

from pantarhei.encoding.numbers import Integers, UsedTerms
from pantarhei.engine.consumer import Changes, Crowded, Told
from pantarhei.engine.memory import compact
from pantarhei.engine.step_transaction import Outcome, Tick
from pantarhei.engine.stream_history import Books, Counters
from pantarhei.errors import MemoryLimitError
from pantarhei.interpretation.foundation import Common
from pantarhei.materialize.model import Overfull, WindowModel
from pantarhei.model.time import time_of
from pantarhei.window.retention import later_starts


@dataclass(frozen=True, slots=True)
class Attempts:
    """What a step comes to, done to the model of the window or to one made for it.

    Args:
        tick: what it starts from, with all of the window.
        stages: what it does.
        arriving: the facts of the ABox that it takes in.
        common: how many terms are always in use.
        model_of: makes the model of books, and says in them how to undo its newest ABox.
        tell: tells consumers what is to be told, given the model; says what they have been told then.
    """

    tick: Tick
    stages: Callable[[Tick], Outcome]
    arriving: Integers
    common: Common
    model_of: Callable[[Books], tuple[WindowModel, Books]]
    tell: Callable[[Told, WindowModel], Told]

    def outcome(self) -> tuple[WindowModel, Outcome]:
        """What the step came to, and the model that it was done to.

        Consumers may hold less once they were told of it than they do now: where that decides, it is seen.

        Raises:
            MemoryLimitError: it is too much in any case.
        """
        try:
            return self._counted()
        except MemoryLimitError:
            if not self.tick.memory.of_consumers:
                raise
        tick = self.tick
        tick.consumers.back(tick.marks)
        model, books = self.model_of(tick.books)
        memory = replace(tick.memory, counts_consumers=False)
        return replace(self, tick=replace(tick, model=model, books=books, memory=memory))._counted()

    def _counted(self) -> tuple[WindowModel, Outcome]:
        """The same, with what consumers hold now counted or not.

        Where the whole window came to too much on the way, it is tried without the history and its terms.
        Where timestamps may leave early, it is seen first whether the ABox is too much alone; then attempts
        are made from later starts.

        Raises:
            MemoryLimitError: it is too much in any case.
        """
        limits, step = self.tick.memory.limits, self.tick.step
        try:
            return self._within(self.tick, self.tick.memory.left_for_model(self.tick.books.log))
        except Overfull as error:
            full = error
        try:
            if starts := self._starts(full):
                return self._begun_later(starts)
        except Overfull as error:
            full = error
        beside = full.beside if isinstance(full, Crowded) else 0
        exceeded = limits.exceeded_by(full.facts, full.bytes)
        raise limits.error(exceeded, time_of(step.now, step.kind), beside)

    def _starts(self, full: Overfull) -> Sequence[int]:
        """The levels to begin at after so much was too much, the window's own among them
        where the history takes some of the bytes.
        """
        limits, books = self.tick.memory.limits, self.tick.books
        later = self._later_starts() if limits.drops else []
        if books.past and limits.exceeded(full.facts, 0) is None:
            return [books.log.timeline.first_level, *later]
        return later

    def _later_starts(self) -> Sequence[int]:
        """The levels to begin at, one after the other, where there is no room beside what is older."""
        step, log, newest = self.tick.step, self.tick.books.log, self.tick.books.log.newest
        continues = newest is not None and newest.ticks == step.now
        end = newest.level if newest is not None and continues else log.timeline.next_level
        return list(later_starts([entry for entry in log if step.first <= entry.ticks < step.now], end))

    def _begun_later(self, starts: Sequence[int]) -> tuple[WindowModel, Outcome]:
        """The step done from the first of `starts` from which it comes through.

        Costs a materialization of the window, and of what is left of it for each start. From the last it is
        tried first: where that is too much all others are.

        Raises:
            Overfull, MemoryLimitError: the ABox is too much even without anything older.
        """
        whole, _ = self.model_of(self.tick.books)
        before = Changes.of_all(whole, -1)
        del whole
        if len(starts) > 1:
            self._from(starts[-1], before)  # not kept: two models at once may be too much
            for level in starts[:-1]:
                with suppress(Overfull):
                    return self._from(level, before)
        return self._from(starts[-1], before)

    def _from(self, level: int, before: Changes) -> tuple[WindowModel, Outcome]:
        """The step done with nothing below `level`, in a model of its own.

        The history gives way first. What it changes begins with `before`, by which all that was in the window
        went. Consumers may have been told of moments on the way by an attempt that was given up.
        """
        tick, log = self.tick, self.tick.books.log.from_level(level)
        tick.consumers.back(tick.marks)
        model, books = self.model_of(replace(tick.books, log=log))
        before = Changes.together([before, Changes.of_all(model, 1)])
        past = tick.books.past.within(0)
        forgotten = Counters(forgotten_early=past.fewer_than(tick.books.past))
        books = replace(books, log=tick.books.log, past=past, counters=books.counters.plus(forgotten))
        tick = replace(tick, model=model, books=books, start=level, before=before)
        used = UsedTerms(*tick.memory.vocabulary.counts)
        used.add_first(*self.common)
        model.mark_terms(used)
        used.add(self.arriving)
        return self._within(tick, tick.memory.counting(used).left_for_model(log))

    def _within(self, tick: Tick, bytes_left: int | None) -> tuple[WindowModel, Outcome]:
        """What a tick comes to whose model may grow to so many bytes, once consumers know of it.

        Raises:
            Overfull: it is too much, with what consumers hold then.
        """
        before = tick.memory.of_consumers
        with tick.model.limited(tick.memory.limits.most_facts_on_the_way, bytes_left):
            done = self.stages(tick)
        if done.needs_recheck:
            self._check_anew(done)
        done = done._replace(
            told=self.tell(done.told, tick.model), memory=replace(done.memory, counts_consumers=True)
        )
        spare = tick.model.spare_bytes if done.needs_rebuild else 0
        exceeded = done.memory.exceeded_since(before, tick.model, done.books.log, spare)
        if exceeded is not None:
            raise Crowded(exceeded[2], done.memory.of_consumers)
        return tick.model, _with_room(tick.model, done) if done.memory.of_consumers > before else done

    def _check_anew(self, done: Outcome) -> None:
        """Make what a tick came to anew, with the terms in use alone, to see whether it is within the limits.

        Raises:
            MemoryLimitError: it is not.
        """
        tick = self.tick
        model, books = self.model_of(done.books)
        forms, vocabulary = tick.forms.copy().after(done.forms), copy(tick.memory.vocabulary)
        vocabulary.go_on_with(compact(vocabulary, self.common, books, forms, model, tick.consumers).tables)
        exceeded = replace(tick.memory, vocabulary=vocabulary, unused=0).exceeded(model, books.log)
        if exceeded is not None:
            raise tick.memory.limits.error(exceeded, done.update.at, tick.memory.of_consumers)


def _with_room(model: WindowModel, done: Outcome) -> Outcome:
    """The outcome where the history takes no more room than consumers leave it."""
    books, room = done.books, done.memory.left_for_history(model, done.books.log)
    if room is None:
        return done
    past = books.past.within(room)
    forgotten = Counters(forgotten_early=past.fewer_than(books.past))
    return done._replace(books=replace(books, past=past, counters=books.counters.plus(forgotten)))

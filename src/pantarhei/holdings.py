"""What a reasoner holds: the books of its stream, the window model, the terms; changed whole or not at all.

The books hold what was asserted and cut: the ground truth, which the window model is derived from. A step
replaces them last of all and at once; whatever goes wrong before, the model is made again from the books.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np

from pantarhei.books import Books
from pantarhei.compaction import compact, most_entries
from pantarhei.foundation import Foundation
from pantarhei.interpretation import Closed
from pantarhei.language.time import TimePoint, show_time, time_of
from pantarhei.materialize.footprint import vocabulary_bytes
from pantarhei.materialize.forms import GivenForms
from pantarhei.materialize.model import Keep, Overfull, WindowModel
from pantarhei.materialize.vocabulary import Tables
from pantarhei.repair.step import Repairer
from pantarhei.rules.program import FIRST_LITERAL, Integers
from pantarhei.stats import Stats
from pantarhei.tick import Outcome, Tick, WindowUpdate
from pantarhei.window.limits import Limits, later_starts
from pantarhei.window.sliding import Step, Window, step_to

_log = logging.getLogger("pantarhei.limits")


class Holdings:
    """The state of a reasoner; not for several threads at once.

    Args:
        foundation: what all rests on; it belongs to the holdings, which go on numbering.
        keep: as `StreamReasoner` takes it.
        repairer: how to repair; made for the foundation's vocabulary.
        limits: how much there may be.

    Raises:
        InconsistentOntologyError: the background violates a constraint.
        MemoryLimitError: the background alone exceeds the limits.
    """

    def __init__(self, foundation: Foundation, keep: Keep, repairer: Repairer, limits: Limits) -> None:
        self.foundation, self.keep, self.repairer, self.limits = foundation, keep, repairer, limits
        self.growing, self.vocabulary = foundation.growing, foundation.vocabulary
        self.books = Books()
        self.forms = GivenForms(self.vocabulary)
        self._derived: WindowModel | None = None
        facts = self.model.facts()
        came = np.column_stack([facts, np.ones(len(facts), np.int32)])
        self.forms.apply(self.forms.change(came, foundation.background))
        self._wholes = 0  # how many `whole` are under way
        self.most_entries = most_entries(self.vocabulary, len(facts))
        self._entries_kept = self.vocabulary.size
        self._unused = 0  # bytes of terms that are known to be in no use
        self._dropped_told = 0
        exceeded = limits.exceeded(len(facts), self._bytes())
        if exceeded is not None:
            raise limits.error(exceeded, None)

    # -- steps -------------------------------------------------------------------------------------

    def step_to(self, window: Window, at: TimePoint) -> Step:
        """The step to `at`, from a state without terms that have long not been used."""
        step = step_to(window, self.books.step, at)
        self.forget_unused()
        return step

    def pass_(self, step: Step, at: TimePoint) -> WindowUpdate:
        """Time alone."""
        return self._transact(step, lambda tick: tick.pass_(at))

    def take_in(self, step: Step, at: TimePoint, given: Closed) -> WindowUpdate:
        """An ABox, new or a further part of the newest."""
        if not self.growing.covers(given.asserted.facts):
            self._derived = None  # a model of the grown program is to be made
            self.growing.grow(given.asserted.facts)
        newest = self.books.log.newest
        if newest is not None and newest.ticks == step.now:
            return self._transact(step, lambda tick: tick.extend(newest, given.asserted))
        return self._transact(step, lambda tick: tick.take_in(at, given))

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What is done inside is undone after an error. No term is forgotten meanwhile."""
        self.forget_unused()
        books, forms = self.books, self.forms.copy()
        outer = self._wholes
        try:
            self._wholes = outer + 1
            yield
        except BaseException:
            self.replace(books, forms)
            self._unused = 0
            raise
        finally:
            self._wholes = outer

    def replace(self, books: Books, forms: GivenForms) -> None:
        """Hold these books from now on, in the numbers of the present vocabulary."""
        self.books, self.forms = books, forms
        self._derived = None

    def make_model(self) -> None:
        """Make the model now if it is lost. Costs a materialization of the window then."""
        if self._derived is None:
            self._derived, self.books = self._made_from(self.books)

    def note_late(self) -> None:
        """Count an ABox that came too late."""
        self.books = replace(self.books, counters=self.books.counters.more(late=1))

    # -- looking -----------------------------------------------------------------------------------

    def stats(self) -> Stats:
        """What is held, and what was done."""
        if self._unused:
            self.forget_unused()
        model, vocabulary = self.model, self.vocabulary
        terms = len(vocabulary.symbols), len(vocabulary.names), len(vocabulary.literals)
        size = model.bytes_used, vocabulary_bytes(vocabulary)
        return Stats.of(len(model), self.books.log, terms, size, model.work, self.books.counters)

    def computed_literals(self) -> Integers:
        """The literals in the materialization that need not be in the books: what rules have computed."""
        if not self.growing.program.builtins:
            return np.empty(0, np.int32)
        objects = self.model.facts()[:, 2]
        return objects[objects >= FIRST_LITERAL]

    # -- terms that are not used any more ----------------------------------------------------------

    def forget_unused(self) -> None:
        """Make the state compact if much is not used; not where one of old numbers may come back.

        After an error it is as it was; the model may have to be made again.
        """
        vocabulary = self.vocabulary
        if self._wholes or not (self._unused or vocabulary.size > self.most_entries or self._is_tight()):
            return
        model, before = self.model, (vocabulary.tables, self.books, self.forms)
        found = compact(vocabulary, self.foundation.common, self.books, self.forms, model)
        self._derived = None
        try:
            self._take_over(found.tables, found.books, found.forms)
        except BaseException:
            self._take_over(*before)
            raise
        model.rename(found.renaming)
        self._derived = model
        self.most_entries, self._entries_kept = most_entries(vocabulary, found.stored), vocabulary.size
        self._unused = 0

    def _is_tight(self) -> bool:
        """Whether bytes are nearly too many, and terms may have come that are not used any more."""
        most, size = self.limits.max_bytes, self.vocabulary.size
        if most is None or size * 8 <= self._entries_kept * 9:
            return False
        kernel = 0 if self._derived is None else self._derived.bytes_used
        return 4 * (kernel + self._bytes_beside()) > 3 * most

    def _take_over(self, tables: Tables, books: Books, forms: GivenForms) -> None:
        self.vocabulary.take(tables)
        self.books, self.forms = books, forms

    # -- one step ----------------------------------------------------------------------------------

    def _transact(self, step: Step, stages: Callable[[Tick], Outcome]) -> WindowUpdate:
        """A tick's `stages` done to the model and written into the books, or nothing.

        The model counts as lost until all has gone well; whoever needs it then makes it again from the books.
        Where it came to too much on the way, and timestamps may leave early, it is seen first whether the
        ABox alone is too much; then further attempts are made from later starts, each of which costs a
        materialization of the window.
        """
        try:
            return self._attempt(step, stages)
        except Overfull as error:
            full = error.facts, error.bytes
        starts = self._later_starts(step) if self.limits.drops else []
        try:
            if starts:
                self._try_alone(step, stages, starts[-1])
            for start in starts:
                with suppress(Overfull):
                    return self._attempt(step, stages, start)
        except Overfull as error:
            full = error.facts, error.bytes
        raise self.limits.error(self.limits.exceeded_by(*full), time_of(step.now, step.kind))

    def _attempt(self, step: Step, stages: Callable[[Tick], Outcome], start: int = 0) -> WindowUpdate:
        model = self.model
        self._derived = None
        done = self._done(model, self.books, step, stages, start)
        self._tell_of_dropped(done)
        self.books = done.books
        self.forms.apply(done.forms)
        self._derived, self._unused = None if done.roomy else model, done.unused
        return done.update

    def _done(
        self, model: WindowModel, books: Books, step: Step, stages: Callable[[Tick], Outcome], start: int
    ) -> Outcome:
        """A tick's `stages` done to `model`, within the limits."""
        limits, rules = self.limits, self.growing.program.rules
        tick = Tick(model, books, self.forms, rules, self.repairer, step, limits, start, self._unused)
        if not limits:
            return stages(tick)
        with model.limited(limits.most_facts_on_the_way, self._bytes_left()):
            return stages(tick)

    def _try_alone(self, step: Step, stages: Callable[[Tick], Outcome], start: int) -> None:
        """Do a tick's `stages` with nothing before the level `start`, to no effect.

        Raises:
            Overfull, MemoryLimitError: that is too much already.
        """
        model, books = self._made_from(replace(self.books, log=self.books.log.from_level(start)))
        self._done(model, books, step, stages, start)

    # -- limits ------------------------------------------------------------------------------------

    def _bytes(self) -> int:
        """What is held against `max_bytes`; 0 if there is no such limit."""
        return 0 if self.limits.max_bytes is None else self.model.bytes_used + self._bytes_beside()

    def _bytes_beside(self) -> int:
        """The bytes of books and terms, without those of terms that are known to be in no use."""
        terms = vocabulary_bytes(self.vocabulary) - self._unused
        return self.books.log.bytes + max(0, terms)

    def _bytes_left(self) -> int | None:
        """The bytes that the kernel's arrays may grow to; None for any number."""
        most = self.limits.max_bytes
        return None if most is None else max(0, most - self._bytes_beside())

    def _later_starts(self, step: Step) -> list[int]:
        """The levels to begin at, one after the other, where a tick has no room beside what is older."""
        log, newest = self.books.log, self.books.log.newest
        further = newest is not None and newest.ticks == step.now
        end = newest.level if further and newest is not None else self.books.next_level
        return list(later_starts([entry for entry in log if step.first <= entry.ticks < step.now], end))

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
        _log.log(
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
        assert self._derived is not None, "it was just made"
        return self._derived

    def _made_from(self, books: Books) -> tuple[WindowModel, Books]:
        """The model of `books`, and the books with what undoing the newest ABox takes in that model."""
        newest, arrival = books.log.newest, books.arrival
        older = books.log if newest is None else books.log.without_newest()
        entries = list(older.kept())[::-1]
        first = entries[0][0].level if entries else newest.level if newest else books.next_level
        model = self.foundation.model(self.keep, first)
        model.fill([(facts, entry.level) for entry, facts in entries])
        if newest is not None and arrival is not None:
            previous = model.add(newest.facts, newest.level)
            if len(newest.cut):
                model.cut(newest.cut)
            books = replace(books, arrival=arrival._replace(facts=newest.facts, previous=previous))
        model.violations()
        model.take_changes()
        return model, books

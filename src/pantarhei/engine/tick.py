"""One tick: the only place where the stages of a step meet.

What leaves the window is dropped, what arrives is added to the model, and what it contradicts is repaired. A
tick changes the model; the books it gives are new ones, for the reasoner to put in place when all is well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from rdflib import Literal

from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.forms import FormsChange, GivenForms
from pantarhei.encoding.numbers import NO_FORMS, Integers
from pantarhei.engine.books import Arrival, Books
from pantarhei.engine.fitting import Fitting
from pantarhei.engine.update import TripleDelta, WindowUpdate
from pantarhei.interpretation.interpretation import ClosedABox
from pantarhei.language.delta import Delta
from pantarhei.language.rule import Rule
from pantarhei.language.term import Triple
from pantarhei.language.time import TimePoint, time_of
from pantarhei.materialize.model import WindowModel
from pantarhei.repair.result import Repair
from pantarhei.repair.step import Repaired, Repairer
from pantarhei.window.limits import NO_LIMITS, Limits
from pantarhei.window.log import Entry, Log
from pantarhei.window.sliding import Step

_NO_FACTS = np.empty((0, 3), np.int32)
_NOTHING = Encoded(_NO_FACTS, NO_FORMS)


class Outcome(NamedTuple):
    """What a tick came to; the model is changed already, the books and forms are to be.

    `roomy` says that the model is to be made anew, since it takes more room than what is left in it needs,
    `doubtful` that it may take too much even then; `unused` how many bytes of terms nothing uses any more.
    """

    update: WindowUpdate
    books: Books
    forms: FormsChange
    roomy: bool = False
    doubtful: bool = False
    unused: int = 0


class _Left(NamedTuple):
    """Timestamps that left: because they are outside, and early."""

    outside: list[TimePoint]
    early: list[TimePoint]


@dataclass(frozen=True, slots=True)
class Tick:
    """What a step starts from.

    Args:
        model: the window model of `books`; it is changed.
        books: what was asserted and cut so far.
        forms: how literals were written.
        rules: the model's rules, by their numbers.
        repairer: how to repair.
        step: where time comes to.
        limits: what may be left in the end.
        start: the oldest level that stays, inside or not.
        unused: how many bytes of the terms are known to be in no use.
        before: changes that came before those of the model, with their signs in the last column.
    """

    model: WindowModel
    books: Books
    forms: GivenForms
    rules: tuple[Rule, ...]
    repairer: Repairer
    step: Step
    limits: Limits = NO_LIMITS
    start: int = 0
    unused: int = 0
    before: Integers | None = None

    def pass_(self, at: TimePoint) -> Outcome:
        """Time alone."""
        log, left = self._slid()
        books = replace(self.books, log=log, step=self.step)
        return self._outcome(at, books, left, Repair(at, self.repairer.method), _NOTHING)

    def take_in(self, at: TimePoint, given: ClosedABox) -> Outcome:
        """The ABox of a new timestamp.

        Raises:
            MemoryLimitError: there would be too much in the end.
            Overfull: there was too much on the way; the model is of no use any more.
        """
        log, left = self._slid()
        level, asserted = self.books.next_level, given.asserted
        entry = Entry(level, at, self.step.now, asserted.facts, _NO_FACTS, asserted.forms)
        if given.finished:
            previous = self.model.merge(given.facts, len(asserted.facts), level)
        else:
            previous = self.model.add(given.facts, level)
        done = self._repaired(log, entry)
        books = replace(self.books, log=log, step=self.step, next_level=level + 1)
        return self._arrived(at, _written(books, entry, previous, done), left, done.repair, asserted)

    def extend(self, newest: Entry, given: Encoded) -> Outcome:
        """A further part of the newest ABox, as if it had come with the first.

        If nothing in it was contradicted yet, its parts add up: whatever is violated now involves the new
        part. Else the model goes back to before the first part and takes the whole.

        Raises:
            MemoryLimitError, Overfull: as `take_in`.
        """
        model, before = self.model, self.books.arrival
        assert before is not None, "the newest entry has an arrival"
        log, left = self._slid()
        older = log.without_newest()
        whole = Encoded.together([Encoded(newest.facts, newest.forms), given])
        entry = replace(newest, facts=whole.facts, cut=_NO_FACTS, forms=whole.forms)
        if before.contradicted:
            _undo(model, older, before)
            asserted = _asserted_again(older, before, entry)
            previous = model.add(entry.facts, entry.level)
        else:
            asserted = given
            previous = np.concatenate([before.previous, model.add(given.facts, entry.level)])
        done = self._repaired(older, entry)
        undone = self.books.counters.more(repairs=-before.contradicted, cut=-len(before.cut))
        books = replace(self.books, log=older, step=self.step, counters=undone)
        return self._arrived(newest.at, _written(books, entry, previous, done), left, done.repair, asserted)

    def _repaired(self, older: Log, arriving: Entry) -> Repaired:
        return self.repairer.repair(self.model, older, arriving, self.rules)

    def _slid(self) -> tuple[Log, _Left]:
        """The log without what leaves, and the timestamps that leave; the model slides."""
        log = self.books.log
        oldest, outside = log.leaving(self.step.first)
        level = self.books.next_level if oldest is None else oldest
        inside = log.from_level(level)
        early = [entry.at for entry in takewhile(lambda entry: entry.level < self.start, inside)]
        level = max(level, self.start)
        self.model.slide(level)
        return log.from_level(level), _Left(outside, early)

    def _outcome(
        self, at: TimePoint, books: Books, left: _Left, repair: Repair, asserted: Encoded
    ) -> Outcome:
        """What it comes to, for the reasoner and for people."""
        changes, lexicon = self.model.take_changes(), self.repairer.vocabulary.lexicon
        if self.before is not None:
            changes = np.concatenate([self.before, changes])
        forms = self.forms.change(changes, asserted)
        seen = forms.seen

        def delta() -> Delta[Triple]:
            signs = changes[:, 3].tolist()
            return Delta.of(zip(lexicon.decode(changes[:, :3], seen), signs, strict=True))

        step = self.step
        start, end = time_of(step.start, step.kind), time_of(step.end, step.kind)
        dropped, early = (*left.outside, *left.early), tuple(left.early)
        update = WindowUpdate(at, start, end, dropped, repair, TripleDelta(delta), early)
        if early:
            books = replace(books, counters=books.counters.more(dropped_early=len(early)))
        return Outcome(update, books, forms, unused=self.unused)

    def _arrived(
        self, at: TimePoint, books: Books, left: _Left, repair: Repair, asserted: Encoded
    ) -> Outcome:
        """What it comes to once the oldest timestamps have left where all is too much; the model slides.

        Raises:
            MemoryLimitError: it is too much still, or nothing is to leave early.
        """
        if not self.limits:
            return self._outcome(at, books, left, repair, asserted)
        fitting = Fitting(self.model, books.log, self.repairer.vocabulary, self.limits, self.unused)
        fitting.fit(at)
        left = _Left(left.outside, [*left.early, *fitting.early])
        outcome = self._outcome(at, replace(books, log=fitting.log), left, repair, asserted)
        return outcome._replace(roomy=fitting.roomy, doubtful=fitting.doubtful, unused=fitting.unused)


def _written(books: Books, entry: Entry, previous: Integers, done: Repaired) -> Books:
    """The books, which know all before it, with the newest ABox and what undoing it takes."""
    arrival = Arrival(entry.level, entry.facts, previous, done.cut, done.contradicted)
    return books.with_arrival(books.log.with_entry(replace(entry, cut=done.cut)), arrival, done.repair)


def _undo(model: WindowModel, older: Log, arrival: Arrival) -> None:
    """Bring the model back to before the newest ABox; `older` is the log without it."""
    back = [(facts, entry.level) for entry, facts in older.occurrences(arrival.cut) if len(facts)]
    if back:
        levels = np.concatenate([np.full(len(facts), level, np.int64) for facts, level in back])
        model.restore(np.concatenate([facts for facts, _ in back]), levels)
    model.withdraw(arrival.facts, arrival.previous, arrival.level)


def _asserted_again(older: Log, undone: Arrival, entry: Entry) -> Encoded:
    """What stands asserted where the cut of an arrival was undone, and `entry` came instead."""
    varied = {fact for old in older for fact in old.forms}
    oldest: dict[tuple[int, ...], Literal | None] = {}
    for old, facts in older.occurrences(undone.cut) if varied else ():  # newest first
        oldest.update((fact, old.forms.get(fact)) for fact in map(tuple, facts.tolist()) if fact in varied)
    forms = {fact: form for fact, form in oldest.items() if form is not None}
    return Encoded.together([Encoded(undone.cut, forms), Encoded(entry.facts, entry.forms)])

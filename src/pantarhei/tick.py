"""One tick: the only place where the stages of a step meet.

What leaves the window is dropped, what arrives is added to the model, and what it contradicts is repaired. A
tick changes the model; the books it gives are new ones, for the reasoner to put in place when all is well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pantarhei.books import Arrival, Books
from pantarhei.interpretation import Closed
from pantarhei.language.delta import Delta, TripleDelta
from pantarhei.language.rule import Rule
from pantarhei.language.term import Triple
from pantarhei.language.time import TimePoint, time_of
from pantarhei.materialize.forms import FormsChange, GivenForms
from pantarhei.materialize.model import WindowModel
from pantarhei.materialize.vocabulary import Encoded
from pantarhei.repair.result import Repair
from pantarhei.repair.step import Repaired, Repairer
from pantarhei.rules.program import NO_FORMS, Integers
from pantarhei.window.log import Entry, Log
from pantarhei.window.sliding import Step

_NO_FACTS = np.empty((0, 3), np.int32)
_NOTHING = Encoded(_NO_FACTS, NO_FORMS)


@dataclass(frozen=True, slots=True)
class WindowUpdate:
    """What one push or advance did.

    Repair and delta are made into triples when they are looked at; until then, and as long as an update is
    kept, so are the terms that the reasoner knew at the time.

    Args:
        at: the time it came to.
        start: the window's lower end now, `end` its upper end (see `Window` for which are inside).
        dropped: timestamps that left the window.
        repair: the repair of this step.
        delta: what the materialization gained and lost.
    """

    at: TimePoint
    start: TimePoint
    end: TimePoint
    dropped: tuple[TimePoint, ...]
    repair: Repair
    delta: TripleDelta


class Outcome(NamedTuple):
    """What a tick came to; the model is changed already, the books and forms are to be."""

    update: WindowUpdate
    books: Books
    forms: FormsChange


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
    """

    model: WindowModel
    books: Books
    forms: GivenForms
    rules: tuple[Rule, ...]
    repairer: Repairer
    step: Step

    def pass_(self, at: TimePoint) -> Outcome:
        """Time alone."""
        log, dropped = self._slid()
        update, forms = self._update(at, dropped, Repair(at, self.repairer.method))
        return Outcome(update, replace(self.books, log=log, step=self.step), forms)

    def take_in(self, at: TimePoint, given: Closed) -> Outcome:
        """The ABox of a new timestamp."""
        log, dropped = self._slid()
        level, asserted = self.books.next_level, given.asserted
        entry = Entry(level, at, self.step.now, asserted.facts, _NO_FACTS, asserted.forms)
        if given.finished:
            previous = self.model.merge(given.facts, len(asserted.facts), level)
        else:
            previous = self.model.add(given.facts, level)
        done = self._repaired(log, entry)
        update, forms = self._update(at, dropped, done.repair, asserted)
        books = replace(self.books, log=log, step=self.step, next_level=level + 1)
        return Outcome(update, _written(books, entry, previous, done), forms)

    def extend(self, newest: Entry, given: Encoded) -> Outcome:
        """A further part of the newest ABox, as if it had come with the first.

        If nothing in it was contradicted yet, its parts add up: whatever is violated now involves the new
        part. Else the model goes back to before the first part and takes the whole.
        """
        model, before = self.model, self.books.arrival
        assert before is not None, "the newest entry has an arrival"
        older = self.books.log.without_newest()
        entry = replace(
            newest,
            facts=np.concatenate([newest.facts, given.facts]),
            cut=_NO_FACTS,
            forms={**newest.forms, **given.forms},
        )
        if before.contradicted:
            _undo(model, older, before)
            asserted = _asserted_again(older, before, entry)
            previous = model.add(entry.facts, entry.level)
        else:
            asserted = given
            previous = np.concatenate([before.previous, model.add(given.facts, entry.level)])
        done = self._repaired(older, entry)
        update, forms = self._update(newest.at, [], done.repair, asserted)
        books = replace(self.books, log=older, step=self.step)
        return Outcome(update, _written(books, entry, previous, done), forms)

    def _repaired(self, older: Log, arriving: Entry) -> Repaired:
        return self.repairer.repair(self.model, older, arriving, self.rules)

    def _slid(self) -> tuple[Log, list[TimePoint]]:
        """The log without what leaves, and the timestamps that leave; the model slides."""
        oldest, dropped = self.books.log.leaving(self.step.first)
        level = self.books.next_level if oldest is None else oldest
        self.model.slide(level)
        return self.books.log.from_level(level), dropped

    def _update(
        self, at: TimePoint, dropped: list[TimePoint], repair: Repair, asserted: Encoded = _NOTHING
    ) -> tuple[WindowUpdate, FormsChange]:
        changes, lexicon = self.model.take_changes(), self.repairer.vocabulary.lexicon
        forms = self.forms.change(changes, asserted)
        seen = forms.seen

        def delta() -> Delta[Triple]:
            signs = changes[:, 3].tolist()
            return Delta.of(zip(lexicon.decode(changes[:, :3], seen), signs, strict=True))

        step = self.step
        start, end = time_of(step.start, step.kind), time_of(step.end, step.kind)
        return WindowUpdate(at, start, end, tuple(dropped), repair, TripleDelta(delta)), forms


def _written(books: Books, entry: Entry, previous: Integers, done: Repaired) -> Books:
    """The books, which know all before it, with the newest ABox and what undoing it takes."""
    arrival = Arrival(entry.level, entry.facts, previous, done.cut, done.contradicted)
    log = books.log.with_entry(replace(entry, cut=done.cut))
    return replace(books, log=log).remembering(arrival, done.repair)


def _undo(model: WindowModel, older: Log, arrival: Arrival) -> None:
    """Bring the model back to before the newest ABox; `older` is the log without it."""
    back = [(facts, entry.level) for entry, facts in older.occurrences(arrival.cut) if len(facts)]
    if back:
        levels = np.concatenate([np.full(len(facts), level, np.int64) for facts, level in back])
        model.restore(np.concatenate([facts for facts, _ in back]), levels)
    model.withdraw(arrival.facts, arrival.previous, arrival.level)


def _asserted_again(older: Log, undone: Arrival, entry: Entry) -> Encoded:
    """What stands asserted where the cut of an arrival was undone, and `entry` came instead."""
    again = set(map(tuple, undone.cut.tolist()))
    forms = {fact: form for old in older for fact, form in old.forms.items() if fact in again}
    return Encoded(np.concatenate([undone.cut, entry.facts]), {**forms, **entry.forms})

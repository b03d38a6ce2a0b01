"""One tick: the only place where the stages of a step meet.

What leaves the window is dropped, what arrives is added to the model, and what it contradicts is repaired. A
tick changes the model; the books it gives are new ones, for the reasoner to put in place when all is well.
"""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from rdflib import Literal

from pantarhei.encoding.given_forms import FormsChange, GivenForms
from pantarhei.encoding.numbers import NO_FACTS, NO_FORMS, Encoded, Fact, Forms, Integers, as_tuples
from pantarhei.engine.consumer import NOTHING_TOLD, Changes, Consumers, Marks, Told
from pantarhei.engine.memory import Fitting, Memory
from pantarhei.engine.stream_history import Arrival, Books, Counters
from pantarhei.engine.update import TripleDelta, WindowUpdate
from pantarhei.errors import UndecidedRepairWarning
from pantarhei.interpretation.interpretation import ClosedABox
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint, show_time, time_of
from pantarhei.repair.repairer import Repaired, Repairer
from pantarhei.repair.result import Repair
from pantarhei.window.log import Entry, Log
from pantarhei.window.retention import Limits, Past
from pantarhei.window.sliding import Step, Window

_NOTHING = Encoded(NO_FACTS, NO_FORMS)


class Outcome(NamedTuple):
    """What a tick came to; the model is changed already, the books and forms are to be.

    `told` is what consumers know, and what they are to be told; `memory` what counts against the limits from
    now on. `needs_rebuild` and `needs_recheck` are those of `Fitting`.
    """

    update: WindowUpdate
    books: Books
    forms: FormsChange
    told: Told
    memory: Memory
    needs_rebuild: bool = False
    needs_recheck: bool = False


class _Slid(NamedTuple):
    """Result of sliding the window; its lists grow as it slides on.

    Args:
        log: what is left in the window.
        outside: the ABoxes that left because they are outside.
        early: those that left before their time.
        untold: those of both that consumers have not been told of.
        told: what consumers know, those told on the way included.
        on_the_way: what they were told on the way that the model noted.
        gone: the forms of facts that they were told had gone on the way.
    """

    log: Log
    outside: list[Entry]
    early: list[Entry]
    untold: tuple[Entry, ...]
    told: Told
    on_the_way: list[Integers]
    gone: dict[Fact, Literal]


@dataclass(frozen=True, slots=True)
class Tick:
    """What a step starts from.

    Args:
        model: the window model of `books`; it is changed.
        books: what was asserted and cut so far.
        forms: how literals were written.
        repairer: how to repair.
        step: where time comes to.
        window: which timestamps are kept.
        memory: what counts against the limits.
        consumers: who is told of what is due on the way.
        told: what they have been told so far.
        marks: how they stood before the step.
        start: the oldest level that stays, inside or not.
        before: changes that came before those of the model.
    """

    model: WindowModel
    books: Books
    forms: GivenForms
    repairer: Repairer
    step: Step
    window: Window
    memory: Memory
    consumers: Consumers
    told: Told = NOTHING_TOLD
    marks: Marks = field(default_factory=dict)
    start: int = 0
    before: Changes | None = None

    def pass_(self, at: TimePoint) -> Outcome:
        """Time alone."""
        slid = self._slid()
        books = replace(self.books, log=slid.log, step=self.step, past=self._past(slid))
        return self._outcome(at, books, slid, Repair(at, self.repairer.method), _NOTHING)

    def take_in(self, at: TimePoint, given: ClosedABox) -> Outcome:
        """The ABox of a new timestamp.

        Raises:
            MemoryLimitError: there would be too much in the end.
            Overfull: there was too much on the way; the model is of no use any more.
        """
        slid = self._slid()
        level, asserted = self.books.log.timeline.next_level, given.asserted
        if given.finished:
            previous = self.model.merge(given.facts, len(asserted.facts), level)
        else:
            previous = self.model.add(given.facts, level)
        back = self.model.levels_back(previous, level)
        entry = Entry(level, at, self.step.now, asserted.facts, NO_FACTS, asserted.forms, back)
        done = self._repaired(slid.log, entry)
        books = self._written(self.books, slid, slid.log, entry, previous, done)
        return self._arrived(at, books, slid, done.repair, asserted)

    def extend(self, newest: Entry, given: Encoded) -> Outcome:
        """A further part of the newest ABox, as if it had come with the first.

        If nothing in it was contradicted yet, its parts add up: whatever is violated now involves the new
        part. Else the model goes back to before the first part and takes the whole.

        Raises:
            MemoryLimitError, Overfull: as `take_in`.
        """
        model, before = self.model, self.books.arrival
        assert before is not None, "the newest entry has an arrival"
        slid = self._slid()
        older = slid.log.without_newest()
        whole = Encoded.together([Encoded(newest.facts, newest.forms), given])
        entry = replace(newest, facts=whole.facts, cut=NO_FACTS, forms=whole.forms, back=None, evidence=0)
        if before.contradicted:
            _undo(model, older, before)
            asserted = _asserted_again(older, before, entry)
            previous = model.add(entry.facts, entry.level)
        else:
            asserted = given
            previous = np.concatenate([before.previous, model.add(given.facts, entry.level)])
        entry = replace(entry, back=model.levels_back(previous, entry.level))
        done = self._repaired(older, entry)
        undone = self.books.counters.with_repair(before, -1)
        books = self._written(replace(self.books, counters=undone), slid, older, entry, previous, done)
        return self._arrived(newest.at, books, slid, done.repair, asserted)

    def _repaired(self, older: Log, arriving: Entry) -> Repaired:
        return self.repairer.repair(self.model, older, arriving, self.model.program.rules)

    def _written(
        self, books: Books, slid: _Slid, older: Log, entry: Entry, previous: Integers, done: Repaired
    ) -> Books:
        """The books with the newest ABox behind the `older` ones, and what undoing it takes."""
        undecided = done.repair.undecided_facts
        arrival = Arrival(entry.level, entry.facts, previous, done.cut, done.contradicted, undecided)
        if done.contradicted:
            entry = replace(entry, cut=done.cut, evidence=done.evidence)
        return books.with_arrival(older.with_entry(entry), self.step, arrival, done.repair, self._past(slid))

    def _past(self, slid: _Slid) -> Past:
        """What has left, with what left while sliding."""
        log, past = self.books.log, self.books.past
        if slid.log is log:
            return past
        size = log.bytes - slid.log.bytes
        return past.with_departure(self.step.now, self.books.messages, slid.outside, slid.early, size)

    def _slid(self) -> _Slid:
        """Let what leaves leave, first as far as each moment that some consumer waits for."""
        slid = _Slid(self.books.log, [], [], (), self.told, [], {})
        now = self.books.step.now if self.consumers and self.books.step else None
        while now is not None and (due := self.consumers.due(now, self.step.now)) is not None:
            stop = self.window.step_at(self.step.kind, due)
            slid = self._slid_to(stop, slid)
            changes = self._changes(slid, stop, slid.log)
            forms = self.forms.change(changes.noted, _NOTHING)
            changes = replace(changes, forms=forms.after, on_the_way=True)
            told = self.consumers.tell(slid.told.with_step(changes, self.books.step), self.model)
            slid.on_the_way.append(changes.noted)
            slid.gone.update(forms.went)
            slid = slid._replace(untold=(), told=told)
            self.consumers.before(now, stop, self.model)
            now = due
        return self._slid_to(self.step, slid)

    def _slid_to(self, step: Step, slid: _Slid) -> _Slid:
        """Slide further, to where the window stands at `step`."""
        timeline = slid.log.timeline
        first = timeline.first_level_from(step.first)
        start = max(first, self.start)
        if start <= timeline.first_level:  # nothing leaves
            return slid
        left, log = slid.log.split(start)
        outside = left if start == first else [entry for entry in left if entry.level < first]
        self.model.slide(start)
        slid.outside.extend(outside)
        slid.early.extend(left[len(outside) :])
        return slid._replace(log=log, untold=(*slid.untold, *left))

    def _changes(self, slid: _Slid, step: Step, log: Log, *entries: Entry) -> Changes:
        """What changed since consumers were told last, or since the step began.

        Args:
            slid: what sliding came to.
            step: where time and window have come to.
            log: the ABoxes that are in the window then.
            entries: what the step took in.
        """
        noted = self.model.take_changes()
        levels = self.model.take_levels(noted)
        changes = Changes(
            noted, entries, slid.untold, levels, at=time_of(step.now, step.kind), step=step, log=log
        )
        return changes if self.before is None or slid.on_the_way else Changes.together([self.before, changes])

    def _outcome(
        self, at: TimePoint, books: Books, slid: _Slid, repair: Repair, asserted: Encoded, *entries: Entry
    ) -> Outcome:
        """What it comes to, for the reasoner and for people; `entries` are those taken in."""
        changes = self._changes(slid, self.step, books.log, *entries)
        noted = np.concatenate([*slid.on_the_way, changes.noted]) if slid.on_the_way else changes.noted
        forms = self.forms.change(noted, asserted)
        delta = TripleDelta.of(noted, self.repairer.vocabulary.lexicon, forms.seen)
        step, dropped = self.step, tuple(entry.at for entry in (*slid.outside, *slid.early))
        start, end = time_of(step.start, step.kind), time_of(step.end, step.kind)
        early = tuple(entry.at for entry in slid.early)
        if early:
            books = replace(books, counters=books.counters.plus(Counters(dropped_early=len(early))))
        update = WindowUpdate(at, start, end, dropped, repair, delta, early)
        told = NOTHING_TOLD
        if self.consumers:
            # a fact that went on the way and came again keeps the form that it had before the step
            changes = changes.with_forms({**slid.gone, **forms.after})
            told = slid.told.with_step(changes, self.books.step)
        return Outcome(update, books, forms, told, self.memory)

    def _arrived(
        self, at: TimePoint, books: Books, slid: _Slid, repair: Repair, asserted: Encoded
    ) -> Outcome:
        """What it comes to once the oldest timestamps have left where all is too much; the model slides.

        Raises:
            MemoryLimitError: it is too much still, or nothing is to leave early.
        """
        newest = books.log.newest
        assert newest is not None, "an ABox has arrived"
        if not self.memory.limits:
            return self._outcome(at, books, slid, repair, asserted, newest)
        fitting = Fitting(self.model, books.log, self.memory, books.past)
        fitting.fit(at)
        left, past = tuple(fitting.early), fitting.past
        slid = slid._replace(early=[*slid.early, *left], untold=(*slid.untold, *left))
        if left:
            size = books.log.bytes - fitting.log.bytes
            past = past.with_departure(self.step.now, self.books.messages, (), left, size)
        room = fitting.memory.left_for_history(self.model, fitting.log)
        kept = past if room is None else past.within(room)
        forgotten = kept.fewer_than(past) + fitting.past.fewer_than(books.past)
        counters = books.counters.plus(Counters(forgotten_early=forgotten))
        books = replace(books, log=fitting.log, past=kept, counters=counters)
        outcome = self._outcome(at, books, slid, repair, asserted, newest)
        return outcome._replace(
            memory=fitting.memory, needs_rebuild=fitting.needs_rebuild, needs_recheck=fitting.needs_recheck
        )


def _undo(model: WindowModel, older: Log, arrival: Arrival) -> None:
    """Bring the model back to before the newest ABox; `older` is the log without it."""
    back = [(facts, entry.level) for entry, facts in older.occurrences(arrival.cut) if len(facts)]
    if back:
        levels = np.concatenate([np.full(len(facts), level, np.int64) for facts, level in back])
        model.restore(np.concatenate([facts for facts, _ in back]), levels)
    model.withdraw(arrival.facts, arrival.previous, arrival.level)


def _asserted_again(older: Log, undone: Arrival, entry: Entry) -> Encoded:
    """What stands asserted where the cut of an arrival was undone, and `entry` came instead."""
    varied = {fact for old in older for fact in old.forms.by_fact}
    oldest: dict[Fact, Literal | None] = {}
    for old, facts in older.occurrences(undone.cut) if varied else ():  # newest first
        oldest.update((fact, old.forms.by_fact.get(fact)) for fact in as_tuples(facts) if fact in varied)
    forms = Forms({fact: form for fact, form in oldest.items() if form is not None})
    return Encoded.together([Encoded(undone.cut, forms), Encoded(entry.facts, entry.forms)])


_limits_log = logging.getLogger("pantarhei.limits")
_repair_log = logging.getLogger("pantarhei.repair")


class StepLog:
    """Logs repairs, counted at INFO and with their conflicts at DEBUG.

    Warns once of facts that a repair removes without having decided it; and of what leaves window or history
    early: at the first, then whenever there have been twice as many as at the last warning.
    """

    def __init__(self, limits: Limits) -> None:
        set_ = {"max_facts": limits.max_facts, "max_bytes": limits.max_bytes}
        self._limits = ", ".join(f"{name}={most}" for name, most in set_.items() if most is not None)
        self._dropped_told = self._forgotten_told = 0
        self._has_warned = False

    def write(self, done: Outcome, before: Counters) -> None:
        """Log what a step did: the last thing before it is stored.

        Args:
            before: the counters before the step.
        """
        repair, remembered, counters = done.update.repair, done.books.repairs, done.books.counters
        if remembered and remembered[-1][1] is repair:
            if _repair_log.isEnabledFor(logging.INFO):
                _repair_log.info("at %s: %s", show_time(repair.at), repair.summary())
            if _repair_log.isEnabledFor(logging.DEBUG):
                for line in str(repair).splitlines()[1:]:  # a record each; the first line is the one above
                    _repair_log.debug("at %s: %s", show_time(repair.at), line.strip())
            if repair.undecided_facts and repair.method == "exact" and not self._has_warned:
                self._has_warned = True
                warnings.warn(
                    UndecidedRepairWarning(show_time(repair.at), repair.undecided_facts), stacklevel=2
                )
        if early := done.update.dropped_early:
            span = " to ".join(dict.fromkeys(map(show_time, (early[0], early[-1]))))
            left = f"{len(early)} of the window's timestamps ({span}) left early"
            self._dropped_told = self._warn(done, left, counters.dropped_early, self._dropped_told)
        if forgotten := counters.forgotten_early - before.forgotten_early:
            left = f"{forgotten} timestamps left the history early"
            self._forgotten_told = self._warn(done, left, counters.forgotten_early, self._forgotten_told)

    def _warn(self, done: Outcome, what: str, so_far: int, told: int) -> int:
        """How many there were when someone was warned last."""
        level = logging.WARNING if so_far >= 2 * told else logging.DEBUG
        at = show_time(done.update.at)
        _limits_log.log(level, "at %s, %s, to keep %s; %d so far", at, what, self._limits, so_far)
        return so_far if level == logging.WARNING else told

"""One step of a stream reasoner: the window slides, an ABox is inserted, its contradictions are repaired.

A step changes the model and returns a new history. The caller stores the history after the step succeeded.
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
from pantarhei.engine.consumer import NOTHING_PENDING, Consumers, DeliveryState, Marks
from pantarhei.engine.memory import Eviction, Memory
from pantarhei.engine.stream_history import Arrival, Counters, PastRepair, StreamHistory
from pantarhei.engine.update import StepAssertions, TripleDelta, WindowUpdate
from pantarhei.errors import UndecidedRepairWarning
from pantarhei.interpretation.interpretation import ClosedABox
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint, show_time, time_of
from pantarhei.repair.repairer import Repairer
from pantarhei.repair.result import Repair
from pantarhei.window.log import ByLevel, Changes, Entry, Log
from pantarhei.window.retention import Limits, PastEntries
from pantarhei.window.sliding import Step, Window

_NOTHING = Encoded(NO_FACTS, NO_FORMS)

MOST_EVIDENCE = 1 << 28
"""Bytes of evidence for the repairs of a window; beyond, the oldest repairs lose their conflicts."""


class Outcome(NamedTuple):
    """Result of a step. The model is changed already; the other parts of the state must still be stored.

    Args:
        update: the result for users.
        history: the new history.
        forms: the change of literal forms.
        delivery: the changes that consumers have not received yet.
        memory: the memory that counts against the limits from now on.
        needs_rebuild, needs_recheck: as in `Eviction`.
    """

    update: WindowUpdate
    history: StreamHistory
    forms: FormsChange
    delivery: DeliveryState
    memory: Memory
    needs_rebuild: bool = False
    needs_recheck: bool = False


class _SlideResult(NamedTuple):
    """Result of sliding the window. Its lists grow if the window slides in several stages.

    Args:
        log: the ABoxes that remain in the window.
        outside: the ABoxes that expired.
        early: the ABoxes that were evicted because of a limit.
        undelivered: those of the expired and evicted ABoxes that consumers have not received.
        delivery: the changes that consumers have not received yet.
        stop_changes: the changes of the model that consumers received at intermediate stops.
        deleted_forms: the literal forms of facts deleted at intermediate stops.
    """

    log: Log
    outside: list[Entry]
    early: list[Entry]
    undelivered: tuple[Entry, ...]
    delivery: DeliveryState
    stop_changes: list[Integers]
    deleted_forms: dict[Fact, Literal]


@dataclass(frozen=True, slots=True)
class StepTransaction:
    """The input of one step.

    Args:
        model: the window model of `history`; the step changes it.
        history: the history before the step.
        forms: the literal forms before the step.
        repairer: repairs contradictions.
        step: the time and the window after the step.
        window: the reasoner's window.
        memory: the memory that counts against the limits.
        consumers: receive changes, at ticks of their own also during the slide.
        at: the time after the step, as given.
        given: the ABox to insert; None if time alone advances.
        delivery: the changes that consumers still have to receive.
        marks: the states of the consumers before the step.
        start: the lowest level that may stay in the window.
        before: changes that precede those of the model.
        is_limited: whether `memory` has a limit.
    """

    model: WindowModel
    history: StreamHistory
    forms: GivenForms
    repairer: Repairer
    step: Step
    window: Window
    memory: Memory
    consumers: Consumers
    at: TimePoint
    given: ClosedABox | None = None
    delivery: DeliveryState = NOTHING_PENDING
    marks: Marks = field(default_factory=dict)
    start: int = 0
    before: Changes | None = None
    is_limited: bool = False

    def run(self) -> Outcome:
        """Slide the window, insert the ABox if there is one, and repair its contradictions.

        A further part of the newest timestamp has the same result as if both parts had arrived together.

        Raises:
            MemoryLimitError: the result exceeds a limit.
            CapacityExceededError: a limit was exceeded during the step; the model is unusable.
        """
        model, repairer, history, given = self.model, self.repairer, self.history, self.given
        slid = self._slid()
        if given is None:
            history = replace(history, log=slid.log, step=self.step, past=self._past(slid))
            return self._outcome(history, slid, Repair(self.at, repairer.method), _NOTHING)
        newest = history.log.newest
        if newest is not None and newest.ticks == self.step.now:
            level, at, older = newest.level, newest.at, slid.log.without_newest()
            whole, asserted, previous = self._extend(older, newest, given.asserted)
            assert history.arrival is not None, "the newest entry has an arrival"
            history = replace(history, counters=history.counters.with_repair(history.arrival, -1))
        else:
            level, at, older = slid.log.timeline.next_level, self.at, slid.log
            whole = asserted = given.asserted
            if given.finished:
                previous = model.merge(given.facts, len(whole.facts), level)
            else:
                previous = model.add(given.facts, level)
        back, cut = model.levels_back(previous, level), NO_FACTS
        if repairer.method == "off":  # older contradictions remain
            model.find_violations()
        lineage = model.lineage(repairer.budget.instances)
        entry = Entry(level, at, self.step.now, whole.facts, cut, whole.forms, back)
        if lineage is None:
            repair = Repair(at, repairer.method)
        else:
            cut, repair, evidence = repairer.repair(model, older, entry, lineage)
            entry = replace(entry, cut=cut, evidence=evidence)
        log = older.with_entry(entry)
        arrival = Arrival(level, whole.facts, previous, cut, lineage is not None, repair.undecided_facts)
        history = with_arrival(history, log, self.step, arrival, repair, self._past(slid))
        if self.is_limited:
            return self._within_limits(history, slid, repair, asserted, entry)
        return self._outcome(history, slid, repair, asserted, entry)

    def _extend(self, older: Log, newest: Entry, given: Encoded) -> tuple[Encoded, Encoded, Integers]:
        """Insert a further part of the newest ABox.

        If nothing contradicted the first part, only the new part is inserted: new violations involve it.
        Otherwise the first part is undone in the model, and the whole ABox is inserted.

        Returns:
            The whole ABox, the facts that the step asserts, and the model's data for undoing the insertion.
        """
        model, before = self.model, self.history.arrival
        assert before is not None, "the newest entry has an arrival"
        whole = Encoded.together([Encoded(newest.facts, newest.forms), given])
        if not before.contradicted:
            previous = np.concatenate([before.previous, model.add(given.facts, newest.level)])
            return whole, given, previous
        _undo(model, older, before)
        asserted = _asserted_again(older, before, whole)
        return whole, asserted, model.add(whole.facts, newest.level)

    def _past(self, slid: _SlideResult) -> PastEntries:
        """Return the past, including the ABoxes that left the window during the slide."""
        log, past = self.history.log, self.history.past
        if slid.log is log:
            return past
        size = log.bytes - slid.log.bytes
        return past.with_departure(self.step.now, self.history.messages, slid.outside, slid.early, size)

    def _slid(self) -> _SlideResult:
        """Slide the window to the time of the step, stopping at each tick that is due for a consumer."""
        slid = _SlideResult(self.history.log, [], [], (), self.delivery, [], {})
        now = self.history.step.now if self.consumers.attached and self.history.step else None
        while now is not None and (due := self.consumers.due(now, self.step.now)) is not None:
            stop = self.window.step_at(self.step.kind, due)
            slid = self._slid_to(stop, slid)
            changes = self._changes(slid, stop, slid.log)
            forms = self.forms.change(changes.fact_changes, _NOTHING)
            changes = replace(changes, forms=forms.after, is_intermediate=True)
            delivery = self.consumers.deliver(slid.delivery.with_step(changes, self.history.step), self.model)
            slid.stop_changes.append(changes.fact_changes)
            slid.deleted_forms.update(forms.deleted)
            slid = slid._replace(undelivered=(), delivery=delivery)
            self.consumers.before(now, stop, self.model)
            now = due
        return self._slid_to(self.step, slid)

    def _slid_to(self, step: Step, slid: _SlideResult) -> _SlideResult:
        """Slide the window to its position at `step`."""
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
        return slid._replace(log=log, undelivered=(*slid.undelivered, *left))

    def _changes(self, slid: _SlideResult, step: Step, log: Log, *entries: Entry) -> Changes:
        """Return the changes since consumers last received any, or since the step began.

        Args:
            slid: the result of sliding.
            step: the present time and window.
            log: the ABoxes in the window.
            entries: the ABoxes that the step inserted.
        """
        fact_changes = self.model.take_changes()
        levels = self.model.take_levels(fact_changes)
        at = time_of(step.now, step.kind)
        changes = Changes(fact_changes, entries, slid.undelivered, levels, at=at, step=step, log=log)
        return (
            changes if self.before is None or slid.stop_changes else Changes.together([self.before, changes])
        )

    def _outcome(
        self, history: StreamHistory, slid: _SlideResult, repair: Repair, asserted: Encoded, *entries: Entry
    ) -> Outcome:
        """Build the result; `entries` are the ABoxes that the step inserted."""
        step = self.step
        changes = self._changes(slid, step, history.log, *entries)
        start, end = time_of(step.start, step.kind), time_of(step.end, step.kind)
        fact_changes = (
            np.concatenate([*slid.stop_changes, changes.fact_changes])
            if slid.stop_changes
            else changes.fact_changes
        )
        forms = self.forms.change(fact_changes, asserted)
        lexicon = self.repairer.vocabulary.lexicon
        prove = self.repairer.prove  # the update must not keep this step alive
        delta = TripleDelta.of(fact_changes, lexicon, forms.all_forms, lambda: prove.labels)
        early = tuple(entry.at for entry in slid.early)
        dropped = (*(entry.at for entry in slid.outside), *early)
        if early:
            history = replace(history, counters=history.counters.plus(Counters(dropped_early=len(early))))
        at = entries[0].at if entries else self.at
        assertions = StepAssertions.of(entries, (*slid.outside, *slid.early), lexicon)
        update = WindowUpdate(at, start, end, dropped, repair, delta, early, assertions=assertions)
        delivery = NOTHING_PENDING
        if self.consumers.attached:
            # a fact deleted during the slide and inserted again keeps the form that it had before the step
            changes = changes.with_forms({**slid.deleted_forms, **forms.after})
            delivery = slid.delivery.with_step(changes, self.history.step)
        return Outcome(update, history, forms, delivery, self.memory)

    def _within_limits(
        self, history: StreamHistory, slid: _SlideResult, repair: Repair, asserted: Encoded, newest: Entry
    ) -> Outcome:
        """Build the result after evicting the oldest timestamps until the limits hold.

        Raises:
            MemoryLimitError: a limit is exceeded and eviction does not help or is not allowed.
        """
        eviction = Eviction(self.model, history.log, self.memory, history.past)
        eviction.fit(newest.at)
        left, past = tuple(eviction.early), eviction.past
        slid = slid._replace(early=[*slid.early, *left], undelivered=(*slid.undelivered, *left))
        if left:
            size = history.log.bytes - eviction.log.bytes
            past = past.with_departure(self.step.now, self.history.messages, (), left, size)
        room = eviction.memory.left_for_history(self.model, eviction.log)
        kept = past if room is None else past.within(room)
        forgotten = kept.fewer_than(past) + eviction.past.fewer_than(history.past)
        counters = history.counters.plus(Counters(forgotten_early=forgotten))
        history = replace(history, log=eviction.log, past=kept, counters=counters)
        outcome = self._outcome(history, slid, repair, asserted, newest)
        return outcome._replace(
            memory=eviction.memory, needs_rebuild=eviction.needs_rebuild, needs_recheck=eviction.needs_recheck
        )


def with_arrival(
    history: StreamHistory, log: Log, step: Step, arrival: Arrival, repair: Repair, past: PastEntries
) -> StreamHistory:
    """Return the history extended by the newest ABox.

    Args:
        history: the history before.
        log: the log with the ABox.
        step: the present time and window.
        arrival: the undo record of the ABox.
        repair: the repair of the ABox.
        past: the ABoxes that have left the window.
    """
    repairs = history.repairs
    if repairs.chunks:
        repairs = repairs.from_level(past.first_level(log))
        newest = repairs.newest
        if newest is not None and newest.level == arrival.level:  # of an earlier part of the ABox
            repairs = repairs.without_newest()
    counters = history.counters._replace(pushes=history.counters.pushes + 1)
    if arrival.contradicted:
        repairs = repairs.with_newest(PastRepair(arrival.level, repair))
        counters = counters.with_repair(arrival)
    if log.evidence > MOST_EVIDENCE:
        log = log.with_less_evidence(MOST_EVIDENCE // 2)
        dropped = {entry.level for entry in log if not entry.evidence}
        kept = (
            PastRepair(level, repair.without_evidence() if level in dropped else repair)
            for level, repair in repairs
        )
        repairs = ByLevel.of(kept, repairs.first_level)
    return StreamHistory(log, step, arrival, repairs, counters, history.messages + 1, past, history.waiting)


def _undo(model: WindowModel, older: Log, arrival: Arrival) -> None:
    """Restore the model to its state before the newest ABox; `older` is the log without that ABox."""
    back = [(facts, entry.level) for entry, facts in older.occurrences(arrival.cut) if len(facts)]
    if back:
        levels = np.concatenate([np.full(len(facts), level, np.int64) for facts, level in back])
        model.restore(np.concatenate([facts for facts, _ in back]), levels)
    model.withdraw(arrival.facts, arrival.previous, arrival.level)


def _asserted_again(older: Log, undone: Arrival, given: Encoded) -> Encoded:
    """Return the facts that a step asserts which undoes an arrival and its cut, and inserts `given`
    instead.
    """
    varied = {fact for old in older for fact in old.forms.by_fact}
    oldest: dict[Fact, Literal | None] = {}
    for old, facts in older.occurrences(undone.cut) if varied else ():  # newest first
        oldest.update((fact, old.forms.by_fact.get(fact)) for fact in as_tuples(facts) if fact in varied)
    forms = Forms({fact: form for fact, form in oldest.items() if form is not None})
    return Encoded.together([Encoded(undone.cut, forms), given])


_limits_log = logging.getLogger("pantarhei.limits")
_repair_log = logging.getLogger("pantarhei.repair")


class StepLog:
    """Logger of repairs, at level INFO with counts and at level DEBUG with conflicts.

    Warns once of facts that a repair removes undecided. Warns of evictions from the window or the past: at
    the first one, then each time their number has doubled since the last warning.
    """

    def __init__(self, limits: Limits) -> None:
        set_ = {"max_facts": limits.max_facts, "max_bytes": limits.max_bytes}
        self._limits = ", ".join(f"{name}={most}" for name, most in set_.items() if most is not None)
        self._dropped_warned = self._forgotten_warned = 0
        self._has_warned = False

    def write(self, done: Outcome, before: Counters) -> None:
        """Log a step, immediately before its result is stored.

        Args:
            before: the counters before the step.
        """
        repair, chunks, counters = done.update.repair, done.history.repairs.chunks, done.history.counters
        if chunks and chunks[-1][-1].repair is repair:
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
            self._dropped_warned = self._warn(done, left, counters.dropped_early, self._dropped_warned)
        if forgotten := counters.forgotten_early - before.forgotten_early:
            left = f"{forgotten} timestamps left the history early"
            self._forgotten_warned = self._warn(done, left, counters.forgotten_early, self._forgotten_warned)

    def _warn(self, done: Outcome, text: str, so_far: int, warned: int) -> int:
        """Log a warning if the count has doubled since the last warning; returns the count at the last
        warning.
        """
        level = logging.WARNING if so_far >= 2 * warned else logging.DEBUG
        at = show_time(done.update.at)
        _limits_log.log(level, "at %s, %s, to keep %s; %d so far", at, text, self._limits, so_far)
        return so_far if level == logging.WARNING else warned

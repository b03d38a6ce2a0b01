"""The history of a stream reasoner: what was asserted and cut, the ground truth that its model is derived from.

A step replaces them as a whole and last of all, so that it is made or not made. They are numbers; the
vocabulary of the reasoner says what the numbers mean.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import add, itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from pantarhei.encoding.numbers import Fact, Integers, Renaming, UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import ForgottenTimeError
from pantarhei.model.message_text import counted
from pantarhei.model.time import TimePoint, show_time, time_of
from pantarhei.repair.history_records import records_of
from pantarhei.repair.result import Prove, Repair
from pantarhei.window.log import EMPTY_LOG, Entry, Log
from pantarhei.window.retention import FactTrace, History, PastEntries
from pantarhei.window.sliding import Step, Window
from pantarhei.window.watermark import Waiting

if TYPE_CHECKING:
    from pantarhei.encoding.encode import ABox


# A stored fact costs a fraction of what a fresh term does: there may be one such for so many of those.
FACTS_A_TERM = 4


class GroundTruth(Protocol):
    """What was asserted, and whatever else a model made anew needs to be told."""

    @property
    def step(self) -> object:
        """Where things have come to: another object after each step, and after none but steps."""

    @property
    def now(self) -> TimePoint | None:
        """The same as a time; None before the first step."""

    @property
    def log(self) -> Log:
        """The ABoxes that have a timestamp."""

    def copy(self: GroundTruthT) -> GroundTruthT:
        """The same, which later changes do not reach."""

    def used_terms(self, used: UsedTerms) -> int:
        """Note the symbols and terms that it has numbers of. Returns how many facts are stored, roughly."""

    def renamed(self: GroundTruthT, renaming: Renaming) -> GroundTruthT:
        """The same in new numbers, on its own from here on."""


GroundTruthT = TypeVar("GroundTruthT", bound=GroundTruth)


# Small ABoxes are renamed so many facts at a time.
BATCH = 4096


class Arrival(NamedTuple):
    """What undoing the newest ABox takes.

    Args:
        level: its level.
        facts: its facts, shape (n, 3), all parts of the ABox together.
        previous: for each of them what the model gave for undoing it; it means something to that model only.
        cut: what its repair took out, older facts included.
        contradicted: whether a constraint was violated when it came.
        undecided: how many facts its repair took out without having decided it.
    """

    level: int
    facts: Integers
    previous: Integers
    cut: Integers
    contradicted: bool
    undecided: int = 0


class Counters(NamedTuple):
    """What went by since the stream began, restarts included.

    Args:
        pushes: ABoxes taken in; parts of one timestamp that came apart count apart.
        repairs: timestamps at which a contradiction was found.
        cut: facts that repairs took out, each counted once, however often it had been asserted.
        undecided: those of them that a limit kept from being decided, or `repair="grounded"` left undecided.
        late: ABoxes that came too late for `run`, which left them out.
        dropped_early: timestamps that left the window before their time, because of a limit.
        forgotten_early: timestamps that left the history before their time, because of a limit.
        unwritten: timestamps that left the history, and that no sink has taken.
        fed_back: conclusions of temporal rules that were asserted at the tick after theirs.
        not_fed_back: those that were to be, and have a literal in first place; each counts at each tick.
        ahead: ABoxes too far ahead for `run`, which left them out.
        invalid: ABoxes that `run` could not take in, and handed over.
        times_cut: times finer than microseconds that were cut, by `push` or by a reader that `run` follows.
    """

    pushes: int = 0
    repairs: int = 0
    cut: int = 0
    late: int = 0
    dropped_early: int = 0
    forgotten_early: int = 0
    unwritten: int = 0
    fed_back: int = 0
    not_fed_back: int = 0
    undecided: int = 0
    ahead: int = 0
    invalid: int = 0
    times_cut: int = 0

    def plus(self, by: Counters) -> Counters:
        """The counters, each higher by that of `by`."""
        return Counters(*map(add, self, by))

    def with_repair(self, arrival: Arrival, sign: Literal[1, -1] = 1) -> Counters:
        """The counters with, or without, the repair of an arrival."""
        counts = (arrival.contradicted, len(arrival.cut), arrival.undecided)
        repairs, cut, undecided = (sign * count for count in counts)
        return self.plus(Counters(repairs=repairs, cut=cut, undecided=undecided))


NOTHING_YET = Counters()


@dataclass(frozen=True, slots=True)
class StreamHistory:
    """All that a reasoner knows of its stream.

    Args:
        log: what was asserted and cut.
        step: where time has come to; None before the first step.
        arrival: how to undo the newest ABox; None before the first.
        repairs: the repairs that found a contradiction, with their levels, oldest first; those of the past
            come first.
        counters: what went by.
        messages: how many ABoxes came; the blank nodes of the next one are named after it.
        past: what has left the window.
        waiting: ABoxes that came out of order, not taken in so far.
    """

    log: Log = EMPTY_LOG
    step: Step | None = None
    arrival: Arrival | None = None
    repairs: tuple[tuple[int, Repair], ...] = ()
    counters: Counters = NOTHING_YET
    messages: int = 0
    past: PastEntries = field(default_factory=lambda: PastEntries(History()))
    waiting: Waiting[ABox] = field(default_factory=Waiting)

    def keeping(self, history: History) -> StreamHistory:
        """The history with other bounds of their history."""
        return replace(self, past=self.past.keeping(history, self.messages))

    def with_proofs(self, prove: Prove) -> StreamHistory:
        """The history, whose conflicts find their proofs in this way."""
        return replace(
            self, repairs=tuple((level, repair.proved_by(prove)) for level, repair in self.repairs)
        )

    @property
    def now(self) -> TimePoint | None:
        """Where time has come to."""
        return None if self.step is None else time_of(self.step.now, self.step.kind)

    def copy(self) -> StreamHistory:
        """The history: nothing in them changes."""
        return self

    # -- an older time -----------------------------------------------------------------------------

    def at(self, ticks: int, window: Window) -> StreamHistory:
        """The history as they stood after the last step at or before a tick, without what had left by then.

        Costs the entries of past and window.

        Args:
            ticks: the tick.
            window: which timestamps were kept.

        Raises:
            ForgottenTimeError: the history does not reach back that far, or time has not come to it.
        """
        step = self.step
        assert step is not None, "a time is of the kind of a step before"
        begun = next(chain(self.past.entries(), self.log), None)
        first = step.now if begun is None else begun.ticks
        if not (self.past.reaches(ticks) and first <= ticks <= step.now):
            known_from = first if self.past.known_from is None else max(first, self.past.known_from)
            at, start, now = (show_time(time_of(tick, step.kind)) for tick in (ticks, known_from, step.now))
            raise ForgottenTimeError(f"the time {at}", f"one in window and history, {start} to {now}", start)
        log = self.past.log_at(ticks, self.log)
        newest = log.newest
        repairs = tuple(
            (level, repair)
            for level, repair in self.repairs
            if newest is not None and log.timeline.first_level <= level <= newest.level
        )
        arrival = None
        if newest is not None:  # what the model gave for undoing it is found when a model is made
            contradicted = bool(repairs) and repairs[-1][0] == newest.level
            undecided = repairs[-1][1].undecided_facts if contradicted else 0
            nothing = np.empty(0, np.int32)
            arrival = Arrival(newest.level, newest.facts, nothing, newest.cut, contradicted, undecided)
        then = window.step_at(step.kind, ticks)
        return StreamHistory(
            log, then, arrival, repairs, self.counters, self.messages, PastEntries(self.past.bounds)
        )

    def traces(self, fact: Fact) -> tuple[FactTrace, ...]:
        """What became of each assertion of a fact in history and window, oldest first."""
        return tuple(self.past.traces(fact, self.log))

    def repair_of(self, level: int) -> Repair | None:
        """The repair that the ABox of a level called for; None if there was none, or it is forgotten."""
        place = bisect_left(self.repairs, level, key=itemgetter(0))
        found = self.repairs[place : place + 1]
        return found[0][1] if found and found[0][0] == level else None

    # -- their terms (engine/memory.py) --------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> int:
        """Note the symbols and terms of past and log. Returns how many facts, each entry counted for some."""
        stored = 0
        for batch in _batches(chain(self.past.entries(), self.log)):
            facts = np.concatenate([part for entry in batch for part in (entry.facts, entry.cut)])
            used.add(facts)
            for entry in batch:
                used.add_forms(entry.forms)
            stored += len(facts) + FACTS_A_TERM * len(batch)
        return stored

    def renamed(self, renaming: Renaming) -> StreamHistory:
        """The history in new numbers; their repairs keep the lexicon of their time."""
        past = self.past.renamed(_renamed(self.past.entries(), renaming))
        log = Log.of(_renamed(self.log, renaming), self.log.timeline.first_level)
        arrival, newest = self.arrival, log.newest
        if arrival is not None:  # one that has left the window is not undone any more
            arrival = None if newest is None else arrival._replace(facts=newest.facts, cut=newest.cut)
        return replace(self, log=log, arrival=arrival, past=past)


def _renamed(entries: Iterable[Entry], renaming: Renaming) -> Iterator[Entry]:
    for batch in _batches(entries):
        facts = renaming.parts([entry.facts for entry in batch])
        cuts = renaming.parts([entry.cut for entry in batch])
        for entry, asserted, cut in zip(batch, facts, cuts, strict=True):
            forms = renaming.forms(entry.forms)
            yield replace(entry, facts=asserted, cut=cut, forms=forms)


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The entries in their order, several small ones together."""
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        weight = len(entry.facts) + len(entry.cut)
        if batch and size + weight > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += weight
    if batch:
        yield batch


_log = logging.getLogger("pantarhei.history")


class HistoryWriter:
    """Writes what is due; where that fails it warns, first at once and then when there were twice as many."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._failed = self._told = 0

    def write(
        self, history: StreamHistory, vocabulary: Vocabulary, least: int | None = None
    ) -> StreamHistory:
        """The history once what is due was handed over; as they were where the sink takes no less than more.

        Where it fails they keep what is due, as much as the history itself may take; what is too much is lost
        and counted.

        Args:
            history: those of the step that was made.
            vocabulary: what their numbers mean.
            least: how many assertions there must be; by default what the sink asks for.
        """
        sink, past, step = self._history.sink, history.past, history.step
        if sink is None or step is None:
            return history
        wanted = getattr(sink, "batch", 1) if least is None else least
        if sum(len(entry.facts) for departure in past.due for entry in departure.entries) < wanted:
            return history
        later = chain((entry for each in past.departures() for entry in each.entries), history.log)
        kind = step.kind
        records = list(
            records_of(past.due, later, history.repair_of, vocabulary, lambda ticks: time_of(ticks, kind))
        )
        try:
            if records:
                sink(records)
        except Exception as error:  # whatever the sink of somebody else may raise: the stream goes on
            return self._kept(history, error)
        self._failed = self._told = 0
        return replace(history, past=past.written(len(past.due)))

    def _kept(self, history: StreamHistory, error: Exception) -> StreamHistory:
        """The history with what is due still there, and not too much of it."""
        past, lost = history.past, 0
        size = sum(departure.bytes for departure in past.due)
        while size > max(self._history.max_bytes, past.due[-1].bytes):
            size -= past.due[lost].bytes
            lost += 1
        gone = sum(len(departure.entries) for departure in past.due[:lost])
        self._failed += 1
        if gone or self._failed >= 2 * self._told:
            self._told = self._failed
            what = (
                f"; {counted(gone, 'timestamp')} could be kept no longer and went unwritten" if gone else ""
            )
            _log.warning("the history's sink %r failed: %r%s", self._history.sink, error, what)
        counters = history.counters.plus(Counters(unwritten=gone))
        return replace(history, past=past.written(lost), counters=counters)

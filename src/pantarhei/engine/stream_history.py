"""History of a stream: asserted and cut facts. It is the ground truth from which the window model is derived.

The last action of each step replaces the history as a whole. Facts are numbers of the reasoner's vocabulary.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import add
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from pantarhei.encoding.numbers import Fact, Integers, Renaming, UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import ForgottenTimeError
from pantarhei.model.message_text import counted
from pantarhei.model.time import TimePoint, in_zone_of, show_time, time_of
from pantarhei.repair.history_records import records_of
from pantarhei.repair.result import Prove, Repair
from pantarhei.window.log import EMPTY_LOG, ByLevel, Entry, Log
from pantarhei.window.retention import FactTrace, History, PastEntries
from pantarhei.window.sliding import Step, Window
from pantarhei.window.watermark import Waiting

if TYPE_CHECKING:
    from pantarhei.encoding.encode import ABox


# A fresh term costs as much memory as this many stored facts.
FACTS_PER_TERM = 4


class GroundTruth(Protocol):
    """Assertions, and further data from which the model is built."""

    @property
    def step(self) -> object:
        """Identity of the last step: a different object after each step."""

    @property
    def now(self) -> TimePoint | None:
        """The present time; None before the first step."""

    @property
    def log(self) -> Log:
        """The ABoxes that have a timestamp."""

    def copy(self: GroundTruthT) -> GroundTruthT:
        """Return a copy that later changes do not affect."""

    def used_terms(self, used: UsedTerms) -> int:
        """Mark the stored symbols and terms. Returns the approximate number of stored facts."""

    def renamed(self: GroundTruthT, renaming: Renaming) -> GroundTruthT:
        """Return an independent copy with new term numbers."""


GroundTruthT = TypeVar("GroundTruthT", bound=GroundTruth)


# Small ABoxes are renumbered together, up to this many facts.
BATCH = 4096


class Arrival(NamedTuple):
    """Undo record of the newest ABox.

    Args:
        level: the level of the ABox.
        facts: the facts of all parts of the ABox, shape (n, 3).
        previous: the result of the model's insertion of each fact, for undoing it; valid for that model only.
        cut: the facts that the repair removed, including older facts.
        contradicted: true if the ABox violated a constraint.
        undecided: the number of facts that the repair removed undecided.
    """

    level: int
    facts: Integers
    previous: Integers
    cut: Integers
    contradicted: bool
    undecided: int = 0


class Counters(NamedTuple):
    """Counters since the beginning of the stream, restarts included.

    Args:
        pushes: inserted ABoxes; parts of one timestamp that were pushed separately count separately.
        repairs: timestamps with a contradiction.
        cut: facts removed by repairs, each counted once, however often it had been asserted.
        undecided: removed facts that a limit or `repair="grounded"` left undecided.
        late: ABoxes that `run` skipped because they were late.
        dropped_early: timestamps evicted from the window because of a limit.
        forgotten_early: timestamps evicted from the history because of a limit.
        unwritten: timestamps that left the history without being written to a sink.
        fed_back: conclusions of temporal rules that were asserted at the next tick.
        not_fed_back: conclusions that could not be asserted, since their subject is a literal; each counts at
            each tick.
        ahead: ABoxes that `run` skipped because they were too far ahead.
        invalid: invalid ABoxes that `run` passed to a handler.
        times_cut: times finer than microseconds that were truncated, by `push` or by a reader.

    >>> Counters(pushes=2, cut=1).plus(Counters(pushes=1)).pushes
    3
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
        """Return the sums with other counters."""
        return Counters(*map(add, self, by))

    def with_repair(self, arrival: Arrival, sign: Literal[1, -1] = 1) -> Counters:
        """Return the counters with (`sign` 1) or without (-1) the repair of an arrival."""
        counts = (arrival.contradicted, len(arrival.cut), arrival.undecided)
        repairs, cut, undecided = (sign * count for count in counts)
        return self.plus(Counters(repairs=repairs, cut=cut, undecided=undecided))


NOTHING_YET = Counters()


class PastRepair(NamedTuple):
    """Repair at the arrival of the ABox of a level."""

    level: int
    repair: Repair


@dataclass(frozen=True, slots=True)
class StreamHistory:
    """History of a stream, an immutable value.

    Args:
        log: the ABoxes in the window, with the facts that repairs removed.
        step: the time and the window after the last step; None before the first step.
        arrival: undo record of the newest ABox; None before the first ABox.
        repairs: the repairs that found a contradiction, with their levels, oldest first, including the past.
        counters: the counters.
        messages: the number of ABoxes so far; it numbers the blank nodes of the next ABox.
        past: the ABoxes that have left the window and are remembered.
        waiting: ABoxes that arrived out of order and are not inserted yet.
    """

    log: Log = EMPTY_LOG
    step: Step | None = None
    arrival: Arrival | None = None
    repairs: ByLevel[PastRepair] = field(default_factory=ByLevel)
    counters: Counters = NOTHING_YET
    messages: int = 0
    past: PastEntries = field(default_factory=lambda: PastEntries(History()))
    waiting: Waiting[ABox] = field(default_factory=Waiting)

    def keeping(self, history: History) -> StreamHistory:
        """Return the history with other limits of the past."""
        return replace(self, past=self.past.with_bounds(history, self.messages))

    def with_proofs(self, prove: Prove) -> StreamHistory:
        """Return the history with conflicts that find their proofs by `prove`."""
        repairs = (PastRepair(level, repair.proved_by(prove)) for level, repair in self.repairs)
        return replace(self, repairs=ByLevel.of(repairs, self.repairs.first_level))

    @property
    def now(self) -> TimePoint | None:
        """The present time."""
        return None if self.step is None else time_of(self.step.now, self.step.kind)

    def copy(self) -> StreamHistory:
        """Return the history, which is immutable."""
        return self

    # -- an older time -----------------------------------------------------------------------------

    def at(self, ticks: int, window: Window) -> StreamHistory:
        """Return the history as of the last step at or before a tick, without ABoxes that had left the window
        by then.

        Costs time linear in the entries of past and window.

        Args:
            ticks: the tick.
            window: the window of the reasoner.

        Raises:
            ForgottenTimeError: the tick is before the remembered past, or in the future.
        """
        step = self.step
        assert step is not None, "a time is of the kind of a step before"
        begun = next(chain(self.past.entries(), self.log), None)
        first = step.now if begun is None else begun.ticks
        if not (self.past.reaches(ticks) and first <= ticks <= step.now):
            known_from = first if self.past.known_from is None else max(first, self.past.known_from)
            times = (time_of(tick, step.kind) for tick in (ticks, known_from, step.now))
            at, start, now = (show_time(at if begun is None else in_zone_of(at, begun.at)) for at in times)
            raise ForgottenTimeError(f"the time {at}", f"one in window and history, {start} to {now}", start)
        log = self.past.log_at(ticks, self.log)
        newest, arrival = log.newest, None
        repairs: ByLevel[PastRepair] = ByLevel()
        if newest is not None:  # the model's part of the undo record is added when a model is built
            first_level = log.timeline.first_level
            repairs = ByLevel.of(self.repairs.from_level(first_level).below(newest.level + 1), first_level)
            repair, nothing = self.repair_of(newest.level), np.empty(0, np.int32)
            undecided = 0 if repair is None else repair.undecided_facts
            known = newest.cut, repair is not None, undecided
            arrival = Arrival(newest.level, newest.facts, nothing, *known)
        then = window.step_at(step.kind, ticks)
        return StreamHistory(
            log, then, arrival, repairs, self.counters, self.messages, PastEntries(self.past.bounds)
        )

    def traces(self, fact: Fact) -> tuple[FactTrace, ...]:
        """Return for each assertion of a fact in past and window its arrival and its end, oldest first."""
        return tuple(self.past.traces(fact, self.log))

    def repair_of(self, level: int) -> Repair | None:
        """Return the repair at the arrival of the ABox of a level; None if there was none or it is not
        remembered.
        """
        found = self.repairs.at_level(level)
        return None if found is None else found.repair

    # -- their terms (engine/memory.py) --------------------------------------------------------

    def used_terms(self, used: UsedTerms) -> int:
        """Mark the symbols and terms of past and log. Returns the number of facts, in which each entry counts
        for some facts more.
        """
        stored = 0
        for batch in _batches(chain(self.past.entries(), self.log)):
            facts = np.concatenate([part for entry in batch for part in (entry.facts, entry.cut)])
            used.add(facts)
            for entry in batch:
                used.add_forms(entry.forms)
            stored += len(facts) + FACTS_PER_TERM * len(batch)
        return stored

    def renamed(self, renaming: Renaming) -> StreamHistory:
        """Return the history with new term numbers. Its repairs keep the lexicon in which they were made."""
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
    """Yield the entries in batches of consecutive entries, with at most BATCH facts where entries are
    small.
    """
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
    """Writer to the history sink. Warns at the first failure, then each time the failures have doubled."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._failed = self._warned_at = 0

    def write(
        self, history: StreamHistory, vocabulary: Vocabulary, least: int | None = None
    ) -> StreamHistory:
        """Write the ABoxes that have left the past to the sink; returns the history without them.

        If they are less than a batch, the history is returned unchanged. If the sink fails, the records are
        kept up to the bound of bytes of the history; older ones are lost and counted.

        Args:
            history: the history after a step.
            vocabulary: decodes the numbers of the history.
            least: the size of a batch, in assertions; by default the attribute `batch` of the sink, or 1.
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
        except Exception as error:  # any error of a foreign sink: the stream continues
            return self._after_failure(history, error)
        self._failed = self._warned_at = 0
        return replace(history, past=past.without_due(len(past.due)))

    def _after_failure(self, history: StreamHistory, error: Exception) -> StreamHistory:
        """Return the history after a failure of the sink: unwritten records are kept, up to the bound of
        bytes.
        """
        past, lost = history.past, 0
        size = sum(departure.bytes for departure in past.due)
        while size > max(self._history.max_bytes, past.due[-1].bytes):
            size -= past.due[lost].bytes
            lost += 1
        gone = sum(len(departure.entries) for departure in past.due[:lost])
        self._failed += 1
        if gone or self._failed >= 2 * self._warned_at:
            self._warned_at = self._failed
            what = f"; {counted(gone, 'timestamp')} dropped, not written: too many bytes wait" if gone else ""
            _log.warning("the history's sink %r failed: %r%s", self._history.sink, error, what)
        counters = history.counters.plus(Counters(unwritten=gone))
        return replace(history, past=past.without_due(lost), counters=counters)

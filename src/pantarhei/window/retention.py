"""Limits of memory, and the retained entries of the history, which have left the window.

    time      1   2   3   4   5   6   7   8           range = 3, now = 8
    window                    [-----------]
    history   x   x   x   x                           4 left at 8, 3 left at 7; the window at 6 had 3 to 6

With `on_limit="drop"` the oldest timestamps are evicted before they expire. The remaining window is that of a
reasoner whose window begins at the oldest retained timestamp: older facts influence neither the facts that a
window has from a timestamp on (PB26 Prop. 2) nor the assertions that a repair keeps there (PB26 Lemma 2).

Entries that leave the window move from the log to the history, with the tick at which they left and with
their cuts. So the log at an older tick consists of the entries that had arrived by then and had not yet left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from pantarhei.encoding.numbers import Fact
from pantarhei.errors import MemoryLimitError, OptionError
from pantarhei.model.time import TimePoint, show_time
from pantarhei.window.log import Entry, Log, trace

STEPS = 1000
MAX_BYTES = 16_000_000

# The history is shortened once it exceeds its bounds by one sixteenth.
_SLACK = 16


@dataclass(frozen=True, slots=True)
class History:
    """Bounds of the history: of the ABoxes that have left the window and are retained.

    Args:
        steps: ABoxes that left during the last `steps` arrivals are retained, and up to a sixteenth more; 0
            retains none.
        max_bytes: maximum size in bytes.
        sink: receives the records of entries that leave the history, oldest first: a `NDJSONSink`, a
            `ParquetSink`, or any function of a list of `HistoryRecord`; None discards them.

    Raises:
        OptionError: a number is not a whole number from 0 on, or the sink is not callable.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> [gone.removed_at for gone in reasoner.why_not(gas).gone]  # from the history
    [2]
    >>> pr.History(steps=10_000)
    History(steps=10000, max_bytes=16000000, sink=None)
    """

    steps: int = STEPS
    max_bytes: int = MAX_BYTES
    sink: Callable[[list[Any]], object] | None = None

    def __post_init__(self) -> None:
        for name in ("steps", "max_bytes"):
            given = getattr(self, name)
            if type(given) is not int or given < 0:
                raise OptionError(name, repr(given), "a whole number from 0 on")
        if self.sink is not None and not callable(self.sink):
            raise OptionError(
                "sink", repr(self.sink)[:100], "a NDJSONSink, a ParquetSink, a function or None"
            )


class Departure(NamedTuple):
    """Entries that left the window in one step.

    Args:
        ticks: time of the step, in ticks.
        arrivals_before: number of ABoxes that had arrived before the step.
        entries: the entries, oldest first.
        early: levels of the entries that were evicted because of a limit.
        bytes: size of the entries in bytes.
    """

    ticks: int
    arrivals_before: int
    entries: Sequence[Entry]
    early: tuple[int, ...]
    bytes: int


# Linked list of departures, newest first: the last departure, and the list of the others.
_Linked = tuple[Departure, Any] | None


class PastEntries(NamedTuple):
    """Retained entries that have left the window. Immutable: a change returns a new value that shares parts.

    Adding a departure costs O(1) amortized: recent departures form a linked list, which is converted to a
    tuple when it becomes long.

    Args:
        bounds: the bounds.
        settled: departures, oldest first.
        recent: later departures as a linked list, newest first.
        recent_count: number of departures in the linked list.
        bytes: size of all retained departures in bytes.
        known_from: tick from which on the window can be reconstructed; None for the beginning of the stream.
        due: departures beyond the bounds that the sink has not received yet, oldest first.
    """

    bounds: History
    settled: tuple[Departure, ...] = ()
    recent: _Linked = None
    recent_count: int = 0
    bytes: int = 0
    known_from: int | None = None
    due: tuple[Departure, ...] = ()

    # -- change ------------------------------------------------------------------------------------

    def with_departure(
        self, ticks: int, arrivals: int, outside: Sequence[Entry], early: Sequence[Entry], size: int
    ) -> PastEntries:
        """Add the entries that left the window in a step.

        Args:
            ticks: time of the step, in ticks.
            arrivals: number of ABoxes that had arrived before the step.
            outside: the entries that expired.
            early: the entries that were evicted.
            size: size of all these entries in bytes.
        """
        entries, levels = outside, tuple[int, ...]()
        if early:
            entries = sorted((*outside, *early), key=lambda entry: entry.level)
            levels = tuple(entry.level for entry in early)
        bounds, settled, recent, waiting, total_bytes, known_from, due = self
        waiting, total_bytes = waiting + 1, total_bytes + size
        recent = Departure(ticks, arrivals, entries, levels, size), recent
        past = PastEntries(bounds, settled, recent, waiting, total_bytes, known_from, due)
        if waiting * _SLACK > bounds.steps or total_bytes > bounds.max_bytes:
            return past._shortened(arrivals - bounds.steps, bounds.max_bytes)
        return past

    def within(self, size: int) -> PastEntries:
        """Remove the oldest entries until at most `size` bytes are left; removed entries become due for the
        sink.
        """
        return self if self.bytes <= max(0, size) else self._shortened(-1, max(0, size))

    def with_bounds(self, bounds: History, arrivals: int) -> PastEntries:
        """Return the entries within other bounds.

        Args:
            bounds: the new bounds.
            arrivals: number of ABoxes that have arrived so far.
        """
        return self._replace(bounds=bounds)._shortened(arrivals - 1 - bounds.steps, bounds.max_bytes)

    def _shortened(self, oldest: int, most_bytes: int) -> PastEntries:
        """Convert the linked list, and remove the oldest departures.

        Args:
            oldest: departures with `arrivals_before` up to this number are removed.
            most_bytes: further departures are removed until at most this size is left.
        """
        departures = tuple(self.departures())
        first, left = 0, self.bytes
        room = most_bytes - most_bytes // _SLACK if left > most_bytes else most_bytes
        while first < len(departures) and (departures[first].arrivals_before <= oldest or left > room):
            left -= departures[first].bytes
            first += 1
        known_from = departures[first - 1].ticks if first else self.known_from
        due = (*self.due, *departures[:first]) if first and self.bounds.sink is not None else self.due
        return PastEntries(self.bounds, departures[first:], None, 0, left, known_from, due)

    def without_due(self, count: int) -> PastEntries:
        """Remove the first `count` due departures, which the sink has received."""
        return self._replace(due=self.due[count:])

    def renamed(self, entries: Iterator[Entry]) -> PastEntries:
        """Replace all entries by others, given in the order of `entries`."""

        def of(departures: Iterable[Departure]) -> tuple[Departure, ...]:
            return tuple(each._replace(entries=[next(entries) for _ in each.entries]) for each in departures)

        due, settled = of(self.due), of(self.departures())
        return PastEntries(self.bounds, settled, None, 0, self.bytes, self.known_from, due)

    # -- reading -----------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        """Test whether an entry is retained, or due for the sink."""
        return bool(self.settled or self.recent or self.due)

    @property
    def timestamps(self) -> int:
        """Number of retained timestamps. Costs linear time in the departures."""
        return sum(len(departure.entries) for departure in self.departures())

    def fewer_than(self, before: PastEntries) -> int:
        """Return how many timestamps fewer than `before` are retained. Costs O(1) if both are identical."""
        return 0 if self is before else before.timestamps - self.timestamps

    def departures(self) -> Iterator[Departure]:
        """Iterate over the retained departures, oldest first, without those due for the sink."""
        newest_first, linked = [], self.recent
        while linked is not None:
            departure, linked = linked
            newest_first.append(departure)
        return chain(self.settled, reversed(newest_first))

    def entries(self) -> Iterator[Entry]:
        """Yield all entries, oldest first; entries due for the sink are the oldest."""
        for departure in chain(self.due, self.departures()):
            yield from departure.entries

    def first_level(self, log: Log) -> int:
        """Return the level of the oldest entry in the history; of `log` if the history is empty."""
        oldest = next(self.entries(), None) if self else None
        return log.timeline.first_level if oldest is None else oldest.level

    def reaches(self, ticks: int) -> bool:
        """Test whether the window at a tick can be reconstructed."""
        return self.known_from is None or ticks >= self.known_from

    def log_at(self, ticks: int, log: Log) -> Log:
        """Return the log after the last step at or before a tick, for which `reaches` is true.

        Costs linear time in the entries of history and window.

        Args:
            ticks: the tick.
            log: the present log.
        """
        left_later = [entry for each in self.departures() if each.ticks > ticks for entry in each.entries]
        first_level = left_later[0].level if left_later else log.timeline.first_level
        return Log.of((entry for entry in chain(left_later, log) if entry.ticks <= ticks), first_level)

    def traces(self, fact: Fact, log: Log) -> Iterator[FactTrace]:
        """Yield what happened to each known assertion of a fact, oldest first.

        Costs a scan of two bytes for each fact in history and window.

        Args:
            fact: the fact.
            log: the present log.
        """
        entries = [*self.entries(), *log]
        left = {
            entry.level: (departure.ticks, entry.level in departure.early)
            for departure in chain(self.due, self.departures())
            for entry in departure.entries
        }
        found = trace(entries, np.array([fact], np.int32))
        for place, cut_at in dict(zip(found.places.tolist(), found.cut_at.tolist(), strict=True)).items():
            ticks, early = left.get(entries[place].level, (None, False))
            by = entries[cut_at] if cut_at < len(entries) else None
            if by is not None and ticks is not None and ticks <= by.ticks:
                by = None  # the asserting ABox had left before the cut
            yield FactTrace(entries[place], by, ticks, early)

    def check_invariants(self) -> None:
        """Assert that levels and times ascend and that sizes are sums over the entries. For tests."""
        departures = [*self.due, *self.departures()]
        levels = [entry.level for departure in departures for entry in departure.entries]
        assert levels == sorted(set(levels)), "levels do not ascend"
        times = [departure.ticks for departure in departures]
        assert times == sorted(times), "departures do not ascend"
        assert all(departure.entries for departure in departures), "a departure has no entry"
        sizes = [sum(entry.bytes for entry in each.entries) for each in departures]
        assert sizes == [departure.bytes for departure in departures], "bytes are not those of the entries"
        assert self.bytes == sum(departure.bytes for departure in self.departures())
        assert self.bytes <= self.bounds.max_bytes, "the entries exceed max_bytes"


class FactTrace(NamedTuple):
    """Assertion of a fact, with the reason why it is no longer in the window.

    Args:
        asserted: the ABox that asserts the fact.
        cut_by: the ABox whose arrival cut the fact while it was in the window; None if none did.
        left: tick at which the asserting ABox left the window, whether the fact was cut before or not; None
            if the ABox is in the window.
        early: true if the asserting ABox was evicted because of a limit.
    """

    asserted: Entry
    cut_by: Entry | None
    left: int | None
    early: bool


OnLimit = Literal["error", "drop"]

# During a push, before its repair and eviction, the limit of facts is higher by an eighth and this number.
SLACK = 1024

# Shares of the older assertions to retain, at consecutive attempts of a push that exceeds a limit.
_SHARES = (Fraction(7, 8), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(0))

# Name of a limit, its value, and the value that exceeds it.
Exceeded = tuple[str, int, int]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a reasoner's memory after a push.

    Args:
        max_facts: facts of the materialization, background included; None for no limit.
        max_bytes: bytes as `Stats.bytes` counts them; None for no limit.
        on_limit: `"error"` refuses a push that exceeds a limit, `"drop"` evicts the oldest timestamps.

    Raises:
        OptionError: an option has an invalid value.

    >>> Limits(max_bytes=2_000_000_000, on_limit="drop")
    Limits(max_facts=None, max_bytes=2000000000, on_limit='drop')
    """

    max_facts: int | None = None
    max_bytes: int | None = None
    on_limit: OnLimit = "error"

    def __post_init__(self) -> None:
        for name in ("max_facts", "max_bytes"):
            given = getattr(self, name)
            if given is not None and (type(given) is not int or given < 1):
                raise OptionError(name, repr(given), "a whole number from 1 on, or None for no limit")
        if self.on_limit not in get_args(OnLimit):
            raise OptionError("on_limit", repr(self.on_limit), " or ".join(map(repr, get_args(OnLimit))))

    def __bool__(self) -> bool:
        """Test whether there is a limit."""
        return self.max_facts is not None or self.max_bytes is not None

    @property
    def drops(self) -> bool:
        """True if the oldest timestamps are evicted when a limit is exceeded."""
        return self.on_limit == "drop"

    @property
    def most_facts_on_the_way(self) -> int | None:
        """Maximum number of facts during a push, before repair and eviction; None without a limit."""
        return None if self.max_facts is None else self.max_facts + self.max_facts // 8 + SLACK

    def exceeded(self, facts: int, bytes: int) -> Exceeded | None:
        """Return the first limit that a number of facts or bytes exceeds; None if there is none."""
        if self.max_facts is not None and facts > self.max_facts:
            return "max_facts", self.max_facts, facts
        if self.max_bytes is not None and bytes > self.max_bytes:
            return "max_bytes", self.max_bytes, bytes
        return None

    def exceeded_by(self, facts: int, bytes: int) -> Exceeded:
        """Return the limit that a model exceeded during a push, where its size is only partly known."""
        by_facts = self.exceeded(facts, 0)
        if by_facts is not None:
            return by_facts
        assert self.max_bytes is not None, "max_bytes is the only limit left"
        return "max_bytes", self.max_bytes, max(bytes, self.max_bytes + 1)

    def error(self, exceeded: Exceeded, at: TimePoint | None, beside: int = 0) -> MemoryLimitError:
        """Return the error that a push, or the background, exceeds a limit.

        Args:
            at: timestamp of the push; None for the background.
            beside: size of temporal rules and registered queries in bytes.
        """
        name, most, needed = exceeded
        return MemoryLimitError(name, most, needed, None if at is None else show_time(at), self.drops, beside)


NO_LIMITS = Limits()


def later_starts(older: Sequence[Entry], end: int) -> Iterator[int]:
    """Yield levels at which the window may start after an eviction, ascending; the last one is `end`.

    Each start retains a smaller share of the assertions in `older`. Costs linear time in the entries.
    """
    total = sum(len(entry.facts) for entry in older)
    last = older[0].level if older else end
    for share in _SHARES:
        level, kept = end, 0
        for entry in reversed(older):
            kept += len(entry.facts)
            if kept > share * total:
                break
            level = entry.level
        if level > last:
            last = level
            yield level


def parse_bytes(text: str) -> int:
    """Parse a number of bytes with an optional unit.

    Raises:
        OptionError: the text is not a number of bytes.

    >>> parse_bytes("200MB"), parse_bytes("1.5 GiB"), parse_bytes("4096")
    (200000000, 1610612736, 4096)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmg]i?)?b?\s*", text.lower())
    if found is None:
        raise OptionError("max_bytes", repr(text), "a number of bytes, such as 200MB, 1.5GiB or 4096")
    return int(Fraction(found[1]) * _UNITS[found[2] or ""])

"""How much a reasoner may hold, and what becomes of a push that would leave more.

With `on_limit="drop"` the oldest partitions leave before their time. What stays is what a reasoner has whose
window begins at the oldest timestamp kept: nothing older takes part in what a window holds from a timestamp
on (PB26 Prop. 2), nor in what a repair keeps of it (PB26 Lemma 2).

The history: what left the window of late, and how the window stood then.

    time      1   2   3   4   5   6   7   8           range = 3, now = 8
    window                    [-----------]
    history   x   x   x   x                           4 left at 8, 3 at 7; the window at 6 had 3 to 6

What leaves goes on from the log to the past, entry by entry, with the tick at which it left. The cuts stand
in the entries. So the log of an older time is there without being kept: it is made of the entries that had
come by then and had not left.
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

# A history is shortened once it is longer than its bounds by one part in so many.
_SLACK = 16


@dataclass(frozen=True, slots=True)
class History:
    """How much a reasoner remembers of what has left its window.

    Args:
        steps: what left while so many ABoxes came is kept, and up to a sixteenth more; 0 keeps nothing.
        max_bytes: how many bytes it may take.
        sink: takes what leaves the history, oldest first: a `NDJSONSink`, a `ParquetSink`, or anything that
            can be called with a list of `HistoryRecord`; None lets it go.

    Raises:
        OptionError: one of these is no whole number from 0 on, or the sink cannot be called.
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
    """What left the window at one step.

    Args:
        ticks: where time came to.
        came: how many ABoxes had come before the step.
        entries: what left, oldest first.
        early: the levels of those that were still inside, and left because of a limit.
        bytes: what the entries take.
    """

    ticks: int
    came: int
    entries: Sequence[Entry]
    early: tuple[int, ...]
    bytes: int


# The newest departures as a chain: the last one, and those before it.
_Linked = tuple[Departure, Any] | None


class PastEntries(NamedTuple):
    """What has left the window and is remembered. A value: a change makes another, sharing what it can.

    A further departure costs O(1) on average: it is only linked to those before it, and they are settled
    together once there are many.

    Args:
        bounds: how much is kept.
        settled: departures, oldest first.
        recent: those after them, linked, the newest one first.
        waiting: how many are linked.
        bytes: what settled and linked ones take.
        known_from: the tick from which on the window is known; None for the beginning of the stream.
        due: departures beyond the bounds that no sink has taken yet, oldest first.
    """

    bounds: History
    settled: tuple[Departure, ...] = ()
    recent: _Linked = None
    waiting: int = 0
    bytes: int = 0
    known_from: int | None = None
    due: tuple[Departure, ...] = ()

    # -- change ------------------------------------------------------------------------------------

    def with_departure(
        self, ticks: int, came: int, outside: Sequence[Entry], early: Sequence[Entry], size: int
    ) -> PastEntries:
        """The past with what a step let leave.

        Args:
            ticks: where time came to.
            came: how many ABoxes had come before the step.
            outside: what left because it is outside.
            early: what left before its time.
            size: how many bytes they all take.
        """
        entries, levels = outside, tuple[int, ...]()
        if early:
            entries = sorted((*outside, *early), key=lambda entry: entry.level)
            levels = tuple(entry.level for entry in early)
        bounds, settled, recent, waiting, whole, known_from, due = self
        waiting, whole = waiting + 1, whole + size
        recent = Departure(ticks, came, entries, levels, size), recent
        past = PastEntries(bounds, settled, recent, waiting, whole, known_from, due)
        if waiting * _SLACK > bounds.steps or whole > bounds.max_bytes:
            return past._shortened(came - bounds.steps, bounds.max_bytes)
        return past

    def within(self, size: int) -> PastEntries:
        """The past shortened until it takes no more than `size` bytes; what leaves it is due for the sink."""
        return self if self.bytes <= max(0, size) else self._shortened(-1, max(0, size))

    def keeping(self, bounds: History, came: int) -> PastEntries:
        """The past with other bounds.

        Args:
            bounds: those that hold from now on.
            came: how many ABoxes have come.
        """
        return self._replace(bounds=bounds)._shortened(came - 1 - bounds.steps, bounds.max_bytes)

    def _shortened(self, oldest: int, most_bytes: int) -> PastEntries:
        """All settled, without what left before more than `oldest` ABoxes had come, with room for more."""
        departures = tuple(self.departures())
        first, left = 0, self.bytes
        room = most_bytes - most_bytes // _SLACK if left > most_bytes else most_bytes
        while first < len(departures) and (departures[first].came <= oldest or left > room):
            left -= departures[first].bytes
            first += 1
        known_from = departures[first - 1].ticks if first else self.known_from
        due = (*self.due, *departures[:first]) if first and self.bounds.sink is not None else self.due
        return PastEntries(self.bounds, departures[first:], None, 0, left, known_from, due)

    def written(self, count: int) -> PastEntries:
        """The past once `count` of the departures that were due are not any more."""
        return self._replace(due=self.due[count:])

    def renamed(self, entries: Iterator[Entry]) -> PastEntries:
        """The past with these entries in the place of `entries()`."""

        def of(departures: Iterable[Departure]) -> tuple[Departure, ...]:
            return tuple(each._replace(entries=[next(entries) for _ in each.entries]) for each in departures)

        due, settled = of(self.due), of(self.departures())
        return PastEntries(self.bounds, settled, None, 0, self.bytes, self.known_from, due)

    # -- look --------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        """Whether anything is remembered, or due for the sink."""
        return bool(self.settled or self.recent or self.due)

    @property
    def timestamps(self) -> int:
        """How many timestamps are remembered. Costs their number."""
        return sum(len(departure.entries) for departure in self.departures())

    def fewer_than(self, before: PastEntries) -> int:
        """How many timestamps less than before it was shortened. Costs O(1) if it was not."""
        return 0 if self is before else before.timestamps - self.timestamps

    def departures(self) -> Iterator[Departure]:
        """Oldest first; without those that are due."""
        newest_first, linked = [], self.recent
        while linked is not None:
            departure, linked = linked
            newest_first.append(departure)
        return chain(self.settled, reversed(newest_first))

    def entries(self) -> Iterator[Entry]:
        """All that is there, oldest first; what is due for the sink comes first."""
        for departure in chain(self.due, self.departures()):
            yield from departure.entries

    def first_level(self, log: Log) -> int:
        """The level of the oldest entry that is there, in the past or in `log`, which follows it."""
        oldest = next(self.entries(), None) if self else None
        return log.timeline.first_level if oldest is None else oldest.level

    def reaches(self, ticks: int) -> bool:
        """Whether it is known how the window stood at a tick, as far as what has left goes."""
        return self.known_from is None or ticks >= self.known_from

    def log_at(self, ticks: int, log: Log) -> Log:
        """The log as it stood after the last step at or before a tick that the past reaches.

        Costs the entries of past and window.

        Args:
            ticks: the tick.
            log: the log as it stands now.
        """
        there = [entry for each in self.departures() if each.ticks > ticks for entry in each.entries]
        first_level = there[0].level if there else log.timeline.first_level
        return Log.of((entry for entry in chain(there, log) if entry.ticks <= ticks), first_level)

    def traces(self, fact: Fact, log: Log) -> Iterator[FactTrace]:
        """What became of each assertion of a fact that is known of, oldest first.

        Costs a look at two bytes of each fact in past and window.

        Args:
            fact: the fact.
            log: the log as it stands now.
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
                by = None  # it had left by then
            yield FactTrace(entries[place], by, ticks, early)

    def check_invariants(self) -> None:
        """Assert that levels and times ascend and that bytes are those of the entries. For tests."""
        departures = [*self.due, *self.departures()]
        levels = [entry.level for departure in departures for entry in departure.entries]
        assert levels == sorted(set(levels)), "levels do not ascend"
        times = [departure.ticks for departure in departures]
        assert times == sorted(times), "departures do not ascend"
        assert all(departure.entries for departure in departures), "nothing left"
        sizes = [sum(entry.bytes for entry in each.entries) for each in departures]
        assert sizes == [departure.bytes for departure in departures], "bytes are not those of the entries"
        assert self.bytes == sum(departure.bytes for departure in self.departures())
        assert self.bytes <= self.bounds.max_bytes, "it takes more than it may"


class FactTrace(NamedTuple):
    """What became of one assertion of a fact.

    Args:
        asserted: the ABox that has it.
        cut_by: the ABox whose arrival cut it out of the window; None if none did.
        left: the tick at which its ABox left the window; None if it is there still. What was cut before is
            not part of the window any more.
        early: whether it left before its time, because of a limit.
    """

    asserted: Entry
    cut_by: Entry | None
    left: int | None
    early: bool


OnLimit = Literal["error", "drop"]

# While a push is under way there may be more facts, until its repair and the dropping of partitions: an
# eighth, and so many.
SLACK = 1024

# Which share of the older assertions stays, at one attempt after the other, where a push cannot go through.
_SHARES = (Fraction(7, 8), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(0))

# A limit's name, what it allows, and what there is.
Exceeded = tuple[str, int, int]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a reasoner may hold after a push.

    Args:
        max_facts: facts of the materialization, the background's among them; None for no limit.
        max_bytes: bytes as `Stats.bytes` counts them; None for no limit.
        on_limit: `"error"` refuses what would leave more, `"drop"` lets the oldest timestamps go for it.

    Raises:
        OptionError: one has no such value.
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
        """Whether there is a limit."""
        return self.max_facts is not None or self.max_bytes is not None

    @property
    def drops(self) -> bool:
        """Whether timestamps leave early where there is too much."""
        return self.on_limit == "drop"

    @property
    def most_facts_on_the_way(self) -> int | None:
        """How many facts there may be while a push is under way."""
        return None if self.max_facts is None else self.max_facts + self.max_facts // 8 + SLACK

    def exceeded(self, facts: int, bytes: int) -> Exceeded | None:
        """The limit that facts or bytes are beyond."""
        if self.max_facts is not None and facts > self.max_facts:
            return "max_facts", self.max_facts, facts
        if self.max_bytes is not None and bytes > self.max_bytes:
            return "max_bytes", self.max_bytes, bytes
        return None

    def exceeded_by(self, facts: int, bytes: int) -> Exceeded:
        """The limit that a model of so many facts and bytes was beyond while a push was under way."""
        by_facts = self.exceeded(facts, 0)
        if by_facts is not None:
            return by_facts
        assert self.max_bytes is not None, "something has a limit"
        return "max_bytes", self.max_bytes, max(bytes, self.max_bytes + 1)

    def error(self, exceeded: Exceeded, at: TimePoint | None, beside: int = 0) -> MemoryLimitError:
        """The error for a push at `at`, or for the background.

        Args:
            beside: how many bytes temporal rules and registered queries hold.
        """
        name, most, needed = exceeded
        return MemoryLimitError(name, most, needed, None if at is None else show_time(at), self.drops, beside)


NO_LIMITS = Limits()


def later_starts(older: Sequence[Entry], end: int) -> Iterator[int]:
    """The levels to begin at, one after the other, where a push has no room beside `older`; `end` is last.

    Each keeps a smaller share of the assertions. Costs a look at each entry.
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
    """A number of bytes: `200MB`, `1.5 GiB`, `4096`.

    Raises:
        OptionError: it is none.

    >>> parse_bytes("200MB"), parse_bytes("1.5 GiB"), parse_bytes("4096")
    (200000000, 1610612736, 4096)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmg]i?)?b?\s*", text.lower())
    if found is None:
        raise OptionError("max_bytes", repr(text), "a number of bytes, such as 200MB, 1.5GiB or 4096")
    return int(Fraction(found[1]) * _UNITS[found[2] or ""])

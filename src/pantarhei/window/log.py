"""Log of the window: the asserted facts and the facts that repairs removed, with one entry for each
timestamp.

The log is the ground truth from which the window model is derived. The arrival of an ABox may cut facts. A
cut removes all occurrences of the fact in the entry of the ABox and in older entries. A later assertion of
the fact is not affected.

A timeline orders the entries by level and tick. The level is the ordinal number of a timestamp in the stream:
0, 1, 2, … The window model stores levels; boundaries and timers use ticks. Log and timeline are immutable: a
change returns a new value that shares unchanged parts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise, takewhile
from operator import attrgetter, sub
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.encoding.numbers import (
    NO_FACTS,
    NO_FORMS,
    NONE,
    Fact,
    Forms,
    Integers,
    as_tuples,
    hash_keys,
    signed,
    smallest_type,
)
from pantarhei.materialize.kernel_values import LevelChanges
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint
from pantarhei.window.sliding import Step

_CHUNK = 512
_LEVEL, _TICKS = attrgetter("level"), attrgetter("ticks")


class HasLevel(Protocol):
    """Value of a timestamp."""

    @property
    def level(self) -> int: ...


_V = TypeVar("_V", bound=HasLevel)


@dataclass(frozen=True, slots=True)
class ByLevel(Generic[_V]):
    """Values in chunks of 512, by ascending level. Immutable. A change costs O(n / 512 + 512) for n values.

    Args:
        chunks: the values, oldest first; no chunk is empty.
        first_level: lower bound of the levels.
    """

    chunks: tuple[tuple[_V, ...], ...] = ()
    first_level: int = 0

    @classmethod
    def of(cls, values: Iterable[_V], first_level: int = 0) -> Self:
        """Build a sequence from values in ascending order, none below `first_level`. Costs linear time."""
        given = tuple(values)
        return cls(tuple(given[i : i + _CHUNK] for i in range(0, len(given), _CHUNK)), first_level)

    # -- change ------------------------------------------------------------------------------------

    def with_newest(self, value: _V) -> Self:
        """Return the sequence with a further value, newer than all others."""
        *full, last = self.chunks or ((),)
        if len(last) == _CHUNK:
            return replace(self, chunks=(*self.chunks, (value,)))
        return replace(self, chunks=(*full, (*last, value)))

    def without_newest(self) -> Self:
        """Return the sequence without its newest value."""
        *full, last = self.chunks
        shorter = last[:-1]
        return replace(self, chunks=(*full, shorter) if shorter else tuple(full))

    def from_level(self, level: int) -> Self:
        """Return the sequence without the values below a level."""
        if level <= self.first_level:
            return self
        first_chunk = bisect_left(self.chunks, level, key=_last_level)
        chunks = self.chunks[first_chunk:]
        if chunks and chunks[0][0].level < level:
            chunks = (chunks[0][bisect_left(chunks[0], level, key=_LEVEL) :], *chunks[1:])
        return replace(self, chunks=chunks, first_level=level)

    # -- reading -----------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Return the number of values n. Costs O(n / 512)."""
        return sum(map(len, self.chunks))

    def __iter__(self) -> Iterator[_V]:
        """Iterate oldest first."""
        return chain.from_iterable(self.chunks)

    @property
    def newest(self) -> _V | None:
        """Newest value; None if there is none."""
        return self.chunks[-1][-1] if self.chunks else None

    def at_level(self, level: int) -> _V | None:
        """Return the value with a level; None if there is none. Costs O(log n)."""
        chunk = bisect_left(self.chunks, level, key=_last_level)
        place = bisect_left(self.chunks[chunk], level, key=_LEVEL) if chunk < len(self.chunks) else 0
        found = self.chunks[chunk][place] if chunk < len(self.chunks) else None
        return found if found is not None and found.level == level else None

    def after(self, level: int) -> Iterator[_V]:
        """Yield the values above a level, oldest first. Costs a binary search, and linear time in these
        values.
        """
        whole = bisect_right(self.chunks, level, key=_last_level)
        for chunk in self.chunks[whole:]:
            yield from chunk[bisect_right(chunk, level, key=_LEVEL) :]

    def below(self, level: int) -> list[_V]:
        """Return the values below a level, oldest first. Costs linear time in the returned values."""
        return list(takewhile(lambda value: value.level < level, self))


def _last_level(chunk: tuple[HasLevel, ...]) -> int:
    return chunk[-1].level


@dataclass(frozen=True, slots=True)
class Timeline(ByLevel["Entry"]):
    """Entries by ascending level and tick."""

    @property
    def next_level(self) -> int:
        """Level of the next timestamp of the stream."""
        return self.chunks[-1][-1].level + 1 if self.chunks else self.first_level

    def at_ticks(self, ticks: int) -> Entry | None:
        """Return the entry with a tick; None if there is none. Costs O(log n)."""
        found = self.at_level(self.first_level_from(ticks))
        return found if found is not None and found.ticks == ticks else None

    def first_level_from(self, ticks: int) -> int:
        """Return the level of the first entry at a tick or later; `next_level` if there is none. Costs O(log
        n).
        """
        if self.chunks and ticks <= self.chunks[0][0].ticks:  # the most frequent case, without a search
            return self.chunks[0][0].level
        chunk = bisect_left(self.chunks, ticks, key=lambda chunk: chunk[-1].ticks)
        if chunk == len(self.chunks):
            return self.next_level
        return self.chunks[chunk][bisect_left(self.chunks[chunk], ticks, key=_TICKS)].level

    def check_invariants(self) -> None:
        """Assert that levels and ticks ascend. Costs a scan of the entries; for tests."""
        entries = list(self)
        assert all(self.chunks), "a chunk is empty"
        for name in ("level", "ticks"):
            values = [getattr(entry, name) for entry in entries]
            assert values == sorted(set(values)), f"{name} does not ascend"
        assert not entries or entries[0].level >= self.first_level, "the first entry is below first_level"


# Size of an entry without the contents of its arrays: objects, array headers, and its slot in a chunk.
_BYTES_AN_ENTRY = 700
# Estimated size of a literal's form: the literal, its key, and a dictionary entry.
_BYTES_A_FORM = 400
_BYTES_A_HASH = 2

# Fewer facts than this are compared one by one in Python.
_FEW = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """ABox of one timestamp, with the facts that its arrival cut.

    Its arrays are copied if they are views of larger arrays.

    Args:
        level: ordinal number of the timestamp in the stream.
        at: the timestamp, as given.
        ticks: the timestamp in ticks.
        facts: the facts, shape (n, 3); a fact may occur twice.
        cut: the facts that the repair removed from the window, this ABox included, shape (m, 3).
        forms: the literals' forms that differ from the first form of their value.
        previous_distances: for each fact the distance in levels to its previous assertion; 0 if there is
            none, or if a repair has cut it since. None if all distances are 0.
        evidence: size in bytes of the evidence for the conflicts of the repair.
    """

    level: int
    at: TimePoint
    ticks: int
    facts: Integers
    cut: Integers
    forms: Forms = NO_FORMS
    previous_distances: npt.NDArray[np.unsignedinteger] | None = None
    evidence: int = 0
    _hashes: npt.NDArray[np.uint16] | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, array in (("facts", self.facts), ("cut", self.cut)):
            if isinstance(array.base, np.ndarray) and array.base.nbytes > array.nbytes:
                object.__setattr__(self, name, array.copy())

    @property
    def bytes(self) -> int:
        """Size in bytes, with `hashes`."""
        arrays = self.facts.nbytes + self.cut.nbytes + _BYTES_A_HASH * len(self.facts) + self.evidence
        distances = 0 if self.previous_distances is None else self.previous_distances.nbytes
        forms = len(self.forms.by_fact) + len(self.forms.by_pair)
        return _BYTES_AN_ENTRY + _BYTES_A_FORM * forms + arrays + distances

    @property
    def hashes(self) -> npt.NDArray[np.uint16]:
        """16-bit hash of each fact; computed on first access."""
        if self._hashes is None:
            object.__setattr__(self, "_hashes", _short_hash(hash_keys(self.facts)).astype(np.uint16))
        assert self._hashes is not None
        return self._hashes

    def levels_before(self, facts: Integers) -> npt.NDArray[np.int64]:
        """Return the level of the previous assertion of some facts of the ABox; -1 if there is none.

        Costs a scan of the hashes, two bytes for each fact of the ABox.
        """
        levels = np.full(len(facts), -1, np.int64)
        if self.previous_distances is None:
            return levels
        searched = {fact: place for place, fact in enumerate(as_tuples(facts))}
        if len(self.facts) < _FEW:  # a loop is faster than arrays
            for fact, distance in zip(as_tuples(self.facts), self.previous_distances.tolist(), strict=True):
                if distance and fact in searched:
                    levels[searched[fact]] = self.level - distance
            return levels
        has_hash = np.zeros(1 << 16, bool)
        has_hash[_short_hash(hash_keys(facts))] = True
        for place in np.flatnonzero(has_hash[self.hashes] & (self.previous_distances > 0)).tolist():
            found = searched.get(tuple(self.facts[place].tolist()))
            if found is not None:
                levels[found] = self.level - int(self.previous_distances[place])
        return levels


def linked(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries of a log, oldest first, with computed `Entry.previous_distances`. Costs a sort."""
    facts, places = _concatenated(entry.facts for entry in entries)
    cuts, cut_places = _concatenated(entry.cut for entry in entries)
    every, of_places = np.concatenate([facts, cuts]), np.concatenate([places, cut_places])
    is_cut = np.arange(len(every)) >= len(facts)
    order = np.lexsort((is_cut, of_places, *every.T))  # assertions of an entry precede its cuts
    follows = np.zeros(len(every), bool)  # the preceding row is an assertion of the same fact
    follows[1:] = np.all(every[order[1:]] == every[order[:-1]], axis=1) & ~is_cut[order[:-1]]
    levels = np.array([entry.level for entry in entries], np.int64)
    distances = np.zeros(len(every), np.int64)
    before = order[np.flatnonzero(follows) - 1]
    distances[order[follows]] = levels[of_places[order[follows]]] - levels[of_places[before]]
    ends = np.searchsorted(places, np.arange(len(entries) + 1))
    return [
        replace(entry, previous_distances=smallest_type(distances[start:end]))
        for entry, (start, end) in zip(entries, pairwise(ends.tolist()), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Log:
    """Entries of the window in time order, with sums over them. Immutable.

    A change costs a change of the timeline, and linear time in the entries that leave.

    Args:
        timeline: the entries.
        assertions: total number of facts.
        bytes: total size in bytes.
        evidence: the part of `bytes` for evidence of conflicts.
    """

    timeline: Timeline = field(default_factory=Timeline)
    assertions: int = 0
    bytes: int = 0
    evidence: int = 0

    @classmethod
    def of(cls, entries: Iterable[Entry], first_level: int = 0) -> Log:
        """Build a log from entries in ascending order, none below `first_level`. Costs linear time in the
        entries.
        """
        given = tuple(entries)
        return cls(Timeline.of(given, first_level), *_size(given))

    def with_entry(self, entry: Entry) -> Log:
        """Return the log with a further entry, newer than all others."""
        assertions, size = self.assertions + len(entry.facts), self.bytes + entry.bytes
        return Log(self.timeline.with_newest(entry), assertions, size, self.evidence + entry.evidence)

    def without_newest(self) -> Log:
        """Return the log without its newest entry."""
        newest = self.newest
        assert newest is not None, "there is an entry"
        return Log(self.timeline.without_newest(), *map(sub, self._sums, _size([newest])))

    def from_level(self, level: int) -> Log:
        """Return the log without the entries below a level."""
        return self.split(level)[1]

    def split(self, level: int) -> tuple[list[Entry], Log]:
        """Return the entries below a level, oldest first, and the log without them."""
        if level <= self.timeline.first_level:
            return [], self
        left = self.timeline.below(level)
        assertions, size, evidence = _size(left)
        sums = self.assertions - assertions, self.bytes - size, self.evidence - evidence
        return left, Log(self.timeline.from_level(level), *sums)

    def with_less_evidence(self, most: int) -> Log:
        """Return the log with at most `most` bytes of evidence, apart from the newest entry, which keeps its
        evidence.

        The oldest entries lose their evidence first. Costs linear time in the entries.
        """
        entries, left = list(self), self.evidence
        for place, entry in enumerate(entries[:-1]):
            if left <= most:
                break
            left -= entry.evidence
            entries[place] = replace(entry, evidence=0)
        return Log.of(entries, self.timeline.first_level)

    @property
    def _sums(self) -> tuple[int, int, int]:
        return self.assertions, self.bytes, self.evidence

    @property
    def newest(self) -> Entry | None:
        """Newest entry; None if there is none."""
        return self.timeline.newest

    def __iter__(self) -> Iterator[Entry]:
        """Iterate oldest first."""
        return iter(self.timeline)

    def kept(self) -> Iterator[tuple[Entry, Integers]]:
        """Yield each entry, newest first, with its facts that no repair cut. Costs a sort of the facts."""
        return self.occurrences(np.concatenate([NO_FACTS, *(entry.facts for entry in self)]))

    def occurrences(self, facts: Integers) -> Iterator[tuple[Entry, Integers]]:
        """Yield each entry, newest first, with those of its uncut facts that are in `facts`.

        Costs a scan of the hashes, two bytes for each fact in the log.
        """
        entries = list(self)
        found = trace(entries, facts)
        kept = found.cut_at == len(entries)
        rows, places = found.facts[kept], found.places[kept]
        ends = np.searchsorted(places, np.arange(len(entries) + 1)).tolist()
        for place in reversed(range(len(entries))):
            yield entries[place], rows[ends[place] : ends[place + 1]]

    def check_invariants(self) -> None:
        """Assert that the sums are correct. Costs a scan of the entries; for tests."""
        self.timeline.check_invariants()
        assert self._sums == _size(self), "sums are not those of the entries"


def _size(entries: Iterable[Entry]) -> tuple[int, int, int]:
    """Return the number of assertions, the bytes, and the bytes of evidence of entries."""
    assertions = size = evidence = 0
    for entry in entries:
        assertions += len(entry.facts)
        size += entry.bytes
        evidence += entry.evidence
    return assertions, size, evidence


EMPTY_LOG = Log()


class Traces(NamedTuple):
    """Occurrences of facts in entries, and the cuts that removed them.

    Args:
        facts: the asserted facts, shape (n, 3), one row for each occurrence, oldest entry first.
        places: for each occurrence the index of its entry.
        cut_at: for each occurrence the index of the entry whose arrival cut it; the number of entries if
            none.
    """

    facts: Integers
    places: npt.NDArray[np.intp]
    cut_at: npt.NDArray[np.intp]


def trace(entries: Sequence[Entry], facts: Integers) -> Traces:
    """Find the occurrences of facts in entries, given oldest first, and the cuts that removed them.

    Costs a scan of the hashes, two bytes for each fact in the entries.
    """
    searched = _LoggedFacts()
    searched.add(facts)
    asserted, places = _concatenated(
        searched.parts_among([each.facts[searched.maybe(each.hashes)] for each in entries])
    )
    cut, cut_places = _concatenated(searched.parts_among([each.cut for each in entries]))
    numbers = np.unique(np.concatenate([asserted, cut]), axis=0, return_inverse=True)[1].reshape(-1)
    end = len(entries)
    assertions, of_asserted = numbers[: len(asserted)] * (end + 1) + places, numbers[: len(asserted)]
    cuts = np.sort(numbers[len(asserted) :] * (end + 1) + cut_places)
    # the first cut of the fact in its entry or later; if there is none, the cut of another fact, or -1
    first = np.append(cuts, -1)[np.searchsorted(cuts, assertions)]
    return Traces(asserted, places, np.where(first // (end + 1) == of_asserted, first % (end + 1), end))


def _concatenated(parts: Iterable[Integers]) -> tuple[Integers, npt.NDArray[np.intp]]:
    """Concatenate arrays of facts; return the facts, and for each fact the index of its array."""
    each = list(parts)
    places = np.repeat(np.arange(len(each)), [len(part) for part in each])
    return np.concatenate([NO_FACTS, *each]), places


def among(some: Integers, facts: Integers) -> npt.NDArray[np.bool_]:
    """Return a mask of the `facts` that are in `some`; both have shape (n, 3).

    Costs sorting `some`, and linear time in `facts`.
    """
    searched = _LoggedFacts()
    searched.add(some)
    return searched.among(facts)


class _LoggedFacts:
    """Set of facts with a vectorized membership test."""

    def __init__(self) -> None:
        self._facts: set[Fact] = set()
        self._keys = np.empty(0, np.int64)
        self._has_hash = np.empty(0, bool)  # flags of the 16-bit hashes of the keys; computed when needed

    def add(self, facts: Integers) -> None:
        if len(facts):
            self._facts.update(as_tuples(facts))
            self._keys = np.unique(np.concatenate([self._keys, hash_keys(facts)]))
            self._has_hash = np.empty(0, bool)

    def among(self, facts: Integers) -> npt.NDArray[np.bool_]:
        """Return a mask of the facts that are in the set.

        Hashes exclude most other facts; a set of Python tuples decides the rest.
        """
        found = np.zeros(len(facts), bool)
        if len(facts) and len(self._keys):
            keys = hash_keys(facts)
            maybe = self.maybe(_short_hash(keys))  # excludes most facts before the binary search
            maybe = maybe[np.isin(keys[maybe], self._keys)]
            found[maybe] = [fact in self._facts for fact in as_tuples(facts[maybe])]
        return found

    def maybe(self, hashes: npt.NDArray[np.unsignedinteger]) -> npt.NDArray[np.intp]:
        """Return the indexes of the facts that may be in the set, given their 16-bit hashes."""
        if len(self._has_hash) == 0:
            self._has_hash = np.zeros(1 << 16, bool)
            self._has_hash[_short_hash(self._keys)] = True
        return np.flatnonzero(self._has_hash[hashes])

    def parts_among(self, parts: Sequence[Integers]) -> Iterator[Integers]:
        """Return the facts of each array that are in the set. Costs one vectorized test for all arrays."""
        if not parts:
            return iter(())
        all_facts = np.concatenate(parts)
        places = np.flatnonzero(self.among(all_facts))
        ends = np.searchsorted(places, np.cumsum([len(part) for part in parts])).tolist()
        found = all_facts[places]
        return (found[start:end] for start, end in pairwise((0, *ends)))


def _short_hash(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return a 16-bit hash of each 64-bit key."""
    return (keys.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(48)


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of one step in the numbers of the vocabulary. Immutable.

    Args:
        fact_changes: facts that the window model inserted (1) and deleted (-1, last column), shape (n, 4). A
            fact may occur several times; a deletion and an insertion cancel each other.
        entries: the inserted ABoxes, with their cuts; a single step has at most one.
        dropped: the ABoxes that left the window, oldest first.
        levels: facts whose level changed, including inserted and deleted facts; None if no consumer reads
            levels.
        forms: facts whose literal has, or had before the step, another form than the first one of its value,
            with the present form; None for the first form. It may include facts whose form did not change.
        at: time after the step; None for a graph without time.
        step: time and window after the step; None without a window.
        log: the ABoxes in the window after the step.
        is_intermediate: true for the changes of a part of a step, up to a tick at which a consumer is due.
    """

    fact_changes: Integers
    entries: tuple[Entry, ...] = ()
    dropped: tuple[Entry, ...] = ()
    levels: LevelChanges | None = None
    forms: Mapping[Fact, Literal | None] = field(default_factory=dict)
    at: TimePoint | None = None
    step: Step | None = None
    log: Log | None = None
    is_intermediate: bool = False

    @property
    def is_empty(self) -> bool:
        """Test whether nothing was inserted, deleted, asserted or dropped, and no level changed."""
        if len(self.fact_changes) or self.entries or self.dropped:
            return False
        return self.levels is None or not len(self.levels.facts)

    def with_forms(self, forms: Mapping[Fact, Literal | None]) -> Changes:
        """Return the changes with `forms` in place of the present ones."""
        return replace(self, forms=forms) if forms or self.forms else self

    @classmethod
    def of_all(cls, model: WindowModel, sign: int) -> Changes:
        """Return the insertion (`sign` 1) or the deletion (-1) of all facts of a model."""
        facts, levels = model.facts(), None
        if model.records_levels:
            nowhere, known = np.full(len(facts), NONE, np.int64), model.levels(facts)
            levels = LevelChanges(facts, *((nowhere, known) if sign > 0 else (known, nowhere)))
        return cls(signed(facts, sign), levels=levels)

    @classmethod
    def together(cls, steps: Sequence[Changes]) -> Changes:
        """Combine the changes of consecutive steps.

        An ABox that arrived in parts occurs once, with its complete content.
        """
        if len(steps) == 1:
            return steps[0]
        entries = {entry.level: entry for step in steps for entry in step.entries}
        dropped = tuple(entry for step in steps for entry in step.dropped)
        levels = [step.levels for step in steps if step.levels is not None]
        fact_changes = np.concatenate([step.fact_changes for step in steps])
        # a step without levels was recorded before a consumer read levels, so its levels are not known
        known = LevelChanges.over(levels) if len(levels) == len(steps) else None
        forms = {fact: form for step in steps for fact, form in step.forms.items()}
        return cls(
            fact_changes,
            tuple(entries.values()),
            dropped,
            known,
            forms,
            steps[-1].at,
            steps[-1].step,
            steps[-1].log,
            steps[-1].is_intermediate,
        )

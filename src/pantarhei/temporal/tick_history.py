"""History of closed ticks, as far back as the largest window of a rule.

A tick's record is closed when time advances; no later repair changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples

TickColumn = npt.NDArray[np.int64]


class TickRecord(NamedTuple):
    """Input and remembered conclusions of one tick; facts of shape (n, 3).

    Args:
        tick: the tick.
        events: surviving assertions, in the given order; each fact once.
        added: states that began at the tick.
        removed: states that ended at the tick.
        concluded: remembered conclusions that began at the tick, with the second kernel's predicates.
        withdrawn: remembered conclusions that ended at the tick.
    """

    tick: int
    events: Integers = NO_FACTS
    added: Integers = NO_FACTS
    removed: Integers = NO_FACTS
    concluded: Integers = NO_FACTS
    withdrawn: Integers = NO_FACTS

    @property
    def is_empty(self) -> bool:
        """Test whether the record has no facts."""
        return not any(map(len, self[1:]))

    @property
    def bytes(self) -> int:
        """Estimated size."""
        return _BYTES_A_TICK + 12 * sum(map(len, self[1:]))


_BYTES_A_CHUNK = 500  # the object, and its arrays' heads
_BYTES_A_TICK = 700  # the same for a record outside of chunks

_PARTS = len(TickRecord._fields) - 1
_OF_STREAM = 3
"""Number of fields, the first ones, with predicates of the stream; the others have the second kernel's."""

_CHUNK = 256


@dataclass(frozen=True, slots=True)
class HistoryChunk:
    """Records of some ticks in columns.

    Args:
        ticks: ticks, ascending.
        facts: facts, shape (n, 3), by tick, then by field of `TickRecord`.
        places: for each fact the place of its tick times the number of fields, plus the number of its field.
    """

    ticks: TickColumn
    facts: Integers
    places: npt.NDArray[np.integer]

    @classmethod
    def of(cls, ticks: Iterable[TickRecord]) -> HistoryChunk:
        """Build a chunk of at most `_CHUNK` records."""
        given = list(ticks)
        parts = [part for record in given for part in record[1:]]
        places = np.repeat(np.arange(len(parts), dtype=np.uint16), list(map(len, parts)))
        return cls(
            np.array([record.tick for record in given], np.int64), np.concatenate([NO_FACTS, *parts]), places
        )

    def __iter__(self) -> Iterator[TickRecord]:
        ends = np.searchsorted(self.places, np.arange(_PARTS * len(self.ticks) + 1)).tolist()
        parts = [self.facts[begin:end] for begin, end in pairwise(ends)]
        for place, tick in enumerate(self.ticks.tolist()):
            yield TickRecord(tick, *parts[_PARTS * place : _PARTS * (place + 1)])

    @property
    def of_rules(self) -> npt.NDArray[np.bool_]:
        """Mask of the facts with predicates of the second kernel."""
        return self.places % _PARTS >= _OF_STREAM

    @property
    def last(self) -> int:
        """Last tick."""
        return int(self.ticks[-1])

    def part(self, number: int) -> tuple[Integers, TickColumn]:
        """Return the facts of one field at all ticks, and their ticks."""
        which = np.flatnonzero(self.places % _PARTS == number)
        return self.facts[which], self.ticks[self.places[which] // _PARTS]

    def mapped(
        self, stream: Callable[[Integers], Integers], rules: Callable[[Integers], Integers]
    ) -> HistoryChunk:
        """Apply functions to the facts, as `TickHistory.mapped`."""
        facts, of_rules = self.facts.copy(), self.of_rules
        facts[~of_rules], facts[of_rules] = stream(facts[~of_rules]), rules(facts[of_rules])
        return replace(self, facts=facts)

    @property
    def bytes(self) -> int:
        """Size of the chunk."""
        return _BYTES_A_CHUNK + self.ticks.nbytes + self.facts.nbytes + self.places.nbytes


class LastChanges(NamedTuple):
    """Last beginnings and endings of facts.

    Args:
        present, since: facts that began and have not ended, and when each began.
        absent, until: facts that ended and have not begun again, and when each ended.
    """

    present: Integers
    since: TickColumn
    absent: Integers
    until: TickColumn

    def since_when(self, facts: Integers, otherwise: int) -> dict[Fact, int]:
        """Return when each of some present facts began; `otherwise` for those that always held."""
        added = dict(zip(as_tuples(self.present), self.since.tolist(), strict=True))
        return {fact: added.get(fact, otherwise) for fact in as_tuples(facts)}


@dataclass(frozen=True, slots=True)
class TickHistory:
    """Closed ticks, oldest first. Immutable; a longer history shares chunks with a shorter one.

    Args:
        begun: first tick with a complete record.
        chunks: full chunks of `_CHUNK` records each.
        last: records of the chunk that is being filled.
        bytes: size.
    """

    complete_from: int
    chunks: tuple[HistoryChunk, ...] = ()
    last: tuple[TickRecord, ...] = ()
    bytes: int = field(default=0, compare=False)

    @classmethod
    def of(cls, begun: int, ticks: Iterable[TickRecord]) -> TickHistory:
        """Build a history of records, oldest first."""
        past = cls(begun)
        for record in ticks:
            past = past.with_tick(record, begun)
        return past

    def __iter__(self) -> Iterator[TickRecord]:
        yield from chain(*self.chunks, self.last)

    def with_tick(self, record: TickRecord, needed: int) -> TickHistory:
        """Add a record, and drop records before `needed`; of full chunks only whole ones are dropped."""
        chunks, begun, size, last = self.chunks, self.complete_from, self.bytes, self.last
        while chunks and chunks[0].last < needed:
            begun, size, chunks = chunks[0].last + 1, size - chunks[0].bytes, chunks[1:]
        if not chunks:
            gone = list(takewhile(lambda each: each.tick < needed, last))
            if gone:
                begun, last = gone[-1].tick + 1, last[len(gone) :]
                size -= sum(each.bytes for each in gone)
        if record.is_empty:
            return TickHistory(begun, chunks, last, size)
        last = (*last, record)
        if len(last) < _CHUNK:
            return TickHistory(begun, chunks, last, size + record.bytes)
        whole = HistoryChunk.of(last)
        return TickHistory(
            begun, (*chunks, whole), (), size + whole.bytes - sum(each.bytes for each in last[:-1])
        )

    @property
    def columns(self) -> HistoryChunk:
        """Whole history as one chunk, of any length. Costs the history."""
        chunks = [*self.chunks, HistoryChunk.of(self.last)]
        before = np.cumsum([0, *(_PARTS * len(chunk.ticks) for chunk in chunks)]).tolist()
        return HistoryChunk(
            np.concatenate([chunk.ticks for chunk in chunks]),
            np.concatenate([chunk.facts for chunk in chunks]),
            np.concatenate([chunk.places + start for chunk, start in zip(chunks, before[:-1], strict=True)]),
        )

    @classmethod
    def of_columns(cls, begun: int, whole: HistoryChunk) -> TickHistory:
        """Build a history from the result of `columns`."""
        count = len(whole.ticks)
        starts = np.arange(0, count + _CHUNK, _CHUNK)
        cuts = np.searchsorted(whole.places, starts * _PARTS).tolist()
        chunks = [
            HistoryChunk(
                whole.ticks[start : start + _CHUNK],
                whole.facts[first:last],
                (whole.places[first:last] - start * _PARTS).astype(np.uint16),
            )
            for start, (first, last) in zip(starts.tolist(), pairwise(cuts), strict=False)
        ]
        full = count // _CHUNK
        last = tuple(chain(*chunks[full:]))
        size = sum(chunk.bytes for chunk in chunks[:full]) + sum(record.bytes for record in last)
        return cls(begun, tuple(chunks[:full]), last, size)

    def mapped(
        self, stream: Callable[[Integers], Integers], rules: Callable[[Integers], Integers]
    ) -> TickHistory:
        """Apply functions to all facts.

        Args:
            stream: function for facts with predicates of the stream.
            rules: function for facts with predicates of the second kernel.
        """
        chunks = tuple(chunk.mapped(stream, rules) for chunk in self.chunks)
        return replace(self, chunks=chunks, last=tuple(HistoryChunk.of(self.last).mapped(stream, rules)))

    def part(self, name: str) -> tuple[Integers, TickColumn]:
        """Return the facts of one field of `TickRecord` and their ticks, oldest first. Costs the history."""
        number = TickRecord._fields.index(name) - 1
        parts = [chunk.part(number) for chunk in (*self.chunks, HistoryChunk.of(self.last))]
        facts, ticks = zip(*parts, strict=True)
        return np.concatenate(facts), np.concatenate(ticks)

    def last_changes(self, coming: str, going: str) -> LastChanges:
        """Return the last changes, given the fields of begun and of ended facts. Costs the history."""
        (added, added_at), (removed, removed_at) = self.part(coming), self.part(going)
        facts, ticks = np.concatenate([added, removed]), np.concatenate([added_at, removed_at])
        is_there = np.arange(len(facts)) < len(added)
        order = np.lexsort((ticks, *facts.T))
        facts, ticks, is_there = facts[order], ticks[order], is_there[order]
        newest = np.append((facts[1:] != facts[:-1]).any(axis=1), np.ones(min(1, len(facts)), bool))
        there, gone = np.flatnonzero(newest & is_there), np.flatnonzero(newest & ~is_there)
        return LastChanges(facts[there], ticks[there], facts[gone], ticks[gone])


def facts_by_tick(
    turns: Iterable[tuple[int, Integers, Integers]], facts: Iterable[Fact], last: int, oldest: int
) -> Iterator[tuple[int, set[Fact]]]:
    """Yield the facts that held at each of some ticks, newest tick first.

    Args:
        turns: ticks at which facts began and ended, with these facts.
        facts: facts that held at the tick `last`.
        oldest: last tick to yield.
    """
    by_tick = {tick: (coming, going) for tick, coming, going in turns}
    standing = set(facts)
    for tick in range(last, oldest - 1, -1):
        yield tick, standing
        if tick in by_tick:
            coming, going = by_tick[tick]
            standing = standing - set(as_tuples(coming)) | set(as_tuples(going))

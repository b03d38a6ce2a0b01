"""Immutable history of closed ticks, as far back as the largest window of a rule reaches.

A tick is closed when time advances. No later repair changes its record.
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
    """Input and remembered conclusions of one closed tick; arrays of facts have shape (n, 3).

    Args:
        tick: the tick.
        events: assertions that survived the repair, in the given order, without duplicates.
        added: states (facts of the materialization) that began at the tick.
        removed: states that ended at the tick.
        concluded: remembered conclusions that began at the tick; predicates are numbered by the temporal
            kernel.
        withdrawn: remembered conclusions that ended at the tick; numbered likewise.
    """

    tick: int
    events: Integers = NO_FACTS
    added: Integers = NO_FACTS
    removed: Integers = NO_FACTS
    concluded: Integers = NO_FACTS
    withdrawn: Integers = NO_FACTS

    @property
    def is_empty(self) -> bool:
        """Test whether the record contains no facts."""
        return not any(map(len, self[1:]))

    @property
    def bytes(self) -> int:
        """Estimated size in bytes."""
        return _BYTES_A_TICK + 12 * sum(map(len, self[1:]))


_BYTES_A_CHUNK = 500  # object header and the headers of its three arrays
_BYTES_A_TICK = 700  # object header of a record and the headers of its five arrays

_FIELDS = len(TickRecord._fields) - 1
_STREAM_FIELDS = 3
"""The first three fields (events, added, removed) have predicates numbered by the vocabulary; the others have
predicates numbered by the temporal kernel."""

_CHUNK = 256


@dataclass(frozen=True, slots=True)
class HistoryChunk:
    """Records of up to `_CHUNK` ticks as columns.

    Args:
        ticks: the ticks, ascending.
        facts: facts of all records, shape (n, 3), ordered by tick, then by field of `TickRecord`.
        places: for each fact, `_FIELDS * i + f`, where i is the index of its tick in `ticks` and f the number
            of its field.
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
        ends = np.searchsorted(self.places, np.arange(_FIELDS * len(self.ticks) + 1)).tolist()
        parts = [self.facts[begin:end] for begin, end in pairwise(ends)]
        for place, tick in enumerate(self.ticks.tolist()):
            yield TickRecord(tick, *parts[_FIELDS * place : _FIELDS * (place + 1)])

    @property
    def of_rules(self) -> npt.NDArray[np.bool_]:
        """Mask of the facts whose predicates are numbered by the temporal kernel."""
        return self.places % _FIELDS >= _STREAM_FIELDS

    @property
    def last(self) -> int:
        """Last tick of the chunk."""
        return int(self.ticks[-1])

    def part(self, number: int) -> tuple[Integers, TickColumn]:
        """Return the facts of one field of all records, and for each fact its tick."""
        which = np.flatnonzero(self.places % _FIELDS == number)
        return self.facts[which], self.ticks[self.places[which] // _FIELDS]

    def mapped(
        self, stream: Callable[[Integers], Integers], rules: Callable[[Integers], Integers]
    ) -> HistoryChunk:
        """Apply functions to the facts; see `TickHistory.mapped`."""
        facts, of_rules = self.facts.copy(), self.of_rules
        facts[~of_rules], facts[of_rules] = stream(facts[~of_rules]), rules(facts[of_rules])
        return replace(self, facts=facts)

    @property
    def bytes(self) -> int:
        """Size in bytes."""
        return _BYTES_A_CHUNK + self.ticks.nbytes + self.facts.nbytes + self.places.nbytes


class LastChanges(NamedTuple):
    """Latest change of each fact that began or ended in a history.

    Args:
        present, since: facts whose latest change is a beginning, and its tick.
        absent, until: facts whose latest change is an ending, and its tick.
    """

    present: Integers
    since: TickColumn
    absent: Integers
    until: TickColumn

    def starts_of(self, facts: Integers, otherwise: int) -> dict[Fact, int]:
        """Return the tick at which each of the given present facts began; `otherwise` if the history has no
        change.
        """
        added = dict(zip(as_tuples(self.present), self.since.tolist(), strict=True))
        return {fact: added.get(fact, otherwise) for fact in as_tuples(facts)}


@dataclass(frozen=True, slots=True)
class TickHistory:
    """Closed ticks, oldest first. Immutable: a longer history shares chunks with the shorter one.

    Args:
        complete_from: first tick whose record has not been dropped.
        chunks: full chunks of `_CHUNK` records each.
        last: records of the chunk that is being filled.
        bytes: size in bytes.
    """

    complete_from: int
    chunks: tuple[HistoryChunk, ...] = ()
    last: tuple[TickRecord, ...] = ()
    bytes: int = field(default=0, compare=False)

    @classmethod
    def of(cls, complete_from: int, ticks: Iterable[TickRecord]) -> TickHistory:
        """Build a history from records, oldest first."""
        past = cls(complete_from)
        for record in ticks:
            past = past.with_tick(record, complete_from)
        return past

    def __iter__(self) -> Iterator[TickRecord]:
        yield from chain(*self.chunks, self.last)

    def with_tick(self, record: TickRecord, needed: int) -> TickHistory:
        """Return the history with a further record, without records of ticks before `needed`.

        Full chunks are dropped as a whole, once all their ticks are before `needed`. Empty records are not
        stored.
        """
        chunks, complete_from, size, last = self.chunks, self.complete_from, self.bytes, self.last
        while chunks and chunks[0].last < needed:
            complete_from, size, chunks = chunks[0].last + 1, size - chunks[0].bytes, chunks[1:]
        if not chunks:
            dropped = list(takewhile(lambda each: each.tick < needed, last))
            if dropped:
                complete_from, last = dropped[-1].tick + 1, last[len(dropped) :]
                size -= sum(each.bytes for each in dropped)
        if record.is_empty:
            return TickHistory(complete_from, chunks, last, size)
        last = (*last, record)
        if len(last) < _CHUNK:
            return TickHistory(complete_from, chunks, last, size + record.bytes)
        whole = HistoryChunk.of(last)
        return TickHistory(
            complete_from, (*chunks, whole), (), size + whole.bytes - sum(each.bytes for each in last[:-1])
        )

    @property
    def columns(self) -> HistoryChunk:
        """The whole history as one chunk of any length. Costs time linear in the history."""
        chunks = [*self.chunks, HistoryChunk.of(self.last)]
        before = np.cumsum([0, *(_FIELDS * len(chunk.ticks) for chunk in chunks)]).tolist()
        return HistoryChunk(
            np.concatenate([chunk.ticks for chunk in chunks]),
            np.concatenate([chunk.facts for chunk in chunks]),
            np.concatenate([chunk.places + start for chunk, start in zip(chunks, before[:-1], strict=True)]),
        )

    @classmethod
    def of_columns(cls, complete_from: int, whole: HistoryChunk) -> TickHistory:
        """Build a history from a chunk made by `columns`.

        Args:
            complete_from: see the class.
        """
        count = len(whole.ticks)
        starts = np.arange(0, count + _CHUNK, _CHUNK)
        cuts = np.searchsorted(whole.places, starts * _FIELDS).tolist()
        chunks = [
            HistoryChunk(
                whole.ticks[start : start + _CHUNK],
                whole.facts[first:last],
                (whole.places[first:last] - start * _FIELDS).astype(np.uint16),
            )
            for start, (first, last) in zip(starts.tolist(), pairwise(cuts), strict=False)
        ]
        full = count // _CHUNK
        last = tuple(chain(*chunks[full:]))
        size = sum(chunk.bytes for chunk in chunks[:full]) + sum(record.bytes for record in last)
        return cls(complete_from, tuple(chunks[:full]), last, size)

    def mapped(
        self, stream: Callable[[Integers], Integers], rules: Callable[[Integers], Integers]
    ) -> TickHistory:
        """Return the history with functions applied to all facts, as arrays.

        Args:
            stream: function for facts whose predicates are numbered by the vocabulary.
            rules: function for facts whose predicates are numbered by the temporal kernel.
        """
        chunks = tuple(chunk.mapped(stream, rules) for chunk in self.chunks)
        return replace(self, chunks=chunks, last=tuple(HistoryChunk.of(self.last).mapped(stream, rules)))

    def part(self, name: str) -> tuple[Integers, TickColumn]:
        """Return the facts of one field of `TickRecord`, and for each fact its tick, oldest first.

        Costs time linear in the history.
        """
        number = TickRecord._fields.index(name) - 1
        parts = [chunk.part(number) for chunk in (*self.chunks, HistoryChunk.of(self.last))]
        facts, ticks = zip(*parts, strict=True)
        return np.concatenate(facts), np.concatenate(ticks)

    def last_changes(self, begun: str, ended: str) -> LastChanges:
        """Return the latest change of each fact. Costs sorting the changes.

        Args:
            begun, ended: names of the fields of `TickRecord` with the begun and the ended facts.
        """
        (added, added_at), (removed, removed_at) = self.part(begun), self.part(ended)
        facts, ticks = np.concatenate([added, removed]), np.concatenate([added_at, removed_at])
        is_present = np.arange(len(facts)) < len(added)
        order = np.lexsort((ticks, *facts.T))
        facts, ticks, is_present = facts[order], ticks[order], is_present[order]
        newest = np.append((facts[1:] != facts[:-1]).any(axis=1), np.ones(min(1, len(facts)), bool))
        present, absent = np.flatnonzero(newest & is_present), np.flatnonzero(newest & ~is_present)
        return LastChanges(facts[present], ticks[present], facts[absent], ticks[absent])


def facts_by_tick(
    changes: Iterable[tuple[int, Integers, Integers]], facts: Iterable[Fact], last: int, oldest: int
) -> Iterator[tuple[int, set[Fact]]]:
    """Yield the ticks from `last` back to `oldest`, each with the set of facts that held at it.

    Args:
        changes: tick, begun facts and ended facts, for each tick with changes.
        facts: facts that held at the tick `last`.
        last, oldest: first and last tick to yield, in this order.
    """
    by_tick = {tick: (begun, ended) for tick, begun, ended in changes}
    held = set(facts)
    for tick in range(last, oldest - 1, -1):
        yield tick, held
        if tick in by_tick:
            begun, ended = by_tick[tick]
            held = held - set(as_tuples(begun)) | set(as_tuples(ended))

"""Checkpoints in blocks: a save writes a small head and the entries that are new, not the whole window.

A block has consecutive entries of past and log with their repairs, and is never changed. An entry is final
once a later one has arrived; if the newest entry has got a further part, its block is replaced. Blocks whose
entries have all been forgotten are dropped. The background, and the state of each consumer, have blocks of
their own, which are written when they have changed. The head has all else: time, options, counters,
departures, literal forms of the materialization, waiting ABoxes, and the list of blocks.

Eight blocks of one rank are merged into one of the next rank, unless it would exceed a quarter of all blocks.
So an entry is written once for each rank, and the number of ranks grows with the logarithm of the number of
saves whose entries are remembered. If a limit drops the evidence of an old repair, its block keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.engine.checkpoint.abox_columns import GivenBackground
from pantarhei.engine.checkpoint.container import (
    DIGEST_LENGTH,
    IN_BLOCKS,
    UNPACED,
    Column,
    Contents,
    pack,
    unpack,
)
from pantarhei.engine.checkpoint.fact_columns import TimesWriter
from pantarhei.engine.checkpoint.repairs import RepairTable
from pantarhei.engine.checkpoint.saved_state import (
    CONSUMER,
    Checkpoint,
    State,
    conforms,
    entry_columns,
    head_of,
)
from pantarhei.engine.options import Options
from pantarhei.engine.stream_history import StreamHistory
from pantarhei.errors import CheckpointError
from pantarhei.model.time import TimeKind
from pantarhei.ontology.ontology import Ontology
from pantarhei.window.log import ByLevel, Entry

_MERGED = 8
"""Number of blocks that are merged into one."""

_SHARE = 4
"""A merged block has at most this fraction of the bytes of all blocks."""

_BACKGROUND = "background"


class BlockChanges(NamedTuple):
    """Result of a save. Store `added` before `head`, and delete `dropped` after it.

    Args:
        head: the head, which replaces the former one.
        added: new blocks by number.
        dropped: numbers of the blocks that the head no longer needs.
    """

    head: bytes
    added: Mapping[int, bytes]
    dropped: tuple[int, ...]


class _StoredBlock(NamedTuple):
    """Block of entries, as the head lists it.

    Args:
        number: the number of the block.
        digest: the first bytes of its digest, in hexadecimal digits.
        entries: the number of entries.
        newest: the number of facts and cut facts of the last entry.
        rank: 0 for the entries of one save; 1 more than the blocks that were merged into it.
        size: its size in bytes.
    """

    number: int
    digest: str
    entries: int
    newest: int
    rank: int
    size: int


_Other = tuple[int, str]
"""Number and digest of another block."""


class StoredBlocks(NamedTuple):
    """Checkpoint in blocks, for `StreamReasoner.restore`.

    Args:
        head: the head.
        blocks: blocks by number; those that the head does not list are ignored.
    """

    head: bytes
    blocks: Mapping[int, bytes]

    def read(self) -> Checkpoint:
        """Read the checkpoint.

        Raises:
            CheckpointError: head or a block is missing or damaged.
        """
        head = unpack(self.head, f"in blocks, with a head of {len(self.head)} bytes")
        listed = _listed(head)
        segments = [self._block(head, block.number, block.digest) for block in listed.blocks]
        columns = dict(head.columns)
        for other in listed.others.values():
            columns.update(self._block(head, *other).columns)
        return Checkpoint(replace(head, columns=columns), segments, listed.skipped)

    def _block(self, head: Contents, number: int, digest: str) -> Contents:
        data = self.blocks.get(number)
        if data is None:
            raise CheckpointError(head.source, f"block {number} is missing; use an older checkpoint")
        if _digest(data) != digest:
            raise CheckpointError(
                head.source, f"block {number} belongs to another head; use an older checkpoint"
            )
        return unpack(data, f"{head.source}, block {number}")


class _BlockList(NamedTuple):
    """List of blocks in a head.

    Args:
        blocks: the blocks of entries, oldest first.
        skipped: the number of forgotten entries in the first block.
        others: other blocks by name.
        next: the number of the next block.
    """

    blocks: list[_StoredBlock]
    skipped: int
    others: dict[str, _Other]
    next: int


def _listed(head: Contents) -> _BlockList:
    found = head.header.get("blocks")
    if head.version != IN_BLOCKS or not isinstance(found, dict):
        raise CheckpointError(head.source, "it is not the head of a checkpoint in blocks")
    listed: Any = found
    with head.understood():
        blocks = [_StoredBlock(*each) for each in listed["entries"]]
        others = {name: (number, digest) for name, (number, digest) in listed["others"].items()}
        numbers = [each for block in blocks for each in (block.number, *block[2:])]
        if not conforms([*numbers, listed["skipped"], listed["next"]], list[int]):
            raise ValueError("a number in the list of blocks is invalid")
        return _BlockList(blocks, listed["skipped"], others, listed["next"])


def _digest(data: bytes) -> str:
    return data[-DIGEST_LENGTH:][:8].hex()


class BlockWriter:
    """Writer of the blocks of one reasoner. If a result of `changes` is not stored, a new writer is needed.

    Args:
        stored: the checkpoint from which the reasoner was restored; None to write all blocks at first.

    Raises:
        CheckpointError: the head is invalid.
    """

    def __init__(self, stored: StoredBlocks | None = None) -> None:
        self._listed = (
            _BlockList([], 0, {}, 0) if stored is None else _listed(unpack(stored.head, "in blocks"))
        )
        # the level of the first entry in the first block; a restored reasoner numbers its levels from 0
        self._first = -self._listed.skipped
        self._repairs = RepairTable()

    def changes(
        self,
        state: State,
        options: Options,
        ontology: Ontology,
        background: GivenBackground,
        lexicon: Lexicon,
    ) -> BlockChanges:
        """Return the changes since the last call, as arguments of `save`.

        The cost is linear in the new entries, amortized over the merges, plus the size of the head and of
        consumers.
        """
        history, added = state.history, dict[int, bytes]()
        entries = [*history.past.entries(), *history.log]
        kind = history.step.kind if history.step else TimeKind.INTEGER
        numbers = iter(range(self._listed.next, 1 << 62))
        parts = _Layout(self._listed.blocks, self._first, history.past.first_level(history.log), entries)
        parts.drop_forgotten()
        parts.drop_changed()
        blocks = list[_StoredBlock]()
        for part in parts.with_new():
            if isinstance(part, _StoredBlock):
                blocks.append(part)
                continue
            data = _encoded(part.entries, history, kind, lexicon, self._repairs)
            number = next(numbers)
            added[number] = data
            newest = part.entries[-1]
            size = len(newest.facts) + len(newest.cut)
            blocks.append(_StoredBlock(number, _digest(data), len(part.entries), size, part.rank, len(data)))
        others = dict(self._listed.others)
        for name, data in _others(state, background):
            if name not in others or others[name][1] != _digest(data):
                others[name] = next(numbers), _digest(data)
                added[others[name][0]] = data
        skipped = parts.oldest - parts.first if blocks else 0
        listed = _BlockList(blocks, skipped, others, next(numbers))
        header, columns = head_of(
            state, options, ontology, background, lexicon, self._repairs, stored=len(entries)
        )
        whole = {**header, "blocks": {**listed._asdict(), "entries": blocks}}
        del whole["blocks"]["blocks"]
        dropped = _numbers(self._listed) - _numbers(listed)
        self._listed, self._first = listed, parts.first
        return BlockChanges(pack(whole, columns, IN_BLOCKS), added, tuple(sorted(dropped)))


def _numbers(listed: _BlockList) -> set[int]:
    return {*(block.number for block in listed.blocks), *(number for number, _ in listed.others.values())}


def _others(state: State, background: GivenBackground) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks of background and consumers by name."""
    yield _BACKGROUND, pack({}, background.columns, IN_BLOCKS)
    for name, make in sorted(state.consumers.items()):
        columns: dict[str, Column] = {CONSUMER + name: np.frombuffer(make(UNPACED), np.uint8)}
        yield CONSUMER + name, pack({}, columns, IN_BLOCKS)


def _encoded(
    entries: Sequence[Entry], history: StreamHistory, kind: TimeKind, lexicon: Lexicon, table: RepairTable
) -> bytes:
    """Return a block of consecutive entries."""
    times = TimesWriter(entry.at for entry in entries)
    start, end = entries[0].level, entries[-1].level
    repairs = ByLevel.of(takewhile(lambda each: each.level <= end, history.repairs.after(start - 1)))
    columns, constraints = entry_columns(entries, repairs, lexicon, table, times)
    of_times, marks = times.columns(kind)
    header: dict[str, Any] = {"times": [list(mark) for mark in marks], "constraints": constraints}
    return pack(header, {**columns, **of_times}, IN_BLOCKS)


class _New(NamedTuple):
    """Block to be written."""

    entries: Sequence[Entry]
    rank: int


class _Layout:
    """Blocks of a history during a save.

    Args:
        blocks: the stored blocks.
        first: the level of the first entry in them.
        oldest: the level of the oldest remembered entry.
        entries: all remembered entries.
    """

    def __init__(
        self, blocks: Sequence[_StoredBlock], first: int, oldest: int, entries: Sequence[Entry]
    ) -> None:
        self.blocks, self.first, self.oldest, self._entries = list(blocks), first, oldest, entries

    @property
    def _end(self) -> int:
        """Level after the last entry in blocks."""
        return self.first + sum(block.entries for block in self.blocks)

    def _from(self, start: int, end: int) -> Sequence[Entry]:
        """Return the remembered entries from one level to before another."""
        return self._entries[max(0, start - self.oldest) : end - self.oldest]

    def drop_forgotten(self) -> None:
        """Remove the blocks without remembered entries."""
        while self.blocks and self.first + self.blocks[0].entries <= self.oldest:
            self.first += self.blocks.pop(0).entries

    def drop_changed(self) -> None:
        """Remove the last block if its newest entry has changed."""
        end = self._end
        newest = self._from(end - 1, end)
        if self.blocks and newest and len(newest[0].facts) + len(newest[0].cut) != self.blocks[-1].newest:
            self.blocks.pop()

    def with_new(self) -> list[_StoredBlock | _New]:
        """Return all blocks, some of them merged, and the block of new entries."""
        if not self.blocks:
            self.first = self.oldest
        found: list[_StoredBlock | _New] = list(self.blocks)
        stop = self._end
        new = self._from(stop, self.oldest + len(self._entries))
        starts, at = list[int](), self.first
        for block in self.blocks:
            starts.append(at)
            at += block.entries
        sizes, ranks = [block.size for block in self.blocks], [block.rank for block in self.blocks]
        while (place := _mergeable(sizes, ranks)) is not None:
            last = place + _MERGED
            end = starts[last] if last < len(starts) else stop
            merged = self._from(starts[place], end)
            if place == 0:
                self.first = starts[0] = max(self.first, self.oldest)
            found[place:last] = [_New(merged, ranks[place] + 1)]
            sizes[place:last], ranks[place:last] = [sum(sizes[place:last])], [ranks[place] + 1]
            del starts[place + 1 : last]
        return [*found, _New(new, 0)] if new else found


def _mergeable(sizes: Sequence[int], ranks: Sequence[int]) -> int | None:
    """Return the index of the first blocks to merge; None if there are none."""
    most = sum(sizes) // _SHARE
    for place in range(len(ranks) - _MERGED + 1):
        last = place + _MERGED
        if len(set(ranks[place:last])) == 1 and sum(sizes[place:last]) <= most:
            return place
    return None

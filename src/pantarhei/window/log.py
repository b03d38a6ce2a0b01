"""What was asserted, and what repairs took out again: the ground truth that the window model is derived from.

One entry a timestamp, oldest first. A cut fact loses its occurrences in the entry whose arrival cut it and in
all before; asserted again later, it is back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pantarhei.language.time import TimePoint
from pantarhei.rules.program import Integers

Fact = tuple[int, int, int]
_CHUNK = 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """The ABox of one timestamp.

    Args:
        level: its number in the stream, ascending.
        at: its timestamp, as given.
        ticks: its timestamp in ticks.
        facts: its facts, shape (n, 3); a fact may stand there twice.
        cut: the facts that its arrival removed from the window and from itself, shape (m, 3).
    """

    level: int
    at: TimePoint
    ticks: int
    facts: Integers
    cut: Integers


class AssertionLog:
    """The entries of the window. Appending and dropping cost O(1) amortized."""

    def __init__(self) -> None:
        # Full chunks never change, so that a capture shares them; only the newest one is copied.
        self._chunks: deque[list[Entry]] = deque([[]])
        self.first_level = 0

    def append(self, entry: Entry) -> None:
        if len(self._chunks[-1]) == _CHUNK:
            self._chunks.append([])
        self._chunks[-1].append(entry)

    def replace_newest(self, entry: Entry) -> None:
        """Put `entry` in the place of the newest one."""
        self._chunks[-1][-1] = entry

    def newest(self) -> Entry | None:
        return self._chunks[-1][-1] if self._chunks[-1] else None

    def drop_before(self, level: int) -> None:
        """Forget the entries below `level`."""
        self.first_level = max(self.first_level, level)
        while len(self._chunks) > 1 and self._chunks[0][-1].level < level:
            self._chunks.popleft()
        if len(self._chunks) == 1 and self._chunks[0] and self._chunks[0][-1].level < level:
            self._chunks[0] = []

    def oldest_from(self, ticks: int) -> tuple[int | None, list[TimePoint]]:
        """(level of the first entry not before `ticks`, timestamps of the entries before it)."""
        before: list[TimePoint] = []
        for entry in self:
            if entry.ticks >= ticks:
                return entry.level, before
            before.append(entry.at)
        return None, before

    def __iter__(self) -> Iterator[Entry]:
        """Oldest first."""
        for chunk in self._chunks:
            for entry in chunk:
                if entry.level >= self.first_level:
                    yield entry

    def capture(self, first_level: int = 0) -> Capture:
        """The log from `first_level` on as it is now. Costs O(entries / 1024 + 1024)."""
        return Capture((*list(self._chunks)[:-1], list(self._chunks[-1])), max(first_level, self.first_level))


@dataclass(frozen=True, slots=True)
class Capture:
    """A log as it once was."""

    chunks: tuple[list[Entry], ...]
    first_level: int

    def entries(self) -> list[Entry]:
        """Oldest first."""
        return [entry for chunk in self.chunks for entry in chunk if entry.level >= self.first_level]

    def kept(self) -> Iterator[tuple[Entry, Integers]]:
        """Each entry, newest first, with the facts of it that no repair has cut. Costs O(occurrences)."""
        cut: set[Fact] = set()
        for entry in reversed(self.entries()):
            cut.update(map(tuple, entry.cut.tolist()))
            facts = entry.facts
            if cut and len(facts):
                facts = facts[[tuple(fact) not in cut for fact in facts.tolist()]]
            yield entry, facts

    def occurrences(self, facts: Integers) -> Iterator[tuple[Entry, Integers]]:
        """Each entry, newest first, with its kept facts that are among `facts`. Costs O(occurrences)."""
        wanted = set(map(tuple, facts.tolist()))
        for entry, kept in self.kept():
            yield entry, kept[np.array([tuple(fact) in wanted for fact in kept.tolist()], bool)]

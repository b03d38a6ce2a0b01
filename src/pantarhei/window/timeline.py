"""The timestamps in the window, oldest first: of each its level, its tick and how it was given.

A level is a timestamp's number in the stream: 0, 1, 2, … in the order of time. The window
model counts in levels; boundaries and timers count in ticks. This is the one place that knows both. A
timeline is a value: a change makes another, sharing what it can.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, takewhile
from operator import attrgetter
from typing import Generic, Protocol, TypeVar

from pantarhei.model.time import TimePoint

_CHUNK = 512
_LEVEL, _TICKS = attrgetter("level"), attrgetter("ticks")


class Moment(Protocol):
    """What stands on a timeline: a timestamp, by its level, by its tick, and as it was given."""

    @property
    def level(self) -> int: ...
    @property
    def ticks(self) -> int: ...
    @property
    def at(self) -> TimePoint: ...


M = TypeVar("M", bound=Moment)


@dataclass(frozen=True, slots=True)
class Timeline(Generic[M]):
    """Moments in chunks, by ascending level and tick. A change costs O(moments / 512 + 512).

    Args:
        chunks: the moments, oldest first; no chunk is empty.
        first_level: no moment is below.
    """

    chunks: tuple[tuple[M, ...], ...] = ()
    first_level: int = 0

    @classmethod
    def of(cls, moments: Iterable[M], first_level: int = 0) -> Timeline[M]:
        """The timeline of moments in ascending order, none below `first_level`. Costs their number."""
        given = tuple(moments)
        return cls(tuple(given[i : i + _CHUNK] for i in range(0, len(given), _CHUNK)), first_level)

    # -- change ------------------------------------------------------------------------------------

    def with_newest(self, moment: M) -> Timeline[M]:
        """The timeline with a newer moment."""
        *full, last = self.chunks or ((),)
        if len(last) == _CHUNK:
            return Timeline((*self.chunks, (moment,)), self.first_level)
        return Timeline((*full, (*last, moment)), self.first_level)

    def without_newest(self) -> Timeline[M]:
        """The timeline without its newest moment."""
        *full, last = self.chunks
        shorter = last[:-1]
        return Timeline((*full, shorter) if shorter else tuple(full), self.first_level)

    def from_level(self, level: int) -> Timeline[M]:
        """The timeline without the moments below `level`."""
        if level <= self.first_level:
            return self
        whole = bisect_left(self.chunks, level, key=lambda chunk: chunk[-1].level)
        chunks = self.chunks[whole:]
        if chunks and chunks[0][0].level < level:
            chunks = (chunks[0][bisect_left(chunks[0], level, key=_LEVEL) :], *chunks[1:])
        return Timeline(chunks, level)

    # -- look --------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many moments there are. Costs O(moments / 512)."""
        return sum(map(len, self.chunks))

    def __iter__(self) -> Iterator[M]:
        """Oldest first."""
        return chain.from_iterable(self.chunks)

    @property
    def newest(self) -> M | None:
        """The newest moment."""
        return self.chunks[-1][-1] if self.chunks else None

    @property
    def next_level(self) -> int:
        """The level of the timestamp that comes next."""
        return self.chunks[-1][-1].level + 1 if self.chunks else self.first_level

    def at_level(self, level: int) -> M | None:
        """The moment of that level, None if it is not in the window. Costs O(log moments)."""
        chunk = bisect_left(self.chunks, level, key=lambda chunk: chunk[-1].level)
        place = bisect_left(self.chunks[chunk], level, key=_LEVEL) if chunk < len(self.chunks) else 0
        found = self.chunks[chunk][place] if chunk < len(self.chunks) else None
        return found if found is not None and found.level == level else None

    def at_ticks(self, ticks: int) -> M | None:
        """The moment of that tick, None if the window has none. Costs O(log moments)."""
        found = self.at_level(self.first_level_from(ticks))
        return found if found is not None and found.ticks == ticks else None

    def first_level_from(self, ticks: int) -> int:
        """The level of the first moment not before that tick; `next_level` if all are. O(log moments)."""
        if self.chunks and ticks <= self.chunks[0][0].ticks:  # as a rule: spares the search
            return self.chunks[0][0].level
        chunk = bisect_left(self.chunks, ticks, key=lambda chunk: chunk[-1].ticks)
        if chunk == len(self.chunks):
            return self.next_level
        return self.chunks[chunk][bisect_left(self.chunks[chunk], ticks, key=_TICKS)].level

    def after(self, level: int) -> Iterator[M]:
        """The moments above `level`, oldest first. Costs their number, and a search."""
        whole = bisect_right(self.chunks, level, key=lambda chunk: chunk[-1].level)
        for chunk in self.chunks[whole:]:
            yield from chunk[bisect_right(chunk, level, key=_LEVEL) :]

    def below(self, level: int) -> list[M]:
        """The moments below `level`, oldest first. Costs their number."""
        return list(takewhile(lambda moment: moment.level < level, self))

    def check_invariants(self) -> None:
        """Assert that levels and ticks ascend. Costs a look at each moment; for tests."""
        moments = list(self)
        assert all(self.chunks), "a chunk is empty"
        for name in ("level", "ticks"):
            values = [getattr(moment, name) for moment in moments]
            assert values == sorted(set(values)), f"{name} does not ascend"
        assert not moments or moments[0].level >= self.first_level, "a moment should have left"

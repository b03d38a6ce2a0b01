"""Boundaries of windows as timestamps: many of them, that take no room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from heapq import merge
from itertools import combinations, groupby, islice
from math import gcd
from operator import eq
from typing import overload

from pantarhei.model.time import TimeKind, TimePoint, time_of


@dataclass(frozen=True)
class Times(Sequence[TimePoint]):
    """The timestamps of some ranges of ticks, ascending, each once. Pickles as the ranges.

    Args:
        kind: the stream's kind of time.
        ranges: ascending ranges, which may overlap.

    >>> times = Times(TimeKind.INTEGER, (range(2, 9, 2), range(0, 7, 3)))
    >>> list(times), len(times), times[-1]
    ([0, 2, 3, 4, 6, 8], 6, 8)
    """

    kind: TimeKind
    ranges: tuple[range, ...]

    @cached_property
    def _length(self) -> int:
        """The length of the union, by inclusion and exclusion."""
        return sum(
            (-1) ** (size - 1) * len(reduce(common, some))
            for size in range(1, len(self.ranges) + 1)
            for some in combinations(self.ranges, size)
        )

    def __len__(self) -> int:
        return self._length

    def ticks(self) -> Iterator[int]:
        """Iterate over the ticks."""
        if len(self.ranges) == 1:
            return iter(self.ranges[0])
        return (tick for tick, _ in groupby(merge(*self.ranges)))

    def __iter__(self) -> Iterator[TimePoint]:
        kind = self.kind
        return (time_of(tick, kind) for tick in self.ticks())

    @overload
    def __getitem__(self, place: int) -> TimePoint: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[TimePoint, ...]: ...
    def __getitem__(self, place: int | slice) -> TimePoint | tuple[TimePoint, ...]:
        """The timestamp at a place; of several ranges that costs the timestamps before it."""
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(len(self))))
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        if len(self.ranges) == 1:
            return time_of(self.ranges[0][place], self.kind)
        at = place % len(self)
        if at == len(self) - 1:
            return time_of(max(each[-1] for each in self.ranges if each), self.kind)
        return time_of(next(islice(self.ticks(), at, None)), self.kind)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Times) and (self.kind, self.ranges) == (other.kind, other.ranges):
            return True
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


def common(one: range, other: range) -> range:
    """The numbers that two ascending ranges share.

    >>> common(range(1, 30, 4), range(0, 30, 3))
    range(9, 30, 12)
    """
    shared = gcd(one.step, other.step)
    apart, remainder = divmod(other.start - one.start, shared)
    if remainder:
        return range(0)
    cycle = other.step // shared
    first = one.start + apart * pow(one.step // shared, -1, cycle) % cycle * one.step
    step, low = one.step * cycle, max(one.start, other.start)
    return range(first - (first - low) // step * step, min(one.stop, other.stop), step)


def joined(before: Sequence[TimePoint], later: Sequence[TimePoint]) -> Times | None:
    """Return times and later ones as one range; None where they are not one.

    >>> joined(Times(TimeKind.INTEGER, (range(2, 3),)), Times(TimeKind.INTEGER, (range(5, 12, 3),)))
    Times(kind=<TimeKind.INTEGER: 'an integer'>, ranges=(range(2, 12, 3),))
    """
    if not isinstance(before, Times) or not isinstance(later, Times):
        return None
    if len(before.ranges) != 1 or len(later.ranges) != 1:
        return None
    (one,), (other,) = before.ranges, later.ranges
    step = other[0] - one[-1]
    if any(len(each) > 1 and each.step != step for each in (one, other)):
        return None
    return Times(before.kind, (range(one[0], other[-1] + 1, step),))

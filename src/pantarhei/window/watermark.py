"""Putting a disordered stream in time order.

The watermark is the newest time seen less the allowed lateness: what is older than it is complete, since an
item on the watermark is still in time. What is complete is given out in time order, all items of one
timestamp together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from sortedcontainers import SortedDict

from pantarhei.errors import LateABoxError
from pantarhei.language.time import (
    Duration,
    TimePoint,
    duration_ticks,
    kind_of,
    plain_time,
    show_length,
    show_time,
    ticks_of,
    time_of,
)

T = TypeVar("T")


class Waiting(Generic[T]):
    """Items of a stream that wait until the watermark has passed them.

    Args:
        lateness: how far items may come out of order, in ticks; with 0 nothing is held back.
        newest: the newest time seen so far, None before the first.
    """

    def __init__(self, lateness: int, newest: int | None = None) -> None:
        self.lateness, self.newest = lateness, newest
        self._parts: SortedDict[int, list[T]] = SortedDict()

    def is_late(self, ticks: int) -> bool:
        """Whether an item of that time would be older than the watermark."""
        return self.newest is not None and ticks < self.newest - self.lateness

    def add(self, ticks: int, item: T) -> None:
        """Let an item wait."""
        self._parts.setdefault(ticks, []).append(item)

    def come_to(self, ticks: int) -> None:
        """An item of that time was seen."""
        self.newest = ticks if self.newest is None else max(self.newest, ticks)

    def complete(self) -> Iterator[list[T]]:
        """Take out what the watermark has passed: the items of each time together, the oldest time first."""
        while self._parts:
            if self.lateness and not self.is_late(self._parts.peekitem(0)[0]):
                return
            yield self._parts.popitem(0)[1]

    def rest(self) -> Iterator[list[T]]:
        """Take out all that waits, as `complete` does: nothing more will come."""
        while self._parts:
            yield self._parts.popitem(0)[1]

    def __iter__(self) -> Iterator[T]:
        """What waits, oldest first."""
        return (part for parts in self._parts.values() for part in parts)


def in_time_order(
    stream: Iterable[tuple[TimePoint, T]],
    allowed_lateness: Duration | None,
    on_late: Callable[[TimePoint, T], object] | None = None,
) -> Iterator[tuple[TimePoint, list[T]]]:
    """The timestamps of `stream` in order, each with its items, held back until the watermark passes them.

    Holds what arrived within the allowed lateness; costs O(log n) an item. Without lateness each item is
    given out at once, by itself.

    An item that is older than the watermark goes to `on_late`; without it, what is held back is given out and
    the item is an error.

    Raises:
        LateABoxError: an item came too late, and there is no `on_late`.
        TimestampError: a timestamp is of another kind than the first.

    >>> list(in_time_order([(1, "a"), (3, "b"), (2, "c"), (3, "d"), (9, "e")], 2))
    [(1, ['a']), (2, ['c']), (3, ['b', 'd']), (9, ['e'])]
    """
    waiting: Waiting[tuple[TimePoint, T]] = Waiting(0)
    kind = None
    for given, item in stream:
        at = plain_time(given)
        if kind is None:
            kind = kind_of(at)
            waiting.lateness = 0 if allowed_lateness is None else duration_ticks(allowed_lateness, kind)
        ticks = ticks_of(at, kind)
        if waiting.is_late(ticks):
            if on_late is not None:
                on_late(at, item)
                continue
            yield from map(_together, waiting.rest())
            newest = waiting.newest or 0
            shown, late = show_time(time_of(newest, kind)), show_length(newest - ticks, kind)
            raise LateABoxError(show_time(at), shown, str(allowed_lateness or 0), late)
        waiting.add(ticks, (at, item))
        waiting.come_to(ticks)
        yield from map(_together, waiting.complete())
    yield from map(_together, waiting.rest())


def _together(parts: list[tuple[TimePoint, T]]) -> tuple[TimePoint, list[T]]:
    """The timestamp that the parts share, as the first of them has it, and their items."""
    return parts[0][0], [item for _, item in parts]

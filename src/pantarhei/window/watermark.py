"""Putting a disordered stream in time order.

The watermark is the newest time seen less the allowed lateness: what is not newer than it is complete and
is given out, in time order; parts of one timestamp stay apart and are joined by whoever takes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from sortedcontainers import SortedDict

from pantarhei.errors import LateABoxError
from pantarhei.language.time import Duration, TimePoint, duration_ticks, kind_of, show_time, ticks_of, time_of

T = TypeVar("T")


def in_time_order(
    stream: Iterable[tuple[TimePoint, T]], allowed_lateness: Duration
) -> Iterator[tuple[TimePoint, T]]:
    """The items of `stream` in time order, each held back until the watermark passes it.

    Holds what arrived within the allowed lateness; costs O(log n) an item.

    Raises:
        LateABoxError: an item is older than one that was given out.
        TimestampError: a timestamp is of another kind than the first.

    >>> list(in_time_order([(1, "a"), (3, "b"), (2, "c"), (9, "d")], 2))
    [(1, 'a'), (2, 'c'), (3, 'b'), (9, 'd')]
    """
    waiting: SortedDict[int, list[tuple[TimePoint, T]]] = SortedDict()
    kind = newest = None
    for at, item in stream:
        kind = kind or kind_of(at)
        ticks, lateness = ticks_of(at, kind), duration_ticks(allowed_lateness, kind)
        if newest is not None and ticks < newest - lateness:
            raise LateABoxError(show_time(at), show_time(time_of(newest, kind)), str(allowed_lateness))
        waiting.setdefault(ticks, []).append((at, item))
        newest = ticks if newest is None else max(newest, ticks)
        while waiting and waiting.peekitem(0)[0] <= newest - lateness:
            yield from waiting.popitem(0)[1]
    for parts in waiting.values():
        yield from parts

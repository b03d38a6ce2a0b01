"""Putting a disordered stream in time order.

The watermark is the newest time seen less the allowed lateness: what is not newer than it is complete and
is given out, in time order; parts of one timestamp stay apart and are joined by whoever takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from sortedcontainers import SortedDict

from pantarhei.errors import LateABoxError
from pantarhei.language.time import Duration, TimePoint, duration_ticks, kind_of, show_time, ticks_of, time_of

T = TypeVar("T")


def in_time_order(
    stream: Iterable[tuple[TimePoint, T]],
    allowed_lateness: Duration | None,
    on_late: Callable[[TimePoint, T], object] | None = None,
) -> Iterator[tuple[TimePoint, T]]:
    """The items of `stream` in time order, each held back until the watermark passes it.

    Holds what arrived within the allowed lateness; costs O(log n) an item.

    An item that is older than the watermark goes to `on_late`; without it, what is held back is given out and
    the item is an error.

    Raises:
        LateABoxError: an item came too late, and there is no `on_late`.
        TimestampError: a timestamp is of another kind than the first.

    >>> list(in_time_order([(1, "a"), (3, "b"), (2, "c"), (9, "d")], 2))
    [(1, 'a'), (2, 'c'), (3, 'b'), (9, 'd')]
    """
    waiting: SortedDict[int, list[tuple[TimePoint, T]]] = SortedDict()
    kind = newest = None
    for at, item in stream:
        kind = kind or kind_of(at)
        ticks = ticks_of(at, kind)
        lateness = 0 if allowed_lateness is None else duration_ticks(allowed_lateness, kind)
        if newest is not None and ticks < newest - lateness:
            if on_late is not None:
                on_late(at, item)
                continue
            for parts in waiting.values():
                yield from parts
            raise LateABoxError(show_time(at), show_time(time_of(newest, kind)), str(allowed_lateness or 0))
        waiting.setdefault(ticks, []).append((at, item))
        newest = ticks if newest is None else max(newest, ticks)
        while waiting and waiting.peekitem(0)[0] <= newest - lateness:
            yield from waiting.popitem(0)[1]
    for parts in waiting.values():
        yield from parts

"""Buffer of items that wait for the watermark, or for evidence that their clocks are right. Immutable.

The watermark is the newest time minus the allowed lateness. Timestamps older than the watermark are complete,
since no item for them can arrive in time. Complete items leave the buffer in time order, all items of one
timestamp together.

If time may advance by at most `max_ahead` from one item to the next, an item further ahead is *unproven*,
since its clock may be wrong. It is held back together with following items that are as far ahead:

- `PROOFS` such items confirm that time has advanced, and all are accepted.
- An item that is not as far ahead refutes it.
- The first item of a stream has no predecessor, so the next item confirms or refutes it.

With a clock no confirmation is needed: an item ahead of the clock by more than `max_ahead` is refuted at
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar

from pantarhei.model.time import Duration, TimeKind, TimePoint, duration_ticks

T = TypeVar("T")

PROOFS = 3
"""Number of following items that confirm an advance of time."""


class Timed(NamedTuple, Generic[T]):
    """Item with its timestamp, in ticks and as given."""

    ticks: int
    at: TimePoint
    item: T


class Tolerance(NamedTuple):
    """Limits of disorder, in ticks.

    Args:
        lateness: maximum delay of items; with 0 no item waits for the watermark.
        max_ahead: maximum advance of time from one item to the next, or ahead of a clock; None for no limit.
    """

    lateness: int = 0
    max_ahead: int | None = None

    @classmethod
    def of(cls, lateness: Duration | None, max_ahead: Duration | None, kind: TimeKind) -> Tolerance:
        """Convert the limits to ticks; None is the default.

        Raises:
            TimestampError: a length is invalid for the kind of timestamps.
        """
        most = None if max_ahead is None else duration_ticks(max_ahead, kind)
        return cls(0 if lateness is None or lateness == 0 else duration_ticks(lateness, kind), most)


class Arrived(NamedTuple, Generic[T]):
    """Result of an arrival.

    Args:
        waiting: the buffer after the arrival.
        is_late: true if the item is older than the watermark; the buffer is unchanged then.
        refuted: items whose timestamps are too far ahead; they are no longer in the buffer.
    """

    waiting: Waiting[T]
    is_late: bool = False
    refuted: tuple[Timed[T], ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting(Generic[T]):
    """Buffer of items, oldest first, with the newest time. An arrival or departure costs O(log n) for n
    items.

    Args:
        kind: kind of the timestamps; None before the first item.
        newest: newest accepted time, in ticks; None before the first.
        unproven: the items that are too far ahead, in the order of arrival.
    """

    kind: TimeKind | None = None
    newest: int | None = None
    unproven: tuple[Timed[T], ...] = ()
    _queue: _Node[T] | None = field(default=None, repr=False)
    _count: int = 0  # number of items in the queue
    _added: int = 0  # number of items queued so far, by which items of one timestamp are ordered

    @classmethod
    def of(
        cls, kind: TimeKind, newest: int | None, items: Sequence[Timed[T]], unproven: Sequence[Timed[T]]
    ) -> Waiting[T]:
        """Build a buffer from items that wait for the watermark, in order of arrival, and unproven ones."""
        waiting = cls(kind)._with(tuple(items))
        return replace(waiting, newest=newest, unproven=tuple(unproven))

    def __len__(self) -> int:
        return self._count + len(self.unproven)

    def __iter__(self) -> Iterator[Timed[T]]:
        """Yield the items that wait for the watermark, oldest first. Costs sorting them."""
        nodes, stack = list[_Node[T]](), [self._queue]
        while stack:
            if (node := stack.pop()) is not None:
                nodes.append(node)
                stack += (node.left, node.right)
        return (node.timed for node in sorted(nodes, key=attrgetter("key")))

    # -- arrivals ----------------------------------------------------------------------------------

    def arrive(
        self, timed: Timed[T], tolerance: Tolerance, now: int | None = None, clock: int | None = None
    ) -> Arrived[T]:
        """Add an item.

        Args:
            timed: the item.
            tolerance: the limits.
            now: time of the newest item that has left the buffer, in ticks; an older item is late.
            clock: time of the clock, in ticks; None without a clock.
        """
        if now is not None:
            if timed.ticks < now:
                return Arrived(self, is_late=True)
            if self.newest is None or self.newest < now:
                return replace(self, newest=now).arrive(timed, tolerance, None, clock)
        if self.newest is not None and timed.ticks < self.newest - tolerance.lateness:
            return Arrived(self, is_late=True)
        if tolerance.max_ahead is None:
            return Arrived(self._with((*self.unproven, timed)))
        if clock is None:
            slack = max(tolerance.max_ahead, tolerance.lateness)
            return self._proven(timed, tolerance.max_ahead, slack)
        in_time, refuted = _split((*self.unproven, timed), clock + tolerance.max_ahead)
        return Arrived(self._with(in_time), refuted=refuted)

    def _proven(self, timed: Timed[T], max_ahead: int, slack: int) -> Arrived[T]:
        """Add an item; following items confirm or refute that time has advanced.

        Args:
            timed: the item.
            max_ahead: maximum advance of time from one item to the next.
            slack: maximum time by which an item may be older than an unproven one that it confirms.
        """
        if self.newest is None:
            return self._proven_first(timed, max_ahead, slack)
        if timed.ticks <= self.newest + max_ahead:
            accepted = self._with((timed,))
            in_time, refuted = _split(self.unproven, max(self.newest, timed.ticks) + max_ahead)
            return Arrived(accepted._with(in_time), refuted=refuted)
        unproven, refuted = _split(self.unproven, timed.ticks + slack)
        if len(unproven) < PROOFS:
            return Arrived(replace(self, unproven=(*unproven, timed)), refuted=refuted)
        proven = self._with(unproven)
        if timed.ticks <= max(each.ticks for each in unproven) + max_ahead:
            return Arrived(proven._with((timed,)), refuted=refuted)
        return Arrived(
            replace(proven, unproven=(timed,)), refuted=refuted
        )  # too far ahead of the items that it confirms

    def _proven_first(self, timed: Timed[T], max_ahead: int, slack: int) -> Arrived[T]:
        """Add an item to a buffer that is empty, or has only the unproven first item of the stream."""
        if not self.unproven:
            return Arrived(replace(self, unproven=(timed,)))
        (first,) = self.unproven
        if timed.ticks < first.ticks - slack:
            return Arrived(replace(self, unproven=(timed,)), refuted=(first,))
        return self._with((first,))._proven(timed, max_ahead, slack)

    def end(self) -> Arrived[T]:
        """Decide on unproven items at the end of the stream: all are refuted, unless no item was accepted."""
        if self.newest is None:
            return Arrived(self._with(self.unproven))
        return Arrived(replace(self, unproven=()), refuted=self.unproven)

    def with_unproven(self) -> Waiting[T]:
        """Accept all unproven items."""
        return self._with(self.unproven)

    def with_items(self, items: Sequence[Timed[T]]) -> Waiting[T]:
        """Put back items, in time order, that were removed before."""
        return replace(self._with(tuple(items)), unproven=self.unproven)

    def _with(self, items: tuple[Timed[T], ...]) -> Waiting[T]:
        """Add items that wait for the watermark; the result has no unproven items."""
        newest, queue, added = self.newest, self._queue, self._added
        for each in items:
            newest = each.ticks if newest is None else max(newest, each.ticks)
            queue = _merged(queue, _Node((each.ticks, added), each))
            added += 1
        return Waiting(self.kind, newest, (), queue, self._count + len(items), added)

    # -- departures --------------------------------------------------------------------------------

    def is_complete(self, lateness: int | None) -> bool:
        """Test whether the oldest items are complete; with `lateness` None, whether any item waits."""
        if self._queue is None:
            return False
        return not lateness or self._queue.timed.ticks < (self.newest or 0) - lateness

    def without_oldest(self) -> tuple[list[Timed[T]], Waiting[T]]:
        """Return the items of the oldest timestamp, and the buffer without them."""
        oldest, queue = list[Timed[T]](), self._queue
        while queue is not None and (not oldest or queue.timed.ticks == oldest[0].ticks):
            oldest.append(queue.timed)
            queue = _merged(queue.left, queue.right)
        return oldest, replace(self, _queue=queue, _count=self._count - len(oldest))


def _split(items: tuple[Timed[T], ...], last: int) -> tuple[tuple[Timed[T], ...], tuple[Timed[T], ...]]:
    """Return the items up to a tick, and the later items."""
    until = tuple(each for each in items if each.ticks <= last)
    return until, tuple(each for each in items if each.ticks > last)


@dataclass(frozen=True, slots=True, eq=False)
class _Node(Generic[T]):
    """Node of a leftist heap, a persistent priority queue: its key is the minimum of the keys below it.

    Args:
        key: tick and number of arrival of the item.
        timed: the item.
        left, right: subheaps; the rank of `right` is at most that of `left`.
        rank: length of the path to the right.
    """

    key: tuple[int, int]
    timed: Timed[T]
    left: _Node[T] | None = None
    right: _Node[T] | None = None
    rank: int = 1


def _merged(one: _Node[T] | None, other: _Node[T] | None) -> _Node[T] | None:
    """Merge two heaps. Costs O(log n)."""
    if one is None or other is None:
        return one or other
    if other.key < one.key:
        one, other = other, one
    left, right = one.left, _merged(one.right, other)
    if left is None or (right is not None and left.rank < right.rank):
        left, right = right, left
    return _Node(one.key, one.timed, left, right, 1 + (0 if right is None else right.rank))

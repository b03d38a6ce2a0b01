"""Waiting arrivals of a stream, as a value: they wait for the watermark, or for proof that time has advanced.

The watermark is the newest time less the allowed lateness. Items older than the watermark are complete, since
an item at the watermark is still in time. Complete items leave in time order, all items of one timestamp
together.

If time may advance by at most `max_ahead` from one item to the next, an item further ahead is unproven, since
its clock may be wrong. It waits, together with following items that are as far ahead:

- `PROOFS` such items prove that time has advanced, and all are accepted.
- An item that is not as far ahead refutes it.
- The first item of a stream has no predecessor: the next item proves or refutes it.

With a clock no proof is needed: an item ahead of the clock by more than `max_ahead` is refuted at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar

from pantarhei.model.time import Duration, TimeKind, TimePoint, duration_ticks

T = TypeVar("T")

PROOFS = 3
"""Number of following items that prove that time has advanced."""


class Timed(NamedTuple, Generic[T]):
    """Item with its timestamp, in ticks and as given."""

    ticks: int
    at: TimePoint
    item: T


class Tolerance(NamedTuple):
    """Limits of disorder, in ticks.

    Args:
        lateness: how far items may be out of order; with 0 no item waits for the watermark.
        max_ahead: how far time may advance from one item to the next, or be ahead of a clock; None for any.
    """

    lateness: int = 0
    max_ahead: int | None = None

    @classmethod
    def of(cls, lateness: Duration | None, max_ahead: Duration | None, kind: TimeKind) -> Tolerance:
        """Return the limits in ticks; None for the default.

        Raises:
            TimestampError: a length does not fit the kind.
        """
        most = None if max_ahead is None else duration_ticks(max_ahead, kind)
        return cls(duration_ticks(lateness, kind) if lateness else 0, most)


class Arrived(NamedTuple, Generic[T]):
    """Result of one arrival.

    Args:
        waiting: the waiting items.
        is_late: whether the arrival is older than the watermark; then nothing has changed.
        refuted: the items whose timestamps are too far ahead; they no longer wait.
    """

    waiting: Waiting[T]
    is_late: bool = False
    refuted: tuple[Timed[T], ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting(Generic[T]):
    """Items that wait, oldest first, and the newest time. Costs O(log n) an item.

    Args:
        kind: the kind of the timestamps; None before the first item.
        newest: the newest proven time, in ticks; None before the first.
        unproven: the items that are too far ahead, in the order of their arrival.
    """

    kind: TimeKind | None = None
    newest: int | None = None
    unproven: tuple[Timed[T], ...] = ()
    _queue: _Node[T] | None = field(default=None, repr=False)
    _count: int = 0  # of the items in the queue
    _added: int = 0  # number of items queued so far: items of one time leave in order

    @classmethod
    def of(
        cls, kind: TimeKind, newest: int | None, items: Sequence[Timed[T]], unproven: Sequence[Timed[T]]
    ) -> Waiting[T]:
        """Return items that wait for the watermark, in the order of their arrival, and unproven ones."""
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
            now: the time of the newest complete item, in ticks; anything older is late.
            clock: the time of the clock, in ticks; None without a clock.
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
        """Add an item when following items prove or refute that time has advanced.

        Args:
            timed: the item.
            max_ahead: how far time may advance from one item to the next.
            slack: how much older than an item a following one may be that proves it.
        """
        if self.newest is None:
            return self._proven_first(timed, max_ahead, slack)
        if timed.ticks <= self.newest + max_ahead:
            taken = self._with((timed,))
            in_time, refuted = _split(self.unproven, max(self.newest, timed.ticks) + max_ahead)
            return Arrived(taken._with(in_time), refuted=refuted)
        unproven, refuted = _split(self.unproven, timed.ticks + slack)
        if len(unproven) < PROOFS:
            return Arrived(replace(self, unproven=(*unproven, timed)), refuted=refuted)
        proven = self._with(unproven)
        if timed.ticks <= max(each.ticks for each in unproven) + max_ahead:
            return Arrived(proven._with((timed,)), refuted=refuted)
        return Arrived(
            replace(proven, unproven=(timed,)), refuted=refuted
        )  # ahead of the items that it proves

    def _proven_first(self, timed: Timed[T], max_ahead: int, slack: int) -> Arrived[T]:
        """Add an item when the only earlier one may be the first of the stream."""
        if not self.unproven:
            return Arrived(replace(self, unproven=(timed,)))
        (first,) = self.unproven
        if timed.ticks < first.ticks - slack:
            return Arrived(replace(self, unproven=(timed,)), refuted=(first,))
        return self._with((first,))._proven(timed, max_ahead, slack)

    def end(self) -> Arrived[T]:
        """Decide on the items that are unproven, since none will follow."""
        if self.newest is None:
            return Arrived(self._with(self.unproven))
        return Arrived(replace(self, unproven=()), refuted=self.unproven)

    def with_unproven(self) -> Waiting[T]:
        """Take the items that are unproven, as if any time were permitted."""
        return self._with(self.unproven)

    def with_items(self, items: Sequence[Timed[T]]) -> Waiting[T]:
        """Put back items in order that waited before."""
        return replace(self._with(tuple(items)), unproven=self.unproven)

    def _with(self, items: tuple[Timed[T], ...]) -> Waiting[T]:
        """Add items that wait for the watermark; none is unproven then."""
        newest, queue, added = self.newest, self._queue, self._added
        for each in items:
            newest = each.ticks if newest is None else max(newest, each.ticks)
            queue = _merged(queue, _Node((each.ticks, added), each))
            added += 1
        return Waiting(self.kind, newest, (), queue, self._count + len(items), added)

    # -- departures --------------------------------------------------------------------------------

    def is_complete(self, lateness: int | None) -> bool:
        """Return whether the oldest items are complete; with None, whether there are any."""
        if self._queue is None:
            return False
        return not lateness or self._queue.timed.ticks < (self.newest or 0) - lateness

    def without_oldest(self) -> tuple[list[Timed[T]], Waiting[T]]:
        """Return the items of the oldest timestamp, and the other waiting items."""
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
    """Leftist heap: a persistent priority queue, whose nodes have the least key below them.

    Args:
        key: the order of the items.
        timed: the item.
        left, right: the nodes below; right is never the higher one.
        rank: length of the path to the right.
    """

    key: tuple[int, int]
    timed: Timed[T]
    left: _Node[T] | None = None
    right: _Node[T] | None = None
    rank: int = 1


def _merged(one: _Node[T] | None, other: _Node[T] | None) -> _Node[T] | None:
    """Return one heap of two. Costs O(log n)."""
    if one is None or other is None:
        return one or other
    if other.key < one.key:
        one, other = other, one
    left, right = one.left, _merged(one.right, other)
    if left is None or (right is not None and left.rank < right.rank):
        left, right = right, left
    return _Node(one.key, one.timed, left, right, 1 + (0 if right is None else right.rank))

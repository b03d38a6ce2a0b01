"""Which of many things are due at a tick, though nothing is said to them."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Protocol


class Sleeper(Protocol):
    """What can be due."""

    def next_due(self) -> int | None:
        """The next tick that brings something without a change; None if there is none."""


class Waking:
    """When things are due. Costs those that are due or have changed, however many others there are.

    Args:
        things: all of them; each is known by its place.
    """

    def __init__(self, things: Sequence[Sleeper]) -> None:
        self._things = things
        self._heap: list[tuple[int, int]] = []  # ticks and places; what is not in `_noted` counts no more
        self._noted: dict[int, int] = {}
        for place in range(len(things)):
            self.look_at(place)

    def look_at(self, place: int) -> None:
        """A thing may be due at another tick now."""
        due = self._things[place].next_due()
        if due is None:
            self._noted.pop(place, None)
        elif self._noted.get(place) != due:
            self._noted[place] = due
            heappush(self._heap, (due, place))

    def next_due(self) -> int | None:
        """The next tick at which any is due."""
        while self._heap and self._noted.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def due(self, tick: int) -> list[int]:
        """The places of those that are due at a tick, ascending; they are asked anew when looked at."""
        found: set[int] = set()
        while (due := self.next_due()) is not None and due <= tick:
            place = heappop(self._heap)[1]
            del self._noted[place]
            found.add(place)
        return sorted(found)

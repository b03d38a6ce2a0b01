"""What a stream has said, tick by tick, as the search for answer streams takes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pantarhei.model.temporal_rule import TemporalAtom


class SaidAt(NamedTuple):
    """What was said at a tick.

    Args:
        tick: the tick.
        states: what held at its end, and at the ticks behind it of which nothing else is said.
        events: what was asserted, in the order given, each once.
    """

    tick: int
    states: frozenset[TemporalAtom]
    events: tuple[TemporalAtom, ...] = ()


@dataclass(frozen=True, slots=True)
class SaidStream:
    """A timeline with what was said at its ticks.

    Args:
        start, now: its first and its last tick.
        told: what was said, oldest first; before the first of them nothing was.
    """

    start: int
    now: int
    told: tuple[SaidAt, ...] = ()

    def relative(self) -> SaidStream:
        """Return the stream with ticks counted from `now`: that is 0, and earlier ones are negative."""
        told = tuple(each._replace(tick=each.tick - self.now) for each in self.told)
        return SaidStream(self.start - self.now, 0, told)

    def states(self, since: int) -> Iterator[tuple[int, TemporalAtom]]:
        """The states of each tick from one on."""
        ends = [*(each.tick for each in self.told[1:]), self.now + 1]
        for each, end in zip(self.told, ends, strict=True):
            for tick in range(max(each.tick, since), min(end, self.now + 1)):
                for atom in each.states:
                    yield tick, atom

    def events(self, since: int) -> Iterator[tuple[int, TemporalAtom]]:
        """The events of each tick from one on, in their order."""
        for each in self.told:
            if since <= each.tick <= self.now:
                for atom in each.events:
                    yield each.tick, atom

    def last_events(self, size: int) -> tuple[int, list[tuple[int, TemporalAtom]]]:
        """The last so many events, and the tick of the first of them; with fewer, the timeline's first."""
        found = list(self.events(self.start))[-size:]
        return (found[0][0] if len(found) == size else self.start), found

"""What was said at the ticks that are over, as far back as the largest window of a rule reaches.

The past is what was said: no later repair changes it. A tick's entry is closed when time moves on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples


class Said(NamedTuple):
    """What was said at one tick; facts of shape (n, 3).

    Args:
        tick: the tick.
        events: what was asserted then, and survived the repair, in the order given; each fact once.
        came: states that hold since then.
        went: states that held at the tick before, and no more.
        concluded: remembered conclusions that hold since then, in the second kernel's predicates.
        withdrawn: remembered conclusions of the tick before that are none any more.
    """

    tick: int
    events: Integers = NO_FACTS
    came: Integers = NO_FACTS
    went: Integers = NO_FACTS
    concluded: Integers = NO_FACTS
    withdrawn: Integers = NO_FACTS

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said."""
        return not any(map(len, self[1:]))


_CHUNK = 256


@dataclass(frozen=True, slots=True)
class Past:
    """The closed ticks, oldest first; nothing in it changes, and a longer one shares what it can.

    Args:
        begun: the first tick that it knows all of.
        chunks: full parts, `_CHUNK` ticks each.
        last: the part that is being filled.
    """

    begun: int
    chunks: tuple[tuple[Said, ...], ...] = ()
    last: tuple[Said, ...] = ()

    @classmethod
    def of(cls, begun: int, ticks: Iterable[Said]) -> Past:
        """The past of some ticks, oldest first."""
        past = cls(begun)
        for said in ticks:
            past = past.with_tick(said, begun)
        return past

    def __iter__(self) -> Iterator[Said]:
        for chunk in (*self.chunks, self.last):
            yield from chunk

    def with_tick(self, said: Said, needed: int) -> Past:
        """The past with one more tick, without those that lie before `needed`, as far as whole parts go."""
        chunks, begun = self.chunks, self.begun
        while chunks and chunks[0][-1].tick < needed:
            begun, chunks = chunks[0][-1].tick + 1, chunks[1:]
        last = self.last if said.is_empty else (*self.last, said)
        if len(last) >= _CHUNK:
            return Past(begun, (*chunks, last), ())
        return replace(self, begun=begun, chunks=chunks, last=last)

    def mapped(self, change: Callable[[Said], Said]) -> Past:
        """The past with each tick changed."""
        chunks = tuple(tuple(map(change, chunk)) for chunk in self.chunks)
        return replace(self, chunks=chunks, last=tuple(map(change, self.last)))


def held_at(
    turns: Iterable[tuple[int, Integers, Integers]], facts: Iterable[Fact], last: int, oldest: int
) -> Iterator[tuple[int, set[Fact]]]:
    """Which facts held at each of some ticks, the newest first.

    Args:
        turns: for ticks at which facts came and went, the tick, and which.
        facts: those that held at the tick `last`.
        oldest: the last tick that is told.
    """
    by_tick = {tick: (coming, going) for tick, coming, going in turns}
    standing = set(facts)
    for tick in range(last, oldest - 1, -1):
        yield tick, standing
        if tick in by_tick:
            coming, going = by_tick[tick]
            standing = standing - set(as_tuples(coming)) | set(as_tuples(going))

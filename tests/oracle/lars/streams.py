"""Streams and their windows (LA17 Definitions 1 to 4).

Atoms with `is_asserted` are what a tuple window counts; those without it are states and conclusions. A tick
has its atoms in an order, that of arrival: a tuple window that begins within a tick selects the last ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from oracle.canonical_literals import canonical_term
from pantarhei.model.temporal_rule import Reach, TemporalAtom, TimeWindow

Atoms = Mapping[TemporalAtom, None]
"""Atoms, each once, in the order of arrival: the keys of a mapping."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A timeline and the atoms at each of its ticks (LA17 Definition 1). Build with `of`.

    Args:
        start, end: the first and the last tick of the timeline.
        atoms: those of each tick, without ticks that have none; ticks outside the timeline do not count.
    """

    start: int
    end: int
    atoms: Mapping[int, Atoms]

    @classmethod
    def of(cls, start: int, end: int, atoms: Mapping[int, Iterable[TemporalAtom]]) -> Stream:
        """The stream of those atoms, which are given in their order of arrival."""
        return cls(start, end, {}).joined(atoms)

    @property
    def timeline(self) -> range:
        """Its ticks."""
        return range(self.start, self.end + 1)

    def at(self, tick: int) -> Atoms:
        """The atoms of a tick of the timeline."""
        return self.atoms.get(tick, {})

    def until(self, end: int) -> Stream:
        """What there is up to a tick, that one included."""
        return replace(self, end=end)

    def joined(self, atoms: Mapping[int, Iterable[TemporalAtom]]) -> Stream:
        """This stream with further atoms, which arrive behind those that it has."""
        joined = dict(self.atoms)
        for tick, added in atoms.items():
            if found := {**self.at(tick), **dict.fromkeys(map(canonical, added))}:
                joined[tick] = found
        return replace(self, atoms=joined)


def canonical(atom: TemporalAtom) -> TemporalAtom:
    """The atom with the canonical literals of its values."""
    return replace(atom, arguments=tuple(map(canonical_term, atom.arguments)))


def window_of(stream: Stream, now: int, reach: Reach) -> Stream:
    """The window of a stream at a tick (LA17 Definition 2)."""
    if not isinstance(reach, TimeWindow):
        return tuple_window(stream, now, reach.size)
    if not isinstance(reach.size, int):
        raise ValueError(f"a window of {reach.size} is given, and a number of ticks expected")
    return time_window(stream, now, reach.size)


def time_window(stream: Stream, now: int, size: int) -> Stream:
    """The last `size` ticks and the present one (LA17 Definition 3)."""
    return replace(stream, start=max(stream.start, now - size), end=now)


def tuple_window(stream: Stream, now: int, size: int) -> Stream:
    """The last `size` assertions; its timeline begins with the tick of the first of them (LA17 Definition 4).

    With fewer than `size` assertions, it begins with the stream. An asserted fact also holds: each assertion
    that is selected is there as `asserted p(x)` and as `p(x)`.
    """
    asserted = {
        tick: [atom for atom in stream.at(tick) if atom.is_asserted] for tick in range(stream.start, now + 1)
    }

    def count(since: int) -> int:
        return sum(len(asserted[tick]) for tick in range(since, now + 1))

    start = max([tick for tick in asserted if count(tick) >= size], default=stream.start)
    selected = {tick: asserted[tick] for tick in range(start, now + 1)}
    del selected[start][: max(0, count(start) - size)]
    return Stream.of(
        start,
        now,
        {
            tick: [each for atom in atoms for each in (atom, replace(atom, is_asserted=False))]
            for tick, atoms in selected.items()
        },
    )

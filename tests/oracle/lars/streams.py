"""Streams and their windows (LA17 Definitions 1 to 4).

Tuple windows count the atoms with `is_asserted`; other atoms are states and conclusions. The atoms of a tick
are in
order of arrival: a tuple window that begins within a tick selects its last ones.
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
    """Timeline with the atoms at each of its ticks (LA17 Definition 1). Build with `of`.

    Args:
        start, end: the first and the last tick of the timeline.
        atoms: the atoms of each tick that has some; ticks outside the timeline are ignored.
    """

    start: int
    end: int
    atoms: Mapping[int, Atoms]

    @classmethod
    def of(cls, start: int, end: int, atoms: Mapping[int, Iterable[TemporalAtom]]) -> Stream:
        """Return the stream of these atoms, given in order of arrival."""
        return cls(start, end, {}).joined(atoms)

    @property
    def timeline(self) -> range:
        """Ticks of the stream."""
        return range(self.start, self.end + 1)

    def at(self, tick: int) -> Atoms:
        """Return the atoms of a tick of the timeline."""
        return self.atoms.get(tick, {})

    def until(self, end: int) -> Stream:
        """Return the stream up to and including a tick."""
        return replace(self, end=end)

    def joined(self, atoms: Mapping[int, Iterable[TemporalAtom]]) -> Stream:
        """Return this stream with further atoms, which arrive after its own."""
        joined = dict(self.atoms)
        for tick, added in atoms.items():
            if found := {**self.at(tick), **dict.fromkeys(map(canonical, added))}:
                joined[tick] = found
        return replace(self, atoms=joined)


def canonical(atom: TemporalAtom) -> TemporalAtom:
    """Replace the literals of an atom by canonical ones."""
    return replace(atom, arguments=tuple(map(canonical_term, atom.arguments)))


def window_of(stream: Stream, now: int, reach: Reach) -> Stream:
    """Return the window of a stream at a tick (LA17 Definition 2)."""
    if not isinstance(reach, TimeWindow):
        return tuple_window(stream, now, reach.size)
    if not isinstance(reach.size, int):
        raise ValueError(f"a window of {reach.size} is given, and a number of ticks expected")
    return time_window(stream, now, reach.size)


def time_window(stream: Stream, now: int, size: int) -> Stream:
    """Return the stream of the present tick and the `size` ticks before it (LA17 Definition 3)."""
    return replace(stream, start=max(stream.start, now - size), end=now)


def tuple_window(stream: Stream, now: int, size: int) -> Stream:
    """Return the last `size` assertions; the timeline begins at the tick of the first of them (LA17
    Definition 4).

    With fewer than `size` assertions, it begins at the start of the stream. An asserted fact also holds: each
    selected assertion is included as `asserted p(x)` and as `p(x)`.
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

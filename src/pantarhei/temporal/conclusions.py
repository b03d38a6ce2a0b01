"""What temporal rules conclude, as their user sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

from pantarhei.language.temporal_rule import TemporalAtom
from pantarhei.language.term import Triple
from pantarhei.language.time import TimePoint
from pantarhei.rdf.pickling import exactly


class Turn(NamedTuple):
    """What one tick brought.

    Args:
        at: when.
        added: the conclusions that came, of any number of arguments.
        removed: those that went.
    """

    at: TimePoint
    added: frozenset[TemporalAtom]
    removed: frozenset[TemporalAtom]


class ConclusionChanges:
    """Which conclusions came and which went in one step; translated when first looked at.

    Args:
        make: makes the turns.
        triples: makes the triples that came in all, and those that went; else they are made of the turns.
    """

    def __init__(
        self,
        make: Callable[[], tuple[Turn, ...]],
        triples: Callable[[], tuple[frozenset[Triple], frozenset[Triple]]] | None = None,
    ) -> None:
        self._make, self._make_triples = make, triples

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """What came and went at each tick on the way, in order: what came and is gone again is there too."""
        return tuple(turn for turn in self._make() if turn.added or turn.removed)

    @cached_property
    def _net(self) -> tuple[frozenset[TemporalAtom], frozenset[TemporalAtom]]:
        added, removed = frozenset[TemporalAtom](), frozenset[TemporalAtom]()
        for turn in self.turns:
            added, removed = (
                added - turn.removed | turn.added - removed,
                removed - turn.added | turn.removed - added,
            )
        return added, removed

    @property
    def atoms_added(self) -> frozenset[TemporalAtom]:
        """The conclusions that came, of any number of arguments."""
        return self._net[0]

    @property
    def atoms_removed(self) -> frozenset[TemporalAtom]:
        """The conclusions that went, of any number of arguments."""
        return self._net[1]

    @cached_property
    def _triples(self) -> tuple[frozenset[Triple], frozenset[Triple]]:
        if self._make_triples is not None:
            return self._make_triples()
        came, went = (frozenset(concluded_triples(atoms)) for atoms in self._net)
        return came, went

    @property
    def added(self) -> frozenset[Triple]:
        """The conclusions that came, those that are triples."""
        return self._triples[0]

    @property
    def removed(self) -> frozenset[Triple]:
        """The conclusions that went, those that are triples."""
        return self._triples[1]

    def __bool__(self) -> bool:
        return bool(self.turns)

    def __eq__(self, other: object) -> bool:
        return self.turns == other.turns if isinstance(other, ConclusionChanges) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.turns)

    def __repr__(self) -> str:
        return f"ConclusionChanges(+{len(self.atoms_added)} -{len(self.atoms_removed)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored, self.turns)


def _restored(turns: tuple[Turn, ...]) -> ConclusionChanges:
    return ConclusionChanges(lambda: turns)


NOTHING_CONCLUDED: Final = _restored(())
"""The changes of a step that brought no conclusion."""


def concluded_triples(atoms: Iterable[TemporalAtom]) -> Iterator[Triple]:
    """The atoms that are triples."""
    return (atom.triple for atom in atoms if atom.triple is not None)

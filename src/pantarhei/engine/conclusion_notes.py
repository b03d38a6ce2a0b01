"""Conclusions that came and went, kept as numbers until someone asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import NO_CHANGES, NONE, Integers, as_tuples, net_changes, parted
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.temporal.conclusion_sets import NOTHING_CONCLUDED, ConclusionChanges, ConclusionSet, Turn
from pantarhei.temporal.numbered import NumberedProgram
from pantarhei.temporal.tuples import Tuples


class Decoder(NamedTuple):
    """Makes conclusions of facts of the second kernel, in the numbers of one time.

    Args:
        numbered: the rules in these numbers.
        lexicon: the terms.
        tuples: what tuples are.
    """

    numbered: NumberedProgram
    lexicon: Lexicon
    tuples: Tuples

    def atoms(self, facts: Integers) -> frozenset[TemporalAtom]:
        """The conclusions that facts are."""
        return frozenset(self._atoms(facts))

    def _atoms(self, facts: Integers) -> Iterator[TemporalAtom]:
        names, term = self.numbered.conclusions, self.lexicon.term
        for predicate, subject, last in as_tuples(facts):
            if predicate in names:  # else it is told with its tuple
                name, arity = names[predicate]
                terms = self.tuples.terms(subject) + ([] if last == NONE else [last])
                yield TemporalAtom(name, tuple(map(term, terms[len(terms) - arity :])))

    def triples(self, facts: Integers) -> frozenset[Triple]:
        """Those that are triples."""
        return frozenset(self.lexicon.decode(self.numbered.triples(facts)))


_FEW: Final = 256
"""So many changes at least are kept for who asks again."""


class ConclusionNotes:
    """What each of those who ask has not been told yet."""

    def __init__(self) -> None:
        # With tick and time, for the update of the step.
        self._changed: list[tuple[int, TimePoint, Integers]] = []
        self._known: ConclusionSet | None = None  # what is concluded, when someone asked last
        self._unknown: list[Integers] = []  # what came and went since then
        self._count = 0  # of these changes
        self._is_followed, self._untold = False, tuple[Integers, ...]()  # as triples, for queries

    def note(self, tick: int, at: TimePoint, changes: Integers, numbered: NumberedProgram) -> None:
        """Conclusions came (1) and went (-1, last column) at a time of a tick."""
        if not len(changes):
            return
        self._changed.append((tick, at, changes))
        if self._known is not None:
            self._unknown.append(changes)
            self._count += len(changes)
            if self._count > len(self._known) + _FEW:
                self.begin_anew()  # nobody asks, or it costs no more
        if self._is_followed:
            self._untold = (*self._untold, numbered.triples(changes))

    def take_changes(self, decoder: Decoder) -> ConclusionChanges:
        """The conclusions that came and those that went since the last call."""
        changed, self._changed = self._changed, []
        if not changed:
            return NOTHING_CONCLUDED

        def turns() -> Iterator[Turn]:
            by_tick: dict[int, list[tuple[TimePoint, Integers]]] = {}
            for tick, at, part in changed:
                by_tick.setdefault(tick, []).append((at, part))
            for given in by_tick.values():
                came, went = parted(net_changes(np.concatenate([part for _, part in given])))
                yield Turn(given[-1][0], decoder.atoms(came), decoder.atoms(went))

        def in_all() -> tuple[frozenset[Triple], frozenset[Triple]]:
            came, went = parted(net_changes(np.concatenate([part for _, _, part in changed])))
            return decoder.triples(came), decoder.triples(went)

        return ConclusionChanges(lambda: tuple(turns()), in_all)

    def triples(self, decoder: Decoder, concluded: Callable[[], Integers]) -> ConclusionSet:
        """Return the conclusions that are triples. Costs what has changed since the last call.

        Args:
            concluded: finds all conclusions.
        """
        if self._known is None:
            self._known = ConclusionSet(decoder.triples(concluded()))
        elif self._unknown:
            came, went = map(decoder.triples, parted(net_changes(np.concatenate(self._unknown))))
            self._known = self._known.turned(came - went, went - came)
        self._unknown, self._count = [], 0
        return self._known

    def follow(self) -> None:
        """Note from now on what came and went, for `take_facts`."""
        self._is_followed = True

    def take_facts(self) -> Integers:
        """Those that are triples and came (1) or went (-1, last column) since the last call, each once."""
        untold, self._untold = self._untold, ()
        return net_changes(np.concatenate([NO_CHANGES, *untold]))

    def begin_anew(self) -> None:
        """What is concluded, or has which numbers, is not known any more."""
        self._known, self._unknown, self._count = None, [], 0

    def mark(self) -> object:
        """How things stand, for `back`."""
        return self._untold

    def back(self, mark: object) -> None:
        """Be as when `mark` was given; what is concluded need not be what it was."""
        assert isinstance(mark, tuple)
        self._untold, self._changed = mark, []

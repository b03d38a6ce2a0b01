"""All that reasons are found in, at the present tick; and the proofs in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, cast

from pantarhei.encoding.numbers import Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import Term
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.temporal import NotConcluded
from pantarhei.temporal.data_stream import DataStream
from pantarhei.temporal.joining import Joined
from pantarhei.temporal.numbered import NumberedProgram
from pantarhei.temporal.reasons.bodies import Bodies
from pantarhei.temporal.reasons.evidence import Atom, Clause
from pantarhei.temporal.reasons.missing import missing
from pantarhei.temporal.reasons.occasions import AtTicks, Occasions
from pantarhei.temporal.reasons.proving import Reasons
from pantarhei.temporal.reasons.writing import Sources, Words
from pantarhei.temporal.ticks import Ticks


class Testimony(NamedTuple):
    """What rules see.

    Args:
        given: the rules.
        ticks: of the stream.
        numbered: the program in numbers.
        vocabulary: the stream's.
        data: what has been said.
        states: those that hold now, in the stream's predicates.
        facts: what holds in the second kernel.
        at_ticks: see `Occasions`.
    """

    given: Joined
    ticks: Ticks
    numbered: NumberedProgram
    vocabulary: Vocabulary
    data: DataStream
    states: Integers
    facts: Integers
    at_ticks: Callable[[], AtTicks]

    def proofs(self, atom: TemporalAtom, sources: Sources, is_all: bool, limit: int) -> list[Proof]:
        """The proofs of what rules conclude at the present tick; none of what they do not.

        Costs a pass over what has been said and concluded.

        Args:
            atom: without variables.
            sources: reasons for what was said.
            is_all: give one for each instance of a rule that concludes the atom.
            limit: how many instances are looked at.
        """
        with self._nothing_learned():
            reasons = Reasons(self._bodies(), self._words, sources, limit)
            return list(reasons.proofs(self._now(atom), is_all))

    def concludes(self, atom: TemporalAtom) -> bool:
        """Whether rules conclude an atom at the present tick."""
        with self._nothing_learned():
            _, arguments, _ = self._now(atom)
            return bool(self._occasions().concluded(atom.predicate, arguments))

    def missing(self, atom: TemporalAtom) -> tuple[NotConcluded, ...]:
        """Of each temporal rule that could conclude an atom at the present tick why it does not.

        Costs a pass over what has been said and concluded, and so many ways to meet its bodies as are tried.
        """
        with self._nothing_learned():
            return tuple(map(self._words.not_concluded, missing(self._bodies(), self._now(atom))))

    @property
    def _words(self) -> Words:
        return Words(self.data.tick, self.ticks, self.vocabulary)

    def _bodies(self) -> Bodies:
        return Bodies(Clause.all_of(self.given), self._occasions(), self.ticks, self.vocabulary)

    def _occasions(self) -> Occasions:
        return Occasions(self.data, self.states, self.facts, self.numbered, self.vocabulary, self.at_ticks)

    def _now(self, atom: TemporalAtom) -> Atom:
        arguments = tuple(self.vocabulary.number(cast(Term, term)) for term in atom.arguments)
        return Atom(atom.predicate, arguments, self.data.tick)

    @contextmanager
    def _nothing_learned(self) -> Iterator[None]:
        """What is numbered inside is forgotten at the end."""
        known = self.vocabulary.mark
        try:
            yield
        finally:
            if self.vocabulary.mark != known:
                self.vocabulary.back_to(known)

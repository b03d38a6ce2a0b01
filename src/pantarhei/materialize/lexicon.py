"""What numbers mean: the reading side of a vocabulary.

A lexicon is only ever added to. Where a vocabulary gives its terms other numbers it begins another lexicon,
so that numbers written down before keep their meaning for whoever holds the one of their time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.language.term import RDF_TYPE, Term, Triple
from pantarhei.rules.program import FIRST_LITERAL, NO_FORMS, NONE, Forms, Integers, Symbol


class LiteralSet:
    """Some of the literals, by number; tells of a whole column which are in it."""

    def __init__(self, flags: npt.NDArray[np.bool_] | None = None) -> None:
        self._flags = np.zeros(64, np.bool_) if flags is None else flags
        self._count = int(np.count_nonzero(self._flags))

    def add(self, number: int) -> None:
        place = number - FIRST_LITERAL
        if place >= len(self._flags):
            longer = np.zeros(2 * place + 64, np.bool_)
            longer[: len(self._flags)] = self._flags
            self._flags = longer
        self._count += not self._flags[place]
        self._flags[place] = True

    def __contains__(self, number: int) -> bool:
        place = number - FIRST_LITERAL
        return 0 <= place < len(self._flags) and bool(self._flags[place])

    def __bool__(self) -> bool:
        return self._count > 0

    @property
    def bytes_used(self) -> int:
        """Bytes of the flags."""
        return self._flags.nbytes

    def among(self, numbers: Integers) -> npt.NDArray[np.bool_]:
        """Which of `numbers` are in the set. Costs their count."""
        places = numbers.astype(np.int64) - FIRST_LITERAL
        inside = (places >= 0) & (places < len(self._flags))
        inside[inside] = self._flags[places[inside]]
        return inside

    def kept(self, places: npt.NDArray[np.intp]) -> LiteralSet:
        """The set where the literals at `places` alone are left, in that order."""
        among = np.zeros(len(places), np.bool_)
        known = places < len(self._flags)
        among[known] = self._flags[places[known]]
        return LiteralSet(among)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Symbols and terms by their numbers.

    Args:
        symbols: classes and properties.
        names: names.
        literals: the first form met of each value; their numbers begin at `FIRST_LITERAL`.
        varied: the literals of whose values further forms were met.
    """

    symbols: list[Symbol]
    names: list[Term]
    literals: list[Literal]
    varied: LiteralSet

    def term(self, number: int) -> Term:
        """The term of a number."""
        return self.literals[number - FIRST_LITERAL] if number >= FIRST_LITERAL else self.names[number]

    def decode(self, facts: Integers | Sequence[Sequence[int]], forms: Forms = NO_FORMS) -> Iterator[Triple]:
        """The triples of facts, in their order, with the forms that `forms` says their literals have."""
        rows = facts.tolist() if isinstance(facts, np.ndarray) else facts
        for predicate, subject, object_ in rows:
            symbol = self.symbols[predicate]
            if object_ == NONE:
                yield self.names[subject], RDF_TYPE, symbol.name
            elif forms and object_ in self.varied:
                form = forms.get((predicate, subject, object_))
                yield self.names[subject], symbol.name, self.term(object_) if form is None else form
            else:
                yield self.names[subject], symbol.name, self.term(object_)

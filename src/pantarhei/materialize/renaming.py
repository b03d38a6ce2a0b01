"""Which terms are used, and the numbers they have once the others are forgotten.

Numbers keep their order and become dense: what a foundation numbers first keeps its numbers, and of two terms
the one met first has the lower number still.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.rules.program import FIRST_LITERAL, NONE, Forms, Integers


class UsedTerms:
    """Flags for the names and literals that something uses, in bytes.

    Args:
        names: how many names there are.
        literals: how many literals.
    """

    def __init__(self, names: int, literals: int) -> None:
        self._flags = np.zeros(names + literals + 1, np.uint8)  # the last one stands for no term
        self.names = self._flags[:names]
        self.literals = self._flags[names:-1]

    def add_first(self, names: int, literals: int) -> None:
        """Note so many of the first names and literals."""
        self.names[:names] = 1
        self.literals[:literals] = 1

    def add(self, facts: Integers) -> None:
        """Note the subjects and objects of facts, shape (n, 3)."""
        self._flags[facts[:, 1]] = 1
        self._flags[_places(facts[:, 2], len(self.names))] = 1

    def add_forms(self, forms: Forms) -> None:
        """Note the subjects and values whose forms these are."""
        if forms:
            self.add(np.array([(NONE, *key[-2:]) for key in forms], np.int32))

    @property
    def share(self) -> Fraction:
        """How many of the terms were noted, as a share of all."""
        flags = self._flags[:-1]
        return Fraction(int(flags.sum(dtype=np.int64)), max(1, len(flags)))

    def renaming(self) -> Renaming:
        """The numbers of what was noted when the rest is forgotten."""
        return Renaming(_dense(self.names, 0), _dense(self.literals, FIRST_LITERAL))


class Renaming:
    """New numbers for the terms that are kept.

    Args:
        names: the new number of each name, `NONE` where it is forgotten.
        literals: of each literal by its place, its number less `FIRST_LITERAL`.
    """

    def __init__(self, names: Integers, literals: Integers) -> None:
        self._numbers = np.concatenate([names, literals, np.array([NONE], np.int32)])
        self.names = self._numbers[: len(names)]
        self.literals = self._numbers[len(names) : -1]

    @property
    def kept_names(self) -> npt.NDArray[np.intp]:
        """The former numbers of the names that are kept, ascending."""
        return np.flatnonzero(self.names != NONE)

    @property
    def kept_literals(self) -> npt.NDArray[np.intp]:
        """The former places of the literals that are kept, ascending."""
        return np.flatnonzero(self.literals != NONE)

    def facts(self, facts: Integers) -> Integers:
        """Facts whose terms are all kept, shape (n, 3), in the new numbers."""
        renamed = np.empty_like(facts)
        renamed[:, 0] = facts[:, 0]
        renamed[:, 1] = self._numbers[facts[:, 1]]
        renamed[:, 2] = self._numbers[_places(facts[:, 2], len(self.names))]
        return renamed

    def parts(self, parts: Sequence[Integers]) -> Iterator[Integers]:
        """The same of several; they share memory, but for those without facts."""
        whole = self.facts(parts[0] if len(parts) == 1 else np.concatenate(parts))
        bounds = accumulate(map(len, parts), initial=0)
        for part, (start, end) in zip(parts, pairwise(bounds), strict=True):
            yield whole[start:end] if start < end else part

    def forms(self, forms: Forms) -> dict[tuple[int, ...], Literal]:
        """Forms with their keys in the new numbers."""
        return {(*key[:-2], *map(self._number, key[-2:])): form for key, form in forms.items()}

    def _number(self, term: int) -> int:
        return int(self.names[term] if term < FIRST_LITERAL else self.literals[term - FIRST_LITERAL])


def _places(objects: Integers, names: int) -> Integers:
    """Where objects stand in an array of names, then literals, then `NONE` (which is found from its end)."""
    return np.where(objects >= FIRST_LITERAL, objects - (FIRST_LITERAL - names), objects)


def _dense(flags: npt.NDArray[np.uint8], first: int) -> Integers:
    """The numbers of what is flagged, from `first` on; `NONE` for the rest."""
    return np.where(flags, np.cumsum(flags, dtype=np.int32) + np.int32(first - 1), np.int32(NONE))

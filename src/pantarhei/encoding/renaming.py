"""Which symbols and terms are used, and the numbers they have once the others are forgotten.

Numbers keep their order and become dense: what a foundation numbers first keeps its numbers, and of two terms
the one met first has the lower number still.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.forms import NO_FORMS, Forms
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, as_tuples


class UsedTerms:
    """Flags for the symbols, names and literals that something uses, in bytes.

    Args:
        symbols: how many symbols there are.
        names: how many names.
        literals: how many literals.
    """

    def __init__(self, symbols: int, names: int, literals: int) -> None:
        # the last ones stand for no symbol and no term
        self._symbols, self._flags = np.zeros(symbols + 1, np.uint8), np.zeros(names + literals + 1, np.uint8)
        self.symbols = self._symbols[:-1]
        self.names = self._flags[:names]
        self.literals = self._flags[names:-1]

    def add_first(self, symbols: int, names: int = 0, literals: int = 0) -> None:
        """Note so many of the first symbols, names and literals."""
        self.symbols[:symbols] = 1
        self.names[:names] = 1
        self.literals[:literals] = 1

    def add(self, facts: Integers) -> None:
        """Note the symbols and terms of facts, shape (n, 3)."""
        if not self.symbols.all():  # mostly they are noted already
            self._symbols[facts[:, 0]] = 1
        self._flags[facts[:, 1]] = 1
        self._flags[_places(facts[:, 2], len(self.names))] = 1

    def add_forms(self, forms: Forms) -> None:
        """Note what the facts, or the subjects and values, have whose forms these are."""
        if forms:
            self.add(np.array([fact for fact, _ in forms.rows()], np.int32))

    @property
    def share(self) -> Fraction:
        """How many of the symbols and terms were noted, as a share of all."""
        flags = self.symbols, self._flags[:-1]
        return Fraction(sum(map(np.count_nonzero, flags)), max(1, sum(map(len, flags))))

    def renaming(self) -> Renaming:
        """The numbers of what was noted when the rest is forgotten."""
        return Renaming(_dense(self.symbols, 0), _dense(self.names, 0), _dense(self.literals, FIRST_LITERAL))


class Renaming:
    """New numbers for the symbols and terms that are kept.

    Args:
        symbols: the new number of each symbol, `NONE` where it is forgotten.
        names: the new number of each name, `NONE` where it is forgotten.
        literals: of each literal by its place, its number less `FIRST_LITERAL`.

    `keeps_symbols` says that no symbol is forgotten: then each has the number that it had.
    """

    def __init__(self, symbols: Integers, names: Integers, literals: Integers) -> None:
        self._symbols = np.append(symbols, np.int32(NONE))
        self.symbols = self._symbols[:-1]
        self.keeps_symbols = NONE not in symbols
        self._numbers = np.concatenate([names, literals, np.array([NONE], np.int32)])
        self.names = self._numbers[: len(names)]
        self.literals = self._numbers[len(names) : -1]

    @property
    def keeps_all(self) -> bool:
        """Test whether every symbol and term is kept: each has the number that it had."""
        return self.keeps_symbols and NONE not in self._numbers[:-1]

    @property
    def kept_symbols(self) -> npt.NDArray[np.intp]:
        """The former numbers of the symbols that are kept, ascending."""
        return np.flatnonzero(self.symbols != NONE)

    @property
    def kept_names(self) -> npt.NDArray[np.intp]:
        """The former numbers of the names that are kept, ascending."""
        return np.flatnonzero(self.names != NONE)

    @property
    def kept_literals(self) -> npt.NDArray[np.intp]:
        """The former places of the literals that are kept, ascending."""
        return np.flatnonzero(self.literals != NONE)

    def facts(self, facts: Integers) -> Integers:
        """Facts whose symbols and terms are all kept, shape (n, 3), in the new numbers."""
        renamed = np.empty_like(facts)
        renamed[:, 0] = facts[:, 0] if self.keeps_symbols else self._symbols[facts[:, 0]]
        renamed[:, 1] = self._numbers[facts[:, 1]]
        renamed[:, 2] = self._numbers[_places(facts[:, 2], len(self.names))]
        return renamed

    def parts(self, parts: Sequence[Integers]) -> Iterator[Integers]:
        """The same of several; they share memory, but for those without facts."""
        whole = self.facts(parts[0] if len(parts) == 1 else np.concatenate(parts))
        bounds = accumulate(map(len, parts), initial=0)
        for part, (start, end) in zip(parts, pairwise(bounds), strict=True):
            yield whole[start:end] if start < end else part

    def forms(self, forms: Forms) -> Forms:
        """Forms of facts in the new numbers."""
        if not forms:
            return NO_FORMS
        facts, written = zip(*forms.rows(), strict=True)
        return Forms.of_rows(zip(as_tuples(self.facts(np.array(facts, np.int32))), written, strict=True))


def _places(objects: Integers, names: int) -> Integers:
    """Where objects stand in an array of names, then literals, then `NONE` (which is found from its end)."""
    return np.where(objects >= FIRST_LITERAL, objects - (FIRST_LITERAL - names), objects)


def _dense(flags: npt.NDArray[np.uint8], first: int) -> Integers:
    """The numbers of what is flagged, from `first` on; `NONE` for the rest."""
    return np.where(flags, np.cumsum(flags, dtype=np.int32) + np.int32(first - 1), np.int32(NONE))

"""Rows of answers as columns of numbers.

Terms as numbers within one query's view: those of the vocabulary, and those that only the query knows.

A number stands for a term as it is shown. Below `LOCAL` it is the vocabulary's, which stands for a value in
its first form; from there on for a term that the vocabulary does not know, or knows in another form. Joins
compare `values`, which are one number for all forms of a value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.model.term import Term
from pantarhei.values.value import STRING, value_of

Ids = npt.NDArray[np.int64]
"""Terms as a `TermSpace` numbers them, `NONE` where there is none: unbound, or an error."""

Places = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SolutionTable:
    """A bag of rows.

    Args:
        columns: the terms that each variable is bound to, one a row. A variable that is missing is unbound
            in every row.
        size: how many rows there are.
    """

    columns: Mapping[Variable, Ids]
    size: int

    def __len__(self) -> int:
        return self.size

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        return 8 * self.size * len(self.columns)

    def column(self, variable: Variable) -> Ids:
        """The terms of a variable, in every row."""
        found = self.columns.get(variable)
        return np.full(self.size, NONE, np.int64) if found is None else found

    def take(self, places: Places) -> SolutionTable:
        """The rows at `places`, in their order."""
        return SolutionTable({v: column[places] for v, column in self.columns.items()}, len(places))

    def filter(self, mask: Mask) -> SolutionTable:
        """The rows that `mask` marks."""
        return self.take(np.flatnonzero(mask))

    def select(self, variables: Iterable[Variable]) -> SolutionTable:
        """The rows without the columns of other variables."""
        return SolutionTable({v: self.columns[v] for v in variables if v in self.columns}, self.size)

    def with_column(self, variable: Variable, column: Ids) -> SolutionTable:
        """The rows with one more column, or another in its place."""
        return SolutionTable({**self.columns, variable: column}, self.size)

    @classmethod
    def concat(cls, parts: Sequence[SolutionTable]) -> SolutionTable:
        """The rows of all parts."""
        parts = [part for part in parts if part.size] or list(parts[:1])
        if len(parts) == 1:
            return parts[0]
        variables = dict.fromkeys(v for part in parts for v in part.columns)
        columns = {v: np.concatenate([part.column(v) for part in parts]) for v in variables}
        return cls(columns, sum(part.size for part in parts))


UNIT = SolutionTable({}, 1)
"""One row that binds nothing: joined with rows it leaves them as they are."""

NO_ROWS = SolutionTable({}, 0)


LOCAL: Final = 1 << 31
"""The first number of terms that are not the vocabulary's."""


_MOST_MADE = 1 << 16


def _find_nothing(term: Term) -> int | None:
    return None


def _no_term(number: int) -> Term:
    raise IndexError(number)


class TermSpace:
    """Numbers for every term that a query meets.

    Args:
        find: the number of a term's value in the vocabulary, None for what it does not know. It gives no
            further numbers while terms are looked for.
        term: the term of such a number, for ever.
        shows: whether the value of a number is shown as a term; by default if that is the number's term.
        value_of: what tells the values of terms apart.
    """

    def __init__(
        self,
        find: Callable[[Term], int | None] = _find_nothing,
        term: Callable[[int], Term] = _no_term,
        shows: Callable[[int, Term], bool] | None = None,
        value_of: Callable[[Term], Hashable] = value_of,
    ) -> None:
        self._value_of_term = value_of
        self._find, self._term = find, term
        self._shows = self._is_first if shows is None else shows
        self.locals: list[Term] = []
        self._ids: dict[Term, int] = {}
        self._first_of_value: dict[Hashable, int] = {}
        self._values = np.empty(64, np.int64)
        self._made: dict[int, Term | None] = {NONE: None}

    def _is_first(self, number: int, term: Term) -> bool:
        return self._term(number) == term

    def find_value(self, term: Term) -> int | None:
        """The number of a term's value, None where no term met so far has it."""
        known = self._find(term)
        return known if known is not None else self._first_of_value.get(self._value_of_term(term))

    def id_of(self, term: Term) -> int:
        """The number of a term, in the form it has."""
        if isinstance(term, Literal) and term.datatype == STRING:
            term = Literal(str(term))  # one term in RDF 1.1
        local = self._ids.get(term)
        if local is not None:
            return local
        known = self._find(term)
        if known is not None and self._shows(known, term):
            return known
        # an interrupt may come at any moment: what leads to a number is written last
        key = None if known is not None else self._value_of_term(term)
        place = len(self._ids)
        if place >= len(self._values):
            self._values = np.concatenate([self._values, np.empty_like(self._values)])
        number = LOCAL + place
        value = known if known is not None else self._first_of_value.get(key, number)
        self._values[place] = value
        self.locals[place:] = (term,)
        self._ids[term] = number
        if value == number:
            self._first_of_value[key] = number
        return number

    def ids_of(self, terms: Sequence[Term | None]) -> Ids:
        """The numbers of terms, `NONE` for None."""
        ids = [NONE if term is None else self.id_of(term) for term in terms]
        return np.array(ids, np.int64)

    def term(self, number: int) -> Term:
        """The term of a number."""
        return self.locals[number - LOCAL] if number >= LOCAL else self._term(number)

    def terms(self, ids: Ids) -> list[Term | None]:
        """The terms of numbers; None for `NONE`. Those made last are kept."""
        numbers = ids.tolist()
        made = self._made
        if len(made) > _MOST_MADE:
            made = self._made = {NONE: None}
        for number in set(numbers).difference(made):
            made[number] = self.term(number)
        return list(map(made.__getitem__, numbers))

    def values(self, ids: Ids) -> Ids:
        """The numbers of the terms' values."""
        local = ids >= LOCAL
        if not local.any():
            return ids
        values = ids.copy()
        values[local] = self._values[ids[local] - LOCAL]
        return values

    @property
    def has_replacements(self) -> bool:
        """Whether terms of the vocabulary may have numbers that are not the vocabulary's."""
        return False

    def shown(self, ids: Ids) -> Ids:
        """The numbers of terms where those of the vocabulary stand for values in their first form."""
        return ids

    def are_literals(self, ids: Ids) -> Mask:
        """Which of the terms are literals."""
        found = ids >= FIRST_LITERAL
        for place in np.flatnonzero(ids >= LOCAL).tolist():
            found[place] = isinstance(self.locals[int(ids[place]) - LOCAL], Literal)
        return found

"""Solutions of a query as a table of term numbers, the term numbers of one query's view, and the limits of a
query.

A term number denotes a term, a literal in one lexical form. Numbers below `LOCAL` are those of the
vocabulary, where the number of a value denotes the value's first form. Numbers from `LOCAL` on are local to
the view; they denote terms that the vocabulary does not contain, or literals in another form. Joins compare
the numbers of values (`TermSpace.values`): all forms of a value have one such number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

import numpy as np
import numpy.typing as npt
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.errors import QueryLengthError, QueryMemoryError, QueryTimeoutError
from pantarhei.model.term import Term
from pantarhei.values.value import STRING, value_of

MAX_LENGTH = 1_000_000
"""Default limit of the characters of a query's text."""

# A computed string is in memory up to three times: as a string, as a term, and as the term's value.
COPIES = 3

_LONGEST = 1e9  # seconds, some thirty years
_BETWEEN_CHECKS = 1 << 20  # bytes of strings; computing them takes some milliseconds


class QueryLimits:
    """Limits of one query, checked by every operator, and before large arrays and strings are allocated.

    Args:
        timeout: seconds from now; None for no limit.
        max_bytes: greatest number of bytes of the columns of one operator, and of all computed strings; None
            for no limit.
        max_length: greatest number of characters of the query's text; None for no limit.
    """

    def __init__(
        self, timeout: float | None = None, max_bytes: int | None = None, max_length: int | None = MAX_LENGTH
    ) -> None:
        self.timeout, self.max_bytes, self.max_length = timeout, max_bytes, max_length
        self._end = math.inf if timeout is None else monotonic() + min(timeout, _LONGEST)
        self._texts = self._checked = 0

    @property
    def left(self) -> float:
        """Remaining seconds; infinite without a limit.

        Raises:
            QueryTimeoutError: no time remains.
        """
        left = self._end - monotonic()
        if left <= 0:
            raise QueryTimeoutError(self.timeout or 0.0)
        return left

    def check(self) -> None:
        """Check the execution time.

        Raises:
            QueryTimeoutError: no time remains.
        """
        if self.timeout is not None and monotonic() >= self._end:
            raise QueryTimeoutError(self.timeout)

    def check_length(self, text: str) -> None:
        """Check the length of the query's text.

        Raises:
            QueryLengthError: the text is too long.
        """
        if self.max_length is not None and len(text) > self.max_length:
            raise QueryLengthError(len(text), self.max_length)

    def check_rows(self, rows: int) -> None:
        """Check the size of a number of matches of a triple pattern, which have three columns.

        Raises:
            QueryMemoryError, QueryTimeoutError: as `check_room`.
        """
        self.check_room(rows, 3)

    def check_room(self, rows: int, columns: int) -> None:
        """Check the size of a table, and the execution time.

        Raises:
            QueryMemoryError: the table exceeds the limit.
            QueryTimeoutError: no time remains.
        """
        self.check()
        if self.max_bytes is not None and 8 * rows * columns > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, 8 * rows * columns, rows)

    def restart(self) -> None:
        """Reset the count of strings for another evaluation."""
        self._texts = self._checked = 0

    def check_text(self, size: int) -> None:
        """Check the size of a string of `size` bytes together with the counted strings.

        Raises:
            QueryMemoryError: they exceed the limit.
            QueryTimeoutError: no time remains.
        """
        if size > _BETWEEN_CHECKS:
            self.check()
        needed = self._texts + COPIES * size
        if self.max_bytes is not None and needed > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, needed)

    def count_text(self, text: str) -> None:
        """Count a string that stays in memory until the evaluation ends.

        Raises: as `check_text`.
        """
        self._texts += COPIES * size_of(text)
        if self.max_bytes is not None and self._texts > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, self._texts)
        if self._texts - self._checked > _BETWEEN_CHECKS:
            self._checked = self._texts
            self.check()


def size_of(text: str) -> int:
    """Return an upper bound of the number of bytes of a string.

    >>> size_of("abc"), size_of("über")
    (3, 16)
    """
    return len(text) if text.isascii() else 4 * len(text)


NO_LIMITS = QueryLimits()


Ids = npt.NDArray[np.int64]
"""Term numbers of a `TermSpace`; `NONE` for an unbound variable or an error."""

Indexes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SolutionTable:
    """Bag of solutions, stored by column.

    Args:
        columns: term numbers of each variable, one for each row. A variable without a column is unbound in
            every row.
        size: number of rows.
    """

    columns: Mapping[Variable, Ids]
    size: int

    def __len__(self) -> int:
        return self.size

    @property
    def nbytes(self) -> int:
        """Size of the columns in bytes."""
        return 8 * self.size * len(self.columns)

    def column(self, variable: Variable) -> Ids:
        """Return the column of a variable; `NONE` in every row if the variable has no column."""
        found = self.columns.get(variable)
        return np.full(self.size, NONE, np.int64) if found is None else found

    def take(self, rows: Indexes) -> SolutionTable:
        """Return the rows with these indexes, in the order of the indexes."""
        return SolutionTable({v: column[rows] for v, column in self.columns.items()}, len(rows))

    def filter(self, mask: Mask) -> SolutionTable:
        """Return the rows for which the mask is True."""
        return self.take(np.flatnonzero(mask))

    def select(self, variables: Iterable[Variable]) -> SolutionTable:
        """Return a table with only the columns of these variables."""
        return SolutionTable({v: self.columns[v] for v in variables if v in self.columns}, self.size)

    def with_column(self, variable: Variable, column: Ids) -> SolutionTable:
        """Return the table with a column added or replaced."""
        return SolutionTable({**self.columns, variable: column}, self.size)

    @classmethod
    def concat(cls, parts: Sequence[SolutionTable]) -> SolutionTable:
        """Return the rows of all tables."""
        parts = [part for part in parts if part.size] or list(parts[:1])
        if len(parts) == 1:
            return parts[0]
        variables = dict.fromkeys(v for part in parts for v in part.columns)
        columns = {v: np.concatenate([part.column(v) for part in parts]) for v in variables}
        return cls(columns, sum(part.size for part in parts))


UNIT = SolutionTable({}, 1)
"""One row that binds no variable: the neutral element of the join."""

NO_ROWS = SolutionTable({}, 0)


LOCAL: Final = 1 << 31
"""Least local term number."""


_MAX_DECODED = 1 << 16


def _find_none(term: Term) -> int | None:
    return None


def _no_term(number: int) -> Term:
    raise IndexError(number)


class TermSpace:
    """Dictionary of the terms of one query's view, which maps terms to numbers and back.

    Args:
        find: returns the number of a term's value in the vocabulary without assigning one; None for an
            unknown value.
        term: returns the term of a number of the vocabulary.
        shows: returns whether a number of the vocabulary denotes a term; by default, whether `term` maps the
            number to the term.
        value_of: returns the key of a term's value; equal values have equal keys.
    """

    def __init__(
        self,
        find: Callable[[Term], int | None] = _find_none,
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
        self._decoded_terms: dict[int, Term | None] = {NONE: None}

    def _is_first(self, number: int, term: Term) -> bool:
        return self._term(number) == term

    def find_value(self, term: Term) -> int | None:
        """Return the number of a term's value; None for an unknown value."""
        known = self._find(term)
        return known if known is not None else self._first_of_value.get(self._value_of_term(term))

    def id_of(self, term: Term) -> int:
        """Return the number of a term, a literal in its form; a new term gets a number."""
        if isinstance(term, Literal) and term.datatype == STRING:
            term = Literal(str(term))  # the same term in RDF 1.1
        local = self._ids.get(term)
        if local is not None:
            return local
        known = self._find(term)
        if known is not None and self._shows(known, term):
            return known
        # an interrupt may occur at any time, so the entry that maps the term to its number is written last
        key = None if known is not None else self._value_of_term(term)
        index = len(self._ids)
        if index >= len(self._values):
            self._values = np.concatenate([self._values, np.empty_like(self._values)])
        number = LOCAL + index
        value = known if known is not None else self._first_of_value.get(key, number)
        self._values[index] = value
        self.locals[index:] = (term,)
        self._ids[term] = number
        if value == number:
            self._first_of_value[key] = number
        return number

    def ids_of(self, terms: Sequence[Term | None]) -> Ids:
        """Return the numbers of terms; `NONE` for None."""
        ids = [NONE if term is None else self.id_of(term) for term in terms]
        return np.array(ids, np.int64)

    def term(self, number: int) -> Term:
        """Return the term of a number."""
        return self.locals[number - LOCAL] if number >= LOCAL else self._term(number)

    def terms(self, ids: Ids) -> list[Term | None]:
        """Return the terms of numbers, None for `NONE`. Decoded terms are cached."""
        numbers = ids.tolist()
        decoded = self._decoded_terms
        if len(decoded) > _MAX_DECODED:
            decoded = self._decoded_terms = {NONE: None}
        for number in set(numbers).difference(decoded):
            decoded[number] = self.term(number)
        return list(map(decoded.__getitem__, numbers))

    def values(self, ids: Ids) -> Ids:
        """Return the numbers of the values of terms."""
        local = ids >= LOCAL
        if not local.any():
            return ids
        values = ids.copy()
        values[local] = self._values[ids[local] - LOCAL]
        return values

    @property
    def has_replacements(self) -> bool:
        """True if a term of the vocabulary can have a local number."""
        return False

    def first_forms(self, ids: Ids) -> Ids:
        """Return the term numbers of the first forms of values, given the vocabulary's numbers."""
        return ids

    def are_literals(self, ids: Ids) -> Mask:
        """Return a mask of the numbers that denote literals."""
        found = ids >= FIRST_LITERAL
        for index in np.flatnonzero(ids >= LOCAL).tolist():
            found[index] = isinstance(self.locals[int(ids[index]) - LOCAL], Literal)
        return found

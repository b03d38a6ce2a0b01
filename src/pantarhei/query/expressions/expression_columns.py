"""Columns with the values of an expression, one for each row, and functions that are evaluated on columns.

A column has term numbers, numbers or truth values; the other representations are computed at first access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.encoding.numbers import NONE
from pantarhei.errors import QueryError
from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.kinds import Kinds
from pantarhei.query.expressions.literal_values import Floats, Scales, ValueArrays
from pantarhei.query.solutions import Ids, Indexes, Mask
from pantarhei.values import canonical

Truth = npt.NDArray[np.int8]
"""Truth values by row: 1 is true, 0 is false, -1 is an error."""

ERROR = -1


class Column:
    """Values of an expression, one for each row; a column of length one has the same value in every row."""

    _ids: Ids | None = None
    _values: ValueArrays | None = None

    def __len__(self) -> int:
        raise NotImplementedError

    def at(self, rows: Indexes) -> Sequence[Term | None]:
        """Return the terms at these row indexes; None for an error."""
        raise NotImplementedError

    def take(self, rows: Indexes) -> Column:
        """Return a column of the values at these row indexes."""
        raise NotImplementedError

    def _numbered(self) -> Ids:
        raise NotImplementedError

    def _read(self) -> ValueArrays:
        raise NotImplementedError

    @property
    def ids(self) -> Ids:
        """Term numbers; `NONE` for an error."""
        if self._ids is None:
            self._ids = self._numbered()
        return self._ids

    @property
    def values(self) -> ValueArrays:
        """Values that operators compare."""
        if self._values is None:
            self._values = self._read()
        return self._values

    @property
    def kinds(self) -> Kinds:
        return self.values.kinds

    @property
    def numbers(self) -> Floats:
        return self.values.numbers

    @property
    def scales(self) -> Scales:
        return self.values.scales

    @property
    def truth(self) -> Truth:
        """Effective boolean values (SPARQL 1.1, section 17.2.2)."""
        numbers = self.numbers
        truth: Truth = ((numbers != 0) & ~np.isnan(numbers)).astype(np.int8)
        truth[~kinds.HAS_TRUTH[self.kinds]] = ERROR
        return truth


def rows_of(column: Column, rows: Indexes) -> Indexes:
    """Return the indexes in a column for row indexes; all are 0 for a column of length one."""
    return np.zeros_like(rows) if len(column) == 1 else rows


class IdColumn(Column):
    """Column of term numbers."""

    def __init__(self, ids: Ids, context: Context) -> None:
        self._ids: Ids = ids
        self._context = context

    def __len__(self) -> int:
        return len(self._ids)

    def _read(self) -> ValueArrays:
        return self._context.values(self._ids)

    def at(self, rows: Indexes) -> Sequence[Term | None]:
        return self._context.terms_of(self.ids[rows_of(self, rows)])

    def take(self, rows: Indexes) -> IdColumn:
        return IdColumn(self.ids[rows_of(self, rows)], self._context)

    @classmethod
    def of(cls, terms: Iterable[Term | None], context: Context) -> IdColumn:
        """Build a column of terms; each distinct term is numbered once."""
        numbers: dict[Term | None, int] = {None: NONE}
        ids = []
        for term in terms:
            number = numbers.get(term)
            if number is None:
                number = numbers[term] = context.terms.id_of(term)  # type: ignore[arg-type]
            ids.append(number)
        return cls(np.array(ids, np.int64), context)


class NumberColumn(Column):
    """Column of numbers and errors.

    Args:
        values: the numbers; long numbers are approximate, the others exact.
        exactly: computes the terms at row indexes; called for long numbers.
    """

    def __init__(
        self, values: ValueArrays, context: Context, exactly: Callable[[Indexes], Sequence[Term | None]]
    ) -> None:
        self._values, self._context, self._exactly = values, context, exactly

    def __len__(self) -> int:
        return len(self.kinds)

    @classmethod
    def of_type(cls, type_: int, numbers: Floats, context: Context) -> NumberColumn:
        """Build a column of numbers of one datatype, without long numbers."""
        return cls.of(ValueArrays.of_kind(type_, numbers), context)

    @classmethod
    def of(cls, values: ValueArrays, context: Context) -> NumberColumn:
        """Build a column without long numbers."""
        return cls(values, context, _no_long_number)

    def take(self, rows: Indexes) -> NumberColumn:
        rows = rows_of(self, rows)
        kept = ValueArrays(self.kinds[rows], self.numbers[rows], self.scales[rows])
        return NumberColumn(kept, self._context, lambda indexes: self._exactly(rows[indexes]))

    def _numbered(self) -> Ids:
        ids = np.full(len(self), NONE, np.int64)
        for type_ in kinds.TYPES:
            indexes = np.flatnonzero(self.kinds == type_)
            if len(indexes):
                # by their bits, so that 0 and -0 stay distinct
                bits, codes = np.unique(self.numbers[indexes].view(np.int64), return_inverse=True)
                literals = _literals(type_, bits.view(np.float64))
                ids[indexes] = self._context.terms.ids_of(literals)[codes]
        long = np.flatnonzero(kinds.IS_LONG[self.kinds])
        if len(long):
            ids[long] = IdColumn.of(self._exactly(long), self._context).ids
        return ids

    def at(self, rows: Indexes) -> Sequence[Term | None]:
        rows = rows_of(self, rows)
        found: list[Term | None] = [None] * len(rows)
        for type_ in kinds.TYPES:
            indexes = np.flatnonzero(self.kinds[rows] == type_)
            literals = _literals(type_, self.numbers[rows[indexes]])
            for index, literal in zip(indexes.tolist(), literals, strict=True):
                found[index] = literal
        long = np.flatnonzero(kinds.IS_LONG[self.kinds[rows]])
        if len(long):
            for index, term in zip(long.tolist(), self._exactly(rows[long]), strict=True):
                found[index] = term
        return found


def _literals(type_: int, numbers: Floats) -> list[Literal]:
    if type_ == kinds.DECIMAL:
        return list(map(canonical.decimal_of_float, numbers.tolist()))
    return [canonical.of_type(type_, number) for number in numbers.tolist()]


def _no_long_number(indexes: Indexes) -> Sequence[Term | None]:
    raise AssertionError("a column without long numbers")


class TruthColumn(Column):
    """Column of truth values and errors."""

    def __init__(self, truth: Truth, context: Context) -> None:
        self._truth, self._context = truth, context

    def __len__(self) -> int:
        return len(self._truth)

    @property
    def truth(self) -> Truth:
        return self._truth

    def _numbered(self) -> Ids:
        number = self._context.terms.id_of
        by_truth = np.array([number(canonical.FALSE), number(canonical.TRUE), NONE], np.int64)
        ids: Ids = by_truth[self._truth]  # -1 is the last
        return ids

    def _read(self) -> ValueArrays:
        kinds_of = np.where(self._truth == ERROR, kinds.NOTHING, kinds.BOOLEAN).astype(np.int8)
        return ValueArrays.of_kind(kinds.BOOLEAN, self._truth.astype(np.float64))._replace(kinds=kinds_of)

    def at(self, rows: Indexes) -> Sequence[Term | None]:
        by_truth = (canonical.FALSE, canonical.TRUE, None)
        return [by_truth[truth] for truth in self._truth[rows_of(self, rows)].tolist()]

    def take(self, rows: Indexes) -> TruthColumn:
        return TruthColumn(self._truth[rows_of(self, rows)], self._context)


def column_of(
    results: Sequence[Term | bool | int | None], codes: Indexes, context: Context
) -> IdColumn | NumberColumn | TruthColumn:
    """Build a column from distinct results.

    Args:
        codes: index in `results` for each row.
    """
    sorts = set(map(type, results)) - {type(None)}
    if sorts == {bool}:
        truth = np.array([ERROR if result is None else result for result in results], np.int8)
        return TruthColumn(truth[codes], context)
    if sorts == {int}:
        integers = [result for result in results if isinstance(result, int)]
        if len(integers) == len(results) and max(map(abs, integers)) < 2**53:
            return NumberColumn.of_type(kinds.INTEGER, np.array(integers, np.float64)[codes], context)
    terms = (None if result is None else canonical.of_result(result) for result in results)
    return IdColumn(IdColumn.of(terms, context).ids[codes], context)


def have_value(column: Column) -> Mask:
    """Return a mask of the rows that are not errors."""
    if isinstance(column, IdColumn):
        found: Mask = column.ids != NONE
    else:
        found = column.truth != ERROR
    return found


def choose_rows(size: int, branches: Sequence[tuple[Mask, Column]], context: Context) -> Column:
    """Build a column that has the values of each branch in the rows of its mask, and errors in all other
    rows.
    """
    if branches and all(isinstance(branch, TruthColumn) for _, branch in branches):
        truth = np.full(size, ERROR, np.int8)
        for mask, branch in branches:
            truth[mask] = branch.truth
        return TruthColumn(truth, context)
    if branches and all(_is_short(branch) for _, branch in branches):
        values = ValueArrays.of_kind(kinds.NOTHING, np.zeros(size))
        for mask, branch in branches:
            values.put(np.flatnonzero(mask), ValueArrays(branch.kinds, branch.numbers, branch.scales))
        return NumberColumn.of(values, context)
    ids = np.full(size, NONE, np.int64)
    for mask, branch in branches:
        ids[mask] = branch.ids
    return IdColumn(ids, context)


def _is_short(column: Column) -> bool:
    """Return whether a column has only numbers, none of which is long."""
    return isinstance(column, NumberColumn) and not kinds.IS_LONG[column.kinds].any()


_Item = TypeVar("_Item", bound=np.generic)


def spread(column: npt.NDArray[_Item], size: int) -> npt.NDArray[_Item]:
    """Repeat the value of a column of length one for all rows."""
    return column if len(column) == size else np.broadcast_to(column, (size,))


def logical_not(truth: Truth) -> Truth:
    """Negate truth values in three-valued logic; the negation of an error is an error."""
    return np.where(truth == ERROR, truth, 1 - truth).astype(np.int8, copy=False)


def logical_and(left: Truth, right: Truth) -> Truth:
    """Combine truth values by conjunction in three-valued logic: 0 if one is 0, otherwise an error if one is
    an error.
    """
    return np.where((left == 0) | (right == 0), 0, np.minimum(left, right)).astype(np.int8, copy=False)


def logical_or(left: Truth, right: Truth) -> Truth:
    """Combine truth values by disjunction in three-valued logic: 1 if one is 1, otherwise an error if one is
    an error.
    """
    return np.where((left == 1) | (right == 1), 1, np.minimum(left, right)).astype(np.int8, copy=False)


def distinct(column: Ids) -> tuple[Ids, Indexes]:
    """Return the distinct values of a column in ascending order, and for each row the index of its value.

    The cost is linear in the number of rows if the range of values is small; otherwise the column is sorted.
    """
    if not len(column):
        return column, np.empty(0, np.intp)
    low = int(column.min())
    span = int(column.max()) - low + 1
    if span > 8 * len(column) + 1024:
        values, indexes = np.unique(column, return_inverse=True)
        return values, indexes
    shifted = column - low
    is_present = np.zeros(span, np.bool_)
    is_present[shifted] = True
    found = np.flatnonzero(is_present)
    place_of = np.empty(span, np.intp)
    place_of[found] = np.arange(len(found))
    return found + low, place_of[shifted]


def distinct_rows(columns: Sequence[Ids]) -> tuple[Indexes, Indexes]:
    """Return the first row index of each distinct combination of values, and for each row the index of its
    combination.

    The combinations are in ascending order, compared by the first column, then by the second, and so on.
    """
    first, *others = columns
    _, codes = distinct(first)
    for column in others:
        values, indexes = distinct(column)
        _, codes = distinct(codes * len(values) + indexes)
    count = int(codes.max()) + 1 if len(codes) else 0
    rows = np.empty(count, np.intp)
    rows[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of each the first
    return rows, codes


Function = Callable[..., Term | bool | int | None]
"""Function of terms; None and any exception denote a SPARQL error."""

_CALLS_BETWEEN_CHECKS = 256


def result_of(function: Function, arguments: Sequence[Term | None]) -> Term | bool | int | None:
    """Call a function; None if an argument is an error, or if the call fails."""
    for argument in arguments:  # `in` would compare terms by rdflib's slow equality
        if argument is None:
            return None
    try:
        return function(*arguments)
    except (QueryError, MemoryError):
        raise
    except Exception:  # data may fail a function in any way
        return None


def call(function: Function, arguments: Sequence[Column], context: Context) -> Column:
    """Call a function for each distinct combination of arguments; returns the column of results."""
    if not arguments:
        return column_of([_counted(result_of(function, ()), context)], np.zeros(1, np.intp), context)
    size = common_size(arguments)
    rows, codes = distinct_rows([spread_ids(argument, size) for argument in arguments])
    terms = [context.terms_of(argument.ids[rows_of(argument, rows)]) for argument in arguments]
    return column_of(results_of(function, terms, context), codes, context)


def results_of(
    function: Function, arguments: Sequence[Sequence[Term | None]], context: Context
) -> list[Term | bool | int | None]:
    """Call a function for each row of arguments, which are given by column."""
    results: list[Term | bool | int | None] = []
    for index, row in enumerate(zip(*arguments, strict=True)):
        if index % _CALLS_BETWEEN_CHECKS == 0:
            context.limits.check()
        results.append(_counted(result_of(function, row), context))
    return results


def _counted(result: Term | bool | int | None, context: Context) -> Term | bool | int | None:
    """Count the text of a function's result towards the limits; returns the result."""
    if isinstance(result, str):
        context.limits.count_text(result)
    return result


def exactly(
    function: Function, arguments: Sequence[Column], context: Context
) -> Callable[[Indexes], list[Term | None]]:
    """Return a function that computes the results of `function` as terms at given row indexes."""

    def at(rows: Indexes) -> list[Term | None]:
        found = results_of(function, [argument.at(rows) for argument in arguments], context)
        return [result if not isinstance(result, bool | int) else None for result in found]

    return at


def common_size(columns: Sequence[Column]) -> int:
    """Return the length of a column computed from columns: 1 if all have length one."""
    sizes = set(map(len, columns)) - {1}
    assert len(sizes) <= 1, sizes
    return sizes.pop() if sizes else 1


def spread_ids(column: Column, size: int) -> Ids:
    """Return a column's term numbers, one for each of `size` rows."""
    return column.ids if len(column) == size else np.full(size, column.ids[0] if len(column) else NONE)

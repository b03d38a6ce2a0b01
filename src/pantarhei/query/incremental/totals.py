"""Exact sums that support insertion and deletion.

A total is a vector of counts and sums. Inserting a number adds a vector to it, deleting the number subtracts
the vector. A total counts the numbers of each datatype, and has their sum in each datatype that the result
can have.

Sums of xsd:double and xsd:float values are integers, so that only the final result is rounded. Values that
are multiples of `UNIT` are summed as multiples of `UNIT`, all other values as multiples of the smallest
positive xsd:double. `expressions/aggregates.py` computes the same sums by column.

Source: SPARQL 1.1, sections 18.5.1.3 and 18.5.1.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.groups import UNIT, mixed_total
from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.aggregates import average, decimal_of
from pantarhei.query.expressions.literal_values import are_ties
from pantarhei.query.expressions.scalars import scalar_of
from pantarhei.query.incremental.persistent_terms import PlainNumber, TermCache
from pantarhei.values.numeric import Numeric, rounded, to_double, to_single
from pantarhei.values.numeric import divided as quotient
from pantarhei.values.value import DECIMAL, double_key

_SMALLEST: Final = 1074  # the smallest positive xsd:double is 2 ** -1074
_COARSE: Final = 1 - math.frexp(UNIT)[1]  # `UNIT` is 2 ** -_COARSE
_ONE: Final = 1 << _SMALLEST
_MAX_EXACT_SINGLE: Final = 1 << 24  # up to here integers are multiples of `UNIT` as xsd:floats too


class Total(NamedTuple):
    """Sums and counts of the numbers of a group.

    Args:
        errors: number of values that are not numeric.
        integers, decimals, floats, doubles: number of values of each datatype.
        exact: sum of integers and decimals.
        singles, doubled: sums of the values that are multiples of `UNIT`, after conversion to xsd:float and
            to xsd:double, as multiples of `UNIT`.
        single_up, single_down, single_nan: number of INF, -INF and NaN after conversion to xsd:float.
        up, down, nan: number of INF, -INF and NaN after conversion to xsd:double.
        tiny_singles, tiny: sums of the other finite values after conversion to xsd:float and to xsd:double,
            as multiples of the smallest positive xsd:double.
    """

    errors: int = 0
    integers: int = 0
    decimals: int = 0
    floats: int = 0
    doubles: int = 0
    exact: int | Decimal = 0
    singles: int = 0
    single_up: int = 0
    single_down: int = 0
    single_nan: int = 0
    doubled: int = 0
    up: int = 0
    down: int = 0
    nan: int = 0
    tiny_singles: int = 0
    tiny: int = 0

    @classmethod
    def of(cls, total: tuple[Any, ...]) -> Total:
        """Convert a total of the kernel, which is shortened to three items where all numbers are alike."""
        return cls._make(mixed_total(total))

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.errors + self.integers + self.decimals + self.floats + self.doubles

    @property
    def average(self) -> Numeric | None:
        """AVG, None for an error."""
        return average(self.sum, self.size)

    @property
    def sum(self) -> Numeric | None:
        """SUM, None for an error."""
        if self.errors:
            return None
        if self.doubles:
            finite = _together(self.doubled, self.tiny)
            return Numeric(kinds.DOUBLE, _sum(_double, finite, self.up, self.down, self.nan))
        if self.floats:
            finite = _together(self.singles, self.tiny_singles)
            counts = self.single_up, self.single_down, self.single_nan
            return Numeric(kinds.FLOAT, _sum(_single, finite, *counts))
        if not self.decimals:
            return Numeric(kinds.INTEGER, int(self.exact))
        try:
            return Numeric(kinds.DECIMAL, rounded(Decimal(self.exact)))
        except ArithmeticError:  # the sum is too large
            return None


_INTEGERS, _DOUBLES = Total._fields.index("integers"), Total._fields.index("doubles")
_DOUBLED = Total._fields.index("doubled")

Result = float | tuple[int | Decimal, int, bool]
"""Result of a total, as computed by `kernel.groups.result_of`: an xsd:double; or the sum of integers and
decimals, its divisor (0 for no division), and whether one of them is a decimal.
"""


def plain_number(result: Result) -> tuple[PlainNumber, Hashable]:
    """Return the number that a result denotes, and the key of its value."""
    if isinstance(result, float):
        return result, double_key(result)
    exact, size, is_decimal = result
    if type(exact) is int and not is_decimal:
        whole, rest = divmod(exact, size or 1)
        number = quotient(exact, size) if size else exact
        return number, (DECIMAL, number if rest else whole)
    if not size and not is_decimal:
        whole = int(exact)
        return whole, (DECIMAL, whole)
    number = rounded(Decimal(exact))  # the rounded sum is divided
    if size:
        number = quotient(number, size)
    whole = int(number)
    return number, (DECIMAL, whole if whole == number else number)


Addend = tuple[int, int, tuple[tuple[int, Any], ...]]
"""Contribution of a number to a total, in the form that `kernel.groups.update_totals` reads."""


def addends(term: Callable[[int], Term]) -> TermCache[Addend]:
    """Cache the contributions of terms by number."""
    return TermCache(lambda number: addend_of(None if number == NONE else term(number)))


def addend_of(term: Term | None) -> Addend:
    """Return the contribution of a term to a total; None stands for an error."""
    total = _total_of(term)
    parts = tuple((index, amount) for index, amount in enumerate(total) if amount)
    if total.integers and isinstance(total.exact, int) and abs(total.exact) <= _MAX_EXACT_SINGLE:
        return _INTEGERS, total.exact, parts
    if total.doubles and {index for index, _ in parts} <= {_DOUBLES, _DOUBLED}:
        return _DOUBLES, total.doubled, parts
    return 0, 0, parts


def _total_of(term: Term | None) -> Total:
    """Return the total of a group with this term alone."""
    value = scalar_of(term) if isinstance(term, Literal) else None
    if not isinstance(value, Numeric):
        return Total(errors=1)
    type_, number = value
    total = _as_doubles(to_double(number))
    if type_ == kinds.DOUBLE:
        return total._replace(doubles=1)
    single = _as_doubles(to_single(number))
    total = total._replace(
        singles=single.doubled,
        tiny_singles=single.tiny,
        single_up=single.up,
        single_down=single.down,
        single_nan=single.nan,
    )
    if type_ == kinds.FLOAT:
        return total._replace(floats=1)
    assert isinstance(number, int | Decimal), "integers and decimals are exact"
    is_integer = type_ == kinds.INTEGER
    return total._replace(integers=int(is_integer), decimals=int(not is_integer), exact=number)


def _as_doubles(number: float) -> Total:
    """Return the total of one xsd:double without its count."""
    if not math.isfinite(number):
        return Total(up=int(number == math.inf), down=int(number == -math.inf), nan=int(number != number))
    numerator, denominator = number.as_integer_ratio()
    missing = denominator.bit_length() - 1 - _COARSE
    if missing <= 0:
        return Total(doubled=numerator << -missing)
    return Total(tiny=numerator << _SMALLEST - _COARSE - missing)


def _together(coarse: int, tiny: int) -> int:
    """Add a sum in multiples of `UNIT` to a sum in multiples of the smallest positive xsd:double; the result
    has the smaller unit.
    """
    return (coarse << _SMALLEST - _COARSE) + tiny


def _sum(nearest: Callable[[int], float], finite: int, up: int, down: int, nan: int) -> float:
    if nan or (up and down):
        return math.nan
    if up or down:
        return math.inf if up else -math.inf
    return nearest(finite)


def _double(multiples: int) -> float:
    """Return the xsd:double nearest to a multiple of the smallest positive xsd:double."""
    try:
        return multiples / _ONE
    except OverflowError:
        return math.inf if multiples > 0 else -math.inf


def _single(multiples: int) -> float:
    """Return the xsd:float nearest to a multiple of the smallest positive xsd:double. Rounding by way of
    xsd:double is avoided where it would create a tie.
    """
    number = _double(multiples)
    if math.isfinite(number) and are_ties(np.array([number]))[0]:
        return to_single(decimal_of(Fraction(multiples, _ONE)))
    return to_single(number)

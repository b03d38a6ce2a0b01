"""Exact sums of numbers that come and go.

A total is a vector: what a number adds to it when it comes, it takes away when it goes. So it is known how
many numbers of each type there are, and what they add up to in each of the types that the sum may have.

xsd:doubles and xsd:floats are counted as multiples of a unit, so that nothing is rounded before the end: most
of `UNIT`, the others of the smallest xsd:double above 0. `expressions/sums.py` is the same by column.

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
from pantarhei.materialize.kernel.groups import UNIT, whole_total
from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.aggregates import decimal_of, divided
from pantarhei.query.expressions.literal_values import are_ties
from pantarhei.query.expressions.scalars import value_of
from pantarhei.query.incremental.persistent_terms import PlainNumber, TermCache
from pantarhei.values.numeric import Numeric, rounded, to_double, to_single
from pantarhei.values.numeric import divided as quotient
from pantarhei.values.value import DECIMAL, double_key

_SMALLEST: Final = 1074  # the smallest xsd:double above 0 is two to the power of minus this
_COARSE: Final = 1 - math.frexp(UNIT)[1]  # and the other unit to that of minus this
_ONE: Final = 1 << _SMALLEST
_MOST_ALIKE: Final = 1 << 24  # integers up to this are multiples of the unit as xsd:floats too


class Total(NamedTuple):
    """What numbers add up to.

    Args:
        errors: how many were no numbers.
        integers, decimals, floats, doubles: how many there are of each type.
        exact: the sum of the integers and decimals.
        singles, doubled: the sums of what may be added up as xsd:floats, and as xsd:doubles: of the multiples
            of `UNIT` among them, in that.
        single_up, single_down, single_nan, up, down, nan: how many of each are INF, -INF and NaN.
        tiny_singles, tiny: the sums of the other finite ones, in the smallest xsd:double above 0.
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
        """A total of the kernel's."""
        return cls._make(whole_total(total))

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.errors + self.integers + self.decimals + self.floats + self.doubles

    @property
    def average(self) -> Numeric | None:
        """AVG, None for an error."""
        return divided(self.sum, self.size)

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
        except ArithmeticError:  # it is too large
            return None


_INTEGERS, _DOUBLES = Total._fields.index("integers"), Total._fields.index("doubles")
_DOUBLED = Total._fields.index("doubled")

Result = float | tuple[int | Decimal, int, bool]
"""What a total comes to (`kernel.summing.result_of`): an xsd:double; or the sum of integers and decimals, by
how many it is divided, 0 for not at all, and whether any is a decimal.
"""


def plain_number(result: Result) -> tuple[PlainNumber, Hashable]:
    """The number that a result is, and the key of its value."""
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
    number = rounded(Decimal(exact))  # what is divided is the sum as it is shown
    if size:
        number = quotient(number, size)
    whole = int(number)
    return number, (DECIMAL, whole if whole == number else number)


Addend = tuple[int, int, tuple[tuple[int, Any], ...]]
"""What a number adds to a total, as the kernel takes it (`kernel.summing`)."""


def addends(term: Callable[[int], Term]) -> TermCache[Addend]:
    """What terms add to a total, by their numbers; `term` gives the term of one."""
    return TermCache(lambda number: addend_of(None if number == NONE else term(number)))


def addend_of(term: Term | None) -> Addend:
    """What a term adds to a total; None is an error."""
    total = _total_of(term)
    parts = tuple((place, amount) for place, amount in enumerate(total) if amount)
    if total.integers and isinstance(total.exact, int) and abs(total.exact) <= _MOST_ALIKE:
        return _INTEGERS, total.exact, parts
    if total.doubles and {place for place, _ in parts} <= {_DOUBLES, _DOUBLED}:
        return _DOUBLES, total.doubled, parts
    return 0, 0, parts


def _total_of(term: Term | None) -> Total:
    """The total of one term."""
    value = value_of(term) if isinstance(term, Literal) else None
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
    """What a number adds to sums of xsd:doubles."""
    if not math.isfinite(number):
        return Total(up=int(number == math.inf), down=int(number == -math.inf), nan=int(number != number))
    numerator, denominator = number.as_integer_ratio()
    missing = denominator.bit_length() - 1 - _COARSE
    if missing <= 0:
        return Total(doubled=numerator << -missing)
    return Total(tiny=numerator << _SMALLEST - _COARSE - missing)


def _together(coarse: int, tiny: int) -> int:
    """A sum in multiples of the smallest xsd:double above 0."""
    return (coarse << _SMALLEST - _COARSE) + tiny


def _sum(nearest: Callable[[int], float], finite: int, up: int, down: int, nan: int) -> float:
    if nan or (up and down):
        return math.nan
    if up or down:
        return math.inf if up else -math.inf
    return nearest(finite)


def _double(multiples: int) -> float:
    """The nearest xsd:double."""
    try:
        return multiples / _ONE
    except OverflowError:
        return math.inf if multiples > 0 else -math.inf


def _single(multiples: int) -> float:
    """The nearest xsd:float, by way of the nearest xsd:double where that is no tie."""
    number = _double(multiples)
    if math.isfinite(number) and are_ties(np.array([number]))[0]:
        return to_single(decimal_of(Fraction(multiples, _ONE)))
    return to_single(number)

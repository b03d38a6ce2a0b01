"""`+`, `-`, `*`, `/`, the sign, ABS, ROUND, CEIL and FLOOR of numbers.

Source: XQuery and XPath Functions and Operators, sections 4.2 and 4.4. Quotients of integers are decimals,
and decimals
are rounded as `values.DECIMALS` says.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import partial
from typing import Any, Final

import numpy as np

from pantarhei.language.term import Term
from pantarhei.query.expressions import canonical, kinds
from pantarhei.query.expressions.bulk import (
    EXACT_INTEGER,
    MOST_DECIMALS,
    MOST_DIGITS,
    Floats,
    Scales,
    Values,
    read_singly,
    to_singles,
)
from pantarhei.query.expressions.calls import call, exactly
from pantarhei.query.expressions.columns import Column, NumberColumn
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.kinds import PROMOTION, Kinds
from pantarhei.query.expressions.times import add_times, subtract_times
from pantarhei.query.expressions.values import (
    DECIMALS,
    EXACT,
    ExpressionError,
    Numeric,
    number_of,
    promoted,
    to_double,
    to_single,
)
from pantarhei.query.table import Places

_KIND_OF_PROMOTION = np.array(kinds.TYPES, np.int8)
_DECIMALS_OF_QUOTIENTS = 3
_POWERS = np.array([float(10**places) for places in range(MOST_DECIMALS + 1)])
_LARGEST = 10.0**MOST_DIGITS


# -- single terms ------------------------------------------------------------------------------------

_ON_DECIMALS: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": DECIMALS.add,
    "-": DECIMALS.subtract,
    "*": DECIMALS.multiply,
    "/": DECIMALS.divide,
}


def compute(name: str, left: Term, right: Term) -> Term:
    """The result of `+`, `-`, `*` or `/`.

    Raises:
        ExpressionError: there is none.

    >>> from rdflib import Literal
    >>> str(compute("/", Literal(1), Literal(3)))
    '0.3333333333333333333333333333'
    """
    try:
        one, other = number_of(left), number_of(right)
    except ExpressionError:
        if name in ("+", "-"):
            return (add_times if name == "+" else subtract_times)(left, right)
        raise
    return canonical.number(computed(name, one, other))


def computed(name: str, one: Numeric, other: Numeric) -> Numeric:
    """The result of `+`, `-`, `*` or `/` of two numbers.

    Raises:
        ExpressionError: it has too many digits.
        ArithmeticError: there is none.
    """
    type_, first, second = promoted(one, other)
    if isinstance(first, float) and isinstance(second, float):
        result = _ieee(name, first, second)
        return Numeric(type_, to_single(result) if type_ == kinds.FLOAT else result)
    if type_ == kinds.INTEGER and name != "/":
        whole: int = _PYTHON_OPERATIONS[name](int(first), int(second))
        if abs(whole) >= canonical.TOO_LARGE:
            raise ExpressionError
        return Numeric(type_, whole)
    return Numeric(kinds.DECIMAL, _ON_DECIMALS[name](Decimal(first), Decimal(second)))


def _ieee(name: str, left: float, right: float) -> float:
    if name == "/" and not right:
        with np.errstate(all="ignore"):
            return float(np.float64(left) / np.float64(right))
    return float(_PYTHON_OPERATIONS[name](left, right))


_PYTHON_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


_FLOAT_OPERATIONS: Final = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}


def negative(term: Term) -> Term:
    """The number with the other sign."""
    number = number_of(term)
    value = number.value
    return canonical.of_type(number.type, value.copy_negate() if isinstance(value, Decimal) else -value)


def _round(value: Decimal) -> Decimal:
    return EXACT.add(value, Decimal("0.5")).to_integral_value(ROUND_FLOOR)


_ROUNDINGS: Final[dict[str, Callable[[Decimal], Decimal]]] = {
    "ABS": Decimal.copy_abs,
    "CEIL": lambda value: value.to_integral_value(ROUND_CEILING),
    "FLOOR": lambda value: value.to_integral_value(ROUND_FLOOR),
    "ROUND": _round,
}


def rounded(name: str, term: Term) -> Term:
    """ABS, CEIL, FLOOR or ROUND of a number, in its type.

    >>> from rdflib import Literal
    >>> str(rounded("ROUND", Literal(Decimal("-2.5"))))
    '-2.0'
    """
    type_, value = number_of(term)
    if isinstance(value, int):
        return canonical.integer(abs(value) if name == "ABS" else value)
    if isinstance(value, Decimal):
        return canonical.decimal(_ROUNDINGS[name](value))
    return canonical.of_type(type_, abs(value) if name == "ABS" else _rounded_float(name, value))


def _rounded_float(name: str, value: float) -> float:
    """As XPath has it: what rounds to zero keeps its sign."""
    if not math.isfinite(value):
        return value
    return math.copysign(to_double(_ROUNDINGS[name](Decimal(value))), value)


# -- by column ---------------------------------------------------------------------------------------


def arithmetic(name: str, left: Column, right: Column, context: Context) -> Column:
    """`+`, `-`, `*` or `/`, by row."""
    function = partial(compute, name)
    one, other = left.kinds, right.kinds
    if _has_times(one) or _has_times(other):
        return call(function, (left, right), context)
    are_numbers = (one >= kinds.FIRST_NUMBER) & (other >= kinds.FIRST_NUMBER)
    promotion = np.maximum(PROMOTION[one], PROMOTION[other])
    with np.errstate(all="ignore"):
        numbers = np.asarray(_FLOAT_OPERATIONS[name](left.numbers, right.numbers))
        exact = _exact_values(name, left, right, numbers, promotion)
    are_exact, are_single = promotion < 2, promotion == 2
    numbers = np.where(are_single, to_singles(numbers), np.where(are_exact, exact.numbers, numbers))
    result = np.where(are_exact, exact.kinds, _KIND_OF_PROMOTION[promotion])
    result = np.where(are_numbers, result, kinds.NOTHING).astype(np.int8)
    found = Values(result, numbers, exact.scales)
    # What numbers do not give exactly enough: sums with digits that a float64 loses, decimals as xsd:float.
    are_long = kinds.IS_LONG[one] | kinds.IS_LONG[other]
    lose_digits = kinds.IS_LONG[result] if name in ("+", "-") else np.zeros(len(result), np.bool_)
    have_decimal = are_single & ((one == kinds.DECIMAL) | (other == kinds.DECIMAL))
    at = exactly(function, (left, right), context)
    _look_closely(np.flatnonzero(are_numbers & (are_long | lose_digits | have_decimal)), found, at)
    return NumberColumn(found, context, at)


def _has_times(column: Kinds) -> bool:
    return bool(((column >= kinds.ZONED) & (column <= kinds.TEMPORAL)).any())


def _look_closely(rows: Places, values: Values, at: Callable[[Places], list[Term | None]]) -> None:
    if len(rows):
        values.put(rows, read_singly(at(rows)))


def _exact_values(name: str, left: Column, right: Column, approximate: Floats, promotion: Kinds) -> Values:
    """Integers and decimals, by their whole mantissas; nothing where one is divided by 0.

    A mantissa is right as long as all that it is made of is below 2**53. Elsewhere the number is long.
    """
    one, one_scale = _mantissas(left), left.scales.astype(np.intp)
    other, other_scale = _mantissas(right), right.scales.astype(np.intp)
    if name == "*":
        scales = one_scale + other_scale
        parts, mantissas = (one, other), one * other
    elif name == "/":
        # one / 10**one_scale / (other / 10**other_scale), with a few decimals if it ends there
        scales = np.full(len(approximate), _DECIMALS_OF_QUOTIENTS)
        mantissas = np.rint(approximate * _POWERS[_DECIMALS_OF_QUOTIENTS])
        whole = one * _power(other_scale + _DECIMALS_OF_QUOTIENTS)
        product = mantissas * other * _power(one_scale)
        parts = (whole, np.where(product == whole, product, np.inf))
    else:
        scales = np.maximum(one_scale, other_scale)
        parts = (one * _power(scales - one_scale), other * _power(scales - other_scale))
        mantissas = _FLOAT_OPERATIONS[name](*parts)
    are_integers = (promotion == 0) & (name != "/")
    right_ones = (np.abs(mantissas) < np.where(are_integers, EXACT_INTEGER, _LARGEST)) & (
        scales <= MOST_DECIMALS
    )
    for part in parts:
        right_ones &= np.abs(part) < EXACT_INTEGER
    numbers = np.where(right_ones, mantissas / _power(scales) + 0.0, approximate)
    exact = np.where(are_integers, kinds.INTEGER, kinds.DECIMAL)
    long = np.where(are_integers, kinds.LONG_INTEGER, kinds.LONG_DECIMAL)
    result = np.where(right_ones, exact, long)
    if name == "/":
        result = np.where(right.numbers == 0, kinds.NOTHING, result)
    return Values(result.astype(np.int8), numbers, np.minimum(scales, MOST_DECIMALS).astype(np.int16))


def _mantissas(column: Column) -> Floats:
    """The whole numbers that are the column's numbers times ten to the power of their scales."""
    return np.rint(column.numbers * _power(column.scales.astype(np.intp)))


def _power(places: Places) -> Floats:
    """Ten to some powers, as far as a float64 is it exactly."""
    return _POWERS[np.minimum(places, MOST_DECIMALS)]


def negation(column: Column, context: Context) -> Column:
    """The numbers with the other sign, by row."""
    are_exact = kinds.IS_EXACT[column.kinds]
    return _of_one(negative, column, -column.numbers + np.where(are_exact, 0.0, -0.0), column.scales, context)


def rounding(name: str, column: Column, context: Context) -> Column:
    """ABS, CEIL, FLOOR or ROUND, by row."""
    numbers = column.numbers
    with np.errstate(invalid="ignore"):
        if name == "ROUND":
            floor = np.floor(numbers)
            result = floor + (numbers - floor >= 0.5)
        else:
            result = _FLOAT_ROUNDINGS[name](numbers)
    if name == "ABS":
        return _of_one(partial(rounded, name), column, result, column.scales, context)
    are_exact = kinds.IS_EXACT[column.kinds]
    result = np.where(are_exact, result + 0.0, np.copysign(result, numbers))
    return _of_one(partial(rounded, name), column, result, np.zeros_like(column.scales), context)


_FLOAT_ROUNDINGS: Final = {"ABS": np.abs, "CEIL": np.ceil, "FLOOR": np.floor}


def _of_one(
    function: Callable[[Term], Term], column: Column, numbers: Floats, scales: Scales, context: Context
) -> Column:
    """The results of a function of numbers that keeps their kinds; long ones by term."""
    are_numbers = column.kinds >= kinds.FIRST_NUMBER
    found = Values(np.where(are_numbers, column.kinds, kinds.NOTHING).astype(np.int8), numbers, scales)
    at = exactly(function, (column,), context)
    _look_closely(np.flatnonzero(kinds.IS_LONG[found.kinds]), found, at)
    return NumberColumn(found, context, at)

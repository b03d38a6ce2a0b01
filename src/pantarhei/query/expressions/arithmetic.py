"""Arithmetic on terms and on columns: `+`, `-`, `*`, `/`, unary minus, ABS, ROUND, CEIL and FLOOR.

Single numbers are computed by `values/numeric.py`, columns in floating point where that is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.date_functions import add_times, subtract_times
from pantarhei.query.expressions.expression_columns import Column, NumberColumn, exactly
from pantarhei.query.expressions.kinds import PROMOTION, Kinds
from pantarhei.query.expressions.literal_values import (
    EXACT_INTEGER,
    MAX_DECIMALS,
    MAX_DIGITS,
    Floats,
    Scales,
    ValueArrays,
    read_one_by_one,
    to_singles,
)
from pantarhei.query.expressions.scalars import ExpressionError, number_of
from pantarhei.query.solutions import Indexes
from pantarhei.values import canonical
from pantarhei.values.scalar_functions import SIGNED

_KIND_OF_PROMOTION = np.array(kinds.TYPES, np.int8)
_DECIMALS_OF_QUOTIENTS = 3
_POWERS = np.array([float(10**exponents) for exponents in range(MAX_DECIMALS + 1)])
_LARGEST = 10.0**MAX_DIGITS


# -- single terms ------------------------------------------------------------------------------------


def arithmetic_of_terms(sign: str, *terms: Term) -> Term:
    """Compute a function of `values.scalar_functions.SIGNED` on terms; `+` and `-` are also defined for times
    and durations.

    Raises:
        ExpressionError: the function is undefined for the terms.
        ArithmeticError: the function has no result, or a result that is too large.

    >>> from rdflib import Literal
    >>> str(arithmetic_of_terms("/", Literal(1), Literal(3)))
    '0.3333333333333333333333333333'
    """
    try:
        numbers = list(map(number_of, terms))
    except ExpressionError:
        if sign in ("+", "-") and len(terms) == 2:
            return (add_times if sign == "+" else subtract_times)(*terms)
        raise
    is_unary_plus = sign == "+" and len(numbers) == 1
    return canonical.number(numbers[0] if is_unary_plus else SIGNED[sign](*numbers))


# -- by column ---------------------------------------------------------------------------------------


_FLOAT_OPERATIONS: Final = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}


def arithmetic(name: str, left: Column, right: Column, context: Context) -> Column | None:
    """Evaluate `+`, `-`, `*` or `/` for each row; None for columns with times or durations."""
    function = partial(arithmetic_of_terms, name)
    one, other = left.kinds, right.kinds
    if _has_times(one) or _has_times(other):
        return None
    are_numbers = (one >= kinds.FIRST_NUMBER) & (other >= kinds.FIRST_NUMBER)
    promotion = np.maximum(PROMOTION[one], PROMOTION[other])
    with np.errstate(all="ignore"):
        operands = _as_promoted(left, promotion), _as_promoted(right, promotion)
        numbers = np.asarray(_FLOAT_OPERATIONS[name](*operands))
        exact = _exact_values(name, left, right, numbers, promotion)
    are_exact, are_single = promotion < 2, promotion == 2
    numbers = np.where(are_single, to_singles(numbers), np.where(are_exact, exact.numbers, numbers))
    result = np.where(are_exact, exact.kinds, _KIND_OF_PROMOTION[promotion])
    result = np.where(are_numbers, result, kinds.NOTHING).astype(np.int8)
    found = ValueArrays(result, numbers, exact.scales)
    # Computed by term: sums with more digits than a float64 has, and decimals promoted to xsd:float.
    are_long = kinds.IS_LONG[one] | kinds.IS_LONG[other]
    lose_digits = kinds.IS_LONG[result] if name in ("+", "-") else np.zeros(len(result), np.bool_)
    have_decimal = are_single & ((one == kinds.DECIMAL) | (other == kinds.DECIMAL))
    at = exactly(function, (left, right), context)
    _compute_exactly(np.flatnonzero(are_numbers & (are_long | lose_digits | have_decimal)), found, at)
    return NumberColumn(found, context, at)


def _as_promoted(column: Column, promotion: Kinds) -> Floats:
    """Return a column's numbers; integers that are promoted to xsd:float are rounded."""
    rounded = (promotion == PROMOTION[kinds.FLOAT]) & (column.kinds == kinds.INTEGER)
    return np.where(rounded, to_singles(column.numbers), column.numbers) if rounded.any() else column.numbers


def _has_times(column: Kinds) -> bool:
    return bool(((column >= kinds.ZONED) & (column <= kinds.TEMPORAL)).any())


def _compute_exactly(rows: Indexes, values: ValueArrays, at: Callable[[Indexes], list[Term | None]]) -> None:
    if len(rows):
        values.put(rows, read_one_by_one(at(rows)))


def _exact_values(
    name: str, left: Column, right: Column, approximate: Floats, promotion: Kinds
) -> ValueArrays:
    """Compute integers and decimals by their mantissas, which are integers; the kind is `NOTHING` for a
    division by 0.

    A mantissa is exact if all intermediate results are below 2**53; otherwise the result is marked as long.
    """
    one, one_scale = _mantissas(left), left.scales.astype(np.intp)
    other, other_scale = _mantissas(right), right.scales.astype(np.intp)
    if name == "*":
        scales = one_scale + other_scale
        parts, mantissas = (one, other), one * other
    elif name == "/":
        # one / 10**one_scale / (other / 10**other_scale), if a few decimals suffice
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
    limit = np.where(are_integers, EXACT_INTEGER, _LARGEST)
    are_exact_results = (np.abs(mantissas) < limit) & (scales <= MAX_DECIMALS)
    for part in parts:
        are_exact_results &= np.abs(part) < EXACT_INTEGER
    numbers = np.where(are_exact_results, mantissas / _power(scales) + 0.0, approximate)
    exact = np.where(are_integers, kinds.INTEGER, kinds.DECIMAL)
    long = np.where(are_integers, kinds.LONG_INTEGER, kinds.LONG_DECIMAL)
    result = np.where(are_exact_results, exact, long)
    if name == "/":
        result = np.where(right.numbers == 0, kinds.NOTHING, result)
    return ValueArrays(result.astype(np.int8), numbers, np.minimum(scales, MAX_DECIMALS).astype(np.int16))


def _mantissas(column: Column) -> Floats:
    """Return a column's numbers multiplied by ten to the power of their scales, which are integers."""
    return np.rint(column.numbers * _power(column.scales.astype(np.intp)))


def _power(exponents: Indexes) -> Floats:
    """Return powers of ten; exponents are limited to powers that a float64 represents exactly."""
    return _POWERS[np.minimum(exponents, MAX_DECIMALS)]


def negation(column: Column, context: Context) -> Column:
    """Negate the numbers of a column."""
    numbers = -column.numbers + np.where(kinds.IS_EXACT[column.kinds], 0.0, -0.0)
    return _unary_column("neg", column, numbers, column.scales, context)


def rounding(name: str, column: Column, context: Context) -> Column:
    """Compute ABS, CEIL, FLOOR or ROUND for each row."""
    numbers = column.numbers
    with np.errstate(invalid="ignore"):
        if name == "ROUND":
            floor = np.floor(numbers)
            result = floor + (numbers - floor >= 0.5)
        else:
            result = _FLOAT_ROUNDINGS[name](numbers)
    if name == "ABS":
        return _unary_column(name, column, result, column.scales, context)
    are_exact = kinds.IS_EXACT[column.kinds]
    result = np.where(are_exact, result + 0.0, np.copysign(result, numbers))
    return _unary_column(name, column, result, np.zeros_like(column.scales), context)


_FLOAT_ROUNDINGS: Final = {"ABS": np.abs, "CEIL": np.ceil, "FLOOR": np.floor}


def _unary_column(name: str, column: Column, numbers: Floats, scales: Scales, context: Context) -> Column:
    """Build the column of results of a function that keeps the kinds of numbers; long numbers are computed
    one by one.
    """
    are_numbers = column.kinds >= kinds.FIRST_NUMBER
    found = ValueArrays(np.where(are_numbers, column.kinds, kinds.NOTHING).astype(np.int8), numbers, scales)
    at = exactly(partial(arithmetic_of_terms, name), (column,), context)
    _compute_exactly(np.flatnonzero(kinds.IS_LONG[found.kinds]), found, at)
    return NumberColumn(found, context, at)

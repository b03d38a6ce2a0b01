"""Arithmetic of numeric literals, shared by SWRL's built-ins, temporal rules and SPARQL.

Integers are exact (`int`), decimals are exact or rounded (`Decimal`, or `Fraction` for an owl:rational),
xsd:float and xsd:double are IEEE 754 numbers. The operand with the lower type is promoted to the type of the
other. A decimal result that is not whole is rounded, half to even, to `PRECISION` significant digits; whole
results are not rounded. A result that needs more than `MAX_DIGITS` digits before the decimal point is an
error; a result that is much closer to 0 than any number of `MAX_DIGITS` decimals is 0.

Source: XQuery and XPath Functions and Operators, sections 4.2 and 4.4.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import (
    MAX_EMAX,
    MAX_PREC,
    MIN_EMIN,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from fractions import Fraction
from typing import Any, Final, NamedTuple

from pantarhei.values.value import FLOAT as XSD_FLOAT
from pantarhei.values.value import single, unpacked, value_key

# Numeric types, each promoted to the next.
INTEGER: Final = 16
DECIMAL: Final = 17
FLOAT: Final = 18
DOUBLE: Final = 19

Exact = int | Decimal | Fraction
Number = Exact | float

PRECISION: Final = 28
MAX_DIGITS: Final = 1000
TOO_LARGE: Final = 10**MAX_DIGITS
# Context without rounding, for any number of digits.
EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
DECIMALS: Final = Context(
    prec=PRECISION,
    rounding=ROUND_HALF_EVEN,
    Emin=-MAX_DIGITS,
    Emax=MAX_DIGITS - 1,
    traps=[DivisionByZero, InvalidOperation, Overflow],
)


class NumberError(ArithmeticError):
    """A computation has no result."""


class Numeric(NamedTuple):
    """Number with its type: `INTEGER`, `DECIMAL`, `FLOAT` or `DOUBLE`."""

    type: int
    value: Number


# -- types -------------------------------------------------------------------------------------------


def to_double(value: Number) -> float:
    """Return the xsd:double nearest to a number."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def to_single(value: Number) -> float:
    """Return the xsd:float nearest to a number.

    >>> to_single(Decimal("1.00000005960464477539062500001"))  # rounding to an xsd:double first gives 1.0
    1.0000001192092896
    """
    if isinstance(value, float):
        return single(value)
    if isinstance(value, Fraction):
        return _nearest_single(value)
    key = value_key(str(value), XSD_FLOAT)
    # texts of very long numbers are not parsed
    return unpacked(key[1]) if isinstance(key[1], bytes) else _nearest_single(Fraction(value))


def _nearest_single(value: Fraction) -> float:
    nearest = to_double(value)
    if math.isfinite(nearest) and nearest != value:
        # the odd neighbour on the number's side is never a tie
        bits = math.frexp(nearest)[0] * 2**53
        if bits % 2 == 0:
            nearest = math.nextafter(nearest, math.inf if value > nearest else -math.inf)
    return single(nearest)


def as_decimal(value: Number) -> Decimal:
    """Convert a number with finitely many decimals to a `Decimal`, exactly."""
    assert not isinstance(value, Fraction), "an owl:rational"
    return Decimal(value)


def promoted(one: Numeric, other: Numeric) -> tuple[int, Number, Number]:
    """Return the higher type of two numbers, and both numbers converted to it."""
    type_ = max(one.type, other.type)
    return type_, _in_type(type_, one), _in_type(type_, other)


def _in_type(type_: int, number: Numeric) -> Number:
    """Convert a number to a type that is at least its own."""
    value = number.value
    if type_ == DOUBLE:
        return to_double(value)
    if type_ == FLOAT:
        return value if number.type == FLOAT else to_single(value)
    return Decimal(value) if type_ == DECIMAL and isinstance(value, int) else value


# -- rounding ----------------------------------------------------------------------------------------


def rounded(exact: Exact) -> Decimal:
    """Round a number to `PRECISION` significant digits; whole numbers are not rounded.

    Raises:
        ArithmeticError: the number is too large.

    >>> rounded(Fraction(2, 3)), rounded(10**30 + 1)
    (Decimal('0.6666666666666666666666666667'), Decimal('1000000000000000000000000000001'))
    """
    if isinstance(exact, Fraction):
        numerator, denominator = exact.as_integer_ratio()
        if denominator == 1:
            return Decimal(_bounded(numerator))
        return DECIMALS.divide(Decimal(numerator), Decimal(denominator))
    if isinstance(exact, int):
        return Decimal(_bounded(exact))
    result = DECIMALS.plus(exact)
    if result.adjusted() < PRECISION or result == exact:
        return result
    return rounded(Fraction(exact))  # the number may be whole


def divided(value: Exact, divisor: Exact) -> Decimal:
    """Divide two exact numbers.

    Raises:
        ArithmeticError: the divisor is 0, or the quotient is too large.
    """
    if isinstance(value, Fraction) or isinstance(divisor, Fraction):
        return rounded(Fraction(value) / Fraction(divisor))
    one, other = Decimal(value), Decimal(divisor)
    result = DECIMALS.divide(one, other)
    return result if result.adjusted() < PRECISION else rounded(Fraction(value) / Fraction(divisor))


def _bounded(value: int) -> int:
    if abs(value) >= TOO_LARGE:
        raise NumberError
    return value


# -- two operands ------------------------------------------------------------------------------------


def arithmetic(name: str) -> Callable[[Numeric, Numeric], Numeric]:
    """Return a function that computes `+`, `-`, `*`, `/`, `div`, `mod` or `pow` of two numbers.

    `div` is the quotient truncated to a whole number. The function raises ArithmeticError if there is no
    result.

    >>> arithmetic("/")(Numeric(INTEGER, 1), Numeric(INTEGER, 8))
    Numeric(type=17, value=Decimal('0.125'))
    """
    of_integers, of_decimals = _ON_INTEGERS.get(name), _ON_DECIMALS.get(name)

    def compute(one: Numeric, other: Numeric) -> Numeric:
        if of_integers is not None and one.type == INTEGER and other.type == INTEGER:
            return Numeric(INTEGER, _bounded(of_integers(one.value, other.value)))
        type_, first, second = promoted(one, other)
        if isinstance(first, float) and isinstance(second, float):
            return _floating(name, type_, first, second)
        assert not isinstance(first, float) and not isinstance(second, float), "both are promoted"
        if of_decimals is not None and isinstance(first, Decimal) and isinstance(second, Decimal):
            result = of_decimals(first, second)
            if result.adjusted() < PRECISION:  # otherwise a whole number may have been rounded
                return Numeric(DECIMAL, result)
        if name == "/":
            return Numeric(DECIMAL, divided(first, second))
        return _of_fractions(name, type_, Fraction(first), Fraction(second))

    return compute


_ON_INTEGERS: Final[dict[str, Callable[[Any, Any], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_ON_DECIMALS: Final[dict[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "+": DECIMALS.add,
    "-": DECIMALS.subtract,
    "*": DECIMALS.multiply,
}


def _of_fractions(name: str, type_: int, one: Fraction, other: Fraction) -> Numeric:
    """Compute an operation on exact numbers as fractions."""
    if name == "pow" and other.denominator != 1:
        if one < 0:
            raise NumberError
        return Numeric(DOUBLE, _float_power(to_double(one), to_double(other)))
    result = _ON_FRACTIONS[name](one, other)
    if result.denominator == 1 and (type_ == INTEGER or name == "div"):
        return Numeric(INTEGER, _bounded(result.numerator))
    return Numeric(DECIMAL, rounded(result))


def _whole_quotient(one: Fraction, other: Fraction) -> Fraction:
    """Return the quotient truncated towards 0."""
    return Fraction(math.trunc(one / other))


def _remainder(one: Fraction, other: Fraction) -> Fraction:
    """Return the remainder with the sign of the dividend."""
    remainder = abs(one) % abs(other)
    return -remainder if one < 0 else remainder


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent < 0 and not base:
        raise NumberError
    if abs(base) == 1 or not base:
        return Fraction(base ** (exponent.numerator % 2) if exponent else 1)
    if max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(exponent) > 40 * MAX_DIGITS:
        raise NumberError
    return Fraction(base**exponent.numerator)


_ON_FRACTIONS: Final[dict[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "div": _whole_quotient,
    "mod": _remainder,
    "pow": _power,
}


# -- floating point ----------------------------------------------------------------------------------


def _floating(name: str, type_: int, one: float, other: float) -> Numeric:
    if name == "div":
        return Numeric(INTEGER, _float_whole_quotient(one, other))
    result = _ON_FLOATS[name](one, other)
    return Numeric(type_, single(result) if type_ == FLOAT else result)


def _float_quotient(one: float, other: float) -> float:
    if other:
        return one / other
    if math.isnan(one) or not one:
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1.0, other)


def _float_whole_quotient(one: float, other: float) -> int:
    if math.isnan(one) or math.isnan(other) or math.isinf(one) or not other:
        raise NumberError
    return 0 if math.isinf(other) else _bounded(math.trunc(Fraction(one) / Fraction(other)))


def _float_remainder(one: float, other: float) -> float:
    return math.nan if math.isinf(one) or not other else math.fmod(one, other)


def _float_power(base: float, exponent: float) -> float:
    is_odd = math.isfinite(exponent) and exponent % 2 == 1
    sign = -1.0 if is_odd and math.copysign(1.0, base) < 0 else 1.0
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return sign * math.inf
    except (
        ValueError
    ):  # zero with a negative exponent, or a negative number with an exponent that is not whole
        return math.nan if base else sign * math.inf


_ON_FLOATS: Final[dict[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _float_quotient,
    "mod": _float_remainder,
    "pow": _float_power,
}


# -- one operand -------------------------------------------------------------------------------------


def negated(number: Numeric) -> Numeric:
    """Negate a number.

    Raises:
        ArithmeticError: the number is too large.
    """
    value = number.value
    return in_bounds(Numeric(number.type, value.copy_negate() if isinstance(value, Decimal) else -value))


def to_whole(name: str, number: Numeric) -> Numeric:
    """Compute ABS, CEIL, FLOOR or ROUND of a number; the result has the number's type.

    Raises: as `negated`.

    >>> to_whole("ROUND", Numeric(DECIMAL, Decimal("-2.5")))
    Numeric(type=17, value=Decimal('-2'))
    """
    type_, value = number
    if isinstance(value, float):
        if name == "ABS" or not math.isfinite(value):
            return Numeric(type_, abs(value) if name == "ABS" else value)
        # a number that is rounded to zero keeps its sign
        return Numeric(type_, math.copysign(to_double(_ROUNDINGS[name](Fraction(value))), value))
    if name == "ABS":
        return in_bounds(number if value >= 0 else negated(number))
    whole = value if isinstance(value, int) else _ROUNDINGS[name](value)
    return Numeric(type_, _bounded(whole) if type_ == INTEGER else Decimal(_bounded(whole)))


def _round(value: Exact) -> int:
    """Round to the nearest whole number; a tie is rounded up."""
    return math.floor(Fraction(value) + Fraction(1, 2))


_ROUNDINGS: Final[dict[str, Callable[[Any], int]]] = {"CEIL": math.ceil, "FLOOR": math.floor, "ROUND": _round}


def half_to_even(number: Numeric, decimals: int) -> Numeric:
    """Round a number to a number of decimals; a tie is rounded to the even digit.

    Raises: as `negated`.
    """
    type_, value = number
    digits = max(-MAX_DIGITS - 1, min(decimals, MAX_DIGITS + 1))
    if isinstance(value, float):
        if not math.isfinite(value):
            return number
        return Numeric(type_, math.copysign(to_double(round(Fraction(value), digits)), value))
    return in_bounds(Numeric(type_, round(Fraction(value), digits)))


def in_bounds(number: Numeric) -> Numeric:
    """Check that a number is not too large, and round an owl:rational.

    Raises: as `negated`.
    """
    type_, value = number
    if isinstance(value, int):
        return Numeric(type_, _bounded(value))
    if isinstance(value, Fraction):
        whole = type_ == INTEGER and value.denominator == 1
        return Numeric(type_, _bounded(value.numerator) if whole else rounded(value))
    if isinstance(value, Decimal) and value and not -MAX_DIGITS <= value.adjusted() < MAX_DIGITS:
        raise NumberError
    return number

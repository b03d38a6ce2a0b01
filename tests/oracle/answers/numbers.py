"""Numbers in SPARQL: promotion, arithmetic, and the lexical form of results.

The numeric types are integer (with all types that XML Schema derives from it), decimal, float and double; the
operand of the lower type is promoted. Integers are exact. Decimals that are not whole are rounded, half to
even, to 28 significant digits. Floats and doubles are those of IEEE 754. A result with more than 1000 digits
before the point is an error.

Results are in the canonical form of XML Schema 1.1: `7`, `2.5` and `2` (a decimal has a point only before
decimals), `2.5E0` (a float or double has a mantissa with a point and an exponent), `INF`, `-INF`, `NaN`. An
integer result has the datatype xsd:integer.

Source: SPARQL 1.1, section 17.3; XQuery and XPath Functions and Operators, section 6.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from decimal import (
    ROUND_05UP,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from fractions import Fraction
from typing import Final, NamedTuple

from rdflib import XSD, Literal, URIRef

from oracle.answers.terms import ExpressionError, boolean, literal, value
from pantarhei.model.term import Term
from pantarhei.values.value import DOUBLE, FLOAT, INTEGER_BOUNDS, is_ill_typed, single, unpacked, value_key

INTEGER, DECIMAL, SINGLE, LONG = range(4)  # each type is promoted to the next
_TYPES = {INTEGER: XSD.integer, DECIMAL: XSD.decimal, SINGLE: XSD.float, LONG: XSD.double}
_KINDS: dict[URIRef | None, int] = {
    **dict.fromkeys(INTEGER_BOUNDS, INTEGER),
    XSD.decimal: DECIMAL,
    XSD.float: SINGLE,
    XSD.double: LONG,
}
NUMERIC_TYPES: Final = frozenset(_KINDS)
_MOST_DIGITS = 1000
_CONTEXT = Context(
    prec=28,
    rounding=ROUND_HALF_EVEN,
    Emin=-_MOST_DIGITS,
    Emax=_MOST_DIGITS - 1,
    traps=[DivisionByZero, InvalidOperation, Overflow],
)
# Enough digits for any float; the last digit records the truncated rest, so that rounding again is correct.
_MANY_DIGITS = Context(prec=800, rounding=ROUND_05UP)


class Number(NamedTuple):
    """Number with its type: an int, a Decimal, or a float for the two types of IEEE 754."""

    kind: int
    value: int | Decimal | float

    def exact(self) -> Fraction | float:
        """Return the exact value; a float only if it is infinite or NaN."""
        return Fraction(self.value) if self.is_finite else float(self.value)

    @property
    def is_finite(self) -> bool:
        """True if the number is neither infinite nor NaN."""
        return not isinstance(self.value, float) or math.isfinite(self.value)

    def promoted(self, kind: int) -> Number:
        """Convert the number to a type that is not lower than its own."""
        if kind == self.kind:
            return self
        return Number(kind, Decimal(self.value) if kind == DECIMAL else self.to_float(kind))

    def to_float(self, kind: int) -> float:
        """Return the nearest float or double."""
        if isinstance(self.value, float):
            return single(self.value) if kind == SINGLE else self.value
        return nearest(kind, str(_MANY_DIGITS.plus(Decimal(self.value))))


def is_number(term: Term) -> bool:
    """True if the term is a well-typed literal of a numeric type."""
    has_type = isinstance(term, Literal) and term.datatype in _KINDS
    return has_type and isinstance(_payload(term), int | Decimal | bytes)


def number(term: Term) -> Number:
    """Return the number that a term denotes."""
    if not isinstance(term, Literal) or not is_number(term):
        raise ExpressionError
    kind, payload = _KINDS[term.datatype], _payload(term)
    if isinstance(payload, bytes):
        return Number(kind, unpacked(payload))
    assert isinstance(payload, int | Decimal)
    return Number(kind, payload if kind == INTEGER else Decimal(payload))


def _payload(term: Term) -> object:
    key = value(term)
    assert isinstance(key, tuple)
    return None if is_ill_typed(key) else key[1]


def nearest(kind: int, text: str) -> float:
    """Return the float or double nearest to a decimal numeral."""
    datatype = FLOAT if kind == SINGLE else DOUBLE
    packed = value_key(text, datatype)[1]
    assert isinstance(packed, bytes), text
    return unpacked(packed)


def promoted(numbers: Iterable[Number]) -> tuple[Number, ...]:
    """Convert the numbers to the highest of their types."""
    given = tuple(numbers)
    kind = max(each.kind for each in given)
    return tuple(each.promoted(kind) for each in given)


# -- lexical form --------------------------------------------------------------------------------------


def to_literal(given: Number) -> Literal:
    """Return the literal of a number, in canonical form."""
    return literal(_text(given), _TYPES[given.kind])


def _text(given: Number) -> str:
    if isinstance(given.value, Decimal):
        return _decimal_text(given.value)
    if isinstance(given.value, float):
        return _float_text(given.value, given.kind == SINGLE)
    if abs(given.value) >= 10**_MOST_DIGITS:
        raise ExpressionError
    return str(given.value)


def _decimal_text(decimal: Decimal) -> str:
    if decimal and not -_MOST_DIGITS <= decimal.adjusted() < _MOST_DIGITS:
        raise ExpressionError
    whole, _, places = format(decimal if decimal else Decimal(0), "f").partition(".")
    return f"{whole}.{places.rstrip('0')}".removesuffix(".")


def _float_text(given: float, is_single: bool) -> str:
    """Return the shortest numeral that is parsed as this number."""
    if not math.isfinite(given):
        return "NaN" if math.isnan(given) else "INF" if given > 0 else "-INF"
    texts = (f"{given:.{places}e}" for places in range(17))
    kind = SINGLE if is_single else LONG
    mantissa, _, exponent = next(text for text in texts if nearest(kind, text) == given).partition("e")
    whole, _, places = mantissa.partition(".")
    return f"{whole}.{places.rstrip('0') or '0'}E{int(exponent)}"


# -- arithmetic ------------------------------------------------------------------------------------


def _arithmetic(
    exact: Callable[[int, int], int],
    fraction: Callable[[Fraction, Fraction], Fraction],
    floating: Callable[[float, float], float],
) -> Callable[[Term, Term], Term]:
    def compute(left: Term, right: Term) -> Term:
        (kind, one), (_, other) = promoted((number(left), number(right)))
        if isinstance(one, int) and isinstance(other, int):
            return to_literal(Number(INTEGER, exact(one, other)))
        if isinstance(one, Decimal) and isinstance(other, Decimal):
            return to_literal(Number(DECIMAL, round_decimal(fraction(Fraction(one), Fraction(other)))))
        return to_literal(Number(kind, _rounded(kind, floating(float(one), float(other)))))

    return compute


def round_decimal(exact: Fraction) -> Decimal:
    """Round a decimal result; a whole number is unchanged."""
    if exact.denominator == 1:
        return Decimal(exact.numerator)
    try:
        return _CONTEXT.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    except DecimalException:
        raise ExpressionError from None


def _rounded(kind: int, given: float) -> float:
    return single(given) if kind == SINGLE else given


def _float_quotient(left: float, right: float) -> float:
    if right:
        return left / right
    if math.isnan(left) or not left:
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def divide(left: Term, right: Term) -> Term:
    """Return the quotient; that of two integers is a decimal. Exact division by zero is an error."""
    (kind, one), (_, other) = promoted((number(left), number(right)))
    if kind in (INTEGER, DECIMAL):
        if not other:
            raise ExpressionError
        return to_literal(Number(DECIMAL, round_decimal(Fraction(one) / Fraction(other))))
    return to_literal(Number(kind, _rounded(kind, _float_quotient(float(one), float(other)))))


def total(terms: Iterable[Term]) -> Term:
    """SUM: the exact sum of the numbers, in the highest of their types, rounded once; 0 over no numbers.

    A number is promoted before it is added; INF + -INF is NaN.
    """
    given = promoted((Number(INTEGER, 0), *map(number, terms)))
    kind = given[0].kind
    special = {each.value for each in given if not each.is_finite}
    if special:
        return to_literal(Number(kind, math.nan if len(special) > 1 else float(special.pop())))
    exact = sum((Fraction(each.value) for each in given), Fraction(0))
    if kind == INTEGER:
        return to_literal(Number(kind, int(exact)))
    if kind == DECIMAL:
        return to_literal(Number(kind, round_decimal(exact)))
    return to_literal(Number(kind, _float_of(kind, exact)))


def _float_of(kind: int, exact: Fraction) -> float:
    """Return the float or double nearest to a fraction with finitely many decimals."""
    numerator, denominator = Decimal(exact.numerator), Decimal(exact.denominator)
    places = Context(prec=5000, Emin=-9999, Emax=9999, traps=[]).divide(numerator, denominator)
    return nearest(kind, str(places))


# -- functions -------------------------------------------------------------------------------------


def _whole(rounding: Callable[[Fraction], int]) -> Callable[[Term], Term]:
    """Return a function that rounds to a whole number of the same type."""

    def compute(term: Term) -> Term:
        kind, given = number(term)
        if isinstance(given, int) or not Number(kind, given).is_finite:
            return to_literal(Number(kind, given))
        result = rounding(Fraction(given))
        if isinstance(given, float):
            return to_literal(Number(kind, math.copysign(float(result), given)))
        return to_literal(Number(kind, Decimal(result)))

    return compute


def _negative(term: Term) -> Term:
    kind, given = number(term)
    return to_literal(Number(kind, given.copy_negate() if isinstance(given, Decimal) else -given))


def _absolute(term: Term) -> Term:
    kind, given = number(term)
    return to_literal(Number(kind, given.copy_abs() if isinstance(given, Decimal) else abs(given)))


FUNCTIONS: Final[dict[str, Callable[..., Term]]] = {
    "+": _arithmetic(operator.add, operator.add, operator.add),
    "-": _arithmetic(operator.sub, operator.sub, operator.sub),
    "*": _arithmetic(operator.mul, operator.mul, operator.mul),
    "/": divide,
    "positive": lambda term: to_literal(number(term)),
    "negative": _negative,
    "ABS": _absolute,
    "CEIL": _whole(math.ceil),
    "FLOOR": _whole(math.floor),
    "ROUND": _whole(lambda given: math.floor(given + Fraction(1, 2))),
    "isNUMERIC": lambda term: boolean(is_number(term)),
}

"""SWRL's built-ins on values: comparisons, and computations with numbers.

Results depend on the values of the operands alone: not on how they are written, nor on the machine or the
thread. Comparison and arithmetic are XPath's. A comparison that is not defined for its operands does not
hold, and a computation has no result then: nothing raises.

Source: SWRL, section 8; XQuery and XPath Functions and Operators, section 4.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from rdflib import XSD, Literal, Namespace, URIRef

from pantarhei.language.data_range import Compared
from pantarhei.language.rule import Builtin, Member, Test
from pantarhei.language.term import Term
from pantarhei.literals.value import (
    BOOLEAN,
    DATE_TIME,
    DECIMAL,
    DOUBLE,
    FLOAT,
    STRING,
    Key,
    Number,
    is_ill_typed,
    is_text,
    number,
    single,
    unpacked,
    value_of,
)

SWRLB: Final = Namespace("http://www.w3.org/2003/11/swrlb#")
EQUAL: Final = SWRLB.equal

# A result that needs more digits is none: rules that square a number must come to an end.
MOST_DIGITS: Final = 1000
_TOO_LARGE: Final = 10**MOST_DIGITS
# What is no whole number is rounded, half to even, to as many significant digits.
PRECISION: Final = 34

_FURTHEST_ZONES = 14 * 3600  # seconds between local time and Greenwich's, at most
_ORDERED = frozenset({STRING, BOOLEAN})

_COMPARISONS: dict[URIRef, Callable[[Any, Any], Any]] = {
    SWRLB.equal: operator.eq,
    SWRLB.notEqual: operator.ne,
    SWRLB.lessThan: operator.lt,
    SWRLB.lessThanOrEqual: operator.le,
    SWRLB.greaterThan: operator.gt,
    SWRLB.greaterThanOrEqual: operator.ge,
}
COMPARISONS: Final = frozenset(_COMPARISONS)
_TURNED: Final = {
    SWRLB.equal: SWRLB.equal,
    SWRLB.notEqual: SWRLB.notEqual,
    SWRLB.lessThan: SWRLB.greaterThan,
    SWRLB.lessThanOrEqual: SWRLB.greaterThanOrEqual,
    SWRLB.greaterThan: SWRLB.lessThan,
    SWRLB.greaterThanOrEqual: SWRLB.lessThanOrEqual,
}


# -- comparisons -----------------------------------------------------------------------------------


def holds(name: URIRef, left: Term, right: Term) -> bool:
    """Whether a comparison of `COMPARISONS` holds of two literals.

    Numbers of all datatypes are compared with each other, a decimal with an xsd:double or xsd:float in the
    precision of the latter; strings by code point, booleans with false first, times by their instant. A time
    with a time zone and one without are compared if they are more than 14 hours apart. Values of one other
    known datatype are equal or not, without an order. Under an unknown datatype one text is equal to itself,
    and two texts are not known to differ. Of all else no comparison holds, `notEqual` included: of names, of
    ill-typed literals, of a number and a string. NaN is different from all numbers, itself included.

    >>> holds(SWRLB.lessThan, Literal("9", datatype=XSD.integer), Literal("10.0", datatype=XSD.double))
    True
    >>> holds(SWRLB.notEqual, Literal("a"), Literal(1))
    False
    """
    if not isinstance(left, Literal) or not isinstance(right, Literal):
        return False
    return holds_of(name, _key(left), _key(right))


def holds_of(name: URIRef, one: Key, other: Key) -> bool:
    """`holds` of two literals whose values these keys are."""
    compare = _COMPARISONS[name]
    first, second = _operand(one), _operand(other)
    if first is not None and second is not None:
        if type(first[1]) is int and type(second[1]) is int:
            return bool(compare(first[1], second[1]))
        _, values = _promoted(first, second)
        return bool(compare(*values))
    if one[0] != other[0] or is_ill_typed(one):
        return False
    if is_text(one) or is_text(other):
        return compare is operator.eq and one == other
    if one[0] == DATE_TIME:
        return _are_comparable(one, other) and bool(compare(one[2:], other[2:]))
    is_ordered = one[0] in _ORDERED or compare in (operator.eq, operator.ne)
    return is_ordered and bool(compare(one[1:], other[1:]))


@lru_cache(maxsize=256)  # what a rule compares with is one of the operands again and again
def _key(literal: Literal) -> Key:
    key = value_of(literal)
    assert isinstance(key, tuple)
    return key


def _are_comparable(one: Key, other: Key) -> bool:
    """Whether two times are in an order wherever the one without a time zone, if only one is, was taken."""
    (_, zoned, *instant), (_, also, *other_instant) = one, other
    if zoned == also:
        return True
    early, late = sorted([_exact_seconds(instant), _exact_seconds(other_instant)])
    return late - early > _FURTHEST_ZONES


def _exact_seconds(instant: list[Any]) -> Fraction:
    seconds, fraction = instant
    return Fraction(seconds) + Fraction(fraction)


def as_member(test: Test) -> Test:
    """A comparison with one constant as a range that the other operand is in; other tests as they are.

    >>> from rdflib import Variable
    >>> print(as_member(Builtin(SWRLB.lessThan, (Literal(80), Variable("v")))))
    ?v ∈ Compared(greaterThan "80"^^<http://www.w3.org/2001/XMLSchema#integer>)
    """
    if not isinstance(test, Builtin) or test.name not in _COMPARISONS:
        return test
    left, right = test.arguments
    if isinstance(right, Literal) and not isinstance(left, Literal):
        return Member(left, Compared(test.name, right))
    if isinstance(left, Literal) and not isinstance(right, Literal):
        return Member(right, Compared(_TURNED[test.name], left))
    return test


# -- computations ----------------------------------------------------------------------------------

_EXACT, _SINGLE, _DOUBLE = range(3)  # each is promoted to the next
Operand = tuple[int, Number | float]


def compute(name: URIRef, *operands: Term) -> Literal | None:
    """The result of a computation of `COMPUTATIONS`, None where there is none.

    Whole numbers stay xsd:integer, other than by `divide`, decimals xsd:decimal; with an xsd:float or an
    xsd:double among the operands the result is one, as IEEE 754 has it: its division by zero is infinite.
    Decimals that are not whole are rounded, half to even, to `PRECISION` significant digits, those of an
    owl:rational too. `pow` with an exponent that is not whole gives an xsd:double. `roundHalfToEven` takes
    the number of decimals as a second operand, 0 without it.

    There is no result for what is no number, for exact division by zero, `integerDivide` to what is no whole
    number, a number of operands that the computation does not have, and results of more than `MOST_DIGITS`
    digits. Costs no more than arithmetic on numbers of some ten thousand digits.

    >>> compute(SWRLB.add, Literal("1", datatype=XSD.integer), Literal("0.50", datatype=XSD.decimal)).n3()
    '"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'
    >>> compute(SWRLB.divide, Literal(1), Literal(0)) is None
    True
    """
    computation = _COMPUTATIONS[name]
    found = [_operand(_key(each)) if isinstance(each, Literal) else None for each in operands]
    given = [each for each in found if each is not None]
    if len(given) != len(found) or len(given) not in computation.arities:
        return None
    if computation is _ROUND_HALF_TO_EVEN:
        return _round_half_to_even(*given)
    result = _by_decimals(computation, given)
    kind = _EXACT
    if result is None:
        kind, values = _promoted(*given)
        result = (computation.exact if kind == _EXACT else computation.inexact)(*values)
    are_whole = all(isinstance(value, int) for _, value in given)
    whole = name == SWRLB.integerDivide or (are_whole and name != SWRLB.divide)
    return None if result is None else _literal(kind, result, whole)


def _operand(key: Key) -> Operand | None:
    """The number in a key and how it is computed with; None if it is no number."""
    tag, value = key[:2]
    if tag == DECIMAL and isinstance(value, Number):
        return _EXACT, value
    if isinstance(value, bytes) and tag in (FLOAT, DOUBLE):
        return (_SINGLE if tag == FLOAT else _DOUBLE), unpacked(value)
    return None


def _promoted(*operands: Operand) -> tuple[int, list[Any]]:
    """The operands' common kind, and their values in it."""
    kind = max(kind for kind, _ in operands)
    if kind == _EXACT:
        return kind, [Fraction(value) for _, value in operands]
    return kind, [_to_kind(kind, value) for _, value in operands]


def _by_decimals(computation: _Computation, operands: Sequence[Operand]) -> _Result:
    """What is computed of whole numbers and decimals without a fraction, which costs several times more; None
    where there may be none that is exact.
    """
    by_decimals = computation.by_decimals
    values = [Decimal(value) for _, value in operands if isinstance(value, int | Decimal)]
    if by_decimals is None or len(values) < len(operands):
        return None
    try:
        return by_decimals(*values)
    except (Inexact, InvalidOperation):
        return None


_PLENTY = Context(prec=200, Emin=-(10**6), Emax=10**6, traps=[Inexact, InvalidOperation])


def _to_kind(kind: int, value: Number | float) -> float:
    rounded = _to_double(value)
    return single(rounded) if kind == _SINGLE else rounded


def _to_double(value: Number | float) -> float:
    try:
        return value if isinstance(value, float) else float(Fraction(value))
    except OverflowError:
        return math.inf if value > 0 else -math.inf


# What is computed exactly.

_Result = Number | float | None


def _divide(left: Fraction, right: Fraction) -> _Result:
    return left / right if right else None


def _integer_divide(left: Fraction, right: Fraction) -> _Result:
    if not right:
        return None
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _mod(left: Fraction, right: Fraction) -> _Result:
    """The remainder with the sign of the dividend."""
    if not right:
        return None
    remainder = abs(left) % abs(right)
    return -remainder if left < 0 else remainder


def _pow(base: Fraction, exponent: Fraction) -> _Result:
    if exponent.denominator != 1:
        return None if base < 0 else _float_pow(_to_double(base), _to_double(exponent))
    if exponent < 0 and not base:
        return None
    if abs(base) == 1 or not base:
        return Fraction(base ** (exponent.numerator % 2) if exponent else 1)
    if max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(exponent) > 40 * MOST_DIGITS:
        return None
    return Fraction(base**exponent.numerator)


def _round(value: Fraction) -> int:
    """The nearest whole number, the greater of two."""
    return math.floor(value + Fraction(1, 2))


# What is computed in floating point.


def _float_divide(left: float, right: float) -> float:
    if right:
        return left / right
    if math.isnan(left) or not left:
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _float_integer_divide(left: float, right: float) -> _Result:
    if math.isnan(left) or math.isnan(right) or math.isinf(left) or not right:
        return None
    return 0 if math.isinf(right) else _integer_divide(Fraction(left), Fraction(right))


def _float_mod(left: float, right: float) -> float:
    if math.isinf(left) or not right:
        return math.nan
    return math.fmod(left, right)


def _float_pow(base: float, exponent: float) -> float:
    is_odd = math.isfinite(exponent) and exponent % 2 == 1
    sign = -1.0 if is_odd and math.copysign(1.0, base) < 0 else 1.0
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return sign * math.inf
    except ValueError:  # zero to a negative power, or a negative number to one that is not whole
        return math.nan if base else sign * math.inf


def _float_rounded(round_: Callable[[Fraction], Number]) -> Callable[[float], float]:
    def rounded(value: float) -> float:
        if not math.isfinite(value):
            return value
        return math.copysign(_to_double(Fraction(round_(Fraction(value)))), value)

    return rounded


def _round_half_to_even(operand: Operand, decimals: Operand = (_EXACT, 0)) -> Literal | None:
    kind, value = operand
    _, places = decimals
    if not isinstance(places, int):
        return None
    digits = max(-MOST_DIGITS - 1, min(places, MOST_DIGITS + 1))
    if isinstance(value, float):
        return _literal(kind, _float_rounded(lambda exact: round(exact, digits))(value), whole=False)
    return _literal(kind, round(Fraction(value), digits), whole=isinstance(value, int))


@dataclass(frozen=True, slots=True)
class _Computation:
    exact: Callable[..., _Result]
    inexact: Callable[..., _Result]
    arities: tuple[int, ...]
    by_decimals: Callable[..., Decimal] | None = None


_ROUND_HALF_TO_EVEN = _Computation(round, round, (1, 2))
_COMPUTATIONS: dict[URIRef, _Computation] = {
    SWRLB.add: _Computation(operator.add, operator.add, (2,), _PLENTY.add),
    SWRLB.subtract: _Computation(operator.sub, operator.sub, (2,), _PLENTY.subtract),
    SWRLB.multiply: _Computation(operator.mul, operator.mul, (2,), _PLENTY.multiply),
    SWRLB.divide: _Computation(_divide, _float_divide, (2,)),
    SWRLB.integerDivide: _Computation(_integer_divide, _float_integer_divide, (2,)),
    SWRLB.mod: _Computation(_mod, _float_mod, (2,)),
    SWRLB.pow: _Computation(_pow, _float_pow, (2,)),
    SWRLB.unaryMinus: _Computation(operator.neg, operator.neg, (1,)),
    SWRLB.unaryPlus: _Computation(operator.pos, operator.pos, (1,)),
    SWRLB.abs: _Computation(abs, abs, (1,)),
    SWRLB.ceiling: _Computation(math.ceil, _float_rounded(math.ceil), (1,)),
    SWRLB.floor: _Computation(math.floor, _float_rounded(math.floor), (1,)),
    SWRLB.round: _Computation(_round, _float_rounded(_round), (1,)),
    SWRLB.roundHalfToEven: _ROUND_HALF_TO_EVEN,
}
COMPUTATIONS: Final = frozenset(_COMPUTATIONS)


def arities(name: URIRef) -> tuple[int, ...]:
    """How many arguments a built-in can have, its result included; none if there is no such built-in.

    >>> arities(SWRLB.abs), arities(SWRLB.add), arities(SWRLB.lessThan), arities(SWRLB.tomorrow)
    ((2,), (3,), (2,), ())
    """
    if name in _COMPARISONS:
        return (2,)
    computation = _COMPUTATIONS.get(name)
    return tuple(operands + 1 for operands in computation.arities) if computation else ()


def is_computation(test: Test) -> bool:
    """Whether the test's first argument is what the others are made into."""
    return isinstance(test, Builtin) and test.name in COMPUTATIONS


# -- results ---------------------------------------------------------------------------------------


def _literal(kind: int, result: Number | float, whole: bool) -> Literal | None:
    """The literal of a result in canonical form; a `whole` one is an xsd:integer if it is an integer."""
    if isinstance(result, float):
        is_single = kind == _SINGLE
        text = _float_text(single(result) if is_single else result, is_single)
        return _typed(text, XSD.float if is_single else XSD.double)
    exact = number(result)
    if isinstance(exact, int):
        if abs(exact) >= _TOO_LARGE:
            return None
        return _typed(str(exact), XSD.integer if whole else XSD.decimal)
    if isinstance(exact, Decimal):
        rounded = _ROUNDING.plus(exact)
    else:
        rounded = _ROUNDING.divide(*map(Decimal, exact.as_integer_ratio()))
    if abs(rounded.adjusted()) > MOST_DIGITS:
        return None
    text = format(rounded, "f")
    return _typed(text.rstrip("0").rstrip(".") if "." in text else text, XSD.decimal)


_ROUNDING = Context(prec=PRECISION, rounding=ROUND_HALF_EVEN, Emin=-(10**6), Emax=10**6, traps=[])


def _float_text(value: float, is_single: bool) -> str:
    """The shortest of the numbers that are this one, as XML Schema writes it: `1.5E2`."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    shortest = repr(value)
    if is_single:
        digits = (f"{value:.{places}e}" for places in range(9))
        shortest = next(text for text in digits if single(float(text)) == value)
    mantissa, _, exponent = f"{Decimal(shortest).normalize(_ROUNDING):e}".partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}E{int(exponent) if value else 0}"


def _typed(text: str, datatype: URIRef) -> Literal:
    return Literal(text, datatype=datatype, normalize=False)

"""SWRL's built-ins on values: comparisons, and computations with numbers.

Results depend on the values of the operands alone: not on how they are written, nor on the machine or the
thread. Comparison and arithmetic are XPath's. A comparison that is not defined for its operands does not
hold, and a computation has no result then: nothing raises.

Source: SWRL, section 8; XQuery and XPath Functions and Operators, section 4.

Comparisons of terms, names among them: what temporal rules mean by `=`, `!=` and `<`.

Literals are compared by their values, names by being the same name. What a built-in of SWRL leaves undefined,
whether a number differs from a string, is settled here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final

from rdflib import Literal, Namespace, URIRef

from pantarhei.model.data_range import Compared
from pantarhei.model.rule import Builtin, Member, Test
from pantarhei.model.term import Term
from pantarhei.values import canonical, numeric
from pantarhei.values.numeric import (
    NumberError,
    Numeric,
    computed,
    half_to_even,
    in_bounds,
    negated,
    promoted,
    to_whole,
)
from pantarhei.values.value import (
    BOOLEAN,
    DATE_TIME,
    DECIMAL,
    DOUBLE,
    DURATION,
    FLOAT,
    FURTHEST_ZONE,
    STRING,
    Key,
    is_ill_typed,
    is_text,
    unpacked,
    value_of,
)

SWRLB: Final = Namespace("http://www.w3.org/2003/11/swrlb#")
EQUAL: Final = SWRLB.equal

_ORDERED = frozenset({STRING, BOOLEAN, DURATION})

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
    with a time zone and one without are compared if they are more than 14 hours apart, durations where all
    lengths of months give one result. Values of one other
    known datatype are equal or not, without an order. Under an unknown datatype one text is equal to itself,
    and two texts are not known to differ. Of all else no comparison holds, `notEqual` included: of names, of
    ill-typed literals, of a number and a string. NaN is different from all numbers, itself included.

    >>> holds(SWRLB.lessThan, Literal(9), Literal("10.0", datatype=DOUBLE))
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
        _, left, right = promoted(first, second)
        return bool(compare(left, right))
    if one[0] != other[0] or is_ill_typed(one):
        return False
    if is_text(one) or is_text(other):
        return compare is operator.eq and one == other
    if one[0] == DATE_TIME:
        return _are_comparable(one, other) and bool(compare(one[2:], other[2:]))
    is_ordered = one[0] in _ORDERED or compare in (operator.eq, operator.ne)
    return is_ordered and bool(compare(one[1], other[1]) if len(one) == 2 else compare(one[1:], other[1:]))


@lru_cache(maxsize=256)  # what a rule compares with is one of the operands again and again
def _key(literal: Literal) -> Key:
    key = value_of(literal)
    assert isinstance(key, tuple)
    return key


def _are_comparable(one: Key, other: Key) -> bool:
    """Whether two times are in an order wherever the one without a time zone, if only one is, was taken."""
    (_, zoned, *instant), (_, also, *other_instant) = one, other
    if (zoned is None) == (also is None):
        return True
    early, late = sorted([_exact_seconds(instant), _exact_seconds(other_instant)])
    return late - early > 60 * FURTHEST_ZONE


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

_NO_DECIMALS: Final = Numeric(numeric.INTEGER, 0)


def compute(name: URIRef, *operands: Term) -> Literal | None:
    """The result of a computation of `COMPUTATIONS`, None where there is none.

    Numbers are computed and rounded as by SPARQL (`pantarhei.values.numeric`) and written in canonical
    form. The datatype depends on the operands' values: whole numbers, also those that are written `2.0`, give
    an xsd:integer, other than by `divide`. `pow` with an exponent that is not whole gives an xsd:double.
    `roundHalfToEven` takes the number of decimals as a second operand, 0 without it.

    There is no result for an operand that is not a number, for exact division by zero, for an `integerDivide`
    without a whole quotient, for a number of operands that the computation does not have, and for results of
    more than `MOST_DIGITS` digits. Costs no more than arithmetic on numbers of some ten thousand digits.

    >>> compute(SWRLB.add, Literal(1), Literal("0.50", datatype=DECIMAL)).n3()
    '"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'
    >>> compute(SWRLB.divide, Literal(1), Literal(0)) is None
    True
    """
    computation = _COMPUTATIONS[name]
    found = [_operand(_key(each)) if isinstance(each, Literal) else None for each in operands]
    given = [each for each in found if each is not None]
    if len(given) != len(found) or len(given) not in computation.arities:
        return None
    try:
        return canonical.number(computation.function(*given))
    except ArithmeticError:
        return None


def _operand(key: Key) -> Numeric | None:
    """Return the number in a key; a whole number is an integer. None if it is not a number."""
    tag, value = key[:2]
    if tag == DECIMAL and isinstance(value, int | Decimal | Fraction):
        return Numeric(numeric.INTEGER if type(value) is int else numeric.DECIMAL, value)
    if isinstance(value, bytes) and tag in (FLOAT, DOUBLE):
        return Numeric(numeric.FLOAT if tag == FLOAT else numeric.DOUBLE, unpacked(value))
    return None


def _half_to_even(number: Numeric, decimals: Numeric = _NO_DECIMALS) -> Numeric:
    if not isinstance(decimals.value, int):
        raise NumberError
    return half_to_even(number, decimals.value)


@dataclass(frozen=True, slots=True)
class _Computation:
    function: Callable[..., Numeric]
    arities: tuple[int, ...]


_SIGNS: Final = {
    SWRLB.add: "+",
    SWRLB.subtract: "-",
    SWRLB.multiply: "*",
    SWRLB.divide: "/",
    SWRLB.integerDivide: "div",
    SWRLB.mod: "mod",
    SWRLB.pow: "pow",
}
_WHOLE: Final = {SWRLB.abs: "ABS", SWRLB.ceiling: "CEIL", SWRLB.floor: "FLOOR", SWRLB.round: "ROUND"}
_COMPUTATIONS: Final[dict[URIRef, _Computation]] = {
    **{name: _Computation(partial(computed, sign), (2,)) for name, sign in _SIGNS.items()},
    **{name: _Computation(partial(to_whole, how), (1,)) for name, how in _WHOLE.items()},
    SWRLB.unaryMinus: _Computation(negated, (1,)),
    SWRLB.unaryPlus: _Computation(in_bounds, (1,)),
    SWRLB.roundHalfToEven: _Computation(_half_to_even, (1, 2)),
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


NOT_EQUAL: Final = SWRLB.notEqual
_NUMBERS: Final = frozenset({DECIMAL, FLOAT, DOUBLE})


def is_true(name: URIRef, left: Term, right: Term) -> bool:
    """Whether a comparison is true of two terms.

    Two names are equal if they are the same name; a name and a literal are never equal; neither has an order.
    Two literals are compared as `holds` has it, and values of different known kinds, a number and a string
    say, differ. Of ill-typed literals nothing is true, and under an unknown datatype nothing is known to
    differ.

    >>> is_true(NOT_EQUAL, Literal(7), Literal("abc")), is_true(NOT_EQUAL, URIRef("a"), Literal(7))
    (True, True)
    >>> is_true(EQUAL, URIRef("a"), URIRef("a")), is_true(SWRLB.lessThan, URIRef("a"), URIRef("b"))
    (True, False)
    """
    if isinstance(left, Literal) and isinstance(right, Literal):
        return holds(name, left, right) or (name == NOT_EQUAL and _are_apart(left, right))
    return name == (EQUAL if left == right else NOT_EQUAL)


def _are_apart(left: Literal, right: Literal) -> bool:
    """Whether two literals have values of different known kinds."""
    keys = [value_of(left), value_of(right)]
    kinds = {_kind(key) for key in keys if isinstance(key, tuple)}
    return len(kinds) == 2 and None not in kinds


def _kind(key: Key) -> object:
    """What values are compared with each other; None where that is not known."""
    if is_ill_typed(key) or is_text(key):
        return None
    return DECIMAL if key[0] in _NUMBERS else key[0]

"""Table of the scalar functions that rules and queries share, with SWRL's built-ins.

`COMPARISONS` and `COMPUTATIONS` list the functions by their SWRL name, `SIGNED` the computations by their
SPARQL sign. SWRL rules and temporal rules evaluate terms by `holds`, `is_true` and `compute`; SPARQL
expressions evaluate the same functions by term, by column and by compiled row (`query/expressions`,
`query/incremental`).

Results depend only on the values of the operands, not on their lexical forms, the machine or the thread.
Comparison and arithmetic are XPath's. In rules, a comparison that is undefined for its operands is false, and
an undefined computation has no result; neither raises an error.

Source: SWRL, section 8; XQuery and XPath Functions and Operators, section 4.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from rdflib import Literal, Namespace, URIRef

from pantarhei.model.data_range import Compared
from pantarhei.model.rule import Builtin, Member, Test
from pantarhei.model.temporal_rule import RELATIONS
from pantarhei.model.term import Term
from pantarhei.values import canonical, numeric
from pantarhei.values.numeric import (
    NumberError,
    Numeric,
    arithmetic,
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
    literal_key,
    unpacked,
)

SWRLB: Final = Namespace("http://www.w3.org/2003/11/swrlb#")
EQUAL: Final = SWRLB.equal
NOT_EQUAL: Final = SWRLB.notEqual

# -- the table -------------------------------------------------------------------------------------

Comparator = Callable[[Any, Any], Any]
OPERATORS: Final[dict[str, Comparator]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""Comparisons by their sign in SPARQL and in temporal rules."""
COMPARISONS: Final = {SWRLB[name]: OPERATORS[sign] for name, sign in RELATIONS.items()}
_SWAPPED_SIGNS: Final = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BY_SIGN: Final = {sign: SWRLB[name] for name, sign in RELATIONS.items()}
_SWAPPED: Final = {SWRLB[name]: _BY_SIGN[_SWAPPED_SIGNS[sign]] for name, sign in RELATIONS.items()}


class NumberFunction(NamedTuple):
    """Function of numbers.

    Args:
        function: computes a `Numeric` from `Numeric`s; raises ArithmeticError if there is no result.
        arities: possible numbers of operands.
    """

    function: Callable[..., Numeric]
    arities: tuple[int, ...]


_NO_DECIMALS: Final = Numeric(numeric.INTEGER, 0)


def _half_to_even(number: Numeric, decimals: Numeric = _NO_DECIMALS) -> Numeric:
    if not isinstance(decimals.value, int):
        raise NumberError
    return half_to_even(number, decimals.value)


_TABLE: Final[tuple[tuple[str, str | None, NumberFunction], ...]] = (
    # SWRL's name, SPARQL's sign or keyword, function
    ("add", "+", NumberFunction(arithmetic("+"), (2,))),
    ("subtract", "-", NumberFunction(arithmetic("-"), (2,))),
    ("multiply", "*", NumberFunction(arithmetic("*"), (2,))),
    ("divide", "/", NumberFunction(arithmetic("/"), (2,))),
    ("integerDivide", None, NumberFunction(arithmetic("div"), (2,))),
    ("mod", None, NumberFunction(arithmetic("mod"), (2,))),
    ("pow", None, NumberFunction(arithmetic("pow"), (2,))),
    ("abs", "ABS", NumberFunction(partial(to_whole, "ABS"), (1,))),
    ("ceiling", "CEIL", NumberFunction(partial(to_whole, "CEIL"), (1,))),
    ("floor", "FLOOR", NumberFunction(partial(to_whole, "FLOOR"), (1,))),
    ("round", "ROUND", NumberFunction(partial(to_whole, "ROUND"), (1,))),
    ("roundHalfToEven", None, NumberFunction(_half_to_even, (1, 2))),
    ("unaryMinus", "neg", NumberFunction(negated, (1,))),
    ("unaryPlus", None, NumberFunction(in_bounds, (1,))),
)
COMPUTATIONS: Final = {SWRLB[name]: function for name, _, function in _TABLE}
SIGNED: Final = {sign: function.function for _, sign, function in _TABLE if sign is not None}


def arities(name: URIRef) -> tuple[int, ...]:
    """Return the possible numbers of arguments of a built-in, including its result; the empty tuple for an
    unknown built-in.

    >>> arities(SWRLB.abs), arities(SWRLB.add), arities(SWRLB.lessThan), arities(SWRLB.tomorrow)
    ((2,), (3,), (2,), ())
    """
    if name in COMPARISONS:
        return (2,)
    computation = COMPUTATIONS.get(name)
    return tuple(operands + 1 for operands in computation.arities) if computation else ()


def is_computation(test: Test) -> bool:
    """Return whether a test is a computation, which binds its first argument to a result computed from the
    other arguments.
    """
    return isinstance(test, Builtin) and test.name in COMPUTATIONS


# -- comparisons -----------------------------------------------------------------------------------

_ORDERED = frozenset({STRING, BOOLEAN, DURATION})
_NUMBERS: Final = frozenset({DECIMAL, FLOAT, DOUBLE})


def is_true(name: URIRef, left: Term, right: Term) -> bool:
    """Evaluate a comparison of two terms by the definition of temporal rules, which includes names.

    Two names are equal if they are identical; a name and a literal are never equal; names are unordered. Two
    literals are compared by `holds`; in addition, values of different known value spaces, such as a number
    and a string, are not equal. Comparisons with ill-typed literals are false, and two literals of an unknown
    datatype are not known to differ.

    >>> is_true(NOT_EQUAL, Literal(7), Literal("abc")), is_true(NOT_EQUAL, URIRef("a"), Literal(7))
    (True, True)
    >>> is_true(EQUAL, URIRef("a"), URIRef("a")), is_true(SWRLB.lessThan, URIRef("a"), URIRef("b"))
    (True, False)
    """
    if isinstance(left, Literal) and isinstance(right, Literal):
        return holds(name, left, right) or (name == NOT_EQUAL and _have_distinct_spaces(left, right))
    return name == (EQUAL if left == right else NOT_EQUAL)


def _have_distinct_spaces(left: Literal, right: Literal) -> bool:
    """Return whether two literals have values in different known value spaces."""
    spaces = {_comparable_space(_key(literal)) for literal in (left, right)}
    return len(spaces) == 2 and None not in spaces


def _comparable_space(key: Key) -> object:
    """Return an identifier of the set of values with which a value is comparable; None if the set is
    unknown.
    """
    if is_ill_typed(key) or is_text(key):
        return None
    return DECIMAL if key[0] in _NUMBERS else key[0]


def holds(name: URIRef, left: Term, right: Term) -> bool:
    """Evaluate a comparison of `COMPARISONS` on two literals.

    Numbers of all datatypes are compared with each other; a decimal is compared with an xsd:double or
    xsd:float in the precision of the latter. Strings are compared by code points, booleans with false first,
    times by their instant. A time with a time zone and a time without one are comparable if they are more
    than 14 hours apart; durations if all lengths of months give the same result. Values of another known
    datatype are equal or different, but unordered. Literals of an unknown datatype are equal if their texts
    are, and not known to differ otherwise. Every other comparison is false, including `notEqual`: of names,
    of ill-typed literals, of a number and a string. NaN differs from all numbers, including itself.

    >>> holds(SWRLB.lessThan, Literal(9), Literal("10.0", datatype=DOUBLE))
    True
    >>> holds(SWRLB.notEqual, Literal("a"), Literal(1))
    False
    """
    if not isinstance(left, Literal) or not isinstance(right, Literal):
        return False
    return holds_of(name, _key(left), _key(right))


def holds_of(name: URIRef, one: Key, other: Key) -> bool:
    """Evaluate a comparison on the keys of two values, as `holds` does."""
    compare = COMPARISONS[name]
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


_key = lru_cache(maxsize=256)(literal_key)  # rules compare the same operands repeatedly


def _are_comparable(one: Key, other: Key) -> bool:
    """Return whether the order of two times does not depend on the time zone of a time without one."""
    (_, zoned, *instant), (_, other_zoned, *other_instant) = one, other
    if (zoned is None) == (other_zoned is None):
        return True
    early, late = sorted([_exact_seconds(instant), _exact_seconds(other_instant)])
    return late - early > 60 * FURTHEST_ZONE


def _exact_seconds(instant: list[Any]) -> Fraction:
    seconds, fraction = instant
    return Fraction(seconds) + Fraction(fraction)


def as_member(test: Test) -> Test:
    """Rewrite a comparison with one constant as the membership of the other operand in a data range.

    Other tests are returned unchanged.

    >>> from rdflib import Variable
    >>> print(as_member(Builtin(SWRLB.lessThan, (Literal(80), Variable("v")))))
    ?v ∈ Compared(greaterThan "80"^^<http://www.w3.org/2001/XMLSchema#integer>)
    """
    if not isinstance(test, Builtin) or test.name not in COMPARISONS:
        return test
    left, right = test.arguments
    if isinstance(right, Literal) and not isinstance(left, Literal):
        return Member(left, Compared(test.name, right))
    if isinstance(left, Literal) and not isinstance(right, Literal):
        return Member(right, Compared(_SWAPPED[test.name], left))
    return test


# -- computations ----------------------------------------------------------------------------------


def compute(name: URIRef, *operands: Term) -> Literal | None:
    """Compute a function of `COMPUTATIONS`; None if it has no result.

    Numbers are computed and rounded as in SPARQL (`pantarhei.values.numeric`); the result has canonical form.
    The datatype of the result depends on the values of the operands: whole numbers, also in the form `2.0`,
    give an xsd:integer, except for `divide`. `pow` with an exponent that is not whole gives an xsd:double.
    The second operand of `roundHalfToEven` is the number of decimals, by default 0.

    There is no result if an operand is not a number, for an exact division by zero, for an `integerDivide`
    without a whole quotient, for a wrong number of operands, and if the result has more than `MAX_DIGITS`
    digits. Numbers in computations have at most some ten thousand digits.

    >>> compute(SWRLB.add, Literal(1), Literal("0.50", datatype=DECIMAL)).n3()
    '"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'
    >>> compute(SWRLB.divide, Literal(1), Literal(0)) is None
    True
    """
    function, possible = COMPUTATIONS[name]
    found = [_operand(_key(each)) if isinstance(each, Literal) else None for each in operands]
    numbers = [each for each in found if each is not None]
    if len(numbers) != len(found) or len(numbers) not in possible:
        return None
    try:
        return canonical.number(function(*numbers))
    except ArithmeticError:
        return None


def _operand(key: Key) -> Numeric | None:
    """Return the number in a key, a whole number as an integer; None if the key does not belong to a
    number.
    """
    tag, value = key[:2]
    if tag == DECIMAL and isinstance(value, int | Decimal | Fraction):
        return Numeric(numeric.INTEGER if type(value) is int else numeric.DECIMAL, value)
    if isinstance(value, bytes) and tag in (FLOAT, DOUBLE):
        return Numeric(numeric.FLOAT if tag == FLOAT else numeric.DOUBLE, unpacked(value))
    return None

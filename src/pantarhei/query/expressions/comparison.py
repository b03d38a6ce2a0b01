"""Comparisons `=`, `!=`, `<`, `>`, `<=` and `>=`, and the total order of ORDER BY, MIN and MAX.

Numbers are compared by value after promotion, strings by code points, booleans with false first, dateTimes,
dates and times of day by their instant, durations by their length if all lengths of months give the same
result. A time with a time zone and a time without one are comparable if they are more than 14 hours apart.
Other literals are equal if they have the same value. Unequal terms differ if one of them is an IRI or a blank
node, or if both values are known. All other comparisons are errors.

ORDER BY extends `<` to a total order: first unbound variables and errors; then blank nodes, which are all
equal; then IRIs by code points; then literals. The order of literals is: numbers by exact value, with NaN
first; strings by code points; strings with a language tag by text, then by tag; booleans; xsd:dateTimes by
instant, where a time without a time zone counts as UTC; durations by mean length; other literals by datatype,
then by text.

Source: SPARQL 1.1, section 17.3 and 17.4.1.7.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rdflib import BNode, Literal

from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.expression_columns import (
    ERROR,
    Column,
    IdColumn,
    Truth,
    common_size,
    distinct,
    distinct_rows,
    logical_not,
    results_of,
    rows_of,
    spread_ids,
)
from pantarhei.query.expressions.kinds import NUMBER_SPACE, SPACE, TIME_SPACE
from pantarhei.query.expressions.literal_values import ValueArrays
from pantarhei.query.expressions.scalars import Duration, ExpressionError, Time, Value, is_known, scalar_of
from pantarhei.query.solutions import Ids, Indexes, Mask
from pantarhei.values.numeric import Numeric, as_decimal, promoted
from pantarhei.values.scalar_functions import OPERATORS, Comparator
from pantarhei.values.value import DATE_TIME, FURTHEST_ZONE
from pantarhei.values.value import value_of as key_of

ORDERS: Final = {sign: OPERATORS[sign] for sign in ("<", ">", "<=", ">=")}
_FURTHEST_ZONES = 60 * FURTHEST_ZONE  # seconds
_MICROSECONDS = 1_000_000
_RELATIVE_MARGIN = 1e-12  # relative difference that surely exceeds the rounding error of a long number


# -- by column ---------------------------------------------------------------------------------------

# Kinds of the same group are compared by their numbers, except in group 0.
_GROUP = kinds.numbers_by_kind(
    {
        **dict.fromkeys((kinds.INTEGER, kinds.DECIMAL, kinds.FLOAT, kinds.DOUBLE), 1),
        kinds.BOOLEAN: 2,
        kinds.ZONED: 3,
        kinds.UNZONED: 4,
    }
)


def order(name: str, left: Column, right: Column, context: Context) -> Truth:
    """Evaluate `<`, `>`, `<=` or `>=` for each row."""
    compare = ORDERS[name]
    truth, rest = _by_numbers(compare, left, right)
    if len(rest):
        one, other = left.kinds[rows_of(left, rest)], right.kinds[rows_of(right, rest)]
        rest = rest[(SPACE[one] == SPACE[other]) & (SPACE[one] > 0)]
        truth[rest] = _by_term(lambda a, b: is_ordered(compare, a, b), left, right, rest, context)
    return truth


def equality(left: Column, right: Column, context: Context) -> Truth:
    """Evaluate `=` for each row."""
    truth, rest = _by_numbers(operator.eq, left, right)
    if len(rest):
        truth[rest] = _equality_by_kind(left, right, rest, context)
    return truth


def inequality(left: Column, right: Column, context: Context) -> Truth:
    """Evaluate `!=` for each row."""
    return logical_not(equality(left, right, context))


def _by_numbers(compare: Comparator, left: Column, right: Column) -> tuple[Truth, Indexes]:
    """Compare the numbers of `ValueArrays`; returns the truth values, and the indexes of the rows that
    numbers do not decide, which have errors.
    """
    one, other = left.kinds, right.kinds
    groups = _GROUP[one]
    decided = (groups == _GROUP[other]) & (groups > 0)
    if _contains(one, kinds.FLOAT) or _contains(other, kinds.FLOAT):
        decided &= ~(_is_promoted_to_float(one, other) | _is_promoted_to_float(other, one))
    with np.errstate(invalid="ignore"):
        truth = np.asarray(compare(left.numbers, right.numbers)).astype(np.int8)
    if decided.all():
        return truth, np.empty(0, np.intp)
    truth[~decided] = ERROR
    decided |= _compare_approximately(compare, left, right, truth)
    return truth, np.flatnonzero(~decided)


def _contains(column: kinds.Kinds, kind: int) -> bool:
    return bool((column == kind).any())


def _is_promoted_to_float(one: kinds.Kinds, other: kinds.Kinds) -> Mask:
    """Return a mask of the rows in which an exact number is compared with an xsd:float, and so rounded
    first.
    """
    found: Mask = (one == kinds.FLOAT) & kinds.IS_EXACT[other]
    return found


def _compare_approximately(compare: Comparator, left: Column, right: Column, truth: Truth) -> Mask:
    """Compare long numbers, and times with and without a time zone, if they are far enough apart. Writes the
    results to `truth`; returns a mask of these rows.
    """
    one, other = left.kinds, right.kinds
    have_number = (one >= kinds.FIRST_NUMBER) & (other >= kinds.FIRST_NUMBER)
    # an xsd:float has too few digits for this comparison
    have_number &= (one != kinds.FLOAT) & (other != kinds.FLOAT)
    mixed_times = (np.minimum(one, other) == kinds.ZONED) & (np.maximum(one, other) == kinds.UNZONED)
    far = (kinds.IS_LONG[one] | kinds.IS_LONG[other]) & have_number
    if not far.any() and not mixed_times.any():
        return far
    first, second = left.numbers, right.numbers
    with np.errstate(invalid="ignore"):
        apart = np.abs(first - second)
        margin = _RELATIVE_MARGIN * np.maximum(np.abs(first), np.abs(second))
        least = np.where(mixed_times, _FURTHEST_ZONES * _MICROSECONDS, margin)
        decided: Mask = (far | mixed_times) & (apart > least) & np.isfinite(apart)
        truth[decided] = np.broadcast_to(compare(first, second), decided.shape)[decided]
    return decided


def _equality_by_kind(left: Column, right: Column, rows: Indexes, context: Context) -> Truth:
    """Evaluate `=` for the rows that numbers do not decide."""
    one, other = left.kinds[rows_of(left, rows)], right.kinds[rows_of(right, rows)]
    bound = (one != kinds.NOTHING) & (other != kinds.NOTHING)
    has_name = (one == kinds.NAME) | (other == kinds.NAME)
    are_known = bound & (has_name | (_IS_KNOWN[one] & _IS_KNOWN[other]))
    truth = np.where(are_known, 0, ERROR).astype(np.int8)
    by_term = (SPACE[one] == SPACE[other]) & ((SPACE[one] == NUMBER_SPACE) | (SPACE[one] == TIME_SPACE))
    if isinstance(left, IdColumn) and isinstance(right, IdColumn):
        first, second = left.ids[rows_of(left, rows)], right.ids[rows_of(right, rows)]
        have_one_value = context.terms.values(first) == context.terms.values(second)
        truth[bound & np.where(has_name, first == second, have_one_value)] = 1
    else:
        by_term |= bound & ((one == kinds.KNOWN) | (other == kinds.KNOWN))
    truth[by_term] = _by_term(is_equal, left, right, rows[by_term], context)
    return truth


_IS_KNOWN: Final = kinds.mask_by_kind(
    kinds.STRING,
    kinds.LANG_STRING,
    kinds.BOOLEAN,
    kinds.ZONED,
    kinds.UNZONED,
    kinds.TEMPORAL,
    kinds.KNOWN,
    *kinds.NUMBERS,
)


def _by_term(
    function: Callable[[Term, Term], bool], left: Column, right: Column, rows: Indexes, context: Context
) -> Truth:
    """Evaluate a function of two terms at row indexes; it is called once for each distinct pair if the
    columns have term numbers.
    """
    if not len(rows):
        return np.empty(0, np.int8)
    codes: Indexes = np.arange(len(rows))
    if isinstance(left, IdColumn) and isinstance(right, IdColumn):
        size = common_size((left, right))
        chosen, codes = distinct_rows([spread_ids(column, size)[rows] for column in (left, right)])
        rows = rows[chosen]
    results = results_of(function, [left.at(rows), right.at(rows)], context)
    return np.array([ERROR if result is None else result for result in results], np.int8)[codes]


# -- single terms ------------------------------------------------------------------------------------


def is_equal(left: Term, right: Term) -> bool:
    """Evaluate `=` on two terms.

    Raises:
        ExpressionError: it is unknown whether the terms are equal.

    >>> is_equal(Literal(1), Literal(1.0))
    True
    """
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return left == right
    one, other = scalar_of(left), scalar_of(right)
    for sort in (Numeric, Time, Duration):
        if isinstance(one, sort) and isinstance(other, sort):
            return _holds(operator.eq, one, other)
    if key_of(left) == key_of(right):
        return True
    if not (_has_known_value(left, one) and _has_known_value(right, other)):
        raise ExpressionError
    return False


def _has_known_value(literal: Literal, value: Value | None) -> bool:
    return value is not None or is_known(literal)


def is_ordered(compare: Comparator, left: Term, right: Term) -> bool:
    """Evaluate an order comparison on two terms.

    Raises:
        ExpressionError: the terms are not comparable.
    """
    one = scalar_of(left) if isinstance(left, Literal) else None
    other = scalar_of(right) if isinstance(right, Literal) else None
    if one is None or other is None or type(one) is not type(other):
        raise ExpressionError
    return _holds(compare, one, other)


def _holds(compare: Comparator, one: Value, other: Value) -> bool:
    if isinstance(one, Numeric) and isinstance(other, Numeric):
        _, first, second = promoted(one, other)
        return bool(compare(first, second))
    if isinstance(one, Time) and isinstance(other, Time):
        return _holds_of_times(compare, one, other)
    if isinstance(one, Duration) and isinstance(other, Duration):
        return _holds_of_durations(compare, one, other)
    return bool(compare(one, other))


def _holds_of_times(compare: Comparator, one: Time, other: Time) -> bool:
    if one.datatype != other.datatype:
        if compare is operator.eq:
            return False
        raise ExpressionError
    if one.zoned != other.zoned and abs(one.seconds - other.seconds) <= _FURTHEST_ZONES:
        raise ExpressionError
    return bool(compare(one.seconds, other.seconds))


def _holds_of_durations(compare: Comparator, one: Duration, other: Duration) -> bool:
    if compare is operator.eq:
        return one.period == other.period
    if not one.period.is_comparable(other.period):
        raise ExpressionError
    return bool(compare(one.period, other.period))


# -- the order of ORDER BY, MIN and MAX -------------------------------------------------------------------

Ranks = npt.NDArray[Any]
"""Numbers in the order of the terms; equal terms have equal numbers."""

_Key = tuple[int | float | str | Decimal | Fraction | bool, ...]


def ranks(column: Column, context: Context) -> Ranks:
    """Return the rank of each value of a column in the order of ORDER BY; equal terms have equal ranks."""
    if have_numeric_order(column):
        return column.numbers
    terms, indexes = distinct(column.ids)
    return ranks_of_terms(terms, context)[indexes]


def have_numeric_order(values: Column | ValueArrays) -> bool:
    """Return whether the numbers of `ValueArrays` have the order of the terms, which excludes long numbers
    and NaN.
    """
    found = set(np.unique(values.kinds).tolist())
    if found <= {kinds.INTEGER, kinds.DECIMAL}:
        return True
    if found <= {kinds.FLOAT, kinds.DOUBLE, kinds.INTEGER}:
        return not np.isnan(values.numbers).any()
    return found == {kinds.BOOLEAN} or found <= {kinds.ZONED, kinds.UNZONED}


# Order of kinds. Blank nodes and IRIs, and dateTimes and dates, are distinguished by the terms.
_ORDER_CLASSES = (
    (kinds.NOTHING,),
    (kinds.NAME,),
    kinds.NUMBERS,
    (kinds.STRING,),
    (kinds.LANG_STRING,),
    (kinds.BOOLEAN,),
    (kinds.ZONED, kinds.UNZONED),
    (kinds.ILL_TYPED, kinds.OTHER, kinds.KNOWN),
)
_ORDER_CLASS = kinds.numbers_by_kind({k: i for i, members in enumerate(_ORDER_CLASSES) for k in members})
_TIMES, _LAST = 6, 7


def ranks_of_terms(terms: Ids, context: Context) -> npt.NDArray[np.int64]:
    """Return the ranks of distinct terms in the order of ORDER BY; terms that are equal in this order have
    equal ranks.
    """
    values = context.values(terms)
    classes = _ORDER_CLASS[values.kinds]
    are_temporal = values.kinds == kinds.TEMPORAL
    if are_temporal.any():
        classes[are_temporal | (classes == _TIMES)] = _LAST
    ranks = np.empty(len(terms), np.int64)
    start = 0
    for each in np.unique(classes).tolist():
        members = np.flatnonzero(classes == each)
        chosen = ValueArrays(values.kinds[members], values.numbers[members], values.scales[members])
        within = _ranks_within(chosen, terms[members], context)
        ranks[members] = start + within
        start += len(members)
    return ranks


def _ranks_within(values: ValueArrays, terms: Ids, context: Context) -> npt.NDArray[np.intp]:
    """Return the ranks of distinct terms of one class of `_ORDER_CLASSES`."""
    if have_numeric_order(values):
        return np.unique(values.numbers, return_inverse=True)[1]
    if values.kinds[0] >= kinds.FIRST_NUMBER:
        return _ranks_of_numbers(values, terms, context)
    known = context.terms_of(terms)
    if values.kinds[0] == kinds.STRING:
        return _dense(list(map(str, known)))
    return _dense(list(map(order_key, known)))


def _ranks_of_numbers(values: ValueArrays, terms: Ids, context: Context) -> npt.NDArray[np.intp]:
    """Return the ranks of numbers of several types. Rounding to float64 preserves their order, so only
    numbers with the same float64 are compared exactly.
    """
    rounded, indexes, counts = np.unique(values.numbers, return_inverse=True, return_counts=True)
    if np.isnan(rounded[-1]):  # numpy sorts NaN last
        indexes, counts = (indexes + 1) % len(rounded), np.roll(counts, 1)
    shared = np.flatnonzero(counts[indexes] > 1)
    exact = np.zeros(len(terms), np.int64)
    exact[shared] = _dense(list(map(order_key, context.terms_of(terms[shared]))))
    found: npt.NDArray[np.intp] = np.unique(indexes * (len(shared) + 1) + exact, return_inverse=True)[1]
    return found


def _dense(keys: Sequence[Any]) -> npt.NDArray[np.intp]:
    """Return the ranks of keys, without gaps; equal keys have equal ranks."""
    indexes = {key: index for index, key in enumerate(sorted(set(keys)))}
    return np.array([indexes[key] for key in keys], np.intp)


def order_key(term: Term | None) -> _Key:
    """Return the sort key of a term; None is an unbound variable or an error.

    >>> order_key(BNode("z")) < order_key(Literal(-5)) < order_key(Literal(1.5)) < order_key(Literal(""))
    True
    """
    if term is None:
        return (0,)
    if not isinstance(term, Literal):
        return (1,) if isinstance(term, BNode) else (2, str(term))
    if term.language is not None:
        return (3, _IN_LANGUAGE, str(term), term.language.lower())
    value = scalar_of(term)
    if isinstance(value, bool):
        return (3, _BOOLEAN, value)
    if isinstance(value, str):
        return (3, _STRING, value)
    if isinstance(value, Numeric):
        number = value.value
        if isinstance(number, float) and not math.isfinite(number):
            return (3, _NUMBER, not math.isnan(number), 0 if math.isnan(number) else number)
        return (3, _NUMBER, True, as_decimal(number))
    if isinstance(value, Time) and value.datatype == DATE_TIME:
        return (3, _TIME, value.seconds)
    if isinstance(value, Duration):
        return (3, _DURATION, *value.period.sort_key())
    return (3, _REST, str(term.datatype), str(term))


_NUMBER, _STRING, _IN_LANGUAGE, _BOOLEAN, _TIME, _DURATION, _REST = range(7)

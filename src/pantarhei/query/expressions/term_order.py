"""The order of ORDER BY, of MIN and MAX: total over all terms, and that of `<` where this is defined.

Unbound and errors come first, then blank nodes, all alike, then IRIs by code points, then literals: numbers
by their exact value, NaN before all; strings by code points; strings with a language by text, then by
language; booleans; xsd:dateTimes by instant, those without a time zone as if they were in Greenwich;
durations by their mean length; the rest by datatype, then by text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from rdflib import BNode, Literal

from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import OrderKey
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.evaluator import values as values_of
from pantarhei.query.expressions.literal_values import Values
from pantarhei.query.expressions.scalars import Duration, Time, value_of
from pantarhei.query.expressions.value_columns import Column, distinct, spread
from pantarhei.query.solutions import Ids, Places, Table
from pantarhei.values.numeric import Numeric, as_decimal
from pantarhei.values.value import DATE_TIME

Ranks = npt.NDArray[Any]
"""Numbers in the order of what they stand for; what is alike has one."""

_Key = tuple[int | float | str | Decimal | Fraction | bool, ...]


def order(keys: Sequence[OrderKey], table: Table, context: Context) -> Places:
    """The rows in order; those that are alike stay in theirs."""
    ranks = [_ranks_of(key, table, context) for key in keys]
    return _sorted(ranks) if ranks else np.arange(len(table))


def least(keys: Sequence[OrderKey], table: Table, context: Context, most: int) -> Places:
    """The first `most` rows of `order`."""
    if most >= len(table) or not keys:
        return order(keys, table, context)[:most]
    ranks = [_ranks_of(key, table, context) for key in keys]
    if not most:
        return np.empty(0, np.intp)
    bound = np.partition(ranks[0], most - 1)[most - 1]
    candidates = np.flatnonzero(ranks[0] <= bound)
    return candidates[_sorted([each[candidates] for each in ranks])[:most]]


def _sorted(ranks: Sequence[Ranks]) -> Places:
    if len(ranks) == 1:
        return np.argsort(ranks[0], kind="stable")
    return np.lexsort(tuple(reversed(ranks)))


def _ranks_of(key: OrderKey, table: Table, context: Context) -> Ranks:
    column = values_of(key.expression, table, context)
    ranks = spread(_ranks(column, context), len(table))
    return np.negative(ranks) if key.descending else ranks


def _ranks(column: Column, context: Context) -> Ranks:
    if say_their_order(column):
        return column.numbers
    terms, places = distinct(column.ids)
    return ranks_of_terms(terms, context)[places]


def say_their_order(values: Column | Values) -> bool:
    """Whether numbers say the order: those that float64 tells apart, booleans, or near xsd:dateTimes."""
    found = set(np.unique(values.kinds).tolist())
    if found <= {kinds.INTEGER, kinds.DECIMAL}:
        return True
    if found <= {kinds.FLOAT, kinds.DOUBLE, kinds.INTEGER}:
        return not np.isnan(values.numbers).any()
    return found == {kinds.BOOLEAN} or found <= {kinds.ZONED, kinds.UNZONED}


# The order of kinds. Blank nodes and IRIs are told apart by the terms, dateTimes and dates likewise.
_CLASS = np.zeros(32, np.int8)
for _place, _kinds in enumerate(
    (
        (kinds.NOTHING,),
        (kinds.NAME,),
        kinds.NUMBERS,
        (kinds.STRING,),
        (kinds.LANG_STRING,),
        (kinds.BOOLEAN,),
        (kinds.ZONED, kinds.UNZONED),
        (kinds.ILL_TYPED, kinds.OTHER, kinds.KNOWN),
    )
):
    _CLASS[list(_kinds)] = _place
_TIMES, _LAST = 6, 7


def ranks_of_terms(terms: Ids, context: Context) -> npt.NDArray[np.int64]:
    """The places of different terms in the order, those that are alike having one."""
    values = context.values(terms)
    classes = _CLASS[values.kinds]
    are_temporal = values.kinds == kinds.TEMPORAL
    if are_temporal.any():
        classes[are_temporal | (classes == _TIMES)] = _LAST
    ranks = np.empty(len(terms), np.int64)
    start = 0
    for each in np.unique(classes).tolist():
        members = np.flatnonzero(classes == each)
        chosen = Values(values.kinds[members], values.numbers[members], values.scales[members])
        within = _ranks_within(chosen, terms[members], context)
        ranks[members] = start + within
        start += len(members)
    return ranks


def _ranks_within(values: Values, terms: Ids, context: Context) -> npt.NDArray[np.intp]:
    """The places of different terms of one class."""
    if say_their_order(values):
        return np.unique(values.numbers, return_inverse=True)[1]
    if values.kinds[0] >= kinds.FIRST_NUMBER:
        return _ranks_of_numbers(values, terms, context)
    known = context.terms_of(terms)
    if values.kinds[0] == kinds.STRING:
        return _dense(list(map(str, known)))
    return _dense(list(map(order_key, known)))


def _ranks_of_numbers(values: Values, terms: Ids, context: Context) -> npt.NDArray[np.intp]:
    """The places of numbers of several types: rounding keeps their order, so those that round to one float64
    alone are compared exactly.
    """
    rounded, places, counts = np.unique(values.numbers, return_inverse=True, return_counts=True)
    if np.isnan(rounded[-1]):  # numpy has NaN as the greatest
        places, counts = (places + 1) % len(rounded), np.roll(counts, 1)
    shared = np.flatnonzero(counts[places] > 1)
    exact = np.zeros(len(terms), np.int64)
    exact[shared] = _dense(list(map(order_key, context.terms_of(terms[shared]))))
    found: npt.NDArray[np.intp] = np.unique(places * (len(shared) + 1) + exact, return_inverse=True)[1]
    return found


def _dense(keys: Sequence[Any]) -> npt.NDArray[np.intp]:
    """The places of keys among the different ones."""
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    return np.array([places[key] for key in keys], np.intp)


def order_key(term: Term | None) -> _Key:
    """What a term is ordered by.

    >>> order_key(BNode("z")) < order_key(Literal(-5)) < order_key(Literal(1.5)) < order_key(Literal(""))
    True
    """
    if term is None:
        return (0,)
    if not isinstance(term, Literal):
        return (1,) if isinstance(term, BNode) else (2, str(term))
    if term.language is not None:
        return (3, _IN_LANGUAGE, str(term), term.language.lower())
    value = value_of(term)
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
        return (3, _DURATION, *value.period.place())
    return (3, _REST, str(term.datatype), str(term))


_NUMBER, _STRING, _IN_LANGUAGE, _BOOLEAN, _TIME, _DURATION, _REST = range(7)

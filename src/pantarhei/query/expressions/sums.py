"""Exact sums of numbers by group, whatever order they come in.

Integers and decimals are summed as whole numbers of their last decimal, xsd:doubles and xsd:floats without
rounding before the end (Shewchuk's algorithm, `math.fsum`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.bulk import Floats, are_ties, to_singles
from pantarhei.query.expressions.columns import Column
from pantarhei.query.expressions.kinds import PROMOTION
from pantarhei.query.expressions.values import number_of
from pantarhei.query.solutions import Places
from pantarhei.values import canonical
from pantarhei.values.numeric import EXACT, Numeric, as_decimal, rounded, to_double, to_single
from pantarhei.values.numeric import divided as quotient

_LARGEST_SUM = 2.0**62  # that int64 surely holds
_ZERO = Numeric(kinds.INTEGER, 0)


def sums(column: Column, groups: Places, count: int) -> list[Literal | None]:
    """The sum of each group's numbers; None where one is no number.

    Args:
        groups: the number of each row's group.
        count: how many groups there are.
    """
    return [written(total) for total in _totals(column, groups, count)]


def averages(column: Column, groups: Places, count: int) -> list[Literal | None]:
    """The average of each group's numbers: their sum divided by their count; 0 of none.

    Args: as of `sums`.
    """
    sizes = np.bincount(groups, minlength=count).tolist()
    totals = _totals(column, groups, count)
    return [written(divided(total, size)) for total, size in zip(totals, sizes, strict=True)]


def written(total: Numeric | None) -> Literal | None:
    try:
        return None if total is None else canonical.number(total)
    except ArithmeticError:  # it is too large
        return None


def divided(total: Numeric | None, size: int) -> Numeric | None:
    if total is None or not size:
        return total
    type_, value = total
    if isinstance(value, float):
        mean = value / size
        return Numeric(type_, to_single(mean) if type_ == kinds.FLOAT else mean)
    try:
        return Numeric(kinds.DECIMAL, quotient(value, size))
    except ArithmeticError:
        return None


def _totals(column: Column, groups: Places, count: int) -> list[Numeric | None]:
    promotion = PROMOTION[column.kinds]
    types = np.zeros(count, np.int8)
    np.maximum.at(types, groups, promotion)
    found: list[Numeric | None] = [_ZERO] * count
    are_numbers = column.kinds >= kinds.FIRST_NUMBER
    are_exact = types[groups] < 2
    exact, inexact = np.flatnonzero(are_numbers & are_exact), np.flatnonzero(are_numbers & ~are_exact)
    if len(exact):
        _sum_exact(column.taken(exact), groups[exact], types, found)
    if len(inexact):
        _sum_floats(column.taken(inexact), groups[inexact], types, found)
    for group in np.unique(groups[~are_numbers]).tolist():
        found[group] = None
    return found


# -- integers and decimals ---------------------------------------------------------------------------


def _sum_exact(column: Column, groups: Places, types: kinds.Kinds, found: list[Numeric | None]) -> None:
    scale = int(column.scales.max())
    largest = float(np.abs(column.numbers).max()) * 10.0**scale
    there = np.flatnonzero(np.bincount(groups, minlength=len(types))).tolist()
    totals: Sequence[int | Decimal]
    if kinds.IS_LONG[column.kinds].any() or largest * len(groups) >= _LARGEST_SUM:
        totals, scale = _long_totals(column, groups, len(types)), 0
    else:
        totals = _whole_totals(column, groups, len(types), scale)
    for group in there:
        total = totals[group]
        if types[group]:
            found[group] = _decimal(EXACT.scaleb(Decimal(total), -scale))
        else:
            found[group] = Numeric(kinds.INTEGER, int(total) // 10**scale)


def _decimal(exact: Decimal) -> Numeric | None:
    """Round a sum of decimals; None where it is too large."""
    try:
        return Numeric(kinds.DECIMAL, rounded(exact))
    except ArithmeticError:
        return None


def _whole_totals(column: Column, groups: Places, count: int, scale: int) -> list[int]:
    """Sums of numbers without long ones, times ten to the power of `scale`."""
    mantissas = np.rint(column.numbers * 10.0**column.scales).astype(np.int64)
    mantissas *= np.int64(10) ** (scale - column.scales.astype(np.int64))
    totals = np.zeros(count, np.int64)
    np.add.at(totals, groups, mantissas)
    whole: list[int] = totals.tolist()
    return whole


def _long_totals(column: Column, groups: Places, count: int) -> list[Decimal]:
    totals = [Decimal(0)] * count
    for group, term in zip(groups.tolist(), column.at(np.arange(len(groups))), strict=True):
        assert term is not None
        totals[group] = EXACT.add(totals[group], as_decimal(number_of(term).value))
    return totals


# -- xsd:floats and xsd:doubles ----------------------------------------------------------------------


def _sum_floats(column: Column, groups: Places, types: kinds.Kinds, found: list[Numeric | None]) -> None:
    are_single = types[groups] == 2
    numbers = _promoted(column, are_single)
    in_order = np.argsort(groups.astype(np.min_scalar_type(len(types))), kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=len(types))).tolist()
    ordered = numbers[in_order].tolist()
    start = 0
    for group, end in enumerate(ends):
        if end > start:
            members = ordered[start:end]
            is_single = types[group] == 2
            total = _nearest_single(members) if is_single else _fsum(members)
            found[group] = Numeric(kinds.FLOAT if is_single else kinds.DOUBLE, total)
        start = end


def _promoted(column: Column, are_single: npt.NDArray[np.bool_]) -> Floats:
    """The numbers as xsd:floats or xsd:doubles."""
    numbers = np.where(are_single, to_singles(column.numbers), column.numbers)
    are_long = kinds.IS_LONG[column.kinds]
    closely = np.flatnonzero(are_long | (are_single & (column.kinds == kinds.DECIMAL)))
    for place, term in zip(closely.tolist(), column.at(closely), strict=True):
        assert term is not None
        value = number_of(term).value
        numbers[place] = to_single(value) if are_single[place] else to_double(value)
    return numbers


def _fsum(numbers: list[float]) -> float:
    try:
        return math.fsum(numbers) + 0.0  # -0 is 0
    except ValueError:  # infinities of both signs
        return math.nan
    except OverflowError:  # on the way, or in the end
        infinities = [number for number in numbers if not math.isfinite(number)]
        if infinities:
            return sum(infinities)
        return to_double(decimal_of(sum(map(Fraction, numbers), Fraction(0))))


def _nearest_single(numbers: list[float]) -> float:
    """The xsd:float nearest to a sum; by way of the nearest xsd:double where that is no tie."""
    total = _fsum(numbers)
    if not math.isfinite(total) or not are_ties(np.array([total]))[0]:
        return to_single(total)
    return to_single(decimal_of(sum(map(Fraction, numbers), Fraction(0))))


def decimal_of(value: Fraction) -> Decimal:
    """A fraction whose denominator is a power of two."""
    places = value.denominator.bit_length() - 1
    return EXACT.scaleb(Decimal(value.numerator * 5**places), -places)

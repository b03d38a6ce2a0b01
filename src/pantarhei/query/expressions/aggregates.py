"""COUNT, SUM, AVG, MIN, MAX, SAMPLE and GROUP_CONCAT of groups (SPARQL 1.1, section 18.5.1).

SUM and AVG of an error are errors; the other aggregates skip errors. For an empty group COUNT, SUM and AVG
are 0, GROUP_CONCAT is the empty string, and the others are errors. A sum is computed exactly in the highest
type of its numbers, and rounded once. MIN and MAX are the first and the last value in the order of ORDER BY,
SAMPLE is the first, and GROUP_CONCAT joins values in this order; equal values are ordered by N-Triples text.
DISTINCT compares literal forms.

Sums do not depend on the order of the numbers. Integers and decimals are summed as integers, after
multiplication by a power of ten. xsd:double and xsd:float values are summed without intermediate rounding
(Shewchuk's algorithm, `math.fsum`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from rdflib import BNode, Literal

from pantarhei.encoding.numbers import NONE
from pantarhei.query.algebra.nodes import Aggregate, Expression
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.comparison import ranks_of_terms
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.evaluator import values
from pantarhei.query.expressions.expression_columns import (
    Column,
    IdColumn,
    NumberColumn,
    distinct,
    distinct_rows,
    have_value,
)
from pantarhei.query.expressions.kinds import PROMOTION
from pantarhei.query.expressions.literal_values import Floats, are_ties, to_singles
from pantarhei.query.expressions.scalars import number_of
from pantarhei.query.solutions import Ids, Indexes, QueryLimits, SolutionTable, size_of
from pantarhei.rdf.ntriples import write_term
from pantarhei.values import canonical
from pantarhei.values.numeric import EXACT, Numeric, as_decimal, rounded, to_double, to_single
from pantarhei.values.numeric import divided as quotient

_MAX_INT64_SUM = 2.0**62  # int64 certainly holds smaller sums
_ZERO = Numeric(kinds.INTEGER, 0)


def sums(column: Column, groups: Indexes, count: int) -> list[Literal | None]:
    """Sum the numbers of each group; None for a group with a term that is not a number.

    Args:
        groups: number of the group of each row.
        count: number of groups.
    """
    return [sum_literal(total) for total in _totals(column, groups, count)]


def averages(column: Column, groups: Indexes, count: int) -> list[Literal | None]:
    """Divide the sum of each group's numbers by their number; 0 for an empty group, None for a group with a
    term that is not a number.

    Args:
        groups: number of the group of each row.
        count: number of groups.
    """
    sizes = np.bincount(groups, minlength=count).tolist()
    totals = _totals(column, groups, count)
    return [sum_literal(average(total, size)) for total, size in zip(totals, sizes, strict=True)]


def sum_literal(total: Numeric | None) -> Literal | None:
    try:
        return None if total is None else canonical.number(total)
    except ArithmeticError:  # the number is too large
        return None


def average(total: Numeric | None, size: int) -> Numeric | None:
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


def _totals(column: Column, groups: Indexes, count: int) -> list[Numeric | None]:
    promotion = PROMOTION[column.kinds]
    types = np.zeros(count, np.int8)
    np.maximum.at(types, groups, promotion)
    found: list[Numeric | None] = [_ZERO] * count
    are_numbers = column.kinds >= kinds.FIRST_NUMBER
    are_exact = types[groups] < 2
    exact, inexact = np.flatnonzero(are_numbers & are_exact), np.flatnonzero(are_numbers & ~are_exact)
    if len(exact):
        _sum_exact(column.take(exact), groups[exact], types, found)
    if len(inexact):
        _sum_floats(column.take(inexact), groups[inexact], types, found)
    for group in np.unique(groups[~are_numbers]).tolist():
        found[group] = None
    return found


# -- integers and decimals ---------------------------------------------------------------------------


def _sum_exact(column: Column, groups: Indexes, types: kinds.Kinds, found: list[Numeric | None]) -> None:
    scale = int(column.scales.max())
    largest = float(np.abs(column.numbers).max()) * 10.0**scale
    nonempty = np.flatnonzero(np.bincount(groups, minlength=len(types))).tolist()
    totals: Sequence[int | Decimal]
    if kinds.IS_LONG[column.kinds].any() or largest * len(groups) >= _MAX_INT64_SUM:
        totals, scale = _long_totals(column, groups, len(types)), 0
    else:
        totals = _whole_totals(column, groups, len(types), scale)
    for group in nonempty:
        total = totals[group]
        if types[group]:
            found[group] = _decimal(EXACT.scaleb(Decimal(total), -scale))
        else:
            found[group] = Numeric(kinds.INTEGER, int(total) // 10**scale)


def _decimal(exact: Decimal) -> Numeric | None:
    """Round a sum of decimals; None if the sum is too large."""
    try:
        return Numeric(kinds.DECIMAL, rounded(exact))
    except ArithmeticError:
        return None


def _whole_totals(column: Column, groups: Indexes, count: int, scale: int) -> list[int]:
    """Sum the numbers of each group, which contain no long ones, multiplied by ten to the power of
    `scale`.
    """
    mantissas = np.rint(column.numbers * 10.0**column.scales).astype(np.int64)
    mantissas *= np.int64(10) ** (scale - column.scales.astype(np.int64))
    totals = np.zeros(count, np.int64)
    np.add.at(totals, groups, mantissas)
    whole: list[int] = totals.tolist()
    return whole


def _long_totals(column: Column, groups: Indexes, count: int) -> list[Decimal]:
    totals = [Decimal(0)] * count
    for group, term in zip(groups.tolist(), column.at(np.arange(len(groups))), strict=True):
        assert term is not None
        totals[group] = EXACT.add(totals[group], as_decimal(number_of(term).value))
    return totals


# -- xsd:floats and xsd:doubles ----------------------------------------------------------------------


def _sum_floats(column: Column, groups: Indexes, types: kinds.Kinds, found: list[Numeric | None]) -> None:
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
    """Convert numbers to xsd:float where `are_single` is True, and to xsd:double elsewhere."""
    numbers = np.where(are_single, to_singles(column.numbers), column.numbers)
    are_long = kinds.IS_LONG[column.kinds]
    closely = np.flatnonzero(are_long | (are_single & (column.kinds == kinds.DECIMAL)))
    for index, term in zip(closely.tolist(), column.at(closely), strict=True):
        assert term is not None
        value = number_of(term).value
        numbers[index] = to_single(value) if are_single[index] else to_double(value)
    return numbers


def _fsum(numbers: list[float]) -> float:
    try:
        return math.fsum(numbers) + 0.0  # converts -0 to 0
    except ValueError:  # infinities of both signs
        return math.nan
    except OverflowError:  # an intermediate or final sum is too large
        infinities = [number for number in numbers if not math.isfinite(number)]
        if infinities:
            return sum(infinities)
        return to_double(decimal_of(sum(map(Fraction, numbers), Fraction(0))))


def _nearest_single(numbers: list[float]) -> float:
    """Round a sum to an xsd:float. The sum is first rounded to an xsd:double, unless that is a tie between
    two xsd:floats.
    """
    total = _fsum(numbers)
    if not math.isfinite(total) or not are_ties(np.array([total]))[0]:
        return to_single(total)
    return to_single(decimal_of(sum(map(Fraction, numbers), Fraction(0))))


def decimal_of(value: Fraction) -> Decimal:
    """Convert a fraction whose denominator is a power of two to a decimal."""
    indexes = value.denominator.bit_length() - 1
    return EXACT.scaleb(Decimal(value.numerator * 5**indexes), -indexes)


Groups = Indexes
"""Number of the group of each row."""


def aggregate(
    aggregates: Sequence[Aggregate], table: SolutionTable, groups: Groups, count: int, context: Context
) -> list[Ids]:
    """Aggregate the rows of each group; returns for each aggregate a column with a term number for each
    group.

    Args:
        groups: number of the group of each row.
        count: number of groups.
    """
    known: dict[Expression, Column] = {}
    found = []
    for each in aggregates:
        if each.argument is None:
            found.append(_count_rows(each, table, groups, count, context))
            continue
        column = known.get(each.argument)
        if column is None:
            column = known[each.argument] = _column(each.argument, table, context)
        found.append(_aggregate_column(each, column, groups, count, context))
    return found


def _column(expression: Expression, table: SolutionTable, context: Context) -> Column:
    column = values(expression, table, context)
    return column if len(column) == len(table) else column.take(np.zeros(len(table), np.intp))


def _count_rows(each: Aggregate, table: SolutionTable, groups: Groups, count: int, context: Context) -> Ids:
    if each.distinct:
        columns = [groups.astype(np.int64), *table.columns.values()]
        groups = groups[distinct_rows(columns)[0]]
    return _counts(groups, count, context)


def _counts(groups: Groups, count: int, context: Context) -> Ids:
    sizes, indexes = distinct(np.bincount(groups, minlength=count).astype(np.int64))
    return IdColumn.of(map(canonical.integer, sizes.tolist()), context).ids[indexes]


def _aggregate_column(each: Aggregate, column: Column, groups: Groups, count: int, context: Context) -> Ids:
    are_numbers = each.function in ("SUM", "AVG")
    if not are_numbers:
        rows = np.flatnonzero(have_value(column))
        if len(rows) < len(groups):
            column, groups = column.take(rows), groups[rows]
    if each.distinct and len(groups):
        rows, _ = distinct_rows([groups.astype(np.int64), column.ids])
        column, groups = column.take(rows), groups[rows]
    if each.function == "COUNT":
        return _counts(groups, count, context)
    if are_numbers:
        compute = sums if each.function == "SUM" else averages
        return IdColumn.of(compute(column, groups, count), context).ids
    if each.function == "GROUP_CONCAT":
        return IdColumn.of(_texts(column, groups, count, each.separator, context), context).ids
    return _first_or_last(each.function == "MAX", column, groups, count, context)


def _first_or_last(is_last: bool, column: Column, groups: Groups, count: int, context: Context) -> Ids:
    """Return the first or last term of each group; among equal terms the one with the least N-Triples
    text.
    """
    if isinstance(column, NumberColumn) and _is_of_one_type(column):
        return _numeric_extrema(is_last, column, groups, count, context)
    terms, indexes = distinct(column.ids)
    ranks = _total_ranks(terms, is_last, context)
    best = np.full(count, len(terms), np.int64)
    np.minimum.at(best, groups, ranks[indexes])
    by_rank = np.full(len(terms) + 1, NONE, np.int64)
    by_rank[ranks] = terms
    return by_rank[best]


def _is_of_one_type(column: Column) -> bool:
    found = np.unique(column.kinds)
    return len(found) == 1 and not kinds.IS_LONG[found[0]] and not np.isnan(column.numbers).any()


def _numeric_extrema(
    is_last: bool, column: NumberColumn, groups: Groups, count: int, context: Context
) -> Ids:
    """Compute MIN or MAX of computed numbers, which have one literal form for each value."""
    best = np.full(count, -np.inf if is_last else np.inf)
    (np.maximum if is_last else np.minimum).at(best, groups, column.numbers)
    found = np.full(count, NONE, np.int64)
    nonempty = np.unique(groups)
    found[nonempty] = NumberColumn.of_type(int(column.kinds[0]), best[nonempty], context).ids
    return found


def _total_ranks(terms: Ids, is_descending: bool, context: Context) -> Ids:
    """Rank distinct terms; the ranks are distinct, too."""
    ranks = ranks_of_terms(terms, context)
    if is_descending:
        ranks = -ranks
    in_order = np.argsort(ranks, kind="stable")
    alike = np.flatnonzero(np.diff(ranks[in_order]) == 0)
    if len(alike):
        _order_alike(in_order, np.union1d(alike, alike + 1), ranks, terms, context)
    total = np.empty(len(terms), np.int64)
    total[in_order] = np.arange(len(terms))
    return total


def _order_alike(in_order: Indexes, alike: Indexes, ranks: Ids, terms: Ids, context: Context) -> None:
    """Order terms of equal rank by their N-Triples text.

    Args:
        in_order: indexes of all terms, ordered by rank; changed in index.
        alike: indexes in `in_order` of terms that share their rank with others.
    """
    members = in_order[alike]
    texts = [write_term(term) for term in context.terms_of(terms[members]) if term is not None]
    rank_of = ranks[members].tolist()
    in_order[alike] = members[sorted(range(len(members)), key=lambda index: (rank_of[index], texts[index]))]


def _texts(column: Column, groups: Groups, count: int, separator: str, context: Context) -> list[Literal]:
    """Compute GROUP_CONCAT; blank nodes are skipped, since they have no text."""
    terms, indexes = distinct(column.ids)
    ranks = _total_ranks(terms, False, context)
    known = context.terms_of(terms)
    found: list[list[str]] = [[] for _ in range(count)]
    for row in np.lexsort((ranks[indexes], groups)).tolist():
        term = known[indexes[row]]
        if not isinstance(term, BNode):
            found[groups[row]].append(str(term))
    return [join_texts(separator, texts, context.limits) for texts in found]


def join_texts(separator: str, texts: Sequence[str], limits: QueryLimits) -> Literal:
    """Join the texts of a group.

    Raises:
        QueryMemoryError: the result exceeds the limit.
    """
    limits.check_text(sum(map(size_of, texts)) + size_of(separator) * max(len(texts) - 1, 0))
    made = separator.join(texts)
    limits.count_text(made)
    return Literal(made)

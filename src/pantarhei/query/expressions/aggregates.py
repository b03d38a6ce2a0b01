"""COUNT, SUM, AVG, MIN, MAX, SAMPLE and GROUP_CONCAT of groups (SPARQL 1.1, section 18.5.1).

SUM and AVG of an error are errors; the others leave errors out. Of nothing, COUNT, SUM and AVG are 0,
GROUP_CONCAT is the empty string, the others are errors. A sum is that of the numbers in the greatest of their
types, exact, and rounded once. MIN and MAX are the first and the last in the order of ORDER BY, SAMPLE is the
first, GROUP_CONCAT has that order; what is alike there follows N-Triples text. DISTINCT goes by the terms as
they are shown.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rdflib import BNode, Literal

from pantarhei.encoding.numbers import NONE
from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import Aggregate, Expression
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.columns import Column, NumberColumn, TermColumn, have_value
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.distinct import distinct, distinct_rows
from pantarhei.query.expressions.evaluation import values
from pantarhei.query.expressions.ordering import ranks_of_terms
from pantarhei.query.expressions.sums import averages, sums
from pantarhei.query.query_limits import Guard, size_of
from pantarhei.query.solutions import Ids, Places, Table
from pantarhei.values import canonical
from pantarhei.values.value import STRING

Groups = Places
"""The number of each row's group."""


def aggregate(
    aggregates: Sequence[Aggregate], table: Table, groups: Groups, count: int, context: Context
) -> list[Ids]:
    """What the rows of each group come to: for each aggregate a column with a term for each group.

    Args:
        groups: the number of each row's group.
        count: how many groups there are.
    """
    known: dict[Expression, Column] = {}
    found = []
    for each in aggregates:
        if each.argument is None:
            found.append(_count_of_rows(each, table, groups, count, context))
            continue
        column = known.get(each.argument)
        if column is None:
            column = known[each.argument] = _column(each.argument, table, context)
        found.append(_aggregated(each, column, groups, count, context))
    return found


def _column(expression: Expression, table: Table, context: Context) -> Column:
    column = values(expression, table, context)
    return column if len(column) == len(table) else column.taken(np.zeros(len(table), np.intp))


def _count_of_rows(each: Aggregate, table: Table, groups: Groups, count: int, context: Context) -> Ids:
    if each.distinct:
        columns = [groups.astype(np.int64), *table.columns.values()]
        groups = groups[distinct_rows(columns)[0]]
    return _counts(groups, count, context)


def _counts(groups: Groups, count: int, context: Context) -> Ids:
    sizes, places = distinct(np.bincount(groups, minlength=count).astype(np.int64))
    return TermColumn.of(map(canonical.integer, sizes.tolist()), context).ids[places]


def _aggregated(each: Aggregate, column: Column, groups: Groups, count: int, context: Context) -> Ids:
    are_numbers = each.function in ("SUM", "AVG")
    if not are_numbers:
        rows = np.flatnonzero(have_value(column))
        if len(rows) < len(groups):
            column, groups = column.taken(rows), groups[rows]
    if each.distinct and len(groups):
        rows, _ = distinct_rows([groups.astype(np.int64), column.ids])
        column, groups = column.taken(rows), groups[rows]
    if each.function == "COUNT":
        return _counts(groups, count, context)
    if are_numbers:
        compute = sums if each.function == "SUM" else averages
        return TermColumn.of(compute(column, groups, count), context).ids
    if each.function == "GROUP_CONCAT":
        return TermColumn.of(_texts(column, groups, count, each.separator, context), context).ids
    return _extremes(each.function == "MAX", column, groups, count, context)


def _extremes(is_last: bool, column: Column, groups: Groups, count: int, context: Context) -> Ids:
    """The first or last term of each group; of those alike, the one with the least N-Triples text."""
    if isinstance(column, NumberColumn) and _is_of_one_type(column):
        return _extreme_numbers(is_last, column, groups, count, context)
    terms, places = distinct(column.ids)
    ranks = _total_ranks(terms, is_last, context)
    best = np.full(count, len(terms), np.int64)
    np.minimum.at(best, groups, ranks[places])
    by_rank = np.full(len(terms) + 1, NONE, np.int64)
    by_rank[ranks] = terms
    return by_rank[best]


def _is_of_one_type(column: Column) -> bool:
    found = np.unique(column.kinds)
    return len(found) == 1 and not kinds.IS_LONG[found[0]] and not np.isnan(column.numbers).any()


def _extreme_numbers(
    is_last: bool, column: NumberColumn, groups: Groups, count: int, context: Context
) -> Ids:
    """Computed numbers have one form each."""
    best = np.full(count, -np.inf if is_last else np.inf)
    (np.maximum if is_last else np.minimum).at(best, groups, column.numbers)
    found = np.full(count, NONE, np.int64)
    there = np.unique(groups)
    found[there] = NumberColumn.of_type(int(column.kinds[0]), best[there], context).ids
    return found


def _total_ranks(terms: Ids, is_descending: bool, context: Context) -> Ids:
    """The places of different terms in the order, no two alike."""
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


def _order_alike(in_order: Places, alike: Places, ranks: Ids, terms: Ids, context: Context) -> None:
    """Order the terms at `alike` places of an order, where others have the same rank, by their text."""
    members = in_order[alike]
    texts = [ntriples(term) for term in context.terms_of(terms[members]) if term is not None]
    rank_of = ranks[members].tolist()
    in_order[alike] = members[sorted(range(len(members)), key=lambda place: (rank_of[place], texts[place]))]


def _texts(column: Column, groups: Groups, count: int, separator: str, context: Context) -> list[Literal]:
    """GROUP_CONCAT; blank nodes have no text and are left out."""
    terms, places = distinct(column.ids)
    ranks = _total_ranks(terms, False, context)
    known = context.terms_of(terms)
    found: list[list[str]] = [[] for _ in range(count)]
    for row in np.lexsort((ranks[places], groups)).tolist():
        term = known[places[row]]
        if not isinstance(term, BNode):
            found[groups[row]].append(str(term))
    return [joined_texts(separator, texts, context.guard) for texts in found]


def joined_texts(separator: str, texts: Sequence[str], guard: Guard) -> Literal:
    """Join the texts of a group.

    Raises:
        QueryMemoryError: the text exceeds the limit.
    """
    guard.check_text(sum(map(size_of, texts)) + size_of(separator) * max(len(texts) - 1, 0))
    made = separator.join(texts)
    guard.count_text(made)
    return Literal(made)


def ntriples(term: Term) -> str:
    """A term as N-Triples writes it, without escapes that can be left out."""
    if not isinstance(term, Literal):
        return f"_:{term}" if isinstance(term, BNode) else f"<{term}>"
    text = str(term).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    if term.language is not None:
        return f'"{text}"@{term.language}'
    return f'"{text}"' if term.datatype in (None, STRING) else f'"{text}"^^<{term.datatype}>'

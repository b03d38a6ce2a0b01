"""What is done to rows of answers as wholes: joined, told apart, grouped.

Rows are compared by value in joins, by the form shown where equal ones become one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.query.query_limits import Guard
from pantarhei.query.solutions import Ids, Mask, Places, Table, TermSpace
from pantarhei.query.sources.relation import Lookup


def codes(columns: Sequence[Ids], size: int) -> tuple[Places, int]:
    """A number for each row, equal for equal rows, and how many numbers there are."""
    found, count = np.zeros(size, np.int64), min(size, 1)
    for column in columns:
        _, inverse = np.unique(column, return_inverse=True)
        width = int(inverse.max()) + 1 if size else 1
        if count * width >= 1 << 62:
            _, found = np.unique(found, return_inverse=True)
        _, found = np.unique(found * width + inverse, return_inverse=True) if count > 1 else (None, inverse)
        count = int(found.max()) + 1 if size else 0
    return found, count


def firsts(columns: Sequence[Ids], size: int) -> Places:
    """The place of the first of each set of equal rows, in the order of the rows."""
    if not columns:
        return np.arange(min(size, 1))
    if len(columns) == 1:
        return np.sort(np.unique(columns[0], return_index=True)[1])
    found, count = codes(columns, size)
    first = np.empty(count, np.intp)
    first[found[::-1]] = np.arange(size)[::-1]  # of several writes to one cell the last stays
    return np.sort(first)


def join(left: Table, right: Table, terms: TermSpace, guard: Guard) -> Table:
    """The joins of all compatible rows; shared variables show the form of the left."""
    rows, places = compatible(left, right, terms, guard)
    joined = dict(left.taken(rows).columns)
    for variable, column in right.columns.items():
        mine = joined.get(variable)
        given = column[places]
        joined[variable] = given if mine is None else np.where(mine == NONE, given, mine)
    return Table(joined, len(rows))


def compatible(
    left: Table, right: Table, terms: TermSpace, guard: Guard, overlap: bool = False
) -> tuple[Places, Places]:
    """Places of the rows, left and right, that agree in all variables that both bind.

    Args:
        overlap: they must bind at least one in common.
    """
    shared = [variable for variable in left.columns if variable in right.columns]
    values = [(terms.values(left.columns[v]), terms.values(right.columns[v])) for v in shared]
    full = [(mine, other) for mine, other in values if (mine != NONE).all() and (other != NONE).all()]
    partial = [pair for pair in values if not any(pair is one for one in full)]
    width = len(left.columns) + len(right.columns)
    if full:
        rows, places = _equal(full, guard, width)
    else:
        guard.check_room(left.size * right.size, max(width, 2))
        rows = np.repeat(np.arange(left.size), right.size)
        places = np.tile(np.arange(right.size), left.size)
    shares = np.full(len(rows), bool(full))
    agree = np.ones(len(rows), np.bool_)
    for mine, other in partial:
        mine, other = mine[rows], other[places]
        both = (mine != NONE) & (other != NONE)
        agree &= ~both | (mine == other)
        shares |= both
    if overlap:
        agree &= shares
    return (rows, places) if agree.all() else (rows[agree], places[agree])


def _equal(pairs: Sequence[tuple[Ids, Ids]], guard: Guard, width: int) -> tuple[Places, Places]:
    """Places of rows that are equal in every pair of columns."""
    mine, other = pairs[0]
    if len(pairs) > 1:
        size = len(mine)
        both, _ = codes([np.concatenate(pair) for pair in pairs], size + len(other))
        mine, other = both[:size], both[size:]
    lookup = Lookup(other)
    guard.check_room(lookup.count(mine), width)
    return lookup.find(mine)


def marked_rows(rows: Ids, size: int) -> Mask:
    """Which of so many rows are among `rows`."""
    found = np.zeros(size, np.bool_)
    found[rows] = True
    return found


def split_by_unbound(table: Table, variables: Sequence[Variable]) -> list[Table]:
    """The rows in parts; in each a variable is bound in all rows, or its column is left out."""
    partial = [v for v in variables if v in table.columns and (table.columns[v] == NONE).any()]
    if not partial:
        return [table]
    unbound = [table.columns[v] == NONE for v in partial]
    found, count = codes([mask.astype(np.int64) for mask in unbound], table.size)
    parts = []
    for number in range(count):
        places = np.flatnonzero(found == number)
        lost = {v for v, mask in zip(partial, unbound, strict=True) if mask[places[0]]}
        part = table.taken(places)
        parts.append(Table({v: c for v, c in part.columns.items() if v not in lost}, part.size))
    return parts

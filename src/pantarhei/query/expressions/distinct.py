"""Which values a column has, and which of them each row has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pantarhei.query.solutions import Ids, Places


def distinct(column: Ids) -> tuple[Ids, Places]:
    """The values of a column in ascending order, and for each row the place of its value among them.

    Costs the count of rows where values lie close together, else a sort.
    """
    if not len(column):
        return column, np.empty(0, np.intp)
    low = int(column.min())
    span = int(column.max()) - low + 1
    if span > 8 * len(column) + 1024:
        values, places = np.unique(column, return_inverse=True)
        return values, places
    shifted = column - low
    there = np.zeros(span, np.bool_)
    there[shifted] = True
    found = np.flatnonzero(there)
    place_of = np.empty(span, np.intp)
    place_of[found] = np.arange(len(found))
    return found + low, place_of[shifted]


def distinct_rows(columns: Sequence[Ids]) -> tuple[Places, Places]:
    """A row for each combination of values in columns of one length, and for each row the place of its own.

    The combinations are in ascending order, the first column's values first.
    """
    first, *others = columns
    _, codes = distinct(first)
    for column in others:
        values, places = distinct(column)
        _, codes = distinct(codes * len(values) + places)
    count = int(codes.max()) + 1 if len(codes) else 0
    rows = np.empty(count, np.intp)
    rows[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of each the first
    return rows, codes

"""Rows of a table as triples by column, with the ticks of their times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pantarhei.language.time import TimeKind
from pantarhei.mapping.binding import BoundMapping
from pantarhei.mapping.cells import Cells, cells_of
from pantarhei.mapping.mapping import ROW, TermPattern, TriplePattern
from pantarhei.mapping.terms import Terms, terms_of
from pantarhei.mapping.times import RowTimes, times_of
from pantarhei.rdf.triple_table import TermColumn, TripleColumns

Places = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


class BadCell(NamedTuple):
    """A row that is left out: its place in the table, the first of its columns that is wrong, and why."""

    row: int
    column: str
    reason: str


class MappedRows(NamedTuple):
    """What rows say.

    Args:
        kind: what their times are.
        ticks: the times of those that are not left out.
        triples: theirs, row by row.
        ends: where in `triples` those of each row end.
        bad: the rows that are left out.
    """

    kind: TimeKind
    ticks: npt.NDArray[np.int64]
    triples: TripleColumns
    ends: Places
    bad: Sequence[BadCell]

    def first(self, rows: int) -> MappedRows:
        """What the first so many rows say, of which none is left out."""
        end = int(self.ends[rows - 1]) if rows else 0
        return MappedRows(self.kind, self.ticks[:rows], self.triples.slice(0, end), self.ends[:rows], ())


def map_rows(
    bound: BoundMapping, arrays: Mapping[str, pa.Array], height: int, first_row: int, mapping: str
) -> MappedRows:
    """What rows of a table say.

    Args:
        arrays: the table's columns, those that the mapping refers to at least.
        height: how many rows there are.
        first_row: the number of the first.
        mapping: what errors call the mapping.

    Raises:
        MappingError: a column has not the type that the mapping says.
    """
    if ROW not in arrays:
        arrays = {**arrays, ROW: pa.array(np.arange(first_row, first_row + height))}
    cells: dict[str, Cells] = {}

    def column(name: str) -> Cells:
        if name not in cells:
            cells[name] = cells_of(arrays[name], bound.nulls)
        return cells[name]

    times = times_of(bound.time, arrays, column, mapping)
    for pattern in bound.patterns:
        for name, _ in pattern.columns:
            column(name)
    terms: dict[TermPattern, Terms] = {
        term: terms_of(term, cells, height, bound.decimal)
        for pattern in bound.patterns
        for term in pattern.terms
    }
    bad = _bad_rows(bound, times, terms, height)
    good = np.ones(height, bool)
    good[[each.row for each in bad]] = False
    triples, rows = _triples(bound.patterns, terms, cells, good)
    kept = np.flatnonzero(good)
    places = kept if times.codes is None else times.codes[kept]
    ends = np.searchsorted(rows, kept, "right")
    return MappedRows(times.kind, times.ticks[places], triples, ends, bad)


def _bad_rows(
    bound: BoundMapping, times: RowTimes, terms: Mapping[TermPattern, Terms], height: int
) -> list[BadCell]:
    bad: dict[int, BadCell] = {}
    time = ", ".join(bound.time.template.columns)
    for place, reason in times.reasons.items():
        rows = [place] if times.codes is None else np.flatnonzero(times.codes == place).tolist()
        bad.update((row, BadCell(row, time, reason)) for row in rows)
    for pattern, made in terms.items():
        if made.wrong is None or not len(made.codes):
            continue
        name = ", ".join(pattern.template.columns) or "(none)"
        for row in np.flatnonzero(made.wrong[made.codes] & (made.codes >= 0)).tolist():
            if row not in bad:
                bad[row] = BadCell(row, name, made.reason(int(made.codes[row])))
    return sorted(bad.values())


def _triples(
    patterns: Sequence[TriplePattern],
    terms: Mapping[TermPattern, Terms],
    cells: Mapping[str, Cells],
    good: Flags,
) -> tuple[TripleColumns, Places]:
    """The triples in the order of rows, and the row of each."""
    rows = [np.flatnonzero(_present(pattern, terms, cells, good)) for pattern in patterns]
    together = np.concatenate(rows)
    order = np.argsort(together, kind="stable")
    columns = []
    for place in range(3):
        made = [terms[pattern.terms[place]] for pattern in patterns]
        columns.append(_column(made, rows, order))
    return TripleColumns(*columns), together[order]


def _present(
    pattern: TriplePattern, terms: Mapping[TermPattern, Terms], cells: Mapping[str, Cells], good: Flags
) -> Flags:
    present = good
    for codes in (
        *(terms[term].codes for term in pattern.terms if term.template.columns),
        *(cells[column].codes for column in pattern.needs),
    ):
        present = present & (codes >= 0)
    return present


def _column(made: Sequence[Terms], rows: Sequence[Places], order: Places) -> TermColumn:
    """The terms of several patterns as one column, put in order; those of one pattern stand there once."""
    begins: dict[int, int] = {}
    different: list[Terms] = []
    length = 0
    for each in made:
        if id(each) not in begins:
            begins[id(each)] = length
            different.append(each)
            length += len(each.texts)
    codes = [each.codes[chosen] + np.int32(begins[id(each)]) for each, chosen in zip(made, rows, strict=True)]
    distinct = np.empty(length, object)
    distinct[:] = [text for each in different for text in each.texts.to_pylist()]
    return TermColumn(np.concatenate(codes)[order], distinct)


def runs(ticks: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Neighbours of one time: where they begin and end.

    >>> list(runs(np.array([7, 7, 8], np.int64)))
    [(0, 2), (2, 3)]
    """
    if len(ticks):
        bounds = [0, *(np.flatnonzero(np.diff(ticks)) + 1).tolist(), len(ticks)]
        yield from pairwise(bounds)

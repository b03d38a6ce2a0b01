"""Rows of a table as triples by column, with the ticks of their times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pantarhei.io.mapping.binding import BoundMapping
from pantarhei.io.mapping.cells import CellColumn, Cells, Flags, Places, cells_of, combinations
from pantarhei.io.mapping.local_times import RowOrder
from pantarhei.io.mapping.mapping import ROW, TermPattern, TriplePattern
from pantarhei.io.mapping.terms import Terms, terms_of
from pantarhei.io.mapping.times import RowTimes, times_of
from pantarhei.model.time import TimeKind
from pantarhei.rdf.triple_table import TermColumn, TripleColumns


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
        cut: by row that is not left out, whether its time was cut; None if none was.
    """

    kind: TimeKind
    ticks: npt.NDArray[np.int64]
    triples: TripleColumns
    ends: Places
    bad: Sequence[BadCell]
    cut: Flags | None = None

    @property
    def times_cut(self) -> int:
        """Number of rows whose time was cut."""
        return 0 if self.cut is None else int(self.cut.sum())

    def first(self, rows: int) -> MappedRows:
        """What the first so many rows say, of which none is left out."""
        end = int(self.ends[rows - 1]) if rows else 0
        cut = None if self.cut is None else self.cut[:rows]
        return MappedRows(self.kind, self.ticks[:rows], self.triples.slice(0, end), self.ends[:rows], (), cut)


def map_rows(
    bound: BoundMapping,
    arrays: Mapping[str, pa.Array | CellColumn],
    height: int,
    first_row: int,
    mapping: str,
    kind: TimeKind | None = None,
    order: RowOrder | None = None,
) -> MappedRows:
    """What rows of a table say.

    Args:
        arrays: the table's columns, those that the mapping refers to at least.
        height: how many rows there are.
        first_row: the number of the first.
        mapping: what errors call the mapping.
        kind: what times have to be; None for what fits all.
        order: the rows before, for `ambiguous: infer`.

    Raises:
        MappingError: a column has not the type that the mapping says.
    """
    cells: dict[str, Cells] = {}

    def column(name: str) -> Cells:
        if name not in cells:
            if name == ROW and ROW not in arrays:
                cells[name] = cells_of(pa.array(np.arange(first_row, first_row + height)), bound.nulls)
            else:
                cells[name] = cells_of(arrays[name], bound.nulls)
        return cells[name]

    times = times_of(bound.time, arrays, column, mapping, kind, order)
    for pattern in bound.patterns:
        for name, _ in pattern.columns:
            column(name)
    terms: dict[TermPattern, Terms] = {
        term: terms_of(term, cells, height, bound.decimal)
        for pattern in bound.patterns
        for term in pattern.terms
    }
    bad = _bad_rows(bound, times, terms, cells)
    good = np.ones(height, bool)
    good[[each.row for each in bad]] = False
    triples, rows = _triples(bound.patterns, terms, cells, good)
    kept = np.flatnonzero(good)
    places = kept if times.codes is None else times.codes[kept]
    ends = np.searchsorted(rows, kept, "right")
    cut = None if times.cut is None else times.cut[places]
    return MappedRows(times.kind, times.ticks[places], triples, ends, bad, cut)


def _bad_rows(
    bound: BoundMapping, times: RowTimes, terms: Mapping[TermPattern, Terms], cells: Mapping[str, Cells]
) -> list[BadCell]:
    bad: dict[int, BadCell] = {}
    time = ", ".join(bound.time.template.columns)
    for row, reason in times.refused.items():
        bad[row] = BadCell(row, time, reason)
    for place, reason in times.reasons.items():
        rows = [place] if times.codes is None else np.flatnonzero(times.codes == place).tolist()
        for row in rows:
            bad.setdefault(row, BadCell(row, time, reason))
    for name, each in cells.items():
        for row, reason in each.refused.items():
            bad.setdefault(row, BadCell(row, name, reason))
    for pattern, made in terms.items():
        if made.wrong is None or not len(made.codes):
            continue
        name = ", ".join(pattern.template.columns) or "(none)"
        for at in np.flatnonzero(made.wrong[made.codes] & (made.codes >= 0)).tolist():
            row = at if made.ends is None else int(np.searchsorted(made.ends, at, "right"))
            if row not in bad:
                bad[row] = BadCell(row, name, made.reason(int(made.codes[at])))
    return sorted(bad.values())


def _triples(
    patterns: Sequence[TriplePattern],
    terms: Mapping[TermPattern, Terms],
    cells: Mapping[str, Cells],
    good: Flags,
) -> tuple[TripleColumns, Places]:
    """The triples in the order of rows, and the row of each."""
    found = [_matches(pattern, terms, cells, good) for pattern in patterns]
    together = np.concatenate([rows for rows, _ in found])
    order = np.argsort(together, kind="stable")
    columns = []
    for place in range(3):
        made = [terms[pattern.terms[place]] for pattern in patterns]
        columns.append(_column(made, [places[place] for _, places in found], order))
    return TripleColumns(*columns), together[order]


def _matches(
    pattern: TriplePattern, terms: Mapping[TermPattern, Terms], cells: Mapping[str, Cells], good: Flags
) -> tuple[Places, list[Places]]:
    """Return the rows of the triples that a pattern makes, and the places of their terms in each column."""
    made = [terms[term] for term in pattern.terms]
    present = good.copy()
    for column in pattern.needs:
        present &= _has_value(cells[column])
    if all(each.ends is None for each in made):
        for each, term in zip(made, pattern.terms, strict=True):
            if term.template.columns:
                present &= each.codes >= 0
        rows = np.flatnonzero(present)
        return rows, [rows] * 3
    rows, places = combinations([each.ends for each in made], len(good))
    kept = present[rows]
    for each, at in zip(made, places, strict=True):
        kept &= each.codes[at] >= 0
    return rows[kept], [at[kept] for at in places]


def _has_value(cells: Cells) -> Flags:
    """Return flags of the rows that have a value."""
    if cells.ends is None:
        return cells.codes >= 0
    counts = np.concatenate([[0], np.cumsum(cells.codes >= 0)])[np.concatenate([[0], cells.ends])]
    return np.asarray(np.diff(counts) > 0)


def _column(made: Sequence[Terms], places: Sequence[Places], order: Places) -> TermColumn:
    """The terms of several patterns as one column, put in order; those of one pattern stand there once."""
    begins: dict[int, int] = {}
    different: list[Terms] = []
    length = 0
    for each in made:
        if id(each) not in begins:
            begins[id(each)] = length
            different.append(each)
            length += len(each.texts)
    codes = [
        each.codes[chosen] + np.int32(begins[id(each)]) for each, chosen in zip(made, places, strict=True)
    ]
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

"""What runs on the executors where a DataFrame's rows are triples only by a mapping: rows in, triples out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.errors import InvalidRowError
from pantarhei.language.time import FLOAT_TICKS, TimeKind
from pantarhei.mapping.binding import BoundMapping
from pantarhei.mapping.cells import cells_of, joined, shown_cell
from pantarhei.mapping.rows import BadCell, MappedRows, map_rows
from pantarhei.mapping.times import is_whole
from pantarhei.rdf.triple_table import TermColumn, TripleColumns
from pantarhei.spark.odd_rows import carrying, shortened
from pantarhei.spark.worker import SkippedRows, log_skipped
from pantarhei.streams.tables.arrow_table import ArrowTable

NAME = "the DataFrame"
"""What errors call it."""

Wrong = Literal["raise", "skip", "carry"]


@dataclass(frozen=True, slots=True)
class Melting:
    """Makes triples of rows, by column; for `mapInArrow`.

    Args:
        bound: the mapping, for the table's columns.
        mapping: what errors call it.
        kind: what timestamps are.
        schema: of what comes out.
        wrong: what becomes of rows that are not as the mapping says: the first is raised; they are left out,
            and the log says so; or rows without a time carry what is wrong (`odd_rows.carrying`).
    """

    bound: BoundMapping
    mapping: str
    kind: TimeKind
    schema: pa.Schema
    wrong: Wrong

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        skipped = SkippedRows()
        for batch in batches:
            cells = self.cells(batch)
            parts = self._of_one_kind(cells, batch.num_rows)
            yield from map(self._triples, parts)
            errors = [_error(cells, bad) for bad in sorted(bad for part in parts for bad in part.bad)]
            if errors and self.wrong == "raise":
                raise errors[0]
            if errors and self.wrong == "carry":
                yield carrying(errors, self.schema)
            skipped.note(errors, len(errors))
        if self.wrong == "skip":
            log_skipped(skipped)

    def cells(self, batch: pa.RecordBatch) -> Mapping[str, pa.Array]:
        """The columns to which the mapping refers; Spark's timestamps are instants, told in UTC."""
        table = ArrowTable(NAME, batch.schema, lambda _: iter([batch]))
        (block,) = table.blocks(tuple(self.bound.columns))
        return {name: _in_utc(array) for name, array in block.columns.items()}

    def _of_one_kind(self, cells: Mapping[str, pa.Array], height: int) -> list[MappedRows]:
        """What rows say, with times of the column's type: texts that are to be whole numbers may be others.

        Whole ones are read apart from the others, whose ticks are finer, so that fewer numbers fit.
        """
        mapped = map_rows(self.bound, cells, height, 1, self.mapping)
        if self.kind is not TimeKind.INTEGER or mapped.kind is TimeKind.INTEGER:
            return [mapped]
        template, nulls = self.bound.time.template, self.bound.nulls
        times = joined(template, {name: cells_of(cells[name], nulls) for name in template.columns})
        whole = np.array([*map(is_whole, times.values.to_pylist()), False])[
            times.codes
        ]  # a null's is the last
        return [self._whole(cells, np.flatnonzero(rows)) for rows in (whole, ~whole)]

    def _whole(self, cells: Mapping[str, pa.Array], rows: npt.NDArray[np.intp]) -> MappedRows:
        """What some of the rows say; those whose times are no whole numbers are left out."""
        part = {name: array.take(pa.array(rows)) for name, array in cells.items()}
        mapped = map_rows(self.bound, part, len(rows), 1, self.mapping)
        bad = [BadCell(int(rows[place]), column, reason) for place, column, reason in mapped.bad]
        if mapped.kind is TimeKind.INTEGER:
            return mapped._replace(bad=bad)
        ticks, fractions = np.divmod(mapped.ticks, FLOAT_TICKS)
        whole = fractions == 0
        counts = np.diff(mapped.ends, prepend=0)
        triples = np.flatnonzero(np.repeat(whole, counts))
        column = ", ".join(self.bound.time.template.columns)
        told = np.delete(rows, [each.row for each in mapped.bad])
        bad += [BadCell(row, column, _NOT_WHOLE) for row in told[~whole].tolist()]
        return MappedRows(
            TimeKind.INTEGER,
            ticks[whole],
            TripleColumns(*(TermColumn(terms.codes[triples], terms.distinct) for terms in mapped.triples)),
            np.cumsum(counts[whole]),
            bad,
        )

    def _triples(self, mapped: MappedRows) -> pa.RecordBatch:
        ticks = pa.array(np.repeat(mapped.ticks, np.diff(mapped.ends, prepend=0)))
        if self.kind is TimeKind.FLOAT:
            scale = FLOAT_TICKS if mapped.kind is TimeKind.FLOAT else 1
            ticks = pc.divide(ticks.cast(pa.float64(), safe=False), float(scale))
        columns = [ticks, *map(_texts, mapped.triples)]
        return pa.record_batch(
            [column.cast(field.type) for column, field in zip(columns, self.schema, strict=True)],
            schema=self.schema,
        )


_NOT_WHOLE = (
    "as a time it is no whole number, as texts are to be on Spark; cast the column to double for others"
)


def _texts(terms: TermColumn) -> pa.Array:
    return pa.array(terms.distinct, pa.string()).take(pa.array(terms.codes))


def _in_utc(array: pa.Array) -> pa.Array:
    has_zone = pa.types.is_timestamp(array.type) and array.type.tz is not None
    return array.cast(pa.timestamp(array.type.unit, "UTC")) if has_zone else array


def _error(cells: Mapping[str, pa.Array], bad: BadCell) -> InvalidRowError:
    row = [f"{name}={shortened(shown_cell(cells[name], bad.row))}" for name in cells]
    return InvalidRowError(row, bad.column, bad.reason)

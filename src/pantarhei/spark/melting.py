"""What runs on the executors where a DataFrame's rows are triples only by a mapping: rows in, triples out."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pantarhei.errors import InvalidRowError
from pantarhei.io.mapping.binding import BoundMapping
from pantarhei.io.mapping.cells import shown_cell
from pantarhei.io.mapping.rows import BadCell, MappedRows, map_rows
from pantarhei.io.tables.arrow_table import ArrowTable
from pantarhei.model.time import FLOAT_TICKS, TimeKind
from pantarhei.rdf.triple_table import TermColumn
from pantarhei.spark.odd_rows import carrying, shortened
from pantarhei.spark.worker import SkippedRows, log_skipped

_LOG = logging.getLogger("pantarhei.spark")

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
        times_cut = 0
        for batch in batches:
            cells = self.cells(batch)
            mapped = map_rows(self.bound, cells, batch.num_rows, 1, self.mapping, self.kind)
            times_cut += mapped.times_cut
            yield self._triples(mapped)
            errors = [_error(cells, bad) for bad in mapped.bad]
            if errors and self.wrong == "raise":
                raise errors[0]
            if errors and self.wrong == "carry":
                yield carrying(errors, self.schema)
            skipped.note(errors, len(errors))
        if times_cut:
            _LOG.warning("%d times of %s cut to microseconds", times_cut, NAME)
        if self.wrong == "skip":
            log_skipped(skipped)

    def cells(self, batch: pa.RecordBatch) -> Mapping[str, pa.Array]:
        """The columns to which the mapping refers; Spark's timestamps are instants, told in UTC."""
        table = ArrowTable(NAME, batch.schema, lambda _: iter([batch]))
        (block,) = table.blocks(tuple(self.bound.columns))
        return {name: _in_utc(array) for name, array in block.columns.items()}

    def _triples(self, mapped: MappedRows) -> pa.RecordBatch:
        ticks = pa.array(np.repeat(mapped.ticks, np.diff(mapped.ends, prepend=0)))
        if self.kind is TimeKind.FLOAT:
            ticks = pc.divide(ticks.cast(pa.float64(), safe=False), float(FLOAT_TICKS))
        columns = [ticks, *map(_texts, mapped.triples)]
        return pa.record_batch(
            [column.cast(field.type) for column, field in zip(columns, self.schema, strict=True)],
            schema=self.schema,
        )


def _texts(terms: TermColumn) -> pa.Array:
    return pa.array(terms.distinct, pa.string()).take(pa.array(terms.codes))


def _in_utc(array: pa.Array) -> pa.Array:
    has_zone = pa.types.is_timestamp(array.type) and array.type.tz is not None
    return array.cast(pa.timestamp(array.type.unit, "UTC")) if has_zone else array


def _error(cells: Mapping[str, pa.Array], bad: BadCell) -> InvalidRowError:
    row = [f"{name}={shortened(shown_cell(cells[name], bad.row))}" for name in cells]
    return InvalidRowError(row, bad.column, bad.reason)

"""Timed rows of text as Arrow record batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import numpy as np
import pyarrow as pa

from pantarhei.model.time import TimeKind, TimePoint, ticks_of
from pantarhei.spark.sources.text_rows import Rows
from pantarhei.spark.sources.triple_columns import GrowingColumns

ROWS_A_BATCH = 20_000


def record_batches(rows: Iterable[Rows], kind: TimeKind, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches of at most `ROWS_A_BATCH` rows, in order; all timestamps are of that kind, datetimes in
    microseconds.
    """
    times: list[TimePoint] = []
    counts: list[int] = []
    held = GrowingColumns()
    for at, triples in rows:
        for piece in triples.pieces(ROWS_A_BATCH):
            if len(held) + len(piece) > ROWS_A_BATCH:
                yield _batch(times, counts, held, kind, schema)
                times, counts, held = [], [], GrowingColumns()
            times.append(at)
            counts.append(len(piece))
            held.extend(piece)
    if held:
        yield _batch(times, counts, held, kind, schema)


def _batch(
    times: list[TimePoint], counts: list[int], triples: GrowingColumns, kind: TimeKind, schema: pa.Schema
) -> pa.RecordBatch:
    time = _time_column(times, counts, kind, schema.field(0).type)
    terms = [array.cast(field.type) for array, field in zip(triples.arrays(), list(schema)[1:], strict=True)]
    return pa.record_batch([time, *terms], schema=schema)


def _time_column(
    times: list[TimePoint], counts: list[int], kind: TimeKind, column_type: pa.DataType
) -> pa.Array:
    if kind is TimeKind.FLOAT:
        values = np.array(times, dtype=np.float64)
    else:
        values = np.array([ticks_of(at, kind) for at in times], dtype=np.int64)
    return cast(pa.Array, pa.array(np.repeat(values, counts)).cast(column_type))

"""Timed rows of text as Arrow record batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import numpy as np
import pyarrow as pa

from pantarhei.language.time import TimeKind, TimePoint, ticks_of
from pantarhei.spark.plain_quads import TextTriple
from pantarhei.spark.text_rows import Rows

ROWS_A_BATCH = 20_000


def record_batches(rows: Iterable[Rows], kind: TimeKind, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches of at most `ROWS_A_BATCH` rows, in order; all timestamps are of that kind, datetimes in
    microseconds.
    """
    times: list[TimePoint] = []
    counts: list[int] = []
    held: list[TextTriple] = []
    for at, triples in rows:
        for piece in _pieces(triples, ROWS_A_BATCH):
            if len(held) + len(piece) > ROWS_A_BATCH:
                yield _batch(times, counts, held, kind, schema)
                times, counts, held = [], [], []
            times.append(at)
            counts.append(len(piece))
            held += piece
    if held:
        yield _batch(times, counts, held, kind, schema)


def _pieces(triples: list[TextTriple], size: int) -> Iterator[list[TextTriple]]:
    if 0 < len(triples) <= size:
        yield triples
        return
    for begin in range(0, len(triples), size):
        yield triples[begin : begin + size]


def _batch(
    times: list[TimePoint], counts: list[int], triples: list[TextTriple], kind: TimeKind, schema: pa.Schema
) -> pa.RecordBatch:
    terms = zip(*triples, strict=True)
    columns = [pa.array(column, field.type) for column, field in zip(terms, list(schema)[1:], strict=True)]
    time = _time_column(times, counts, kind, schema.field(0).type)
    return pa.record_batch([time, *columns], schema=schema)


def _time_column(
    times: list[TimePoint], counts: list[int], kind: TimeKind, column_type: pa.DataType
) -> pa.Array:
    if kind is TimeKind.FLOAT:
        values = np.array(times, dtype=np.float64)
    else:
        values = np.array([ticks_of(at, kind) for at in times], dtype=np.int64)
    return cast(pa.Array, pa.array(np.repeat(values, counts)).cast(column_type))

"""Rows as record batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from pantarhei.model.time import TimeKind
from pantarhei.spark.sources import arrow_rows
from pantarhei.spark.sources.arrow_rows import record_batches
from pantarhei.spark.sources.triple_columns import GrowingColumns
from pantarhei.spark.stream_columns import COLUMNS

SCHEMAS = {
    TimeKind.INTEGER: pa.int64(),
    TimeKind.FLOAT: pa.float64(),
    TimeKind.DATETIME: pa.timestamp("us", tz="UTC"),
}
BEGIN = datetime(2026, 1, 31, 10, 0, 0, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "times"),
    [
        (TimeKind.INTEGER, [-3, 0, 2**61]),
        (TimeKind.FLOAT, [-0.5, 0.0, 1e-9]),
        (TimeKind.DATETIME, [BEGIN, BEGIN + timedelta(microseconds=1), datetime(1931, 1, 1, tzinfo=UTC)]),
    ],
)
def test_batches_hold_the_rows_in_order_with_their_exact_times(kind, times, monkeypatch):
    monkeypatch.setattr(arrow_rows, "ROWS_A_BATCH", 10)
    schema = pa.schema([("timestamp", SCHEMAS[kind]), *((name, pa.string()) for name in COLUMNS[1:])])
    sizes = [4, 35, 0, 6, 1]
    rows = []
    for i, count in enumerate(sizes):
        triples = GrowingColumns()
        for j in range(count):
            triples.append((f"<urn:{i}>", "<urn:p>", f'"{j}"'))
        rows.append((times[i % 3], triples))
    batches = list(record_batches(rows, kind, schema))
    assert all(0 < batch.num_rows <= 10 and batch.schema == schema for batch in batches)
    found = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    assert found == [(at, *triple) for at, triples in rows for triple in triples]

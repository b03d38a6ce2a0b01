"""Interpretations on their way from the workers to the driver: one row an ABox, its facts as integers.

Terms that the driver's foundation has do not travel, the others once an ABox. That is what keeps the driver's
part small: it looks up the terms that are new to it, and no strings besides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from pantarhei.errors import InvalidRowError
from pantarhei.interpretation.interpretation import Interpretation, Terms
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.interpretation.writing import Texts
from pantarhei.model.time import TimeKind, TimePoint, ticks_of, time_of
from pantarhei.rdf.blank_nodes import name_of_timestamp
from pantarhei.spark.frame import TIMESTAMP
from pantarhei.spark.stream_columns import COLUMNS
from pantarhei.spark.worker import SkippedRows

_TERMS = Terms._fields


def block_schema(time: DataType) -> StructType:
    """The schema of blocks whose timestamps have the type `time`."""
    texts = ArrayType(StringType())
    return StructType(
        [
            StructField(TIMESTAMP, time),
            StructField("facts", BinaryType()),
            StructField("asserted", IntegerType()),
            *(StructField(name, texts) for name in _TERMS),
            StructField("contradictory", BooleanType()),
            StructField("foundation", StringType()),
            StructField("skipped", LongType()),
            StructField("examples", texts),
        ]
    )


@dataclass(frozen=True, slots=True)
class BlockWriter:
    """Writes an interpretation as one row."""

    schema: pa.Schema

    def __call__(self, at: pa.Scalar, made: Interpretation, texts: Texts) -> pa.Table:
        row = {
            "facts": made.facts.tobytes(),
            "asserted": made.asserted,
            **made.terms._asdict(),
            "contradictory": made.contradictory,
            "foundation": made.foundation,
        }
        columns = [
            pa.repeat(at, 1).cast(field.type)
            if field.name == TIMESTAMP
            else pa.array([row.get(field.name)], field.type)
            for field in self.schema
        ]
        return pa.table(columns, schema=self.schema)


@dataclass(frozen=True, slots=True)
class SkippedWriter:
    """Writes what was left out as one row."""

    schema: pa.Schema

    def __call__(self, skipped: SkippedRows) -> pa.Table:
        examples = [json.dumps(error.args, ensure_ascii=False) for error in skipped.examples]
        row = {"skipped": skipped.count, "examples": examples}
        return pa.Table.from_pylist([row], schema=self.schema)


class TimedInterpretation(NamedTuple):
    """An interpretation with its timestamp, as ticks and as the stream has it."""

    ticks: int
    at: TimePoint
    made: Interpretation

    @property
    def scope(self) -> str:
        """Whose its blank nodes are: the timestamp's, which may come in parts."""
        return name_of_timestamp(self.ticks)


def read_skipped(table: pa.Table) -> SkippedRows:
    """What the workers left out, by their blocks."""
    rows = table.filter(table.column(TIMESTAMP).is_null()).select(["skipped", "examples"]).to_pylist()
    examples = [InvalidRowError(*json.loads(text)) for row in rows for text in row["examples"]]
    return SkippedRows(sum(row["skipped"] for row in rows), examples)


def read_blocks(table: pa.Table, kind: TimeKind) -> list[TimedInterpretation]:
    """The interpretations in a table of blocks, oldest first."""
    table = table.filter(table.column(TIMESTAMP).is_valid())
    made = map(_interpretation, table.drop_columns([TIMESTAMP]).to_pylist())
    times = _times(table.column(TIMESTAMP), kind)
    timed = (TimedInterpretation(ticks_of(at, kind), at, each) for at, each in zip(times, made, strict=True))
    return sorted(timed, key=lambda each: each.ticks)


def _interpretation(row: Mapping[str, Any]) -> Interpretation:
    return Interpretation(
        np.frombuffer(row["facts"], np.int32).reshape(-1, 3),
        row["asserted"],
        Terms(*(tuple(row[name]) for name in _TERMS)),
        (),
        row["contradictory"],
        row["foundation"],
    )


def _times(times: pa.ChunkedArray, kind: TimeKind) -> list[TimePoint]:
    """Timestamps as the stream has them, in UTC."""
    if kind is TimeKind.DATETIME:
        times = times.cast(pa.timestamp("us", "UTC"))
        return [time_of(ticks, kind) for ticks in times.cast(pa.int64()).to_pylist()]
    given: list[TimePoint] = times.to_pylist()
    return given


def pack(waiting: Iterable[TimedInterpretation], texts: Texts) -> bytes:
    """The asserted facts of interpretations as bytes (Arrow's stream format), for another process too: there
    blank nodes of the ontology may have other labels.
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _PACKED, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        for part, timed in enumerate(waiting):
            facts = texts.table(timed.made).slice(0, timed.made.asserted)
            real = float(timed.at) if isinstance(timed.at, float) else None
            places = zip((part, timed.ticks, real), _PACKED.types, strict=False)
            columns = (pa.repeat(pa.scalar(place, of), len(facts)) for place, of in places)
            stream.write_table(pa.table([*columns, *facts.columns[:3]], schema=_PACKED))
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpack(packed: bytes, kind: TimeKind, materializer: ABoxMaterializer) -> Iterator[TimedInterpretation]:
    """The interpretations that `pack` packed, closed anew."""
    table = pa.ipc.open_stream(packed).read_all()
    parts = table.column("part").to_numpy()
    bounds = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), len(table)]
    made = materializer.materialize_parts(table.select(COLUMNS[1:]), bounds)
    for start, each in zip(bounds[:-1], made, strict=True):
        ticks, real = (table.column(name)[start].as_py() for name in ("ticks", "real"))
        yield TimedInterpretation(ticks, time_of(ticks, kind) if real is None else real, each)


# `real` is a time that is a float: ticks do not tell all of it
_PACKED = pa.schema(
    {
        "part": pa.int64(),
        "ticks": pa.int64(),
        "real": pa.float64(),
        **{name: pa.string() for name in COLUMNS[1:]},
    }
)

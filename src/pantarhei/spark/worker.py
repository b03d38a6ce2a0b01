"""Tasks of executors: they materialize whole ABoxes and return the canonical models as Arrow batches.

A task receives the rows of whole timestamps, ordered by time. It splits them into ABoxes, regardless of the
boundaries of Arrow batches, and materializes each ABox separately. The foundation is one broadcast value,
which a worker process caches across tasks.

An interpretation is sent to the driver as a *block*: one row per ABox, with the facts as integers. Terms of
the foundation are not sent, all other terms once per ABox. So the driver parses only terms that are new to
it.
"""

from __future__ import annotations

import gc
import json
import logging
import pickle
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from pyspark import AccumulatorParam
from pyspark.sql import types as t

from pantarhei.errors import InvalidRowError, InvalidTripleError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import Interpretation, InterpretationTables, OwnTerms
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.io.mapping.mapped_rows import InvalidRow
from pantarhei.model.time import TimeKind, TimePoint, ticks_of, time_of
from pantarhei.rdf.ntriples import name_of_timestamp
from pantarhei.spark.frame import COLUMNS, TIMESTAMP, integer_times
from pantarhei.spark.invalid_rows import drop_rows, find_invalid_rows, row_error, rows_without_time
from pantarhei.spark.worker_errors import methods_send_errors

OnError = Literal["raise", "skip"]
ON_ERROR = ("raise", "skip")

# Number of rows that are processed together, so that recurring terms are looked up once.
CHUNK = 100_000
_EXAMPLES = 10  # number of errors of skipped rows that are kept

_log = logging.getLogger("pantarhei.spark")


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class FirstByKey(AccumulatorParam[dict[Key, Value]]):
    """Accumulator that merges dictionaries; the first value of a key is kept, so that repeated tasks
    count once.
    """

    def zero(self, value: dict[Key, Value]) -> dict[Key, Value]:
        return {}

    def addInPlace(self, value1: dict[Key, Value], value2: dict[Key, Value]) -> dict[Key, Value]:
        return {**value2, **value1}


class Broadcast(Protocol):
    """Broadcast variable of Spark with bytes."""

    @property
    def value(self) -> bytes: ...


class SentWithTasks(NamedTuple):
    """Bytes that each task brings, in place of a broadcast variable, which Spark Connect does not have."""

    value: bytes


class CachedFoundation:
    """Objects that are built from a foundation, and that a worker process caches across tasks."""

    def __init__(self, foundation: Foundation) -> None:
        self.texts = InterpretationTables(foundation)
        self.materializer = ABoxMaterializer(foundation)


_cached: dict[str, CachedFoundation] = {}


def _cached_foundation(digest: str, foundation: Broadcast) -> CachedFoundation:
    if digest not in _cached:
        _cached.clear()
        gc.unfreeze()
        _cached[digest] = CachedFoundation(pickle.loads(foundation.value))
        gc.collect()
        gc.freeze()  # exempts these objects from the garbage collection that Spark runs after each task
    return _cached[digest]


@dataclass(slots=True)
class SkippedRows:
    """Rows that were skipped because they are not timestamped triples: their number, and the first errors.

    >>> skipped = SkippedRows()
    >>> skipped.note([], 3)
    >>> skipped.count
    3
    """

    count: int = 0
    examples: list[InvalidRowError] = field(default_factory=list)

    def add(self, table: pa.Table, found: Sequence[InvalidRow]) -> None:
        """Count the invalid rows `found` in a table."""
        room = _EXAMPLES - len(self.examples)
        self.note([row_error(table, problem) for problem in found[:room]], len(found))

    def note(self, first: Sequence[InvalidRowError], count: int) -> None:
        """Count `count` skipped rows, with the errors of the first of them."""
        self.count += count
        self.examples += first[: _EXAMPLES - len(self.examples)]

    def __add__(self, other: SkippedRows) -> SkippedRows:
        return SkippedRows(self.count + other.count, (self.examples + other.examples)[:_EXAMPLES])

    def __str__(self) -> str:
        more = "" if self.count <= len(self.examples) else " …"
        first = "; ".join(error.what for error in self.examples)
        return f"skipped {self.count} rows that are not timestamped triples: {first}{more}"


def log_skipped(skipped: SkippedRows) -> None:
    """Log skipped rows, if there are any."""
    if skipped.count:
        _log.warning("%s", skipped)


Writer = Callable[[pa.Scalar, Interpretation, InterpretationTables], pa.Table]


@methods_send_errors
@dataclass(frozen=True, slots=True)
class MaterializeTask:
    """Function for `mapInArrow` that materializes the ABoxes of one Spark partition.

    Args:
        foundation: the pickled `Foundation`, as a broadcast variable.
        digest: the foundation's digest.
        write: converts an interpretation to a table.
        on_error: handling of rows that are not timestamped triples.
        report: converts the skipped rows to a table with the schema of `write`; None to log them instead.
        conflicts: whether to compute conflict sets for `write`.
    """

    foundation: Broadcast
    digest: str
    write: Writer
    on_error: OnError
    report: Callable[[SkippedRows], pa.Table] | None = None
    conflicts: bool = False

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        known = _cached_foundation(self.digest, self.foundation)
        skipped = SkippedRows()
        for table in _whole_aboxes(batches):
            for at, made in self._closed(table, known.materializer, skipped):
                yield from self.write(at, made, known.texts).to_batches()
        if skipped.count and self.report is not None:
            yield from self.report(skipped).to_batches()
        else:
            log_skipped(skipped)

    def _closed(
        self, table: pa.Table, materializer: ABoxMaterializer, skipped: SkippedRows
    ) -> Iterator[tuple[pa.Scalar, Interpretation]]:
        """Yield the interpretation of each ABox in a table of whole ABoxes, with its timestamp.

        Raises:
            InvalidRowError: a row is not a timestamped triple, and `on_error` is "raise".
        """
        if rows_without_time(table).any():
            table = self._cleaned(table, skipped)
        bounds, done = _bounds(table), 0
        try:
            for made in materializer.materialize_parts(table, bounds, self.conflicts):
                yield table.column(TIMESTAMP)[bounds[done]], made
                done += 1
        except (InvalidTripleError, UnicodeDecodeError, pa.ArrowException):
            rest = table.slice(bounds[done])
            if not find_invalid_rows(rest):
                raise  # the error has another cause
            yield from self._closed(self._cleaned(rest, skipped), materializer, skipped)

    def _cleaned(self, table: pa.Table, skipped: SkippedRows) -> pa.Table:
        """Remove the rows that are not timestamped triples, and count them.

        Raises:
            InvalidRowError: there is such a row, and `on_error` is "raise".
        """
        found = find_invalid_rows(table)
        if self.on_error == "raise":
            raise row_error(table, found[0])
        skipped.add(table, found)
        return drop_rows(table, found)


def _whole_aboxes(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Regroup batches that are ordered by time, and may end within an ABox, to tables of whole ABoxes."""
    waiting: list[pa.RecordBatch] = []
    rows, enough = 0, CHUNK
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows < enough:
            continue
        table = pa.Table.from_batches(waiting)
        last = _bounds(table)[-2]  # the first row of the newest ABox, which may continue
        if last:
            yield table.slice(0, last)
        waiting = table.slice(last).to_batches()
        rows, enough = len(table) - last, max(CHUNK, 2 * (len(table) - last))
    if rows:
        yield pa.Table.from_batches(waiting)


def _bounds(table: pa.Table) -> list[int]:
    """Return the index of the first row of each ABox in a table, and the table's length."""
    times = integer_times(table.column(TIMESTAMP)).combine_chunks()
    numbers = np.asarray(times.fill_null(0))
    inner = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    return [0, *inner.tolist(), len(table)] if len(table) else [0]


_TERMS = OwnTerms._fields


def block_schema(time: t.DataType) -> t.StructType:
    """Return the schema of blocks whose timestamps have the type `time`."""
    texts = t.ArrayType(t.StringType())
    return t.StructType(
        [
            t.StructField(TIMESTAMP, time),
            t.StructField("facts", t.BinaryType()),
            t.StructField("asserted", t.IntegerType()),
            *(t.StructField(name, texts) for name in _TERMS),
            t.StructField("contradictory", t.BooleanType()),
            t.StructField("foundation", t.StringType()),
            t.StructField("skipped", t.LongType()),
            t.StructField("examples", texts),
        ]
    )


@dataclass(frozen=True, slots=True)
class BlockTableWriter:
    """Writer that converts an interpretation to a block, a table of one row."""

    schema: pa.Schema

    def __call__(self, at: pa.Scalar, made: Interpretation, texts: InterpretationTables) -> pa.Table:
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
class SkippedBlockWriter:
    """Writer that converts the number and the first errors of skipped rows to a block without a timestamp."""

    schema: pa.Schema

    def __call__(self, skipped: SkippedRows) -> pa.Table:
        examples = [json.dumps(error.args, ensure_ascii=False) for error in skipped.examples]
        row = {"skipped": skipped.count, "examples": examples}
        return pa.Table.from_pylist([row], schema=self.schema)


class TimedInterpretation(NamedTuple):
    """Interpretation with its timestamp, in ticks and in its original form."""

    ticks: int
    at: TimePoint
    interpretation: Interpretation

    @property
    def scope(self) -> str:
        """Scope of the blank nodes: the name of the timestamp, whose rows may arrive in several batches."""
        return name_of_timestamp(self.ticks)


def read_skipped(table: pa.Table) -> SkippedRows:
    """Return the skipped rows that are reported in a table of blocks."""
    rows = table.filter(table.column(TIMESTAMP).is_null()).select(["skipped", "examples"]).to_pylist()
    examples = [InvalidRowError(*json.loads(text)) for row in rows for text in row["examples"]]
    return SkippedRows(sum(row["skipped"] for row in rows), examples)


def read_blocks(table: pa.Table, kind: TimeKind) -> list[TimedInterpretation]:
    """Return the interpretations in a table of blocks, oldest first."""
    table = table.filter(table.column(TIMESTAMP).is_valid())
    made = map(_interpretation, table.drop_columns([TIMESTAMP]).to_pylist())
    times = _times(table.column(TIMESTAMP), kind)
    timed = (TimedInterpretation(ticks_of(at, kind), at, each) for at, each in zip(times, made, strict=True))
    return sorted(timed, key=lambda each: each.ticks)


def _interpretation(row: Mapping[str, Any]) -> Interpretation:
    return Interpretation(
        np.frombuffer(row["facts"], np.int32).reshape(-1, 3),
        row["asserted"],
        OwnTerms(*(tuple(row[name]) for name in _TERMS)),
        (),
        row["contradictory"],
        row["foundation"],
    )


def _times(times: pa.ChunkedArray, kind: TimeKind) -> list[TimePoint]:
    """Convert a column of timestamps to Python values; datetimes are in UTC."""
    if kind is TimeKind.DATETIME:
        times = times.cast(pa.timestamp("us", "UTC"))
        return [time_of(ticks, kind) for ticks in times.cast(pa.int64()).to_pylist()]
    given: list[TimePoint] = times.to_pylist()
    return given


def pack(waiting: Iterable[TimedInterpretation], texts: InterpretationTables) -> bytes:
    """Encode the asserted facts of interpretations as bytes, in Arrow's stream format.

    Facts are encoded as texts, since another process may have other numbers for terms, and other labels for
    the blank nodes of the ontology.
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _PACKED, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        for part, timed in enumerate(waiting):
            facts = texts.table(timed.interpretation).slice(0, timed.interpretation.asserted)
            real = float(timed.at) if isinstance(timed.at, float) else None
            places = zip((part, timed.ticks, real), _PACKED.types, strict=False)
            columns = (pa.repeat(pa.scalar(place, of), len(facts)) for place, of in places)
            stream.write_table(pa.table([*columns, *facts.columns[:3]], schema=_PACKED))
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpack(packed: bytes, kind: TimeKind, materializer: ABoxMaterializer) -> Iterator[TimedInterpretation]:
    """Decode the facts encoded by `pack`, and materialize the interpretations again."""
    table = pa.ipc.open_stream(packed).read_all()
    parts = table.column("part").to_numpy()
    bounds = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), len(table)]
    made = materializer.materialize_parts(table.select(COLUMNS[1:]), bounds)
    for start, each in zip(bounds[:-1], made, strict=True):
        ticks, real = (table.column(name)[start].as_py() for name in ("ticks", "real"))
        yield TimedInterpretation(ticks, time_of(ticks, kind) if real is None else real, each)


# `real` is a timestamp that is a float, which its ticks would round.
_PACKED = pa.schema(
    {
        "part": pa.int64(),
        "ticks": pa.int64(),
        "real": pa.float64(),
        **{name: pa.string() for name in COLUMNS[1:]},
    }
)

"""Conversion of a user's DataFrame to timestamped triples, by a mapping as for `read_records`."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from pantarhei.errors import (
    ExcludedOptionError,
    InvalidRowError,
    MappingError,
    check_choice,
    check_type,
)
from pantarhei.io.mapping.binding import BoundMapping, bind
from pantarhei.io.mapping.cell_columns import check_column_type, shown_cell
from pantarhei.io.mapping.mapped_rows import InvalidRow, MappedRows, map_rows
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.mapping.record_mapping import ROW, RecordMapping
from pantarhei.io.mapping.text_times import check_unordered
from pantarhei.io.tables.arrow_table import ArrowTable, outermost
from pantarhei.model.time import FLOAT_TICKS, TimeKind
from pantarhei.rdf.triple_table import TermColumn
from pantarhei.spark.frame import TIMESTAMP, check_frame, frame_schema, normalized, quoted
from pantarhei.spark.invalid_rows import error_rows, shortened
from pantarhei.spark.versions import schema_to_arrow, type_to_arrow
from pantarhei.spark.worker import ON_ERROR, OnError, SkippedRows, log_skipped
from pantarhei.spark.worker_errors import methods_send_errors

_LOG = logging.getLogger("pantarhei.spark")

NAME = "the DataFrame"
"""Name of a user's DataFrame in errors."""

OnInvalid = Literal["raise", "skip", "carry"]


@methods_send_errors
@dataclass(frozen=True, slots=True)
class MapRowsTask:
    """Function for `mapInArrow` that maps rows to triples, by column.

    Args:
        bound: the mapping, bound to the table's columns.
        mapping: the mapping's name in errors.
        kind: the kind of timestamps.
        schema: the schema of the result.
        wrong: handling of rows that do not fit the mapping: "raise" raises the first error; "skip" skips and
            logs the rows; "carry" replaces them by rows without a time that carry the errors to a later check
            (`invalid_rows.error_rows`).
        carried: columns of the table that each triple keeps.
    """

    bound: BoundMapping
    mapping: str
    kind: TimeKind
    schema: pa.Schema
    wrong: OnInvalid
    carried: tuple[str, ...] = ()

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        skipped = SkippedRows()
        times_cut = 0
        for batch in batches:
            cells = self.cells(batch)
            mapped = map_rows(self.bound, cells, batch.num_rows, 1, self.mapping, self.kind)
            times_cut += mapped.times_cut
            yield self._triples(mapped, batch)
            errors = [_error(cells, bad) for bad in mapped.bad]
            if errors and self.wrong == "raise":
                raise errors[0]
            if errors and self.wrong == "carry":
                rows = np.array([bad.row for bad in mapped.bad])
                yield error_rows(errors, self.schema, self._carried(batch, rows))
            skipped.note(errors, len(errors))
        if times_cut:
            _LOG.warning("%d times of %s cut to microseconds", times_cut, NAME)
        if self.wrong == "skip":
            log_skipped(skipped)

    def cells(self, batch: pa.RecordBatch) -> Mapping[str, pa.Array]:
        """Return the columns that the mapping uses, with the zone of timestamps set to UTC."""
        table = ArrowTable(NAME, batch.schema, lambda _: iter([batch]))
        (block,) = table.blocks(tuple(self.bound.columns))
        return {name: _in_utc(array) for name, array in block.columns.items()}

    def _carried(self, batch: pa.RecordBatch, rows: npt.NDArray[np.int64]) -> dict[str, pa.Array]:
        """Return the carried columns of some rows by name."""
        return {
            name: batch.column(name).take(pa.array(rows)).cast(self.schema.field(name).type)
            for name in self.carried
        }

    def _triples(self, mapped: MappedRows, batch: pa.RecordBatch) -> pa.RecordBatch:
        copies = np.diff(mapped.ends, prepend=0)
        ticks = pa.array(np.repeat(mapped.ticks, copies))
        if self.kind is TimeKind.FLOAT:
            ticks = pc.divide(ticks.cast(pa.float64(), safe=False), float(FLOAT_TICKS))
        columns = [ticks, *map(_texts, mapped.triples)]
        if self.carried:
            valid = np.delete(np.arange(batch.num_rows), [bad.row for bad in mapped.bad])
            columns += self._carried(batch, np.repeat(valid, copies)).values()
        return pa.record_batch(
            [column.cast(field.type) for column, field in zip(columns, self.schema, strict=True)],
            schema=self.schema,
        )


def _texts(terms: TermColumn) -> pa.Array:
    return pa.array(terms.distinct, pa.string()).take(pa.array(terms.codes))


def _in_utc(array: pa.Array) -> pa.Array:
    has_zone = pa.types.is_timestamp(array.type) and array.type.tz is not None
    return array.cast(pa.timestamp(array.type.unit, "UTC")) if has_zone else array


def _error(cells: Mapping[str, pa.Array], bad: InvalidRow) -> InvalidRowError:
    row = [f"{name}={shortened(shown_cell(cells[name], bad.row))}" for name in cells]
    return InvalidRowError(row, bad.column, bad.reason)


MappingSource: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | RecordMapping"


def melt(
    df: DataFrame,
    mapping: MappingSource,
    *,
    on_error: OnError = "raise",
    observation: Observation | None = None,
) -> DataFrame:
    """Map the rows of a table to timestamped triples; a wide table can be melted by its mapping.

    The result is valid input of `materialize_aboxes`, `run`, `reason_stream` and `shard_stream`. These
    functions also accept a `mapping` directly, and then count rows that do not fit it as skipped.

    Nothing runs before an action on the result. Rows are mapped by column within their Spark partition,
    without a shuffle.

    Args:
        df: the table, streaming or not.
        mapping: a mapping as for `pantarhei.read_records`.
        on_error: "raise" to raise an `InvalidRowError` for the first row that does not fit the mapping;
            "skip" to skip such rows and log them in the worker.
        observation: receives, at the first action, the numbers of triples (`triples`) and of skipped rows
            (`skipped`); only for DataFrames that do not stream.

    Returns:
        A DataFrame `(timestamp, subject, predicate, object)`, with terms in N-Triples syntax. The timestamp
        is of type timestamp; for `unit: number` in the mapping long or double.

    Raises:
        MissingFileError: the mapping's file does not exist.
        MappingError: the mapping cannot be read, or does not fit the columns.
        OptionError: `df` is not a DataFrame, or an option has an invalid value.

    >>> table = spark.createDataFrame([(7, "north", 12), (7, "south", 3)], "at long, id string, free long")
    >>> mapping = {
    ...     "prefixes": {"ex": "http://example.org/"},
    ...     "time": {"column": "at", "unit": "number"},
    ...     "mappings": {"garage": {"s": "ex:$(id)", "po": [["ex:free", "$(free)"]]}},
    ... }
    >>> triples = melt(table, mapping)
    >>> triples.columns, triples.count()
    (['timestamp', 'subject', 'predicate', 'object'], 2)
    """
    check_choice("on_error", on_error, ON_ERROR)
    check_type("df", df, DataFrame, "a DataFrame; pantarhei.read_records reads files and frames")
    if observation is None:
        return _melted(df, mapping, on_error)
    check_frame(
        df, False, "one that does not stream; reason_stream takes the mapping too, and counts skipped rows"
    )
    given = _melted(df, mapping, "raise" if on_error == "raise" else "carry")
    is_triple = f.col(TIMESTAMP).isNotNull()
    counted = {"triples": is_triple, "skipped": ~is_triple}
    counts = (f.count(f.when(these, 1)).alias(name) for name, these in counted.items())
    return given.observe(observation, *counts).where(is_triple)


def to_triples(
    df: DataFrame,
    columns: Mapping[str, str] | None,
    mapping: MappingSource | None,
    wrong: OnInvalid = "carry",
    carry: Sequence[str] = (),
) -> DataFrame:
    """Normalize a user's DataFrame, by the names of its columns or by a mapping.

    Args:
        columns: by normalized name, the names of columns in `df` that are named differently.
        wrong: handling of rows that do not fit the mapping, as for `MapRowsTask`.
        carry: columns of `df` that follow the normalized ones.

    Raises:
        OptionError: a column is missing or has an unsupported type; or `columns` is given with `mapping`.
        MappingError: the mapping cannot be read, or does not fit the columns.
    """
    if mapping is None:
        return normalized(df, columns, carry)
    if columns is not None:
        raise ExcludedOptionError("columns", "…", "The mapping names the columns.")
    return _melted(df, mapping, wrong, carry)


def _melted(df: DataFrame, mapping: MappingSource, wrong: OnInvalid, carry: Sequence[str] = ()) -> DataFrame:
    given = read_mapping(mapping)
    schema = _arrow_schema(df)
    bound = _bound(schema, given)
    kind = _kind(schema, bound, given)
    result = StructType([*frame_schema(kind), *(df.schema[name] for name in carry)])
    arrow = schema_to_arrow(result)
    task = MapRowsTask(bound, given.source, kind, arrow, wrong, tuple(carry))
    needed = df.select(*map(quoted, sorted({*outermost(schema, tuple(bound.columns)), *carry})))
    return needed.mapInArrow(task, result)


def _arrow_schema(df: DataFrame) -> pa.Schema:
    """Return the Arrow schema that workers receive.

    A type that Arrow does not have is replaced by bytes, which mappings refuse.
    """
    fields = []
    for field in df.schema.fields:
        try:
            kind = type_to_arrow(field.dataType)
        except PySparkException:
            kind = pa.binary()
        fields.append(pa.field(field.name, kind))
    return pa.schema(fields)


def _bound(schema: pa.Schema, mapping: RecordMapping) -> BoundMapping:
    """Bind a mapping to the columns of a DataFrame.

    Raises:
        MappingError: the mapping does not fit the columns, or depends on the order of rows.
    """
    table = ArrowTable(NAME, schema, lambda _: iter(()))
    bound = bind(mapping, table.names, NAME)
    check_unordered(mapping, NAME)
    for column, line in bound.columns.items():
        check_column_type(column, table.type_of(column), NAME, mapping.source, line)
    used = [*((name, mapping.time.line) for name in mapping.time.template.columns)]
    used += [used for pattern in bound.patterns for used in pattern.columns]
    for name, line in used:
        if name == ROW and ROW not in bound.columns:
            raise MappingError(
                mapping.source,
                line,
                f"$({ROW}) refers to row numbers, but the rows of {NAME} have none",
                f"columns whose values identify a row, such as a time and a name; or a column {ROW}, which "
                "monotonically_increasing_id() makes for a DataFrame that does not stream",
            )
    return bound


def _kind(schema: pa.Schema, bound: BoundMapping, mapping: RecordMapping) -> TimeKind:
    """Return the kind of timestamps by the type of the column of times; numbers in texts must be whole.

    Raises:
        MappingError: the type of the column of times does not fit the mapping.
    """
    table = ArrowTable(NAME, schema, lambda _: iter([pa.RecordBatch.from_pylist([], schema)]))
    (block,) = table.blocks(tuple(bound.columns))
    kind = map_rows(bound, block.columns, 0, 1, mapping.source).kind
    if kind is TimeKind.INTEGER and bound.time.template.is_whole:
        column = table.type_of(bound.time.template.columns[0])
        if pa.types.is_decimal(column) and column.scale > 0:
            return TimeKind.FLOAT
    return kind

"""Dead letters of a stream: rows that were not pushed, each with the reason and with columns of the user.

A row is invalid (not a timestamped triple), late, or too far ahead. Each has one dead letter in the batch in
which this was decided, with the columns `kind`, `reason`, `timestamp`, `subject`, `predicate`, `object`, and
the carried columns of the user's DataFrame, such as a Kafka topic, partition and offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from pantarhei.errors import MissingOptionError, OptionError
from pantarhei.io.mapping.mapped_rows import InvalidRow
from pantarhei.model.time import TimeKind
from pantarhei.spark.file_system import folder_at
from pantarhei.spark.frame import COLUMNS, TERMS, TIMESTAMP, spark_time
from pantarhei.spark.invalid_rows import carried_error
from pantarhei.spark.results import FileOutput, Outlet, OutputFormat, Sink
from pantarhei.spark.versions import schema_to_arrow

LetterKind = Literal["invalid", "late", "ahead"]

_HEAD = ("kind", "reason")


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """Delivery of dead letters to a function or a folder.

    Args:
        outlet: the recipients.
        names: the carried columns of the user's DataFrame.
        schema: the columns of a dead letter.
    """

    outlet: Outlet
    names: tuple[str, ...]
    schema: StructType

    @classmethod
    def of(
        cls,
        given: Sink | str | PathLike[str] | None,
        carry: Sequence[str] | None,
        output_format: OutputFormat,
        df: DataFrame,
        kind: TimeKind,
    ) -> DeadLetters | None:
        """Validate the options `dead_letters` and `carry`; return None if there are to be no dead letters.

        Args:
            given: a function of a DataFrame and the batch's number, or a folder.
            carry: names of columns of `df`.
            df: the user's DataFrame.
            kind: the kind of the stream's timestamps.

        Raises:
            OptionError: `carry` is given without `dead_letters`, names no column, or a column that has the
                name of another one or a type that Arrow does not have; `given` is neither a function nor a
                folder.
        """
        if given is None:
            if carry is not None:
                reason = "The columns of carry are handed out with dead letters."
                raise MissingOptionError("dead_letters", "…", reason)
            return None
        fields = _carried(() if carry is None else carry, df)
        head = [StructField(name, StringType()) for name in _HEAD]
        terms = [StructField(name, StringType()) for name in TERMS]
        schema = StructType([*head, StructField(TIMESTAMP, spark_time(kind)), *terms, *fields])
        return cls(
            _outlet(given, output_format, df.sparkSession), tuple(field.name for field in fields), schema
        )

    @property
    def arrow(self) -> pa.Schema:
        """Columns of a dead letter as an Arrow schema."""
        return schema_to_arrow(self.schema)

    def refuse_if_used(self) -> None:
        """Refuse a folder with files of another stream.

        Raises:
            OptionError: the folder contains files of batches.
        """
        if self.outlet.files is not None:
            self.outlet.files.refuse_if_used()

    def deliver(self, letters: pa.Table | DataFrame, batch: int, spark: SparkSession) -> None:
        """Deliver the dead letters of a batch; the function is called only if there are some.

        Args:
            letters: a table or DataFrame with the columns of `schema`.
        """
        table = letters.toArrow() if isinstance(letters, DataFrame) else letters
        table = _cast(table, self.arrow)
        if self.outlet.files is not None:
            self.outlet.files.write(table, batch)
        if self.outlet.sink is not None and len(table):
            self.outlet.sink(spark.createDataFrame(table, self.schema), batch)


def _outlet(given: object, output_format: OutputFormat, spark: SparkSession) -> Outlet:
    if callable(given):
        return Outlet(None, given)
    if not isinstance(given, str | PathLike):
        expected = "a function of a DataFrame and its batch's number, or a folder"
        raise OptionError("dead_letters", repr(given)[:200], expected)
    return Outlet(FileOutput(folder_at("dead_letters", given, spark), output_format), None)


def _carried(carry: Sequence[str], df: DataFrame) -> list[StructField]:
    """Return the fields of the carried columns."""
    if isinstance(carry, str) or not isinstance(carry, Sequence) or not set(carry) <= set(df.columns):
        expected = f"a list of some of {', '.join(df.columns)}"
        raise OptionError("carry", repr(carry)[:200], expected)
    taken = {*_HEAD, *COLUMNS}
    for name in carry:
        if name.lower() in taken:
            expected = (
                f"columns with distinct names, since a dead letter has a column {name.lower()} already; "
                f'rename it before: df.withColumnRenamed("{name}", "other")'
            )
            raise OptionError("carry", repr(name), expected)
        taken.add(name.lower())
    fields = [df.schema[name] for name in carry]
    try:
        schema_to_arrow(StructType(fields))
    except PySparkException as error:  # a type that Arrow does not have, such as an interval of months
        raise OptionError("carry", repr(list(carry)), f"columns without {error}") from None
    return fields


def _cast(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the columns of `schema`; a column that the table lacks is null."""
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def letters_of(
    rows: pa.Table, kind: str, reasons: str | Sequence[str] | pa.Array, schema: pa.Schema
) -> pa.Table:
    """Return the dead letters of rows.

    Args:
        rows: a table with the normalized and the carried columns.
        kind: the kind of all dead letters.
        reasons: the reason of each, or of all.
        schema: the columns of dead letters.
    """
    texts = pa.repeat(reasons, len(rows)) if isinstance(reasons, str) else pa.array(reasons, pa.string())
    made = rows.append_column("kind", pa.repeat(kind, len(rows))).append_column("reason", texts)
    for name in TERMS:
        made = made.set_column(made.column_names.index(name), name, _readable(made.column(name)))
    return _cast(made, schema)


def _readable(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts whose bytes that are not UTF-8 are replaced."""
    try:
        return texts.cast(pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        read = (
            None if text is None else text.decode(errors="replace")
            for text in texts.cast(pa.binary()).to_pylist()
        )
        return pa.chunked_array([pa.array(read, pa.string())])


def invalid_letters(rows: pa.Table, found: Sequence[InvalidRow], schema: pa.Schema) -> pa.Table:
    """Return the dead letters of invalid rows.

    A row that does not fit a mapping (`invalid_rows.error_rows`) has no time and no terms; its reason has the
    text of the row.

    Args:
        rows: a table with the normalized and the carried columns.
        found: the invalid rows.
    """
    invalid = rows.take(pa.array([each.row for each in found], pa.int64()))
    errors = [carried_error(rows, each) for each in found]
    reasons = [
        f"column {each.column}: {each.reason}" if error is None else error.what
        for each, error in zip(found, errors, strict=True)
    ]
    mapped = pa.array([error is None for error in errors], pa.bool_())
    place = invalid.column_names.index(TERMS[0])
    texts = pc.if_else(mapped, invalid.column(place), None)
    return letters_of(invalid.set_column(place, TERMS[0], texts), "invalid", reasons, schema)

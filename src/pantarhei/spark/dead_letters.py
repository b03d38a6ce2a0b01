"""Dead letters of a stream: rows that were not pushed, each with the reason and with columns of the user.

A row is invalid (not a timestamped triple), late, or too far ahead. Each has one dead letter in the batch in
which this was decided, with the columns `kind`, `reason`, `timestamp`, `subject`, `predicate`, `object`, and
the carried columns of the user's DataFrame, such as a Kafka topic, partition and offset.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
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
from pantarhei.spark.driver import Driver, RefusedABox
from pantarhei.spark.file_system import Folder, folder_at
from pantarhei.spark.frame import COLUMNS, TERMS, TIMESTAMP, integer_times, spark_time
from pantarhei.spark.invalid_rows import carried_error, drop_rows, find_invalid_rows
from pantarhei.spark.results import FileOutput, Outlet, OutputFormat, Sink
from pantarhei.spark.versions import schema_to_arrow
from pantarhei.spark.worker import TimedInterpretation
from pantarhei.spark.worker_errors import methods_send_errors

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
        output: Folder | None = None,
    ) -> DeadLetters | None:
        """Validate the options `dead_letters` and `carry`; return None if there are to be no dead letters.

        Args:
            given: a function of a DataFrame and the batch's number, or a folder.
            carry: names of columns of `df`.
            df: the user's DataFrame.
            kind: the kind of the stream's timestamps.
            output: the folder of results, which must be another one.

        Raises:
            OptionError: `carry` is given without `dead_letters`, names no column, or a column that has the
                name of another one or a type that Arrow or the format does not have; `given` is neither a
                function nor a folder.
        """
        if given is None:
            if carry is not None:
                reason = "The columns of carry are handed out with dead letters."
                raise MissingOptionError("dead_letters", "…", reason)
            return None
        schema = letter_schema(carry, df, kind)
        outlet = _outlet(given, output_format, df.sparkSession, output)
        if outlet.files is not None:
            outlet.files.check_columns(schema_to_arrow(schema))
        return cls(outlet, carried_names(schema), schema)

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
            self.outlet.sink(spark.createDataFrame(table.combine_chunks(), self.schema), batch)


def letter_schema(carry: Sequence[str] | None, df: DataFrame, kind: TimeKind) -> StructType:
    """Return the columns of dead letters.

    Args:
        carry: the names of the carried columns of `df`.
        kind: the kind of the stream's timestamps.

    Raises:
        OptionError: `carry` names no column, or a column that has the name of another one or a type that
            Arrow does not have.
    """
    fields = _carried(() if carry is None else carry, df)
    head = [StructField(name, StringType()) for name in _HEAD]
    terms = [StructField(name, StringType()) for name in TERMS]
    return StructType([*head, StructField(TIMESTAMP, spark_time(kind)), *terms, *fields])


def carried_names(schema: StructType) -> tuple[str, ...]:
    """Return the names of the carried columns among those of dead letters."""
    return tuple(schema.names[len(_HEAD) + len(COLUMNS) :])


def _outlet(given: object, output_format: OutputFormat, spark: SparkSession, output: Folder | None) -> Outlet:
    if callable(given):
        return Outlet(None, given)
    if not isinstance(given, str | PathLike):
        expected = "a function of a DataFrame and its batch's number, or a folder"
        raise OptionError("dead_letters", repr(given)[:200], expected)
    folder = folder_at("dead_letters", given, spark)
    if output is not None and folder.uri == output.uri:
        raise OptionError("dead_letters", repr(str(given)), "another folder than output")
    return Outlet(FileOutput(folder, output_format, "dead_letters"), None)


def _carried(carry: Sequence[str], df: DataFrame) -> list[StructField]:
    """Return the fields of the carried columns; all are nullable, since other rows have no such values."""
    if isinstance(carry, str) or not isinstance(carry, Sequence) or not set(carry) <= set(df.columns):
        expected = f"a list of some of {', '.join(df.columns)}"
        raise OptionError("carry", repr(carry)[:200], expected)
    check_carried(carry, [*_HEAD, *COLUMNS])
    fields = StructType([df.schema[name] for name in carry]).toNullable().fields
    try:
        schema_to_arrow(StructType(fields))
    except PySparkException as error:  # a type that Arrow does not have, such as an interval of months
        raise OptionError("carry", repr(list(carry)), f"columns without {error}") from None
    return fields


def check_carried(names: Sequence[str], others: Sequence[str]) -> None:
    """Check that carried columns have other names than each other and other columns of dead letters.

    Raises:
        OptionError: a name occurs twice; case is ignored.
    """
    taken = set(map(str.lower, others))
    for name in names:
        if name.lower() in taken:
            expected = (
                f"columns with distinct names, since a dead letter has a column {name.lower()} already; "
                f'rename it before: df.withColumnRenamed("{name}", "other")'
            )
            raise OptionError("carry", repr(name), expected)
        taken.add(name.lower())


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


UNDECIDED = "undecided"
"""Kind of rows that may prove too far ahead in a later batch."""


@methods_send_errors
@dataclass(frozen=True, slots=True)
class FindLetters:
    """Function for `mapInArrow` that returns the dead letters among the rows of a batch.

    Args:
        schema: the columns of dead letters.
        invalid: whether there are invalid rows.
        times: timestamps whose valid rows are dead letters, as numbers (`time_number`).
        kinds, reasons: the kind and the reason for each of `times`.
    """

    schema: pa.Schema
    invalid: bool
    times: Sequence[float]
    kinds: Sequence[str]
    reasons: Sequence[str]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = pa.Table.from_batches([batch])
            found = find_invalid_rows(rows) if self.invalid else []
            if found:
                yield from invalid_letters(rows, found, self.schema).to_batches()
                rows = drop_rows(rows, found)
            place = _places(rows, self.times)
            chosen = rows.filter(place.is_valid())
            if len(chosen):
                place = place.drop_null().to_pylist()
                letters = letters_of(chosen, "", [self.reasons[each] for each in place], self.schema)
                kinds = pa.array([self.kinds[each] for each in place], pa.string())
                yield from letters.set_column(0, self.schema.field(0), kinds).to_batches()


def _places(rows: pa.Table, times: Sequence[float]) -> pa.Array:
    """Return for each row the index of its timestamp in `times`; null if it is not among them."""
    numbers = integer_times(rows.column(TIMESTAMP))
    if pa.types.is_floating(numbers.type):
        numbers = pc.add(numbers, 0.0)  # -0.0 and 0.0 are one timestamp
    found = pc.index_in(numbers, pa.array(times, numbers.type))
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def time_number(timed: TimedInterpretation) -> float:
    """Return the timestamp of an ABox as it is in a table: in ticks, or the float itself."""
    return timed.at + 0.0 if isinstance(timed.at, float) else timed.ticks


class StreamLetters:
    """Dead letters of a stream whose window is on the driver.

    A batch without dead letters costs nothing more. For other batches a second job reads the batch's rows
    again. Rows of ABoxes that a later batch may prove too far ahead are kept, in the checkpoint too.

    Args:
        letters: the delivery.
        driver: the driver, whose checkpoint has the kept rows. If it has none, since the stream ran without
            dead letters, the triples of ABoxes that are held back are kept.
    """

    def __init__(self, letters: DeadLetters, driver: Driver) -> None:
        self._letters, self._schema, self._may_repeat = letters, letters.arrow, True
        saved = driver.reasoner.note.get("letters")
        if isinstance(saved, str):
            self._keep(_unpacked(saved, self._schema), driver)
        else:
            held = (self._triples_of(timed, driver) for timed, _ in driver.undecided)
            self._keep(pa.concat_tables([self._schema.empty_table(), *held]), driver)

    def _keep(self, rows: pa.Table, driver: Driver) -> None:
        self._kept = rows
        driver.entries["letters"] = _packed(rows) if len(rows) else None

    def _triples_of(self, timed: TimedInterpretation, driver: Driver) -> pa.Table:
        triples = driver.asserted(timed)
        times = pa.array([timed.at] * len(triples), self._schema.field(TIMESTAMP).type)
        return letters_of(triples.append_column(TIMESTAMP, times), UNDECIDED, "", self._schema)

    def deliver(self, rows: DataFrame, batch: int, skipped: int, driver: Driver) -> None:
        """Deliver the dead letters of a batch, before the batch is saved.

        Args:
            rows: the normalized rows of the batch, with the carried columns.
            skipped: number of invalid rows in the batch.
            driver: the driver, which has applied the batch.
        """
        found = self._found(rows, skipped, driver)
        may_wait = pc.equal(found["kind"], UNDECIDED)
        older = {time_number(each.timed): each for each in driver.refused if not each.is_new}
        made = [found.filter(pc.invert(may_wait)), *map(self._of_held, older.values())]
        held = [time_number(timed) for timed, is_new in driver.undecided if not is_new]
        still = self._kept.filter(_places(self._kept, held).is_valid())
        letters = pa.concat_tables(made)
        if len(letters) or self._may_repeat:
            self._letters.deliver(letters, batch, rows.sparkSession)
        self._may_repeat = False  # a failed batch is repeated by a new query only
        self._keep(pa.concat_tables([still, found.filter(may_wait)]), driver)

    def _found(self, rows: DataFrame, skipped: int, driver: Driver) -> pa.Table:
        """Return the dead letters among the rows of a batch, and the rows that may become dead letters."""
        new = {time_number(each.timed): (each.kind, each.reason) for each in driver.refused if each.is_new}
        new |= {time_number(timed): (UNDECIDED, "") for timed, is_new in driver.undecided if is_new}
        if not skipped and not new:
            return self._schema.empty_table()
        kinds, reasons = zip(*new.values(), strict=True) if new else ((), ())
        task = FindLetters(self._schema, skipped > 0, list(new), kinds, reasons)
        return _cast(rows.mapInArrow(task, self._letters.schema).toArrow(), self._schema)

    def _of_held(self, refused: RefusedABox) -> pa.Table:
        """Return the dead letters of an ABox of earlier batches, of all its parts."""
        rows = self._kept.filter(_places(self._kept, [time_number(refused.timed)]).is_valid())
        return letters_of(rows.drop_columns(list(_HEAD)), refused.kind, refused.reason, self._schema)


def _packed(rows: pa.Table) -> str:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return base64.b64encode(sink.getvalue()).decode()


def _unpacked(saved: str, schema: pa.Schema) -> pa.Table:
    """Return saved rows with the columns of `schema`; a column that had another type is null."""
    rows = pa.ipc.open_stream(base64.b64decode(saved)).read_all()
    return _cast(rows.select([field.name for field in rows.schema if field in list(schema)]), schema)

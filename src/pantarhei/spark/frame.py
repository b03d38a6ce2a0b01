"""Normalized form of a stream in a DataFrame: the columns timestamp, subject, predicate and object.

A timestamp is of Spark's type long, double or timestamp. A term is a string in N-Triples syntax. The
DataFrames of users may instead have structs with the fields of SPARQL's JSON results: `type` (uri, bnode or
literal), `value` and, for literals, `datatype` and `lang`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t
from pyspark.sql.types import StringType, StructField, StructType

from pantarhei.errors import OptionError
from pantarhei.model.datetimes import EPOCH
from pantarhei.model.time import TimeKind
from pantarhei.spark.sessions import is_connect
from pantarhei.spark.versions import schema_to_arrow

COLUMNS = ("timestamp", "subject", "predicate", "object")
TIME_TYPES = {"long": TimeKind.INTEGER, "double": TimeKind.FLOAT, "timestamp": TimeKind.DATETIME}
_KINDS: dict[t.DataType, TimeKind] = {
    t.LongType(): TimeKind.INTEGER,
    t.DoubleType(): TimeKind.FLOAT,
    t.TimestampType(): TimeKind.DATETIME,
}


def time_type_of(kind: TimeKind) -> str:
    """Return the name of Spark's column type for timestamps of a kind.

    >>> time_type_of(TimeKind.INTEGER)
    'long'
    """
    return next(name for name, of in TIME_TYPES.items() if of is kind)


def spark_time(kind: TimeKind) -> t.DataType:
    """Return Spark's column type for timestamps of a kind."""
    return next(of for of, known in _KINDS.items() if known is kind)


def columns_ddl(kind: TimeKind) -> str:
    """Return the schema of a normalized DataFrame in Spark's DDL.

    >>> columns_ddl(TimeKind.INTEGER)
    'timestamp long, subject string, predicate string, object string'
    """
    return ", ".join([f"timestamp {time_type_of(kind)}", *(f"{name} string" for name in COLUMNS[1:])])


def frame_schema(kind: TimeKind) -> StructType:
    """Return the schema of a normalized DataFrame."""
    types = zip(COLUMNS, (spark_time(kind), *[StringType()] * 3), strict=True)
    return StructType([StructField(*each) for each in types])


def arrow_schema(kind: TimeKind) -> pa.Schema:
    """Return the schema of a normalized DataFrame as an Arrow schema."""
    return schema_to_arrow(frame_schema(kind))


def column_types(schema: StructType, options: Mapping[str, str]) -> tuple[TimeKind, pa.Schema]:
    """Validate a schema given by the user; return its kind of timestamps and its Arrow schema.

    Raises:
        OptionError: the columns are not a timestamp and three strings, or contradict the option
            `timestampType`.
    """
    types = [field.dataType for field in schema.fields]
    kind = _KINDS.get(types[0]) if types else None
    if tuple(schema.fieldNames()) != COLUMNS or kind is None or types[1:] != [StringType()] * 3:
        raise OptionError(
            "schema", schema.simpleString(), f"{columns_ddl(TimeKind.DATETIME)} (or long, or double)"
        )
    chosen = options.get("timestampType", time_type_of(kind))
    if chosen.lower() != time_type_of(kind):
        raise OptionError("timestampType", chosen, f"{time_type_of(kind)}, as in the given schema")
    return kind, schema_to_arrow(schema)


TIMESTAMP, SUBJECT, PREDICATE, OBJECT = COLUMNS
TERMS = COLUMNS[1:]
CHANGE = "change"

_INTEGERS = (t.ByteType, t.ShortType, t.IntegerType, t.LongType)
_NEEDED_FIELDS = {"type", "value"}
_KNOWN_FIELDS = {*_NEEDED_FIELDS, "datatype", "lang"}


def check_frame(df: object, streams: bool, expected: str) -> None:
    """Check that `df` is a streaming DataFrame, or one that does not stream.

    Args:
        streams: whether it must be streaming.
        expected: description of a valid DataFrame, for the error.

    Raises:
        OptionError: `df` is not such a DataFrame.
    """
    if not isinstance(df, DataFrame):
        raise OptionError("df", repr(df)[:200], f"a DataFrame: {expected}")
    if df.isStreaming != streams:
        given = "<streaming DataFrame>" if df.isStreaming else "<DataFrame that does not stream>"
        raise OptionError("df", given, expected)


def check_driver(df: DataFrame) -> None:
    """Check that the driver of a streaming DataFrame is this process, which holds windows and calls sinks.

    Raises:
        OptionError: the DataFrame is one of Spark Connect, which runs functions of batches on its server.
    """
    if is_connect(df.sparkSession):
        raise OptionError(
            "df",
            "<streaming DataFrame of Spark Connect>",
            "a DataFrame of a session whose driver is this process, where the window is held and sinks are "
            "called: run the program on the cluster (spark-submit) with a session from "
            "pantarhei.spark.session(); on Spark Connect, shard_stream returns the changes of windows on the "
            "executors as a DataFrame",
        )


def normalized(
    df: DataFrame, columns: Mapping[str, str] | None = None, carry: Sequence[str] = ()
) -> DataFrame:
    """Convert a user's DataFrame to normalized columns: timestamp, subject, predicate and object.

    Args:
        columns: by normalized name, the names of columns in `df` that are named differently.
        carry: columns of `df` that follow unchanged.

    Raises:
        OptionError: a column is missing, or its type cannot be converted; or the DataFrame has changes.
    """
    called = _called(columns)
    _refuse_changes(df)
    for name in COLUMNS:
        if called[name] not in df.columns:
            expected = f"the {name}'s column, one of {', '.join(df.columns)}, as in columns={{'{name}': …}}"
            raise OptionError("columns", repr({name: called[name]}), expected)
    times = _time(df, called[TIMESTAMP]).alias(TIMESTAMP)
    terms = (_term(df, called[name]).alias(name) for name in TERMS)
    return df.select(times, *terms, *map(quoted, carry))


def _refuse_changes(df: DataFrame) -> None:
    """Refuse a DataFrame of changes, whose retracted facts would be read as assertions.

    Raises:
        OptionError: beside subject, predicate and object, there is a column `change` of integers.
    """
    if {*TERMS, CHANGE} <= set(df.columns) and isinstance(_type_of(df, CHANGE), _INTEGERS):
        raise OptionError(
            "df",
            f"<DataFrame with a column {CHANGE}>",
            "assertions, but these rows are changes of facts (1 inserted, -1 deleted), and deletions are not "
            f'assertions; to assert what was inserted: df.where("{CHANGE} = 1").drop("{CHANGE}"); to follow '
            "the facts themselves, register a query of the first stream",
        )


def _called(columns: Mapping[str, str] | None) -> dict[str, str]:
    given = {} if columns is None else columns
    if not isinstance(given, Mapping) or not given.keys() <= set(COLUMNS):
        expected = f"a mapping from some of {', '.join(COLUMNS)} to your names"
        raise OptionError("columns", repr(given), expected)
    return {name: given.get(name, name) for name in COLUMNS}


def _type_of(df: DataFrame, name: str) -> t.DataType:
    return df.schema[name].dataType


def quoted(name: str) -> Column:
    """Return the column of this name, which may contain any characters."""
    return f.col("`" + name.replace("`", "``") + "`")


def _time(df: DataFrame, name: str) -> Column:
    given, column = _type_of(df, name), quoted(name)
    if isinstance(given, _INTEGERS):
        return column.cast(t.LongType())
    if isinstance(given, t.DecimalType) and given.scale == 0:
        return _clipped(column, -(2**63), 2**63 - 1).cast(t.LongType())
    if isinstance(given, t.FloatType | t.DoubleType | t.DecimalType):
        return column.cast(t.DoubleType())
    if isinstance(given, t.TimestampType):
        return column
    if isinstance(given, t.DateType):  # midnight in UTC; a cast would use the zone of the session
        days = _clipped(f.unix_date(column), _FIRST_DAY - 1, _LAST_DAY + 1)
        return f.timestamp_micros(days.cast(t.LongType()) * f.lit(_DAY))
    advice = "a column of integers, doubles, decimals, dates or timestamps"
    if isinstance(given, t.TimestampNTZType):
        advice += "; a time without a zone is a different instant in each time zone: cast it to timestamp"
    elif isinstance(given, t.StringType):
        advice += '; convert it first, for example with to_timestamp(col) or col.cast("long")'
    raise OptionError("columns", f"{name} of type {given.simpleString()}", advice)


_DAY = 86_400_000_000  # microseconds
_FIRST_DAY, _LAST_DAY = (each.toordinal() - EPOCH.toordinal() for each in (date.min, date.max))


def _clipped(column: Column, first: int, last: int) -> Column:
    """Limit integers to a range, outside of which times are invalid; null stays null."""
    return f.when(column.isNotNull(), f.least(f.greatest(column, f.lit(first)), f.lit(last)))


def _term(df: DataFrame, name: str) -> Column:
    given = _type_of(df, name)
    if isinstance(given, t.StringType | t.NullType):
        return quoted(name).cast(t.StringType())
    if isinstance(given, t.StructType) and _NEEDED_FIELDS <= set(given.names) <= _KNOWN_FIELDS:
        return _written(quoted(name), set(given.names))
    expected = "a column of strings in N-Triples syntax, or of structs of type, value, datatype and lang"
    raise OptionError("columns", f"{name} of type {given.simpleString()}", expected)


def _written(term: Column, fields: set[str]) -> Column:
    """Convert a struct column to N-Triples syntax; null if type or value is null."""
    kind, value = term["type"], term["value"]
    escaped = value
    for plain, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        escaped = f.replace(escaped, f.lit(plain), f.lit(escape))
    suffix = f.lit("")
    if "datatype" in fields:
        has_type = term["datatype"].isNotNull() & (term["datatype"] != "")
        suffix = f.when(has_type, f.concat(f.lit("^^<"), term["datatype"], f.lit(">"))).otherwise(suffix)
    if "lang" in fields:
        has_language = term["lang"].isNotNull() & (term["lang"] != "")
        suffix = f.when(has_language, f.concat(f.lit("@"), term["lang"])).otherwise(suffix)
    return (
        f.when(kind == "uri", f.concat(f.lit("<"), value, f.lit(">")))
        .when(kind == "bnode", f.concat(f.lit("_:"), value))
        .when(kind == "literal", f.concat(f.lit('"'), escaped, f.lit('"'), suffix))
        .otherwise(f.concat(f.lit("a term of type "), kind, f.lit(": "), value))
    )


def kind_of(df: DataFrame) -> TimeKind:
    """Return the kind of timestamps in a normalized DataFrame."""
    given = _type_of(df, TIMESTAMP)
    if isinstance(given, t.TimestampType):
        return TimeKind.DATETIME
    return TimeKind.INTEGER if isinstance(given, t.LongType) else TimeKind.FLOAT


def integer_times(times: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Convert a column of timestamps to microseconds since 1970; integers and doubles are returned as
    given.
    """
    if pa.types.is_timestamp(times.type):
        return times.cast(pa.timestamp("us", times.type.tz)).cast(pa.int64())
    return times

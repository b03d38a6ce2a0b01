"""The columns of a stream in a table, and what the type of the time column means."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    DataType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from pantarhei.errors import OptionError
from pantarhei.model.time import TimeKind

COLUMNS = ("timestamp", "subject", "predicate", "object")
TIME_TYPES = {"long": TimeKind.INTEGER, "double": TimeKind.FLOAT, "timestamp": TimeKind.DATETIME}
_KINDS: dict[DataType, TimeKind] = {
    LongType(): TimeKind.INTEGER,
    DoubleType(): TimeKind.FLOAT,
    TimestampType(): TimeKind.DATETIME,
}


def time_type_of(kind: TimeKind) -> str:
    """The name of the column's type for timestamps of that kind.

    >>> time_type_of(TimeKind.INTEGER)
    'long'
    """
    return next(name for name, of in TIME_TYPES.items() if of is kind)


def columns(kind: TimeKind) -> str:
    """The schema in DDL.

    >>> columns(TimeKind.INTEGER)
    'timestamp long, subject string, predicate string, object string'
    """
    return ", ".join([f"timestamp {time_type_of(kind)}", *(f"{name} string" for name in COLUMNS[1:])])


def arrow_columns(kind: TimeKind) -> pa.Schema:
    """The schema as Arrow has it."""
    time = next(of for of, known in _KINDS.items() if known is kind)
    types = zip(COLUMNS, (time, *[StringType()] * 3), strict=True)
    return to_arrow_schema(StructType([StructField(*each) for each in types]), timezone="UTC")


def column_types(schema: StructType, options: Mapping[str, str]) -> tuple[TimeKind, pa.Schema]:
    """The kind of times that a schema holds, and the schema as Arrow has it.

    Raises:
        OptionError: it is not `timestamp` and three strings, or `timestampType` says otherwise.
    """
    types = [field.dataType for field in schema.fields]
    kind = _KINDS.get(types[0]) if types else None
    if tuple(schema.fieldNames()) != COLUMNS or kind is None or types[1:] != [StringType()] * 3:
        raise OptionError(
            "schema", schema.simpleString(), f"{columns(TimeKind.DATETIME)} (or long, or double)"
        )
    chosen = options.get("timestampType", time_type_of(kind))
    if chosen.lower() != time_type_of(kind):
        raise OptionError("timestampType", chosen, f"{time_type_of(kind)}, which the schema given has")
    return kind, to_arrow_schema(schema, timezone="UTC")

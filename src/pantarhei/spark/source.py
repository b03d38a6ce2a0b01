"""Streams of timestamped graphs as a Spark data source, for `spark.read` and `spark.readStream`.

    spark.dataSource.register(PantarheiSource)
    spark.read.format("pantarhei").load("readings.nq")
    spark.readStream.format("pantarhei").option("timestampType", "timestamp").load("folder/")

Rows are `timestamp`, `subject`, `predicate`, `object`, one for each assertion, terms in the syntax of
N-Triples. Options: `format`, `time` and `on_error` as `pantarhei.read_stream` takes them; `timestampType`
(long, double or timestamp; by default what the first ABox has); `splitSize`; for streams
`maxFilesPerTrigger`.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DataType, DoubleType, LongType, StringType, StructType, TimestampType

from pantarhei.errors import OptionError
from pantarhei.language.time import TimeKind
from pantarhei.spark.arrow_rows import COLUMNS, time_type_of
from pantarhei.spark.file_source import FileReader, FolderReader, infer_kind
from pantarhei.spark.source_options import FileOptions

_KINDS: dict[DataType, TimeKind] = {
    LongType(): TimeKind.INTEGER,
    DoubleType(): TimeKind.FLOAT,
    TimestampType(): TimeKind.DATETIME,
}


class PantarheiSource(DataSource):
    """The data source `pantarhei`: N-Quads and TriG files."""

    @classmethod
    def name(cls) -> str:
        """What `format` calls it."""
        return "pantarhei"

    def schema(self) -> str:
        """The columns; peeks into the first file unless `timestampType` is given.

        Raises:
            OptionError: an option is impossible, or there is no ABox to tell the times' type.
            InputError: what comes before the first ABox is not as it should be.
        """
        options = FileOptions.of(self.options)
        return columns(options.kind or infer_kind(options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of what there is now."""
        kind, arrow = column_types(schema, self.options)
        return FileReader(FileOptions.of(self.options), kind, arrow)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """A reader of what is added to a folder."""
        kind, arrow = column_types(schema, self.options)
        return FolderReader(FileOptions.of(self.options), kind, arrow)


def columns(kind: TimeKind) -> str:
    """The schema in DDL.

    >>> columns(TimeKind.INTEGER)
    'timestamp long, subject string, predicate string, object string'
    """
    return ", ".join([f"timestamp {time_type_of(kind)}", *(f"{name} string" for name in COLUMNS[1:])])


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


def register(spark: SparkSession) -> None:
    """Let `spark` read the format `pantarhei`."""
    spark.dataSource.register(PantarheiSource)

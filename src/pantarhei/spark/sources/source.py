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

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType

from pantarhei.spark.sources.file_source import FileReader, FolderReader, infer_kind
from pantarhei.spark.sources.redis_source import PantarheiRedisSource
from pantarhei.spark.sources.source_options import FileOptions
from pantarhei.spark.stream_columns import column_types, columns


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


def register(spark: SparkSession) -> None:
    """Let `spark` read the formats `pantarhei` and `pantarhei-redis`. A second time does no harm.

    Raises:
        AnalysisException: Spark has another source of that name.
    """
    for source in (PantarheiSource, PantarheiRedisSource):
        try:
            spark.dataSource.register(source)
        except AnalysisException as error:
            if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
                raise
            # Spark looks among the sources of the thread's active session, which may be another one: the
            # copy that a stream's batches had, for one. Making a DataFrame makes this one active.
            spark.createDataFrame([], "nothing long")
            spark.dataSource.register(source)

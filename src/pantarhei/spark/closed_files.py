"""The files of a stream closed as a whole by a session of its own, which ends with the work."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql.pandas.types import to_arrow_schema

from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import Interpretation
from pantarhei.model.time import TimeKind
from pantarhei.spark.blocks import BlockWriter, block_schema, read_blocks
from pantarhei.spark.clustering import by_timestamp
from pantarhei.spark.counted_files import CountedFiles, FilesAccount
from pantarhei.spark.counted_tables import CountedTables, TableOptions
from pantarhei.spark.frame import TIMESTAMP, normalized
from pantarhei.spark.materialize import Closing
from pantarhei.spark.quiet import quiet_session
from pantarhei.spark.sources.source_options import FileOptions


class ClosedFiles(NamedTuple):
    """The canonical models of the ABoxes that assert something, by their ticks, and the files' account."""

    interpretations: dict[int, Interpretation]
    account: FilesAccount


def close_files(
    files: FileOptions | TableOptions, kind: TimeKind, foundation: Foundation, master: str
) -> ClosedFiles:
    """Read files on Spark and close each of their ABoxes; Spark has stopped when this returns.

    Args:
        files: of a stream, or tables.
        kind: what their timestamps are.
        master: where Spark runs, as `session` takes it.

    Raises:
        SparkError: Spark cannot be started, or fails.
    """
    with quiet_session(master) as spark:
        counted: CountedFiles | CountedTables
        if isinstance(files, TableOptions):
            counted = CountedTables(spark, files, kind)
        else:
            counted = CountedFiles(spark, files, kind)
        given = normalized(counted.rows)
        schema = block_schema(given.schema[TIMESTAMP].dataType)
        write = BlockWriter(to_arrow_schema(schema, timezone="UTC"))
        closing = Closing(spark, foundation, schema, write, "raise", None)
        blocks = closing.of(by_timestamp(given, None, None)).toArrow()
        return ClosedFiles({timed.ticks: timed.made for timed in read_blocks(blocks, kind)}, counted.account)

"""A DataFrame that does not stream, run through a reasoner: the executors close the ABoxes side by side, the
driver takes them in as time goes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import OptionError, check_type
from pantarhei.model.time import TimeKind
from pantarhei.reasoner import StreamReasoner
from pantarhei.spark.blocks import (
    BlockWriter,
    SkippedWriter,
    TimedInterpretation,
    block_schema,
    read_blocks,
    read_skipped,
)
from pantarhei.spark.clustering import by_timestamp
from pantarhei.spark.collectors import collector_of
from pantarhei.spark.frame import TIMESTAMP, check_frame, kind_of
from pantarhei.spark.materialize import Closing
from pantarhei.spark.melt import MappingGiven, timestamped
from pantarhei.spark.progress import local_folder
from pantarhei.spark.results import STREAM, FileOutput, Outlet, OutputFormat, Results
from pantarhei.spark.typed_columns import ColumnTypes
from pantarhei.spark.worker import OnError, SkippedRows, check_on_error
from pantarhei.temporal.sharding import check_needs_no_order

ROWS_A_FILE = 1 << 17

_log = logging.getLogger("pantarhei.spark")


def _say(skipped: SkippedRows) -> None:
    _log.warning("%s", skipped)


def run(
    reasoner: StreamReasoner,
    df: DataFrame,
    *,
    columns: Mapping[str, str] | None = None,
    mapping: MappingGiven | None = None,
    on_error: OnError = "raise",
    on_skipped: Callable[[SkippedRows], object] | None = None,
    query: str | None = None,
    output: str | Path | None = None,
    output_format: OutputFormat = "parquet",
    types: Mapping[str, str] | None = None,
    clustered: bool | None = None,
    spark_partitions: int | None = None,
) -> Iterator[WindowUpdate]:
    """Push the ABoxes of a DataFrame in time order, giving the update of each; as `reasoner.run` does.

    All timestamps are put in order first, so that nothing in the DataFrame is late. Spark's work is done when
    the first update is asked for; the driver then holds all interpretations at once, 12 bytes a fact and what
    terms are new. Spark's setting `spark.driver.maxResultSize` must admit that.

    Args:
        reasoner: what is fed; it may have been fed before, up to the first of the timestamps.
        df: columns as for `materialize_aboxes`.
        columns, mapping, on_error, clustered, spark_partitions: as `materialize_aboxes` takes them.
        on_skipped: told what was left out; without it, the log is.
        query, output, output_format, types: as `reason_stream` takes them. The rows of results are written as
            updates are taken, `ROWS_A_FILE` or somewhat more in a file, the last of them at the end, or where
            nobody takes further updates or one fails.

    Raises:
        OptionError: the DataFrame streams, or an option has no such value; while updates are taken, a term is
            of another kind than `types` says.
        QueryError: the query is malformed or refused.
        MappingError: the mapping cannot be read, or does not fit the columns.
        NotKeyLocalRuleError: a temporal rule has a window of the last assertions; rows have no order.
        InvalidRowError: a row is no timestamped triple, and such rows are not to be left out.
        LateABoxError: time has passed the first timestamp.
    """
    check_on_error(on_error)
    check_type("reasoner", reasoner, StreamReasoner, "a StreamReasoner, before the DataFrame")
    if reasoner.temporal is not None:
        check_needs_no_order(reasoner.temporal)
    check_frame(df, False, "one that does not stream, or pantarhei.spark.reason_stream")
    given = timestamped(df, columns, mapping)
    kind = kind_of(given)
    results = _results(reasoner, kind, query, output, output_format, ColumnTypes.of(types))
    schema = block_schema(given.schema[TIMESTAMP].dataType)
    arrow = to_arrow_schema(schema, timezone="UTC")
    closing = Closing(
        df.sparkSession, reasoner.foundation, schema, BlockWriter(arrow), "skip", SkippedWriter(arrow)
    )
    together = by_timestamp(given, clustered, spark_partitions)

    def updates() -> Iterator[WindowUpdate]:
        blocks = closing.of(together).toArrow()
        skipped = read_skipped(blocks)
        if skipped.count and on_error == "raise":
            raise skipped.examples[0]
        if skipped.count:
            (on_skipped or _say)(skipped)
        yield from pushed(reasoner, read_blocks(blocks, kind), results, df.sparkSession)

    return updates()


def pushed(
    reasoner: StreamReasoner,
    blocks: Iterable[TimedInterpretation],
    results: Results | None,
    spark: SparkSession,
) -> Iterator[WindowUpdate]:
    """The update of each interpretation. What was collected is handed out at the end, which is also where
    nobody takes further updates and where one fails.
    """
    try:
        for timed in blocks:
            update = reasoner.push_materialized(timed.at, timed.made, scope=timed.scope)
            if results is not None:
                results.note(update)
                results.deliver_if(ROWS_A_FILE, spark)
            yield update
    finally:
        if results is not None:
            results.deliver(spark)


def _results(
    reasoner: StreamReasoner,
    kind: TimeKind,
    query: str | None,
    output: str | Path | None,
    output_format: OutputFormat,
    types: ColumnTypes,
) -> Results | None:
    """What is handed out, None if nothing is.

    Raises:
        OptionError: there is something to hand out, and no folder for it; or the folder has other files.
    """
    if output is None:
        for name, given in (("query", query), ("types", types.kinds or None)):
            if given is not None:
                expected = "an output as well; without one, ask the reasoner as updates come"
                raise OptionError(name, repr(given)[:200], expected)
        return None
    files = FileOutput(local_folder("output", output), output_format)
    files.refuse_if_used()
    results = Results({STREAM: collector_of(kind, reasoner, query)}, {STREAM: Outlet(files, None)}, types)
    results.begin(0)
    return results

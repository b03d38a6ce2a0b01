"""A DataFrame that does not stream, run through a reasoner: the executors close the ABoxes side by side, the
driver takes them in as time goes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping

from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import check_type
from pantarhei.reasoner import StreamReasoner
from pantarhei.spark.blocks import BlockWriter, SkippedWriter, block_schema, read_blocks, read_skipped
from pantarhei.spark.clustering import by_timestamp
from pantarhei.spark.frame import TIMESTAMP, check_frame, kind_of
from pantarhei.spark.materialize import Closing
from pantarhei.spark.melt import MappingGiven, timestamped
from pantarhei.spark.worker import OnError, SkippedRows, check_on_error
from pantarhei.temporal.sharding import check_needs_no_order

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

    Raises:
        OptionError: the DataFrame streams, or an option has no such value.
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
        for timed in read_blocks(blocks, kind_of(given)):
            yield reasoner.push_materialized(timed.at, timed.made, scope=timed.scope)

    return updates()

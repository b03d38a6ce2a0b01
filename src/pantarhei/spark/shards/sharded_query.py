"""Execution of a sharded stream: the changes of its shards are delivered batch by batch to sinks or files.

Changes of registered queries are delivered query by query, with the columns that an unsharded stream has.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from pantarhei.errors import CheckpointError, MissingOptionError, StreamError
from pantarhei.model.time import time_of
from pantarhei.query.continuous_query import Registration
from pantarhei.spark.collectors import ReportWindow, result_schema
from pantarhei.spark.dead_letters import DeadLetters
from pantarhei.spark.driver import REASONER, checkpoint_folder, is_sharded
from pantarhei.spark.file_system import Folder, HadoopFolder
from pantarhei.spark.progress import BatchReport
from pantarhei.spark.results import STREAM, ColumnTypes, Outlet, deliver_tables, typed
from pantarhei.spark.running_query import BatchFunction, ReasoningQuery, start_query, watched
from pantarhei.spark.sessions import FAILURES
from pantarhei.spark.shards.flush import (
    ONCE,
    FlushingRun,
    completed_batch,
    has_completed,
    last_batch,
    restore_positions,
)
from pantarhei.spark.shards.reshard import ShardLayout, ShardLayouts, move
from pantarhei.spark.shards.shard import ShardSetup, unpack_table
from pantarhei.spark.shards.shard_client import ShardClient
from pantarhei.spark.shards.sharded_stream import ShardedStream, Unpacker
from pantarhei.spark.shards.stream_totals import StreamTotals

_log = logging.getLogger("pantarhei.spark")


class ShardedAnswers:
    """Delivers the reports of the shards' registered queries, batch by batch.

    The changes of equal rows at the same time are summed over the shards, and rows whose sum is 0 are
    dropped. A row of nulls with change 0 stands for a late row of the stream.

    Args:
        setup: the setup of the shards, with their queries.
        outlets: the recipients of each query's changes, by name of the query.
        types: the kinds of columns whose terms are converted to values.

    Raises:
        OptionError: a column in `types` is in none of the results, or a variable has the name of another
            column.
    """

    def __init__(self, setup: ShardSetup, outlets: Mapping[str, Outlet], types: ColumnTypes) -> None:
        types.check(setup.columns)
        self._types = types
        columns = [(_Columns(setup, name, given), outlets[name]) for name, given in setup.queries.items()]
        self._used = [(each, outlet) for each, outlet in columns if outlet.is_open]

    def deliver(self, changes: pa.Table, batch: int, spark: SparkSession) -> None:
        """Deliver the reports of a batch, which are all on the driver."""
        made = [(self._types.typed(columns.table(changes, batch)), outlet) for columns, outlet in self._used]
        deliver_tables(made, batch, spark)


class _Columns:
    """Conversion of shard changes to the result columns of one query."""

    def __init__(self, setup: ShardSetup, name: str, given: Registration) -> None:
        variables = setup.variables[name]
        self._name, self._kind = name, setup.kind
        self._values = setup.names[1 : len(variables) + 1]
        self._schema = result_schema(setup.kind, variables, pa.int32(), f"queries[{name!r}]")
        self._window = ReportWindow(setup.kind, given, setup.options.window)

    def table(self, changes: pa.Table, batch: int) -> pa.Table:
        """Return the changes of this query, sorted by time and then by the texts of terms."""
        own = changes.filter(pc.equal(changes["query"], self._name)).select(("at", *self._values, "change"))
        ticks = own["at"].cast(pa.int64())  # microseconds for datetimes
        rows = _in_order(_summed(own.set_column(0, "at", ticks)))
        times = {
            tick: (time_of(tick, self._kind), *self._window.ends(tick))
            for tick in pc.unique(rows["at"]).to_pylist()
        }
        head = list(zip(*(times[tick] for tick in rows["at"].to_pylist()), strict=True)) or [()] * 3
        kinds = self._schema.types
        firsts = map(pa.array, ([batch] * len(rows), *head), kinds)
        others = (column.cast(kind) for column, kind in zip(rows.columns[1:], kinds[4:], strict=True))
        return pa.table([*firsts, *others], schema=self._schema)


def _summed(rows: pa.Table) -> pa.Table:
    """Sum the last column, the change, over rows that are equal in all other columns; drop sums of 0.

    Late rows, whose change is 0, are kept as they are.
    """
    *columns, change = rows.column_names
    is_late = pc.equal(rows[change], 0)
    summed = rows.filter(pc.invert(is_late)).group_by(columns).aggregate([(change, "sum")])
    summed = summed.select([*columns, f"{change}_sum"]).rename_columns(rows.column_names)
    late = rows.filter(is_late).cast(summed.schema)
    return pa.concat_tables([late, summed.filter(pc.not_equal(summed[change], 0))])


def _in_order(rows: pa.Table) -> pa.Table:
    """Sort by time, then by the texts of terms; nulls first."""
    at, *texts = rows.columns[:-1]
    names = list(map(str, range(len(texts) + 1)))
    keys = pa.table([at, *(pc.fill_null(column, "") for column in texts)], names)
    return rows.take(pc.sort_indices(keys, [(name, "ascending") for name in names]))


def run_sharded(
    spark: SparkSession,
    plan: Callable[[ShardSetup], ShardedStream],
    setup: ShardSetup,
    asked: ShardLayout,
    layouts: ShardLayouts | None,
    outlets: Mapping[str, Outlet],
    types: ColumnTypes,
    checkpoint: str | Path | None,
    trigger: Mapping[str, object] | None,
    query_name: str | None,
    letters: DeadLetters | None = None,
    on_batch: Callable[[BatchReport], object] | None = None,
    idle_seconds: float | None = None,
) -> ReasoningQuery:
    """Run a sharded stream.

    With a checkpoint, the files of `outlets` have each batch exactly once; sinks may receive a batch again.

    If the checkpoint has another number of shards, or other hot keys, the shards are divided anew first.

    Args:
        spark: the session of the stream.
        plan: returns Spark's plan for a setup.
        setup: the setup with the layout of a new stream.
        asked: the layout that the options request.
        layouts: the layouts in the checkpoint; None if there are none.
        outlets: the recipients by name of the query, or `STREAM`.
        types: the kinds of columns whose terms are converted to values.
        checkpoint: a path or URI that driver and executors can both read; None for a temporary folder.
        trigger: keyword arguments of `DataStreamWriter.trigger`; None for Spark's default.
        letters: the recipients of rows that are not processed.
        on_batch: called with the report on each batch, at most once.
        idle_seconds: as for `FlushingRun`.

    Raises:
        OptionError: there is neither a sink nor an output, the folder has files of another stream, or a
            column in `types` is in none of the results.
        CheckpointError: the checkpoint belongs to an unsharded stream.
    """
    if not any(outlet.is_open for outlet in outlets.values()):
        raise MissingOptionError(
            "sink", "…", "With shard_by a sink or output receives the changes of the shards."
        )

    temporary = tempfile.TemporaryDirectory(prefix="pantarhei-") if checkpoint is None else None
    folder = checkpoint_folder(temporary.name if temporary else checkpoint or "", spark)
    resumes = _check_folder(
        folder, layouts, [*outlets.values(), *([] if letters is None else [letters.outlet])]
    )
    folder.make()
    present = asked.applied(setup) if layouts is None else layouts.present.applied(setup)
    target = present if layouts is None else layouts.requested(asked).applied(setup)
    totals = StreamTotals(setup.kind, None if temporary else folder)

    def started(stream: ShardedStream) -> tuple[BatchFunction, Callable[..., StreamingQuery]]:
        """Return the function of batches, and a function that starts a query of outcomes with a trigger."""
        process = _processing(stream, outlets, types, letters, totals, on_batch)
        batches = BatchFunction(process, temporary)

        def start(
            trigger: Mapping[str, object] | None, packed: DataFrame = stream.packed, shards: int = 0
        ) -> StreamingQuery:
            return start_query(packed, partial(batches, shards=shards), folder.uri, trigger, query_name)

        return batches, start

    spark_folder = HadoopFolder(folder.uri, spark)
    stream = plan(target)
    batches, start = started(stream)
    client = ShardClient(spark, stream.shipped, folder.uri)
    if resumes:
        restore_positions(spark_folder)  # a change of the shards may have been cut off
    changes = ShardLayout.in_setup(present) != ShardLayout.in_setup(target)
    if layouts is not None and changes and last_batch(spark_folder) is not None:
        before = plan(present)
        if not has_completed(spark_folder):
            layouts.write(folder)  # the batch to be ended may have the number of an abandoned change
            finishing, resume = started(before)
            watched(finishing, resume(ONCE).awaitTermination)
        batch = completed_batch(spark_folder) + 1
        begun = ShardLayouts(layouts.present, asked, ShardLayout.in_setup(target), batch)
        begun.write(folder)

        def run_batch(packed: DataFrame, shards: int) -> None:
            if ShardLayouts.read(folder) != begun:
                raise StreamError("another number of shards was requested meanwhile; start the stream again")
            watched(batches, start(ONCE, packed, shards).awaitTermination)

        move(spark, spark_folder, client.states(), before.shipped, stream.shipped, run_batch)
    if temporary is None:
        ShardLayouts(ShardLayout.in_setup(target), asked).write(folder)
    run = FlushingRun(start, trigger, spark_folder, totals, idle_seconds)
    return ReasoningQuery(run, batches, totals, client)


def _check_folder(folder: Folder, layouts: ShardLayouts | None, outlets: Iterable[Outlet]) -> bool:
    """Check the folders of a stream; return whether the checkpoint folder has a stream.

    Raises:
        CheckpointError: the checkpoint belongs to an unsharded stream, or to an earlier version.
        OptionError: the stream is new, and a folder of results has files of another stream.
    """
    if folder.exists(REASONER):
        raise CheckpointError(str(folder), "it belongs to a stream without shards; resume without shard_by")
    resumes = is_sharded(folder)
    if resumes and layouts is None:
        reason = "an earlier version of pantarhei wrote it; start again with an empty checkpoint folder"
        raise CheckpointError(str(folder), reason)
    for files, _ in () if resumes else outlets:
        if files is not None:
            files.refuse_if_used()
    return resumes


_MOST_LOCAL = 64 << 20  # bytes


def _processing(
    stream: ShardedStream,
    outlets: Mapping[str, Outlet],
    types: ColumnTypes,
    letters: DeadLetters | None,
    totals: StreamTotals,
    on_batch: Callable[[BatchReport], object] | None,
) -> Callable[..., object]:
    """Return the function that processes the packed outcomes of a batch, given its number.

    If the batch changes the shards, `shards` is the number of those that it must write.

    Outcomes are read on the driver, which costs one job. After a batch with more than `_MOST_LOCAL` bytes, or
    more than Spark sends to the driver, changes stay on the executors.

    Raises:
        OptionError: a column in `types` is in none of the results, or a variable has the name of another
            column.
    """
    setup = stream.shipped.value
    unpack = Unpacker(setup.names, setup.kind)
    answers = ShardedAnswers(setup, outlets, types) if setup.queries else None
    if answers is None:
        types.check(setup.names)
    size = 0

    def deliver_local(packed: pa.Table, batch: int, spark: SparkSession) -> None:
        changes = unpack.table(packed)
        if answers is not None:
            answers.deliver(changes, batch, spark)
        else:
            deliver_tables([(types.typed(changes), outlets[STREAM])], batch, spark)

    def deliver_distributed(rows: DataFrame, batch: int) -> None:
        files, sink = outlets[STREAM]
        if files is not None:
            files.write(types.typed(unpack.table(rows.select("shard", "changes").toArrow())), batch)
        if sink is not None:
            changes = stream.changes(rows)
            sink(typed(changes, types.kinds) if types.kinds else changes, batch)

    def deliver_letters(outcomes: pa.Table, batch: int, spark: SparkSession) -> None:
        if letters is not None:
            found = pc.drop_null(outcomes["letters"]).to_pylist()
            letters.deliver(
                pa.concat_tables([letters.arrow.empty_table(), *map(unpack_table, found)]), batch, spark
            )

    def check(shards: pa.ChunkedArray, expected: int, batch: int) -> None:
        """Check that the outcomes of a batch are of at least `expected` shards."""
        if not set(range(expected)) <= set(shards.to_pylist()):
            reason = f"batch {batch} was to write {expected} shards and has not received them"
            raise StreamError(f"{reason}; start the stream with the number of shards that it had")

    def process(rows: DataFrame, batch: int, shards: int = 0) -> None:
        nonlocal size
        spark, outcomes = rows.sparkSession, None
        if answers is not None or size <= _MOST_LOCAL:
            outcomes = _collected(rows)
        if outcomes is not None:
            check(outcomes["shard"], shards, batch)
            size = outcomes["changes"].nbytes
            deliver_letters(outcomes, batch, spark)
            deliver_local(outcomes, batch, spark)
        else:
            # A sink may read its rows several times, and Spark would run the shards each time.
            kept = rows.persist()
            try:
                sizes = F.coalesce(F.length("changes"), F.lit(0)).cast("long").alias("changes")
                outcomes = kept.withColumn("changes", sizes).toArrow()
                check(outcomes["shard"], shards, batch)
                size = sum(outcomes["changes"].to_pylist())
                deliver_letters(outcomes, batch, spark)
                deliver_distributed(kept, batch)
            finally:
                kept.unpersist()
        if stream.warned is not None:
            stream.warned.emit()
        is_new = batch > totals.batch  # Spark repeats a saved batch that it could not commit
        report = totals.add(batch, outcomes.drop_columns(["changes"]))
        if is_new:
            _log.info("%s", report)
            if on_batch is not None:
                on_batch(report)

    return process


def _collected(rows: DataFrame) -> pa.Table | None:
    """Return a DataFrame as a table; None if it is larger than Spark sends to the driver."""
    try:
        return rows.toArrow()
    except FAILURES as failure:
        if "maxResultSize" in str(failure):
            return None
        raise

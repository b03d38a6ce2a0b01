"""A sharded stream that runs: the changes of its shards, batch by batch, to a sink or to files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from pyspark.sql import DataFrame

from pantarhei.errors import CheckpointError, OptionError
from pantarhei.spark.progress import REASONER, is_sharded, uri_of
from pantarhei.spark.results import STREAM, Outlet
from pantarhei.spark.running_query import Batches, ReasoningQuery, start
from pantarhei.spark.shards.asked_shards import AskedShards
from pantarhei.spark.shards.sharded_answers import ShardedAnswers
from pantarhei.spark.shards.sharded_stream import ShardedStream
from pantarhei.spark.typed_columns import ColumnTypes, typed


def run_shards(
    stream: ShardedStream,
    outlets: Mapping[str, Outlet],
    types: ColumnTypes,
    checkpoint: str | Path | None,
    trigger: Mapping[str, object] | None,
    query_name: str | None,
) -> ReasoningQuery:
    """Run a stream that is sharded.

    With a checkpoint, which Spark keeps alone, each batch reaches the files of `outlets` once; sinks may
    see one again.

    Args:
        outlets: by the names of queries, or `STREAM`.
        types: which columns have values in the place of terms.
        checkpoint: a folder, or a URI that driver and executors know alike.

    Raises:
        OptionError: nobody would see the changes, the folder has those of another stream, or a column with a
            type is in none of the results.
        CheckpointError: the checkpoint is that of a stream that is not sharded.
    """
    if not any(outlet.is_open for outlet in outlets.values()):
        raise OptionError("shard_by", "without sink or output", "one of them, which gets the shards' changes")

    stream, hand_out = _told(stream, outlets, types)

    def take_in(rows: DataFrame, batch: int) -> None:
        hand_out(rows, batch)
        if stream.warned is not None:
            stream.warned.tell()

    temporary = tempfile.TemporaryDirectory(prefix="pantarhei-") if checkpoint is None else None
    place = str(temporary.name if temporary else checkpoint)
    if re.match("[A-Za-z][A-Za-z0-9+.-]+:/", place) is None:
        folder = Path(place)
        if (folder / REASONER).exists():
            raise CheckpointError(place, "it is that of a stream that is not sharded; go on without shard_by")
        for files, _ in outlets.values() if not is_sharded(folder) else ():
            if files is not None:
                files.refuse_if_used()
        place = uri_of(folder)
    batches = Batches(take_in, temporary)
    running = start(stream.changes, batches, place, trigger, query_name)
    asked = AskedShards(stream.changes.sparkSession, stream.shipped, place)
    return ReasoningQuery(running, batches, asked=asked)


def _told(
    stream: ShardedStream, outlets: Mapping[str, Outlet], types: ColumnTypes
) -> tuple[ShardedStream, Callable[[DataFrame, int], object]]:
    """The stream with what its shards tell, and what hands out a batch of that."""
    setup = stream.shipped.value
    if setup.queries:
        return stream, ShardedAnswers(setup, outlets, types).hand_out
    types.check(setup.names)
    if types.kinds:
        stream = stream._replace(changes=typed(stream.changes, types.kinds))
    files, sink = outlets[STREAM]

    def hand_out(rows: DataFrame, batch: int) -> None:
        if files is not None:
            files.write(rows.toArrow(), batch)
        if sink is not None:
            sink(rows, batch)

    return stream, hand_out

"""A sharded stream that runs: the changes of its shards, batch by batch, to a sink or to files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import DataFrame

from pantarhei.errors import CheckpointError, OptionError
from pantarhei.spark.progress import REASONER, is_sharded, uri_of
from pantarhei.spark.results import Outlet
from pantarhei.spark.running_query import Batches, ReasoningQuery, start
from pantarhei.spark.shards.asked_shards import AskedShards
from pantarhei.spark.shards.sharded_stream import ShardedStream


def run_shards(
    stream: ShardedStream,
    outlet: Outlet,
    checkpoint: str | Path | None,
    trigger: Mapping[str, object] | None,
    query_name: str | None,
) -> ReasoningQuery:
    """Run a stream that is sharded.

    With a checkpoint, which Spark keeps alone, each batch reaches the files of `outlet` once; its sink may
    see one again.

    Args:
        checkpoint: a folder, or a URI that driver and executors know alike.

    Raises:
        OptionError: nobody would see the changes, or the folder has those of another stream.
        CheckpointError: the checkpoint is that of a stream that is not sharded.
    """
    files, sink = outlet
    if not outlet.is_open:
        raise OptionError("shard_by", "without sink or output", "one of them, which gets the shards' changes")

    def take_in(rows: DataFrame, batch: int) -> None:
        if files is not None:
            files.write(rows.toArrow(), batch)
        if sink is not None:
            sink(rows, batch)
        if stream.warned is not None:
            stream.warned.tell()

    temporary = tempfile.TemporaryDirectory(prefix="pantarhei-") if checkpoint is None else None
    place = str(temporary.name if temporary else checkpoint)
    if re.match("[A-Za-z][A-Za-z0-9+.-]+:/", place) is None:
        folder = Path(place)
        if (folder / REASONER).exists():
            raise CheckpointError(place, "it is that of a stream that is not sharded; go on without shard_by")
        if files is not None and not is_sharded(folder):
            files.refuse_if_used()
        place = uri_of(folder)
    batches = Batches(take_in, temporary)
    running = start(stream.changes, batches, place, trigger, query_name)
    asked = AskedShards(stream.changes.sparkSession, stream.shipped, place)
    return ReasoningQuery(running, batches, asked=asked)

"""A running query over a stream, as its user holds it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, overload

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from pantarhei.engine.diagnostics import Unexpected
from pantarhei.errors import OptionError, PantarheiError
from pantarhei.explain.absence import Absence
from pantarhei.explain.explainer import LIMIT, WAYS
from pantarhei.model.message_text import counted
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.proof import Proof
from pantarhei.reasoner import StreamReasoner
from pantarhei.repair.quality import Quality
from pantarhei.repair.result import Conflict, ConflictList
from pantarhei.spark.driver import Counts, Driver
from pantarhei.spark.sessions import FAILURES, raised_error
from pantarhei.spark.shards.shard_client import ShardClient


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """How far a query has come. Of one that is sharded only Spark's part is known.

    Args:
        state: "running", "ended" or "failed".
        batch: the last batch that is done, -1 before the first.
        rows: how many rows of the source it had; None where what Spark told last is not of that batch. So for
            `seconds`.
        seconds: how long it took.
        at: the newest timestamp that the window has come to; None before the first. So for `counts`.
        counts: what went by since the stream began.
    """

    state: str
    batch: int
    rows: int | None
    seconds: float | None
    at: TimePoint | None = None
    counts: Counts | None = None

    def __str__(self) -> str:
        parts = [self.state if self.batch < 0 else f"{self.state}, batch {self.batch} is done"]
        if self.rows is not None and self.seconds is not None:
            parts[0] += f": {counted(self.rows, 'row')} in {self.seconds:.1f} s"
        if self.at is not None:
            parts.append(f"the window has come to {self.at}")
        if (went_by := self.counts) is not None:
            told = f"{counted(went_by.aboxes, 'ABox')}, {counted(went_by.assertions, 'assertion')}"
            few = {"cut": went_by.cut, "late": went_by.late, "skipped": went_by.skipped}
            few["too far ahead"] = went_by.ahead
            parts.append(told + "".join(f", {number:,} {name}" for name, number in few.items() if number))
        return "; ".join(parts)


def progress_of(query: StreamingQuery, driver: Driver | None) -> QueryProgress:
    """How far Spark's query has come, and the driver where that holds the window. Starts no job and waits for
    nobody.
    """
    try:
        last = query.lastProgress
        state = "running" if query.isActive else "ended" if query.exception() is None else "failed"
    except FAILURES:  # the session has stopped, and Java with it
        last, state = None, "ended"
    told = -1 if last is None else last.batchId
    batch = told if driver is None else driver.batch
    rows, seconds = None, None
    if last is not None and told == batch:
        rows, seconds = last.numInputRows, last.batchDuration / 1000
    if driver is None:
        return QueryProgress(state, batch, rows, seconds)
    return QueryProgress(state, batch, rows, seconds, driver.newest, driver.counts)


class BatchFunction:
    """What is done with one micro-batch after another, for `foreachBatch`; remembers what went wrong.

    Args:
        take_in: what is done with the rows of a batch of that number.
        temporary: a checkpoint folder that is there as long as Spark has use for it.
    """

    def __init__(
        self,
        take_in: Callable[[DataFrame, int], object],
        temporary: tempfile.TemporaryDirectory[str] | None,
    ) -> None:
        self._take_in, self._temporary = take_in, temporary
        self.raised: list[BaseException] = []

    def __call__(self, rows: DataFrame, batch: int) -> None:
        try:
            self._take_in(rows, batch)
        except BaseException as error:
            self.raised.append(error)
            raise


def start_query(
    df: DataFrame,
    batches: BatchFunction,
    checkpoint: str,
    trigger: Mapping[str, object] | None,
    query_name: str | None,
) -> StreamingQuery:
    """Let Spark run `batches` over a streaming DataFrame.

    Args:
        checkpoint: Spark's own folder, as a URI.
        trigger: as `DataStreamWriter.trigger` takes it.
    """
    writer = df.writeStream.foreachBatch(batches).option("checkpointLocation", checkpoint)
    if query_name is not None:
        writer = writer.queryName(query_name)
    if trigger is not None:
        writer = writer.trigger(**cast("dict[str, Any]", dict(trigger)))
    return writer.start()


class ReasoningQuery:
    """A query that Spark runs, with the methods of its `StreamingQuery` that matter, and the window.

    Args:
        spark_query: Spark's own, for all else that it can say.
        batches: what was done, and what went wrong in it.
        driver: what holds the window; None where that is sharded over the executors.
        asked: the shards then.
    """

    def __init__(
        self,
        spark_query: StreamingQuery,
        batches: BatchFunction,
        driver: Driver | None = None,
        asked: ShardClient | None = None,
    ) -> None:
        self.spark_query = spark_query
        self._batches, self._driver, self._shards = batches, driver, asked

    @property
    def reasoner(self) -> StreamReasoner:
        """The window as it is after the last whole batch; to look at, not to push to.

        Raises:
            OptionError: the query is sharded. So for `counts`, `batch` and `flush`.
        """
        return self._window.reasoner

    @property
    def counts(self) -> Counts:
        """What went by."""
        return self._window.counts

    @property
    def batch(self) -> int:
        """The last batch in the window, -1 before the first."""
        return self._window.batch

    @property
    def _window(self) -> Driver:
        if self._driver is None:
            raise OptionError("shard_by", "given", "nothing, where the driver is to hold the window")
        return self._driver

    # -- why ---------------------------------------------------------------------------------------
    # Any thread may ask at any time; the answer is about the window after the last whole batch.

    @overload
    def explain(
        self, triple: Triple, at: TimePoint | None = None, all: Literal[False] = False, limit: int = LIMIT
    ) -> Proof: ...
    @overload
    def explain(
        self, triple: Triple, at: TimePoint | None = None, *, all: Literal[True], limit: int = LIMIT
    ) -> tuple[Proof, ...]: ...
    def explain(
        self, triple: Triple, at: TimePoint | None = None, all: bool = False, limit: int = LIMIT
    ) -> Proof | tuple[Proof, ...]:
        """Why a triple holds, as `StreamReasoner.explain` says it; where the query is sharded, the shard that
        holds the triple, in a job of its own.

        Raises:
            What `StreamReasoner.explain` does.
            SparkError: the job failed. So for the questions below.
        """
        if all:
            return self._asked.explain(triple, at, all=True, limit=limit)
        return self._asked.explain(triple, at, limit=limit)

    def why_not(self, triple: Triple, at: TimePoint | None = None, limit: int = WAYS) -> Absence:
        """Why a triple does not hold, as `StreamReasoner.why_not` says it; where the query is sharded, the
        shards that could hold it.
        """
        return self._asked.why_not(triple, at, limit)

    def quality(self) -> Quality:
        """How what was asserted fared, as `StreamReasoner.quality` says it; of all shards together."""
        return self._asked.quality()

    def conflicts(self) -> ConflictList[Conflict]:
        """All conflict sets of the window, as `StreamReasoner.conflicts` says it; of all shards together."""
        return self._asked.conflicts()

    def unexpected(self) -> Unexpected:
        """What was asserted that is likely a mistake, as `StreamReasoner.unexpected` says it; of all shards
        together.
        """
        return self._asked.unexpected()

    @property
    def _asked(self) -> StreamReasoner | ShardClient:
        return self._window.reasoner if self._shards is None else self._shards

    # -- while it runs -----------------------------------------------------------------------------

    @property
    def progress(self) -> QueryProgress:
        """How far it has come: state, last batch, what went by. May be asked in the middle of a batch."""
        return progress_of(self.spark_query, self._driver)

    def __repr__(self) -> str:
        name = self.spark_query.name
        return f"ReasoningQuery({'' if name is None else f'{name}: '}{self.progress})"

    @property
    def is_active(self) -> bool:
        """Whether it is running."""
        return self.spark_query.isActive

    def await_termination(self, timeout: float | None = None) -> bool:
        """Wait until the query ends, `timeout` seconds at most; returns whether it has ended.

        Raises:
            PantarheiError: what went wrong in it, where that is the stream's or the checkpoint's fault; a
                `SparkError` with the same text where it went wrong on an executor.
            StreamingQueryException: what else went wrong in it.
        """
        wait: Any = self.spark_query.awaitTermination
        return self._watched(wait if timeout is None else lambda: wait(timeout)) is not False

    def process_all_available(self) -> None:
        """Wait until all that the source has now has been taken in; for tests and notebooks.

        Raises:
            As `await_termination`.
        """
        self._watched(self.spark_query.processAllAvailable)

    def stop(self) -> None:
        """End the query. What waits for the watermark stays in the checkpoint."""
        self.spark_query.stop()

    def flush(self) -> None:
        """After the end of a stream that will not go on: push what still waits for the watermark.

        Neither the checkpoint nor the output hears of it.
        """
        if self.is_active:
            raise OptionError("take_in_what_waits()", "a running query", "one that has ended")
        self._window.flush()

    def _watched(self, wait: Callable[[], object]) -> object:
        try:
            return wait()
        except StreamingQueryException as failure:
            for error in self._batches.raised:
                if isinstance(error, PantarheiError):
                    raise error from None
            if (own := raised_error(failure)) is not None:
                raise own from None
            raise

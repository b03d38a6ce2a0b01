"""Running query over a stream: its state, its explanations and its end."""

from __future__ import annotations

import tempfile
import warnings
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
    """Progress of a query. For a sharded query only Spark's part is available.

    Args:
        state: "running", "ended" or "failed".
        batch: the last complete batch, -1 before the first.
        rows: the number of its rows in the source; None if Spark's last report is about another batch.
        seconds: its duration; None as for `rows`.
        at: the newest timestamp of the window; None before the first.
        counts: totals since the stream began; None before the first timestamp.
    """

    state: str
    batch: int
    rows: int | None
    seconds: float | None
    at: TimePoint | None = None
    counts: Counts | None = None

    def __str__(self) -> str:
        parts = [self.state if self.batch < 0 else f"{self.state}, batch {self.batch} is complete"]
        if self.rows is not None and self.seconds is not None:
            parts[0] += f": {counted(self.rows, 'row')} in {self.seconds:.1f} s"
        if self.at is not None:
            parts.append(f"the window is at {self.at}")
        if (went_by := self.counts) is not None:
            reported = f"{counted(went_by.aboxes, 'ABox')}, {counted(went_by.assertions, 'assertion')}"
            few = {"cut": went_by.cut, "late": went_by.late, "skipped": went_by.skipped}
            few["too far ahead"] = went_by.ahead
            parts.append(reported + "".join(f", {number:,} {name}" for name, number in few.items() if number))
        return "; ".join(parts)


def progress_of(query: StreamingQuery, driver: Driver | None) -> QueryProgress:
    """Return the progress of Spark's query, and of the driver if that holds the window. Starts no job and
    does not wait.
    """
    try:
        last = query.lastProgress
        state = "running" if query.isActive else "ended" if query.exception() is None else "failed"
    except FAILURES:  # session and Java have stopped
        last, state = None, "ended"
    reported = -1 if last is None else last.batchId
    batch = reported if driver is None else driver.batch
    rows, seconds = None, None
    if last is not None and reported == batch:
        rows, seconds = last.numInputRows, last.batchDuration / 1000
    if driver is None:
        return QueryProgress(state, batch, rows, seconds)
    return QueryProgress(state, batch, rows, seconds, driver.newest, driver.counts)


class BatchFunction:
    """Function of micro-batches for `foreachBatch`; keeps the errors that it raises.

    Args:
        take_in: processes the rows of a batch, given its number.
        temporary: a checkpoint folder that exists as long as Spark needs it.
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
    """Start Spark's query that runs `batches` over a streaming DataFrame.

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
    """Query that Spark runs, with the main methods of its `StreamingQuery`, and the window.

    Args:
        spark_query: Spark's query, for its other methods.
        batches: the function of micro-batches, with the errors that it raised.
        driver: holds the window; None where shards on the executors hold it.
        client: the client of the shards then.
    """

    def __init__(
        self,
        spark_query: StreamingQuery,
        batches: BatchFunction,
        driver: Driver | None = None,
        client: ShardClient | None = None,
    ) -> None:
        self.spark_query = spark_query
        self._batches, self._driver, self._client = batches, driver, client

    @property
    def reasoner(self) -> StreamReasoner:
        """The window after the last whole batch; to read, not to push to.

        Raises:
            OptionError: the query is sharded. `counts`, `batch` and `flush` raise it as well.
        """
        return self._window.reasoner

    @property
    def counts(self) -> Counts:
        """Totals since the stream began."""
        return self._window.counts

    @property
    def batch(self) -> int:
        """The last batch in the window, -1 before the first."""
        return self._window.batch

    @property
    def _window(self) -> Driver:
        if self._driver is None:
            raise OptionError("shard_by", "given", "no shard_by, so that the driver holds the window")
        return self._driver

    # Explanations, from any thread at any time, of the window after the last whole batch

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
        """Explain why a triple holds, as `StreamReasoner.explain`; for a sharded query, in a job of its own
        on the shard that holds the triple.

        Raises:
            What `StreamReasoner.explain` does.
            SparkError: the job failed. The methods below raise it as well.
        """
        if all:
            return self._explainer.explain(triple, at, all=True, limit=limit)
        return self._explainer.explain(triple, at, limit=limit)

    def why_not(self, triple: Triple, at: TimePoint | None = None, limit: int = WAYS) -> Absence:
        """Explain why a triple does not hold, as `StreamReasoner.why_not`; for a sharded query, on the shards
        that can hold it.
        """
        return self._explainer.why_not(triple, at, limit)

    def quality(self) -> Quality:
        """Assess the quality of assertions, as `StreamReasoner.quality`; of all shards together."""
        return self._explainer.quality()

    def conflicts(self) -> ConflictList[Conflict]:
        """Return all conflict sets of the window, as `StreamReasoner.conflicts`; of all shards together."""
        return self._explainer.conflicts()

    def unexpected(self) -> Unexpected:
        """Return suspicious assertions, as `StreamReasoner.unexpected`; of all shards together."""
        return self._explainer.unexpected()

    @property
    def _explainer(self) -> StreamReasoner | ShardClient:
        return self._window.reasoner if self._client is None else self._client

    # State of the query

    @property
    def progress(self) -> QueryProgress:
        """The progress: state, last batch, totals. Valid also during a batch."""
        return progress_of(self.spark_query, self._driver)

    def __repr__(self) -> str:
        name = self.spark_query.name
        return f"ReasoningQuery({'' if name is None else f'{name}: '}{self.progress})"

    @property
    def is_active(self) -> bool:
        """True while the query is running."""
        return self.spark_query.isActive

    def await_termination(self, timeout: float | None = None) -> bool:
        """Wait until the query ends, `timeout` seconds at most; return whether it has ended.

        Raises:
            PantarheiError: an error of the stream or the checkpoint; a `SparkError` with the same text if an
                executor raised it.
            StreamingQueryException: another error of the query.
        """
        wait: Any = self.spark_query.awaitTermination
        return self._watched(wait if timeout is None else lambda: wait(timeout)) is not False

    def process_all_available(self) -> None:
        """Wait until all present input of the source is processed; for tests and notebooks.

        Raises:
            As `await_termination`.
        """
        self._watched(self.spark_query.processAllAvailable)

    def stop(self) -> None:
        """End the query. ABoxes that wait for the watermark stay in the checkpoint."""
        self.spark_query.stop()

    def flush(self) -> None:
        """Push the ABoxes that wait for the watermark, after the end of a stream that will not be resumed.

        Neither the checkpoint nor the output receives them.
        """
        if self.is_active:
            raise OptionError("flush()", "a running query", "one that has ended")
        self._window.flush()

    def take_in_what_waits(self) -> None:
        """Call `flush`; this name works until 0.3."""
        warnings.warn("take_in_what_waits() is flush() now", DeprecationWarning, stacklevel=2)
        self.flush()

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

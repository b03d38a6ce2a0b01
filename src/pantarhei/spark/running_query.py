"""Handle of a running stream: its progress, explanations of its window, and its end."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Literal, cast, overload

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from pantarhei.engine.diagnostics import Unexpected
from pantarhei.errors import ExcludedOptionError, PantarheiError, StreamError
from pantarhei.explain.absence import Absence
from pantarhei.explain.explainer import LIMIT, WAYS
from pantarhei.model.representation import html_of
from pantarhei.model.term import Triple
from pantarhei.model.time import Duration, TimePoint, seconds_of
from pantarhei.proofs.proof import Proof
from pantarhei.reasoner import StreamReasoner
from pantarhei.repair.quality import Quality
from pantarhei.repair.result import Conflict, ConflictList
from pantarhei.spark.driver import Driver
from pantarhei.spark.progress import Counts, QueryProgress
from pantarhei.spark.sessions import FAILURES, raised_error
from pantarhei.spark.shards.shard_client import ShardClient
from pantarhei.spark.shards.stream_totals import StreamTotals


def progress_of(query: StreamingQuery, driver: Driver | StreamTotals) -> QueryProgress:
    """Return the progress of Spark's query and of the stream; starts no job, and does not wait."""
    try:
        last = query.lastProgress
        state = "running" if query.isActive else "ended" if query.exception() is None else "failed"
    except FAILURES:  # the session or Java has stopped
        last, state = None, "ended"
    batch, rows, seconds = driver.batch, None, None
    if last is not None and last.batchId == batch:
        rows, seconds = last.numInputRows, last.batchDuration / 1000
    facts = None if driver.report is None else driver.report.facts
    known = driver.newest, driver.counts, driver.complete_until, facts
    return QueryProgress(state, batch, rows, seconds, *known)


class BatchFunction:
    """Function for `foreachBatch` that records the errors that it raises.

    Args:
        process: function that processes the rows of a batch, given the batch's number and options.
        temporary: a temporary checkpoint folder, which is removed together with this object.
    """

    def __init__(
        self,
        process: Callable[..., object],
        temporary: tempfile.TemporaryDirectory[str] | None,
    ) -> None:
        self._process, self._temporary = process, temporary
        self.raised: list[BaseException] = []

    def __call__(self, rows: DataFrame, batch: int, **options: object) -> None:
        self.raised.clear()  # of an earlier query
        try:
            self._process(rows, batch, **options)
        except BaseException as error:
            self.raised.append(error)
            raise


def start_query(
    df: DataFrame,
    batches: Callable[[DataFrame, int], None],
    checkpoint: str,
    trigger: Mapping[str, object] | None,
    query_name: str | None,
) -> StreamingQuery:
    """Start a query of Spark that calls `batches` for each micro-batch of a streaming DataFrame.

    Args:
        checkpoint: Spark's own checkpoint folder, as a URI.
        trigger: keyword arguments of `DataStreamWriter.trigger`; None for Spark's default.
    """
    writer = df.writeStream.foreachBatch(batches).option("checkpointLocation", checkpoint)
    if query_name is not None:
        writer = writer.queryName(query_name)
    if trigger is not None:
        writer = writer.trigger(**cast("dict[str, Any]", dict(trigger)))
    return writer.start()


class QueryRun:
    """Spark's query of a stream, which may be replaced while the stream goes on.

    Args:
        start: starts a query of Spark with the given trigger.
        trigger: keyword arguments of `DataStreamWriter.trigger`; None for Spark's default.
    """

    def __init__(
        self,
        start: Callable[[Mapping[str, object] | None], StreamingQuery],
        trigger: Mapping[str, object] | None,
    ) -> None:
        self._start, self._trigger = start, trigger
        self.query = start(trigger)

    @property
    def is_active(self) -> bool:
        """True while the stream goes on."""
        return self.query.isActive

    def wait(self, seconds: float | None) -> bool:
        """Wait until the stream ends, at most for a number of seconds; return whether it has ended."""
        if seconds is not None:
            return self.query.awaitTermination(seconds) is not False  # type: ignore[arg-type]
        self.query.awaitTermination()
        return True

    def stop(self) -> None:
        """End the stream."""
        self.query.stop()

    def flush(self) -> None:
        """Push the rows that shards hold back."""
        raise NotImplementedError


class ReasoningQuery:
    """Handle of a stream that Spark runs: the main methods of `StreamingQuery`, and access to the window.

    Args:
        run: the runs of Spark's query.
        batches: the function called for micro-batches, which has recorded its errors.
        driver: the driver, which holds the window, or the totals of shards.
        client: the client of the shards; None if the driver holds the window.

    >>> import pantarhei as pr
    >>> from pantarhei.spark import reason_stream, register
    >>> register(spark)
    >>> rows = spark.readStream.format("pantarhei").load("examples/pedals")
    >>> pedals, once = pr.load_ontology("ontologies/pedals.ttl"), {"availableNow": True}
    >>> query = reason_stream(rows, pedals, pr.Window(range=2), trigger=once)
    >>> _ = query.await_termination()
    >>> query.is_active, query.batch, query.reasoner.timestamps
    (False, 0, (3, 4))
    """

    def __init__(
        self,
        run: QueryRun,
        batches: BatchFunction,
        driver: Driver | StreamTotals,
        client: ShardClient | None = None,
    ) -> None:
        self._run = run
        self._batches, self._driver, self._client = batches, driver, client

    @property
    def spark_query(self) -> StreamingQuery:
        """Spark's query, for its other methods. With an `idle_timeout` another one replaces it at times."""
        return self._run.query

    @property
    def reasoner(self) -> StreamReasoner:
        """Reasoner in the state after the last complete batch; it must only be read.

        Raises:
            OptionError: the query is sharded.
        """
        return self._window.reasoner

    @property
    def counts(self) -> Counts:
        """Totals since the stream began."""
        return self._driver.counts

    @property
    def batch(self) -> int:
        """Number of the last batch applied to the window, -1 before the first."""
        return self._driver.batch

    @property
    def complete_until(self) -> TimePoint | None:
        """Newest time t for which the sums of changes with `at <= t` are final; None if there is none yet."""
        return self._driver.complete_until

    @property
    def _window(self) -> Driver:
        if not isinstance(self._driver, Driver):
            raise ExcludedOptionError("shard_by", "…", "The window is held by the shards, not by the driver.")
        return self._driver

    # Explanations of the window after the last complete batch; any thread may request them at any time.

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
        """Explain why a triple holds, as `StreamReasoner.explain`.

        A sharded query runs a Spark job for this, on the shards that can hold the triple. The errors are
        those of `StreamReasoner.explain`, and `SparkError`.

        Raises:
            SparkError: the job failed. The methods below raise this error, too.
        """
        if all:
            return self._explainer.explain(triple, at, all=True, limit=limit)
        return self._explainer.explain(triple, at, limit=limit)

    def why_not(self, triple: Triple, at: TimePoint | None = None, limit: int = WAYS) -> Absence:
        """Explain why a triple does not hold, as `StreamReasoner.why_not`.

        A sharded query runs a Spark job for this, on the shards that can hold the triple.
        """
        return self._explainer.why_not(triple, at, limit)

    def quality(self) -> Quality:
        """Assess the quality of assertions in all shards, as `StreamReasoner.quality`."""
        return self._explainer.quality()

    def conflicts(self) -> ConflictList[Conflict]:
        """Return the conflict sets of all shards, as `StreamReasoner.conflicts`."""
        return self._explainer.conflicts()

    def unexpected(self) -> Unexpected:
        """Return the suspicious assertions in all shards, as `StreamReasoner.unexpected`."""
        return self._explainer.unexpected()

    @property
    def _explainer(self) -> StreamReasoner | ShardClient:
        return self._window.reasoner if self._client is None else self._client

    # State of the query

    @property
    def progress(self) -> QueryProgress:
        """State, last batch and totals; also available during a batch."""
        return progress_of(self.spark_query, self._driver)

    def __repr__(self) -> str:
        name = self.spark_query.name
        return f"ReasoningQuery({'' if name is None else f'{name}: '}{self.progress})"

    _repr_html_ = html_of

    def _shown_parts(self) -> dict[str, object]:
        progress = self.progress
        window = {"complete_until": progress.complete_until, "facts": progress.facts}
        known = {name: value for name, value in window.items() if value is not None}
        counts = {} if progress.counts is None else asdict(progress.counts)
        return {"state": str(progress), **known, **counts}

    @property
    def is_active(self) -> bool:
        """True while the query is running."""
        return self._run.is_active

    def await_termination(self, timeout: Duration | None = None) -> bool:
        """Wait until the query ends; return whether it has ended.

        Args:
            timeout: maximum time to wait: a duration (`"5m"`), or a number of seconds; None for no limit.

        Raises:
            TimestampError: the timeout is not a duration.
            PantarheiError: an error of the stream or the checkpoint, also of an executor.
            StreamingQueryException: another error of the query.
        """
        seconds = None if timeout is None else seconds_of(timeout)
        return bool(self._watched(lambda: self._run.wait(seconds)))

    def process_all_available(self) -> None:
        """Wait until all input that the source has now is processed; intended for tests and notebooks.

        Raises the errors of `await_termination`.
        """
        self._watched(self.spark_query.processAllAvailable)

    def stop(self) -> None:
        """End the query. ABoxes that are held back for the watermark stay in the checkpoint."""
        self._run.stop()

    def flush(self) -> None:
        """Push the held-back ABoxes, after the end of a stream.

        Without shards they change the window only, neither the checkpoint nor the output, and the stream must
        not be resumed. With shards this is one more batch: its results are delivered, and it is saved in the
        checkpoint. Rows that are older than the newest held-back row are late afterwards.

        Raises:
            StreamError: the query is running, stopped within a batch, or not the last one of its checkpoint.
        """
        if self.is_active:
            raise StreamError(
                "flush() needs a query that has ended, but this query is running; stop() it first"
            )
        if isinstance(self._driver, Driver):
            self._driver.flush()
        else:
            self._watched(self._run.flush)

    def take_in_what_waits(self) -> None:
        """Call `flush`; this name works until 0.3."""
        warnings.warn("take_in_what_waits() is flush() now", DeprecationWarning, stacklevel=2)
        self.flush()

    def _watched(self, wait: Callable[[], object]) -> object:
        return watched(self._batches, wait)


def watched(batches: BatchFunction, wait: Callable[[], object]) -> object:
    """Wait for a query; raise the error of its batch function, or of a worker, instead of Spark's.

    Raises:
        PantarheiError: an error of this package.
        StreamingQueryException: another error.
    """
    try:
        return wait()
    except StreamingQueryException as failure:
        for error in batches.raised:
            if isinstance(error, PantarheiError):
                raise error from None
        if (own := raised_error(failure)) is not None:
            raise own from None
        raise

"""How far a running query has come, for people and programs that look at it from time to time."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql.streaming.query import StreamingQuery

from pantarhei.model.messages import counted
from pantarhei.model.time import TimePoint
from pantarhei.spark.driver import Counts, Driver
from pantarhei.spark.failures import FAILURES


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

"""Flush of a sharded stream: a batch without rows whose watermark is past all rows.

Spark records each batch before it runs, with the positions of the sources and the watermark. A batch that is
recorded but not committed runs when the query starts again. So a flush records a batch with the positions of
the last one and with a later watermark, and starts the query for this batch alone.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from pyspark.sql.streaming.query import StreamingQuery

from pantarhei.errors import CheckpointError, PantarheiError, StreamError
from pantarhei.spark.file_system import Folder
from pantarhei.spark.running_query import QueryRun
from pantarhei.spark.sessions import FAILURES
from pantarhei.spark.shards.router import WATERMARK_OFFSET
from pantarhei.spark.shards.stream_totals import StreamTotals

_VERSION, _NO_POSITION = "v1", "-"
_MOVED = '{"pantarhei":"shards"}'  # position of a source after a batch that changes the shards
_LEAST_WAIT = 0.001  # seconds; Spark refuses less
ONCE: Mapping[str, object] = {"once": True}  # runs a recorded batch, and no further one

_log = logging.getLogger("pantarhei.spark")


def completed_batch(checkpoint: Folder) -> int:
    """Return the number of the last batch in Spark's checkpoint folder.

    Raises:
        StreamError: the batch is recorded but not committed, or there is none.
    """
    last = last_batch(checkpoint)
    if last is None:
        raise StreamError(f"the stream in {checkpoint} has no batch yet; start it first")
    require_completed(checkpoint, last)
    return last


def require_completed(checkpoint: Folder, batch: int) -> None:
    """Check that a recorded batch has ended.

    Raises:
        StreamError: it is not committed.
    """
    if not (checkpoint / "commits").exists(str(batch)):
        raise StreamError(
            f"batch {batch} of the stream in {checkpoint} has begun and has not ended; resume the stream "
            "with the options that it had, until this batch has ended"
        )


def has_completed(checkpoint: Folder) -> bool:
    """Return whether the last recorded batch has ended."""
    try:
        completed_batch(checkpoint)
    except StreamError:
        return False
    return True


def last_batch(checkpoint: Folder) -> int | None:
    """Return the number of the last recorded batch, which may not have ended; None if there is none."""
    return max((int(name) for name in (checkpoint / "offsets").names() if name.isdigit()), default=None)


class _Recorded(NamedTuple):
    """Record of a batch in Spark's checkpoint folder.

    Args:
        about: the record's metadata.
        positions: the positions of the sources, as text.
    """

    about: dict[str, Any]
    positions: list[str]

    @classmethod
    def read(cls, checkpoint: Folder, batch: int) -> _Recorded:
        offsets, name = checkpoint / "offsets", str(batch)
        version, metadata, *positions = offsets.read_text(name).split("\n")
        if version != _VERSION:
            raise CheckpointError(offsets.place(name), f"its format is {version}, expected {_VERSION}")
        return cls(json.loads(metadata), positions)

    def write(self, checkpoint: Folder, batch: int) -> None:
        text = json.dumps(self.about, separators=(",", ":"))
        (checkpoint / "offsets").write_text(str(batch), "\n".join([_VERSION, text, *self.positions]))


def next_watermark(checkpoint: Folder) -> int:
    """Return the watermark of the next batch, in Spark's milliseconds.

    Raises:
        StreamError: as for `completed_batch`.
        CheckpointError: the format of the folder is unknown.
    """
    last = completed_batch(checkpoint)
    present = int(_Recorded.read(checkpoint, last).about["batchWatermarkMs"])
    committed = json.loads((checkpoint / "commits").read_text(str(last)).split("\n")[1] or "{}")
    return max(present, int(committed.get("nextBatchWatermarkMs", 0)))


def record_batch(checkpoint: Folder, watermark: int = 0, moved: int | None = None) -> None:
    """Record a batch after the last one, with equal positions of the sources.

    Args:
        watermark: the watermark of the batch, in Spark's milliseconds, unless the present one is later.
        moved: number of a source whose position is to differ, until `restore_positions`.

    Raises:
        StreamError: as for `completed_batch`.
        CheckpointError: the format of the folder is unknown.
    """
    later, last = max(watermark, next_watermark(checkpoint)), completed_batch(checkpoint)
    about, positions = _Recorded.read(checkpoint, last)
    written = [_MOVED if place == moved else position for place, position in enumerate(positions)]
    _Recorded({**about, "batchWatermarkMs": later}, written).write(checkpoint, last + 1)


def movable_source(checkpoint: Folder) -> tuple[int, int]:
    """Return the number of the first source whose position can differ in a batch, and the number of sources.

    The position before such a batch is passed to Python as JSON; a source may also have no position yet.

    Raises:
        StreamError: as for `completed_batch`.
        CheckpointError: the format of the folder is unknown, or no position is JSON.
    """
    _, positions = _Recorded.read(checkpoint, completed_batch(checkpoint))
    for place, position in enumerate(positions):
        with suppress(ValueError):
            json.loads("0" if position == _NO_POSITION else position)
            return place, len(positions)
    given = ", ".join(positions)[:200]
    reason = f"the positions of its sources are not JSON: {given}; go on with the number of shards it has"
    raise CheckpointError(str(checkpoint), reason)


def restore_positions(checkpoint: Folder) -> None:
    """Write the positions of the last batch as the batch before has them, if one was recorded as moved."""
    last = last_batch(checkpoint)
    if last is None:
        return
    about, positions = _Recorded.read(checkpoint, last)
    if _MOVED in positions:
        _Recorded(about, _Recorded.read(checkpoint, last - 1).positions).write(checkpoint, last)


class FlushingRun(QueryRun):
    """Runs of a sharded stream. Rows that are held back are pushed on demand, or when no rows arrive.

    Args:
        start, trigger: as for `QueryRun`.
        checkpoint: Spark's checkpoint folder.
        totals: the totals of the stream.
        idle_seconds: time without rows after which the rows that are held back are pushed; None for never.
    """

    def __init__(
        self,
        start: Callable[[Mapping[str, object] | None], StreamingQuery],
        trigger: Mapping[str, object] | None,
        checkpoint: Folder,
        totals: StreamTotals,
        idle_seconds: float | None = None,
    ) -> None:
        super().__init__(start, trigger)
        self._checkpoint, self._totals, self._idle_seconds = checkpoint, totals, idle_seconds
        self._failure: BaseException | None = None
        self._lock = threading.RLock()  # held while one query replaces another
        self._ending = threading.Event()
        self._logged = set[type[Exception]]()
        if idle_seconds is not None:
            threading.Thread(target=self._watch, name="pantarhei-idle", daemon=True).start()

    @property
    def is_active(self) -> bool:
        if self.query.isActive:
            return True
        with self._lock:  # the query may just be replaced
            return self.query.isActive

    def wait(self, seconds: float | None) -> bool:
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            query = self.query
            left = None if until is None else max(_LEAST_WAIT, until - time.monotonic())
            ended = query.awaitTermination() if left is None else query.awaitTermination(left)  # type: ignore[arg-type]
            if ended is False:
                return False
            with self._lock:
                if self._failure is not None:
                    raise self._failure
                if query is self.query:
                    return True

    def stop(self) -> None:
        self._ending.set()
        with self._lock:
            self.query.stop()

    def flush(self) -> None:
        with self._lock:
            if not self._holds_rows():
                return
            assert self._totals.now.received is not None, "there are rows"
            if completed_batch(self._checkpoint) != self._totals.now.batch:
                raise StreamError(
                    f"the stream in {self._checkpoint} has gone on in another query; flush the last one"
                )
            record_batch(self._checkpoint, self._totals.now.received + 1 + WATERMARK_OFFSET)
            self.query = self._start(ONCE)
            self.query.awaitTermination()

    def _holds_rows(self) -> bool:
        """Return whether the watermark has not passed all rows."""
        received, closed = self._totals.now.received, self._totals.now.closed
        return received is not None and (closed is None or closed <= received)

    def _watch(self) -> None:
        """Flush whenever no rows have arrived for the idle time, until the stream ends.

        If the checkpoint or the query cannot be inspected, the next look tries again.
        """
        assert self._idle_seconds is not None, "the thread runs only with an idle time"
        while not self._ending.wait(min(1.0, self._idle_seconds / 4)):
            with self._lock:
                if self._failure is not None or not self._is_running():
                    return
                try:
                    if self._is_idle(self._idle_seconds):
                        self._push()
                except Exception as failure:
                    self._log_once(failure)

    def _is_running(self) -> bool:
        try:
            return bool(self.query.isActive)
        except FAILURES:  # the session or Java has stopped
            return False

    def _is_idle(self, seconds: float) -> bool:
        """Return whether rows are held back, no rows have arrived for some time, and no batch is running, or
        recorded and not committed.
        """
        if time.monotonic() - self._totals.last_rows < seconds or not self._holds_rows():
            return False
        if self.query.status["isTriggerActive"] and self.query.status["isDataAvailable"]:
            return False
        return has_completed(self._checkpoint)

    def _push(self) -> None:
        """Stop the query, flush, and start the query again. If Spark's query fails, the stream ends."""
        _log.info("no rows have arrived for the idle time: pushing the rows that are held back")
        try:
            self.query.stop()
            try:
                self.flush()
            except StreamError:
                pass  # rows have just arrived, and their batch has not ended
            except PantarheiError as failure:  # nothing has been recorded
                self._log_once(failure)
            self.query = self._start(self._trigger)
        except BaseException as failure:
            self._failure = failure

    def _log_once(self, failure: Exception) -> None:
        """Log a failure, unless one of its type has been logged."""
        if type(failure) not in self._logged:
            self._logged.add(type(failure))
            _log.warning(
                "the rows that are held back cannot be pushed now, which is tried again: %s", failure
            )

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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pyspark.sql.streaming.query import StreamingQuery

from pantarhei.errors import CheckpointError, StreamError
from pantarhei.spark.file_system import Folder
from pantarhei.spark.running_query import QueryRun
from pantarhei.spark.shards.router import WATERMARK_OFFSET
from pantarhei.spark.shards.stream_totals import StreamTotals

_VERSION, _NO_POSITION = "v1", "-"
ONCE: Mapping[str, object] = {"once": True}  # runs a recorded batch, and no further one

_log = logging.getLogger("pantarhei.spark")


def completed_batch(checkpoint: Folder) -> int:
    """Return the number of the last batch in Spark's checkpoint folder.

    Raises:
        StreamError: the batch is recorded but not committed, or there is none.
    """
    offsets, commits = (_numbers(checkpoint / name) for name in ("offsets", "commits"))
    last = max(offsets, default=None)
    if last is None:
        raise StreamError(f"the stream in {checkpoint} has no batch yet; start it first")
    if last not in commits:
        raise StreamError(
            f"batch {last} of the stream in {checkpoint} has begun and has not ended; resume the stream with "
            "the options that it had, until this batch has ended"
        )
    return last


def has_completed(checkpoint: Folder) -> bool:
    """Return whether the last recorded batch has ended."""
    try:
        completed_batch(checkpoint)
    except StreamError:
        return False
    return True


def _numbers(folder: Folder) -> set[int]:
    return {int(name) for name in folder.names() if name.isdigit()}


class _Recorded(NamedTuple):
    """Record of a batch in Spark's checkpoint folder.

    Args:
        about: the record's metadata.
        positions: the positions of the sources, as text.
        watermark: the watermark after the batch, in Spark's milliseconds.
    """

    about: dict[str, Any]
    positions: list[str]
    watermark: int


def _recorded(checkpoint: Folder, batch: int) -> _Recorded:
    offsets, name = checkpoint / "offsets", str(batch)
    version, metadata, *positions = offsets.read_text(name).split("\n")
    if version != _VERSION:
        raise CheckpointError(offsets.place(name), f"its format is {version}, expected {_VERSION}")
    about = json.loads(metadata)
    committed = json.loads((checkpoint / "commits").read_text(name).split("\n")[1] or "{}")
    watermark = max(int(about["batchWatermarkMs"]), int(committed.get("nextBatchWatermarkMs", 0)))
    return _Recorded(about, positions, watermark)


def _write(checkpoint: Folder, batch: int, about: Mapping[str, Any], positions: Sequence[str]) -> None:
    text = json.dumps(about, separators=(",", ":"))
    (checkpoint / "offsets").write_text(str(batch), "\n".join([_VERSION, text, *positions]))


def next_watermark(checkpoint: Folder) -> tuple[int, int]:
    """Return the watermark of the next batch, in Spark's milliseconds, and the number of sources.

    Raises:
        StreamError: as for `completed_batch`.
        CheckpointError: the format of the folder is unknown.
    """
    last = _recorded(checkpoint, completed_batch(checkpoint))
    return last.watermark, len(last.positions)


def record_batch(checkpoint: Folder, watermark: int | None = None, moved: bool = False) -> int:
    """Record a batch after the last one, with the same positions of the sources; return its number.

    Args:
        watermark: the watermark of the batch, in Spark's milliseconds; None for the present one.
        moved: whether to write the positions differently, so that sources have another position.

    Raises:
        StreamError: as for `completed_batch`.
        CheckpointError: the format of the folder is unknown.
    """
    last = completed_batch(checkpoint)
    about, positions, present = _recorded(checkpoint, last)
    later = present if watermark is None else max(watermark, present)
    written = list(map(_moved, positions)) if moved else positions
    _write(checkpoint, last + 1, {**about, "batchWatermarkMs": later}, written)
    return last + 1


def write_positions(checkpoint: Folder) -> None:
    """Write the positions of the last batch, recorded as moved, as the batch before has them."""
    last = completed_batch(checkpoint)
    before = _recorded(checkpoint, last - 1)
    _write(checkpoint, last, _recorded(checkpoint, last).about, before.positions)


def _moved(position: str) -> str:
    """Return another text of a position; numbers and JSON are read as before."""
    if position == _NO_POSITION:
        return position
    return f"+{position}" if position.isdigit() else f"{position} "


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
            left = None if until is None else max(0.0, until - time.monotonic())
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
            record_batch(self._checkpoint, self._totals.now.received + 1 + WATERMARK_OFFSET)
            self.query = self._start(ONCE)
            self.query.awaitTermination()

    def _holds_rows(self) -> bool:
        """Return whether the watermark has not passed all rows."""
        received, closed = self._totals.now.received, self._totals.now.closed
        return received is not None and (closed is None or closed <= received)

    def _watch(self) -> None:
        """Flush whenever no rows have arrived for the idle time, until the stream ends."""
        assert self._idle_seconds is not None, "the thread runs only with an idle time"
        while not self._ending.wait(min(1.0, self._idle_seconds / 4)):
            with self._lock:
                if not self.query.isActive:
                    return
                idle = time.monotonic() - self._totals.last_rows
                if idle < self._idle_seconds or not self._holds_rows() or self._is_busy():
                    continue
                _log.info("no rows for %.0f s: pushing the rows that are held back", idle)
                try:
                    self.query.stop()
                    with suppress(StreamError):  # rows have just arrived, and their batch has not ended
                        self.flush()
                    self.query = self._start(self._trigger)
                except BaseException as failure:
                    self._failure = failure
                    return

    def _is_busy(self) -> bool:
        """Return whether a batch is running, or recorded and not committed."""
        if self.query.status["isTriggerActive"] and self.query.status["isDataAvailable"]:
            return True
        return not has_completed(self._checkpoint)

"""Totals of a sharded stream on the driver, and their file in the checkpoint."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from pantarhei.errors import CheckpointError
from pantarhei.model.time import TimeKind, TimePoint, time_of
from pantarhei.spark.driver import NO_BATCH
from pantarhei.spark.file_system import Folder
from pantarhei.spark.progress import BatchReport, Counts
from pantarhei.spark.shards.router import CLOCK
from pantarhei.spark.shards.shard import ShardCounts

TOTALS = "pantarhei.json"
"""Name of the file in the checkpoint folder."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals after a batch. Times are in ticks.

    Args:
        batch: the last batch whose results are delivered.
        counts: the totals since the stream began.
        newest: the newest tick pushed into a window.
        received: the newest tick of a row, which may be held back.
        closed: the watermark.
        facts: the number of facts in the model of each shard, without the background.
    """

    batch: int = NO_BATCH
    counts: Counts = field(default_factory=Counts)
    newest: int | None = None
    received: int | None = None
    closed: int | None = None
    facts: Mapping[int, int] | None = None

    def plus(self, batch: int, outcomes: pa.Table) -> tuple[Totals, BatchReport]:
        """Return the totals after a batch, and the report on it without times.

        Args:
            outcomes: the outcomes of the shards, with the columns `PACKED` except `changes`.
        """
        given = {name: outcomes[name].to_pylist() for name in outcomes.column_names if name != "letters"}
        ticks = {at for each in given["ticks"] if each for at in np.frombuffer(each, np.int64).tolist()}
        done = {name: sum(given[name]) for name in ShardCounts._fields}
        shards = list(zip(given["rows"], given["shard"], given["hot_key"], strict=True))
        rows, hottest, key = max(shards, key=lambda each: each[0], default=(0, CLOCK, None))
        of_shards = zip(given["shard"], given["facts"], strict=True)
        facts = {**(self.facts or {}), **{shard: count for shard, count in of_shards if count is not None}}
        counts = asdict(self.counts)
        more = {"aboxes": len(ticks), **done}
        totals = Totals(
            batch,
            Counts(**{name: count + more.get(name, 0) for name, count in counts.items()}),
            _newest(self.newest, *ticks),
            _newest(self.received, *given["received"]),
            _newest(self.closed, *given["closed"]),
            facts,
        )
        report = BatchReport(
            batch,
            aboxes=len(ticks),
            facts=sum(facts.values()),
            hottest_shard=hottest if rows else None,
            hottest_key=key if rows else None,
            **done,
        )
        return totals, report


def _newest(*ticks: int | None) -> int | None:
    return max((each for each in ticks if each is not None), default=None)


class StreamTotals:
    """Totals of a stream, saved in its checkpoint with each batch.

    The file also has the totals before the batch, from which a batch that comes again is counted.

    Args:
        kind: the kind of the stream's timestamps.
        folder: the folder of the checkpoint; None to save nothing.

    Raises:
        CheckpointError: the file is damaged.
    """

    def __init__(self, kind: TimeKind, folder: Folder | None) -> None:
        self._kind, self._folder = kind, folder
        self._before = self.now = Totals()
        self.last_rows = time.monotonic()  # when the last rows arrived
        self.report: BatchReport | None = None
        if folder is not None and folder.exists(TOTALS):
            self._before, self.now = _read(folder)

    @property
    def batch(self) -> int:
        """Number of the last batch whose results are delivered."""
        return self.now.batch

    @property
    def counts(self) -> Counts:
        """Totals since the stream began."""
        return self.now.counts

    @property
    def newest(self) -> TimePoint | None:
        """Newest timestamp pushed into a window."""
        return self._time(self.now.newest)

    @property
    def complete_until(self) -> TimePoint | None:
        """Newest time t for which the sums of changes with `at <= t` are final."""
        closed = self.now.closed
        return None if closed is None else self._time(closed - 1)

    def add(self, batch: int, outcomes: pa.Table) -> BatchReport:
        """Add the outcomes of a batch, and save the totals."""
        before = self._before if batch <= self.now.batch else self.now
        now, report = before.plus(batch, outcomes)
        if self._folder is not None:
            saved = {"before": asdict(before), "now": asdict(now)}
            self._folder.write_text(TOTALS, json.dumps(saved))
        self._before, self.now = before, now
        if any(outcomes["rows"].to_pylist()):
            self.last_rows = time.monotonic()
        self.report = replace(report, complete_until=self.complete_until)
        return self.report

    def _time(self, ticks: int | None) -> TimePoint | None:
        return None if ticks is None else time_of(ticks, self._kind)


def _read(folder: Folder) -> tuple[Totals, Totals]:
    try:
        saved = json.loads(folder.read_text(TOTALS))
        return _totals(saved["before"]), _totals(saved["now"])
    except (ValueError, TypeError, KeyError) as error:
        raise CheckpointError(folder.place(TOTALS), f"it is damaged: {error}") from error


def _totals(saved: Mapping[str, Any]) -> Totals:
    facts = {int(shard): count for shard, count in (saved["facts"] or {}).items()}
    return Totals(**{**saved, "counts": Counts(**saved["counts"]), "facts": facts})

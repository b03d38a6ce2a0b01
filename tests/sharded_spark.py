"""Sharded stream in this process, with batches, tasks, a watermark and timers like those of Spark.

The router and the processor of shards are those of a stream; only their callers are replaced.
"""

from collections import defaultdict
from itertools import chain, pairwise
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from pantarhei.spark.shards import processor
from pantarhei.spark.shards.processor import ShardProcessor, unpack_changes
from pantarhei.spark.shards.router import CLOCK, WATERMARK_OFFSET, Router
from pantarhei.spark.shards.shard import ShardChange, SharedValue
from pantarhei.spark.shards.stream_totals import Totals


class Times(NamedTuple):
    """Spark's watermark in a batch."""

    watermark: int

    def getCurrentWatermarkInMs(self):
        return self.watermark


class Handle:
    """State and timers of each key; `key` is the present one."""

    def __init__(self):
        self.key, self.values, self.timers = CLOCK, {}, defaultdict(frozenset)
        self.blocks = defaultdict(dict)

    def getValueState(self, name, columns):
        return self

    def getMapState(self, name, key, value):
        return self

    def get(self):
        return self.values.get(self.key)

    def update(self, value):
        self.values[self.key] = value

    def iterator(self):
        return iter(self.blocks[self.key].items())

    def updateValue(self, key, value):
        self.blocks[self.key][key] = value

    def removeKey(self, key):
        del self.blocks[self.key][key]

    def listTimers(self):
        return self.timers[self.key]

    def registerTimer(self, at):
        self.timers[self.key] |= {at}

    def deleteTimer(self, at):
        self.timers[self.key] -= {at}


class SimulatedStream:
    """Sharded stream whose tasks fail and whose workers are replaced at random.

    Args:
        setup: the setup of the shards.
        rnd: source of random numbers.
        lateness: allowed lateness in ticks; only if rows are held back.

    Attributes:
        closed: the watermark of the next batch in ticks; None if there is none yet.
        totals, report: as for a stream on Spark.
        again: number of calls of a shard that were repeated.
    """

    def __init__(self, setup, rnd, lateness=0):
        self.setup, self._rnd, self._lateness = setup, rnd, lateness
        self.closed, self.totals, self.report, self.again = None, Totals(), None, 0
        self._handle = Handle()
        self.restart()

    def restart(self):
        """Replace all processes."""
        processor._LIVE.clear()
        self._router = Router(self.setup.routing, self.setup.shards, self.setup.on_error)
        self._processor = ShardProcessor(SharedValue(self.setup))
        self._processor.init(self._handle)

    def batch(self, rows):
        """Run a batch of normalized rows in the tasks of a random cut; return the changes, each with its
        shard.
        """
        times = Times(0 if self.closed is None else self.closed + WATERMARK_OFFSET)
        routed, self._events = defaultdict(list), []
        for row in chain.from_iterable(map(self._routed, self._cut(rows))):
            routed[row["shard"]].append(row)
        due = {
            key
            for key, timers in self._handle.timers.items()
            if min(timers, default=times[0] + 1) <= times[0]
        }
        keys = sorted(routed.keys() | due)
        made = [self._call(key, routed.get(key), times) for key in self._rnd.sample(keys, len(keys))]
        empty = pd.DataFrame(columns=[each.split()[0] for each in processor.PACKED.split(", ")])
        outcomes = pa.Table.from_pandas(pd.concat(made) if made else empty, preserve_index=False)
        self.totals, self.report = self.totals.plus(self.totals.batch + 1, outcomes)
        if self._events:
            passed = max(self._events) // 1000 - WATERMARK_OFFSET - self._lateness
            self.closed = passed if self.closed is None else max(passed, self.closed)
        changes = unpack_changes(outcomes, self.setup.names).to_pydict().values()
        return [
            (shard, ShardChange(at, tuple(terms), change))
            for shard, at, *terms, change in zip(*changes, strict=True)
        ]

    def flush(self):
        """Run a batch without rows whose watermark is past all rows; return the changes."""
        if self.totals.received is not None:
            self.closed = max(self.closed, self.totals.received + 1)
        return self.batch(NOTHING)

    @property
    def shards(self):
        """Number of shards that have a state."""
        return len(self._handle.values)

    @property
    def complete_until(self):
        """Newest tick t for which the sums of changes with `at <= t` are final; None if there is none yet."""
        return None if self.totals.closed is None else self.totals.closed - 1

    def _cut(self, rows):
        """Yield the rows of each task."""
        ends = sorted(self._rnd.randint(0, rows.num_rows) for _ in range(self._rnd.choice((0, 0, 1, 2))))
        for start, end in pairwise((0, *ends, rows.num_rows)):
            yield rows.slice(start, end - start)

    def _routed(self, rows):
        for each in self._router.route([rows]):
            self._events += each["event"].cast(pa.int64()).drop_null().to_pylist()
            yield from each.drop_columns(["event"]).to_pylist()

    def _call(self, key, routed, times):
        """Call the processor for one key; sometimes an attempt fails after it has changed the shard."""
        handle = self._handle
        handle.key = key
        if self._rnd.random() < 0.1:
            processor._LIVE.clear()
        if self._rnd.random() < 0.1:
            before = handle.values.get(key), handle.timers[key], dict(handle.blocks[key])
            self._attempt(key, routed, times)
            handle.values[key], handle.timers[key], handle.blocks[key] = before
            self.again += 1
        return self._attempt(key, routed, times)

    def _attempt(self, key, routed, times):
        if routed is None:
            return pd.concat(list(self._processor.handleExpiredTimer((key,), times, None)))
        frames = iter([pd.DataFrame(routed)])
        return pd.concat(list(self._processor.handleInputRows((key,), frames, times)))


NOTHING = pa.record_batch(
    [pa.array([], pa.int64()), *[pa.array([], pa.string())] * 3],
    ["timestamp", "subject", "predicate", "object"],
)

"""Shards in Spark's state: what `transformWithStateInPandas` calls in the workers.

The state of a shard is its snapshot, with a token that is new at each change. The worker keeps the live shard
beside it, and uses it only if its token is the state's: the state is what counts, the live one is faster. A
task that fails leaves a token behind that no state has.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import Accumulator
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import IntegerType, LongType, StringType, StructType

from pantarhei.spark.shards.change import Change
from pantarhei.spark.shards.router import WATERMARK_OFFSET
from pantarhei.spark.shards.setup import ShardSetup, Shipped
from pantarhei.spark.shards.shard import NO_ROWS, ROWS, SavedShard, Shard
from pantarhei.spark.shards.warned import Given, told_to

if TYPE_CHECKING:
    import pandas as pd

STATE = "shard"
"""The name of the state, by which others find it."""

_COLUMNS = "token BINARY, snapshot BINARY, held BINARY"

# Live shards of this process by stream and number, each with its token, those used last at the end.
_LIVE: OrderedDict[tuple[str, int], tuple[bytes, Shard]] = OrderedDict()
_MOST_LIVE = 64


class ShardProcessor(StatefulProcessor):
    """Keeps each shard in a value state, and wakes it when event time makes something leave its window.

    Args:
        setup: how the stream is sharded.
        warned: is told what shards warn of; if None, workers log it.
    """

    def __init__(self, setup: Shipped[ShardSetup], warned: Accumulator[Given] | None = None) -> None:
        self._setup, self._warned = setup, warned

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state."""
        self._handle = handle
        self._state = handle.getValueState(STATE, _COLUMNS)

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: TimerValues
    ) -> Iterator[pd.DataFrame]:
        """Take in the rows of a batch."""
        tables = [pa.Table.from_pandas(frame[ROWS.names], ROWS, preserve_index=False) for frame in rows]
        yield from self._take(int(key[0]), pa.concat_tables([NO_ROWS, *tables]), timerValues)

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[pd.DataFrame]:
        """Let time pass."""
        yield from self._take(int(key[0]), NO_ROWS, timerValues)

    def close(self) -> None:
        """Nothing is held outside the state."""

    def _take(self, number: int, rows: pa.Table, times: TimerValues) -> Iterator[pd.DataFrame]:
        watermark = times.getCurrentWatermarkInMs()  # 0 where there is none yet
        closed = watermark - WATERMARK_OFFSET if watermark > 0 else None
        shard = self._load(number)
        with told_to(self._warned):
            changes = shard.take_in(rows, closed)
        self._save(number, shard)
        for timer in list(self._handle.listTimers()):
            self._handle.deleteTimer(timer)
        if shard.next_look is not None:
            self._handle.registerTimer(shard.next_look + WATERMARK_OFFSET)
        if changes:
            yield self._frame(number, changes)

    def _load(self, number: int) -> Shard:
        token, live = _LIVE.pop((self._setup.name, number), (b"", None))
        state = self._state.get()
        if state is None:
            return Shard(self._setup.value, self._setup.value.reasoner())
        saved_token, snapshot, held = map(bytes, state)
        if live is not None and token == saved_token:
            return live
        return Shard.restore(self._setup.value, SavedShard(snapshot, held))

    def _save(self, number: int, shard: Shard) -> None:
        token = os.urandom(16)
        self._state.update((token, *shard.save()))
        _LIVE[self._setup.name, number] = token, shard
        while len(_LIVE) > _MOST_LIVE:
            _LIVE.popitem(last=False)

    def _frame(self, number: int, changes: Iterable[Change]) -> pd.DataFrame:
        import pandas as pd

        rows = [(number, ticks, *terms, change) for ticks, terms, change in changes]
        return pd.DataFrame(rows, columns=columns_of(self._setup.value.names).names)


def columns_of(names: Iterable[str]) -> StructType:
    """The columns of changes; `at` is in ticks."""
    columns = StructType().add("shard", IntegerType()).add("at", LongType())
    for name in names:
        columns = columns.add(name, StringType())
    return columns.add("change", IntegerType())

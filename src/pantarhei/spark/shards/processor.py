"""Stateful processor of shards for `transformWithStateInPandas`.

Spark's state of a shard is a head, blocks of assertions, and a random token that is replaced at each change.
Only blocks that have changed are written. A
worker also caches the shard object with the token, and uses the object only if its token equals the token of
the state. So the state is authoritative; a failed task leaves an object in the cache whose token is in no
state.
"""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Accumulator, SparkContext
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import IntegerType, LongType, StringType, StructType

from pantarhei.errors import AxiomsInStreamWarning, NumbersApartWarning, UndecidedRepairWarning
from pantarhei.spark.dead_letters import letters_of
from pantarhei.spark.frame import TIMESTAMP
from pantarhei.spark.shards.router import CLOCK, FIRST_TICK, WATERMARK_OFFSET
from pantarhei.spark.shards.shard import (
    ChangedShard,
    SavedShard,
    Shard,
    ShardBatch,
    ShardCounts,
    ShardSetup,
    SharedValue,
    change_schema,
    normalized_rows,
    pack_table,
    unpack_table,
)
from pantarhei.spark.worker import FirstByKey
from pantarhei.spark.worker_errors import methods_send_errors

if TYPE_CHECKING:
    import pandas as pd


FirstWarnings = dict[Hashable, Warning]
"""First warning of each kind."""


class ShardWarnings:
    """Warnings that a stream's shards send to the driver, which emits the first of each kind."""

    def __init__(self, context: SparkContext) -> None:
        self.given: Accumulator[FirstWarnings] = context.accumulator({}, FirstByKey())
        self._emitted = set[Hashable]()

    def emit(self) -> None:
        """Emit the warnings received since the last call."""
        for kind, warning in self.given.value.items():
            if kind not in self._emitted:
                self._emitted.add(kind)
                warnings.warn(warning, stacklevel=2)


@contextmanager
def forward_warnings(given: Accumulator[FirstWarnings] | None) -> Iterator[None]:
    """Context that sends the warnings of a shard to the driver, and issues other warnings as usual.

    Args:
        given: accumulator of the driver; None to issue all warnings as usual.
    """
    if given is None:
        yield
        return
    with warnings.catch_warnings(record=True) as caught:
        for kind in (AxiomsInStreamWarning, NumbersApartWarning, UndecidedRepairWarning):
            warnings.simplefilter("always", kind)
        yield
    found: FirstWarnings = {}
    for each in caught:
        if isinstance(each.message, NumbersApartWarning):
            found.setdefault(("numbers", each.message.of_conditions), each.message)
        elif isinstance(each.message, AxiomsInStreamWarning):
            found.setdefault("axioms", each.message)
        elif isinstance(each.message, UndecidedRepairWarning):
            found.setdefault("undecided", each.message)
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if found:
        given.add(found)


STATE, BLOCKS = "shard", "blocks"
"""Names of the state variables."""

_COLUMNS, _BLOCK, _BYTES = "token BINARY, head BINARY, held BINARY", "block LONG", "bytes BINARY"

# Cached shard objects of this process by stream and shard number, each with its token, in order of use.
_LIVE: OrderedDict[tuple[str, int], tuple[bytes, Shard]] = OrderedDict()
_MOST_LIVE = 64


PACKED = (
    "shard INT, changes BINARY, letters BINARY, closed LONG, ticks BINARY, rows LONG, hot_key STRING, "
    "hot_rows LONG, facts LONG, received LONG, "
) + ", ".join(f"{name} LONG" for name in ShardCounts._fields)
"""Columns of the outcome of a batch in a shard; changes and letters are tables in Arrow's stream format.

`closed` is the watermark in ticks, `ticks` has those of the pushed ABoxes, `rows` is the number of rows
received, and `received` their newest tick; `hot_rows` is the number of rows of the key with most rows, and
`facts` that of the facts in the model without the background.
"""


@methods_send_errors
class ShardProcessor(StatefulProcessor):
    """Stateful processor with a value state and a map state for each shard.

    A timer is set for the next tick at which the shard changes without further rows. The shard `CLOCK` has a
    timer for each advance of the watermark, so that each batch which advances it reports it.

    Args:
        setup: the sharding of the stream.
        letters: the schema of rows that are handed out with their errors; None to count them only.
        warned: accumulator for the warnings of shards; None to log them in the workers.
    """

    def __init__(
        self,
        setup: SharedValue[ShardSetup],
        letters: pa.Schema | None = None,
        warned: Accumulator[FirstWarnings] | None = None,
    ) -> None:
        self._setup, self._letters, self._warned = setup, letters, warned

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state variables."""
        self._handle = handle
        self._state = handle.getValueState(STATE, _COLUMNS)
        self._blocks = handle.getMapState(BLOCKS, _BLOCK, _BYTES)

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: TimerValues
    ) -> Iterator[pd.DataFrame]:
        """Process the rows of a batch for one shard."""
        routed = [one for frame in rows for one in frame.itertuples(index=False)]
        if int(key[0]) == CLOCK:
            yield self._tick(routed, timerValues)
        else:
            yield from self._take(int(key[0]), routed, timerValues)

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[pd.DataFrame]:
        """Advance the time of a shard without rows."""
        if int(key[0]) == CLOCK:
            yield self._tick([], timerValues)
        else:
            yield from self._take(int(key[0]), [], timerValues)

    def close(self) -> None:
        """Do nothing: the processor holds no resources."""

    def _tick(self, routed: Sequence[Any], times: TimerValues) -> pd.DataFrame:
        """Report the watermark, and the rows that were not routed to a shard."""
        closed = _closed(times)
        self._set_timer((FIRST_TICK if closed is None else closed) + 1)
        letters = [unpack_table(bytes(each.rows)) for each in routed if each.rows]
        skipped = sum(int(each.count) for each in routed)
        return packed_outcome(
            shard=CLOCK,
            letters=pack_table(pa.concat_tables(letters)) if letters else None,
            closed=closed,
            rows=0,
            hot_rows=0,
            facts=0,
            **ShardCounts(skipped=skipped)._asdict(),
        )

    def _take(self, number: int, routed: Sequence[Any], times: TimerValues) -> Iterator[pd.DataFrame]:
        setup, closed = self._setup.value, _closed(times)
        rows = pa.concat_tables(
            [setup.rows.empty_table(), *(unpack_table(bytes(each.rows)) for each in routed)]
        )
        shard = self._load(number)
        with forward_warnings(self._warned):
            batch = shard.process(rows, closed)
        self._save(number, shard)
        self._set_timer(shard.next_timer)
        hottest = max(routed, key=lambda each: each.hot_rows, default=None)
        yield packed_outcome(
            shard=number,
            changes=pack_table(changes) if len(changes := batch.table()) else None,
            letters=self._packed_letters(batch),
            closed=closed,
            ticks=np.array(batch.ticks, np.int64).tobytes(),
            rows=rows.num_rows,
            hot_key=None if hottest is None else hottest.hot_key,
            hot_rows=0 if hottest is None else int(hottest.hot_rows),
            facts=shard.facts,
            received=pc.max(rows[TIMESTAMP]).as_py(),
            **batch.counts._asdict(),
        )

    def _packed_letters(self, batch: ShardBatch) -> bytes | None:
        if self._letters is None or not batch.lost:
            return None
        kind = self._setup.value.kind
        made = (
            letters_of(normalized_rows(lost.rows, kind), lost.kind, lost.reasons, self._letters)
            for lost in batch.lost
        )
        return pack_table(pa.concat_tables(made))

    def _set_timer(self, ticks: int | None) -> None:
        for timer in list(self._handle.listTimers()):
            self._handle.deleteTimer(timer)
        if ticks is not None:
            self._handle.registerTimer(ticks + WATERMARK_OFFSET)

    def _load(self, number: int) -> Shard:
        token, live = _LIVE.pop((self._setup.name, number), (b"", None))
        state = self._state.get()
        if state is None:
            return Shard(self._setup.value, self._setup.value.reasoner())
        saved_token, head, held = map(bytes, state)
        if live is not None and token == saved_token:
            return live
        blocks = {int(number): bytes(block) for (number,), (block,) in self._blocks.iterator()}
        return Shard.restore(self._setup.value, SavedShard(head, blocks, held))

    def _save(self, number: int, shard: Shard) -> None:
        token = os.urandom(16)
        self._store(token, shard.changed())
        _LIVE[self._setup.name, number] = token, shard
        while len(_LIVE) > _MOST_LIVE:
            _LIVE.popitem(last=False)

    def _store(self, token: bytes, changed: ChangedShard) -> None:
        for number, block in changed.added.items():
            self._blocks.updateValue((number,), (block,))
        for number in changed.dropped:
            self._blocks.removeKey((number,))
        self._state.update((token, changed.head, changed.held))


def _closed(times: TimerValues) -> int | None:
    """Return the watermark in ticks; None if there is none yet."""
    watermark = times.getCurrentWatermarkInMs()  # 0 if there is no watermark yet
    return watermark - WATERMARK_OFFSET if watermark > 0 else None


def packed_outcome(**row: object) -> pd.DataFrame:
    """Return a frame of one row with the columns `PACKED`."""
    import pandas as pd

    names = [column.split()[0] for column in PACKED.split(", ")]
    return pd.DataFrame([[row.get(name) for name in names]], columns=names).astype(
        {
            "closed": "Int64",
            "received": "Int64",
            "facts": "Int64",
        }  # of floats otherwise, where there is no watermark
    )


def columns_of(names: Iterable[str]) -> StructType:
    """Return the Spark schema of the changes of shards; `at` is in ticks."""
    columns = StructType().add("shard", IntegerType()).add("at", LongType())
    for name in names:
        columns = columns.add(name, StringType())
    return columns.add("change", IntegerType())


def unpack_changes(packed: pa.Table | pa.RecordBatch, names: Sequence[str]) -> pa.Table:
    """Return the changes in packed outcomes, with the columns `columns_of(names)`."""
    tables = [
        pa.table(
            [pa.array([], pa.int32()), *change_schema(names).empty_table().columns],
            ["shard", *change_schema(names).names],
        )
    ]
    for shard, changes in zip(packed["shard"].to_pylist(), packed["changes"].to_pylist(), strict=True):
        if changes is not None:
            table = unpack_table(changes)
            tables.append(table.add_column(0, "shard", pa.repeat(pa.scalar(shard, pa.int32()), len(table))))
    schema = pa.schema(
        [
            ("shard", pa.int32()),
            ("at", pa.int64()),
            *((name, pa.string()) for name in names),
            ("change", pa.int32()),
        ]
    )
    return pa.concat_tables([table.cast(schema) for table in tables])

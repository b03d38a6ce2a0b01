"""Change of the number of shards of a stream, in its checkpoint.

The shards are restored from Spark's state, divided by the new routing, and merged. A batch without rows of
the stream writes them: Spark records and commits it like any other batch, so that the change is made exactly
once. This batch runs another query with an equal stateful operator, whose rows are the new shards.

Spark passes the positions of a source to a query as text. The batch has the positions of the last one, except
for one source, whose rows are the numbers of the shards; afterwards its position is restored.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, TimerValues
from pyspark.sql.types import StructType
from rdflib import BNode, Literal, URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.engine.checkpoint.parts import merge, split
from pantarhei.errors import CheckpointError, OptionError
from pantarhei.model.term import Term
from pantarhei.query.key_local import key_columns
from pantarhei.query.planner import QueryPlanner
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.reasoner import StreamReasoner
from pantarhei.rules.sharding.key_map import SUBJECT, Key
from pantarhei.rules.sharding.routing import Routing
from pantarhei.spark.driver import checkpoint_folder
from pantarhei.spark.file_system import Folder
from pantarhei.spark.sessions import FAILURES, raised_error, session
from pantarhei.spark.shards.flush import (
    movable_source,
    next_watermark,
    record_batch,
    require_completed,
    restore_positions,
)
from pantarhei.spark.shards.processor import PACKED, ShardProcessor, packed_outcome
from pantarhei.spark.shards.router import CLOCK, WATERMARK_OFFSET, Router
from pantarhei.spark.shards.shard import (
    ChangedShard,
    Shard,
    ShardBatch,
    ShardChange,
    ShardCounts,
    ShardSetup,
    SharedValue,
    change_schema,
    equal_runs,
    pack_table,
    unpack_table,
)
from pantarhei.spark.shards.shard_client import saved_shards
from pantarhei.spark.shards.sharded_stream import check_shards
from pantarhei.spark.sources.file_source import register_source
from pantarhei.spark.worker_errors import methods_send_errors, sends_errors

if TYPE_CHECKING:
    import pandas as pd

LAYOUT = "pantarhei-shards.json"
"""Name of the file in the checkpoint folder."""


@dataclass(frozen=True, slots=True)
class ShardLayout:
    """Division of a stream into shards.

    Args:
        shards: the number of shards; None for a number that the user has not chosen.
        hot_keys: the second key of each hot key; both as N-Triples, or "subject".
    """

    shards: int | None
    hot_keys: Mapping[str, str]

    @classmethod
    def of(cls, shards: int | None, hot_keys: Mapping[Term, Key] | None) -> ShardLayout:
        """Return the layout that options request.

        Raises:
            OptionError: `hot_keys` is not a mapping from terms to keys.
        """
        hot_keys = {} if hot_keys is None else hot_keys
        if not isinstance(hot_keys, Mapping) or not all(
            isinstance(key, URIRef | BNode | Literal) and (second == SUBJECT or isinstance(second, URIRef))
            for key, second in hot_keys.items()
        ):
            expected = "a mapping from values of the key to second keys: properties (URIRef) or 'subject'"
            raise OptionError("hot_keys", repr(hot_keys)[:200], expected)
        written = {
            write_term(key): SUBJECT if second == SUBJECT else write_term(cast(URIRef, second))
            for key, second in hot_keys.items()
        }
        return cls(shards, dict(sorted(written.items())))

    @classmethod
    def in_setup(cls, setup: ShardSetup) -> ShardLayout:
        """Return the layout of a setup."""
        return cls.of(setup.shards, setup.hot_keys)

    def applied(self, setup: ShardSetup) -> ShardSetup:
        """Return a setup with this layout."""
        hot_keys = {
            parse_term(key): SUBJECT if second == SUBJECT else cast(URIRef, parse_term(second))
            for key, second in self.hot_keys.items()
        }
        return replace(setup, shards=self.shards or setup.shards, hot_keys=hot_keys)


@dataclass(frozen=True, slots=True)
class ShardLayouts:
    """ShardLayouts of a stream, as saved in its checkpoint.

    Args:
        present: the layout of the shards in Spark's state.
        asked: the layout that the program requested when the stream was started last.
        wish: the layout requested by `reshard` since then; None for none.
        moving: the batch that changes the present layout to `wish`; None unless this has begun.
    """

    present: ShardLayout
    asked: ShardLayout
    wish: ShardLayout | None = None
    moving: int | None = None

    @classmethod
    def read(cls, folder: Folder) -> ShardLayouts | None:
        """Return the layouts in a checkpoint folder; None if there are none.

        Raises:
            CheckpointError: the file is damaged.
        """
        if not folder.exists(LAYOUT):
            return None
        try:
            given = json.loads(folder.read_text(LAYOUT))
            layouts = {
                name: given[name] and ShardLayout(**given[name]) for name in ("present", "asked", "wish")
            }
            return cls(**layouts, moving=given["moving"])
        except (ValueError, TypeError, KeyError) as error:
            raise CheckpointError(folder.place(LAYOUT), f"it is damaged: {error}") from error

    def write(self, folder: Folder) -> None:
        """Write the file."""
        folder.write_text(LAYOUT, json.dumps(asdict(self)))

    def settled(self, folder: Folder) -> ShardLayouts:
        """Return the layouts after the end of a batch that was to change them."""
        if self.moving is None:
            return self
        if (folder / "commits").exists(str(self.moving)):
            return replace(self, present=self.wish or self.present, wish=None, moving=None)
        return replace(self, moving=None)

    def requested(self, asked: ShardLayout) -> ShardLayout:
        """Return the layout with which a stream is to go on that is started with the layout `asked`.

        The program's request counts if it has changed, and otherwise the last one of `reshard`.
        """
        if asked == self.asked:
            return self.wish or self.present
        return replace(asked, shards=asked.shards or self.present.shards)

    @property
    def second_keys(self) -> set[Key]:
        """The second keys of all hot keys."""
        layouts = (self.present, self.asked, *([] if self.wish is None else [self.wish]))
        found = {second for layout in layouts for second in layout.hot_keys.values()}
        return {SUBJECT if each == SUBJECT else cast(URIRef, parse_term(each)) for each in found}


def saved_layouts(checkpoint: str | Path | None, spark: SparkSession) -> ShardLayouts | None:
    """Return the layouts of a stream; None if it has no checkpoint yet."""
    if checkpoint is None:
        return None
    folder = checkpoint_folder(checkpoint, spark)
    layouts = ShardLayouts.read(folder)
    return None if layouts is None else layouts.settled(folder)


def reshard(
    checkpoint: str | Path,
    shards: int,
    *,
    hot_keys: Mapping[Term, Key] | None = None,
    spark: SparkSession | None = None,
) -> None:
    """Change the number of shards of a stream that `reason_stream` runs, with effect from its next start.

    The next start divides and merges the shards in one batch without rows, before it reads further rows. The
    stream goes on exactly: each change is delivered once. Starting the stream with another number of
    `shards`, or with other `hot_keys`, has the same effect.

    The cost at the start is that of restoring all shards once and of materializing them twice, on the
    executors. Spark's number of state partitions stays that of the first start
    (`spark.sql.shuffle.partitions`), so that more shards than this do not run at once.

    Args:
        checkpoint: the checkpoint folder of the stream.
        shards: the new number of shards.
        hot_keys: values of the key whose shards a second key divides, as for `reason_stream`; None for those
            that the stream has.
        spark: the session with which the folder is accessed; None for the active one.

    Raises:
        OptionError: an option has an invalid value.
        CheckpointError: the folder has no sharded stream of this version.
        StreamError: the batch of an earlier change has begun and has not ended.

    >>> import tempfile
    >>> import pantarhei as pr
    >>> from pantarhei.spark import reason_stream, register
    >>> register(spark)
    >>> rows = spark.readStream.format("pantarhei").load("examples/pedals")
    >>> pedals, window = pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2)
    >>> once = {"shard_by": "subject", "trigger": {"availableNow": True}, "sink": lambda rows, batch: None}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = reason_stream(rows, pedals, window, shards=2, checkpoint=folder, **once).await_termination()
    ...     reshard(folder, shards=4)
    ...     query = reason_stream(rows, pedals, window, shards=2, checkpoint=folder, **once)
    ...     query.await_termination(), query.counts.cut
    (True, 1)
    """
    check_shards(shards)
    folder = checkpoint_folder(checkpoint, session() if spark is None else spark)
    layouts = ShardLayouts.read(folder)
    if layouts is None:
        raise CheckpointError(str(folder), "it has no sharded stream")
    if layouts.moving is not None and (folder / "offsets").exists(str(layouts.moving)):
        require_completed(folder, layouts.moving)
    layouts = layouts.settled(folder)
    wish = (
        ShardLayout.of(shards, hot_keys) if hot_keys is not None else replace(layouts.present, shards=shards)
    )
    replace(layouts, wish=None if wish == layouts.present else wish).write(folder)


# --- The new shards ---

_PIECES = (
    "shard INT, snapshot BINARY, held BINARY, changes BINARY, ticks BINARY, counts BINARY, copies BINARY"
)
_MERGED = "shard INT, head BINARY, blocks BINARY, held BINARY, timer LONG, facts LONG, copies BINARY"
_BLOCKS = pa.schema([("number", pa.int64()), ("block", pa.binary())])
_TYPES = {"INT": pa.int32(), "BINARY": pa.binary(), "LONG": pa.int64()}


def _row(ddl: str, **values: object) -> pa.RecordBatch:
    columns = [column.split() for column in ddl.split(", ")]
    arrays = [pa.array([values.get(name)], _TYPES[of]) for name, of in columns]
    return pa.record_batch(arrays, [name for name, _ in columns])


@dataclass(frozen=True, slots=True)
class Mover:
    """Functions that divide and merge shards on the executors.

    Args:
        old, new: the setups.
        closed: the watermark in ticks, to which all shards advance first; None if there is none.
    """

    old: SharedValue[ShardSetup]
    new: SharedValue[ShardSetup]
    closed: int | None

    @sends_errors
    def divide(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the parts of each old shard that go to new shards, and the changes of its advance."""
        new = self.new.value
        router = Router(new.routing, new.shards)
        for batch in batches:
            for _, saved in saved_shards(batch):
                shard = Shard.restore(self.old.value, saved)
                outcome = shard.process(new.rows.empty_table(), self.closed)
                yield _row(
                    _PIECES,
                    shard=CLOCK,
                    changes=pack_table(outcome.table()),
                    ticks=np.array(outcome.ticks, np.int64).tobytes(),
                    counts=np.array(outcome.counts, np.int64).tobytes(),
                    copies=_copies(shard, -1),
                )
                shard_of, columns = partial(_shard_of, router), _key_columns(new)
                parts = split(
                    shard.snapshot(),
                    new.ontology,
                    shard_of,
                    key_columns=columns,
                    positions=partial(_positions, new.routing),
                )
                for number, part in parts.items():
                    yield _row(_PIECES, shard=number, snapshot=part)
                for number, rows in _divided(shard.held, router):
                    yield _row(_PIECES, shard=number, held=pack_table(rows))

    @sends_errors
    def merge(self, pieces: pa.Table) -> pa.Table:
        """Return the new shard that consists of the given parts."""
        new, number = self.new.value, pieces["shard"][0].as_py()
        found = [each for each in pieces["snapshot"].to_pylist() if each is not None]
        held = [unpack_table(each) for each in pieces["held"].to_pylist() if each is not None]
        waiting = pa.concat_tables([new.rows.empty_table(), *held])
        if found:
            snapshot = merge(found, new.ontology, note=Shard.note(new, self.closed, 0))
        else:
            snapshot = new.reasoner().snapshot(Shard.note(new, self.closed, 0))
        options = new.options
        reasoner = StreamReasoner.restore(
            snapshot, new.ontology, limits=options.limits, history=options.history
        )
        shard = Shard(new, reasoner, waiting)
        shard.facts = reasoner.stats().facts - new.reasoner().stats().facts
        saved = shard.saved()
        blocks = pa.table(
            [pa.array(list(saved.blocks)), pa.array(list(saved.blocks.values()))], schema=_BLOCKS
        )
        row = _row(
            _MERGED,
            shard=number,
            head=saved.head,
            blocks=pack_table(blocks),
            held=saved.held,
            timer=shard.next_timer,
            facts=shard.facts,
            copies=_copies(shard, 1),
        )
        return pa.Table.from_batches([row])


def _key_columns(setup: ShardSetup) -> dict[str, tuple[int, ...]]:
    """Return for each registered query the columns that have the key of the shard of a row."""
    prefixes = {prefix: str(namespace) for prefix, namespace in setup.ontology.graph.namespaces()}
    found = {}
    for name, given in setup.queries.items():
        query = QueryPlanner(prefixes).prepare(given.text).query
        of_keys = [set(key_columns(query, setup.report, key)) for key in setup.routing.keys]
        found[name] = tuple(sorted(set.intersection(*of_keys)))
    return found


def _positions(routing: Routing, symbol: Symbol) -> frozenset[int] | None:
    """Return the positions with the shard's key in facts of a predicate, for all keys; None if all its facts
    are in the background.
    """
    found = [routing.report.positions(key, symbol) for key in routing.keys]
    known = [each for each in found if each is not None]
    return frozenset.intersection(*known) if len(known) == len(found) else None


def _shard_of(router: Router, name: Term) -> int:
    """Return the shard of a subject of a window; a blank node's label begins with the name of its ABox."""
    if isinstance(name, BNode):
        name = BNode(re.sub(r"^[tb]\d+-", "", name))
    return router.shard_of(name)


def _divided(rows: pa.Table, router: Router) -> Iterator[tuple[int, pa.Table]]:
    """Yield the rows of each shard."""
    if not len(rows):
        return
    subjects = rows["subject"].cast(pa.string()).to_pylist()
    known = {text: router.shard_of(parse_term(text)) for text in set(subjects)}
    shards = np.array([known[text] for text in subjects])
    order = np.argsort(shards, kind="stable")
    for number, start, end in equal_runs(shards[order]):
        yield number, rows.take(pa.array(order[start:end]))


def _copies(shard: Shard, change: int) -> bytes | None:
    """Return the facts of a shard that other shards may hold too, each with `change`; None if there are none.

    Queries that shards answer have no such answers.
    """
    setup = shard.setup
    if setup.has_queries or setup.temporal is not None:
        return None
    routing = setup.routing
    facts = shard.reasoner.materialization() - setup.reasoner().materialization()
    found = [tuple(map(write_term, each)) for each in facts if routing.shard_keys_of(each) is None]
    if not found:
        return None
    columns = [pa.array(column, pa.string()).dictionary_encode() for column in zip(*found, strict=True)]
    times = pa.repeat(pa.scalar(0, pa.int64()), len(found))
    changes = pa.repeat(pa.scalar(change, pa.int32()), len(found))
    return pack_table(pa.table([times, *columns, changes], schema=change_schema(setup.names)))


def _corrections(copies: list[bytes], names: tuple[str, ...], at: int) -> pa.Table:
    """Return the changes in the numbers of copies of facts that several shards may hold."""
    total: Counter[tuple[str, ...]] = Counter()
    for packed in copies:
        table = unpack_table(packed)
        rows = zip(*(table[name].to_pylist() for name in names), strict=True)
        for row, change in zip(rows, table["change"].to_pylist(), strict=True):
            total[row] += change
    batch = ShardBatch(names)
    for row, change in sorted(total.items()):
        if change:
            batch.add(ShardChange(at, row, change))
    return batch.table()


# --- The batch that writes them ---


@methods_send_errors
class ShardWriter(ShardProcessor):
    """Processor that replaces the shards in Spark's state by those that its rows contain.

    Args:
        setup: the new setup.
        changes: the changes to be delivered, as a packed table.
        ticks: the ticks of the ABoxes that the old shards pushed before they were divided, as bytes.
        pushed: the counters of these steps.
    """

    def __init__(
        self, setup: SharedValue[ShardSetup], changes: bytes, ticks: bytes, pushed: ShardCounts
    ) -> None:
        super().__init__(setup)
        self._changes, self._ticks, self._pushed = changes, ticks, pushed

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: TimerValues
    ) -> Iterator[pd.DataFrame]:
        """Write the shard in the row; a row without a shard removes it."""
        number = int(key[0])
        (row,) = (one for frame in rows for one in frame.itertuples(index=False))
        counts = ShardCounts()._asdict()
        if number == CLOCK:
            yield packed_outcome(
                shard=0,
                changes=self._changes,
                ticks=self._ticks,
                rows=0,
                hot_rows=0,
                **self._pushed._asdict(),
            )
            return
        self._state.clear()
        self._blocks.clear()
        if row.head is None:
            self._set_timer(None)
        else:
            blocks = unpack_table(bytes(row.blocks))
            added = dict(zip(*(column.to_pylist() for column in blocks.columns), strict=True))
            self._store(os.urandom(16), ChangedShard(bytes(row.head), added, (), bytes(row.held)))
            self._set_timer(int(row.timer) if row.timer >= 0 or row.timer < 0 else None)  # NaN for null
        facts = 0 if row.head is None else int(row.facts)
        yield packed_outcome(shard=number, rows=0, hot_rows=0, facts=facts, **counts)

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[pd.DataFrame]:
        """Report the watermark; the shards have advanced to it already."""
        if int(key[0]) == CLOCK:
            yield self._tick([], timerValues)


class ShardNumbers(DataSource):
    """Streaming source of the numbers of shards, in a single batch, whatever its positions are."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "pantarhei-shard-numbers"

    def schema(self) -> str:
        """Return the schema."""
        return "shard INT"

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return the reader of the option `count` numbers, from `CLOCK` on."""
        return _NumberReader(int(self.options["count"]))


class _NumberReader(DataSourceStreamReader):
    def __init__(self, count: int) -> None:
        self._count = count

    def initialOffset(self) -> dict[str, int]:
        return {"batch": 0}

    def latestOffset(self, *limits: object) -> dict[str, int]:
        return {"batch": 1}

    def partitions(self, start: dict[str, object], end: dict[str, object]) -> list[InputPartition]:
        return [InputPartition(0)]

    def read(self, partition: InputPartition) -> Iterator[tuple[int]]:
        return iter([(number,) for number in range(CLOCK, CLOCK + self._count)])


def move(
    spark: SparkSession,
    checkpoint: Folder,
    states: DataFrame | None,
    old: SharedValue[ShardSetup],
    new: SharedValue[ShardSetup],
    run: Callable[[DataFrame, int], object],
) -> None:
    """Replace the shards in Spark's state by those of another layout, in one batch.

    Args:
        checkpoint: Spark's checkpoint folder, whose last batch has ended.
        states: the saved shards; None before the first batch.
        run: runs Spark's query of outcomes for one batch, which must have as many shards as given.

    Raises:
        StreamError: the last batch has not ended, or the new shards have not been written.
        CheckpointError: no source can carry the numbers of the shards.
        CheckpointSplitError: a query or temporal rules cannot be divided.
    """
    if states is None:
        return
    watermark, (carrier, sources) = next_watermark(checkpoint), movable_source(checkpoint)
    closed = watermark - WATERMARK_OFFSET if watermark > 0 else None
    mover = Mover(old, new, closed)
    pieces = states.mapInArrow(mover.divide, _PIECES).persist()
    parts = pieces.where(F.col("shard") >= 0)

    def merged_shard(pieces: pa.Table) -> pa.Table:  # Spark counts the arguments
        return mover.merge(pieces)

    merged = parts.groupBy("shard").applyInArrow(merged_shard, _MERGED).persist()
    try:
        done = pieces.where("changes IS NOT NULL").drop("snapshot", "held").toArrow()
        later = merged.where("copies IS NOT NULL").select("copies").toArrow()
        names = new.value.names
        copies = [*pc.drop_null(done["copies"]).to_pylist(), *later["copies"].to_pylist()]
        tables = [*map(unpack_table, done["changes"].to_pylist()), _corrections(copies, names, closed or 0)]
        changes = pack_table(pa.concat_tables(tables))
        ticks = b"".join(done["ticks"].to_pylist())
        counts = (np.frombuffer(each, np.int64).tolist() for each in done["counts"].to_pylist())
        pushed = sum(counts, ShardCounts())
        register_source(spark, ShardNumbers)
        shards = max(old.value.shards, new.value.shards)
        numbers = [
            spark.readStream.format(ShardNumbers.name())
            .option("count", str(shards + 1 if source == carrier else 0))
            .load()
            for source in range(sources)
        ]
        timed = reduce(DataFrame.union, numbers).withColumn("event", F.timestamp_millis(F.lit(0)))
        rows = timed.withWatermark("event", "0 seconds").drop("event").join(merged, "shard", "left")
        packed = rows.groupBy("shard").transformWithStateInPandas(
            ShardWriter(new, changes, ticks, pushed), PACKED, "Append", "EventTime"
        )
        record_batch(checkpoint, moved=carrier)
        run(packed, shards)
        restore_positions(checkpoint)
    except FAILURES as failure:
        if (own := raised_error(failure)) is not None:
            raise own from None
        raise
    finally:
        pieces.unpersist()
        merged.unpersist()

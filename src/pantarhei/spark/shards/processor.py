"""Stateful processor of shards for `transformWithStateInPandas`, and the router of rows to shards.

Spark's state of a shard is the shard's snapshot, with a random token that is replaced at each change. A
worker also caches the shard object with the token, and uses the object only if its token equals the token of
the state. So the state is authoritative; a failed task leaves an object in the cache whose token is in no
state.

The shard of a row is a stable hash of the key of its subject.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

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
from rdflib import RDF, BNode, URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import (
    AxiomsInStreamWarning,
    BackgroundOnlyError,
    InvalidTripleError,
    NumbersApartWarning,
    TimestampError,
    UndecidedRepairWarning,
)
from pantarhei.model.rule import Predicate
from pantarhei.model.term import Place, Term, Triple
from pantarhei.rdf.ntriples import parse_term
from pantarhei.rules.sharding.sharding_report import Key, ShardingReport
from pantarhei.spark.shards.shard import (
    NO_ROWS,
    ROWS,
    SavedShard,
    Shard,
    ShardSetup,
    SharedValue,
)
from pantarhei.spark.worker import FirstByKey

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


ROUTED = "shard INT, ticks LONG, subject STRING, predicate STRING, object STRING"
_TYPE = RDF.type.n3()
_MOST_KNOWN = 500_000
_WATERMARK = "the range of Spark's watermark, which advances the time of shards"

WATERMARK_OFFSET = 1 << 51
"""Number added to ticks to get Spark's event time in milliseconds; for datetimes 71 years.

Spark's watermark is never negative: with the offset, ticks before 0 (1970) also have a watermark."""

FIRST_TICK = -WATERMARK_OFFSET
LAST_TICK = (2**63 - 1) // 1000 - WATERMARK_OFFSET  # event time is in microseconds, in 64 bits


class Router:
    """Router of record batches of ticks and triples to shards; caches the shards of subjects.

    The cost is one dictionary lookup for each distinct subject and predicate of a batch; all else is done by
    column.

    Args:
        report: the analysis of the rules for sharding.
        key: the key of the shards.
        shards: number of shards.
    """

    def __init__(self, report: ShardingReport, key: Key, shards: int) -> None:
        self._report, self._keys, self.shards = report, report.maps[key], shards
        self._known: dict[str, int] = {}
        self._admitted: set[tuple[str, bool]] = set()

    def route(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the batches with an additional first column, the shard of each row.

        Raises:
            InvalidTripleError: a subject, predicate or class is not a term, or a cell is null.
            TimestampError: a time is null, before `FIRST_TICK` (1898) or beyond `LAST_TICK` (2190).
            BackgroundOnlyError: the stream asserts a class or property that only the background may assert.
        """
        for batch in batches:
            if batch.num_rows:
                yield self._routed(batch)

    def _routed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        ticks, subjects, predicates, objects = (
            batch.column(name) for name in ("ticks", "subject", "predicate", "object")
        )
        if ticks.null_count:
            raise TimestampError("the timestamp null", "a timestamp in each row")
        first, last = pc.min_max(ticks).as_py().values()
        if first < FIRST_TICK or last > LAST_TICK:
            given = f"the time {first if first < FIRST_TICK else last} in ticks"
            raise TimestampError(given, f"{FIRST_TICK} to {LAST_TICK}, {_WATERMARK}")
        if subjects.null_count or predicates.null_count or objects.null_count:
            raise InvalidTripleError("null", "subject, predicate and object must be terms in each row")
        self._check(predicates, objects)
        encoded = pc.dictionary_encode(subjects)
        shards = pa.array(list(map(self._shard, encoded.dictionary.to_pylist())), pa.int32())
        columns = [shards.take(encoded.indices), ticks, subjects, predicates, objects]
        return pa.record_batch(columns, ["shard", "ticks", "subject", "predicate", "object"])

    def shards_with(self, triple: Triple) -> Sequence[int]:
        """Return the shards that can hold a triple; only shard 0 if every shard holds it."""
        subject, predicate, object_ = triple
        is_class = predicate == RDF.type
        name = cast(Predicate, object_ if is_class else predicate)
        positions = self._report.positions(self._keys.key, Symbol(name, 1 if is_class else 2))
        if positions is None:
            return [0]
        of_key = next(((subject, object_)[position] for position in sorted(positions)), None)
        # The shard of a blank node is determined by its label in the stream, which the window does not keep.
        return [self.shard_of(of_key)] if isinstance(of_key, URIRef) else range(self.shards)

    def _check(self, predicates: pa.Array, objects: pa.Array) -> None:
        for text in pc.unique(predicates).to_pylist():
            if text != _TYPE:
                self._admit(text, False)
        for text in pc.unique(objects.filter(pc.equal(predicates, _TYPE))).to_pylist():
            self._admit(text, True)

    def _admit(self, text: str, is_class: bool) -> None:
        if (text, is_class) in self._admitted:
            return
        name = parse_term(text)
        (Place.CLASS if is_class else Place.PREDICATE).check(name, text)
        if name == RDF.type:  # rdf:type written with escapes
            raise InvalidTripleError(text, f"write it as {_TYPE}")
        if not self._report.admits(cast(Predicate, name), is_class):
            raise BackgroundOnlyError(text, str(self._keys.key))
        self._admitted.add((text, is_class))

    def _shard(self, text: str) -> int:
        found = self._known.get(text)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            name = parse_term(text)
            Place.SUBJECT.check(name, text)
            found = self._known[text] = self.shard_of(name)
        return found

    def shard_of(self, name: Term) -> int:
        """Return the number of the shard of a subject."""
        key = name if isinstance(name, BNode) else self._keys.of(name)
        digest = hashlib.blake2b(key.n3().encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.shards


STATE = "shard"
"""Name of the state variable."""

_COLUMNS = "token BINARY, snapshot BINARY, held BINARY"

# Cached shard objects of this process by stream and shard number, each with its token, in order of use.
_LIVE: OrderedDict[tuple[str, int], tuple[bytes, Shard]] = OrderedDict()
_MOST_LIVE = 64


class ShardProcessor(StatefulProcessor):
    """Stateful processor with one value state for each shard.

    A timer is set for the next tick at which the shard changes without further rows.

    Args:
        setup: the sharding of the stream.
        warned: accumulator for the warnings of shards; None to log them in the workers.
    """

    def __init__(
        self, setup: SharedValue[ShardSetup], warned: Accumulator[FirstWarnings] | None = None
    ) -> None:
        self._setup, self._warned = setup, warned

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state variable."""
        self._handle = handle
        self._state = handle.getValueState(STATE, _COLUMNS)

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: TimerValues
    ) -> Iterator[pd.DataFrame]:
        """Process the rows of a batch for one shard."""
        tables = [pa.Table.from_pandas(frame[ROWS.names], ROWS, preserve_index=False) for frame in rows]
        yield from self._take(int(key[0]), pa.concat_tables([NO_ROWS, *tables]), timerValues)

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[pd.DataFrame]:
        """Advance the time of a shard without rows."""
        yield from self._take(int(key[0]), NO_ROWS, timerValues)

    def close(self) -> None:
        """Do nothing: the processor holds no resources."""

    def _take(self, number: int, rows: pa.Table, times: TimerValues) -> Iterator[pd.DataFrame]:
        watermark = times.getCurrentWatermarkInMs()  # 0 if there is no watermark yet
        closed = watermark - WATERMARK_OFFSET if watermark > 0 else None
        shard = self._load(number)
        with forward_warnings(self._warned):
            changes = shard.process(rows, closed)
        self._save(number, shard)
        for timer in list(self._handle.listTimers()):
            self._handle.deleteTimer(timer)
        if (next_timer := shard.next_timer) is not None:
            self._handle.registerTimer(next_timer + WATERMARK_OFFSET)
        if changes:
            import pandas as pd

            found = [(number, ticks, *terms, change) for ticks, terms, change in changes]
            yield pd.DataFrame(found, columns=columns_of(self._setup.value.names).names)

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


def columns_of(names: Iterable[str]) -> StructType:
    """Return the Spark schema of the changes of shards; `at` is in ticks."""
    columns = StructType().add("shard", IntegerType()).add("at", LongType())
    for name in names:
        columns = columns.add(name, StringType())
    return columns.add("change", IntegerType())

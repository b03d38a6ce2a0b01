"""Data source `pantarhei-redis`: `spark.readStream.format("pantarhei-redis").load("key of the stream")`.

An entry has four fields `timestamp`, `subject`, `predicate` and `object` (terms in N-Triples syntax), which
are one assertion, or one field with N-Quads. Each entry is a message, whose blank nodes are local to it.

The options are `url` (by default redis://127.0.0.1:6379/0), `startingId` (the id after which reading begins:
0-0 for all entries, $ for new entries), `maxEntriesPerTrigger`, and `time`, `on_error` and `timestampType` as
for files. An offset is a `StreamPosition`: reading between two positions returns the same rows each time, or
an error if entries have been removed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import cast

import pyarrow as pa
import pyoxigraph as ox
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from pantarhei.errors import (
    InvalidTripleError,
    MalformedInputError,
    MissingOptionError,
    OptionError,
    PantarheiError,
    TimestampError,
)
from pantarhei.io.graph_messages import OnCut, TimeReading, parse_time
from pantarhei.io.redis_stream import FIRST, NEW, Entry, RedisStream, StreamPosition
from pantarhei.model.time import TimeKind, kind_of
from pantarhei.rdf.ntriples import nodes_of_message
from pantarhei.rdf.parse import without_strings
from pantarhei.rdf.statements import ByteFeed
from pantarhei.spark.frame import TIME_TYPES, column_types, columns_ddl
from pantarhei.spark.sources.source_options import (
    SourceOptions,
    WorkerCounts,
    common_options,
    known_options,
    logged_counts,
    positive,
)
from pantarhei.spark.sources.text_rows import (
    TextTriple,
    TextTriples,
    TimedTriples,
    checked_time,
    read_rows,
    record_batches,
    text_triple,
)
from pantarhei.spark.versions import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
    check_limit,
)
from pantarhei.spark.worker_errors import methods_send_errors

FIELDS = ("timestamp", "subject", "predicate", "object")
DEFAULT_URL = "redis://127.0.0.1:6379/0"
_GRAPH = "urn:pantarhei:entry"


@dataclass(frozen=True, slots=True)
class RedisOptions(SourceOptions):
    """Options of a Redis stream.

    Attributes:
        url: the address of the server.
        key: the stream's key.
        start: the id after which a new query begins to read.
        max_entries: maximum number of entries of a micro-batch; None for no limit.
    """

    url: str
    key: str
    start: str = FIRST
    max_entries: int | None = None

    @classmethod
    def of(cls, given: Mapping[str, str]) -> RedisOptions:
        """Validate options as passed by Spark, whose keys are in upper or lower case.

        Raises:
            OptionError: an option is unknown or has an invalid value, or the key of the stream is missing.
        """
        options = known_options(given, "url", "path", "startingId", "maxEntriesPerTrigger")
        if "path" not in options:
            raise MissingOptionError("path", "…", "load() needs the key of a Redis stream.")
        start = options.get("startingId", FIRST)
        if start != NEW and not re.fullmatch(r"\d+(-\d+)?", start, re.ASCII):
            raise OptionError(
                "startingId", repr(start), "the id of an entry, 0-0 for all, or $ for new entries"
            )
        most = positive(options, "maxEntriesPerTrigger")
        url = options.get("url", DEFAULT_URL)
        return cls(url, options["path"], start, most, **common_options(options))


class PantarheiRedisSource(DataSource):
    """Spark data source `pantarhei-redis`: entries of a Redis stream.

    `load` takes the key of the Redis stream. An entry has the fields `timestamp`, `subject`, `predicate` and
    `object`, or one field with N-Quads. Options are set by `option(name, value)`:

    - `url`: the server, `redis://127.0.0.1:6379/0` by default.
    - `startingId`: the id after which reading begins: `0-0` (default) for all entries, `$` for new ones.
    - `maxEntriesPerTrigger`: for a stream, the maximum number of entries in a batch; needs Spark 4.2.
    - `time`, `on_error`, `timestampType`, `precision`: as for `PantarheiSource`.

    Offsets are positions in the stream: a repeated batch has equal entries, or is an error if Redis has
    trimmed some of them.

    >>> PantarheiRedisSource.name()
    'pantarhei-redis'
    """

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "pantarhei-redis"

    def schema(self) -> str:
        """Return the schema in Spark's DDL; reads the first entry unless `timestampType` is given.

        Raises:
            OptionError: an option is invalid, or there is no entry to infer the type of timestamps from.
        """
        options = RedisOptions.of(self.options)
        return columns_ddl(options.kind or _infer_kind(options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a batch reader of the existing entries."""
        return RedisReader(RedisOptions.of(self.options), *column_types(schema, self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return a streaming reader of entries that are added."""
        return RedisStreamReader(RedisOptions.of(self.options), *column_types(schema, self.options))


@dataclass
class EntriesPartition(InputPartition):
    """Partition of Spark's read: the `count` entries after id `start` up to id `end`."""

    start: str
    end: str
    count: int


def _between(start: StreamPosition, end: StreamPosition) -> list[EntriesPartition]:
    count = end["added"] - start["added"]
    return [EntriesPartition(start["id"], end["id"], count)] if count else []


@methods_send_errors
class RedisReader(DataSourceReader):
    """Batch reader of the entries that a stream has when the query is planned."""

    def __init__(self, options: RedisOptions, kind: TimeKind, schema: pa.Schema) -> None:
        self._options, self._kind, self._schema = options, kind, schema

    def partitions(self) -> Sequence[InputPartition]:
        """Return one partition with all entries, so that no ABox is divided."""
        with closing(RedisStream(self._options.url, self._options.key)) as stream:
            start = stream.position(self._options.start)
            return _between(start, stream.advance(start, None))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the rows of a partition; errors name the stream and the entry."""
        if isinstance(partition, EntriesPartition):  # Spark passes a partition of its own if there are none
            yield from _read_entries(partition, self._options, self._kind, self._schema)


@methods_send_errors
class RedisStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Streaming reader of entries that are added to a stream; each call opens and closes a connection."""

    def __init__(self, options: RedisOptions, kind: TimeKind, schema: pa.Schema) -> None:
        self._options, self._kind, self._schema = options, kind, schema
        check_limit("maxEntriesPerTrigger", options.max_entries)
        self._available: StreamPosition | None = None
        self._initial: StreamPosition | None = None

    def initialOffset(self) -> dict[str, object]:
        """Return the position of `startingId`; `$` is the end of the stream at the first call."""
        if self._initial is None:
            with closing(self._stream()) as stream:
                self._initial = stream.position(self._options.start)
        return dict(self._initial)

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the read limit: `maxEntriesPerTrigger` entries, or all available entries."""
        most = self._options.max_entries
        return ReadMaxRows(most) if most else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Restrict reading to the entries that exist now."""
        with closing(self._stream()) as stream:
            self._available = stream.position(NEW)

    def latestOffset(
        self, start: dict[str, object] | None = None, limit: ReadLimit | None = None
    ) -> dict[str, object]:
        """Return the position after the next entries; the end of the stream if Spark passes no `start`.

        Raises:
            StreamError: entries after `start` have been removed.
        """
        if start is None:  # Spark before 4.2, which calls initialOffset after latestOffset
            if self._options.start == NEW:
                self.initialOffset()
            with closing(self._stream()) as stream:
                return dict(stream.position(NEW))
        most = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        with closing(self._stream()) as stream:
            return dict(stream.advance(cast(StreamPosition, start), most, self._available))

    def partitions(self, start: dict[str, object], end: dict[str, object]) -> Sequence[InputPartition]:
        """Return one partition with all entries of a batch, so that no ABox is divided."""
        return _between(cast(StreamPosition, start), cast(StreamPosition, end))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the rows of a partition. Raises the errors of `RedisReader.read`."""
        assert isinstance(partition, EntriesPartition)
        return _read_entries(partition, self._options, self._kind, self._schema)

    def _stream(self) -> RedisStream:
        return RedisStream(self._options.url, self._options.key)


def _infer_kind(options: RedisOptions) -> TimeKind:
    """Return the kind of the first timestamp after `startingId`."""
    with closing(RedisStream(options.url, options.key)) as stream:
        start = stream.position(options.start)
        for partition in _between(start, stream.position(NEW)):
            for entry in stream.between(partition.start, partition.end, partition.count):
                for at, triples in entry_rows(entry, options, WorkerCounts()):
                    if triples:
                        return kind_of(at)
    reason = "The type of the times cannot be inferred, since the stream has no entry yet."
    raise MissingOptionError("timestampType", " or ".join(TIME_TYPES), reason)


def _read_entries(
    partition: EntriesPartition, options: RedisOptions, kind: TimeKind, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    with (
        closing(RedisStream(options.url, options.key)) as stream,
        logged_counts(f"redis stream {options.key!r}") as counts,
    ):
        entries = stream.between(partition.start, partition.end, partition.count)
        rows = (row for entry in entries for row in entry_rows(entry, options, counts, kind))
        yield from record_batches(rows, kind, schema)


def entry_rows(
    entry: Entry, options: RedisOptions, counts: WorkerCounts, kind: TimeKind | None = None
) -> Iterator[TimedTriples]:
    """Yield the messages in one entry of a Redis stream, each with its time.

    Args:
        counts: counters of skipped entries and of times cut to microseconds, to be updated.
        kind: the required kind of the timestamps; None for any kind.

    Raises:
        InputError: the entry is invalid, and invalid entries are not skipped.

    >>> fields = {b"timestamp": b"7", b"subject": b"<urn:a>", b"predicate": b"<urn:b>", b"object": b'"c"'}
    >>> ((at, triples),) = entry_rows(("1-0", fields), RedisOptions("", "readings"), WorkerCounts())
    >>> at, list(triples)
    (7, [('<urn:a>', '<urn:b>', '"c"')])
    """
    id_, fields = entry
    source = f"redis stream {options.key!r}, entry {id_}"
    if len(fields) == 1:
        (text,) = fields.values()
        reading = options.reading("nquads", counts, kind)
        if options.skip_errors:

            def skip(line: int | None, reason: str, text: str, count: int = 1) -> None:
                counts.skip(None, f"entry {id_}, line {line}: {reason}", text, count)

            reading = reading._replace(skip=skip)
        yield from read_rows(ByteFeed(io.BytesIO(text)), source, reading)
        return
    try:
        yield _assertion(fields, kind, source, None if options.is_exact else counts.cut)
    except PantarheiError as error:
        if not options.skip_errors:
            raise
        reason = error.reason if isinstance(error, MalformedInputError) else str(error)
        counts.skip(None, f"entry {id_}: {reason}", repr(fields)[:1000])


def _assertion(
    fields: Mapping[bytes, bytes], kind: TimeKind | None, source: str, on_cut: OnCut | None
) -> TimedTriples:
    """Return the time and the triple of an entry with four fields.

    Raises:
        MalformedInputError: the entry has other fields, or they are not a triple.
        TimestampError: the time is malformed, or not of kind `kind`.
    """
    try:
        given = {name.decode(): value.decode() for name, value in fields.items()}
    except UnicodeDecodeError as error:
        raise MalformedInputError(source, None, f"not UTF-8: {error.reason}") from None
    if given.keys() != set(FIELDS):
        expected = f"expected {', '.join(FIELDS)}, or one field with N-Quads"
        raise MalformedInputError(source, None, f"the fields are {', '.join(sorted(given))}; {expected}")
    try:
        cut: list[str] = []
        at = parse_time(given["timestamp"], TimeReading(None, on_cut and cut.append))
        at = at if kind is None else checked_time(at, kind)
    except TimestampError as error:
        raise TimestampError(f"{source}: {error.given}", error.expected) from None
    line = f"{given['subject']} {given['predicate']} {given['object']} <{_GRAPH}> ."
    triples = TextTriples()
    triples.append(_triple(line, source))
    if cut and on_cut is not None:
        on_cut(cut[0])
    return at, triples


def _triple(line: str, source: str) -> TextTriple:
    try:
        text = line.encode()
        if b"<<(" in without_strings(text):  # a triple term, not in RDF 1.1; nested ones exhaust the stack
            raise ValueError
        (quad,) = ox.parse(text, ox.RdfFormat.N_QUADS)
        if str(quad.graph_name) != f"<{_GRAPH}>":
            raise ValueError
        return text_triple(quad, nodes_of_message(source, "", 0))
    except InvalidTripleError as error:
        raise MalformedInputError(source, None, f"{error.given}: {error.reason}") from None
    except (SyntaxError, ValueError):
        reason = (
            'not three terms in N-Triples syntax (an IRI as <…>, a literal as "…", a blank node as _:b): '
        )
        raise MalformedInputError(source, None, reason + line[:200]) from None

"""Redis Streams for Spark: `spark.readStream.format("pantarhei-redis").load("key of the stream")`.

An entry is one assertion in the fields `timestamp`, `subject`, `predicate` and `object` (terms in the syntax
of N-Triples), or a piece of N-Quads in its only field. Each entry is a message: its blank nodes are its own.

Options: `url` (redis://127.0.0.1:6379/0), `startingId` (read what comes after it: 0-0 for all, $ for what is
new), `maxEntriesPerTrigger`, and `time`, `on_error` and `timestampType` as for files. An offset is a
`Position`: reading between two gives the same rows each time, or an error if entries have gone.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import cast

import pyarrow as pa
import pyoxigraph as ox
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from pantarhei.errors import (
    InvalidTripleError,
    MalformedInputError,
    OptionError,
    PantarheiError,
    TimestampError,
)
from pantarhei.io.graph_times import AUTO, OnCut, TimeReading, parse_time, time_properties
from pantarhei.io.messages import Skip
from pantarhei.model.time import TimeKind, kind_of
from pantarhei.rdf.blank_nodes import nodes_of_message
from pantarhei.rdf.nesting_guard import without_strings
from pantarhei.rdf.statements import ByteFeed
from pantarhei.spark.sources.arrow_rows import record_batches
from pantarhei.spark.sources.redis_stream import FIRST, NEW, Entry, Position, RedisStream
from pantarhei.spark.sources.skip_log import SkipLog, cutting, skipping
from pantarhei.spark.sources.source_options import (
    is_exact,
    kind_option,
    known_options,
    positive,
    skips_errors,
)
from pantarhei.spark.sources.text_rows import Rows, TextReading, checked_time, read_rows, text_triple
from pantarhei.spark.sources.triple_columns import GrowingColumns, TextTriple
from pantarhei.spark.stream_columns import TIME_TYPES, column_types, columns

FIELDS = ("timestamp", "subject", "predicate", "object")
DEFAULT_URL = "redis://127.0.0.1:6379/0"
_GRAPH = "urn:pantarhei:entry"


@dataclass(frozen=True, slots=True)
class RedisOptions:
    """What to read from which server, and how; fields as in `FileOptions`.

    Attributes:
        key: the stream's name.
        start: the id after which a new query begins.
        max_entries: how many entries a step of a stream takes; None for all there are.
        is_exact: refuse times that are finer than microseconds.
    """

    url: str
    key: str
    start: str = FIRST
    time: str = AUTO
    skip_errors: bool = False
    kind: TimeKind | None = None
    max_entries: int | None = None
    is_exact: bool = False

    @classmethod
    def of(cls, given: Mapping[str, str]) -> RedisOptions:
        """The options as Spark gives them, keys in any case.

        Raises:
            OptionError: one is unknown, has an impossible value, or the stream is not named.
        """
        options = known_options(
            given, "url", "path", "startingId", "time", "on_error", "timestampType", "maxEntriesPerTrigger",
            "precision",
        )  # fmt: skip
        if "path" not in options:
            raise OptionError("path", "nothing", "the key of a Redis stream, as load(key) gives it")
        start = options.get("startingId", FIRST)
        if start != NEW and not re.fullmatch(r"\d+(-\d+)?", start, re.ASCII):
            raise OptionError(
                "startingId", repr(start), "the id of an entry, 0-0 for all, or $ for what is new"
            )
        time = options.get("time", AUTO)
        time_properties(time)
        return cls(
            options.get("url", DEFAULT_URL),
            options["path"],
            start,
            time,
            skips_errors(options),
            kind_option(options),
            positive(options, "maxEntriesPerTrigger"),
            is_exact(options),
        )


class PantarheiRedisSource(DataSource):
    """The data source `pantarhei-redis`."""

    @classmethod
    def name(cls) -> str:
        """What `format` calls it."""
        return "pantarhei-redis"

    def schema(self) -> str:
        """The columns; peeks into the stream unless `timestampType` is given.

        Raises:
            OptionError: an option is impossible, or there is no entry to tell the times' type.
        """
        options = RedisOptions.of(self.options)
        return columns(options.kind or _infer_kind(options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of what there is now."""
        return RedisReader(RedisOptions.of(self.options), *column_types(schema, self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """A reader of what is added."""
        return RedisStreamReader(RedisOptions.of(self.options), *column_types(schema, self.options))


@dataclass
class EntriesPartition(InputPartition):
    """The entries after `start` up to `end`, whose number is known."""

    start: str
    end: str
    count: int


def _between(start: Position, end: Position) -> list[EntriesPartition]:
    count = end["added"] - start["added"]
    return [EntriesPartition(start["id"], end["id"], count)] if count else []


class RedisReader(DataSourceReader):
    """Reads what a stream has when the query is planned."""

    def __init__(self, options: RedisOptions, kind: TimeKind, schema: pa.Schema) -> None:
        self._options, self._kind, self._schema = options, kind, schema

    def partitions(self) -> Sequence[InputPartition]:
        """One partition, so that no ABox is in two."""
        with closing(RedisStream(self._options.url, self._options.key)) as stream:
            start = stream.position(self._options.start)
            return _between(start, stream.advance(start, None))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition; errors name the stream and the entry."""
        if isinstance(partition, EntriesPartition):  # Spark makes up one if there is none
            yield from _read_entries(partition, self._options, self._kind, self._schema)


class RedisStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads what is added to a stream; connects for each question, and holds nothing between."""

    def __init__(self, options: RedisOptions, kind: TimeKind, schema: pa.Schema) -> None:
        self._options, self._kind, self._schema = options, kind, schema
        self._available: Position | None = None

    def initialOffset(self) -> dict[str, object]:
        """The position of `startingId`."""
        with closing(self._stream()) as stream:
            return dict(stream.position(self._options.start))

    def getDefaultReadLimit(self) -> ReadLimit:
        """At most `maxEntriesPerTrigger` entries."""
        most = self._options.max_entries
        return ReadMaxRows(most) if most else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Only what is there now will be read."""
        with closing(self._stream()) as stream:
            self._available = stream.end()

    def latestOffset(self, start: dict[str, object], limit: ReadLimit) -> dict[str, object]:
        """The position after the next entries.

        Raises:
            StreamError: entries after `start` have gone.
        """
        most = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        with closing(self._stream()) as stream:
            return dict(stream.advance(cast(Position, start), most, self._available))

    def partitions(self, start: dict[str, object], end: dict[str, object]) -> Sequence[InputPartition]:
        """One partition, so that no ABox of a step is in two."""
        return _between(cast(Position, start), cast(Position, end))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition; errors as in a batch."""
        assert isinstance(partition, EntriesPartition)
        return _read_entries(partition, self._options, self._kind, self._schema)

    def _stream(self) -> RedisStream:
        return RedisStream(self._options.url, self._options.key)


def _infer_kind(options: RedisOptions) -> TimeKind:
    """The kind of the first timestamp after `startingId`."""
    skip = SkipLog() if options.skip_errors else None
    on_cut = None if options.is_exact else str
    with closing(RedisStream(options.url, options.key)) as stream:
        start = stream.position(options.start)
        for partition in _between(start, stream.end()):
            for entry in stream.between(partition.start, partition.end, partition.count):
                for at, _ in entry_rows(entry, replace(options, kind=None), skip, on_cut):
                    return kind_of(at)
    raise OptionError(
        "timestampType",
        "nothing",
        f"{', '.join(TIME_TYPES)}, since there is no entry yet to tell its time's type",
    )


def _read_entries(
    partition: EntriesPartition, options: RedisOptions, kind: TimeKind, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    options = replace(options, kind=kind)
    name = f"redis stream {options.key!r}"
    with (
        closing(RedisStream(options.url, options.key)) as stream,
        skipping(name, options.skip_errors) as skip,
        cutting(name, options.is_exact) as on_cut,
    ):
        entries = stream.between(partition.start, partition.end, partition.count)
        rows = (row for entry in entries for row in entry_rows(entry, options, skip, on_cut))
        yield from record_batches(rows, kind, schema)


def entry_rows(
    entry: Entry, options: RedisOptions, skip: Skip | None, on_cut: OnCut | None = None
) -> Iterator[Rows]:
    """Return the rows of one entry.

    Args:
        on_cut: called with the text of a time that is cut to microseconds; None refuses such times.

    Raises:
        InputError: it is not as it should be, and nothing takes what is skipped.

    >>> fields = {b"timestamp": b"7", b"subject": b"<urn:a>", b"predicate": b"<urn:b>", b"object": b'"c"'}
    >>> ((at, triples),) = entry_rows(("1-0", fields), RedisOptions("", "readings"), None)
    >>> at, list(triples)
    (7, [('<urn:a>', '<urn:b>', '"c"')])
    """
    id_, fields = entry
    source = f"redis stream {options.key!r}, entry {id_}"
    if len(fields) == 1:
        (text,) = fields.values()
        entry_skip = skip and _EntrySkip(skip, id_)
        reading = TextReading("nquads", options.time, options.kind, entry_skip, on_cut=on_cut)
        yield from read_rows(ByteFeed(io.BytesIO(text)), source, reading)
        return
    try:
        yield _assertion(fields, options.kind, source, on_cut)
    except PantarheiError as error:
        if skip is None:
            raise
        reason = error.reason if isinstance(error, MalformedInputError) else str(error)
        skip(None, f"entry {id_}: {reason}", repr(fields)[:1000])


class _EntrySkip:
    """Skips what is in an entry."""

    def __init__(self, skip: Skip, id_: str) -> None:
        self._skip, self._id = skip, id_

    def __call__(self, line: int | None, reason: str, text: str, count: int = 1) -> None:
        self._skip(None, f"entry {self._id}, line {line}: {reason}", text, count)


def _assertion(
    fields: Mapping[bytes, bytes], kind: TimeKind | None, source: str, on_cut: OnCut | None
) -> Rows:
    """The time and the triple of four fields.

    Raises:
        MalformedInputError: the fields are others, or not a triple.
        TimestampError: the time is none, or not of that kind.
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
    triples = GrowingColumns()
    triples.append(_triple(line, source))
    if cut and on_cut is not None:
        on_cut(cut[0])
    return at, triples


def _triple(line: str, source: str) -> TextTriple:
    try:
        text = line.encode()
        if b"<<(" in without_strings(
            text
        ):  # no term of RDF 1.1, and nested deep it exhausts the parser's stack
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

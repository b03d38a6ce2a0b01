"""The files of a stream read on the executors, with an account of each part: its times as they were written,
what was left out, and what was wrong.

Rows are those of the data source `pantarhei`. Accounts come back beside them, by Spark's accumulators, and
replace one another by the part's number, so that a task which runs twice counts once. What is wrong with the
input does not fail the task: it is in the account, whole, and Spark does not try again what cannot succeed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import pyarrow as pa
from pyspark import Accumulator, AccumulatorParam
from pyspark.sql import DataFrame, SparkSession

from pantarhei.errors import PantarheiError
from pantarhei.io.abox import same_kind
from pantarhei.io.read import OF_GRAPHS, syntax_of
from pantarhei.io.reader_counts import Skipped
from pantarhei.model.time import TimeKind, TimePoint, ticks_of
from pantarhei.rdf.statements import ByteFeed, read_trig
from pantarhei.spark.sources.arrow_rows import record_batches
from pantarhei.spark.sources.file_parts import FilePart, PartFile, list_files
from pantarhei.spark.sources.file_source import FilePartition, FileReader
from pantarhei.spark.sources.source_options import FileOptions
from pantarhei.spark.sources.text_rows import Rows, TextMessages, TextReading
from pantarhei.spark.stream_columns import column_types, columns

SMALLEST_PART = 8 << 20
SKIPS_KEPT = 10


@dataclass(slots=True)
class GivenTime:
    """A timestamp as it was first written, and how many assertions it has."""

    at: TimePoint
    assertions: int = 0


@dataclass(slots=True)
class FilesAccount:
    """What became of a part of a file, or of several in order.

    Attributes:
        times: the timestamps, by their ticks; those of graphs that assert nothing too.
        skipped: the first of what was left out.
        skipped_count: how much was left out.
        times_cut: how many messages or rows had times that were cut to microseconds.
        error: what ended the reading; None if nothing did.
    """

    times: dict[int, GivenTime] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    skipped_count: int = 0
    times_cut: int = 0
    error: PantarheiError | OSError | None = None

    size: ClassVar[None] = None  # what remains to be read is for Spark to know
    bytes_read: ClassVar[None] = None

    def note(self, at: TimePoint, ticks: int, assertions: int) -> None:
        """Assertions of a timestamp go by."""
        self.times.setdefault(ticks, GivenTime(at)).assertions += assertions

    def skip(self, line: int | None, reason: str, text: str, count: int = 1) -> None:
        """Take what is left out, as a reader's `skip`."""
        self.skipped_count += count
        if len(self.skipped) < SKIPS_KEPT:
            self.skipped.append(Skipped(line, reason, text))

    def cut(self, text: str) -> None:
        """Count a time that is cut."""
        self.times_cut += 1

    @classmethod
    def of(cls, parts: Iterable[FilesAccount]) -> FilesAccount:
        """The account of all parts, given in order; its error is the first."""
        whole = cls()
        for part in parts:
            for ticks, given in part.times.items():
                whole.note(given.at, ticks, given.assertions)
            whole.skipped += part.skipped
            whole.skipped_count += part.skipped_count
            whole.times_cut += part.times_cut
            whole.error = whole.error or part.error
        return whole


_Accounts = dict[int, FilesAccount]


class ByPart(AccumulatorParam[_Accounts]):
    """Accounts by the numbers of their parts, the latest of each."""

    def zero(self, value: _Accounts) -> _Accounts:
        return {}

    def addInPlace(
        self, value1: dict[int, FilesAccount], value2: dict[int, FilesAccount]
    ) -> dict[int, FilesAccount]:
        value1.update(value2)
        return value1


class CountedFiles:
    """Files as a DataFrame of timestamped triples, whose account is known once it has been computed.

    Args:
        spark: the session.
        options: what to read. Paths may be relative to this process; errors and blank nodes have them as
            given.
        kind: what the timestamps are.

    Raises:
        OptionError: the format is none, and the suffix does not tell it.
        FileNotFoundError: there is no such file.
    """

    def __init__(self, spark: SparkSession, options: FileOptions, kind: TimeKind) -> None:
        ddl = columns(kind)
        _, schema = column_types(spark.createDataFrame([], ddl).schema, {})
        cores = spark.sparkContext.defaultParallelism
        parts = _parts(replace(options, split_size=_split_size(options, cores)), kind, schema)
        self._accounts: Accumulator[dict[int, FilesAccount]] = spark.sparkContext.accumulator({}, ByPart())
        read = _PartReader(tuple(parts), len({*map(_path, parts)}) > 1, options, kind, schema, self._accounts)
        numbers = spark.range(0, len(parts), 1, max(1, len(parts)))
        self.rows: DataFrame = numbers.mapInArrow(read, ddl)

    @property
    def account(self) -> FilesAccount:
        """What became of the files; complete when `rows` has been computed."""
        parts: Mapping[int, FilesAccount] = self._accounts.value
        return FilesAccount.of(parts[number] for number in sorted(parts))


def _path(part: FilePart) -> str:
    return part.path


def _parts(options: FileOptions, kind: TimeKind, schema: pa.Schema) -> list[FilePart]:
    partitions = FileReader(options, kind, schema).partitions()
    return [partition.part for partition in partitions if isinstance(partition, FilePartition)]


def _split_size(options: FileOptions, cores: int) -> int:
    """Bytes a part has at least, so that each core gets one, where a file can be divided."""
    files = (file for path in options.paths for file in list_files(path, options.format))
    return max(SMALLEST_PART, -(-sum(map(os.path.getsize, files)) // cores))


@dataclass(frozen=True, slots=True)
class _PartReader:
    """Reads the parts whose numbers it is given; for `mapInArrow`."""

    parts: tuple[FilePart, ...]
    names_files: bool
    options: FileOptions
    kind: TimeKind
    schema: pa.Schema
    accounts: Accumulator[dict[int, FilesAccount]]
    directory: str = field(default_factory=os.getcwd)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                account = FilesAccount()
                yield from self._read(self.parts[number], account)
                self.accounts.add({number: account})

    def _read(self, part: FilePart, account: FilesAccount) -> Iterator[pa.RecordBatch]:
        """The rows of a part, up to where something is wrong."""
        try:
            with open(os.path.join(self.directory, part.path), "rb") as file:
                syntax = syntax_of(part.path, self.options.format, OF_GRAPHS)
                skip = account.skip if self.options.skip_errors else None
                on_cut = None if self.options.is_exact else account.cut
                is_part = part.end is not None
                reading = TextReading(syntax, self.options.time, None, skip, part.line, is_part, on_cut)
                messages = _messages(ByteFeed(PartFile(file, part)), part.path, reading)
                yield from record_batches(self._noted(messages, part, account), self.kind, self.schema)
        except (PantarheiError, OSError) as error:
            account.error = error
        if self.names_files:
            account.skipped = [in_file(part.path, skipped) for skipped in account.skipped]

    def _noted(self, messages: Iterator[Rows], part: FilePart, account: FilesAccount) -> Iterator[Rows]:
        """The messages that have rows; those without move time too, and are in the account."""
        for at, triples in messages:
            same_kind(at, self.kind, f"{part.path}: ")
            account.note(at, ticks_of(at, self.kind), len(triples))
            if triples:
                yield at, triples


def _messages(feed: ByteFeed, source: str, reading: TextReading) -> Iterator[Rows]:
    """The messages as `read_rows` gives them, and those without triples."""
    messages = TextMessages(source, reading)
    statements = messages.nquads(feed) if reading.syntax == "nquads" else read_trig(feed, source)
    return messages.read(statements)


def in_file(path: str, skipped: Skipped) -> Skipped:
    """What was left out, its place named with the file."""
    place = path if skipped.line is None else f"{path}, line {skipped.line}"
    return Skipped(None, f"{place}: {skipped.reason}", skipped.text)

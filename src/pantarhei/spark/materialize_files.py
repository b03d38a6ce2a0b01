"""The files of a stream read on the executors, with an account of each part: its times as they were written,
what was left out, and what was wrong.

Rows are those of the data source `pantarhei`. Accounts come back beside them, by Spark's accumulators, and
replace one another by the part's number, so that a task which runs twice counts once. What is wrong with the
input does not fail the task: it is in the account, whole, and Spark does not try again what cannot succeed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, TypeAlias

import pyarrow as pa
from pyspark import Accumulator, AccumulatorParam
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from pantarhei.errors import OptionError, PantarheiError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import Interpretation
from pantarhei.io.abox import TimestampedABox, same_kind
from pantarhei.io.mapping.record_mapping import ROW, RecordMapping
from pantarhei.io.reader import Skipped, format_of
from pantarhei.io.stream_reader import OF_GRAPHS, syntax_of
from pantarhei.io.tables.csv_table import CSVPart, parts_of
from pantarhei.io.tables.record_reader import RecordReader
from pantarhei.io.tables.table_sources import TableSources, delimiter_of, sources_of
from pantarhei.model.time import TimeKind, TimePoint, kind_of, ticks_of
from pantarhei.rdf.ntriples import write_term
from pantarhei.rdf.statements import ByteFeed, read_trig
from pantarhei.rdf.triple_table import NAMES, ColumnarTriples, TripleColumns
from pantarhei.spark.frame import TIMESTAMP, arrow_columns, column_types, columns, normalized
from pantarhei.spark.materialize import Closing, by_timestamp
from pantarhei.spark.sessions import quiet_session
from pantarhei.spark.sources.file_source import FilePart, FilePartition, FileReader, PartFile, list_files
from pantarhei.spark.sources.source_options import FileOptions
from pantarhei.spark.sources.text_rows import GrowingColumns, Rows, TextMessages, TextReading, record_batches
from pantarhei.spark.worker import BlockWriter, block_schema, read_blocks

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


Items: TypeAlias = tuple[str | CSVPart, ...]
"""Files and parts of files that are read one after the other."""


def _counted_tables_path(item: str | CSVPart) -> str:
    return item if isinstance(item, str) else item.path


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Which tables to read, and how.

    Args:
        path: a file, a folder or a glob.
        format: of the tables; None for what their names tell.
        mapping: how triples are made of rows.
        skip_errors: whether bad rows are left out and counted.
    """

    path: str
    format: str | None
    mapping: RecordMapping
    skip_errors: bool

    def parts(self) -> list[tuple[str, ...]]:
        """The files that are read apart: each by itself, unless rows are numbered over all of them.

        Raises:
            OptionError: there is no such format, or no name tells it.
            MissingFileError: there is no such file.
        """
        paths = sources_of(self.path, self.format).paths
        return [paths] if self._numbers_rows else [(path,) for path in paths]

    def split(self, size: int) -> list[Items]:
        """What is read apart: files as of `parts`, big ones in CSV in parts of at least `size` bytes.

        Raises:
            As `parts`.
        """
        found: list[Items] = []
        for paths in self.parts():
            pieces = [] if self._numbers_rows else self._pieces(paths[0], size)
            found += [(piece,) for piece in pieces] or [paths]
        return found

    def _pieces(self, path: str, size: int) -> list[CSVPart]:
        if (self.format or format_of(path) or "csv") not in ("csv", "tsv"):
            return []
        return parts_of(path, size, delimiter_of(path, self.format, self.mapping.delimiter))

    @property
    def size(self) -> int:
        """How many bytes the files have."""
        return sum(os.path.getsize(path) for paths in self.parts() for path in paths)

    @property
    def _numbers_rows(self) -> bool:
        patterns = (pattern for group in self.mapping.groups for pattern in group)
        named = {name for pattern in patterns for name, _ in pattern.columns}
        return ROW in named.union(self.mapping.time.template.columns)

    def reader(self, items: Items, beside: Sequence[str] = (), kind: TimeKind | None = None) -> RecordReader:
        """A reader of some of the files or parts, one after the other.

        Args:
            beside: all files.
            kind: what times have to be; None for what the first one is.
        """
        name = ", ".join(dict.fromkeys(map(_counted_tables_path, items)))
        sources = TableSources(name, items, self.format, beside if len(beside) > 1 else ())
        return RecordReader(sources, self.mapping, self.skip_errors, kind)

    def kind(self) -> TimeKind:
        """The kind of the timestamps, from the first ABox of the first file that has one.

        Raises:
            OptionError: there is none.
            InputError: what comes before it is not as it should be.
        """
        parts = self.parts()
        files = [path for paths in parts for path in paths]
        for paths in parts:
            for abox in self.reader(paths, files):
                return kind_of(abox.at)
        raise OptionError("timestampType", "nothing", "a row at least, to tell its time's type")


class CountedTables:
    """Tables as a DataFrame of timestamped triples, whose account is known once it has been computed.

    Args:
        kind: what the timestamps are.

    Raises:
        As `TableOptions.parts`.
    """

    def __init__(self, spark: SparkSession, options: TableOptions, kind: TimeKind) -> None:
        cores = spark.sparkContext.defaultParallelism
        parts = options.split(max(SMALLEST_PART, -(-options.size // cores)))
        self._accounts: Accumulator[dict[int, FilesAccount]] = spark.sparkContext.accumulator({}, ByPart())
        read = _TableReader(tuple(parts), options, kind, self._accounts)
        numbers = spark.range(0, len(parts), 1, max(1, len(parts)))
        self.rows: DataFrame = numbers.mapInArrow(read, columns(kind))

    @property
    def account(self) -> FilesAccount:
        """What became of the tables; complete when `rows` has been computed."""
        parts = self._accounts.value
        return FilesAccount.of(parts[number] for number in sorted(parts))


@dataclass(frozen=True, slots=True)
class _TableReader:
    """Reads the tables whose numbers it is given; for `mapInArrow`."""

    parts: tuple[Items, ...]
    options: TableOptions
    kind: TimeKind
    accounts: Accumulator[dict[int, FilesAccount]]
    directory: str = field(default_factory=os.getcwd)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if not all(map(os.path.isabs, self._paths)):
            os.chdir(self.directory)  # the driver's; errors have paths as they were given
        for batch in batches:
            for number in batch.column(0).to_pylist():
                account = FilesAccount()
                yield from self._read(self.parts[number], account)
                self.accounts.add({number: account})

    @property
    def _paths(self) -> set[str]:
        return {_counted_tables_path(item) for items in self.parts for item in items}

    def _read(self, items: Items, account: FilesAccount) -> Iterator[pa.RecordBatch]:
        """The rows of files and parts, up to where something is wrong."""
        reader = self.options.reader(items, sorted(self._paths), self.kind)
        try:
            yield from record_batches(self._noted(reader, account), self.kind, arrow_columns(self.kind))
        except (PantarheiError, OSError) as error:
            account.error = error
        account.skipped_count, account.times_cut = reader.skipped_count, reader.times_cut
        skipped = reader.skipped[:SKIPS_KEPT]
        named = len(items) == 1 and len(self._paths) > 1
        account.skipped = (
            [in_file(_counted_tables_path(items[0]), each) for each in skipped] if named else skipped
        )

    def _noted(self, reader: RecordReader, account: FilesAccount) -> Iterator[Rows]:
        for abox in reader:
            same_kind(abox.at, self.kind, f"{reader.name}: ")
            account.note(abox.at, ticks_of(abox.at, self.kind), len(abox.triples))
            if abox.triples:
                yield abox.at, _columns_of(abox)


def _columns_of(abox: TimestampedABox) -> GrowingColumns:
    held = GrowingColumns()
    triples = abox.triples
    for part in triples.parts if isinstance(triples, ColumnarTriples) else (tuple(triples),):
        if isinstance(part, TripleColumns):
            texts = (pa.array(column.distinct, pa.string()).take(pa.array(column.codes)) for column in part)
            held.append_part(pa.record_batch(list(texts), names=list(NAMES)))
        else:
            for subject, predicate, object_ in part:
                held.append((write_term(subject), write_term(predicate), write_term(object_)))
    return held


class ClosedFiles(NamedTuple):
    """The canonical models of the ABoxes that assert something, by their ticks, and the files' account."""

    interpretations: dict[int, Interpretation]
    account: FilesAccount


def close_files(
    files: FileOptions | TableOptions, kind: TimeKind, foundation: Foundation, master: str
) -> ClosedFiles:
    """Read files on Spark and close each of their ABoxes; Spark has stopped when this returns.

    Args:
        files: of a stream, or tables.
        kind: what their timestamps are.
        master: where Spark runs, as `session` takes it.

    Raises:
        SparkError: Spark cannot be started, or fails.
    """
    with quiet_session(master) as spark:
        counted: CountedFiles | CountedTables
        if isinstance(files, TableOptions):
            counted = CountedTables(spark, files, kind)
        else:
            counted = CountedFiles(spark, files, kind)
        given = normalized(counted.rows)
        schema = block_schema(given.schema[TIMESTAMP].dataType)
        write = BlockWriter(to_arrow_schema(schema, timezone="UTC"))
        closing = Closing(spark, foundation, schema, write, "raise", None)
        blocks = closing.of(by_timestamp(given, None, None)).toArrow()
        return ClosedFiles({timed.ticks: timed.made for timed in read_blocks(blocks, kind)}, counted.account)

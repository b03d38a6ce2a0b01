"""Data source `pantarhei`: streams of timestamped graphs in files, for `spark.read` and `spark.readStream`.

    spark.dataSource.register(PantarheiSource)
    spark.read.format("pantarhei").load("readings.nq")
    spark.readStream.format("pantarhei").option("timestampType", "timestamp").load("folder/")

There is one row for each assertion, with the columns `timestamp`, `subject`, `predicate` and `object`; terms
are in N-Triples syntax. The options are `format`, `time` and `on_error` of `pantarhei.read_stream`;
`timestampType` (long, double or timestamp; by default the type of the first ABox); `splitSize`; and for
streams `maxFilesPerTrigger`.

A streamed folder is read in the order of its files' names. ABoxes are pushed in time order, so the writer
must number the files or name them by their time; unlike modification times, names survive copies, restored
backups and moves. A file must be complete when it appears under its final name: write it under a name that
begins with `.` or `_`, or in another folder, and rename it.

An offset is `{"files": n, "last": name, "digest": d}`: the number of files read, the name of the last one,
and a digest of all their names and sizes. The files between two offsets are those whose names sort after the
`last` of the first offset, up to the `last` of the second; the digest detects changes to them.

Files that have been read may be removed. A late file, whose name sorts before the last file read, is refused.
If files were removed while the query was stopped, files added late during that time cannot be detected, and a
warning is logged.

A big N-Quads file is divided into parts only if the result is the same: the time is in the graphs' names,
there are no blank nodes (whose names depend on the number of preceding messages), and each part begins where
the time changes.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TypedDict, cast

import pyarrow as pa
import pyoxigraph as ox
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from pantarhei.errors import MissingOptionError, OptionError, StreamError, TimestampError
from pantarhei.io.graph_messages import BY_NAME, TimeReading, time_in_name
from pantarhei.io.reader import FilePart, LimitedFile
from pantarhei.io.stream_reader import OF_GRAPHS, SUFFIXES, syntax_of
from pantarhei.model.time import TimeKind, TimePoint, kind_of
from pantarhei.rdf.statements import ByteFeed
from pantarhei.spark.frame import TIME_TYPES, column_types, columns_ddl
from pantarhei.spark.sources.redis_source import PantarheiRedisSource
from pantarhei.spark.sources.source_options import LOGGER, FileOptions, WorkerCounts, logged_counts
from pantarhei.spark.sources.text_rows import TimedTriples, read_rows, record_batches
from pantarhei.spark.versions import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
    check_limit,
)
from pantarhei.spark.worker_errors import methods_send_errors

_CHUNK = 1 << 20
_CUT = TimeReading(on_cut=str)  # accepts times to be cut; they are counted when the part is read


def list_files(path: str, format: str | None) -> list[str]:
    """Return the stream files of a path, sorted: the file itself, the files in a folder, or the matches of a
    glob.

    In a folder and for a glob, files whose names begin with `.` or `_` are ignored as unfinished. In a folder
    only files with a stream's suffix are read, or all files if `format` is given; subfolders are not read.

    Raises:
        FileNotFoundError: the file does not exist, and the path is not a glob.
    """
    if os.path.isdir(path):
        found = [entry.path for entry in os.scandir(path) if _is_complete(entry.path)]
        return sorted(file for file in found if format or Path(file).suffix.lower() in SUFFIXES)
    if os.path.exists(path):
        return [path]
    if not glob.has_magic(path):
        raise FileNotFoundError(2, "No such file, folder or glob", path)
    return sorted(filter(_is_complete, glob.glob(path)))


def _is_complete(path: str) -> bool:
    return os.path.isfile(path) and not os.path.basename(path).startswith((".", "_"))


def parts_of(path: str, size: int) -> list[FilePart]:
    """Divide an N-Quads file into parts of at least `size` bytes, except the last.

    The file is read once, but not parsed. If it cannot be divided, it is returned as one part.
    """
    if size <= 0 or os.path.getsize(path) <= size:
        return [FilePart(path)]
    with open(path, "rb") as file:
        starts = list(_starts(file, size, os.path.getsize(path)))
        file.seek(0)
        lines = _first_lines(file, starts)
    if lines is None or len(starts) == 1:
        return [FilePart(path)]
    ends = [*starts[1:], os.path.getsize(path)]
    return [FilePart(path, *part) for part in zip(starts, ends, lines, strict=True)]


def _starts(file: IO[bytes], size: int, end: int) -> Iterator[int]:
    start: int | None = 0
    while start is not None:
        yield start
        start = _next_start(file, start + size) if start + size < end else None


def _next_start(file: IO[bytes], at: int) -> int | None:
    """Return the position of the first line after byte `at` whose time differs from the line before; None if
    all are equal.
    """
    file.seek(at)
    at += len(file.readline())
    before: TimePoint | None = None
    for line in file:
        time = _time_in(line)
        if time is not None and before is not None and time != before:
            return at
        before = before if time is None else time
        at += len(line)
    return None


def _time_in(line: bytes) -> TimePoint | None:
    """Return the time in the graph name of a line; None if it has no time, or the line is malformed."""
    try:
        (quad,) = ox.parse(line, ox.RdfFormat.N_QUADS)
        return (
            time_in_name(quad.graph_name.value, _CUT) if isinstance(quad.graph_name, ox.NamedNode) else None
        )
    except (SyntaxError, ValueError, TimestampError):
        return None


def _first_lines(file: IO[bytes], starts: list[int]) -> list[int] | None:
    """Return the line number at each start; None if the file may contain blank nodes."""
    lines, line = [1], 1
    for begin, end in zip(starts, [*starts[1:], None], strict=True):
        part, last = file if end is None else LimitedFile(file, end - begin), b""
        while data := part.read(_CHUNK):
            if b"_:" in last + data[:1] or b"_:" in data:
                return None
            last = data[-1:]
            line += data.count(b"\n")
        lines.append(line)
    return lines[:-1]


class FilesOffset(TypedDict):
    """Offset in a folder: number, last name and digest of the files that have been read."""

    files: int
    last: str
    digest: str


_BEGIN: FilesOffset = {"files": 0, "last": "", "digest": ""}


@dataclass
class FilePartition(InputPartition):
    """Partition of Spark's read: a part of a file, for one task."""

    part: FilePart


def infer_kind(options: FileOptions) -> TimeKind:
    """Return the kind of the timestamps, that of the first ABox.

    Raises:
        OptionError: there is no ABox, so that the option `timestampType` is required.
        InputError: the input before the first ABox is invalid.
    """
    for path in options.paths:
        for file in list_files(path, options.format):
            for at, triples in part_messages(FilePart(file), options, None, WorkerCounts()):
                if triples:
                    return kind_of(at)
    reason = "The type of the times cannot be inferred, since the files have no ABox yet."
    raise MissingOptionError("timestampType", " or ".join(TIME_TYPES), reason)


@methods_send_errors
class FileReader(DataSourceReader):
    """Batch reader of files; big files are read in parts if `parts_of` can divide them."""

    def __init__(self, options: FileOptions, kind: TimeKind, schema: pa.Schema) -> None:
        self._options, self._kind, self._schema = options, kind, schema

    def partitions(self) -> Sequence[InputPartition]:
        """Return one partition for each file or part, in the order of `file_parts`.

        Raises:
            FileNotFoundError: a file does not exist, or a glob matches no file.
        """
        return [FilePartition(part) for part in file_parts(self._options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the rows of a partition.

        Raises:
            InputError: the input is invalid; the message names file and line.
        """
        if isinstance(partition, FilePartition):  # Spark passes a partition of its own if there are none
            yield from read_part(partition.part, self._options, self._kind, self._schema)


def file_parts(options: FileOptions) -> list[FilePart]:
    """Return the files, or parts of big files, in the order of `options.paths` and of the files' names.

    Raises:
        FileNotFoundError: a file does not exist, or a glob matches no file. An empty folder is valid.
    """
    found: list[FilePart] = []
    for path in options.paths:
        files = list_files(path, options.format)
        if not files and not os.path.isdir(path):
            raise FileNotFoundError(2, "No file matches", path)
        found += (part for file in files for part in _parts(file, options))
    return found


def _parts(file: str, options: FileOptions) -> list[FilePart]:
    divisible = options.time == BY_NAME and syntax_of(file, options.format, OF_GRAPHS) == "nquads"
    return parts_of(file, options.split_size if divisible else 0)


def read_part(
    part: FilePart, options: FileOptions, kind: TimeKind, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a part, and log skipped input and cut times at its end."""
    with logged_counts(part.path) as counts:
        messages = part_messages(part, options, kind, counts)
        yield from record_batches(messages, kind, schema)


def part_messages(
    part: FilePart, options: FileOptions, kind: TimeKind | None, counts: WorkerCounts
) -> Iterator[TimedTriples]:
    """Yield the messages of a part, including messages without triples.

    Args:
        kind: the required kind of the timestamps; None for the kind of the first one.
        counts: counters of skipped input and cut times, to be updated.

    Raises:
        InputError: the input is invalid, and invalid input is not skipped.
    """
    reading = options.reading(syntax_of(part.path, options.format, OF_GRAPHS), counts, kind)
    with open(part.path, "rb") as file:
        reading = reading._replace(line=part.line, is_part=part.end is not None)
        yield from read_rows(ByteFeed(part.bytes_of(file)), part.path, reading)


@methods_send_errors
class FolderReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Streaming reader of files that are added to a folder or match a glob, in the order of their names."""

    def __init__(self, options: FileOptions, kind: TimeKind, schema: pa.Schema) -> None:
        self._options, self._kind, self._schema = options, kind, schema
        (self._path,) = options.paths if len(options.paths) == 1 else ("",)
        if not os.path.isdir(self._path) and not glob.has_magic(self._path):
            raise OptionError(
                "path", ", ".join(options.paths),
                "one existing folder or one glob, to which files are added; read a single file with "
                "spark.read",
            )  # fmt: skip
        check_limit("maxFilesPerTrigger", options.max_files)
        self._seen: set[str] | None = None
        self._available: dict[str, str] | None = None
        self._end: FilesOffset | None = None
        self._planned: dict[tuple[str, str], list[str]] = {}

    def initialOffset(self) -> dict[str, object]:
        """Return the offset before the first file."""
        return dict(_BEGIN)

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the read limit: `maxFilesPerTrigger` files, or all available files."""
        return ReadMaxFiles(self._options.max_files) if self._options.max_files else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Restrict reading to the files that exist now."""
        self._available = self._files()

    def latestOffset(
        self, start: dict[str, object] | None = None, limit: ReadLimit | None = None
    ) -> dict[str, object]:
        """Return the offset after the next files.

        Args:
            start: the end of the last batch; None for Spark before 4.2, which passes it to `partitions` only.
                Then the offset of the first batch after a restart is computed from all existing files.
            limit: the limit of the batch; None for Spark before 4.2, which has no limits.

        Raises:
            StreamError: a file was added whose name sorts before the last file read.
        """
        last = self._end if start is None else cast(FilesOffset, start)
        begin = _BEGIN if last is None else last
        files = self._files()
        if last is not None:
            self._refuse_late(files, last)
        usable = files if self._available is None else self._available
        new = sorted(name for name in usable if name > begin["last"])
        if isinstance(limit, ReadMaxFiles):
            new = new[: limit.max_files]
        end = _advanced(begin, {name: usable[name] for name in new})
        self._planned = {(begin["digest"], end["digest"]): new}
        return dict(end)

    def partitions(self, start: dict[str, object], end: dict[str, object]) -> Sequence[InputPartition]:
        """Return one partition for each file between two offsets, or for each part of a big file.

        Raises:
            StreamError: the files have changed since the offsets were computed, or a file was added whose
                name sorts before the last file read.
        """
        begin, self._end = cast(FilesOffset, start), cast(FilesOffset, end)
        existing = self._files()
        if self._seen is None:
            self._refuse_late(existing, begin)
        files = self._between(existing, begin, self._end)
        return [FilePartition(part) for file in files for part in _parts(file, self._options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the rows of a partition. Raises the errors of `FileReader.read`."""
        assert isinstance(partition, FilePartition)
        return read_part(partition.part, self._options, self._kind, self._schema)

    def _files(self) -> dict[str, str]:
        """Return the paths of the existing files, by the name that determines their order."""
        relative = partial(os.path.relpath, start=self._path) if os.path.isdir(self._path) else str
        return {relative(file): file for file in list_files(self._path, self._options.format)}

    def _between(self, files: Mapping[str, str], start: FilesOffset, end: FilesOffset) -> list[str]:
        names = self._planned.get((start["digest"], end["digest"]))
        if names is None or not files.keys() >= set(names):
            names = sorted(name for name in files if start["last"] < name <= end["last"])
        between = {name: files[name] for name in names}
        is_as_planned = _advanced(start, between) == end or (
            # Before Spark 4.2 an offset may be computed from all files that existed; see `latestOffset`.
            _advanced(_BEGIN, {name: files[name] for name in sorted(files) if name <= end["last"]}) == end
        )
        if not is_as_planned and not self._options.accept_changes:
            raise StreamError(
                f"{self._path}: expected {end['files'] - start['files']} files after {start['last']!r} up to "
                f"{end['last']!r}, but found {len(between)} files, or files of other sizes; restore the "
                'files, or read them as they are now with the option on_change="accept" (no part of the '
                "failed batch has been processed)"
            )
        return list(between.values())

    def _refuse_late(self, files: Mapping[str, str], start: FilesOffset) -> None:
        """Refuse, or skip, unread files whose names sort before the last file read."""
        before = {name: files[name] for name in sorted(files) if name <= start["last"]}
        if self._seen is None:
            late = _change(before, start)
        else:
            late = ", ".join(name for name in before if name not in self._seen)
        if late:
            message = (
                f"{self._path}: {late} was added after {start['last']!r} had been read, but sorts before it; "
                "files are read in the order of their names, so name new files so that they sort last"
            )
            if not self._options.skip_errors:
                raise StreamError(message)
            LOGGER.warning("skipped: %s", message)
        self._seen = set(files)


def _change(before: Mapping[str, str], start: FilesOffset) -> str:
    """Describe late files that were added while the query was stopped; empty if none are detected.

    Args:
        before: the existing files up to the last file read.
    """
    count = start["files"]
    if len(before) > count:
        return f"{len(before) - count} or more of the files up to {max(before)!r}"
    if len(before) == count and _advanced(_BEGIN, before)["digest"] != start["digest"]:
        return f"something in the files up to {start['last']!r}"
    if 0 < len(before) < count:
        LOGGER.warning(
            "%d of the %d files read before are gone: late files of that time cannot be detected",
            count - len(before),
            count,
        )
    return ""


def _advanced(start: FilesOffset, files: Mapping[str, str]) -> FilesOffset:
    """Return the offset after further files, given by name in order."""
    offset = start
    for name, path in files.items():
        content = f"{offset['digest']} {os.path.getsize(path)} {name}".encode(errors="surrogateescape")
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        offset = {"files": offset["files"] + 1, "last": name, "digest": digest}
    return offset


class PantarheiSource(DataSource):
    """Spark data source `pantarhei`: streams in N-Quads and TriG files.

    `load` takes a file, a folder or a glob. Its options are set by `option(name, value)`:

    - `format`: `nquads` or `trig`; by default by the suffix of each file.
    - `time`: the place of a graph's time: `auto`, `graph`, or the IRI of a property, as for `read_stream`.
    - `on_error`: `raise`, or `skip` to count invalid input in the worker's log.
    - `timestampType`: `long`, `double` or `timestamp`; by default the type of the first time. A stream over
      an empty folder needs this option.
    - `precision`: `microseconds` cuts finer fractions of a second and counts them in the worker's log;
      `exact` refuses them.
    - `splitSize`: the size of the parts into which a big N-Quads file is divided, 128m by default. Files are
      divided only if they have no blank nodes and `time` is `graph`.
    - `maxFilesPerTrigger`: for a stream, the maximum number of files in a batch; needs Spark 4.2.
    - `on_change`: for a stream whose files changed before a failed batch is repeated: `raise`, or `accept` to
      read the changed files.

    Register the source before use: `register(spark)`.

    >>> register(spark)
    >>> spark.read.format("pantarhei").load("examples/pedals/stream.trig").columns
    ['timestamp', 'subject', 'predicate', 'object']
    """

    @classmethod
    def name(cls) -> str:
        """Return the name of the data source's format."""
        return "pantarhei"

    def schema(self) -> str:
        """Return the schema in Spark's DDL; reads the first ABox unless `timestampType` is given.

        Raises:
            OptionError: an option is invalid, or there is no ABox to infer the type of timestamps from.
            InputError: input before the first ABox is invalid.
        """
        options = FileOptions.of(self.options)
        return columns_ddl(options.kind or infer_kind(options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a batch reader of the existing files."""
        kind, arrow = column_types(schema, self.options)
        return FileReader(FileOptions.of(self.options), kind, arrow)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return a streaming reader of files that are added to a folder."""
        kind, arrow = column_types(schema, self.options)
        return FolderReader(FileOptions.of(self.options), kind, arrow)


def register(spark: SparkSession) -> None:
    """Register the data sources `pantarhei` and `pantarhei-redis` in a session; repeated calls have no
    effect.

    Raises:
        AnalysisException: the session has another data source of that name.

    >>> register(spark)
    >>> df = spark.read.format("pantarhei").load("examples/pedals/stream.trig")
    >>> df.select("timestamp").distinct().count()
    4
    """
    for source in (PantarheiSource, PantarheiRedisSource):
        register_source(spark, source)


def register_source(spark: SparkSession, source: type[DataSource]) -> None:
    """Register a data source in a session, unless the session has it.

    Raises:
        AnalysisException: the session has another data source of that name.
    """
    try:
        spark.dataSource.register(source)
    except AnalysisException as error:
        if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
            raise
        # Spark checks the sources of the thread's active session, which may differ from `spark`, such as
        # the copy that a stream makes for its batches. Creating a DataFrame activates `spark`.
        spark.createDataFrame([], "nothing long")
        spark.dataSource.register(source)

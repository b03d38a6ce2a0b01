"""Data source `pantarhei`: streams of timestamped graphs in files, for `spark.read` and `spark.readStream`.

    spark.dataSource.register(PantarheiSource)
    spark.read.format("pantarhei").load("readings.nq")
    spark.readStream.format("pantarhei").option("timestampType", "timestamp").load("folder/")

Rows are `timestamp`, `subject`, `predicate`, `object`, one for each assertion, terms in the syntax of
N-Triples. Options: `format`, `time` and `on_error` as `pantarhei.read_stream` takes them; `timestampType`
(long, double or timestamp; by default the type of the first ABox); `splitSize`; for streams
`maxFilesPerTrigger`.

A streamed folder is read in the order of its files' names: ABoxes are pushed in time order, so the writer has
to number the files or name them by their time anyway, and unlike modification times names survive copies,
restored backups and moves. A file must be complete when it appears under its name: write it under a name that
begins with `.` or `_`, or in another folder, and rename it.

An offset is `{"files": n, "last": name, "digest": d}`: the number of files read, the name of the last one,
and a digest of all their names and sizes. The files between two offsets are those whose names sort between
the last ones, and the digest detects changes of them.

Files that have been read may be removed. A late file, whose name sorts before the last one read, is refused.
If files were removed while the query was stopped, late files of that time cannot be detected, and a warning
is logged.

A big N-Quads file is divided into parts only if the result is equal: the time is in the graphs' names, there
are no blank nodes, whose names depend on the number of messages before them, and each part begins where the
time changes.
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
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from pantarhei.errors import OptionError, StreamError, TimestampError
from pantarhei.io.graph_messages import BY_NAME, TimeReading, time_in_name
from pantarhei.io.stream_reader import OF_GRAPHS, SUFFIXES, syntax_of
from pantarhei.io.tables.csv_table import LimitedFile
from pantarhei.model.time import TimeKind, TimePoint, kind_of
from pantarhei.rdf.statements import ByteFeed
from pantarhei.spark.frame import TIME_TYPES, column_types, columns_ddl
from pantarhei.spark.sources.redis_source import PantarheiRedisSource
from pantarhei.spark.sources.source_options import LOGGER, FileOptions, WorkerCounts, logged_counts
from pantarhei.spark.sources.text_rows import TimedTriples, read_rows, record_batches

_CHUNK = 1 << 20
_CUT = TimeReading(on_cut=str)  # cut times are counted when the part is read


@dataclass(frozen=True, slots=True)
class FilePart:
    """Bytes of a file from `start` up to `end`; `end` is None for a whole file.

    Attributes:
        line: the number of the first line.
    """

    path: str
    start: int = 0
    end: int | None = None
    line: int = 1


def list_files(path: str, format: str | None) -> list[str]:
    """Return the stream files of `path`, sorted: a file itself, those in a folder, or those that match a
    glob.

    In a folder and under a glob, names that begin with `.` or `_` are unfinished files. In a folder only
    files with a stream's suffix are read, or all if `format` is given; subfolders are not read.

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
    """Divide an N-Quads file into parts of at least `size` bytes, except the last; one part if it cannot be
    divided.

    Reads the file once, without parsing it.
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
    """Return the position of the first change of time in the lines after the byte `at`."""
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
    """Return the time in the graph's name of a line; None without one or if the line is malformed."""
    try:
        (quad,) = ox.parse(line, ox.RdfFormat.N_QUADS)
        return (
            time_in_name(quad.graph_name.value, _CUT) if isinstance(quad.graph_name, ox.NamedNode) else None
        )
    except (SyntaxError, ValueError, TimestampError):
        return None


def _first_lines(file: IO[bytes], starts: list[int]) -> list[int] | None:
    """Return the number of the line at each start; None if there may be a blank node anywhere."""
    lines, line = [1], 1
    for begin, end in zip(starts, [*starts[1:], None], strict=True):
        left = None if end is None else end - begin
        last = b""
        while data := file.read(_CHUNK if left is None else min(_CHUNK, left)):
            if b"_:" in last + data[:1] or b"_:" in data:
                return None
            last = data[-1:]
            line += data.count(b"\n")
            left = None if left is None else left - len(data)
        lines.append(line)
    return lines[:-1]


class FilesOffset(TypedDict):
    """Offset in a folder: the files that have been read."""

    files: int
    last: str
    digest: str


_BEGIN: FilesOffset = {"files": 0, "last": "", "digest": ""}


@dataclass
class FilePartition(InputPartition):
    """Part of a file for one task."""

    part: FilePart


def infer_kind(options: FileOptions) -> TimeKind:
    """Return the kind of the timestamps, from the first ABox of the first file that has one.

    Raises:
        OptionError: there is no ABox; the option `timestampType` is needed.
        InputError: input before the first ABox is invalid.
    """
    for path in options.paths:
        for file in list_files(path, options.format):
            for at, triples in part_messages(FilePart(file), options, None, WorkerCounts()):
                if triples:
                    return kind_of(at)
    raise OptionError(
        "timestampType",
        "nothing",
        f"{', '.join(TIME_TYPES)}, since there is no ABox yet to infer it from",
    )


class FileReader(DataSourceReader):
    """Reader of files, each whole, or big ones in parts if `parts_of` can divide them."""

    def __init__(self, options: FileOptions, kind: TimeKind, schema: pa.Schema) -> None:
        self._options, self._kind, self._schema = options, kind, schema

    def partitions(self) -> Sequence[InputPartition]:
        """Return one partition for each file or part, in the order of the paths and then of the files' names.

        Raises:
            FileNotFoundError: a file does not exist, or a glob matches none. An empty folder has no files.
        """
        return [FilePartition(part) for part in file_parts(self._options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the rows of a partition.

        Raises:
            InputError: something is invalid; the message names file and line.
        """
        if isinstance(partition, FilePartition):  # Spark passes another one if there are none
            yield from read_part(partition.part, self._options, self._kind, self._schema)


def file_parts(options: FileOptions) -> list[FilePart]:
    """Return the files, or parts of big ones, in the order of the paths and then of the files' names.

    Raises:
        FileNotFoundError: a file does not exist, or a glob matches none. An empty folder has no files.
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
    """Return the rows of a part; log what is skipped at its end."""
    with logged_counts(part.path) as counts:
        messages = part_messages(part, options, kind, counts)
        yield from record_batches(messages, kind, schema)


def part_messages(
    part: FilePart, options: FileOptions, kind: TimeKind | None, counts: WorkerCounts
) -> Iterator[TimedTriples]:
    """Read the messages of a part, also those without triples.

    Args:
        kind: the kind of the timestamps; None for that of the first.

    Raises:
        InputError: something is invalid, and is not to be skipped.
    """
    reading = options.reading(syntax_of(part.path, options.format, OF_GRAPHS), counts, kind)
    with open(part.path, "rb") as file:
        if part.start:  # a pipe cannot seek
            file.seek(part.start)
        feed = ByteFeed(file if part.end is None else LimitedFile(file, part.end - part.start))
        reading = reading._replace(line=part.line, is_part=part.end is not None)
        yield from read_rows(feed, part.path, reading)


class FolderReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reader of the files that are added to a folder or match a glob, in the order of their names."""

    def __init__(self, options: FileOptions, kind: TimeKind, schema: pa.Schema) -> None:
        self._options, self._kind, self._schema = options, kind, schema
        (self._path,) = options.paths if len(options.paths) == 1 else ("",)
        if not os.path.isdir(self._path) and not glob.has_magic(self._path):
            raise OptionError(
                "path", ", ".join(options.paths),
                "one folder that exists, or one glob: a stream is read from files that are added; "
                "read a single file with spark.read",
            )  # fmt: skip
        self._seen: set[str] | None = None
        self._available: dict[str, str] | None = None
        self._planned: dict[tuple[str, str], list[str]] = {}

    def initialOffset(self) -> dict[str, object]:
        """Return the offset before the first file."""
        return dict(_BEGIN)

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the limit of `maxFilesPerTrigger` files."""
        return ReadMaxFiles(self._options.max_files) if self._options.max_files else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Restrict reading to the present files."""
        self._available = self._files()

    def latestOffset(self, start: dict[str, object], limit: ReadLimit) -> dict[str, object]:
        """Return the offset after the next files.

        Raises:
            StreamError: a file is late in the order of names.
        """
        begin = cast(FilesOffset, start)
        files = self._files()
        self._refuse_late(files, begin)
        usable = files if self._available is None else self._available
        new = sorted(name for name in usable if name > begin["last"])
        if isinstance(limit, ReadMaxFiles):
            new = new[: limit.max_files]
        end = _advanced(begin, {name: usable[name] for name in new})
        self._planned = {(begin["digest"], end["digest"]): new}
        return dict(end)

    def partitions(self, start: dict[str, object], end: dict[str, object]) -> Sequence[InputPartition]:
        """Return the files between two offsets, one partition for each or for each part of a big one.

        Raises:
            StreamError: the files have changed since the offsets were made.
        """
        files = self._between(cast(FilesOffset, start), cast(FilesOffset, end))
        return [FilePartition(part) for file in files for part in _parts(file, self._options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the rows of a partition; errors as in a batch."""
        assert isinstance(partition, FilePartition)
        return read_part(partition.part, self._options, self._kind, self._schema)

    def _files(self) -> dict[str, str]:
        """Return the paths of the present files by the names that order them."""
        relative = partial(os.path.relpath, start=self._path) if os.path.isdir(self._path) else str
        return {relative(file): file for file in list_files(self._path, self._options.format)}

    def _between(self, start: FilesOffset, end: FilesOffset) -> list[str]:
        files = self._files()
        names = self._planned.get((start["digest"], end["digest"]))
        if names is None or not files.keys() >= set(names):
            names = sorted(name for name in files if start["last"] < name <= end["last"])
        between = {name: files[name] for name in names}
        if _advanced(start, between) != end and not self._options.accept_changes:
            raise StreamError(
                f"{self._path}: {end['files'] - start['files']} files after {start['last']!r} up to "
                f"{end['last']!r} were to be read, and what is there now is {len(between)} files, or files "
                "of other sizes; put back what has been there, or take them as they are now with the option "
                'on_change="accept" (nothing of a batch that failed has been taken in)'
            )
        return list(between.values())

    def _refuse_late(self, files: Mapping[str, str], start: FilesOffset) -> None:
        """Refuse unread files whose names sort before the last file read."""
        before = {name: files[name] for name in sorted(files) if name <= start["last"]}
        if self._seen is None:
            late = _change(before, start)
        else:
            late = ", ".join(name for name in before if name not in self._seen)
        if late:
            message = (
                f"{self._path}: {late} came after {start['last']!r} had been read, but sorts before it; "
                "files are read in the order of their names, so name new files so that they sort last"
            )
            if not self._options.skip_errors:
                raise StreamError(message)
            LOGGER.warning("skipped: %s", message)
        self._seen = set(files)


def _change(before: Mapping[str, str], start: FilesOffset) -> str:
    """Describe files that were added among those read before a query was stopped; "" without any."""
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
    """Return the offset after these files, given by name in order."""
    offset = start
    for name, path in files.items():
        content = f"{offset['digest']} {os.path.getsize(path)} {name}".encode(errors="surrogateescape")
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        offset = {"files": offset["files"] + 1, "last": name, "digest": digest}
    return offset


class PantarheiSource(DataSource):
    """Data source `pantarhei`: N-Quads and TriG files."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "pantarhei"

    def schema(self) -> str:
        """Return the columns; reads the first ABox unless `timestampType` is given.

        Raises:
            OptionError: an option is invalid, or there is no ABox to infer the type of timestamps from.
            InputError: input before the first ABox is invalid.
        """
        options = FileOptions.of(self.options)
        return columns_ddl(options.kind or infer_kind(options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of the present files."""
        kind, arrow = column_types(schema, self.options)
        return FileReader(FileOptions.of(self.options), kind, arrow)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return a reader of files that are added to a folder."""
        kind, arrow = column_types(schema, self.options)
        return FolderReader(FileOptions.of(self.options), kind, arrow)


def register(spark: SparkSession) -> None:
    """Register the formats `pantarhei` and `pantarhei-redis` in `spark`; repeated calls are harmless.

    Raises:
        AnalysisException: Spark has another source of that name.
    """
    for source in (PantarheiSource, PantarheiRedisSource):
        try:
            spark.dataSource.register(source)
        except AnalysisException as error:
            if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
                raise
            # Spark checks the sources of the thread's active session, which may be another one, such as
            # the copy of a stream's batches. Creating a DataFrame activates this one.
            spark.createDataFrame([], "nothing long")
            spark.dataSource.register(source)

"""Materialization of whole files on Spark: executors read parts of the files and materialize their ABoxes.

The counters of each part of a file are returned to the driver by an accumulator, under the part's number, so
that a task that runs twice is counted once. Invalid input does not fail the task, which Spark would retry in
vain: the error is returned with the counters.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, TypeAlias, cast

import pyarrow as pa
from pyspark import Accumulator

from pantarhei.errors import OptionError, PantarheiError
from pantarhei.errors.base import parameter_writer, parameters_written
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import Interpretation
from pantarhei.io.abox import TimestampedABox, same_kind
from pantarhei.io.mapping.record_mapping import ROW, RecordMapping
from pantarhei.io.reader import FilePart, Skipped, format_of
from pantarhei.io.tables.csv_table import parts_of
from pantarhei.io.tables.record_reader import RecordReader
from pantarhei.io.tables.table_sources import TableSources, delimiter_of, sources_of
from pantarhei.model.time import TimeKind, TimePoint, kind_of, ticks_of
from pantarhei.rdf.ntriples import write_term
from pantarhei.rdf.triple_table import NAMES, ColumnarTriples, TripleColumns
from pantarhei.spark.frame import arrow_schema, columns_ddl, normalized
from pantarhei.spark.materialize import DataFrameMaterializer, by_timestamp
from pantarhei.spark.sessions import temporary_session
from pantarhei.spark.sources.file_source import file_parts, infer_kind, list_files, part_messages
from pantarhei.spark.sources.source_options import FileOptions, WorkerCounts
from pantarhei.spark.sources.text_rows import TextTriples, TimedTriples, record_batches
from pantarhei.spark.worker import FirstByKey, read_blocks

SMALLEST_PART = 8 << 20


class MaterializedFiles(NamedTuple):
    """Canonical models of the ABoxes that assert facts, by tick, and the counters of all files."""

    interpretations: dict[int, Interpretation]
    account: FileCounts


def materialize_files(
    files: StreamFiles | TableFiles, kind: TimeKind, foundation: Foundation, master: str
) -> MaterializedFiles:
    """Read files on Spark and materialize their ABoxes; a session that is started for this is stopped at the
    end.

    Args:
        files: RDF files of a stream, or tables.
        kind: the kind of the timestamps.
        master: the address of the Spark master, as for `session`.

    Raises:
        SparkError: Spark cannot be started, or fails.
        OptionError: a file's format is unknown.
        FileNotFoundError: a file does not exist.
    """
    with temporary_session(master) as spark:
        cores = spark.sparkContext.defaultParallelism
        parts = files.parts(max(SMALLEST_PART, -(-files.size // cores)))
        counts: Accumulator[_Counts] = spark.sparkContext.accumulator({}, FirstByKey())
        numbers = spark.range(0, len(parts), 1, max(1, len(parts)))
        rows = numbers.mapInArrow(_PartReader(tuple(parts), files, kind, counts), columns_ddl(kind))
        given = normalized(rows)
        materializer = DataFrameMaterializer.to_blocks(given, foundation, skips=False)
        blocks = materializer.apply(by_timestamp(given, None, None)).toArrow()
        of_parts = (counts.value[number] for number in sorted(counts.value))
        closed = {timed.ticks: timed.interpretation for timed in read_blocks(blocks, kind)}
        return MaterializedFiles(closed, FileCounts.sum(of_parts))


@dataclass(slots=True)
class TimeCount:
    """Timestamp in the form in which it was first read, and the number of its assertions."""

    at: TimePoint
    assertions: int = 0


class FileCounts(WorkerCounts):
    """Counters of one part of a file, or of several parts in order.

    Attributes:
        times: the timestamps by tick, including those of graphs without assertions.
        error: the error that ended the reading; None if there was no error.
    """

    size: ClassVar[None] = None  # unknown, as is the number of bytes read, since Spark reads the files
    bytes_read: ClassVar[None] = None

    def __init__(self, error: PantarheiError | OSError | None = None) -> None:
        super().__init__()
        self.times: dict[int, TimeCount] = {}
        self.error = error

    def note(self, at: TimePoint, ticks: int, assertions: int) -> None:
        """Add assertions to the count of a timestamp."""
        self.times.setdefault(ticks, TimeCount(at)).assertions += assertions

    @classmethod
    def sum(cls, parts: Iterable[FileCounts]) -> FileCounts:
        """Return the sum of the counters of parts, given in order, with the first error."""
        whole = cls()
        for part in parts:
            for ticks, given in part.times.items():
                whole.note(given.at, ticks, given.assertions)
            whole.skipped += part.skipped
            whole.skipped_count += part.skipped_count
            whole.times_cut += part.times_cut
            whole.error = whole.error or part.error
        return whole


_Counts = dict[int, FileCounts]


Part: TypeAlias = FilePart | str
Parts: TypeAlias = tuple[Part, ...]
"""Files and parts of files that one Spark task reads, one after the other."""


def _path(part: Part) -> str:
    return part if isinstance(part, str) else part.path


def _name_of(parts: Parts) -> str:
    return ", ".join(dict.fromkeys(map(_path, parts)))


@dataclass(frozen=True, slots=True)
class _PartReader:
    """Function for `mapInArrow` that reads the parts of files whose numbers are in the input rows."""

    parts: tuple[Parts, ...]
    files: StreamFiles | TableFiles
    kind: TimeKind
    counts: Accumulator[_Counts]
    directory: str = field(default_factory=os.getcwd)
    write: Callable[[str, str | None], str] = field(default_factory=parameter_writer)  # options in errors

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        paths = sorted({_path(part) for parts in self.parts for part in parts})
        if not all(map(os.path.isabs, paths)):
            os.chdir(self.directory)  # the driver's directory, so that errors show paths as they were given
        with parameters_written(self.write):
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    parts, counts = self.parts[number], FileCounts()
                    try:
                        rows = self._counted(self.files.read(parts, paths, self.kind, counts), parts, counts)
                        yield from record_batches(rows, self.kind, arrow_schema(self.kind))
                    except (PantarheiError, OSError) as error:
                        counts.error = error
                    if len(parts) == 1 and len(paths) > 1:
                        counts.skipped = [_in_file(_path(parts[0]), skipped) for skipped in counts.skipped]
                    self.counts.add({number: counts})

    def _counted(
        self, rows: Generator[TimedTriples, None, None], parts: Parts, counts: FileCounts
    ) -> Iterator[TimedTriples]:
        with closing(rows):  # completes the counters also after an error
            for at, triples in rows:
                same_kind(at, self.kind, f"{_name_of(parts)}: ")
                counts.note(at, ticks_of(at, self.kind), len(triples))
                yield at, triples


def _in_file(path: str, skipped: Skipped) -> Skipped:
    """Add the name of the file to the error of a skipped item."""
    place = path if skipped.line is None else f"{path}, line {skipped.line}"
    return Skipped(None, f"{place}: {skipped.reason}", skipped.text)


@dataclass(frozen=True, slots=True)
class StreamFiles:
    """RDF stream in files in N-Quads and TriG."""

    options: FileOptions

    @property
    def size(self) -> int:
        """Total size of the files in bytes."""
        files = (file for path in self.options.paths for file in list_files(path, self.options.format))
        return sum(map(os.path.getsize, files))

    def kind(self) -> TimeKind:
        """Infer the kind of the timestamps. Raises the errors of `infer_kind`."""
        return infer_kind(self.options)

    def parts(self, size: int) -> list[Parts]:
        """Return the files; N-Quads files are divided into parts of at least `size` bytes if possible."""
        return [(part,) for part in file_parts(replace(self.options, split_size=size))]

    def read(
        self, parts: Parts, paths: Sequence[str], kind: TimeKind, counts: FileCounts
    ) -> Generator[TimedTriples, None, None]:
        """Yield the messages of some parts in order, including messages without triples.

        Args:
            paths: the paths of all files.
            kind: the kind of the timestamps.
            counts: counters to be updated.
        """
        for part in parts:
            yield from part_messages(cast(FilePart, part), self.options, None, counts)


@dataclass(frozen=True, slots=True)
class TableFiles:
    """Tables in files.

    Args:
        path: a file, a folder or a glob.
        format: the format of all tables; None to use the suffix of each file.
        mapping: the mapping of rows to triples.
        skip_errors: whether invalid rows are skipped and counted; otherwise they are errors.
    """

    path: str
    format: str | None
    mapping: RecordMapping
    skip_errors: bool

    @property
    def size(self) -> int:
        """Total size of the files in bytes."""
        return sum(map(os.path.getsize, self._paths))

    def kind(self) -> TimeKind:
        """Return the kind of the timestamps, that of the first ABox.

        Raises:
            OptionError: there is no ABox.
            InputError: the input before the first ABox is invalid.
        """
        files = self._paths
        for paths in [files] if self._numbers_rows else [(path,) for path in files]:
            for abox in self.reader(paths, files):
                return kind_of(abox.at)
        expected = "files with at least one row, from which the type of the times is inferred"
        raise OptionError("source", repr(self.path), expected)

    def parts(self, size: int) -> list[Parts]:
        """Return the files; CSV files are divided into parts of at least `size` bytes if possible.

        If the mapping uses row numbers, all files must be read in order, as one task.

        Raises:
            OptionError: the format is unknown.
            MissingFileError: a file does not exist.
        """
        if self._numbers_rows:
            return [self._paths]
        return [(part,) for path in self._paths for part in self._divided(path, size)]

    def read(
        self, parts: Parts, paths: Sequence[str], kind: TimeKind, counts: FileCounts
    ) -> Generator[TimedTriples, None, None]:
        """Yield the ABoxes of some parts in order; `paths` are the paths of all files."""
        reader = self.reader(parts, paths, kind)
        try:
            for abox in reader:
                yield abox.at, _columns_of(abox)
        finally:
            counts.skipped, counts.skipped_count = reader.skipped[: counts.SKIPS_KEPT], reader.skipped_count
            counts.times_cut = reader.times_cut

    def reader(self, parts: Parts, paths: Sequence[str] = (), kind: TimeKind | None = None) -> RecordReader:
        """Return a reader of some of the files or parts, in order.

        Args:
            paths: the paths of all files.
            kind: the required kind of the timestamps; None for the kind of the first one.
        """
        sources = TableSources(_name_of(parts), parts, self.format, paths if len(paths) > 1 else ())
        return RecordReader(sources, self.mapping, self.skip_errors, kind)

    @property
    def _paths(self) -> tuple[str, ...]:
        return sources_of(self.path, self.format).paths

    def _divided(self, path: str, size: int) -> Sequence[Part]:
        if (self.format or format_of(path) or "csv") not in ("csv", "tsv"):
            return [path]
        found: Sequence[Part] = parts_of(path, size, delimiter_of(path, self.format, self.mapping.delimiter))
        return found or [path]

    @property
    def _numbers_rows(self) -> bool:
        patterns = (pattern for group in self.mapping.groups for pattern in group)
        named = {name for pattern in patterns for name, _ in pattern.columns}
        return ROW in named.union(self.mapping.time.template.columns)


def _columns_of(abox: TimestampedABox) -> TextTriples:
    held = TextTriples()
    triples = abox.triples
    for part in triples.parts if isinstance(triples, ColumnarTriples) else (tuple(triples),):
        if isinstance(part, TripleColumns):
            texts = (pa.array(column.distinct, pa.string()).take(pa.array(column.codes)) for column in part)
            held.append_part(pa.record_batch(list(texts), names=list(NAMES)))
        else:
            for subject, predicate, object_ in part:
                held.append((write_term(subject), write_term(predicate), write_term(object_)))
    return held

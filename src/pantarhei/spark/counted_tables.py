"""Tables read on the executors by a mapping, with an account of each file, as `CountedFiles` keeps it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa
from pyspark import Accumulator
from pyspark.sql import DataFrame, SparkSession

from pantarhei.errors import OptionError, PantarheiError
from pantarhei.io.abox import TimestampedABox, same_kind
from pantarhei.io.mapping.mapping import ROW, RecordMapping
from pantarhei.io.tables.csv_parts import CSVPart, parts_of
from pantarhei.io.tables.formats import format_of
from pantarhei.io.tables.opening import Sources, delimiter_of, sources_of
from pantarhei.io.tables.reader import RecordReader
from pantarhei.model.time import TimeKind, kind_of, ticks_of
from pantarhei.rdf.ntriples import write_term
from pantarhei.rdf.triple_table import NAMES, ColumnarTriples, TripleColumns
from pantarhei.spark.counted_files import SKIPS_KEPT, SMALLEST_PART, ByPart, FilesAccount, in_file
from pantarhei.spark.sources.arrow_rows import record_batches
from pantarhei.spark.sources.text_rows import Rows
from pantarhei.spark.sources.triple_columns import GrowingColumns
from pantarhei.spark.stream_columns import arrow_columns, columns

Items: TypeAlias = tuple[str | CSVPart, ...]
"""Files and parts of files that are read one after the other."""


def _path(item: str | CSVPart) -> str:
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
        name = ", ".join(dict.fromkeys(map(_path, items)))
        sources = Sources(name, items, self.format, beside if len(beside) > 1 else ())
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
        return {_path(item) for items in self.parts for item in items}

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
        account.skipped = [in_file(_path(items[0]), each) for each in skipped] if named else skipped

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

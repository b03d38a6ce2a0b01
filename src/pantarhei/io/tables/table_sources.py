"""Sources of tables: files, folders, globs, pipes, and Arrow objects."""

from __future__ import annotations

import glob
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

import pyarrow as pa

from pantarhei.errors import InputError, MissingFileError, OptionError, UnknownFormatError
from pantarhei.io.reader import (
    FORMATS,
    SUFFIXES,
    FilePart,
    format_of,
    is_path,
    opened,
    refuse_text,
    source_name,
)
from pantarhei.io.tables.arrow_table import RecordTable, arrow_table, parquet_table, speaks_arrow
from pantarhei.io.tables.csv_table import CSVPartTable, CSVTable
from pantarhei.io.tables.json_table import JSONDocument, JSONTable
from pantarhei.rdf.decompression import DecompressedFile, Readable, refuse_null
from pantarhei.rdf.statements import ByteFeed

Source: TypeAlias = "str | os.PathLike[str] | Readable | Sequence[str | os.PathLike[str]] | Any"

_UNKNOWN: Collection[str] = ("",)  # marks that the columns have not been read yet


class TableSources:
    """Sequence of tables; build with `sources_of`.

    Args:
        name: the name of the whole source in errors.
        items: paths, parts of CSV files, "-" for standard input, binary files, or Arrow objects.
        format: the format of all files; None to use the suffix of each file.
        all_paths: the paths of all tables of the source, if `items` is only a share of them.
    """

    def __init__(
        self, name: str, items: Sequence[Any], format: str | None, all_paths: Sequence[str] = ()
    ) -> None:
        self.name, self._items, self._format = name, items, format
        self._all_paths = all_paths or (items if len(items) > 1 else ())
        self._elsewhere: Collection[str] | None = _UNKNOWN
        self._read_before = 0  # bytes read from files that are now closed
        self._feed: ByteFeed | None = None
        self._begun = False  # whether iteration over an Arrow object has begun

    @property
    def count(self) -> int:
        """Number of tables."""
        return len(self._items)

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the tables, or their names in errors if they are not files."""
        return tuple(map(_name_of, self._items))

    @property
    def first(self) -> str:
        """Path of the first table, or its name in errors if it is not a file."""
        return _name_of(self._items[0])

    @property
    def bytes_read(self) -> int:
        """Number of bytes read, before decompression; a Parquet file counts as a whole when it is opened."""
        return self._read_before + (self._feed.bytes_read if self._feed else 0)

    @property
    def size(self) -> int | None:
        """Total size of the files in bytes; None if an item is not a regular file."""
        sizes = [Path(each).stat().st_size for each in self._items if is_path(each) and _is_file(each)]
        return sum(sizes) if len(sizes) == len(self._items) else None

    def begin(self) -> Sequence[Any]:
        """Reset the counters; return the tables to open."""
        self._read_before, self._feed = 0, None
        return self._items

    @contextmanager
    def opened(self, item: Any, delimiter: str | None, is_lenient: bool = False) -> Iterator[RecordTable]:
        """Open a table.

        Args:
            delimiter: the delimiter of a CSV table; None to detect it.
            is_lenient: whether malformed lines before a CSV header are skipped, and empty tables are valid.

        Raises:
            InputError: the file is missing or malformed.
        """
        with ExitStack() as stack:
            try:
                table = self._table(item, delimiter, stack, is_lenient)
                table.open()
                yield table
            finally:
                self._read_before, self._feed = self.bytes_read, None

    def columns_elsewhere(self, delimiter: str | None) -> Collection[str] | None:
        """Return the columns of all tables of the source.

        None if they are unknown before the rows are read, because a table is JSON or can be read only once.
        """
        if self._elsewhere is _UNKNOWN:
            self._elsewhere = TableSources(self.name, self._all_paths, self._format)._columns(delimiter)
        return self._elsewhere

    def _columns(self, delimiter: str | None) -> Collection[str] | None:
        found: set[str] = set()
        for item in self._items:
            if not _is_file(item):
                return None  # standard input and pipes are read once
            with suppress(InputError), self.opened(item, delimiter, is_lenient=True) as table:
                if isinstance(table, JSONTable):
                    return None
                found.update(table.names)
        return found

    def _table(self, item: Any, delimiter: str | None, stack: ExitStack, is_lenient: bool) -> RecordTable:
        name = _name_of(item)
        if isinstance(item, FilePart):
            part = cast(IO[bytes], stack.enter_context(opened(item.path)))
            return CSVPartTable(part, item, delimiter_of(item.path, self._format, delimiter))
        if speaks_arrow(item):
            if isinstance(item, pa.RecordBatchReader) and self._begun:
                expected = "a reader that has not been read before; reader.read_all() makes a table"
                raise OptionError("source", name, expected)
            self._begun = True
            return arrow_table(name, item)
        format = self._format or format_of(name) or "csv"
        file = stack.enter_context(opened(item))
        if format == "parquet":
            if not (is_path(item) and item != "-"):
                return parquet_table(name, pa.BufferReader(file.read()))
            self._read_before += Path(item).stat().st_size
            return parquet_table(name, file)
        self._feed = ByteFeed(file)
        unpacked = ByteFeed(DecompressedFile(self._feed, name))
        if format in ("jsonl", "json"):
            return (JSONTable if format == "jsonl" else JSONDocument)(name, unpacked, is_lenient)
        return CSVTable(name, unpacked, delimiter_of(name, self._format, delimiter), is_lenient)


def delimiter_of(name: str, format: str | None, delimiter: str | None) -> str | None:
    """Return the delimiter of a CSV file: `delimiter`, a tab for TSV, or None to detect it in the first
    line.
    """
    return delimiter or ("\t" if (format or format_of(name)) == "tsv" else None)


def sources_of(source: Source, format: str | None) -> TableSources:
    """Resolve a source, as given to `read_records`, to a sequence of tables.

    Raises:
        OptionError: the source or the format is invalid; `UnknownFormatError` for an unknown suffix.
        MissingFileError: a file does not exist.
    """
    if format is not None and format not in FORMATS:
        raise OptionError("format", repr(format), f"one of {', '.join(FORMATS)}")
    if speaks_arrow(source) or hasattr(source, "read"):
        return TableSources(_name_of(source), [source], format)
    if isinstance(source, str | os.PathLike):
        items = _files(source, format)
        name = _name_of(source)
    elif isinstance(source, Sequence) and source and all(map(is_path, source)):
        items = [item for each in source for item in _files(each, format)]
        name = ", ".join(map(os.fspath, source))
    else:
        expected = (
            'a path, a folder, a glob, several of these, "-", a binary file, or a table or frame of Arrow '
            f"(__arrow_c_stream__){_advice(source)}"
        )
        raise OptionError("source", " ".join(repr(source).split())[:200], expected)
    return TableSources(name, items, format)


def _files(given: str | os.PathLike[str], format: str | None) -> list[str]:
    """Return the file of a path, or the files of a folder or glob, sorted by name."""
    name = os.fspath(given)
    if name == "-":
        return [name]
    path = Path(name)
    refuse_null(name)
    refuse_text(name)
    if path.is_dir():
        found = sorted(str(each) for each in path.iterdir() if each.is_file() and format_of(each.name))
        if not found:
            raise MissingFileError(name, f"no file in it ends in {', '.join(SUFFIXES)}")
        return found
    if not path.exists() and glob.has_magic(name):
        found = sorted(glob.glob(name, recursive=True))
        if not found:
            raise MissingFileError(name, "no file matches")
        return found
    if (
        path.is_file() or not path.exists()
    ):  # a pipe must not be opened twice: its writer ends with its reader
        with opened(name):
            pass
    if format is None and format_of(name) is None:
        raise UnknownFormatError("format", name, tuple(SUFFIXES), FORMATS)
    return [name]


def _advice(given: object) -> str:
    """Return a hint on how to convert an unsupported object to a table."""
    if isinstance(given, Mapping):
        return "; for a dictionary of columns: pyarrow.table(…)"
    if isinstance(given, Sequence) and given and isinstance(given[0], Mapping):
        return "; for a list of dictionaries: pyarrow.Table.from_pylist(…)"
    if hasattr(type(given), "to_frame"):
        return "; for a series: series.to_frame()"
    if hasattr(type(given), "toArrow"):
        return "; for a Spark frame: frame.toArrow()"
    if hasattr(type(given), "collect_schema"):
        return "; for a lazy frame: frame.collect()"
    return "; for a numpy array: a pandas.DataFrame with names" if hasattr(type(given), "dtype") else ""


def _is_file(item: str | os.PathLike[str] | FilePart) -> bool:
    return Path(item.path if isinstance(item, FilePart) else item).is_file()


def _name_of(item: Any) -> str:
    if isinstance(item, FilePart):
        return item.path
    return f"<{type(item).__name__}>" if speaks_arrow(item) else source_name(item, "<table>")

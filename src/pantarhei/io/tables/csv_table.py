"""CSV tables, read in blocks of lines as they arrive and split by Arrow, without a Python object per row.

All cells are texts, which the mapping interprets. A block with errors is scanned again row by row, to find
the lines of the errors.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
from pyarrow import csv as pacsv

from pantarhei.errors import InputError, MalformedInputError
from pantarhei.io.reader import NOT_UTF_8, FilePart, format_error
from pantarhei.io.tables.arrow_table import Block, SkippedLine
from pantarhei.model.message_text import counted
from pantarhei.rdf.decompression import BYTE_ORDER_MARK
from pantarhei.rdf.statements import LONGEST_LINE, ByteFeed

BLOCK = 1 << 20
DELIMITERS = ",;\t|"
_NEWLINE, _QUOTE = b'\n"'
_SHOWN = 200


class CSVTable:
    """CSV table, whose first line has the names of the columns.

    Args:
        source: the table's name in errors.
        feed: the bytes of the table.
        delimiter: the delimiter of cells; None for the candidate that yields the most cells in the first
            line.
        is_lenient: whether malformed lines before the header are skipped, and an empty table is valid.
    """

    counted = "line"

    def __init__(self, source: str, feed: ByteFeed, delimiter: str | None, is_lenient: bool = False) -> None:
        self.source, self.names = source, list[str]()
        self._feed, self._given, self._is_lenient = feed, delimiter, is_lenient
        self._before: list[SkippedLine] = []  # malformed lines before the header
        self.delimiter = delimiter or DELIMITERS[0]
        self._line = 1  # the line number of the next record
        self.header_size = 0  # in bytes, without a byte order mark; set by `open`
        self._rest = b""  # bytes that were read, but are not yet part of a block

    def type_of(self, column: str) -> pa.DataType:
        return pa.string()

    def open(self) -> None:
        self._rest = self._feed.read_first(self.source, BLOCK)
        header, begin = self._header(), self._line
        if not header:
            if self._is_lenient:
                return
            reason = "it is empty; expected a line with the names of its columns, and one for each row"
            raise MalformedInputError(self.source, None, reason)
        row = header.strip(b"\r\n")
        self.delimiter = max(self._given or DELIMITERS, key=lambda each: len(_cells(row, each)))
        self.names = [cell.decode() for cell in _cells(row, self.delimiter)]
        self._line = begin + _line_ends(header)

    def _header(self) -> bytes:
        """Return the first record that is not blank, with the blank lines before it; empty if there is none.

        Raises:
            MalformedInputError: the record is malformed, and the table is not lenient.
        """
        while True:
            end = _header_end(self._rest, self.delimiter)
            if end is None and len(self._rest) <= LONGEST_LINE and (more := self._feed.read(BLOCK)):
                self._rest += more
                continue
            if end is None:
                end, broken = _unfinished(self._rest, self.delimiter)
            else:
                broken = None
            record, self._rest = self._rest[:end], self._rest[end:]
            self.header_size += len(record)
            if not record.strip():
                return b""
            reason = broken or format_error(record.lstrip(b"\r\n"))
            if reason is None and _is_utf_8(record):
                return record
            row = record.lstrip(b"\r\n")
            line, reason = self._line + _line_ends(record[: -len(row)]), reason or NOT_UTF_8
            if not (self._is_lenient and (broken or not _is_utf_8(record))):
                raise MalformedInputError(self.source, line, reason)
            self._before.append(SkippedLine(0, line, reason, _shown(row)))
            self._line += _line_ends(record)

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        if self._before:
            yield _nothing(columns, self._before)
        for text, broken in self._records() if self.names else ():
            line, self._line = self._line, self._line + _line_ends(text)
            if broken is not None:
                yield _nothing(columns, [SkippedLine(0, line, broken, _shown(text))])
            else:
                yield self._block(text, line, columns)

    # records

    def runs(self, size: int) -> Iterator[tuple[int, int, int]]:
        """Divide the records into runs of at least `size` bytes, except the last.

        Yields for each run its begin and its end (excluded), in bytes after the header, and its first line
        number.
        """
        start, end, first = 0, 0, self._line
        for text, _ in self._records():
            end, self._line = end + len(text), self._line + _line_ends(text)
            if end - start >= size:
                yield start, end, first
                start, first = end, self._line
        if end > start:
            yield start, end, first

    def _records(self) -> Iterator[tuple[bytes, str | None]]:
        """Yield blocks of complete records, as they arrive, with None; and each broken line, with its
        error.
        """
        data = self._rest
        while True:
            end = _records_end(data, self.delimiter)
            if end:
                yield data[:end], None
                data = data[end:]
            if len(data) <= LONGEST_LINE and (more := self._feed.read(BLOCK)):
                data += more
                continue
            if not data:
                return
            end, broken = _unfinished(data, self.delimiter)
            yield data[:end], broken
            data = data[end:]

    # cells

    def _block(self, text: bytes, line: int, columns: Sequence[str]) -> Block:
        if not text.strip(b"\r\n"):
            return _nothing(columns, [])
        if not _is_utf_8(text):
            return self._without_other_encodings(text, line, columns)
        ragged: list[object] = []

        def is_ragged(row: object) -> str:
            ragged.append(row)
            return "skip"

        try:
            table = self._parse(text, columns, is_ragged)
        except pa.ArrowInvalid as error:
            return _nothing(columns, [SkippedLine(0, line, f"it is not CSV: {error}", _shown(text))])
        arrays = {name: _one_chunk(table.column(name)) for name in columns}
        width = len(self.names)
        left_out = self._ragged(text, line) if ragged else []
        return Block(
            arrays,
            table.num_rows,
            lambda: [at for at, cells, _ in self._rows(text, line) if cells == width],
            left_out,
        )

    def _parse(self, text: bytes, columns: Sequence[str], is_ragged: Callable[[object], str]) -> pa.Table:
        # Only the requested columns must have unique names; the names of the others are made unique here.
        names = [name if name in columns else f"{place} {name}" for place, name in enumerate(self.names)]
        included = list(columns) or names[:1]
        return pacsv.read_csv(
            pa.BufferReader(text),
            pacsv.ReadOptions(use_threads=False, block_size=max(len(text) + 1, 64), column_names=names),
            pacsv.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=is_ragged
            ),
            pacsv.ConvertOptions(
                column_types=dict.fromkeys(included, pa.string()),
                include_columns=included,
                strings_can_be_null=False,
                null_values=[],
                check_utf8=False,
            ),
        )

    def _without_other_encodings(self, text: bytes, line: int, columns: Sequence[str]) -> Block:
        """Read a block after removing the records that are not UTF-8."""
        kept: list[bytes] = []
        lines: list[int] = []  # for each line of the kept records, its number in the file
        left_out: list[SkippedLine] = []
        for at, _, row in self._rows(text, line):
            if _is_utf_8(row):
                kept.append(row)
                lines += range(at, at + 1 + len(_LINE_ENDS.findall(row)))
            else:
                left_out.append(SkippedLine(0, at, NOT_UTF_8, _shown(row)))
        block = self._block(b"\n".join(kept), 0, columns)
        places = [lines[place] for place in block.places()]
        left_out += [each._replace(line=lines[each.line]) for each in block.left_out]
        left_out = [
            each._replace(rows_before=bisect_left(places, each.line))
            for each in sorted(left_out, key=lambda each: each.line)
        ]
        return block._replace(places=lambda: places, left_out=left_out)

    def _ragged(self, text: bytes, line: int) -> list[SkippedLine]:
        """Return the records with too few or too many cells."""
        width, rows = len(self.names), 0
        found = []
        for at, cells, row in self._rows(text, line):
            if cells == width:
                rows += 1
                continue
            others = [each for each in DELIMITERS if each != self.delimiter and each.encode() in row]
            hint = ""
            if cells == 1 and others:
                hint = f"; the delimiter of this line may be {others[0]!r}"
            elif cells == width + 1 and row.endswith(self.delimiter.encode()):
                hint = f"; it ends in {self.delimiter!r}: remove that, or add it to the header"
            elif cells > width:
                hint = f"; put a cell that contains {self.delimiter!r} into quotation marks"
            reason = f"{counted(cells, 'cell')}, but the header has {width}{hint}"
            found.append(SkippedLine(rows, at, reason, _shown(row)))
        return found

    def _rows(self, text: bytes, line: int) -> Iterator[tuple[int, int, bytes]]:
        """Yield the first line number, the number of cells and the text of each row that is not empty."""
        record, place = _record(self.delimiter, rb"(?:\r\n?|\n|\Z)"), 0
        while place < len(text) and (found := record.match(text, place)) is not None:
            if row := found[0].rstrip(b"\r\n"):
                yield line, len(_cells(row, self.delimiter)), row
            line, place = line + max(1, len(_LINE_ENDS.findall(found[0]))), found.end()


_TOO_LONG = f"the line is longer than {LONGEST_LINE:,} bytes"
_NOT_CLOSED = "unclosed quotation mark; inside a cell, write it twice"


def _unfinished(text: bytes, delimiter: str) -> tuple[int, str | None]:
    """Return the end of an incomplete text: its last record and None, or its first broken line and the
    error.
    """
    if len(text) <= LONGEST_LINE and _records_end(text + b"\n", delimiter) > len(text):
        return len(text), None
    end = text.find(b"\n") + 1 or len(text)
    return end, _TOO_LONG if end > LONGEST_LINE else _NOT_CLOSED


def _nothing(columns: Sequence[str], left_out: list[SkippedLine]) -> Block:
    return Block({name: pa.array([], pa.string()) for name in columns}, 0, list, left_out)


def _shown(text: bytes) -> str:
    return text[:_SHOWN].decode(errors="replace").rstrip("\r\n")


def _is_utf_8(text: bytes) -> bool:
    try:
        return text.isascii() or bool(text.decode())
    except UnicodeDecodeError:
        return False


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def _line_ends(text: bytes) -> int:
    if b"\r" in text:
        return len(_LINE_ENDS.findall(text))
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == _NEWLINE))


def _cells(row: bytes, delimiter: str) -> list[bytes]:
    """Return the cells of a row, unquoted."""
    cell = re.compile(_cell(delimiter, b'"(?P<quoted>(?:[^"]|"")*+)"(?P<rest>[^%b\\r\\n]*+)'))
    cells, place = [], 0
    while (found := cell.match(row, place)) is not None:
        quoted = found["quoted"]
        cells.append(found[0] if quoted is None else quoted.replace(b'""', b'"') + found["rest"])
        place = found.end() + 1
        if place > len(row):
            break
    return cells


def _header_end(text: bytes, delimiter: str) -> int | None:
    """Return the end of the first record that is not empty; None if the record is incomplete."""
    record, place = _record(delimiter), 0
    while (found := record.match(text, place)) is not None:
        place = found.end()
        if found[0].strip():
            return None if text.endswith(b"\r") and place == len(text) else place
    return None


def _records_end(text: bytes, delimiter: str) -> int:
    """Return the end of the last complete record.

    Usually the positions of quotation marks and line ends suffice, which numpy compares. The text is scanned
    cell by cell only if a quoted cell contains a line end, or an unquoted cell a quotation mark.
    """
    last = text.rfind(b"\n") + 1
    if not last or b'"' not in text:
        return last
    data = np.frombuffer(text, np.uint8, last)
    ends = np.flatnonzero(data == _NEWLINE)
    quotes = np.flatnonzero(data == _QUOTE)
    opening = quotes[::2]
    before = np.isin(data[opening - 1], np.frombuffer(f'{delimiter}\r\n"'.encode(), np.uint8))
    is_plain = before | (opening == 0)
    if is_plain.all() and not (np.searchsorted(quotes, ends) % 2).any():
        return last
    record, place = _record(delimiter), 0
    while (found := record.match(text, place, last)) is not None:
        place = found.end()
    return place


_LINE_ENDS = re.compile(rb"\r\n?|\n")


def _record(delimiter: str, end: bytes = rb"(?:\r\n?|\n)") -> re.Pattern[bytes]:
    """Return a pattern for a record and the line end `end`; it does not backtrack."""
    cell = _cell(delimiter, b'"(?:[^"]|"")*+"[^%b\\r\\n]*+')
    # An atomic group instead of `(?:...)*+`, which before Python 3.11.5 includes a failed last repetition.
    return re.compile(b"%b(?>(?:%b%b)*)%b" % (cell, re.escape(delimiter.encode()), cell, end))


def _cell(delimiter: str, quoted: bytes) -> bytes:
    """Return a pattern for a cell; `quoted` is the pattern for a quoted cell."""
    between = re.escape(delimiter.encode())
    return b'(?:%b|(?!")[^%b\\r\\n]*+)' % (quoted % between, between)


def parts_of(path: str, size: int, delimiter: str | None) -> list[FilePart]:
    """Divide a CSV file into parts of complete records, each of at least `size` bytes except the last.

    The result is empty if the file has at most `size` bytes, is compressed, or has a malformed first line.
    The whole file is read once, to find the ends of records.
    """
    try:
        if os.path.getsize(path) <= size:
            return []
        with Path(path).open("rb") as file:
            begin = len(BYTE_ORDER_MARK) if file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK else 0
            file.seek(0)
            table = CSVTable(path, ByteFeed(file), delimiter)
            table.open()
            begin += table.header_size
            return [FilePart(path, begin + start, begin + end, line) for start, end, line in table.runs(size)]
    except (InputError, OSError):
        return []


class CSVPartTable(CSVTable):
    """Table of the records in one part of a CSV file.

    Args:
        file: the whole file, whose header is read.
    """

    def __init__(self, file: IO[bytes], part: FilePart, delimiter: str | None) -> None:
        super().__init__(part.path, ByteFeed(file), delimiter)
        self._file, self._part = file, part

    def open(self) -> None:
        super().open()
        self._feed = ByteFeed(self._part.bytes_of(self._file))
        self._rest, self._line = b"", self._part.line

"""Big CSV files in parts that can be read apart: each has whole records, and what it gives is what all of the
file gives there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pantarhei.errors import InputError
from pantarhei.io.tables.csv_table import CSVTable
from pantarhei.rdf.first_bytes import BYTE_ORDER_MARK
from pantarhei.rdf.statements import ByteFeed


class CSVPart(NamedTuple):
    """Records of a file: their bytes from `start` up to `end`, and the number of their first line."""

    path: str
    start: int
    end: int
    line: int


def parts_of(path: str, size: int, delimiter: str | None) -> list[CSVPart]:
    """A file's records in parts of at least `size` bytes each but the last; none if it cannot be divided: it
    is small or compressed, or something is wrong with its first line.

    Reads the file once, to see where records end.
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
            return [CSVPart(path, begin + start, begin + end, line) for start, end, line in table.runs(size)]
    except (InputError, OSError):
        return []


class CSVPartTable(CSVTable):
    """The records of a part.

    Args:
        file: all of the file.
    """

    def __init__(self, file: BinaryIO, part: CSVPart, delimiter: str | None) -> None:
        super().__init__(part.path, ByteFeed(file), delimiter)
        self._file, self._part = file, part

    def open(self) -> None:
        super().open()
        self._file.seek(self._part.start)
        self._feed = ByteFeed(_Until(self._file, self._part.end - self._part.start))
        self._rest, self._line = b"", self._part.line


class _Until:
    """The next bytes of a file, so many of them."""

    def __init__(self, file: BinaryIO, left: int) -> None:
        self._file, self._left = file, left

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes, empty at the end."""
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data

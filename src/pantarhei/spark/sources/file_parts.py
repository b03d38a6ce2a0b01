"""The files of a stream, and big N-Quads files in parts that can be read apart.

A file is divided only where its answer is the same: the time is in the graphs' names, no blank node needs to
know how many messages came before it, and a part begins where the time changes.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyoxigraph as ox

from pantarhei.errors import TimestampError
from pantarhei.io.graph_times import TimeReading, time_in_name
from pantarhei.io.read import SUFFIXES
from pantarhei.model.time import TimePoint

_CHUNK = 1 << 20
_CUT = TimeReading(on_cut=str)  # what is cut is counted where the part is read


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
    """The stream files that `path` means, sorted: itself, those in a folder, or those that a glob matches.

    In a folder and under a glob, names that begin with `.` or `_` are somebody's unfinished files. Of a
    folder those with a stream's suffix are taken, all if `format` is given; subfolders are not looked into.

    Raises:
        FileNotFoundError: there is no such file, and it is no glob.
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
    """An N-Quads file in parts of at least `size` bytes each but the last, one if it cannot be divided.

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
    """Where, in the lines after the byte `at`, the time changes first."""
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
    """The time in the graph's name of a line; None if there is none or the line is malformed."""
    try:
        (quad,) = ox.parse(line, ox.RdfFormat.N_QUADS)
        return (
            time_in_name(quad.graph_name.value, _CUT) if isinstance(quad.graph_name, ox.NamedNode) else None
        )
    except (SyntaxError, ValueError, TimestampError):
        return None


def _first_lines(file: IO[bytes], starts: list[int]) -> list[int] | None:
    """The number of the line at each start; None if there may be a blank node anywhere."""
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


class PartFile:
    """The bytes of a part, as a file to read from."""

    def __init__(self, file: IO[bytes], part: FilePart) -> None:
        self._file, self._left = file, None if part.end is None else part.end - part.start
        file.seek(part.start)

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, empty at the part's end."""
        if self._left is None:
            return self._file.read(size)
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data

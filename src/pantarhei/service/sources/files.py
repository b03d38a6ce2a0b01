"""Sources of lines: files and folders that grow, and standard input."""

from __future__ import annotations

import csv
import glob
import io
import json
import math
import os
import re
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from pantarhei.errors import MissingFileError, OptionError
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.mapping.record_mapping import RecordMapping
from pantarhei.io.reader import format_of
from pantarhei.io.tables.csv_table import DELIMITERS
from pantarhei.rdf.decompression import without_compression
from pantarhei.service.batching import Received
from pantarhei.service.config import FilesSource, ServiceConfig, StdinSource
from pantarhei.service.decoding import RDF_FORMATS, RECEIVED
from pantarhei.service.sources.source import LONGEST, PolledSource

_POLL = 0.2  # seconds between attempts to read on
_QUIET = 5.0  # seconds without change after which a last line without an end is complete
_QUIET_GRAPH = 1.0  # and after which the last graph of N-Quads is, although no other one follows
_MOST_OPEN = 64
_SAMPLE = 1024  # bytes at the beginning of a file by which it is recognized
_TERM = rb'(?:<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*+"(?:@[\w-]+|\^\^<[^>]*>)?)'
_QUAD = re.compile(rb"\s*(%b)\s*<[^>]*>\s*%b\s*(%b)?\s*\.\s*" % (_TERM, _TERM, _TERM))


class FileMessages(PolledSource):
    """Rows, lines or graphs of files that match paths, folders or globs, in the order of their names.

    A position is, by inode, the number of bytes read, a checksum of the beginning of the file, and its path.
    A file that was renamed, or written again with more content, is read on from its position; one that was
    replaced or truncated, from its beginning. Compressed files are not supported.

    Raises:
        MappingError, MissingFileError: the mapping cannot be read.
    """

    def __init__(self, name: str, config: ServiceConfig, section: FilesSource) -> None:
        super().__init__(name)
        self._section = section
        self._paths = [str(config.path(each)) for each in section.files]
        self._mapping: RecordMapping | None = None
        if section.mapping not in RDF_FORMATS:
            self._mapping = read_mapping(config.path(section.mapping), RECEIVED)
        self._open: dict[str, _OpenFile] = {}
        self._read: dict[str, _FileState] = {}  # states of files that are closed, since they were read
        self.status.reads_history = True

    def check(self) -> None:
        """Test that files exist, and that their formats are supported.

        Raises:
            MissingFileError: no file exists.
            OptionError: a file has a format that cannot be read line by line.
        """
        if not (found := self._files()):
            raise MissingFileError(", ".join(self._paths), "no file matches")
        for path in found:
            self._lines_of(path)

    def receive(self) -> Iterator[Received | None]:
        try:
            self.status.connected = True
            while True:
                is_at_end = True
                for path in self._files():
                    for received in self._news(path):
                        is_at_end = False
                        yield received
                if not is_at_end:
                    continue
                self.status.reads_history = False
                if not self._section.follow:
                    return
                yield None
                self.stopping.wait(_POLL)
        finally:
            for file in self._open.values():
                file.close()
            self._open.clear()

    def _files(self) -> list[str]:
        found: list[str] = []
        for path in self._paths:
            given = os.path.join(glob.escape(path), "*") if os.path.isdir(path) else path
            found += sorted(each for each in glob.glob(given) if os.path.isfile(each))
        return list(dict.fromkeys(found))

    def _news(self, path: str) -> Iterator[Received]:
        """Yield what was added to a file; if it was replaced, first the rest of the former one."""
        if path in self._open:
            yield from self._messages(path)
            if not self._open[path].is_replaced():
                return
            yield from self._messages(path, is_whole=True)
            self._open.pop(path).close()
        try:
            if self._read.get(path) == _FileState.of(os.stat(path)):
                return
            self._open[path] = self._opened(path)
        except FileNotFoundError:
            return
        yield from self._messages(path)
        if len(self._open) > _MOST_OPEN and (state := self._open[path].state_at_end()):
            self._read[path] = state
            self._open.pop(path).close()

    def _opened(self, path: str) -> _OpenFile:
        """Open a file at its position, which is known by its inode, or else by its path."""
        file = _OpenFile(path, self._lines_of(path))
        same_path = sorted((each for each in self.positions.values() if each[2] == path), reverse=True)
        for known in (self.positions.get(file.inode), *same_path):
            if known is not None and file.begins_as(known):
                file.begin_at(known[0])
                break
        return file

    def _messages(self, path: str, is_whole: bool = False) -> Iterator[Received]:
        file = self._open[path]
        for payload in file.messages(is_whole or not self._section.follow):
            yield self.received(path, payload, file.inode, file.position())

    def _lines_of(self, path: str) -> _Lines:
        """Return the reader of a file by its format. Raises `OptionError`."""
        if without_compression(path) == path:
            if self._mapping is None:
                return _Graphs() if path.endswith((".nq", ".nquads")) else _Lines()
            format = format_of(path)
            if format in ("csv", "tsv"):
                return _Rows("\t" if format == "tsv" else self._mapping.delimiter, self._mapping)
            if format not in ("json", "parquet"):
                return _Lines()
        raise OptionError("files", repr(path), "files of lines: .csv, .tsv, .jsonl, .ndjson or .nq")


class StdinMessages(PolledSource):
    """Lines of standard input. They have no position: those not yet in the journal are lost by a crash."""

    def __init__(self, name: str, section: StdinSource, file: IO[bytes] | None = None) -> None:
        super().__init__(name)
        self._file = sys.stdin.buffer if file is None else file

    def check(self) -> None:
        """Do nothing: standard input is always there."""

    def receive(self) -> Iterator[Received | None]:
        self.status.connected = True
        while line := self._file.readline(LONGEST):
            if line.strip():
                yield self.received("stdin", line.rstrip(b"\r\n"), "", None)._replace(position=None)


class _FileState(NamedTuple):
    """Inode, size and time of the last change of a file."""

    inode: int
    size: int
    changed: int

    @classmethod
    def of(cls, found: os.stat_result) -> _FileState:
        return cls(found.st_ino, found.st_size, found.st_mtime_ns)


class _OpenFile:
    """File that is read on.

    Args:
        lines: splits it into messages.
    """

    def __init__(self, path: str, lines: _Lines) -> None:
        self._path, self._lines = path, lines
        self._file = open(path, "rb")  # noqa: SIM115, closed by `close`
        self.inode = str(self._state().inode)
        self._offset = 0  # after the last complete message

    def _state(self) -> _FileState:
        return _FileState.of(os.fstat(self._file.fileno()))

    def close(self) -> None:
        self._file.close()

    def position(self) -> list[Any]:
        """Return the offset, the checksum of the beginning up to it, and the path."""
        return [self._offset, self._checksum(self._offset), self._path]

    def _checksum(self, offset: int) -> int:
        return zlib.crc32(os.pread(self._file.fileno(), min(offset, _SAMPLE), 0))

    def begins_as(self, known: Sequence[Any]) -> bool:
        """Test whether the file has the beginning of the file with a position."""
        offset, checksum, _ = known
        return self._state().size >= offset and self._checksum(offset) == int(checksum)

    def begin_at(self, offset: int) -> None:
        """Read on from an offset."""
        self._lines.begin(self._file)
        self._offset = offset

    def is_replaced(self) -> bool:
        """Test whether another file has the path now, or this one was truncated."""
        try:
            found = _FileState.of(os.stat(self._path))
        except FileNotFoundError:
            return True
        return str(found.inode) != self.inode or found.size < self._offset

    def state_at_end(self) -> _FileState | None:
        """Return the state of a file that is read to its end; None if it is not."""
        state = self._state()
        return state if state.size == self._offset else None

    def messages(self, is_whole: bool) -> Iterator[bytes]:
        """Yield the complete messages from the offset on.

        Args:
            is_whole: whether nothing is added any more, so that a last line without an end is complete.
        """
        state = self._state()
        if state.size <= self._offset:
            return
        quiet = time.time() - state.changed / 1e9
        if not self._offset:
            self._offset = self._lines.begin(self._file)
        self._file.seek(self._offset)
        for size, payload in self._lines.messages(self._file, math.inf if is_whole else quiet):
            self._offset += size
            if payload.strip():
                yield payload


class _Lines:
    """Reader of lines, each of which is a message."""

    def begin(self, file: IO[bytes]) -> int:
        """Read the header; return its size."""
        return 0

    def messages(self, file: IO[bytes], quiet: float) -> Iterator[tuple[int, bytes]]:
        """Yield messages with their sizes, including their line ends.

        Args:
            quiet: seconds since the last change of the file.
        """
        for line in _lines(file, quiet):
            yield len(line), line.rstrip(b"\r\n")


class _Graphs(_Lines):
    """Reader of N-Quads: consecutive lines of a graph, or of its description, are a message."""

    def messages(self, file: IO[bytes], quiet: float) -> Iterator[tuple[int, bytes]]:
        part, name = b"", b""
        for line in _lines(file, quiet):
            found = _QUAD.fullmatch(line)
            key = b"" if found is None else found[2] or found[1]
            if part and (key != name or len(part) > LONGEST):
                yield len(part), part
                part = b""
            part, name = part + line, key
        if part and quiet > _QUIET_GRAPH:
            yield len(part), part


class _Rows(_Lines):
    """Reader of a CSV table, whose rows become JSON objects.

    Args:
        delimiter: the delimiter; None to take the one that splits the header into the most columns.
    """

    def __init__(self, delimiter: str | None, mapping: RecordMapping) -> None:
        self._delimiter, self._nulls = delimiter, mapping.nulls
        self._names: list[str] = []

    def begin(self, file: IO[bytes]) -> int:
        file.seek(0)
        header = next(_records(file, 0), b"")
        if not header:
            return 0
        text = header.decode("utf-8-sig", "replace")
        delimiters = self._delimiter or DELIMITERS
        self._delimiter = max(delimiters, key=lambda each: len(_cells(text, each)))
        self._names = _cells(text, self._delimiter)
        return len(header)

    def messages(self, file: IO[bytes], quiet: float) -> Iterator[tuple[int, bytes]]:
        if not self._names:  # the header is incomplete
            return
        for record in _records(file, quiet):
            text = record.decode("utf-8", "replace")
            yield len(record), self._as_json(text) if text.strip() else b""

    def _as_json(self, text: str) -> bytes:
        cells = _cells(text, self._delimiter or DELIMITERS[0])
        if len(cells) != len(self._names):  # malformed: becomes a dead letter
            return text.rstrip("\r\n").encode()
        given = {name: cell for name, cell in zip(self._names, cells, strict=True) if cell not in self._nulls}
        return json.dumps(given, ensure_ascii=False).encode()


def _cells(text: str, delimiter: str) -> list[str]:
    return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])


def _lines(file: IO[bytes], quiet: float) -> Iterator[bytes]:
    """Yield complete lines; the rest of a line that is too long is a line of its own."""
    while line := file.readline(LONGEST):
        if not (line.endswith(b"\n") or quiet > _QUIET or len(line) == LONGEST):
            return
        yield line


def _records(file: IO[bytes], quiet: float) -> Iterator[bytes]:
    """Yield complete rows of CSV, whose quoted cells may contain line ends."""
    record = b""
    for line in _lines(file, quiet):
        record += line
        if record.count(b'"') % 2 == 0 or len(record) > LONGEST:
            yield record
            record = b""
    if record and quiet > _QUIET:
        yield record

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
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any

from pantarhei.errors import MissingFileError, OptionError
from pantarhei.io.mapping.mapping_reader import read_mapping
from pantarhei.io.mapping.record_mapping import RecordMapping
from pantarhei.io.reader import format_of
from pantarhei.io.tables.csv_table import DELIMITERS
from pantarhei.rdf.decompression import COMPRESSIONS, without_compression
from pantarhei.service.batching import Received
from pantarhei.service.clients import text_of
from pantarhei.service.config import FilesSource, ServiceConfig
from pantarhei.service.decoding import RDF_FORMATS, RECEIVED
from pantarhei.service.sources.source import LONGEST, PolledSource

_POLL = 0.2  # seconds between attempts to read on
_QUIET = 5.0  # seconds without change after which a last line without an end is complete
_QUIET_GRAPH = 1.0  # and after which the last graph of N-Quads is, although no other one follows
_SAMPLE = 1024  # bytes at the beginning of a file, and before a position, by which it is recognized
_GONE = 3600.0  # seconds without a file after which its position is deleted; until then it may be moved back
_TERM = rb'(?:<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*+"(?:@[\w-]+|\^\^<[^>]*>)?)'
_QUAD = re.compile(rb"\s*(%b)\s*<[^>]*>\s*%b\s*(%b)?\s*\.\s*" % (_TERM, _TERM, _TERM))


class FileMessages(PolledSource):
    """Rows, lines or graphs of files that match paths, folders or globs, in the order of their names.

    A position is, by inode, the number of bytes read, a checksum of the beginning of the file, its path, and
    a checksum of the last bytes read, which older positions lack. A file that was renamed within its folder,
    or written again with more content, is read on from its position; a file that was replaced or truncated,
    from its beginning. A file that cannot be read, or is compressed or binary, is logged once, and skipped
    until it can be read.

    Raises:
        MappingError, MissingFileError: the mapping cannot be read.
    """

    def __init__(self, name: str, config: ServiceConfig, section: FilesSource) -> None:
        super().__init__(name, config, section)
        self._paths = [str(config.path(each)) for each in section.files]
        self._mapping: RecordMapping | None = None
        if section.mapping not in RDF_FORMATS:
            self._mapping = read_mapping(config.path(section.mapping), RECEIVED)
        self._seen: dict[str, tuple[int, int, int]] = {}  # by path: inode, bytes read, last change
        self._skipped: dict[str, str] = {}  # by path: why the file cannot be read
        self._found: dict[str, float] = {}  # by inode: when the file was found last
        self._by_path = defaultdict[str, list[list[Any]]](list)  # positions at the beginning of the pass
        self.status.reads_history = True

    def check(self) -> None:
        """Test that files exist, and that one of them can be read; the others are logged.

        Raises:
            MissingFileError: no file exists.
            OSError, OptionError: no file can be read line by line.
        """
        if not (found := self._files()):
            raise MissingFileError(", ".join(self._paths), "no file matches")
        for path in found:
            try:
                self._opened(path).close()
            except (OSError, OptionError) as error:
                self._skip(path, error)
                if len(self._skipped) == len(found):
                    raise

    def receive(self) -> Iterator[Received | None]:
        self.status.connected = True
        self._found = dict.fromkeys(self.positions, time.monotonic())
        while True:
            before, found, self._by_path = dict(self.positions), self._files(), defaultdict(list)
            for each in before.values():
                self._by_path[each[2]].append(each)
            yield from chain.from_iterable(map(self._news, found))
            if found:  # else the folder may be unmounted
                yield from self._forget(found)
            if self.positions == before:
                self.status.reads_history = False
                if not self.section.follow:
                    return
                yield None
                self.stopping.wait(_POLL)

    def _files(self) -> list[str]:
        found: list[str] = []
        for path in self._paths:
            given = os.path.join(glob.escape(path), "*") if os.path.isdir(path) else path
            found += sorted(each for each in glob.glob(given) if os.path.isfile(each))
        return list(dict.fromkeys(found))

    def _news(self, path: str) -> Iterator[Received]:
        """Yield what was added to a file; if another file has its path now, first the rest of the former."""
        try:
            found = os.stat(path)
            self._found[str(found.st_ino)] = time.monotonic()
            known = self._seen.get(path, (found.st_ino, -1, -1))
            if known[0] != found.st_ino:
                with os.scandir(os.path.dirname(path)) as entries:
                    renamed = [each.path for each in entries if each.inode() == known[0]]
                for each in renamed:
                    yield from self._messages(each, is_whole=True)
            if known != (found.st_ino, found.st_size, found.st_mtime_ns):
                yield from self._messages(path)
        except FileNotFoundError:
            pass
        except Exception as error:  # the other files are read nevertheless
            self._skip(path, error)
            return
        if self._skipped.pop(path, ""):
            self.status.problem = next(iter(self._skipped.values()), "")

    def _forget(self, found: Sequence[str]) -> Iterator[Received]:
        """Forget the files that have been gone for long; yield the deletions of their positions."""
        end = time.monotonic() - _GONE
        if gone := {inode for inode, at in self._found.items() if at < end}:
            yield from (self.placed(inode, None) for inode in gone & self.positions.keys())
            self._found = {inode: at for inode, at in self._found.items() if inode not in gone}
            self._seen = {path: each for path, each in self._seen.items() if str(each[0]) not in gone}
            self._skipped = {path: text for path, text in self._skipped.items() if path in found}

    def _skip(self, path: str, error: Exception) -> None:
        """Note why a file cannot be read, and log it once."""
        reason = text_of(error) if isinstance(error, OptionError) else f"{path}: {text_of(error)}"
        if self._skipped.get(path) != reason:
            self._skipped[path] = reason
            self.failed(f"skipped: {reason}")

    def _messages(self, path: str, is_whole: bool = False) -> Iterator[Received]:
        with closing(self._opened(path)) as file:
            # its position is known by its inode, or else by its path
            found, inode = file.stat(), file.inode
            if not (inode in self.positions and file.resume(self.positions[inode])) and any(
                map(file.resume, sorted(self._by_path[path], reverse=True))
            ):
                yield self.placed(inode, file.position())  # that of the former file will be deleted
            for payload in file.messages(is_whole or not self.section.follow):
                yield self.received(path, payload, inode, file.position())
            self._seen[path] = found.st_ino, file.offset, found.st_mtime_ns

    def _opened(self, path: str) -> _LinesFile:
        """Open a file by its format. Raises `OSError`, `OptionError`."""
        if without_compression(path) == path and _is_text(path):
            if self._mapping is None:
                return (_GraphsFile if path.endswith((".nq", ".nquads")) else _LinesFile)(path)
            format = format_of(path)
            if format in ("csv", "tsv"):
                delimiter = "\t" if format == "tsv" else self._mapping.delimiter
                return _TableFile(path, delimiter, self._mapping.nulls)
            if format not in ("json", "parquet"):
                return _LinesFile(path)
        expected = "files of lines: .csv, .tsv, .jsonl, .ndjson or .nq, in UTF-8 and not compressed"
        raise OptionError("files", repr(path), expected)


class StdinMessages(PolledSource):
    """Lines of standard input. They have no position: those not yet in the journal are lost by a crash."""

    def receive(self) -> Iterator[Received | None]:
        self.status.connected = True
        # a buffer of its own: that of the process cannot be closed at its end while a thread waits for it
        raw: Any = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        lines = io.BufferedReader(raw)
        while line := lines.readline(LONGEST):
            if line.strip():
                yield self.received("stdin", line.rstrip(b"\r\n"), "", None)._replace(position=None)


class _LinesFile:
    """File that is read on, in which each line is a message.

    Attributes:
        offset: number of bytes up to the end of the last message.
    """

    def __init__(self, path: str) -> None:
        self._path, self.offset = path, 0
        self._file = open(path, "rb")  # noqa: SIM115, closed by `close`
        self.inode = str(self.stat().st_ino)

    def stat(self) -> os.stat_result:
        """Return the state of the file at present."""
        return os.fstat(self._file.fileno())

    def close(self) -> None:
        self._file.close()

    def position(self) -> list[Any]:
        """Return the position after the last message."""
        begin, end = self._checksums(self.offset)
        return [self.offset, begin, self._path, end]

    def _checksums(self, offset: int) -> list[int]:
        """Return the checksums of the beginning of the file and of the bytes before an offset."""
        size = min(offset, _SAMPLE)
        return [zlib.crc32(os.pread(self._file.fileno(), size, at)) for at in (0, offset - size)]

    def resume(self, position: Sequence[Any]) -> bool:
        """Read on from a position. Returns False if the file had other content up to the position."""
        offset, begin, _, *end = position
        if self.stat().st_size < offset or [begin, *end] != self._checksums(offset)[: 1 + len(end)]:
            return False
        self.offset = offset
        return True

    def messages(self, is_whole: bool) -> Iterator[bytes]:
        """Yield the complete messages from the offset on.

        Args:
            is_whole: whether nothing is added any more, so that a last line without an end is complete.
        """
        found = self.stat()
        if found.st_size <= self.offset:
            return
        quiet = math.inf if is_whole else time.time() - found.st_mtime
        self.offset = max(self.offset, self._read_header())
        self._file.seek(self.offset)
        for part in self._parts(quiet):
            self.offset += len(part)
            if payload := self._payload(part):
                yield payload

    def _read_header(self) -> int:
        """Read the header; return its size."""
        return 0

    def _payload(self, part: bytes) -> bytes:
        """Return the message of a part of the file; empty if it has none."""
        return part.rstrip(b"\r\n") if part.strip() else b""

    def _parts(self, quiet: float) -> Iterator[bytes]:
        """Yield complete lines; the rest of a line that is too long is a line of its own.

        Args:
            quiet: seconds since the last change of the file.
        """
        while line := self._file.readline(LONGEST):
            if not (line.endswith(b"\n") or quiet > _QUIET or len(line) == LONGEST):
                return
            yield line


class _GraphsFile(_LinesFile):
    """File of N-Quads: consecutive lines of a graph, or of its description, are a message."""

    def _payload(self, part: bytes) -> bytes:
        return part if part.strip() else b""

    def _parts(self, quiet: float) -> Iterator[bytes]:
        part, name = b"", b""
        for line in super()._parts(quiet):
            found = _QUAD.fullmatch(line)
            key = b"" if found is None else found[2] or found[1]
            if part and (key != name or len(part) > LONGEST):
                yield part
                part = b""
            part, name = part + line, key
        if part and quiet > _QUIET_GRAPH:
            yield part


class _TableFile(_LinesFile):
    """CSV table, whose rows become JSON objects.

    Args:
        delimiter: the delimiter; None to take the one that splits the header into the most columns.
        nulls: the texts of empty cells.
    """

    def __init__(self, path: str, delimiter: str | None, nulls: Collection[str]) -> None:
        super().__init__(path)
        self._delimiter, self._nulls = delimiter or "", nulls
        self._names: list[str] = []

    def _read_header(self) -> int:
        self._file.seek(0)
        header = next(self._rows(0), b"")
        text = header.decode("utf-8-sig", "replace")
        self._delimiter = max(self._delimiter or DELIMITERS, key=lambda each: len(_cells(text, each)))
        self._names = _cells(text, self._delimiter)
        if header and not self._names:
            raise OptionError("files", repr(self._path), "a table whose first row has the names of columns")
        return len(header)

    def _parts(self, quiet: float) -> Iterator[bytes]:
        return self._rows(quiet) if self._names else iter(())  # the header may be incomplete

    def _rows(self, quiet: float) -> Iterator[bytes]:
        """Yield complete rows, whose quoted cells may contain line ends."""
        row = b""
        for line in super()._parts(quiet):
            row += line
            if row.count(b'"') % 2 == 0 or len(row) > LONGEST:
                yield row
                row = b""
        if row and quiet > _QUIET:
            yield row

    def _payload(self, part: bytes) -> bytes:
        text = part.decode("utf-8", "replace")
        if not text.strip():
            return b""
        cells = _cells(text, self._delimiter)
        if len(cells) != len(self._names):  # malformed: becomes a dead letter
            return text.rstrip("\r\n").encode()
        given = {name: cell for name, cell in zip(self._names, cells, strict=True) if cell not in self._nulls}
        return json.dumps(given, ensure_ascii=False).encode()


def _cells(text: str, delimiter: str) -> list[str]:
    """Return the cells of a row; none if the row is malformed, or a cell is too long."""
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []


def _is_text(path: str) -> bool:
    with open(path, "rb") as file:
        first = file.read(_SAMPLE)
    return b"\0" not in first and not first.startswith(tuple(COMPRESSIONS))

"""Common parts of all readers: sources, formats, and counters of skipped input and of cut times."""

from __future__ import annotations

import os
import queue
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, TypeAlias, TypeGuard

from pantarhei.errors import OptionError, TimesCutWarning
from pantarhei.io.abox import TimestampedABox, TripleBuffer, merge_parts
from pantarhei.model.time import TimePoint
from pantarhei.rdf.decompression import Readable, is_document, unreadable, without_compression

_Part: TypeAlias = tuple[TimePoint, TripleBuffer]

# formats of tables

FORMATS = ("csv", "tsv", "jsonl", "parquet", "json")
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def format_of(name: str) -> str | None:
    """Return the format of a table file by its suffix; None for an unknown suffix.

    >>> format_of("readings.csv.gz"), format_of("readings.nq")
    ('csv', None)
    """
    return SUFFIXES.get(Path(without_compression(name)).suffix.lower())


_CONVERT: Final = "only UTF-8 is read; convert it first: iconv -f {} -t UTF-8"
NOT_UTF_8: Final = f"it is not UTF-8; {_CONVERT.format('ISO-8859-1')}, or another encoding"
_WEB_PAGE = re.compile(rb"\s*<(!doctype\s+html|html)\b", re.IGNORECASE)
_WORKBOOK = "it is an Excel workbook; save the sheet as CSV (UTF-8)"
_BEGINNINGS = {
    b"\xff\xfe": f"it is UTF-16; {_CONVERT.format('UTF-16')}",
    b"\xfe\xff": f"it is UTF-16; {_CONVERT.format('UTF-16')}",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _WORKBOOK,
    b"PAR1": 'it is Parquet; use the suffix .parquet or format "parquet"',
}


def format_error(first: bytes) -> str | None:
    """Return the error for a file whose first bytes are not those of a text table; None if they may be.

    >>> format_error(b"PAR1...")
    'it is Parquet; use the suffix .parquet or format "parquet"'
    """
    if _WEB_PAGE.match(first):
        return "it is a web page, not a table; download the file that the page offers"
    return next((error for begin, error in _BEGINNINGS.items() if first.startswith(begin)), None)


# sources


def is_path(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether a source is a path, or "-" for standard input."""
    return isinstance(source, str | os.PathLike)


def source_name(source: Any, default: str = "<stream>") -> str:
    """Return the name of a source in errors: its path, `<stdin>` for "-", or the name of an open file."""
    if is_path(source):
        return "<stdin>" if source == "-" else os.fspath(source)
    return str(getattr(source, "name", default))


def opened(source: str | os.PathLike[str] | Readable) -> AbstractContextManager[Readable]:
    """Open a source: a path, or "-" for standard input; a file that is already open is returned, not closed.

    Raises:
        MissingFileError: the file cannot be opened.
    """
    if not isinstance(source, str | os.PathLike):
        return nullcontext(source)
    if source == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise unreadable(source, error) from error


class FilePart(NamedTuple):
    """Bytes of a file from `start` to `end` (excluded); `end` is None for the whole file, `line` the
    first line.
    """

    path: str
    start: int = 0
    end: int | None = None
    line: int = 1

    def bytes_of(self, file: IO[bytes]) -> Readable:
        """Return a reader of the part's bytes from the opened file."""
        if self.start:  # a pipe cannot seek
            file.seek(self.start)
        return file if self.end is None else LimitedFile(file, self.end - self.start)


class LimitedFile:
    """Reader of the next `left` bytes of a file."""

    def __init__(self, file: IO[bytes], left: int) -> None:
        self._file, self._left = file, left

    def read(self, size: int = -1, /) -> bytes:
        """Read at most `size` bytes; returns no bytes at the end."""
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def refuse_text(source: str | os.PathLike[str]) -> None:
    """Refuse a source that is the text of a document instead of a path.

    Raises:
        OptionError: the source is such a text.
    """
    if isinstance(source, str) and is_document(source):
        raise OptionError("source", repr(source)[:60] + "…", "a path; for a text, io.BytesIO(text.encode())")


def skips_errors(on_error: str) -> bool:
    """Return True for `on_error="skip"`, False for "raise".

    Raises:
        OptionError: the value is neither "raise" nor "skip".
    """
    if on_error not in ("raise", "skip"):
        raise OptionError("on_error", repr(on_error), '"raise" or "skip"')
    return on_error == "skip"


# counts


class Skipped(NamedTuple):
    """Input that was skipped under `on_error="skip"`: its line (None if unknown), the error, and its text."""

    line: int | None
    reason: str
    text: str


class Silence(NamedTuple):
    """Ticks of the machine's clock while a live stream is silent.

    Args:
        idle: time without input after which they begin, and by which they are behind the clock.
        tick: time between them.
    """

    idle: timedelta
    tick: timedelta


class LiveFile:
    """Standard input or a pipe, read by a thread, so that its silence is noticed.

    Args:
        path: path of the pipe, or "-" for standard input.

    Raises:
        MissingFileError: the file cannot be opened.
    """

    def __init__(self, path: str, silence: Silence) -> None:
        self.name, self._silence = source_name(path), silence
        self._opened: Any = opened(path).__enter__()
        # not buffered: at the end of the process, a buffer that a thread waits for cannot be closed
        self._file: Any = getattr(self._opened, "raw", self._opened)
        self._parsing = threading.Lock()  # held by the thread, except while it waits for input

    def read(self, size: int = 1 << 16, /) -> bytes:
        """Return at most `size` bytes; b"" at the end. Blocks only until the first byte is available."""
        self._parsing.release()
        try:
            return bytes(self._file.read(size))
        finally:
            self._parsing.acquire()

    def watched(
        self, parts: Iterable[_Part], complete: Callable[[], Iterable[_Part]]
    ) -> Iterator[_Part | tuple[datetime, None]]:
        """Yield the parts that a reader makes of this file. In a silence, yield those that wait for further
        input, and the time of each tick.

        Args:
            complete: returns the parts that wait.
        """
        found: queue.Queue[_Part | BaseException | None] = queue.Queue(100)

        def read() -> None:
            with self._parsing:
                try:
                    for part in parts:
                        found.put(part)
                    found.put(None)
                except BaseException as error:  # raised where the parts are used
                    found.put(error)

        threading.Thread(target=read, name="input", daemon=True).start()
        idle, tick = self._silence
        patience = idle
        while True:
            try:
                part = found.get(timeout=patience.total_seconds())
            except queue.Empty:
                if not self._parsing.acquire(blocking=False):
                    continue
                try:
                    waiting = list(complete()) if found.empty() else None
                finally:
                    self._parsing.release()
                if waiting is not None:
                    yield from waiting
                    yield datetime.now(UTC) - idle, None
                    patience = tick
                continue
            patience = idle
            if part is None:
                return
            if isinstance(part, BaseException):
                raise part
            yield part


class ReaderCounts:
    """Counters of a reader, set to zero by each iteration.

    Args:
        name: the source's name in errors.

    Attributes:
        skipped: the first `SKIPS_KEPT` items that were skipped under `on_error="skip"`.
        skipped_count: number of skipped statements or rows.
        on_skipped: called with each skipped item and `skipped_count`.
        times_cut: number of messages or rows whose time was cut to microseconds.
        live: the file that is read, if it is a live one.
    """

    SKIPS_KEPT = 1000

    def __init__(self, name: str) -> None:
        self.name = name
        self.live: LiveFile | None = None
        self.on_skipped: Callable[[Skipped, int], object] | None = None
        self._begin_counts()

    def _merged(
        self, parts: Iterable[_Part], complete: Callable[[], Iterable[_Part]] = tuple
    ) -> Iterator[TimestampedABox]:
        """Yield the ABoxes of the parts of messages.

        Args:
            complete: returns the parts that wait for further input.
        """
        return merge_parts(parts if self.live is None else self.live.watched(parts, complete))

    def _begin_counts(self) -> None:
        self.skipped: list[Skipped] = []
        self.skipped_count = self.times_cut = 0

    def _skip(self, line: int | None, reason: str, text: str, count: int = 1) -> None:
        """Record a skipped item of `count` statements or rows, of which the first is `text` at `line`."""
        skipped = Skipped(line, reason, text)
        self.skipped_count += count
        if len(self.skipped) < self.SKIPS_KEPT:
            self.skipped.append(skipped)
        if self.on_skipped is not None:
            self.on_skipped(skipped, self.skipped_count)

    def _note_cut(self, text: str, count: int = 1) -> None:
        """Count `count` more cut times, of which the first is `text`; the first of all emits a warning."""
        if count and not self.times_cut:
            warnings.warn(TimesCutWarning(self.name, text), stacklevel=2)
        self.times_cut += count

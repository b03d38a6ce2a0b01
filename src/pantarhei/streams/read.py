"""Streams of timestamped graphs in N-Quads and TriG files, read as they arrive.

Each run of quads of one graph is a message. Its time is in the graph's name or stated by a property of it;
messages that follow one another with the same time are one ABox. The statement of the time is not an
assertion, and neither is what the default graph says about a graph of the stream; all else that a graph holds
is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from pantarhei.errors import OptionError, UnknownFormatError
from pantarhei.rdf.first_bytes import refuse_unreadable, unreadable
from pantarhei.rdf.statements import ByteFeed, Readable, Statement, read_trig
from pantarhei.streams.abox import TimestampedABox, merged
from pantarhei.streams.graph_times import time_properties
from pantarhei.streams.messages import TripleMessages
from pantarhei.streams.nquads import QuadsReader

if TYPE_CHECKING:
    from pantarhei.rdf.plain_quads import PlainRun

Source = str | os.PathLike[str] | Readable

_FORMATS = {
    **dict.fromkeys(("nquads", "nq", "n-quads", "application/n-quads"), "nquads"),
    **dict.fromkeys(("trig", "application/trig"), "trig"),
}
SUFFIXES = (".nq", ".nquads", ".trig")
_WITHOUT_GRAPHS = {"nt", "ntriples", "ttl", "turtle", "rdf", "xml", "owl", "n3"}


class Skipped(NamedTuple):
    """Something that was left out under `on_error="skip"`: its line (if known), why, and how it reads."""

    line: int | None
    reason: str
    text: str


class StreamReader:
    """The ABoxes of one file, in its order; build with `read_stream`.

    Iterating reads the file from its start, lazily, and begins the counts below anew.

    Attributes:
        name: the file's path as given, `<stdin>` or the like: what errors call it.
        skipped: what was left out under `on_error="skip"`, the first `SKIPS_KEPT` of `skipped_count`.
        bytes_read: how much of the file has been read so far.
        size: the file's size in bytes, None if it has none.
    """

    SKIPS_KEPT = 1000

    def __init__(self, source: Source, syntax: str, time: str, skip_errors: bool) -> None:
        self._source, self._syntax, self._time, self._skip_errors = source, syntax, time, skip_errors
        self.name = _name_of(source)
        self.skipped: list[Skipped] = []
        self.skipped_count = 0
        self._feed: ByteFeed | None = None

    def __repr__(self) -> str:
        name, bytes_read, skipped = self.name, self.bytes_read, self.skipped_count
        return f"StreamReader({name!r}, {self._syntax}, time={self._time!r}, {bytes_read=}, {skipped=})"

    @property
    def bytes_read(self) -> int:
        return self._feed.bytes_read if self._feed else 0

    @property
    def size(self) -> int | None:
        if self._source == "-" or not isinstance(self._source, str | os.PathLike):
            return None
        path = Path(self._source)
        return path.stat().st_size if path.is_file() else None

    def __iter__(self) -> Iterator[TimestampedABox]:
        self.skipped, self.skipped_count = [], 0
        with _opened(self._source) as file:
            self._feed = ByteFeed(file)
            skip = self._skip if self._skip_errors else None
            messages = TripleMessages(self.name, self._time, skip)
            yield from merged(messages.read(self._statements(self._feed)))

    def _statements(self, feed: ByteFeed) -> Iterator[Statement | PlainRun]:
        if self._syntax == "nquads":
            skip = self._skip if self._skip_errors else None
            return QuadsReader(self.name, self._time, skip).read(feed)
        return read_trig(feed, self.name)

    def _skip(self, line: int | None, reason: str, text: str, count: int = 1) -> None:
        self.skipped_count += count
        if len(self.skipped) < self.SKIPS_KEPT:
            self.skipped.append(Skipped(line, reason, text))


def read_stream(
    source: Source, *, format: str | None = None, time: str = "auto", on_error: str = "raise"
) -> StreamReader:
    """A reader of the timestamped graphs in `source`; what is wrong in it comes while it is iterated.

    Args:
        source: a path, a binary file, or "-" for standard input.
        format: "nquads" or "trig"; by default the path's suffix tells.
        time: where a graph's time is. "graph": at the end of its name, a number or an ISO 8601 time after
            `/`, `#`, `:` or `=`. The IRI of a property: its value for the graph, stated in the default graph
            (before the graph or after it, which is then waited for) or inside the graph. "auto": a property
            if one of the known ones (prov:generatedAtTime, sosa:resultTime, saref:hasTimestamp) is stated
            before the graph ends, else its name.
        on_error: "raise", or "skip" to leave out what is wrong, count it and keep it in `skipped`. A
            malformed line of N-Quads is skipped; malformed TriG always raises, since nobody can tell where
            the next statement begins.

    Raises:
        OptionError: source or option is none of those above, or the format cannot hold timestamped graphs;
            `UnknownFormatError` if nothing tells the format.
        MissingFileError: the file cannot be opened.
        CompressedInputError: it is to be unpacked first.

    While iterating, `MalformedInputError`, `TimestampError` and `MissingTimestampError` name the file and,
    where it is known, the line; `CompressedInputError` if a pipe's content is to be unpacked first, whatever
    `on_error` says; `OSError` if reading fails.
    An ABox is given out when the next message begins; with "auto" when that one has ended, since a property
    inside may say that it is of the same time.

    >>> import io
    >>> text = b'<urn:belt> <urn:speed> "0.5" <urn:at:1> .'
    >>> [(abox.at, len(abox.triples)) for abox in read_stream(io.BytesIO(text), format="nquads")]
    [(1, 1)]
    """
    if not isinstance(source, str | os.PathLike) and not hasattr(source, "read"):
        raise OptionError("source", repr(source)[:200], 'a path, a binary file, or "-" for standard input')
    time_properties(time)
    if on_error not in ("raise", "skip"):
        raise OptionError("on_error", repr(on_error), '"raise" or "skip"')
    try:
        syntax = syntax_of(_name_of(source), format)
    except UnknownFormatError:
        _refuse_unreadable(source)
        raise
    _refuse_unreadable(source)
    return StreamReader(source, syntax, str(time), on_error == "skip")


def syntax_of(source_name: str, format: str | None) -> str:
    """The syntax that `format` names or, if it is None, the suffix of the source's name: nquads or trig.

    Raises:
        OptionError: it is none of a stream.
    """
    name = str(format or "") or Path(source_name).suffix.lstrip(".")
    syntax = _FORMATS.get(name.lower())
    if syntax is not None:
        return syntax
    if name.lower() in _WITHOUT_GRAPHS:
        option, given = ("format", name) if format else ("source", source_name)
        expected = "nquads or trig: a stream's graphs carry its time, and this format has no graphs"
        raise OptionError(option, given, expected)
    if format:
        raise OptionError("format", repr(format), "nquads or trig")
    raise UnknownFormatError("format", source_name, SUFFIXES, ("nquads", "trig"))


def _refuse_unreadable(source: Source) -> None:
    if source != "-" and isinstance(source, str | os.PathLike):
        refuse_unreadable(Path(source))


def _name_of(source: Source) -> str:
    if source == "-":
        return "<stdin>"
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return str(getattr(source, "name", "<stream>"))


def _opened(source: Source) -> AbstractContextManager[Readable]:
    if source == "-":
        return nullcontext(cast(Readable, sys.stdin.buffer))
    if isinstance(source, str | os.PathLike):
        return cast(AbstractContextManager[Readable], _binary(source))
    return nullcontext(source)


def _binary(path: str | os.PathLike[str]) -> IO[bytes]:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise unreadable(path, error) from error

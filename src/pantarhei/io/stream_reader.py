"""Reader of RDF streams: files of timestamped messages, read as they arrive.

In N-Quads and TriG, consecutive quads of one graph are a message. Its time is in the graph's name or stated
by a property of the graph. The statement of the time, and statements of the default graph about a graph of
the stream, are not asserted. In message logs and JSON-LD documents, messages are datasets that contain their
time. Consecutive messages with the same time become one ABox.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pantarhei.errors import MalformedInputError, OptionError, UnknownFormatError
from pantarhei.io.abox import TimestampedABox, TripleBuffer
from pantarhei.io.dataset_messages import DatasetMessages, JSONLDMessages
from pantarhei.io.graph_messages import TimeReading, TripleMessages, time_properties
from pantarhei.io.reader import (
    ReaderCounts,
    format_of,
    is_path,
    opened,
    refuse_text,
    skips_errors,
    source_name,
)
from pantarhei.model.datetimes import zone_named
from pantarhei.model.time import Precision, TimePoint, check_precision
from pantarhei.rdf.decompression import (
    UNPACKED,
    DecompressedFile,
    Readable,
    refuse_unreadable,
    without_compression,
)
from pantarhei.rdf.json_documents import Contexts, GivenContexts
from pantarhei.rdf.message_log import ANNOUNCEMENT, is_log, read_log
from pantarhei.rdf.statements import (
    ByteFeed,
    Skip,
    Statement,
    UnparsedLines,
    canonical_lines,
    line_blocks,
    parse_lines,
    read_trig,
)

if TYPE_CHECKING:
    from pantarhei.rdf.plain_quads import PlainQuadsReader, PlainRun


BLOCK = 1 << 20
FEWEST_BYTES = 1 << 13  # smaller blocks are parsed line by line, which is cheaper and does not import Arrow


class QuadsReader:
    """Reader of N-Quads by column, with a cache of terms.

    Args:
        source: the file's name in errors.
        time: the option `time` of `read_stream`; lines that state a time are returned as statements.
        skip: called with each malformed line, which is then skipped; None to raise instead.
    """

    def __init__(self, source: str, time: str, skip: Skip | None) -> None:
        self._source, self._time, self._skip = source, time, skip
        self._plain: PlainQuadsReader | None = None

    def read(self, feed: ByteFeed, line: int = 1) -> Iterator[Statement | PlainRun]:
        """Yield the lines in file order: plain lines of one graph as a run by column, others as statements.

        Args:
            line: the number of the first line.

        Raises:
            MalformedInputError: a line is malformed, and `skip` is None.
        """
        for first, block in line_blocks(feed, self._source, line, BLOCK, self._skip):
            if len(block) < FEWEST_BYTES:
                yield from parse_lines(first, block, self._source, self._skip)
                continue
            for found in self._plain_reader().read(first, block):
                if isinstance(found, UnparsedLines):
                    yield from self._unparsed(found)
                else:
                    yield found

    def _unparsed(self, lines: UnparsedLines) -> Iterator[Statement | PlainRun]:
        """Yield the content of lines that are not plain; a large block is first rewritten in canonical
        N-Quads.
        """
        text = canonical_lines(lines.text) if len(lines.text) >= FEWEST_BYTES else None
        again: Iterable[PlainRun | UnparsedLines]
        again = [lines] if text is None else self._plain_reader().read(lines.line, text)
        for found in again:
            if isinstance(found, UnparsedLines):
                yield from parse_lines(*found, self._source, self._skip)
            else:
                yield found

    def _plain_reader(self) -> PlainQuadsReader:
        if self._plain is None:
            from pantarhei.rdf.plain_quads import PlainQuadsReader

            self._plain = PlainQuadsReader([f"<{iri}>" for iri in time_properties(self._time)])
        return self._plain


Source = str | os.PathLike[str] | Readable

_FORMATS = {
    **dict.fromkeys(("nquads", "nq", "n-quads", "application/n-quads"), "nquads"),
    **dict.fromkeys(("trig", "application/trig"), "trig"),
    **dict.fromkeys(("ntriples", "nt", "n-triples", "application/n-triples"), "ntriples"),
    **dict.fromkeys(("turtle", "ttl", "text/turtle"), "turtle"),
    **dict.fromkeys(
        ("jsonld", "json-ld", "json", "jsonl", "ndjson", "ndjsonld", "application/ld+json"), "jsonld"
    ),
    **dict.fromkeys(("ngsi-ld", "ngsild"), "ngsi-ld"),
}
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*$")
SUFFIXES = (".nq", ".nquads", ".trig")
"""Suffixes of files in the syntaxes `OF_GRAPHS`."""
OTHER_SUFFIXES = (".jsonld", ".json", ".jsonl", ".ndjson", ".ndjsonld", ".nt", ".ttl")
"""Suffixes of files in the other syntaxes."""
SYNTAXES = ("nquads", "trig", "jsonld", "ngsi-ld", "ntriples", "turtle")
OF_GRAPHS = ("nquads", "trig")
"""Syntaxes whose named graphs can be messages."""
_WITHOUT_TIME = {"rdf", "xml", "owl", "n3"}


class _ReadOptions(NamedTuple):
    """Options of `read_stream`."""

    time: str
    base: str | None
    zone: tzinfo | None
    skips_errors: bool
    is_exact: bool
    contexts: Contexts


class StreamReader(ReaderCounts):
    """Iterable of the ABoxes of one file; build with `read_stream`.

    Each iteration reads the file lazily from its start, and resets the counters below.

    Attributes:
        name: the file's name in errors: the given path, or `<stdin>`.
        skipped: the first `SKIPS_KEPT` items that were skipped under `on_error="skip"`.
        skipped_count: number of skipped statements.
        on_skipped: called with each skipped item and `skipped_count`.
        times_cut: number of messages whose time was cut to microseconds.
        bytes_read: number of bytes read so far, after decompression.
        size: the file's size in bytes; None if it is unknown or the file is compressed.

    >>> reader = read_stream("examples/pedals/stream.trig")
    >>> [abox.at for abox in reader], reader.skipped_count, reader.bytes_read == reader.size
    ([0, 1, 3, 4], 0, True)
    """

    def __init__(self, source: Source, syntax: str, reading: _ReadOptions) -> None:
        super().__init__(source_name(source))
        self._source, self._syntax, self._reading = source, syntax, reading
        self._feed: ByteFeed | None = None
        self._graphs: TripleMessages | None = None

    def __repr__(self) -> str:
        name, bytes_read, skipped = self.name, self.bytes_read, self.skipped_count
        return (
            f"StreamReader({name!r}, {self._syntax}, time={self._reading.time!r}, {bytes_read=}, {skipped=})"
        )

    @property
    def bytes_read(self) -> int:
        """Number of bytes read so far, after decompression."""
        return self._feed.bytes_read if self._feed else 0

    @property
    def size(self) -> int | None:
        """Number of bytes of the input; None if it is unknown."""
        if self._source == "-" or not is_path(self._source):
            return None
        path = Path(self._source)
        if without_compression(path.name) != path.name:
            return None
        return path.stat().st_size if path.is_file() else None

    def __iter__(self) -> Iterator[TimestampedABox]:
        self._begin_counts()
        with opened(self._source) as file:
            self._feed = ByteFeed(DecompressedFile(file, self.name))
            yield from self._merged(self._messages(self._feed), self._complete)

    def _complete(self) -> Iterator[tuple[TimePoint, TripleBuffer]]:
        return iter(()) if self._graphs is None else self._graphs.complete()

    def _messages(self, feed: ByteFeed) -> Iterator[tuple[TimePoint, TripleBuffer]]:
        time, base, zone, skips, is_exact, contexts = self._reading
        skip = self._skip if skips else None
        times = TimeReading(zone, None if is_exact else self._note_cut)
        if self._syntax == "jsonld":
            yield from JSONLDMessages(self.name, time, base, skip, times, contexts).read(feed)
        elif self._syntax == "ngsi-ld":
            yield from JSONLDMessages(self.name, "graph", base, skip, times, contexts).read_entities(feed)
        elif feed.look_ahead(is_log):
            log = read_log(feed, self.name, self._syntax, base, skip)
            yield from DatasetMessages(self.name, time, skip, times).read(log)
        elif self._syntax in OF_GRAPHS:
            statements: Iterator[Statement | PlainRun] = (
                QuadsReader(self.name, time, skip).read(feed)
                if self._syntax == "nquads"
                else read_trig(feed, self.name, base)
            )
            self._graphs = TripleMessages(self.name, time, skip, times)
            yield from self._graphs.read(statements)
        else:
            problem = f"{self._syntax} has no graphs with times" if feed.read(1) else "it is empty"
            reason = f"{problem}; a message log begins with {ANNOUNCEMENT}, with MESSAGE between messages"
            raise MalformedInputError(self.name, 1, reason)


def read_stream(
    source: Source,
    *,
    format: str | None = None,
    time: str = "auto",
    on_error: str = "raise",
    base: str | None = None,
    zone: str | tzinfo | None = None,
    precision: Precision = "microseconds",
    contexts: GivenContexts | None = None,
) -> StreamReader:
    """Return a reader of the timestamped messages in `source`; iterating over it raises errors in the input.

    Args:
        source: a path, a binary file, or "-" for standard input; gzip and zstd are unpacked.
        format: "nquads", "trig", "jsonld", "ngsi-ld", "ntriples" or "turtle"; by default by the suffix.
            N-Quads and TriG contain graphs with times, or are message logs that begin with `VERSION
            "1.2-messages"`; N-Triples and Turtle must be message logs. JSON-LD is one document with graphs
            that have times, or many documents, one per line or in an array; a document without named graphs
            is one message.
            Each attribute of an NGSI-LD entity is a message with the time of its `observedAt`.
        time: where the time of a graph is stated. "graph": at the end of its name, a number or an ISO 8601
            time after `/`, `#`, `:` or `=`. The IRI of a property: its value for the graph, stated inside the
            graph or in the default graph; if it is stated after the graph, the graph is held back until
            then. "auto": a known property (prov:generatedAtTime, sosa:resultTime, saref:hasTimestamp) if one
            is stated before the end of the graph, else the name. In a dataset message, any subject may have
            the property.
        on_error: "raise", or "skip" to skip invalid input; skipped items are counted, and the first of them
            kept in `skipped`. A malformed line of N-Quads, JSON-LD document or message of a log is skipped;
            other malformed TriG always raises, since the start of the next statement is unknown.
        base: base of relative IRIs, unless the stream declares one; by default relative IRIs are errors.
        zone: time zone assumed for times without a zone, such as "Europe/Berlin" or "UTC"; by default such
            times are errors.
        precision: "microseconds" cuts finer fractions of a second, warns once (`TimesCutWarning`) and counts
            the messages in `times_cut`; "exact" makes them errors.
        contexts: for JSON-LD, the contexts that documents refer to: by IRI, a file or an object with the
            member `@context`. Contexts are never fetched from the web.

    Raises:
        OptionError: an argument is invalid, or the format cannot contain timestamped messages;
            `UnknownFormatError` if the suffix is unknown.
        MissingFileError: the file cannot be opened.
        CompressedInputError: the compression is not supported.

    Iteration raises `MalformedInputError`, `TimestampError` and `MissingTimestampError` with the file and, if
    known, the line; `CompressedInputError`, whatever `on_error` is, for an unsupported compression of a pipe;
    and `OSError` if reading fails. An ABox is emitted when the next message begins; with `time="auto"` only
    when the next message ends, since that may state the same time by a property.

    >>> import io
    >>> text = b'<urn:belt> <urn:speed> "0.5" <urn:at:1> .'
    >>> [(abox.at, len(abox.triples)) for abox in read_stream(io.BytesIO(text), format="nquads")]
    [(1, 1)]
    """
    if is_path(source):
        refuse_text(source)
    elif not hasattr(source, "read"):
        raise OptionError("source", repr(source)[:200], 'a path, a binary file, or "-" for standard input')
    time_properties(time)
    skips = skips_errors(on_error)
    check_precision(precision)
    if base is not None and not _ABSOLUTE.match(base):
        raise OptionError("base", repr(base), "a whole IRI such as http://example.org/")
    zone = zone_named(zone) if isinstance(zone, str) else zone
    try:
        syntax = syntax_of(source_name(source), format)
    except UnknownFormatError:
        _refuse_unreadable(source)  # a missing file is the more helpful error
        raise
    _refuse_unreadable(source)
    reading = _ReadOptions(str(time), base, zone, skips, precision == "exact", Contexts(contexts))
    return StreamReader(source, syntax, reading)


def _refuse_unreadable(source: Source) -> None:
    if source != "-" and is_path(source):
        refuse_unreadable(Path(source), UNPACKED)


def syntax_of(source_name: str, format: str | None, syntaxes: Sequence[str] = SYNTAXES) -> str:
    """Return the syntax of a stream by `format` or, if `format` is None, by the suffix of the source's name.

    Args:
        syntaxes: the supported syntaxes.

    Raises:
        OptionError: the syntax is not supported.
    """
    name = str(format or "") or Path(without_compression(source_name)).suffix.lstrip(".")
    syntax = _FORMATS.get(name.lower())
    if syntax is not None and syntax in syntaxes:
        return syntax
    expected = " or ".join((", ".join(syntaxes[:-1]), syntaxes[-1]))
    if syntax is not None or name.lower() in _WITHOUT_TIME:
        option, given = ("format", name) if format else ("source", source_name)
        raise OptionError(option, given, f"{expected}: a stream's messages carry its time")
    if format:
        raise OptionError("format", repr(format), expected)
    if format_of(source_name):
        raise OptionError("source", source_name, f"{expected}; read_records reads tables, with a mapping")
    suffixes = SUFFIXES if syntaxes == OF_GRAPHS else SUFFIXES + OTHER_SUFFIXES
    raise UnknownFormatError("format", source_name, suffixes, tuple(syntaxes))

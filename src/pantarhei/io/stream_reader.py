"""Streams of timestamped messages in RDF files, read as they arrive.

In N-Quads and TriG each run of quads of one graph is a message. Its time is in the graph's name or stated by
a property of it. The statement of the time is not an assertion, and neither is what the default graph says
about a graph of the stream; all else that a graph holds is. In message logs and JSON-LD documents messages
are datasets, with the time in them. Messages that follow one another with the same time are one ABox.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pantarhei.errors import MalformedInputError, OptionError, UnknownFormatError
from pantarhei.io.abox import TimestampedABox, TripleBuffer, merge_parts
from pantarhei.io.dataset_messages import DatasetMessages, JSONLDMessages
from pantarhei.io.graph_messages import TimeReading, TripleMessages, time_properties
from pantarhei.io.reader import (
    ReaderCounts,
    Skipped,
    format_of,
    is_path,
    opened,
    refuse_text,
    skips_errors,
    source_name,
)
from pantarhei.model.datetimes import zone_named
from pantarhei.model.time import Precision, TimePoint, check_precision
from pantarhei.rdf.decompression import UNPACKED, DecompressedFile, refuse_unreadable, without_compression
from pantarhei.rdf.json_documents import Contexts, GivenContexts
from pantarhei.rdf.message_log import ANNOUNCEMENT, is_log, read_log
from pantarhei.rdf.statements import (
    ByteFeed,
    Readable,
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
FEWEST_BYTES = 1 << 13  # of fewer, parsing costs less than splitting, and Arrow need not be there


class QuadsReader:
    """Reads N-Quads; remembers terms it has met.

    Args:
        source: what errors call the file.
        time: where a graph's time is; the lines that state it are never part of a run.
        skip: takes malformed lines; None to raise.
    """

    def __init__(self, source: str, time: str, skip: Skip | None) -> None:
        self._source, self._time, self._skip = source, time, skip
        self._plain: PlainQuadsReader | None = None

    def read(self, feed: ByteFeed, line: int = 1) -> Iterator[Statement | PlainRun]:
        """The lines as they arrive, in their order, `line` the number of the first.

        Raises:
            MalformedInputError: a line is malformed and nothing takes it.
        """
        for first, block in line_blocks(feed, self._source, line, BLOCK, self._skip):
            if len(block) < FEWEST_BYTES:
                yield from parse_lines(first, block, self._source, self._skip)
                continue
            for found in self._plain_reader().read(first, block):
                if isinstance(found, UnparsedLines):
                    yield from self._odd(found)
                else:
                    yield found

    def _odd(self, lines: UnparsedLines) -> Iterator[Statement | PlainRun]:
        """Odd lines: many together are written anew and read so, as far as they are plain then."""
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
"""How the names of files end whose graphs are messages."""
OTHER_SUFFIXES = (".jsonld", ".json", ".jsonl", ".ndjson", ".ndjsonld", ".nt", ".ttl")
"""How the names of other streams end."""
SYNTAXES = ("nquads", "trig", "jsonld", "ngsi-ld", "ntriples", "turtle")
OF_GRAPHS = ("nquads", "trig")
"""The syntaxes that have graphs, which can be messages."""
_WITHOUT_TIME = {"rdf", "xml", "owl", "n3"}


class _ReadOptions(NamedTuple):
    """How a stream is read; see `read_stream`."""

    time: str
    base: str | None
    zone: tzinfo | None
    skips_errors: bool
    is_exact: bool
    contexts: Contexts


class StreamReader(ReaderCounts):
    """The ABoxes of one file, in its order; build with `read_stream`.

    Iterating reads the file from its start, lazily, and begins the counts below anew.

    Attributes:
        name: the file's path as given, `<stdin>` or the like: what errors call it.
        skipped: what was left out under `on_error="skip"`, the first `SKIPS_KEPT` of `skipped_count`.
        on_skipped: called at once with each of them and the count so far.
        times_cut: number of messages whose time was cut to microseconds.
        bytes_read: how much has been read so far; of a compressed file how much it was unpacked.
        size: the file's size in bytes, None if it has none or is compressed.
    """

    def __init__(self, source: Source, syntax: str, reading: _ReadOptions) -> None:
        super().__init__(source_name(source))
        self._source, self._syntax, self._reading = source, syntax, reading
        self._feed: ByteFeed | None = None

    def __repr__(self) -> str:
        name, bytes_read, skipped = self.name, self.bytes_read, self.skipped_count
        return (
            f"StreamReader({name!r}, {self._syntax}, time={self._reading.time!r}, {bytes_read=}, {skipped=})"
        )

    @property
    def bytes_read(self) -> int:
        return self._feed.bytes_read if self._feed else 0

    @property
    def size(self) -> int | None:
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
            yield from merge_parts(self._messages(self._feed))

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
            yield from TripleMessages(self.name, time, skip, times).read(statements)
        else:
            problem = (
                f"{self._syntax} has no graphs, which could have times" if feed.read(1) else "it is empty"
            )
            reason = (
                f"{problem}; as a message log it begins with {ANNOUNCEMENT}, and MESSAGE stands between "
                "messages"
            )
            raise MalformedInputError(self.name, 1, reason)

    def _skip(self, line: int | None, reason: str, text: str, count: int = 1) -> None:
        self._note_skipped(Skipped(line, reason, text), count)


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
    """A reader of the timestamped messages in `source`; what is wrong in it comes while it is iterated.

    Args:
        source: a path, a binary file, or "-" for standard input; compressed with gzip or zstd it is unpacked.
        format: "nquads", "trig", "jsonld", "ntriples" or "turtle"; by default the path's suffix tells.
            N-Quads and TriG hold graphs with times, or are message logs if they begin with `VERSION
            "1.2-messages"`, which the last two have to be. JSON-LD is one document with such graphs, or many
            documents, on lines of their own or as elements of an array; one without graphs is a message.
            "ngsi-ld" are entities of NGSI-LD, each attribute of which has the time of its `observedAt`.
        time: where a graph's time is. "graph": at the end of its name, a number or an ISO 8601 time after
            `/`, `#`, `:` or `=`. The IRI of a property: its value for the graph, stated in the default graph
            (before the graph or after it, which is then waited for) or inside the graph. "auto": a property
            if one of the known ones (prov:generatedAtTime, sosa:resultTime, saref:hasTimestamp) is stated
            before the graph ends, else its name. Of a message, it may be the property of anything in it.
        on_error: "raise", or "skip" to leave out what is wrong, count it and keep it in `skipped`. A
            malformed line of N-Quads, JSON-LD document or message of a log is skipped; other malformed TriG
            always raises, since nobody can tell where the next statement begins.
        base: what relative IRIs begin with, unless the stream says another; by default there must be none.
        zone: the time zone of times that are written without one, such as "Europe/Berlin" or "UTC"; by
            default such times are errors.
        precision: "microseconds" cuts finer fractions of a second, warns once (`TimesCutWarning`) and counts
            them in `times_cut`; "exact" makes them errors.
        contexts: of JSON-LD, the contexts that documents name: by IRI a file, or an object with the member
            `@context`. Nothing is fetched.

    Raises:
        OptionError: source or option is none of those above, or the format cannot hold timestamped messages;
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
        _refuse_unreadable(source)  # the more helpful error
        raise
    _refuse_unreadable(source)
    reading = _ReadOptions(str(time), base, zone, skips, precision == "exact", Contexts(contexts))
    return StreamReader(source, syntax, reading)


def _refuse_unreadable(source: Source) -> None:
    if source != "-" and is_path(source):
        refuse_unreadable(Path(source), UNPACKED)


def syntax_of(source_name: str, format: str | None, syntaxes: Sequence[str] = SYNTAXES) -> str:
    """The syntax that `format` names or, if it is None, the suffix of the source's name.

    Args:
        syntaxes: those that it can be.

    Raises:
        OptionError: it is none of these.
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

"""Streams as rows of text: the times and triples that `read_stream` gives, terms in N-Triples syntax.

Messages, times, blank nodes and errors are those of `pantarhei.streams`; only the terms differ, which never
become rdflib's.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import NamedTuple, cast

import pyoxigraph as ox

from pantarhei.errors import InvalidTripleError, MalformedInputError, TimestampError
from pantarhei.language.time import TimeKind, TimePoint, kind_of, ticks_of
from pantarhei.spark.plain_quads import PlainQuads, PlainQuadsReader, TextTriple
from pantarhei.streams.messages import Messages, Skip
from pantarhei.streams.statements import LONGEST_LINE, ByteFeed, Statement, read_nquads, read_trig
from pantarhei.streams.terms import Scope, TermReader
from pantarhei.streams.times import time_properties

Rows = tuple[TimePoint, list[TextTriple]]

BLOCK = 1 << 18
_FEWEST_A_RUN = 4  # with fewer quads a graph, runs cost more than they save
_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TextReading(NamedTuple):
    """How a stream is read.

    Attributes:
        syntax: "nquads" or "trig".
        time: where a graph's time is, as `read_stream` takes it.
        kind: what each timestamp must be, None for what the first one is.
        skip: takes what is left out; None to raise.
        line: the number of the first line.
        is_part: the file goes on before or after what is read.
    """

    syntax: str
    time: str
    kind: TimeKind | None = None
    skip: Skip | None = None
    line: int = 1
    is_part: bool = False


def read_rows(feed: ByteFeed, source: str, reading: TextReading) -> Iterator[Rows]:
    """The messages of a stream in file order, each with its time; neighbours may share one.

    The triples are those of `read_stream`, with blank nodes of the same names.

    Raises:
        InputError: as `read_stream`, and `TimestampError` for a time that is not of `reading.kind`.

    >>> text = b'<urn:belt> <urn:speed> "0.5" <urn:at:1> .'
    >>> list(read_rows(ByteFeed(io.BytesIO(text)), "belts.nq", TextReading("nquads", "graph")))
    [(1, []), (1, [('<urn:belt>', '<urn:speed>', '"0.5"')])]
    """
    messages = _TextMessages(source, reading)
    if reading.syntax == "nquads":
        return messages.rows(messages.nquads(feed))
    return messages.rows(read_trig(feed, source))


def checked_time(at: TimePoint, kind: TimeKind) -> TimePoint:
    """`at`, if a column of times of that kind can hold it.

    Raises:
        TimestampError: it is of another kind, or beyond 62 bits.
    """
    if kind_of(at) is not kind:
        raise TimestampError(
            f"the timestamp {at}",
            f"{kind.value}, which the column timestamp holds; read streams of other times apart, or choose "
            "with timestampType",
        )
    ticks_of(at, kind)
    return at


class TextTerms:
    """Writes the terms of statements; the order within a triple decides how blank nodes are numbered."""

    def triple(self, quad: ox.Quad, scope: Scope) -> TextTriple:
        object_, predicate = _text(quad.object, scope), quad.predicate
        if object_[0] == '"' and predicate == _TYPE:
            raise InvalidTripleError(
                str(quad.triple), "the object of rdf:type must be a class, not a literal"
            )
        return _text(quad.subject, scope), str(predicate), object_


def _text(term: object, scope: Scope) -> str:
    if isinstance(term, ox.NamedNode):
        return str(term)
    if isinstance(term, ox.BlankNode):
        return "_:" + scope.name(term)
    if isinstance(term, ox.Literal) and term.direction is None:
        return str(term)
    raise InvalidTripleError(str(term), "triple terms and directions (RDF 1.2) are not supported")


def _scoped(triple: TextTriple, scope: Scope) -> TextTriple:
    subject, predicate, object_ = triple
    if object_[0] == "_":
        object_ = "_:" + scope.name(ox.BlankNode(object_[2:]))
    if subject[0] == "_":
        subject = "_:" + scope.name(ox.BlankNode(subject[2:]))
    return subject, predicate, object_


class _TextMessages(Messages):
    """Messages whose triples are text and whose times are of one kind."""

    def __init__(self, source: str, reading: TextReading) -> None:
        super().__init__(source, reading.time, reading.skip)
        self._terms = cast(TermReader, TextTerms())
        self._reading = reading
        self._plain = PlainQuadsReader([f"<{iri}>" for iri in time_properties(reading.time)])

    def rows(self, statements: Iterator[Statement]) -> Iterator[Rows]:
        return cast(Iterator[Rows], self.read(statements))

    def _time_of(self, message: object) -> TimePoint | None:
        at = super()._time_of(message)  # type: ignore[arg-type]
        return at if at is None or self._reading.kind is None else checked_time(at, self._reading.kind)

    def _about(self, line: int, quad: ox.Quad) -> None:
        if self._reading.is_part:
            raise MalformedInputError(
                self._source,
                line,
                "a statement outside all graphs, of a file that is read in parts, where nobody knows which "
                "graphs the other parts have; read it whole with splitSize=0",
            )
        super()._about(line, quad)

    # N-Quads

    def nquads(self, feed: ByteFeed) -> Iterator[Statement]:
        """The statements of an N-Quads file, but of a run of plain ones only the first: the message it begins
        or continues gets the others from here.
        """
        for first, block in _line_blocks(feed, self._source, self._reading.line):
            quads = self._plain.read(block)
            if quads is None or _is_scattered(quads):
                yield from self._parsed(first, block)
            else:
                yield from self._taken(first, quads)

    def _taken(self, first: int, quads: PlainQuads) -> Iterator[Statement]:
        for run in quads.runs:
            head, *others = run.triples
            (quad,) = ox.parse(f"{' '.join(head)} {run.graph} .".encode(), ox.RdfFormat.N_QUADS)
            yield Statement(first + run.first, quad)
            message = self._current
            assert message is not None and str(message.name) == run.graph
            triples = cast(list[TextTriple], message.triples)
            triples += [_scoped(triple, message.scope) for triple in others] if quads.blank_nodes else others

    def _parsed(self, first: int, block: bytes) -> Iterator[Statement]:
        """The statements of lines that begin with the line `first`."""
        before, skip = first - 1, self._skip
        if before and block.startswith(_BYTE_ORDER_MARK):  # an error here, a mark only where the file begins
            before, block = before - 1, b"\n" + block

        def skip_here(line: int, reason: str, text: str) -> None:
            assert skip is not None
            skip(line + before, reason, text)

        try:
            feed = ByteFeed(io.BytesIO(block))
            for line, quad in read_nquads(feed, self._source, skip_here if skip else None):
                yield Statement(line + before, quad)
        except MalformedInputError as error:
            place = None if error.line is None else error.line + before
            raise MalformedInputError(error.source, place, error.reason) from None


def _is_scattered(quads: PlainQuads) -> bool:
    return len(quads.runs) * _FEWEST_A_RUN > quads.runs[-1].first + len(quads.runs[-1].triples)


def _line_blocks(feed: ByteFeed, source: str, line: int) -> Iterator[tuple[int, bytes]]:
    """Whole lines with the number of the first; the very first is `line`."""
    rest = b""
    while data := feed.read(BLOCK):
        end = data.rfind(b"\n") + 1
        if not end:
            rest += data
            if len(rest) > LONGEST_LINE:
                raise MalformedInputError(source, line, f"the line is longer than {LONGEST_LINE:,} bytes")
            continue
        block, rest = rest + data[:end], data[end:]
        yield line, block
        line += block.count(b"\n")
    if rest:
        yield line, rest

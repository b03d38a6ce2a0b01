"""Streams as rows of text: the times and triples that `read_stream` gives, terms in N-Triples syntax.

Messages, times, blank nodes and errors are those of `pantarhei.streams`; only the terms differ, which never
become rdflib's.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import NamedTuple, cast

import pyarrow as pa
import pyoxigraph as ox

from pantarhei.errors import InvalidTripleError, MalformedInputError, TimestampError
from pantarhei.language.term import Triple
from pantarhei.language.time import TimeKind, TimePoint, kind_of, ticks_of
from pantarhei.spark.sources.plain_quads import PlainQuads, PlainQuadsReader
from pantarhei.spark.sources.triple_columns import TextTriple, TripleColumns
from pantarhei.streams.messages import Messages, Skip
from pantarhei.streams.statements import LONGEST_LINE, ByteFeed, Statement, read_nquads, read_trig
from pantarhei.streams.terms import Scope, TermReader
from pantarhei.streams.times import time_properties

Rows = tuple[TimePoint, TripleColumns]

BLOCK = 1 << 20
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
    >>> rows = read_rows(ByteFeed(io.BytesIO(text)), "belts.nq", TextReading("nquads", "graph"))
    >>> [(at, *triple) for at, triples in rows for triple in triples]
    [(1, '<urn:belt>', '<urn:speed>', '"0.5"')]
    """
    messages = TextMessages(source, reading)
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


class _ScopedNames(dict[str, str]):
    """Blank nodes as they are written, to their names in a message."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def __missing__(self, written: str) -> str:
        named = self[written] = "_:" + self._scope.name(ox.BlankNode(written[2:]))
        return named


def _append_scoped(columns: TripleColumns, triples: pa.RecordBatch, scope: Scope) -> None:
    """Add triples with their blank nodes named, in the order in which `TextTerms` names them."""
    subjects, predicates, objects = (column.to_pylist() for column in triples.columns)
    names = _ScopedNames(scope)
    for i, (subject, object_) in enumerate(zip(subjects, objects, strict=True)):
        if object_[0] == "_":
            objects[i] = names[object_]
        if subject[0] == "_":
            subjects[i] = names[subject]
    columns.append_columns(subjects, predicates, objects)


class TextMessages(Messages):
    """Messages whose triples are text and whose times are of one kind."""

    def __init__(self, source: str, reading: TextReading) -> None:
        super().__init__(source, reading.time, reading.skip)
        self._terms = cast(TermReader, TextTerms())
        self._reading = reading
        self._plain = PlainQuadsReader([f"<{iri}>" for iri in time_properties(reading.time)])

    def rows(self, statements: Iterator[Statement]) -> Iterator[Rows]:
        for at, triples in self.read(statements):
            if triples:
                yield at, cast(TripleColumns, triples)

    def _begin_message(self, line: int, name: ox.NamedNode | ox.BlankNode) -> None:
        super()._begin_message(line, name)
        assert self._current is not None
        self._current.triples = cast(list[Triple], TripleColumns())

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
            text = f"{' '.join(quads.first(run))} {run.graph} ."
            (quad,) = ox.parse(text.encode(), ox.RdfFormat.N_QUADS)
            yield Statement(first + run.begin, quad)
            message = self._current
            assert message is not None and str(message.name) == run.graph
            triples = cast(TripleColumns, message.triples)
            others = quads.triples.slice(run.begin + 1, run.end - run.begin - 1)
            if quads.blank_nodes:
                _append_scoped(triples, others, message.scope)
            else:
                triples.take(others)

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
    return len(quads.runs) * _FEWEST_A_RUN > len(quads.triples)


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

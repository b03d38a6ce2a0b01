"""Streams as rows of text: the times and triples that `read_stream` gives, terms in N-Triples syntax.

Messages, times, blank nodes and errors are those of `pantarhei.io`; only the terms differ, which never
become rdflib's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyoxigraph as ox

from pantarhei.errors import InvalidTripleError, MalformedInputError, TimestampError
from pantarhei.io.graph_times import OnCut, TimeReading
from pantarhei.io.messages import Message, Messages, Skip
from pantarhei.io.nquads import QuadsReader
from pantarhei.model.term import Place
from pantarhei.model.time import TimeKind, TimePoint, is_of_kind, ticks_of
from pantarhei.rdf.blank_nodes import NumberedNodes
from pantarhei.rdf.statements import ByteFeed, Statement, read_trig
from pantarhei.spark.sources.triple_columns import GrowingColumns, TextTriple

if TYPE_CHECKING:
    from pantarhei.rdf.plain_quads import PlainRun

Rows = tuple[TimePoint, GrowingColumns]

_FEWEST_A_BATCH = 32  # fewer triples are cheaper as lists
_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


class TextReading(NamedTuple):
    """How a stream is read.

    Attributes:
        syntax: "nquads" or "trig".
        time: where a graph's time is, as `read_stream` takes it.
        kind: what each timestamp must be, None for what the first one is.
        skip: takes what is left out; None to raise.
        line: the number of the first line.
        is_part: the file goes on before or after what is read.
        on_cut: called with the text of a time that is cut to microseconds; None refuses such times.
    """

    syntax: str
    time: str
    kind: TimeKind | None = None
    skip: Skip | None = None
    line: int = 1
    is_part: bool = False
    on_cut: OnCut | None = None


def read_rows(feed: ByteFeed, source: str, reading: TextReading) -> Iterator[Rows]:
    """The messages of a stream in file order, each with its time; neighbours may share one.

    The triples are those of `read_stream`, with blank nodes of the same names.

    Raises:
        InputError: as `read_stream`, and `TimestampError` for a time that is not of `reading.kind`.

    >>> import io
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
    """`at`, if a column of times of that kind can hold it; one of floats holds integers too.

    Raises:
        TimestampError: it is of another kind, or beyond 62 bits.
    """
    if not is_of_kind(at, kind):
        raise TimestampError(
            f"the timestamp {at}",
            f"{kind.value}, which the column timestamp holds; read streams of other times apart, or choose "
            "with timestampType",
        )
    ticks_of(at, kind)
    return float(at) if kind is TimeKind.FLOAT else at  # type: ignore[arg-type]


def text_triple(quad: ox.Quad, nodes: NumberedNodes) -> TextTriple:
    """The terms of a statement; the order within a triple decides how blank nodes are numbered."""
    object_, predicate = _text(quad.object, nodes), quad.predicate
    if object_[0] == '"' and predicate == _TYPE:
        raise InvalidTripleError(str(quad.triple), Place.CLASS.expected)
    return _text(quad.subject, nodes), str(predicate), object_


def _text(term: object, nodes: NumberedNodes) -> str:
    if isinstance(term, ox.NamedNode):
        return str(term)
    if isinstance(term, ox.BlankNode):
        return "_:" + nodes[term.value]
    if isinstance(term, ox.Literal) and term.direction is None:
        return str(term)
    raise InvalidTripleError(str(term), "triple terms and directions (RDF 1.2) are not supported")


def _append_named(columns: GrowingColumns, triples: pa.RecordBatch, nodes: NumberedNodes) -> None:
    """Add triples with their blank nodes named, in the order in which `text_triple` names them."""
    subjects, predicates, objects = (column.to_pylist() for column in triples.columns)
    for i, (subject, object_) in enumerate(zip(subjects, objects, strict=True)):
        if object_[0] == "_":
            objects[i] = "_:" + nodes[object_[2:]]
        if subject[0] == "_":
            subjects[i] = "_:" + nodes[subject[2:]]
    columns.append_columns(subjects, predicates, objects)


class TextMessages(Messages[GrowingColumns]):
    """Messages whose triples are text and whose times are of one kind."""

    def __init__(self, source: str, reading: TextReading) -> None:
        super().__init__(source, reading.time, reading.skip, TimeReading(None, reading.on_cut))
        self._text_reading = reading

    def rows(self, statements: Iterator[Statement | PlainRun]) -> Iterator[Rows]:
        for at, triples in self.read(statements):
            if triples:
                yield at, triples

    def nquads(self, feed: ByteFeed) -> Iterator[Statement | PlainRun]:
        """The statements of an N-Quads file, plain ones together."""
        reader = QuadsReader(self._source, self._time, self._skip)
        return reader.read(feed, self._text_reading.line)

    def _empty(self) -> GrowingColumns:
        return GrowingColumns()

    def _add(self, message: Message[GrowingColumns], quad: ox.Quad) -> None:
        message.triples.append(text_triple(quad, message.nodes))

    def _take(self, message: Message[GrowingColumns], run: PlainRun) -> None:
        if run.has_blanks():
            _append_named(message.triples, run.batch(), message.nodes)
        elif run.end - run.begin < _FEWEST_A_BATCH:
            message.triples.append_columns(*run.texts())
        else:
            message.triples.append_part(run.batch())

    def _time_of(self, message: Message[GrowingColumns]) -> TimePoint | None:
        at = super()._time_of(message)
        kind = self._text_reading.kind
        return at if at is None or kind is None else checked_time(at, kind)

    def _about(self, line: int, quad: ox.Quad) -> None:
        if self._text_reading.is_part:
            raise MalformedInputError(
                self._source,
                line,
                "a statement outside all graphs, of a file that is read in parts, where nobody knows which "
                "graphs the other parts have; read it whole with splitSize=0",
            )
        super()._about(line, quad)

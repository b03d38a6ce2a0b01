"""Streams as rows of text: times and triples of `read_stream`, with terms in N-Triples syntax, as Arrow
batches.

Messages, times, blank nodes and errors are those of `pantarhei.io`, but terms stay texts: rdflib terms would
double the cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyoxigraph as ox

from pantarhei.errors import InvalidTripleError, MalformedInputError, TimestampError
from pantarhei.io.graph_messages import GraphMessage, GraphMessages, OnCut, Skip, TimeReading
from pantarhei.io.stream_reader import QuadsReader
from pantarhei.model.term import Place
from pantarhei.model.time import TimeKind, TimePoint, is_of_kind, ticks_of
from pantarhei.rdf.ntriples import NumberedNodes
from pantarhei.rdf.statements import ByteFeed, read_trig
from pantarhei.rdf.triple_table import NAMES

if TYPE_CHECKING:
    from pantarhei.rdf.plain_quads import PlainRun


TextTriple = tuple[str, str, str]


class _Lists(NamedTuple):
    """Columns as lists: tuples of three would burden the garbage collector."""

    subjects: list[str]
    predicates: list[str]
    objects: list[str]


class TextTriples:
    """Triples of text by column, extended at the end: Arrow arrays for blocks of plain lines, lists for
    parsed lines.
    """

    __slots__ = ("_length", "_parts")

    def __init__(self) -> None:
        self._parts: list[_Lists | pa.RecordBatch] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[TextTriple]:
        return zip(*(array.to_pylist() for array in self.arrays()), strict=True)

    def append(self, triple: TextTriple) -> None:
        """Append a triple."""
        subject, predicate, object_ = triple
        lists = self._open()
        lists.subjects.append(subject)
        lists.predicates.append(predicate)
        lists.objects.append(object_)
        self._length += 1

    def append_columns(self, subjects: list[str], predicates: list[str], objects: list[str]) -> None:
        """Append triples given by column."""
        for column, more in zip(self._open(), (subjects, predicates, objects), strict=True):
            column += more
        self._length += len(subjects)

    def append_part(self, triples: pa.RecordBatch) -> None:
        """Append the triples of a batch with the columns `NAMES`, without copying them."""
        self._parts.append(triples)
        self._length += triples.num_rows

    def extend(self, others: TextTriples) -> None:
        """Append triples."""
        for part in others._parts:
            if isinstance(part, _Lists):
                self.append_columns(*part)
            else:
                self.append_part(part)

    def pieces(self, size: int) -> Iterator[TextTriples]:
        """Yield the triples in order, at most `size` at once."""
        if len(self) <= size:
            yield self
            return
        whole = pa.record_batch(self.arrays(), names=list(NAMES))
        for begin in range(0, len(self), size):
            piece = TextTriples()
            piece.append_part(whole.slice(begin, size))
            yield piece

    def arrays(self) -> list[pa.Array]:
        """Return the three columns."""
        parts = [_arrays(part) for part in self._parts] or [_arrays(_Lists([], [], []))]
        return [pa.concat_arrays(list(column)) for column in zip(*parts, strict=True)]

    def _open(self) -> _Lists:
        if not (self._parts and isinstance(self._parts[-1], _Lists)):
            self._parts.append(_Lists([], [], []))
        return cast(_Lists, self._parts[-1])


def _arrays(part: _Lists | pa.RecordBatch) -> list[pa.Array]:
    if isinstance(part, _Lists):
        return [pa.array(column, pa.string()) for column in part]
    return cast(list[pa.Array], part.columns)


TimedTriples = tuple[TimePoint, TextTriples]

_FEWEST_A_BATCH = 32  # fewer triples are cheaper as lists
_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


class TextReading(NamedTuple):
    """Way to read a stream.

    Attributes:
        syntax: "nquads" or "trig".
        time: where a graph's time is, as `read_stream` takes it.
        kind: the kind of each timestamp, None for that of the first one.
        skip: receives skipped input; None to raise.
        line: the number of the first line.
        is_part: the file continues before or after the part read.
        on_cut: called with the text of a time that is cut to microseconds; None refuses such times.
    """

    syntax: str
    time: str
    kind: TimeKind | None = None
    skip: Skip | None = None
    line: int = 1
    is_part: bool = False
    on_cut: OnCut | None = None


def read_rows(feed: ByteFeed, source: str, reading: TextReading) -> Iterator[TimedTriples]:
    """Return the messages of a stream in file order, each with its time; neighbours may share a time.

    Triples and names of blank nodes are equal to those of `read_stream`. Messages without triples only move
    time.

    Raises:
        InputError: as `read_stream`, and `TimestampError` for a time that is not of `reading.kind`.

    >>> import io
    >>> text = b'<urn:belt> <urn:speed> "0.5" <urn:at:1> .'
    >>> rows = read_rows(ByteFeed(io.BytesIO(text)), "belts.nq", TextReading("nquads", "graph"))
    >>> [(at, *triple) for at, triples in rows for triple in triples]
    [(1, '<urn:belt>', '<urn:speed>', '"0.5"')]
    """
    messages = TextMessages(source, reading)
    if reading.syntax != "nquads":
        return messages.read(read_trig(feed, source))
    return messages.read(QuadsReader(source, reading.time, reading.skip).read(feed, reading.line))


def checked_time(at: TimePoint, kind: TimeKind) -> TimePoint:
    """Return `at` if a column of times of that kind can represent it; a column of floats represents integers
    too.

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
    """Write the terms of a statement; the order within a triple determines the numbers of blank nodes."""
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


def _append_named(columns: TextTriples, triples: pa.RecordBatch, nodes: NumberedNodes) -> None:
    """Append triples with names for their blank nodes, in the order of `text_triple`."""
    subjects, predicates, objects = (column.to_pylist() for column in triples.columns)
    for i, (subject, object_) in enumerate(zip(subjects, objects, strict=True)):
        if object_[0] == "_":
            objects[i] = "_:" + nodes[object_[2:]]
        if subject[0] == "_":
            subjects[i] = "_:" + nodes[subject[2:]]
    columns.append_columns(subjects, predicates, objects)


class TextMessages(GraphMessages[TextTriples]):
    """Messages whose triples are texts and whose times are of one kind."""

    def __init__(self, source: str, reading: TextReading) -> None:
        super().__init__(source, reading.time, reading.skip, TimeReading(None, reading.on_cut))
        self._text_reading = reading

    def _empty(self) -> TextTriples:
        return TextTriples()

    def _add(self, message: GraphMessage[TextTriples], quad: ox.Quad) -> None:
        message.triples.append(text_triple(quad, message.nodes))

    def _take(self, message: GraphMessage[TextTriples], run: PlainRun) -> None:
        if run.has_blanks():
            _append_named(message.triples, run.batch(), message.nodes)
        elif run.end - run.begin < _FEWEST_A_BATCH:
            message.triples.append_columns(*run.texts())
        else:
            message.triples.append_part(run.batch())

    def _time_of(self, message: GraphMessage[TextTriples]) -> TimePoint | None:
        at = super()._time_of(message)
        kind = self._text_reading.kind
        return at if at is None or kind is None else checked_time(at, kind)

    def _about(self, line: int, quad: ox.Quad) -> None:
        if self._text_reading.is_part:
            raise MalformedInputError(
                self._source,
                line,
                "a statement outside all graphs, in a file that is read in parts, whose graphs may be in "
                "other parts; read it whole with splitSize=0",
            )
        super()._about(line, quad)


ROWS_A_BATCH = 20_000


def record_batches(
    rows: Iterable[TimedTriples], kind: TimeKind, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield batches of at most `ROWS_A_BATCH` rows, in order; all timestamps are of that kind, datetimes in
    microseconds.
    """
    times: list[TimePoint] = []
    counts: list[int] = []
    held = TextTriples()
    for at, triples in rows:
        for piece in triples.pieces(ROWS_A_BATCH):
            if len(held) + len(piece) > ROWS_A_BATCH:
                yield _batch(times, counts, held, kind, schema)
                times, counts, held = [], [], TextTriples()
            times.append(at)
            counts.append(len(piece))
            held.extend(piece)
    if held:
        yield _batch(times, counts, held, kind, schema)


def _batch(
    times: list[TimePoint], counts: list[int], triples: TextTriples, kind: TimeKind, schema: pa.Schema
) -> pa.RecordBatch:
    time = _time_column(times, counts, kind, schema.field(0).type)
    terms = [array.cast(field.type) for array, field in zip(triples.arrays(), list(schema)[1:], strict=True)]
    return pa.record_batch([time, *terms], schema=schema)


def _time_column(
    times: list[TimePoint], counts: list[int], kind: TimeKind, column_type: pa.DataType
) -> pa.Array:
    if kind is TimeKind.FLOAT:
        values = np.array(times, dtype=np.float64)
    else:
        values = np.array([ticks_of(at, kind) for at in times], dtype=np.int64)
    return cast(pa.Array, pa.array(np.repeat(values, counts)).cast(column_type))

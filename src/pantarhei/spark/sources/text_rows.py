"""Conversion of RDF streams to Arrow batches with the columns of a normalized DataFrame.

Messages, times, blank nodes and errors are equal to those of `read_stream`, but terms remain texts in
N-Triples syntax, since creating rdflib's terms would double the cost.
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
    """Triples as three lists of terms, which burden the garbage collector less than a tuple per triple."""

    subjects: list[str]
    predicates: list[str]
    objects: list[str]


class TextTriples:
    """Append-only sequence of triples of texts, stored by column.

    Blocks of plain lines are stored as Arrow arrays, parsed lines as lists.
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
        """Append one triple."""
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
        """Append a batch of triples with the columns `NAMES`, without copying it."""
        self._parts.append(triples)
        self._length += triples.num_rows

    def extend(self, others: TextTriples) -> None:
        """Append all triples of another sequence."""
        for part in others._parts:
            if isinstance(part, _Lists):
                self.append_columns(*part)
            else:
                self.append_part(part)

    def pieces(self, size: int) -> Iterator[TextTriples]:
        """Divide the triples into sequences of at most `size` triples, in order."""
        if len(self) <= size:
            yield self
            return
        whole = pa.record_batch(self.arrays(), names=list(NAMES))
        for begin in range(0, len(self), size):
            piece = TextTriples()
            piece.append_part(whole.slice(begin, size))
            yield piece

    def arrays(self) -> list[pa.Array]:
        """Return the columns subject, predicate and object."""
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

_FEWEST_A_BATCH = 32  # shorter runs of plain lines are cheaper as lists than as Arrow arrays
_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


class TextReading(NamedTuple):
    """Options for reading an RDF stream as text.

    Attributes:
        syntax: "nquads" or "trig".
        time: the option `time` of `read_stream`.
        kind: the required kind of the timestamps; None for the kind of the first one.
        skip: called with skipped input; None to raise instead.
        line: the number of the first line.
        is_part: whether the input is only a part of a file.
        on_cut: called with the text of each time that is cut to microseconds; None to refuse such times.
    """

    syntax: str
    time: str
    kind: TimeKind | None = None
    skip: Skip | None = None
    line: int = 1
    is_part: bool = False
    on_cut: OnCut | None = None


def read_rows(feed: ByteFeed, source: str, reading: TextReading) -> Iterator[TimedTriples]:
    """Yield the time and the triples of each message of a stream, in file order.

    Triples and names of blank nodes are equal to those of `read_stream`. Consecutive messages may have the
    same time. Messages without triples only advance time.

    Raises:
        InputError: as for `read_stream`, and a `TimestampError` for a time that is not of `reading.kind`.

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
    """Check that a timestamp is of a kind; an integer is converted to a float if the kind is float.

    Raises:
        TimestampError: the timestamp is of another kind, or does not fit into 62 bits of ticks.
    """
    if not is_of_kind(at, kind):
        raise TimestampError(
            f"the timestamp {at}",
            f"{kind.value}, the type of the column timestamp; read streams with other times separately, or "
            "set the option timestampType",
        )
    ticks_of(at, kind)
    return float(at) if kind is TimeKind.FLOAT else at  # type: ignore[arg-type]


def text_triple(quad: ox.Quad, nodes: NumberedNodes) -> TextTriple:
    """Convert the terms of a statement to N-Triples syntax; blank nodes are numbered object first."""
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
    """Append triples whose blank nodes are renamed, numbered in the order of `text_triple`."""
    subjects, predicates, objects = (column.to_pylist() for column in triples.columns)
    for i, (subject, object_) in enumerate(zip(subjects, objects, strict=True)):
        if object_[0] == "_":
            objects[i] = "_:" + nodes[object_[2:]]
        if subject[0] == "_":
            subjects[i] = "_:" + nodes[subject[2:]]
    columns.append_columns(subjects, predicates, objects)


class TextMessages(GraphMessages[TextTriples]):
    """Reader of graph messages whose triples are texts, and whose times are checked for one kind."""

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
                "a statement of the default graph in a file that is read in parts: the graph that it "
                "describes may be in another part; read the file as a whole with splitSize=0",
            )
        super()._about(line, quad)


ROWS_A_BATCH = 20_000


def record_batches(
    rows: Iterable[TimedTriples], kind: TimeKind, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Convert messages to Arrow batches of at most `ROWS_A_BATCH` rows, in order.

    Args:
        kind: the kind of all timestamps.
        schema: the schema of the batches.
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

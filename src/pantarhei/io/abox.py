"""Timestamped ABoxes, and streams of timestamped ABoxes built from Python objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, cast

from rdflib import Graph

from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.message_text import counted
from pantarhei.model.representation import call_text, members_table, panel
from pantarhei.model.term import Triple, check_triple
from pantarhei.model.time import (
    TimeKind,
    TimePoint,
    in_zone_of,
    kind_of,
    plain_time,
    show_time,
    ticks_of,
    timed,
)
from pantarhei.owl.graph_files import GraphFile, graph_at
from pantarhei.rdf.ntriples import exactly
from pantarhei.rdf.triple_table import ColumnarTriples, Part, TripleColumns, triples_of_abox


class TimestampedABox(NamedTuple):
    """Assertions of one timestamp, in input order.

    The triples of `read_stream` may be stored by column; rdflib terms are then created on access.

    Args:
        at: the timestamp.
        triples: the assertions.

    >>> from pantarhei import read_stream
    >>> abox = next(iter(read_stream("examples/pedals/stream.trig")))
    >>> abox.at, len(abox.triples)
    (0, 1)
    """

    at: TimePoint
    triples: Sequence[Triple]

    def __repr__(self) -> str:
        return call_text(self, [f"at {show_time(self.at)}: {counted(len(self.triples), 'triple')}"])

    def _repr_html_(self) -> str:
        return panel(repr(self), members_table(self.triples))

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(TimestampedABox, *self)


class TripleBuffer:
    """Append-only sequence of triples, added one by one or as columns of terms."""

    __slots__ = ("_length", "_open", "_parts")

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._open: list[Triple] = []  # triples added one by one since the last of the parts
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, triple: Triple) -> None:
        """Append one triple."""
        self._open.append(triple)
        self._length += 1

    def extend(self, triples: Sequence[Triple]) -> None:
        """Append triples; the columns of columnar triples are shared, not copied."""
        if isinstance(triples, ColumnarTriples):
            for part in triples.parts:
                if isinstance(part, TripleColumns):
                    self.append_part(part)
                else:
                    self.extend(part)
        else:
            self._open += triples
            self._length += len(triples)

    def append_part(self, columns: TripleColumns) -> None:
        """Append triples stored by column, without copying them."""
        self._close()
        self._parts.append(columns)
        self._length += columns.height

    def sequence(self) -> Sequence[Triple]:
        """Return all triples; a tuple if none was added by column."""
        if not self._parts:
            return tuple(self._open)
        self._close()
        return ColumnarTriples(self._parts)

    def _close(self) -> None:
        if self._open:
            self._parts.append(tuple(self._open))
            self._open = []


def abox_stream(
    items: Iterable[tuple[TimePoint, Graph | Iterable[Triple] | GraphFile]],
) -> Iterator[TimestampedABox]:
    """Yield the ABoxes of a Python stream lazily; consecutive items with equal timestamps become one ABox.

    Args:
        items: pairs of a timestamp and a graph, triples or files.

    Raises:
        TimestampError: a timestamp is invalid, or its kind (integer, float or datetime) differs from the
            first timestamp's; integers are accepted in a stream of floats.
        InvalidTripleError: an item is not a triple of rdflib terms.
        OptionError: `items` is not iterable; raised by the call, before iteration.

    >>> from rdflib import RDF, URIRef
    >>> belt = (URIRef("urn:belt"), RDF.type, URIRef("urn:Stopped"))
    >>> [(at, len(triples)) for at, triples in abox_stream([(1, [belt]), (2, [belt]), (2, [])])]
    [(1, 1), (2, 1)]
    """
    return merge_parts((at, _checked(triples)) for at, triples in timed(items))


def _checked(given: Graph | Iterable[Triple] | GraphFile) -> TripleBuffer:
    triples = TripleBuffer()
    if isinstance(given, ColumnarTriples):
        triples.extend(given)
    else:
        read = cast(Iterable[Triple], graph_at(given, "abox"))
        triples.extend([check_triple(triple) for triple in triples_of_abox(read)])
    return triples


def merge_parts(parts: Iterable[tuple[TimePoint, TripleBuffer | None]]) -> Iterator[TimestampedABox]:
    """Merge consecutive (timestamp, triples) pairs with equal timestamps into one ABox each.

    A pair without triples (None) is the present time of a silent stream: it completes the ABox before it, and
    becomes an empty ABox if it is newer.

    Raises:
        TimestampError: a timestamp is invalid, or its kind (integer, float or datetime) differs from the
            first timestamp's; integers are accepted in a stream of floats.
        OptionError: a silent stream has numbers as times.
    """
    kind: TimeKind | None = None
    held: tuple[TimePoint, TripleBuffer] | None = None
    newest: TimePoint | None = None
    for given, triples in parts:
        if triples is None:
            if held is not None:
                newest = held[0]
                yield TimestampedABox(newest, held[1].sequence())
                held = None
            if newest is not None and not isinstance(newest, datetime):
                expected = f"a stream with dates and times; this one has {show_time(newest)}"
                raise OptionError("idle", "a duration", expected)
            if newest is not None and ticks_of(given, kind_of(newest)) > ticks_of(newest, kind_of(newest)):
                newest = in_zone_of(given, newest)
                yield TimestampedABox(newest, ())
            continue
        at = plain_time(given)
        kind = same_kind(at, kind)
        if held is not None and held[0] == at:
            held[1].extend(triples.sequence())
            continue
        if held is not None:
            yield TimestampedABox(held[0], held[1].sequence())
        held = (at, triples)
    if held is not None:
        yield TimestampedABox(held[0], held[1].sequence())


def same_kind(at: TimePoint, kind: TimeKind | None, where: str = "") -> TimeKind:
    """Check that timestamp `at` is of the stream's kind; return the kind.

    Args:
        kind: the kind of the stream; None before the first timestamp, whose kind is returned.
        where: prefix of the error message.

    Raises:
        TimestampError: `at` is not of `kind`, or does not fit into 62 bits of ticks.

    >>> same_kind(2, same_kind(1.5, None)) is TimeKind.FLOAT
    True
    """
    try:
        known = kind_of(at) if kind is None else kind
        ticks_of(at, known)
    except TimestampError as error:
        raise TimestampError(f"{where}{error.given}", error.expected) from None
    return known

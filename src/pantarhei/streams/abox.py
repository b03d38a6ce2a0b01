"""Timestamped ABoxes, and streams of them made in Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from rdflib import Graph

from pantarhei.errors import TimestampError
from pantarhei.language.term import Triple, check_triple
from pantarhei.language.time import TimeKind, TimePoint, kind_of


class TimestampedABox(NamedTuple):
    """The assertions of one timestamp, in the order in which they were read."""

    at: TimePoint
    triples: tuple[Triple, ...]


def abox_stream(items: Iterable[tuple[TimePoint, Graph | Iterable[Triple]]]) -> Iterator[TimestampedABox]:
    """The ABoxes of a stream made in Python, lazily; neighbours with the same timestamp become one ABox.

    Raises:
        TimestampError: a timestamp is none, or of another kind than the first.
        InvalidTripleError: something is not a triple of rdflib terms.

    >>> from rdflib import RDF, URIRef
    >>> belt = (URIRef("urn:belt"), RDF.type, URIRef("urn:Stopped"))
    >>> [(at, len(triples)) for at, triples in abox_stream([(1, [belt]), (2, [belt]), (2, [])])]
    [(1, 1), (2, 1)]
    """
    return merged((at, [check_triple(t) for t in cast(Iterable[Triple], triples)]) for at, triples in items)


def merged(parts: Iterable[tuple[TimePoint, list[Triple]]]) -> Iterator[TimestampedABox]:
    """One ABox for each run of parts with the same timestamp.

    Raises:
        TimestampError: a timestamp is none, or of another kind than the first.
    """
    kind: TimeKind | None = None
    held: tuple[TimePoint, list[Triple]] | None = None
    for at, triples in parts:
        kind = same_kind(at, kind)
        if held is not None and held[0] == at:
            held[1].extend(triples)
            continue
        if held is not None:
            yield TimestampedABox(held[0], tuple(held[1]))
        held = (at, triples)
    if held is not None:
        yield TimestampedABox(held[0], tuple(held[1]))


def same_kind(at: TimePoint, kind: TimeKind | None, where: str = "") -> TimeKind:
    """The kind of `at`, which must be `kind` unless that is None.

    Raises:
        TimestampError: it is another; the message begins with `where`.
    """
    given = kind_of(at)
    if kind is not None and given is not kind:
        raise TimestampError(f"{where}the timestamp {at}", f"{kind.value} like the stream's other timestamps")
    return given

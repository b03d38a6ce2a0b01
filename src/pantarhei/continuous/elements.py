"""The ABoxes of several streams, one after another in time order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from heapq import merge
from typing import TYPE_CHECKING, Any, NamedTuple

from rdflib import URIRef

from pantarhei.errors import OptionError, TimestampError
from pantarhei.io.read import read_stream
from pantarhei.model.time import TimePoint, plain_time, show_time, timed

if TYPE_CHECKING:
    from pantarhei.encoding.encode import ABox

Stream = str | os.PathLike[str] | Iterable[tuple[TimePoint, "ABox"]]
"""The path of a file as `read_stream` takes it, or pairs of timestamp and ABox."""


class Element(NamedTuple):
    """What a stream brings at once.

    Args:
        at: its timestamp.
        stream: the stream's IRI.
        abox: what it asserts.
    """

    at: TimePoint
    stream: URIRef
    abox: ABox


def chosen(streams: Mapping[str, Stream], names: Iterable[URIRef]) -> dict[URIRef, Stream]:
    """Those of the streams that a text asks for.

    Raises:
        OptionError: one is not among them.
    """
    given = {URIRef(name): stream for name, stream in streams.items()}
    for name in names:
        if name not in given:
            known = ", ".join(f"<{each}>" for each in given) or "none"
            expected = f"the stream <{name}>, which the query asks for, among those given"
            raise OptionError("streams", known, expected)
    return {name: given[name] for name in names}


def in_order(streams: Mapping[URIRef, Stream]) -> Iterator[Element]:
    """The elements of all streams by their timestamps; of one timestamp in the order of the streams.

    Each stream is read as far as its next element, and no further.

    Raises:
        TimestampError: an item is no pair, or streams have times of different kinds.
        PantarheiError: as reading a file raises.
    """
    if len(streams) == 1:
        ((name, stream),) = streams.items()
        return _elements(name, stream)
    parts = [_elements(name, stream) for name, stream in streams.items()]
    return merge(*parts, key=_comparable())


def _elements(name: URIRef, stream: Stream) -> Iterator[Element]:
    items = read_stream(stream) if isinstance(stream, str | os.PathLike) else timed(stream)
    return (Element(plain_time(at), name, abox) for at, abox in items)


def _comparable() -> Callable[[Element], Any]:
    """Gives the times of elements; raises where they cannot be compared with the first."""
    kinds: set[bool] = set()

    def time(element: Element) -> TimePoint:
        kinds.add(isinstance(element.at, datetime))
        if len(kinds) > 1:
            given = f"the timestamp {show_time(element.at)} in <{element.stream}>"
            raise TimestampError(given, "a time of the same kind as in the other streams")
        return element.at

    return time

"""The time of a graph in a stream: written in its name, or stated by a property of it."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from datetime import tzinfo
from typing import Generic, NamedTuple, TypeVar

import pyoxigraph as ox
from rdflib import XSD

from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.datetimes import TIME_PROPERTIES
from pantarhei.model.display_names import last_part
from pantarhei.model.time import TimePoint, parse_timestamp, show_time

Name = TypeVar("Name", bound=Hashable)
OnCut = Callable[[str], object]

AUTO, BY_NAME = "auto", "graph"
ZONE_ADVICE = (
    "a time with a zone (…Z or …+01:00): a time without one is a different instant in each place; "
    "add the zone where the stream is written, or say it with the option zone"
)

_TIMES = (str(XSD.dateTime), str(XSD.dateTimeStamp))
_LIKE_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_SEPARATOR = r"(?:^|[/#:=?&])"
_ISO = re.compile(_SEPARATOR + r"([+-]?\d{4,}-?\d\d-?\d\d[T ].*)$")
_NUMBER = re.compile(_SEPARATOR + r"([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)$")
_ENCODED = re.compile(r"%(3A|2B|20|2E|2D)", re.IGNORECASE)


class TimeReading(NamedTuple):
    """Options for reading times.

    Args:
        zone: of times that are written without one; None refuses them.
        on_cut: called with the text of a time that is cut to microseconds; None refuses such times.
    """

    zone: tzinfo | None = None
    on_cut: OnCut | None = None


EXACTLY = TimeReading()
"""Refuses times without a zone, and times finer than microseconds."""


def time_in_name(name: str, reading: TimeReading = EXACTLY) -> TimePoint | None:
    """Return the time at the end of a graph's IRI after `/`, `#`, `:` or `=`; None if there is none.

    Raises:
        TimestampError: there is a time without a zone, one that does not exist, or one that is out of range.

    >>> time_in_name("http://example.org/readings/7"), time_in_name("urn:readings")
    (7, None)
    >>> time_in_name("urn:at:2026-01-31T10%3A00%3A00Z").isoformat()
    '2026-01-31T10:00:00+00:00'
    """
    decoded = _ENCODED.sub(lambda match: chr(int(match[1], 16)), name)
    match = _ISO.search(decoded) or _NUMBER.search(decoded)
    return parse_time(match[1], reading) if match else None


def parse_time(text: str, reading: TimeReading) -> TimePoint:
    """Call `parse_timestamp`; an error has advice where the zone is missing.

    Raises:
        TimestampError: it is not a timestamp.
    """
    try:
        return parse_timestamp(text, *reading)
    except TimestampError as error:
        if "without a time zone" in error.given:
            raise TimestampError(f"the timestamp {text}", ZONE_ADVICE) from None
        raise


def time_properties(time: str) -> frozenset[str]:
    """The IRIs of the properties that give a graph its time under the option `time`.

    Raises:
        OptionError: it is neither "auto" nor "graph" nor an IRI.
    """
    if time in (AUTO, BY_NAME):
        return frozenset(TIME_PROPERTIES if time == AUTO else ())
    if not isinstance(time, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+", time):
        raise OptionError(
            "time", repr(time), f"auto, graph, or the whole IRI of a property such as {TIME_PROPERTIES[0]}"
        )
    return frozenset({time})


def expected_time(time: str) -> str:
    """What a graph should have had, for an error."""
    if time == BY_NAME:
        return "a name that ends in a number or an ISO 8601 time after /, #, : or ="
    if time == AUTO:
        names = ", ".join(sorted(map(last_part, TIME_PROPERTIES[:3])))
        return (
            f"one of the properties {names} on it, or a name that ends in a number or an ISO 8601 time; "
            "the option time takes the IRI of another property"
        )
    return f"the property <{time}> on it, in the graph or in the default graph"


def expected_time_in_message(time: str) -> str:
    """What a message should have had, for an error."""
    if time == BY_NAME:
        return "a graph in it whose name ends in a number or an ISO 8601 time after /, #, : or ="
    if time == AUTO:
        names = ", ".join(sorted(map(last_part, TIME_PROPERTIES[:3])))
        return f"one of the properties {names} in it; the option time takes the IRI of another property"
    return f"the property <{time}> in it"


def other_time(quad: ox.Quad) -> str:
    """What else a statement may say where a time was expected; empty where it has none.

    >>> a, b = ox.NamedNode("urn:a"), ox.NamedNode("urn:seen")
    >>> other_time(ox.Quad(a, b, ox.Literal("2026-01-31T10:00:00")))
    ', and there is a time in <urn:seen>'
    """
    value = quad.object
    if isinstance(value, ox.Literal) and (
        value.datatype.value in _TIMES
        or (value.datatype.value == str(XSD.string) and _LIKE_TIME.match(value.value))
    ):
        return f", and there is a time in <{quad.predicate.value}>"
    return ""


class GraphTimes(Generic[Name]):
    """Times that properties gave to graphs; times of completed graphs are forgotten later."""

    REMEMBERED = 10_000

    def __init__(self) -> None:
        self._stated: dict[Name, TimePoint] = {}
        self._used: OrderedDict[Name, TimePoint] = OrderedDict()

    def state(self, name: Name, text: str, reading: TimeReading = EXACTLY) -> None:
        """Set the time of graph `name` to the time in `text`.

        Raises:
            TimestampError: it is none, or the graph has another one already.
        """
        at = parse_time(text, reading)
        known = self.get(name)
        if known is not None and known != at:
            raise TimestampError(
                f"the time {text} of graph {name}",
                f"one time for a graph, and it has {show_time(known)} already; "
                "say with the option time where it is: the IRI of the property, or graph",
            )
        if name not in self._used:
            self._stated[name] = at

    def get(self, name: Name) -> TimePoint | None:
        """The graph's time, None if not known yet."""
        known = self._stated.get(name)
        return self._used.get(name) if known is None else known

    def use(self, name: Name, at: TimePoint) -> None:
        """The graph's content has been given out with this time."""
        self._stated.pop(name, None)
        self._used[name] = at
        if len(self._used) > self.REMEMBERED:
            self._used.popitem(last=False)

    def unused(self) -> Iterable[Name]:
        """Names that have a time but no content so far."""
        return self._stated.keys()

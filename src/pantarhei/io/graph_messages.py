"""From statements to timed messages: what a graph asserts, and when.

A message waits for its time if a property gives it later, and the messages behind it wait too: file order is
kept.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Sized
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

import pyoxigraph as ox
from rdflib import XSD

from pantarhei.errors import (
    InvalidTripleError,
    MalformedInputError,
    MissingTimestampError,
    OptionError,
    PantarheiError,
    TimestampError,
)
from pantarhei.errors.base import parameter
from pantarhei.io.abox import TripleBuffer, same_kind
from pantarhei.model.datetimes import TIME_PROPERTIES
from pantarhei.model.display_names import last_part
from pantarhei.model.time import TimeKind, TimePoint, parse_timestamp, show_time
from pantarhei.rdf.ntriples import NumberedNodes, TermReader, nodes_of_message
from pantarhei.rdf.statements import Statement

if TYPE_CHECKING:
    from pantarhei.rdf.plain_quads import PlainRun


Name = TypeVar("Name", bound=Hashable)
OnCut = Callable[[str], object]

AUTO, BY_NAME = "auto", "graph"

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
            expected = (
                "a time with a zone (…Z or …+01:00): a time without one is a different instant in each "
                "place; add the zone where the stream is written, or set it with the option "
                f"{parameter('zone')}"
            )
            raise TimestampError(f"the timestamp {text}", expected) from None
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
            f"the option {parameter('time')} takes the IRI of another property"
        )
    return f"the property <{time}> on it, in the graph or in the default graph"


def expected_time_in_message(time: str) -> str:
    """What a message should have had, for an error."""
    if time == BY_NAME:
        return "a graph in it whose name ends in a number or an ISO 8601 time after /, #, : or ="
    if time == AUTO:
        names = ", ".join(sorted(map(last_part, TIME_PROPERTIES[:3])))
        other = f"the option {parameter('time')} takes the IRI of another property"
        return f"one of the properties {names} in it; {other}"
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
                f"set the option {parameter('time')} to the IRI of the property, or to graph",
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


GraphName = ox.NamedNode | ox.BlankNode


class Skip(Protocol):
    """Takes what is left out: its line, why, how it reads, and how many statements it is."""

    def __call__(self, line: int | None, reason: str, text: str, count: int = ..., /) -> None: ...


Content = TypeVar("Content", bound=Sized)  # what a message collects its triples in


@dataclass(slots=True)
class GraphMessage(Generic[Content]):
    """A run of statements of one graph, `line` the first one's.

    `is_kept` is true once a statement was not skipped, `is_announced` once the time was given out.
    """

    name: GraphName
    line: int
    nodes: NumberedNodes
    triples: Content
    is_kept: bool = False
    is_announced: bool = False


@dataclass(slots=True)
class _Description:
    """What the default graph says about something that is not yet known to be a graph."""

    line: int
    text: str
    count: int = 0


class Refusal(NamedTuple):
    """Handling of invalid statements: raises an error with its place, or skips.

    Args:
        source: the file's name in errors.
        skip: receives skipped statements; None to raise.
    """

    source: str
    skip: Skip | None

    def __call__(self, error: PantarheiError, line: int, text: str, count: int = 1) -> None:
        """Raise an error, or skip `count` statements that begin at `line` with `text`."""
        where = f"{self.source}, line {line}"
        match error:
            case TimestampError():
                error = TimestampError(f"{where}: {error.given}", error.expected)
            case InvalidTripleError():
                error = MalformedInputError(self.source, line, f"{error.given}: {error.reason}")
            case MissingTimestampError():
                error = MissingTimestampError(where, error.graph, error.expected)
        if self.skip is None:
            raise error from None
        reason = str(error).removeprefix(f"{where}: ")
        if isinstance(error, MalformedInputError):
            reason = error.reason
        self.skip(line, reason, text[:1000], count)


class GraphMessages(ABC, Generic[Content]):
    """Reads one file's messages; one pass. What a triple is, and what triples are collected in, is the matter
    of those who inherit.

    Args:
        source: what errors call the file.
        time: where a graph's time is.
        skip: takes what is left out; None to raise.
        reading: how times are read; `on_cut` is called once a message.
        ordinal: the number of the first message.
    """

    HELD_TRIPLES = 1_000_000
    UNPLACED = 1_000
    NAMES_REMEMBERED = 10_000

    def __init__(
        self,
        source: str,
        time: str,
        skip: Skip | None,
        reading: TimeReading = EXACTLY,
        ordinal: int = 0,
    ) -> None:
        self._source, self._time, self._skip, self._reading = source, time, skip, reading
        self._refuse = Refusal(source, skip)
        self._properties = {ox.NamedNode(iri) for iri in time_properties(time)}
        self._times: GraphTimes[GraphName] = GraphTimes()
        self._cut: dict[GraphName, str] = {}  # times that were cut, until the message is given out
        # graphs that have begun, the newest of them
        self._names: OrderedDict[GraphName, None] = OrderedDict()
        self._current: GraphMessage[Content] | None = None
        self._waiting: deque[GraphMessage[Content]] = deque()
        self._held = 0
        self.ordinal = ordinal
        self._kind: TimeKind | None = None
        self._other_time = ""  # what the default graph says that may be a graph's time
        self._unplaced: dict[GraphName, _Description] = {}
        self._described: dict[GraphName, _Description] = {}  # those that have a time, so a graph is to come

    @abstractmethod
    def _empty(self) -> Content:
        """What a message's triples are to be collected in."""

    @abstractmethod
    def _add(self, message: GraphMessage[Content], quad: ox.Quad) -> None:
        """Add the triple of a statement.

        Raises:
            InvalidTripleError: it has a term that RDF 1.1 does not have, or a literal as a class.
        """

    @abstractmethod
    def _take(self, message: GraphMessage[Content], run: PlainRun) -> None:
        """Add the triples of a run of plain lines."""

    def read(self, statements: Iterator[Statement | PlainRun]) -> Iterator[tuple[TimePoint, Content]]:
        """The messages in file order with their times.

        Raises:
            InputError: a statement, a time or a graph is not as it should be, and nothing takes what is
                skipped.
        """
        for found in statements:
            if isinstance(found, Statement):
                line, quad = found
                name = quad.graph_name
                if isinstance(name, ox.DefaultGraph):
                    self._about(line, quad)
                    continue
                message = self._current
                if message is None or message.name != name:
                    yield from self._begun(line, name)
                self._place(line, quad)
            else:
                message = self._current
                if message is None or message.name != found.name:
                    yield from self._begun(found.line, found.name)
                assert self._current is not None
                self._take(self._current, found)
                self._current.is_kept = True
            message = self._current
            if message is not None and message.is_kept and not message.is_announced:
                yield from self._announced(message)
        self._end_message()
        self._refuse_descriptions({**self._unplaced, **self._described})
        yield from self._ready(ended=True)

    # what a statement does

    def _begun(self, line: int, name: GraphName) -> Iterator[tuple[TimePoint, Content]]:
        """Begin a message of the graph `name`; give out what is ready before it."""
        self._end_message()
        yield from self._ready()
        self._begin_message(line, name)

    def _place(self, line: int, quad: ox.Quad) -> None:
        message = self._current
        assert message is not None
        try:
            if quad.predicate in self._properties and quad.subject == message.name:
                self._state_time(message.name, quad)
            else:
                self._add(message, quad)
            message.is_kept = True
        except PantarheiError as error:
            self._refuse(error, line, str(quad))

    def _about(self, line: int, quad: ox.Quad) -> None:
        """A statement of the default graph: a graph's time, or something else about a graph."""
        subject = quad.subject
        if isinstance(subject, ox.Triple):
            raise MalformedInputError(self._source, line, "triple terms (RDF 1.2) are not supported")
        if quad.predicate in self._properties:
            try:
                self._state_time(subject, quad)
            except PantarheiError as error:
                self._refuse(error, line, str(quad))
            return
        self._other_time = self._other_time or other_time(quad)
        if subject not in self._names:
            known = self._described if self._times.get(subject) is not None else self._unplaced
            known.setdefault(subject, _Description(line, str(quad))).count += 1
            if len(self._unplaced) > self.UNPLACED:
                self._refuse_descriptions(self._unplaced)

    def _state_time(self, name: GraphName, quad: ox.Quad) -> None:
        if not isinstance(quad.object, ox.Literal):
            raise TimestampError(
                f"{quad.object} as the time of graph {name}", "a literal, a number or an ISO 8601 time"
            )
        self._times.state(name, quad.object.value, self._reading_of(name))
        if name in self._unplaced:
            self._described[name] = self._unplaced.pop(name)

    def _begin_message(self, line: int, name: GraphName) -> None:
        self._names[name] = None
        if len(self._names) > self.NAMES_REMEMBERED:
            self._names.popitem(last=False)
        self._described.pop(name, None)
        self._unplaced.pop(name, None)
        self._refuse_descriptions(self._unplaced)
        self._current = GraphMessage(
            name, line, nodes_of_message(self._source, str(name), self.ordinal), self._empty()
        )
        self.ordinal += 1

    def _end_message(self) -> None:
        if self._current is not None:
            self._waiting.append(self._current)
            self._held += len(self._current.triples) + 1
            self._current = None

    # times

    def _announced(self, message: GraphMessage[Content]) -> Iterator[tuple[TimePoint, Content]]:
        """The time of the message that has begun, if it is certain: what came before is then complete."""
        message.is_announced = True
        if self._waiting or (self._time == AUTO and self._times.get(message.name) is None):
            return
        try:
            at = self._time_of(message)
            self._kind = self._kind if at is None else same_kind(at, self._kind)
        except PantarheiError:
            return  # it is refused when it ends
        if at is not None:
            yield at, self._empty()

    def _ready(self, ended: bool = False) -> Iterator[tuple[TimePoint, Content]]:
        """Give out the first waiting messages whose time is known, except those without a kept statement."""
        while self._waiting:
            message = self._waiting[0]
            if not message.is_kept:
                self._remove_first()
                continue
            try:
                at = self._time_of(message)
                if at is None and not ended and self._held <= self.HELD_TRIPLES:
                    return
                if at is None:
                    expected = expected_time(self._time) + self._other_time
                    raise MissingTimestampError(self._source, str(message.name), expected)
                self._kind = same_kind(at, self._kind, f"graph {message.name}: ")
            except PantarheiError as error:
                self._refuse(error, message.line, str(message.name), len(message.triples))
                at = None
            cut = self._remove_first()
            if at is not None:
                if cut is not None and self._reading.on_cut is not None:
                    self._reading.on_cut(cut)
                self._times.use(message.name, at)
                yield at, message.triples

    def _remove_first(self) -> str | None:
        """Remove the first waiting message; return its time if that was cut."""
        message = self._waiting.popleft()
        self._held -= len(message.triples) + 1
        return self._cut.pop(message.name, None)

    def _time_of(self, message: GraphMessage[Content]) -> TimePoint | None:
        at = self._times.get(message.name)
        if at is None and self._time in (AUTO, BY_NAME):
            at = (
                time_in_name(message.name.value, self._reading_of(message.name))
                if isinstance(message.name, ox.NamedNode)
                else None
            )
            if at is None and self._time == BY_NAME:
                raise MissingTimestampError(self._source, str(message.name), expected_time(self._time))
        return at

    def _reading_of(self, name: GraphName) -> TimeReading:
        """Return how to read the time of a graph: a time that is read twice and cut is counted once."""
        note = None if self._reading.on_cut is None else partial(self._cut.__setitem__, name)
        return self._reading._replace(on_cut=note)

    # errors

    def _refuse_descriptions(self, descriptions: dict[GraphName, _Description]) -> None:
        for subject, found in list(descriptions.items()):
            reason = (
                f"the default graph speaks of {subject}, which is not a graph of this stream; "
                "put assertions into a graph that has a time"
            )
            error = MalformedInputError(self._source, found.line, reason)
            self._refuse(error, found.line, found.text, found.count)
        descriptions.clear()


class TripleMessages(GraphMessages[TripleBuffer]):
    """Messages whose triples are rdflib's, or by column."""

    @cached_property
    def _terms(self) -> TermReader:
        return TermReader()

    def _empty(self) -> TripleBuffer:
        return TripleBuffer()

    def _add(self, message: GraphMessage[TripleBuffer], quad: ox.Quad) -> None:
        message.triples.append(self._terms.triple(quad, message.nodes))

    def _take(self, message: GraphMessage[TripleBuffer], run: PlainRun) -> None:
        if run.block.is_scattered:
            message.triples.extend(run.triples(message.nodes))
        else:
            message.triples.append_part(run.columns(message.nodes))

"""Graphs of an N-Quads or TriG stream as timestamped messages, and the times of graphs.

The time of a graph may be stated after the graph. Its message is held back until then, and so are all later
messages, so that messages are emitted in file order.
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
from pantarhei.model.message_text import last_part
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
    """Options for parsing times.

    Args:
        zone: time zone assumed for times without a zone; None to refuse such times.
        on_cut: called with the text of each time that is cut to microseconds; None to refuse such times.
    """

    zone: tzinfo | None = None
    on_cut: OnCut | None = None


EXACTLY = TimeReading()
"""Refuse times without a zone and times finer than microseconds."""


def time_in_name(name: str, reading: TimeReading = EXACTLY) -> TimePoint | None:
    """Return the time at the end of a graph's IRI, after `/`, `#`, `:`, `=`, `?` or `&`; None if there is
    none.

    Raises:
        TimestampError: the time has no zone, does not exist, or is out of range.

    >>> time_in_name("http://example.org/readings/7"), time_in_name("urn:readings")
    (7, None)
    >>> time_in_name("urn:at:2026-01-31T10%3A00%3A00Z").isoformat()
    '2026-01-31T10:00:00+00:00'
    """
    decoded = _ENCODED.sub(lambda match: chr(int(match[1], 16)), name)
    match = _ISO.search(decoded) or _NUMBER.search(decoded)
    return parse_time(match[1], reading) if match else None


def parse_time(text: str, reading: TimeReading) -> TimePoint:
    """Parse a timestamp as `parse_timestamp` does, with a longer error for a missing time zone.

    Raises:
        TimestampError: the text is not a timestamp.
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
    """Return the IRIs of the properties that state a graph's time, for a value of the option `time`.

    Raises:
        OptionError: the value is neither "auto" nor "graph" nor an IRI.
    """
    if time in (AUTO, BY_NAME):
        return frozenset(TIME_PROPERTIES if time == AUTO else ())
    if not isinstance(time, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+", time):
        raise OptionError(
            "time", repr(time), f"auto, graph, or the whole IRI of a property such as {TIME_PROPERTIES[0]}"
        )
    return frozenset({time})


def expected_time(time: str) -> str:
    """Return the text of an error on where the option `time` expects a graph's time."""
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
    """Return the text of an error on where the option `time` expects a dataset message's time."""
    if time == BY_NAME:
        return "a graph in it whose name ends in a number or an ISO 8601 time after /, #, : or ="
    if time == AUTO:
        names = ", ".join(sorted(map(last_part, TIME_PROPERTIES[:3])))
        other = f"the option {parameter('time')} takes the IRI of another property"
        return f"one of the properties {names} in it; {other}"
    return f"the property <{time}> in it"


def other_time(quad: ox.Quad) -> str:
    """Return a hint for an error if the object of a statement looks like a time; else an empty text.

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
    """Times of graphs, as stated by properties.

    The time of a graph is kept until its message is emitted; of the emitted ones, the newest `REMEMBERED` are
    kept, so that a contradictory later statement is detected.
    """

    REMEMBERED = 10_000

    def __init__(self) -> None:
        self._stated: dict[Name, TimePoint] = {}
        self._used: OrderedDict[Name, TimePoint] = OrderedDict()

    def state(self, name: Name, text: str, reading: TimeReading = EXACTLY) -> None:
        """Set the time of graph `name` to the time in `text`.

        Raises:
            TimestampError: the text is not a time, or the graph already has a different time.
        """
        at = parse_time(text, reading)
        known = self.get(name)
        if known is not None and known != at:
            raise TimestampError(
                f"the time {text} of graph {name}",
                f"one time for a graph, which already has {show_time(known)}; "
                f"set the option {parameter('time')} to the IRI of the property, or to graph",
            )
        if name not in self._used:
            self._stated[name] = at

    def get(self, name: Name) -> TimePoint | None:
        """Return the time of graph `name`; None if no time has been stated."""
        known = self._stated.get(name)
        return self._used.get(name) if known is None else known

    def use(self, name: Name, at: TimePoint) -> None:
        """Record that the message of graph `name` was emitted with time `at`."""
        self._stated.pop(name, None)
        self._used[name] = at
        if len(self._used) > self.REMEMBERED:
            self._used.popitem(last=False)


GraphName = ox.NamedNode | ox.BlankNode


class Skip(Protocol):
    """Callback for skipped input: its line if known, the error, its text, and its number of statements."""

    def __call__(self, line: int | None, reason: str, text: str, count: int = ..., /) -> None: ...


Content = TypeVar("Content", bound=Sized)  # type of the collection that holds a message's triples


@dataclass(slots=True)
class GraphMessage(Generic[Content]):
    """Message under construction: consecutive statements of one graph.

    Attributes:
        line: the line of the first statement.
        is_kept: True once a statement was accepted; a message of skipped statements alone is dropped.
        is_announced: True once the message's time was considered for early emission.
    """

    name: GraphName
    line: int
    nodes: NumberedNodes
    triples: Content
    is_kept: bool = False
    is_announced: bool = False


@dataclass(slots=True)
class _Description:
    """Statements of the default graph about a subject that is not (yet) the name of a graph of the stream.

    Attributes:
        line, text: line and text of the first statement.
        count: number of statements.
    """

    line: int
    text: str
    count: int = 0


class Refusal(NamedTuple):
    """Handler of invalid statements: raises the error with file and line, or skips the statements.

    Args:
        source: the file's name in errors.
        skip: called with each skipped statement; None to raise instead.
    """

    source: str
    skip: Skip | None

    def __call__(self, error: PantarheiError, line: int, text: str, count: int = 1) -> None:
        """Raise `error`, or skip `count` statements of which the first is `text` at `line`."""
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
    """Single-pass reader of one file's graph messages; subclasses define the collection of triples.

    Args:
        source: the file's name in errors.
        time: the option `time` of `read_stream`.
        skip: called with skipped input; None to raise instead.
        reading: options for parsing times; `on_cut` is called at most once per message.
        ordinal: the number of the first message; scopes its blank nodes.
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
        self._cut: dict[GraphName, str] = {}  # texts of cut times, by graph of a held-back message
        self._names: OrderedDict[GraphName, None] = OrderedDict()  # the newest graph names of the stream
        self._current: GraphMessage[Content] | None = None
        self._waiting: deque[GraphMessage[Content]] = deque()
        self._held = 0
        self.ordinal = ordinal
        self._kind: TimeKind | None = None
        self._other_time = ""  # error hint: the default graph has a time in an unexpected property
        self._unplaced: dict[GraphName, _Description] = {}
        self._described: dict[GraphName, _Description] = {}  # subjects with a time: their graph may follow

    @abstractmethod
    def _empty(self) -> Content:
        """Return an empty collection of triples."""

    @abstractmethod
    def _add(self, message: GraphMessage[Content], quad: ox.Quad) -> None:
        """Add the triple of a statement to the message.

        Raises:
            InvalidTripleError: a term is not an RDF 1.1 term, or a literal is used as a class.
        """

    @abstractmethod
    def _take(self, message: GraphMessage[Content], run: PlainRun) -> None:
        """Add the triples of consecutive plain N-Quads lines to the message."""

    def read(self, statements: Iterator[Statement | PlainRun]) -> Iterator[tuple[TimePoint, Content]]:
        """Yield the time and the triples of each message in file order.

        The time of an incomplete message may be emitted early, with no triples.

        Raises:
            InputError: a statement, a time or a graph is invalid, and `skip` is None.
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

    def complete(self) -> Iterator[tuple[TimePoint, Content]]:
        """End the current message while the input is silent; yield the messages whose time is known."""
        self._end_message()
        yield from self._ready()

    # statements

    def _begun(self, line: int, name: GraphName) -> Iterator[tuple[TimePoint, Content]]:
        """End the current message, emit the messages whose time is known, and begin one for graph `name`."""
        self._end_message()
        yield from self._ready()
        self._names[name] = None
        if len(self._names) > self.NAMES_REMEMBERED:
            self._names.popitem(last=False)
        self._described.pop(name, None)
        self._unplaced.pop(name, None)
        self._refuse_descriptions(self._unplaced)
        nodes = nodes_of_message(self._source, str(name), self.ordinal)
        self._current = GraphMessage(name, line, nodes, self._empty())
        self.ordinal += 1

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
        """Process a statement of the default graph: the time of a graph, or a description of a graph."""
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

    def _end_message(self) -> None:
        if self._current is not None:
            self._waiting.append(self._current)
            self._held += len(self._current.triples) + 1
            self._current = None

    # times

    def _announced(self, message: GraphMessage[Content]) -> Iterator[tuple[TimePoint, Content]]:
        """Emit the time of the current message, without triples, if no later statement can change it.

        This completes the ABox of an earlier time.
        """
        message.is_announced = True
        if self._waiting or (self._time == AUTO and self._times.get(message.name) is None):
            return
        try:
            at = self._time_of(message)
            self._kind = self._kind if at is None else same_kind(at, self._kind)
        except PantarheiError:
            return  # raised or skipped when the message ends
        if at is not None:
            yield at, self._empty()

    def _ready(self, ended: bool = False) -> Iterator[tuple[TimePoint, Content]]:
        """Emit messages in file order up to the first whose time is unknown; drop those without statements.

        Args:
            ended: whether the input has ended, so that a time still unknown is an error.
        """
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
        """Remove the oldest held-back message; return the text of its time if that was cut."""
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
        """Return options under which a cut time of graph `name` is recorded once, however often it is
        parsed.
        """
        note = None if self._reading.on_cut is None else partial(self._cut.__setitem__, name)
        return self._reading._replace(on_cut=note)

    # errors

    def _refuse_descriptions(self, descriptions: dict[GraphName, _Description]) -> None:
        for subject, found in list(descriptions.items()):
            reason = (
                f"the default graph describes {subject}, which is not a graph of this stream; "
                "put assertions into a graph that has a time"
            )
            error = MalformedInputError(self._source, found.line, reason)
            self._refuse(error, found.line, found.text, found.count)
        descriptions.clear()


class TripleMessages(GraphMessages[TripleBuffer]):
    """Reader of graph messages whose triples are collected in a `TripleBuffer`."""

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

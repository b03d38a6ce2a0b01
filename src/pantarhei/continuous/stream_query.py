"""A continuous query over streams, and what drives it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from heapq import merge
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rdflib import URIRef

from pantarhei.continuous.query_spec import LaggedWindow, StreamQuerySpec
from pantarhei.errors import OptionError, StreamsEndedError, TimestampError
from pantarhei.io.stream_reader import read_stream
from pantarhei.model.time import TimeKind, TimePoint, plain_time, show_time, ticks_of, time_of, timed
from pantarhei.query.answer_reports import AnswerChange, AnswerReport
from pantarhei.query.continuous_query import ContinuousQuery, QueryMaintainer
from pantarhei.window.sliding import Step, step_to

if TYPE_CHECKING:
    from pantarhei.encoding.encode import ABox


def end_tick(asked: StreamQuerySpec, kind: TimeKind, now: int) -> int | None:
    """The tick at which all windows that hold something of the streams have closed; where the query does not
    wait for that, the one after the last; None where time need not go on.
    """
    if asked.policy.closes:
        ends = (_last(each, kind, now) for each in asked.clocks)
        return max((end for end in ends if end is not None), default=None)
    return now + 1 if asked.policy.tick == "timestamp" else None


def _last(moving: LaggedWindow, kind: TimeKind, now: int) -> int | None:
    """The tick at which the last boundary closes whose window begins by now."""
    window, lag = moving.window, moving.lag(kind)
    end = window.leaving_at(kind, now + lag)
    return end if end - (window.closed != "left") >= window.step_at(kind, now).end else None


Stream = str | os.PathLike[str] | Iterable[tuple[TimePoint, "ABox"]]
"""The path of a file as `read_stream` takes it, or pairs of timestamp and ABox."""


class StreamElement(NamedTuple):
    """What a stream brings at once.

    Args:
        at: its timestamp.
        stream: the stream's IRI.
        abox: what it asserts.
    """

    at: TimePoint
    stream: URIRef
    abox: ABox


def select_streams(streams: Mapping[str, Stream], names: Iterable[URIRef]) -> dict[URIRef, Stream]:
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


def merge_streams(streams: Mapping[URIRef, Stream]) -> Iterator[StreamElement]:
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


def _elements(name: URIRef, stream: Stream) -> Iterator[StreamElement]:
    items = read_stream(stream) if isinstance(stream, str | os.PathLike) else timed(stream)
    return (StreamElement(plain_time(at), name, abox) for at, abox in items)


def _comparable() -> Callable[[StreamElement], Any]:
    """Gives the times of elements; raises where they cannot be compared with the first."""
    kinds: set[bool] = set()

    def time(element: StreamElement) -> TimePoint:
        kinds.add(isinstance(element.at, datetime))
        if len(kinds) > 1:
            given = f"the timestamp {show_time(element.at)} in <{element.stream}>"
            raise TimestampError(given, "a time of the same kind as in the other streams")
        return element.at

    return time


class DrivenQuery(QueryMaintainer, Protocol):
    """What answers a query while its streams go by."""

    def push(self, element: StreamElement) -> AnswerChange | None:
        """A stream brings something; gives what is reported for that."""

    def advance(self, at: TimePoint) -> AnswerChange | None:
        """Time comes to `at`, and nothing arrives; gives what is reported for that."""


class StreamQuery(ContinuousQuery):
    """A continuous query over streams that go by in `run`; `register` makes it.

    Args:
        driven: what answers it.
        asked: what its text asks for.
        elements: what the streams bring, in time order.
        until: time goes on to there in the end, if it is not there yet; None: until all windows that hold
            something have closed.
    """

    def __init__(
        self,
        driven: DrivenQuery,
        asked: StreamQuerySpec,
        elements: Iterator[StreamElement],
        until: TimePoint | None,
    ) -> None:
        super().__init__(driven)
        self._driven, self._asked, self._until = driven, asked, until
        self._reports, self._has_run = self._driven_by(elements), False

    def run(self) -> Iterator[AnswerReport]:
        """The reports, one by one, as the streams are read; whoever asks again goes on where it stands.

        When they have been read, or one raises an error, whoever awaits changes awaits no more.

        Raises:
            StreamsEndedError: they have been read before.
            LateABoxError: a stream is not in time order.
            TimestampError: a timestamp is none, or of another kind than the others or the windows.
            PantarheiError: what the streams raise.
        """
        if self._has_run:
            raise StreamsEndedError(self.name)
        return self._reports

    def _driven_by(self, elements: Iterator[StreamElement]) -> Iterator[AnswerReport]:
        try:
            yield from self._reports_of(elements)
        finally:
            self._has_run = True
            self._let_go()

    def _reports_of(self, elements: Iterator[StreamElement]) -> Iterator[AnswerReport]:
        step: Step | None = None
        spine = self._asked.spine
        for element in elements:
            if self.is_closed:
                return
            step = step_to(spine, step, element.at)
            yield from self._told(self._driven.push(element))
        if step is None or self.is_closed:
            return
        end = self._end(step)
        if end is not None:
            yield from self._told(self._driven.advance(end))

    def _end(self, step: Step) -> TimePoint | None:
        """Where time goes on to when the streams have ended at `step`; None for nowhere."""
        policy = self._asked.policy
        if not policy.closes and policy.tick == "abox":
            return None  # it looks after ABoxes only
        if self._until is None:
            ticks = end_tick(self._asked, step.kind, step.now)
        else:
            ticks = ticks_of(self._until, step.kind)
        return None if ticks is None or ticks <= step.now else time_of(ticks, step.kind)

    def _told(self, change: AnswerChange | None) -> Iterator[AnswerReport]:
        if change is not None:
            self.notify(change)
            yield from change.reports

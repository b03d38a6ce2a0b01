"""A continuous query over streams, and what drives it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from pantarhei.continuous.elements import Element
from pantarhei.continuous.ending import end_of
from pantarhei.errors import StreamsEndedError
from pantarhei.model.time import TimePoint, ticks_of, time_of
from pantarhei.query.answer_reports import AnswerChange, AnswerReport
from pantarhei.query.continuous import Answering, ContinuousQuery
from pantarhei.window.sliding import Step, step_to

if TYPE_CHECKING:
    from pantarhei.continuous.asked_of_streams import AskedOfStreams


class Driven(Answering, Protocol):
    """What answers a query while its streams go by."""

    def take(self, element: Element) -> AnswerChange | None:
        """A stream brings something; gives what is reported for that."""

    def pass_(self, at: TimePoint) -> AnswerChange | None:
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
        self, driven: Driven, asked: AskedOfStreams, elements: Iterator[Element], until: TimePoint | None
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

    def _driven_by(self, elements: Iterator[Element]) -> Iterator[AnswerReport]:
        try:
            yield from self._reports_of(elements)
        finally:
            self._has_run = True
            self._let_go()

    def _reports_of(self, elements: Iterator[Element]) -> Iterator[AnswerReport]:
        step: Step | None = None
        spine = self._asked.spine
        for element in elements:
            if self.is_closed:
                return
            step = step_to(spine, step, element.at)
            yield from self._told(self._driven.take(element))
        if step is None or self.is_closed:
            return
        end = self._end(step)
        if end is not None:
            yield from self._told(self._driven.pass_(end))

    def _end(self, step: Step) -> TimePoint | None:
        """Where time goes on to when the streams have ended at `step`; None for nowhere."""
        policy = self._asked.policy
        if not policy.closes and policy.tick == "abox":
            return None  # it looks after ABoxes only
        if self._until is None:
            ticks = end_of(self._asked, step.kind, step.now)
        else:
            ticks = ticks_of(self._until, step.kind)
        return None if ticks is None or ticks <= step.now else time_of(ticks, step.kind)

    def _told(self, change: AnswerChange | None) -> Iterator[AnswerReport]:
        if change is not None:
            self.tell(change)
            yield from change.reports

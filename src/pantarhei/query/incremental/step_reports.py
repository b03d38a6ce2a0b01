"""What queries reported in a step, and what that says of each of them: made when somebody looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pantarhei.model.time import TimePoint
from pantarhei.query.answer_reports import AnswerChange
from pantarhei.query.continuous import ContinuousQuery
from pantarhei.query.incremental.audiences import Members
from pantarhei.query.incremental.lasting_terms import Decoder
from pantarhei.query.incremental.operator import Row
from pantarhei.query.incremental.registered import Registered
from pantarhei.query.incremental.reports import Report
from pantarhei.query.incremental.versions import Version
from pantarhei.window.boundary_times import joined


class Reports(NamedTuple):
    """What queries reported together.

    Args:
        times: when; of windows that closed, their ends.
        changes: the rows of each query that came (above 0) or went (below), with how many copies; or a
            `Version`.
        shared: such changes of several queries, still to be told apart.
    """

    times: Sequence[TimePoint]
    changes: Sequence[tuple[Registered, Mapping[Row, int] | Version]]
    shared: Sequence[tuple[Members, Mapping[Row, int]]] = ()

    @property
    def single(self) -> Iterator[tuple[Registered, Mapping[Row, int] | Version]]:
        """The changes of each query. Costs a look at all."""
        yield from self.changes
        for members, change in self.shared:
            yield from members.own(change)


class StepReports(NamedTuple):
    """All reports of a step.

    Args:
        at: when the step was.
        reports: one after another.
        decoder: what numbers in rows stand for.
    """

    at: TimePoint
    reports: Sequence[Reports]
    decoder: Decoder

    @property
    def are_followed(self) -> bool:
        """Whether anybody follows one of the queries."""
        handles = (registered.handle for reports in self.reports for registered, _ in reports.single)
        return any(handle is not None and handle.is_followed for handle in handles)

    def by_query(self) -> Iterator[tuple[ContinuousQuery, AnswerChange]]:
        """The queries, each with all that it reported."""
        of_query: dict[Registered, list[Report]] = {}
        for reports in self.reports:
            for registered, change in reports.single:
                _append(of_query.setdefault(registered, []), Report(reports.times, change))
        for registered, reported in of_query.items():
            if registered.handle is not None:
                is_delta = registered.policy.emit == "delta"
                yield registered.handle, AnswerChange.of(self.at, reported, is_delta, self.decoder)


def _append(reports: list[Report], report: Report) -> None:
    """Append a report; join it to the report before it where both have the same answers."""
    times, change = report
    is_same = reports and isinstance(change, Version) and change is reports[-1].change
    together = joined(reports[-1].times, times) if is_same else None
    if together is None:
        reports.append(report)
    else:
        reports[-1] = Report(together, change)

"""The registered queries of one shard: what they report as rows, and when time alone lets them report."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from pantarhei.engine.update import WindowUpdate
from pantarhei.model.time import ticks_of
from pantarhei.query.continuous import ContinuousQuery
from pantarhei.query.registration import Policy, Registration
from pantarhei.reasoner import StreamReasoner
from pantarhei.spark.answer_rows import TextRow, changed_rows
from pantarhei.spark.shards.change import Change
from pantarhei.spark.shards.setup import ShardSetup

_ONLY = "answers"  # the name of the query in a shard's reasoner, where there is one without a name


class ShardQueries:
    """What is asked of a shard, kept up to date by its reasoner.

    A reasoner that was restored has the queries already.

    Args:
        setup: says what is asked.

    Raises:
        OptionError: a query cannot be registered so.
        QueryError: a query is malformed or refused.
    """

    def __init__(self, setup: ShardSetup, reasoner: StreamReasoner) -> None:
        self._setup, self._reasoner = setup, reasoner
        asked = setup.queries if setup.query is None else {_ONLY: Registration(setup.query)}
        self._asked = [_Asked(setup, reasoner, name, given) for name, given in asked.items()]

    def changes(self, update: WindowUpdate) -> Iterator[Change]:
        """What the queries report in a step: of each its reports, in the order of time."""
        for asked in self._asked:
            answered = update.answers.get(asked.query)
            for report in () if answered is None else answered.reports.with_rows():
                for row, copies in changed_rows(report):
                    yield Change(ticks_of(report.at, self._setup.kind), self._row(asked, row), copies)

    def late(self, ticks: int) -> Iterator[Change]:
        """What each query tells of a row of the stream that came too late: that it did."""
        for asked in self._asked:
            yield Change(ticks, self._row(asked, ()), 0)

    def looks(self, now: int) -> Iterator[int]:
        """Ticks after tick `now`, the present one, at which queries may report though no rows come."""
        kind = self._setup.kind
        timestamps = [ticks_of(at, kind) for at in self._reasoner.timestamps]
        for asked in self._asked:
            yield from asked.looks(now, timestamps)

    def _row(self, asked: _Asked, row: TextRow) -> TextRow:
        """The columns of a row, the last of which may be empty."""
        named = row if self._setup.query is not None else (asked.query.name, *row)
        return (*named, *[None] * (len(self._setup.names) - len(named)))


class _Asked:
    """One query of a shard."""

    def __init__(self, setup: ShardSetup, reasoner: StreamReasoner, name: str, given: Registration) -> None:
        text, window, on, emit = given
        self.query: ContinuousQuery = reasoner.queries.get(name) or reasoner.register(
            text, name, window, on, emit
        )
        self._kind, self._window, self._policy = (
            setup.kind,
            window or setup.options.window,
            Policy.of(on, emit),
        )

    def looks(self, now: int, timestamps: list[int]) -> Iterator[int]:
        """See `ShardQueries.looks`.

        Args:
            timestamps: what the reasoner holds, oldest first.
        """
        step = self._window.step_at(self._kind, now)
        inside = bisect_left(timestamps, step.first)
        if inside < len(timestamps):
            yield self._window.leaving_at(self._kind, timestamps[inside])
        elif "non-empty" in self._policy.conditions:
            return
        if self._policy.closes and self._has_to_say():
            yield step.end + (self._window.closed != "left")  # the first tick after the window has closed

    def _has_to_say(self) -> bool:
        stats = self.query.stats()
        return stats.pending > 0 or (self._policy.emit == "rstream" and stats.answers > 0)

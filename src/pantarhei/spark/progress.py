"""Progress of a stream on Spark: totals, a report for each batch, and the state of the query."""

from __future__ import annotations

from dataclasses import dataclass

from pantarhei.model.message_text import counted
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.time import TimePoint, show_time


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals since the stream began, across restarts.

    Args:
        aboxes: ABoxes pushed; the rows of one timestamp count once in each batch that has some of them.
        assertions: facts asserted in the pushed ABoxes.
        cut: assertions removed by repairs; the repair of a timestamp counts in each batch with rows of it.
        late_aboxes: ABoxes that arrived after the watermark had passed their timestamp.
        late: assertions in late ABoxes.
        skipped: rows skipped because they are not timestamped triples.
        ahead: ABoxes whose timestamps were too far ahead.
        conflicts: ABoxes whose arrival contradicted the window, so that a repair removed assertions; shard by
            shard, if the stream is sharded.

    >>> counts = Counts(aboxes=4, assertions=5, cut=1)
    >>> counts.cut / counts.assertions
    0.2
    """

    aboxes: int = 0
    assertions: int = 0
    cut: int = 0
    late_aboxes: int = 0
    late: int = 0
    skipped: int = 0
    ahead: int = 0
    conflicts: int = 0

    def __str__(self) -> str:
        others = {"cut": self.cut, "late": self.late, "skipped": self.skipped, "too far ahead": self.ahead}
        pushed = f"{counted(self.aboxes, 'ABox')}, {counted(self.assertions, 'assertion')}"
        return pushed + "".join(f", {count:,} {name}" for name, count in others.items() if count)


@dataclass(frozen=True, slots=True)
class BatchReport:
    """Report of a batch whose results are delivered and saved.

    Args:
        batch: the batch's number.
        complete_until: the newest time t for which the sums of changes with `at <= t` are final; None if
            there is none yet. Rows may still arrive for the newest ABox, so it is the tick before this ABox,
            or its time if the watermark has passed it.
        aboxes, assertions, cut, conflicts, late, skipped, ahead: the part of this batch in `Counts`.
        facts: facts in the window, with conclusions and background; None if unknown.
        hottest_shard: the shard with the most rows; None for a stream without shards.
        hottest_key: the key with the most rows in this shard.

    >>> print(BatchReport(batch=3, complete_until=6, aboxes=1, assertions=20, cut=2, facts=1_200))
    batch 3: 1 ABox, 20 assertions, 2 cut; complete until 6; 1,200 facts in the window
    """

    batch: int
    complete_until: TimePoint | None = None
    aboxes: int = 0
    assertions: int = 0
    cut: int = 0
    conflicts: int = 0
    late: int = 0
    skipped: int = 0
    ahead: int = 0
    facts: int | None = None
    hottest_shard: int | None = None
    hottest_key: str | None = None

    __repr__ = short_repr
    _repr_html_ = html_of

    def __str__(self) -> str:
        counts = Counts(self.aboxes, self.assertions, self.cut, 0, self.late, self.skipped, self.ahead)
        parts = [f"batch {self.batch}: {counts}", *state_of_window(self.complete_until, self.facts)]
        if self.hottest_shard is not None:
            key = "" if self.hottest_key is None else f", by {self.hottest_key}"
            parts.append(f"shard {self.hottest_shard} has the most rows{key}")
        return "; ".join(parts)


def state_of_window(complete_until: TimePoint | None, facts: int | None) -> list[str]:
    """Return the known ones of two properties of a window as texts."""
    parts = [] if complete_until is None else [f"complete until {show_time(complete_until)}"]
    return parts if facts is None else [*parts, f"{counted(facts, 'fact')} in the window"]


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """Progress of a query.

    Args:
        state: "running", "ended" or "failed".
        batch: the number of the last complete batch, -1 before the first.
        rows: the number of source rows in that batch; None if Spark's last report is about another batch.
        seconds: the duration of that batch; None if Spark's last report is about another batch.
        at: the newest timestamp of the window; None before the first, and for a sharded query.
        counts: totals since the stream began; None for a sharded query.
        complete_until: as in the `BatchReport` of that batch.
        facts: facts in the window after that batch; None before the first batch of this process.

    >>> progress = QueryProgress("running", batch=3, rows=1_000, seconds=0.5)
    >>> progress.rows / progress.seconds  # rows a second of the last batch
    2000.0
    """

    state: str
    batch: int
    rows: int | None
    seconds: float | None
    at: TimePoint | None = None
    counts: Counts | None = None
    complete_until: TimePoint | None = None
    facts: int | None = None

    __repr__ = short_repr
    _repr_html_ = html_of

    def __str__(self) -> str:
        parts = [self.state if self.batch < 0 else f"{self.state}, batch {self.batch} is complete"]
        if self.rows is not None and self.seconds is not None:
            parts[0] += f": {counted(self.rows, 'row')} in {self.seconds:.1f} s"
        if self.at is not None:
            parts.append(f"the window is at {self.at}")
        parts += state_of_window(self.complete_until, self.facts)
        return "; ".join(parts if self.counts is None else [*parts, str(self.counts)])

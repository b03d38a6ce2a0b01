"""Errors of streams and checkpoints."""

from __future__ import annotations

from itertools import takewhile

from pantarhei.errors.base import PantarheiError, parameter


class StreamError(PantarheiError):
    """A stream cannot be processed."""


class LateABoxError(StreamError):
    """An ABox is older than the newest timestamp, by more than the allowed lateness if there is one.

    Args:
        at: the timestamp of the ABox.
        newest: the newest timestamp.
        allowed_lateness: the allowed lateness; None if there is none.
        lateness: the smallest allowed lateness that would accept the ABox; None if it is unknown.
        is_abox: False for a time without an ABox, given to `advance`.
    """

    def __init__(
        self,
        at: str,
        newest: str,
        allowed_lateness: str | None = None,
        lateness: str | None = None,
        is_abox: bool = True,
    ) -> None:
        super().__init__(at, newest, allowed_lateness, lateness, is_abox)
        self.at, self.newest, self.allowed_lateness, self.lateness = at, newest, allowed_lateness, lateness
        self.is_abox = is_abox

    def __str__(self) -> str:
        if not self.is_abox:
            return f"time does not go back: {self.at} is older than the newest time, {self.newest}"
        wrong = f"; if the newest time is wrong, {parameter('max_ahead')} excludes such times"
        enough = parameter("allowed_lateness", self.lateness)
        if self.allowed_lateness is not None:
            allowed = parameter("allowed_lateness", self.allowed_lateness)
            hint = "" if self.lateness is None else f" ({enough} accepts this one)"
            return (
                f"the ABox at {self.at} is later than {allowed} permits: the newest time is {self.newest}; "
                f"permit more lateness or omit the ABox{hint}{wrong}"
            )
        more = "" if self.lateness is None else ", or more if later ABoxes follow"
        return (
            f"the ABox at {self.at} is older than the newest time, {self.newest}; push ABoxes in time order, "
            f"or let the stream wait for them with {enough}{more}{wrong}"
        )


class FutureABoxError(StreamError):
    """The timestamp of an ABox is further ahead of a reference time than `max_ahead` permits.

    Args:
        at: the timestamp of the ABox.
        time: the reference time.
        reference: the source of the reference time: the clock, or the other ABoxes.
        max_ahead: the limit.
        ahead: the smallest `max_ahead` that would accept the ABox.
    """

    def __init__(self, at: str, time: str, reference: str, max_ahead: str, ahead: str) -> None:
        super().__init__(at, time, reference, max_ahead, ahead)
        self.at, self.time, self.reference = at, time, reference
        self.max_ahead, self.ahead = max_ahead, ahead

    def __str__(self) -> str:
        return (
            f"the ABox at {self.at} is further ahead than {parameter('max_ahead', self.max_ahead)} permits: "
            f"the time by {self.reference} is {self.time}; omit the ABox, or raise the limit "
            f"({parameter('max_ahead', self.ahead)} accepts this one)"
        )


class StreamsEndedError(StreamError):
    """A query over streams was run again after its streams had ended or failed.

    Args:
        query: the name of the query.
    """

    def __init__(self, query: str) -> None:
        super().__init__(query)
        self.query = query

    def __str__(self) -> str:
        return (
            f"the query {self.query} cannot run again, because its streams have ended; register its text "
            "again with new streams. `answers` has the last report"
        )


_DROP = '"drop"'


class MemoryLimitError(StreamError):
    """A push, or the background alone, exceeds `max_facts` or `max_bytes`.

    Args:
        limit: the name of the limit, "max_facts" or "max_bytes".
        most: the value of the limit.
        needed: lower bound of the required number of facts or bytes.
        at: the timestamp of the pushed ABox; None for the background.
        alone: whether all older ABoxes have been evicted already.
        beside: number of bytes, part of `needed`, for temporal rules and registered queries.
    """

    def __init__(
        self, limit: str, most: int, needed: int, at: str | None, alone: bool, beside: int = 0
    ) -> None:
        super().__init__(limit, most, needed, at, alone, beside)
        self.limit, self.most, self.needed, self.at, self.alone = limit, most, needed, at, alone
        self.beside = beside

    def __str__(self) -> str:
        unit = "facts" if self.limit == "max_facts" else "bytes"
        limit = parameter(self.limit, f"{self.most:_}")
        there = f"{self.needed:_} {unit} or more, which exceeds the limit {limit}"
        if self.at is None:
            return (
                f"the background with its conclusions needs {there}; raise the limit or reduce the background"
            )
        if self.beside:
            alone = " alone, after eviction of all older ABoxes," if self.alone else ""
            return (
                f"with the ABox at {self.at} the window{alone} and the state of rules and queries would need "
                f"{there} ({self.beside:_} of these bytes are for temporal rules and registered queries); "
                "raise the limit, or shorten the windows of rules and queries or the range of the window"
            )
        if self.alone:
            return (
                f"the ABox at {self.at} alone with its conclusions needs {there}, after all older ABoxes "
                "were evicted; raise the limit, divide the ABox into several timestamps, or check which "
                "rules derive most"
            )
        return (
            f"with the ABox at {self.at} the window would need {there}; raise the limit, make the window's "
            f"range shorter, or evict the oldest timestamps early with {parameter('on_limit', _DROP)}"
        )


class CheckpointError(PantarheiError):
    """A checkpoint cannot be written, read or used.

    Args:
        source: the path of the checkpoint, or a description of the given bytes.
        reason: the error and a remedy.
    """

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(source, reason)
        self.source, self.reason = source, reason

    def __str__(self) -> str:
        return f"the checkpoint {self.source}: {self.reason}"


class CheckpointMismatchError(CheckpointError):
    """A checkpoint was written with another ontology or background than the given one.

    Args:
        source: the path of the checkpoint, or a description of the given bytes.
        what: the input that differs.
        saved: the fingerprint of the input in the checkpoint.
        given: the fingerprint of the given input.
    """

    def __init__(self, source: str, what: str, saved: str, given: str) -> None:
        PantarheiError.__init__(self, source, what, saved, given)
        self.source, self.what, self.saved, self.given = source, what, saved, given

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Text on the difference, with a remedy."""
        saved, given = _from_difference(self.saved, self.given)
        return (
            f"it was written with other {self.what} (fingerprint {saved}) than the given ones "
            f"(fingerprint {given}); restore it with the original ones, or create a "
            "new StreamReasoner and push the window's ABoxes to it"
        )


def _from_difference(*texts: str) -> list[str]:
    """Return texts from shortly before their first difference, at most 200 characters of each."""
    common = takewhile(lambda each: len(set(each)) == 1, zip(*texts, strict=False))
    start = max(sum(1 for _ in common) - 40, 0)
    ends = (text[start : start + 200] for text in texts)
    return [f"{'…' if start else ''}{end}{'…' if len(end) == 200 else ''}" for end in ends]


class CheckpointOptionError(CheckpointMismatchError):
    """A checkpoint was written with another value of an option.

    Args:
        source: the path of the checkpoint, or a description of the given bytes.
        what: the name of the option.
        saved: the value in the checkpoint.
        given: the given value.
    """

    @property
    def reason(self) -> str:  # type: ignore[override]
        """Text on the difference, with a remedy."""
        return (
            f"it was written with {self.what}={self.saved}, but {self.what}={self.given} is given; omit "
            f"{self.what} to use the saved value, or create a new StreamReasoner with the new value and push "
            "the assertions of the restored one to it"
        )


class CheckpointSplitError(CheckpointError):
    """Checkpoints cannot be split by keys, or merged.

    Args:
        obstacle: what cannot be split or merged.
        expected: what to do, as a clause.
    """

    def __init__(self, obstacle: str, expected: str) -> None:
        PantarheiError.__init__(self, obstacle, expected)
        self.obstacle, self.expected = obstacle, expected

    @property
    def source(self) -> str:  # type: ignore[override]
        """Description of the checkpoints."""
        return "of a shard"

    @property
    def reason(self) -> str:  # type: ignore[override]
        """The obstacle and a remedy."""
        return f"{self.obstacle}; {self.expected}"

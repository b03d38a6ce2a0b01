"""A stream, or a checkpoint of one, cannot be taken on."""

from __future__ import annotations

from pantarhei.errors.base import PantarheiError


class StreamError(PantarheiError):
    """A stream that cannot be followed."""


class LateABoxError(StreamError):
    """An ABox arrived whose timestamp is older than the newest one seen.

    Args:
        at: its timestamp.
        newest: the newest time seen.
        allowed_lateness: how far out of order it could have been, if any disorder was allowed.
        lateness: how far it would have to be, as `allowed_lateness` takes it.
    """

    def __init__(
        self, at: str, newest: str, allowed_lateness: str | None = None, lateness: str | None = None
    ) -> None:
        super().__init__(at, newest, allowed_lateness, lateness)
        self.at, self.newest, self.allowed_lateness, self.lateness = at, newest, allowed_lateness, lateness

    def __str__(self) -> str:
        wrong = "; if the newest time is wrong, max_ahead excludes such times"
        if self.allowed_lateness is not None:
            return (
                f"the ABox at {self.at} comes later than allowed_lateness={self.allowed_lateness} permits: "
                f"time has come to {self.newest}; allow more lateness or leave the ABox out"
                + ("" if self.lateness is None else f" (allowed_lateness={self.lateness} takes this one in)")
                + wrong
            )
        wait = "allowed_lateness"
        if self.lateness is not None:
            wait += f"={self.lateness}, or more where others come later"
        return (
            f"the ABox at {self.at} is older than the newest time seen, {self.newest}; "
            f"push ABoxes in time order, or let the stream wait for them with {wait}{wrong}"
        )


class FutureABoxError(StreamError):
    """An ABox arrived whose timestamp is further ahead than `max_ahead` permits.

    Args:
        at: its timestamp.
        time: the time that it is ahead of.
        reference: what has this time: the clock, or the other ABoxes.
        max_ahead: how far ahead it could have been.
        ahead: how far ahead it is, as `max_ahead` takes it.
    """

    def __init__(self, at: str, time: str, reference: str, max_ahead: str, ahead: str) -> None:
        super().__init__(at, time, reference, max_ahead, ahead)
        self.at, self.time, self.reference = at, time, reference
        self.max_ahead, self.ahead = max_ahead, ahead

    def __str__(self) -> str:
        return (
            f"the ABox at {self.at} is further ahead than max_ahead={self.max_ahead} permits: by "
            f"{self.reference} it is {self.time}; leave the ABox out, or allow more (max_ahead={self.ahead} "
            "takes this one in)"
        )


class StreamsEndedError(StreamError):
    """A query over streams is to run once more after they have been read, to their end or to an error.

    Args:
        query: its name.
    """

    def __init__(self, query: str) -> None:
        super().__init__(query)
        self.query = query

    def __str__(self) -> str:
        return (
            f"the streams of the query {self.query} have been read; what it reported last are its `answers`. "
            "To run it once more, register its text again, with streams that begin anew"
        )


class MemoryLimitError(StreamError):
    """A push would leave more than `max_facts` or `max_bytes` allows; or the background alone does.

    Args:
        limit: which of the two.
        most: what it allows.
        needed: what there would be, at least.
        at: the timestamp of the ABox, None for the background.
        alone: whether no older ABox is left that could make room.
        beside: how many of the bytes temporal rules and registered queries hold.
    """

    def __init__(
        self, limit: str, most: int, needed: int, at: str | None, alone: bool, beside: int = 0
    ) -> None:
        super().__init__(limit, most, needed, at, alone, beside)
        self.limit, self.most, self.needed, self.at, self.alone = limit, most, needed, at, alone
        self.beside = beside

    def __str__(self) -> str:
        unit = "facts" if self.limit == "max_facts" else "bytes"
        there = f"{self.needed:_} {unit} or more, where {self.limit}={self.most:_}"
        if self.at is None:
            return (
                f"the background and what follows from it need {there}; allow more, or give less background"
            )
        if self.beside:
            alone = ", alone after all that is older was left out," if self.alone else ","
            return (
                f"at {self.at} the window{alone} what is concluded and what is answered would need {there}, "
                f"{self.beside:_} of these for temporal rules and registered queries; allow more, make the "
                "windows of rules and queries or the window's range shorter, or look which of them hold most"
            )
        if self.alone:
            return (
                f"the ABox at {self.at} alone and what follows from it need {there}, after all that is older "
                "was left out; allow more, spread it over several timestamps, or look which rules derive it"
            )
        return (
            f"with the ABox at {self.at} the window would need {there}; allow more, make the window's range "
            'shorter, or let the oldest timestamps leave early with on_limit="drop"'
        )


class CheckpointError(PantarheiError):
    """A checkpoint that cannot be written, read or used.

    Args:
        source: where it is, or what was given.
        reason: what is wrong with it, and what to do.
    """

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(source, reason)
        self.source, self.reason = source, reason

    def __str__(self) -> str:
        return f"the checkpoint {self.source}: {self.reason}"


class CheckpointMismatchError(CheckpointError):
    """A checkpoint was made with another ontology or background than it is restored with.

    Args:
        source: where it is, or what was given.
        what: what differs.
        saved: the fingerprint of what it was made with.
        given: the fingerprint of what is given now.
    """

    def __init__(self, source: str, what: str, saved: str, given: str) -> None:
        PantarheiError.__init__(self, source, what, saved, given)
        self.source, self.what, self.saved, self.given = source, what, saved, given

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What differs, and what to do."""
        return (
            f"it was made with other {self.what}, fingerprint {self.saved}, than are given now, fingerprint "
            f"{self.given}; restore it with the same, or make a new StreamReasoner and push the window's "
            "ABoxes to it"
        )


class CheckpointOptionError(CheckpointMismatchError):
    """A checkpoint was made with another option than it is restored with.

    Of the arguments `what` is the name of the option, `saved` and `given` are its values then and now.
    """

    @property
    def reason(self) -> str:  # type: ignore[override]
        """What differs, and what to do."""
        return (
            f"it was made with {self.what}={self.saved}, and {self.what}={self.given} is given now; leave "
            f"{self.what} out to go on as it was, or make a new StreamReasoner with the new value and push "
            "the assertions of the restored one to it"
        )

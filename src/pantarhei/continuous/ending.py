"""Where time goes when the streams have ended, so that windows close and timestamps are left."""

from __future__ import annotations

from pantarhei.continuous.asked_of_streams import AskedOfStreams, Moving
from pantarhei.model.time import TimeKind


def end_of(asked: AskedOfStreams, kind: TimeKind, now: int) -> int | None:
    """The tick at which all windows that hold something of the streams have closed; where the query does not
    wait for that, the one after the last; None where time need not go on.
    """
    if asked.policy.closes:
        ends = (_last(each, kind, now) for each in asked.clocks)
        return max((end for end in ends if end is not None), default=None)
    return now + 1 if asked.policy.tick == "timestamp" else None


def _last(moving: Moving, kind: TimeKind, now: int) -> int | None:
    """The tick at which the last boundary closes whose window begins by now."""
    window, lag = moving.window, moving.lag(kind)
    end = window.leaving_at(kind, now + lag)
    return end if end - (window.closed != "left") >= window.step_at(kind, now).end else None

"""What registering a query takes, as one value."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pantarhei.model.time import Duration
from pantarhei.window.sliding import Window

Condition = Literal["change", "close", "non-empty"]
"""What must hold for a report."""

Emit = Literal["delta", "istream", "dstream", "rstream"]
"""What a report has."""

Tick = Literal["abox", "timestamp"]
"""When a query that waits for no window looks: after each ABox, or when time leaves a timestamp."""


class Registration(NamedTuple):
    """A query to be kept up to date, as `StreamReasoner.register` takes it.

    Args:
        text: the query.
        window: what part of the window it is asked of, None for all of it.
        on: when it reports.
        emit: what it reports.
    """

    text: str
    window: Window | None = None
    on: str | Duration | tuple[str | Duration, ...] = "change"
    emit: str = "delta"

"""What registering a query takes, as one value."""

from __future__ import annotations

from typing import NamedTuple

from pantarhei.language.time import Duration
from pantarhei.window.sliding import Window


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

"""Timestamps as a text shows them: by the clock alone where the day is the same for all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from pantarhei.model.time import TimePoint, show_time

_MOST = 5
"""So many times are listed."""


@dataclass(frozen=True, slots=True)
class ShownTimes:
    """How the times of one text are shown. Make it with `of`.

    Args:
        day: the day of all of them, with its time zone; None where they are of several days, or no datetimes.
        clock: how a datetime is shown, for `strftime`; None for in full.

    >>> from datetime import UTC
    >>> at = [datetime(2026, 3, 2, 7, minute, tzinfo=UTC) for minute in (0, 5)]
    >>> times = ShownTimes.of(at)
    >>> times.day, times(at[1]), ShownTimes.of([4])(4)
    ('2026-03-02 (UTC)', '07:05', '4')
    """

    day: str | None
    clock: str | None

    @classmethod
    def of(cls, times: Iterable[TimePoint]) -> ShownTimes:
        """How these are shown."""
        given = [at for at in times if isinstance(at, datetime)]
        zones = {at.utcoffset() for at in given}
        if len(zones) != 1:
            return cls(None, None)
        clock = "%H:%M:%S.%f" if any(at.microsecond for at in given) else "%H:%M:%S"
        if not any(at.second or at.microsecond for at in given):
            clock = "%H:%M"
        zone = zones.pop()
        assert zone is not None, "timestamps have a zone"
        shown_zone = given[0].isoformat()[-6:] if zone else "UTC"
        if len({at.date() for at in given}) == 1:
            return cls(f"{given[0].date().isoformat()} ({shown_zone})", clock)
        return cls(None, f"%Y-%m-%d {clock}{'Z' if not zone else shown_zone}")

    def __call__(self, at: TimePoint) -> str:
        return at.strftime(self.clock) if self.clock and isinstance(at, datetime) else show_time(at)

    def span(self, times: Iterable[TimePoint]) -> str:
        """From the first to the last, with the day.

        >>> ShownTimes.of([1, 4]).span([4, 1, 4])
        'from 1 to 4'
        """
        span = self.reach(times)
        return f"{span} on {self.day}" if self.day else span

    def listed(self, times: Iterable[TimePoint]) -> str:
        """The first few of them, and how many more there are.

        >>> ShownTimes(None, None).listed(range(9))
        'at 0, 1, 2, 3, 4, and 4 more'
        """
        given = [self(at) for at in sorted(times)]
        more = [f"and {len(given) - _MOST} more"] if len(given) > _MOST else []
        return f"at {', '.join([*given[:_MOST], *more])}"

    def reach(self, times: Iterable[TimePoint]) -> str:
        """The same without the day."""
        first, *_, last = sorted(times) * 2
        return f"at {self(first)}" if first == last else f"from {self(first)} to {self(last)}"

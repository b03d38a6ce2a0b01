"""Windows in calendar days of a time zone: boundaries are starts of local days, 23 to 25 hours apart.

range = slide = one day, Europe/Berlin
local  |  Oct 24  |   Oct 25   |  Oct 26  |
hours  |    24    |     25     |    24    |

Ticks are microseconds since 1970-01-01T00:00Z. Days are proleptic Gregorian ordinals (`date.toordinal`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import MAXYEAR, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.datetimes import EPOCH, MICROSECOND, tick_of_datetime, zone_named
from pantarhei.model.durations import duration_parts
from pantarhei.model.time import Duration

Boundaries = range
"""Boundaries of a window, ascending."""

_EPOCH_DAY = date(1970, 1, 1).toordinal()
_DAY = 86_400_000_000  # microseconds
_FIRST_DAY, _LAST_DAY = 3, date(MAXYEAR, 12, 31).toordinal() - 2  # days that exist in every zone
_MONDAY = date(1970, 1, 5).toordinal()
_TYPICAL = (1970, 2100)  # years in which the lengths of windows are compared
_A_LENGTH = "whole days, weeks, months or years, such as 1 day, 2 weeks or P1M, since the window has a zone"
_MOST_DAYS = 10**7
_IN_CALENDAR = {"y": (12, 0), "month": (1, 0), "w": (0, 7), "d": (0, 1)}
"""Months and days of a unit."""


class CalendarLength(NamedTuple):
    """Length in calendar months and days."""

    months: int
    days: int

    @property
    def most_days(self) -> int:
        """Maximum number of days of this length, at any start."""
        return self.months * 31 + self.days

    @property
    def least_days(self) -> int:
        """Minimum number of days of this length, at any start."""
        return self.months * 28 + self.days


_A_DAY = CalendarLength(0, 1)


def calendar_length(given: Duration) -> CalendarLength:
    """Convert a duration of years, months, weeks and days, or a timedelta of whole days.

    Raises:
        TimestampError: the duration is not of this form, has a fraction of a day, or is too long.

    >>> calendar_length("P1Y2M"), calendar_length("P2W")
    (CalendarLength(months=14, days=0), CalendarLength(months=0, days=14))
    """
    if isinstance(given, timedelta) and not given % timedelta(days=1) and given.days >= 0:
        return CalendarLength(0, given.days)
    parts = duration_parts(given) if isinstance(given, str) else ()
    if not parts or any(unit not in _IN_CALENDAR or not number.isdecimal() for number, unit in parts):
        raise TimestampError(f"the duration {given!r}", _A_LENGTH)
    counted = [(min(Decimal(number), Decimal(_MOST_DAYS + 1)), _IN_CALENDAR[unit]) for number, unit in parts]
    length = CalendarLength(*(sum(int(number) * unit[i] for number, unit in counted) for i in range(2)))
    if length.most_days > _MOST_DAYS:
        raise TimestampError(f"the duration {given!r:.60}", f"a length below {_MOST_DAYS:_} days")
    return length


@dataclass(frozen=True, slots=True)
class CalendarBounds:
    """Bounds of a window in calendar days of a zone, in ticks.

    Args:
        zone: name of the time zone.
        range: length of the window.
        slide: distance of boundaries, either in days or in months.
        origin: ordinal of a day whose start is a boundary.
        open_start, open_end: 1 if the window excludes its start, or its end; else 0.
    """

    zone: str
    range: CalendarLength
    slide: CalendarLength
    origin: int
    open_start: int
    open_end: int
    _last: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)], repr=False, compare=False)

    @classmethod
    def of(
        cls, zone: str, range: Duration, slide: Duration, origin: object, open_start: int, open_end: int
    ) -> CalendarBounds:
        """Build the bounds from the options of a `Window`.

        Raises:
            OptionError: the zone is unknown, a length is 0, or the origin is not the start of a local day.
            TimestampError: a length is not in calendar units.
        """
        zone_named(zone)
        length, step = calendar_length(range), calendar_length(slide)
        if not any(length) or not any(step) or all(step):
            name, given = ("range", range) if not any(length) else ("slide", slide)
            expected = "a length above 0" if name == "range" else "either days or months, above 0"
            raise OptionError(name, str(given), expected)
        if type(origin) is int and origin == 0:
            day = _EPOCH_DAY if step.months else _MONDAY
        elif isinstance(origin, datetime):
            ticks = tick_of_datetime(origin)
            day = _day_of(zone, ticks)
            if _start_of(zone, day) != ticks:
                raise OptionError("origin", origin.isoformat(), f"the start of a day in {zone}")
        else:
            raise TimestampError(f"the origin {origin!r}", f"a datetime at the start of a day in {zone}")
        return cls(zone, length, step, day, open_start, open_end)

    def boundary(self, at: int) -> int:
        """Return the first boundary at or after a tick."""
        before, after = self._last[0]
        if not before < at <= after:
            number = self._number(at)
            self._last[0] = _, after = self._at(number - 1), self._at(number)
        return after

    def end(self, now: int) -> int:
        """Return the end of the window at the present tick `now`."""
        return self.boundary(now + self.open_end)

    def start(self, end: int) -> int:
        """Return the lower bound, whether included or not, of the window that ends at the boundary `end`."""
        day = _day_of(self.zone, end)
        if _start_of(self.zone, day - 1) == end:  # the zone skips the preceding day
            day = self._day(self._number(end))
        return _start_of(self.zone, _minus(day, self.range))

    def first(self, end: int) -> int:
        """Return the oldest tick inside the window that ends at the boundary `end`."""
        return self.start(end) + self.open_start

    def closings(self, before: int, until: int) -> Boundaries:
        """Return the first two boundaries from the end of the window at tick `before` on, and before tick
        `until`.
        """
        first = self.end(before)
        second = self.boundary(first + 1)
        if first >= until:
            return range(0)
        return range(first, first + 1) if second >= until else range(first, second + 1, second - first)

    def stops(self, before: int, until: int) -> Iterator[int]:
        """Yield the boundaries after tick `before` and before tick `until`, ascending."""
        while (before := self.boundary(before + 1)) < until:
            yield before

    def whole(self, boundaries: Boundaries, began: int) -> Boundaries:
        """Return the boundaries whose windows begin at tick `began` or later."""
        return boundaries[sum(self.start(each) < began for each in boundaries) :]

    def leaving(self, at: int) -> int:
        """Return the first present tick at which the window no longer contains tick `at`."""
        most = self._number(at)
        least = most - 1  # this boundary is before the tick, so its window does not begin after the tick
        while self.first(self._at(most)) <= at:
            least, most = most, most + 2 * (most - least)
        while least + 1 < most:
            middle = (least + most) // 2
            least, most = (middle, most) if self.first(self._at(middle)) <= at else (least, middle)
        return self._at(most - 1) + 1 - self.open_end

    def entering(self, at: int) -> int:
        """Return the first present tick at which the end of the window is not before tick `at`."""
        return self._at(self._number(at + self.open_end) - 1) + 1 - self.open_end

    @property
    def leaves_out(self) -> bool:
        """True if the slide exceeds the range, so that some timestamps are in no window."""
        if self.slide == self.range:
            return False
        if bool(self.slide.months) == bool(self.range.months) and not self.range.days * self.slide.months:
            return self.slide > self.range
        return self.slide.most_days > self.range.least_days

    @property
    def extent(self) -> tuple[int, int]:
        """Minimum and maximum length of the window, in ticks."""
        return _extent(self.zone, self.range, self.slide, self.origin)

    @property
    def longest_slide(self) -> int:
        """Maximum distance of two boundaries, in ticks."""
        return _extent(self.zone, self.slide, self.slide, self.origin)[1]

    def has_boundaries_of(self, other: CalendarBounds) -> bool:
        """Test whether each boundary of another window is a boundary of this window."""
        if self.zone != other.zone:
            return False
        if self.slide == _A_DAY:
            return True
        if self.slide.months and other.slide.months:
            (month, day), (others_month, others_day) = (_month_of(each.origin) for each in (self, other))
            offsets = others_month - month, other.slide.months
            return day == others_day and not any(each % self.slide.months for each in offsets)
        offsets = other.origin - self.origin, other.slide.days
        return not (
            self.slide.months or other.slide.months or any(each % self.slide.days for each in offsets)
        )

    def holds(self, other: CalendarBounds) -> bool:
        """Test whether this window always contains another one, also at each boundary at which the other one
        closes.
        """
        is_longer = self.range.months >= other.range.months and self.range.days >= other.range.days
        has_start = self.open_start <= other.open_start or self.range != other.range
        return self.has_boundaries_of(other) and is_longer and has_start

    def _number(self, at: int) -> int:
        """Return the number of the first boundary at or after a tick; the boundary at the origin has number
        0.
        """
        day = _day_of(self.zone, at)
        if self.slide.months:
            number = (_month_of(day)[0] - _month_of(self.origin)[0]) // self.slide.months
        else:
            number = (day - self.origin) // self.slide.days
        while self._at(number) >= at:
            number -= 1
        while self._at(number) < at:
            number += 1
        return number

    def _at(self, number: int) -> int:
        """Return the boundary with a number."""
        return _start_of(self.zone, self._day(number))

    def _day(self, number: int) -> int:
        """Return the day whose start is the boundary with a number."""
        if not self.slide.months:
            return self.origin + number * self.slide.days
        month, day = _month_of(self.origin)
        return _day_in(month + number * self.slide.months, day)


_zone = lru_cache(maxsize=16)(zone_named)


def _day_of(zone: str, tick: int) -> int:
    """Return the ordinal of the local day at a tick; near the limits of the calendar, of the UTC day."""
    day = tick // _DAY + _EPOCH_DAY
    if not _FIRST_DAY <= day <= _LAST_DAY:
        return day
    return (EPOCH + tick * MICROSECOND).astimezone(_zone(zone)).toordinal()


@lru_cache(maxsize=4096)
def _start_of(zone: str, day: int) -> int:
    """Return the first tick of a local day; of the next day if the zone skips it."""
    if not _FIRST_DAY <= day <= _LAST_DAY:
        return (day - _EPOCH_DAY) * _DAY
    midnight = datetime.combine(date.fromordinal(day), datetime.min.time(), _zone(zone))
    start = (midnight - EPOCH) // MICROSECOND
    if _day_of(zone, start - 1) < day <= _day_of(zone, start):
        return start
    return _changed(zone, day, start)


def _changed(zone: str, day: int, near: int) -> int:
    """Return the first tick near `near` whose local day is `day` or later."""
    before, after = near - 2 * _DAY, near + 2 * _DAY
    while before + 1 < after:
        middle = (before + after) // 2
        before, after = (before, middle) if _day_of(zone, middle) >= day else (middle, after)
    return after


def _month_of(day: int) -> tuple[int, int]:
    """Return the number of a day's month, counted from the year 0, and the day of the month."""
    shift = 0 if 1 <= day <= date.max.toordinal() else (day - 1) // 146_097  # 146_097 days are 400 years
    at = date.fromordinal(day - shift * 146_097)
    return (at.year + shift * 400) * 12 + at.month - 1, at.day


def _day_in(month: int, day: int) -> int:
    """Return a day of a month, given the month's number; the last day if the month has fewer days."""
    year, month = divmod(month, 12)
    shift = (year - 1) // 400
    first = date(year - shift * 400, month + 1, 1)
    following = date(first.year + month // 11, (month + 1) % 12 + 1, 1)
    return first.toordinal() + min(day, (following - first).days) - 1 + shift * 146_097


def _minus(day: int, length: CalendarLength) -> int:
    """Subtract a length from a day: first the months, then the days."""
    if not length.months:
        return day - length.days
    month, in_month = _month_of(day)
    return _day_in(month - length.months, in_month) - length.days


@lru_cache(maxsize=64)
def _extent(zone: str, range_: CalendarLength, slide: CalendarLength, origin: int) -> tuple[int, int]:
    """Return the minimum and maximum length of windows that end at boundaries, in ticks."""
    bounds = CalendarBounds(zone, range_, slide, origin, 0, 0)
    first, last = (tick_of_datetime(datetime(year, 1, 1, tzinfo=EPOCH.tzinfo)) for year in _TYPICAL)
    lengths = [end - bounds.start(end) for end in bounds.stops(first, last)]
    return min(lengths), max(lengths)

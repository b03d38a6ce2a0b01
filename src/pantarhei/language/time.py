"""Timestamps and durations, and the 64-bit integer ticks they become.

A stream's timestamps are all of one kind. A tick is 1 for integers, a nanosecond (10⁻⁹) for floats and a
microsecond for datetimes, which carry a time zone. This module never asks what time it is.
"""

from __future__ import annotations

import math
import numbers
import re
from datetime import UTC, datetime, timedelta
from enum import Enum

from pantarhei.errors import TimestampError

TimePoint = int | float | datetime
Duration = int | float | timedelta | str

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FLOAT_TICKS = 10**9
MOST_TICKS = 2**62


class TimeKind(Enum):
    """What a stream's timestamps are."""

    INTEGER = "an integer"
    FLOAT = "a float"
    DATETIME = "a datetime with a time zone"


def kind_of(at: object) -> TimeKind:
    """The kind of timestamp that `at` is.

    Raises:
        TimestampError: it is none, or a datetime without a time zone.

    >>> kind_of(3), kind_of(3.0)
    (<TimeKind.INTEGER: 'an integer'>, <TimeKind.FLOAT: 'a float'>)
    """
    if isinstance(at, datetime):
        if at.tzinfo is None or at.utcoffset() is None:
            raise TimestampError(
                f"the datetime {at.isoformat()} without a time zone", "one with a zone, such as …+00:00 or …Z"
            )
        return TimeKind.DATETIME
    if isinstance(at, bool):
        raise TimestampError(repr(at), "a timestamp (int, float, or datetime with a time zone)")
    if isinstance(at, numbers.Integral):
        return TimeKind.INTEGER
    if isinstance(at, numbers.Real):
        return TimeKind.FLOAT
    raise TimestampError(repr(at), "a timestamp (int, float, or datetime with a time zone)")


def is_of_kind(at: TimePoint, kind: TimeKind) -> bool:
    """Whether `at` may stand in a stream of the given kind; a stream of floats takes integers too.

    Raises:
        TimestampError: it is no timestamp.
    """
    given = kind_of(at)
    return given is kind or (given, kind) == (TimeKind.INTEGER, TimeKind.FLOAT)


def ticks_of(at: TimePoint, kind: TimeKind) -> int:
    """The tick of the timestamp `at` in a stream of the given kind; a stream of floats takes integers too.

    Raises:
        TimestampError: `at` is of another kind, not finite, or beyond 62 bits.

    >>> ticks_of(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), TimeKind.DATETIME)
    1000000
    """
    if not is_of_kind(at, kind):
        raise TimestampError(
            f"the timestamp {show_time(at)}", f"{kind.value} like the stream's other timestamps"
        )
    if isinstance(at, datetime):
        return (at - _EPOCH) // timedelta(microseconds=1)
    return _bounded(at, _scaled(at, kind))


def duration_ticks(duration: Duration, kind: TimeKind) -> int:
    """The length of `duration` in ticks of the given kind, not negative.

    Numbers measure streams of numbers; timedeltas and ISO 8601 durations measure streams of datetimes.

    Raises:
        TimestampError: it is negative, not finite, or does not fit the kind.

    >>> duration_ticks("PT5M", TimeKind.DATETIME), duration_ticks(2, TimeKind.INTEGER)
    (300000000, 2)
    """
    if isinstance(duration, str):
        duration = parse_duration(duration)
    if isinstance(duration, timedelta):
        if kind is not TimeKind.DATETIME:
            raise TimestampError(
                f"the duration {duration}", f"a number, since the stream's time is {kind.value}"
            )
        ticks = duration // timedelta(microseconds=1)
    else:
        if kind_of(duration) is TimeKind.DATETIME:
            raise TimestampError(repr(duration), "a duration")
        if kind is TimeKind.DATETIME:
            raise TimestampError(
                f"the duration {duration!r}",
                "a timedelta or an ISO 8601 duration such as PT5M, since the stream's time is a datetime",
            )
        ticks = _scaled(duration, kind)
        if kind is TimeKind.INTEGER and ticks != duration:
            raise TimestampError(
                f"the duration {duration!r}", "a whole number, since the stream's time is an integer"
            )
    if ticks < 0:
        raise TimestampError(f"the duration {duration}", "a duration that is not negative")
    return _bounded(duration, ticks)


def _scaled(number: float, kind: TimeKind) -> int:
    if not math.isfinite(number):
        raise TimestampError(repr(number), "a finite number")
    if abs(number) > MOST_TICKS:
        raise TimestampError(repr(number), "a time that fits into 62 bits of ticks")
    return round(number * FLOAT_TICKS) if kind is TimeKind.FLOAT else int(number)


def _bounded(given: object, ticks: int) -> int:
    if abs(ticks) > MOST_TICKS:
        raise TimestampError(repr(given), "a time that fits into 62 bits of ticks")
    return ticks


_ISO_DURATION = re.compile(
    r"P(?:(?P<weeks>\d+(?:\.\d+)?)W|(?:(?P<days>\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?)",
    re.ASCII,
)


def parse_duration(text: str) -> timedelta:
    """An ISO 8601 duration in weeks, days, hours, minutes and seconds.

    Raises:
        TimestampError: it is none, or has years or months, whose length varies.

    >>> parse_duration("P1DT12H")
    datetime.timedelta(days=1, seconds=43200)
    """
    match = _ISO_DURATION.fullmatch(text.strip())
    parts = {unit: float(count) for unit, count in match.groupdict().items() if count} if match else {}
    if not parts or text.strip().endswith("T"):
        raise TimestampError(
            f"the duration {text!r}",
            "an ISO 8601 duration in weeks, days, hours, minutes and seconds, such as PT5M for five minutes",
        )
    try:
        return timedelta(**parts)
    except OverflowError:
        raise TimestampError(f"the duration {text!r}", "a duration below a billion days") from None


_NUMBER = re.compile(r"[+-]?\d+", re.ASCII)
_REAL = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?", re.ASCII)


def parse_timestamp(text: str) -> TimePoint:
    """The timestamp that `text` writes: an integer, a decimal number, or an ISO 8601 time with a zone.

    Raises:
        TimestampError: it is none of these.

    >>> parse_timestamp("7"), parse_timestamp("0.5"), parse_timestamp("2026-01-01T00:00:00Z").year
    (7, 0.5, 2026)
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return int(text)
    if _REAL.fullmatch(text):
        return float(text)
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or "T" not in text.upper().replace(" ", "T"):
        raise TimestampError(
            f"the timestamp {text!r}", "a number or an ISO 8601 time such as 2026-01-31T10:00:00Z"
        )
    kind_of(at)
    return at


def parse_length(text: str) -> Duration:
    """A duration as the command line takes it: a number or an ISO 8601 duration.

    Raises:
        TimestampError: it is neither.

    >>> parse_length("2"), parse_length("PT1M")
    (2, datetime.timedelta(seconds=60))
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return int(text)
    if _REAL.fullmatch(text):
        return float(text)
    try:
        return parse_duration(text)
    except TimestampError as error:
        raise TimestampError(error.given, f"a number, or {error.expected}") from None


def time_of(ticks: int, kind: TimeKind) -> TimePoint:
    """The timestamp of a tick; datetimes come in UTC, the first and last there are for what lies beyond them.

    >>> time_of(1_500_000_000, TimeKind.FLOAT), time_of(0, TimeKind.DATETIME).isoformat()
    (1.5, '1970-01-01T00:00:00+00:00')
    """
    if kind is TimeKind.DATETIME:
        try:
            return _EPOCH + timedelta(microseconds=ticks)
        except OverflowError:
            return (datetime.min if ticks < 0 else datetime.max).replace(tzinfo=UTC)
    return ticks / FLOAT_TICKS if kind is TimeKind.FLOAT else ticks


def show_time(at: TimePoint) -> str:
    """A timestamp for people: ISO 8601 for datetimes.

    >>> show_time(3), show_time(time_of(0, TimeKind.DATETIME))
    ('3', '1970-01-01T00:00:00+00:00')
    """
    return at.isoformat() if isinstance(at, datetime) else repr(at)

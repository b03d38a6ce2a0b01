"""Timestamps and durations, and their conversion to ticks, which are 64-bit integers.

All timestamps of a stream are of one kind. A tick is 1 for integers, a nanosecond (10⁻⁹) for floats, and a
microsecond for datetimes, which have a time zone. This module never reads the system clock.
"""

from __future__ import annotations

import numbers
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from enum import Enum
from typing import Literal, TypeVar, get_args

import numpy as np

from pantarhei.errors import OptionError, TimesCutWarning, TimestampError, check_choice
from pantarhei.model.datetimes import EPOCH, EXACT, IN_RANGE, MICROSECOND, in_zone, read_iso, tick_of_datetime
from pantarhei.model.durations import A_DURATION, parse_duration

TimePoint = int | float | datetime
Duration = int | float | timedelta | str
Precision = Literal["microseconds", "exact"]
_Item = TypeVar("_Item")

FLOAT_TICKS = 10**9
MOST_TICKS = 2**62
_MOST_BITS_SHOWN = 512


def check_precision(given: object) -> None:
    """Raise an error unless `given` is a valid `precision`.

    Raises:
        OptionError: it is neither "microseconds" nor "exact".
    """
    check_choice("precision", given, get_args(Precision))


class TimeKind(Enum):
    """Kind of a stream's timestamps."""

    INTEGER = "an integer"
    FLOAT = "a float"
    DATETIME = "a datetime with a time zone"


_KINDS: dict[type, TimeKind] = {int: TimeKind.INTEGER, float: TimeKind.FLOAT, datetime: TimeKind.DATETIME}
_ENDS = (1, 9999)
_A_TIMESTAMP = "a timestamp (int, float, or datetime with a time zone)"
_IN_REACH = "a finite time that fits into 62 bits of ticks"


def plain_time(at: object) -> TimePoint:
    """Convert a timestamp to a built-in int or float, or a datetime of the standard library.

    numpy's numbers can overflow in comparisons and arithmetic. pandas' datetimes have nanoseconds, which are
    truncated with a `TimesCutWarning`.

    Raises:
        TimestampError: `at` is not a timestamp, or a datetime without a time zone or outside the years 1 to
        9999 in UTC.

    >>> plain_time(np.int32(3)), plain_time(np.float64(0.5))
    (3, 0.5)
    """
    if type(at) is int or type(at) is float:
        return at
    if isinstance(at, datetime):
        return _plain_datetime(at)
    if isinstance(at, bool | np.timedelta64):  # instances of number types that are not timestamps
        raise TimestampError(repr(at), _A_TIMESTAMP)
    if isinstance(at, numbers.Integral):
        return int(at)
    if isinstance(at, numbers.Real):
        try:
            return float(at)
        except OverflowError:
            raise TimestampError(f"a number beyond {sys.float_info.max}", _IN_REACH) from None
    raise TimestampError(repr(at), _A_TIMESTAMP)


def _plain_datetime(at: datetime) -> datetime:
    if at.tzinfo is None or at.utcoffset() is None:
        raise TimestampError(
            f"the datetime {at.isoformat()} without a time zone", "one with a zone, such as …+00:00 or …Z"
        )
    if at.year in _ENDS:
        tick_of_datetime(at)  # raises if the year in UTC is out of range
    if type(at) is datetime:
        return at
    if is_finer(at):
        warnings.warn(TimesCutWarning("timestamps given", str(at)), stacklevel=4)
    clock = at.hour, at.minute, at.second, at.microsecond
    return datetime(at.year, at.month, at.day, *clock, at.tzinfo, fold=at.fold)


def is_finer(at: object) -> bool:
    """Return whether a timestamp has nonzero nanoseconds, as pandas' datetimes may.

    >>> is_finer(datetime(2026, 1, 1, tzinfo=UTC))
    False
    """
    return isinstance(at, datetime) and bool(getattr(at, "nanosecond", 0))


def kind_of(at: object) -> TimeKind:
    """Return the kind of the timestamp `at`.

    Raises:
        TimestampError: `at` is not a timestamp, or is a datetime without a time zone.

    >>> kind_of(3), kind_of(3.0)
    (<TimeKind.INTEGER: 'an integer'>, <TimeKind.FLOAT: 'a float'>)
    """
    return _KINDS[type(plain_time(at))]


def is_of_kind(at: TimePoint, kind: TimeKind) -> bool:
    """Return whether `at` is valid in a stream of the given kind. A stream of floats also accepts integers.

    Raises:
        TimestampError: `at` is not a timestamp.
    """
    return _fits(kind_of(at), kind)


def _fits(given: TimeKind, kind: TimeKind) -> bool:
    return given is kind or (given is TimeKind.INTEGER and kind is TimeKind.FLOAT)


def ticks_of(at: TimePoint, kind: TimeKind) -> int:
    """Return the tick of a timestamp in a stream of the given kind. A stream of floats also accepts integers.

    Raises:
        TimestampError: `at` is of another kind, not finite, beyond 62 bits of ticks, or outside the years 1
        to 9999.

    >>> ticks_of(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), TimeKind.DATETIME)
    1000000
    """
    plain = plain_time(at)
    if not _fits(_KINDS[type(plain)], kind):
        raise TimestampError(
            f"the timestamp {show_time(at)}", f"{kind.value} like the stream's other timestamps"
        )
    if isinstance(plain, datetime):
        return tick_of_datetime(plain)
    return _scaled(plain, kind)


def duration_ticks(duration: Duration, kind: TimeKind) -> int:
    """Return the length of a nonnegative duration in ticks of the given kind.

    Durations are numbers in streams of numbers, and timedeltas or texts (`parse_duration`) in streams of
    datetimes.

    Raises:
        TimestampError: the duration is negative, not finite, too long, or invalid for the kind.

    >>> duration_ticks("5 min", TimeKind.DATETIME), duration_ticks(2, TimeKind.INTEGER)
    (300000000, 2)
    """
    length = plain_length(duration)
    if isinstance(length, timedelta):
        if kind is not TimeKind.DATETIME:
            raise TimestampError(
                f"the duration {duration}", f"a number, since the stream's time is {kind.value}"
            )
        ticks = length // MICROSECOND
    else:
        if kind is TimeKind.DATETIME:
            raise TimestampError(
                f"the duration {show_time(length)}",
                f"a timedelta or {A_DURATION}, since the stream's time is a datetime",
            )
        ticks = _scaled(length, kind)
        if kind is TimeKind.INTEGER and ticks != length:
            raise TimestampError(
                f"the duration {length!r}", "a whole number, since the stream's time is an integer"
            )
    if ticks < 0:
        raise TimestampError(f"the duration {duration}", "a duration that is not negative")
    if ticks > MOST_TICKS:
        raise TimestampError(f"the duration {duration}", _IN_REACH)
    return ticks


def _scaled(number: float, kind: TimeKind) -> int:
    """Convert a number to ticks.

    Raises:
        TimestampError: the number is not finite, or beyond 62 bits of ticks.
    """
    if abs(number) <= MOST_TICKS:  # false for infinity and NaN
        ticks = round(number * FLOAT_TICKS) if kind is TimeKind.FLOAT else int(number)
        if abs(ticks) <= MOST_TICKS:
            return ticks
    raise TimestampError(show_time(number), _IN_REACH)


_NUMBER = re.compile(r"[+-]?\d+", re.ASCII)
_REAL = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?", re.ASCII)


def parse_timestamp(
    text: str, zone: tzinfo | None = None, on_cut: Callable[[str], object] | None = None
) -> TimePoint:
    """Read a timestamp: an integer, a decimal number, or an ISO 8601 time with a zone.

    Args:
        zone: zone of times that are written without one; if None, they are refused.
        on_cut: called with the text of a time whose nonzero digits below a microsecond are truncated; if
            None, such a time is refused.

    Raises:
        TimestampError: the text is not a timestamp, or is outside the years 1 to 9999 in UTC.

    >>> parse_timestamp("7"), parse_timestamp("0.5"), parse_timestamp("2026-01-01T00:00:00Z").year
    (7, 0.5, 2026)
    """
    text = text.strip()
    number = _number_in(text)
    if number is not None:
        return number
    try:
        read = read_iso(text)
    except OverflowError:
        raise TimestampError(f"the timestamp {text}", IN_RANGE) from None
    except ValueError:
        read = None
    if read is None or "T" not in text.upper().replace(" ", "T"):
        raise TimestampError(
            f"the timestamp {text!r}", "a number or an ISO 8601 time such as 2026-01-31T10:00:00Z"
        )
    at = in_zone(read.at, zone) if zone is not None and read.at.tzinfo is None else read.at
    plain_time(at)
    if read.is_cut:
        if on_cut is None:
            raise TimestampError(f"the timestamp {text}", EXACT)
        on_cut(text)
    return at


def parse_length(text: str) -> int | float | timedelta:
    """Read a duration given on the command line: a number, or a text for `parse_duration`.

    Raises:
        TimestampError: the text is neither.

    >>> parse_length("2"), parse_length("1 min")
    (2, datetime.timedelta(seconds=60))
    """
    number = _number_in(text.strip())
    if number is not None:
        return number
    try:
        return parse_duration(text)
    except TimestampError as error:
        either = "a number, or " if error.expected.startswith(A_DURATION) else ""
        raise TimestampError(error.given, f"{either}{error.expected}") from None


def seconds_of(duration: Duration) -> float:
    """Return the length of a duration of the real time, such as a time limit: a number is in seconds.

    Raises:
        TimestampError: it is not a duration.

    >>> seconds_of(2.5), seconds_of("2 min"), seconds_of(timedelta(milliseconds=500))
    (2.5, 120.0, 0.5)
    """
    length = plain_length(duration, "a number of seconds")
    return length.total_seconds() if isinstance(length, timedelta) else length


def plain_length(duration: object, number: str = "a number") -> int | float | timedelta:
    """Convert a duration to a timedelta, or a built-in number.

    Args:
        number: the meaning of a number, in errors.

    Raises:
        TimestampError: it is not a duration.
    """
    if isinstance(duration, str):
        return parse_duration(duration)
    if isinstance(duration, timedelta):
        return duration
    if isinstance(duration, numbers.Real) and not isinstance(duration, bool | np.timedelta64):
        plain = plain_time(duration)
        if not isinstance(plain, datetime):
            return plain
    raise TimestampError(repr(duration), f"{number}, a timedelta or {A_DURATION}")


def _number_in(text: str) -> int | float | None:
    """Return the number written in `text`; None if the text is not a number.

    Raises:
        TimestampError: the number has more digits than Python converts, which is some thousands.
    """
    if not _NUMBER.fullmatch(text):
        return float(text) if _REAL.fullmatch(text) else None
    try:
        return int(text)
    except ValueError:
        raise TimestampError(f"a number of {len(text)} digits", _IN_REACH) from None


def time_of(ticks: int, kind: TimeKind) -> TimePoint:
    """Return the timestamp of a tick. Datetimes are in UTC, and clamped to the representable range.

    >>> time_of(1_500_000_000, TimeKind.FLOAT), time_of(0, TimeKind.DATETIME).isoformat()
    (1.5, '1970-01-01T00:00:00+00:00')
    """
    if kind is TimeKind.DATETIME:
        try:
            return EPOCH + timedelta(microseconds=ticks)
        except OverflowError:
            return (datetime.min if ticks < 0 else datetime.max).replace(tzinfo=UTC)
    return ticks / FLOAT_TICKS if kind is TimeKind.FLOAT else ticks


def show_time(at: TimePoint) -> str:
    """Return the text of a timestamp for messages: ISO 8601 for datetimes; for an integer above 512 bits only
    its length.

    >>> show_time(3), show_time(time_of(0, TimeKind.DATETIME)), show_time(2**1000)
    ('3', '1970-01-01T00:00:00+00:00', 'an integer of 1001 bits')
    """
    if isinstance(at, datetime):
        return at.isoformat()
    if isinstance(at, int) and at.bit_length() > _MOST_BITS_SHOWN:
        return f"an integer of {at.bit_length()} bits"
    return repr(at)


def show_length(ticks: int, kind: TimeKind) -> str:
    """Return a number of ticks as the text of a duration; for datetimes an ISO 8601 duration in quotation
    marks.

    >>> show_length(3_300_000_000, TimeKind.DATETIME), show_length(500_000_000, TimeKind.FLOAT)
    ('"PT55M"', '0.5')
    """
    if kind is not TimeKind.DATETIME:
        return show_time(time_of(ticks, kind))
    rest, micros = divmod(ticks, 1_000_000)
    minutes, seconds = divmod(rest, 60)
    hours, minutes = divmod(minutes, 60)
    parts = f"{hours}H" if hours else "", f"{minutes}M" if minutes else ""
    exact = f"{seconds}.{micros:06}".rstrip("0").rstrip(".")
    return f'"PT{"".join(parts)}{"" if exact == "0" and any(parts) else f"{exact}S"}"'


def in_zone_of(at: TimePoint, other: TimePoint) -> TimePoint:
    """Return a datetime in the zone of another one; timestamps of other kinds are returned unchanged.

    >>> noon = datetime.fromisoformat("2026-03-02T12:00:00+01:00")
    >>> in_zone_of(datetime(2026, 3, 2, 10, tzinfo=UTC), noon).isoformat()
    '2026-03-02T11:00:00+01:00'
    """
    if not (isinstance(at, datetime) and isinstance(other, datetime)):
        return at
    try:
        return at.astimezone(other.tzinfo)
    except OverflowError:  # at the ends of the range of datetimes
        return at


def timed(stream: Iterable[tuple[TimePoint, _Item]]) -> Iterator[tuple[TimePoint, _Item]]:
    """Iterate over a stream given as Python objects, and validate its items.

    Raises:
        OptionError: immediately, if the stream is not iterable or is text.
        TimestampError: during iteration, if an item is not a pair.

    >>> list(timed([(1, "a"), "2b"]))
    Traceback (most recent call last):
    pantarhei.errors.TimestampError: '2b' is invalid: expected a pair of a timestamp and an ABox
    """
    if isinstance(stream, str | bytes) or not isinstance(stream, Iterable):
        expected = "pairs of a timestamp and an ABox; a file's are read by read_stream"
        raise OptionError("stream", repr(stream)[:200], expected)
    return map(_pair, stream)


def _pair(item: tuple[TimePoint, _Item]) -> tuple[TimePoint, _Item]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise TimestampError(repr(item)[:200], "a pair of a timestamp and an ABox")
    return item

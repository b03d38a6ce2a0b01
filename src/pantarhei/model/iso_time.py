"""Datetimes: the range that streams can have, and their ISO 8601 forms.

A datetime of a stream lies in the years 1 to 9999 in UTC and is a whole number of microseconds. Times outside
that range are refused, finer fractions are cut: the instant is never later than written.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from pantarhei.errors import TimestampError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
FIRST_TICK = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LAST_TICK = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND

IN_RANGE = "an instant in the years 1 to 9999 in UTC"
EXACT = "at most six decimals of a second, since times are whole microseconds"

_FINER = re.compile(r"([.,]\d{6})(\d+)", re.ASCII)
_DAY_END = re.compile(r"([T ])24(:?00(?::?00(?:[.,]0+)?)?)?(?=$|Z|[+-])", re.ASCII)
_NEIGHBOURS = (
    ("10000-01-01", "9999-12-31", 1),
    ("0000-12-31", "0001-01-01", -1),
)  # days beyond, whose UTC may not be
_OUT_OF_RANGE = re.compile(r"(?:-\d{4,}|\+?\d{5,}|0000)-\d\d-\d\d(?:[T ].*)?", re.ASCII)


class ReadTime(NamedTuple):
    """Time of a text.

    Args:
        at: the time.
        is_cut: whether digits below a microsecond, other than 0, were cut.
    """

    at: datetime
    is_cut: bool


def tick_of_datetime(at: datetime) -> int:
    """Return the microseconds since 1970-01-01T00:00Z at a datetime with a time zone.

    Raises:
        TimestampError: it lies outside the years 1 to 9999 in UTC.

    >>> tick_of_datetime(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    ticks = (at - EPOCH) // MICROSECOND
    if not FIRST_TICK <= ticks <= LAST_TICK:
        raise TimestampError(f"the timestamp {at.isoformat()}", IN_RANGE)
    return ticks


def without_finer(text: str) -> tuple[str, bool]:
    """Return a time's text with at most six decimals, and whether digits other than 0 were cut.

    >>> without_finer("10:00:00.1234567Z"), without_finer("10:00:00.1234560")
    (('10:00:00.123456Z', True), ('10:00:00.123456', False))
    """
    finer = _FINER.search(text)
    if finer is None:
        return text, False
    return text[: finer.end(1)] + text[finer.end() :], finer[2].strip("0") != ""


def read_iso(text: str) -> ReadTime:
    """Read an ISO 8601 time, with or without a zone; 24:00:00 is the start of the next day.

    Raises:
        ValueError: it is not such a time.
        OverflowError: it is, of a year before 1 or after 9999.

    >>> read_iso("2016-12-31T24:00:00Z").at.isoformat()
    '2017-01-01T00:00:00+00:00'
    """
    clock = (
        _DAY_END.sub(lambda found: f"{found[1]}00{found[2] or ''}", text)
        if "T24" in text or " 24" in text
        else text
    )
    written, is_cut = without_finer(clock) if "." in text or "," in text else (clock, False)
    days = int(clock != text)
    for beyond, inside, away in _NEIGHBOURS:
        if written.startswith(beyond):
            written, days = inside + written[len(beyond) :], days + away
    try:
        at = datetime.fromisoformat(written)
    except ValueError:
        if _OUT_OF_RANGE.fullmatch(text):
            raise OverflowError(text) from None
        raise
    return ReadTime(later(at, timedelta(days)) if days else at, is_cut)


def later(at: datetime, length: timedelta) -> datetime:
    """Add a length to a datetime, in UTC if the result has no year in the datetime's own zone.

    Raises:
        OverflowError: UTC has no such year either.
    """
    try:
        return at + length
    except OverflowError:
        if at.tzinfo is None:
            raise
        return at.astimezone(UTC) + length

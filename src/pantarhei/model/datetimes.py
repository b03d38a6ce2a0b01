"""Datetimes of streams, their ISO 8601 forms, and time zones.

A datetime of a stream is in the years 1 to 9999 in UTC, and is a whole number of microseconds. Times outside
that range are refused. Finer fractions are truncated, so that a time is never later than written.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.message_text import did_you_mean

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
)  # (day outside the range of years, adjacent day inside, days to add); such a local day can be inside in UTC
_OUT_OF_RANGE = re.compile(r"(?:-\d{4,}|\+?\d{5,}|0000)-\d\d-\d\d(?:[T ].*)?", re.ASCII)


class ReadTime(NamedTuple):
    """Time read from a text.

    Args:
        at: the time.
        is_cut: nonzero digits below a microsecond were truncated.
    """

    at: datetime
    is_cut: bool


def tick_of_datetime(at: datetime) -> int:
    """Return the number of microseconds from 1970-01-01T00:00Z to a datetime with a time zone.

    Raises:
        TimestampError: the datetime is outside the years 1 to 9999 in UTC.

    >>> tick_of_datetime(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    ticks = (at - EPOCH) // MICROSECOND
    if not FIRST_TICK <= ticks <= LAST_TICK:
        raise TimestampError(f"the timestamp {at.isoformat()}", IN_RANGE)
    return ticks


def without_finer(text: str) -> tuple[str, bool]:
    """Return the text of a time truncated to six decimals, and True if nonzero digits were removed.

    >>> without_finer("10:00:00.1234567Z"), without_finer("10:00:00.1234560")
    (('10:00:00.123456Z', True), ('10:00:00.123456', False))
    """
    finer = _FINER.search(text)
    if finer is None:
        return text, False
    return text[: finer.end(1)] + text[finer.end() :], finer[2].strip("0") != ""


def read_iso(text: str) -> ReadTime:
    """Read an ISO 8601 time, with or without a zone. 24:00:00 is the start of the next day.

    Raises:
        ValueError: the text is not an ISO 8601 time.
        OverflowError: the time is before year 1 or after year 9999.

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
    """Return `at + length`; in UTC if the result exceeds the range of years in the zone of `at`.

    Raises:
        OverflowError: the result exceeds the range of years in UTC too.
    """
    try:
        return at + length
    except OverflowError:
        if at.tzinfo is None:
            raise
        return at.astimezone(UTC) + length


def zone_named(name: str) -> tzinfo:
    """Return the time zone with this name, or with this offset from UTC.

    Raises:
        OptionError: the zone is unknown.

    >>> zone_named("Europe/Berlin"), zone_named("+01:00").tzname(None)
    (zoneinfo.ZoneInfo(key='Europe/Berlin'), 'UTC+01:00')
    """
    try:
        if re.fullmatch(r"[+-]\d\d:\d\d", name):
            offset = datetime.strptime(name, "%z").tzinfo
            assert offset is not None
            return offset
        return ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        zones = {each for each in available_timezones() if "/" in each}  # others are names of offsets
        expected = "the name of a time zone, such as Europe/Berlin or UTC, or +01:00"
        raise OptionError("zone", repr(name), f"{expected}{did_you_mean(name, zones)}") from None


def in_zone(at: datetime, zone: tzinfo) -> datetime:
    """Return the instant at which clocks in a zone show a time; the earlier one if they show it twice.

    The result has the offset from UTC in force at that instant, since Python does not compare datetimes of
    one zone as instants.

    Raises:
        TimestampError: clocks skip the time when they are put forward, or the time is outside the years 1 to
        9999 in UTC.

    >>> in_zone(datetime(2026, 7, 1, 12), zone_named("Europe/Berlin")).isoformat()
    '2026-07-01T12:00:00+02:00'
    """
    local = at.replace(tzinfo=zone)
    tick_of_datetime(local)
    first, second = (local.replace(fold=fold).utcoffset() for fold in (0, 1))
    assert first is not None and second is not None
    if first < second:
        raise TimestampError(
            f"the time {at.isoformat()} in {zone}",
            "a time that clocks there show; it lies in the hour that is skipped when they are put forward",
        )
    return at.replace(tzinfo=timezone(first), fold=0)


TIME_PROPERTIES: Final = (
    "http://www.w3.org/ns/prov#generatedAtTime",
    "http://www.w3.org/ns/sosa/resultTime",
    "https://saref.etsi.org/core/hasTimestamp",
    "https://w3id.org/saref#hasTimestamp",
)

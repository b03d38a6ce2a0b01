"""Time zones, for times that are written without one."""

from __future__ import annotations

import re
from datetime import datetime, timezone, tzinfo
from zoneinfo import ZoneInfo

from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.iso_time import tick_of_datetime


def zone_named(name: str) -> tzinfo:
    """The time zone of that name, or with that offset from UTC.

    Raises:
        OptionError: there is none.

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
        raise OptionError(
            "zone", repr(name), "the name of a time zone, such as Europe/Berlin or UTC, or +01:00"
        ) from None


def in_zone(at: datetime, zone: tzinfo) -> datetime:
    """The instant at which clocks in a zone show a time; the first of two, when they are put back.

    With the offset from UTC that is then in force: Python's times of a zone do not compare as instants.

    Raises:
        TimestampError: they skip that time, since they are put forward then, or it lies outside the years 1
            to 9999 in UTC.

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

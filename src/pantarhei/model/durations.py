"""Durations as text: numbers with units (`5m`, `1 h 30 min`) and ISO 8601 (`PT5M`). Every option that takes a
duration reads it here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final

from pantarhei.errors import TimestampError
from pantarhei.model.message_text import did_you_mean

A_DURATION: Final = "a duration such as 5m, 1 h 30 min or PT5M"

_WRITTEN = {
    "ns": "nanosecond nanoseconds",
    "us": "µs μs microsecond microseconds",
    "ms": "msec msecs millisecond milliseconds",
    "s": "sec secs second seconds",
    "m": "min mins minute minutes",
    "h": "hour hours",
    "d": "day days",
    "w": "week weeks",
    "month": "months",
    "y": "year years",
}
UNITS: Final = {name: unit for unit, names in _WRITTEN.items() for name in (unit, *names.split())}
"""Units by their names, in lower case."""

_SECOND = 10**6
_MICROSECONDS = {
    "ns": Decimal("0.001"),
    "us": Decimal(1),
    "ms": Decimal(1000),
    "s": Decimal(_SECOND),
    "m": Decimal(60 * _SECOND),
    "h": Decimal(3600 * _SECOND),
    "d": Decimal(86400 * _SECOND),
    "w": Decimal(7 * 86400 * _SECOND),
}
_TOO_MANY = 10**9 * _MICROSECONDS["d"]

_NUMBER = r"[0-9]++(?:\.[0-9]++)?"
_PART = re.compile(rf"\s*+({_NUMBER}(?:[eE][+-]?[0-9]++)?)\s*+([^\W\d_]++)\s*+")
_ISO_FIELDS = [rf"(?:({_NUMBER}){letter})?" for letter in "YMWDHMS"]
_ISO = re.compile(rf"P{''.join(_ISO_FIELDS[:4])}(?:T(?=[0-9]){''.join(_ISO_FIELDS[4:])})?")
_ISO_UNITS = ("y", "month", "w", "d", "h", "m", "s")


def parse_duration(text: str) -> timedelta:
    """Read a duration: numbers with units (`5m`, `5 min`, `1h30m`) or ISO 8601 (`PT5M`).

    The units are ns, us, ms, s, m (or min), h, d and w, and their English words, in upper or lower case.
    A day has 24 hours. The cost is linear in the length of the text.

    Raises:
        TimestampError: the text is not a duration, has months or years, whose length varies, is a billion
        days or longer, or is not a whole number of microseconds.

    >>> parse_duration("5 min") == parse_duration("PT5M") == parse_duration("300 s")
    True
    >>> parse_duration("1h30m")
    datetime.timedelta(seconds=5400)
    """
    parts = duration_parts(text)
    given = f"the duration {_shown(text)}"
    if not all(unit in _MICROSECONDS for _, unit in parts):
        raise TimestampError(given, f"{A_DURATION}; months and years vary in length")
    try:
        microseconds = sum(Decimal(number) * _MICROSECONDS[unit] for number, unit in parts)
        if microseconds >= _TOO_MANY:
            raise OverflowError
    except ArithmeticError:
        raise TimestampError(given, "a length below a billion days") from None
    if microseconds % 1:
        raise TimestampError(given, "a whole number of microseconds")
    return timedelta(microseconds=int(microseconds))


def duration_parts(text: str) -> Sequence[tuple[str, str]]:
    """Split a duration into numbers and units, which are ns, us, ms, s, m, h, d, w, month or y.

    Raises:
        TimestampError: the text is not a duration.

    >>> duration_parts("1 Hour 30min"), duration_parts("P1Y2M")
    ([('1', 'h'), ('30', 'm')], [('1', 'y'), ('2', 'month')])
    """
    stripped = text.strip()
    iso = _ISO.fullmatch(stripped)
    parts = (
        [(number, unit) for number, unit in zip(iso.groups(), _ISO_UNITS, strict=True) if number]
        if iso
        else []
    )
    if parts:
        return parts
    end = 0
    while match := _PART.match(stripped, end):
        number, name = match.groups()
        unit = None if name == "M" else UNITS.get(name) or UNITS.get(name.lower())
        if unit is None:
            raise TimestampError(f"the duration {_shown(text)}", _unit_instead_of(name))
        parts.append((number, unit))
        end = match.end()
    if not parts or end < len(stripped):
        is_number = re.fullmatch(rf"[+-]?{_NUMBER}", stripped)
        expected = "a unit, as in 5m, 1 h 30 min or PT5M" if is_number else A_DURATION
        raise TimestampError(f"the duration {_shown(text)}", expected)
    return parts


def _unit_instead_of(name: str) -> str:
    if name == "M":
        return "m or min for minutes, as in 5m, 1 h 30 min or PT5M"
    names = "ms, s, m, h, d or w, as in 5m, 1 h 30 min or PT5M"
    return f"one of the units {names}; {name[:40]} is not a unit{did_you_mean(name[:40], UNITS)}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")

"""SPARQL's functions on xsd:dateTime (SPARQL 1.1, section 17.4.5): its parts, as they are written.

Midnight written as 24:00:00 is that of the next day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from rdflib import XSD, Literal

from pantarhei.language.term import Term
from pantarhei.reference.answers.comparing import is_time
from pantarhei.reference.answers.numbers import DECIMAL, INTEGER, Number, written
from pantarhei.reference.answers.terms import ExpressionError, literal

_TIME = re.compile(r"(-?\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?", re.ASCII)


class _Parts(NamedTuple):
    year: int
    month: int
    day: int
    hours: int
    minutes: int
    seconds: Decimal
    zone: str


def at(now: datetime) -> Literal:
    """NOW: an instant, in UTC."""
    return literal(now.astimezone(UTC).isoformat().replace("+00:00", "Z"), XSD.dateTime)


def _parts(term: Term) -> _Parts:
    match = _TIME.fullmatch(str(term).strip()) if is_time(term) else None
    if match is None:
        raise ExpressionError
    year, month, day, hours, minutes = (int(match[place]) for place in range(1, 6))
    if hours == 24:
        next_day = date(year % 400 + 2000, month, day) + timedelta(days=1)
        year, month, day, hours = year + next_day.year - (year % 400 + 2000), next_day.month, next_day.day, 0
    return _Parts(year, month, day, hours, minutes, Decimal(match[6]), match[7] or "")


def _part(name: str) -> Callable[[Term], Term]:
    return lambda term: written(Number(INTEGER, getattr(_parts(term), name)))


def _time_zone(term: Term) -> Term:
    """The offset as a duration in its shortest form, an error without a time zone."""
    zone = _parts(term).zone
    if not zone:
        raise ExpressionError
    hours, minutes = (0, 0) if zone == "Z" else (int(zone[1:3]), int(zone[4:]))
    text = f"{f'{hours}H' * (hours > 0)}{f'{minutes}M' * (minutes > 0)}" or "0S"
    return literal(f"{'-' * (zone[0] == '-' and text != '0S')}PT{text}", XSD.dayTimeDuration)


FUNCTIONS: Final[dict[str, Callable[..., Term]]] = {
    "YEAR": _part("year"),
    "MONTH": _part("month"),
    "DAY": _part("day"),
    "HOURS": _part("hours"),
    "MINUTES": _part("minutes"),
    "SECONDS": lambda term: written(Number(DECIMAL, _parts(term).seconds)),
    "TIMEZONE": _time_zone,
    "TZ": lambda term: literal(_parts(term).zone),
}

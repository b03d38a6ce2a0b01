"""Times and durations: their components, comparison, sums and differences.

SPARQL 1.1 defines these functions and operators for xsd:dateTime only; here they are also XPath's for
xsd:date, xsd:time and the durations. A time without a zone and one with a zone are comparable if they are
more than 14 hours apart, the maximum offset of zones; otherwise comparing them is an error.

Source: SPARQL 1.1, section 17.4.5; XQuery and XPath Functions and Operators, section 10.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from rdflib import XSD, Literal, URIRef

from oracle.answers.numbers import DECIMAL, INTEGER, Number, to_literal
from oracle.answers.terms import ExpressionError, literal
from pantarhei.model.term import Term
from pantarhei.values.value import value_key

_DATES = (XSD.dateTime, XSD.date)
_CLOCKS = (XSD.dateTime, XSD.time)
_FURTHEST_ZONES = 14 * 3600  # seconds
_DAY = 86400
_CYCLE_START = datetime(2000, 1, 1)  # the calendar repeats every 400 years
_CYCLE = 146_097 * _DAY

_ZONE = re.compile(r"(?:Z|([+-])(\d\d):(\d\d))$", re.ASCII)
_DATE = re.compile(r"(-?\d+-\d\d-\d\d)((?:Z|[+-]\d\d:\d\d)?)", re.ASCII)
_DURATION = re.compile(
    r"(-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?",
    re.ASCII,
)


class Time(NamedTuple):
    """An xsd:dateTime, xsd:date or xsd:time.

    Args:
        local: local calendar and clock time, in seconds since the year 0; the start of the day for an
            xsd:date; on a fixed day for an xsd:time.
        zone: the offset from UTC in minutes; None without a zone.
    """

    datatype: URIRef
    local: Fraction
    zone: int | None

    def instant(self) -> Fraction:
        """Seconds since the year 0 in UTC; a time without a zone is taken as UTC."""
        return self.local - 60 * (self.zone or 0)


class Duration(NamedTuple):
    """Duration in months and seconds."""

    datatype: URIRef
    months: int
    seconds: Fraction


Temporal = Time | Duration


def temporal(term: Term) -> Temporal | None:
    """Return the time or duration that a term denotes, None for other terms."""
    if not isinstance(term, Literal):
        return None
    text = str(term).strip(" \t\n\r")
    if term.datatype in (XSD.dateTime, XSD.dateTimeStamp):
        return _time(XSD.dateTime, term.datatype, text)
    if term.datatype == XSD.date:
        match = _DATE.fullmatch(text)
        return match and _time(XSD.date, XSD.dateTime, f"{match[1]}T00:00:00{match[2]}")
    if term.datatype == XSD.time:
        midnight = re.sub("^24:00:00", "00:00:00", text)
        return _time(XSD.time, XSD.dateTime, f"1972-12-31T{midnight}")
    return _duration(term.datatype, text)


def _time(kind: URIRef, datatype: URIRef, text: str) -> Time | None:
    key = value_key(text, datatype)
    if len(key) != 4:
        return None
    _, _, seconds, fraction = key
    assert isinstance(seconds, int) and isinstance(fraction, Decimal)
    match = _ZONE.search(text)
    zone = (
        None if match is None else int(f"{match[1] or ''}1") * (60 * int(match[2] or 0) + int(match[3] or 0))
    )
    return Time(kind, seconds + Fraction(fraction) + 60 * (zone or 0), zone)


def _duration(datatype: URIRef | None, text: str) -> Duration | None:
    if datatype not in (XSD.duration, XSD.dayTimeDuration, XSD.yearMonthDuration):
        return None
    match = _DURATION.fullmatch(text)
    parts = [] if match is None else match.groups()
    has_months, has_seconds = any(parts[1:3]), any(parts[3:])
    if not parts or (has_months and datatype == XSD.dayTimeDuration):
        return None
    if has_seconds and datatype == XSD.yearMonthDuration:
        return None
    years, months, days, hours, minutes, seconds = (Fraction(part or 0) for part in parts[1:])
    sign = int(f"{parts[0]}1")
    total = 86400 * days + 3600 * hours + 60 * minutes + seconds
    return Duration(datatype, sign * int(12 * years + months), sign * total)


def is_date_time(term: Term) -> bool:
    """True if the term is a well-typed xsd:dateTime or xsd:dateTimeStamp."""
    found = temporal(term)
    return isinstance(found, Time) and found.datatype == XSD.dateTime


def are_equal(left: Temporal, right: Temporal) -> bool:
    """True if two times are equal instants, or two durations have equal lengths."""
    if isinstance(left, Time) and isinstance(right, Time):
        return left.datatype == right.datatype and _instants_agree(left, right, operator.eq)
    return type(left) is type(right) and left[1:] == right[1:]


def is_less(left: Temporal, right: Temporal) -> bool:
    """True if a time is before another of its type, or a duration is shorter for every starting time."""
    if isinstance(left, Duration) and isinstance(right, Duration):
        if left[1:] == right[1:]:
            return False
        orders = {(one > other) - (one < other) for one, other in zip(ends(left), ends(right), strict=True)}
        if orders not in ({-1}, {1}):
            raise ExpressionError
        return orders == {-1}
    if not isinstance(left, Time) or not isinstance(right, Time) or left.datatype != right.datatype:
        raise ExpressionError
    return _instants_agree(left, right, operator.lt)


def ends(duration: Duration) -> list[Fraction]:
    """Return the ends of a duration from each of the four times of XML Schema 1.1, section 3.3.6."""
    starts = (datetime(1696, 9, 1), datetime(1697, 2, 1), datetime(1903, 3, 1), datetime(1903, 7, 1))
    times = (Time(XSD.dateTime, Fraction((start - _CYCLE_START).days * _DAY), 0) for start in starts)
    return [_add_duration(time, duration).instant() for time in times]


def _instants_agree(left: Time, right: Time, compare: Callable[[Fraction, Fraction], bool]) -> bool:
    one, other = left.instant(), right.instant()
    if (left.zone is None) != (right.zone is None) and abs(one - other) <= _FURTHEST_ZONES:
        raise ExpressionError
    return compare(one, other)


# -- components ----------------------------------------------------------------------------------------


class _Parts(NamedTuple):
    year: int
    month: int
    day: int
    hours: int
    minutes: int
    seconds: Fraction


def _parts(time: Time) -> _Parts:
    """Return the calendar and clock components."""
    cycles, within = divmod(time.local, _CYCLE)
    whole, rest = divmod(within, 1)
    shown = _CYCLE_START + timedelta(seconds=whole)
    year = shown.year - 2000 + 400 * int(cycles)
    return _Parts(year, shown.month, shown.day, shown.hour, shown.minute, shown.second + rest)


def _part(name: str, datatypes: tuple[URIRef, ...]) -> Callable[[Term], Term]:
    def part(term: Term) -> Term:
        found = getattr(_parts(_of_type(term, datatypes)), name)
        return to_literal(Number(DECIMAL, _decimal(found)) if name == "seconds" else Number(INTEGER, found))

    return part


def _of_type(term: Term, datatypes: tuple[URIRef, ...]) -> Time:
    found = temporal(term)
    if not isinstance(found, Time) or found.datatype not in datatypes:
        raise ExpressionError
    return found


def _decimal(exact: Fraction) -> Decimal:
    """Convert a fraction that was parsed from a decimal."""
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def _time_zone(term: Term) -> Term:
    zone = _of_type(term, (XSD.dateTime,)).zone
    if zone is None:
        raise ExpressionError
    return _written(Duration(XSD.dayTimeDuration, 0, Fraction(60 * zone)))


def _zone_text(term: Term) -> Term:
    """TZ: the zone as written."""
    _of_type(term, (XSD.dateTime,))
    match = _ZONE.search(str(term).strip(" \t\n\r"))
    return literal(match[0] if match else "")


# -- sums and differences --------------------------------------------------------------------------


def plus(left: Temporal, right: Temporal) -> Term:
    """Add a time and a duration, or two durations of one type."""
    if isinstance(left, Duration) and isinstance(right, Time):
        left, right = right, left
    if isinstance(right, Time):
        raise ExpressionError
    return _written(_add_duration(left, right) if isinstance(left, Time) else _lengthened(left, right))


def minus(left: Temporal, right: Temporal) -> Term:
    """Subtract a duration from a time or duration, or a time from a time."""
    if isinstance(right, Duration):
        return plus(left, Duration(right.datatype, -right.months, -right.seconds))
    if not isinstance(left, Time) or left.datatype != right.datatype:
        raise ExpressionError
    if (left.zone is None) != (right.zone is None):
        raise ExpressionError
    return _written(Duration(XSD.dayTimeDuration, 0, left.instant() - right.instant()))


def _lengthened(left: Duration, right: Duration) -> Duration:
    if left.datatype != right.datatype or left.datatype == XSD.duration:
        raise ExpressionError
    return Duration(left.datatype, left.months + right.months, left.seconds + right.seconds)


def _add_duration(time: Time, by: Duration) -> Time:
    """Add months, clipped to the last day of a shorter month, then seconds."""
    local = time.local
    if by.months:
        if time.datatype == XSD.time:
            raise ExpressionError
        shown = _parts(time)
        year, month = divmod(12 * shown.year + shown.month - 1 + by.months, 12)
        first = datetime(year % 400 + 2000, month + 1, 1)
        last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        day = first.replace(day=min(shown.day, last.day))
        local = Fraction((day - _CYCLE_START).days * _DAY + year // 400 * _CYCLE) + local % _DAY
    return time._replace(local=local + by.seconds)


def _written(found: Temporal) -> Literal:
    text = _time_text(found) if isinstance(found, Time) else _duration_text(found)
    return literal(text, found.datatype)


def _time_text(time: Time) -> str:
    year, month, day, hours, minutes, seconds = _parts(time)
    date = f"{'-' * (year < 0)}{abs(year):04}-{month:02}-{day:02}"
    clock = f"{hours:02}:{minutes:02}:{'0' * (seconds < 10)}{_short(seconds)}"
    zone = "" if time.zone is None else "Z"
    if time.zone:
        zone = f"{'-' if time.zone < 0 else '+'}{abs(time.zone) // 60:02}:{abs(time.zone) % 60:02}"
    return {XSD.date: date, XSD.time: clock}.get(time.datatype, f"{date}T{clock}") + zone


def _duration_text(duration: Duration) -> str:
    """Return the canonical form: `P1Y2M`, `-P1DT2H3M4.5S`, `PT0S`, `P0M`."""
    years, months = divmod(abs(duration.months), 12)
    minutes, seconds = divmod(abs(duration.seconds), 60)
    hours, minutes = divmod(int(minutes), 60)
    days, hours = divmod(hours, 24)
    dates = [f"{count}{unit}" for count, unit in ((years, "Y"), (months, "M"), (days, "D")) if count]
    clock = [f"{hours}H" * bool(hours), f"{minutes}M" * bool(minutes), f"{_short(seconds)}S" * bool(seconds)]
    nothing = "0M" if duration.datatype == XSD.yearMonthDuration else "T0S"
    text = "".join(dates) + ("T" + "".join(clock) if any(clock) else "")
    return f"{'-' * (duration.months < 0 or duration.seconds < 0)}P{text or nothing}"


def _short(exact: Fraction) -> str:
    whole, _, places = format(_decimal(exact), "f").partition(".")
    return f"{whole}.{places.rstrip('0')}".rstrip(".")


def at(now: datetime) -> Literal:
    """Return the literal of NOW, in UTC."""
    return literal(now.astimezone(UTC).isoformat().replace("+00:00", "Z"), XSD.dateTime)


FUNCTIONS: Final[dict[str, Callable[..., Term]]] = {
    "YEAR": _part("year", _DATES),
    "MONTH": _part("month", _DATES),
    "DAY": _part("day", _DATES),
    "HOURS": _part("hours", _CLOCKS),
    "MINUTES": _part("minutes", _CLOCKS),
    "SECONDS": _part("seconds", _CLOCKS),
    "TIMEZONE": _time_zone,
    "TZ": _zone_text,
}

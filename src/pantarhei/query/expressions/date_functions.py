"""Parts of dateTimes, dates and times of day; sums and differences of times and durations.

Source: XQuery and XPath Functions and Operators, sections 10.5 to 10.8; SPARQL 1.1, section 17.4.5.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from rdflib import Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.expression_columns import Column, NumberColumn
from pantarhei.query.expressions.literal_values import MICROSECONDS, ValueArrays
from pantarhei.query.expressions.scalars import (
    DATE,
    DAY_TIME_DURATION,
    TIME,
    YEAR_MONTH_DURATION,
    Duration,
    ExpressionError,
    Time,
    scalar_of,
)
from pantarhei.rdf.ntriples import typed_literal
from pantarhei.values import canonical
from pantarhei.values.value import DATE_TIME, normalized_number

_CYCLE = datetime(2000, 1, 1)  # the Gregorian calendar repeats every 400 years
_YEARS = 400
_SECONDS_IN_A_CYCLE: Final = int((datetime(2400, 1, 1) - _CYCLE).total_seconds())
_DAY: Final = 86400


class Calendar(NamedTuple):
    """Date and time of day of a time in its own time zone."""

    year: int
    month: int
    day: int
    hours: int
    minutes: int
    seconds: Fraction


def calendar(time: Time) -> Calendar:
    """Return the date and time of day of a time in its own time zone.

    >>> from rdflib import XSD
    >>> calendar(time_of(Literal("-0044-03-15T12:00:00", datatype=XSD.dateTime, normalize=False)))[:4]
    (-44, 3, 15, 12)
    """
    whole, rest = divmod(time.seconds + 60 * time.zone, 1)
    cycles, seconds = divmod(whole, _SECONDS_IN_A_CYCLE)
    date = _CYCLE + timedelta(seconds=seconds)
    year = date.year - 2000 + _YEARS * cycles
    return Calendar(year, date.month, date.day, date.hour, date.minute, date.second + rest)


def time_of(term: Term) -> Time:
    """Return the value of a time.

    Raises:
        ExpressionError: the term is not a time.
    """
    value = scalar_of(term) if isinstance(term, Literal) else None
    if not isinstance(value, Time):
        raise ExpressionError
    return value


# -- parts -------------------------------------------------------------------------------------------

_PARTS: Final[dict[str, frozenset[URIRef]]] = {
    **dict.fromkeys(("YEAR", "MONTH", "DAY"), frozenset({DATE_TIME, DATE})),
    **dict.fromkeys(("HOURS", "MINUTES", "SECONDS"), frozenset({DATE_TIME, TIME})),
}
PARTS: Final = frozenset(_PARTS)


def part_of_time(name: str, term: Term) -> Literal:
    """Return YEAR, MONTH, DAY, HOURS, MINUTES or SECONDS of a time.

    Raises:
        ExpressionError: the time does not have this part.
    """
    time = time_of(term)
    if time.datatype not in _PARTS[name]:
        raise ExpressionError
    found = getattr(calendar(time), name.lower())
    return canonical.decimal(_decimal(found)) if name == "SECONDS" else canonical.integer(found)


def _decimal(value: Fraction) -> Decimal:
    """Convert a fraction with finitely many decimals to a decimal."""
    exact = normalized_number(value)
    assert not isinstance(exact, Fraction), "its decimals end"
    return Decimal(exact)


def parts_of_times(name: str, column: Column, context: Context) -> Column | None:
    """Evaluate a part of times for each row; None for columns with times of kind `TEMPORAL`."""
    are_times = (column.kinds == kinds.ZONED) | (column.kinds == kinds.UNZONED)
    if (column.kinds == kinds.TEMPORAL).any():
        return None
    local = np.where(are_times, column.numbers, 0).astype(np.int64)
    local += 60 * MICROSECONDS * np.where(are_times, column.scales, 0).astype(np.int64)
    days, rest = np.divmod(local, _DAY * MICROSECONDS)
    dates = days.astype("datetime64[D]")
    scales = np.zeros(len(days), np.int16)
    if name == "YEAR":
        found = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    elif name == "MONTH":
        found = dates.astype("datetime64[M]").astype(np.int64) % 12 + 1
    elif name == "DAY":
        found = (dates - dates.astype("datetime64[M]")).astype(np.int64) + 1
    elif name == "HOURS":
        found = rest // (3600 * MICROSECONDS)
    elif name == "MINUTES":
        found = rest // (60 * MICROSECONDS) % 60
    else:
        found, scales = rest % (60 * MICROSECONDS), np.full(len(days), 6, np.int16)
    kind = kinds.DECIMAL if name == "SECONDS" else kinds.INTEGER
    numbers = found / MICROSECONDS if name == "SECONDS" else found.astype(np.float64)
    result = np.where(are_times, kind, kinds.NOTHING).astype(np.int8)
    return NumberColumn.of(ValueArrays(result, numbers, scales), context)


def timezone(term: Term) -> Literal:
    """Return the time zone of an xsd:dateTime as a duration.

    Raises:
        ExpressionError: the term has no time zone.
    """
    time = time_of(term)
    if time.datatype != DATE_TIME or not time.zoned:
        raise ExpressionError
    return typed_literal(_day_time_text(Fraction(60 * time.zone)), DAY_TIME_DURATION)


def tz(term: Term) -> Literal:
    """Return the time zone of an xsd:dateTime as written; empty without a time zone.

    Raises:
        ExpressionError: the term is not an xsd:dateTime.
    """
    if time_of(term).datatype != DATE_TIME:
        raise ExpressionError
    text = str(term).strip(" \t\n\r")
    if text.endswith("Z"):
        return Literal("Z")
    return Literal(text[-6:] if text[-6] in "+-" else "")


# -- sums and differences ----------------------------------------------------------------------------


def add_times(left: Term, right: Term) -> Literal:
    """Add a time and a duration, or two durations of one datatype.

    Raises:
        ExpressionError: the sum is undefined.
    """
    one, other = _temporal(left), _temporal(right)
    if isinstance(one, Duration) and isinstance(other, Time):
        one, other = other, one
    if isinstance(one, Time) and isinstance(other, Duration):
        return _add_duration(one, other, 1)
    if isinstance(one, Duration) and isinstance(other, Duration):
        return _sum(one, other, 1)
    raise ExpressionError


def subtract_times(left: Term, right: Term) -> Literal:
    """Subtract a time from a time, or a duration from a time or duration.

    Raises:
        ExpressionError: the difference is undefined.
    """
    one, other = _temporal(left), _temporal(right)
    if isinstance(other, Duration):
        return _add_duration(one, other, -1) if isinstance(one, Time) else _sum(one, other, -1)
    if not isinstance(one, Time) or one.datatype != other.datatype or one.zoned != other.zoned:
        raise ExpressionError
    return typed_literal(_day_time_text(one.seconds - other.seconds), DAY_TIME_DURATION)


def _temporal(term: Term) -> Time | Duration:
    value = scalar_of(term) if isinstance(term, Literal) else None
    if not isinstance(value, Time | Duration):
        raise ExpressionError
    return value


def _sum(one: Duration, other: Duration, sign: int) -> Literal:
    if one.datatype != other.datatype or one.datatype not in (DAY_TIME_DURATION, YEAR_MONTH_DURATION):
        raise ExpressionError
    months, seconds = one.months + sign * other.months, one.seconds + sign * other.seconds
    is_by_day = one.datatype == DAY_TIME_DURATION
    return typed_literal(_day_time_text(seconds) if is_by_day else _month_text(months), one.datatype)


def _add_duration(time: Time, duration: Duration, sign: int) -> Literal:
    """Add a duration to a time (`sign` 1), or subtract it (-1): first its months, where the day is limited to
    the last day of the month, then its seconds.
    """
    seconds = time.seconds + sign * duration.seconds
    if duration.months:
        if time.datatype == TIME:
            raise ExpressionError
        seconds += _add_months(time, sign * duration.months) - time.seconds
    return typed_literal(_text(time._replace(seconds=seconds)), time.datatype)


def _add_months(time: Time, months: int) -> Fraction:
    local = calendar(time)
    year, month = divmod(12 * local.year + local.month - 1 + months, 12)
    cycles, year_of_cycle = divmod(year, _YEARS)
    start = datetime(2000 + year_of_cycle, month + 1, 1)
    last = ((start + timedelta(days=31)).replace(day=1) - timedelta(days=1)).day
    date = start.replace(day=min(local.day, last))
    days = (date - _CYCLE).days
    clock = 3600 * local.hours + 60 * local.minutes + local.seconds
    return cycles * _SECONDS_IN_A_CYCLE + _DAY * days + clock - 60 * time.zone


def _text(time: Time) -> str:
    local = calendar(time)
    year = f"{'-' if local.year < 0 else ''}{abs(local.year):04}"
    date = f"{year}-{local.month:02}-{local.day:02}"
    clock = f"{local.hours:02}:{local.minutes:02}:{_seconds_text(local.seconds, 2)}"
    hours, minutes = divmod(abs(time.zone), 60)
    zone = f"{'-' if time.zone < 0 else '+'}{hours:02}:{minutes:02}" if time.zone else "Z"
    zone = zone if time.zoned else ""
    if time.datatype == DATE:
        return date + zone
    return (clock if time.datatype == TIME else f"{date}T{clock}") + zone


def _seconds_text(seconds: Fraction, width: int) -> str:
    whole, _, decimals = format(_decimal(seconds), "f").partition(".")
    decimals = decimals.rstrip("0")
    return whole.rjust(width, "0") + (f".{decimals}" if decimals else "")


def _day_time_text(seconds: Fraction) -> str:
    """Write the canonical form of an xsd:dayTimeDuration.

    >>> _day_time_text(Fraction(-93780)), _day_time_text(Fraction(0))
    ('-P1DT2H3M', 'PT0S')
    """
    minutes, rest = divmod(abs(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    second = f"{_seconds_text(rest, 1)}S" * bool(rest)
    clock = f"{hours}H" * bool(hours) + f"{minutes}M" * bool(minutes) + second
    text = f"{days}D" * bool(days) + f"T{clock}" * bool(clock)
    return f"{'-' if seconds < 0 else ''}P{text or 'T0S'}"


def _month_text(months: int) -> str:
    years, rest = divmod(abs(months), 12)
    text = f"{years}Y" * bool(years) + f"{rest}M" * bool(rest)
    return f"{'-' if months < 0 else ''}P{text or '0M'}"

"""The values of single terms, by which SPARQL's operators are defined.

Numbers are exact (`int`, `Decimal`) or IEEE 754's; times count seconds since the year 0 in Greenwich, those
without a time zone as if they were there.

Source: SPARQL 1.1, section 17; XQuery and XPath Functions and Operators.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from rdflib import XSD, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.values.duration import Period
from pantarhei.values.numeric import Numeric
from pantarhei.values.value import (
    BOOLEAN,
    DATE_TIME,
    DECIMAL,
    DOUBLE,
    FLOAT,
    INTEGER_BOUNDS,
    STRING,
    is_ill_typed,
    is_text,
    unpacked,
    value_key,
)


class ExpressionError(Exception):
    """An expression has no value: SPARQL's type error. It ends where the expression's answer is noted."""


class Time(NamedTuple):
    """A dateTime, date or time of day.

    Args:
        datatype: the xsd:dateTime, xsd:date or xsd:time.
        zone: minutes that the local time is ahead of Greenwich; 0 without a time zone.
        seconds: since the year 0, of a date when it begins, of a time of day as if on one day.
    """

    datatype: URIRef
    zoned: bool
    zone: int
    seconds: Fraction


class Duration(NamedTuple):
    """A duration."""

    datatype: URIRef
    months: int
    seconds: Fraction

    @property
    def period(self) -> Period:
        """Its length, which is in a partial order."""
        return Period(self.months, self.seconds)


Value = Numeric | Time | Duration | str | bool

NUMERIC_DATATYPES: Final[dict[URIRef, int]] = {
    **dict.fromkeys(INTEGER_BOUNDS, kinds.INTEGER),
    DECIMAL: kinds.DECIMAL,
    FLOAT: kinds.FLOAT,
    DOUBLE: kinds.DOUBLE,
}
DATE_TIME_STAMP: Final = XSD.dateTimeStamp
DATE: Final = XSD.date
TIME: Final = XSD.time
DURATION: Final = XSD.duration
DAY_TIME_DURATION: Final = XSD.dayTimeDuration
YEAR_MONTH_DURATION: Final = XSD.yearMonthDuration
TEMPORAL_DATATYPES: Final = frozenset(
    {DATE_TIME, DATE_TIME_STAMP, DATE, TIME, DURATION, DAY_TIME_DURATION, YEAR_MONTH_DURATION}
)


def value_of(literal: Literal) -> Value | None:
    """The value that operators know of a literal, None where they know none.

    >>> value_of(Literal("2.50", datatype=XSD.decimal, normalize=False))
    Numeric(type=17, value=Decimal('2.50'))
    """
    datatype = literal.datatype
    if literal.language is not None:
        return None
    type_ = None if datatype is None else NUMERIC_DATATYPES.get(datatype)
    if datatype is not None and type_ is not None:
        return _number(str(literal), datatype, type_)
    if datatype is None or datatype == STRING:
        return str(literal)
    if datatype == BOOLEAN:
        key = value_key(str(literal), datatype)
        return None if is_ill_typed(key) else bool(key[1])
    return _temporal(str(literal).strip(" \t\n\r"), datatype) if datatype in TEMPORAL_DATATYPES else None


def _number(text: str, datatype: URIRef, type_: int) -> Numeric | None:
    number = value_key(text, datatype)[1]  # its type tells all; comparing names would take longer
    if isinstance(number, bytes):
        return Numeric(type_, unpacked(number))
    if isinstance(number, int):
        return Numeric(type_, number if type_ == kinds.INTEGER else Decimal(number))
    return Numeric(type_, number) if isinstance(number, Decimal) else None


def _temporal(text: str, datatype: URIRef) -> Time | Duration | None:
    if datatype == DATE:
        place = _end_of_date(text)
        text = f"{text[:place]}T00:00:00{text[place:]}"
    elif datatype == TIME:
        text = f"1972-12-31T{text}"
    elif datatype not in (DATE_TIME, DATE_TIME_STAMP):
        return _duration(text, datatype)
    key = value_key(text, datatype if datatype == DATE_TIME_STAMP else DATE_TIME)
    if key[0] != DATE_TIME or len(key) != 4:
        return None
    _, zone, seconds, fraction = key
    assert isinstance(seconds, int) and isinstance(fraction, Decimal)
    kind = DATE_TIME if datatype == DATE_TIME_STAMP else datatype
    assert zone is None or isinstance(zone, int)
    return Time(kind, zone is not None, zone or 0, seconds + Fraction(fraction))


def _end_of_date(text: str) -> int:
    """Where the zone of an xsd:date begins: behind year, month and day."""
    dash = text.find("-", 1)
    return dash + 6 if dash >= 0 else len(text)


def _duration(text: str, datatype: URIRef) -> Duration | None:
    period = value_key(text, datatype)[1]
    return Duration(datatype, period.months, Fraction(period.seconds)) if isinstance(period, Period) else None


def kind_of(term: Term | None, value: Value | None) -> int:
    """The kind of a term that has this value; numbers and times as if none were long or far."""
    if not isinstance(term, Literal):
        return kinds.NAME
    if term.language is not None:
        return kinds.LANG_STRING
    if isinstance(value, Numeric):
        return value.type
    if isinstance(value, bool):
        return kinds.BOOLEAN
    if isinstance(value, str):
        return kinds.STRING
    if isinstance(value, Time):
        if value.datatype != DATE_TIME:
            return kinds.TEMPORAL
        return kinds.ZONED if value.zoned else kinds.UNZONED
    if isinstance(value, Duration):
        return kinds.TEMPORAL
    if term.datatype in NUMERIC_DATATYPES or term.datatype == BOOLEAN:
        return kinds.ILL_TYPED
    return kinds.KNOWN if is_known(term) else kinds.OTHER


def is_known(literal: Literal) -> bool:
    """Whether the reasoner knows the literal's value, so that another value is known to be different."""
    key = value_key(str(literal), literal.datatype, literal.language)
    return not is_text(key) and not is_ill_typed(key)


# -- numbers -----------------------------------------------------------------------------------------


def number_of(term: Term) -> Numeric:
    """Raises: ExpressionError: the term is no number."""
    value = value_of(term) if isinstance(term, Literal) else None
    if not isinstance(value, Numeric):
        raise ExpressionError
    return value

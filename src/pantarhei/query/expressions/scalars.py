"""Values of single terms, on which SPARQL's operators are defined, and casts between datatypes.

Numbers are exact (`int`, `Decimal`) or IEEE 754 numbers. Times count the seconds since the year 0 in UTC; a
time without a time zone counts as UTC. Casts return literals in canonical form, except times, which keep
their form.

Source: SPARQL 1.1, sections 17 and 17.5; XQuery and XPath Functions and Operators, section 17.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

from rdflib import XSD, BNode, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.rdf.ntriples import typed_literal
from pantarhei.values import canonical
from pantarhei.values.numeric import Number, Numeric, as_decimal, rounded, to_double, to_single
from pantarhei.values.value import (
    BOOLEAN,
    DATE_TIME,
    DECIMAL,
    DOUBLE,
    FLOAT,
    INTEGER_BOUNDS,
    STRING,
    Period,
    is_ill_typed,
    is_text,
    unpacked,
    value_key,
)


class ExpressionError(Exception):
    """SPARQL's type error: an expression has no value. It is caught where the result of the expression is
    stored.
    """


class Time(NamedTuple):
    """Value of an xsd:dateTime, xsd:date or xsd:time.

    Args:
        datatype: xsd:dateTime, xsd:date or xsd:time.
        zoned: whether the time has a time zone.
        zone: minutes ahead of UTC; 0 without a time zone.
        seconds: seconds since the year 0; a date counts as its first instant, a time of day as this time on
            1972-12-31.
    """

    datatype: URIRef
    zoned: bool
    zone: int
    seconds: Fraction


class Duration(NamedTuple):
    """Value of a duration."""

    datatype: URIRef
    months: int
    seconds: Fraction

    @property
    def period(self) -> Period:
        """Length of the duration, which is partially ordered."""
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


def scalar_of(literal: Literal) -> Value | None:
    """Return the value of a literal for SPARQL's operators; None if they do not support its datatype.

    >>> scalar_of(Literal("2.50", datatype=XSD.decimal, normalize=False))
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
    number = value_key(text, datatype)[1]  # its type suffices, and is cheaper to test than the datatype
    if isinstance(number, bytes):
        return Numeric(type_, unpacked(number))
    if isinstance(number, int):
        return Numeric(type_, number if type_ == kinds.INTEGER else Decimal(number))
    return Numeric(type_, number) if isinstance(number, Decimal) else None


def _temporal(text: str, datatype: URIRef) -> Time | Duration | None:
    if datatype == DATE:
        position = _end_of_date(text)
        text = f"{text[:position]}T00:00:00{text[position:]}"
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
    """Return the position after year, month and day of an xsd:date, at which the time zone begins."""
    dash = text.find("-", 1)
    return dash + 6 if dash >= 0 else len(text)


def _duration(text: str, datatype: URIRef) -> Duration | None:
    period = value_key(text, datatype)[1]
    return Duration(datatype, period.months, Fraction(period.seconds)) if isinstance(period, Period) else None


def is_known(literal: Literal) -> bool:
    """Return whether a literal's value is known, so that it is certainly different from other known
    values.
    """
    key = value_key(str(literal), literal.datatype, literal.language)
    return not is_text(key) and not is_ill_typed(key)


# -- numbers -----------------------------------------------------------------------------------------


def number_of(term: Term) -> Numeric:
    """Return the number of a term.

    Raises: ExpressionError: the term is not a number.
    """
    value = scalar_of(term) if isinstance(term, Literal) else None
    if not isinstance(value, Numeric):
        raise ExpressionError
    return value


_SPACE = " \t\n\r"


def cast(datatype: URIRef, term: Term) -> Literal:
    """Cast a term to a datatype.

    Raises:
        ExpressionError: the cast is undefined, or the datatype does not contain the value.

    >>> from rdflib import XSD
    >>> str(cast(XSD.integer, Literal("3.7", datatype=XSD.decimal)))
    '3'
    """
    if datatype == STRING:
        return _to_string(term)
    if not isinstance(term, Literal) or term.language is not None:
        raise ExpressionError
    value = scalar_of(term)
    if value is None:
        raise ExpressionError
    if isinstance(value, str):
        value = _from_string(datatype, value)
    if datatype == BOOLEAN:
        return canonical.boolean(_truth(value))
    if datatype in NUMERIC_DATATYPES:
        return _to_number(datatype, value)
    return _to_temporal(datatype, term, value)


def _to_string(term: Term) -> Literal:
    """Return the text of an IRI or a literal; numbers and booleans are written as by XPath (section
    17.1.2).
    """
    if isinstance(term, BNode):
        raise ExpressionError
    value = scalar_of(term) if isinstance(term, Literal) else None
    if isinstance(value, bool):
        return Literal(str(canonical.boolean(value)))
    return Literal(_number_text(value) if isinstance(value, Numeric) else str(term))


def _number_text(number: Numeric) -> str:
    """Write a number: `1` for 1.0 and 1e0, `1.5`, and `1.0E7` for floats and doubles from a million."""
    text, value = str(canonical.number(number)), number.value
    if isinstance(value, float) and (not value or 1e-6 <= abs(value) < 1e6):
        text = canonical.decimal_text(Decimal(text)) if value else text.partition("E")[0]
    return text.removesuffix(".0")


def _from_string(datatype: URIRef, text: str) -> Value:
    """Parse a text as a literal of a datatype."""
    value = scalar_of(typed_literal(text.strip(_SPACE), datatype))
    if value is None:
        raise ExpressionError
    return value


def _truth(value: Value) -> bool:
    if isinstance(value, Numeric):
        return value.value != 0 and value.value == value.value
    if isinstance(value, bool):
        return value
    raise ExpressionError


def _to_number(datatype: URIRef, value: Value) -> Literal:
    if isinstance(value, bool):
        value = Numeric(kinds.INTEGER, int(value))
    if not isinstance(value, Numeric):
        raise ExpressionError
    if datatype == DOUBLE:
        return canonical.double(to_double(value.value))
    if datatype == FLOAT:
        return canonical.float_(to_single(value.value))
    if datatype == DECIMAL:
        exact = _finite(value.value)
        return canonical.decimal(exact if value.type == kinds.DECIMAL else rounded(exact))
    whole = value.value if isinstance(value.value, int) else int(_finite(value.value))
    low, high = INTEGER_BOUNDS[datatype]
    if (low is not None and whole < low) or (high is not None and whole > high):
        raise ExpressionError
    return typed_literal(canonical.integer_text(whole), datatype)


def _finite(value: Number) -> Decimal:
    if isinstance(value, float) and not math.isfinite(value):
        raise ExpressionError
    return as_decimal(value)


def _to_temporal(datatype: URIRef, term: Literal, value: Value) -> Literal:
    text = str(term).strip(_SPACE)
    if isinstance(value, Time | Duration) and value.datatype == datatype:
        return typed_literal(text, datatype)
    if isinstance(value, Time) and value.datatype == DATE_TIME and datatype in (DATE, TIME):
        date, _, clock = text.partition("T")
        zone = clock[8:].lstrip(".0123456789")
        return typed_literal(date + zone if datatype == DATE else clock, datatype)
    if isinstance(value, Time) and value.datatype == DATE and datatype == DATE_TIME:
        end = text.find("-", 1) + 6
        return typed_literal(f"{text[:end]}T00:00:00{text[end:]}", datatype)
    raise ExpressionError


CASTS: Final[dict[str, Callable[[Term], Literal]]] = {
    str(datatype): partial(cast, datatype)
    for datatype in (
        *NUMERIC_DATATYPES,
        STRING,
        BOOLEAN,
        DATE_TIME,
        DATE,
        TIME,
        DURATION,
        DAY_TIME_DURATION,
        YEAR_MONTH_DURATION,
    )
}

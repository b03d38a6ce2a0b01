"""Constructor functions of SPARQL 1.1, section 17.5, by the names of XML Schema's types.

xsd:string returns the text of an IRI or a literal; for a well-typed number or boolean, the shortest form of
its
value: `1` for 1.0 and 1e0, `1.5`, `true`, and `1.0E7` for floats and doubles from a million. The other
functions accept a string without a language that is a lexical form of the type, and the values allowed by the
table of section 17.5. A resulting number or boolean is in canonical form, a resulting time in the given form.

In addition to the types of SPARQL, those derived from xsd:integer, xsd:date, xsd:time and the durations are
supported: an xsd:dateTime is converted to its date and its time, an xsd:date to the start of its day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Final

from rdflib import XSD, URIRef

from oracle.answers.comparing import is_boolean, truth
from oracle.answers.numbers import (
    DECIMAL,
    INTEGER,
    LONG,
    SINGLE,
    Number,
    is_number,
    number,
    round_decimal,
    to_literal,
)
from oracle.answers.terms import ExpressionError, boolean, is_string, literal, text_of
from oracle.answers.times import temporal
from pantarhei.model.term import Term
from pantarhei.values.value import INTEGER_BOUNDS


def _source(term: Term, datatype: URIRef) -> Term:
    """Return the term; a string is parsed as a literal of the datatype."""
    return literal(str(term).strip(" \t\n\r"), datatype) if is_string(term) else term


def _to_string(term: Term) -> Term:
    if is_boolean(term):
        return literal(str(boolean(truth(term))))
    return literal(_number_text(number(term))) if is_number(term) else text_of(term)


def _number_text(given: Number) -> str:
    """Return XPath's text of a number (Functions and Operators, section 17.1.2)."""
    text = str(to_literal(given))
    if isinstance(given.value, float) and (not given.value or 1e-6 <= abs(given.value) < 1e6):
        text = format(Decimal(text), "f")
    return text.rstrip("0").rstrip(".") if "." in text and "E" not in text else text


def _to_number(kind: int, datatype: URIRef) -> Callable[[Term], Term]:
    def cast(term: Term) -> Term:
        given = _source(term, datatype)
        found = Number(INTEGER, int(truth(given))) if is_boolean(given) else number(given)
        result = literal(str(to_literal(_convert(found, kind))), datatype)
        number(result)  # raises the error if it is out of the datatype's bounds
        return result

    return cast


def _convert(given: Number, kind: int) -> Number:
    """Convert a number: integers are truncated towards zero, decimals have 28 digits, floats are the nearest
    ones.
    """
    if given.kind == kind:
        return given
    if kind in (SINGLE, LONG):
        return Number(kind, given.to_float(kind))
    if not given.is_finite:
        raise ExpressionError
    exact = Decimal(given.value)
    return Number(kind, int(exact) if kind == INTEGER else round_decimal(Fraction(exact)))


def _to_boolean(term: Term) -> Term:
    given = _source(term, XSD.boolean)
    if not (is_boolean(given) or is_number(given)):
        raise ExpressionError
    return boolean(truth(given))


def _to_time(datatype: URIRef) -> Callable[[Term], Term]:
    def cast(term: Term) -> Term:
        given = _source(term, datatype)
        found, text = temporal(given), str(given).strip(" \t\n\r")
        if found is None:
            raise ExpressionError
        if found.datatype == datatype:
            return literal(text, datatype)
        match = _DATE_TIME.fullmatch(text)
        if match is None or (found.datatype, datatype) not in _CONVERSIONS:
            raise ExpressionError
        date, clock, zone = match.groups()
        made = {XSD.date: date, XSD.time: clock, XSD.dateTime: f"{date}T{clock or '00:00:00'}"}[datatype]
        return literal(made + (zone or ""), datatype)

    return cast


_DATE_TIME = re.compile(r"(-?\d+-\d\d-\d\d)(?:T([\d:.]+))?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_CONVERSIONS = ((XSD.dateTime, XSD.date), (XSD.dateTime, XSD.time), (XSD.date, XSD.dateTime))
_TIMES = (XSD.dateTime, XSD.date, XSD.time, XSD.duration, XSD.dayTimeDuration, XSD.yearMonthDuration)

CASTS: Final[dict[str, Callable[..., Term]]] = {
    str(XSD.string): _to_string,
    str(XSD.boolean): _to_boolean,
    **{str(datatype): _to_number(INTEGER, datatype) for datatype in INTEGER_BOUNDS},
    str(XSD.decimal): _to_number(DECIMAL, XSD.decimal),
    str(XSD.float): _to_number(SINGLE, XSD.float),
    str(XSD.double): _to_number(LONG, XSD.double),
    **{str(datatype): _to_time(datatype) for datatype in _TIMES},
}

"""The literals that expressions result in, in the canonical forms of XML Schema."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

from rdflib import XSD, Literal

from pantarhei.language.term import Term
from pantarhei.literals.value import single
from pantarhei.query.expressions.kinds import DECIMAL, FLOAT, INTEGER
from pantarhei.query.expressions.values import EXACT, MOST_DIGITS, ExpressionError, Number, Numeric
from pantarhei.rdf.ntriples import simple_literal, valued_literal

_INTEGER, _DECIMAL, _FLOAT, _DOUBLE, _BOOLEAN = XSD.integer, XSD.decimal, XSD.float, XSD.double, XSD.boolean
TRUE: Final = valued_literal("true", _BOOLEAN, True)
TOO_LARGE: Final = 10**MOST_DIGITS
FALSE: Final = valued_literal("false", _BOOLEAN, False)


def boolean(value: bool) -> Literal:
    return TRUE if value else FALSE


def integer(value: int) -> Literal:
    """
    >>> integer(-5)
    rdflib.term.Literal('-5', datatype=rdflib.term.URIRef('http://www.w3.org/2001/XMLSchema#integer'))
    """
    return valued_literal(integer_text(value), _INTEGER, value)


def integer_text(value: int) -> str:
    """The digits of a number.

    Raises:
        ExpressionError: there are more than `values.MOST_DIGITS`.
    """
    if abs(value) >= TOO_LARGE:
        raise ExpressionError
    return str(value)


def decimal(value: Decimal | int) -> Literal:
    """
    >>> str(decimal(Decimal("2.50"))), str(decimal(3))
    ('2.5', '3.0')
    """
    return valued_literal(decimal_text(Decimal(value)), _DECIMAL, Decimal(value))


def decimal_text(value: Decimal) -> str:
    """
    >>> decimal_text(Decimal("-0.0")), decimal_text(Decimal("1E+3"))
    ('0.0', '1000.0')
    """
    text = format(value if value else EXACT.abs(value), "f")
    whole, _, digits = text.partition(".")
    return f"{whole}.{digits.rstrip('0') or '0'}"


def decimal_of_float(value: float) -> Literal:
    """The decimal of at most 15 digits whose nearest float64 is given.

    >>> str(decimal_of_float(0.1)), str(decimal_of_float(-1e-7))
    ('0.1', '-0.0000001')
    """
    text = repr(value + 0.0)
    exact = Decimal(text)
    return valued_literal(decimal_text(exact) if "e" in text else text, _DECIMAL, exact)


def double(value: float) -> Literal:
    return valued_literal(double_text(value), _DOUBLE, value)


def double_text(value: float) -> str:
    """The fewest digits that give the number.

    >>> double_text(2.5), double_text(1e22), double_text(-0.0), double_text(math.inf)
    ('2.5E0', '1.0E22', '-0.0E0', 'INF')
    """
    return _scientific(value, repr(value))


def float_(value: float) -> Literal:
    return valued_literal(float_text(value), _FLOAT, value)


def float_text(value: float) -> str:
    """The fewest digits that give the xsd:float.

    >>> float_text(single(0.1))
    '1.0E-1'
    """
    if not math.isfinite(value):
        return _scientific(value, "")
    digits = (f"{value:.{places}e}" for places in range(9))
    return _scientific(value, next(text for text in digits if single(float(text)) == value))


def _scientific(value: float, text: str) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, places = mantissa.partition(".")
    shifted = (whole + places).lstrip("0")
    power = len(shifted) - len(places) - 1 + int(exponent or 0) if value else 0
    digits = shifted.rstrip("0")
    return f"{'-' if text[0] == '-' else ''}{digits[:1] or '0'}.{digits[1:] or '0'}E{power}"


def number(value: Numeric) -> Literal:
    """The literal of a number of some type."""
    return of_type(value.type, value.value)


def of_type(type_: int, value: Number) -> Literal:
    """The literal of a number in a type."""
    if type_ == INTEGER:
        return integer(int(value))
    if type_ == DECIMAL:
        return decimal(Decimal(value))
    return float_(float(value)) if type_ == FLOAT else double(float(value))


def like(text: str, literal: Literal) -> Literal:
    """A string in the language of another, if it has one."""
    if literal.language is None:
        return simple_literal(text)
    return Literal(text, lang=literal.language)


def of(result: Term | bool | int) -> Term:
    """The term of a function's result."""
    if isinstance(result, bool):
        return boolean(result)
    return integer(result) if isinstance(result, int) else result

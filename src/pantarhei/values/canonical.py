"""Canonical literals of numbers and booleans: `2`, `2.5`, `2.5E0`, `true`.

Source: XML Schema 1.1, part 2, section 3.3.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Final

from rdflib import XSD, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.values.numeric import DECIMAL, FLOAT, INTEGER, TOO_LARGE, Number, NumberError, Numeric, rounded
from pantarhei.values.value import single

_INTEGER, _DECIMAL, _FLOAT, _DOUBLE, _BOOLEAN = XSD.integer, XSD.decimal, XSD.float, XSD.double, XSD.boolean


def simple_literal(text: str) -> Literal:
    """Build a literal without datatype and language tag."""
    return build_literal(text, None, text, None)


def valued_literal(lexical: str, datatype: URIRef, value: object) -> Literal:
    """Build a literal from a lexical form and the value that it denotes."""
    return build_literal(lexical, datatype, value, False)


def build_literal(lexical: str, datatype: URIRef | None, value: object, ill_typed: bool | None) -> Literal:
    """Build a `Literal` from known parts, without the checks of rdflib's constructor, which cost ten times as
    much.
    """
    literal: Literal = str.__new__(Literal, lexical)
    literal._language, literal._datatype = None, datatype
    literal._value, literal._ill_typed = value, ill_typed
    return literal


TRUE: Final = valued_literal("true", _BOOLEAN, True)
FALSE: Final = valued_literal("false", _BOOLEAN, False)


def boolean(value: bool) -> Literal:
    """Build an xsd:boolean."""
    return TRUE if value else FALSE


def integer(value: int) -> Literal:
    """Build an xsd:integer.

    >>> integer(-5)
    rdflib.term.Literal('-5', datatype=rdflib.term.URIRef('http://www.w3.org/2001/XMLSchema#integer'))
    """
    return valued_literal(integer_text(value), _INTEGER, value)


def integer_text(value: int) -> str:
    """Write an integer in digits.

    Raises:
        NumberError: it has more than `numeric.MAX_DIGITS` digits.
    """
    if abs(value) >= TOO_LARGE:
        raise NumberError
    return str(value)


def decimal(value: Decimal | int) -> Literal:
    """Build an xsd:decimal.

    >>> str(decimal(Decimal("2.50"))), str(decimal(3))
    ('2.5', '3')
    """
    return valued_literal(decimal_text(Decimal(value)), _DECIMAL, Decimal(value))


def decimal_text(value: Decimal) -> str:
    """Write a decimal with as few digits as possible, and without a point if it is whole.

    >>> decimal_text(Decimal("-0.0")), decimal_text(Decimal("1E+3")), decimal_text(Decimal("0.10"))
    ('0', '1000', '0.1')
    """
    if not value:
        return "0"
    text = format(value, "f")
    return text.rstrip("0").removesuffix(".") if "." in text else text


def decimal_of_float(value: float) -> Literal:
    """Build the xsd:decimal of at most 15 digits whose nearest float64 is `value`.

    >>> str(decimal_of_float(0.1)), str(decimal_of_float(-1e-7)), str(decimal_of_float(2.0))
    ('0.1', '-0.0000001', '2')
    """
    text = repr(value + 0.0)
    exact = Decimal(text)
    return valued_literal(decimal_text(exact) if "e" in text else text.removesuffix(".0"), _DECIMAL, exact)


def double(value: float) -> Literal:
    """Build an xsd:double."""
    return valued_literal(double_text(value), _DOUBLE, value)


def double_text(value: float) -> str:
    """Write an xsd:double with the fewest digits that denote it.

    >>> double_text(2.5), double_text(1e22), double_text(-0.0), double_text(math.inf)
    ('2.5E0', '1.0E22', '-0.0E0', 'INF')
    """
    return _scientific(value, repr(value))


def float_(value: float) -> Literal:
    """Build an xsd:float."""
    return valued_literal(float_text(value), _FLOAT, value)


def float_text(value: float) -> str:
    """Write an xsd:float with the fewest digits that denote it.

    >>> float_text(single(0.1))
    '1.0E-1'
    """
    if not math.isfinite(value):
        return _scientific(value, "")
    digits = (f"{value:.{decimals}e}" for decimals in range(9))
    return _scientific(value, next(text for text in digits if single(float(text)) == value))


def _scientific(value: float, text: str) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, decimals = mantissa.partition(".")
    shifted = (whole + decimals).lstrip("0")
    power = len(shifted) - len(decimals) - 1 + int(exponent or 0) if value else 0
    digits = shifted.rstrip("0")
    return f"{'-' if text[0] == '-' else ''}{digits[:1] or '0'}.{digits[1:] or '0'}E{power}"


def number(value: Numeric) -> Literal:
    """Build the literal of a number.

    Raises:
        ArithmeticError: the number is too large.
    """
    return of_type(value.type, value.value)


def of_type(type_: int, value: Number) -> Literal:
    """Build the literal of a number in one of the numeric types.

    Raises: as `number`.
    """
    if type_ == INTEGER:
        return integer(int(value))
    if type_ == DECIMAL:
        return decimal(rounded(value) if isinstance(value, Fraction) else Decimal(value))
    return float_(float(value)) if type_ == FLOAT else double(float(value))


# -- texts and results -------------------------------------------------------------------------------


def with_language_of(text: str, literal: Literal) -> Literal:
    """Build a string with the language tag of another literal, if that has one."""
    if literal.language is None:
        return simple_literal(text)
    return Literal(text, lang=literal.language)


def of_result(result: Term | bool | int) -> Term:
    """Convert the result of a function to a term."""
    if isinstance(result, bool):
        return boolean(result)
    return integer(result) if isinstance(result, int) else result

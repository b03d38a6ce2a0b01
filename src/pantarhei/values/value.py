"""Values of literals: the lexical forms of each datatype, and the forms that denote one value.

The datatypes are those of OWL 2 RL (OWL 2 Profiles, section 4.2), owl:rational and the durations. A value is
represented by its *key*: a hashable tuple that begins with the name of a value space. Two literals have equal
keys exactly if they have the same value. Value spaces are disjoint (OWL 2, section 4): no number is an
xsd:double, no xsd:anyURI is a string.

- numbers (owl:rational, xsd:decimal and all integer datatypes): `(XSD.decimal, n)`, where n is an `int` if
  the number is whole, a `Decimal` if it has finitely many decimals, otherwise a `Fraction`;
- xsd:float and xsd:double: `(datatype, IEEE 754 bytes)`, so that NaN is equal to itself and +0 is not -0;
- strings (xsd:string, datatypes derived from it, rdf:PlainLiteral without a language): `(XSD.string, text)`;
- strings with a language (rdf:langString, rdf:PlainLiteral with a language): `(RDF.langString, text,
  language)`;
- xsd:dateTime and xsd:dateTimeStamp: `(XSD.dateTime, zone, seconds since the year 0, fraction)`, where the
  zone is in minutes ahead of UTC, or None without a time zone: one instant in two time zones is two values,
  which are equal but not identical;
- xsd:duration, xsd:dayTimeDuration and xsd:yearMonthDuration: `(XSD.duration, Period)`;
- xsd:boolean, xsd:hexBinary, xsd:base64Binary, xsd:anyURI: `(datatype, value)`;
- other datatypes, and literals that are too long to be parsed: `(datatype, text)`;
- ill-typed literals: `(ILL_TYPED, datatype, text)`.

A key identifies a value in joins, enumerations and DISTINCT. Comparisons and facets use equality instead: one
instant in two time zones, or +0 and -0, are equal but not identical (OWL 2 Syntax, section 4.7).

Two deviations from OWL 2: rdf:XMLLiteral is compared by its text, and xsd:string does not exclude the control
characters that XML excludes.

Durations are those of XML Schema 1.1, part 2, section 3.3.6: a number of months and a number of seconds,
partially ordered. A month has 28 to 31 days, so `P1M` and `P30D` are incomparable, while `P1M` is less than
`P32D`.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple

from rdflib import OWL, RDF, XSD, Literal, URIRef

from pantarhei.model.term import Term

_DURATION = re.compile(
    r"(-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?",
    re.ASCII,
)
_DAY = 86400
# Year and month of the four times to which durations are added: midnight of the first day of the month.
_DURATION_STARTS = ((1696, 9), (1697, 2), (1903, 3), (1903, 7))


class Period(NamedTuple):
    """Duration in months and seconds, which have the same sign. Equality is identity; the order is partial.

    >>> Period(1, 0) < Period(0, 32 * 86400), Period(1, 0) < Period(0, 30 * 86400)
    (True, False)
    """

    months: int
    seconds: int | Decimal | Fraction

    def __lt__(self, other: tuple[object, ...]) -> bool:
        assert isinstance(other, Period)
        if self.months == other.months:
            return self.seconds < other.seconds
        return all(one < two for one, two in zip(self.ends(), other.ends(), strict=True))

    def __gt__(self, other: tuple[object, ...]) -> bool:
        assert isinstance(other, Period)
        return other < self

    def __le__(self, other: tuple[object, ...]) -> bool:
        return self == other or self < other

    def __ge__(self, other: tuple[object, ...]) -> bool:
        return self == other or self > other

    def ends(self) -> list[Fraction]:
        """Return the second at which the duration ends, for each of the four start times of XML Schema."""
        days = (_day(year, month - 1 + self.months) for year, month in _DURATION_STARTS)
        return [_DAY * day + Fraction(self.seconds) for day in days]

    def is_comparable(self, other: Period) -> bool:
        """Return whether two durations are equal or ordered."""
        return self == other or self < other or other < self

    def sort_key(self) -> tuple[Fraction, int]:
        """Return the sort key of a total order that extends the partial order."""
        return sum(self.ends(), Fraction(0)), self.months


def _day(year: int, months: int) -> int:
    """Return the number of the day on which a month begins.

    Args:
        months: number of months after January of the year.
    """
    years, month = divmod(months - 2, 12)  # counted from March, so that leap days are last
    year += years
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5


def read_duration(text: str) -> Period | None:
    """Parse a duration; None if the text is not a duration.

    >>> read_duration("P1Y2M"), read_duration("-PT1H0.5S"), read_duration("P1")
    (Period(months=14, seconds=Fraction(0, 1)), Period(months=0, seconds=Fraction(-7201, 2)), None)
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    sign = -1 if match[1] else 1
    parts = (Fraction(Decimal(part or 0)) for part in match.groups()[1:])
    years, months, days, hours, minutes, seconds = parts
    whole = _DAY * days + 3600 * hours + 60 * minutes + seconds
    return Period(sign * int(12 * years + months), sign * whole)


Number = int | Decimal | Fraction
Key = tuple[Hashable, ...]

# Longer literals are compared by their text alone, so that megabytes are never parsed.
LONGEST_PARSED_LITERAL = 10_000

# First member of the keys of ill-typed literals.
ILL_TYPED: Final = "ill-typed"

# Names as variables, since a lookup in a namespace costs more than the rest of a comparison.
DECIMAL, FLOAT, DOUBLE, BOOLEAN = XSD.decimal, XSD.float, XSD.double, XSD.boolean
STRING, LANG_STRING, ANY_URI = XSD.string, RDF.langString, XSD.anyURI
DATE_TIME, HEX_BINARY, BASE64_BINARY = XSD.dateTime, XSD.hexBinary, XSD.base64Binary
DURATION, DAY_TIME_DURATION = XSD.duration, XSD.dayTimeDuration
YEAR_MONTH_DURATION = XSD.yearMonthDuration
REAL, RATIONAL, PLAIN_LITERAL = OWL.real, OWL.rational, URIRef(f"{RDF}PlainLiteral")

INTEGER_BOUNDS: Final[dict[URIRef, tuple[int | None, int | None]]] = {
    XSD.integer: (None, None),
    XSD.nonNegativeInteger: (0, None),
    XSD.positiveInteger: (1, None),
    XSD.nonPositiveInteger: (None, 0),
    XSD.negativeInteger: (None, -1),
    XSD.long: (-(2**63), 2**63 - 1),
    XSD.int: (-(2**31), 2**31 - 1),
    XSD.short: (-(2**15), 2**15 - 1),
    XSD.byte: (-(2**7), 2**7 - 1),
    XSD.unsignedLong: (0, 2**64 - 1),
    XSD.unsignedInt: (0, 2**32 - 1),
    XSD.unsignedShort: (0, 2**16 - 1),
    XSD.unsignedByte: (0, 2**8 - 1),
}


@dataclass(frozen=True, slots=True)
class Form:
    """Regular expression that is compiled at first use, since the expressions of XML names take long to
    compile.
    """

    expression: str

    def match(self, text: str) -> re.Match[str] | None:
        """Match the beginning of `text`."""
        return _compiled(self.expression).match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Match the whole of `text`."""
        return _compiled(self.expression).fullmatch(text)


_compiled = cache(re.compile)

_NAME_START = (
    r"A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    r"\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME_REST = _NAME_START + r"\-.0-9\xb7\u0300-\u036f\u203f\u2040"

# XML's names: the first character, and any character.
NAME_START: Final = Form(f"[:{_NAME_START}]")
NAME_CHARACTER: Final = Form(f"[:{_NAME_REST}]")

STRING_FORMS: Final[dict[URIRef, Form]] = {
    XSD.normalizedString: Form(r"[^\t\n\r]*"),
    XSD.token: Form(r"([^\t\n\r ]+( [^\t\n\r ]+)*)?"),
    XSD.language: Form(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*"),
    XSD.Name: Form(f"[:{_NAME_START}][:{_NAME_REST}]*"),
    XSD.NCName: Form(f"[{_NAME_START}][{_NAME_REST}]*"),
    XSD.NMTOKEN: Form(f"[:{_NAME_REST}]+"),
}


def value_key(lexical: str, datatype: URIRef | None, language: str | None = None) -> Key:
    """Return the key of a literal's value. A literal without datatype and language is a string.

    >>> value_key("1/2", OWL.rational) == value_key("0.5", XSD.decimal)
    True
    >>> value_key("one", XSD.integer)[0]
    'ill-typed'
    """
    if language is not None:
        return (LANG_STRING, lexical, language.lower())
    if datatype is None:
        return (STRING, lexical)
    parse = _VALUE_SPACES.get(datatype)
    if parse is None or len(lexical) > LONGEST_PARSED_LITERAL:
        return (datatype, lexical)
    return parse(lexical) or (ILL_TYPED, datatype, lexical)


def is_ill_typed(key: Hashable) -> bool:
    """Return whether a key belongs to a literal outside the lexical space of its datatype."""
    # the type is tested first, since comparing IRIs would dominate the cost
    return isinstance(key, tuple) and type(key[0]) is str and key[0] == ILL_TYPED


def literal_key(literal: Literal) -> Key:
    """Return the key of a literal's value."""
    return value_key(str(literal), literal.datatype, literal.language)


def value_of(term: Term) -> Hashable:
    """Return a key that two terms share exactly if they denote the same thing under unique names.

    The key of an IRI or a blank node is the term itself. The key of a literal is its value if the datatype is
    known, otherwise its text and datatype; a well-typed literal never has the key of an ill-typed one.

    >>> from rdflib import XSD, Literal
    >>> value_of(Literal("01", datatype=XSD.integer)) == value_of(Literal("1.0", datatype=XSD.decimal))
    True
    >>> value_of(Literal("1", datatype=XSD.double)) == value_of(Literal("1", datatype=XSD.integer))
    False
    """
    return literal_key(term) if isinstance(term, Literal) else term


def is_well_typed(literal: Literal) -> bool:
    """Return whether the literal has a value in its datatype; True for unknown datatypes."""
    return not is_ill_typed(value_of(literal))


def is_text(key: Key) -> bool:
    """Return whether a key belongs to a literal that is compared by text, since its value is unknown."""
    return len(key) == 2 and isinstance(key[1], str) and key[0] not in (STRING, ANY_URI)


# -- numbers ---------------------------------------------------------------------------------------

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_RATIONAL = re.compile(r"([+-]?\d+)/(\d*[1-9]\d*)", re.ASCII)
_DOUBLE = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN", re.ASCII)
_SPACE = " \t\n\r"  # white space that XML Schema collapses
_DIGITS_OF_INT = 4000  # Python does not convert much longer texts to `int` directly


def normalized_number(value: Number) -> Number:
    """Convert a number to its type in keys: `int` if it is whole, `Decimal` if it has finitely many decimals,
    otherwise `Fraction`.

    >>> tuple(map(normalized_number, (Fraction(4, 2), Fraction(1, 8), Fraction(1, 3))))
    (2, Decimal('0.125'), Fraction(1, 3))
    """
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return value.numerator
        return _finite(value) or value
    if isinstance(value, Decimal):
        whole = int(value)
        return whole if whole == value else value
    return value


def _finite(value: Fraction) -> Decimal | None:
    """Return the decimal that is equal to a fraction; None if the fraction has infinitely many decimals."""
    twos = (value.denominator & -value.denominator).bit_length() - 1
    rest, fives = value.denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    decimals = max(twos, fives)
    digits = Decimal(value.numerator * (10**decimals // value.denominator))
    return digits.scaleb(-decimals, Context(prec=max(1, digits.adjusted() + 1), Emin=-(10**9), Emax=10**9))


def _int(text: str) -> int:
    return int(text) if len(text) <= _DIGITS_OF_INT else int(Decimal(text))


def _decimal(lexical: str) -> Key | None:
    text = lexical.strip(_SPACE)
    return (DECIMAL, normalized_number(Decimal(text))) if _DECIMAL.fullmatch(text) else None


def _rational(lexical: str) -> Key | None:
    match = _RATIONAL.fullmatch(lexical.strip(_SPACE))
    return (DECIMAL, normalized_number(Fraction(_int(match[1]), _int(match[2])))) if match else None


def _integer(low: int | None, high: int | None) -> Callable[[str], Key | None]:
    def parse(lexical: str) -> Key | None:
        text = lexical.strip(_SPACE)
        if not _INTEGER.fullmatch(text):
            return None
        value = _int(text)
        inside = (low is None or value >= low) and (high is None or value <= high)
        return (DECIMAL, value) if inside else None

    return parse


def _binary_float(datatype: URIRef, pack: Callable[[str], bytes]) -> Callable[[str], Key | None]:
    def parse(lexical: str) -> Key | None:
        text = lexical.strip(_SPACE)
        if not _DOUBLE.fullmatch(text):
            return None
        return (datatype, pack(text.replace("INF", "inf").replace("NaN", "nan")))

    return parse


def _double_bytes(text: str) -> bytes:
    return struct.pack(">d", float(text))


def double_key(value: float) -> Key:
    """Return the key of an xsd:double."""
    return (DOUBLE, struct.pack(">d", value if value == value else math.nan))


def _float_bytes(text: str) -> bytes:
    value = float(text)
    if math.isfinite(value) and value and not _is_odd(value):
        # Rounding twice would be incorrect at ties; the odd neighbour on the number's side is never a tie.
        given, nearest = Decimal(text), Decimal.from_float(value)
        if given != nearest:
            value = math.nextafter(value, math.inf if given > nearest else -math.inf)
    return struct.pack(">f", single(value))


def _is_odd(value: float) -> bool:
    return bool(struct.pack(">d", value)[-1] & 1)


def unpacked(packed: bytes) -> float:
    """Unpack the number in the key of an xsd:float, which has four bytes, or of an xsd:double."""
    (value,) = struct.unpack(">f" if len(packed) == 4 else ">d", packed)
    return float(value)


def single(value: float) -> float:
    """Round an xsd:double to the nearest xsd:float; the result is infinite beyond the range of xsd:float.

    >>> single(0.1), single(1e39)
    (0.10000000149011612, inf)
    """
    try:
        (rounded,) = struct.unpack(">f", struct.pack(">f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(rounded)


# -- times -----------------------------------------------------------------------------------------

_DATETIME = re.compile(
    r"(-?(?:[1-9]\d{3,}|0\d{3}))-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?", re.ASCII
)
_CYCLE_START = datetime(2000, 1, 1)  # the Gregorian calendar repeats every 400 years
_SECOND, _MINUTE = timedelta(seconds=1), timedelta(minutes=1)
_SECONDS_IN_A_CYCLE = (datetime(2400, 1, 1) - _CYCLE_START) // _SECOND


def _datetime(lexical: str) -> Key | None:
    """Return the key `(tag, zone, seconds since the year 0, fraction)`. Years are shifted into the range of
    Python's datetime.
    """
    match = _DATETIME.fullmatch(lexical.strip(_SPACE))
    if match is None:
        return None
    year, zone = _int(match[1]), match[8]
    month, day, hour, minute, second = (int(match[i]) for i in range(2, 7))
    fraction = Decimal(match[7] or 0)
    midnight = hour == 24
    if midnight and (minute or second or fraction):
        return None
    try:
        instant = datetime(year % 400 + 2000, month, day, 0 if midnight else hour, minute, second)
    except ValueError:
        return None
    offset = _offset(zone)
    if offset is None:
        return None
    seconds = (instant + timedelta(days=midnight) - offset - _CYCLE_START) // _SECOND
    minutes = None if zone is None else offset // _MINUTE
    return (DATE_TIME, minutes, (year // 400) * _SECONDS_IN_A_CYCLE + seconds, fraction)


# Greatest difference between local time and UTC, in minutes.
FURTHEST_ZONE: Final = 14 * 60


def _offset(zone: str | None) -> timedelta | None:
    if zone is None or zone == "Z":
        return timedelta(0)
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if minutes > 59 or 60 * hours + minutes > FURTHEST_ZONE:
        return None
    offset = timedelta(hours=hours, minutes=minutes)
    return -offset if zone[0] == "-" else offset


def _datetime_stamp(lexical: str) -> Key | None:
    key = _datetime(lexical)
    return key if key and key[1] is not None else None


def _duration(datatype: URIRef) -> Callable[[str], Key | None]:
    def parse(lexical: str) -> Key | None:
        text = lexical.strip(_SPACE)
        if _FORBIDDEN[datatype].match(text):
            return None
        found = read_duration(text)
        return None if found is None else (DURATION, Period(found.months, normalized_number(found.seconds)))

    return parse


_FORBIDDEN = {
    DURATION: re.compile("(?!)"),
    DAY_TIME_DURATION: re.compile("[^T]*[YM]"),
    YEAR_MONTH_DURATION: re.compile(".*[DT]"),
}


# -- other datatypes --------------------------------------------------------------------------------------

_BASE64 = re.compile(
    r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?", re.ASCII
)
_HEX = re.compile(r"([0-9A-Fa-f]{2})*", re.ASCII)
_LANGUAGE = re.compile(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _boolean(lexical: str) -> Key | None:
    value = _BOOLEANS.get(lexical.strip(_SPACE))
    return None if value is None else (BOOLEAN, value)


def _string(lexical: str) -> Key | None:
    return (STRING, lexical)


def _form(pattern: Form) -> Callable[[str], Key | None]:
    return lambda lexical: (STRING, lexical) if pattern.fullmatch(lexical) else None


def _plain_literal(lexical: str) -> Key | None:
    """Parse a text, `@` and an optional language tag (rdf:PlainLiteral, section 3)."""
    text, at, language = lexical.rpartition("@")
    if not at or (language and not _LANGUAGE.fullmatch(language)):
        return None
    return (LANG_STRING, text, language.lower()) if language else (STRING, text)


def _any_uri(lexical: str) -> Key | None:
    return (ANY_URI, re.sub(f"[{_SPACE}]+", " ", lexical).strip(" "))


def _hexadecimal(lexical: str) -> Key | None:
    text = lexical.strip(_SPACE)
    return (HEX_BINARY, bytes.fromhex(text)) if _HEX.fullmatch(text) else None


def _base64(lexical: str) -> Key | None:
    text = re.sub(f"[{_SPACE}]", "", lexical)
    return (BASE64_BINARY, base64.b64decode(text)) if _BASE64.fullmatch(text) else None


def _nothing(lexical: str) -> Key | None:
    return None


_VALUE_SPACES: dict[URIRef, Callable[[str], Key | None]] = {
    **{datatype: _integer(*bounds) for datatype, bounds in INTEGER_BOUNDS.items()},
    **{datatype: _form(pattern) for datatype, pattern in STRING_FORMS.items()},
    REAL: _nothing,  # has values, but no lexical forms
    LANG_STRING: _nothing,  # needs a language tag
    RATIONAL: _rational,
    XSD.decimal: _decimal,
    XSD.float: _binary_float(FLOAT, _float_bytes),
    XSD.double: _binary_float(DOUBLE, _double_bytes),
    XSD.boolean: _boolean,
    XSD.dateTime: _datetime,
    XSD.dateTimeStamp: _datetime_stamp,
    **{datatype: _duration(datatype) for datatype in _FORBIDDEN},
    XSD.string: _string,
    XSD.anyURI: _any_uri,
    XSD.hexBinary: _hexadecimal,
    XSD.base64Binary: _base64,
    PLAIN_LITERAL: _plain_literal,
}

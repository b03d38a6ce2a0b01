"""Values of literals by number, which are parsed at first access.

The texts of literals with one datatype are parsed together; unusual forms are parsed one by one, by
`scalars.scalar_of`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from rdflib import XSD, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.kinds import Kinds
from pantarhei.query.expressions.scalars import NUMERIC_DATATYPES, Time, Value, is_known, scalar_of
from pantarhei.query.solutions import Indexes, Mask
from pantarhei.values.numeric import Numeric, as_decimal, to_double
from pantarhei.values.value import BOOLEAN, DATE_TIME, INTEGER_BOUNDS

Floats = npt.NDArray[np.float64]
Scales = npt.NDArray[np.int16]

EXACT_INTEGER: Final = 2.0**53  # whole numbers below this are exact as float64
MAX_DIGITS: Final = 15  # decimals of at most 15 digits differ if their float64 do
MAX_DECIMALS: Final = 22  # exponent of the largest power of ten that is exact as float64
MICROSECONDS: Final = 1_000_000
_YEAR_0: Final = int(
    np.datetime64("0000-01-01", "s").astype(np.int64)
)  # seconds from 1970 back to the year 0


class ValueArrays(NamedTuple):
    """Values of terms that operators compare, as arrays with one item for each term.

    Args:
        kinds: kinds of the terms (`kinds`).
        numbers: for a number the nearest float64; for an xsd:dateTime the microseconds since 1970 in UTC,
            where a time without a time zone counts as UTC; for a boolean 1 or 0; for a string 0 if it is
            empty, otherwise 1; for other terms 0.
        scales: for a number its number of decimals; for an xsd:dateTime its time zone in minutes.
    """

    kinds: Kinds
    numbers: Floats
    scales: Scales

    @classmethod
    def of_kind(cls, kind: int, numbers: Floats) -> ValueArrays:
        """Build values of one kind, with scale 0."""
        size = len(numbers)
        return cls(np.full(size, kind, np.int8), numbers, np.zeros(size, np.int16))

    def put(self, indexes: npt.NDArray[np.intp], others: ValueArrays) -> None:
        """Overwrite the values at these indexes. Kinds are written last, since another thread regards an item
        as complete once its kind is set.
        """
        self.numbers[indexes] = others.numbers
        self.scales[indexes] = others.scales
        self.kinds[indexes] = others.kinds


def read_literals(datatype: URIRef | None, literals: Sequence[Literal]) -> ValueArrays:
    """Parse literals of one datatype and without language tags."""
    reader = _READERS.get(datatype)
    if reader is not None:
        return reader(literals)
    return read_one_by_one(literals)


def _strings(literals: Sequence[Literal]) -> ValueArrays:
    lengths = np.fromiter(map(len, literals), np.int64, len(literals))
    return ValueArrays.of_kind(kinds.STRING, np.minimum(lengths, 1).astype(np.float64))


# -- one by one --------------------------------------------------------------------------------------


def read_one_by_one(terms: Sequence[Term | None]) -> ValueArrays:
    """Parse terms of any datatypes, one by one; None is an error."""
    found = ValueArrays.of_kind(kinds.NOTHING, np.zeros(len(terms)))
    for index, term in enumerate(terms):
        if term is not None:
            value = scalar_of(term) if isinstance(term, Literal) else None
            found.kinds[index], found.numbers[index], found.scales[index] = _single(term, value)
    return found


def _single(term: Term, value: Value | None) -> tuple[int, float, int]:
    """Return the kind, number and scale of a term."""
    if not isinstance(term, Literal):
        return kinds.NAME, 0.0, 0
    if term.language is not None:
        return kinds.LANG_STRING, float(len(term) > 0), 0
    if isinstance(value, Numeric):
        return _single_number(value)
    if isinstance(value, bool):
        return kinds.BOOLEAN, float(value), 0
    if isinstance(value, str):
        return kinds.STRING, float(len(term) > 0), 0
    if isinstance(value, Time) and value.datatype == DATE_TIME:
        microseconds = (value.seconds + _YEAR_0) * MICROSECONDS
        if microseconds.denominator != 1 or abs(microseconds) >= EXACT_INTEGER:
            return kinds.TEMPORAL, 0.0, 0
        return (kinds.ZONED if value.zoned else kinds.UNZONED), float(microseconds), value.zone
    if value is not None:
        return kinds.TEMPORAL, 0.0, 0
    if term.datatype in NUMERIC_DATATYPES or term.datatype == BOOLEAN:
        return kinds.ILL_TYPED, 0.0, 0
    return (kinds.KNOWN if is_known(term) else kinds.OTHER), 0.0, 0


def _single_number(number: Numeric) -> tuple[int, float, int]:
    value, double = number.value, to_double(number.value)
    if isinstance(value, float):
        return number.type, double, 0
    if isinstance(value, int):
        return (kinds.INTEGER if abs(value) < EXACT_INTEGER else kinds.LONG_INTEGER), double, 0
    _, digits, exponent = as_decimal(value).as_tuple()
    assert isinstance(exponent, int)
    if len(digits) + max(exponent, 0) <= MAX_DIGITS and -exponent <= MAX_DECIMALS:
        return kinds.DECIMAL, double, max(-exponent, 0)
    if not double and value:  # not zero, but too small for a float64
        double = math.copysign(math.ulp(0.0), double)
    return kinds.LONG_DECIMAL, double, 0


# -- numbers -----------------------------------------------------------------------------------------

_Bytes = npt.NDArray[np.uint8]


class _LineTable(NamedTuple):
    """Texts without line breaks, joined by line breaks.

    Args:
        characters: all texts, each followed by a line break.
        ends: indexes of the line breaks.
    """

    texts: list[str]
    characters: _Bytes
    ends: npt.NDArray[np.intp]

    @property
    def lengths(self) -> npt.NDArray[np.intp]:
        return np.diff(self.ends, prepend=-1) - 1


def _lines(literals: Sequence[Literal], form: re.Pattern[str]) -> _LineTable | None:
    """Join the texts of literals; None unless the joined text matches `form`."""
    joined = "\n".join(literals) + "\n"
    if not form.fullmatch(joined):
        return None
    characters = np.frombuffer(joined.encode("ascii"), np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    return _LineTable(joined.split("\n")[:-1], characters, ends) if len(ends) == len(literals) else None


_INTEGERS = re.compile(r"(?:[+-]?\d+\n)*+", re.ASCII)
_DECIMALS = re.compile(r"(?:[+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)\n)*+", re.ASCII)
_DOUBLES = re.compile(r"(?:(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN)\n)*+", re.ASCII)


def _doubles_of(lines: _LineTable) -> Floats:
    return np.array(list(map(float, lines.texts)), np.float64)


def _by_form(
    form: re.Pattern[str], read_lines: Callable[[_LineTable], tuple[ValueArrays, Mask]]
) -> Callable[[Sequence[Literal]], ValueArrays]:
    """Build a parser of literals. Literals are parsed one by one if `read_lines` marks them as unusual, or if
    one of them does not match `form`.
    """

    def read_all(literals: Sequence[Literal]) -> ValueArrays:
        lines = _lines(literals, form)
        if lines is None:
            return read_one_by_one(literals)
        found, unusual = read_lines(lines)
        indexes = np.flatnonzero(unusual)
        if len(indexes):
            found.put(indexes, read_one_by_one([literals[index] for index in indexes.tolist()]))
        return found

    return read_all


def _integers(low: int | None, high: int | None) -> Callable[[_LineTable], tuple[ValueArrays, Mask]]:
    def read_lines(lines: _LineTable) -> tuple[ValueArrays, Mask]:
        numbers = _doubles_of(lines)
        unusual = np.abs(numbers) >= EXACT_INTEGER
        if low is not None:
            unusual |= numbers < low
        if high is not None:
            unusual |= numbers > high
        return ValueArrays.of_kind(kinds.INTEGER, numbers + 0.0), unusual  # -0 is 0

    return read_lines


def _decimals(lines: _LineTable) -> tuple[ValueArrays, Mask]:
    scales = np.zeros(len(lines.texts), np.int16)
    dots = np.flatnonzero(lines.characters == ord("."))
    owners = np.searchsorted(lines.ends, dots)
    scales[owners] = lines.ends[owners] - dots - 1
    found = ValueArrays.of_kind(kinds.DECIMAL, _doubles_of(lines) + 0.0)
    return found._replace(scales=scales), lines.lengths > MAX_DIGITS


def _doubles(lines: _LineTable) -> tuple[ValueArrays, Mask]:
    return ValueArrays.of_kind(kinds.DOUBLE, _doubles_of(lines)), np.zeros(len(lines.texts), np.bool_)


def _floats(lines: _LineTable) -> tuple[ValueArrays, Mask]:
    """Parse xsd:floats by way of xsd:doubles; this is incorrect only for ties between two xsd:floats, which
    are marked.
    """
    doubles = _doubles_of(lines)
    singles = to_singles(doubles)
    return ValueArrays.of_kind(kinds.FLOAT, singles), are_ties(doubles)


def to_singles(doubles: Floats) -> Floats:
    """Round xsd:doubles to xsd:floats."""
    with np.errstate(over="ignore", under="ignore"):
        return doubles.astype(np.float32).astype(np.float64)


def are_ties(doubles: Floats) -> Mask:
    """Return a mask of the xsd:doubles that may be halfway between two xsd:floats."""
    middle = (doubles.view(np.int64) & ((1 << 29) - 1)) == 1 << 28
    found: Mask = middle | ((np.abs(doubles) < 2.0**-120) & (doubles != 0))
    return found


# -- booleans and times ------------------------------------------------------------------------------

_TRUTHS: dict[str, int] = {"true": 1, "1": 1, "false": 0, "0": 0}


def _booleans(literals: Sequence[Literal]) -> ValueArrays:
    truths = np.array([_TRUTHS.get(text, -1) for text in map(str, literals)], np.float64)
    found = ValueArrays.of_kind(kinds.BOOLEAN, truths)
    unusual = np.flatnonzero(truths < 0)
    if len(unusual):
        found.put(unusual, read_one_by_one([literals[index] for index in unusual.tolist()]))
    return found


_LOCAL = r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?"
_ZONE = r"(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d)"
_TIMES = re.compile(rf"(?:{_LOCAL}{_ZONE}?\n)*+", re.ASCII)
_STAMPS = re.compile(rf"(?:{_LOCAL}{_ZONE}\n)*+", re.ASCII)
_LENGTH_OF_SECONDS = len("2026-01-31T10:00:00")


def _times(lines: _LineTable) -> tuple[ValueArrays, Mask]:
    """Parse xsd:dateTimes; texts with invalid days are marked, to be parsed one by one."""
    starts = lines.ends - lines.lengths
    characters = lines.characters[starts[:, np.newaxis] + np.arange(_LENGTH_OF_SECONDS)]
    fields = characters.astype(np.int64) - ord("0")

    def digits(index: int, count: int) -> npt.NDArray[np.int64]:
        powers = 10 ** np.arange(count - 1, -1, -1)
        result: npt.NDArray[np.int64] = fields[:, index : index + count] @ powers
        return result

    months = 12 * (digits(0, 4) - 1970) + digits(5, 2) - 1
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    next_first = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    days = first + digits(8, 2) - 1
    month = digits(5, 2)
    unusual = (month < 1) | (month > 12) | (days < first) | (days >= next_first)
    seconds = 86400 * days + 3600 * digits(11, 2) + 60 * digits(14, 2) + digits(17, 2)
    tails = _tails([text[_LENGTH_OF_SECONDS:] for text in lines.texts])
    microseconds = MICROSECONDS * (seconds - 60 * tails.zones) + tails.microseconds
    unusual |= np.abs(microseconds) >= EXACT_INTEGER
    zoned = np.where(tails.are_zoned, kinds.ZONED, kinds.UNZONED).astype(np.int8)
    return ValueArrays(zoned, microseconds.astype(np.float64), tails.zones.astype(np.int16)), unusual


class _Tails(NamedTuple):
    """Texts after the seconds of xsd:dateTimes, parsed: fractions of a second in microseconds, and time zones
    in minutes.
    """

    are_zoned: Mask
    zones: npt.NDArray[np.int64]
    microseconds: npt.NDArray[np.int64]


def _tails(texts: list[str]) -> _Tails:
    indexes: dict[str, int] = {}
    codes = np.array([indexes.setdefault(text, len(indexes)) for text in texts], np.intp)
    zoned, zones, microseconds = np.array([_tail(text) for text in indexes], np.int64).T
    return _Tails(zoned[codes].astype(np.bool_), zones[codes], microseconds[codes])


def _tail(text: str) -> tuple[bool, int, int]:
    is_utc, sign = text.endswith("Z"), max(text.find("+"), text.find("-"))
    end = sign if sign >= 0 else len(text) - is_utc
    microseconds = int(text[1:end].ljust(6, "0")) if end else 0
    if sign < 0:
        return is_utc, 0, microseconds
    minutes = 60 * int(text[sign + 1 : sign + 3]) + int(text[sign + 4 :])
    return True, -minutes if text[sign] == "-" else minutes, microseconds


_READERS: dict[URIRef | None, Callable[[Sequence[Literal]], ValueArrays]] = {
    None: _strings,
    XSD.string: _strings,
    XSD.boolean: _booleans,
    XSD.decimal: _by_form(_DECIMALS, _decimals),
    XSD.double: _by_form(_DOUBLES, _doubles),
    XSD.float: _by_form(_DOUBLES, _floats),
    XSD.dateTime: _by_form(_TIMES, _times),
    XSD.dateTimeStamp: _by_form(_STAMPS, _times),
    **{datatype: _by_form(_INTEGERS, _integers(*bounds)) for datatype, bounds in INTEGER_BOUNDS.items()},
}


_UNREAD = -1
_datatype, _language = attrgetter("datatype"), attrgetter("language")


class LiteralValues:
    """Cache of the values of terms in a growing list, by list index.

    The cache is valid as long as list items do not change. A cached value costs an array lookup, a new one
    about a microsecond.

    Args:
        terms: for example the literals of a vocabulary.
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._values = _unread(64)

    def at(self, indexes: Indexes) -> ValueArrays:
        """Return the values at the given indexes."""
        if not len(indexes):
            return _unread(0)
        known = self._with_room(int(indexes.max()) + 1)
        found = known.kinds[indexes]
        if (found == _UNREAD).any():
            self._read(np.unique(indexes[found == _UNREAD]))
            found = known.kinds[indexes]
        return ValueArrays(found, known.numbers[indexes], known.scales[indexes])

    def terms_at(self, indexes: Indexes) -> list[Term]:
        """Return the terms at these indexes."""
        terms = self._terms
        return [terms[index] for index in indexes.tolist()]

    @property
    def nbytes(self) -> int:
        """Size of the values in bytes."""
        return sum(column.nbytes for column in self._values)

    def _with_room(self, size: int) -> ValueArrays:
        old = self._values
        if size > len(old.kinds):
            new = _unread(2 * size)
            new.put(np.arange(len(old.kinds)), old)
            self._values = new
        return self._values

    def _read(self, indexes: Indexes) -> None:
        terms = self.terms_at(indexes)
        for datatype, group in _by_datatype(terms):
            self._values.put(indexes[group], _read_all(datatype, [terms[index] for index in group.tolist()]))


def _by_datatype(terms: list[Term]) -> Iterator[tuple[URIRef | None, Indexes]]:
    """Group the indexes of terms by datatype; None for IRIs, blank nodes and literals without a datatype."""
    if set(map(type, terms)) == {Literal}:  # testing each term would double the cost
        datatypes: Iterable[URIRef | None] = map(_datatype, terms)
    else:
        datatypes = (term.datatype if isinstance(term, Literal) else None for term in terms)
    known: dict[URIRef | None, int] = {}
    codes = np.array([known.setdefault(datatype, len(known)) for datatype in datatypes], np.intp)
    for datatype, code in known.items():
        yield datatype, np.flatnonzero(codes == code)


def _read_all(datatype: URIRef | None, terms: list[Term]) -> ValueArrays:
    """Parse terms of one datatype. Terms without a datatype are strings, with or without a language tag, or
    not literals.
    """
    literals = [term for term in terms if isinstance(term, Literal)]
    if datatype is None and (len(literals) < len(terms) or any(map(_language, literals))):
        return read_one_by_one(terms)
    return read_literals(datatype, literals)


def _unread(size: int) -> ValueArrays:
    return ValueArrays(np.full(size, _UNREAD, np.int8), np.zeros(size), np.zeros(size, np.int16))

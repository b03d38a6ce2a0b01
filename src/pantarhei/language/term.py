"""RDF terms and triples as values: what is a triple, and when two literals have the same value.

Terms are rdflib's `URIRef`, `BNode` and `Literal`. Literals are compared by value (OWL 2 structural
specification, section 4): `"1"^^xsd:integer` and `"01"^^xsd:integer` are one thing to the reasoner.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Hashable, Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from rdflib import RDF, XSD, BNode, Literal, URIRef, Variable

from pantarhei.errors import IllTypedLiteralError, InvalidTripleError

Term = URIRef | BNode | Literal
Triple = tuple[Term, Term, Term]

# A literal longer than this is compared by its text alone: no parsing of megabytes.
LONGEST_PARSED_LITERAL = 10_000

RDF_TYPE = RDF.type  # looking it up in its namespace costs more than the comparison


def check_triple(given: object) -> Triple:
    """`given` itself, if it is a triple of RDF terms.

    Raises:
        InvalidTripleError: it is not three terms, its subject is a literal, or its predicate no IRI.

    >>> check_triple((URIRef("urn:a"), RDF.type, URIRef("urn:C")))[1] == RDF.type
    True
    """
    if not isinstance(given, tuple) or len(given) != 3:
        raise InvalidTripleError(repr(given), "expected a tuple (subject, predicate, object) of rdflib terms")
    subject, predicate, object_ = given
    if not isinstance(subject, URIRef | BNode):
        raise InvalidTripleError(repr(given), "the subject must be a URIRef or a BNode")
    if not isinstance(predicate, URIRef):
        raise InvalidTripleError(repr(given), "the predicate must be a URIRef")
    if not isinstance(object_, URIRef | BNode | Literal):
        raise InvalidTripleError(repr(given), "the object must be a URIRef, a BNode or a Literal")
    if isinstance(object_, Literal) and predicate == RDF_TYPE:
        raise InvalidTripleError(repr(given), "the object of rdf:type must be a class, not a literal")
    return subject, predicate, object_


def value_of(term: Term) -> Hashable:
    """A key that two terms share exactly if they denote the same thing under unique names.

    Names are their own key. A literal's key is its value where the datatype is known, else its text and
    datatype. The value spaces of xsd:decimal, xsd:float and xsd:double are disjoint (OWL 2, section 4.1), and
    +0 is not -0.

    Raises:
        IllTypedLiteralError: the lexical form is not in the datatype's lexical space.

    >>> value_of(Literal("01", datatype=XSD.integer)) == value_of(Literal("1.0", datatype=XSD.decimal))
    True
    >>> value_of(Literal("1", datatype=XSD.double)) == value_of(Literal("1", datatype=XSD.integer))
    False
    """
    if not isinstance(term, Literal):
        return term
    lexical, datatype = str(term), term.datatype
    if term.language is not None:
        return (RDF.langString, lexical, term.language.lower())
    if datatype is None:
        return (XSD.string, lexical)
    parse = _VALUE_SPACES.get(datatype)
    if parse is None or len(lexical) > LONGEST_PARSED_LITERAL:
        return (datatype, lexical)
    key = parse(lexical)
    if key is None:
        raise IllTypedLiteralError(lexical if len(lexical) < 200 else lexical[:200] + "…", str(datatype))
    return key


def is_well_typed(literal: Literal) -> bool:
    """Whether the literal has a value in its datatype, as far as the datatype is known."""
    try:
        value_of(literal)
    except IllTypedLiteralError:
        return False
    return True


_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DOUBLE = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN", re.ASCII)
_DATETIME = re.compile(
    r"(-?\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?",
    re.ASCII,
)
_SPACE = " \t\n\r"  # what XML Schema collapses


def _decimal(lexical: str) -> Hashable | None:
    text = lexical.strip(_SPACE)
    return (XSD.decimal, Decimal(text)) if _DECIMAL.fullmatch(text) else None


def _integer(low: int | None, high: int | None) -> Callable[[str], Hashable | None]:
    def parse(lexical: str) -> Hashable | None:
        text = lexical.strip(_SPACE)
        if not _INTEGER.fullmatch(text):
            return None
        value = Decimal(text)
        inside = (low is None or value >= low) and (high is None or value <= high)
        return (XSD.decimal, value) if inside else None

    return parse


def _binary_float(datatype: URIRef, code: str) -> Callable[[str], Hashable | None]:
    def parse(lexical: str) -> Hashable | None:
        text = lexical.strip(_SPACE)
        if not _DOUBLE.fullmatch(text):
            return None
        value = float(text.replace("INF", "inf").replace("NaN", "nan"))
        try:
            return (datatype, struct.pack(code, value))
        except OverflowError:  # beyond the float range: rounds to infinity
            return (datatype, struct.pack(code, float("inf") if value > 0 else float("-inf")))

    return parse


def _boolean(lexical: str) -> Hashable | None:
    value = {"true": True, "1": True, "false": False, "0": False}.get(lexical.strip(_SPACE))
    return None if value is None else (XSD.boolean, value)


def _datetime(lexical: str) -> Hashable | None:
    """Key `(zoned, seconds since the year 0, fraction)`; any year is shifted into datetime's range."""
    match = _DATETIME.fullmatch(lexical.strip(_SPACE))
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    zone = match[8]
    midnight = hour == 24
    if midnight and (minute or second or float(match[7] or 0)):
        return None
    try:  # the Gregorian calendar repeats every 400 years
        instant = datetime(year % 400 + 2000, month, day, 0 if midnight else hour, minute, second)
    except ValueError:
        return None
    instant += timedelta(days=midnight)
    if zone and zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[4:6])
        if hours > 14 or minutes > 59 or (hours == 14 and minutes):
            return None
        offset = timedelta(hours=hours, minutes=minutes)
        instant += offset if zone[0] == "-" else -offset
    seconds = (instant - datetime(2000, 1, 1)) // timedelta(seconds=1)
    total = (year // 400) * _SECONDS_IN_400_YEARS + seconds
    return (XSD.dateTime, zone is not None, total, Decimal(match[7] or 0))


_SECONDS_IN_400_YEARS = (datetime(2400, 1, 1, tzinfo=UTC) - datetime(2000, 1, 1, tzinfo=UTC)) // timedelta(
    seconds=1
)


def _string(lexical: str) -> Hashable | None:
    return (XSD.string, lexical)


def _collapsed(pattern: str) -> Callable[[str], Hashable | None]:
    compiled = re.compile(pattern)

    def parse(lexical: str) -> Hashable | None:
        return (XSD.string, lexical) if compiled.fullmatch(lexical) else None

    return parse


def _hexadecimal(lexical: str) -> Hashable | None:
    try:
        return (XSD.hexBinary, bytes.fromhex(lexical)) if not re.search(r"\s", lexical) else None
    except ValueError:
        return None


_VALUE_SPACES: dict[URIRef, Callable[[str], Hashable | None]] = {
    XSD.decimal: _decimal,
    XSD.integer: _integer(None, None),
    XSD.nonNegativeInteger: _integer(0, None),
    XSD.positiveInteger: _integer(1, None),
    XSD.nonPositiveInteger: _integer(None, 0),
    XSD.negativeInteger: _integer(None, -1),
    XSD.long: _integer(-(2**63), 2**63 - 1),
    XSD.int: _integer(-(2**31), 2**31 - 1),
    XSD.short: _integer(-(2**15), 2**15 - 1),
    XSD.byte: _integer(-(2**7), 2**7 - 1),
    XSD.unsignedLong: _integer(0, 2**64 - 1),
    XSD.unsignedInt: _integer(0, 2**32 - 1),
    XSD.unsignedShort: _integer(0, 2**16 - 1),
    XSD.unsignedByte: _integer(0, 2**8 - 1),
    XSD.float: _binary_float(XSD.float, ">f"),
    XSD.double: _binary_float(XSD.double, ">d"),
    XSD.boolean: _boolean,
    XSD.dateTime: _datetime,
    XSD.dateTimeStamp: lambda lexical: key if (key := _datetime(lexical)) and key[1] else None,  # type: ignore[index]
    XSD.string: _string,
    XSD.normalizedString: _collapsed(r"[^\t\n\r]*"),
    XSD.token: _collapsed(r"([^\t\n\r ]+( [^\t\n\r ]+)*)?"),
    XSD.hexBinary: _hexadecimal,
}


def short(term: Term | Variable) -> str:
    """The last part of an IRI, `?x` for a variable, N-Triples for the rest: for people, not for machines.

    >>> short(URIRef("http://example.org/room#Hall")), short(Variable("x"))
    ('Hall', '?x')
    """
    if isinstance(term, URIRef):
        return term.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1] or str(term)
    return term.n3()


def in_order(triples: Iterable[Triple]) -> list[Triple]:
    """`triples` in an order that is the same in each run, whatever order they come in."""
    return sorted(triples, key=lambda triple: (*map(str, triple), *_literal_kind(triple[2])))


def _literal_kind(term: Term) -> tuple[str, str]:
    return (str(term.datatype), str(term.language)) if isinstance(term, Literal) else ("", "")

"""One literal for each value, so that equal triples are equal facts.

Literals are compared by value (`pantarhei.model.term.value_of`). The oracle replaces each literal of its
input by the canonical literal of its value and ignores lexical forms from then on; its answers contain only
canonical literals. The choice depends only on the value, so that answers of different calls can be compared.

Invariant: `canonical_term(x) == canonical_term(y)` if and only if `value_of(x) == value_of(y)`.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from rdflib import OWL, RDF, XSD, Literal, URIRef, Variable

from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.model.term import Term, Triple
from pantarhei.values.value import Period, is_ill_typed, value_of

_TermOrVariable = TypeVar("_TermOrVariable", Term, Term | Variable)

# The Gregorian calendar repeats every 400 years; `value_of` counts seconds from the start of a cycle.
_CYCLE_START = datetime(2000, 1, 1)
_SECONDS_IN_A_CYCLE = (datetime(2400, 1, 1) - _CYCLE_START) // timedelta(seconds=1)


@lru_cache(maxsize=4096)
def canonical_literal(literal: Literal) -> Literal:
    """Return the canonical literal of the value of `literal`; an ill-typed literal is returned unchanged.

    >>> canonical_literal(Literal("1.50", datatype=XSD.decimal)).n3()
    '"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'
    """
    key = value_of(literal)
    assert isinstance(key, tuple)
    if is_ill_typed(key):
        return literal
    match key:
        case (RDF.langString, str(text), str(language)):
            return Literal(text, lang=language)
        case (XSD.string, str(text)):
            return Literal(text)
        case (URIRef() as datatype, str(text)):  # unknown value space: the lexical form is the value
            return Literal(text, datatype=datatype, normalize=False)
        case (XSD.decimal, Fraction() as value):  # decimals with infinitely many digits
            text = "/".join(format(Decimal(each), "f") for each in value.as_integer_ratio())
            return Literal(text, datatype=OWL.rational, normalize=False)
        case (XSD.duration, Period() as period):
            return Literal(_period_text(period), datatype=XSD.duration, normalize=False)
        case (URIRef() as datatype, value):
            return Literal(_value_text(value, datatype), datatype=datatype, normalize=False)
        case (XSD.dateTime, int() | None as zone, int(seconds), Decimal() as fraction):
            return Literal(_instant_text(zone, seconds, fraction), datatype=XSD.dateTime, normalize=False)
    raise AssertionError(f"no canonical literal for the value {key!r}")


def canonical_term(term: _TermOrVariable) -> _TermOrVariable:
    """Replace a literal by the canonical literal of its value; other terms and variables are returned
    unchanged.

    >>> canonical_term(Literal(1)) == canonical_term(Literal("1.0", datatype=XSD.decimal))
    True
    """
    return canonical_literal(term) if isinstance(term, Literal) else term


def canonical_triple(triple: Triple) -> Triple:
    """Replace the object of `triple` by the canonical literal of its value."""
    subject, predicate, object_ = triple
    return (subject, predicate, canonical_literal(object_)) if isinstance(object_, Literal) else triple


def canonical_facts(facts: Iterable[Triple]) -> frozenset[Triple]:
    """Return the distinct facts; triples whose literals have equal values are one fact."""
    return frozenset(map(canonical_triple, facts))


@lru_cache(maxsize=4096)
def canonical_rule(rule: Rule) -> Rule:
    """Replace the constants of `rule` by canonical literals."""

    def atom(given: Atom) -> Atom:
        return replace(given, arguments=tuple(map(canonical_term, given.arguments)))

    return replace(
        rule,
        body=tuple(map(atom, rule.body)),
        head=None if rule.head is None else atom(rule.head),
        different=tuple(Different(canonical_term(d.left), canonical_term(d.right)) for d in rule.different),
    )


def _value_text(value: object, datatype: URIRef) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | Decimal():
            text = format(Decimal(value), "f")
            return text.rstrip("0").rstrip(".") if "." in text else text
        case bytes() if datatype == XSD.hexBinary:
            return value.hex().upper()
        case bytes() if datatype == XSD.base64Binary:
            return base64.b64encode(value).decode()
        case bytes():
            (number,) = struct.unpack(">f" if datatype == XSD.float else ">d", value)
            return repr(number).replace("inf", "INF").replace("nan", "NaN")
    raise AssertionError(f"no text for the value {value!r}")


def _period_text(period: Period) -> str:
    seconds = period.seconds
    assert not isinstance(seconds, Fraction), "its decimals end"
    sign = "-" if period.months < 0 or seconds < 0 else ""
    return f"{sign}P{abs(period.months)}MT{abs(Decimal(seconds)):f}S"


def _instant_text(zone: int | None, seconds: int, fraction: Decimal) -> str:
    cycles, seconds_into_cycle = divmod(seconds + 60 * (zone or 0), _SECONDS_IN_A_CYCLE)
    instant = _CYCLE_START + timedelta(seconds=seconds_into_cycle)
    year = instant.year - _CYCLE_START.year + 400 * cycles
    date = f"{'-' if year < 0 else ''}{abs(year):04d}-{instant:%m-%d}"
    part = "" if fraction == 0 else format(fraction, "f").rstrip("0").removeprefix("0")
    return f"{date}T{instant:%H:%M:%S}{part}{_zone_text(zone)}"


def _zone_text(zone: int | None) -> str:
    if not zone:
        return "" if zone is None else "Z"
    return f"{'-' if zone < 0 else '+'}{abs(zone) // 60:02}:{abs(zone) % 60:02}"

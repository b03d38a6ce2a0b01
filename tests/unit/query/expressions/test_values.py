"""The values of single literals."""

from decimal import Decimal
from fractions import Fraction

import pytest
from rdflib import XSD, Literal

from expressions import literal_of, term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.values import Duration, Time, is_known, kind_of, value_of
from pantarhei.values.numeric import Numeric, promoted, to_double, to_single


def _value(text: str) -> object:
    literal = term(text)
    assert isinstance(literal, Literal)
    return value_of(literal)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("07", Numeric(kinds.INTEGER, 7)),
        ('" 7 "^^xsd:short', Numeric(kinds.INTEGER, 7)),
        ('"70000"^^xsd:short', None),
        ("2.50", Numeric(kinds.DECIMAL, Decimal("2.5"))),
        ("3.0", Numeric(kinds.DECIMAL, Decimal(3))),
        ("1e1", Numeric(kinds.DOUBLE, 10.0)),
        ('"0.1"^^xsd:float', Numeric(kinds.FLOAT, 0.10000000149011612)),
        ('"1"^^xsd:boolean', True),
        ('"maybe"^^xsd:boolean', None),
        ('"a"', "a"),
        ('"a"^^xsd:string', "a"),
        ('"a"@en', None),
        ('"a"^^<urn:other>', None),
        ('"P1DT2H"^^xsd:dayTimeDuration', Duration(XSD.dayTimeDuration, 0, Fraction(93600))),
        ('"-P1Y2M"^^xsd:yearMonthDuration', Duration(XSD.yearMonthDuration, -14, Fraction(0))),
        ('"P1D"^^xsd:yearMonthDuration', None),
        ('"P"^^xsd:duration', None),
    ],
)
def test_operators_know_numbers_strings_booleans_and_durations(text: str, value: object) -> None:
    assert _value(text) == value


def test_a_time_is_an_instant_and_a_zone() -> None:
    at = _value('"2020-01-01T02:00:00+02:00"^^xsd:dateTime')
    utc = _value('"2020-01-01T00:00:00Z"^^xsd:dateTime')
    day = _value('"2020-01-01Z"^^xsd:date')
    assert isinstance(at, Time) and isinstance(utc, Time) and isinstance(day, Time)
    assert (at.zoned, at.zone, at.seconds) == (True, 120, utc.seconds)
    assert day == utc._replace(datatype=XSD.date)


@pytest.mark.parametrize("text", ['"2020-02-30"^^xsd:date', '"25:00:00"^^xsd:time', '"2020"^^xsd:dateTime'])
def test_what_no_calendar_or_clock_shows_has_no_value(text: str) -> None:
    assert _value(text) is None


def test_numbers_are_rounded_once_to_the_nearest_float() -> None:
    # in the middle of two xsd:floats but for the last digit, which an xsd:double does not have
    assert to_single(Decimal("16777217.0000000001")) == 16777218.0
    assert to_single(Decimal("16777217")) == 16777216.0
    assert to_double(10**400) == float("inf")


def test_numbers_are_promoted_to_the_greater_type() -> None:
    one, half = Numeric(kinds.INTEGER, 1), Numeric(kinds.DECIMAL, Decimal("0.1"))
    assert promoted(one, half) == (kinds.DECIMAL, Decimal(1), Decimal("0.1"))
    assert promoted(half, Numeric(kinds.FLOAT, 0.5)) == (kinds.FLOAT, 0.10000000149011612, 0.5)
    assert promoted(half, Numeric(kinds.DOUBLE, 0.5)) == (kinds.DOUBLE, 0.1, 0.5)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<urn:a>", kinds.NAME),
        ('"x"^^xsd:integer', kinds.ILL_TYPED),
        ('"x"^^<urn:other>', kinds.OTHER),
        ('"x"^^xsd:dateTime', kinds.OTHER),
        ('"0a"^^xsd:hexBinary', kinds.KNOWN),
        ('"x"@en', kinds.LANG_STRING),
        ('"2020-01-01T00:00:00"^^xsd:dateTime', kinds.UNZONED),
        ('"2020-01-01"^^xsd:date', kinds.TEMPORAL),
    ],
)
def test_kinds_say_what_operators_make_of_a_term(text: str, kind: int) -> None:
    given = term(text)
    assert kind_of(given, value_of(given) if isinstance(given, Literal) else None) == kind


def test_an_unknown_datatype_has_no_known_values() -> None:
    assert is_known(literal_of("a", "anyURI"))
    assert not is_known(literal_of("x", "integer"))

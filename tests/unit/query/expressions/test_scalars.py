"""Casts: the table of SPARQL 1.1, section 17.5, and canonical forms."""

from decimal import Decimal
from fractions import Fraction

import pytest
from rdflib import XSD, Literal

from expressions import call, literal_of, term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.scalars import Duration, Time, is_known, scalar_of
from pantarhei.values.numeric import Numeric, promoted, to_double, to_single


@pytest.mark.parametrize(
    ("name", "given", "result"),
    [
        ("integer", "3.9", "3"),
        ("integer", "-3.9e0", "-3"),
        ("integer", '" 007 "', "7"),
        ("integer", '"1.5"', None),
        ("integer", '"INF"^^xsd:double', None),
        ("integer", "true", "1"),
        ("integer", "<urn:a>", None),
        ("integer", '"1"@en', None),
        ("byte", "200", None),
        ("byte", "20", "20"),
        ("decimal", "1e-3", "0.001000000000000000020816681712"),
        ("decimal", "7", "7"),
        ("decimal", '"NaN"^^xsd:double', None),
        ("decimal", '"1e0"', None),
        ("double", "0.1", "1.0E-1"),
        ("double", '"INF"', "INF"),
        ("double", "1" + "0" * 400, "INF"),
        ("double", "false", "0.0E0"),
        ("float", "0.1e0", "1.0E-1"),
        ("float", "16777217", "1.6777216E7"),
        ("float", '"-INF"^^xsd:double', "-INF"),
        ("boolean", "0.0", "false"),
        ("boolean", '"NaN"^^xsd:double', "false"),
        ("boolean", '"1"', "true"),
        ("boolean", '"yes"', None),
        ("boolean", '"2020-01-01T00:00:00"^^xsd:dateTime', None),
        ("dateTime", '"2020-01-01T00:00:00Z"', "2020-01-01T00:00:00Z"),
        ("dateTime", '"2020-01-01"^^xsd:date', "2020-01-01T00:00:00"),
        ("dateTime", '"2020-02-30T00:00:00"', None),
        ("dateTime", "1", None),
        ("date", '"2020-01-01T10:00:00.5+01:00"^^xsd:dateTime', "2020-01-01+01:00"),
        ("date", '"2020-01-01"', "2020-01-01"),
        ("time", '"2020-01-01T10:00:00Z"^^xsd:dateTime', "10:00:00Z"),
        ("duration", '"P1D"', "P1D"),
    ],
)
def test_casts_result_in_canonical_forms_or_errors(name: str, given: str, result: str | None) -> None:
    assert call(XSD[name], given) == (None if result is None else f'"{result}"^^xsd:{name}')


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("<urn:a>", "urn:a"),
        ("_:a", None),
        ('"a"@en', "a"),
        ("007", "7"),
        ("1.50", "1.5"),
        ("3.0", "3"),
        ("1e0", "1"),
        ("1e-5", "0.00001"),
        ("1e7", "1.0E7"),
        ("0e0", "0"),
        ("-0.0e0", "-0"),
        ('"1"^^xsd:boolean', "true"),
        ('"x"^^xsd:integer', "x"),
        ('"2020-01-01T00:00:00Z"^^xsd:dateTime', "2020-01-01T00:00:00Z"),
    ],
)
def test_strings_of_values_are_as_short_as_xpath_writes_them(given: str, result: str | None) -> None:
    assert call(XSD.string, given) == (None if result is None else f'"{result}"')


def _value(text: str) -> object:
    literal = term(text)
    assert isinstance(literal, Literal)
    return scalar_of(literal)


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


def test_an_unknown_datatype_has_no_known_values() -> None:
    assert is_known(literal_of("a", "anyURI"))
    assert not is_known(literal_of("x", "integer"))

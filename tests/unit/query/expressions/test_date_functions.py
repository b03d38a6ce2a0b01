"""Times: their parts, by term and by column, and sums with durations."""

import pytest
from rdflib import Literal

from expressions import call, term, truths
from pantarhei.query.expressions.date_functions import PARTS, calendar, part_of_time, time_of
from pantarhei.query.expressions.scalars import ExpressionError

AT = '"2011-01-10T14:45:13.815-05:00"^^xsd:dateTime'


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("YEAR", '"2011"^^xsd:integer'),
        ("MONTH", '"1"^^xsd:integer'),
        ("DAY", '"10"^^xsd:integer'),
        ("HOURS", '"14"^^xsd:integer'),
        ("MINUTES", '"45"^^xsd:integer'),
        ("SECONDS", '"13.815"^^xsd:decimal'),
        ("TIMEZONE", '"-PT5H"^^xsd:dayTimeDuration'),
        ("TZ", '"-05:00"'),
    ],
)
def test_parts_are_those_of_the_local_time(name: str, result: str) -> None:
    assert call(name, AT) == result
    assert call(name, '"2011"') is None
    assert call(name, "<urn:a>") is None
    assert call(name, None) is None


@pytest.mark.parametrize(
    "text",
    [
        "2020-02-29T23:59:59.999999+14:00",
        "1969-12-31T00:00:00-13:59",
        "2019-12-31T24:00:00Z",
        "1700-03-01T00:00:00",
        "2000-01-01T00:00:00.0000001Z",
        "-0044-03-15T12:00:00",
        "12020-01-01T00:00:00Z",
    ],
)
def test_parts_by_column_are_those_by_term(text: str) -> None:
    at = f'"{text}"^^xsd:dateTime'
    literal = term(at)
    assert isinstance(literal, Literal)
    for name in sorted(PARTS):
        assert (
            call(name, at)
            == f'"{part_of_time(name, literal)}"^^xsd:{"decimal" if name == "SECONDS" else "integer"}'
        )


def test_years_before_the_common_era_are_negative() -> None:
    assert call("YEAR", '"-0044-03-15T12:00:00"^^xsd:dateTime') == '"-44"^^xsd:integer'
    assert calendar(time_of(term('"-0001-12-31T23:59:59Z"^^xsd:dateTime')))[:3] == (-1, 12, 31)


def test_midnight_at_the_end_of_a_day_begins_the_next() -> None:
    assert call("DAY", '"2019-12-31T24:00:00Z"^^xsd:dateTime') == '"1"^^xsd:integer'


def test_dates_have_no_hours_and_times_of_day_no_years() -> None:
    assert call("YEAR", '"2020-05-06"^^xsd:date') == '"2020"^^xsd:integer'
    assert call("HOURS", '"2020-05-06"^^xsd:date') is None
    assert call("MINUTES", '"10:20:30"^^xsd:time') == '"20"^^xsd:integer'
    assert call("YEAR", '"10:20:30"^^xsd:time') is None


@pytest.mark.parametrize(
    ("zone", "duration", "text"),
    [
        ("Z", '"PT0S"^^xsd:dayTimeDuration', '"Z"'),
        ("+05:30", '"PT5H30M"^^xsd:dayTimeDuration', '"+05:30"'),
        ("", None, '""'),
    ],
)
def test_zones_are_durations_and_texts(zone: str, duration: str | None, text: str) -> None:
    at = f'"2020-01-01T00:00:00{zone}"^^xsd:dateTime'
    assert call("TIMEZONE", at) == duration
    assert call("TZ", at) == text


@pytest.mark.parametrize(
    ("left", "name", "right", "result"),
    [
        ('"2020-03-01T00:00:00Z"^^xsd:dateTime', "-", '"2020-02-28T23:00:00Z"^^xsd:dateTime', "P1DT1H"),
        ('"2020-01-01"^^xsd:date', "-", '"2020-01-02"^^xsd:date', "-P1D"),
        ('"PT1.5S"^^xsd:dayTimeDuration', "+", '"P1D"^^xsd:dayTimeDuration', "P1DT1.5S"),
        ('"P1Y"^^xsd:yearMonthDuration', "-", '"P14M"^^xsd:yearMonthDuration', "-P2M"),
        ('"P1Y"^^xsd:yearMonthDuration', "-", '"P12M"^^xsd:yearMonthDuration', "P0M"),
        (
            '"2020-12-31T10:00:00.5+01:00"^^xsd:dateTime',
            "+",
            '"PT14H"^^xsd:dayTimeDuration',
            "2021-01-01T00:00:00.5+01:00",
        ),
        ('"P1M"^^xsd:yearMonthDuration', "+", '"2021-01-31"^^xsd:date', "2021-02-28"),
        ('"2020-01-31T00:00:00"^^xsd:dateTime', "-", '"P25M"^^xsd:yearMonthDuration', "2017-12-31T00:00:00"),
        ('"23:00:00Z"^^xsd:time', "+", '"PT2H"^^xsd:dayTimeDuration', "01:00:00Z"),
        ('"23:00:00Z"^^xsd:time', "+", '"P1M"^^xsd:yearMonthDuration', None),
        ('"2020-01-01"^^xsd:date', "-", '"2020-01-01T00:00:00"^^xsd:dateTime', None),
        ('"2020-01-01"^^xsd:date', "-", '"2020-01-01Z"^^xsd:date', None),
        ('"2020-01-01"^^xsd:date', "+", '"2020-01-01"^^xsd:date', None),
        ('"2020-01-01"^^xsd:date', "+", "1", None),
        ('"P1D"^^xsd:dayTimeDuration', "+", '"P1M"^^xsd:yearMonthDuration', None),
        ('"2020-01-01"^^xsd:date', "*", "2", None),
    ],
)
def test_times_and_durations_are_added(left: str, name: str, right: str, result: str | None) -> None:
    found = call(name, left, right)
    assert (None if found is None else found.split('"')[1]) == result


def test_what_is_no_time_has_no_parts() -> None:
    with pytest.raises(ExpressionError):
        time_of(Literal("2020"))
    assert truths("=", None, AT) == -1

"""Functions on times (SPARQL 1.1, section 17.4.5)."""

from datetime import UTC, datetime

import pytest

from oracle_answers import result

TIME = '"2011-01-10T14:45:13.815-05:00"^^xsd:dateTime'


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (f"YEAR({TIME})", "2011^integer"),
        (f"MONTH({TIME})", "1^integer"),
        (f"DAY({TIME})", "10^integer"),
        (f"HOURS({TIME})", "14^integer"),
        (f"MINUTES({TIME})", "45^integer"),
        (f"SECONDS({TIME})", "13.815^decimal"),
        ('SECONDS("2011-01-10T14:45:13Z"^^xsd:dateTime)', "13^decimal"),
        (f"TIMEZONE({TIME})", "-PT5H^dayTimeDuration"),
        ('TIMEZONE("2011-01-10T14:45:13Z"^^xsd:dateTime)', "PT0S^dayTimeDuration"),
        ('TIMEZONE("2011-01-10T14:45:13+05:30"^^xsd:dateTime)', "PT5H30M^dayTimeDuration"),
        ('TIMEZONE("2011-01-10T14:45:13"^^xsd:dateTime)', "-"),
        (f"TZ({TIME})", '"-05:00"'),
        ('TZ("2011-01-10T14:45:13"^^xsd:dateTime)', '""'),
        ('DAY("2019-12-31T24:00:00Z"^^xsd:dateTime)', "1^integer"),
        ('YEAR("2019-12-31T24:00:00Z"^^xsd:dateTime)', "2020^integer"),
        ('YEAR("-0044-03-15T00:00:00Z"^^xsd:dateTime)', "-44^integer"),
        ('YEAR("yesterday"^^xsd:dateTime)', "-"),
        ('YEAR("2020-01-01"^^xsd:date)', "2020^integer"),
        ('HOURS("2020-01-01"^^xsd:date)', "-"),
        ('DAY("2020-01-31-05:00"^^xsd:date)', "31^integer"),
        ('SECONDS("12:30:15.5+01:00"^^xsd:time)', "15.5^decimal"),
        ('TZ("12:30:15"^^xsd:time)', "-"),
        ('YEAR("2020-01-01T00:00:00Z")', "-"),
    ],
)
def test_parts_of_times(expression, expected):
    assert result(expression) == expected


def test_now_is_what_is_given():
    now = datetime(2026, 1, 31, 10, tzinfo=UTC)
    assert result("NOW()", now=now) == "2026-01-31T10:00:00Z^dateTime"


@pytest.mark.parametrize(
    ("sum_", "expected"),
    [
        (
            '"2020-01-03T00:00:00Z"^^dateTime - "2020-01-01T12:00:00+01:00"^^dateTime',
            "P1DT13H^dayTimeDuration",
        ),
        ('"2020-01-01"^^date - "2020-01-03"^^date', "-P2D^dayTimeDuration"),
        ('"2020-01-01"^^date - "2020-01-01Z"^^date', "-"),
        ('"2020-01-01"^^date - "2020-01-01T00:00:00"^^dateTime', "-"),
        ('"2020-01-31"^^date + "P1M"^^yearMonthDuration', "2020-02-29^date"),
        ('"P1M"^^yearMonthDuration + "2020-12-31"^^date', "2021-01-31^date"),
        ('"2020-03-31T10:00:00Z"^^dateTime - "P13M"^^yearMonthDuration', "2019-02-28T10:00:00Z^dateTime"),
        ('"2020-01-01T00:00:00-05:30"^^dateTime + "PT1S"^^duration', "2020-01-01T00:00:01-05:30^dateTime"),
        ('"2020-01-31T23:00:00"^^dateTime + "P1MT1H"^^duration', "2020-03-01T00:00:00^dateTime"),
        ('"23:30:00"^^time + "PT1H"^^dayTimeDuration', "00:30:00^time"),
        ('"23:30:00"^^time + "P1M"^^yearMonthDuration', "-"),
        ('"PT1H"^^dayTimeDuration - "PT90M"^^dayTimeDuration', "-PT30M^dayTimeDuration"),
        ('"P1Y"^^yearMonthDuration - "P12M"^^yearMonthDuration', "P0M^yearMonthDuration"),
        ('"P1Y"^^yearMonthDuration + "PT1H"^^dayTimeDuration', "-"),
        ('"PT1H"^^dayTimeDuration + 1', "-"),
        ('"PT1H"^^dayTimeDuration * 2', "-"),
    ],
)  # fmt: skip
def test_sums_and_differences(sum_, expected):
    assert result(sum_.replace("^^", "^^xsd:")) == expected

"""Functions on times (SPARQL 1.1, section 17.4.5)."""

from datetime import UTC, datetime

import pytest

from asked import result

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
        ('SECONDS("2011-01-10T14:45:13Z"^^xsd:dateTime)', "13.0^decimal"),
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
        ('YEAR("2020-01-01"^^xsd:date)', "-"),
        ('YEAR("2020-01-01T00:00:00Z")', "-"),
    ],
)
def test_parts_of_times(expression, expected):
    assert result(expression) == expected


def test_now_is_what_is_given():
    now = datetime(2026, 1, 31, 10, tzinfo=UTC)
    assert result("NOW()", now=now) == "2026-01-31T10:00:00Z^dateTime"

"""Times that are written without a zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.datetimes import in_zone, zone_named
from pantarhei.model.time import parse_timestamp

BERLIN = zone_named("Europe/Berlin")


@pytest.mark.parametrize("name", ["Mars", "", "../etc/passwd", "/etc/passwd", "+1:00", "+25:00", "Europe"])
def test_a_zone_that_is_none_is_refused(name):
    with pytest.raises(OptionError, match="zone="):
        zone_named(name)


@pytest.mark.parametrize("name", ["Berlin", "europe/berln", "Europe/Berlni"])
def test_a_similar_zone_is_suggested(name):
    with pytest.raises(OptionError, match=r"or \+01:00 \(did you mean Europe/Berlin\?\)$"):
        zone_named(name)


def test_a_time_is_that_which_clocks_show_there():
    assert in_zone(datetime(2026, 1, 1, 12), BERLIN) == datetime(2026, 1, 1, 11, tzinfo=UTC)
    assert in_zone(datetime(2026, 7, 1, 12), BERLIN) == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert in_zone(datetime(2026, 7, 1, 12), zone_named("-02:30")).utcoffset() == -timedelta(hours=2.5)


def test_of_two_instants_when_clocks_are_put_back_it_is_the_first():
    assert in_zone(datetime(2026, 10, 25, 2, 30), BERLIN) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_a_time_that_clocks_skip_is_refused():
    with pytest.raises(TimestampError, match=r"2026-03-29T02:30:00 in Europe/Berlin.*skipped"):
        in_zone(datetime(2026, 3, 29, 2, 30), BERLIN)


def test_only_times_without_a_zone_take_it():
    assert parse_timestamp("2026-07-01T12:00:00", BERLIN) == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert parse_timestamp("2026-07-01T12:00:00Z", BERLIN) == datetime(2026, 7, 1, 12, tzinfo=UTC)
    assert parse_timestamp("7", BERLIN) == 7
    with pytest.raises(TimestampError, match="without a time zone"):
        parse_timestamp("2026-07-01T12:00:00")

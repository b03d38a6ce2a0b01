"""Durations as text."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.errors import TimestampError
from pantarhei.model.durations import UNITS, duration_parts, parse_duration
from pantarhei.model.time import TimeKind, duration_ticks

LENGTHS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
NAMES = {
    "ms": ("ms", "msec", "millisecond", "milliseconds", "MS"),
    "s": ("s", "sec", "secs", "second", "seconds", "S", "Sec"),
    "m": ("m", "min", "mins", "minute", "minutes", "MIN", "Minutes"),
    "h": ("h", "hour", "hours", "H"),
    "d": ("d", "day", "days", "D"),
    "w": ("w", "week", "weeks", "W"),
}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT5M", 300),
        ("PT1H30M", 5400),
        ("P1D", 86400),
        ("P1DT12H", 129600),
        ("P2W", 14 * 86400),
        ("P1W1D", 8 * 86400),
        ("PT0.5S", 0.5),
        ("PT1.5M", 90),
        ("PT0S", 0),
        (" PT1S ", 1),
        ("P0.5D", 43200),
        ("5m", 300),
        ("5 min", 300),
        ("1h30m", 5400),
        ("1 h 30 min", 5400),
        ("1.5 hours", 5400),
        ("  2   days\t3 h ", 2 * 86400 + 3 * 3600),
        ("250ms", 0.25),
        ("1e3 s", 1000),
        ("5 µs", 5e-6),
        ("3000 ns", 3e-6),
    ],
)
def test_a_duration_has_units_or_is_of_iso_8601(text, seconds):
    assert parse_duration(text) == timedelta(seconds=seconds)
    assert duration_ticks(text, TimeKind.DATETIME) == int(seconds * 10**6)


@pytest.mark.parametrize(("unit", "name"), [(unit, name) for unit, names in NAMES.items() for name in names])
@pytest.mark.parametrize("space", ["", " "])
def test_each_name_of_a_unit_is_read(unit, name, space):
    assert parse_duration(f"3{space}{name}") == 3 * LENGTHS[unit]


@pytest.mark.parametrize(
    "text",
    ["", "P", "PT", "P1DT", "5M", "PT5", "P5M", "P1Y", "P1M", "P1Y2M", "-PT5M", "PT-5M", "PT5M1H",
     "pt5m", "PT5M\nx", "PT1,5S", "P1000000000D", "5", "-5 m", "five minutes", "5 minuts", "1 month", "2 y",
     "m", "5 m,", "PT\u0661S", "\u0661 s", "PT0.0000001S", "1ns", "1e99999999 d", "1000000000d"],
)  # fmt: skip
def test_other_texts_are_refused(text):
    with pytest.raises(TimestampError) as raised:
        parse_duration(text)
    assert repr(text) in str(raised.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("soon", "a duration such as 5m, 1 h 30 min or PT5M"),
        ("5", "a unit, as in 5m, 1 h 30 min or PT5M"),
        ("5M", "m or min for minutes, as in 5m, 1 h 30 min or PT5M"),
        ("P1M", "a duration such as 5m, 1 h 30 min or PT5M; months and years vary in length"),
        (
            "5 minuts",
            "one of the units ms, s, m, h, d or w, as in 5m, 1 h 30 min or PT5M; "
            "minuts is not a unit (did you mean minutes?)",
        ),
    ],
)
def test_an_error_names_the_text_and_valid_forms(text, expected):
    with pytest.raises(TimestampError) as raised:
        parse_duration(text)
    assert str(raised.value) == f"the duration {text!r} is invalid: expected {expected}"


def test_an_error_shows_the_beginning_of_a_long_text():
    with pytest.raises(TimestampError) as raised:
        parse_duration("9" * 5000 + "s")
    assert len(str(raised.value)) < 150


@given(
    st.lists(
        st.tuples(st.decimals(0, 1000, places=3), st.sampled_from([*LENGTHS]), st.data()),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["", " ", "  "]),
)
def test_numbers_with_units_add_up(parts, space):
    written = space.join(
        f"{number}{space}{data.draw(st.sampled_from(NAMES[unit]), unit)}" for number, unit, data in parts
    )
    assert parse_duration(written) == sum(
        (int(number * 1000) * LENGTHS[unit] / 1000 for number, unit, _ in parts), timedelta(0)
    )


@given(st.timedeltas(timedelta(0), timedelta(10**6)), st.sampled_from(["", " "]))
def test_a_timedelta_is_read_back_from_each_spelling(length, space):
    hours, rest = divmod(length.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    exact = f"{seconds}.{length.microseconds:06}"
    parts = (length.days, "d"), (hours, "h"), (minutes, "min"), (exact, "s")
    with_units = space.join(f"{number}{space}{unit}" for number, unit in parts)
    assert parse_duration(with_units) == length
    assert parse_duration(f"P{length.days}DT{hours}H{minutes}M{exact}S") == length
    assert parse_duration(f"{length // timedelta(microseconds=1)} us") == length


def test_months_and_years_are_parts_without_a_length():
    assert duration_parts("1 year 2 months") == duration_parts("P1Y2M") == [("1", "y"), ("2", "month")]
    assert set(UNITS.values()) == {*LENGTHS, "ns", "us", "month", "y"}

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.errors import OptionError, TimestampError
from pantarhei.model.durations import A_DURATION
from pantarhei.model.time import (
    TimeKind,
    duration_ticks,
    kind_of,
    parse_length,
    parse_timestamp,
    plain_time,
    seconds_of,
    show_time,
    ticks_of,
    time_of,
    timed,
)

INDIA = timezone(timedelta(hours=5, minutes=30))
datetimes = st.datetimes(timezones=st.sampled_from((UTC, INDIA, timezone(timedelta(hours=-12)))))


@given(st.integers(-(2**62), 2**62))
def test_integers_are_their_own_ticks(at):
    assert ticks_of(at, TimeKind.INTEGER) == at
    assert time_of(at, TimeKind.INTEGER) == at


@given(datetimes)
def test_datetimes_come_back_as_the_same_instant_in_utc(at):
    back = time_of(ticks_of(at, TimeKind.DATETIME), TimeKind.DATETIME)
    assert back == at and back.utcoffset() == timedelta(0)


@given(datetimes, datetimes)
def test_ticks_are_ordered_as_instants_are(one, other):
    ticks = [ticks_of(at, TimeKind.DATETIME) for at in (one, other)]
    assert (ticks[0] < ticks[1]) == (one < other) and (ticks[0] == ticks[1]) == (one == other)


@given(st.floats(-(10.0**6), 10.0**6))
def test_floats_are_exact_to_half_a_nanosecond(at):
    ticks = ticks_of(at, TimeKind.FLOAT)
    assert abs(Fraction(at) * 10**9 - ticks) <= Fraction(1, 2) + Fraction(1, 10)
    assert time_of(ticks, TimeKind.FLOAT) == pytest.approx(at, abs=1e-9)


@pytest.mark.parametrize("at", [np.int64(3), np.int32(3), np.float64(3.0), np.float32(3.0)])
def test_numbers_of_numpy_are_numbers(at):
    kind = TimeKind.INTEGER if "int" in type(at).__name__ else TimeKind.FLOAT
    assert kind_of(at) is kind
    assert ticks_of(at, kind) == (3 if kind is TimeKind.INTEGER else 3 * 10**9)
    assert type(ticks_of(at, kind)) is int
    assert plain_time(at) == 3 and type(plain_time(at)) in (int, float)


@pytest.mark.parametrize(
    ("at", "ticks"),
    [
        (np.int8(5), 5 * 10**9),
        (np.int32(2_000_000_000), 2 * 10**18),
        (np.uint64(7), 7 * 10**9),
        (np.float32(0.1), 100_000_001),
        (Fraction(1, 3), 333_333_333),
    ],
)
def test_no_number_overflows_where_it_becomes_ticks(at, ticks):
    assert ticks_of(at, TimeKind.FLOAT) == duration_ticks(at, TimeKind.FLOAT) == ticks


class Moment(datetime):
    """A type derived from datetime, as pandas has one."""


def test_other_types_of_datetimes_become_pythons_own():
    plain = plain_time(Moment(2026, 10, 25, 2, 30, 0, 7, tzinfo=INDIA, fold=1))
    assert type(plain) is datetime
    assert plain == datetime(2026, 10, 25, 2, 30, 0, 7, tzinfo=INDIA) and plain.fold == 1
    pandas = pytest.importorskip("pandas")
    assert type(plain_time(pandas.Timestamp("2026-01-01T00:00Z"))) is datetime
    with pytest.raises(TimestampError, match="without a time zone"):
        plain_time(pandas.Timestamp("2026-01-01"))


@pytest.mark.parametrize(
    "given",
    [
        True,
        np.True_,
        np.timedelta64(5, "s"),
        np.datetime64("2026-01-01"),
        None,
        "3",
        b"3",
        3j,
        timedelta(1),
        datetime(2026, 1, 1),
        datetime(2026, 1, 1).date(),
        (1,),
    ],
)
def test_what_is_no_timestamp_is_refused(given):
    with pytest.raises(TimestampError):
        kind_of(given)


@pytest.mark.parametrize(
    "at",
    [
        *(float("nan"), float("inf"), float("-inf"), 1e20, 2**62 + 1, -(2**62) - 1, np.uint64(2**63)),
        *(10**400, -(10**400), pytest.param(10**5000, id="an endless integer")),
    ],
)
def test_what_does_not_fit_into_ticks_is_refused(at):
    with pytest.raises(TimestampError, match="62 bits") as raised:
        ticks_of(at, kind_of(at))
    assert len(str(raised.value)) < 200
    with pytest.raises(TimestampError):
        duration_ticks(at, kind_of(at))


def test_a_fraction_beyond_all_floats_is_refused():
    with pytest.raises(TimestampError, match="62 bits"):
        kind_of(Fraction(10**400, 3))


@pytest.mark.parametrize("kind", [TimeKind.DATETIME, TimeKind.FLOAT])
def test_an_endless_integer_is_worded_where_another_kind_is_asked_for(kind):
    for measure in (ticks_of, duration_ticks):
        with pytest.raises(TimestampError, match="an integer of 16610 bits"):
            measure(10**5000, kind)


def test_a_float_whose_nanoseconds_are_infinite_is_refused():
    with pytest.raises(TimestampError):
        ticks_of(1e300, TimeKind.FLOAT)


@pytest.mark.parametrize("text", ["PT\u0661S", "\u0661", "\u0661.5"])
def test_only_ascii_digits_write_times(text):
    with pytest.raises(TimestampError):
        (parse_length if text.startswith("P") else parse_timestamp)(text)


@pytest.mark.parametrize("kind", TimeKind)
def test_a_time_of_another_kind_is_refused_but_an_integer_among_floats(kind):
    samples = {TimeKind.INTEGER: 1, TimeKind.FLOAT: 1.5, TimeKind.DATETIME: datetime(2026, 1, 1, tzinfo=UTC)}
    for other, at in samples.items():
        if other is kind or (other, kind) == (TimeKind.INTEGER, TimeKind.FLOAT):
            assert isinstance(ticks_of(at, kind), int)
        else:
            with pytest.raises(TimestampError, match=kind.value):
                ticks_of(at, kind)


@given(st.timedeltas(timedelta(0), timedelta(10000)))
def test_timedeltas_are_exact(duration):
    assert timedelta(microseconds=duration_ticks(duration, TimeKind.DATETIME)) == duration


@pytest.mark.parametrize(
    ("duration", "kind"),
    [
        (timedelta(1), TimeKind.INTEGER),
        ("PT1S", TimeKind.FLOAT),
        (5, TimeKind.DATETIME),
        (0.5, TimeKind.INTEGER),
        (-1, TimeKind.INTEGER),
        (-0.5, TimeKind.FLOAT),
        (timedelta(-1), TimeKind.DATETIME),
        (True, TimeKind.INTEGER),
        (None, TimeKind.INTEGER),
        (datetime(2026, 1, 1, tzinfo=UTC), TimeKind.DATETIME),
        (float("nan"), TimeKind.FLOAT),
        (float("inf"), TimeKind.FLOAT),
        (2**63, TimeKind.INTEGER),
    ],
)
def test_durations_that_do_not_fit_are_refused(duration, kind):
    with pytest.raises(TimestampError):
        duration_ticks(duration, kind)


@pytest.mark.parametrize("kind", TimeKind)
@pytest.mark.parametrize("given", [None, True, [1], b"5m", datetime(2026, 1, 1, tzinfo=UTC)])
def test_an_error_about_a_duration_expects_a_duration(given, kind):
    with pytest.raises(TimestampError) as raised:
        duration_ticks(given, kind)
    assert raised.value.expected == f"a number, a timedelta or {A_DURATION}"


def test_a_whole_float_measures_integers():
    assert duration_ticks(2.0, TimeKind.INTEGER) == 2


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("7", 7),
        ("-7", -7),
        ("+7", 7),
        (" 7 ", 7),
        ("0.5", 0.5),
        ("5.", 5.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("2026-01-31T10:00:00Z", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        ("2026-01-31T10:00:00.250+05:30", datetime(2026, 1, 31, 10, 0, 0, 250000, tzinfo=INDIA)),
        ("2026-01-31 10:00:00Z", datetime(2026, 1, 31, 10, tzinfo=UTC)),
    ],
)
def test_timestamps_are_read_as_they_are_written(text, at):
    read = parse_timestamp(text)
    assert read == at and type(read) is type(at)


@pytest.mark.parametrize("parse", [parse_timestamp, parse_length])
def test_a_number_of_more_digits_than_python_reads_is_refused(parse):
    with pytest.raises(TimestampError, match=r"a number of 5000 digits .* 62 bits"):
        parse("1" * 5000)


@pytest.mark.parametrize(
    "text",
    ["", "noon", "nan", "inf", "0x10", "1_000", "2026-01-31T10:00:00", "2026-01-31", "2026-02-30T10:00:00Z"],
)
def test_other_texts_are_no_timestamps(text):
    with pytest.raises(TimestampError):
        parse_timestamp(text)


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), datetimes))
def test_what_is_shown_is_read_back(at):
    back = parse_timestamp(show_time(at))
    assert back == at and type(back) is type(at)


def test_lengths_are_numbers_or_durations():
    assert [parse_length(text) for text in ("2", "0.5", "2 s")] == [2, 0.5, timedelta(seconds=2)]
    with pytest.raises(TimestampError, match=r"'two'.*expected a number, or a duration .* PT5M"):
        parse_length("two")


def test_a_stream_is_pairs():
    assert list(timed(((1, "a"), [2, "b"]))) == [(1, "a"), [2, "b"]]
    for item in ("ab", 7, (1, "a", "b"), None):
        with pytest.raises(TimestampError, match="expected a pair of a timestamp and an ABox"):
            list(timed([(0, "a"), item]))


@pytest.mark.parametrize("given", ["stream.nq", b"stream.nq", Path("stream.nq"), 7, None])
def test_what_is_no_stream_is_refused_at_once(given):
    with pytest.raises(OptionError, match=r"stream=.* read by read_stream"):
        timed(given)


@pytest.mark.parametrize(
    ("given", "seconds"), [(2, 2), (0.5, 0.5), ("2 min", 120), (timedelta(minutes=1), 60)]
)
def test_a_number_of_real_time_is_in_seconds(given, seconds):
    assert seconds_of(given) == seconds


@pytest.mark.parametrize("given", [None, True, "soon", "5", datetime(2026, 1, 1, tzinfo=UTC)])
def test_other_values_do_not_measure_real_time(given):
    with pytest.raises(TimestampError, match=r"expected a (number of seconds|duration|unit)"):
        seconds_of(given)

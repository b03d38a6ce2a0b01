"""Axes of times: round marks whose labels do not overlap, and groups of points."""

import itertools
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.proofs.sentences import TimeFormat
from pantarhei.proofs.time_axis import TimeAxis, grouped

DAY = datetime(2026, 3, 2, 7, 0, 7, tzinfo=UTC)


def axis(times, left, right):
    return TimeAxis.over(times, left, right, TimeFormat.of(times))


@pytest.mark.parametrize(
    ("length", "between", "marks"),
    [
        (timedelta(minutes=10), timedelta(minutes=1), 10),
        (timedelta(minutes=2), timedelta(seconds=20), 6),
        (timedelta(days=40), timedelta(days=4), 10),
        (timedelta(milliseconds=40), timedelta(milliseconds=5), 9),
        (timedelta(microseconds=400), timedelta(microseconds=50), 9),
    ],
)
def test_marks_are_round_times(length, between, marks):
    found = [mark.at for mark in axis([DAY, DAY + length], 0, 900).marks()]
    assert len(found) == marks
    assert {later - earlier for earlier, later in itertools.pairwise(found)} == {between}
    midnight = datetime(1970, 1, 1, tzinfo=UTC)
    assert all((at - midnight) % between == timedelta() for at in found)


@pytest.mark.parametrize(
    ("last", "marks"), [(4, [0, 1, 2, 3, 4]), (35, [0, 5, 10, 15, 20, 25, 30, 35]), (0, [0])]
)
def test_numbers_are_marked_by_ones_twos_and_fives(last, marks):
    assert [mark.at for mark in axis([0, last], 0, 300).marks()] == marks


def test_floats_and_integers_stand_on_one_axis():
    found = axis([0, 0.5, 2], 10, 30)
    assert [found.x(at) for at in (0, 0.5, 1, 2, 4)] == [10, 15, 20, 30, 50]


def test_a_single_time_stands_in_the_middle():
    assert axis([DAY], 0, 100).x(DAY) == 50


def labels(first, last, width=620):
    return [mark.lines for mark in axis([first, last], 0, width).marks()]


def test_labels_have_only_the_digits_that_they_need():
    assert labels(DAY, DAY + timedelta(milliseconds=30), 300) == [
        (f"07:00:07.0{digit}",) for digit in range(4)
    ]
    assert labels(DAY, DAY + timedelta(seconds=30), 300)[:2] == [("07:00:10",), ("07:00:20",)]
    assert labels(DAY, DAY + timedelta(hours=4), 300)[:2] == [("08:00",), ("09:00",)]


def test_the_day_is_shown_where_it_changes():
    found = labels(DAY + timedelta(hours=12), DAY + timedelta(hours=20, minutes=1))
    assert [lines for lines in found if len(lines) > 1] == [("20:00", "2026-03-02"), ("00:00", "2026-03-03")]
    assert found[1:4] == [("21:00",), ("22:00",), ("23:00",)]
    assert labels(DAY, DAY + timedelta(days=3), 300)[:2] == [("2026-03-03",), ("2026-03-04",)]


def test_labels_are_in_the_common_zone_of_the_times():
    zone = timezone(timedelta(hours=5, minutes=30))
    begin = DAY.astimezone(zone)
    assert labels(begin, begin + timedelta(hours=2), 300)[0] == ("12:40",)
    assert labels(DAY, begin + timedelta(hours=2), 300)[0] == ("07:20",)
    assert labels(begin, DAY + timedelta(hours=2), 300)[0] == ("12:40",)


def test_labels_are_in_utc_if_clocks_are_changed_between_the_times():
    begin = datetime(2026, 3, 28, 23, tzinfo=UTC).astimezone(ZoneInfo("Europe/Berlin"))
    assert labels(begin, begin.astimezone(UTC) + timedelta(hours=4), 300)[0] == ("00:00Z", "2026-03-29")


TICKS = st.integers(0, 10**14)


@given(TICKS, TICKS, st.sampled_from(["datetime", "integer", "float"]), st.integers(60, 2000))
def test_labels_of_any_times_do_not_overlap(one, other, kind, width):
    def time(ticks):
        if kind == "datetime":
            return DAY + timedelta(microseconds=ticks)
        return ticks if kind == "integer" else ticks / 1e6

    marks = axis([time(one), time(other)], 0, width).marks()
    assert len(marks) <= 11
    for before, after in itertools.pairwise(marks):
        assert before.x < after.x
        assert before.middle + before.half < after.middle - after.half


@given(st.lists(st.floats(0, 600)), st.integers(1, 40))
def test_groups_have_all_points_and_do_not_overlap(places, width):
    found = grouped([(x, x) for x in places], lambda members: width + len(members))
    assert sorted(places) == [x for group in found for x in group.members]
    for before, after in itertools.pairwise(found):
        distance = (2 * width + len(before.members) + len(after.members)) / 2
        assert after.x - before.x >= distance - 1e-9

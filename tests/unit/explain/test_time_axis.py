import itertools
from datetime import UTC, datetime, timedelta

import pytest

from pantarhei.explain.time_axis import TimeAxis

DAY = datetime(2026, 3, 2, 7, 0, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("length", "between", "marks"),
    [
        (timedelta(minutes=10), timedelta(minutes=1), 10),
        (timedelta(minutes=2), timedelta(seconds=30), 4),
        (timedelta(days=40), timedelta(days=4), 10),
        (timedelta(milliseconds=4), timedelta(milliseconds=1), 5),
    ],
)
def test_marks_are_round_times(length, between, marks):
    found = [at for at, _ in TimeAxis.over([DAY, DAY + length], 0, 100).marks()]
    assert len(found) == marks
    assert {later - earlier for earlier, later in itertools.pairwise(found)} == {between}
    midnight = datetime(1970, 1, 1, tzinfo=UTC)
    assert all((at - midnight) % between == timedelta() for at in found)


@pytest.mark.parametrize(
    ("last", "marks"), [(4, [0, 1, 2, 3, 4]), (35, [0, 5, 10, 15, 20, 25, 30, 35]), (0, [0])]
)
def test_numbers_are_marked_by_ones_twos_and_fives(last, marks):
    assert [at for at, _ in TimeAxis.over([0, last], 0, 100).marks()] == marks


def test_floats_and_integers_stand_on_one_axis():
    axis = TimeAxis.over([0, 0.5, 2], 10, 30)
    assert [axis.x(at) for at in (0, 0.5, 1, 2, 4)] == [10, 15, 20, 30, 50]


def test_a_single_time_stands_in_the_middle():
    assert TimeAxis.over([DAY], 0, 100).x(DAY) == 50

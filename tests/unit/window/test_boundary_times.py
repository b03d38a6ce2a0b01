"""Times of ranges of ticks: a sequence like the list of all of them, whatever its length."""

import pickle
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from pantarhei.model.time import TimeKind
from pantarhei.window.boundary_times import Times, common

ranges = st.builds(
    lambda start, length, step: range(start, start + length, step),
    st.integers(-30, 30),
    st.integers(0, 60),
    st.integers(1, 9),
)


@given(st.lists(ranges, min_size=1, max_size=4), st.data())
def test_times_are_those_of_all_ranges_each_once(some, data):
    times, expected = Times(TimeKind.INTEGER, tuple(some)), sorted(set().union(*some))
    assert list(times) == expected and len(times) == len(expected) and times == expected
    if expected:
        place = data.draw(st.integers(-len(expected), len(expected) - 1))
        assert times[place] == expected[place] and times[place:] == tuple(expected[place:])


@given(ranges, ranges)
def test_what_two_ranges_share_is_a_range(one, other):
    assert list(common(one, other)) == sorted(set(one) & set(other))


def test_many_times_take_no_room():
    times = Times(TimeKind.DATETIME, (range(0, 10**15, 10**6), range(0, 10**15, 7 * 10**6)))
    assert len(times) == 10**9 and times[1] == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert times[-1] == datetime(2001, 9, 9, 1, 46, 39, tzinfo=UTC) and len(pickle.dumps(times)) < 500

"""Which timestamps a window holds."""

import pickle
import re
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracle.continuous import Policy, SlidingWindow, reports
from pantarhei.errors import LateABoxError, OptionError, QueryWindowError, TimestampError
from pantarhei.model.durations import A_DURATION
from pantarhei.model.time import TimeKind
from pantarhei.window.sliding import Times, Window, common, step_to


def holds(window, at, now):
    """Whether the window at time `now` has an ABox of time `at` in it; both are integers."""
    return at >= step_to(window, None, now).first


def bounds(window, now):
    step = step_to(window, None, now)
    return step.start, step.first, step.end


#   at:   7   8   9  10  11      now = 11, range = 3
#             [-----------]
@pytest.mark.parametrize(("at", "inside"), [(7, False), (8, True), (9, True), (11, True)])
def test_both_ends_are_included(at, inside):
    assert holds(Window(3), at, now=11) is inside


#   at:   7   8   9  10  11      now = 11, range = 3
#             (-----------]
@pytest.mark.parametrize(("at", "inside"), [(7, False), (8, False), (9, True), (11, True)])
def test_a_window_closed_to_the_right_leaves_its_start_out(at, inside):
    assert holds(Window(3, closed="right"), at, now=11) is inside


#   time      0   1   2   3   4   5   6   7   8         range = 4, slide = 2, closed="left"
#   now = 3   [---------------)
#   now = 4           [---------------)                 4 is outside of the window that ends at it
@pytest.mark.parametrize(("now", "start", "end"), [(3, 0, 4), (4, 2, 6), (5, 2, 6), (6, 4, 8)])
def test_the_end_of_a_window_closed_to_the_left_lies_after_now(now, start, end):
    step = Window(4, 2, closed="left").step_at(TimeKind.INTEGER, now)
    assert (step.start, step.first, step.end) == (start, start, end)


#   time      0   1   2   3   4   5   6   7   8         range = 4, slide = 2
#   now = 4   [---------------]
#   now = 5           [---------------]                 the next boundary is 6
#   now = 6           [---------------]
#   now = 7                   [---------------]
@pytest.mark.parametrize(("now", "start", "end"), [(4, 0, 4), (5, 2, 6), (6, 2, 6), (7, 4, 8)])
def test_the_end_is_the_next_boundary_not_before_now(now, start, end):
    assert bounds(Window(4, 2), now) == (start, start, end)


#   time     -7  -6  -5  -4  -3  -2  -1   0   1        range = 3, slide = 3
#   ends          *           *           *
@pytest.mark.parametrize(
    ("now", "end"), [(-7, -6), (-6, -6), (-5, -3), (-3, -3), (-1, 0), (0, 0), (1, 3), (3, 3)]
)
def test_boundaries_go_on_before_the_origin(now, end):
    assert bounds(Window(3, 3), now) == (end - 3, end - 3, end)


#   time      0   1   2   3   4   5   6   7            range = 3, slide = 3, origin = 1
#   ends          *           *           *
@pytest.mark.parametrize(("now", "end"), [(-2, -2), (-1, 1), (0, 1), (1, 1), (2, 4), (4, 4), (5, 7)])
@pytest.mark.parametrize("origin", [1, 4, -2, 301])
def test_the_origin_shifts_the_boundaries(now, end, origin):
    """Origins a multiple of the slide apart are the same."""
    assert bounds(Window(3, 3, origin), now)[2] == end


#   time     -3  -2  -1   0   1   2   3   4   5   6    range = slide = 3, closed="right"
#             (-----------](----------](-----------]
def test_half_open_windows_as_long_as_their_step_tumble():
    window = Window(3, 3, closed="right")
    windows = {bounds(window, now) for now in range(-12, 16)}
    for at in range(-6, 10):
        assert sum(first <= at <= end for _, first, end in windows) == 1


#   time      4   5   6   7            range = 0: one timestamp
#                 |
@pytest.mark.parametrize(("at", "inside"), [(4, False), (5, True)])
def test_a_range_of_nothing_holds_one_timestamp(at, inside):
    assert holds(Window(0), at, now=5) is inside


def test_a_range_of_nothing_is_one_in_any_kind_of_time():
    assert datetimes(Window(0), NOON) == datetimes(Window("PT0S"), NOON)


@given(
    length=st.integers(0, 12),
    slide=st.integers(1, 13),
    origin=st.integers(-20, 20),
    closed=st.sampled_from(("both", "right")),
    now=st.integers(-50, 50),
)
def test_the_bounds_are_those_of_the_definition(length, slide, origin, closed, now):
    assume(slide <= length + (closed == "both"))
    start, first, end = bounds(Window(length, slide, origin, closed), now)
    assert (end - origin) % slide == 0 and end - slide < now <= end
    assert start == end - length
    assert first == (start if closed == "both" else start + 1)
    assert first <= now, "what arrives is inside"


@given(st.integers(0, 12), st.integers(1, 14), st.integers(-20, 20), st.sampled_from(("both", "right")))
def test_refused_to_reasoners_is_exactly_what_leaves_some_time_out(length, slide, origin, closed):
    ends = [origin + k * slide for k in range(-60, 61)]
    low = [end - length + (closed == "right") for end in ends]
    covered = {at for end, first in zip(ends, low, strict=True) for at in range(first, end + 1)}
    if set(range(-30, 30)) <= covered:
        Window(length, slide, origin, closed).check_holds_all(TimeKind.INTEGER)
    elif covered:
        window = Window(length, slide, origin, closed)
        with pytest.raises(QueryWindowError, match="a registered query may have") as raised:
            window.check_holds_all(TimeKind.INTEGER)
        assert raised.value.option == "slide"
        with pytest.raises(QueryWindowError):
            step_to(window, None, 0)
    else:
        with pytest.raises(OptionError) as refused:
            Window(length, slide, origin, closed)
        assert refused.value.option == "range"


@given(st.integers(0, 8), st.integers(1, 9), st.integers(-9, 9), st.lists(st.integers(0, 5), max_size=12))
def test_bounds_never_go_back(length, slide, origin, gaps):
    assume(slide <= length + 1)
    window, now, last = Window(length, slide, origin), -20, None
    for gap in gaps:
        now += gap
        step = step_to(window, last, now)
        assert last is None or (step.first >= last.first and step.end >= last.end)
        last = step


# -- kinds of time ---------------------------------------------------------------------------------

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def seconds(count):
    return NOON + timedelta(seconds=count)


def datetimes(window, now):
    """(first inside, end) in seconds since noon."""
    step = step_to(window, None, now)
    base = int(NOON.timestamp()) * 10**6
    return Fraction(step.first - base, 10**6), Fraction(step.end - base, 10**6)


def test_durations_may_be_written_in_iso_8601():
    assert datetimes(Window("PT5M", "PT1M"), seconds(61)) == (-180, 120)
    assert datetimes(Window(timedelta(minutes=5), "PT1M"), seconds(61)) == (-180, 120)


#   time      0.1 ... 0.9   1.1             range = 1: both are inside at 1.1, and 0.1 is
#              [-------------]
@pytest.mark.parametrize(
    ("window", "now", "ticks"),
    [
        (Window(1), 1.1, (10**8, 11 * 10**8)),
        (Window(0.5), 1.1, (6 * 10**8, 11 * 10**8)),
        (Window(0.5, closed="right"), 1.1, (6 * 10**8 + 1, 11 * 10**8)),
        (Window(0.0), 1.1, (11 * 10**8, 11 * 10**8)),
        (Window(1), 7, (6, 7)),
        (Window("PT1S"), NOON, tuple(int(NOON.timestamp() - back) * 10**6 for back in (1, 0))),
        (Window("PT0.0001S", origin=NOON), NOON, tuple(int(NOON.timestamp()) * 10**6 - b for b in (100, 0))),
    ],
)
def test_the_end_is_now_unless_a_slide_is_given_whatever_the_kind_of_time(window, now, ticks):
    step = step_to(window, None, now)
    assert (step.first, step.end) == ticks


@pytest.mark.parametrize(("slide", "end"), [(1, 2 * 10**9), (1.0, 2 * 10**9), (0.25, 125 * 10**7)])
def test_a_slide_that_is_given_holds_for_floats_too(slide, end):
    assert step_to(Window(1, slide), None, 1.1).end == end
    with pytest.raises(QueryWindowError, match="slide=1 "):
        step_to(Window(0.5, 1), None, 1.1)


def test_windows_are_compared_by_what_they_hold_in_a_kind_of_time():
    assert Window(2, 1).is_as(Window(2), TimeKind.INTEGER)
    assert not Window(2, 1).is_as(Window(2), TimeKind.FLOAT)
    assert Window("PT1M").is_as(Window(timedelta(minutes=1), 1), TimeKind.DATETIME)
    assert not Window(2).is_as(Window(2, closed="right"), TimeKind.INTEGER)
    assert not Window(2).is_as(Window("PT2S"), TimeKind.INTEGER)
    assert not Window(0.5).is_as(Window(0.5, 0.1), TimeKind.FLOAT)


def test_a_window_of_datetimes_slides_with_every_abox_unless_told():
    assert datetimes(Window("PT5M"), NOON + timedelta(microseconds=7)) == (
        Fraction(7, 10**6) - 300,
        Fraction(7, 10**6),
    )


def test_the_boundaries_of_datetimes_are_aligned_to_the_epoch_in_any_zone():
    zone = timezone(timedelta(hours=5, minutes=30))
    assert datetimes(Window("PT2H", "PT1H"), seconds(1).astimezone(zone)) == (-3600, 3600)
    assert datetimes(Window("P1D", "P1D"), seconds(1).astimezone(zone))[1] == 12 * 3600


def test_the_origin_of_datetimes_is_a_datetime():
    window = Window("PT1H", "PT1H", origin=NOON + timedelta(minutes=10))
    assert datetimes(window, NOON) == (-3000, 600)
    assert datetimes(window, seconds(600)) == (-3000, 600)
    assert datetimes(window, seconds(601)) == (600, 4200)


def test_datetimes_before_the_epoch():
    window = Window("PT1H", "PT1H", closed="right")
    step = step_to(window, None, datetime(1969, 12, 31, 22, 30, tzinfo=UTC))
    hour = 3600 * 10**6
    assert (step.start, step.first, step.end) == (-2 * hour, -2 * hour + 1, -hour)


def test_floats_are_exact_to_a_nanosecond():
    window = Window(0.3, 0.1)
    step = step_to(window, None, 0.7)  # 0.1 + 0.2 and their like do not matter
    assert (step.first, step.end, step.kind) == (400_000_000, 700_000_000, TimeKind.FLOAT)
    assert step_to(window, None, 0.7000000001).end == 700_000_000
    assert step_to(window, None, 0.700000001).end == 800_000_000


def test_a_window_of_integers_takes_streams_of_floats():
    step = step_to(Window(2, 1), None, 1.5)
    assert (step.first, step.end) == (0, 2 * 10**9)


@pytest.mark.parametrize(
    ("window", "kind"),
    [
        (Window(2), None),
        (Window(2.0), TimeKind.FLOAT),
        (Window(2, 0.5), TimeKind.FLOAT),
        (Window(2, 1, 0.5), TimeKind.FLOAT),
        (Window(2, None, 0.5), TimeKind.FLOAT),
        (Window(2, None), None),
        (Window(0.5), TimeKind.FLOAT),
        (Window("PT2S"), TimeKind.DATETIME),
        (Window(timedelta(2)), TimeKind.DATETIME),
    ],
)
def test_a_window_knows_the_kind_of_time_it_needs(window, kind):
    assert window.kind is kind


@pytest.mark.parametrize(
    "arguments",
    [
        (-1,),
        (-0.5,),
        (float("nan"),),
        (float("inf"),),
        (timedelta(-1),),
        ("PT",),
        ("P1M",),
        ("P1Y",),
        ("five minutes",),
        (True,),
        (None,),
        (2, -1),
        (2, "PT1S"),
        ("PT1M", 2),
        ("PT1M", 0.5),
        (2, 1, NOON),
        ("PT1M", "PT1M", 5),
        ("PT1M", "PT1M", datetime(2026, 1, 1)),
        (2, 1, "0"),
        (2**63,),
    ],
)
def test_what_is_no_duration_is_refused(arguments):
    with pytest.raises(TimestampError):
        Window(*arguments)


@pytest.mark.parametrize("window", [(2, 0), (2.0, 0.0), ("PT1S", "PT0S")])
def test_a_step_of_nothing_is_refused(window):
    with pytest.raises(OptionError) as raised:
        Window(*window)
    assert raised.value.option == "slide"


@pytest.mark.parametrize("closed", ["right", "left"])
def test_a_window_without_both_its_ends_holds_something_only_with_a_length(closed):
    with pytest.raises(OptionError, match=r"range=0 .*above 0"):
        Window(0, closed=closed)


def refused_to_a_reasoner(window, kind):
    try:
        window.check_holds_all(kind)
    except QueryWindowError as error:
        return error.option
    return None


@pytest.mark.parametrize(
    ("window", "kind", "option"),
    [
        (Window(2, 3), TimeKind.INTEGER, None),  # one tick beyond the range: both ends are inside
        (Window(2, 3), TimeKind.FLOAT, "slide"),
        (Window(2, 4), TimeKind.INTEGER, "slide"),
        (Window(2, 2, closed="right"), TimeKind.INTEGER, None),
        (Window(2, 3, closed="right"), TimeKind.INTEGER, "slide"),
        (Window("PT1S", "PT2S"), TimeKind.DATETIME, "slide"),
        (Window(2, closed="left"), TimeKind.INTEGER, "closed"),
    ],
)
def test_a_step_over_a_gap_and_the_left_end_are_for_queries(window, kind, option):
    assert refused_to_a_reasoner(window, kind) == option


@pytest.mark.parametrize("closed", ["neither", "LEFT", None, ""])
def test_other_ends_are_refused(closed):
    with pytest.raises(OptionError):
        Window(2, closed=closed)


# -- windows of queries ------------------------------------------------------------------------------

SOME_WINDOWS = {
    "length": st.integers(1, 9),
    "slide": st.integers(1, 12),
    "origin": st.integers(-20, 20),
    "closed": st.sampled_from(("both", "right", "left")),
}


def defined(length, slide, origin, closed):
    """The window, and the same by its definition."""
    return Window(length, slide, origin, closed), SlidingWindow(length, slide, origin, closed)


@given(**SOME_WINDOWS, boundary=st.integers(-9, 9))
def test_the_content_is_that_of_the_definition(length, slide, origin, closed, boundary):
    window, definition = defined(length, slide, origin, closed)
    first, last = window.content_at(TimeKind.INTEGER, boundary)
    held = [at for at in range(-40, 40) if definition.holds(TimeKind.INTEGER, at, boundary)]
    assert held == list(range(first, last + 1))
    assert window.start_at(TimeKind.INTEGER, boundary) == first - (closed == "right")


@given(**SOME_WINDOWS, now=st.integers(-40, 40))
def test_the_open_window_is_that_of_the_definition(length, slide, origin, closed, now):
    window, definition = defined(length, slide, origin, closed)
    assert window.step_at(TimeKind.INTEGER, now).end == definition.active(TimeKind.INTEGER, now)
    assert window.next_boundary(TimeKind.INTEGER, now) == next(
        definition.boundaries(TimeKind.INTEGER, now, now + slide)
    )


@given(**SOME_WINDOWS, start=st.integers(-20, 20), gaps=st.lists(st.integers(0, 15), max_size=6))
def test_what_closes_as_time_goes_on_is_what_the_definition_reports(
    length, slide, origin, closed, start, gaps
):
    window, definition = defined(length, slide, origin, closed)
    times = [start + sum(gaps[:count]) for count in range(len(gaps) + 1)]
    stream = [(at, {at}) for at in times]
    reported = reports({None: stream}, [definition], lambda content: content, Policy(), TimeKind.INTEGER)
    passed = [
        (boundary, *window.content_at(TimeKind.INTEGER, boundary))
        for before, now in pairwise(times)
        for boundary in window.closings(TimeKind.INTEGER, before, now)
    ]
    assert [(at, set(rows)) for at, rows in reported] == [
        (boundary, {at for at in times if first <= at <= last}) for boundary, first, last in passed
    ]


#   time      0   1   2   3   4   5   6           slide = 2: boundaries at 0, 2, 4, 6
@pytest.mark.parametrize(
    ("closed", "before", "now", "boundaries"),
    [
        ("right", 2, 2, []),
        ("right", 2, 3, [2]),
        ("both", 1, 6, [2, 4]),
        ("left", 2, 2, []),
        ("left", 2, 3, []),
        ("left", 2, 4, [4]),
        ("left", 1, 6, [2, 4, 6]),
    ],
)
def test_a_boundary_closes_when_nothing_more_can_fall_into_its_window(closed, before, now, boundaries):
    assert list(Window(4, 2, closed=closed).closings(TimeKind.INTEGER, before, now)) == boundaries


def test_closings_without_number_take_no_room():
    passed = Window("P1D", closed="right").closings(TimeKind.DATETIME, 0, 10**15)
    assert len(passed) == 10**15
    assert passed[-1] == 10**15 - 1


# -- how far time has come -------------------------------------------------------------------------


def test_time_stands_still_or_goes_on():
    here = step_to(Window(2), None, 5)
    assert step_to(Window(2), here, 5) == here
    assert step_to(Window(2), here, 9).end == 9
    with pytest.raises(LateABoxError):
        step_to(Window(2), here, 4)


@pytest.mark.parametrize(
    ("window", "first", "other"),
    [
        (Window(2), 1, 2.0),
        (Window(2), 1, NOON),
        (Window(2), 1.0, NOON),
        (Window("PT2S"), NOON, 2),
        (Window("PT2S"), NOON, 2.0),
    ],
)
def test_a_stream_has_one_kind_of_time(window, first, other):
    with pytest.raises(TimestampError, match="the stream's other timestamps"):
        step_to(window, step_to(window, None, first), other)


@pytest.mark.parametrize(("window", "at"), [(Window(2), NOON), (Window("PT1S"), 1), (Window("PT1S"), 1.0)])
def test_the_first_timestamp_is_of_the_windows_kind(window, at):
    with pytest.raises(TimestampError) as raised:
        step_to(window, None, at)
    assert not re.search(r"Window\(|datetime\.", str(raised.value)), (
        "it is worded, and no object as it is made"
    )


def test_a_late_time_is_late_by_its_place_not_by_its_window():
    with pytest.raises(LateABoxError) as raised:
        step_to(Window(10, 5), step_to(Window(10, 5), None, 7), 6)
    assert (raised.value.at, raised.value.newest) == ("6", "7")


@pytest.mark.parametrize("closed", ["both", "right", "left"])
@pytest.mark.parametrize(("range", "slide"), [(1, 1), (4, 1), (4, 2), (4, 4), (3, 2), (2, 5)])
def test_a_window_leaves_a_time_behind_when_its_first_tick_is_later(closed, range, slide):
    window, kind = Window(range, slide, origin=1, closed=closed), TimeKind.INTEGER
    for at in (-3, 0, 1, 2, 3, 9):
        leaving = window.leaving_at(kind, at)
        assert window.step_at(kind, leaving).first > at >= window.step_at(kind, leaving - 1).first


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


@pytest.mark.parametrize("given", [True, [1], b"5m", datetime(2026, 1, 1, tzinfo=UTC)])
def test_a_length_of_another_type_is_refused_as_a_duration(given):
    for lengths in ((given,), (5, given)):
        with pytest.raises(TimestampError) as raised:
            Window(*lengths)
        assert raised.value.expected == f"a number, a timedelta or {A_DURATION}"

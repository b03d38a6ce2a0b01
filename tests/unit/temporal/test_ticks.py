"""Ticks are the ends of the window, counted."""

from datetime import UTC, datetime, timedelta

import pytest

from pantarhei import TemporalRuleError, Window
from pantarhei.model.time import TimeKind, ticks_of
from pantarhei.temporal.checks.form import MOST_IN_WINDOW
from pantarhei.temporal.text.reading import read_rules
from pantarhei.temporal.ticks import Ticks, kind_for

NUMBERS = Ticks(Window(range=6, slide=2), TimeKind.INTEGER)
HALF_MINUTES = Ticks(Window(range="PT1M", slide="PT30S"), TimeKind.DATETIME)


def formula(text):
    (rule,) = read_rules(f"a(X) :- {text}.", {"": "http://e/"}).rules
    return rule.body[0]


def size(ticks, text):
    given = formula(text)
    return ticks.size_of(given.window, given)


# slide = 2
# time   0   1   2   3   4   5   6
# tick   0 |---1---|---2---|---3---|
@pytest.mark.parametrize(("at", "tick"), [(-1, 0), (0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_a_report_between_two_ends_belongs_to_the_next(at, tick):
    assert NUMBERS.at(at) == tick
    assert NUMBERS.of(NUMBERS.window.step_at(TimeKind.INTEGER, at)) == tick
    assert NUMBERS.end_of(tick) - 2 < at <= NUMBERS.end_of(tick)


# slide = 3, origin = 1
# time   1   2   3   4   5   6   7
# tick   0 |-----1-----|-----2-----|
def test_ticks_are_counted_from_the_windows_origin():
    ticks = Ticks(Window(range=3, slide=3, origin=1), TimeKind.INTEGER)
    assert [ticks.at(at) for at in range(1, 8)] == [0, 1, 1, 1, 2, 2, 2]
    assert [ticks.end_of(tick) for tick in range(3)] == [1, 4, 7]


def test_a_window_of_a_rule_is_as_many_ticks_as_fit():
    assert size(NUMBERS, "hot(X) in [5]") == 5
    assert [size(HALF_MINUTES, f"hot(X) in [{n} s]") for n in (29, 30, 59, 60)] == [0, 1, 1, 2]
    assert size(HALF_MINUTES, "hot(X) in [0]") == 0


@pytest.mark.parametrize(
    ("ticks", "text", "said"),
    [
        (HALF_MINUTES, "hot(X) in [3]", r"counts ticks; expected a window with a unit"),
        (NUMBERS, "hot(X) in [3 s]", r"needs a stream with datetimes, and the range 6 is a number"),
        (Ticks(Window(range="PT1M"), TimeKind.DATETIME), "hot(X) in [5 s]", r"reaches back 5_000_000 ticks"),
    ],
)
def test_windows_that_do_not_fit_the_stream_are_refused_where_they_are_written(ticks, text, said):
    with pytest.raises(TemporalRuleError, match=said) as caught:
        size(ticks, text)
    assert (caught.value.line, caught.value.column) == (1, 9)


def test_the_largest_window_is_allowed():
    ticks = Ticks(Window(range=timedelta(hours=1), slide=timedelta(milliseconds=1)), TimeKind.DATETIME)
    assert size(ticks, f"hot(X) in [{MOST_IN_WINDOW} ms]") == MOST_IN_WINDOW


# range = 6, slide = 2           asserted at 3: inside [-2, 4], [0, 6], [2, 8], not inside [4, 10]
# time   3   4   5   6   7   8   9   10
#        x   |-------|-------|-------|
def test_when_the_window_has_lost_what_was_asserted():
    assert NUMBERS.first_without(3) == 10
    assert Ticks(Window(range=6), TimeKind.INTEGER).first_without(3) == 10
    assert Ticks(Window(range=6, closed="right"), TimeKind.INTEGER).first_without(3) == 9


@pytest.mark.parametrize(
    ("window", "kind"),
    [
        (Window(range=3), TimeKind.INTEGER),
        (Window(range=0.5), TimeKind.FLOAT),
        (Window(range="PT1M"), TimeKind.DATETIME),
    ],
)
def test_the_window_says_the_kind_of_time(window, kind):
    assert kind_for(window) is kind


def test_times_of_the_clock_have_ticks_too():
    noon = ticks_of(datetime(2026, 3, 2, 12, tzinfo=UTC), TimeKind.DATETIME)
    half_a_minute = ticks_of(datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC), TimeKind.DATETIME)
    assert HALF_MINUTES.at(half_a_minute) == HALF_MINUTES.at(noon) + 1

"""Ticks of temporal rules: by default the ends of the window, counted."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from rdflib import Graph

import pantarhei as pr
from pantarhei import OptionError, StreamReasoner, TemporalRuleError, Window, load_ontology, load_rules
from pantarhei.engine.options import Options
from pantarhei.model.time import TimeKind, show_time, ticks_of
from pantarhei.temporal.rule_form import MAX_WINDOW_SIZE
from pantarhei.temporal.text.rules_text import read_rules
from pantarhei.temporal.ticks import Ticks, compile_for_time_kind, default_time_kind
from pantarhei.temporal.translation import compile_rules

NUMBERS = Ticks(Window(range=6, slide=2), TimeKind.INTEGER)
HALF_MINUTES = Ticks(Window(range="PT1M", slide="PT30S"), TimeKind.DATETIME)


def formula(text):
    (rule,) = read_rules(f"a(X) :- {text}.", {"": "http://e/"}).rules
    return rule.body[0]


def size(ticks, text):
    given = formula(text)
    return ticks.window_size(given.window, given)


# slide = 2
# time   0   1   2   3   4   5   6
# tick   0 |---1---|---2---|---3---|
@pytest.mark.parametrize(("at", "tick"), [(-1, 0), (0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_a_report_between_two_ends_belongs_to_the_next(at, tick):
    assert NUMBERS.tick_of_time(at) == tick
    assert NUMBERS.tick_of_step(NUMBERS.window.step_at(TimeKind.INTEGER, at)) == tick
    assert NUMBERS.end_of(tick) - 2 < at <= NUMBERS.end_of(tick)


# slide = 3, origin = 1
# time   1   2   3   4   5   6   7
# tick   0 |-----1-----|-----2-----|
def test_ticks_are_counted_from_the_windows_origin():
    ticks = Ticks(Window(range=3, slide=3, origin=1), TimeKind.INTEGER)
    assert [ticks.tick_of_time(at) for at in range(1, 8)] == [0, 1, 1, 1, 2, 2, 2]
    assert [ticks.end_of(tick) for tick in range(3)] == [1, 4, 7]


def test_a_window_of_a_rule_is_as_many_ticks_as_fit():
    assert size(NUMBERS, "hot(X) in [5]") == 5
    assert [size(HALF_MINUTES, f"hot(X) in [{n} s]") for n in (29, 30, 59, 60)] == [0, 1, 1, 2]
    assert size(HALF_MINUTES, "hot(X) in [0]") == 0


@pytest.mark.parametrize(
    ("ticks", "text", "said"),
    [
        (HALF_MINUTES, "hot(X) in [3]", r"counts ticks; expected a window with a unit"),
        (NUMBERS, "hot(X) in [3 s]", r"needs a stream with datetimes, but the range 6 is a number"),
        (Ticks(Window(range="PT1M"), TimeKind.DATETIME), "hot(X) in [5 s]", r"reaches back 5_000_000 ticks"),
    ],
)
def test_windows_that_do_not_fit_the_stream_are_refused_where_they_are_written(ticks, text, said):
    with pytest.raises(TemporalRuleError, match=said) as caught:
        size(ticks, text)
    assert (caught.value.line, caught.value.column) == (1, 9)


def test_the_largest_window_is_allowed():
    ticks = Ticks(Window(range=timedelta(hours=1), slide=timedelta(milliseconds=1)), TimeKind.DATETIME)
    assert size(ticks, f"hot(X) in [{MAX_WINDOW_SIZE} ms]") == MAX_WINDOW_SIZE


# range = 6, slide = 2           asserted at 3: inside [-2, 4], [0, 6], [2, 8], not inside [4, 10]
# time   3   4   5   6   7   8   9   10
#        x   |-------|-------|-------|      the window is [4, 10] from 9 on
def test_when_the_window_has_lost_what_was_asserted():
    assert NUMBERS.eviction_time(3) == 9
    assert Ticks(Window(range=6), TimeKind.INTEGER).eviction_time(3) == 10
    assert Ticks(Window(range=6, closed="right"), TimeKind.INTEGER).eviction_time(3) == 9


@pytest.mark.parametrize(
    ("window", "kind"),
    [
        (Window(range=3), TimeKind.INTEGER),
        (Window(range=0.5), TimeKind.FLOAT),
        (Window(range="PT1M"), TimeKind.DATETIME),
    ],
)
def test_the_window_says_the_kind_of_time(window, kind):
    assert default_time_kind(window) is kind


def test_times_of_the_clock_have_ticks_too():
    noon = ticks_of(datetime(2026, 3, 2, 12, tzinfo=UTC), TimeKind.DATETIME)
    half_a_minute = ticks_of(datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC), TimeKind.DATETIME)
    assert HALF_MINUTES.tick_of_time(half_a_minute) == HALF_MINUTES.tick_of_time(noon) + 1


PREFIXES = {"": "http://example.org/"}
OPEN = pr.Window(range=0)


def kind_of(text, window=OPEN, start=None):
    rules = pr.load_rules(f"{text}\n", start, PREFIXES).rules
    return compile_for_time_kind(
        rules, window, start, lambda ticks: compile_rules(rules, (), ticks)
    ).ticks.kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a(X) :- b(X).", TimeKind.INTEGER),
        ("a(X) :- b(X) in [5].", TimeKind.INTEGER),
        ("a(X) :- b(X) in [3 sec].", TimeKind.DATETIME),
        ('a(X) :- b(X) at T in [3 sec], T > "2026-01-01T00:00:00Z"^^xsd:dateTime.', TimeKind.DATETIME),
    ],
)
def test_the_first_kind_that_fits_is_taken(text, kind):
    assert kind_of(text) is kind


TOO_WIDE = "q(X) :- p(X, Y, Z)."  # refused whatever times are


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        (f"{TOO_WIDE}\na(X) :- b(X) in [5].", 1, 9, "p(X, Y, Z) has 3 arguments"),
        (f"a(X) :- b(X) in [5].\n{TOO_WIDE}", 2, 9, "p(X, Y, Z) has 3 arguments"),
        (f"a(X) :- b(X) in [3 sec].\n{TOO_WIDE}", 2, 9, "p(X, Y, Z) has 3 arguments"),
        ("a(X) :- b(X) in [365 d].", 1, 9, "reaches back 31_536_000_000_000 ticks"),
        ("a(X) :- b(X) at T in [3 sec], T > 3.", 1, 31, "is for times that are numbers, and b(X) at T in"),
        ("a(X) :- b(X) in [5].\nc(X) :-\n  b(X) in [3 sec].", 3, 3, "is for times that are datetimes, and"),
        ("a(X) :- b(X) in [3 sec].\nc(X) :-\n  b(X) in [5].", 3, 3, "is for times that are numbers, and"),
    ],
)
def test_what_is_wrong_is_said_of_the_kind_that_is_meant(text, line, column, said):
    with pytest.raises(TemporalRuleError) as told:
        kind_of(text)
    assert said in str(told.value)
    assert (told.value.line, told.value.column) == (line, column)


def test_what_fits_no_stream_is_refused_when_it_is_read():
    with pytest.raises(TemporalRuleError, match="a stream has one kind"):
        pr.load_rules("a(X) :- b(X) in [3 sec].\nc(X) :- b(X) in [3].", prefixes=PREFIXES)
    assert kind_of('a(X) :- b(X) at T in [3 sec], T != "?".', pr.Window(range="PT6S", slide="PT1S"))


def test_where_the_window_says_the_kind_that_is_meant():
    with pytest.raises(TemporalRuleError, match="needs a stream with datetimes, but the range 6 is a number"):
        kind_of("a(X) :- b(X) in [3 sec].", pr.Window(range=6))


def test_a_start_says_it_too():
    with pytest.raises(TemporalRuleError, match="needs a stream with datetimes"):
        kind_of("a(X) :- b(X) in [3 sec], c(X, Y, Z).", start=3)


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "start", "expected"),
    [
        (pr.Window("PT1M", "PT1M"), 3, "start=3 of the rules does not fit a stream of datetimes"),
        (
            pr.Window(2),
            NOON,
            "start=2026-01-01T12:00:00+00:00 of the rules does not fit",
        ),
        (pr.Window(2.5), NOON, "does not fit a stream of floats"),
        (pr.Window(2), 1 << 70, "a finite time"),
    ],
)
def test_a_start_of_another_kind_than_the_windows_is_refused_at_once(window, start, expected):
    rules = pr.load_rules("a(X) :- b(X).", start, PREFIXES)
    with pytest.raises(TemporalRuleError, match=re.escape(expected)):
        pr.StreamReasoner(pr.load_ontology(Graph()), window, temporal=rules)


@pytest.mark.parametrize(("start", "at"), [(0.5, 3), (NOON, 3), (3, NOON), (NOON, 0.5)])
def test_a_start_of_another_kind_than_the_timestamps_is_refused_at_the_first(start, at):
    rules = pr.load_rules("a(X) :- b(X).", start, PREFIXES)
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), OPEN, temporal=rules)
    assert reasoner.next_turn is None
    with pytest.raises(
        TemporalRuleError, match=f"start={re.escape(show_time(start))} of the rules does not fit"
    ):
        reasoner.push(at, [])
    reasoner.push(start, [])


def test_integers_begin_streams_of_floats():
    assert kind_of("a(X) :- b(X).", pr.Window(range=0.5), 3) is TimeKind.FLOAT


# window: range = 6, slide = 2; tick = 5
# time   1   2   3   4   5   6   7   8   9   10
# tick   |-------- 1 --------|-------- 2 --------|
def test_ticks_are_independent_of_the_slide():
    ticks = Ticks(Window(range=6, slide=2), TimeKind.INTEGER, 5)
    assert [ticks.tick_of_time(at) for at in (0, 1, 5, 6, 10)] == [0, 1, 1, 2, 2]
    assert ticks.end_of(2) == 10 and ticks.length == 5
    assert Ticks(Window("P1D", zone="Asia/Kolkata"), TimeKind.DATETIME, "1h").length == 3_600_000_000


@pytest.mark.parametrize(
    ("window", "tick"),
    [
        (Window(range=6), 0),
        (Window(range=6), -1),
        (Window(range=6), "1s"),
        (Window(range="1m"), 5),
        (Window(range="1m"), "often"),
        (Window(range=6), float("nan")),
    ],
)
def test_a_tick_that_fits_no_timestamps_of_the_window_is_refused(window, tick):
    with pytest.raises(OptionError, match="tick"):
        Options(window, tick=tick)


def test_a_stream_of_numbers_refuses_a_tick_of_seconds():
    rules = load_rules("@prefix : <http://e/> . a(X) :- :Hot(X).")
    reasoner = StreamReasoner(load_ontology(Graph()), Window(range=0), temporal=rules, tick="1s")
    with pytest.raises(TemporalRuleError, match="the tick 1s does not fit a stream of integers"):
        reasoner.push(1, [])

"""Where a window leaves open what times are, rules are told what is wrong with them as they are meant."""

import re
from datetime import UTC, datetime

import pytest
from rdflib import Graph

import pantarhei as pr
from pantarhei.errors import TemporalRuleError
from pantarhei.model.time import TimeKind, show_time
from pantarhei.temporal.fitting import fitted
from pantarhei.temporal.translation import program_of

PREFIXES = {"": "http://example.org/"}
OPEN = pr.Window(range=0)


def kind_of(text, window=OPEN, start=None):
    rules = pr.load_rules(f"{text}\n", start, PREFIXES).rules
    return fitted(rules, window, start, lambda ticks: program_of(rules, (), ticks)).ticks.kind


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
    with pytest.raises(TemporalRuleError, match="needs a stream with datetimes, and the range 6 is a number"):
        kind_of("a(X) :- b(X) in [3 sec].", pr.Window(range=6))


def test_a_start_says_it_too():
    with pytest.raises(TemporalRuleError, match="needs a stream with datetimes"):
        kind_of("a(X) :- b(X) in [3 sec], c(X, Y, Z).", start=3)


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "start", "expected"),
    [
        (pr.Window("PT1M", "PT1M"), 3, "start=3 of the rules is no time of a stream of datetimes"),
        (
            pr.Window(2),
            NOON,
            "start=2026-01-01T12:00:00+00:00 of the rules is no time of",
        ),
        (pr.Window(2.5), NOON, "is no time of a stream of floats"),
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
        TemporalRuleError, match=f"start={re.escape(show_time(start))} of the rules is no time"
    ):
        reasoner.push(at, [])
    reasoner.push(start, [])


def test_integers_begin_streams_of_floats():
    assert kind_of("a(X) :- b(X).", pr.Window(range=0.5), 3) is TimeKind.FLOAT

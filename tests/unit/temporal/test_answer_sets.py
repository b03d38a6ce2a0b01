"""Rules at a tick as a program of clingo."""

from datetime import timedelta

import pytest
from rdflib import Literal

import pantarhei as pr
from lars_programs import EX, always, at, atom, compared, computed, no, now, rule, some
from pantarhei.errors import TemporalRuleError
from pantarhei.model.temporal_rule import Formula, Mode, TimeWindow
from pantarhei.temporal.answer_sets import AnswerStream, AspProgram, AtomStream, TickAtoms, answer_streams
from pantarhei.temporal.ticks import Ticks, default_time_kind

WINDOW = pr.Window(range=0)
TICKS = Ticks(WINDOW, default_time_kind(WINDOW))
SAID = AtomStream(0, 7, (TickAtoms(6, frozenset({atom("b", "i")}), (atom("b", "i"), atom("v", "i", 4))),))


def lines(*rules):
    return AspProgram(rules, SAID, TICKS).text.splitlines()[1:]


def test_windows_are_ticks_counted_from_the_present_one_and_what_is_negated_has_a_rule_of_its_own():
    written = rule(atom("a", "X"), always(atom("b", "X"), 2), no(some(atom("c", "X"), 1)))
    assert lines(written) == [
        "q2(V0) :- p1(K3,V0); K3 >= -1; K3 <= 0.",
        "p2(0,V0) :- p0(0,V0); p0(K1,V0) : K1 = -2..0; not q2(V0).",
        "p0(-1,0).",
        "p0(0,0).",
        "#show p2/2.",
    ]


def test_counts_times_and_tests_are_asked_of_functions():
    text = lines(
        rule(
            at("U", atom("y", "X", "V")),
            at("T", atom("asserted v", "X", "V"), 3),
            some(atom("b", "X"), 4, times=2),
            compared("V", "lessThan", "T"),
            computed("U", "add", "T", 1),
            computed("V", "add", "T", 1),
        )
    )
    head, *_ = (line for line in text if ":-" in line)
    assert head.startswith("p2(K4,V0,V1) :- p0(K1,V0,V1); K1 >= -3; K1 <= 0; V2 = @time(K1); p1(K2,V0);")
    assert (
        "2 <= #count { LK2 : p1(LK2,V0), LK2 >= -4, LK2 <= 0 }; 1 = @holds(0,V1,V2); V3 = @computed(1,V2,"
        in head
    )
    assert "R3 = @computed(2,V2," in head and "1 = @are_equal(R3,V1); K4 = @tick(V3)." in head
    assert any(line.startswith("p0(-1,") for line in text)


def test_what_clingo_calls_answers_in_numbers():
    program = AspProgram(
        (rule(at("T", atom("a")), at("T", atom("v", "X", "V")), computed("W", "add", "V", 1)),), SAID, TICKS
    )
    number = program.terms.number
    assert program.time(-4) == number(Literal("3.0", datatype=Literal(1.5).datatype)) or program.time(
        -4
    ) == number(Literal(3))
    assert program.tick(number(Literal(6))) == -1 and program.tick(number(Literal(8))) is None
    assert program.terms.term(program.computed(0, number(Literal(4)), number(Literal(1)))) == Literal(5)
    assert program.computed(0, number(EX.i), number(Literal(1))) is None
    assert program.are_equal(number(Literal(1)), number(Literal(1.0)))


def test_a_window_that_does_not_fit_the_ticks_is_refused():
    hours = Formula(atom("b", "X"), Mode.SOMETIME, TimeWindow(timedelta(hours=1)))
    with pytest.raises(TemporalRuleError, match="datetimes"):
        lines(rule(atom("a", "X"), hours, now(atom("b", "X"))))


A, B, C = atom("a"), atom("b"), atom("c")
#   tick:     0    1    2    3    4    5
#   states:        A    A    A,B  A,B  A,B
#   events:        C         A, C
RECORDS = AtomStream(0, 5, (TickAtoms(1, frozenset({A}), (C,)), TickAtoms(3, frozenset({A, B}), (A, C))))


def test_states_hold_until_something_else_is_said():
    assert sorted(RECORDS.states(0), key=str) == [
        (1, A),
        (2, A),
        (3, A),
        (3, B),
        (4, A),
        (4, B),
        (5, A),
        (5, B),
    ]
    assert sorted(RECORDS.states(4), key=str) == [(4, A), (4, B), (5, A), (5, B)]


def test_events_are_of_their_tick_and_in_their_order():
    assert list(RECORDS.events(0)) == [(1, C), (3, A), (3, C)]
    assert list(RECORDS.events(2)) == [(3, A), (3, C)]


def test_a_window_of_events_begins_with_the_tick_of_the_first_or_with_the_stream():
    assert RECORDS.last_events(1) == (3, [(3, C)])
    assert RECORDS.last_events(3) == (1, [(1, C), (3, A), (3, C)])
    assert RECORDS.last_events(4) == (0, [(1, C), (3, A), (3, C)])


pytest.importorskip("clingo", reason="the extra clingo is not installed")

STREAM = AtomStream(0, 1, (TickAtoms(1, frozenset({atom("c", "i"), atom("v", "i", 3)})),))
CHOICE = (
    rule(atom("a", "X"), atom("c", "X"), no(atom("b", "X"))),
    rule(atom("b", "X"), atom("c", "X"), no(atom("a", "X"))),
)


def test_all_or_some_are_found():
    both = tuple(AnswerStream(frozenset({atom(name, "i")})) for name in "ab")
    assert answer_streams(CHOICE, STREAM, TICKS) == both
    (one,) = answer_streams(CHOICE, STREAM, TICKS, most=1)
    assert one in both


def test_an_error_in_what_clingo_calls_is_raised_as_it_is(monkeypatch):
    def raising(*given):
        raise ZeroDivisionError

    monkeypatch.setattr(AspProgram, "computed", raising)
    rules = (rule(atom("a", "W"), atom("v", "X", "V"), computed("W", "add", "V", 1)),)
    with pytest.raises(ZeroDivisionError):
        answer_streams(rules, STREAM, TICKS)

"""Rules at a tick as a program of clingo."""

from datetime import timedelta

import pytest
from rdflib import Literal

import pantarhei as pr
from lars_programs import EX, always, at, atom, compared, computed, no, now, rule, some
from pantarhei.errors import TemporalRuleError
from pantarhei.model.temporal_rule import Formula, Mode, TimeWindow
from pantarhei.temporal.models.program import AspProgram
from pantarhei.temporal.models.said import SaidAt, SaidStream
from pantarhei.temporal.ticks import Ticks, kind_for

WINDOW = pr.Window(range=0)
TICKS = Ticks(WINDOW, kind_for(WINDOW))
SAID = SaidStream(0, 7, (SaidAt(6, frozenset({atom("b", "i")}), (atom("b", "i"), atom("v", "i", 4))),))


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

"""Answer streams by clingo: all of them or some, in an order that does not change."""

import pytest

import pantarhei as pr
from lars_programs import atom, computed, no, rule
from pantarhei.temporal.models.program import AspProgram
from pantarhei.temporal.models.said import SaidAt, SaidStream
from pantarhei.temporal.models.solving import AnswerStream, answer_streams
from pantarhei.temporal.ticks import Ticks, kind_for

pytest.importorskip("clingo", reason="the extra clingo is not installed")

WINDOW = pr.Window(range=0)
TICKS = Ticks(WINDOW, kind_for(WINDOW))
SAID = SaidStream(0, 1, (SaidAt(1, frozenset({atom("c", "i"), atom("v", "i", 3)})),))
CHOICE = (
    rule(atom("a", "X"), atom("c", "X"), no(atom("b", "X"))),
    rule(atom("b", "X"), atom("c", "X"), no(atom("a", "X"))),
)


def test_all_or_some_are_found():
    both = tuple(AnswerStream(frozenset({atom(name, "i")})) for name in "ab")
    assert answer_streams(CHOICE, SAID, TICKS) == both
    (one,) = answer_streams(CHOICE, SAID, TICKS, most=1)
    assert one in both


def test_an_error_in_what_clingo_calls_is_raised_as_it_is(monkeypatch):
    def raising(*given):
        raise ZeroDivisionError

    monkeypatch.setattr(AspProgram, "computed", raising)
    rules = (rule(atom("a", "W"), atom("v", "X", "V"), computed("W", "add", "V", 1)),)
    with pytest.raises(ZeroDivisionError):
        answer_streams(rules, SAID, TICKS)

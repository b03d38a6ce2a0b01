"""What a rule may be made of."""

from dataclasses import replace
from datetime import timedelta

import pytest
from rdflib import RDF, Literal, Variable

from lars_programs import always, at, atom, no, now, rule, some
from pantarhei.errors import TemporalRuleError
from pantarhei.model.rule import Builtin
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TimeWindow, TupleWindow
from pantarhei.temporal.checks.form import MOST_IN_WINDOW, check_form
from pantarhei.temporal.text.reading import read_rules
from pantarhei.values.builtin import SWRLB

A, B, P = atom("a"), atom("b"), atom("p", "X")
X = Variable("X")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ([rule(some(A, 3), B)], "a head is a in"),
        ([rule(no(A), B)], "a head is not a"),
        ([rule(atom("asserted a"), B)], "a head is asserted a"),
        ([rule(now(TemporalAtom(SWRLB.add, (X, X, X))), P)], "has a built-in where"),
        (
            [rule(A, now(TemporalAtom(RDF.type, (X, X))))],
            "rdf:type as its predicate; expected the class as one",
        ),
        ([rule(A, no(TemporalAtom(SWRLB.abs, (X, X))), P)], "a built-in only as a condition by itself"),
        ([rule(A, at("t", B))], "t is no time; expected a variable, a number, or such as"),
        ([rule(A, at(Literal("2026-01-01"), B))], '"2026-01-01" is no time; expected a variable'),
        ([rule(A, replace(at("T", B), time=None))], "has no time, or one in vain"),
        ([rule(A, replace(now(B), time=Literal(3)))], "has no time, or one in vain"),
        ([rule(A, Formula(B, Mode.ALWAYS))], "lacks a window, or has one in vain"),
        ([rule(A, replace(now(B), window=TimeWindow(3)))], "lacks a window, or has one in vain"),
        ([rule(A, some(B, 3, times=0))], "0 times; expected a number above 0"),
        ([rule(A, replace(always(B, 3), times=2))], "2 times; expected a number above 0, with mode SOMETIME"),
        (
            [rule(A, some(B, 5, times=8))],
            "at least 8 times in .5. can never be: the window has 6 ticks",
        ),
        ([rule(A, some(B, "3 #", times=4))], "the window has 3 ticks at most; expected at least 3 times"),
        ([rule(A, some(B, "0 #"))], "a window of 0 assertions; expected 1 to 4_000_000"),
        ([rule(A, some(B, -1))], "a window of -1 ticks; expected 0 to 4_000_000"),
        (
            [rule(A, some(B, MOST_IN_WINDOW + 1))],
            "4000001 ticks; expected 0 to 4_000_000; a tick is the slide",
        ),
        ([rule(A, some(B, f"{MOST_IN_WINDOW + 1} #"))], "a window of 4000001 assertions"),
        ([rule(A, Formula(B, Mode.SOMETIME, TimeWindow(timedelta(-1))))], "a length that is not negative"),
        ([rule(A, P), rule(A, atom("p", "X", "Y"))], "p has 2 arguments here, and 1 above"),
        ([rule(A, P), rule(atom("p"), B)], "p has 0 arguments here, and 1 above"),
        ([rule(A, some(B, "3 #")), rule(B, A)], "b is concluded, and .3 #. counts assertions"),
        (
            [rule(A, P, Builtin(SWRLB.tomorrow, (X, X)))],
            "there is no built-in tomorrow; expected one of",
        ),
        ([rule(A, P, Builtin(RDF.type, (X, X)))], "there is no built-in type"),
        (
            [rule(A, P, Builtin(SWRLB.add, (X, X)))],
            "add has 2 arguments here; expected 3, the result",
        ),
        ([rule(A, P, Builtin(SWRLB.lessThan, (X, X, X)))], "lessThan has 3 arguments here; expected 2"),
    ],
)
def test_what_cannot_be_is_refused(rules, said):
    with pytest.raises(TemporalRuleError, match=said):
        check_form(rules)


def test_a_built_in_is_refused_where_it_stands():
    rules = read_rules("a(X) :-\n p(X),\n swrlb:tomorrow(X, X).", {"": "http://example.org/"}).rules
    with pytest.raises(TemporalRuleError, match="there is no built-in tomorrow") as told:
        check_form(rules)
    assert (told.value.line, told.value.column) == (3, 2)


def test_what_fills_its_window_is_allowed():
    check_form([rule(A, some(B, 5, times=6), some(B, "3 #", times=3))])


def test_a_window_may_hold_the_last_assertions_of_what_is_concluded_too():
    check_form([rule(A, some(atom("asserted b"), "3 #")), rule(B, A)])


@pytest.mark.parametrize("window", [TimeWindow(0), TimeWindow(MOST_IN_WINDOW), TupleWindow(MOST_IN_WINDOW)])
def test_the_largest_and_smallest_windows_are_allowed(window):
    check_form([rule(A, Formula(B, Mode.SOMETIME, window))])

"""Each kind of mistake in temporal rules is marked where it is written: line, column and a caret below it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from rdflib import RDF, Graph, Literal, Variable

import pantarhei as pr
from lars_programs import always, at, atom, no, now, rule, some
from pantarhei.errors import TemporalRuleError
from pantarhei.model.rule import Builtin
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TimeWindow, TupleWindow
from pantarhei.temporal.rule_form import MAX_WINDOW_SIZE, check_form
from pantarhei.temporal.text.rules_text import read_rules
from pantarhei.values.scalar_functions import SWRLB

ONTOLOGY = pr.load_ontology(
    Graph().parse(
        data="""
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :Broken owl:disjointWith :Spare ."""
    )
)
MINUTES = pr.Window(range="PT5M", slide="PT1M")
MISTAKES = {
    "bad unit": (
        "alarm(X) :-\n  hot(X) in [5 fortnights].",
        "fortnights",
        "fortnights is not a unit; [5] for ticks, [5 #] for assertions",
    ),
    "unsafe variable": ("alarm(X,\n  Y) :- hot(X).", "Y", "Y in the head is not bound"),
    "unsafe negation": ("alarm(X) :- hot(X),\n  not near(X, Y).", "Y", "is not bound"),
    "missing dot": ("alarm(X) :- hot(X)\ncold(X) :- wet(X).", "cold", "is not complete"),
    "window in a head": ("on.\nalarm(X) in [5 min] :- hot(X).", "in [", "a head cannot have a window"),
    "unknown prefix": ("alarm(X) :-\n  ex:Hot(X).", "ex:Hot", "the prefix ex: is not declared"),
    "variable as predicate": ("alarm(X) :-\n  Hot(X).", "Hot", "read as a variable, by its first letter"),
    "negation cycle": ("a(X) :- b(X),\n  not c(X).\nc(X) :- a(X).", "not c", "a depends on its own absence"),
    "recursion through always": (
        "a(X) :- b(X),\n  c(X) always in [5 min].\nc(X) :- a(X).",
        "c(X) always",
        "itself at all ticks of a window",
    ),
    "constraint reachable": ("on.\n  :Broken(X) :- hot(X).", ":Broken", "its conclusions can violate"),
    "unbounded time": ("a(X) :-\n  hot(X) at T.", "T.", "the time T of "),
    "too many ticks": ("a(X) :-\n  hot(X) in [9999999 min].", "hot(X) in", "reaches back 9_999_999 ticks"),
    "window of assertions over conclusions": (
        "b(X) :- hot(X).\na(X) :-\n  b(X) in [3 #].",
        "b(X) in",
        "counts assertions",
    ),
    "ticks where times are dates": ("a(X) :-\n  hot(X) in [5].", "hot(X) in", "counts ticks"),
    "two numbers of arguments": ("a(X) :- hot(X),\n  hot(X, 3).", "hot(X, 3)", "has 2 arguments here, but 1"),
    "a time that is none": ("a(X) :-\n  hot(X) at :noon in [5 min].", ":noon", "noon is not a time"),
    "what is remembered in vain": ("remember b,\n  c.\nb :- d.", "c.", "no rule concludes it"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_has_its_line_its_column_and_a_caret(mistake):
    text, place, said = MISTAKES[mistake]
    with pytest.raises(pr.TemporalRuleError) as told:
        rules = pr.load_rules(text, prefixes={"": "http://example.org/"})
        pr.StreamReasoner(ONTOLOGY, MINUTES, temporal=rules)
    error, message = told.value, str(told.value)
    begun = text.index(place, text.index("\n"))  # on a later line than the first
    line = text[:begun].count("\n") + 1
    column = begun - text.rindex("\n", 0, begun)
    assert (error.line, error.column) == (line, column)
    assert said in message and f"line {line}, column {column}: " in message
    *_, excerpt, caret = message.split("\n")
    assert excerpt.strip() == text.split("\n")[line - 1].strip()
    assert excerpt[caret.index("^") :].startswith(place.rstrip("."))
    assert error.expected and error.expected in message


A, B, P = atom("a"), atom("b"), atom("p", "X")
X = Variable("X")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ([rule(some(A, 3), B)], "the head a in"),
        ([rule(no(A), B)], "the head not a is negated"),
        ([rule(atom("asserted a"), B)], "the head asserted a contains `asserted`"),
        ([rule(now(TemporalAtom(SWRLB.add, (X, X, X))), P)], "uses a built-in as a predicate"),
        (
            [rule(A, now(TemporalAtom(RDF.type, (X, X))))],
            "rdf:type as its predicate; expected the class as one",
        ),
        ([rule(A, no(TemporalAtom(SWRLB.abs, (X, X))), P)], "write a built-in as a separate condition"),
        ([rule(A, at("t", B))], "t is not a time; expected a variable, a number, or a datetime such as"),
        ([rule(A, at(Literal("2026-01-01"), B))], '"2026-01-01" is not a time; expected a variable'),
        ([rule(A, replace(at("T", B), time=None))], "needs a time, or has one although"),
        ([rule(A, replace(now(B), time=Literal(3)))], "needs a time, or has one although"),
        ([rule(A, Formula(B, Mode.ALWAYS))], "needs a window, or has one although"),
        ([rule(A, replace(now(B), window=TimeWindow(3)))], "needs a window, or has one although"),
        ([rule(A, some(B, 3, times=0))], "counts 0 times; expected a number above 0"),
        (
            [rule(A, replace(always(B, 3), times=2))],
            "counts 2 times; expected a number above 0, with mode SOMETIME",
        ),
        (
            [rule(A, some(B, 5, times=8))],
            "at least 8 times in .5. never holds: the window has 6 ticks",
        ),
        ([rule(A, some(B, "3 #", times=4))], "the window has 3 ticks at most; expected at least 3 times"),
        ([rule(A, some(B, "0 #"))], "a window of 0 assertions; expected 1 to 4_000_000"),
        ([rule(A, some(B, -1))], "a window of -1 ticks; expected 0 to 4_000_000"),
        (
            [rule(A, some(B, MAX_WINDOW_SIZE + 1))],
            "4000001 ticks; expected 0 to 4_000_000; or give",
        ),
        ([rule(A, some(B, f"{MAX_WINDOW_SIZE + 1} #"))], "a window of 4000001 assertions"),
        ([rule(A, Formula(B, Mode.SOMETIME, TimeWindow(timedelta(-1))))], "a length that is not negative"),
        ([rule(A, P), rule(A, atom("p", "X", "Y"))], "p has 2 arguments here, but 1 above"),
        ([rule(A, P), rule(atom("p"), B)], "p has 0 arguments here, but 1 above"),
        ([rule(A, some(B, "3 #")), rule(B, A)], "b is concluded, but .3 #. counts assertions"),
        (
            [rule(A, P, Builtin(SWRLB.tomorrow, (X, X)))],
            "there is no built-in tomorrow; expected one of",
        ),
        ([rule(A, P, Builtin(RDF.type, (X, X)))], "there is no built-in type"),
        (
            [rule(A, P, Builtin(SWRLB.add, (X, X)))],
            "add has 2 arguments here; expected 3, with the result first",
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


@pytest.mark.parametrize("window", [TimeWindow(0), TimeWindow(MAX_WINDOW_SIZE), TupleWindow(MAX_WINDOW_SIZE)])
def test_the_largest_and_smallest_windows_are_allowed(window):
    check_form([rule(A, Formula(B, Mode.SOMETIME, window))])


PREFIXES = {"": "http://example.org/"}
HALF_MINUTES = pr.Window("PT1M", slide="PT30S")


def reasoner(text, window):
    rules = pr.load_rules(text, prefixes=PREFIXES)
    return pr.StreamReasoner(pr.load_ontology(Graph()), window, temporal=rules)


@pytest.mark.parametrize(
    ("condition", "further", "said"),
    [
        ("T > 5", 0, "T > 5 compares a number with the time T, but the times of the stream are datetimes"),
        ("T2 = T + 60", 0, "T2 = T + 60 computes with the time T, but the times of the stream are datetimes"),
        ("c(X) at T - 1 in [1 min]", 8, "computes with the time"),
        ("c(X) at 3 in [1 min]", 0, "c(X) at 3 in [1 min] names a number"),
    ],
)
def test_times_are_not_taken_for_numbers(condition, further, said):
    text = f"a(X) :- b(X) at T in [1 min], {condition}."
    with pytest.raises(pr.TemporalRuleError) as told:
        reasoner(text, HALF_MINUTES)
    assert said in str(told.value) and "windows for lengths of time" in told.value.expected
    assert told.value.column == text.index(condition) + 1 + further
    reasoner(text.replace("[1 min]", "[2]"), pr.Window(5))


@pytest.mark.parametrize(
    "condition",
    ["c(X) at T2 in [1 min], T2 > T", "c(X, N), N > 5", 'T > "2026-01-01T00:00:00Z"^^xsd:dateTime'],
)
def test_times_are_compared_with_each_other_and_numbers_too(condition):
    reasoner(f"a(X) :- b(X) at T in [1 min], {condition}.", HALF_MINUTES)


DATE = '"2026-01-01T00:00:00Z"^^xsd:dateTime'


@pytest.mark.parametrize(
    ("condition", "further", "said"),
    [
        (f"c(X) at {DATE} in [2]", 0, "names a datetime, but the times of the stream are numbers"),
        (f"T < {DATE}", 0, "compares a datetime with the time T, but the times of the stream are numbers"),
    ],
)
def test_nor_numbers_for_times(condition, further, said):
    text = f"a(X) :- b(X) at T in [2], {condition}."
    with pytest.raises(pr.TemporalRuleError) as told:
        reasoner(text, pr.Window(5))
    assert said in str(told.value) and told.value.column == text.index(condition) + 1 + further
    reasoner(text.replace("[2]", "[1 min]"), HALF_MINUTES)


def test_a_stream_tells_by_its_first_timestamp_that_it_has_datetimes():
    made = reasoner("a(X) :- b(X) at T in [0], T > 5.", pr.Window(0))
    with pytest.raises(pr.TemporalRuleError, match="compares a number with the time T"):
        made.push(datetime(2026, 1, 1, tzinfo=UTC), [])
    made.push(3, [])

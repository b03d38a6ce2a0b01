"""Rules that look at one event each, as inputs; and those that stay rules."""

import pytest
from rdflib import Namespace

from pantarhei import Window, load_rules
from pantarhei.model.temporal_rule import Mode
from pantarhei.model.time import TimeKind
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import compile_rules

EX = Namespace("http://e/")


def made(text):
    rules = load_rules(text + "\n", prefixes={"": str(EX)})
    return compile_rules(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))


def short(text):
    return str(text).replace(str(EX), "")


def with_events(program):
    """What comes with events: by which, with which arguments of them, until when."""
    return {
        (
            short(each.source.name),
            short(each.target.name),
            each.selection and each.selection.arguments,
            each.size,
        )
        for each in program.inputs
        if each.is_asserted
    }


def written(program):
    """Its rules, without those for what the stream says of conclusions."""
    return {
        f"{short(rule.head.predicate)} <- {', '.join(short(atom.predicate) for atom in rule.body)}"
        for rule in program.rules
        if rule.name != "separate"
    }


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        ("a(X) :- asserted b(X).", ("b", "a", None, 0)),
        ("a(X, Y) :- asserted b(X, Y) in [3].", ("b", "a", None, 3)),
        ("a(X) :- asserted b(X, Y) in [3], Y > 4.", ("b", "a", (1,), 3)),
        ("a(X) :- asserted b(X) at T in [3].", ("b", "a", None, 3)),
        ("a(X, T) :- asserted b(X, i) at T in [3].", ("b", "a", (1, 0), 3)),
    ],
)
def test_what_an_event_says_by_itself_comes_with_it(rule, given):
    program = made(rule)
    assert not written(program) and with_events(program) == {given}


@pytest.mark.parametrize(
    "rule",
    [
        "a(X) :- asserted b(X, Y) in [3], c(X, Y).",
        "a(X) :- asserted b(X, X).",
        "a(X) :- asserted b(X, Y), Y > 3, Z = Y + 1, Z > 5.",
        "a(X) :- asserted b(X, Y) at T in [3], T > 2.",
        "a(X) :- b(X).",
        "a(X) at Y :- asserted b(X, Y).",  # a tick that the event names
        "a(X) :- asserted b(X) in [3 #].",
        "a(X) :- asserted b(X) always in [3].",
        "a(Y) :- asserted b(X, Y).",  # what may be a literal has tuples
    ],
)
def test_a_rule_that_looks_at_more_stays_a_rule(rule):
    assert written(made(rule))


def test_where_one_rule_needs_all_of_the_events_all_have_rows():
    program = made("a(X) :- asserted b(X, Y). c(X) :- asserted b(X, Y), d(X, Y).")
    assert written(program) == {"a <- !b", "c <- !b, d"}


def test_of_events_what_joins_nothing_is_forgotten():
    program = made("a(X) :- asserted b(X, Y) in [3], c(X).")
    assert written(program) == {"a <- !b~3:0, c"}
    assert with_events(program) == {("b", "!b~3:0", (1,), 3)}
    assert "a <- !b~3, c" in written(made("a(X) :- asserted b(Y, X) in [3], c(X)."))  # X may be a literal


def test_what_is_free_of_something_is_asked_for_by_events():
    program = made("a(X) :- asserted b(X, Y) in [3], Y > 2, not c(X).")
    assert written(program) == {"a <- absent-c"}
    assert with_events(program) == {("b", "candidate-c", program.inputs[-1].selection.arguments, 3)}


def test_what_two_rules_ask_for_is_not_enough_for_either():
    text = "a(X) :- asserted b(X), not c(X). d(X) :- asserted e(X), not c(X)."
    assert {"a <- !b, absent-c", "d <- !e, absent-c"} <= written(made(text))


CHAIN = """hot(X) at T :- asserted b(X, Y) at T in [5], Y > 4.
    seen(X) at T :- hot(X) at T in [3].
    late(X) :- seen(X) always in [3]."""


def test_rules_over_such_rules_come_with_the_events_too():
    program = made(CHAIN)
    boxed = {
        (short(each.source.name), each.is_asserted) for each in program.inputs if each.mode is Mode.ALWAYS
    }
    assert boxed == {("b", True), ("hot", False), ("seen", False)}
    assert {("b", "hot", (1,), 0), ("b", "seen", (1,), 0)} <= with_events(program)
    assert not program.dated_runs


def test_a_box_that_reaches_back_further_than_its_heads_counts_ticks():
    assert made(CHAIN.replace("always in [3]", "always in [4]")).dated_runs


def test_what_leads_back_to_itself_stays_a_rule():
    program = made("a(X) at T :- asserted b(X) at T in [2]. a(X) at T :- a(X) at T in [1].")
    assert any("a@" in rule for rule in written(program))


def test_what_the_stream_says_of_what_comes_with_events_has_a_predicate_of_its_own():
    program = made("a(X) :- asserted b(X) in [3].")
    assert [short(each.target.name) for each in program.inputs if not each.is_asserted] == ["input-a"]
    assert [short(rule.body[0].predicate) for rule in program.rules] == ["input-a"]

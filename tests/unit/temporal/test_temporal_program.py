"""Temporal rules as rules of the temporal kernel, and what goes on around it."""

import pytest
from rdflib import Namespace

from pantarhei import TemporalRuleError, Window, load_rules
from pantarhei.model.temporal_rule import Mode
from pantarhei.model.time import TimeKind
from pantarhei.temporal.temporal_program import UNBOUNDED
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import translate_rules

EX = Namespace("http://e/")
TICKS = Ticks(Window(range=9), TimeKind.INTEGER)


def made(text):
    rules = load_rules(text + "\n", prefixes={"": str(EX)})
    return translate_rules(rules.rules, rules.remembered, TICKS)


def short(text):
    return str(text).replace(str(EX), "")


def written(program):
    """Its rules with short names, without those that only connect."""
    return {
        f"{short(rule.head.predicate)} <- {', '.join(short(atom.predicate) for atom in rule.body)}"
        for rule in program.rules
    }


def fed(program):
    return {
        (short(each.source.name), each.is_asserted, each.mode, each.size, short(each.target.name))
        for each in program.inputs
    }


@pytest.mark.parametrize(
    ("formula", "target", "fed_by"),
    [
        ("hot(X)", "hot", ("hot", False, Mode.NOW, 0, "hot")),
        ("asserted hot(X)", "!hot", ("hot", True, Mode.NOW, 0, "!hot")),
        ("hot(X) in [3]", "hot~3", ("hot", False, Mode.SOMETIME, 3, "hot~3")),
        ("asserted hot(X) in [3]", "!hot~3", ("hot", True, Mode.SOMETIME, 3, "!hot~3")),
        ("hot(X) always in [3]", "hot□3", ("hot", False, Mode.ALWAYS, 3, "hot□3")),
        ("hot(X) always in [0]", "hot", ("hot", False, Mode.NOW, 0, "hot")),
        ("hot(X) in [0]", "hot", ("hot", False, Mode.NOW, 0, "hot")),
        ("hot(X) in [3 #]", "!hot~3#", ("hot", True, Mode.SOMETIME, 3, "!hot~3#")),
    ],
)
def test_each_mode_and_window_of_what_is_said_is_a_predicate_of_its_own(formula, target, fed_by):
    program = made(f"alarm(X) :- {formula}.")
    assert written(program) == {f"alarm <- {target}"}
    assert fed(program) == {fed_by, ("alarm", False, Mode.NOW, 0, "alarm")}


def test_assertions_with_their_ticks_are_dated():
    program = made("alarm(X) :- asserted heat(X, N) at T in [3 #], T > N.")
    assert ("heat", True, Mode.AT, 3, "!heat@3#") in fed(program) and not program.keeps_all


DATED = "hot(X) at T :- asserted heat(X, N) at T in [{0}]. alarm(X) :- hot(X) at T in [{1}]."


@pytest.mark.parametrize("size", [2, 3])
def test_what_lies_in_a_window_by_its_rules_needs_no_clock_to_be_there(size):
    program = made(DATED.format(2, size))
    assert "alarm <- hot@" in written(program)
    assert ("hot", False, Mode.AT, size, "hot@") in fed(program)
    assert not program.at_ticks  # nothing that is concluded now begins to hold later


def test_of_two_windows_over_conclusions_at_ticks_the_smaller_is_theirs():
    text = DATED.format(2, 3) + " late(X) :- hot(X) always in [5]. soon(X) :- hot(X) in [2]."
    clock = "urn:pantarhei:temporal:tick"
    assert {"alarm <- hot@", "hot@5 <- hot@", f"hot~2 <- hot@, {clock}~2"} <= written(made(text))
    for more in ("remember hot.", "hot(X) :- c(X)."):
        assert "hot@3 <- hot@" in written(made(f"{more} {DATED.format(2, 3)}"))


def test_what_can_be_concluded_of_any_tick_is_there_by_the_ticks_of_the_window():
    clock = "urn:pantarhei:temporal:tick"
    assert f"hot@2 <- hot@, {clock}~2" in written(made(DATED.format(3, 2)))
    for head in ("hot(X) at 3 :- c(X).", "hot(X) at T :- c(X) at U in [2], T = U + 1."):
        program = made(f"{head} alarm(X) :- hot(X) at 3.")
        assert f"hot@{UNBOUNDED} <- hot@, {clock}~{UNBOUNDED}" in written(program)
        assert [short(symbol.name) for symbol in program.at_ticks] == ["hot@"]


def test_only_what_is_remembered_has_a_rule_for_what_it_was():
    for remembered in ("", "remember hot. "):
        rules = written(made(f"{remembered}hot(X) :- c(X). alarm(X) :- hot(X) at T in [2], hot(X) in [3]."))
        assert {rule for rule in rules if "was-" in rule} == (
            {"hot@2 <- was-hot@2", "hot~3 <- was-hot~3"} if remembered else set()
        )


def test_what_is_denied_is_asked_for_and_free():
    program = made("alarm(X) :- hot(X), not asserted served(X) in [3].")
    assert written(program) == {"candidate-!served~3 <- hot", "alarm <- hot, absent-!served~3"}
    assert [tuple(short(each.name) for each in guard) for guard in program.guards] == [
        ("!served~3", "candidate-!served~3", "absent-!served~3")
    ]


def test_what_two_rules_deny_has_one_guard():
    program = made("alarm(X) :- hot(X), not served(X). note(X) :- odd(X), not served(X).")
    assert len(program.guards) == 1


def test_a_window_over_conclusions_has_those_of_now_and_those_that_are_remembered():
    program = made("remember alarm. alarm(X) :- hot(X). busy(X) :- alarm(X) in [4].")
    assert written(program) == {
        "alarm <- hot",
        "busy <- alarm~4",
        "alarm~4 <- alarm",
        "alarm~4 <- was-alarm~4",
    }
    (remembered,) = program.remembered
    assert [(short(to.name), size) for to, size in remembered.windows] == [("was-alarm~4", 4)]


def test_always_over_remembered_conclusions_is_a_run_of_them():
    program = made("remember alarm. alarm(X) :- hot(X). late(X) :- alarm(X) always in [4].")
    (run,) = program.runs
    assert (short(run.source.name), run.size, short(run.target.name)) == ("alarm", 4, "alarm□4")


def test_parts_of_a_body_that_share_no_variable_are_connected():
    program = made("both(X) :- hot(X), cold(Y).")
    assert "both <- hot, cold, hot:1:0, cold:1:0" in written(program)
    (rule,) = (rule for rule in program.rules if rule.head.predicate == EX.both)
    first, second = (atom.arguments[0] for atom in rule.body[2:])
    assert first == second  # by the unit
    assert "both <- hot, cold, hot:1:0, cold:1:0" in written(made("both(X, Y) :- hot(X), cold(Y)."))
    assert "both <- hot, hot:1:0" in written(made("both(k) :- hot(Y)."))  # from the head hot is to be found


def test_atoms_without_arguments_are_said_of_the_unit():
    program = made("on :- hot(X) in [3].")
    assert {arity for _, arity in program.conclusions.values()} == {0}
    assert {symbol.arity for symbol in program.conclusions} == {1}


def test_a_rule_without_a_body_holds_always():
    program = made("on.\n")
    assert written(program) == {"on <- urn:pantarhei:temporal:always"}


def test_the_largest_window_is_known():
    assert made("a(X) :- b(X) in [3], not c(X) always in [7].").largest == 7
    assert made("a(X) :- b(X).").largest == 0


def test_what_cannot_be_evaluated_is_refused_where_it_is_written():
    with pytest.raises(TemporalRuleError, match=r"counts? ticks|needs a stream with datetimes") as caught:
        made("a(X) :- b(X),\n  c(X) in [3 min].")
    assert (caught.value.line, caught.value.column) == (2, 3)

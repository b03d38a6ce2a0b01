"""One run of temporal rules: what is said at a tick can be taken back until time moves on."""

from types import SimpleNamespace

import numpy as np
import pytest
from rdflib import Namespace

from pantarhei import Window, load_rules
from pantarhei.encoding.numbers import NO_FACTS, NONE, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.time import TimeKind
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.data_stream import Appended, AssertedPart
from pantarhei.temporal.numbered import NumberedTemporalProgram
from pantarhei.temporal.rule_evaluation import RuleEvaluation
from pantarhei.temporal.tick_history import TickHistory, TickRecord
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import compile_rules

EX = Namespace("http://e/")
FIRST = -50  # the timeline begins far from what is looked at


def running(text, past=(), standing=(), tick=0):
    """An evaluation at a tick, and short ways to tell it something and to look."""
    rules = load_rules(text + "\n", prefixes={"": str(EX)})
    vocabulary = Vocabulary(compile_([]))
    program = compile_rules(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
    numbered = NumberedTemporalProgram(program, vocabulary)

    def rows(names):
        given = [
            (vocabulary.number_symbol(Symbol(EX[name], 1)), vocabulary.number(EX.x), NONE)
            for name in names.split()
        ]
        return np.array(given, np.int32).reshape(-1, 3)

    said = [TickRecord(at, rows(events), rows(added), rows(removed)) for at, events, added, removed in past]
    evaluation = RuleEvaluation(numbered, FIRST, tick)
    evaluation.restore(TickHistory.of(FIRST, said), rows(" ".join(standing)))

    def holds():
        facts = evaluation.model.facts()
        names = (numbered.conclusions[number][0] for number in facts[:, 0] if number in numbered.conclusions)
        return " ".join(sorted(name.removeprefix(EX) for name in names))

    def say(added="", removed="", events=""):
        evaluation.change(rows(added), rows(removed), Appended([AssertedPart(evaluation.tick, rows(events))]))
        return holds()

    def come_to(tick):
        evaluation.advance(tick, NO_FACTS, NO_FACTS)
        evaluation.change(NO_FACTS, NO_FACTS, Appended())
        return holds()

    return SimpleNamespace(of=evaluation, say=say, advance=come_to, holds=holds)


# at:        0   1   2   3   4
# asserted   x
# in [2]     |=======|
def test_an_event_is_in_a_window_for_as_many_ticks_as_it_reaches_back():
    run = running("a(X) :- asserted hot(X) in [2].")
    assert run.say(events="hot") == "a"
    assert [run.advance(tick) for tick in (1, 2, 3)] == ["a", "a", ""]


# at:        0   1   2   3   4
# state      |===|
# in [2]     |===========|               it was last there at 1
def test_a_state_is_in_a_window_from_its_last_tick_on():
    run = running("a(X) :- hot(X) in [2].")
    run.say(added="hot")
    assert [run.advance(1), run.advance(2), run.say(removed="hot")] == ["a", "a", "a"]
    assert [run.advance(3), run.advance(4)] == ["a", ""]


def test_what_is_taken_back_within_a_tick_was_never_said():
    run = running("a(X) :- asserted hot(X) in [2]. b(X) :- cold(X) in [2].")
    assert run.say(added="cold", events="hot") == "a b"
    assert run.say(removed="cold") == ""


def test_an_event_that_is_repeated_and_taken_back_leaves_what_was_there():
    run = running("a(X) :- asserted hot(X) in [2].")
    run.say(events="hot")
    run.advance(1)
    run.say(events="hot")
    assert run.say() == "a"  # from tick 0 still
    assert [run.advance(2), run.advance(3)] == ["a", ""]


# at:        0   1   2   3   4   5
# hot        |===================
# served             x
# a          |===|           |===        hot, not asserted served in [1]
def test_negation_follows_what_comes_and_what_expires():
    run = running("a(X) :- hot(X), not asserted served(X) in [1].")
    assert [run.say(added="hot"), run.advance(1)] == ["a", "a"]
    run.advance(2)
    assert run.say(events="served") == ""
    assert [run.advance(3), run.advance(4)] == ["", "a"]


def test_strata_follow_one_another_within_a_tick():
    run = running("a(X) :- hot(X). b(X) :- odd(X), not a(X). c(X) :- odd(X), not b(X).")
    assert run.say(added="odd") == "b"
    assert run.say(added="hot") == "a c"
    assert run.say(removed="hot") == "b"


# at:        0   1   2   3   4   5   6
# hot        |===================|
# always             |===========|       in [2]
@pytest.mark.parametrize("jump", [1, 3])
def test_always_begins_when_the_run_is_long_enough(jump):
    run = running("a(X) :- hot(X) always in [2].")
    assert run.say(added="hot") == ""
    assert run.of.next_due() == 2
    run.advance(jump)
    assert run.advance(4) == "a"
    run.advance(5)
    assert run.say(removed="hot") == ""


def test_the_next_tick_at_which_something_ends_or_begins_is_known():
    run = running("a(X) :- asserted hot(X) in [2], cold(X) always in [5].")
    run.say(added="cold", events="hot")
    assert run.of.next_due() == 3  # the event expires after tick 2
    run.advance(3)
    assert run.of.next_due() == 5
    run.advance(5)
    assert run.of.next_due() is None


# said before:   -3  events hot       -2  cold came       -1  cold went, odd came
PAST = [(-3, "hot", "", ""), (-2, "", "cold", ""), (-1, "", "odd", "cold")]


def test_a_run_that_begins_from_a_past_knows_what_was_said():
    text = (
        "a(X) :- asserted hot(X) in [3]. b(X) :- cold(X) in [2]."
        "c(X) :- odd(X) always in [1]. d(X) :- odd(X) always in [2]."
    )
    run = running(text, PAST, ["odd"])
    assert run.holds() == "a b c"
    assert run.advance(1) == "c d"


def test_events_at_each_tick_of_the_past_go_on_holding_always():
    past = [(-2, "hot", "", ""), (-1, "hot", "", "")]
    run = running("a(X) :- asserted hot(X) always in [2].", past)
    assert run.say(events="hot") == "a"
    assert running("a(X) :- asserted hot(X) always in [3].", past).say(events="hot") == ""


def test_changes_are_those_of_conclusions_since_the_last_call():
    run = running("a(X) :- asserted hot(X) in [1].")
    run.say(events="hot")
    assert run.of.take_changes()[:, 3].tolist() == [1]
    run.advance(2)
    assert run.of.take_changes()[:, 3].tolist() == [-1]
    assert len(run.of.take_changes()) == 0


# -- work ------------------------------------------------------------------------------------------


def work_of(run, step):
    before = run.of.model.work
    step()
    after = run.of.model.work
    return after.pops - before.pops, after.firings - before.firings


def test_a_repeated_event_costs_no_pop():
    run = running("a(X) :- asserted hot(X) in [9].")
    run.say(events="hot")

    def repeat():
        for tick in range(1, 9):
            run.advance(tick)
            run.say(events="hot")

    assert work_of(run, repeat) == (0, 0) and run.holds() == "a"


def test_what_is_said_at_each_tick_is_no_change():
    run = running("a(X) :- asserted hot(X), not asserted cold(X).")
    run.say(events="hot")
    for tick in range(1, 9):
        run.of.take_changes()
        run.of.advance(tick, NO_FACTS, NO_FACTS)
        assert run.say(events="hot") == "a"
        assert len(run.of.take_changes()) == 0


def test_a_standing_state_box_costs_no_pop():
    run = running("a(X) :- hot(X) always in [2].")
    run.say(added="hot")
    run.advance(3)

    def stand():
        for tick in range(4, 100):
            run.advance(tick)
            run.say()

    assert work_of(run, stand) == (0, 0) and run.holds() == "a"


def test_a_standing_box_of_events_costs_no_pop():
    run = running("a(X) :- asserted hot(X) always in [2].")

    def repeat(first, last):
        for tick in range(first, last):
            run.of.advance(tick, NO_FACTS, NO_FACTS)
            run.say(events="hot")

    repeat(1, 4)
    assert work_of(run, lambda: repeat(4, 30)) == (0, 0) and run.holds() == "a"


def test_an_expiry_fires_no_rule():
    run = running("a(X) :- asserted hot(X) in [2]. b(X) :- a(X), cold(X).")
    run.say(added="cold", events="hot")
    run.advance(1)
    assert work_of(run, lambda: run.advance(3)) == (0, 0) and run.holds() == ""

"""Rows with the time of their tick: what was said at it, and the ticks of windows."""

import numpy as np
import pytest
from rdflib import Namespace

from pantarhei.encoding.numbers import NO_FACTS, NONE, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.time import TimeKind
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.numbered import NumberedTemporalProgram
from pantarhei.temporal.rules import load_rules
from pantarhei.temporal.tick_history import TickHistory, TickRecord
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.timestamped_rows import TickCounter, TimestampedRows
from pantarhei.temporal.translation import compile_rules
from pantarhei.temporal.tuples import PairNumbers
from pantarhei.window.sliding import Window

EX = Namespace("http://e/")


class Scene:
    """Dated rows of rules, told in short: what is said by name, rows as `name@tick until expiry`."""

    def __init__(self, text, first=0):
        self.vocabulary = Vocabulary(compile_([]))
        rules = load_rules(text + "\n", prefixes={"": str(EX)})
        program = compile_rules(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
        self.numbered = NumberedTemporalProgram(program, self.vocabulary)
        self.dating = TimestampedRows(self.numbered, PairNumbers(*self.numbered.pairs), first)

    def facts(self, *names):
        made = [
            (self.vocabulary.number_symbol(Symbol(EX[name], 1)), self.vocabulary.number(EX.x), NONE)
            for name in names
        ]
        return np.array(made, np.int32).reshape(-1, 3)

    def shown(self, parts):
        names = [symbol.name for symbol in self.numbered.compiled.predicates]
        return sorted(
            (names[row[0]].split("/")[-1].split(":")[-1], int(self.vocabulary.term(row[2])), expiry)
            for rows, expiry in parts
            for row in rows.tolist()
        )


def test_an_event_is_a_row_until_its_window_has_passed():
    scene = Scene("a(X) :- asserted hot(X) at T in [3], b(T).")
    assert scene.shown(scene.dating.events(scene.facts("hot"), 5)) == [("hot@3", 5, 8)]
    assert not scene.dating.is_repeating(concludes_at_ticks=False)


def test_a_state_is_a_row_at_each_tick_at_which_it_holds():
    scene = Scene("a(X) :- hot(X) at T in [3].")
    coming, going = scene.dating.states(scene.facts("hot"), NO_FACTS, 5, lambda: NO_FACTS)
    assert scene.shown(coming) == [("hot@3", 5, 8)] and not len(going)
    assert scene.shown(scene.dating.advance(6, 5, NO_FACTS, NO_FACTS)) == [("hot@3", 6, 9)]
    assert scene.dating.is_repeating(concludes_at_ticks=False)
    coming, going = scene.dating.states(NO_FACTS, scene.facts("hot"), 6, lambda: NO_FACTS)
    assert scene.shown(coming) == [] and [int(scene.vocabulary.term(row[2])) for row in going.tolist()] == [6]
    assert scene.shown(scene.dating.advance(7, 6, NO_FACTS, NO_FACTS)) == []


#   tick      3    4    5            hot comes at 3 and goes at 5; the next tick is 6
def test_it_goes_on_from_what_was_said_before():
    scene = Scene("a(X) :- hot(X) at T in [3].")
    past = TickHistory.of(
        3, [TickRecord(3, added=scene.facts("hot")), TickRecord(5, removed=scene.facts("hot"))]
    )
    rows = scene.shown(scene.dating.restore(past, NO_FACTS, NO_FACTS, 6))
    assert rows == [("hot@3", 3, 6), ("hot@3", 4, 7)]


@pytest.mark.parametrize(("tick", "ticks"), [(1, [1]), (2, [1, 2]), (9, [7, 8, 9])])
def test_the_ticks_of_a_window_are_told_once_each(tick, ticks):
    scene = Scene("a(X) at T :- asserted c(X) at T in [3], d(X). b(X) :- a(X) in [2].")
    clock = [
        row for row in scene.shown(scene.dating.advance(tick, 0, NO_FACTS, NO_FACTS)) if row[0] == "tick~2"
    ]
    assert clock == [("tick~2", each, each + 2) for each in ticks]


class At:
    """A model at a tick."""

    def __init__(self, tick):
        self.tick = tick


#   tick      1  2  3  4           window [1]; the times of rows are their ticks
#   there        x  x
@pytest.mark.parametrize(("times", "held"), [(None, "··■·"), (2, "··■·"), (1, "·■■■")])
@pytest.mark.parametrize("arity", [1, 2])
def test_enough_ticks_of_the_window_are_counted_by_their_rows(times, held, arity):
    pairs = PairNumbers(0, 1, 2)
    enough, rows, told = TickCounter(1, 9, 1, times, arity, pairs, 0, 1), set(), ""

    def change(time, sign):
        if arity == 1:
            return 1, 7, time, sign
        (number,) = pairs.numbers_at(np.array([7], np.int32), time, 9)
        return 1, number, 8, sign

    for tick, *changed in ((1,), (2, (2, 1)), (3, (3, 1)), (4, (2, -1))):
        enough.advance(tick, None)
        given = np.array([change(*each) for each in changed], np.int32).reshape(-1, 4)
        coming, going = (set(map(tuple, part.tolist())) for part in enough.react(given, At(tick)))
        rows = rows - going | coming
        told += "■" if rows else "·"
        assert rows <= {(9, 7, NONE if arity == 1 else 8)}
    assert told == held


def test_what_comes_and_goes_with_one_step_is_no_change():
    enough = TickCounter(1, 9, 1, 1, 1, PairNumbers(0, 1, 2), 0, 1)
    enough.react(np.array([(1, 7, 1, 1)], np.int32), At(1))
    for rows in enough.react(np.array([(1, 7, 1, -1), (1, 7, 2, 1)], np.int32), At(2)):
        assert not len(rows)


def test_of_an_event_that_alone_says_what_holds_at_its_tick_that_is_a_row():
    scene = Scene(
        "a(X, T) :- asserted hot(X) at T in [3]. b(X) at T :- a(X, T), asserted hot(X) at T in [2]."
    )
    assert scene.shown(scene.dating.events(scene.facts("hot"), 5)) == [("a", 5, 8), ("hot@2", 5, 7)]

"""Facts that are there at each tick: when their runs are long enough, and when they end."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import NO_FACTS, NONE, as_tuples
from pantarhei.materialize.kernel.fact_selection import FactSelection
from pantarhei.materialize.kernel.runs import Runs
from pantarhei.materialize.kernel_values import contiguous

HOT, COLD = (0, 7, NONE), (1, 7, 8)
LONG_AGO = -(10**15)  # the timeline begins far from what is looked at
NO_BITS = np.empty(0, np.uint8)


class Told:
    """Runs of two predicates, told in short."""

    def __init__(self, *sizes, first=LONG_AGO):
        self.runs = Runs(sizes, first)
        whole = [(0, predicate, 1, NONE, 2, NONE, 0, 0) for predicate in range(len(sizes))]
        self.selecting = FactSelection(range(len(sizes) + 1), np.ravel(whole), [], 1, 0)

    def tell(self, tick, *facts):
        self.runs.advance(tick)
        if facts:
            self.runs.add(self.selecting, contiguous(np.array(facts, np.int32)), NO_BITS)

    def change(self, tick, *facts):
        self.tell(tick, *facts)
        return tuple(map(as_tuples, self.runs.take_change()))


#   at:        3   4   5   6   7   8    size = 2
#   there:     x   x   x   x       x
#   holds:             |===|
def test_a_fact_is_held_while_it_is_there_at_each_tick():
    told, held = Told(2), []
    for tick in range(3, 9):
        told.change(tick, *[HOT] * (tick != 7))
        held.append(told.runs.held)
    assert held == [0, 0, 1, 1, 0, 0]


def test_what_came_and_what_went_is_told_once():
    told = Told(0, 1)
    assert told.change(3, HOT, HOT, COLD) == ([HOT], [])
    assert told.change(4, HOT, COLD) == ([COLD], [])
    assert told.change(5, COLD) == ([], [HOT])
    assert told.change(6) == ([], [COLD]) and told.runs.held == 0


def test_of_a_tick_that_is_told_twice_the_last_word_counts():
    told = Told(1)
    told.change(3, HOT)
    assert told.change(4, HOT) == ([HOT], [])
    assert told.change(4) == ([], [HOT])
    assert told.change(4, HOT) == ([HOT], [])  # the run since 3 is not lost


def test_what_was_there_until_the_tick_was_told_anew_has_not_been_there():
    told = Told(1)
    told.change(3, HOT)
    told.change(3)
    assert told.change(4, HOT) == ([], [])


def test_a_tick_that_is_jumped_over_ends_all_runs():
    told = Told(1)
    told.change(3, HOT)
    assert told.change(5, HOT) == ([], [])


def test_nothing_is_held_until_somebody_asks():
    told = Told(2)
    for tick in (3, 4, 5):
        told.tell(tick, HOT)
    assert told.runs.held == 0 and told.change(6, HOT) == ([HOT], [])


#   the timeline begins at 3, and windows look back no further
@pytest.mark.parametrize(("came_at", "holds_at_once"), [(3, True), (4, False)])
def test_at_the_beginning_of_the_timeline_windows_are_short(came_at, holds_at_once):
    came, _ = Told(2, first=3).change(came_at, HOT)
    assert (came == [HOT]) is holds_at_once


def test_many_facts_come_and_go():
    told, size = Told(1), 500
    for tick in range(10):
        first = tick // 2 * size  # each is there at two ticks
        facts = [(0, subject, NONE) for subject in range(first, first + size)]
        came, went = told.change(tick, *facts)
        assert came == (facts if tick % 2 else [])
        assert sorted(went) == ([] if tick % 2 or not tick else [(0, s - size, o) for _, s, o in facts])


def test_facts_may_be_none():
    told = Told(0)
    told.runs.advance(1)
    told.runs.add(told.selecting, contiguous(NO_FACTS), NO_BITS)
    assert [len(part) for part in told.runs.take_change()] == [0, 0]

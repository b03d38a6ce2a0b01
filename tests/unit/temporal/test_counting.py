"""Rows of what occurs often enough: counts, and always among the last assertions."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import NO_FACTS
from pantarhei.language.temporal_rule import Mode
from pantarhei.temporal.counting import Counting
from pantarhei.temporal.numbered import Feed

SOURCE, TARGET = 1, 7


class Held:
    """A model that knows which rows are there."""

    def __init__(self):
        self.rows = set()

    def present(self, rows):
        return np.array([tuple(row) in self.rows for row in rows.tolist()], bool)

    def take(self, rows):
        self.rows |= set(map(tuple, rows.coming.tolist()))
        self.rows -= set(map(tuple, rows.going.tolist()))
        return {name for _, name, _ in self.rows}


def facts(*names):
    return np.array([(SOURCE, name, -1) for name in names], np.int32).reshape(-1, 3)


def told(feed, ticks):
    """What holds after each of some ticks, told what is said at each; ticks count from 0."""
    counting, model, held = Counting([feed], 0), Held(), []
    counting.begin((), 0)
    for tick, names in enumerate(ticks):
        if tick:
            counting.come_to(tick)
        held.append(model.take(counting.change(facts(*names), model)))
    return held


def test_what_occurs_at_enough_ticks_holds_while_it_does():
    feed = Feed(SOURCE, Mode.SOMETIME, 2, TARGET, True, times=2)
    assert told(feed, [[1], [1, 2], [], [2], []]) == [set(), {1}, {1}, {2}, set()]


@pytest.mark.parametrize(("size", "held"), [(1, [{1}, {2}, {2}]), (2, [{1}, {1, 2}, {1, 2}])])
def test_the_last_assertions_hold_until_others_come(size, held):
    feed = Feed(SOURCE, Mode.SOMETIME, size, TARGET, True, counts_tuples=True)
    assert told(feed, [[1], [2], []]) == held


def test_always_among_the_last_assertions_takes_each_tick_of_their_timeline():
    feed = Feed(SOURCE, Mode.ALWAYS, 3, TARGET, True, counts_tuples=True)
    assert told(feed, [[1], [1, 2], [1], [], [1]]) == [{1}, {1}, {1}, set(), set()]


def test_predicates_that_it_does_not_feed_count_among_the_last_assertions_only():
    other = np.array([(2, 9, -1)], np.int32)
    for counts_tuples, gone in ((True, {1}), (False, set())):
        feed = Feed(SOURCE, Mode.SOMETIME, 1, TARGET, True, times=1, counts_tuples=counts_tuples)
        counting, model = Counting([feed], 0), Held()
        counting.begin((), 0)
        model.take(counting.change(facts(1), model))
        counting.come_to(1)
        assert {1} - model.take(counting.change(other, model)) == gone
    assert not len(counting.change(NO_FACTS, model).coming)

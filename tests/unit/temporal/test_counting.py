"""Rows of what occurs in a window: often enough, always among the last assertions, and at which tick."""

from types import SimpleNamespace

import numpy as np
import pytest

from pantarhei.encoding.numbers import NO_FACTS
from pantarhei.model.temporal_rule import Mode
from pantarhei.temporal.counting import Counting
from pantarhei.temporal.numbered import Feed
from pantarhei.temporal.occurrences import Occurrence
from pantarhei.temporal.pairs import Pairs

SOURCE, TARGET = 1, 7
TIMES = SimpleNamespace(time=lambda tick: 100 + tick)


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


def counting_for(feed):
    return Counting([feed], TIMES, Pairs(3, 4, 5), 0)


def told(feed, ticks):
    """What holds after each of some ticks, told what is said at each; ticks count from 0."""
    counting, model, held = counting_for(feed), Held(), []
    counting.begin((), 0)
    for tick, names in enumerate(ticks):
        if tick:
            counting.come_to(tick)
        held.append(model.take(counting.change(facts(*names), NO_FACTS, model)))
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


DATED = Feed(SOURCE, Mode.AT, 2, TARGET, True, counts_tuples=True)


#   tick      0    1    2       [2 #] holds 1@0 2@0, then 2@0 1@1, then 2@0 3@1, then 3@1 2@2
@pytest.mark.parametrize("begins_at", [0, 1])
def test_each_of_the_last_assertions_has_the_time_of_its_tick(begins_at):
    counting, model = counting_for(DATED), Held()
    said = [Occurrence(0, (SOURCE, name, -1)) for name in (1, 2)]
    counting.begin(said * begins_at, begins_at)
    if not begins_at:
        model.take(counting.change(facts(1, 2), NO_FACTS, model))
        assert model.rows == {(TARGET, 1, 100), (TARGET, 2, 100)}
        counting.come_to(1)
    model.take(counting.change(facts(1), NO_FACTS, model))
    assert model.rows == {(TARGET, 2, 100), (TARGET, 1, 101)}
    only = [(SOURCE, 3, -1)]
    model.take(counting.change(facts(3), facts(1), model, lambda most: only))  # 1 is lost
    assert model.rows == {(TARGET, 2, 100), (TARGET, 3, 101)}
    counting.come_to(2)
    model.take(counting.change(facts(2), NO_FACTS, model))
    assert model.rows == {(TARGET, 3, 101), (TARGET, 2, 102)} and counting.next_due(False) is None


def test_of_a_property_the_first_argument_is_a_pair_with_the_time():
    counting, model = counting_for(DATED), Held()
    for tick, said in enumerate(([(8, 9), (9, 8)], [(8, 9)])):
        counting.come_to(tick)
        given = np.array([(SOURCE, *pair) for pair in said], np.int32)
        model.take(counting.change(given, NO_FACTS, model))
    dated = {row[1:] for row in model.rows if row[0] == TARGET}
    links = [{number: term for p, number, term in model.rows if p == link} for link in (4, 5)]
    assert {(links[0][number], links[1][number], last) for number, last in dated} == {
        (9, 100, 8),
        (8, 101, 9),
    }


def test_predicates_that_it_does_not_feed_count_among_the_last_assertions_only():
    other = np.array([(2, 9, -1)], np.int32)
    for counts_tuples, gone in ((True, {1}), (False, set())):
        feed = Feed(SOURCE, Mode.SOMETIME, 1, TARGET, True, times=1, counts_tuples=counts_tuples)
        counting, model = counting_for(feed), Held()
        counting.begin((), 0)
        model.take(counting.change(facts(1), NO_FACTS, model))
        counting.come_to(1)
        assert {1} - model.take(counting.change(other, NO_FACTS, model)) == gone
    assert not len(counting.change(NO_FACTS, NO_FACTS, model).coming)

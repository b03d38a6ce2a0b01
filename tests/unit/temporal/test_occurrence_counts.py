"""Rows of what occurs in a window: often enough, always among the last assertions, and at which tick."""

from types import SimpleNamespace

import numpy as np
import pytest

from pantarhei.encoding.numbers import NO_FACTS
from pantarhei.model.temporal_rule import Mode
from pantarhei.temporal.numbered import NumberedInput
from pantarhei.temporal.occurrence_counts import Occurrence, OccurrenceRows, OccurrenceWindow
from pantarhei.temporal.tuples import PairNumbers

SOURCE, TARGET = 1, 7
TIMES = SimpleNamespace(time=lambda tick: 100 + tick)


class Held:
    """A model that knows which rows are there."""

    def __init__(self):
        self.rows = set()

    def present(self, rows):
        return np.array([tuple(row) in self.rows for row in rows.tolist()], bool)

    def take(self, rows):
        self.rows |= set(map(tuple, rows.inserted.tolist()))
        self.rows -= set(map(tuple, rows.deleted.tolist()))
        return {name for _, name, _ in self.rows}


def facts(*names):
    return np.array([(SOURCE, name, -1) for name in names], np.int32).reshape(-1, 3)


def counting_for(feed):
    return OccurrenceRows([feed], TIMES, PairNumbers(3, 4, 5), 0)


def told(feed, ticks):
    """What holds after each of some ticks, told what is said at each; ticks count from 0."""
    counting, model, held = counting_for(feed), Held(), []
    counting.restore((), 0)
    for tick, names in enumerate(ticks):
        if tick:
            counting.advance(tick)
        held.append(model.take(counting.change(facts(*names), NO_FACTS, model)))
    return held


def test_what_occurs_at_enough_ticks_holds_while_it_does():
    feed = NumberedInput(SOURCE, Mode.SOMETIME, 2, TARGET, True, times=2)
    assert told(feed, [[1], [1, 2], [], [2], []]) == [set(), {1}, {1}, {2}, set()]


@pytest.mark.parametrize(("size", "held"), [(1, [{1}, {2}, {2}]), (2, [{1}, {1, 2}, {1, 2}])])
def test_the_last_assertions_hold_until_others_come(size, held):
    feed = NumberedInput(SOURCE, Mode.SOMETIME, size, TARGET, True, counts_tuples=True)
    assert told(feed, [[1], [2], []]) == held


def test_always_among_the_last_assertions_takes_each_tick_of_their_timeline():
    feed = NumberedInput(SOURCE, Mode.ALWAYS, 3, TARGET, True, counts_tuples=True)
    assert told(feed, [[1], [1, 2], [1], [], [1]]) == [{1}, {1}, {1}, set(), set()]


DATED = NumberedInput(SOURCE, Mode.AT, 2, TARGET, True, counts_tuples=True)


#   tick      0    1    2       [2 #] holds 1@0 2@0, then 2@0 1@1, then 2@0 3@1, then 3@1 2@2
@pytest.mark.parametrize("begins_at", [0, 1])
def test_each_of_the_last_assertions_has_the_time_of_its_tick(begins_at):
    counting, model = counting_for(DATED), Held()
    said = [Occurrence(0, (SOURCE, name, -1)) for name in (1, 2)]
    counting.restore(said * begins_at, begins_at)
    if not begins_at:
        model.take(counting.change(facts(1, 2), NO_FACTS, model))
        assert model.rows == {(TARGET, 1, 100), (TARGET, 2, 100)}
        counting.advance(1)
    model.take(counting.change(facts(1), NO_FACTS, model))
    assert model.rows == {(TARGET, 2, 100), (TARGET, 1, 101)}
    only = [(SOURCE, 3, -1)]
    model.take(counting.change(facts(3), facts(1), model, lambda most: only))  # 1 is lost
    assert model.rows == {(TARGET, 2, 100), (TARGET, 3, 101)}
    counting.advance(2)
    model.take(counting.change(facts(2), NO_FACTS, model))
    assert model.rows == {(TARGET, 3, 101), (TARGET, 2, 102)} and counting.next_due(False) is None


def test_of_a_property_the_first_argument_is_a_pair_with_the_time():
    counting, model = counting_for(DATED), Held()
    for tick, said in enumerate(([(8, 9), (9, 8)], [(8, 9)])):
        counting.advance(tick)
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
        feed = NumberedInput(SOURCE, Mode.SOMETIME, 1, TARGET, True, times=1, counts_tuples=counts_tuples)
        counting, model = counting_for(feed), Held()
        counting.restore((), 0)
        model.take(counting.change(facts(1), NO_FACTS, model))
        counting.advance(1)
        assert {1} - model.take(counting.change(other, NO_FACTS, model)) == gone
    assert not len(counting.change(NO_FACTS, NO_FACTS, model).inserted)


A, B, C, D = ((1, number, -1) for number in range(4))


def of_tuples(size, told=()):
    """A window of assertions after what was told at the ticks from 1 on; the last one is present."""
    inside = OccurrenceWindow(size, True, 0)
    for tick, facts in enumerate(told, 1):
        inside.advance(tick)
        inside.add(facts)
    return inside


#   tick      1     2     3
#   facts    a b    a    c a       [3 #] holds a@2 c@3 a@3
def test_the_last_assertions_are_inside():
    inside = of_tuples(3, ([A, B], [A], [C, A]))
    assert dict(inside.counts) == {A: 2, C: 1} and inside.start == inside.oldest == 2


def test_a_window_that_is_not_full_begins_where_the_timeline_does():
    assert of_tuples(3, ([A], [B])).start == 0


def test_what_comes_at_a_tick_tells_what_enters_and_what_leaves():
    inside = of_tuples(2, ([A, B],))
    inside.advance(2)
    assert inside.add([C]) == {(2, C): True, (1, A): False}
    assert inside.add([D]) == {(2, D): True, (1, B): False}
    assert list(inside) == [(2, C), (2, D)]


def test_what_is_taken_back_has_left_and_what_it_evicted_is_inside_again():
    inside = of_tuples(1, ([A],))
    inside.advance(2)
    inside.add([B])
    assert inside.replace([]) == {(2, B): False, (1, A): True}


def test_of_a_tick_that_says_more_than_the_window_holds_only_the_last_are_inside():
    assert of_tuples(2, ()).add([A, B, C]) == {(0, A): False, (0, B): True, (0, C): True}


@pytest.mark.parametrize("again", [[], [B], [D, C, B, A]])
def test_what_is_told_otherwise_of_a_tick_is_as_if_it_had_been_told_so_at_once(again):
    inside = of_tuples(3, ([A, B], [A]))
    inside.advance(3)
    inside.add([C, D])
    inside.add([A, B])
    inside.replace(again[-3:])
    other = of_tuples(3, ([A, B], [A], again))
    assert inside.counts == other.counts and inside.start == other.start
    inside.advance(4), other.advance(4)
    assert inside.add([C]) == other.add([C]) and inside.counts == other.counts


#   tick      1   2   3   4
#   facts     a   a       b      window [2] at 4 holds ticks 2 to 4
def test_of_a_window_of_ticks_the_older_ones_leave_with_time():
    inside = OccurrenceWindow(2, False, 0)
    for tick, facts in ((1, [A]), (2, [A, C])):
        inside.advance(tick)
        inside.add(facts)
    assert inside.remove([C]) == {(2, C): False}
    assert inside.next_due() == 4
    assert inside.advance(4) == {(1, A): False}
    inside.add([B])
    assert dict(inside.counts) == {A: 1, B: 1} and inside.start == 2 and inside.next_due() == 5


def test_it_goes_on_from_what_occurred_before():
    inside = OccurrenceWindow(2, True, 0)
    inside.restore([Occurrence(1, A), Occurrence(1, B), Occurrence(3, A)], 4)
    assert dict(inside.counts) == {B: 1, A: 1}
    assert inside.add([C]) == {(1, B): False, (4, C): True}

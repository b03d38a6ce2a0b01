"""What was said at closed ticks: kept as far back as windows reach, never changed."""

import numpy as np
import pytest

import pantarhei.temporal.tick_history as past_module
from pantarhei.encoding.numbers import NONE, as_tuples
from pantarhei.temporal.tick_history import TickHistory, TickRecord


def said(tick, *numbers):
    return TickRecord(tick, np.array([(number, 0, NONE) for number in numbers], np.int32).reshape(-1, 3))


def ticks(past):
    return [each.tick for each in past]


def test_ticks_come_back_in_their_order_and_empty_ones_are_not_kept():
    past = TickHistory.of(0, [said(0, 1), said(1), said(2, 1)])
    assert ticks(past) == [0, 2]
    assert said(1).is_empty and not said(2, 1).is_empty


def test_a_past_is_not_changed_by_a_longer_one():
    past = TickHistory.of(0, [said(0, 1)])
    longer = past.with_tick(said(1, 2), 0)
    assert (ticks(past), ticks(longer)) == ([0], [0, 1])


#   ticks:   0 1 2 3 4 5 6 7 8 9        in parts of 4, needed from 5 on
#           [xxxxxxx|xxxxxxx|xxx]
#            dropped         kept
def test_parts_that_lie_before_what_windows_need_are_dropped(monkeypatch):
    monkeypatch.setattr(past_module, "_CHUNK", 4)
    past = TickHistory(0)
    for tick in range(10):
        past = past.with_tick(said(tick, 1), needed=0 if tick < 9 else 5)
    assert ticks(past) == [4, 5, 6, 7, 8, 9]
    assert past.complete_from == 4  # all that was said from there on is known


def test_what_is_no_part_yet_leaves_tick_by_tick():
    past = TickHistory(0)
    for tick in range(10):
        past = past.with_tick(said(tick, 1), needed=tick - 3)
    assert (ticks(past), past.complete_from) == ([6, 7, 8, 9], 6)
    idle = past.with_tick(TickRecord(20), needed=17)
    assert (ticks(idle), idle.complete_from, idle.bytes) == ([], 10, 0)


def test_what_was_said_is_mapped_everywhere(monkeypatch):
    monkeypatch.setattr(past_module, "_CHUNK", 2)
    past = TickHistory.of(0, [said(tick, 1) for tick in range(5)])
    mapped = past.mapped(lambda facts: facts + 10, lambda facts: facts)
    assert [as_tuples(each.events) for each in mapped] == [[(11, 10, 9)]] * 5 and ticks(mapped) == ticks(past)


# state 1   |=======|   |===          came at 0, went at 2, came at 3
# state 2       |===|                 came at 1, went at 2
def test_when_states_last_came_and_went_is_known(monkeypatch):
    monkeypatch.setattr(past_module, "_CHUNK", 3)
    facts = {number: said(0, number).events for number in (1, 2)}
    both = np.concatenate([facts[1], facts[2]])
    turned = [
        TickRecord(0, added=facts[1]),
        TickRecord(1, added=facts[2]),
        TickRecord(2, removed=both),
        TickRecord(3, added=facts[1]),
    ]
    turns = TickHistory.of(0, turned).last_changes("added", "removed")
    assert (turns.present[:, 0].tolist(), turns.since.tolist()) == ([1], [3])
    assert (turns.absent[:, 0].tolist(), turns.until.tolist()) == ([2], [2])
    assert turns.starts_of(both, otherwise=-7) == {as_tuples(facts[1])[0]: 3, as_tuples(facts[2])[0]: -7}


def test_what_was_said_at_many_ticks_takes_little_more_than_its_facts():
    past = TickHistory.of(0, [said(tick, 1) for tick in range(10_000)])
    assert 20 * 10_000 < past.bytes < 120 * 10_000


@pytest.mark.parametrize("count", [0, 3, 4, 11])
def test_a_past_comes_back_from_its_columns(count, monkeypatch):
    monkeypatch.setattr(past_module, "_CHUNK", 4)
    begin = [
        TickRecord(2 * tick, said(0, *range(tick % 3)).events, concluded=said(0, 7).events)
        for tick in range(count)
    ]
    past = TickHistory.of(-1, begin)
    back = TickHistory.of_columns(-1, past.columns)
    assert [[part.tolist() for part in each[1:]] for each in back] == [
        [part.tolist() for part in each[1:]] for each in past
    ]
    assert (ticks(back), back.bytes, len(back.chunks)) == (ticks(past), past.bytes, len(past.chunks))


def test_what_is_dropped_takes_nothing(monkeypatch):
    monkeypatch.setattr(past_module, "_CHUNK", 4)
    past, sizes = TickHistory(0), []
    for tick in range(100):
        past = past.with_tick(said(tick, 1), needed=tick - 5)
        sizes.append(past.bytes)
    assert len(set(sizes[50:])) == 4  # the same for each state that its last part can be in

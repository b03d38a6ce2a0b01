"""What was said at closed ticks: kept as far back as windows reach, never changed."""

import numpy as np

import pantarhei.temporal.past as past_module
from pantarhei.encoding.numbers import NONE
from pantarhei.temporal.past import Past, Said


def said(tick, *numbers):
    return Said(tick, np.array([(number, 0, NONE) for number in numbers], np.int32).reshape(-1, 3))


def ticks(past):
    return [each.tick for each in past]


def test_ticks_come_back_in_their_order_and_empty_ones_are_not_kept():
    past = Past.of(0, [said(0, 1), said(1), said(2, 1)])
    assert ticks(past) == [0, 2]
    assert said(1).is_empty and not said(2, 1).is_empty


def test_a_past_is_not_changed_by_a_longer_one():
    past = Past.of(0, [said(0, 1)])
    longer = past.with_tick(said(1, 2), 0)
    assert (ticks(past), ticks(longer)) == ([0], [0, 1])


#   ticks:   0 1 2 3 4 5 6 7 8 9        in parts of 4, needed from 5 on
#           [xxxxxxx|xxxxxxx|xxx]
#            dropped         kept
def test_parts_that_lie_before_what_windows_need_are_dropped(monkeypatch):
    monkeypatch.setattr(past_module, "_CHUNK", 4)
    past = Past(0)
    for tick in range(10):
        past = past.with_tick(said(tick, 1), needed=5)
    assert ticks(past) == [4, 5, 6, 7, 8, 9]
    assert past.begun == 4  # all that was said from there on is known


def test_what_was_said_is_mapped_everywhere(monkeypatch):
    monkeypatch.setattr(past_module, "_CHUNK", 2)
    past = Past.of(0, [said(tick, 1) for tick in range(5)])
    assert ticks(past.mapped(lambda each: each._replace(tick=each.tick + 10))) == [10, 11, 12, 13, 14]

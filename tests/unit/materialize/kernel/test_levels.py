"""The lists of rows by level, by themselves."""

from __future__ import annotations

import pytest

from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel.levels import Levels
from pantarhei.materialize.kernel.store import Store


@pytest.mark.parametrize(("levels", "room"), [(1, 8), (8, 8), (9, 16), (100, 128)])
def test_there_is_room_for_a_power_of_two(levels, room):
    lists = Levels(Store(), 0)
    lists.reserve_levels(levels)
    assert lists.level_capacity == room


def test_room_is_never_given_up():
    lists = Levels(Store(), 0)
    lists.reserve_levels(100)
    lists.reserve_levels(1)
    assert lists.level_capacity == 128


def test_without_rows_all_lists_are_empty():
    lists = Levels(Store(), 0)
    lists.check_invariants()
    assert [*lists.partition(3), *lists.partition(FOREVER)] == []


def test_wider_lists_hold_more_bytes():
    lists = Levels(Store(), 0)
    before = lists.bytes_used()
    lists.reserve_levels(9)
    assert lists.bytes_used() > before

"""□: runs of ticks at which a fact was there, cut where the timeline begins."""

import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.temporal.boxes import StateBox

HOT = (1, 7, NONE)
LONG_AGO = -100  # the timeline begins far from what is looked at

#   at:        3   4   5   6   7        size = 2
#   there:     |===============|
#   holds:             |=======|


def test_a_state_holds_always_from_its_start_and_the_size_on():
    box = StateBox(2, LONG_AGO)
    assert box.change([HOT], [], 3) == ([], [])
    assert box.next_due() == 5
    assert box.come_to(4) == [] and box.come_to(5) == [HOT]
    assert box.next_due() is None
    assert box.change([], [HOT], 8) == ([], [HOT])


def test_a_state_that_goes_before_it_is_long_enough_never_holds_always():
    box = StateBox(2, LONG_AGO)
    box.change([HOT], [], 3)
    assert box.change([], [HOT], 4) == ([], [])
    assert box.next_due() is None and box.come_to(5) == []


def test_a_run_that_is_broken_and_mended_within_a_tick_goes_on():
    box = StateBox(2, LONG_AGO)
    box.change([HOT], [], 3)
    box.come_to(6)
    assert box.change([], [HOT], 6)[1] == [HOT]  # a further part of tick 6 may bring it back
    assert box.change([HOT], [], 6) == ([HOT], [])


def test_a_run_that_is_broken_at_a_tick_that_is_over_begins_anew():
    box = StateBox(2, LONG_AGO)
    box.change([HOT], [], 3)
    box.come_to(6)
    box.change([], [HOT], 6)
    box.come_to(7)
    assert box.change([HOT], [], 7) == ([], []) and box.next_due() == 9


#   the timeline begins at 3, and windows look back no further
@pytest.mark.parametrize(("came_at", "holds_at_once"), [(3, True), (4, False)])
def test_at_the_beginning_of_the_timeline_windows_are_short(came_at, holds_at_once):
    box = StateBox(2, 3)
    fresh, _ = box.change([HOT], [], came_at)
    assert (fresh == [HOT]) is holds_at_once


def test_a_box_goes_on_with_runs_that_began_earlier():
    box, late = StateBox(2, LONG_AGO), (1, 8, NONE)
    assert box.begin({HOT: 3, late: 5}, 6) == [HOT]
    assert box.come_to(7) == [late]


def test_after_a_jump_of_time_all_that_was_due_on_the_way_holds():
    box, later = StateBox(2, LONG_AGO), (1, 8, NONE)
    box.change([HOT], [], 3)
    box.change([later], [], 4)
    assert box.come_to(20) == [HOT, later]

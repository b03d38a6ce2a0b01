"""□: runs of ticks at which a fact was there, cut where the timeline begins."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import NO_FACTS, NONE, as_tuples
from pantarhei.temporal.boxes import EventBox, StateBox

HOT = (1, 7, NONE)
LONG_AGO = -100  # the timeline begins far from what is looked at


def rows(*facts):
    return np.array(facts, np.int32).reshape(-1, 3)


# -- states ----------------------------------------------------------------------------------------

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


# -- events ----------------------------------------------------------------------------------------

#   at:        3   4   5   6   7   8    size = 2
#   asserted:  x   x   x   x       x
#   holds:             |===|


def test_an_event_holds_always_while_it_is_asserted_at_each_tick():
    box, held = EventBox(2, LONG_AGO), []
    for tick in range(3, 9):
        box.change(rows(HOT) if tick != 7 else NO_FACTS, tick)
        held.append(len(box.held))
    assert held == [0, 0, 1, 1, 0, 0]


def test_an_event_box_says_what_came_and_what_went():
    box = EventBox(0, LONG_AGO)
    came, went = box.change(rows(HOT), 3)
    assert as_tuples(came) == [HOT] and not len(went)
    assert box.next_due() == 4  # if it is not asserted then, it goes
    came, went = box.change(NO_FACTS, 4)
    assert not len(came) and as_tuples(went) == [HOT]
    assert box.next_due() is None


def test_of_a_tick_that_is_told_twice_the_last_word_counts():
    box = EventBox(1, LONG_AGO)
    box.change(rows(HOT), 3)
    box.change(rows(HOT), 4)
    _, went = box.change(NO_FACTS, 4)
    assert as_tuples(went) == [HOT]
    came, _ = box.change(rows(HOT), 4)
    assert as_tuples(came) == [HOT]  # the run since 3 is not lost


def test_a_tick_that_is_jumped_over_ends_all_runs():
    box = EventBox(1, LONG_AGO)
    box.change(rows(HOT), 3)
    came, _ = box.change(rows(HOT), 5)
    assert not len(came)


def test_an_event_box_goes_on_with_runs_that_began_earlier():
    box = EventBox(2, LONG_AGO)
    for tick in (3, 4, 5):
        box.tell(rows(HOT), tick)
    came, _ = box.change(rows(HOT), 6)
    assert as_tuples(came) == [HOT]

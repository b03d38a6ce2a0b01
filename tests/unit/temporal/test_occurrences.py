"""How often facts occur in a window: what enters, what leaves, and what is taken back within a tick."""

import pytest

from pantarhei.temporal.occurrences import Occurrence, Occurrences

A, B, C, D = ((1, number, -1) for number in range(4))


def of_tuples(size, told=()):
    """A window of assertions after what was told at the ticks from 1 on; the last one is present."""
    inside = Occurrences(size, True, 0)
    for tick, facts in enumerate(told, 1):
        inside.come_to(tick)
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
    inside.come_to(2)
    assert inside.add([C]) == {(2, C): True, (1, A): False}
    assert inside.add([D]) == {(2, D): True, (1, B): False}
    assert list(inside) == [(2, C), (2, D)]


def test_what_is_taken_back_has_left_and_what_it_evicted_is_inside_again():
    inside = of_tuples(1, ([A],))
    inside.come_to(2)
    inside.add([B])
    assert inside.replace([]) == {(2, B): False, (1, A): True}


def test_of_a_tick_that_says_more_than_the_window_holds_only_the_last_are_inside():
    assert of_tuples(2, ()).add([A, B, C]) == {(0, A): False, (0, B): True, (0, C): True}


@pytest.mark.parametrize("again", [[], [B], [D, C, B, A]])
def test_what_is_told_otherwise_of_a_tick_is_as_if_it_had_been_told_so_at_once(again):
    inside = of_tuples(3, ([A, B], [A]))
    inside.come_to(3)
    inside.add([C, D])
    inside.add([A, B])
    inside.replace(again[-3:])
    other = of_tuples(3, ([A, B], [A], again))
    assert inside.counts == other.counts and inside.start == other.start
    inside.come_to(4), other.come_to(4)
    assert inside.add([C]) == other.add([C]) and inside.counts == other.counts


#   tick      1   2   3   4
#   facts     a   a       b      window [2] at 4 holds ticks 2 to 4
def test_of_a_window_of_ticks_the_older_ones_leave_with_time():
    inside = Occurrences(2, False, 0)
    for tick, facts in ((1, [A]), (2, [A, C])):
        inside.come_to(tick)
        inside.add(facts)
    assert inside.remove([C]) == {(2, C): False}
    assert inside.next_due() == 4
    assert inside.come_to(4) == {(1, A): False}
    inside.add([B])
    assert dict(inside.counts) == {A: 1, B: 1} and inside.start == 2 and inside.next_due() == 5


def test_it_goes_on_from_what_occurred_before():
    inside = Occurrences(2, True, 0)
    inside.begin([Occurrence(1, A), Occurrence(1, B), Occurrence(3, A)], 4)
    assert dict(inside.counts) == {B: 1, A: 1}
    assert inside.add([C]) == {(1, B): False, (4, C): True}

"""What a stream has said: states last until something else is said, events do not."""

from lars_programs import atom
from pantarhei.temporal.models.said import SaidAt, SaidStream

A, B, C = atom("a"), atom("b"), atom("c")
#   tick:     0    1    2    3    4    5
#   states:        A    A    A,B  A,B  A,B
#   events:        C         A, C
SAID = SaidStream(0, 5, (SaidAt(1, frozenset({A}), (C,)), SaidAt(3, frozenset({A, B}), (A, C))))


def test_states_hold_until_something_else_is_said():
    assert sorted(SAID.states(0), key=str) == [(1, A), (2, A), (3, A), (3, B), (4, A), (4, B), (5, A), (5, B)]
    assert sorted(SAID.states(4), key=str) == [(4, A), (4, B), (5, A), (5, B)]


def test_events_are_of_their_tick_and_in_their_order():
    assert list(SAID.events(0)) == [(1, C), (3, A), (3, C)]
    assert list(SAID.events(2)) == [(3, A), (3, C)]


def test_a_window_of_events_begins_with_the_tick_of_the_first_or_with_the_stream():
    assert SAID.last_events(1) == (3, [(3, C)])
    assert SAID.last_events(3) == (1, [(1, C), (3, A), (3, C)])
    assert SAID.last_events(4) == (0, [(1, C), (3, A), (3, C)])

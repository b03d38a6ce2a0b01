"""Streams, time windows and tuple windows, drawn."""

from datetime import timedelta

import pytest
from rdflib import XSD, Literal

from lars_programs import EX, atom
from oracle.lars.streams import Stream, time_window, tuple_window, window_of
from pantarhei.model.temporal_rule import TemporalAtom, TimeWindow, TupleWindow

c, d, e = (atom(f"asserted {name}", "i") for name in "cde")


def seen(stream):
    """The timeline's ends and what is asserted at its ticks."""
    ticks = {tick: [each for each in stream.at(tick) if each.is_asserted] for tick in stream.timeline}
    return stream.start, stream.end, {tick: atoms for tick, atoms in ticks.items() if atoms}


#   tick:  0   1   2   3   4   5
#          c       d       e
STREAM = Stream.of(0, 5, {0: [c], 2: [d], 4: [e]})


@pytest.mark.parametrize(
    ("size", "window"),
    [
        (0, (4, 4, {4: [e]})),
        (2, (2, 4, {2: [d], 4: [e]})),
        (3, (1, 4, {2: [d], 4: [e]})),
        (9, (0, 4, {0: [c], 2: [d], 4: [e]})),
    ],
)
def test_a_time_window_has_both_ends_and_begins_no_earlier_than_the_stream(size, window):
    assert seen(time_window(STREAM, 4, size)) == window


@pytest.mark.parametrize(
    ("now", "size", "window"),
    [
        (4, 1, (4, 4, {4: [e]})),
        (5, 1, (4, 5, {4: [e]})),
        (5, 2, (2, 5, {2: [d], 4: [e]})),
        (5, 3, (0, 5, {0: [c], 2: [d], 4: [e]})),
        (5, 4, (0, 5, {0: [c], 2: [d], 4: [e]})),
    ],
)
def test_a_tuple_window_begins_with_the_first_assertion_that_it_selects(now, size, window):
    assert seen(tuple_window(STREAM, now, size)) == window


#   tick:  0    1
#          c d  e
def test_a_tuple_window_that_begins_within_a_tick_selects_what_arrived_last():
    assert seen(tuple_window(Stream.of(0, 1, {0: [c, d], 1: [e]}), 1, 2)) == (0, 1, {0: [d], 1: [e]})
    assert seen(tuple_window(Stream.of(0, 1, {0: [d, c], 1: [e]}), 1, 2)) == (0, 1, {0: [c], 1: [e]})


def test_a_tuple_window_counts_a_fact_once_a_tick_at_its_first_place():
    assert seen(tuple_window(Stream.of(0, 0, {0: [c, d, c]}), 0, 1)) == (0, 0, {0: [d]})
    assert seen(tuple_window(Stream.of(0, 1, {0: [c], 1: [c]}), 1, 2)) == (0, 1, {0: [c], 1: [c]})


def test_a_tuple_window_counts_no_states():
    state = atom("s", "i")
    assert seen(tuple_window(Stream.of(0, 1, {0: [c], 1: [state]}), 1, 1)) == (0, 1, {0: [c]})


def test_an_assertion_in_a_tuple_window_is_there_as_a_state_too():
    window = tuple_window(Stream.of(0, 0, {0: [c, atom("s", "i")]}), 0, 1)
    assert list(window.at(0)) == [c, atom("c", "i")]


def test_a_tuple_window_looks_at_nothing_that_comes_later():
    assert seen(tuple_window(STREAM, 3, 1)) == (2, 3, {2: [d]})


def test_an_atom_has_the_canonical_literals_of_its_values():
    decimal = TemporalAtom(EX.d, (EX.i, Literal("1.0", datatype=XSD.decimal)))
    assert Stream.of(0, 0, {0: [decimal]}) == Stream.of(0, 0, {0: [atom("d", "i", 1)]})


def test_a_window_of_a_length_of_time_is_refused():
    assert seen(window_of(STREAM, 5, TimeWindow(1))) == (4, 5, {4: [e]})
    assert seen(window_of(STREAM, 5, TupleWindow(1))) == (4, 5, {4: [e]})
    with pytest.raises(ValueError, match="number of ticks"):
        window_of(STREAM, 5, TimeWindow(timedelta(seconds=1)))

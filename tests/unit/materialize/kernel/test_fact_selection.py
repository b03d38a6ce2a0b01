"""What follows from facts one by one, as the kernel finds it."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, as_tuples
from pantarhei.materialize.kernel.constants import IN_RANGES, IS_NAME, IS_TERM, TIME_ARGUMENT
from pantarhei.materialize.kernel.fact_selection import FactSelection
from pantarhei.materialize.kernel_values import contiguous

ONE, TWO, THREE = range(FIRST_LITERAL, FIRST_LITERAL + 3)
BITS = np.array([0b01, 0, 0b11, 0b100, 0b10, 0b100], np.uint8)  # two bytes a literal


def found(condition, *facts):
    """The facts of predicate 0 that meet a condition."""
    selecting = FactSelection([0, 1], [0, 9, 1, NONE, 2, NONE, 0, 1], condition, 1, 2)
    rows, places, _ = selecting.rows(contiguous(np.array(facts, np.int32)), BITS, NONE)
    assert as_tuples(rows) == [(9, *facts[place][1:]) for place in places.tolist()]
    return places.tolist()


@pytest.mark.parametrize(
    ("byte", "bits", "places"), [(0, 0b01, [0, 1]), (0, 0b11, [1]), (1, 0b100, [1, 2]), (1, 0b1000, [])]
)
def test_all_bits_are_to_be_set_and_names_have_none(byte, bits, places):
    facts = [(0, 5, ONE), (0, 5, TWO), (0, 5, THREE), (0, 5, 6), (0, 5, NONE)]
    assert found([IN_RANGES, 2, byte, bits], *facts) == places


def test_an_argument_is_a_given_term():
    facts = [(0, 5, 6), (0, 6, 5), (0, 5, 7)]
    assert found([IS_TERM, 1, 5, NONE], *facts) == [0, 2]
    assert found([IS_TERM, 2, 5, NONE], *facts) == [1]


def test_an_argument_is_a_name():
    assert found([IS_NAME, 2, NONE, NONE], (0, 5, ONE), (0, 5, 6)) == [1]


def test_arguments_are_terms_of_the_fact_or_of_the_feed_or_the_time():
    feeds = [(1, 9, 2, NONE, 1, NONE, 0, 0), (0, 8, 0, 44, TIME_ARGUMENT, NONE, 0, 0)]
    selecting = FactSelection([0, 2], np.ravel(feeds), [], 2, 0)
    facts = np.array([(0, 5, 6), (3, 5, 6), (0, 6, 7)], np.int32)
    for _ in range(2):
        rows, places, ranges = selecting.rows(contiguous(facts), BITS, 77)
        assert as_tuples(rows) == [(9, 6, 5), (9, 7, 6), (8, 44, 77), (8, 44, 77)]
        assert places.tolist() == [0, 2, 0, 2] and ranges == [(1, 0, 2), (0, 2, 4)]
    assert selecting.rows(contiguous(NO_FACTS), BITS, 77)[2] == []

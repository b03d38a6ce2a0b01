"""What comes to groups and goes is parted, summed, and said where it changes a row."""

import math
from fractions import Fraction

import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.groups import (
    UNIT,
    by_group,
    count_rows,
    count_values,
    numbers_of,
    picked,
    result_of,
    say,
    sum_up,
)

ABSENT = object()
NOTHING = (0,) * 16
ODD = {"errors": 0, "floats": 3, "up": 11, "down": 12, "nan": 13, "tiny": 15}


def exact(number, count=1, decimals=0):
    return (0, count, decimals, 0, 0, number, *NOTHING[6:])


def doubled(number, count=1):
    return (*NOTHING[:4], count, *NOTHING[5:10], int(Fraction(number) / Fraction(UNIT)), *NOTHING[11:])


def test_a_place_that_is_nowhere_is_unbound():
    assert picked([(1, 2, 3), (4, 5, 6)], [2, -1, 0]) == [(3, NONE, 1), (6, NONE, 4)]
    assert picked([(1, 2), (3, 4)], [1]) == [(2,), (4,)]
    assert picked([(1, 2)], [-1]) == [(NONE,)]
    assert picked({(1,): 5}, []) == [()]


def test_copies_of_items_go_to_their_groups():
    groups = [(1,), (2,), (1,)]
    assert by_group(groups, [(7,), (8,), (9,)], [1, 2, -1]) == {
        (1,): [((7,), 1), ((9,), -1)],
        (2,): [((8,), 2)],
    }


def test_groups_are_left_when_their_last_row_goes():
    sizes, entries = {(1,): 1, (2,): 2, (3,): 5}, []
    parts = {
        (1,): [((7,), 2), ((8,), -3)],
        (2,): [((7,), 1)],
        (3,): [((7,), 1), ((8,), -1)],
        (4,): [((7,), 0)],
    }
    assert count_rows(sizes, parts, entries, ABSENT) == [(1,), (4,)]
    assert sizes == {(2,): 3, (3,): 5}
    assert entries == [(sizes, (1,), 1), (sizes, (2,), 2)]


def test_totals_are_replaced_and_what_stood_there_is_noted():
    kept, entries, before = {(1,): exact(5)}, [], exact(5)
    addends = {7: ((1, 1), (5, 3)), 8: ((0, 1),)}
    parts = {(1,): [((7,), 2)], (2,): [((8,), 1), ((7,), -1)]}
    sum_up(kept, parts, addends, NOTHING, None, entries, ABSENT)
    assert kept == {(1,): exact(11, 3), (2,): (1, -1, 0, 0, 0, -3, *NOTHING[6:])}
    assert entries == [(kept, (1,), before), (kept, (2,), ABSENT)]


def test_amounts_that_are_no_integers_are_added_as_they_say():
    kept = {}
    sum_up(kept, {(): [((7,), 2)]}, {7: ((5, 1.5),)}, NOTHING, lambda a, b, c: a * b + c + 1, [], ABSENT)
    assert kept[()][5] == 4.0


@pytest.mark.parametrize("only_terms", [False, True])
def test_values_come_with_their_first_copy_and_go_with_the_last(only_terms):
    bag, entries = {(5,): 1, (6,): 2}, []
    of = {(1,): bag}
    came = {(1,): [((5,), -1), ((6,), -1), ((7,), 2)], (2,): [((NONE,), 1)], (3,): [((8,), 1), ((8,), -1)]}
    found = count_values(of, came, only_terms, entries, ABSENT)
    unbound = {} if only_terms else {(2,): [((NONE,), 1)]}
    assert found == {(1,): [((5,), -1), ((7,), 1)], **unbound}
    assert of == {(1,): {(6,): 1, (7,): 2}, (2,): {} if only_terms else {(NONE,): 1}, (3,): {}}
    assert entries[:3] == [(bag, (5,), 1), (bag, (6,), 2), (bag, (7,), ABSENT)]
    assert (of, (2,), ABSENT) in entries


@pytest.mark.parametrize("is_average", [False, True])
def test_an_xsd_double_is_told_by_itself(is_average):
    assert result_of(doubled(7.5, 3), is_average) == (2.5 if is_average else 7.5)
    assert result_of(doubled(0.0), is_average) is None  # 0 and -0 are two terms
    assert result_of(doubled(2 * Fraction(10) ** 308, 2), is_average) is None  # too large


def test_an_exact_result_is_told_by_what_it_is_computed_from():
    assert result_of(exact(6, 3), False) == result_of(exact(6, 2), False)
    assert result_of(exact(6, 3), True) != result_of(exact(6, 2), True)
    assert result_of(exact(6), False) != result_of(exact(6, 0, 1), False)  # 6 and 6.0


@pytest.mark.parametrize("place", ODD.values(), ids=ODD)
def test_what_is_not_simple_is_left_to_others(place):
    total = list(doubled(1.0) if place > 10 else exact(1))
    total[place] = 1
    assert result_of(tuple(total), False) is None


def test_numbers_that_are_known_are_not_asked_for():
    asked = []

    def number(total, result):
        asked.append((total, result))
        return 5

    kept, known = {(1,): doubled(2.5), (2,): doubled(math.pi), (4,): doubled(math.e)}, {2.5: 9}
    groups = [(1,), (2,), (3,), (4,)]
    numbers = {math.pi: 6, math.e: 7}
    assert numbers_of(
        groups, kept, NOTHING, False, known, number, lambda results: map(numbers.pop, results)
    ) == [9, 6, 5, 7]
    assert asked == [(NOTHING, (0, 0, False))]
    assert not numbers


def test_a_row_is_said_where_it_is_another_one():
    said, entries = {(1,): (1, 5), (2,): (2, 6)}, []
    groups, columns = [(1,), (2,), (3,)], [[5, 7, 8]]
    assert say(groups, columns, [0, 1], said, entries, ABSENT) == {(2, 6): -1, (2, 7): 1, (3, 8): 1}
    assert said == {(1,): (1, 5), (2,): (2, 7), (3,): (3, 8)}
    assert entries == [(said, (2,), (2, 6)), (said, (3,), ABSENT)]


def test_a_row_of_a_group_has_what_is_asked_for_in_any_order():
    assert say([(1, 2)], [[5], [6]], [3, -1, 1, 0], {}, [], ABSENT) == {(6, NONE, 2, 1): 1}

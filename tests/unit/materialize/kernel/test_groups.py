"""What numbers add up to is kept short while they are alike, and comes to results that numbers tell apart."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.groups import (
    NOTHING,
    UNIT,
    count_rows,
    count_values,
    group_items,
    mixed_total,
    project_rows,
    replace_group_rows,
    result_numbers,
    result_of,
    update_totals,
)

ABSENT = object()


def test_a_place_that_is_nowhere_is_unbound():
    assert project_rows([(1, 2, 3), (4, 5, 6)], [2, -1, 0]) == [(3, NONE, 1), (6, NONE, 4)]
    assert project_rows([(1, 2), (3, 4)], [1]) == [(2,), (4,)]
    assert project_rows([(1, 2)], [-1]) == [(NONE,)]
    assert project_rows({(1,): 5}, []) == [()]


def test_copies_of_items_go_to_their_groups():
    groups = [(1,), (2,), (1,)]
    assert group_items(groups, [(7,), (8,), (9,)], [1, 2, -1]) == {
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


def test_a_row_is_said_where_it_is_another_one():
    said, entries = {(1,): (1, 5), (2,): (2, 6)}, []
    groups, columns = [(1,), (2,), (3,)], [[5, 7, 8]]
    delta = replace_group_rows(groups, columns, [0, 1], said, entries, ABSENT)
    assert delta == {(2, 6): -1, (2, 7): 1, (3, 8): 1}
    assert said == {(1,): (1, 5), (2,): (2, 7), (3,): (3, 8)}
    assert entries == [(said, (2,), (2, 6)), (said, (3,), ABSENT)]


def test_a_row_of_a_group_has_what_is_asked_for_in_any_order():
    assert replace_group_rows([(1, 2)], [[5], [6]], [3, -1, 1, 0], {}, [], ABSENT) == {(6, NONE, 2, 1): 1}


ZEROS = (0,) * 16
ODD = {"errors": 0, "floats": 3, "up": 11, "down": 12, "nan": 13, "tiny": 15}
INTEGERS, DOUBLES = 1, 4
ERROR = 0, 0, ((0, 1),)


def exact(number, count=1, decimals=0):
    return (0, count, decimals, 0, 0, number, *ZEROS[6:])


def multiples(number):
    return int(Fraction(number) / Fraction(UNIT))


def doubled(number, count=1):
    return (*ZEROS[:4], count, *ZEROS[5:10], multiples(number), *ZEROS[11:])


def integer(number):
    sums = (6, multiples(number)), (10, multiples(number))
    return INTEGERS, number, ((1, 1), (5, number), *sums)


def double(number):
    return DOUBLES, multiples(number), ((4, 1), (10, multiples(number)))


def summed(before, *addends, weights=None, fma=None):
    """The total of a group after these have come, and what was noted."""
    kept, entries = {} if before is None else {(1,): before}, []
    items = [((place,), weight) for place, weight in enumerate(weights or [1] * len(addends))]
    update_totals(kept, {(1,): items}, addends, fma, entries, ABSENT)
    assert entries == [(kept, (1,), ABSENT if before is None else before)]
    return kept[1,]


def test_numbers_that_are_alike_are_counted_and_added_up():
    total = summed(None, integer(3), integer(4), weights=[2, -1])
    assert total == (INTEGERS, 1, 2)
    assert summed(total, integer(2), weights=[-1]) == (INTEGERS, 0, 0)
    assert summed((DOUBLES, 2, multiples(0.75)), double(0.5), double(0.25), weights=[-1, -1]) == NOTHING
    assert summed(None, double(0.5), double(0.25)) == (DOUBLES, 2, multiples(0.75))
    assert summed((INTEGERS, 0, 0), double(0.5)) == (DOUBLES, 1, multiples(0.5))


@pytest.mark.parametrize(
    "addends", [[integer(3), double(0.5)], [double(0.5), integer(3)]], ids=["double last", "double first"]
)
def test_numbers_that_are_not_alike_make_a_whole_total(addends):
    total = summed(None, *addends)
    assert total == (0, 1, 0, 0, 1, 3, multiples(3), 0, 0, 0, multiples(3.5), *ZEROS[11:])
    assert summed(total, double(0.5), weights=[-1]) == mixed_total((INTEGERS, 1, 3))


def test_an_error_makes_a_whole_total():
    assert summed((INTEGERS, 1, 3), ERROR) == (1, *mixed_total((INTEGERS, 1, 3))[1:])


def test_a_total_of_numbers_that_are_alike_is_whole_where_it_is_asked_for():
    assert mixed_total(NOTHING) == ZEROS
    assert mixed_total((DOUBLES, 2, multiples(0.75))) == doubled(0.75, 2)
    assert mixed_total(exact(3)) == exact(3)


def test_amounts_that_are_no_integers_are_added_exactly():
    half = 0, 0, ((2, 1), (5, Decimal("0.5")))
    total = summed(exact(1), half, weights=[2], fma=lambda a, b, c: (a, b, c))
    assert total == exact((Decimal("0.5"), 2, 1), 1, 2)
    more = summed(exact(Decimal("0.5")), integer(7), fma=lambda a, b, c: (a, b, c))
    assert more[5] == (7, 1, Decimal("0.5"))  # an integer too, where the sum is none


@pytest.mark.parametrize("is_average", [False, True])
@pytest.mark.parametrize("total", [doubled, lambda number, count=1: (DOUBLES, count, multiples(number))])
def test_an_xsd_double_is_told_by_itself(total, is_average):
    assert result_of(total(7.5, 3), is_average) == (2.5 if is_average else 7.5)
    assert result_of(total(0.0), is_average) is None  # 0 and -0 are two terms
    assert result_of(total(2 * Fraction(10) ** 308, 2), is_average) is None  # too large


@pytest.mark.parametrize("total", [exact, lambda number, count=1: (INTEGERS, count, number)])
def test_an_exact_result_is_told_by_what_it_is_computed_from(total):
    assert result_of(total(6, 3), False) == result_of(total(6, 2), False) == (6, 0, False)
    assert result_of(total(6, 3), True) == (6, 3, False)
    assert result_of(total(10**15), False) is None  # it has many digits
    assert result_of(exact(6), False) != result_of(exact(6, 0, 1), False)  # 6 and 6.0


@pytest.mark.parametrize("place", ODD.values(), ids=ODD)
def test_what_is_not_simple_is_left_to_others(place):
    total = list(doubled(1.0) if place > 10 else exact(1))
    total[place] = 1
    assert result_of(tuple(total), False) is None


def test_numbers_that_are_known_are_not_asked_for():
    asked = []

    def number(total):
        asked.append(total)
        return 5

    kept = {(1,): doubled(2.5), (2,): doubled(math.pi), (4,): doubled(math.e), (5,): (1, *ZEROS[1:])}
    groups, known = [(1,), (2,), (3,), (4,), (5,)], {2.5: 9}
    numbers = {math.pi: 6, math.e: 7, (0, 0, False): 8}
    found = result_numbers(groups, kept, False, known, number, lambda results: map(numbers.pop, results))
    assert found == [9, 6, 8, 7, 5]
    assert asked == [kept[5,]]
    assert not numbers

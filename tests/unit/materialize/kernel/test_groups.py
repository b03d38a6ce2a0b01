"""What comes to groups and goes is parted, counted, and said where it changes a row."""

import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.groups import by_group, count_rows, count_values, picked, say

ABSENT = object()


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
    assert say(groups, columns, [0, 1], said, entries, ABSENT) == {(2, 6): -1, (2, 7): 1, (3, 8): 1}
    assert said == {(1,): (1, 5), (2,): (2, 7), (3,): (3, 8)}
    assert entries == [(said, (2,), (2, 6)), (said, (3,), ABSENT)]


def test_a_row_of_a_group_has_what_is_asked_for_in_any_order():
    assert say([(1, 2)], [[5], [6]], [3, -1, 1, 0], {}, [], ABSENT) == {(6, NONE, 2, 1): 1}

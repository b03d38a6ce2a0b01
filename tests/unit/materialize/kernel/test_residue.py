"""Groups of open atoms, the pair rule, and conflict sets that are pairs."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.constants import BOTTOM
from pantarhei.materialize.kernel.horn import HornProgram
from pantarhei.materialize.kernel.residue import Residue
from pantarhei.materialize.kernel_values import contiguous

pytestmark = pytest.mark.timeout(60)


def residue_of(levels, rules):
    """The residue of levels, NONE for a derived atom, and rules `(head, number, body)`."""
    starts = np.cumsum([0, *(len(body) for *_, body in rules)])
    columns = ([head for head, *_ in rules], [number for _, number, _ in rules], starts)
    bodies = [atom for *_, body in rules for atom in body]
    program = HornProgram(
        len(levels), *(contiguous(np.array(column, np.int32)) for column in (*columns, bodies))
    )
    return Residue(program, contiguous(np.array(levels), np.int64))


def against(*body, number=0):
    return BOTTOM, number, body


def test_groups_are_connected_parts():
    residue = residue_of([1, 1, NONE, 1, 1], [(2, 0, (1,)), against(0, 2), against(3, 4)])
    leaders = residue.leaders().tolist()
    assert leaders[0] == leaders[1] == leaders[2] != leaders[3] == leaders[4]
    assert residue.joined().tolist() == [0] * 5


@pytest.mark.parametrize(
    "rules",
    [
        [(2, 0, (0, 1)), against(2, 3)],  # a rule of two atoms
        [against(0, 1), against(0, 2, 3)],  # a constraint of three
        [against(0, 1), against(1, 2), against(3), against(2, 3)],  # of one
    ],
)
def test_a_group_is_joined_where_a_conflict_set_may_have_more_than_two_members(rules):
    assert residue_of([1] * 6, [*rules, against(4, 5)]).joined().tolist() == [1, 1, 1, 1, 0, 0]


def test_the_pair_rule_cuts_what_contradicts_the_newest_of_its_group():
    assert residue_of([9, 9], [against(0, 1)]).settle().tolist() == [1, 1]
    assert residue_of([9, 9, 5], [against(0, 1), against(0, 2)]).settle().tolist() == [1, 1, 1]


def test_the_pair_rule_goes_by_what_atoms_derive():
    """0 → 2 → 3 and 1 → 4, 3 against 4; 5 → 4 is older."""
    rules = [(2, 0, (0,)), (3, 0, (2,)), (4, 0, (1,)), (4, 0, (5,)), against(3, 4)]
    assert residue_of([9, 9, NONE, NONE, NONE, 5], rules).settle().tolist() == [1, 1, 0, 0, 0, 1]


def test_a_group_is_searched_where_the_pair_rule_leaves_an_atom_over():
    """2 contradicts only 1 at the same older level, which contradicts 0 of the newest."""
    rules = [against(0, 3), against(0, 1), against(1, 2), against(4, 5)]
    assert residue_of([9, 5, 5, 9, 7, 7], rules).settle().tolist() == [2, 2, 2, 2, 1, 1]


def test_a_joined_group_is_searched():
    assert residue_of([9, 9, 9, 9, 9], [against(0, 1, 2), against(3, 4)]).settle().tolist() == [2, 2, 2, 1, 1]


def test_pairs_are_those_of_chains_with_their_constraints():
    """0 → 2, and 2 against 1 by two constraints; a joined group has none."""
    rules = [(2, 0, (0,)), against(2, 1, number=7), against(1, 2, number=3), against(3, 4, 5)]
    pairs, truncated = residue_of([9, 9, NONE, 1, 1, 1], rules).pairs(100)
    assert sorted(pairs.tolist()) == [[0, 1, 3], [0, 1, 7]] and not truncated.any()


@pytest.mark.parametrize(("most", "listed"), [(0, 0), (1, 1), (44, 1), (45, 46), (100, 46)])
def test_a_group_with_more_pairs_than_the_limit_has_none_listed(most, listed):
    """Ten atoms that contradict each other, and a pair beside them."""
    rules = [against(one, other) for one in range(10) for other in range(one)]
    pairs, truncated = residue_of([9] * 12, [*rules, against(10, 11)]).pairs(most)
    assert len(pairs) == len({*map(tuple, pairs.tolist())}) == listed
    assert truncated.tolist() == [most < 45] * 10 + [most < 1] * 2


def test_a_group_that_is_joined_by_hand_is_searched_and_has_no_pairs():
    residue = residue_of([9, 9, 9, 9], [against(0, 1), against(2, 3)])
    residue.join(contiguous(np.array([3], np.int32)))
    assert residue.joined().tolist() == [0, 0, 1, 1]
    assert residue.settle().tolist() == [1, 1, 2, 2]
    pairs, truncated = residue.pairs(100)
    assert pairs.tolist() == [[0, 1, 0]] and not truncated.any()


def test_of_nothing_there_are_no_groups():
    residue = residue_of([], [])
    assert len(residue.leaders()) == len(residue.joined()) == len(residue.settle()) == 0
    pairs, truncated = residue.pairs(5)
    assert pairs.shape == (0, 3) and len(truncated) == 0

"""Changes of level, one after another as one."""

import numpy as np

from pantarhei.materialize.level_changes import LevelChanges


def changes(*rows):
    """Of rows (fact's number, old level, new level)."""
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    facts = np.column_stack([columns[0], columns[0] * 2, np.full(len(rows), -1)]).astype(np.int32)
    return LevelChanges(facts, columns[1], columns[2])


def rows(found):
    return [(fact[0], old, new) for fact, old, new in zip(*(part.tolist() for part in found), strict=True)]


def test_of_each_fact_the_first_old_and_the_last_new_level_count():
    steps = [changes((7, 1, 2), (5, -1, 3)), changes((5, 3, 4), (7, 2, 9)), changes((7, 9, 8))]
    assert rows(LevelChanges.over(steps)) == [(5, -1, 4), (7, 1, 8)]


def test_what_ends_where_it_began_has_not_changed():
    steps = [changes((7, 1, -1), (5, -1, 3)), changes((7, -1, 1), (5, 3, -1))]
    assert rows(LevelChanges.over(steps)) == []


def test_a_fact_may_recur_within_a_part():
    assert rows(LevelChanges.over([changes((7, 1, 5), (3, 0, 5), (7, 4, 5))])) == [(3, 0, 5), (7, 1, 5)]


def test_those_that_stayed_are_told_from_those_that_came_and_went():
    assert rows(changes((1, -1, 2), (2, 0, 2), (3, 2, -1)).stayed) == [(2, 0, 2)]
    assert rows(LevelChanges.over([changes()])) == []

"""Who is told of which changes."""

import numpy as np

from pantarhei.encoding.numbers import NO_CHANGES
from pantarhei.materialize.kernel.change_dispatch import ChangeDispatch

#   predicate  0     1     2     3
GROUPS = [1, 2, 0, 1]
SUBSCRIBERS = [(), (0,), (0, 2)]


def changes(*predicates):
    return np.array([(each, at, 5, 1) for at, each in enumerate(predicates)], np.int32).reshape(-1, 4)


def told(given):
    parts = ChangeDispatch(GROUPS, SUBSCRIBERS).split(given)
    return {subscriber: [(row[0], row[1]) for row in part.tolist()] for subscriber, part in parts}


def test_each_is_told_of_what_it_watches_in_its_order():
    assert told(changes(1, 0, 2, 1)) == {0: [(1, 0), (0, 1), (1, 3)], 2: [(1, 0), (1, 3)]}


def test_where_all_are_told_the_same_they_are_told_all():
    given = changes(3, 0, 3)
    ((subscriber, part),) = ChangeDispatch(GROUPS, SUBSCRIBERS).split(given)
    assert subscriber == 0 and part is given


def test_of_what_nobody_watches_nobody_is_told():
    assert told(changes(2, 2)) == told(NO_CHANGES) == {}


def test_many_changes_are_told_as_well_as_few_and_again():
    telling = ChangeDispatch(GROUPS, SUBSCRIBERS)
    for _ in range(2):
        parts = dict(telling.split(changes(*[0, 1] * 500)))
        assert len(parts[0]) == 1000 and len(parts[2]) == 500

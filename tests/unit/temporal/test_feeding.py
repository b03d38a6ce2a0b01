"""Rows by the predicates of facts, a column at a time."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import NO_FACTS, NONE, as_tuples
from pantarhei.temporal.feeding import Targets


def rows(*predicates):
    return np.array([(predicate, at, NONE) for at, predicate in enumerate(predicates)], np.int32).reshape(
        -1, 3
    )


def found(targets, facts):
    return [
        (predicate, subject, size)
        for part, sizes, _ in targets.rows(facts)
        for (predicate, subject, _), size in zip(
            as_tuples(part), np.broadcast_to(sizes, len(part)).tolist(), strict=True
        )
    ]


@pytest.mark.parametrize("sizes", [(5, 5, 5), (5, 6, 7)])
def test_facts_are_rows_of_each_target_of_their_predicate(sizes):
    first, second, third = sizes
    targets = Targets({2: [(20, first), (21, second)], 4: [(40, third)]})
    assert found(targets, rows(4, 2)) == [(40, 0, third), (20, 1, first), (21, 1, second)]


def test_facts_of_other_predicates_are_no_rows():
    targets = Targets({2: [(20, 5)]})
    assert found(targets, rows(1, 2, 3, 1_000_000)) == [(20, 1, 5)]
    assert found(targets, rows(1, 3)) == found(targets, NO_FACTS) == found(Targets({}), rows(1)) == []


def test_the_places_of_the_facts_are_told():
    ((_, _, which),) = Targets({2: [(20, 5)]}).rows(rows(1, 2, 1, 2))
    assert which.tolist() == [1, 3]

"""The grounded fixpoint and Algorithm 3, on conflicts of numbered elements."""

from pantarhei.repair.choose import Grounded, algorithm3, grounded

NEW, OLD, OLDEST = 9, 5, 1


def sets(*members):
    return [frozenset(each) for each in members]


def state(in_=(), out=(), undecided=()):
    return Grounded(frozenset(in_), frozenset(out), frozenset(undecided))


def test_of_no_conflicts_nothing_is_removed():
    assert grounded([], {}) == state()
    assert algorithm3([], {}) == frozenset()


def test_the_older_of_two_is_out_and_what_it_kept_out_is_in():
    """2 contradicts 1, which contradicts 0."""
    times = {0: OLDEST, 1: OLD, 2: NEW}
    assert grounded(sets((0, 1), (1, 2)), times) == state(in_=(0, 2), out=(1,))
    assert algorithm3(sets((0, 1), (1, 2)), times) == {1}


def test_an_element_that_contradicts_alone_is_out():
    times = {0: NEW, 1: OLD}
    assert grounded(sets((0,)), times) == state(out=(0,))
    assert algorithm3(sets((0,)), times) == {0}


def test_two_of_one_time_are_undecided_and_what_depends_on_them_is_too():
    times = {0: NEW, 1: NEW, 2: OLD}
    assert grounded(sets((0, 1), (1, 2)), times) == state(undecided=(0, 1, 2))
    assert algorithm3(sets((0, 1), (1, 2)), times) == {0, 1, 2}


def test_of_a_larger_conflict_the_oldest_is_out_where_the_others_are_in():
    times = {0: OLD, 1: OLD, 2: NEW}
    assert grounded(sets((0, 1, 2)), times) == state(in_=(2,), undecided=(0, 1))
    assert algorithm3(sets((0, 1, 2)), times) == {0, 1}
    assert grounded(sets((0, 1, 2)), {**times, 1: OLDEST}) == state(in_=(0, 2), out=(1,))

"""The steps of a budget are for all components together."""

from itertools import chain

from pantarhei.repair.choose import choose
from pantarhei.repair.conflict import Budget

NOW = 9


def hard(number, size=6):
    """A component of one timestamp whose `2 * size` members can be chosen from in `2^size` ways."""
    left, right = ([1000 * number + 100 * side + i for i in range(size)] for side in (0, 1))
    return [frozenset(left), *map(frozenset, zip(left, right, strict=True))]


def chosen(components, steps):
    conflicts = [conflict for component in components for conflict in component]
    return choose(conflicts, dict.fromkeys(frozenset().union(*conflicts), NOW), "exact", Budget(steps=steps))


def needed(component):
    """The fewest steps with which the component is decided."""
    return next(steps for steps in range(100_000) if not chosen([component], steps).undecided)


def test_what_does_for_one_component_does_not_do_for_four():
    steps = needed(hard(0))
    four = list(map(hard, range(4)))
    assert not chosen(four, 4 * steps).undecided
    assert chosen(four, 4 * steps - 1).undecided


def test_a_hard_component_takes_nothing_from_smaller_ones():
    small = [hard(number, 2) for number in range(1, 4)]
    steps = 4 * needed(small[0])
    assert steps < needed(hard(0))
    for order in ([hard(0), *small], [*small, hard(0)]):
        assert chosen(order, steps).undecided == frozenset().union(*hard(0))


def test_what_small_components_leave_is_for_the_large_one():
    small, large = [hard(number, 2) for number in range(1, 4)], hard(0)
    assert not chosen([large, *small], needed(large) + 3 * needed(small[0])).undecided


def test_components_of_one_size_are_treated_alike_in_any_order():
    four = list(map(hard, range(4)))
    for order in (four, four[::-1]):
        assert chosen(order, 3 * needed(hard(0))).undecided == frozenset().union(*chain(*four))

"""Minimal supports, and the budget of their search."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.proofs.supports import Antichain, BudgetExceeded, StepBudget, minimal_sets, minimal_supports


def sets(*members):
    return [frozenset(each) for each in members]


def meter(sets=1_000, steps=100_000):
    return StepBudget(sets, steps)


def test_a_larger_set_does_not_enter_and_a_smaller_one_drives_it_out():
    chain = Antichain(meter())
    assert chain.add(frozenset((1, 2))) and chain.add(frozenset((3,)))
    assert not chain.add(frozenset((1, 2, 4))) and not chain.add(frozenset((1, 2)))
    assert chain.add(frozenset((2,)))
    assert chain.sets == set(sets((2,), (3,)))


def test_the_empty_set_is_the_only_minimal_one():
    assert minimal_sets(sets((), (1,), (1, 2))) == sets(())


some_sets = st.lists(st.frozensets(st.integers(0, 6), max_size=5), max_size=12)


@given(some_sets)
def test_minimal_keeps_what_contains_no_other(given):
    assert set(minimal_sets(given)) == {one for one in given if not any(other < one for other in given)}
    assert len(minimal_sets(given)) == len(set(minimal_sets(given)))


@given(some_sets)
def test_minimal_is_idempotent_and_in_one_order(given):
    assert minimal_sets(minimal_sets(given)) == minimal_sets(given) == minimal_sets(given[::-1])
    assert list(map(len, minimal_sets(given))) == sorted(map(len, minimal_sets(given)))


def test_a_set_is_compared_with_smaller_ones_whose_smallest_member_it_has():
    spent = []
    minimal_sets(sets((1,), (1, 2), (3, 4), (1, 2, 3)), spent.append)
    assert sum(spent) == 3


def test_sets_that_are_driven_out_are_not_counted():
    budget = meter(sets=2)
    chain = Antichain(budget)
    for each in sets((1, 2), (1, 3), (1,), (4,)):
        assert chain.add(each)
    with pytest.raises(BudgetExceeded):
        chain.add(frozenset((5,)))


def test_unions_are_minimal_and_none_where_something_follows_from_nothing():
    one, other, none = (Antichain(meter()) for _ in range(3))
    for each in sets((1,), (2,)):
        one.add(each)
    for each in sets((2,), (3,)):
        other.add(each)
    assert set(meter().unions(frozenset(), [one, other])) == set(sets((2,), (1, 3)))
    assert meter().unions(frozenset((1,)), [one, none]) == []


def test_a_search_ends_when_its_steps_are_used_up():
    ways = [(0, (i, 20)) for i in range(1, 20)]
    asserted = range(1, 21)
    assert len(minimal_supports(asserted, ways, meter())[0].sets) == 19
    with pytest.raises(BudgetExceeded):
        minimal_supports(asserted, ways, meter(steps=10))


def test_a_fact_that_only_rests_on_itself_has_no_support():
    assert not minimal_supports([2], [(0, (1,)), (1, (0,))], meter())[0].sets


@pytest.mark.parametrize("seed", range(100))
def test_supports_are_the_minimal_sets_that_suffice(seed):
    chance = random.Random(seed)
    asserted = [4, 5, 6, 7]
    instances = [
        (chance.randrange(5), tuple({chance.randrange(8) for _ in range(chance.randrange(1, 3))}))
        for _ in range(7)
    ]

    def follows(given):
        known, before = set(given), -1
        while len(known) > before:
            before = len(known)
            known |= {head for head, body in instances if known.issuperset(body)}
        return known

    found = minimal_supports(asserted, instances, meter())
    subsets = [frozenset(each) for size in range(1, 5) for each in combinations(asserted, size)]
    for goal in range(5):
        assert found[goal].sets == set(minimal_sets(each for each in subsets if goal in follows(each)))

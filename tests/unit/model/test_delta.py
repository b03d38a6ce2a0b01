from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pantarhei.model.delta import Delta

changes = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-2, 2)), max_size=8)


@given(changes)
def test_no_weight_is_zero(given):
    assert 0 not in Delta.of(given).weights.values()


@given(changes, changes)
def test_a_delta_is_the_sum_of_its_changes_in_any_order(one, other):
    assert Delta.of([*one, *other]) == Delta.of([*other, *one])
    assert Delta.of([*one, *other]) == Delta.of(
        [*Delta.of(one).weights.items(), *Delta.of(other).weights.items()]
    )
    total = Counter()
    for fact, weight in one:
        total[fact] += weight
    assert dict(Delta.of(one).weights) == {fact: weight for fact, weight in total.items() if weight}


@given(changes)
def test_a_change_and_its_reverse_are_nothing(given):
    assert Delta.of([*given, *((fact, -weight) for fact, weight in given)]) == Delta.of([])

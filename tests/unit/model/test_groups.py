"""What belongs together."""

from hypothesis import given
from hypothesis import strategies as st

from pantarhei.model.groups import Groups, grouped

sets = st.lists(st.frozensets(st.integers(0, 12), max_size=4), max_size=10)


def by_definition(items):
    """Items joined again and again, as long as two groups share a key."""
    groups = [({*item}, [number]) for number, item in enumerate(items)]
    for _ in items:
        for one in groups:
            for other in groups:
                if one is not other and one[0] & other[0]:
                    one[0].update(other[0])
                    one[1].extend(other[1])
                    other[0].clear()
                    other[1].clear()
    return {frozenset(numbers) for _, numbers in groups if numbers}


@given(sets)
def test_items_are_together_exactly_if_keys_lead_from_one_to_the_other(items):
    found = grouped(list(enumerate(items)), lambda item: item[1])
    assert {frozenset(number for number, _ in group) for group in found} == by_definition(items)
    assert [group[0][0] for group in found] == sorted(group[0][0] for group in found)
    assert all(group == sorted(group, key=lambda item: item[0]) for group in found)


@given(sets)
def test_united_nodes_have_one_leader_and_stand_in_one_group(items):
    groups = Groups()
    for item in items:
        groups.unite(sorted(item))
    for group in groups.members():
        assert len({groups.leader(node) for node in group}) == 1
    for item in items:
        assert sum(item <= set(group) for group in groups.members()) == (1 if item else len(groups.members()))


def test_the_first_of_those_united_leads():
    groups = Groups()
    groups.unite([3, 1])
    groups.unite([2, 3])
    assert groups.leader(1) == groups.leader(3) == 2
    assert groups.leader(7) == 7, "one that was never united is alone"

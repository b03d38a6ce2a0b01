"""What belongs together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pantarhei.model.graphs import Groups, components, gathered, grouped, ranks, reached

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


GRAPHS = st.integers(0, 7).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, max(n - 1, 0)), max_size=3, unique=True), min_size=n, max_size=n
    )
)


def reaching(edges):
    return [set(reached([node], edges.__getitem__)) for node in range(len(edges))]


@given(GRAPHS)
def test_nodes_are_in_one_component_if_each_reaches_the_other(edges):
    reach, found = reaching(edges), components(edges)
    assert sorted(node for component in found for node in component) == list(range(len(edges)))
    place = {node: i for i, component in enumerate(found) for node in component}
    for one in range(len(edges)):
        for other in range(len(edges)):
            assert (place[one] == place[other]) == (other in reach[one] and one in reach[other])
            assert other not in reach[one] or place[other] <= place[one]


@given(GRAPHS)
def test_what_is_gathered_is_what_is_reached(edges):
    bits = gathered(components(edges), edges, [1 << node for node in range(len(edges))])
    assert bits == [sum(1 << node for node in reach) for reach in reaching(edges)]


def test_nodes_are_reached_breadth_first_each_once():
    assert list(reached([3, 0, 3], [[1, 2], [4], [4], [0], [3]].__getitem__)) == [3, 0, 1, 2, 4]


def test_a_path_longer_than_the_stack_is_followed():
    edges = [[node + 1] for node in range(50_000)] + [[0]]
    assert len(components(edges)) == 1
    assert len(components([*edges[:-1], []])) == 50_001


PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=10)


@given(PAIRS)
def test_no_edge_leads_down_and_equal_ranks_are_cycles(edges):
    rank = ranks(edges)
    found = {node: {node} for node in rank}
    for _ in rank:
        for source, target in edges:
            found[source] |= found[target]
    assert all(rank[source] <= rank[target] for source, target in edges)
    for one in rank:
        for other in rank:
            assert (rank[one] == rank[other]) == (other in found[one] and one in found[other])

"""Graphs: components stand after what they lead to, and bits are gathered from all that is reached."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pantarhei.model.reachability import components, gathered, ranks, reached

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

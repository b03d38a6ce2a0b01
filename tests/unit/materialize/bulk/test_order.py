"""Ranks of a graph's nodes."""

from hypothesis import given
from hypothesis import strategies as st

from pantarhei.materialize.bulk.order import ranks

edges = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=10)


@given(edges)
def test_no_edge_leads_down_and_equal_ranks_are_cycles(edges):
    rank = ranks(edges)
    reached = {node: {node} for node in rank}
    for _ in rank:
        for source, target in edges:
            reached[source] |= reached[target]
    assert all(rank[source] <= rank[target] for source, target in edges)
    for one in rank:
        for other in rank:
            assert (rank[one] == rank[other]) == (other in reached[one] and one in reached[other])

"""The order of evaluation: predicates before those that rules derive from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pantarhei.graphs.reachability import components


def ranks(edges: Iterable[tuple[int, int]]) -> Mapping[int, int]:
    """A number for each node of a graph: no edge leads to a smaller one, and nodes of a cycle share one.

    The graph's strongly connected components in topological order. Costs time linear in its size.

    >>> found = ranks([(1, 2), (2, 3), (3, 2), (3, 4)])
    >>> found[1] < found[2] == found[3] < found[4]
    True
    """
    edges = tuple(edges)
    nodes = list(dict.fromkeys(node for edge in edges for node in edge))
    place = {node: number for number, node in enumerate(nodes)}
    after: list[list[int]] = [[] for _ in nodes]
    for source, target in edges:
        after[place[source]].append(place[target])
    in_order = reversed(components(after))
    return {nodes[number]: rank for rank, component in enumerate(in_order) for number in component}

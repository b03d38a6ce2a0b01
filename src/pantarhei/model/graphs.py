"""Algorithms on directed and undirected graphs: groups (union-find), reachability, components, topological
order.

Where nodes are numbers they are `0 … n-1`, and `edges[node]` are the successors of a node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)
Item = TypeVar("Item")


class Groups(Generic[Node]):
    """Partition of nodes; each node is alone until it is united with others (union-find with path halving).

    The leader of the first node leads a united group.
    """

    def __init__(self) -> None:
        self._above: dict[Node, Node] = {}

    def leader(self, node: Node) -> Node:
        """Return the node that represents the group of `node`. Costs almost O(1)."""
        above = self._above
        while above.setdefault(node, node) != node:
            above[node] = node = above[above[node]]
        return node

    def unite(self, nodes: Iterable[Node]) -> None:
        """Merge the groups of `nodes`."""
        leaders = map(self.leader, nodes)
        first = next(leaders, None)
        if first is not None:
            self._above.update((leader, first) for leader in leaders)

    def members(self) -> list[list[Node]]:
        """Return the groups of all nodes seen so far, in the order of their first members."""
        found: dict[Node, list[Node]] = {}
        for node in self._above:
            found.setdefault(self.leader(node), []).append(node)
        return list(found.values())


def grouped(items: Iterable[Item], keys: Callable[[Item], Iterable[Hashable]]) -> list[list[Item]]:
    """Partition `items` into groups connected by shared keys; an item without keys is alone.

    Groups are in the order of their first items. Costs the number of keys.

    >>> grouped(["ab", "c", "bd", "", "e"], list)
    [['ab', 'bd'], ['c'], [''], ['e']]
    """
    groups: Groups[Hashable] = Groups()
    firsts: list[tuple[Item, Hashable]] = []
    for item in items:
        several = [*keys(item)] or [object()]
        groups.unite(several)
        firsts.append((item, several[0]))
    found: dict[Hashable, list[Item]] = {}
    for item, key in firsts:
        found.setdefault(groups.leader(key), []).append(item)
    return list(found.values())


Edges = Sequence[Sequence[int]]
_Node = TypeVar("_Node", bound=Hashable)


def reached(start: Iterable[_Node], after: Callable[[_Node], Iterable[_Node]]) -> Iterator[_Node]:
    """Return the nodes reachable from `start` through `after`, breadth first, `start` included.

    >>> list(reached([1], [[0], [2, 0], []].__getitem__))
    [1, 2, 0]
    """
    waiting = list(dict.fromkeys(start))
    seen = set(waiting)
    for node in waiting:
        yield node
        for other in after(node):
            if other not in seen:
                seen.add(other)
                waiting.append(other)


def components(edges: Edges) -> list[list[int]]:
    """Return the strongly connected components, each after its successors (Tarjan 1972). Costs linear time.

    >>> components([[1], [0, 2], []])
    [[2], [1, 0]]
    """
    found: list[list[int]] = []
    order = [-1] * len(edges)  # order of visit; len(edges) once the component is complete
    lowest = [0] * len(edges)
    entered = 0
    open_: list[int] = []
    for root in range(len(edges)):
        path = [(root, iter(edges[root]))] if order[root] < 0 else []
        while path:
            node, others = path[-1]
            if order[node] < 0:
                order[node] = lowest[node] = entered
                entered += 1
                open_.append(node)
            for other in others:
                if order[other] < 0:
                    path.append((other, iter(edges[other])))
                    break
                lowest[node] = min(lowest[node], order[other])
            else:
                path.pop()
                if lowest[node] == order[node]:
                    found.append(_closed(node, open_, order))
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
    return found


def _closed(root: int, open_: list[int], order: list[int]) -> list[int]:
    """Pop the component of `root` from the stack of open nodes."""
    component: list[int] = []
    while not component or component[-1] != root:
        component.append(open_.pop())
        order[component[-1]] = len(order)
    return component


def ranks(edges: Iterable[tuple[_Node, _Node]]) -> dict[_Node, int]:
    """Number the nodes of a graph so that no edge leads to a smaller number; nodes of a cycle share one.

    These are the strongly connected components in topological order. Costs time linear in the graph's size.

    >>> found = ranks([(1, 2), (2, 3), (3, 2), (3, 4)])
    >>> found[1] < found[2] == found[3] < found[4]
    True
    """
    given = tuple(edges)
    nodes = list(dict.fromkeys(node for edge in given for node in edge))
    place = {node: number for number, node in enumerate(nodes)}
    after: list[list[int]] = [[] for _ in nodes]
    for source, target in given:
        after[place[source]].append(place[target])
    in_order = reversed(components(after))
    return {nodes[number]: rank for rank, component in enumerate(in_order) for number in component}


def gathered(components_: Iterable[Sequence[int]], edges: Edges, own: Sequence[int]) -> list[int]:
    """Return for each node the union of the `own` bits of all nodes reachable from it, itself included.

    Costs as many unions as there are edges.

    >>> edges = [[1], [0, 2], [], [2]]
    >>> gathered(components(edges), edges, [1, 2, 4, 8])
    [7, 7, 4, 12]
    """
    bits = [0] * len(edges)
    for component in components_:
        union = 0
        for node in component:
            union |= own[node]
            for other in edges[node]:
                union |= bits[other]
        for node in component:
            bits[node] = union
    return bits

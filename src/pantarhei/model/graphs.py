"""Algorithms on graphs: union-find, reachability, strongly connected components, topological order.

If nodes are numbers, they are `0 … n-1`, and `edges[node]` contains the successors of a node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)
Item = TypeVar("Item")


class Groups(Generic[Node]):
    """Partition of nodes into groups (union-find with path halving). Initially each node is a group of its
    own.

    The leader of a united group is the leader of the first of the united nodes.
    """

    def __init__(self) -> None:
        self._above: dict[Node, Node] = {}

    def leader(self, node: Node) -> Node:
        """Return the node that represents the group of `node`. The amortized cost is almost O(1)."""
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
        """Return the groups of all nodes seen so far, in order of their first members."""
        found: dict[Node, list[Node]] = {}
        for node in self._above:
            found.setdefault(self.leader(node), []).append(node)
        return list(found.values())


def grouped(items: Iterable[Item], keys: Callable[[Item], Iterable[Hashable]]) -> list[list[Item]]:
    """Partition `items` into groups that are connected by shared keys. An item without keys is a group of its
    own.

    Groups are in order of their first items. The cost is linear in the number of keys.

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
    """Yield the nodes reachable from `start`, including `start`, breadth first. `after` returns the
    successors of a node.

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
    """Return the strongly connected components, each after the components it leads to (Tarjan 1972). The cost
    is linear in the size of the graph.

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
    """Pop the component of `root` from the stack of open nodes, and mark its nodes as complete."""
    component: list[int] = []
    while not component or component[-1] != root:
        component.append(open_.pop())
        order[component[-1]] = len(order)
    return component


def ranks(edges: Iterable[tuple[_Node, _Node]]) -> dict[_Node, int]:
    """Number the nodes of a graph such that no edge leads to a smaller number, and nodes on a common cycle
    have equal numbers.

    The numbers are those of the strongly connected components in topological order. The cost is linear in the
    size of the graph.

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
    """Return for each node the union of the `own` bits of all nodes reachable from it, including itself.

    Args:
        components_: the strongly connected components, each after those it leads to.

    The cost is one union for each edge.

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

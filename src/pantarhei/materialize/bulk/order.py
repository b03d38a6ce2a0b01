"""The order of evaluation: predicates before those that rules derive from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def ranks(edges: Iterable[tuple[int, int]]) -> Mapping[int, int]:
    """A number for each node of a graph: no edge leads to a smaller one, and nodes of a cycle share one.

    The graph's strongly connected components in topological order (Tarjan 1972), without recursion. Costs
    time linear in its size.

    >>> found = ranks([(1, 2), (2, 3), (3, 2), (3, 4)])
    >>> found[1] < found[2] == found[3] < found[4]
    True
    """
    after: dict[int, list[int]] = {}
    for source, target in edges:
        after.setdefault(source, []).append(target)
        after.setdefault(target, [])
    found: dict[int, int] = {}  # when each node was met
    lowest: dict[int, int] = {}  # the earliest node that it reaches back to
    open_nodes: list[int] = []  # met, and in no component yet
    component: dict[int, int] = {}  # numbered from the last on
    for root in after:
        if root in found:
            continue
        path = [(root, iter(after[root]))]
        found[root] = lowest[root] = len(found)
        open_nodes.append(root)
        while path:
            node, targets = path[-1]
            for target in targets:
                if target not in found:
                    found[target] = lowest[target] = len(found)
                    open_nodes.append(target)
                    path.append((target, iter(after[target])))
                    break
                if target not in component:
                    lowest[node] = min(lowest[node], found[target])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == found[node]:
                    number = len(component)
                    while True:
                        member = open_nodes.pop()
                        component[member] = number
                        if member == node:
                            break
    last = len(component)
    return {node: last - number for node, number in component.items()}

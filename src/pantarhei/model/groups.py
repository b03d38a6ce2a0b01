"""What belongs together: groups that become one as soon as they share a member."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)
Item = TypeVar("Item")


class Groups(Generic[Node]):
    """Nodes in groups, each node alone until it is united with others (union-find with path halving).

    Of nodes that are united the group of the first leads.
    """

    def __init__(self) -> None:
        self._above: dict[Node, Node] = {}

    def leader(self, node: Node) -> Node:
        """The node that stands for the group of `node`. Costs next to O(1)."""
        above = self._above
        while above.setdefault(node, node) != node:
            above[node] = node = above[above[node]]
        return node

    def unite(self, nodes: Iterable[Node]) -> None:
        """Make one group of those of `nodes`."""
        leaders = map(self.leader, nodes)
        first = next(leaders, None)
        if first is not None:
            self._above.update((leader, first) for leader in leaders)

    def members(self) -> list[list[Node]]:
        """The groups of all nodes met so far, in the order of their first members."""
        found: dict[Node, list[Node]] = {}
        for node in self._above:
            found.setdefault(self.leader(node), []).append(node)
        return list(found.values())


def grouped(items: Iterable[Item], keys: Callable[[Item], Iterable[Hashable]]) -> list[list[Item]]:
    """`items` in groups of those that share a key, directly or by others; one without keys is alone.

    Groups stand in the order of their first items. Costs the number of keys.

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

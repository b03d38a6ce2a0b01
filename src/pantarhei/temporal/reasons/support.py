"""What holds because enough of what it rests on does, so that nothing rests on what comes later."""

from __future__ import annotations

from collections.abc import Iterable


class Support:
    """Nodes, each of which holds once so many of those it rests on do.

    >>> support = Support()
    >>> either, first, second = support.node(1), support.node(0), support.node(1)
    >>> support.rest(either, [first, second])
    >>> support.rest(second, [either])
    >>> sorted(support.settled(), key=support.settled().get) == [first, either, second]
    True
    """

    def __init__(self) -> None:
        self._needs: list[int] = []
        self._users: list[list[int]] = []

    def node(self, needs: int) -> int:
        """A further node, that needs so many of those it rests on."""
        self._needs.append(needs)
        self._users.append([])
        return len(self._needs) - 1

    def rest(self, node: int, on: Iterable[int]) -> None:
        """Let a node rest on others, each once."""
        for other in on:
            self._users[other].append(node)

    def settled(self, supposed: Iterable[int] = (), unused: int | None = None) -> dict[int, int]:
        """The place of each node that holds: first those that take the fewest steps. Costs the links.

        Args:
            supposed: nodes that hold whatever they rest on.
            unused: a node that nothing is to rest on.
        """
        needs = list(self._needs)
        waiting = dict.fromkeys([*supposed, *(node for node, many in enumerate(needs) if many == 0)])
        order, places = list(waiting), dict[int, int]()
        for node in order:  # grows meanwhile
            places[node] = len(places)
            for user in () if node == unused else self._users[node]:
                needs[user] -= 1
                if needs[user] == 0 and user not in waiting:
                    waiting[user] = None
                    order.append(user)
        return places

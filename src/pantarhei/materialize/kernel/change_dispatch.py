"""Dispatch of changed facts to the subscribers of their predicates."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import Ints, ints_of


@cython.cclass
class ChangeDispatch:
    """Subscribers of predicates.

    Args:
        groups: for each predicate the index of its group of subscribers.
        subscribers: for each group its subscribers, numbered from 0.
    """

    def __init__(self, groups, subscribers):
        self.groups = ints_of(groups)
        self.subscribers = list(subscribers)

    def split(self, changes):
        """Return `(subscriber, changes)` for each subscriber with changes, in the given order.

        Costs time linear in the changes, times their subscribers.

        Args:
            changes: shape (n, 4).
        """
        rows: cython.int[:, ::1] = changes
        i: cython.Py_ssize_t
        if len(rows) == 0:
            return []
        group: cython.int = self.groups[rows[0, 0]]
        for i in range(len(rows)):
            if self.groups[rows[i, 0]] != group:
                return self.split_mixed(rows)
        return [(subscriber, changes) for subscriber in self.subscribers[group]]

    def split_mixed(self, rows):
        """Split changes of predicates with different subscribers."""
        parts: dict = {}
        i: cython.Py_ssize_t
        for i in range(len(rows)):
            for subscriber in self.subscribers[self.groups[rows[i, 0]]]:
                part = parts.get(subscriber)
                if part is None:
                    part = parts[subscriber] = Ints()
                self.put(part, rows, i)
        return [(subscriber, part.array().reshape(-1, 4)) for subscriber, part in parts.items()]

    def put(self, part, rows, place):
        """Append the change with index `place` to the changes of a subscriber."""
        column: cython.int
        if part.size + 4 > len(part.items):
            part.reserve(part.size + 4)
        for column in range(4):
            part.items[part.size + column] = rows[place, column]
        part.size += 4
        return 0

"""Dispatch of changes to the subscribers of their predicates."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import Ints, ints_of


@cython.cclass
class Watching:
    """Subscribers by predicate.

    Args:
        groups: for each predicate the number of its group of subscribers.
        watchers: the subscribers, numbered from 0, of each group.
    """

    def __init__(self, groups, watchers):
        self.groups = ints_of(groups)
        self.watchers = list(watchers)

    def parted(self, changes):
        """Split changes, shape (n, 4), by subscriber, in order; subscribers without changes are left out.

        Costs the changes, once for each subscriber.
        """
        given: cython.int[:, ::1] = changes
        i: cython.Py_ssize_t
        if len(given) == 0:
            return []
        group: cython.int = self.groups[given[0, 0]]
        for i in range(len(given)):
            if self.groups[given[i, 0]] != group:
                return self.apart(given)
        return [(watcher, changes) for watcher in self.watchers[group]]

    def apart(self, given):
        """Split changes that differ by subscriber, like `parted`."""
        parts: dict = {}
        i: cython.Py_ssize_t
        for i in range(len(given)):
            for watcher in self.watchers[self.groups[given[i, 0]]]:
                part = parts.get(watcher)
                if part is None:
                    part = parts[watcher] = Ints()
                self.put(part, given, i)
        return [(watcher, part.array().reshape(-1, 4)) for watcher, part in parts.items()]

    def put(self, part, given, place):
        """Append the change at a place to a part."""
        column: cython.int
        if part.size + 4 > len(part.items):
            part.expect(part.size + 4)
        for column in range(4):
            part.items[part.size + column] = given[place, column]
        part.size += 4
        return 0

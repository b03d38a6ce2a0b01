"""Who is told of which changes: each of those who watch predicates, of theirs."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import Ints, ints_of


@cython.cclass
class Watching:
    """Those who are told, by their numbers.

    Args:
        groups: for each predicate the number of those who watch it.
        watchers: those of each number, which are numbers from 0 on.
    """

    def __init__(self, groups, watchers):
        self.groups = ints_of(groups)
        self.watchers = list(watchers)

    def parted(self, changes):
        """Pairs of who is told and the changes of the predicates that it watches, shape (n, 4), in their
        order; of those whose predicates have changed. Costs the changes, once for each who is told of them.
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
        """As `parted`, where different ones are told of different changes."""
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
        """Put the change at a place behind those of a part."""
        column: cython.int
        if part.size + 4 > len(part.items):
            part.expect(part.size + 4)
        for column in range(4):
            part.items[part.size + column] = given[place, column]
        part.size += 4
        return 0

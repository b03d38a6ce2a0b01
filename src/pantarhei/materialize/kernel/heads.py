"""Heads of matched rules, gathered and then entered into the rows some at a time; reading facts ahead.

Entering one fact is mostly waiting for memory, which several can do at once: a head's cells are fetched when
it is noted, and rows when it is entered. Heads wait no longer than until a fact below the level of one of
them would be popped, so that facts are still popped newest level first, and those of one level first come,
first served. Facts from outside are known all at once, and read ahead in the same way (`fetch_ahead`).
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.edges import Edges
    from pantarhei.materialize.kernel.levels import Levels

from pantarhei.materialize.kernel.arrays import Ints


@cython.cclass
class Heads:
    """The heads that are to be among the rows.

    `noted` has HEAD_SIZE integers a head: predicate, subject, object, level, flags of the row it would be
    (EDGE, UNPROVEN), and while rows are read ahead the row that seems to be its own. `highest` is the highest
    of their levels.
    """

    def __init__(self, levels: Levels, edges: Edges):
        self.store = levels.store
        self.levels = levels
        self.edges = edges
        self.noted = Ints()
        self.highest = -1

    def note(self, predicate, subject, object, level, flags):
        """The fact holds at `level`, and would be a row with `flags`."""
        if subject >= FIRST_LITERAL:
            return 0
        if self.store.reads_ahead:
            self.store.fetch_fact(predicate, subject, object)
            self.store.fetch_chains(predicate, subject, object, flags & EDGE)
        self.noted.push(predicate)
        self.noted.push(subject)
        self.noted.push(object)
        self.noted.push(level)
        self.noted.push(flags)
        self.noted.push(-1)
        self.highest = max(self.highest, level)
        if self.noted.size >= HEAD_SIZE * MOST_HEADS:
            self.enter()
        return 0

    def are_due(self):
        """Whether the heads are to be entered before the next fact is popped."""
        level: cython.int
        if self.noted.size == 0:
            return False
        if self.noted.size >= HEAD_SIZE * HEADS_AT_ONCE or self.levels.agenda_size == 0:
            return True
        level = self.levels.agenda[0]
        return self.highest > level or self.levels.queues[self.levels.bucket(level)] < 0

    def enter(self):
        """Store the facts of the heads, or raise their levels, and queue them."""
        i: cython.int
        at: cython.int
        for i in range(self.noted.size // HEAD_SIZE):
            if self.store.reads_ahead and i % HEADS_AT_ONCE == 0:
                self.fetch(i)
            at = HEAD_SIZE * i
            self.derive(
                self.noted.items[at],
                self.noted.items[at + 1],
                self.noted.items[at + 2],
                self.noted.items[at + 3],
                self.noted.items[at + 4],
            )
        self.noted.size = 0
        self.highest = -1
        return 0

    def fetch(self, start):
        """Begin to read the rows that the next heads concern."""
        i: cython.int
        at: cython.int
        end: cython.int = min(start + HEADS_AT_ONCE, self.noted.size // HEAD_SIZE)
        row: cython.int
        for i in range(start, end):
            at = HEAD_SIZE * i
            row = self.store.seeming(self.noted.items[at], self.noted.items[at + 1], self.noted.items[at + 2])
            self.noted.items[at + 5] = row
            if row >= 0:
                self.store.fetch_row(row)
            else:
                self.store.fetch_chained(
                    self.noted.items[at],
                    self.noted.items[at + 1],
                    self.noted.items[at + 2],
                    self.noted.items[at + 4] & EDGE,
                )
        for i in range(start, end):
            self.store.fetch_listed(self.noted.items[HEAD_SIZE * i + 5])

    def derive(self, predicate, subject, object, level, flags):
        """Store a fact that holds at `level`, or raise its level, and queue it."""
        row: cython.int
        if level < self.levels.oldest:
            return 0
        row = self.store.find(predicate, subject, object)
        if row < 0:
            row = self.store.insert(predicate, subject, object, flags & EDGE)
        else:
            if flags & EDGE:
                self.edges.flag(row)
            if self.store.rows[row].level >= level or self.store.rows[row].held >= level:
                return 0
        self.levels.enqueue(row, level)
        self.store.rows[row].flags |= flags & UNPROVEN
        return 0

    def fetch_ahead(self, facts, start, entering):
        """Begin to read the cells of the block of AHEAD facts after the one at `start`.

        If `entering`, also the cells of their chains, and the first rows of the chains of the block at
        `start`.
        """
        i: cython.Py_ssize_t
        edge: cython.int
        if not self.store.reads_ahead:
            return
        for i in range(start + AHEAD if start > 0 else 0, min(start + 2 * AHEAD, len(facts))):
            self.store.fetch_fact(facts[i, 0], facts[i, 1], facts[i, 2])
            if entering:
                edge = self.edges.edge_of(facts[i, 0])
                self.store.fetch_chains(facts[i, 0], facts[i, 1], facts[i, 2], edge)
        if entering:
            for i in range(start, min(start + AHEAD, len(facts))):
                edge = self.edges.edge_of(facts[i, 0])
                self.store.fetch_chained(facts[i, 0], facts[i, 1], facts[i, 2], edge)

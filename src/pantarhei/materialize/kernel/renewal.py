"""The window as it slides: what leaves is dropped, and what was asserted again meanwhile is renewed.

Renewal is lazy: a fact that is stored and asserted again only gets the newer `base`. Its level, and the
levels of what rests on it, are then lower bounds, made up for when the window's start passes them (`slide`)
or someone asks (`settle`). Presence is exact all the time. A fact that came again with a finished
interpretation, which does not assert it, gets the level of that as `held` (above its level, or -1), and is
renewed in the same way. A row's *reach* is the largest of level, base and held.

Where changes of level are asked for (`note_levels`), a list has the rows that wait for renewal, so that to
settle after each step costs what changed.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.fixpoint import Fixpoint


@cython.cclass
class Renewal(Fixpoint):
    """The fixpoint, in a window that slides.

    Work counter, beside those of Proofs: `renewals` facts queued again when the window's start passed them.
    """

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity)
        self.renewals = 0

    @property
    def room(self):
        """How many levels there is room for."""
        return self.levels.room

    def widen(self, count: cython.int):
        """Make room for `count` levels in the window at once. Costs O(rows) when it doubles."""
        self.levels.widen(count)

    def interpretation(self, level: cython.int):
        """The rows of the partition of `level`, an int32 array; none outside the window. `settle` first."""
        if level == FOREVER or self.oldest <= level <= self.newest:
            return self.levels.partition(level)
        return np.empty(0, np.int32)

    def bytes_used(self) -> int:
        """Bytes held by rows, hash tables and lists."""
        return self.store.bytes_used() + self.levels.bytes_used()

    def slide(self, oldest: cython.int):
        """The window now starts at level `oldest`: drop the older partitions, after renewing what is asserted
        since.

        Fires no rule for facts that leave; costs the firings of those that are renewed.
        """
        level: cython.int
        row: cython.int
        after: cython.int
        start: cython.int = self.oldest
        detect: cython.bint = self.detect
        with cython.nogil:
            self.oldest = oldest
            self.detect = False
            for level in range(start, oldest):
                row = self.levels.partitions[self.levels.bucket(level)]
                while row >= 0:
                    after = self.store.rows[row].next_listed
                    if self.reach(row) >= oldest:
                        self.renewals += 1
                        self.renew(row)
                    row = after
            self.run()
            for level in range(start, oldest):
                self.remove_all(self.levels.partitions[self.levels.bucket(level)])
                self.levels.partitions[self.levels.bucket(level)] = -1
            self.detect = detect

    def remove_all(self, row):
        """Forget the facts of `row` and of those after it in its list."""
        after: cython.int
        ahead: cython.int = row
        distance: cython.int = 0
        while row >= 0:
            while self.store.reads_ahead and ahead >= 0 and distance < AHEAD:
                self.store.fetch_neighbours(ahead)
                ahead = self.store.rows[ahead].next_listed
                distance += 1
            after = self.store.rows[row].next_listed
            self.store.remove(row)
            row = after
            distance -= 1
        return 0

    def settle(self):
        """Bring every level up to date with what was asserted again. Costs a pass over the rows, those that
        wait where levels are noted.
        """
        i: cython.int
        row: cython.int
        noted: cython.bint = self.store.notes_levels
        detect: cython.bint = self.detect
        with cython.nogil:
            self.detect = False
            for i in range(self.levels.waiting.size if noted else self.store.used):
                row = self.levels.waiting.items[i] if noted else i
                if self.store.rows[row].predicate >= 0 and self.reach(row) > self.store.rows[row].level:
                    self.renew(row)
            self.levels.waiting.size = 0
            self.run()
            self.detect = detect

    def note_levels(self, wanted: cython.bint):
        """Note from now on which facts come to other levels, or do so no more. Settles to begin with."""
        if wanted:
            self.settle()
        self.levels.waiting = Ints()
        self.store.note_levels(wanted)

    def wait(self, row):
        """Where levels are noted: note that the level of `row` is not final, if something renews it."""
        if self.reach(row) > self.store.rows[row].level:
            self.levels.waiting.push(row)
        return 0

    def renumber(self, less: cython.int):
        """Lower all levels by `less`, a multiple of the levels there is room for: lists stay in place."""
        row: cython.int
        for row in range(self.store.used):
            if 0 <= self.store.rows[row].level < FOREVER:
                self.store.rows[row].level -= less
            if self.store.rows[row].base < FOREVER:
                self.store.rows[row].base = max(-1, self.store.rows[row].base - less)
            self.store.rows[row].held = max(-1, self.store.rows[row].held - less)
        self.store.lower_moved(less)
        self.oldest -= less
        self.newest -= less

    def reach(self, row):
        """The largest of the row's level, base and held."""
        reach: cython.int = self.store.rows[row].level
        if self.store.rows[row].base > reach:
            reach = self.store.rows[row].base
        if self.store.rows[row].held > reach:
            reach = self.store.rows[row].held
        return reach

    def renew(self, row):
        """Queue `row` at its reach."""
        self.levels.enqueue(row, self.reach(row))
        if self.store.rows[row].base < self.store.rows[row].level:
            self.store.rows[row].flags |= UNPROVEN
        return 0

    def check_invariants(self):
        """Assert that rows, lists and levels agree. Costs O(rows); for tests."""
        Fixpoint.check_invariants(self)
        row: cython.int
        waiting = set(self.levels.waiting.array().tolist())
        for row in range(self.store.used if self.store.notes_levels else 0):
            assert (
                self.store.rows[row].predicate < 0
                or self.reach(row) == self.store.rows[row].level
                or row in waiting
            ), "a row is to be renewed, and nobody knows"

"""Facts are popped from the queue newest level first, and what follows from each is derived.

Of one level they are popped first come, first served; newest.py says what rests on that.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.heads import Heads


@cython.cclass
class Fixpoint(Heads):
    """Heads, and the loop that empties the queue; `clock` counts the rows that settled."""

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity)
        self.clock = 0
        self.merged = False  # whether an interpretation ever was

    def run(self):
        """Pop facts from the queue, newest level first, until it is empty."""
        level: cython.int
        row: cython.int
        self.purpose = DERIVE
        while True:
            if self.new_edges.size > 0:
                self.hand_on()
            elif self.heads_are_due():
                self.enter_heads()
            elif self.levels.agenda_size == 0:
                return 0
            else:
                level = self.levels.agenda[0]
                row = self.levels.queues[self.levels.bucket(level)]
                if row < 0:
                    self.levels.agenda_pop()
                else:
                    self.pop(row, level)

    def pop(self, row, level):
        """Pop `row`, the first of the queue of `level`, and fire the rule instances that it is part of."""
        finished: cython.int = self.store.rows[row].flags & FINISHED
        self.fetch_queued(self.store.rows[row].next_listed)
        self.levels.delist(row)
        self.settle_row(row)
        if finished:
            self.fire_chosen(row, level)
        elif self.merged:
            self.fire(row, level)
        else:
            self.fire_joining(row, level)
            self.add_superclasses(row, level)
        return 0

    def fetch_queued(self, row):
        """Begin to read what taking will look at, for the fact of `row` and for two more in the queue."""
        if row < 0 or not self.store.reads_ahead:
            return
        self.fetch_partner(row, True)
        self.fetch_superclasses(row, True)
        row = self.store.rows[row].next_listed
        if row < 0:
            return
        self.fetch_partner(row, False)
        self.fetch_superclasses(row, False)
        self.store.fetch_row(self.store.rows[row].next_listed)

    def fetch_superclasses(self, row, listed):
        """Begin to read the rows of a class fact's first superclasses, with `listed` those beside them."""
        predicate: cython.int = self.store.rows[row].predicate
        start: cython.int
        at: cython.int
        other: cython.int
        if predicate >= self.known:
            return
        start = self.superclass_start[predicate]
        for at in range(start, min(start + SUPERCLASSES_AHEAD, self.superclass_start[predicate + 1])):
            other = self.store.seeming(self.superclasses[at], self.store.rows[row].subject, NONE)
            if listed:
                self.store.fetch_listed(other)
            else:
                self.store.fetch_row(other)

    def settle_row(self, row):
        """Enter `row`, which is in no list, into the partition of its level, as the last to settle there."""
        self.store.rows[row].flags &= ~(PENDING | FINISHED)
        self.levels.enlist(row)
        self.store.rows[row].sequence = self.clock
        self.clock += 1
        self.pops += 1

    def add_superclasses(self, row, level):
        """Settle the superclasses' facts of a class fact that was popped: no queued fact has a higher level.

        A superclass that settled at the level before has its own superclasses. That is so where the level of
        a row says how far others may rest on it, and so not where interpretations were merged.
        """
        predicate: cython.int = self.store.rows[row].predicate
        subject: cython.int = self.store.rows[row].subject
        class_: cython.int
        other: cython.int
        at: cython.int
        if predicate >= self.known:
            return 0
        at = self.superclass_start[predicate]
        while at < self.superclass_start[predicate + 1]:
            class_ = self.superclasses[at]
            self.firings += 1
            self.candidates += 1
            other = self.store.find(class_, subject, NONE)
            if (
                other >= 0
                and self.store.rows[other].level >= level
                and not self.store.rows[other].flags & PENDING
            ):
                at = self.superclass_ends[at]
                continue
            if other < 0:
                other = self.store.insert(class_, subject, NONE, 0)
            self.levels.raise_to(other, level)
            self.settle_row(other)
            self.fire_joining(other, level)
            at += 1
        return 0

"""Fixpoint of the rules. Facts are taken from the queue, newest level first, and their consequences derived.

Facts of one level are taken first in, first out; newest.py relies on this order.

Derived heads are collected in a `HeadBuffer` and inserted in blocks. Inserting a fact mostly waits for
memory, and several inserts can wait at the same time: the hash cells of a head are prefetched when it is
buffered, its rows when the block is inserted. A block is inserted before a fact is taken whose level is below
the level of a buffered head, so buffering does not change the order of the queue. `prefetch_block` prefetches
asserted facts likewise.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.edges import Edges
    from pantarhei.materialize.kernel.levels import Levels
    from pantarhei.materialize.kernel.triggers import DerivationVisitor, Triggers

from pantarhei.materialize.kernel.arrays import Ints, ints_of


@cython.cclass
class HeadBuffer:
    """Buffer of derived heads, to be inserted into the rows.

    `buffer` has HEAD_SIZE integers for each head: predicate, subject, object, level, flags of a new row
    (EDGE, UNPROVEN), and while a block is prefetched the row that probably has the fact. `highest` is the
    highest buffered level.
    """

    def __init__(self, levels: Levels, edges: Edges):
        self.store = levels.store
        self.levels = levels
        self.edges = edges
        self.buffer = Ints()
        self.highest = -1

    def add(self, predicate, subject, object, level, flags):
        """Buffer a fact derived at `level`. If it gets a new row, the row gets `flags`."""
        if subject >= FIRST_LITERAL:
            return 0
        if self.store.prefetches:
            self.store.prefetch_fact(predicate, subject, object)
            self.store.prefetch_chains(predicate, subject, object, flags & EDGE)
        self.buffer.push(predicate)
        self.buffer.push(subject)
        self.buffer.push(object)
        self.buffer.push(level)
        self.buffer.push(flags)
        self.buffer.push(-1)
        self.highest = max(self.highest, level)
        if self.buffer.size >= HEAD_SIZE * MAX_HEADS:
            self.flush()
        return 0

    def must_flush(self):
        """Return true if the heads must be inserted before the next fact is taken from the queue."""
        level: cython.int
        if self.buffer.size == 0:
            return False
        if self.buffer.size >= HEAD_SIZE * HEAD_BLOCK or self.levels.agenda_size == 0:
            return True
        level = self.levels.agenda[0]
        return self.highest > level or self.levels.queues[self.levels.bucket(level)] < 0

    def flush(self):
        """Insert the buffered facts, or raise their levels, and queue them."""
        i: cython.int
        at: cython.int
        for i in range(self.buffer.size // HEAD_SIZE):
            if self.store.prefetches and i % HEAD_BLOCK == 0:
                self.prefetch(i)
            at = HEAD_SIZE * i
            self.derive(
                self.buffer.items[at],
                self.buffer.items[at + 1],
                self.buffer.items[at + 2],
                self.buffer.items[at + 3],
                self.buffer.items[at + 4],
            )
        self.buffer.size = 0
        self.highest = -1
        return 0

    def prefetch(self, start):
        """Prefetch the rows of the block of heads from index `start` on."""
        i: cython.int
        at: cython.int
        end: cython.int = min(start + HEAD_BLOCK, self.buffer.size // HEAD_SIZE)
        row: cython.int
        for i in range(start, end):
            at = HEAD_SIZE * i
            row = self.store.probable_row(
                self.buffer.items[at], self.buffer.items[at + 1], self.buffer.items[at + 2]
            )
            self.buffer.items[at + 5] = row
            if row >= 0:
                self.store.prefetch_row(row)
            else:
                self.store.prefetch_chain_starts(
                    self.buffer.items[at],
                    self.buffer.items[at + 1],
                    self.buffer.items[at + 2],
                    self.buffer.items[at + 4] & EDGE,
                )
        for i in range(start, end):
            self.store.prefetch_listed(self.buffer.items[HEAD_SIZE * i + 5])

    def derive(self, predicate, subject, object, level, flags):
        """Insert a fact at `level`, or raise its level, and queue it. A fact that has the level already is
        unchanged.
        """
        row: cython.int
        if level < self.levels.oldest:
            return 0
        row = self.store.find(predicate, subject, object)
        if row < 0:
            row = self.store.insert(predicate, subject, object, flags & EDGE)
        else:
            if flags & EDGE:
                self.edges.schedule_flag(row)
            if self.store.rows[row].level >= level or self.store.rows[row].merged_level >= level:
                return 0
        self.levels.enqueue(row, level)
        self.store.rows[row].flags |= flags & UNPROVEN
        return 0

    def prefetch_block(self, facts, start, entering):
        """Prefetch the hash cells of asserted facts: of the PREFETCH_DISTANCE facts that follow the block at
        `start`.

        With `entering`, which means that facts are inserted, prefetch also the cells of their chains, and the
        first rows of the chains for the block at `start`.
        """
        i: cython.Py_ssize_t
        edge: cython.int
        if not self.store.prefetches:
            return
        first: cython.Py_ssize_t = start + PREFETCH_DISTANCE if start > 0 else 0
        for i in range(first, min(start + 2 * PREFETCH_DISTANCE, len(facts))):
            self.store.prefetch_fact(facts[i, 0], facts[i, 1], facts[i, 2])
            if entering:
                edge = self.edges.edge_flag(facts[i, 0])
                self.store.prefetch_chains(facts[i, 0], facts[i, 1], facts[i, 2], edge)
        if entering:
            for i in range(start, min(start + PREFETCH_DISTANCE, len(facts))):
                edge = self.edges.edge_flag(facts[i, 0])
                self.store.prefetch_chain_starts(facts[i, 0], facts[i, 1], facts[i, 2], edge)


@cython.cclass
class Fixpoint(DerivationVisitor):
    """Loop that empties the queue. `merged` is true once an interpretation was merged.

    Args:
        superclasses: a `rules.compilation.program.Superclasses` for the plans of `triggers`.
    """

    def __init__(self, triggers: Triggers, levels: Levels, edges: Edges, superclasses):
        super().__init__(triggers)
        self.superclasses = ints_of(superclasses.classes)
        self.superclass_start = ints_of(superclasses.start)
        self.superclass_ends = ints_of(superclasses.ends)
        self.levels = levels
        self.edges = edges
        self.heads = HeadBuffer(levels, edges)
        self.merged = False

    # -- visitor ---------------------------------------------------------------------------------------

    def weigh(self, row, level, atom):
        """Return the smaller of `level` and the row's level. Queued and expired rows are HIDDEN."""
        own: cython.int = self.store.rows[row].level
        return HIDDEN if self.store.rows[row].flags & PENDING or own < self.levels.oldest else own

    def derive(self, plan, level):
        """Buffer the head of a matched body at `level`, the smallest level of the body."""
        head: cython.int = self.matcher.code[plan + HEAD]
        return self.heads.add(
            head,
            self.matcher.value(self.matcher.code[plan + HEAD_SUBJECT]),
            self.matcher.value(self.matcher.code[plan + HEAD_OBJECT]),
            level,
            self.flags_of_head(plan, head, level),
        )

    def flags_of_head(self, plan, head, level):
        """Return the flags that the head gets if it needs a new row."""
        flags: cython.int = 0
        if self.matcher.has_edges(head) and self.edges.derives_edge(plan):
            flags = EDGE
        if self.merged and self.is_unproven(plan, level):
            flags |= UNPROVEN
        return flags

    def is_unproven(self, plan, level):
        """Return true if some row of the matched body at the smallest level, `level`, is UNPROVEN."""
        atom: cython.int
        row: cython.int
        for atom in range(self.matcher.atoms_of(plan)):
            row = self.matcher.body[atom]
            if (
                self.store.rows[row].flags & UNPROVEN
                and self.store.rows[row].level == level
                and self.store.rows[row].assertion_level < level
            ):
                return True
        return False

    # -- the loop ----------------------------------------------------------------------------------

    def run(self):
        """Take facts from the queue, newest level first, until it is empty."""
        level: cython.int
        row: cython.int
        while True:
            if self.edges.pending.size > 0:
                self.edges.propagate_flag(self)
            elif self.heads.must_flush():
                self.heads.flush()
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
        """Take `row`, the first in the queue of `level`, and fire the rule instances that have it in the
        body.
        """
        is_closed: cython.int = self.store.rows[row].flags & CLOSED
        self.prefetch_queued(self.store.rows[row].next_listed)
        self.levels.unlink(row)
        self.settle_row(row)
        if is_closed:
            self.triggers.fire_chosen(row, level, self)
        elif self.merged:
            self.triggers.fire(row, level, self)
        else:
            self.triggers.fire_joining(row, level, self)
            self.add_superclasses(row, level)
        return 0

    def prefetch_queued(self, row):
        """Prefetch the data that `pop` reads, for `row` and the next two rows of the queue."""
        if row < 0 or not self.store.prefetches:
            return
        self.triggers.prefetch_partner(row, True)
        self.prefetch_superclasses(row, True)
        row = self.store.rows[row].next_listed
        if row < 0:
            return
        self.triggers.prefetch_partner(row, False)
        self.prefetch_superclasses(row, False)
        self.store.prefetch_row(self.store.rows[row].next_listed)

    def prefetch_superclasses(self, row, listed):
        """Prefetch the rows of the first superclass facts of a class fact; with `listed` the neighbours of
        these rows in their lists instead.
        """
        predicate: cython.int = self.store.rows[row].predicate
        start: cython.int
        at: cython.int
        other: cython.int
        if predicate >= self.triggers.known:
            return
        start = self.superclass_start[predicate]
        for at in range(start, min(start + PREFETCHED_SUPERCLASSES, self.superclass_start[predicate + 1])):
            other = self.store.probable_row(self.superclasses[at], self.store.rows[row].subject, NONE)
            if listed:
                self.store.prefetch_listed(other)
            else:
                self.store.prefetch_row(other)

    def settle_row(self, row):
        """Settle `row`, which is in no list, and count it."""
        self.levels.settle(row)
        self.pops += 1

    def add_superclasses(self, row, level):
        """Derive the superclass facts of a class fact that was just taken from the queue, and settle them at
        once.

        They need not be queued, since no queued fact has a higher level. If a superclass fact has settled at
        the level already, the facts of its own superclasses have too, so these are skipped. The method is not
        used once interpretations were merged: the level of a row then does not bound the levels of the facts
        that depend on it.
        """
        predicate: cython.int = self.store.rows[row].predicate
        subject: cython.int = self.store.rows[row].subject
        class_: cython.int
        other: cython.int
        at: cython.int
        if predicate >= self.triggers.known:
            return 0
        at = self.superclass_start[predicate]
        while at < self.superclass_start[predicate + 1]:
            class_ = self.superclasses[at]
            self.firings += 1
            self.triggers.candidates += 1
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
            self.triggers.fire_joining(other, level, self)
            at += 1
        return 0

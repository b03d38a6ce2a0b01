"""Fixpoint of the rules: takes facts from the queue, newest level first, and derives their consequences.

Facts of one level are taken first in, first out; newest.py depends on this.

Heads of matched rules are collected in `Heads` and inserted in blocks, since inserting a fact mostly waits
for memory and several inserts can wait at once: the cells of a head are prefetched when it is recorded, its
rows when the block is inserted. A block is inserted before a fact below the level of one of its heads would
be taken, so the order of the queue is kept. Facts from outside are prefetched likewise (`fetch_ahead`).
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.edges import Edges
    from pantarhei.materialize.kernel.levels import Levels
    from pantarhei.materialize.kernel.triggers import Deriving, Triggers

from pantarhei.materialize.kernel.arrays import Ints, ints_of


@cython.cclass
class Heads:
    """Heads to insert into the rows.

    `noted` has HEAD_SIZE integers for each head: predicate, subject, object, level, flags of a new row (EDGE,
    UNPROVEN), and during prefetching the candidate row from its cell. `highest` is the highest of their
    levels.
    """

    def __init__(self, levels: Levels, edges: Edges):
        self.store = levels.store
        self.levels = levels
        self.edges = edges
        self.noted = Ints()
        self.highest = -1

    def note(self, predicate, subject, object, level, flags):
        """Add a head that holds at `level`; a new row of it gets `flags`."""
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
        """True if the heads must be inserted before the next fact is taken."""
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
        """Prefetch the rows of the next heads."""
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
        """Prefetch the cells of the block of AHEAD facts after the block at `start`.

        With `entering`, also the cells of their chains, and the first rows of the chains of the block at
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


@cython.cclass
class Fixpoint(Deriving):
    """Loop that empties the queue. `merged` is set once an interpretation was merged.

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
        self.heads = Heads(levels, edges)
        self.merged = False

    # -- visitor ---------------------------------------------------------------------------------------

    def weigh(self, row, level, atom):
        """Return the smaller of `level` and the row's level; queued and expired rows are HIDDEN."""
        own: cython.int = self.store.rows[row].level
        return HIDDEN if self.store.rows[row].flags & PENDING or own < self.levels.oldest else own

    def derive(self, plan, level):
        """Record the head of a matched body at `level`."""
        head: cython.int = self.matcher.code[plan + HEAD]
        return self.heads.note(
            head,
            self.matcher.value(self.matcher.code[plan + HEAD_SUBJECT]),
            self.matcher.value(self.matcher.code[plan + HEAD_OBJECT]),
            level,
            self.flags_of_head(plan, head, level),
        )

    def flags_of_head(self, plan, head, level):
        """Return the flags of a new row for the head."""
        flags: cython.int = 0
        if self.matcher.has_edges(head) and self.edges.makes_edge(plan):
            flags = EDGE
        if self.merged and self.is_unproven(plan, level):
            flags |= UNPROVEN
        return flags

    def is_unproven(self, plan, level):
        """True if a row of the matched body at its smallest level, `level`, is UNPROVEN."""
        atom: cython.int
        row: cython.int
        for atom in range(self.matcher.atoms_of(plan)):
            row = self.matcher.body[atom]
            if (
                self.store.rows[row].flags & UNPROVEN
                and self.store.rows[row].level == level
                and self.store.rows[row].base < level
            ):
                return True
        return False

    # -- the loop ----------------------------------------------------------------------------------

    def run(self):
        """Take facts from the queue, newest level first, until it is empty."""
        level: cython.int
        row: cython.int
        while True:
            if self.edges.news.size > 0:
                self.edges.hand_on(self)
            elif self.heads.are_due():
                self.heads.enter()
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
        """Take `row`, the first of the queue of `level`, and fire the rule instances with it in the body."""
        finished: cython.int = self.store.rows[row].flags & FINISHED
        self.fetch_queued(self.store.rows[row].next_listed)
        self.levels.delist(row)
        self.settle_row(row)
        if finished:
            self.triggers.fire_chosen(row, level, self)
        elif self.merged:
            self.triggers.fire(row, level, self)
        else:
            self.triggers.fire_joining(row, level, self)
            self.add_superclasses(row, level)
        return 0

    def fetch_queued(self, row):
        """Prefetch the data that `pop` reads, for the fact of `row` and the next two in the queue."""
        if row < 0 or not self.store.reads_ahead:
            return
        self.triggers.fetch_partner(row, True)
        self.fetch_superclasses(row, True)
        row = self.store.rows[row].next_listed
        if row < 0:
            return
        self.triggers.fetch_partner(row, False)
        self.fetch_superclasses(row, False)
        self.store.fetch_row(self.store.rows[row].next_listed)

    def fetch_superclasses(self, row, listed):
        """Prefetch the rows of the first superclasses of a class fact; with `listed`, also the rows next to
        them in lists.
        """
        predicate: cython.int = self.store.rows[row].predicate
        start: cython.int
        at: cython.int
        other: cython.int
        if predicate >= self.triggers.known:
            return
        start = self.superclass_start[predicate]
        for at in range(start, min(start + SUPERCLASSES_AHEAD, self.superclass_start[predicate + 1])):
            other = self.store.seeming(self.superclasses[at], self.store.rows[row].subject, NONE)
            if listed:
                self.store.fetch_listed(other)
            else:
                self.store.fetch_row(other)

    def settle_row(self, row):
        """Insert an unlisted `row` into the partition of its level, with the next sequence number."""
        self.levels.settle(row)
        self.pops += 1

    def add_superclasses(self, row, level):
        """Settle the superclass facts of a class fact just taken: no queued fact has a higher level.

        The superclasses of a superclass that had already settled at the level are skipped: they are there.
        This does not apply once interpretations were merged, where the level of a row does not bound the rows
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

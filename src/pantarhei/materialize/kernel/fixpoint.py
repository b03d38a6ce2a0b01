"""Facts are popped from the queue newest level first, and what follows from each is derived.

Of one level they are popped first come, first served; newest.py says what rests on that.

Heads of matched rules, gathered and then entered into the rows some at a time; reading facts ahead.

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
    from pantarhei.materialize.kernel.triggers import Deriving, Triggers

from pantarhei.materialize.kernel.arrays import Ints, ints_of


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


@cython.cclass
class Fixpoint(Deriving):
    """The loop that empties the queue. `merged` says whether an interpretation ever was merged.

    Args:
        superclasses: of the plans that `triggers` has, a `rules.compilation.superclasses.Superclasses`.
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

    # -- what a match means ------------------------------------------------------------------------

    def weigh(self, row, level, atom):
        """The row's level; it is hidden while it is queued, and once it is older than the window."""
        own: cython.int = self.store.rows[row].level
        return HIDDEN if self.store.rows[row].flags & PENDING or own < self.levels.oldest else own

    def derive(self, plan, level):
        """Note the head of a matched body at `level`."""
        head: cython.int = self.matcher.code[plan + HEAD]
        return self.heads.note(
            head,
            self.matcher.value(self.matcher.code[plan + HEAD_SUBJECT]),
            self.matcher.value(self.matcher.code[plan + HEAD_OBJECT]),
            level,
            self.flags_of_head(plan, head, level),
        )

    def flags_of_head(self, plan, head, level):
        """The flags that a new row of the head would have."""
        flags: cython.int = 0
        if self.matcher.has_edges(head) and self.edges.makes_edge(plan):
            flags = EDGE
        if self.merged and self.is_unproven(plan, level):
            flags |= UNPROVEN
        return flags

    def is_unproven(self, plan, level):
        """Whether a row of the matched body at `level`, the smallest in it, is unproven."""
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
        """Pop facts from the queue, newest level first, until it is empty."""
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
        """Pop `row`, the first of the queue of `level`, and fire the rule instances that it is part of."""
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
        """Begin to read what popping will look at, for the fact of `row` and for two more in the queue."""
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
        """Begin to read the rows of a class fact's first superclasses, with `listed` those beside them."""
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
        """Enter `row`, which is in no list, into the partition of its level, as the last to settle there."""
        self.levels.settle(row)
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

"""Window model that stores each fact in every interpretation that holds it (`keep="every"`): PB26 Def. 8 in
full.

A row has the set of levels that hold it and the set of levels that assert it. level_sets.py defines to which
levels a rule instance attaches its head. A row of level FOREVER belongs to the background; another
interpretation holds it only if it asserts it. For other rows, `level` and `assertion_level` are the newest
level that holds the row and the newest that asserts it.

An arriving ABox is first closed alone with the background, then joined with the window. Retraction
overdeletes a head at every level to which a combination of levels with a lost level may have attached it,
even a combination that is not minimal. Then all affected heads are derived again, since a combination that
was not minimal may be minimal now.

This model is for inspection, not for speed: each slide costs a pass over all rows.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Visitor
    from pantarhei.materialize.kernel.triggers import Triggers

from pantarhei.materialize.kernel.arrays import Ints
from pantarhei.materialize.kernel.level_sets import LevelSets
from pantarhei.materialize.kernel.triggers import DerivationVisitor
from pantarhei.materialize.kernel.window_kernel import WindowKernel


@cython.cclass
class AttachmentVisitor(DerivationVisitor):
    """Visitor that attaches the heads of matched bodies to levels.

    `only_bit` is the bit of the only level whose facts match, -1 if the facts of all levels match.
    """

    def __init__(self, triggers: Triggers, sets: LevelSets):
        super().__init__(triggers)
        self.sets = sets
        self.only_bit = -1
        self.queue = Ints()

    def weigh(self, row, level, atom):
        if self.store.rows[row].level == FOREVER:
            return FOREVER
        if self.only_bit >= 0:
            return 0 if self.sets.holds(row, self.only_bit) else HIDDEN
        return 0 if self.store.rows[row].level >= 0 else HIDDEN

    def derive(self, plan, level):
        """Attach the head of a matched body to the levels that the body determines."""
        subject: cython.int = self.matcher.value(self.matcher.code[plan + HEAD_SUBJECT])
        row: cython.int
        if subject >= FIRST_LITERAL:
            return 0
        row = self.sets.row_for(
            self.matcher.code[plan + HEAD], subject, self.matcher.value(self.matcher.code[plan + HEAD_OBJECT])
        )
        if self.is_background(plan):
            return self.make_background(row)
        if self.only_bit >= 0:
            self.sets.set_attached(self.only_bit)
        else:
            self.sets.find_attached(self.matcher.body, self.matcher.atoms_of(plan))
        return self.attach(row)

    def is_background(self, plan):
        """Return true if all rows of the matched body belong to the background."""
        atom: cython.int
        for atom in range(self.matcher.atoms_of(plan)):
            if self.store.rows[self.matcher.body[atom]].level != FOREVER:
                return False
        return True

    def make_background(self, row):
        """Make `row` a fact of the background; queue it if it was not one."""
        if self.store.rows[row].level != FOREVER:
            self.store.rows[row].level = FOREVER
            self.enqueue(row)
        return 0

    def attach(self, row):
        """Add the levels in `attached` to the levels that hold `row`; queue the row if one of them is new."""
        if self.store.rows[row].level != FOREVER and self.sets.add_attached(row):
            self.sets.refresh(row)
            self.enqueue(row)
        return 0

    def enqueue(self, row):
        if not self.store.rows[row].flags & PENDING:
            self.store.rows[row].flags |= PENDING
            self.queue.push(row)
        return 0

    def dequeue(self):
        """Remove and return a row of the queue."""
        row: cython.int
        self.queue.size -= 1
        row = self.queue.items[self.queue.size]
        self.store.rows[row].flags &= ~PENDING
        return row

    def run(self):
        """Fire the rules for queued rows until the queue is empty."""
        while self.queue.size > 0:
            self.pops += 1
            self.triggers.fire(self.dequeue(), 0, self)
        return 0

    def close_alone(self, bit: cython.int):
        """Close the queued rows under the rules, with only the facts of the level of `bit` and of the
        background.

        Afterwards the queue has all rows of the closure.
        """
        i: cython.int
        row: cython.int
        closed: Ints = Ints()
        detects: cython.bint = self.detects
        with cython.nogil:
            self.only_bit = bit
            self.detects = False
            while self.queue.size > 0:
                row = self.dequeue()
                closed.push(row)
                self.triggers.fire(row, 0, self)
            self.only_bit = -1
            self.detects = detects
            for i in range(closed.size):
                self.enqueue(closed.items[i])


@cython.cclass
class RederivationVisitor(Visitor):
    """Visitor that attaches one row, `head`, to the levels that its remaining bodies determine."""

    def __init__(self, attachment: AttachmentVisitor):
        self.attachment = attachment
        self.matcher = attachment.matcher
        self.sets = attachment.sets
        self.head = -1

    def weigh(self, row, level, atom):
        return self.attachment.weigh(row, level, atom)

    def visit(self, plan, level):
        self.sets.find_attached(self.matcher.body, self.matcher.atoms_of(plan))
        return self.attachment.attach(self.head)


@cython.cclass
class OverdeletionVisitor(Visitor):
    """Visitor that records which levels heads may lose through the lost levels of one row, `cause`.

    `stale` has the rows that may have lost levels, or to which other levels may be attached now.
    """

    def __init__(self, attachment: AttachmentVisitor):
        self.attachment = attachment
        self.matcher = attachment.matcher
        self.store = attachment.store
        self.sets = attachment.sets
        self.cause = -1
        self.stale = Ints()

    def weigh(self, row, level, atom):
        return self.attachment.weigh(row, level, atom)

    def visit(self, plan, level):
        row: cython.int
        found: cython.int
        if self.matcher.code[plan + HEAD] < 0:
            return 0
        row = self.matcher.find_head(plan)
        if row < 0 or self.store.rows[row].level == FOREVER:
            return 0
        found = self.sets.overdelete_head(row, self.matcher.body, self.matcher.atoms_of(plan), self.cause)
        if found:
            self.mark_stale(row)
        return self.attachment.enqueue(row) if found & 2 else 0

    def mark_stale(self, row):
        """Add `row` to `stale`."""
        if not self.store.rows[row].flags & STALE:
            self.store.rows[row].flags |= STALE
            self.stale.push(row)
        return 0


@cython.cclass
class EveryKernel(WindowKernel):
    """Window model of one program, with a set of levels for each fact."""

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity, False)
        self.sets = LevelSets(self.store)
        self.newest = 0
        self.attachment = AttachmentVisitor(self.triggers, self.sets)
        self.overdeletion = OverdeletionVisitor(self.attachment)
        self.rederivation = RederivationVisitor(self.attachment)
        self.derivation = self.attachment

    @property
    def oldest(self) -> int:
        """Oldest level of the window."""
        return self.sets.oldest

    @property
    def level_capacity(self) -> int:
        """Number of levels that the sets have bits for."""
        return 64 * self.sets.words

    def reserve_levels(self, count: cython.int):
        """Make room for a window of `count` levels."""
        self.sets.reserve_levels(count)

    # -- adding and sliding ------------------------------------------------------------------------

    def add(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Assert `facts[i]` at `levels[i]`. An ABox at the newest level is closed alone first.

        `previous[i]` is set to the former assertion level of the fact, -1 if it had none.
        """
        i: cython.Py_ssize_t
        row: cython.int
        bit: cython.int
        arriving: cython.bint = len(facts) > 0 and levels[0] == self.newest and levels[0] != FOREVER
        with cython.nogil:
            for i in range(len(facts)):
                row = self.sets.row_for(facts[i, 0], facts[i, 1], facts[i, 2])
                previous[i] = self.store.rows[row].assertion_level
                if levels[i] == FOREVER:
                    self.store.rows[row].assertion_level = FOREVER
                    self.attachment.make_background(row)
                    continue
                bit = levels[i] - self.sets.oldest
                if not self.sets.holds(row, bit) and self.store.rows[row].level != FOREVER:
                    self.attachment.enqueue(row)
                self.sets.assert_at(row, bit)
                self.sets.refresh(row)
        if arriving:
            self.attachment.close_alone(self.newest - self.sets.oldest)
        with cython.nogil:
            self.attachment.run()

    def slide(self, oldest: cython.int):
        """Set the oldest level of the window. Fires no rule. Costs a pass over all rows."""
        row: cython.int
        if oldest <= self.sets.oldest:
            return
        self.sets.slide(oldest)
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0:
                self.sets.refresh(row)
                if self.store.rows[row].level < 0:
                    self.store.remove(row)

    def settle(self):
        """Do nothing: in this model levels are always final."""

    def renumber(self, less: cython.int):
        """Subtract `less` from all levels except the background's."""
        row: cython.int
        self.sets.oldest -= less
        self.newest -= less
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0:
                self.sets.refresh(row)

    def interpretation(self, level: cython.int):
        """Return the rows that hold at `level`, an int32 array; empty for a level outside the window.

        Costs a pass over all rows.
        """
        found: Ints = Ints()
        row: cython.int
        bit: cython.int = level - self.sets.oldest
        if level != FOREVER and not 0 <= bit < self.level_capacity:
            return found.array()
        for row in range(self.store.used):
            if self.store.rows[row].predicate < 0:
                continue
            if (self.store.rows[row].level == FOREVER) if level == FOREVER else self.sets.holds(row, bit):
                found.push(row)
        return found.array()

    def bytes_used(self) -> int:
        """Return the bytes held by rows, hash tables and sets of levels."""
        return self.store.bytes_used() + 3 * 8 * self.sets.words * self.sets.held.shape[0]

    # -- retraction --------------------------------------------------------------------------------

    def cut(self, facts: cython.int[:, ::1]):
        """Retract `facts` at all levels that assert them. Costs time linear in the affected facts."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(facts)):
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row >= 0:
                self.sets.retract_all(row)
                self.queue_loss(row)
        self.retract()

    def withdraw(self, facts: cython.int[:, ::1], previous: cython.int[::1], level: cython.int):
        """Undo `add(facts, levels, previous)` where all `levels` were `level`. Costs time linear in the
        affected facts.
        """
        i: cython.Py_ssize_t
        row: cython.int
        bit: cython.int = level - self.sets.oldest
        for i in range(len(facts)):
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row >= 0 and self.sets.asserts(row, bit):
                self.sets.retract_at(row, bit)
                self.queue_loss(row)
        self.retract()

    def queue_loss(self, row):
        """Queue `row`, which has lost levels, for `retract`."""
        self.overdeletion.mark_stale(row)
        self.attachment.enqueue(row)
        return 0

    def retract(self):
        """Propagate the lost levels of queued rows, then attach all stale rows again."""
        i: cython.int
        row: cython.int
        stale: Ints = self.overdeletion.stale
        detects: cython.bint = self.attachment.detects
        with cython.nogil:
            self.attachment.detects = False
            while self.attachment.queue.size > 0:
                row = self.attachment.dequeue()
                if self.store.rows[row].level != FOREVER:
                    self.overdeletion.cause = row
                    self.triggers.fire(row, 0, self.overdeletion)
            for i in range(stale.size):
                row = stale.items[i]
                self.sets.remove_lost(row)
                self.store.rows[row].flags &= ~STALE
                self.sets.refresh(row)
            for i in range(stale.size):
                row = stale.items[i]
                if self.store.rows[row].level != FOREVER:
                    self.rederivation.head = row
                    self.triggers.fire_backward(row, self.rederivation)
            self.attachment.run()
            for i in range(stale.size):
                if self.store.rows[stale.items[i]].level < 0:
                    self.store.remove(stale.items[i])
            stale.size = 0
            self.attachment.detects = detects

    def check_invariants(self):
        """Assert that tables, chains and rows agree. Costs time linear in the rows; for tests."""
        self.store.check_invariants()

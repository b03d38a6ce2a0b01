"""The canonical window model of PB26 Def. 8 in full (`keep="every"`): each fact in every interpretation that
holds it.

A row has a set of levels that hold it, and one of those that assert it (level_sets.py, which also says how
the head of a rule instance is attached). A row with level FOREVER belongs to the background; in other
interpretations it stands only where it is asserted. For other rows `level` and `base` are the newest level
held and asserted. Bodies are matched whole.

An arriving ABox is first closed by itself (with the background), then joined with the window. Retraction
overdeletes a head at every level that some combination with the lost level may have attached it to, not only
the minimal ones, then runs the fixpoint again for all heads that were touched: a set that was superfluous may
be minimal now.

This form is for looking at the model, not for speed: each slide costs a pass over all rows.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Visitor
    from pantarhei.materialize.kernel.triggers import Triggers

from pantarhei.materialize.kernel.arrays import Ints
from pantarhei.materialize.kernel.level_sets import LevelSets
from pantarhei.materialize.kernel.triggers import Deriving
from pantarhei.materialize.kernel.window_kernel import WindowKernel


@cython.cclass
class Attaching(Deriving):
    """Attaches the heads of matched bodies to levels.

    `inner` is the bit of the only level whose facts are matched, -1 for all levels.
    """

    def __init__(self, triggers: Triggers, sets: LevelSets):
        super().__init__(triggers)
        self.sets = sets
        self.inner = -1
        self.queue = Ints()

    def weigh(self, row, level, atom):
        if self.store.rows[row].level == FOREVER:
            return FOREVER
        if self.inner >= 0:
            return 0 if self.sets.holds(row, self.inner) else HIDDEN
        return 0 if self.store.rows[row].level >= 0 else HIDDEN

    def derive(self, plan, level):
        """Attach the head of a matched body to the levels that the body gives it."""
        subject: cython.int = self.matcher.value(self.matcher.code[plan + HEAD_SUBJECT])
        row: cython.int
        if subject >= FIRST_LITERAL:
            return 0
        row = self.sets.row_for(
            self.matcher.code[plan + HEAD], subject, self.matcher.value(self.matcher.code[plan + HEAD_OBJECT])
        )
        if self.is_of_background(plan):
            return self.take_for_ever(row)
        if self.inner >= 0:
            self.sets.attach_only(self.inner)
        else:
            self.sets.find_attached(self.matcher.body, self.matcher.atoms_of(plan))
        return self.attach(row)

    def is_of_background(self, plan):
        """Whether all of the matched body is background."""
        atom: cython.int
        for atom in range(self.matcher.atoms_of(plan)):
            if self.store.rows[self.matcher.body[atom]].level != FOREVER:
                return False
        return True

    def take_for_ever(self, row):
        """Let the row belong to the background, and queue it if it did not."""
        if self.store.rows[row].level != FOREVER:
            self.store.rows[row].level = FOREVER
            self.enqueue(row)
        return 0

    def attach(self, row):
        """Add the levels in `attached` to those that hold `row`, and queue it if any is new."""
        if self.store.rows[row].level != FOREVER and self.sets.take_attached(row):
            self.sets.refresh(row)
            self.enqueue(row)
        return 0

    def enqueue(self, row):
        if not self.store.rows[row].flags & PENDING:
            self.store.rows[row].flags |= PENDING
            self.queue.push(row)
        return 0

    def dequeue(self):
        """A row of the queue, which is out of it now."""
        row: cython.int
        self.queue.size -= 1
        row = self.queue.items[self.queue.size]
        self.store.rows[row].flags &= ~PENDING
        return row

    def run(self):
        """Fire what is queued, to the fixpoint."""
        while self.queue.size > 0:
            self.pops += 1
            self.triggers.fire(self.dequeue(), 0, self)
        return 0

    def close_alone(self, bit: cython.int):
        """The closure of what is queued within one level, with the background; leaves it all queued."""
        i: cython.int
        row: cython.int
        closed: Ints = Ints()
        detects: cython.bint = self.detects
        with cython.nogil:
            self.inner = bit
            self.detects = False
            while self.queue.size > 0:
                row = self.dequeue()
                closed.push(row)
                self.triggers.fire(row, 0, self)
            self.inner = -1
            self.detects = detects
            for i in range(closed.size):
                self.enqueue(closed.items[i])


@cython.cclass
class AttachingAgain(Visitor):
    """Attaches one head, `head`, to the levels that the bodies behind it give it."""

    def __init__(self, attaching: Attaching):
        self.attaching = attaching
        self.matcher = attaching.matcher
        self.sets = attaching.sets
        self.head = -1

    def weigh(self, row, level, atom):
        return self.attaching.weigh(row, level, atom)

    def visit(self, plan, level):
        self.sets.find_attached(self.matcher.body, self.matcher.atoms_of(plan))
        return self.attaching.attach(self.head)


@cython.cclass
class Losing(Visitor):
    """Notes what the heads of matched bodies may lose by the lost levels of one row, `cause`.

    `touched` has the rows that may have lost levels or gained minimal sets.
    """

    def __init__(self, attaching: Attaching):
        self.attaching = attaching
        self.matcher = attaching.matcher
        self.store = attaching.store
        self.sets = attaching.sets
        self.cause = -1
        self.touched = Ints()

    def weigh(self, row, level, atom):
        return self.attaching.weigh(row, level, atom)

    def visit(self, plan, level):
        row: cython.int
        found: cython.int
        if self.matcher.code[plan + HEAD] < 0:
            return 0
        row = self.matcher.find_head(plan)
        if row < 0 or self.store.rows[row].level == FOREVER:
            return 0
        found = self.sets.lose_head(row, self.matcher.body, self.matcher.atoms_of(plan), self.cause)
        if found:
            self.touch(row)
        return self.attaching.enqueue(row) if found & 2 else 0

    def touch(self, row):
        """Note that `row` may have lost levels or gained minimal sets."""
        if not self.store.rows[row].flags & TOUCHED:
            self.store.rows[row].flags |= TOUCHED
            self.touched.push(row)
        return 0


@cython.cclass
class EveryKernel(WindowKernel):
    """The window model of one program, each fact in all its interpretations."""

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity, False)
        self.sets = LevelSets(self.store)
        self.newest = 0
        self.attaching = Attaching(self.triggers, self.sets)
        self.losing = Losing(self.attaching)
        self.again = AttachingAgain(self.attaching)
        self.deriving = self.attaching

    @property
    def oldest(self) -> int:
        """The oldest level of the window."""
        return self.sets.oldest

    @property
    def room(self) -> int:
        """How many levels there is room for."""
        return 64 * self.sets.words

    def widen(self, count: cython.int):
        """Make room for `count` levels in the window at once."""
        self.sets.widen(count)

    # -- adding and sliding ------------------------------------------------------------------------

    def add(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Assert `facts[i]` at `levels[i]`. An ABox of the newest level is closed by itself first.

        `previous[i]` becomes the base that the fact had before, -1 if it had none.
        """
        i: cython.Py_ssize_t
        row: cython.int
        bit: cython.int
        arriving: cython.bint = len(facts) > 0 and levels[0] == self.newest and levels[0] != FOREVER
        with cython.nogil:
            for i in range(len(facts)):
                row = self.sets.row_for(facts[i, 0], facts[i, 1], facts[i, 2])
                previous[i] = self.store.rows[row].base
                if levels[i] == FOREVER:
                    self.store.rows[row].base = FOREVER
                    self.attaching.take_for_ever(row)
                    continue
                bit = levels[i] - self.sets.oldest
                if not self.sets.holds(row, bit) and self.store.rows[row].level != FOREVER:
                    self.attaching.enqueue(row)
                self.sets.assert_at(row, bit)
                self.sets.refresh(row)
        if arriving:
            self.attaching.close_alone(self.newest - self.sets.oldest)
        with cython.nogil:
            self.attaching.run()

    def slide(self, oldest: cython.int):
        """The window now starts at level `oldest`. Fires no rule; costs a pass over the rows."""
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
        """Nothing is ever pending here."""

    def renumber(self, less: cython.int):
        """Lower all levels by `less`."""
        row: cython.int
        self.sets.oldest -= less
        self.newest -= less
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0:
                self.sets.refresh(row)

    def interpretation(self, level: cython.int):
        """The rows that `level` holds, an int32 array; none outside the window. Costs a pass over all."""
        found: Ints = Ints()
        row: cython.int
        bit: cython.int = level - self.sets.oldest
        if level != FOREVER and not 0 <= bit < self.room:
            return found.array()
        for row in range(self.store.used):
            if self.store.rows[row].predicate < 0:
                continue
            if (self.store.rows[row].level == FOREVER) if level == FOREVER else self.sets.holds(row, bit):
                found.push(row)
        return found.array()

    def bytes_used(self) -> int:
        """Bytes held by rows, hash tables and sets of levels."""
        return self.store.bytes_used() + 3 * 8 * self.sets.words * self.sets.held.shape[0]

    # -- retraction --------------------------------------------------------------------------------

    def cut(self, facts: cython.int[:, ::1]):
        """Take out `facts`, each with all its occurrences. Costs what is affected."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(facts)):
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row >= 0:
                self.sets.lose_all(row)
                self.lose(row)
        self.retract()

    def withdraw(self, facts: cython.int[:, ::1], previous: cython.int[::1], level: cython.int):
        """Undo `add(facts, [level …], previous)`. Costs what is affected."""
        i: cython.Py_ssize_t
        row: cython.int
        bit: cython.int = level - self.sets.oldest
        for i in range(len(facts)):
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row >= 0 and self.sets.asserts(row, bit):
                self.sets.lose_at(row, bit)
                self.lose(row)
        self.retract()

    def lose(self, row):
        """Note that `row` has lost levels, for what rests on them to be looked at."""
        self.losing.touch(row)
        self.attaching.enqueue(row)
        return 0

    def retract(self):
        """Lose what rested on the lost levels of the queued rows, then attach again all that was touched."""
        i: cython.int
        row: cython.int
        touched: Ints = self.losing.touched
        detects: cython.bint = self.attaching.detects
        with cython.nogil:
            self.attaching.detects = False
            while self.attaching.queue.size > 0:
                row = self.attaching.dequeue()
                if self.store.rows[row].level != FOREVER:
                    self.losing.cause = row
                    self.triggers.fire(row, 0, self.losing)
            for i in range(touched.size):
                row = touched.items[i]
                self.sets.let_go(row)
                self.store.rows[row].flags &= ~TOUCHED
                self.sets.refresh(row)
            for i in range(touched.size):
                row = touched.items[i]
                if self.store.rows[row].level != FOREVER:
                    self.again.head = row
                    self.triggers.explain(row, self.again)
            self.attaching.run()
            for i in range(touched.size):
                if self.store.rows[touched.items[i]].level < 0:
                    self.store.remove(touched.items[i])
            touched.size = 0
            self.attaching.detects = detects

    def check_invariants(self):
        """Assert that the rows agree with one another. Costs O(rows); for tests."""
        self.store.check_invariants()

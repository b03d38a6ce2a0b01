"""Retraction of facts and of facts that depend on them: overdeletion, then rederivation from other support.

Facts are overdeleted along rule instances whose minimum is the head's level, unless a proof remains that is
well-founded by (level descending, sequence ascending); facts with other support are then rederived, newest
first (after DRed and B/F, MN19). Where interpretations were merged, a level may depend on the reach of a
body, so minima are taken over reaches; and a row whose base or held is lowered is *shaken*: rows that took a
level from it are shaken too, and all of them search for the level given by other support.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.fixpoint import Fixpoint
    from pantarhei.materialize.kernel.matcher import Visitor
    from pantarhei.materialize.kernel.triggers import Triggers

from pantarhei.materialize.kernel.arrays import Ints
from pantarhei.materialize.kernel.store import emptied

UNLIMITED = cython.declare(cython.longlong, 1 << 62)


@cython.cclass
class Support(Visitor):
    """Search for the best level at which rule instances support their head.

    Bodies may use rows that are not doomed and settled before the mark (`mark_level`, `mark_sequence`).
    `best` is the best level found so far, `enough` the level that ends the search, `patience` the number of
    rows it may still read. `searches` counts rows read.
    """

    def __init__(self, triggers: Triggers):
        self.triggers = triggers
        self.store = triggers.store
        self.mark_level = 0
        self.mark_sequence = 0
        self.best = -1
        self.enough = 0
        self.patience = UNLIMITED
        self.searches = 0

    def holds(self, row):
        """True if a proof that settled before `row` supports it at its level.

        Reads at most PATIENCE rows, so it may miss one.
        """
        level: cython.int = self.store.rows[row].level
        self.patience = PATIENCE
        self.mark_level = level
        self.mark_sequence = self.store.rows[row].sequence
        return self.search(row, level) >= level

    def best_for(self, row, enough):
        """Return the best level at which a rule instance supports `row`; stops at `enough`."""
        self.patience = UNLIMITED
        self.mark_level = -1
        self.mark_sequence = 0
        return self.search(row, enough)

    def search(self, row, enough):
        self.best = -1
        self.enough = enough
        self.triggers.explain(row, self)
        return self.best

    def weigh(self, row, level, atom):
        """Return the row's level if it settled before the mark and may raise `best`, else HIDDEN."""
        own: cython.int = self.store.rows[row].level
        flags: cython.int = self.store.rows[row].flags
        self.searches += 1
        self.patience -= 1
        if self.patience < 0:
            return STOP
        if flags & DOOMED or own <= self.best or own < self.mark_level:
            return HIDDEN
        if own > self.mark_level:
            return own
        if self.store.rows[row].sequence >= self.mark_sequence:
            return HIDDEN
        return HIDDEN if flags & UNPROVEN and self.store.rows[row].base < own else own

    def visit(self, plan, level):
        """Record that a body supports its head at `level`; stops when that is enough."""
        if level > self.best:
            self.best = level
        return self.best >= self.enough


@cython.cclass
class Retraction(Visitor):
    """Visitor of matches with lost rows: their heads may depend on them.

    `doomed` has the overdeleted rows, `shaken` the shaken ones, `found` the heads met in a round. Work
    counter: `rederivations` facts overdeleted.
    """

    def __init__(self, fixpoint: Fixpoint):
        self.fixpoint = fixpoint
        self.levels = fixpoint.levels
        self.triggers = fixpoint.triggers
        self.matcher = fixpoint.matcher
        self.store = fixpoint.store
        self.support = Support(fixpoint.triggers)
        self.doomed = Ints()
        self.shaken = Ints()
        self.found = Ints()
        self.supported = Ints()
        self.rederivations = 0

    # -- visitor ---------------------------------------------------------------------------------------

    def weigh(self, row, level, atom):
        """Return the level up to which facts may depend on the row, HIDDEN once its dependents were
        processed.
        """
        return HIDDEN if self.store.rows[row].flags & PROCESSED else self.rested_on(row)

    def visit(self, plan, level):
        """Process a match with a lost row: a stored head may depend on it up to `level`."""
        row: cython.int
        if self.matcher.code[plan + HEAD] < 0:
            return 0
        row = self.matcher.find_head(plan)
        return self.touch(row, level) if row >= 0 else 0

    def rested_on(self, row):
        """Return the level up to which facts may depend on the row."""
        return self.levels.reach(row) if self.fixpoint.merged else self.store.rows[row].level

    # -- candidates ------------------------------------------------------------------------------------

    def lower(self, row, base):
        """Lower the base of `row` to `base` (-1: not asserted), and record the possible losses."""
        if self.fixpoint.merged and self.store.rows[row].base > max(base, self.store.rows[row].level):
            self.store.rows[row].held = max(self.store.rows[row].held, self.store.rows[row].base)
            self.shake(row)
        self.store.rows[row].base = base
        return self.consider(row)

    def shake(self, row):
        """Mark `held` of the row as unreliable."""
        if not self.store.rows[row].flags & SHAKEN:
            self.store.rows[row].flags |= SHAKEN
            self.shaken.push(row)
        return 0

    def touch(self, row, level):
        """Record that a rule instance that supported `row` up to `level` may be lost."""
        if level < self.store.rows[row].level:
            return 0
        if 0 <= self.store.rows[row].held <= level:
            self.shake(row)
        if not self.store.rows[row].flags & (NOTED | DOOMED):
            self.store.rows[row].flags |= NOTED
            self.found.push(row)
        return 0

    def consider(self, row):
        """Overdelete `row` unless its base or a well-founded proof supports it at its level."""
        level: cython.int = self.store.rows[row].level
        if self.store.rows[row].flags & DOOMED or self.store.rows[row].base >= level:
            return 0
        if self.store.rows[row].held >= level and not self.store.rows[row].flags & SHAKEN:
            return 0
        if self.support.holds(row):
            return 0
        self.store.rows[row].flags |= DOOMED
        self.doomed.push(row)
        return 0

    # -- rounds ------------------------------------------------------------------------------------

    def run(self):
        """Overdelete the dependents of doomed and shaken rows, and rederive those with other support."""
        self.overdelete()
        self.find_support()
        self.clear_doomed()
        self.queue_supported()
        self.fixpoint.run()
        self.remove_lost()
        return 0

    def overdelete(self):
        """Doom the dependents of doomed rows, and shake rows that took a level from doomed or shaken ones, in
        rounds.

        A head is considered once in a round, however many facts of a hub are doomed in it.
        """
        i: cython.int = 0
        j: cython.int
        row: cython.int
        end: cython.int
        shaken: cython.int = 0
        while i < self.doomed.size or shaken < self.shaken.size:
            end = self.doomed.size
            self.found.size = 0
            while i < end:
                row = self.doomed.items[i]
                self.triggers.fire(row, self.rested_on(row), self)
                self.store.rows[row].flags |= PROCESSED
                i += 1
            end = self.shaken.size
            while shaken < end:
                row = self.shaken.items[shaken]
                if not self.store.rows[row].flags & PROCESSED:
                    self.triggers.fire(row, self.levels.reach(row), self)
                shaken += 1
            for j in range(self.found.size):
                self.store.rows[self.found.items[j]].flags &= ~NOTED
            for j in range(self.found.size):
                self.consider(self.found.items[j])
        return 0

    def affected(self, i):
        """Return the affected row with index `i`: doomed rows first, then shaken ones."""
        return self.doomed.items[i] if i < self.doomed.size else self.shaken.items[i - self.doomed.size]

    def find_support(self):
        """Fill `supported` with the level that other support gives each affected row, at most its former
        reach.
        """
        i: cython.int
        row: cython.int
        for i in range(self.doomed.size + self.shaken.size):
            row = self.affected(i)
            self.supported.push(self.support.best_for(row, self.levels.reach(row)))
        return 0

    def clear_doomed(self):
        """Remove the doomed rows from their lists; they are hidden until they are rederived."""
        i: cython.int
        row: cython.int
        self.rederivations += self.doomed.size
        for i in range(self.shaken.size):
            self.store.rows[self.shaken.items[i]].held = -1
            self.store.rows[self.shaken.items[i]].flags &= ~SHAKEN
        for i in range(self.doomed.size):
            row = self.doomed.items[i]
            self.levels.delist(row)
            if self.store.notes_levels:
                self.store.note_level(row)
            self.store.rows[row].level = -1
            self.store.rows[row].flags &= EDGE | ARRIVED
            self.store.rows[row].flags |= PENDING
        return 0

    def queue_supported(self):
        """Queue each doomed row at the level of its other support, and each shaken row where that level is
        higher.
        """
        i: cython.int
        row: cython.int
        level: cython.int
        for i in range(self.supported.size):
            row = self.affected(i)
            level = self.supported.items[i]
            if i < self.doomed.size and self.levels.reach(row) > level:
                level = self.levels.reach(row)
            if level >= self.levels.oldest and level > self.store.rows[row].level:
                self.levels.enqueue(row, level)
                if self.fixpoint.merged:
                    self.store.rows[row].flags |= UNPROVEN
        return 0

    def remove_lost(self):
        """Remove the doomed rows without other support."""
        i: cython.int
        for i in range(self.doomed.size):
            if self.store.rows[self.doomed.items[i]].level < 0:
                self.store.remove(self.doomed.items[i])
        return 0

    def empty(self):
        """Reset the lists; large ones are reallocated."""
        self.doomed, self.shaken = emptied(self.doomed), emptied(self.shaken)
        self.found, self.supported = emptied(self.found), emptied(self.supported)

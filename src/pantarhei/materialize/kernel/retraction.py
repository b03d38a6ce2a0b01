"""Retraction by overdeletion and rederivation (after DRed and backward/forward search, MN19).

1. Overdeletion. A fact that may have lost its support is overdeleted, unless a derivation remains that is
   well-founded by (level descending, sequence ascending). Overdeletion propagates to the heads of rule
   instances whose smallest body level is the level of the head.
2. Rederivation. Each overdeleted fact is queued again at the highest level that its other support gives it;
   the fixpoint runs; facts without support are removed.

Where interpretations were merged, the level of a fact may come from the renewal level of a body, so smallest
levels are computed from renewal levels. If the assertion level or merged level of a row is lowered, its
merged level, and the merged levels of rows that took theirs from it, become *unreliable*; the level of all
these rows is then searched for again.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.fixpoint import Fixpoint
    from pantarhei.materialize.kernel.matcher import Visitor
    from pantarhei.materialize.kernel.triggers import Triggers

from pantarhei.materialize.kernel.arrays import Ints
from pantarhei.materialize.kernel.store import cleared

UNLIMITED = cython.declare(cython.longlong, 1 << 62)


@cython.cclass
class Support(Visitor):
    """Search for the highest level that some rule instance gives its head.

    Bodies may only use rows that are not overdeleted and that settled before the mark (`mark_level`,
    `mark_sequence`). `best` is the highest level found so far, `enough` the level that ends the search,
    `reads_left` the number of rows that the search may still read. `searches` counts the rows read.
    """

    def __init__(self, triggers: Triggers):
        self.triggers = triggers
        self.store = triggers.store
        self.mark_level = 0
        self.mark_sequence = 0
        self.best = -1
        self.enough = 0
        self.reads_left = UNLIMITED
        self.searches = 0

    def is_supported(self, row):
        """Return true if `row` has a derivation at its level from rows that settled before it.

        Reads at most MAX_SUPPORT_READS rows, so a derivation may be missed.
        """
        level: cython.int = self.store.rows[row].level
        self.reads_left = MAX_SUPPORT_READS
        self.mark_level = level
        self.mark_sequence = self.store.rows[row].sequence
        return self.search(row, level) >= level

    def best_for(self, row, enough):
        """Return the highest level at which a rule instance supports `row`, -1 if none does. Stops at level
        `enough`.
        """
        self.reads_left = UNLIMITED
        self.mark_level = -1
        self.mark_sequence = 0
        return self.search(row, enough)

    def search(self, row, enough):
        self.best = -1
        self.enough = enough
        self.triggers.fire_backward(row, self)
        return self.best

    def weigh(self, row, level, atom):
        """Return the row's level if the row settled before the mark and can raise `best`, else HIDDEN."""
        own: cython.int = self.store.rows[row].level
        flags: cython.int = self.store.rows[row].flags
        self.searches += 1
        self.reads_left -= 1
        if self.reads_left < 0:
            return STOP
        if flags & OVERDELETED or own <= self.best or own < self.mark_level:
            return HIDDEN
        if own > self.mark_level:
            return own
        if self.store.rows[row].sequence >= self.mark_sequence:
            return HIDDEN
        return HIDDEN if flags & UNPROVEN and self.store.rows[row].assertion_level < own else own

    def visit(self, plan, level):
        """Record that a body supports its head at `level`. Ends the search if the level is high enough."""
        if level > self.best:
            self.best = level
        return self.best >= self.enough


@cython.cclass
class Retraction(Visitor):
    """Visitor of the matches of lost rows, whose heads may depend on them.

    `overdeleted` has the overdeleted rows, `unreliable` the rows with an unreliable merged level,
    `affected_heads` the heads met in one round, `support_levels` the levels found for all affected rows. The
    work counter `rederivations` counts overdeleted facts.
    """

    def __init__(self, fixpoint: Fixpoint):
        self.fixpoint = fixpoint
        self.levels = fixpoint.levels
        self.triggers = fixpoint.triggers
        self.matcher = fixpoint.matcher
        self.store = fixpoint.store
        self.support = Support(fixpoint.triggers)
        self.overdeleted = Ints()
        self.unreliable = Ints()
        self.affected_heads = Ints()
        self.support_levels = Ints()
        self.rederivations = 0

    # -- visitor ---------------------------------------------------------------------------------------

    def weigh(self, row, level, atom):
        """Return the level up to which facts may depend on the row; HIDDEN if its dependents were processed
        before.
        """
        return HIDDEN if self.store.rows[row].flags & PROCESSED else self.dependency_level(row)

    def visit(self, plan, level):
        """Record that the head of the match, if it is stored, may have depended on it up to `level`."""
        row: cython.int
        if self.matcher.code[plan + HEAD] < 0:
            return 0
        row = self.matcher.find_head(plan)
        return self.record_loss(row, level) if row >= 0 else 0

    def dependency_level(self, row):
        """Return the level up to which facts may depend on the row."""
        return self.levels.renewal_level(row) if self.fixpoint.merged else self.store.rows[row].level

    # -- candidates ------------------------------------------------------------------------------------

    def lower_assertion(self, row, level):
        """Lower the assertion level of `row` to `level` (-1: not asserted), and overdelete the row if it has
        no other support.
        """
        before: cython.int = self.store.rows[row].assertion_level
        if self.fixpoint.merged and before > max(level, self.store.rows[row].level):
            self.store.rows[row].merged_level = max(self.store.rows[row].merged_level, before)
            self.mark_unreliable(row)
        self.store.rows[row].assertion_level = level
        return self.overdelete_unsupported(row)

    def mark_unreliable(self, row):
        """Flag the merged level of `row` as unreliable."""
        if not self.store.rows[row].flags & UNRELIABLE:
            self.store.rows[row].flags |= UNRELIABLE
            self.unreliable.push(row)
        return 0

    def record_loss(self, row, level):
        """Record that `row` may have lost a rule instance that supported it up to `level`."""
        if level < self.store.rows[row].level:
            return 0
        if 0 <= self.store.rows[row].merged_level <= level:
            self.mark_unreliable(row)
        if not self.store.rows[row].flags & (COLLECTED | OVERDELETED):
            self.store.rows[row].flags |= COLLECTED
            self.affected_heads.push(row)
        return 0

    def overdelete_unsupported(self, row):
        """Overdelete `row` unless its assertion level, its merged level or a well-founded derivation supports
        its level.
        """
        level: cython.int = self.store.rows[row].level
        if self.store.rows[row].flags & OVERDELETED or self.store.rows[row].assertion_level >= level:
            return 0
        if self.store.rows[row].merged_level >= level and not self.store.rows[row].flags & UNRELIABLE:
            return 0
        if self.support.is_supported(row):
            return 0
        self.store.rows[row].flags |= OVERDELETED
        self.overdeleted.push(row)
        return 0

    # -- rounds ------------------------------------------------------------------------------------

    def run(self):
        """Overdelete the dependents of overdeleted and unreliable rows, and rederive the facts with other
        support.
        """
        self.overdelete()
        self.find_support()
        self.unlink_overdeleted()
        self.queue_rederived()
        self.fixpoint.run()
        self.remove_unsupported()
        return 0

    def overdelete(self):
        """Overdelete in rounds. A row is overdeleted if it depends on overdeleted rows only; its merged level
        becomes unreliable if it comes from an overdeleted or unreliable row.

        A head is checked once in each round, even if many facts of its bodies are overdeleted in the round.
        """
        i: cython.int = 0
        j: cython.int
        row: cython.int
        end: cython.int
        checked: cython.int = 0
        while i < self.overdeleted.size or checked < self.unreliable.size:
            end = self.overdeleted.size
            self.affected_heads.size = 0
            while i < end:
                row = self.overdeleted.items[i]
                self.triggers.fire(row, self.dependency_level(row), self)
                self.store.rows[row].flags |= PROCESSED
                i += 1
            end = self.unreliable.size
            while checked < end:
                row = self.unreliable.items[checked]
                if not self.store.rows[row].flags & PROCESSED:
                    self.triggers.fire(row, self.levels.renewal_level(row), self)
                checked += 1
            for j in range(self.affected_heads.size):
                self.store.rows[self.affected_heads.items[j]].flags &= ~COLLECTED
            for j in range(self.affected_heads.size):
                self.overdelete_unsupported(self.affected_heads.items[j])
        return 0

    def affected(self, i):
        """Return the affected row with index `i`, in the order: overdeleted rows, then unreliable rows."""
        if i < self.overdeleted.size:
            return self.overdeleted.items[i]
        return self.unreliable.items[i - self.overdeleted.size]

    def find_support(self):
        """Set `support_levels` to the level that other support gives each affected row, at most its former
        renewal level.
        """
        i: cython.int
        row: cython.int
        for i in range(self.overdeleted.size + self.unreliable.size):
            row = self.affected(i)
            self.support_levels.push(self.support.best_for(row, self.levels.renewal_level(row)))
        return 0

    def unlink_overdeleted(self):
        """Remove the overdeleted rows from their lists, and clear unreliable merged levels. Overdeleted rows
        match no rule until they are rederived.
        """
        i: cython.int
        row: cython.int
        self.rederivations += self.overdeleted.size
        for i in range(self.unreliable.size):
            self.store.rows[self.unreliable.items[i]].merged_level = -1
            self.store.rows[self.unreliable.items[i]].flags &= ~UNRELIABLE
        for i in range(self.overdeleted.size):
            row = self.overdeleted.items[i]
            self.levels.unlink(row)
            if self.store.records_levels:
                self.store.record_level(row)
            self.store.rows[row].level = -1
            self.store.rows[row].flags &= EDGE | INSERTED
            self.store.rows[row].flags |= PENDING
        return 0

    def queue_rederived(self):
        """Queue each overdeleted row at the level of its other support, and each unreliable row if that level
        is above its level.
        """
        i: cython.int
        row: cython.int
        level: cython.int
        for i in range(self.support_levels.size):
            row = self.affected(i)
            level = self.support_levels.items[i]
            if i < self.overdeleted.size and self.levels.renewal_level(row) > level:
                level = self.levels.renewal_level(row)
            if level >= self.levels.oldest and level > self.store.rows[row].level:
                self.levels.enqueue(row, level)
                if self.fixpoint.merged:
                    self.store.rows[row].flags |= UNPROVEN
        return 0

    def remove_unsupported(self):
        """Remove the overdeleted rows that were not rederived."""
        i: cython.int
        for i in range(self.overdeleted.size):
            if self.store.rows[self.overdeleted.items[i]].level < 0:
                self.store.remove(self.overdeleted.items[i])
        return 0

    def reset(self):
        """Empty the lists, and replace those with a large capacity."""
        self.overdeleted, self.unreliable = cleared(self.overdeleted), cleared(self.unreliable)
        self.affected_heads, self.support_levels = cleared(self.affected_heads), cleared(self.support_levels)

"""Facts are taken out, and what rested on them: overdeletion, and derivation of what has other support.

Retraction overdeletes along rule instances whose minimum is the head's level, unless a proof remains that is
well-founded by (level descending, sequence ascending), then rederives what has other support, newest first
(after DRed and B/F, MN19). Where interpretations were merged, a level may rest on the reach of a body, so
minima are taken over that; and a row whose base or held sinks is *shaken*: what noted its level because of it
is shaken too, and all of them look for the level that other support gives.

The search for what else holds a fact up, at which level.
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
    """Finds the best level at which bodies hold their head up.

    Bodies may use rows that are not doomed and settled before the mark, (`mark_level`, `mark_sequence`).
    `best` is the best level found so far, `enough` the one that ends the search, `patience` how many more
    rows it may look at. `searches` counts the rows looked at.
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
        """Whether a proof that settled before `row` holds it up at its level.

        Looks at PATIENCE rows only, so that it may miss one.
        """
        level: cython.int = self.store.rows[row].level
        self.patience = PATIENCE
        self.mark_level = level
        self.mark_sequence = self.store.rows[row].sequence
        return self.search(row, level) >= level

    def best_for(self, row, enough):
        """The best level at which any rule instance holds up `row`; one that is `enough` will do."""
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
        """The row's level if it settled before the mark and may raise `best`, else HIDDEN."""
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
        """A body holds its head up at `level`; the search ends when that is enough."""
        if level > self.best:
            self.best = level
        return self.best >= self.enough


@cython.cclass
class Retraction(Visitor):
    """Visits what is matched with rows that are lost: its heads may have rested on them.

    `doomed` has the rows that are overdeleted, `shaken` those that are shaken, `found` the heads met in a
    round. Work counter: `rederivations` facts overdeleted.
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

    # -- what a match means ------------------------------------------------------------------------

    def weigh(self, row, level, atom):
        """The level up to which others may rest on the row, HIDDEN once what rested on it was looked at."""
        return HIDDEN if self.store.rows[row].flags & PROCESSED else self.rested_on(row)

    def visit(self, plan, level):
        """A row of a matched body is lost: its head, if stored, may have rested on it as far as `level`."""
        row: cython.int
        if self.matcher.code[plan + HEAD] < 0:
            return 0
        row = self.matcher.find_head(plan)
        return self.touch(row, level) if row >= 0 else 0

    def rested_on(self, row):
        """The level up to which others may rest on the row."""
        return self.levels.reach(row) if self.fixpoint.merged else self.store.rows[row].level

    # -- what may be lost --------------------------------------------------------------------------

    def lower(self, row, base):
        """Lower the base of `row` to `base` (-1: asserted no more), and note what that may take away."""
        if self.fixpoint.merged and self.store.rows[row].base > max(base, self.store.rows[row].level):
            self.store.rows[row].held = max(self.store.rows[row].held, self.store.rows[row].base)
            self.shake(row)
        self.store.rows[row].base = base
        return self.consider(row)

    def shake(self, row):
        """Note that `held` of the row is no longer to be trusted."""
        if not self.store.rows[row].flags & SHAKEN:
            self.store.rows[row].flags |= SHAKEN
            self.shaken.push(row)
        return 0

    def touch(self, row, level):
        """A rule instance that held up `row` as far as `level` may be lost: note what has to be looked at."""
        if level < self.store.rows[row].level:
            return 0
        if 0 <= self.store.rows[row].held <= level:
            self.shake(row)
        if not self.store.rows[row].flags & (NOTED | DOOMED):
            self.store.rows[row].flags |= NOTED
            self.found.push(row)
        return 0

    def consider(self, row):
        """Overdelete `row` unless its base or a well-founded proof still holds it at its level."""
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
        """Overdelete what rested on the doomed and the shaken, and derive again what has other support."""
        self.overdelete()
        self.find_support()
        self.clear_doomed()
        self.queue_supported()
        self.fixpoint.run()
        self.remove_lost()
        return 0

    def overdelete(self):
        """Doom what rests on the doomed, and shake what noted a level because of them or of the shaken, round
        by round, until nothing more does.

        A head is considered once a round, however many of a hub's facts are doomed in it.
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
        """The doomed rows, then the shaken ones, by their places."""
        return self.doomed.items[i] if i < self.doomed.size else self.shaken.items[i - self.doomed.size]

    def find_support(self):
        """Put into `supported` the level that other support gives each affected row.

        Nothing holds one up above its former reach.
        """
        i: cython.int
        row: cython.int
        for i in range(self.doomed.size + self.shaken.size):
            row = self.affected(i)
            self.supported.push(self.support.best_for(row, self.levels.reach(row)))
        return 0

    def clear_doomed(self):
        """Take the doomed rows out of their lists, hidden until they are derived again."""
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
        """Queue each doomed row at the level its other support gives, and each shaken one where that raises
        it.
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
        """Remove the doomed rows that found no support."""
        i: cython.int
        for i in range(self.doomed.size):
            if self.store.rows[self.doomed.items[i]].level < 0:
                self.store.remove(self.doomed.items[i])
        return 0

    def empty(self):
        """Make ready for the next retraction; room that a large one took is given back."""
        self.doomed, self.shaken = emptied(self.doomed), emptied(self.shaken)
        self.found, self.supported = emptied(self.found), emptied(self.supported)

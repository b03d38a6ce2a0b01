"""The search for what else holds a fact up, at which level."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.triggers import Triggers
    from pantarhei.materialize.kernel.visitor import Visitor

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

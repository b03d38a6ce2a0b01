"""Matches of bodies that the program does not have."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.store import Store
    from pantarhei.materialize.kernel.visitor import Visitor

from pantarhei.materialize.kernel.arrays import Ints
from pantarhei.materialize.kernel.matcher import Matcher


@cython.cclass
class BodyMatches(Visitor):
    """Collects what the variables of one body are bound to.

    `found` has the lowest level of each match, and what its variables are bound to. `candidates` counts the
    rows looked at.

    Args:
        code, triggers: of a `rules.compilation.body_plan.BodyPlan`.
        variables: how many variables it has.
        edges_noted: as a `Matcher` takes it.
    """

    def __init__(self, store: Store, code, triggers: cython.int[:, ::1], variables: cython.int, edges_noted):
        self.store = store
        self.triggers = triggers
        self.variables = variables
        self.matcher = Matcher(store, code, len(triggers), variables, (), edges_noted, 0)
        self.given = Ints()
        self.absent = Ints()
        self.hidden = Ints()
        self.found = Ints()
        self.candidates = 0

    def weigh(self, row, level):
        """The row's level; HIDDEN if the row is not to be matched."""
        self.candidates += 1
        return HIDDEN if self.store.rows[row].flags & DOOMED else self.store.rows[row].level

    def visit(self, plan, level):
        """Append the lowest level in a match, and what the variables are bound to.

        A match with several of the given facts is found from each of them: only the find from the one that
        comes first in the body counts.
        """
        i: cython.int
        lowest: cython.int = FOREVER
        for i in range(self.matcher.atoms_of(plan)):
            if (
                i < self.matcher.code[plan + TRIGGER_ATOM]
                and self.store.rows[self.matcher.body[i]].flags & NOTED
            ):
                return 0
            lowest = min(lowest, self.store.rows[self.matcher.body[i]].level)
        self.found.push(lowest)
        for i in range(self.variables):
            self.found.push(self.matcher.slots[i])
        return 0

    def with_(self, facts: cython.int[:, ::1], without: cython.int[:, ::1]):
        """Every match with one of `facts`, each once: int32 rows `level, bindings of variables…`.

        The body is matched to the rows, and to those of `facts` that are not stored as if they were, at
        FOREVER; but not to `without`. Costs the matches, and the rows looked at on the way.
        """
        try:
            with cython.nogil:
                self.give(facts)
                self.hide(without)
                self.enumerate()
        finally:
            self.take_back()
        return self.found.array().reshape(-1, 1 + self.variables)

    def hide(self, without):
        """Hide the rows of these facts."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(without)):
            row = self.store.find(without[i, 0], without[i, 1], without[i, 2])
            if row >= 0:
                self.hidden.push(row)
                self.store.rows[row].flags |= DOOMED
        return 0

    def give(self, facts):
        """Note the rows of these facts; those that have none get one for now."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(facts)):
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row < 0:
                row = self.store.insert(facts[i, 0], facts[i, 1], facts[i, 2], 0)
                self.store.rows[row].level = FOREVER
                self.absent.push(row)
            if not self.store.rows[row].flags & NOTED:
                self.given.push(row)
                self.store.rows[row].flags |= NOTED
        return 0

    def enumerate(self):
        """Match the body from each of its atoms on, beginning with the given rows."""
        plan: cython.Py_ssize_t
        i: cython.int
        row: cython.int
        for plan in range(len(self.triggers)):
            for i in range(self.given.size):
                row = self.given.items[i]
                if (
                    self.store.rows[row].predicate == self.triggers[plan, 0]
                    and not self.store.rows[row].flags & DOOMED
                ):
                    self.candidates += 1
                    self.matcher.begin(
                        self.triggers[plan, 1],
                        row,
                        self.store.rows[row].subject,
                        self.store.rows[row].object,
                        FOREVER,
                        self,
                    )
        return 0

    def take_back(self):
        """Leave the rows as they were."""
        i: cython.int
        for i in range(self.hidden.size):
            self.store.rows[self.hidden.items[i]].flags &= ~DOOMED
        for i in range(self.given.size):
            self.store.rows[self.given.items[i]].flags &= ~NOTED
        for i in range(self.absent.size):
            self.store.remove(self.absent.items[i])
        return 0

"""Rows flagged as edges of transitive properties: joins with edges only walk these.

A row is flagged when it is asserted, when a rule derives it that is neither transitivity nor a copy, and when
it is copied from a flagged one; also where it is stored already. It stays flagged until it is removed: as an
edge it counts at its level, so that nothing is to be done where it is an edge no more.

A row that is flagged after it was popped from the queue hands its flag on to what is copied from it. Nothing
else follows: what the new edge can be joined to, the path is joined to that it was derived from.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.levels import Levels
    from pantarhei.materialize.kernel.proofs import Proofs

from pantarhei.materialize.kernel.arrays import ints_of


@cython.cclass
class Edges(Proofs):
    """Rows by level, with the edges of transitive properties flagged."""

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity)
        self.levels = Levels(self.store, self.known)
        self.edge_atoms = ints_of([*plans.edge_atoms, NONE])
        self.copies = ints_of([*plans.copies, 0])
        self.edges_noted = ints_of([*plans.edges_noted, 0])
        self.new_edges = Ints()
        self.plan_copies()
        self.plan_partners()

    def plan_copies(self):
        """Group the plans that copy by predicate."""
        chosen = []
        starts = [0]
        for predicate in range(self.known):
            places = range(self.forward.start[predicate], self.forward.start[predicate + 1])
            plans = [self.forward.plans[i] for i in places]
            chosen += [plan for plan in plans if self.copies[self.code[plan + RULE]]]
            starts.append(len(chosen))
        self.copy_plans, self.copy_start = ints_of(chosen), ints_of(starts)

    def makes_edge(self, plan):
        """Whether the matched body makes the head of `plan`, whose edges are noted, an edge."""
        rule: cython.int = self.code[plan + RULE]
        if self.edge_atoms[rule] != NONE:
            return False
        return self.copies[rule] == 0 or self.is_edge(self.body[0])

    def edge_of(self, predicate):
        """The flag of a new row of an asserted fact."""
        return EDGE if self.has_edges(predicate) else 0

    def flag(self, row):
        """Note that the fact of `row`, which was there before, is an edge of its property, if it has any.

        The row is flagged as soon as no chain is being walked.
        """
        if self.has_edges(self.store.rows[row].predicate) and not self.is_edge(row):
            self.new_edges.push(row)
        return 0

    def hand_on(self):
        """Flag the row that was noted last, and note what is copied from it."""
        i: cython.int
        row: cython.int
        predicate: cython.int
        self.new_edges.size -= 1
        row = self.new_edges.items[self.new_edges.size]
        if self.is_edge(row):
            return 0
        self.store.make_edge(row)
        if self.store.rows[row].flags & PENDING:
            return 0  # it will hand on when it is popped
        predicate = self.store.rows[row].predicate
        for i in range(self.copy_start[predicate], self.copy_start[predicate + 1]):
            self.begin(
                self.copy_plans[i],
                row,
                self.store.rows[row].subject,
                self.store.rows[row].object,
                self.store.rows[row].level,
            )
        return 0

    def check_invariants(self):
        """Assert that rows, lists and flags agree. Costs O(rows); for tests."""
        Proofs.check_invariants(self)
        self.levels.check_invariants(self.oldest, self.newest)
        row: cython.int
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0 and self.has_edges(self.store.rows[row].predicate):
                assert self.is_edge(row) or self.store.rows[row].base < self.oldest, "an assertion is no edge"
        assert self.new_edges.size == 0, "an edge is not handed on"

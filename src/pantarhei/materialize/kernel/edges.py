"""Edges of transitive properties: the facts that transitivity joins with.

A row is flagged EDGE when it is asserted, when a rule other than transitivity or a copy derives it, and when
it is copied from a flagged row, also if it is stored already. It keeps the flag until it is removed: a former
edge is a derived fact of the same level, so joins with it stay sound.

A row flagged after it was processed passes the flag on to its copies. No other rule instance is added: facts
that join with the new edge were joined with the path from which it was derived.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Matcher

from pantarhei.materialize.kernel.arrays import Ints, ints_of


@cython.cclass
class Edges:
    """Edge flags; `pending` holds rows to flag, some of which may have the flag already."""

    def __init__(self, matcher: Matcher, plans):
        self.matcher = matcher
        self.store = matcher.store
        self.copies = ints_of([*plans.copies, 0])
        self.pending = Ints()
        self.plan_copies(plans)

    def plan_copies(self, plans):
        """Group the copying plans by predicate."""
        forward = plans.forward
        chosen = []
        starts = [0]
        for predicate in range(len(forward.start) - 1):
            own = forward.plans[forward.start[predicate] : forward.start[predicate + 1]]
            chosen += [plan for plan in own if self.copies[plans.code[plan + RULE]]]
            starts.append(len(chosen))
        self.copy_plans, self.copy_start = ints_of(chosen), ints_of(starts)

    def derives_edge(self, plan):
        """True if the matched body makes the head of `plan` an edge."""
        rule: cython.int = self.matcher.code[plan + RULE]
        if self.matcher.edge_atoms[rule] != NONE:
            return False
        return self.copies[rule] == 0 or self.matcher.is_edge(self.matcher.body[0])

    def edge_flag(self, predicate):
        """Return the flag of a new row of an asserted fact."""
        return EDGE if self.matcher.has_edges(predicate) else 0

    def schedule_flag(self, row):
        """Schedule the EDGE flag for the stored fact of `row`, if its property has edges.

        The flag is set when no chain is being iterated.
        """
        if self.matcher.has_edges(self.store.rows[row].predicate) and not self.matcher.is_edge(row):
            self.pending.push(row)
        return 0

    def propagate_flag(self, visitor):
        """Flag the last scheduled row, and let `visitor` derive its copies."""
        i: cython.int
        row: cython.int
        predicate: cython.int
        self.pending.size -= 1
        row = self.pending.items[self.pending.size]
        if self.matcher.is_edge(row):
            return 0
        self.store.make_edge(row)
        if self.store.rows[row].flags & PENDING:
            return 0  # its copies are derived when it is processed
        predicate = self.store.rows[row].predicate
        for i in range(self.copy_start[predicate], self.copy_start[predicate + 1]):
            self.matcher.begin(
                self.copy_plans[i],
                row,
                self.store.rows[row].subject,
                self.store.rows[row].object,
                self.store.rows[row].level,
                visitor,
            )
        return 0

    def check_invariants(self, oldest: cython.int):
        """Assert that facts asserted from the level `oldest` on are flagged. Costs O(rows); for tests."""
        row: cython.int
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0 and self.matcher.has_edges(self.store.rows[row].predicate):
                assert self.matcher.is_edge(row) or self.store.rows[row].assertion_level < oldest, (
                    "an assertion is no edge"
                )
        assert self.pending.size == 0, "an edge is not handed on"

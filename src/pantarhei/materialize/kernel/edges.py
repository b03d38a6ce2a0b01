"""Edges of transitive properties: the facts with which the transitivity rule extends paths.

A row is flagged EDGE in three cases: its fact is asserted; its fact is derived by a rule that is neither
transitivity nor a *copy* rule (subproperty, inverse or symmetric property); a copy rule derives its fact from
an edge. A fact that is stored already gets the flag too. The flag stays until the row is removed: a former
edge is still a derived fact of the same level, so joins with it stay sound.

If a row is flagged after it was processed, its copies are flagged too. No other rule instance is missed:
facts that join with the new edge were joined with the path from which its fact had been derived.
`rules.compilation.program.RuleEdges` describes why joins with edges suffice.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Matcher

from pantarhei.materialize.kernel.arrays import Ints, ints_of


@cython.cclass
class Edges:
    """Flags of the facts that are edges. `pending` has rows to flag; some may have the flag already."""

    def __init__(self, matcher: Matcher, plans):
        self.matcher = matcher
        self.store = matcher.store
        self.copies = ints_of([*plans.copies, 0])
        self.pending = Ints()
        self.plan_copies(plans)

    def plan_copies(self, plans):
        """Group the plans of copy rules by the predicate of their body."""
        forward = plans.forward
        chosen = []
        starts = [0]
        for predicate in range(len(forward.start) - 1):
            own = forward.plans[forward.start[predicate] : forward.start[predicate + 1]]
            chosen += [plan for plan in own if self.copies[plans.code[plan + RULE]]]
            starts.append(len(chosen))
        self.copy_plans, self.copy_start = ints_of(chosen), ints_of(starts)

    def derives_edge(self, plan):
        """Return true if the head that `plan` derives from the matched body is an edge of a transitive
        property.
        """
        rule: cython.int = self.matcher.code[plan + RULE]
        if self.matcher.edge_atoms[rule] != NONE:
            return False
        return self.copies[rule] == 0 or self.matcher.is_edge(self.matcher.body[0])

    def edge_flag(self, predicate):
        """Return the flag for a new row of an asserted fact: EDGE if its property has edges, else 0."""
        return EDGE if self.matcher.has_edges(predicate) else 0

    def schedule_flag(self, row):
        """Add the stored fact of `row` to `pending` if its property has edges and the flag is missing.

        Flags are set later, since a flag moves the row to another chain, which might be iterated now.
        """
        if self.matcher.has_edges(self.store.rows[row].predicate) and not self.matcher.is_edge(row):
            self.pending.push(row)
        return 0

    def propagate_flag(self, visitor):
        """Flag the last row of `pending` as an edge, and let `visitor` derive its copies."""
        i: cython.int
        row: cython.int
        predicate: cython.int
        self.pending.size -= 1
        row = self.pending.items[self.pending.size]
        if self.matcher.is_edge(row):
            return 0
        self.store.make_edge(row)
        if self.store.rows[row].flags & PENDING:
            return 0  # its copies are derived when it is taken from the queue
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
        """Assert that the facts asserted at level `oldest` or above are flagged. Costs time linear in the
        rows; for tests.
        """
        row: cython.int
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0 and self.matcher.has_edges(self.store.rows[row].predicate):
                assert self.matcher.is_edge(row) or self.store.rows[row].assertion_level < oldest, (
                    "an assertion is no edge"
                )
        assert self.pending.size == 0, "an edge is not handed on"

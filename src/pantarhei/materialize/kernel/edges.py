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
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Matcher

from pantarhei.materialize.kernel.arrays import Ints, ints_of


@cython.cclass
class Edges:
    """Which rows are edges; `news` has those that are to be flagged, some of which may be flagged already."""

    def __init__(self, matcher: Matcher, plans):
        self.matcher = matcher
        self.store = matcher.store
        self.copies = ints_of([*plans.copies, 0])
        self.news = Ints()
        self.plan_copies(plans)

    def plan_copies(self, plans):
        """Group the plans that copy by predicate."""
        forward = plans.forward
        chosen = []
        starts = [0]
        for predicate in range(len(forward.start) - 1):
            own = forward.plans[forward.start[predicate] : forward.start[predicate + 1]]
            chosen += [plan for plan in own if self.copies[plans.code[plan + RULE]]]
            starts.append(len(chosen))
        self.copy_plans, self.copy_start = ints_of(chosen), ints_of(starts)

    def makes_edge(self, plan):
        """Whether the matched body makes the head of `plan`, whose edges are noted, an edge."""
        rule: cython.int = self.matcher.code[plan + RULE]
        if self.matcher.edge_atoms[rule] != NONE:
            return False
        return self.copies[rule] == 0 or self.matcher.is_edge(self.matcher.body[0])

    def edge_of(self, predicate):
        """The flag of a new row of an asserted fact."""
        return EDGE if self.matcher.has_edges(predicate) else 0

    def flag(self, row):
        """Note that the fact of `row`, which was there before, is an edge of its property, if it has any.

        The row is flagged as soon as no chain is being walked.
        """
        if self.matcher.has_edges(self.store.rows[row].predicate) and not self.matcher.is_edge(row):
            self.news.push(row)
        return 0

    def hand_on(self, visitor):
        """Flag the row that was noted last, and let `visitor` derive what is copied from it."""
        i: cython.int
        row: cython.int
        predicate: cython.int
        self.news.size -= 1
        row = self.news.items[self.news.size]
        if self.matcher.is_edge(row):
            return 0
        self.store.make_edge(row)
        if self.store.rows[row].flags & PENDING:
            return 0  # it will hand on when it is popped
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
        """Assert that what is asserted from the level `oldest` on is flagged. Costs O(rows); for tests."""
        row: cython.int
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0 and self.matcher.has_edges(self.store.rows[row].predicate):
                assert self.matcher.is_edge(row) or self.store.rows[row].base < oldest, (
                    "an assertion is no edge"
                )
        assert self.news.size == 0, "an edge is not handed on"

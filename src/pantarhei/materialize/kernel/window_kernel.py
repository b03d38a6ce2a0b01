"""Common part of both kernels of the window model: rows, plans, violations and lineages."""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import ints_of
from pantarhei.materialize.kernel.body_matches import BodyMatches
from pantarhei.materialize.kernel.lineage import LineageWalk
from pantarhei.materialize.kernel.matcher import Matcher
from pantarhei.materialize.kernel.store import Store
from pantarhei.materialize.kernel.triggers import Triggers


@cython.cclass
class WindowKernel:
    """Rows and plans of a window model.

    Subclasses create `derivation`, the visitor that derives facts. Work counters: `pops` and `firings`
    (triggers.py); `candidates`, the plans started and the rows read to select or match them.

    Args:
        plans: a `rules.compilation.program.Plans`.
        capacity: initial number of rows.
        by_edges: true if edges of transitive properties are distinguished (edges.py).
    """

    def __init__(self, plans, capacity: cython.int, by_edges: cython.bint):
        self.store = Store(capacity)
        for predicate in plans.indexed_by_subject:
            self.store.index(predicate, True, False)
        for predicate in plans.indexed_by_object:
            self.store.index(predicate, False, True)
        predicates = len(plans.forward.start)  # number of predicates in the program, plus one
        self.matcher = Matcher(
            self.store,
            plans.code,
            plans.widest_body,
            plans.most_variables,
            plans.edge_atoms if by_edges else [NONE] * len(plans.edge_atoms),
            ints_of([*plans.edges_noted, 0] if by_edges else [0] * predicates),
            plans.membership_bytes,
        )
        self.triggers = Triggers(self.matcher, plans)

    def use_literals(self, literals):
        """Use `literals` for data ranges and built-ins (`Matcher.use_literals`)."""
        self.matcher.use_literals(literals)

    # -- violations and proofs ---------------------------------------------------------------------

    @property
    def detect(self) -> bool:
        """True if violations are recorded."""
        return self.derivation.detects

    @detect.setter
    def detect(self, wanted: bool) -> None:
        self.derivation.detects = wanted

    def find_violations(self):
        """Record every match of a constraint. Costs a pass over all rows, and the joins of the
        constraints.
        """
        row: cython.int
        with cython.nogil:
            self.triggers.choose_constraints()
            for row in range(self.store.used):
                if self.store.rows[row].predicate >= 0:
                    self.triggers.fire_chosen(row, FOREVER, self.derivation)

    def find_violations_with(self, plan: cython.int, facts: cython.int[:, ::1]):
        """Record every match of a constraint with one of `facts`, which are stored, for the atom of a forward
        `plan`.
        """
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                self.matcher.begin(plan, row, facts[i, 1], facts[i, 2], FOREVER, self.derivation)

    def take_violations(self):
        """Return the recorded violations, int32 rows `rule, body rows…`, and reset them. A violation may
        recur.
        """
        violations = self.derivation.violations.array().reshape(-1, 1 + self.matcher.widest)
        self.derivation.violations.size = 0
        return violations

    def lineage_walk(self):
        """Return a new search for the rule instances in derivations of rows."""
        return LineageWalk(self.triggers)

    def body_matches(self, plans):
        """Return a search for matches of the bodies of a `rules.compilation.body_plans.BodyPlans`."""
        return BodyMatches(self.triggers, plans)

    def levels_of(self, rows: cython.int[::1]):
        """Return the levels and the assertion levels of these rows, two int32 arrays."""
        levels = np.empty(len(rows), np.int32)
        bases = np.empty(len(rows), np.int32)
        level: cython.int[::1] = levels
        base: cython.int[::1] = bases
        i: cython.Py_ssize_t
        for i in range(len(rows)):
            level[i] = self.store.rows[rows[i]].level
            base[i] = self.store.rows[rows[i]].assertion_level
        return levels, bases

    # -- counters ----------------------------------------------------------------------------------

    @property
    def pops(self) -> int:
        return self.derivation.pops

    @property
    def firings(self) -> int:
        return self.derivation.firings

    @firings.setter
    def firings(self, count: int) -> None:
        self.derivation.firings = count

    @property
    def candidates(self) -> int:
        return self.triggers.candidates

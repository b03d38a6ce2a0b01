"""What both forms of the window model have: rows, plans matched to them, violations and lineages."""

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
    """The rows and plans of a window model.

    Subclasses make `deriving`, the visitor by which facts are derived. Work counters: `pops` and `firings`
    (triggers.py), `candidates` plans begun and rows looked at to choose or match them.

    Args:
        plans: a `rules.compilation.program.Plans`.
        by_edges: whether edges of transitive properties are told apart (edges.py).
    """

    def __init__(self, plans, capacity: cython.int, by_edges: cython.bint):
        self.store = Store(capacity)
        for predicate in plans.indexed_by_subject:
            self.store.index(predicate, True, False)
        for predicate in plans.indexed_by_object:
            self.store.index(predicate, False, True)
        predicates = len(plans.forward.start)  # one more than the program knows
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
        self.looked_at = 0

    def consult(self, literals):
        """Let plans ask `literals`, as `Matcher.consult` says."""
        self.matcher.consult(literals)

    # -- violations and proofs ---------------------------------------------------------------------

    @property
    def detect(self) -> bool:
        """Whether violations are noted."""
        return self.deriving.detects

    @detect.setter
    def detect(self, wanted: bool) -> None:
        self.deriving.detects = wanted

    def find_violations(self):
        """Note every match of the constraints. Costs a pass over rows and plans, and the joins."""
        row: cython.int
        with cython.nogil:
            self.triggers.choose_constraints()
            for row in range(self.store.used):
                if self.store.rows[row].predicate >= 0:
                    self.triggers.fire_chosen(row, FOREVER, self.deriving)

    def find_violations_with(self, plan: cython.int, facts: cython.int[:, ::1]):
        """Note every match of the constraint of a forward `plan` with one of `facts`, which are stored."""
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                self.matcher.begin(plan, row, facts[i, 1], facts[i, 2], FOREVER, self.deriving)

    def take_violations(self):
        """Matches of constraints since the last call: int32 rows `rule, body rows…`; one may recur."""
        violations = self.deriving.violations.array().reshape(-1, 1 + self.matcher.widest)
        self.deriving.violations.size = 0
        return violations

    def lineage(self, rows: cython.int[::1], most: cython.longlong, explains_background: cython.bint):
        """Every rule instance that can take part in a proof of one of `rows`, as `LineageWalk.of` says."""
        return LineageWalk(self.triggers).of(rows, most, explains_background, -1)

    def lineage_from(self, rows: cython.int[::1], most: cython.longlong, lowest: cython.int):
        """As `lineage`, of the instances whose bodies have no level below `lowest`."""
        return LineageWalk(self.triggers).of(rows, most, False, lowest)

    def count_instances(self, rows: cython.int[::1], counts: cython.longlong[::1], oldest: cython.int):
        """Count rule instances as `LineageWalk.count_by_level` says."""
        LineageWalk(self.triggers).count_by_level(rows, counts, oldest)

    def lineage_within(
        self, rows: cython.int[::1], most: cython.longlong, each: cython.longlong, lowest: cython.int
    ):
        """Rule instances that can take part in a proof of one of `rows`, as `LineageWalk.within` says."""
        return LineageWalk(self.triggers).within(rows, most, each, lowest)

    def body_matches(self, plans):
        """Looks for matches of the bodies of a `rules.compilation.body_plans.BodyPlans`."""
        return BodyMatches(self.store, plans, self.matcher.edges_noted)

    def matches_with(self, matches: BodyMatches, facts, without):
        """Every match of a body with one of `facts`, as `BodyMatches.with_` says."""
        before: cython.longlong = matches.candidates
        found = matches.with_(facts, without)
        self.looked_at += matches.candidates - before
        return found

    def signed_matches(self, matches: BodyMatches, noted, reformed):
        """The matches that came and went with facts that did, as `BodyMatches.signed` says."""
        before: cython.longlong = matches.candidates
        found = matches.signed(noted, reformed)
        self.looked_at += matches.candidates - before
        return found

    def signed_rows(self, matches: BodyMatches, readers: list, noted, reformed, shown):
        """The same as rows for those who read them, as `BodyMatches.signed_rows` says."""
        before: cython.longlong = matches.candidates
        changes = matches.signed_rows(readers, noted, reformed, shown)
        self.looked_at += matches.candidates - before
        return changes

    def levels_of(self, rows: cython.int[::1]):
        """(levels, bases) of the given rows, as int32 arrays."""
        levels = np.empty(len(rows), np.int32)
        bases = np.empty(len(rows), np.int32)
        level: cython.int[::1] = levels
        base: cython.int[::1] = bases
        i: cython.Py_ssize_t
        for i in range(len(rows)):
            level[i] = self.store.rows[rows[i]].level
            base[i] = self.store.rows[rows[i]].base
        return levels, bases

    # -- counters ----------------------------------------------------------------------------------

    @property
    def pops(self) -> int:
        return self.deriving.pops

    @property
    def firings(self) -> int:
        return self.deriving.firings

    @firings.setter
    def firings(self, count: int) -> None:
        self.deriving.firings = count

    @property
    def candidates(self) -> int:
        return self.triggers.candidates + self.looked_at

"""What both forms of the window model need to tell of proofs: violated constraints, and the lineage of facts.

While facts are derived, each match of a constraint is noted as a violation. `lineage` then goes back from the
violating rows over *all* rule instances, for a fact that is asserted or was there before too: each shortcut
gives wrong conflict sets (`c→d, c∧d→⊥` with d asserted at 1 and c at 2: the only conflict set is {c}).
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Matcher


@cython.cclass
class Proofs(Matcher):
    """Matching with violations and lineage.

    `purpose` is what the enumeration under way is for. `oldest` and `newest` are the levels of the window;
    `detect` says whether violations are noted. Work counters: `pops` facts popped from the queue, `firings`
    rule instances enumerated while deriving.
    """

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity)
        self.oldest = 0
        self.newest = 0
        self.detect = False
        self.purpose = DERIVE
        self.explained = -1
        self.violations = Ints()
        self.instances = Ints()
        self.pops = 0
        self.firings = 0

    def record_violation(self, plan):
        return self.record(plan, self.violations)

    def record_instance(self, plan):
        self.instances.push(self.explained)
        return self.record(plan, self.instances)

    def atoms_of(self, plan):
        """How many atoms the body of a plan's rule has: its steps, and the trigger where that is one."""
        return self.code[plan + STEPS] + (1 if self.code[plan + TRIGGER_ATOM] >= 0 else 0)

    def record(self, plan, into):
        """Append the rule and the matched body's rows, padded with -1 to the widest body."""
        atom: cython.int
        atoms: cython.int = self.atoms_of(plan)
        into.push(self.code[plan])
        for atom in range(self.widest):
            into.push(self.body[atom] if atom < atoms else -1)
        return 0

    def find_violations(self):
        """Note every match of the constraints. Costs a pass over rows and plans, and the joins."""
        row: cython.int
        with cython.nogil:
            self.purpose = DERIVE
            self.choose_constraints()
            for row in range(self.store.used):
                if self.store.rows[row].predicate >= 0:
                    self.fire_chosen(row, FOREVER)

    def find_violations_with(self, plan: cython.int, facts: cython.int[:, ::1]):
        """Note every match of the constraint of a forward `plan` with one of `facts`, which are stored."""
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            self.purpose = DERIVE
            for i in range(len(facts)):
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                self.begin(plan, row, facts[i, 1], facts[i, 2], FOREVER)

    def take_violations(self):
        """Matches of constraints since the last call: int32 rows `rule, body rows…`; one may recur."""
        violations = self.violations.array().reshape(-1, 1 + self.widest)
        self.violations.size = 0
        return violations

    def lineage(self, rows: cython.int[::1], most: cython.longlong, explains_background: cython.bint):
        """Every rule instance that can take part in a proof of one of `rows`.

        Returns `(reached, instances, cut short)`: rows met, `rows` first; int32 rows `head row, rule, body
        rows…`; and whether there were more than `most`, which are then left out. Facts that hold for ever are
        explained further only on demand. Costs the instances.
        """
        i: cython.Py_ssize_t
        atom: cython.int
        row: cython.int
        before: cython.int
        cut_short: cython.bint = False
        reached: Ints = Ints()
        with cython.nogil:
            self.purpose = LINEAGE
            self.instances.size = 0
            for i in range(len(rows)):
                if not self.store.rows[rows[i]].flags & NOTED:
                    self.store.rows[rows[i]].flags |= NOTED
                    reached.push(rows[i])
            i = 0
            while i < reached.size:
                row = reached.items[i]
                i += 1
                if self.store.rows[row].level == FOREVER and not explains_background:
                    continue
                self.explained = row
                before = self.instances.size
                self.explain(row)
                while before < self.instances.size:
                    for atom in range(self.widest):
                        row = self.instances.items[before + 2 + atom]
                        if row >= 0 and not self.store.rows[row].flags & NOTED:
                            self.store.rows[row].flags |= NOTED
                            reached.push(row)
                    before += 2 + self.widest
                if self.instances.size > most * (2 + self.widest):
                    cut_short = True
                    self.instances.size = 0
            for i in range(reached.size):
                self.store.rows[reached.items[i]].flags &= ~NOTED
            self.purpose = DERIVE
        instances = self.instances.array().reshape(-1, 2 + self.widest)
        self.instances.size = 0
        return reached.array(), instances, cut_short

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

    def check_invariants(self):
        """Assert that the rows agree with one another. Costs O(rows); for tests."""
        self.store.check_invariants()

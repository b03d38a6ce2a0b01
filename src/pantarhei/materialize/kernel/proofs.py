"""What both forms of the window model need to tell of proofs: violated constraints, and the lineage of facts.

While facts are derived, each match of a constraint is noted as a violation. `lineage` then goes back from the
violating rows over *all* rule instances, for a fact that is asserted or was there before too: each shortcut
gives wrong conflict sets (`c→d, c∧d→⊥` with d asserted at 1 and c at 2: the only conflict set is {c}).
`matches_with` matches bodies that the program does not have.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Matcher

from pantarhei.materialize.kernel.arrays import new_ints


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
        self.bound = 0  # how many variables of a body are asked for
        self.violations = Ints()
        self.instances = Ints()
        self.pops = 0
        self.firings = 0

    def record_violation(self, plan):
        return self.record(plan, self.violations)

    def record_instance(self, plan):
        self.instances.push(self.explained)
        return self.record(plan, self.instances)

    def record_match(self, plan):
        """Append the lowest level in a match of a body, and what its variables are bound to.

        With several of the given facts it is found from each: it counts from that of the first atom.
        """
        atom: cython.int
        level: cython.int = FOREVER
        for atom in range(self.atoms_of(plan)):
            if atom < self.code[plan + TRIGGER_ATOM] and self.store.rows[self.body[atom]].flags & NOTED:
                return 0
            level = min(level, self.store.rows[self.body[atom]].level)
        self.instances.push(level)
        for atom in range(self.bound):
            self.instances.push(self.slots[atom])
        return 0

    def seen_level(self, row):
        """The row's level for whoever looks at what is there; HIDDEN if the row is not to be seen."""
        self.candidates += 1
        return HIDDEN if self.store.rows[row].flags & DOOMED else self.store.rows[row].level

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

    def matches_with(
        self,
        code: cython.int[::1],
        triggers: cython.int[:, ::1],
        bound: cython.int,
        facts: cython.int[:, ::1],
        without: cython.int[:, ::1],
    ):
        """Every match of a body with one of `facts`, each once: int32 rows `level, bindings of variables…`.

        It is matched to the rows, and to those of `facts` that are not stored as if they were, at FOREVER;
        but not to `without`. Costs the matches, and the rows looked at on the way.

        Args:
            code, triggers: of a `rules.compilation.body_plan.BodyPlan`.
            bound: how many variables it has.
        """
        i: cython.Py_ssize_t
        plan: cython.Py_ssize_t
        row: cython.int
        given: Ints = Ints()
        hidden: Ints = Ints()
        absent: Ints = Ints()
        own_code: cython.int[::1] = self.code
        own_edge_atoms: cython.int[::1] = self.edge_atoms
        if len(self.slots) <= bound:
            self.slots = new_ints(bound + 1, 0)
        if len(self.body) < len(triggers):
            self.body = new_ints(len(triggers), -1)
        self.code, self.edge_atoms, self.bound = code, new_ints(1, NONE), bound
        self.purpose = MATCH
        self.instances.size = 0
        try:
            with cython.nogil:
                for i in range(len(without)):
                    row = self.store.find(without[i, 0], without[i, 1], without[i, 2])
                    if row >= 0:
                        hidden.push(row)
                        self.store.rows[row].flags |= DOOMED
                for i in range(len(facts)):
                    row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                    if row < 0:
                        row = self.store.insert(facts[i, 0], facts[i, 1], facts[i, 2], 0)
                        self.store.rows[row].level = FOREVER
                        absent.push(row)
                    if not self.store.rows[row].flags & (NOTED | DOOMED):
                        given.push(row)
                        self.store.rows[row].flags |= NOTED
                for plan in range(len(triggers)):
                    for i in range(given.size):
                        row = given.items[i]
                        if self.store.rows[row].predicate == triggers[plan, 0]:
                            self.candidates += 1
                            self.begin(
                                triggers[plan, 1],
                                row,
                                self.store.rows[row].subject,
                                self.store.rows[row].object,
                                FOREVER,
                            )
        finally:
            for i in range(hidden.size):
                self.store.rows[hidden.items[i]].flags &= ~DOOMED
            for i in range(given.size):
                self.store.rows[given.items[i]].flags &= ~NOTED
            for i in range(absent.size):
                self.store.remove(absent.items[i])
            self.code, self.edge_atoms = own_code, own_edge_atoms
            self.purpose = DERIVE
        matches = self.instances.array().reshape(-1, 1 + bound)
        self.instances.size = 0
        return matches

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

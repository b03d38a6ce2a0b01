"""Horn programs over the lineage of ⊥, and their closures, which can be undone.

Atoms are numbered from 0. A program has rules `head :- body` and constraints `⊥ :- body`. Facts of the
background are true, and omitted from all bodies.
"""

from __future__ import annotations

import cython

from pantarhei.materialize.kernel.arrays import new_bytes, new_ints, new_room

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *


@cython.cclass
class HornProgram:
    """Rules and constraints as columns, indexed by body atom and by head.

    Args:
        atoms: number of atoms.
        heads: head of each rule, BOTTOM for a constraint.
        numbers: number of each rule or constraint in the window model's program.
        starts: index in `bodies` where each body begins, and the end of the last body.
        bodies: body atoms, distinct within a rule.
    """

    def __init__(self, atoms, heads, numbers, starts, bodies):
        self.atoms = atoms
        self.rules = len(heads)
        self.head = heads
        self.number = numbers
        self.start = starts
        self.body = bodies
        size: cython.Py_ssize_t = atoms + 2
        room: cython.int[::1] = new_ints(2 * size + len(bodies) + len(heads), 0)
        self.body_start = room[:size]
        self.head_start = room[size : 2 * size]
        self.rules_by_body = room[2 * size : 2 * size + len(bodies)]
        self.rules_by_head = room[2 * size + len(bodies) :]
        self.index()

    def index(self):
        """Build both indexes."""
        r: cython.int
        i: cython.int
        x: cython.int
        with cython.nogil:
            for r in range(self.rules):
                for i in range(self.start[r], self.start[r + 1]):
                    self.body_start[self.body[i] + 2] += 1
                if self.head[r] >= 0:
                    self.head_start[self.head[r] + 2] += 1
            for x in range(self.atoms):
                self.body_start[x + 2] += self.body_start[x + 1]
                self.head_start[x + 2] += self.head_start[x + 1]
            for r in range(self.rules):
                for i in range(self.start[r], self.start[r + 1]):
                    x = self.body[i]
                    self.rules_by_body[self.body_start[x + 1]] = r
                    self.body_start[x + 1] += 1
                x = self.head[r]
                if x >= 0:
                    self.rules_by_head[self.head_start[x + 1]] = r
                    self.head_start[x + 1] += 1


def program_of(
    rows: cython.int[::1],
    background: cython.uchar[::1],
    instances: cython.int[:, ::1],
    violations: cython.int[:, ::1],
):
    """Build the program of a lineage. Its atoms are indexes into `rows`.

    Args:
        rows: kernel rows of the lineage.
        background: 1 for each row that the background entails.
        instances: the rules, rows `head, rule, body…`, padded with NONE.
        violations: the constraints, rows `constraint, body…`, padded with NONE.
    """
    i: cython.int
    r: cython.int
    j: cython.int
    k: cython.int = 0
    x: cython.int
    top: cython.int = 0
    first: cython.int
    atoms: cython.int = len(rows)
    rules: cython.int = len(instances)
    constraints: cython.int = len(violations)
    rule_width: cython.int = instances.shape[1] - 2
    constraint_width: cython.int = violations.shape[1] - 1
    known: cython.bint
    for i in range(atoms):
        top = max(top, rows[i])
    place: cython.int[::1] = new_room(top + 1)
    head: cython.int[::1] = new_room(rules + constraints)
    number: cython.int[::1] = new_room(rules + constraints)
    start: cython.int[::1] = new_room(rules + constraints + 1)
    body: cython.int[::1] = new_room(rules * rule_width + constraints * constraint_width + 1)
    with cython.nogil:
        for i in range(atoms):
            place[rows[i]] = i
        for r in range(rules + constraints):
            first = k
            start[r] = k
            if r < rules:
                head[r] = place[instances[r, 0]]
                number[r] = instances[r, 1]
            else:
                head[r] = BOTTOM
                number[r] = violations[r - rules, 0]
            for j in range(rule_width if r < rules else constraint_width):
                x = instances[r, 2 + j] if r < rules else violations[r - rules, 1 + j]
                if x == NONE:
                    continue
                x = place[x]
                known = background[x] != 0
                for i in range(first, k):
                    known = known or body[i] == x
                if not known:
                    body[k] = x
                    k += 1
        start[rules + constraints] = k
    return HornProgram(atoms, head, number, start, body[:k])


@cython.cclass
class HornClosure:
    """Closure of assumed atoms by linear Horn propagation (Dowling and Gallier), with undo.

    - `trail`: the known atoms in the order of their derivation; the first `done` of them are propagated.
    - `fired`: in order, the constraints whose body is known and the rules that derive an atom flagged in
      `marked`; with `stops_at_inconsistent` also the rules that derive an `inconsistent` atom.
    - `missing`: the number of unknown body atoms of each rule.
    - `reason`: the rule that derived an atom, NONE for an atom that `seed` assumed.
    - `known`: 0 for an unknown atom, 1 for a known atom after `commit`, 2 for another known atom.
    - `work`: the number of propagation steps.

    Args:
        program: the rules.
        inconsistent: flags of the atoms that lead to a contradiction by themselves.
    """

    def __init__(self, program: HornProgram, inconsistent: cython.uchar[::1]):
        rules: cython.int = program.rules
        room: cython.int[::1] = new_room(2 * rules + 2 * program.atoms)
        flags: cython.uchar[::1] = new_bytes(2 * program.atoms)
        self.program = program
        self.known = flags[: program.atoms]
        self.marked = flags[program.atoms :]
        self.missing = room[:rules]
        self.fired = room[rules : 2 * rules]
        self.trail = room[2 * rules : 2 * rules + program.atoms]
        self.reason = room[2 * rules + program.atoms :]
        self.inconsistent = inconsistent
        self.stops_at_inconsistent = False
        self.size = self.done = self.fires = 0
        self.work = 0
        r: cython.int
        for r in range(rules):
            self.missing[r] = program.start[r + 1] - program.start[r]

    def seed(self, x):
        """Add an atom; `propagate` derives its consequences."""
        if not self.known[x]:
            self.known[x] = 2
            self.reason[x] = NONE
            self.trail[self.size] = x
            self.size += 1

    def propagate(self, most):
        """Derive the consequences of the seeded atoms. Stops when `fired` has `most` entries."""
        x: cython.int
        i: cython.int
        r: cython.int
        h: cython.int
        while self.done < self.size and self.fires < most:
            x = self.trail[self.done]
            self.done += 1
            self.work += self.program.body_start[x + 1] - self.program.body_start[x] + 1
            for i in range(self.program.body_start[x], self.program.body_start[x + 1]):
                r = self.program.rules_by_body[i]
                self.missing[r] -= 1
                if self.missing[r] == 0:
                    h = self.program.head[r]
                    if h < 0 or self.marked[h] or (self.stops_at_inconsistent and self.inconsistent[h]):
                        self.fired[self.fires] = r
                        self.fires += 1
                    if h >= 0 and not self.known[h]:
                        self.known[h] = 2
                        self.reason[h] = r
                        self.trail[self.size] = h
                        self.size += 1

    def undo(self, size, fires):
        """Remove the atoms of the trail from index `size` on; `fires` entries of `fired` stay."""
        x: cython.int
        i: cython.int
        j: cython.int
        for j in range(size, self.done):
            x = self.trail[j]
            for i in range(self.program.body_start[x], self.program.body_start[x + 1]):
                self.missing[self.program.rules_by_body[i]] += 1
        for j in range(size, self.size):
            self.known[self.trail[j]] = 0
        self.size = self.done = size
        self.fires = fires

    def commit(self, size):
        """Mark the atoms of the trail from index `size` on as committed."""
        j: cython.int
        for j in range(size, self.size):
            self.known[self.trail[j]] = 1

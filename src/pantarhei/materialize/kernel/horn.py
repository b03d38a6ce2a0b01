"""Horn programs over the lineage of ⊥: closures that can be undone, and the cut of a repair, newest first.

Atoms are numbered from 0; a program has rules `head :- body` and constraints `⊥ :- body`. The background is
true by itself and left out of all bodies. The algorithm and its proof: docs/semantics.md, "How the cut is
decided".
"""

from __future__ import annotations

import cython
import numpy as np

from pantarhei.materialize.kernel.arrays import Ints, ints_of, new_bytes, new_ints, new_longs, new_room

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *


@cython.cclass
class Program:
    """Rules and constraints in columns, indexed by body atom and by head.

    Args:
        atoms: number of atoms.
        heads: head of each rule, BOTTOM for a constraint.
        numbers: number of each rule or constraint.
        starts: where each body begins in `bodies`; one more entry for the end.
        bodies: body atoms, each once a rule.
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
        self.use_start = room[:size]
        self.make_start = room[size : 2 * size]
        self.uses = room[2 * size : 2 * size + len(bodies)]
        self.makes = room[2 * size + len(bodies) :]
        self.index()

    def index(self):
        """Fill the indexes: rules by body atom, rules by head."""
        r: cython.int
        i: cython.int
        x: cython.int
        with cython.nogil:
            for r in range(self.rules):
                for i in range(self.start[r], self.start[r + 1]):
                    self.use_start[self.body[i] + 2] += 1
                if self.head[r] >= 0:
                    self.make_start[self.head[r] + 2] += 1
            for x in range(self.atoms):
                self.use_start[x + 2] += self.use_start[x + 1]
                self.make_start[x + 2] += self.make_start[x + 1]
            for r in range(self.rules):
                for i in range(self.start[r], self.start[r + 1]):
                    x = self.body[i]
                    self.uses[self.use_start[x + 1]] = r
                    self.use_start[x + 1] += 1
                x = self.head[r]
                if x >= 0:
                    self.makes[self.make_start[x + 1]] = r
                    self.make_start[x + 1] += 1


def program_of(
    rows: cython.int[::1],
    background: cython.uchar[::1],
    instances: cython.int[:, ::1],
    violations: cython.int[:, ::1],
):
    """The program of a lineage: atoms are places in `rows`, rules are its instances, constraints its
    violations.

    Args:
        rows: kernel rows of the lineage.
        background: 1 where a fact is entailed by the background.
        instances: rows `head, rule, body…`, padded with NONE.
        violations: rows `constraint, body…`, padded with NONE.
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
    return Program(atoms, head, number, start, body[:k])


@cython.cclass
class Closure:
    """Atoms that follow from seeded atoms (Dowling and Gallier's linear Horn propagation), with undo.

    `trail` has the known atoms in order, the first `done` of them are propagated. `fired` has the constraints
    whose bodies are known, and the rules that derive a `marked` atom, in order. `missing` counts the unknown
    body atoms of each rule. `work` counts steps.
    """

    def __init__(self, program: Program):
        rules: cython.int = program.rules
        room: cython.int[::1] = new_room(2 * rules + program.atoms)
        flags: cython.uchar[::1] = new_bytes(2 * program.atoms)
        self.program = program
        self.known = flags[: program.atoms]
        self.marked = flags[program.atoms :]
        self.missing = room[:rules]
        self.fired = room[rules : 2 * rules]
        self.trail = room[2 * rules :]
        self.size = self.done = self.fires = 0
        self.work = 0
        r: cython.int
        for r in range(rules):
            self.missing[r] = program.start[r + 1] - program.start[r]

    def seed(self, x):
        """Assert an atom; `propagate` derives what follows."""
        if not self.known[x]:
            self.known[x] = 2
            self.trail[self.size] = x
            self.size += 1

    def propagate(self, most):
        """Derive what follows from the seeded atoms, until `fired` has `most` entries."""
        x: cython.int
        i: cython.int
        r: cython.int
        h: cython.int
        while self.done < self.size and self.fires < most:
            x = self.trail[self.done]
            self.done += 1
            self.work += self.program.use_start[x + 1] - self.program.use_start[x] + 1
            for i in range(self.program.use_start[x], self.program.use_start[x + 1]):
                r = self.program.uses[i]
                self.missing[r] -= 1
                if self.missing[r] == 0:
                    h = self.program.head[r]
                    if h < 0 or self.marked[h]:
                        self.fired[self.fires] = r
                        self.fires += 1
                    if h >= 0 and not self.known[h]:
                        self.known[h] = 2
                        self.trail[self.size] = h
                        self.size += 1

    def undo(self, size, fires):
        """Forget all atoms from the place `size` of the trail on."""
        x: cython.int
        i: cython.int
        j: cython.int
        for j in range(size, self.done):
            x = self.trail[j]
            for i in range(self.program.use_start[x], self.program.use_start[x + 1]):
                self.missing[self.program.uses[i]] += 1
        for j in range(size, self.size):
            self.known[self.trail[j]] = 0
        self.size = self.done = size
        self.fires = fires

    def commit(self, size):
        """Mark the atoms from the place `size` of the trail on as kept (`known` is 1)."""
        j: cython.int
        for j in range(size, self.size):
            self.known[self.trail[j]] = 1


@cython.cclass
class Decision:
    """What becomes of the asserted atoms of a program when newer ones are preferred (PB26 Def. 6).

    `possible` is the closure of all that is not OUT, `kept` that of what is IN. They are one closure until an
    atom is OPEN (`is_split`). `cone` marks the atoms in proofs of ⊥ from `possible`, where what `kept` has
    counts as given.

    Args:
        program: its atoms.
        most_tests: steps of work for testing atoms alone; past them the untested ones count as OPEN.
    """

    def __init__(self, program: Program, most_tests: cython.longlong):
        atoms: cython.int = program.atoms
        room: cython.int[::1] = new_room(13 * atoms + 2 * program.rules + 1)
        x: cython.int
        self.program = program
        self.possible = Closure(program)
        self.kept = self.possible
        self.is_split = False
        self.status = new_bytes(atoms)
        self.cone = self.possible.marked
        self.coned = room[:atoms]
        self.inside = room[atoms : 2 * atoms]  # atoms that are IN, in the order in which that was decided
        self.candidates = room[2 * atoms : 3 * atoms]
        self.parent = room[3 * atoms : 4 * atoms]
        self.child = room[4 * atoms : 5 * atoms]
        self.sibling = room[5 * atoms : 6 * atoms]
        self.stamp = room[6 * atoms : 7 * atoms]
        self.sizes = room[7 * atoms : 8 * atoms]  # by depth in the forest: what to undo to
        self.fires = room[8 * atoms : 9 * atoms]
        self.met = room[9 * atoms : 10 * atoms]  # atoms of the forest
        self.roots = room[10 * atoms : 11 * atoms]
        self.path = room[11 * atoms : 13 * atoms]
        self.stack = room[13 * atoms :]
        for x in range(atoms):
            self.parent[x] = UNSEEN
            self.child[x] = self.sibling[x] = self.stamp[x] = ROOT
        self.cones = self.insides = self.caught_up = 0
        self.meets = self.trees = 0
        self.singles = Ints()
        self.most_tests = most_tests
        self.tests = 0
        self.is_complete = True

    # -- by levels -----------------------------------------------------------------------------------

    def by_levels(self, order: cython.int[::1], starts: cython.int[::1]):
        """Decide level by level.

        Args:
            order: the asserted atoms, newest level first.
            starts: where each level begins in `order`, and the end of the last.

        Returns:
            The number of atoms that are OPEN.
        """
        i: cython.int
        opened: cython.int = 0
        with cython.nogil:
            for i in range(len(starts) - 1):
                opened += self.level(order, starts[i], starts[i + 1])
        return opened

    def level(self, order, low, high):
        """Decide the atoms of one level; returns how many are OPEN."""
        i: cython.int
        x: cython.int
        count: cython.int = 0
        opened: cython.int = 0
        size: cython.int = self.possible.size
        fires: cython.int = self.possible.fires
        cones: cython.int = self.cones
        is_new: cython.bint = True
        # 1. without a new proof of ⊥, and no part in one that open atoms have, the whole level is kept
        for i in range(low, high):
            is_new = is_new and not self.cone[order[i]]
            self.possible.seed(order[i])
        self.possible.propagate(NEVER)
        if is_new and self.possible.fires == fires:
            for i in range(low, high):
                self.keep(order[i])
            if not self.is_split:
                self.possible.commit(size)
            return 0
        # 2. what is in no proof of ⊥ is kept
        self.extend_cone(fires)
        for i in range(low, high):
            x = order[i]
            if self.cone[x]:
                self.status[x] = CANDIDATE
                self.candidates[count] = x
                count += 1
            else:
                self.keep(x)
        self.shrink_cone(cones)
        self.possible.undo(size, fires)
        for i in range(low, high):
            if self.status[order[i]] == IN:
                self.possible.seed(order[i])
        self.possible.propagate(NEVER)
        if self.is_split:
            self.catch_up()
        else:
            self.possible.commit(size)
        # 3. what contradicts alone what is kept is out
        self.test(self.kept, count, False)
        # 4. the others together
        size = self.possible.size
        fires = self.possible.fires
        for i in range(count):
            if self.status[self.candidates[i]] == CANDIDATE:
                self.possible.seed(self.candidates[i])
        self.possible.propagate(NEVER)
        if self.possible.fires > fires:
            self.extend_cone(fires)
        for i in range(count):
            x = self.candidates[i]
            if self.status[x] == CANDIDATE:
                if self.cone[x]:
                    self.status[x] = OPEN
                else:
                    self.keep(x)
        if self.possible.fires > fires or self.is_split:
            self.split()
            self.catch_up()
            for i in range(count):
                x = self.candidates[i]
                if self.status[x] == OPEN:
                    if self.kept.known[x]:
                        self.status[x] = IN
                    else:
                        opened += 1
        else:
            self.possible.commit(size)
        return opened

    def split(self):
        """Keep the closure of what is IN apart from that of what is possible from now on."""
        if not self.is_split:
            self.is_split = True
            self.kept = Closure(self.program)
        return 0

    def keep(self, x):
        """Note that an atom is IN."""
        self.status[x] = IN
        self.inside[self.insides] = x
        self.insides += 1

    def catch_up(self):
        """Bring `kept` up to date with the atoms that are IN."""
        i: cython.int
        for i in range(self.caught_up, self.insides):
            self.kept.seed(self.inside[i])
        self.caught_up = self.insides
        self.kept.propagate(NEVER)

    def is_kept(self, x):
        """Whether an atom follows from what is IN."""
        if self.is_split:
            return self.kept.known[x] != 0
        return self.possible.known[x] == 1

    def extend_cone(self, fires):
        """Add to the cone what takes part in rules that `possible` has fired from the place `fires` on."""
        i: cython.int
        j: cython.int
        r: cython.int
        x: cython.int
        top: cython.int = 0
        for i in range(fires, self.possible.fires):
            self.stack[top] = self.possible.fired[i]
            top += 1
        while top:
            top -= 1
            r = self.stack[top]
            for i in range(self.program.start[r], self.program.start[r + 1]):
                x = self.program.body[i]
                if self.cone[x] or self.is_kept(x):
                    continue
                self.cone[x] = 1
                self.coned[self.cones] = x
                self.cones += 1
                self.possible.work += self.program.make_start[x + 1] - self.program.make_start[x] + 1
                for j in range(self.program.make_start[x], self.program.make_start[x + 1]):
                    if self.possible.missing[self.program.makes[j]] == 0:
                        self.stack[top] = self.program.makes[j]
                        top += 1

    def shrink_cone(self, cones):
        """Take what was added last out of the cone, down to `cones` atoms."""
        i: cython.int
        for i in range(cones, self.cones):
            self.cone[self.coned[i]] = 0
        self.cones = cones

    # -- one atom alone ------------------------------------------------------------------------------

    def test(self, closure: Closure, count, names_constraints):
        """Find the candidates that contradict, alone, what a closure has: those are OUT.

        They are tested along the forest of what each atom derives by itself: an atom that many derive is
        propagated once, and if it contradicts, so do they.

        Args:
            closure: what is kept; it is left as it was.
            count: the first so many candidates are tested.
            names_constraints: note the violated constraints in `singles`, as pairs `atom, constraint`.
        """
        i: cython.int
        x: cython.int
        before: cython.longlong = closure.work
        self.grow_forest(closure, count)
        for i in range(self.trees):
            if self.tests + closure.work - before > self.most_tests:
                self.is_complete = False
                break
            self.test_tree(closure, self.roots[i], before, names_constraints)
        for i in range(self.meets):
            x = self.met[i]
            self.parent[x] = UNSEEN
            self.child[x] = self.sibling[x] = self.stamp[x] = ROOT
        self.meets = self.trees = 0
        self.tests += closure.work - before
        return 0

    def grow_forest(self, closure: Closure, count):
        """Link each candidate to an atom that it derives by itself, and so on; note the roots."""
        i: cython.int
        x: cython.int
        p: cython.int
        for i in range(count):
            x = self.candidates[i]
            while self.parent[x] == UNSEEN:
                self.stamp[x] = i
                self.met[self.meets] = x
                self.meets += 1
                p = self.derived_alone(closure, x)
                if p == ROOT or self.stamp[p] == i:  # none, or round a cycle
                    self.parent[x] = ROOT
                    self.roots[self.trees] = x
                    self.trees += 1
                    break
                self.parent[x] = p
                self.sibling[x] = self.child[p]
                self.child[p] = x
                x = p
        return 0

    def derived_alone(self, closure: Closure, x):
        """An atom that follows from one atom and what a closure has, by one rule; ROOT if there is none."""
        i: cython.int
        h: cython.int
        closure.work += self.program.use_start[x + 1] - self.program.use_start[x] + 1
        for i in range(self.program.use_start[x], self.program.use_start[x + 1]):
            if closure.missing[self.program.uses[i]] == 1:
                h = self.program.head[self.program.uses[i]]
                if h >= 0 and h != x and not closure.known[h]:
                    return h
        return ROOT

    def test_tree(self, closure: Closure, root, before, names_constraints):
        """Test the candidates of one tree of the forest."""
        x: cython.int
        depth: cython.int = 0
        base: cython.int = closure.fires
        most: cython.int = NEVER if names_constraints else base + 1
        top: cython.int = 1
        self.path[0] = root
        while top:
            top -= 1
            x = self.path[top]
            if x < 0:  # all that derives it is tested
                depth -= 1
                closure.undo(self.sizes[depth], self.fires[depth])
                continue
            if self.tests + closure.work - before > self.most_tests:
                self.is_complete = False
                continue
            self.sizes[depth] = closure.size
            self.fires[depth] = closure.fires
            closure.seed(x)
            closure.propagate(most)
            if closure.fires > base:
                if names_constraints:
                    self.name_constraints(closure, x, base)
                else:
                    closure.undo(self.sizes[depth], self.fires[depth])
                    self.reject_tree(x, top)
                    continue
            depth += 1
            self.path[top] = -1 - x
            top += 1
            x = self.child[x]
            while x != ROOT:
                self.path[top] = x
                top += 1
                x = self.sibling[x]
        return 0

    def reject_tree(self, root, base):
        """Mark all candidates in a tree of the forest as OUT; `path` is free from `base` on."""
        x: cython.int
        top: cython.int = base + 1
        self.path[base] = root
        while top > base:
            top -= 1
            x = self.path[top]
            if self.status[x] == CANDIDATE:
                self.status[x] = OUT
            x = self.child[x]
            while x != ROOT:
                self.path[top] = x
                top += 1
                x = self.sibling[x]
        return 0

    def name_constraints(self, closure: Closure, x, base):
        """Mark a candidate that contradicts alone as OUT, and note what it violates."""
        i: cython.int
        if self.status[x] == CANDIDATE:
            self.status[x] = OUT
            for i in range(base, closure.fires):
                self.singles.push(x)
                self.singles.push(self.program.number[closure.fired[i]])
        return 0

    # -- at once -------------------------------------------------------------------------------------

    def at_once(self, asserted: cython.int[::1]):
        """Find conflict sets of one atom, and what is OPEN without those: the members of all others."""
        i: cython.int
        x: cython.int
        all_: Closure = self.possible
        with cython.nogil:
            for i in range(len(asserted)):
                self.status[asserted[i]] = CANDIDATE
                self.candidates[i] = asserted[i]
            self.test(all_, len(asserted), True)
            for i in range(len(asserted)):
                if self.status[asserted[i]] == CANDIDATE:
                    all_.seed(asserted[i])
            all_.propagate(NEVER)
            self.extend_cone(0)
            for i in range(len(asserted)):
                x = asserted[i]
                if self.status[x] == CANDIDATE:
                    self.status[x] = OPEN if self.cone[x] else IN

    def statuses(self):
        """The status of each atom: IN, OUT or OPEN, 0 of one that is not asserted."""
        return np.array(self.status, np.uint8)

    # -- what is open --------------------------------------------------------------------------------

    def residue(self):
        """The rules in proofs of ⊥ from what is possible, without what is kept.

        Returns:
            `(atoms, heads, numbers, starts, bodies)`: the atoms in them, as places in the program, ascending;
            the rules in columns as of `Program`, with atoms as places in `atoms`.
        """
        i: cython.int
        j: cython.int
        r: cython.int
        x: cython.int
        size: cython.int = 0
        top: cython.int = 0
        program: Program = self.program
        all_: Closure = self.possible
        found: Ints = Ints()
        place: cython.int[::1] = new_ints(max(1, program.atoms), NONE)
        with cython.nogil:
            self.shrink_cone(0)
            for i in range(all_.fires):
                if program.head[all_.fired[i]] < 0:
                    self.stack[top] = all_.fired[i]
                    top += 1
            while top:
                top -= 1
                r = self.stack[top]
                found.push(r)
                for i in range(program.start[r], program.start[r + 1]):
                    x = program.body[i]
                    if self.is_kept(x):
                        continue
                    size += 1
                    if self.cone[x]:
                        continue
                    self.cone[x] = 1
                    self.coned[self.cones] = x
                    self.cones += 1
                    for j in range(program.make_start[x], program.make_start[x + 1]):
                        if all_.missing[program.makes[j]] == 0:
                            self.stack[top] = program.makes[j]
                            top += 1
        atoms = np.sort(np.asarray(self.coned[: self.cones]).astype(np.int32))
        rules = np.sort(found.array())
        in_order: cython.int[::1] = ints_of(atoms)
        chosen: cython.int[::1] = ints_of(rules)
        heads_ = np.empty(len(rules), np.int32)
        numbers_ = np.empty(len(rules), np.int32)
        starts_ = np.zeros(len(rules) + 1, np.int32)
        bodies_ = np.empty(size, np.int32)
        heads: cython.int[::1] = heads_
        numbers: cython.int[::1] = numbers_
        starts: cython.int[::1] = starts_
        bodies: cython.int[::1] = bodies_
        size = 0
        with cython.nogil:
            for i in range(len(in_order)):
                place[in_order[i]] = i
            for i in range(len(chosen)):
                r = chosen[i]
                heads[i] = place[program.head[r]] if program.head[r] >= 0 else BOTTOM
                numbers[i] = program.number[r]
                for j in range(program.start[r], program.start[r + 1]):
                    if not self.is_kept(program.body[j]):
                        bodies[size] = place[program.body[j]]
                        size += 1
                starts[i + 1] = size
        return atoms, heads_, numbers_, starts_, bodies_


@cython.cclass
class Residue:
    """What is open: asserted atoms, and the rules by which they contradict one another.

    A *group* is a connected part of it. A group of *chains* has rules of one body atom and constraints of
    two: its conflict sets are pairs.

    Args:
        program: the rules.
        levels: the level of each asserted atom, NONE for others.
    """

    def __init__(self, program: Program, levels: cython.longlong[::1]):
        atoms: cython.int = program.atoms
        self.program = program
        self.levels = levels
        self.leader = new_ints(max(1, atoms), NONE)
        self.is_joined = new_bytes(atoms)  # of a group's leader: not a group of chains
        self.stack = new_room(max(1, atoms))
        self.find_groups()

    def find_groups(self):
        """Unite the atoms of each rule (union-find with path halving)."""
        r: cython.int
        i: cython.int
        x: cython.int
        count: cython.int
        program: Program = self.program
        with cython.nogil:
            for x in range(program.atoms):
                self.leader[x] = x
            for r in range(program.rules):
                x = program.head[r]
                for i in range(program.start[r], program.start[r + 1]):
                    if x >= 0:
                        self.unite(x, program.body[i])
                    x = program.body[i]
            for x in range(program.atoms):
                self.leader[x] = self.leader_of(x)
            for r in range(program.rules):
                count = program.start[r + 1] - program.start[r]
                if count != (1 if program.head[r] >= 0 else 2):
                    self.is_joined[self.leader[program.body[program.start[r]]]] = 1

    def leader_of(self, x):
        while self.leader[x] != x:
            self.leader[x] = self.leader[self.leader[x]]
            x = self.leader[x]
        return x

    def unite(self, x, y):
        x = self.leader_of(x)
        y = self.leader_of(y)
        if x != y:
            self.leader[y] = x

    def spread(self, mark: cython.uchar[::1], top, forward):
        """Mark what follows from the atoms on the stack by rules of one body atom, or what those follow from.

        Args:
            mark: 1 for the atoms on the stack.
            top: how many there are.
            forward: whether to follow rules from body to head.
        """
        x: cython.int
        y: cython.int
        i: cython.int
        r: cython.int
        while top:
            top -= 1
            x = self.stack[top]
            if forward:
                for i in range(self.program.use_start[x], self.program.use_start[x + 1]):
                    y = self.program.head[self.program.uses[i]]
                    if y >= 0 and not mark[y]:
                        mark[y] = 1
                        self.stack[top] = y
                        top += 1
            else:
                for i in range(self.program.make_start[x], self.program.make_start[x + 1]):
                    r = self.program.makes[i]
                    y = self.program.body[self.program.start[r]]
                    if not mark[y]:
                        mark[y] = 1
                        self.stack[top] = y
                        top += 1

    def settle(self):
        """Decide groups of chains by the pair rule.

        An atom that contradicts one at the newest level of its group is lacking in the maximal subsets that
        have the latter, and there are some. If that decides all of a group, it is decided.

        Returns:
            An array with a number for each atom: 1 if it is cut, 2 if its group is to be searched, else 0.
        """
        x: cython.int
        y: cython.int
        r: cython.int
        top: cython.int = 0
        program: Program = self.program
        atoms: cython.int = program.atoms
        newest: cython.longlong[::1] = new_longs(max(1, atoms))
        has: cython.uchar[::1] = new_bytes(atoms)
        hit: cython.uchar[::1] = new_bytes(atoms)
        searched: cython.uchar[::1] = new_bytes(atoms)
        found = np.zeros(atoms, np.uint8)
        out: cython.uchar[::1] = found
        with cython.nogil:
            for x in range(atoms):
                newest[x] = NONE
            for x in range(atoms):
                if self.levels[x] > newest[self.leader[x]]:
                    newest[self.leader[x]] = self.levels[x]
            for x in range(atoms):
                y = self.leader[x]
                if self.levels[x] != NONE and self.levels[x] == newest[y] and not self.is_joined[y]:
                    has[x] = 1
                    self.stack[top] = x
                    top += 1
            self.spread(has, top, True)
            top = 0
            for r in range(program.rules):
                if program.head[r] < 0:
                    x = program.body[program.start[r]]
                    y = program.body[program.start[r + 1] - 1]
                    if self.is_joined[self.leader[x]]:
                        continue
                    if has[y] and not hit[x]:
                        hit[x] = 1
                        self.stack[top] = x
                        top += 1
                    if has[x] and not hit[y]:
                        hit[y] = 1
                        self.stack[top] = y
                        top += 1
            self.spread(hit, top, False)
            for x in range(atoms):
                if self.levels[x] != NONE and not hit[x]:
                    searched[self.leader[x]] = 1
            for x in range(atoms):
                if self.levels[x] != NONE:
                    out[x] = 2 if searched[self.leader[x]] else 1
        return found

    def pairs(self, most: cython.longlong):
        """The conflict sets of groups of chains.

        Returns:
            `(pairs, is_complete)`: int32 rows `atom, atom, constraint`, the lower atom first, which may
            recur; and whether there are no more than `most`.
        """
        x: cython.int
        y: cython.int
        r: cython.int
        i: cython.int
        j: cython.int
        found: Ints = Ints()
        is_complete: cython.bint = True
        program: Program = self.program
        start: cython.int[::1] = new_ints(program.atoms + 1, NONE)
        end: cython.int[::1] = new_ints(program.atoms + 1, NONE)
        mark: cython.uchar[::1] = new_bytes(program.atoms)
        members: Ints = Ints()
        with cython.nogil:
            for r in range(program.rules):
                if program.head[r] >= 0:
                    continue
                x = program.body[program.start[r]]
                y = program.body[program.start[r + 1] - 1]
                if self.is_joined[self.leader[x]]:
                    continue
                for i in range(program.start[r], program.start[r + 1]):
                    if start[program.body[i]] == NONE:
                        start[program.body[i]] = members.size
                        self.supports(program.body[i], mark, members)
                        end[program.body[i]] = members.size
                for i in range(start[x], end[x]):
                    if found.size >= 3 * most:
                        is_complete = False
                        break
                    for j in range(start[y], end[y]):
                        found.push(min(members.items[i], members.items[j]))
                        found.push(max(members.items[i], members.items[j]))
                        found.push(program.number[r])
        return found.array().reshape(-1, 3), is_complete

    def supports(self, x, mark: cython.uchar[::1], members: Ints):
        """Append the asserted atoms that an atom follows from by rules of one body atom."""
        i: cython.int
        y: cython.int
        first: cython.int = 0
        top: cython.int = 1
        mark[x] = 1
        self.stack[0] = x
        while first < top:
            x = self.stack[first]
            first += 1
            if self.levels[x] != NONE:
                members.push(x)
            for i in range(self.program.make_start[x], self.program.make_start[x + 1]):
                y = self.program.body[self.program.start[self.program.makes[i]]]
                if not mark[y]:
                    mark[y] = 1
                    self.stack[top] = y
                    top += 1
        for i in range(top):
            mark[self.stack[i]] = 0
        return 0

    def leaders(self):
        """An atom of its group for each atom, the same for all of a group."""
        return np.array(self.leader[: self.program.atoms], np.int32)

    def joined(self):
        """1 for each atom whose group is not one of chains."""
        x: cython.int
        found = np.zeros(self.program.atoms, np.uint8)
        out: cython.uchar[::1] = found
        for x in range(self.program.atoms):
            out[x] = self.is_joined[self.leader[x]]
        return found

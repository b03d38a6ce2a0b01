"""Decision of the asserted atoms of a Horn program, level by level, newest level first.

The algorithm and its proof are in docs/semantics.md, "How the cut is decided".
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.horn import HornProgram

from pantarhei.materialize.kernel.arrays import Ints, ints_of, new_bytes, new_ints, new_room
from pantarhei.materialize.kernel.horn import HornClosure


@cython.cclass
class Decision:
    """Status of asserted atoms: IN, OUT or OPEN. Newer atoms are preferred (PB26 Def. 6).

    `possible` is the closure of the atoms that are not OUT, `kept` the closure of the atoms that are IN. Both
    are one object until an atom is OPEN (`is_split`). `cone` marks the atoms in derivations of ⊥ from
    `possible`, where the atoms of `kept` need no derivation. `inconsistent` marks the atoms known to
    contradict `kept` by themselves.

    Args:
        program: the Horn program.
        most_tests: limit of the work for testing single atoms. Atoms beyond it are `untested` and OPEN,
            although they may contradict `kept` by themselves.
    """

    def __init__(self, program: HornProgram, most_tests: cython.longlong):
        atoms: cython.int = program.atoms
        room: cython.int[::1] = new_room(13 * atoms + 2 * program.rules + 1)
        flags: cython.uchar[::1] = new_bytes(4 * atoms)
        x: cython.int
        self.program = program
        self.status = flags[:atoms]
        self.inconsistent = flags[atoms : 2 * atoms]
        self.untested = flags[2 * atoms : 3 * atoms]
        self.needed = flags[3 * atoms :]
        self.possible = HornClosure(program, self.inconsistent)
        self.kept = self.possible
        self.is_split = False
        self.cone = self.possible.marked
        self.coned = room[:atoms]
        self.inside = room[atoms : 2 * atoms]  # atoms that are IN, in the order of their decision
        self.candidates = room[2 * atoms : 3 * atoms]
        self.parent = room[3 * atoms : 4 * atoms]
        self.child = room[4 * atoms : 5 * atoms]
        self.sibling = room[5 * atoms : 6 * atoms]
        self.stamp = room[6 * atoms : 7 * atoms]
        self.sizes = room[7 * atoms : 8 * atoms]  # for each depth in the forest the trail's size to undo to
        self.fires = room[8 * atoms : 9 * atoms]
        self.met = room[9 * atoms : 10 * atoms]  # atoms in the forest
        self.roots = room[10 * atoms : 11 * atoms]
        self.path = room[11 * atoms : 13 * atoms]
        self.stack = room[13 * atoms :]
        for x in range(atoms):
            self.parent[x] = UNSEEN
            self.child[x] = self.sibling[x] = self.stamp[x] = ROOT
        self.cones = self.insides = self.kept_count = 0
        self.meets = self.trees = 0
        self.singles = Ints()
        self.most_tests = most_tests
        self.tests = 0
        self.is_complete = True

    # -- by levels -----------------------------------------------------------------------------------

    def decide_by_levels(self, order: cython.int[::1], starts: cython.int[::1]):
        """Decide all asserted atoms, level by level.

        Args:
            order: the asserted atoms, newest level first.
            starts: index in `order` where each level begins, and the end of the last level.

        Returns:
            The number of OPEN atoms.
        """
        i: cython.int
        opened: cython.int = 0
        with cython.nogil:
            for i in range(len(starts) - 1):
                opened += self.decide_level(order, starts[i], starts[i + 1])
        return opened

    def decide_level(self, order, low, high):
        """Decide the atoms of one level; returns the number of OPEN atoms among them."""
        i: cython.int
        x: cython.int
        count: cython.int = 0
        opened: cython.int = 0
        size: cython.int = self.possible.size
        fires: cython.int = self.possible.fires
        cones: cython.int = self.cones
        is_new: cython.bint = True
        # 1. If the level gives no new derivation of ⊥, and none of its atoms is in the cone, all are IN.
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
        # 2. Atoms in no derivation of ⊥ are IN.
        if self.is_split:
            self.catch_up()
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
        count = self.without_kept(count)
        # 3. Atoms that contradict `kept` by themselves are OUT.
        self.test(self.kept, count, False)
        # 4. Decide the other atoms together.
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

    def without_kept(self, count):
        """Set those of the first `count` candidates IN that follow from `kept`; returns the number of other
        candidates.
        """
        i: cython.int
        x: cython.int
        left: cython.int = 0
        for i in range(count):
            x = self.candidates[i]
            if self.kept.known[x]:
                self.keep(x)
            else:
                self.candidates[left] = x
                left += 1
        return left

    def split(self):
        """From now on, maintain `kept` as a closure apart from `possible`."""
        if not self.is_split:
            self.is_split = True
            self.kept = HornClosure(self.program, self.inconsistent)
        return 0

    def keep(self, x):
        """Set an atom IN."""
        self.status[x] = IN
        self.inside[self.insides] = x
        self.insides += 1

    def catch_up(self):
        """Propagate the atoms that were set IN since the last call in `kept`."""
        i: cython.int
        size: cython.int = self.kept.size
        for i in range(self.kept_count, self.insides):
            self.kept.seed(self.inside[i])
        self.kept_count = self.insides
        self.kept.propagate(NEVER)
        self.kept.commit(size)

    def is_kept(self, x):
        """Return true if an atom follows from the atoms that are IN."""
        if self.is_split:
            return self.kept.known[x] != 0
        return self.possible.known[x] == 1

    def extend_cone(self, fires):
        """Add to the cone the atoms that derive the bodies of rules fired in `possible`, from index `fires`
        on.
        """
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
                self.possible.work += self.program.head_start[x + 1] - self.program.head_start[x] + 1
                for j in range(self.program.head_start[x], self.program.head_start[x + 1]):
                    if self.possible.missing[self.program.rules_by_head[j]] == 0:
                        self.stack[top] = self.program.rules_by_head[j]
                        top += 1

    def shrink_cone(self, cones):
        """Remove the atoms added last from the cone, until `cones` atoms remain."""
        i: cython.int
        for i in range(cones, self.cones):
            self.cone[self.coned[i]] = 0
        self.cones = cones

    # -- single atoms -------------------------------------------------------------------------------

    def test(self, closure: HornClosure, count, names_constraints):
        """Set the candidates OUT that contradict a closure by themselves.

        Each candidate is linked to an atom that it derives by itself, and so on; the links form a forest,
        which is traversed from the roots. An atom that many candidates derive is propagated once, and if it
        contradicts the closure, so do all of them. After a contradiction, all atoms that cause it by
        themselves are marked inconsistent, and later tests end as soon as one of these is derived.

        Args:
            closure: the kept atoms; unchanged afterwards.
            count: number of candidates to test, the first ones.
            names_constraints: record the violated constraints in `singles`, as pairs `atom, constraint`.
        """
        i: cython.int
        x: cython.int
        before: cython.longlong = closure.work
        self.grow_forest(closure, count)
        closure.stops_at_inconsistent = not names_constraints
        for i in range(self.trees):
            self.test_tree(closure, self.roots[i], before, names_constraints)
        closure.stops_at_inconsistent = False
        for i in range(self.meets):
            x = self.met[i]
            self.parent[x] = UNSEEN
            self.child[x] = self.sibling[x] = self.stamp[x] = ROOT
        self.meets = self.trees = 0
        self.tests += closure.work - before
        return 0

    def grow_forest(self, closure: HornClosure, count):
        """Link each candidate to an atom that it derives by itself, this atom to the next, and record the
        roots.
        """
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
                if p == ROOT or self.stamp[p] == i:  # no parent, or a cycle
                    self.parent[x] = ROOT
                    self.roots[self.trees] = x
                    self.trees += 1
                    break
                self.parent[x] = p
                self.sibling[x] = self.child[p]
                self.child[p] = x
                x = p
        return 0

    def derived_alone(self, closure: HornClosure, x):
        """Return an atom that a single rule derives from `x` and a closure; ROOT if there is none.

        Of several atoms, return the one that most rules derive, since other candidates may derive it too.
        """
        i: cython.int
        h: cython.int
        makers: cython.int
        most: cython.int = 0
        found: cython.int = ROOT
        closure.work += self.program.body_start[x + 1] - self.program.body_start[x] + 1
        for i in range(self.program.body_start[x], self.program.body_start[x + 1]):
            if closure.missing[self.program.rules_by_body[i]] == 1:
                h = self.program.head[self.program.rules_by_body[i]]
                if h >= 0 and h != x and not closure.known[h]:
                    makers = self.program.head_start[h + 1] - self.program.head_start[h]
                    if makers > most:
                        most = makers
                        found = h
        return found

    def test_tree(self, closure: HornClosure, root, before, names_constraints):
        """Test the candidates of one tree of the forest, depth first."""
        x: cython.int
        depth: cython.int = 0
        base: cython.int = closure.fires
        most: cython.int = NEVER if names_constraints else base + 1
        top: cython.int = 1
        self.path[0] = root
        while top:
            top -= 1
            x = self.path[top]
            if x < 0:  # the whole subtree is tested
                depth -= 1
                closure.undo(self.sizes[depth], self.fires[depth])
                continue
            if self.tests + closure.work - before > self.most_tests:
                self.mark_tree(x, top, False)
                continue
            if self.inconsistent[x] and not names_constraints:
                self.mark_tree(x, top, True)
                continue
            self.sizes[depth] = closure.size
            self.fires[depth] = closure.fires
            closure.seed(x)
            closure.propagate(most)
            if closure.fires > base:
                if names_constraints:
                    self.name_constraints(closure, x, base)
                else:
                    self.learn(closure, base, self.sizes[0])
                    closure.undo(self.sizes[depth], self.fires[depth])
                    self.mark_tree(x, top, True)
                    continue
            depth += 1
            self.path[top] = -1 - x
            top = self.push_children(x, top + 1)
        return 0

    def learn(self, closure: HornClosure, base, first):
        """Mark every atom that leads to the first contradiction by itself as inconsistent.

        The derivation of the contradiction is followed backwards along the trail. An atom is inconsistent if
        at its place it is the only one that the rest of the derivation needs (a unique implication point in
        SAT solvers).

        Args:
            closure: a closure with a contradiction.
            base: index of the contradiction in `fired`.
            first: index in the trail of the first atom that is not committed.
        """
        x: cython.int
        i: cython.int
        r: cython.int = closure.fired[base]
        place: cython.int = closure.size
        count: cython.int = 0
        if self.program.head[r] >= 0:  # a rule that derives an atom known to be inconsistent
            self.needed[self.program.head[r]] = 1
            count = 1
        else:
            for i in range(self.program.start[r], self.program.start[r + 1]):
                x = self.program.body[i]
                if closure.known[x] == 2 and not self.needed[x]:
                    self.needed[x] = 1
                    count += 1
        while place > first:
            place -= 1
            x = closure.trail[place]
            if not self.needed[x]:
                continue
            if count == 1:
                self.inconsistent[x] = 1
            self.needed[x] = 0
            r = closure.reason[x]
            if r == NONE:  # a seeded atom stays needed
                count += 1
            else:
                for i in range(self.program.start[r], self.program.start[r + 1]):
                    if closure.known[self.program.body[i]] == 2 and not self.needed[self.program.body[i]]:
                        self.needed[self.program.body[i]] = 1
                        count += 1
            count -= 1
            closure.work += 1
        return 0

    def mark_tree(self, root, base, is_out):
        """Set the candidates of a subtree OUT, or mark them as untested. `path` is free from index `base`
        on.
        """
        x: cython.int
        top: cython.int = base + 1
        self.path[base] = root
        while top > base:
            top -= 1
            x = self.path[top]
            if self.status[x] == CANDIDATE:
                if is_out:
                    self.status[x] = OUT
                else:
                    self.untested[x] = 1
                    self.is_complete = False
            top = self.push_children(x, top)
        return 0

    def push_children(self, x, top):
        """Push the children of an atom on the stack `path`, which has `top` entries; returns the new number
        of entries.
        """
        x = self.child[x]
        while x != ROOT:
            self.path[top] = x
            top += 1
            x = self.sibling[x]
        return top

    def name_constraints(self, closure: HornClosure, x, base):
        """Set a candidate OUT that contradicts the closure by itself, and record the constraints that it
        violates.
        """
        i: cython.int
        if self.status[x] == CANDIDATE:
            self.status[x] = OUT
            for i in range(base, closure.fires):
                self.singles.push(x)
                self.singles.push(self.program.number[closure.fired[i]])
        return 0

    # -- all atoms together -------------------------------------------------------------------------

    def decide_together(self, asserted: cython.int[::1]):
        """Find the conflict sets of one atom. The members of all other conflict sets become OPEN, other atoms
        IN.
        """
        i: cython.int
        x: cython.int
        all_: HornClosure = self.possible
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
        """Return the status of each atom: IN, OUT or OPEN; 0 for an atom that is not asserted."""
        return np.array(self.status, np.uint8)

    def are_untested(self):
        """Return 1 for each atom that was not tested because the limit of work was reached."""
        return np.array(self.untested, np.uint8)

    # -- open atoms ---------------------------------------------------------------------------------

    def residue(self):
        """Return the rules in derivations of ⊥ from possible atoms, with the kept atoms removed from their
        bodies.

        Returns:
            `(atoms, heads, numbers, starts, bodies)`: the atoms of these rules, ascending indexes into the
            program; and the rules as columns, as in `HornProgram`, with indexes into `atoms`.
        """
        i: cython.int
        j: cython.int
        r: cython.int
        x: cython.int
        size: cython.int = 0
        top: cython.int = 0
        program: HornProgram = self.program
        all_: HornClosure = self.possible
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
                    for j in range(program.head_start[x], program.head_start[x + 1]):
                        if all_.missing[program.rules_by_head[j]] == 0:
                            self.stack[top] = program.rules_by_head[j]
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

"""Open atoms of a decision, and the rules through which they contradict each other."""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.horn import HornProgram

from pantarhei.materialize.kernel.arrays import Ints, new_bytes, new_ints, new_longs, new_room


@cython.cclass
class Residue:
    """Open atoms and their rules, partitioned into connected groups.

    A group is one *of chains* if each of its rules has one body atom and each of its constraints has two. Its
    conflict sets are pairs.

    Args:
        program: the rules.
        levels: the level of each asserted atom, NONE for other atoms.
    """

    def __init__(self, program: HornProgram, levels: cython.longlong[::1]):
        atoms: cython.int = program.atoms
        self.program = program
        self.levels = levels
        self.leader = new_ints(max(1, atoms), NONE)
        self.is_joined = new_bytes(atoms)  # flag at the leader of each group: it is not a group of chains
        self.stack = new_room(max(1, atoms))
        self.find_groups()

    def find_groups(self):
        """Unite the atoms of each rule in one group (union-find with path halving)."""
        r: cython.int
        i: cython.int
        x: cython.int
        count: cython.int
        program: HornProgram = self.program
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
        """Mark the atoms that are reachable from the atoms on the stack through rules with one body atom.

        Args:
            mark: 1 for the atoms on the stack.
            top: number of atoms on the stack.
            forward: direction, from body to head or from head to body.
        """
        x: cython.int
        y: cython.int
        i: cython.int
        r: cython.int
        while top:
            top -= 1
            x = self.stack[top]
            if forward:
                for i in range(self.program.body_start[x], self.program.body_start[x + 1]):
                    y = self.program.head[self.program.rules_by_body[i]]
                    if y >= 0 and not mark[y]:
                        mark[y] = 1
                        self.stack[top] = y
                        top += 1
            else:
                for i in range(self.program.head_start[x], self.program.head_start[x + 1]):
                    r = self.program.rules_by_head[i]
                    y = self.program.body[self.program.start[r]]
                    if not mark[y]:
                        mark[y] = 1
                        self.stack[top] = y
                        top += 1

    def settle(self):
        """Decide the groups of chains by the pair rule, if it decides all atoms of the group.

        Pair rule: an atom that contradicts an atom at the newest level of its group is missing from the
        maximal consistent subsets that contain the newer atom, and such subsets exist.

        Returns:
            A code for each atom: 1 if it is cut, 2 if its group needs a search, 0 if it is not asserted.
        """
        x: cython.int
        y: cython.int
        r: cython.int
        top: cython.int = 0
        program: HornProgram = self.program
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

    def join(self, atoms: cython.int[::1]):
        """Mark the groups of these atoms as not of chains."""
        i: cython.int
        for i in range(len(atoms)):
            self.is_joined[self.leader[atoms[i]]] = 1

    def pairs(self, most: cython.longlong):
        """Return the conflict sets of the groups of chains.

        Returns:
            `(pairs, truncated)`: int32 rows `atom, atom, constraint` with the lower atom first, in which a
            row may recur; and 1 for each atom of a group with more than `most` pairs. The pairs of such
            groups are omitted.
        """
        x: cython.int
        y: cython.int
        r: cython.int
        i: cython.int
        j: cython.int
        found: Ints = Ints()
        members: Ints = Ints()
        program: HornProgram = self.program
        start: cython.int[::1] = new_ints(program.atoms + 1, NONE)
        end: cython.int[::1] = new_ints(program.atoms + 1, NONE)
        mark: cython.uchar[::1] = new_bytes(program.atoms)
        totals: cython.longlong[::1] = new_longs(program.atoms + 1)
        truncated_ = np.zeros(program.atoms, np.uint8)
        truncated: cython.uchar[::1] = truncated_
        with cython.nogil:
            for r in range(program.rules):
                if program.head[r] >= 0 or self.is_joined[self.leader[program.body[program.start[r]]]]:
                    continue
                for i in range(program.start[r], program.start[r + 1]):
                    if start[program.body[i]] == NONE:
                        start[program.body[i]] = members.size
                        self.supports(program.body[i], mark, members)
                        end[program.body[i]] = members.size
                x = program.body[program.start[r]]
                y = program.body[program.start[r + 1] - 1]
                totals[self.leader[x]] += cython.cast(cython.longlong, end[x] - start[x]) * (
                    end[y] - start[y]
                )
            for r in range(program.rules):
                x = program.body[program.start[r]]
                if program.head[r] >= 0 or self.is_joined[self.leader[x]] or totals[self.leader[x]] > most:
                    continue
                y = program.body[program.start[r + 1] - 1]
                for i in range(start[x], end[x]):
                    for j in range(start[y], end[y]):
                        found.push(min(members.items[i], members.items[j]))
                        found.push(max(members.items[i], members.items[j]))
                        found.push(program.number[r])
            for x in range(program.atoms):
                truncated[x] = totals[self.leader[x]] > most
        return found.array().reshape(-1, 3), truncated_

    def supports(self, x, mark: cython.uchar[::1], members: Ints):
        """Append to `members` the asserted atoms from which an atom follows through rules with one body
        atom.
        """
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
            for i in range(self.program.head_start[x], self.program.head_start[x + 1]):
                y = self.program.body[self.program.start[self.program.rules_by_head[i]]]
                if not mark[y]:
                    mark[y] = 1
                    self.stack[top] = y
                    top += 1
        for i in range(top):
            mark[self.stack[i]] = 0
        return 0

    def leaders(self):
        """Return the representative of each atom's group."""
        return np.array(self.leader[: self.program.atoms], np.int32)

    def joined(self):
        """Return 1 for each atom whose group is not one of chains."""
        x: cython.int
        found = np.zeros(self.program.atoms, np.uint8)
        out: cython.uchar[::1] = found
        for x in range(self.program.atoms):
            out[x] = self.is_joined[self.leader[x]]
        return found

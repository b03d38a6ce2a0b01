"""Rule bodies matched against rows: the join machine.

A rule is compiled (rules/compilation/program.py) into one *forward plan* for each atom of its body, run when
a fact of that atom's predicate is new, and one *backward plan*, run to find what supports a given fact. A
plan is a run of integers in `code`:

    rule, steps, conditions, head predicate, head arguments (2), trigger arguments (2), trigger atom,
    then a step for each further atom: kind, predicate, arguments (2), atom,
    then for each condition: kind and four operands

An argument `a >= 0` is variable `a`; `a == NONE` is absent; any other is the constant `-2 - a`. `atom` is the
position of an atom in the rule's body: `body[atom]` is the row matched to it. A backward plan's trigger is
the head (atom -1). The kinds of a step say what is bound when it is reached:

    CHECK      both arguments are bound: the fact is looked up
    FORWARD    the subject is bound: the chain of (predicate, subject) is walked, binding the object
    BACKWARD   the object is bound: the chain of (predicate, object) is walked, binding the subject

With WANTED added, it is for the visitor to match the atom: it knows to which terms the variable may be bound.

Conditions are looked at in their order when all atoms are matched. Their kinds, with their operands:

    DIFFERENT  a, b                  the arguments differ
    IDENTICAL  a, b                  the arguments are the same
    INSIDE     a, range              the argument is a literal in the data range
    OUTSIDE    a, range              the argument is a literal, and not in the data range
    HOLDS      builtin, a, b         the comparison holds of the arguments
    NAMED      a                     the argument is no literal
    COMPUTE    builtin, a, b, slot   the computation's result is put into the slot; not met if there is none

Which literals are in which data ranges is a table of bits, `memberships`; it belongs to `literals`, which
also evaluates built-ins (the only time a match needs Python, and waits for it).

Where `edge_atoms` names an atom of a rule, only rows flagged EDGE are matched to it
(rules/compilation/transitive_edges.py says why, edges.py which rows are flagged).

What a match means is for a visitor to say (matcher.py), one for each purpose: it weighs the rows and is told
of the matches. One enumeration of a matcher is under way at a time: a visitor begins no other, it notes what
it found.

Who is told of the matches of rule bodies, and says which rows take part in them.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.store import Store

from pantarhei.materialize.kernel.arrays import ints_of, new_ints


@cython.cclass
class Visitor:
    """What an enumeration of matches is for; each purpose is a subclass."""

    def weigh(self, row, level, atom):
        """The level of `row`, matched to the body's `atom`, in a match that is at `level` so far.

        HIDDEN where the row takes no part in matches, STOP to end the enumeration.
        """
        return HIDDEN

    def bind(self, plan, step, level):
        """Match the atom of a step that is WANTED, and go on. Returns 1 if the enumeration was stopped."""
        return 0

    def visit(self, plan, level):
        """A whole body matched; `level` is the smallest level in it. Return 1 to end the enumeration."""
        return 0


NO_BYTES = np.zeros(0, np.uint8)


@cython.cclass
class Matcher:
    """Plans, matched to the rows of a store.

    Args:
        code: the plans.
        widest: how many atoms the widest body has.
        variables: how many variables a plan has at most.
        edge_atoms: for each rule the position of the atom that only edges are matched to, or `NONE`.
        edges_noted: for each predicate not 0 if it is noted which of its rows are edges, as 32-bit integers.
        membership_bytes: how many bytes of `memberships` a literal has.
    """

    def __init__(
        self,
        store: Store,
        code,
        widest: cython.int,
        variables: cython.int,
        edge_atoms,
        edges_noted,
        membership_bytes: cython.int,
    ):
        self.store = store
        self.code = ints_of(code)
        self.widest = widest
        self.edge_atoms = ints_of([*edge_atoms, NONE])
        self.edge_atom = NONE
        self.edges_noted = edges_noted
        self.slots = new_ints(max(1, variables), 0)
        self.body = new_ints(max(1, widest), -1)
        self.width = membership_bytes
        self.memberships = NO_BYTES
        self.literals = None

    def consult(self, literals):
        """Take `literals.memberships` for the data ranges, and `literals.evaluate` for built-ins.

        `memberships` are bytes, `membership_bytes` a literal: bit `r` of them says that it is in range `r`.
        To be called again when the array was replaced by a larger one.
        """
        self.literals = literals
        self.memberships = literals.memberships

    def begin(self, plan, row, subject, object, level, visitor):
        """Bind the trigger of `plan` to a fact and match the rest of the body."""
        first: cython.int = self.code[plan + TRIGGER_SUBJECT]
        second: cython.int = self.code[plan + TRIGGER_OBJECT]
        self.edge_atom = self.edge_atoms[self.code[plan + RULE]]
        if row >= 0 and self.edge_atom == self.code[plan + TRIGGER_ATOM] and not self.is_edge(row):
            return 0
        if first >= 0:
            self.slots[first] = subject
        elif -2 - first != subject:
            return 0
        if second >= 0:
            if second == first:
                if object != subject:
                    return 0
            else:
                self.slots[second] = object
        elif second != NONE and -2 - second != object:
            return 0
        if row >= 0:
            self.body[self.code[plan + TRIGGER_ATOM]] = row
        return self.extend(plan, 0, level, visitor)

    def extend(self, plan, step, level, visitor):
        """Match the atoms from `step` on; `level` is the smallest level matched so far."""
        at: cython.int
        predicate: cython.int
        row: cython.int
        weight: cython.int
        place: cython.int
        if step == self.code[plan + STEPS]:
            at = plan + FIRST_STEP + step * PART
            for place in range(self.code[plan + CONDITIONS]):
                if not self.is_met(at + place * PART):
                    return 0
            return visitor.visit(plan, level)
        at = plan + FIRST_STEP + step * PART
        predicate = self.code[at + 1]
        place = self.code[at + 4]
        if self.code[at] == CHECK:
            row = self.store.find(predicate, self.value(self.code[at + 2]), self.value(self.code[at + 3]))
            if row < 0:
                return 0
            weight = self.weigh_at(place, row, level, visitor)
            if weight < 0:
                return 1 if weight == STOP else 0
            self.body[place] = row
            return self.extend(plan, step + 1, weight if weight < level else level, visitor)
        if self.code[at] & WANTED:
            return visitor.bind(plan, step, level)
        return self.walk(plan, step, level, self.has_edges(predicate) or place == self.edge_atom, visitor)

    def walk(self, plan, step, level, edges, visitor):
        """Match the atom of a step to the rows of a chain, those of `edges` or of the others, and go on.

        Edges come first, and the others after them where it is not edges alone that match.
        """
        at: cython.int = plan + FIRST_STEP + step * PART
        predicate: cython.int = self.code[at + 1]
        place: cython.int = self.code[at + 4]
        forward: cython.bint = self.code[at] & FORWARD
        bound: cython.int = self.code[at + 3] if forward else self.code[at + 2]
        term: cython.int = self.value(self.code[at + 2] if forward else self.code[at + 3])
        edge: cython.int = EDGE if edges else 0
        row: cython.int
        weight: cython.int
        if forward:
            row = self.store.first_with_subject(predicate, term, edge)
        else:
            row = self.store.first_with_object(predicate, term, edge)
        while row >= 0:
            weight = self.weigh_at(place, row, level, visitor)
            if weight >= 0:
                self.slots[bound] = self.store.rows[row].object if forward else self.store.rows[row].subject
                self.body[place] = row
                if self.extend(plan, step + 1, weight if weight < level else level, visitor):
                    return 1
            elif weight == STOP:
                return 1
            row = self.store.rows[row].next_subject if forward else self.store.rows[row].next_object
        if edges and place != self.edge_atom:
            return self.walk(plan, step, level, False, visitor)
        return 0

    def is_met(self, at):
        """Whether the condition at `at` in the code is met; binds the slot of a computation."""
        kind: cython.int = self.code[at]
        first: cython.int = self.code[at + 1]
        second: cython.int = self.code[at + 2]
        result: cython.int
        if kind == DIFFERENT:
            return self.value(first) != self.value(second)
        if kind == IDENTICAL:
            return self.value(first) == self.value(second)
        if kind == INSIDE:
            return self.is_member(self.value(first), second) == 1
        if kind == OUTSIDE:
            return self.is_member(self.value(first), second) == 0
        if kind == NAMED:
            return self.value(first) < FIRST_LITERAL
        result = self.evaluate(first, self.value(second), self.value(self.code[at + 3]))
        if kind == HOLDS:
            return result
        if result < 0:
            return 0
        self.slots[self.code[at + 4]] = result
        return 1

    def is_member(self, term, data_range):
        """1 if `term` is a literal in the data range, 0 if it is another literal, -1 if it is a name."""
        byte: cython.Py_ssize_t  # literals times ranges: more than 32 bits can count
        if term < FIRST_LITERAL:
            return -1
        byte = cython.cast(cython.Py_ssize_t, term - FIRST_LITERAL) * self.width + (data_range >> 3)
        return (self.memberships[byte] >> (data_range & 7)) & 1

    def evaluate(self, builtin, left, right):
        """The built-in's answer: of a comparison 0 or 1, of a computation its number or `NONE`."""
        result: cython.int = self.literals.evaluate(builtin, left, right)
        self.memberships = self.literals.memberships  # a new literal may have made it grow
        return result

    def value(self, argument):
        """What an argument of a plan is bound to."""
        if argument >= 0:
            return self.slots[argument]
        return argument if argument == NONE else -2 - argument

    def has_edges(self, predicate):
        """Whether it is noted of the predicate's facts whether they are edges."""
        return predicate < len(self.edges_noted) and self.edges_noted[predicate] != 0

    def is_edge(self, row):
        """Whether the row is flagged as an edge of its property."""
        return (self.store.rows[row].flags & EDGE) != 0

    def weigh_at(self, atom, row, level, visitor):
        """What `row` weighs as a match of this atom."""
        if atom == self.edge_atom and not self.is_edge(row):
            return HIDDEN
        return visitor.weigh(row, level, atom)

    # -- what was matched --------------------------------------------------------------------------

    def atoms_of(self, plan):
        """How many atoms the body of a plan's rule has: its steps, and the trigger where that is one."""
        return self.code[plan + STEPS] + (1 if self.code[plan + TRIGGER_ATOM] >= 0 else 0)

    def find_head(self, plan):
        """The row of the head of a matched body, negative if the fact is not stored."""
        return self.store.find(
            self.code[plan + HEAD],
            self.value(self.code[plan + HEAD_SUBJECT]),
            self.value(self.code[plan + HEAD_OBJECT]),
        )

    def record(self, plan, into):
        """Append the rule and the matched body's rows, padded with -1 to the widest body."""
        atom: cython.int
        atoms: cython.int = self.atoms_of(plan)
        into.push(self.code[plan])
        for atom in range(self.widest):
            into.push(self.body[atom] if atom < atoms else -1)
        return 0

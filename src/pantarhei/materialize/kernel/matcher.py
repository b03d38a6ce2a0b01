"""Join machine: matches rule bodies against rows.

rules/compilation/program.py compiles a rule into one *forward plan* for each atom of its body and one
*backward plan*. A forward plan is run for a new fact of its atom's predicate. The backward plan is run to
find the rule instances that support a fact. A plan is a sequence of integers in `code`:

    rule, steps, conditions, head predicate, head arguments (2), trigger arguments (2), trigger atom,
    then a step for each further atom: kind, predicate, arguments (2), atom,
    then for each condition: kind and four operands

An argument `a >= 0` is variable `a`, `a == NONE` is a missing argument, any other `a` is the constant `-2 -
a`. `atom` is the index of an atom in the rule's body; `body[atom]` is the row matched to it. The trigger of a
backward plan is the head (atom -1). The kind of a step depends on the variables bound before it:

    CHECK      both arguments are bound: look the fact up
    FORWARD    the subject is bound: iterate the chain of (predicate, subject), binding the object
    BACKWARD   the object is bound: iterate the chain of (predicate, object), binding the subject

If PARAMETER is added to the kind, the step binds a parameter, and the visitor matches its atom: it has the
registered values of the parameter.

Conditions are evaluated in order after all atoms are matched. Kinds and operands:

    DIFFERENT  a, b                  the arguments differ
    IDENTICAL  a, b                  the arguments are equal
    INSIDE     a, range              the argument is a literal in the data range
    OUTSIDE    a, range              the argument is a literal outside the data range
    HOLDS      builtin, a, b         the comparison of the arguments is true
    NAMED      a                     the argument is not a literal
    COMPUTE    builtin, a, b, slot   bind the slot to the result of a computation; false without a result

`memberships` is a bit table of the data ranges that contain each literal. It belongs to the object `literals`
(the vocabulary), which also evaluates built-ins. These are the only calls into Python during a match.

If `edge_atoms` has an atom for a rule, only rows flagged EDGE match this atom (edges.py).

A `Visitor` receives the matches and decides which rows may match. A matcher runs one enumeration at a time: a
visitor must not start another one, it records its findings.
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
    """Receiver of the matches of an enumeration, with a subclass for each use."""

    def weigh(self, row, level, atom):
        """Return the level of a partial match of level `level` after `row` is matched to the body's `atom`.

        HIDDEN excludes the row, STOP ends the enumeration.
        """
        return HIDDEN

    def bind(self, plan, step, level):
        """Match the atom of a PARAMETER step and continue. Returns 1 if the enumeration was stopped."""
        return 0

    def visit(self, plan, level):
        """Receive a match of the whole body with smallest level `level`. Returning 1 ends the enumeration."""
        return 0


NO_BYTES = np.zeros(0, np.uint8)


@cython.cclass
class Matcher:
    """Code of plans, and the current partial match.

    Args:
        code: the plans.
        widest: number of atoms of the widest body.
        variables: largest number of variables in a plan.
        edge_atoms: for each rule the index of the atom that only edges match, or `NONE`.
        edges_noted: for each predicate nonzero if its edges are flagged, as 32-bit integers.
        membership_bytes: bytes of `memberships` for each literal.
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

    def use_literals(self, literals):
        """Use `literals.memberships` for data ranges and `literals.evaluate` for built-ins.

        `memberships` has `membership_bytes` bytes for each literal; bit `r` is set if the literal is in data
        range `r`. The method must be called again after the array was replaced by a larger one.
        """
        self.literals = literals
        self.memberships = literals.memberships

    def begin(self, plan, row, subject, object, level, visitor):
        """Match the trigger of `plan` to a fact, then the rest of the body. Returns 1 if the visitor stopped.

        `row` is the fact's row, or `NONE` for the head of a backward plan.
        """
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
        """Match the atoms of the steps from `step` on; `level` is the smallest level of the rows matched so
        far.
        """
        at: cython.int
        predicate: cython.int
        row: cython.int
        weight: cython.int
        place: cython.int
        if step == self.code[plan + STEPS]:
            at = plan + FIRST_STEP + step * STEP_SIZE
            for place in range(self.code[plan + CONDITIONS]):
                if not self.is_met(at + place * STEP_SIZE):
                    return 0
            return visitor.visit(plan, level)
        at = plan + FIRST_STEP + step * STEP_SIZE
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
        if self.code[at] & PARAMETER:
            return visitor.bind(plan, step, level)
        return self.walk(plan, step, level, self.has_edges(predicate) or place == self.edge_atom, visitor)

    def walk(self, plan, step, level, edges, visitor):
        """Match the atom of a step to the rows of a chain, and continue with the next step.

        With `edges`, the chain of edges comes first; the chain of other facts follows unless only edges
        match.
        """
        at: cython.int = plan + FIRST_STEP + step * STEP_SIZE
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
        """Return 1 if the condition at index `at` of the code holds. COMPUTE binds its slot."""
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
        """Return 1 for a literal in the data range, 0 for another literal, -1 for a name."""
        byte: cython.Py_ssize_t  # the number of bits may exceed 32-bit integers
        if term < FIRST_LITERAL:
            return -1
        byte = cython.cast(cython.Py_ssize_t, term - FIRST_LITERAL) * self.width + (data_range >> 3)
        return (self.memberships[byte] >> (data_range & 7)) & 1

    def evaluate(self, builtin, left, right):
        """Return the result of a built-in: 0 or 1 for a comparison; for a computation a term, or `NONE`
        without a result.
        """
        result: cython.int = self.literals.evaluate(builtin, left, right)
        self.memberships = self.literals.memberships  # a result that is a new literal may have replaced it
        return result

    def value(self, argument):
        """Return the term of an argument: the constant, or the term bound to the variable."""
        if argument >= 0:
            return self.slots[argument]
        return argument if argument == NONE else -2 - argument

    def has_edges(self, predicate):
        """Return true if edges are distinguished among the facts of the predicate."""
        return predicate < len(self.edges_noted) and self.edges_noted[predicate] != 0

    def is_edge(self, row):
        """True if the row is flagged as an edge of its property."""
        return (self.store.rows[row].flags & EDGE) != 0

    def weigh_at(self, atom, row, level, visitor):
        """Return the visitor's `weigh` of `row` for this atom; HIDDEN if only edges match the atom and the
        row is none.
        """
        if atom == self.edge_atom and not self.is_edge(row):
            return HIDDEN
        return visitor.weigh(row, level, atom)

    # -- what was matched --------------------------------------------------------------------------

    def atoms_of(self, plan):
        """Return the number of atoms in the body of a plan's rule."""
        return self.code[plan + STEPS] + (1 if self.code[plan + TRIGGER_ATOM] >= 0 else 0)

    def find_head(self, plan):
        """Return the row of the head of a matched body, negative if the head is not stored."""
        return self.store.find(
            self.code[plan + HEAD],
            self.value(self.code[plan + HEAD_SUBJECT]),
            self.value(self.code[plan + HEAD_OBJECT]),
        )

    def record(self, plan, into):
        """Append the rule and the rows of a match, padded with -1 to the widest body."""
        atom: cython.int
        atoms: cython.int = self.atoms_of(plan)
        into.push(self.code[plan])
        for atom in range(self.widest):
            into.push(self.body[atom] if atom < atoms else -1)
        return 0

"""Rule bodies matched against rows: the join machine.

A rule is compiled (rules/program.py) into one *forward plan* for each atom of its body, run when a fact of
that atom's predicate is new, and one *backward plan*, run to find what supports a given fact. A plan is a run
of integers in `code`:

    rule, steps, conditions, head predicate, head arguments (2), trigger arguments (2), trigger atom,
    then a step for each further atom: kind, predicate, arguments (2), atom,
    then for each condition: kind and four operands

An argument `a >= 0` is variable `a`; `a == NONE` is absent; any other is the constant `-2 - a`. `atom` is the
position of an atom in the rule's body: `body[atom]` is the row matched to it. A backward plan's trigger is
the head (atom -1). The kinds of a step say what is bound when it is reached:

    CHECK      both arguments are bound: the fact is looked up
    FORWARD    the subject is bound: the chain of (predicate, subject) is walked, binding the object
    BACKWARD   the object is bound: the chain of (predicate, object) is walked, binding the subject

Conditions are looked at in their order when all atoms are matched. Their kinds, with their operands:

    DIFFERENT  a, b                  the arguments differ
    IDENTICAL  a, b                  the arguments are the same
    INSIDE     a, range              the argument is a literal in the data range
    OUTSIDE    a, range              the argument is a literal, and not in the data range
    HOLDS      builtin, a, b         the comparison holds of the arguments
    COMPUTE    builtin, a, b, slot   the computation's result is put into the slot; not met if there is none

Which literals are in which data ranges is a table of bits, `memberships`; it belongs to `literals`, which
also evaluates built-ins (the only time a match needs Python, and waits for it).

What a match means is for subclasses to say: `weigh` gives the level of a row that a match may use (-1:
hidden), `leaf` receives each whole match with the smallest level in it. One enumeration is under way at a
time: `leaf` must not begin another, it notes what it found.
"""

from __future__ import annotations

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.pantarhei.materialize.kernel.rows import Rows
else:
    from pantarhei.materialize.kernel.rows import Rows

from pantarhei.materialize.kernel.arrays import ints_of, new_bytes, new_ints

NONE = cython.declare(cython.int, -1)
STOP = cython.declare(cython.int, -2)  # what `weigh` answers to end an enumeration
CHECK = cython.declare(cython.int, 0)
FORWARD = cython.declare(cython.int, 1)

NO_BYTES = np.zeros(0, np.uint8)

# Positions in a plan, as said above.
RULE = cython.declare(cython.int, 0)
STEPS = cython.declare(cython.int, 1)
CONDITIONS = cython.declare(cython.int, 2)
HEAD = cython.declare(cython.int, 3)
HEAD_SUBJECT = cython.declare(cython.int, 4)
HEAD_OBJECT = cython.declare(cython.int, 5)
TRIGGER_SUBJECT = cython.declare(cython.int, 6)
TRIGGER_OBJECT = cython.declare(cython.int, 7)
TRIGGER_ATOM = cython.declare(cython.int, 8)
FIRST_STEP = cython.declare(cython.int, 9)
STEP_SIZE = cython.declare(cython.int, 5)
CONDITION_SIZE = cython.declare(cython.int, 5)

# Kinds of conditions, as said above.
DIFFERENT = cython.declare(cython.int, 0)
IDENTICAL = cython.declare(cython.int, 1)
INSIDE = cython.declare(cython.int, 2)
OUTSIDE = cython.declare(cython.int, 3)
HOLDS = cython.declare(cython.int, 4)

_FIRST_LITERAL = cython.declare(cython.int, 1 << 30)  # rules.program.FIRST_LITERAL


@cython.cclass
class Joins(Rows):
    """Rows with the plans of a program."""

    def __init__(self, plans, capacity=1024):
        """`plans` is a `rules.program.Plans`."""
        super().__init__(capacity)
        self.code = ints_of(plans.code)
        self.forward_plans = ints_of(plans.forward_plans)
        self.forward_start = ints_of(plans.forward_start)
        self.backward_plans = ints_of(plans.backward_plans)
        self.backward_start = ints_of(plans.backward_start)
        self.known = len(plans.forward_start) - 1
        self.streamed = new_bytes(self.known)
        self.crossing_is_stale = True
        self.widest = plans.widest_body
        self.slots = new_ints(plans.most_variables, 0)
        self.body = new_ints(plans.widest_body, -1)
        self.width = plans.membership_bytes
        self.memberships = NO_BYTES
        self.literals = None
        for predicate in plans.indexed_by_subject:
            self.index(predicate, True, False)
        for predicate in plans.indexed_by_object:
            self.index(predicate, False, True)

    def consult(self, literals):
        """Take `literals.memberships` for the data ranges, and `literals.evaluate` for built-ins.

        `memberships` are bytes, `membership_bytes` a literal: bit `r` of them says that it is in range `r`.
        To be called again when the array was replaced by a larger one.
        """
        self.literals = literals
        self.memberships = literals.memberships

    def fire(self, row, level):
        """Enumerate all rule instances with `row` in the body. Returns 1 if `leaf` stopped it."""
        predicate: cython.int = self.rows[row].predicate
        subject: cython.int = self.rows[row].subject
        object_: cython.int = self.rows[row].object
        i: cython.int
        if predicate >= self.known:
            return 0
        for i in range(self.forward_start[predicate], self.forward_start[predicate + 1]):
            if self.begin(self.forward_plans[i], row, subject, object_, level):
                return 1
        return 0

    def plan_crossing(self):
        """Choose the forward plans that can join a fact of a finished interpretation with one outside.

        These are the plans with a further atom whose predicate has streamed (`streamed`), and the
        constraints, of which an interpretation tells nothing.
        """
        chosen = []
        starts = [0]
        for predicate in range(self.known):
            for i in range(self.forward_start[predicate], self.forward_start[predicate + 1]):
                plan = self.forward_plans[i]
                steps = range(self.code[plan + STEPS])
                others = [self.code[plan + FIRST_STEP + step * STEP_SIZE + 1] for step in steps]
                if self.code[plan + HEAD] < 0 or any(self.streamed[other] for other in others):
                    chosen.append(plan)
            starts.append(len(chosen))
        self.crossing_plans, self.crossing_start = ints_of(chosen), ints_of(starts)
        self.crossing_is_stale = False

    def fire_crossing(self, row, level):
        """As `fire`, but rules only with facts that may be outside `row`'s interpretation and background."""
        predicate: cython.int = self.rows[row].predicate
        i: cython.int
        if predicate >= self.known:
            return 0
        for i in range(self.crossing_start[predicate], self.crossing_start[predicate + 1]):
            if self.begin(self.crossing_plans[i], row, self.rows[row].subject, self.rows[row].object, level):
                return 1
        return 0

    def explain(self, row):
        """Enumerate the rule instances with the fact of `row` as their head; 1 if `leaf` stopped it."""
        predicate: cython.int = self.rows[row].predicate
        subject: cython.int = self.rows[row].subject
        object_: cython.int = self.rows[row].object
        i: cython.int
        if predicate >= self.known:
            return 0
        for i in range(self.backward_start[predicate], self.backward_start[predicate + 1]):
            if self.begin(self.backward_plans[i], -1, subject, object_, 0x3FFFFFFF):
                return 1
        return 0

    def begin(self, plan, row, subject, object, level):
        """Bind the trigger of `plan` to a fact and match the rest of the body."""
        first: cython.int = self.code[plan + TRIGGER_SUBJECT]
        second: cython.int = self.code[plan + TRIGGER_OBJECT]
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
        return self.extend(plan, 0, level)

    def extend(self, plan, step, level):
        """Match the atoms from `step` on; `level` is the smallest level matched so far."""
        at: cython.int
        predicate: cython.int
        row: cython.int
        weight: cython.int
        bound: cython.int
        place: cython.int
        if step == self.code[plan + STEPS]:
            at = plan + FIRST_STEP + step * STEP_SIZE
            for place in range(self.code[plan + CONDITIONS]):
                if not self.is_met(at + place * CONDITION_SIZE):
                    return 0
            return self.leaf(plan, level)
        at = plan + FIRST_STEP + step * STEP_SIZE
        predicate = self.code[at + 1]
        place = self.code[at + 4]
        if self.code[at] == CHECK:
            row = self.find(predicate, self.value(self.code[at + 2]), self.value(self.code[at + 3]))
            if row < 0:
                return 0
            weight = self.weigh(row, level)
            if weight < 0:
                return 1 if weight == STOP else 0
            self.body[place] = row
            return self.extend(plan, step + 1, weight if weight < level else level)
        if self.code[at] == FORWARD:
            bound = self.code[at + 3]
            row = self.first_with_subject(predicate, self.value(self.code[at + 2]))
            while row >= 0:
                weight = self.weigh(row, level)
                if weight >= 0:
                    self.slots[bound] = self.rows[row].object
                    self.body[place] = row
                    if self.extend(plan, step + 1, weight if weight < level else level):
                        return 1
                elif weight == STOP:
                    return 1
                row = self.rows[row].next_subject
            return 0
        bound = self.code[at + 2]
        row = self.first_with_object(predicate, self.value(self.code[at + 3]))
        while row >= 0:
            weight = self.weigh(row, level)
            if weight >= 0:
                self.slots[bound] = self.rows[row].subject
                self.body[place] = row
                if self.extend(plan, step + 1, weight if weight < level else level):
                    return 1
            elif weight == STOP:
                return 1
            row = self.rows[row].next_object
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
        if term < _FIRST_LITERAL:
            return -1
        byte = cython.cast(cython.Py_ssize_t, term - _FIRST_LITERAL) * self.width + (data_range >> 3)
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

    def weigh(self, row, level):
        """The level at which `row` takes part in a match so far at `level`; -1 hides it, STOP ends it all."""
        return self.rows[row].level

    def leaf(self, plan, level):
        """A whole body matched. Return 1 to stop the enumeration."""
        return 0

"""Rule bodies matched against rows: the join machine.

A rule is compiled (rules/program.py) into one *forward plan* for each atom of its body, run when a fact of
that atom's predicate is new, and one *backward plan*, run to find what supports a given fact. A plan is a run
of integers in `code`:

    rule, steps, differences, head predicate, head arguments (2), trigger arguments (2), trigger atom,
    then a step for each further atom: kind, predicate, arguments (2), atom,
    then for each difference: arguments (2)

An argument `a >= 0` is variable `a`; `a == NONE` is absent; any other is the constant `-2 - a`. `atom` is the
position of an atom in the rule's body: `body[atom]` is the row matched to it. A backward plan's trigger is
the head (atom -1). The kinds of a step say what is bound when it is reached:

    CHECK      both arguments are bound: the fact is looked up
    FORWARD    the subject is bound: the chain of (predicate, subject) is walked, binding the object
    BACKWARD   the object is bound: the chain of (predicate, object) is walked, binding the subject

What a match means is for subclasses to say: `weigh` gives the level of a row that a match may use (-1:
hidden), `leaf` receives each whole match with the smallest level in it. One enumeration is under way at a
time: `leaf` must not begin another, it notes what it found.
"""

from __future__ import annotations

import cython

if cython.compiled:
    from cython.cimports.pantarhei.materialize.kernel.rows import Rows
else:
    from pantarhei.materialize.kernel.rows import Rows

from pantarhei.materialize.kernel.rows import ints_of, new_ints

NONE = cython.declare(cython.int, -1)
STOP = cython.declare(cython.int, -2)  # what `weigh` answers to end an enumeration
CHECK = cython.declare(cython.int, 0)
FORWARD = cython.declare(cython.int, 1)

# Positions in a plan, as said above.
RULE = cython.declare(cython.int, 0)
STEPS = cython.declare(cython.int, 1)
DIFFERENCES = cython.declare(cython.int, 2)
HEAD = cython.declare(cython.int, 3)
HEAD_SUBJECT = cython.declare(cython.int, 4)
HEAD_OBJECT = cython.declare(cython.int, 5)
TRIGGER_SUBJECT = cython.declare(cython.int, 6)
TRIGGER_OBJECT = cython.declare(cython.int, 7)
TRIGGER_ATOM = cython.declare(cython.int, 8)
FIRST_STEP = cython.declare(cython.int, 9)
STEP_SIZE = cython.declare(cython.int, 5)


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
        self.widest = plans.widest_body
        self.slots = new_ints(plans.most_variables, 0)
        self.body = new_ints(plans.widest_body, -1)
        for predicate in plans.indexed_by_subject:
            self.index(predicate, True, False)
        for predicate in plans.indexed_by_object:
            self.index(predicate, False, True)

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
            for place in range(self.code[plan + DIFFERENCES]):
                if self.value(self.code[at + 2 * place]) == self.value(self.code[at + 2 * place + 1]):
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

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

Conditions are looked at in their order when all atoms are matched. Their kinds, with their operands:

    DIFFERENT  a, b                  the arguments differ
    IDENTICAL  a, b                  the arguments are the same
    INSIDE     a, range              the argument is a literal in the data range
    OUTSIDE    a, range              the argument is a literal, and not in the data range
    HOLDS      builtin, a, b         the comparison holds of the arguments
    COMPUTE    builtin, a, b, slot   the computation's result is put into the slot; not met if there is none

Which literals are in which data ranges is a table of bits, `memberships`; it belongs to `literals`, which
also evaluates built-ins (the only time a match needs Python, and waits for it).

Where `edge_atoms` names an atom of a rule, only rows flagged EDGE are matched to it
(rules/compilation/transitive_edges.py says why, edges.py which rows are flagged).

What a match means is for subclasses to say, by two methods: `weigh` gives the level of a row in a match,
HIDDEN where the row may not be matched, or STOP to end the enumeration; `leaf` receives each whole match with
the smallest level in it. They differ by `purpose` (proofs.py), what the enumeration is for. One enumeration
is under way at a time: `leaf` must not begin another, it notes what it found.

`candidates` counts the plans that were begun, the class facts that were looked at to choose them, and the
rows that were looked at for bodies without a head.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.store import Store
    from pantarhei.materialize.kernel.switches import Switches

from pantarhei.materialize.kernel.arrays import ints_of, new_bytes, new_ints

NO_BYTES = np.zeros(0, np.uint8)


@cython.cclass
class Matcher:
    """The plans of a program, matched to the rows of a store."""

    def __init__(self, plans, capacity=1024):
        """`plans` is a `rules.program.Plans`."""
        self.store = Store(capacity)
        self.code = ints_of(plans.code)
        self.forward = Switches(plans.forward)
        self.backward = Switches(plans.backward)
        self.superclasses = ints_of(plans.superclasses.classes)
        self.superclass_start = ints_of(plans.superclasses.start)
        self.superclass_ends = ints_of(plans.superclasses.ends)
        self.known = len(plans.forward.start) - 1
        self.chosen = new_bytes(len(plans.forward.plans))
        self.crossing_is_chosen = False
        self.candidates = 0
        self.widest = plans.widest_body
        self.edge_atoms = new_ints(max(1, len(plans.edge_atoms)), NONE)
        self.edge_atom = NONE
        self.edges_noted = new_ints(self.known + 1, 0)
        self.partners = new_ints(PARTNER_SIZE * self.known, 0)
        self.slots = new_ints(plans.most_variables, 0)
        self.body = new_ints(plans.widest_body, -1)
        self.width = plans.membership_bytes
        self.memberships = NO_BYTES
        self.literals = None
        for predicate in plans.indexed_by_subject:
            self.store.index(predicate, True, False)
        for predicate in plans.indexed_by_object:
            self.store.index(predicate, False, True)

    def consult(self, literals):
        """Take `literals.memberships` for the data ranges, and `literals.evaluate` for built-ins.

        `memberships` are bytes, `membership_bytes` a literal: bit `r` of them says that it is in range `r`.
        To be called again when the array was replaced by a larger one.
        """
        self.literals = literals
        self.memberships = literals.memberships

    def plan_partners(self):
        """Note which chain facts of each predicate are joined with first, to read it ahead.

        `partners` has PARTNER_SIZE integers a predicate: the chain's kind as in rows.py (0: none), its
        predicate, and whether it is that of the fact's object (1) or subject (0).
        """
        for predicate in range(self.known):
            for place in range(self.forward.joining[predicate], self.forward.unswitched[predicate]):
                if self.note_partner(predicate, self.forward.plans[place]):
                    break

    def note_partner(self, predicate, plan):
        """Note the chain that a plan walks first, if it walks one at the subject or object of any fact."""
        edge_atom = self.edge_atoms[self.code[plan + RULE]]
        if self.code[plan + STEPS] == 0 or edge_atom == self.code[plan + TRIGGER_ATOM]:
            return False
        kind, joined, subject, object_, atom = [self.code[plan + FIRST_STEP + i] for i in range(PART)]
        term = object_ if kind == BACKWARD else subject
        ends = self.code[plan + TRIGGER_SUBJECT], self.code[plan + TRIGGER_OBJECT]
        if kind == CHECK or term < 0 or term not in ends:
            return False
        edges = EDGE if atom == edge_atom or self.has_edges(joined) else 0
        at = PARTNER_SIZE * predicate
        self.partners[at] = (OBJECT if kind == BACKWARD else SUBJECT) | edges
        self.partners[at + 1] = joined
        self.partners[at + 2] = term == ends[1]
        return True

    def fetch_partner(self, row, first):
        """Begin to read the cell of the chain that the fact of `row` is joined with first.

        With `first` it is the row that the cell names.
        """
        at: cython.int = PARTNER_SIZE * self.store.rows[row].predicate
        term: cython.int
        if self.store.rows[row].predicate >= self.known or not self.partners[at]:
            return
        term = self.store.rows[row].object if self.partners[at + 2] else self.store.rows[row].subject
        if first:
            self.store.fetch_first(self.partners[at + 1], term, self.partners[at])
        else:
            self.store.fetch_chain(self.partners[at + 1], term, self.partners[at])

    def fire(self, row, level):
        """Enumerate all rule instances with `row` in the body. Returns 1 if `leaf` stopped it."""
        return self.attempt(self.forward, row, row, level, ALL)

    def fire_chosen(self, row, level):
        """As `fire`, but with the chosen plans only."""
        return self.attempt(self.forward, row, row, level, CHOSEN)

    def fire_joining(self, row, level):
        """As `fire`, but without the inclusions that `superclasses` has."""
        return self.attempt(self.forward, row, row, level, JOINING)

    def explain(self, row):
        """Enumerate the rule instances with the fact of `row` as their head; 1 if `leaf` stopped it."""
        return self.attempt(self.backward, row, NONE, FOREVER, ALL)

    def choose_crossing(self, streamed):
        """Choose the forward plans that can join a fact of a finished interpretation with one outside.

        These are the plans with a further atom whose predicate is flagged in `streamed`, and the
        constraints, of which an interpretation tells nothing.
        """
        i: cython.Py_ssize_t
        step: cython.int
        plan: cython.int
        for i in range(len(self.chosen)):
            plan = self.forward.plans[i]
            self.chosen[i] = self.code[plan + HEAD] < 0
            for step in range(self.code[plan + STEPS]):
                self.chosen[i] |= streamed[self.code[plan + FIRST_STEP + step * PART + 1]]
        self.crossing_is_chosen = True

    def choose_constraints(self):
        """Choose one forward plan of each constraint."""
        i: cython.Py_ssize_t
        plan: cython.int
        for i in range(len(self.chosen)):
            plan = self.forward.plans[i]
            self.chosen[i] = self.code[plan + HEAD] < 0 and self.code[plan + TRIGGER_ATOM] == 0
        self.crossing_is_chosen = False

    def attempt(self, switches, trigger, row, level, which):
        """Begin the plans that the fact of row `trigger` may match.

        Args:
            row: `trigger` where the fact is matched to an atom of the body, `NONE` where to the head.
            which: plans it may be, ALL, CHOSEN or JOINING.
        """
        i: cython.int
        predicate: cython.int = self.store.rows[trigger].predicate
        chosen: cython.bint = which == CHOSEN
        if predicate >= self.known:
            return 0
        i = switches.joining[predicate] if which == JOINING else switches.start[predicate]
        if self.attempt_range(switches, i, switches.unswitched[predicate], trigger, row, level, chosen):
            return 1
        for i in range(switches.switch_start[predicate], switches.switch_start[predicate + 1]):
            if self.attempt_switched(switches, i, trigger, row, level, chosen):
                return 1
        return 0

    def attempt_switched(self, switches, switch, trigger, row, level, chosen):
        """Begin the plans of a switch for whose keys the fact is one.

        A term that is in more classes than the switch has plans is not asked for them.
        """
        kind: cython.int = switches.kinds[switch]
        subject: cython.int = self.store.rows[trigger].subject
        term: cython.int = self.store.rows[trigger].object if kind & SWITCH_OBJECT else subject
        first: cython.int = switches.switched[2 * switch]
        end: cython.int = switches.switched[2 * switch + 1]
        patience: cython.int = end - first
        other: cython.int
        if kind < SWITCH_SUBJECT_CLASS:
            return self.attempt_key(switches, switch, term, trigger, row, level, chosen)
        other = self.store.first_with_subject(NONE, term, 0)
        while other >= 0 and patience > 0:
            patience -= 1
            other = self.store.rows[other].next_subject
        if other >= 0:
            return self.attempt_range(switches, first, end, trigger, row, level, chosen)
        other = self.store.first_with_subject(NONE, term, 0)
        while other >= 0:
            self.candidates += 1
            if self.attempt_key(
                switches, switch, self.store.rows[other].predicate, trigger, row, level, chosen
            ):
                return 1
            other = self.store.rows[other].next_subject
        return 0

    def attempt_key(self, switches, switch, key, trigger, row, level, chosen):
        """Begin the plans of a switch that ask for the key."""
        at: cython.Py_ssize_t = switches.find(switch, key)
        if at < 0:
            return 0
        return self.attempt_range(
            switches, switches.ranges[2 * at], switches.ranges[2 * at + 1], trigger, row, level, chosen
        )

    def attempt_range(self, switches, first, end, trigger, row, level, chosen):
        """Begin the plans from place `first` up to `end`."""
        subject: cython.int = self.store.rows[trigger].subject
        object_: cython.int = self.store.rows[trigger].object
        i: cython.int
        self.candidates += end - first
        for i in range(first, end):
            if chosen and not self.chosen[i]:
                continue
            if self.begin(switches.plans[i], row, subject, object_, level):
                return 1
        return 0

    def begin(self, plan, row, subject, object, level):
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
        return self.extend(plan, 0, level)

    def extend(self, plan, step, level):
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
            return self.leaf(plan, level)
        at = plan + FIRST_STEP + step * PART
        predicate = self.code[at + 1]
        place = self.code[at + 4]
        if self.code[at] == CHECK:
            row = self.store.find(predicate, self.value(self.code[at + 2]), self.value(self.code[at + 3]))
            if row < 0:
                return 0
            weight = self.weigh_at(place, row, level)
            if weight < 0:
                return 1 if weight == STOP else 0
            self.body[place] = row
            return self.extend(plan, step + 1, weight if weight < level else level)
        return self.walk(plan, step, level, self.has_edges(predicate) or place == self.edge_atom)

    def walk(self, plan, step, level, edges):
        """Match the atom of a step to the rows of a chain, those of `edges` or of the others, and go on.

        Edges come first, and the others after them where it is not edges alone that match.
        """
        at: cython.int = plan + FIRST_STEP + step * PART
        predicate: cython.int = self.code[at + 1]
        place: cython.int = self.code[at + 4]
        forward: cython.bint = self.code[at] == FORWARD
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
            weight = self.weigh_at(place, row, level)
            if weight >= 0:
                self.slots[bound] = self.store.rows[row].object if forward else self.store.rows[row].subject
                self.body[place] = row
                if self.extend(plan, step + 1, weight if weight < level else level):
                    return 1
            elif weight == STOP:
                return 1
            row = self.store.rows[row].next_subject if forward else self.store.rows[row].next_object
        if edges and place != self.edge_atom:
            return self.walk(plan, step, level, False)
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
        return predicate < self.known and self.edges_noted[predicate] != 0

    def is_edge(self, row):
        """Whether the row is flagged as an edge of its property."""
        return (self.store.rows[row].flags & EDGE) != 0

    def weigh_at(self, atom, row, level):
        """What `row` weighs as a match of this atom."""
        if atom == self.edge_atom and not self.is_edge(row):
            return HIDDEN
        return self.weigh(row, level)

    def weigh(self, row, level):
        """The level of `row` in a match that is at `level` so far, HIDDEN or STOP."""
        return self.store.rows[row].level

    def leaf(self, plan, level):
        """A whole body matched. Return 1 to stop the enumeration."""
        return 0

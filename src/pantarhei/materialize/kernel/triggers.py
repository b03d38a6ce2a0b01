"""Selection of the plans to run for a fact: of rules with the fact in the body, or with the fact as the head.

Plans are selected by the predicate of the fact. If many plans share a predicate, they are also selected by
the constants and classes that they require (`Switches`). `DerivationVisitor` derives heads and records
violations.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Matcher, Visitor

from pantarhei.materialize.kernel.arrays import Ints, ints_of, new_bytes, new_ints

# as in rules.compilation.plan.Dispatch
_MULTIPLIER = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


@cython.cclass
class Switches:
    """Plans by predicate and key, in the arrays of a `rules.compilation.plan.Dispatch`, which describes the
    layout.
    """

    def __init__(self, dispatch):
        self.plans = ints_of(dispatch.plans)
        self.start = ints_of(dispatch.start)
        self.joining = ints_of(dispatch.joining)
        self.unswitched = ints_of(dispatch.unswitched)
        self.switch_start = ints_of(dispatch.switch_start)
        self.kinds = ints_of(dispatch.kinds)
        self.switched = ints_of(dispatch.switched.ravel())
        self.ranges = ints_of(dispatch.ranges.ravel())
        keys = np.array(dispatch.keys, np.int64)
        self.keys = keys if cython.compiled else memoryview(keys)
        self.shift = dispatch.shift

    def find(self, switch, key):
        """Return the index in `keys` of a key of the switch, -1 if no plan has the key."""
        wanted: cython.longlong = (cython.cast(cython.longlong, switch) << 32) | key
        product: cython.ulonglong = cython.cast(cython.ulonglong, wanted) * _MULTIPLIER
        if not cython.compiled:
            product &= 0xFFFFFFFFFFFFFFFF
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, product >> self.shift)
        while self.keys[at] >= 0:
            if self.keys[at] == wanted:
                return at
            at += 1
        return -1


@cython.cclass
class Triggers:
    """Plans of a program, run for single facts.

    `known` is the number of predicates in the program. `candidates` counts the plans started, and the class
    facts read to select plans.

    Args:
        matcher: has the code of the plans.
        plans: a `rules.compilation.program.Plans`.
    """

    def __init__(self, matcher: Matcher, plans):
        self.matcher = matcher
        self.store = matcher.store
        self.forward = Switches(plans.forward)
        self.backward = Switches(plans.backward)
        self.known = len(plans.forward.start) - 1
        self.chosen = new_bytes(len(plans.forward.plans))
        self.crossing_is_chosen = False
        self.candidates = 0
        self.partners = new_ints(PARTNER_SIZE * self.known, 0)
        self.plan_partners()

    def fire(self, row, level, visitor):
        """Enumerate the rule instances with `row` in the body. Returns 1 if the visitor ended the
        enumeration.
        """
        return self.start_plans(self.forward, row, row, level, ALL, visitor)

    def fire_chosen(self, row, level, visitor):
        """Enumerate like `fire`, only with the chosen plans."""
        return self.start_plans(self.forward, row, row, level, CHOSEN, visitor)

    def fire_joining(self, row, level, visitor):
        """Enumerate like `fire`, without the class inclusions that `Fixpoint.superclasses` evaluates."""
        return self.start_plans(self.forward, row, row, level, JOINING, visitor)

    def fire_backward(self, row, visitor):
        """Enumerate the rule instances with the fact of `row` as head. Returns 1 if the visitor ended the
        enumeration.
        """
        return self.start_plans(self.backward, row, NONE, FOREVER, ALL, visitor)

    def are_without_plans(self, predicate):
        """Return true if facts of a predicate start no forward plan."""
        return (
            self.forward.start[predicate] == self.forward.unswitched[predicate]
            and self.forward.switch_start[predicate] == self.forward.switch_start[predicate + 1]
        )

    def choose_crossing(self, streamed):
        """Choose the forward plans that can join a fact of a closed interpretation with a fact outside of it.

        These are the plans with a further atom whose predicate is flagged in `streamed`. Constraints are
        chosen too, since violations within an interpretation are not recorded when it is closed.
        """
        i: cython.Py_ssize_t
        step: cython.int
        plan: cython.int
        for i in range(len(self.chosen)):
            plan = self.forward.plans[i]
            self.chosen[i] = self.matcher.code[plan + HEAD] < 0
            for step in range(self.matcher.code[plan + STEPS]):
                self.chosen[i] |= streamed[self.matcher.code[plan + FIRST_STEP + step * STEP_SIZE + 1]]
        self.crossing_is_chosen = True

    def choose_constraints(self):
        """Choose the constraints, each with the forward plan of one of its atoms."""
        i: cython.Py_ssize_t
        plan: cython.int
        for i in range(len(self.chosen)):
            plan = self.forward.plans[i]
            self.chosen[i] = (
                self.matcher.code[plan + HEAD] < 0 and self.matcher.code[plan + TRIGGER_ATOM] == 0
            )
        self.crossing_is_chosen = False

    def start_plans(self, switches, trigger, row, level, which, visitor):
        """Start the plans that the fact of row `trigger` may match.

        Args:
            row: equal to `trigger` to match the fact to a body atom, `NONE` to match it to the head.
            which: ALL, CHOSEN or JOINING.
        """
        i: cython.int
        predicate: cython.int = self.store.rows[trigger].predicate
        chosen: cython.bint = which == CHOSEN
        if predicate >= self.known:
            return 0
        i = switches.joining[predicate] if which == JOINING else switches.start[predicate]
        if self.start_range(
            switches, i, switches.unswitched[predicate], trigger, row, level, chosen, visitor
        ):
            return 1
        for i in range(switches.switch_start[predicate], switches.switch_start[predicate + 1]):
            if self.start_switched(switches, i, trigger, row, level, chosen, visitor):
                return 1
        return 0

    def start_switched(self, switches, switch, trigger, row, level, chosen, visitor):
        """Start the plans of a switch whose key the fact has.

        A switch by class starts all its plans without looking up keys if the term has more classes than the
        switch has plans.
        """
        kind: cython.int = switches.kinds[switch]
        subject: cython.int = self.store.rows[trigger].subject
        term: cython.int = self.store.rows[trigger].object if kind & SWITCH_OBJECT else subject
        first: cython.int = switches.switched[2 * switch]
        end: cython.int = switches.switched[2 * switch + 1]
        patience: cython.int = end - first
        other: cython.int
        if kind < SWITCH_SUBJECT_CLASS:
            return self.start_key(switches, switch, term, trigger, row, level, chosen, visitor)
        other = self.store.first_with_subject(NONE, term, 0)
        while other >= 0 and patience > 0:
            patience -= 1
            other = self.store.rows[other].next_subject
        if other >= 0:
            return self.start_range(switches, first, end, trigger, row, level, chosen, visitor)
        other = self.store.first_with_subject(NONE, term, 0)
        while other >= 0:
            self.candidates += 1
            if self.start_key(
                switches, switch, self.store.rows[other].predicate, trigger, row, level, chosen, visitor
            ):
                return 1
            other = self.store.rows[other].next_subject
        return 0

    def start_key(self, switches, switch, key, trigger, row, level, chosen, visitor):
        """Start the plans of a switch that have the key."""
        at: cython.Py_ssize_t = switches.find(switch, key)
        if at < 0:
            return 0
        return self.start_range(
            switches,
            switches.ranges[2 * at],
            switches.ranges[2 * at + 1],
            trigger,
            row,
            level,
            chosen,
            visitor,
        )

    def start_range(self, switches, first, end, trigger, row, level, chosen, visitor):
        """Start the plans at the indexes from `first` up to `end`, exclusive."""
        subject: cython.int = self.store.rows[trigger].subject
        object_: cython.int = self.store.rows[trigger].object
        i: cython.int
        self.candidates += end - first
        for i in range(first, end):
            if chosen and not self.chosen[i]:
                continue
            if self.matcher.begin(switches.plans[i], row, subject, object_, level, visitor):
                return 1
        return 0

    # -- prefetching -----------------------------------------------------------------------------------

    def plan_partners(self):
        """Record for each predicate the chain with which its facts are joined first, to prefetch it.

        `partners` has PARTNER_SIZE integers for each predicate: the kind of the chain as in rows.py (0 if
        there is none), its predicate, and 1 if it is a chain of the fact's object, 0 if of its subject.
        """
        for predicate in range(self.known):
            for place in range(self.forward.joining[predicate], self.forward.unswitched[predicate]):
                if self.note_partner(predicate, self.forward.plans[place]):
                    break

    def note_partner(self, predicate, plan):
        """Record the chain of a plan's first step if it is a chain of the triggering fact's subject or
        object.
        """
        edge_atom = self.matcher.edge_atoms[self.matcher.code[plan + RULE]]
        if self.matcher.code[plan + STEPS] == 0 or edge_atom == self.matcher.code[plan + TRIGGER_ATOM]:
            return False
        step = plan + FIRST_STEP
        kind, joined, subject, object_, atom = [self.matcher.code[step + i] for i in range(STEP_SIZE)]
        term = object_ if kind == BACKWARD else subject
        ends = self.matcher.code[plan + TRIGGER_SUBJECT], self.matcher.code[plan + TRIGGER_OBJECT]
        if kind == CHECK or term < 0 or term not in ends:
            return False
        edges = EDGE if atom == edge_atom or self.matcher.has_edges(joined) else 0
        at = PARTNER_SIZE * predicate
        self.partners[at] = (OBJECT if kind == BACKWARD else SUBJECT) | edges
        self.partners[at + 1] = joined
        self.partners[at + 2] = term == ends[1]
        return True

    def prefetch_partner(self, row, first):
        """Prefetch the hash cell of the chain with which the fact of `row` is joined first; with `first`, the
        chain's first row.
        """
        at: cython.int = PARTNER_SIZE * self.store.rows[row].predicate
        term: cython.int
        if self.store.rows[row].predicate >= self.known or not self.partners[at]:
            return
        term = self.store.rows[row].object if self.partners[at + 2] else self.store.rows[row].subject
        if first:
            self.store.prefetch_chain_start(self.partners[at + 1], term, self.partners[at])
        else:
            self.store.prefetch_chain(self.partners[at + 1], term, self.partners[at])


@cython.cclass
class DerivationVisitor(Visitor):
    """Visitor that derives the heads of matched bodies. Subclasses implement `derive`.

    If `detects` is true, violations are recorded. Work counters: `pops` facts taken from the queue, `firings`
    rule instances enumerated.
    """

    def __init__(self, triggers: Triggers):
        self.triggers = triggers
        self.matcher = triggers.matcher
        self.store = triggers.store
        self.detects = False
        self.violations = Ints()
        self.pops = 0
        self.firings = 0

    def visit(self, plan, level):
        self.firings += 1
        if self.matcher.code[plan + HEAD] >= 0:
            return self.derive(plan, level)
        return self.matcher.record(plan, self.violations) if self.detects else 0

    def derive(self, plan, level):
        """Derive the head of a matched body, whose smallest level is `level`."""
        return 0

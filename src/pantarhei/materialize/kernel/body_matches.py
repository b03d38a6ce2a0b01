"""Inserted and deleted matches of bodies outside the program, from inserted and deleted facts.

The states before and after a step are searched in the same rows; deleted facts get temporary rows for the
duration of the search. Rows of inserted facts are flagged DELTA_PLUS, rows of deleted facts DELTA_MINUS. An
inserted match has at least one row flagged DELTA_PLUS, and no row that is only flagged DELTA_MINUS. A deleted
match has these flags exchanged. To find each match once, a match is assigned to the first of its body atoms
with a flagged row: when the search starts from that row, earlier atoms match only rows without a flag.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Visitor
    from pantarhei.materialize.kernel.triggers import Triggers

from pantarhei.materialize.kernel.arrays import Ints, ints_of, new_ints
from pantarhei.materialize.kernel.bags import Readers
from pantarhei.materialize.kernel.cells import Multimap
from pantarhei.materialize.kernel.matcher import Matcher


@cython.cclass
class BodyMatches(Visitor):
    """Collector of the variable bindings of body matches.

    `found` has for each match the index of its body, its sign or lowest level, and the terms bound to the
    variables, padded with NONE. `candidates` counts the plans started and the rows read by the present
    search.

    Args:
        triggers: of the program over the same rows; their work counter includes these searches.
        plans: a `rules.compilation.body_plans.BodyPlans`.
    """

    def __init__(self, triggers: Triggers, plans):
        self.triggers = triggers
        self.store = store = triggers.store
        for predicate in sorted(plans.by_subject | plans.by_object):
            store.index(predicate, predicate in plans.by_subject, predicate in plans.by_object)
        self.most_variables = plans.most_variables
        self.matcher = Matcher(
            store,
            plans.code,
            plans.widest_body,
            self.most_variables,
            [NONE] * len(plans.variables),
            triggers.matcher.edges_noted,
            0,
        )
        self.keys, self.steps = Multimap(plans.keys), Multimap(plans.steps)
        self.key_kinds = kinds_of(plans.keys)
        self.starts, self.parameter_atoms = ints_of(plans.starts.ravel()), ints_of(plans.asked)
        self.first_steps = ints_of(plans.first_steps)
        self.states = new_ints(plans.most_parameters + 1, NONE)
        self.variables = ints_of([len(variables) for variables in plans.variables])
        self.changed = Ints()
        self.found = Ints()
        self.no_rows = np.empty((0, 2 + self.most_variables), np.int32)
        self.delta_flag = DELTA_PLUS
        self.returns_levels = False
        self.trigger_atom = NONE
        self.parameter_offset = NONE
        self.candidates = 0

    # -- visitor ---------------------------------------------------------------------------------------

    def weigh(self, row, level, atom):
        """Return the row's level; HIDDEN if the row must not match the atom in this search."""
        flags: cython.int = self.store.rows[row].flags & (DELTA_PLUS | DELTA_MINUS | TEMPORARY)
        self.candidates += 1
        if flags and (atom < self.trigger_atom or not flags & self.delta_flag):
            return HIDDEN
        if self.parameter_offset >= 0 and not self.binds_registered(row, atom):
            return HIDDEN
        return self.store.rows[row].level

    def binds_registered(self, row, atom):
        """Return true if the parameter values bound by `row` and before it are registered together."""
        parameter: cython.int = self.parameter_atoms[self.parameter_offset + atom]
        state: cython.int
        if parameter < 0:
            return True
        state = self.steps.value_of(
            self.states[parameter >> 1],
            self.store.rows[row].object if parameter & 1 else self.store.rows[row].subject,
            NONE,
        )
        self.states[(parameter >> 1) + 1] = state
        return state >= 0

    def bind(self, plan, step, level):
        """Match the atom of a step that binds a parameter.

        Either the chain of the bound argument is iterated, or each registered value is looked up, whichever
        reads fewer rows.
        """
        at: cython.int = plan + FIRST_STEP + step * STEP_SIZE
        forward: cython.bint = self.matcher.code[at] & FORWARD
        predicate: cython.int = self.matcher.code[at + 1]
        atom: cython.int = self.matcher.code[at + 4]
        bound: cython.int = self.matcher.code[at + 3] if forward else self.matcher.code[at + 2]
        term: cython.int = self.matcher.value(
            self.matcher.code[at + 2] if forward else self.matcher.code[at + 3]
        )
        state: cython.int = self.states[self.parameter_atoms[self.parameter_offset + atom] >> 1]
        entry: cython.int
        wanted: cython.int
        row: cython.int
        weight: cython.int
        if not self.is_longer(
            predicate, term, forward, self.first_steps[state + 1] - self.first_steps[state]
        ):
            return self.matcher.walk(plan, step, level, self.matcher.has_edges(predicate), self)
        for entry in range(self.first_steps[state], self.first_steps[state + 1]):
            wanted = self.steps.entries[4 * entry + 1]
            row = self.store.find(predicate, term if forward else wanted, wanted if forward else term)
            self.candidates += row < 0
            weight = self.weigh(row, level, atom) if row >= 0 else HIDDEN
            if weight >= 0:
                self.matcher.slots[bound] = wanted
                self.matcher.body[atom] = row
                if self.matcher.extend(plan, step + 1, min(weight, level), self):
                    return 1
        return 0

    def is_longer(self, predicate, term, forward, most):
        """Return true if a chain has more than `most` rows; reads at most one more."""
        edge: cython.int
        row: cython.int
        for edge in range(2):
            if edge and not self.matcher.has_edges(predicate):
                break
            if forward:
                row = self.store.first_with_subject(predicate, term, EDGE * edge)
            else:
                row = self.store.first_with_object(predicate, term, EDGE * edge)
            while row >= 0:
                most -= 1
                if most < 0:
                    return True
                row = self.store.rows[row].next_subject if forward else self.store.rows[row].next_object
        return False

    def visit(self, plan, level):
        """Append the match to `found`."""
        i: cython.int
        body: cython.int = self.matcher.code[plan + RULE]
        self.found.push(body)
        self.found.push(level if self.returns_levels else 1 if self.delta_flag == DELTA_PLUS else -1)
        for i in range(self.most_variables):
            self.found.push(self.matcher.slots[i] if i < self.variables[body] else NONE)
        return 0

    # -- searches --------------------------------------------------------------------------------------

    def signed_matches(self, noted: cython.int[:, ::1], replaced: cython.int[:, ::1]):
        """Return the inserted matches, then the deleted ones: int32 rows `body, ±1, terms of the variables…`.

        The cost is linear in the changes, the matches, and the rows read.

        Args:
            noted: int32 rows `predicate, subject, object, ±1`. Only facts that occur an odd number of times
                have changed: such a fact was inserted if it is stored, else deleted.
            replaced: stored facts to treat as deleted and inserted again.
        """
        self.search(noted, replaced)
        return self.result_rows()

    def signed_rows(self, readers: list, noted, replaced, shown):
        """Return the changed matches as a signed bag of rows for each leaf operator that has any.

        Args:
            readers: the `Readers` of each body (bags.py).
            noted, replaced: as for `signed_matches`, as arrays; `replaced` may be None.
            shown: function of a fact and 1 or -1. Returns the number of the form in which the fact's literal
                is displayed after (1) or before (-1) the step, or None for the first form of its value. None
                if all literals are displayed in their first forms.
        """
        at: cython.int = 0
        own: Readers
        changes: dict = {}
        if cython.compiled:
            self.search(noted, replaced)
        else:
            self.search(memoryview(noted), None if replaced is None else memoryview(replaced))
        while at < self.found.size:
            own = readers[self.found.items[at]]
            own.read(self.found, at, shown, changes)
            at += 2 + self.most_variables
        return changes

    def search(self, noted, replaced):
        """Find the inserted and deleted matches; `replaced` may be None."""
        self.returns_levels = False
        self.prepare(len(noted) + (0 if replaced is None else len(replaced)))
        arrived: cython.int = self.store.inserted.size
        try:
            with cython.nogil:
                self.flag_changed(noted)
                if replaced is not None:
                    self.flag_replaced(replaced)
                self.enumerate(DELTA_PLUS)
                self.enumerate(DELTA_MINUS)
        finally:
            self.restore_rows()
            self.store.inserted.size = arrived

    def matches_with(self, facts: cython.int[:, ::1], without: cython.int[:, ::1]):
        """Return every match that has one of `facts`, each match once: int32 rows `body, lowest level,
        terms…`.

        Bodies are matched against the stored rows and all of `facts`, of which the facts that are not stored
        have level FOREVER. Facts in `without` match no atom. The cost is linear in the matches and the rows
        read.
        """
        self.returns_levels = True
        self.prepare(len(facts) + len(without))
        arrived: cython.int = self.store.inserted.size
        try:
            with cython.nogil:
                self.flag_inserted(facts)
                self.flag_excluded(without)
                self.enumerate(DELTA_PLUS)
        finally:
            self.restore_rows()
            self.store.inserted.size = arrived
        return self.result_rows()

    def result_rows(self):
        """Return the matches found, one in each row."""
        return self.found.array().reshape(-1, 2 + self.most_variables) if self.found.size else self.no_rows

    # -- flags -------------------------------------------------------------------------------------

    def prepare(self, count):
        """Start a search that may flag `count` rows. Allocates now, so that flagging rows cannot fail
        later.
        """
        self.found.size = 0
        self.changed.reserve(count)
        self.store.inserted.reserve(count)

    def flag_changed(self, noted):
        """Flag the rows of inserted and deleted facts that some body may match."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(noted)):
            if self.has_plan_key(noted[i, 0], noted[i, 1], noted[i, 2]):
                row = self.row_for(noted[i, 0], noted[i, 1], noted[i, 2])
                self.store.rows[row].flags ^= (
                    DELTA_MINUS if self.store.rows[row].flags & TEMPORARY else DELTA_PLUS
                )
        return 0

    def flag_replaced(self, facts):
        """Flag the rows of facts as both inserted and deleted, except rows that are flagged already."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(facts)):
            if not self.has_plan_key(facts[i, 0], facts[i, 1], facts[i, 2]):
                continue
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row >= 0 and not self.store.rows[row].flags & (DELTA_PLUS | TEMPORARY):
                self.log_row(row)
                self.store.rows[row].flags |= DELTA_PLUS | DELTA_MINUS
        return 0

    def flag_inserted(self, facts):
        """Flag the rows of facts as inserted."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(facts)):
            if self.has_plan_key(facts[i, 0], facts[i, 1], facts[i, 2]):
                row = self.row_for(facts[i, 0], facts[i, 1], facts[i, 2])
                self.store.rows[row].flags |= DELTA_PLUS
        return 0

    def flag_excluded(self, facts):
        """Flag the rows of facts as deleted, so that they are in no inserted match."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(facts)):
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row >= 0:
                self.log_row(row)
                self.store.rows[row].flags = self.store.rows[row].flags & ~DELTA_PLUS | DELTA_MINUS
        return 0

    def row_for(self, predicate, subject, object):
        """Return the row of a fact, and record it for `restore_rows`. A fact that is not stored gets a
        temporary row.
        """
        row: cython.int = self.store.find(predicate, subject, object)
        if row < 0:
            row = self.store.insert(predicate, subject, object, 0)
            self.store.rows[row].level = FOREVER
            self.store.rows[row].flags |= TEMPORARY
        self.log_row(row)
        return row

    def log_row(self, row):
        """Record `row` for `restore_rows`."""
        if not self.store.rows[row].flags & COLLECTED:
            self.store.rows[row].flags |= COLLECTED
            self.changed.items[self.changed.size] = row
            self.changed.size += 1

    def restore_rows(self):
        """Remove temporary rows and clear flags, last row first, so that the list of free rows is as
        before.
        """
        row: cython.int
        self.triggers.candidates += self.candidates
        self.candidates = 0
        while self.changed.size:
            self.changed.size -= 1
            row = self.changed.items[self.changed.size]
            if self.store.rows[row].flags & TEMPORARY:
                self.store.remove(row)
            else:
                self.store.rows[row].flags &= ~(COLLECTED | DELTA_PLUS | DELTA_MINUS)

    # -- enumeration -------------------------------------------------------------------------------

    def enumerate(self, seen):
        """Match bodies, starting from each row with the flag `delta_flag`."""
        i: cython.int
        self.delta_flag = seen
        for i in range(self.changed.size):
            if self.store.rows[self.changed.items[i]].flags & seen:
                self.begin(self.changed.items[i])
        return 0

    def has_plan_key(self, predicate, subject, object):
        """Return true if some plan has a key that the fact matches; otherwise no body atom matches the
        fact.
        """
        kinds: cython.int = self.key_kinds[predicate] if predicate < len(self.key_kinds) else 0
        return kinds != 0 and (
            kinds & ANY_TERMS
            or (kinds & GIVEN_SUBJECT and self.keys.find(predicate, subject, NONE) >= 0)
            or (kinds & GIVEN_OBJECT and self.keys.find(predicate, NONE, object) >= 0)
            or (kinds & GIVEN_BOTH and self.keys.find(predicate, subject, object) >= 0)
        )

    def begin(self, row):
        """Start every plan whose trigger atom may match the fact of `row`."""
        subject: cython.int = self.store.rows[row].subject
        object_: cython.int = self.store.rows[row].object
        kinds: cython.int = self.key_kinds[self.store.rows[row].predicate]
        if kinds & ANY_TERMS:
            self.begin_keyed(row, NONE, NONE)
        if kinds & GIVEN_SUBJECT:
            self.begin_keyed(row, subject, NONE)
        if kinds & GIVEN_OBJECT:
            self.begin_keyed(row, NONE, object_)
        if kinds & GIVEN_BOTH:
            self.begin_keyed(row, subject, object_)
        return 0

    def begin_keyed(self, row, subject, object):
        """Start the plans with this key."""
        start: cython.int
        plan: cython.int
        entry: cython.int = self.keys.find(self.store.rows[row].predicate, subject, object)
        while entry >= 0:
            self.candidates += 1
            start = 3 * self.keys.entries[4 * entry + 3]
            plan = self.starts[start]
            self.parameter_offset = self.starts[start + 1]
            self.trigger_atom = self.matcher.code[plan + TRIGGER_ATOM]
            self.states[0] = self.starts[start + 2]
            self.matcher.begin(
                plan,
                row,
                self.store.rows[row].subject,
                self.store.rows[row].object,
                self.store.rows[row].level,
                self,
            )
            entry = self.keys.next_entry[entry]
        return 0


def kinds_of(keys):
    """Return for each predicate a bit mask of the kinds of its plan keys."""
    kinds = np.zeros(keys[:, 0].max(initial=-1) + 1, np.uint8)
    given = 1 << ((keys[:, 1] != NONE) + 2 * (keys[:, 2] != NONE))
    np.bitwise_or.at(kinds, keys[:, 0], given.astype(np.uint8))
    return kinds if cython.compiled else memoryview(kinds)

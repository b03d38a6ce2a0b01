"""Inserted and deleted matches of bodies outside the program, from inserted and deleted facts.

The states before and after a step are searched in the same rows: deleted facts get a row for the duration of
the search. Rows of inserted facts are flagged DELTA_PLUS, of deleted facts DELTA_MINUS. Inserted matches use
rows not flagged DELTA_MINUS alone, with at least one flagged DELTA_PLUS; deleted matches likewise with the
flags exchanged. To find
each match once, it counts at the first body atom matched to a flagged row: earlier atoms match only rows
without a flag.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Visitor
    from pantarhei.materialize.kernel.store import Store

from pantarhei.materialize.kernel.arrays import Ints, ints_of, new_ints
from pantarhei.materialize.kernel.bags import Readers
from pantarhei.materialize.kernel.cells import Multimap
from pantarhei.materialize.kernel.matcher import Matcher


@cython.cclass
class BodyMatches(Visitor):
    """Collector of the variable bindings of body matches.

    `found` has for each match the index of its body, its sign or lowest level, and the bindings, padded with
    NONE. `candidates` counts the plans started and the rows read.

    Args:
        plans: a `rules.compilation.body_plans.BodyPlans`.
        edges_noted: as for `Matcher`.
    """

    def __init__(self, store: Store, plans, edges_noted):
        self.store = store
        for predicate in sorted(plans.by_subject | plans.by_object):
            store.index(predicate, predicate in plans.by_subject, predicate in plans.by_object)
        self.most_variables = plans.most_variables
        self.matcher = Matcher(
            store,
            plans.code,
            plans.widest_body,
            self.most_variables,
            [NONE] * len(plans.variables),
            edges_noted,
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
        """Return the smaller of `level` and the row's level; HIDDEN if the row may not match the atom."""
        flags: cython.int = self.store.rows[row].flags & (DELTA_PLUS | DELTA_MINUS | TEMPORARY)
        self.candidates += 1
        if flags and (atom < self.trigger_atom or not flags & self.delta_flag):
            return HIDDEN
        if self.parameter_offset >= 0 and not self.binds_registered(row, atom):
            return HIDDEN
        return self.store.rows[row].level

    def binds_registered(self, row, atom):
        """True if the parameter values that `row` binds are registered, given those bound before."""
        asked: cython.int = self.parameter_atoms[self.parameter_offset + atom]
        state: cython.int
        if asked < 0:
            return True
        state = self.steps.value_of(
            self.states[asked >> 1],
            self.store.rows[row].object if asked & 1 else self.store.rows[row].subject,
            NONE,
        )
        self.states[(asked >> 1) + 1] = state
        return state >= 0

    def bind(self, plan, step, level):
        """Match the atom of a step that binds a parameter: by its chain, or by a lookup of each registered
        value, whichever is cheaper.
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
        """True if a chain has more than `most` rows; reads no more of them."""
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
        """Append the body, the sign or the lowest level of the match, and the bindings."""
        i: cython.int
        body: cython.int = self.matcher.code[plan + RULE]
        self.found.push(body)
        self.found.push(level if self.returns_levels else 1 if self.delta_flag == DELTA_PLUS else -1)
        for i in range(self.most_variables):
            self.found.push(self.matcher.slots[i] if i < self.variables[body] else NONE)
        return 0

    # -- searches --------------------------------------------------------------------------------------

    def signed(self, noted: cython.int[:, ::1], replaced: cython.int[:, ::1]):
        """Return the inserted matches, then the deleted ones: int32 rows `body, ±1, bindings of variables…`.

        Costs the changes, the matches, and the rows read on the way.

        Args:
            noted: int32 rows `predicate, subject, object, ±1`. A fact mentioned an odd number of times has
                changed; the store decides in which direction.
            replaced: stored facts, treated as deleted and inserted again.
        """
        self.search(noted, replaced)
        return self.result_rows()

    def signed_rows(self, readers: list, noted, replaced, shown):
        """Return the changes of matches as a signed bag of rows for each leaf that has any.

        Args:
            readers: the `Readers` of each body (bags.py).
            noted, replaced: as for `signed`, as arrays; None for no replaced ones.
            shown: returns the number of the displayed form of a fact's literal after (1) or before (-1) the
                step, None for the first form of its value; None where all literals are in their first forms.
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

    def with_(self, facts: cython.int[:, ::1], without: cython.int[:, ::1]):
        """Return every match with one of `facts`, each once: int32 rows `body, lowest level, bindings…`.

        Bodies are matched to the stored rows and to all of `facts`, which count as stored at FOREVER; facts
        in `without` are excluded. Costs the matches, and the rows read on the way.
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
        """Start a search with room for `count` changed rows; flagging rows cannot fail after this."""
        self.found.size = 0
        self.changed.reserve(count)
        self.store.inserted.reserve(count)

    def flag_changed(self, noted):
        """Flag the rows of inserted and deleted facts, if a body has their predicate."""
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
        """Flag the rows of facts as inserted and deleted, except rows that did change."""
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
        """Flag the rows of these facts as inserted."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(facts)):
            if self.has_plan_key(facts[i, 0], facts[i, 1], facts[i, 2]):
                row = self.row_for(facts[i, 0], facts[i, 1], facts[i, 2])
                self.store.rows[row].flags |= DELTA_PLUS
        return 0

    def flag_excluded(self, facts):
        """Flag the rows of these facts as excluded from inserted matches."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(len(facts)):
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row >= 0:
                self.log_row(row)
                self.store.rows[row].flags = self.store.rows[row].flags & ~DELTA_PLUS | DELTA_MINUS
        return 0

    def row_for(self, predicate, subject, object):
        """Return the row of a fact for flagging; a fact that is not stored gets a temporary row."""
        row: cython.int = self.store.find(predicate, subject, object)
        if row < 0:
            row = self.store.insert(predicate, subject, object, 0)
            self.store.rows[row].level = FOREVER
            self.store.rows[row].flags |= TEMPORARY
        self.log_row(row)
        return row

    def log_row(self, row):
        """Record a row whose flags must be restored."""
        if not self.store.rows[row].flags & COLLECTED:
            self.store.rows[row].flags |= COLLECTED
            self.changed.items[self.changed.size] = row
            self.changed.size += 1

    def restore_rows(self):
        """Restore the rows, last change first, so that free rows are in their old order."""
        row: cython.int
        while self.changed.size:
            self.changed.size -= 1
            row = self.changed.items[self.changed.size]
            if self.store.rows[row].flags & TEMPORARY:
                self.store.remove(row)
            else:
                self.store.rows[row].flags &= ~(COLLECTED | DELTA_PLUS | DELTA_MINUS)

    # -- enumeration -------------------------------------------------------------------------------

    def enumerate(self, seen):
        """Match bodies, starting from each row that has the flag `delta_flag`."""
        i: cython.int
        self.delta_flag = seen
        for i in range(self.changed.size):
            if self.store.rows[self.changed.items[i]].flags & seen:
                self.begin(self.changed.items[i])
        return 0

    def has_plan_key(self, predicate, subject, object):
        """True if the fact has a key of a plan; otherwise it matches no atom of any body."""
        kinds: cython.int = self.key_kinds[predicate] if predicate < len(self.key_kinds) else 0
        return kinds != 0 and (
            kinds & ANY_TERMS
            or (kinds & GIVEN_SUBJECT and self.keys.find(predicate, subject, NONE) >= 0)
            or (kinds & GIVEN_OBJECT and self.keys.find(predicate, NONE, object) >= 0)
            or (kinds & GIVEN_BOTH and self.keys.find(predicate, subject, object) >= 0)
        )

    def begin(self, row):
        """Start every plan whose first atom may match the fact of `row`."""
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
        """Start the plans of a key."""
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
    """Return a bit mask of the kinds of keys for each predicate."""
    kinds = np.zeros(keys[:, 0].max(initial=-1) + 1, np.uint8)
    given = 1 << ((keys[:, 1] != NONE) + 2 * (keys[:, 2] != NONE))
    np.bitwise_or.at(kinds, keys[:, 0], given.astype(np.uint8))
    return kinds if cython.compiled else memoryview(kinds)

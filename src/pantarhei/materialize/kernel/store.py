"""Queries from Python over the stored facts, and operations over all rows."""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.rows import Rows

from pantarhei.materialize.kernel.cells import room_for
from pantarhei.materialize.kernel.rows import ROW


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def renumbered(term: cython.int, names: cython.int[::1], literals: cython.int[::1]) -> cython.int:
    """Return the new number of a term; `NONE` stays."""
    if term < 0:
        return term
    return names[term] if term < FIRST_LITERAL else literals[term - FIRST_LITERAL]


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def renumber_flags(flags: cython.uchar[::1], numbers: cython.int[::1]) -> cython.void:
    """Move the flag of each predicate to its new number, which is not larger. Flags of dropped predicates are
    lost.
    """
    predicate: cython.Py_ssize_t
    flag: cython.uchar
    for predicate in range(len(flags)):
        flag = flags[predicate]
        flags[predicate] = 0
        if flag and numbers[predicate] >= 0:
            flags[numbers[predicate]] = flag


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def renumber_facts(
    changes: Ints,
    size: cython.int,
    predicates: cython.int[::1],
    names: cython.int[::1],
    literals: cython.int[::1],
) -> cython.void:
    """Renumber the facts in an array of records; each record has `size` integers and begins with a fact."""
    place: cython.int = 0
    while place < changes.size:
        changes.items[place] = predicates[changes.items[place]]
        changes.items[place + 1] = renumbered(changes.items[place + 1], names, literals)
        changes.items[place + 2] = renumbered(changes.items[place + 2], names, literals)
        place += size


def cleared(changes: Ints):
    """Return an array without items: the given one, or a new one if its capacity is large."""
    if len(changes.items) > MAX_KEPT_LIST:
        return Ints()
    changes.size = 0
    return changes


@cython.cclass
class Store(Rows):
    """Rows with the operations that are called from Python."""

    def index(self, predicate: cython.int, by_subject: cython.bint, by_object: cython.bint):
        """Maintain chains of this predicate from now on. Class facts have no chains by object.

        The first call for a predicate costs a pass over all rows.
        """
        row: cython.int
        self.add_predicate(predicate)
        new_subject: cython.bint = by_subject and not self.by_subject[predicate]
        new_object: cython.bint = by_object and not self.by_object[predicate]
        if not new_subject and not new_object:
            return
        linked = [row for row in range(self.used) if self.rows[row].predicate == predicate]
        if new_subject:
            self.subject_chains.grow_to(self.subject_chains.size_for(len(linked)))
        if new_object:
            self.object_chains.grow_to(self.object_chains.size_for(len(linked)))
        if new_subject:
            for row in linked:
                self.link_subject(row)
            self.by_subject[predicate] = 1
        if new_object:
            for row in linked:
                self.link_object(row)
            self.by_object[predicate] = 1

    def row_of(self, predicate: cython.int, subject: cython.int, object: cython.int) -> int:
        """Return the row of a fact, negative if it is not stored."""
        return self.find(predicate, subject, object)

    def select(self, predicate: cython.int, subject: cython.int, object: cython.int, chain: cython.int):
        """Return the rows with a subject (`chain` 0) or with an object (`chain` 1), as an int32 array.

        The predicate must be indexed by that argument. Edges are last.
        """
        found: Ints = Ints()
        row: cython.int
        edge: cython.int
        for edge in (0, EDGE):
            if chain == 0:
                row = self.first_with_subject(predicate, subject, edge)
                while row >= 0:
                    found.push(row)
                    row = self.rows[row].next_subject
            else:
                row = self.first_with_object(predicate, object, edge)
                while row >= 0:
                    found.push(row)
                    row = self.rows[row].next_object
        return found.array()

    def probe(self, predicate: cython.int, terms: cython.int[::1], chain: cython.int, most: cython.int):
        """Find the facts of a predicate that have one of `terms` as subject (`chain` 0) or as object (`chain`
        1).

        The predicate must be indexed by that argument.

        Returns:
            An int32 array with a row for each fact: the index of the term in `terms`, and the fact's other
            term. None if there are more than `most` facts.
        """
        found: Ints = Ints()
        i: cython.Py_ssize_t
        row: cython.int
        edge: cython.int
        for i in range(len(terms)):
            for edge in (0, EDGE):
                if chain == 0:
                    row = self.first_with_subject(predicate, terms[i], edge)
                    while row >= 0 and found.size <= 2 * most:
                        found.push(i)
                        found.push(self.rows[row].object)
                        row = self.rows[row].next_subject
                else:
                    row = self.first_with_object(predicate, terms[i], edge)
                    while row >= 0 and found.size <= 2 * most:
                        found.push(i)
                        found.push(self.rows[row].subject)
                        row = self.rows[row].next_object
                if not self.has_edge:
                    break
            if found.size > 2 * most:
                return None
        return found.array().reshape(-1, 2)

    def present(self, facts: cython.int[:, ::1]):
        """Return a mask of the facts, shape (n, 3), that are stored, as uint8."""
        result = np.empty(len(facts), np.uint8)
        out: cython.uchar[::1] = result
        i: cython.Py_ssize_t
        for i in range(len(facts)):
            out[i] = self.find(facts[i, 0], facts[i, 1], facts[i, 2]) >= 0
        return result

    def facts_of(self, wanted: cython.const[cython.uchar][::1]):
        """Return the facts of the flagged predicates, an int32 array of shape (n, 3). Costs a pass over all
        rows.

        Args:
            wanted: a flag for each predicate; larger numbers are not flagged.
        """
        found = np.empty((self.live, 3), np.int32)
        out: cython.int[:, ::1] = found
        row: cython.int
        predicate: cython.int
        count: cython.int = 0
        for row in range(self.used):
            predicate = self.rows[row].predicate
            if 0 <= predicate < len(wanted) and wanted[predicate]:
                out[count, 0] = predicate
                out[count, 1] = self.rows[row].subject
                out[count, 2] = self.rows[row].object
                count += 1
        return found[:count]

    def by_predicate(self, predicates: cython.int):
        """Return all facts grouped by predicate: `predicates + 1` offsets, subjects, objects.

        Costs two passes over all rows.
        """
        starts = np.zeros(predicates + 1, np.int64)
        subjects, objects = np.empty(self.live, np.int32), np.empty(self.live, np.int32)
        next_place: cython.longlong[::1] = starts
        out_subjects: cython.int[::1] = subjects
        out_objects: cython.int[::1] = objects
        row: cython.int
        predicate: cython.int
        place: cython.longlong
        before: cython.longlong = 0
        count: cython.longlong
        for row in range(self.used):
            if self.rows[row].predicate >= 0:
                next_place[self.rows[row].predicate] += 1
        for predicate in range(predicates):
            count = next_place[predicate]
            next_place[predicate] = before
            before += count
        next_place[predicates] = before
        for row in range(self.used):
            predicate = self.rows[row].predicate
            if predicate >= 0:
                place = next_place[predicate]
                next_place[predicate] = place + 1
                out_subjects[place] = self.rows[row].subject
                out_objects[place] = self.rows[row].object
        return np.concatenate([np.zeros(1, np.int64), starts[0:predicates]]), subjects, objects

    def columns(self, *names):
        """Return the named fields of all rows, as int64 copies. Free rows are included; their predicate is
        -1.
        """
        if cython.compiled:
            rows = np.frombuffer(self.rows, ROW)[: self.used]
            return [rows[name].astype(np.int64) for name in names]
        return [np.array([getattr(row, name) for row in self.rows[: self.used]], np.int64) for name in names]

    def facts(self, wanted: cython.int[::1]):
        """Return the facts of the rows with these numbers, an int32 array of shape (n, 3)."""
        result = np.empty((len(wanted), 3), np.int32)
        out: cython.int[:, ::1] = result
        i: cython.Py_ssize_t
        for i in range(len(wanted)):
            out[i, 0] = self.rows[wanted[i]].predicate
            out[i, 1] = self.rows[wanted[i]].subject
            out[i, 2] = self.rows[wanted[i]].object
        return result

    def mark_terms(
        self, predicates: cython.uchar[::1], names: cython.uchar[::1], literals: cython.uchar[::1]
    ):
        """Flag the terms of all facts: predicate `p` in `predicates[p]`, name `n` in `names[n]`, literal `n`
        in `literals[n - FIRST_LITERAL]`.

        Costs a pass over all rows.
        """
        row: cython.int
        object_: cython.int
        with cython.nogil:
            for row in range(self.used):
                if self.rows[row].predicate < 0:
                    continue
                predicates[self.rows[row].predicate] = 1
                names[self.rows[row].subject] = 1
                object_ = self.rows[row].object
                if object_ >= FIRST_LITERAL:
                    literals[object_ - FIRST_LITERAL] = 1
                elif object_ >= 0:
                    names[object_] = 1

    def renumber_terms(self, predicates: cython.int[::1], names: cython.int[::1], literals: cython.int[::1]):
        """Renumber terms: predicate `p` to `predicates[p]`, name `n` to `names[n]`, literal `n` to
        `literals[n - FIRST_LITERAL]`.

        New numbers must be distinct; chains and lists then stay as they are. Predicates must keep their
        order, and predicates of plans their numbers. Costs a pass over all rows and a rebuild of the hash
        tables; allocates no memory.
        """
        row: cython.int
        with cython.nogil:
            renumber_flags(self.by_subject, predicates)
            renumber_flags(self.by_object, predicates)
            renumber_flags(self.unrecorded, predicates)
            for row in range(self.used):
                if self.rows[row].predicate >= 0:
                    self.rows[row].predicate = predicates[self.rows[row].predicate]
                    self.rows[row].subject = renumbered(self.rows[row].subject, names, literals)
                    self.rows[row].object = renumbered(self.rows[row].object, names, literals)
            renumber_facts(self.deleted, 3, predicates, names, literals)
            renumber_facts(self.level_changes, 4, predicates, names, literals)
            self.rebuild_tables()

    def stop_recording(self, predicate: cython.int):
        """Stop recording changes of a predicate. It must not have facts yet."""
        self.add_predicate(predicate)
        self.unrecorded[predicate] = 1

    def take_changes(self):
        """Return the changes since the last call, int32 rows `predicate, subject, object, ±1`, and reset
        them.

        Deletions come first. A fact that was deleted and inserted again is in both parts; a fact that was
        inserted and deleted again is in neither. Changes of predicates that are not recorded are missing.
        """
        came: Ints = self.inserted
        gone: cython.int = self.deleted.size // 3
        changes = np.empty((gone + came.size, 4), np.int32)  # allocated first, since this may fail
        self.drop_stale()
        out: cython.int[:, ::1] = changes
        i: cython.int
        row: cython.int
        for i in range(gone):
            out[i, 0] = self.deleted.items[3 * i]
            out[i, 1] = self.deleted.items[3 * i + 1]
            out[i, 2] = self.deleted.items[3 * i + 2]
            out[i, 3] = -1
        for i in range(came.size):
            row = came.items[i]
            out[gone + i, 0] = self.rows[row].predicate
            out[gone + i, 1] = self.rows[row].subject
            out[gone + i, 2] = self.rows[row].object
            out[gone + i, 3] = 1
        count: cython.int = came.size
        self.inserted, self.deleted = cleared(self.inserted), cleared(self.deleted)
        return changes[: gone + count]

    def take_level_changes(self):
        """Return the facts that were deleted or changed their level since the last call, and reset them.

        The int32 rows are `predicate, subject, object, previous level`. A fact may occur several times; its
        first row has the level that it had at the last call.
        """
        moved = self.level_changes.array().reshape(-1, 4)
        self.level_changes = cleared(self.level_changes)
        return moved

    def record_levels(self, wanted: cython.bint):
        """Turn the recording of level changes on or off."""
        self.records_levels = wanted
        self.level_changes = Ints()

    def lower_level_changes(self, less: cython.int):
        """Subtract `less` from the recorded levels, except the background's."""
        place: cython.int
        for place in range(3, self.level_changes.size, 4):
            if self.level_changes.items[place] != FOREVER:
                self.level_changes.items[place] -= less

    def drop_stale(self):
        """Reduce `inserted` to the distinct rows of facts that are still stored, and clear their flags."""
        count: cython.int = 0
        i: cython.int
        row: cython.int
        for i in range(self.inserted.size):
            if i + PREFETCH_DISTANCE < self.inserted.size:
                self.prefetch_row(self.inserted.items[i + PREFETCH_DISTANCE])
            row = self.inserted.items[i]
            if self.rows[row].predicate >= 0 and self.rows[row].flags & INSERTED:
                self.rows[row].flags &= ~INSERTED
                self.inserted.items[count] = row
                count += 1
        self.inserted.size = count

    def bytes_used(self) -> int:
        """Return the bytes of the rows, the hash tables and the arrays of changes."""
        cells = sum(table.size for table in self.tables())
        return ROW.itemsize * len(self.rows) + 4 * (2 * cells + self.change_capacity())

    def spare_bytes(self) -> int:
        """Return a lower bound of the bytes that rebuilding the rows would save; it may be negative."""
        count = max(MIN_ROWS, self.live + self.live // 3 + 8)
        cells = room_for(2 * MIN_ROWS, self.live + 1)
        most = 2 if self.has_edge else 1  # a former edge may get a chain apart from other facts
        cells += room_for(MIN_ROWS, most * self.subject_chains.keys + 1)
        cells += room_for(MIN_ROWS, most * self.object_chains.keys + 1)
        now = sum(table.size for table in self.tables())
        changes = len(self.deleted.items) + len(self.inserted.items)
        changes -= MIN_LIST + min(MAX_KEPT_LIST, room_for(MIN_LIST, self.live))
        return self.bytes_per_row * (len(self.rows) - count) + 4 * (2 * (now - cells) + changes)

    def check_invariants(self):
        """Assert that tables, chains and rows agree. Costs time linear in the rows; for tests."""
        row: cython.int
        other: cython.int
        subjects = set()
        objects = set()
        seen: cython.int = 0
        for row in range(self.used):
            if self.rows[row].predicate < 0:
                continue
            seen += 1
            predicate, subject, object_ = (
                self.rows[row].predicate,
                self.rows[row].subject,
                self.rows[row].object,
            )
            assert self.find(predicate, subject, object_) == row, "a row is not found by its fact"
            edge = self.rows[row].flags & EDGE
            if self.by_subject[predicate]:
                subjects.add(((NONE if object_ == NONE else predicate), subject, edge))
                other = self.first_with_subject((NONE if object_ == NONE else predicate), subject, edge)
                while other >= 0 and other != row:
                    other = self.rows[other].next_subject
                assert other == row, "a row is missing in its subject's chain"
            if self.by_object[predicate]:
                objects.add((predicate, object_, edge))
                other = self.first_with_object(predicate, object_, edge)
                while other >= 0 and other != row:
                    other = self.rows[other].next_object
                assert other == row, "a row is missing in its object's chain"
        assert seen == self.live, "the number of live rows is wrong"
        assert self.table.keys == seen, "the table holds strays"
        assert self.subject_chains.keys == len(subjects), "the number of chains by subject is wrong"
        assert self.object_chains.keys == len(objects), "the number of chains by object is wrong"
        for table in self.tables():
            assert table.count() == table.keys, "the number of keys is wrong"

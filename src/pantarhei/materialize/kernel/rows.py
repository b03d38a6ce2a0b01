"""Storage of the window model's facts: one row of integers for each fact.

A fact is `(predicate, subject, object)`; a class fact `C(x)` has the object `NONE`. There are two kinds of
indexes:

- `table`, a hash table (cells.py), finds the row of a fact by the whole fact.
- Chains, doubly linked lists of rows, hold the facts with one (predicate, subject) or one (predicate,
  object). Two more hash tables find the first row of a chain. A predicate has chains only if a rule or a
  query needs them. All indexed class facts of a subject share one chain, under (`NONE`, subject). Facts
  flagged EDGE (edges.py) have chains of their own, so that joins over edges read edges only.

A row also holds fields of the window model (`level`, `assertion_level`, `merged_level`, `flags`, `sequence`:
see newest.py) and the links of its list of rows by level (`next_listed`, `previous_listed`: see levels.py).
Rows are reused; a free row has the predicate -1.

Cython compiles this module with the C types of rows.pxd. Compiled, `rows` is an array of C structs.
Uncompiled it is a list of `PlainRow` with the same fields: slow, with the same results.
"""

from __future__ import annotations

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.pantarhei.materialize.kernel.rows import fetch
else:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.cells import Cells
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import aligned, lengthened, new_bytes

ROW = np.dtype(
    [
        ("predicate", np.int32),
        ("subject", np.int32),
        ("object", np.int32),
        ("level", np.int32),
        ("assertion_level", np.int32),
        ("merged_level", np.int32),
        ("flags", np.int32),
        ("next_subject", np.int32),
        ("previous_subject", np.int32),
        ("next_object", np.int32),
        ("previous_object", np.int32),
        ("next_listed", np.int32),
        ("previous_listed", np.int32),
        ("sequence", np.int64),
    ],
    align=True,  # the layout of the C compiler
)
COMPILED = bool(cython.compiled)  # read by Python code

# would do too.
# would do.
_MIX_SUBJECT = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_MIX_OBJECT = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
_MIX_PREDICATE = cython.declare(cython.ulonglong, 0x165667B19E3779F9)

UNLIMITED_FACTS = 0x7FFFFFFF  # read by Python code, as is UNLIMITED_BYTES
UNLIMITED_BYTES = 1 << 62


class CapacityExceededError(Exception):
    """Limit of facts or bytes exceeded. The change that raised it is only partly made.

    Args:
        facts: number of facts that the rows would hold.
        bytes: number of bytes that the rows would take.
    """

    def __init__(self, facts: int, bytes: int) -> None:
        super().__init__(facts, bytes)
        self.facts, self.bytes = facts, bytes


class PlainRow:
    """Row in an uncompiled kernel."""

    __slots__ = ROW.names

    def __init__(self) -> None:
        for name in ROW.names or ():
            setattr(self, name, 0)


def new_rows(count):
    """Return `count` zeroed rows. Compiled, no row crosses a line of the processor's cache."""
    if not cython.compiled:
        return [PlainRow() for _ in range(count)]
    return aligned(ROW, count)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def tag_of(predicate: cython.int, subject: cython.int, object: cython.int) -> cython.int:
    """Return the tag of a fact: 31 bits of its hash.

    The hashes of class facts of one subject differ in three bits only, so that up to 16 classes with
    consecutive numbers share a line of the processor's cache.
    """
    if object == NONE:
        return cython.cast(cython.int, (mix(predicate >> 4, subject, NONE) & 0x7FFFFFF8) | (predicate & 7))
    return cython.cast(cython.int, mix(predicate, subject, object) & 0x7FFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mix(predicate: cython.int, subject: cython.int, object: cython.int) -> cython.ulonglong:
    key: cython.ulonglong = (
        (cython.cast(cython.ulonglong, subject) * _MIX_SUBJECT)
        ^ (cython.cast(cython.ulonglong, object) * _MIX_OBJECT)
        ^ (cython.cast(cython.ulonglong, predicate) * _MIX_PREDICATE)
    )
    if not cython.compiled:
        key &= 0xFFFFFFFFFFFFFFFF
    key ^= key >> 29
    key *= _MIX_OBJECT
    if not cython.compiled:
        key &= 0xFFFFFFFFFFFFFFFF
    return key ^ (key >> 32)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def chain_tag(predicate: cython.int, term: cython.int, side: cython.int) -> cython.int:
    """Return the tag of a chain. `side` is SUBJECT or OBJECT, with EDGE added for a chain of edges."""
    return cython.cast(cython.int, mix(predicate, term, side) & 0x7FFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def chained(predicate: cython.int, object: cython.int) -> cython.int:
    """Return the predicate under which a fact is in the subject chains: `NONE` for every class fact."""
    return NONE if object == NONE else predicate


@cython.cclass
class Rows:
    """Table of facts, with hash indexes by fact, by (predicate, subject) and by (predicate, object).

    Finding, inserting and removing a fact take expected constant time.

    Changes since the last `take_changes` are recorded in two arrays. `deleted` has the deleted facts, three
    integers each. `inserted` has the row numbers of inserted facts; a row may since have been freed or
    reused. If `records_levels`, `level_changes` has the facts that were deleted or whose level changed, four
    integers each: the fact and its previous level. A change that would exceed `max_facts` facts or
    `max_bytes` bytes raises `CapacityExceededError`.
    """

    def __init__(self, capacity: int = 1024):
        size = 8
        while size < capacity:
            size *= 2
        self.rows = new_rows(size)
        self.table = Cells(2 * size)
        self.subject_chains = Cells(size)
        self.object_chains = Cells(size)
        self.used = 0
        self.live = 0
        self.free = -1
        self.by_subject = new_bytes(16)
        self.by_object = new_bytes(16)
        self.unrecorded = new_bytes(16)  # flags of predicates whose changes are not recorded
        self.inserted = Ints()
        self.deleted = Ints()
        self.level_changes = Ints()
        self.records_levels = False
        self.max_facts = UNLIMITED_FACTS
        self.max_bytes = UNLIMITED_BYTES
        self.bytes_per_row = ROW.itemsize
        self.prefetches = False
        self.has_edge = False  # whether a row was ever flagged EDGE

    # -- one fact ----------------------------------------------------------------------------------

    def find(self, predicate, subject, object):
        """Return the row of a fact. If it is not stored, return `-1 - cell` with the empty cell of `table`
        for it.
        """
        mask: cython.int = self.table.mask
        tag: cython.int = tag_of(predicate, subject, object)
        cell: cython.int = tag & mask
        row: cython.int
        while True:
            row = self.table.cells[2 * cell]
            if row < 0:
                return -1 - cell
            if (
                self.table.cells[2 * cell + 1] == tag
                and self.rows[row].subject == subject
                and self.rows[row].object == object
                and self.rows[row].predicate == predicate
            ):
                return row
            cell = (cell + 1) & mask

    def insert(self, predicate, subject, object, edge):
        """Insert a fact that is not stored, in no list and with levels of -1; `edge` is EDGE or 0."""
        row: cython.int
        self.reserve_row()
        self.add_predicate(predicate)
        row = self.free
        if row >= 0:
            self.free = self.rows[row].next_listed
            self.prefetch_row(self.free)
        else:
            row = self.used
            self.used += 1
        self.rows[row].predicate = predicate
        self.rows[row].subject = subject
        self.rows[row].object = object
        self.rows[row].level = -1
        self.rows[row].assertion_level = -1
        self.rows[row].merged_level = -1
        self.rows[row].flags = edge
        if edge:
            self.has_edge = True
        self.rows[row].sequence = 0
        self.table.put(row, tag_of(predicate, subject, object))
        if self.by_subject[predicate]:
            self.link_subject(row)
        if self.by_object[predicate]:
            self.link_object(row)
        self.live += 1
        if not self.unrecorded[predicate]:
            self.rows[row].flags |= INSERTED
            self.inserted.push(row)
        return row

    def remove(self, row):
        """Delete the fact of `row`, which must be in no list."""
        predicate: cython.int = self.rows[row].predicate
        if not self.rows[row].flags & INSERTED and not self.unrecorded[predicate]:
            self.deleted.push(predicate)
            self.deleted.push(self.rows[row].subject)
            self.deleted.push(self.rows[row].object)
        if self.records_levels:
            self.record_level(row)
        if self.by_subject[predicate]:
            self.unlink_subject(row)
        if self.by_object[predicate]:
            self.unlink_object(row)
        self.table.remove(row, tag_of(predicate, self.rows[row].subject, self.rows[row].object))
        self.rows[row].predicate = -1
        self.rows[row].level = -1
        self.rows[row].next_listed = self.free
        self.free = row
        self.live -= 1
        return 0

    def record_level(self, row):
        """Record the level of the fact of `row` before the fact is deleted or changes its level.

        Facts inserted since the last `take_level_changes` are left out: they had no level then.
        """
        if self.rows[row].level < 0 or self.rows[row].flags & INSERTED:
            return 0
        self.level_changes.push(self.rows[row].predicate)
        self.level_changes.push(self.rows[row].subject)
        self.level_changes.push(self.rows[row].object)
        self.level_changes.push(self.rows[row].level)
        return 0

    # -- chains: the rows of one (predicate, subject) or (predicate, object) -----------------------

    def first_with_subject(self, predicate, subject, edge):
        """Return the first row of a subject chain, or -1; the chain continues through `next_subject`.

        The predicate must be indexed by subject. Edges (see `kernel.edges`) have a chain of their own: `edge`
        is EDGE for it, and 0 for the chain of the other facts.
        """
        tag: cython.int = chain_tag(predicate, subject, SUBJECT | edge)
        return self.subject_chains.cells[2 * self.subject_cell(predicate, subject, edge, tag)]

    def first_with_object(self, predicate, object, edge):
        """Return the first row of an object chain, or -1; the chain continues through `next_object`."""
        tag: cython.int = chain_tag(predicate, object, OBJECT | edge)
        return self.object_chains.cells[2 * self.object_cell(predicate, object, edge, tag)]

    def subject_cell(self, predicate, subject, edge, tag):
        """Return the cell of the first row of a subject chain, or the empty cell for it."""
        cell: cython.int = tag & self.subject_chains.mask
        row: cython.int
        while True:
            row = self.subject_chains.cells[2 * cell]
            if row < 0 or (
                self.subject_chains.cells[2 * cell + 1] == tag
                and self.rows[row].subject == subject
                and chained(self.rows[row].predicate, self.rows[row].object) == predicate
                and self.rows[row].flags & EDGE == edge
            ):
                return cell
            cell = (cell + 1) & self.subject_chains.mask

    def object_cell(self, predicate, object, edge, tag):
        """Return the cell of the first row of an object chain, or the empty cell for it."""
        cell: cython.int = tag & self.object_chains.mask
        row: cython.int
        while True:
            row = self.object_chains.cells[2 * cell]
            if row < 0 or (
                self.object_chains.cells[2 * cell + 1] == tag
                and self.rows[row].object == object
                and self.rows[row].predicate == predicate
                and self.rows[row].flags & EDGE == edge
            ):
                return cell
            cell = (cell + 1) & self.object_chains.mask

    def link_subject(self, row):
        """Insert `row` at the start of its subject chain."""
        predicate: cython.int = chained(self.rows[row].predicate, self.rows[row].object)
        edge: cython.int = self.rows[row].flags & EDGE
        tag: cython.int = chain_tag(predicate, self.rows[row].subject, SUBJECT | edge)
        cell: cython.int = self.subject_cell(predicate, self.rows[row].subject, edge, tag)
        first: cython.int = self.subject_chains.cells[2 * cell]
        self.rows[row].next_subject = first
        self.rows[row].previous_subject = -1
        if first < 0:
            self.subject_chains.put_at(cell, row, tag)
        else:
            self.rows[first].previous_subject = row
            self.subject_chains.cells[2 * cell] = row

    def link_object(self, row):
        """Insert `row` at the start of its object chain."""
        edge: cython.int = self.rows[row].flags & EDGE
        tag: cython.int = chain_tag(self.rows[row].predicate, self.rows[row].object, OBJECT | edge)
        cell: cython.int = self.object_cell(self.rows[row].predicate, self.rows[row].object, edge, tag)
        first: cython.int = self.object_chains.cells[2 * cell]
        self.rows[row].next_object = first
        self.rows[row].previous_object = -1
        if first < 0:
            self.object_chains.put_at(cell, row, tag)
        else:
            self.rows[first].previous_object = row
            self.object_chains.cells[2 * cell] = row

    def unlink_subject(self, row):
        """Remove `row` from its subject chain."""
        after: cython.int = self.rows[row].next_subject
        before: cython.int = self.rows[row].previous_subject
        predicate: cython.int = chained(self.rows[row].predicate, self.rows[row].object)
        edge: cython.int = self.rows[row].flags & EDGE
        tag: cython.int
        cell: cython.int
        if after >= 0:
            self.rows[after].previous_subject = before
        if before >= 0:
            self.rows[before].next_subject = after
            return
        tag = chain_tag(predicate, self.rows[row].subject, SUBJECT | edge)
        if after < 0:
            self.subject_chains.remove(row, tag)
            return
        cell = self.subject_cell(predicate, self.rows[row].subject, edge, tag)
        self.subject_chains.cells[2 * cell] = after

    def unlink_object(self, row):
        """Remove `row` from its object chain."""
        after: cython.int = self.rows[row].next_object
        before: cython.int = self.rows[row].previous_object
        edge: cython.int = self.rows[row].flags & EDGE
        tag: cython.int
        cell: cython.int
        if after >= 0:
            self.rows[after].previous_object = before
        if before >= 0:
            self.rows[before].next_object = after
            return
        tag = chain_tag(self.rows[row].predicate, self.rows[row].object, OBJECT | edge)
        if after < 0:
            self.object_chains.remove(row, tag)
            return
        cell = self.object_cell(self.rows[row].predicate, self.rows[row].object, edge, tag)
        self.object_chains.cells[2 * cell] = after

    def make_edge(self, row):
        """Flag `row` as EDGE and move it to the chains of edges; it must not have the flag yet.

        None of its chains may be iterated meanwhile. Both chain tables must have room for one more chain.
        """
        predicate: cython.int = self.rows[row].predicate
        if self.subject_chains.is_full() or self.object_chains.is_full():
            self.grow_chains()
        if self.by_subject[predicate]:
            self.unlink_subject(row)
        if self.by_object[predicate]:
            self.unlink_object(row)
        self.rows[row].flags |= EDGE
        self.has_edge = True
        if self.by_subject[predicate]:
            self.link_subject(row)
        if self.by_object[predicate]:
            self.link_object(row)
        return 0

    # -- prefetching -----------------------------------------------------------------------------------
    #
    # The kernel mostly waits for memory: each fact, and the cells and rows changed with it, is in another
    # place. The next facts are known early, so these functions start to load them into the processor's
    # cache without waiting: first the cells, then the rows that the cells name. They change nothing.
    # Callers check `prefetches` first; it is never set in an uncompiled kernel.

    def prefetch_row(self, row):
        """Prefetch a row; a negative row is ignored."""
        if cython.compiled and row >= 0:
            fetch(cython.address(self.rows[row]))

    def prefetch_fact(self, predicate, subject, object):
        """Prefetch the cell of a fact."""
        tag: cython.int = tag_of(predicate, subject, object)
        if cython.compiled:
            fetch(cython.address(self.table.cells[2 * (tag & self.table.mask)]))

    def probable_row(self, predicate, subject, object):
        """Return the row in the cell of a fact if its tag matches, else -1; the row may hold another fact."""
        tag: cython.int = tag_of(predicate, subject, object)
        cell: cython.int = tag & self.table.mask
        return self.table.cells[2 * cell] if self.table.cells[2 * cell + 1] == tag else -1

    def prefetch_listed(self, row):
        """Prefetch the neighbours of a row in its list."""
        if row >= 0:
            self.prefetch_row(self.rows[row].next_listed)
            self.prefetch_row(self.rows[row].previous_listed)

    def prefetch_chain(self, predicate, term, chain):
        """Prefetch the cell of a chain: `chain` is SUBJECT or OBJECT, with EDGE for chains of edges."""
        tag: cython.int = chain_tag(predicate, term, chain)
        if cython.compiled and chain & SUBJECT:
            fetch(cython.address(self.subject_chains.cells[2 * (tag & self.subject_chains.mask)]))
        elif cython.compiled:
            fetch(cython.address(self.object_chains.cells[2 * (tag & self.object_chains.mask)]))

    def prefetch_chain_start(self, predicate, term, chain):
        """Prefetch the first row of a chain; its cell should be prefetched before."""
        tag: cython.int = chain_tag(predicate, term, chain)
        if chain & SUBJECT:
            self.prefetch_row(self.subject_chains.cells[2 * (tag & self.subject_chains.mask)])
        else:
            self.prefetch_row(self.object_chains.cells[2 * (tag & self.object_chains.mask)])

    def prefetch_chains(self, predicate, subject, object, edge):
        """Prefetch the cells of the chains that a new fact enters."""
        if predicate < len(self.by_subject) and self.by_subject[predicate]:
            self.prefetch_chain(chained(predicate, object), subject, SUBJECT | edge)
        if predicate < len(self.by_subject) and self.by_object[predicate]:
            self.prefetch_chain(predicate, object, OBJECT | edge)

    def prefetch_chain_starts(self, predicate, subject, object, edge):
        """Prefetch the first rows of the chains that a new fact enters."""
        if predicate < len(self.by_subject) and self.by_subject[predicate]:
            self.prefetch_chain_start(chained(predicate, object), subject, SUBJECT | edge)
        if predicate < len(self.by_subject) and self.by_object[predicate]:
            self.prefetch_chain_start(predicate, object, OBJECT | edge)

    def prefetch_neighbours(self, row):
        """Prefetch the cells and neighbouring rows that change when a row is removed."""
        predicate: cython.int = self.rows[row].predicate
        subject: cython.int = self.rows[row].subject
        object_: cython.int = self.rows[row].object
        self.prefetch_fact(predicate, subject, object_)
        self.prefetch_chains(predicate, subject, object_, self.rows[row].flags & EDGE)
        if self.by_subject[predicate]:
            self.prefetch_row(self.rows[row].next_subject)
            self.prefetch_row(self.rows[row].previous_subject)
        if self.by_object[predicate]:
            self.prefetch_row(self.rows[row].next_object)
            self.prefetch_row(self.rows[row].previous_object)

    # -- room --------------------------------------------------------------------------------------

    def reserve_row(self):
        """Make room for one more row."""
        if (
            (self.free < 0 and self.used == len(self.rows))
            or self.table.is_full()
            or self.subject_chains.is_full()
            or self.object_chains.is_full()
            or self.live >= self.max_facts
        ):
            self.grow()
        return 0

    def grow(self):
        """Enlarge full arrays: the rows by a third, hash tables twofold."""
        sizes = [table.size_for(1) for table in self.tables()]
        beside = 4 * (2 * sum(sizes) + self.change_capacity())
        count = len(self.rows)
        if self.free < 0 and self.used == count:
            fitting = (self.max_bytes - beside) // self.bytes_per_row
            count = min(count + count // 3 + 8, max(count + 1, fitting))
        self.grow_to(count, sizes, self.live + 1, beside)
        return 0

    def grow_chains(self):
        """Make room for one more chain by subject and one by object."""
        sizes = [self.table.size, self.subject_chains.size_for(1), self.object_chains.size_for(1)]
        beside = 4 * (2 * sum(sizes) + self.change_capacity())
        self.grow_to(len(self.rows), sizes, self.live, beside)
        return 0

    def reserve(self, count: cython.int):
        """Make room for `count` more facts at once; free rows count as room."""
        sizes = [self.table.size_for(count), self.subject_chains.size, self.object_chains.size]
        more = max(0, self.inserted.size + count - len(self.inserted.items))
        beside = 4 * (2 * sum(sizes) + self.change_capacity() + more)
        self.grow_to(max(len(self.rows), self.live + count), sizes, self.live + count, beside)
        self.inserted.reserve(count)

    def grow_to(self, count, sizes, facts, beside):
        """Enlarge the rows to `count` and the hash tables to `sizes`, for `facts` facts in all."""
        needed = self.bytes_per_row * count + beside
        if facts > self.max_facts or needed > self.max_bytes:
            raise CapacityExceededError(facts, needed)
        if count > len(self.rows):
            larger = new_rows(count)
            larger[: self.used] = self.rows[: self.used]
            self.rows = larger
        for table, size in zip(self.tables(), sizes, strict=True):
            table.grow_to(size)
        if cython.compiled and self.table.size >= CELLS_IN_CACHE:
            self.prefetches = True

    def tables(self):
        """Return the hash tables: of facts, of subject chains, of object chains."""
        return self.table, self.subject_chains, self.object_chains

    def change_capacity(self):
        """Return the capacity of the lists of changes, in integers."""
        return len(self.inserted.items) + len(self.deleted.items) + len(self.level_changes.items)

    def rebuild_tables(self):
        """Rebuild the hash tables from the rows; chains are unchanged."""
        row: cython.int
        predicate: cython.int
        subject: cython.int
        object_: cython.int
        edge: cython.int
        self.table.clear()
        self.subject_chains.clear()
        self.object_chains.clear()
        for row in range(self.used):
            predicate = self.rows[row].predicate
            subject = self.rows[row].subject
            object_ = self.rows[row].object
            edge = self.rows[row].flags & EDGE
            if predicate < 0:
                continue
            self.table.put(row, tag_of(predicate, subject, object_))
            if self.by_subject[predicate] and self.rows[row].previous_subject < 0:
                self.subject_chains.put(row, chain_tag(chained(predicate, object_), subject, SUBJECT | edge))
            if self.by_object[predicate] and self.rows[row].previous_object < 0:
                self.object_chains.put(row, chain_tag(predicate, object_, OBJECT | edge))
        return 0

    def add_predicate(self, predicate):
        """Make room for `predicate` in the flags; a new predicate has no chains until it is indexed."""
        if predicate >= len(self.by_subject):
            self.grow_flags(predicate)
        return 0

    def grow_flags(self, predicate):
        size = max(2 * len(self.by_subject), predicate + 1)
        self.by_subject = lengthened(self.by_subject, size)
        self.by_object = lengthened(self.by_object, size)
        self.unrecorded = lengthened(self.unrecorded, size)
        return 0

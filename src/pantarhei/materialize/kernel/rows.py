"""Facts as rows of integers: the storage under the window model.

A fact is `(predicate, subject, object)`; a class fact `C(x)` has object `NONE`. Each fact has one row, found
through

- `table`, a hash table over the whole fact (cells.py),
- chains of the rows that share (predicate, subject) or (predicate, object), doubly linked through the rows
  and found by hash tables of their first rows. A predicate has such chains only where a rule or a query
  asks for them. The chain of a class fact is that of all classes of its subject for which it was asked:
  that of (`NONE`, subject). Facts that are flagged EDGE (edges.py) stand in chains apart from the others,
  so that joins with edges look at nothing else.

A row also carries what the window model says of its fact (`level`, `base`, `held`, `flags`, `sequence`:
see newest.py) and the links of the one list it stands in (`next_listed`). Rows are recycled; a free row has
predicate -1.

This module is ordinary Python that Cython compiles, with the C types in rows.pxd. Compiled, `rows` is an
array of C structs; uncompiled it is a list of `PlainRow`s with the same fields, slow and correct.

Invariants: `check_invariants`.
"""

from __future__ import annotations

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.pantarhei.materialize.kernel.arrays import Ints
    from cython.cimports.pantarhei.materialize.kernel.cells import Cells
    from cython.cimports.pantarhei.materialize.kernel.rows import fetch
else:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.cells import Cells

from pantarhei.materialize.kernel.arrays import aligned, lengthened, new_bytes
from pantarhei.materialize.kernel.cells import room_for

ROW = np.dtype(
    [
        ("predicate", np.int32),
        ("subject", np.int32),
        ("object", np.int32),
        ("level", np.int32),
        ("base", np.int32),
        ("held", np.int32),
        ("flags", np.int32),
        ("next_subject", np.int32),
        ("previous_subject", np.int32),
        ("next_object", np.int32),
        ("previous_object", np.int32),
        ("next_listed", np.int32),
        ("previous_listed", np.int32),
        ("sequence", np.int64),
    ],
    align=True,  # as the C compiler lays it out
)
COMPILED = bool(cython.compiled)  # for Python
NONE = cython.declare(cython.int, -1)
_FIRST_LITERAL = cython.declare(cython.int, 1 << 30)  # rules.program.FIRST_LITERAL

# Which chains a table is of; with EDGE those of edges.
SUBJECT = cython.declare(cython.int, 1)
OBJECT = cython.declare(cython.int, 2)
EDGE = cython.declare(cython.int, 128)  # a row's flag

# Odd 64-bit multipliers (splitmix64's and MurmurHash's finalizers): any odd constants with well-mixed bits
# do.
_MIX_SUBJECT = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_MIX_OBJECT = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
_MIX_PREDICATE = cython.declare(cython.ulonglong, 0x165667B19E3779F9)

UNLIMITED_FACTS = 0x7FFFFFFF  # for Python, as UNLIMITED_BYTES
UNLIMITED_BYTES = 1 << 62

# How many rows there is room for to begin with.
_LEAST_ROOM = cython.declare(cython.int, 1024)

# Past so many integers the record of changes is not kept for the next ones.
_MOST_KEPT = cython.declare(cython.int, 1 << 16)


class Overfull(Exception):
    """The rows would need more room than they may take; what was being done to them is left half done.

    Args:
        facts: how many facts they would hold.
        bytes: how many bytes they would take.
    """

    def __init__(self, facts: int, bytes: int) -> None:
        super().__init__(facts, bytes)
        self.facts, self.bytes = facts, bytes


class PlainRow:
    """A row where nothing is compiled."""

    __slots__ = ROW.names

    def __init__(self) -> None:
        for name in ROW.names or ():
            setattr(self, name, 0)


def new_rows(count):
    """`count` zeroed rows; compiled each lies in one line of the processor's cache."""
    if not cython.compiled:
        return [PlainRow() for _ in range(count)]
    return aligned(ROW, count)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def renamed(term: cython.int, names: cython.int[::1], literals: cython.int[::1]) -> cython.int:
    """The new number of a term; `NONE` stays."""
    if term < 0:
        return term
    return names[term] if term < _FIRST_LITERAL else literals[term - _FIRST_LITERAL]


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def move_down(flags: cython.uchar[::1], numbers: cython.int[::1]) -> cython.void:
    """Let the flag of each predicate stand at its new number, which is no higher; what has none loses it."""
    predicate: cython.Py_ssize_t
    flag: cython.uchar
    for predicate in range(len(flags)):
        flag = flags[predicate]
        flags[predicate] = 0
        if flag and numbers[predicate] >= 0:
            flags[numbers[predicate]] = flag


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def tag_of(predicate: cython.int, subject: cython.int, object: cython.int) -> cython.int:
    """31 bits of a fact's hash.

    Facts about the classes of one subject share all but three bits, so that they stand in one line of the
    processor's cache: for up to 16 classes that are numbered one after another, so that no line has more.
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
    """31 bits of the hash of a chain."""
    return cython.cast(cython.int, mix(predicate, term, side) & 0x7FFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def chained(predicate: cython.int, object: cython.int) -> cython.int:
    """What stands for the predicate where a fact is chained by subject: all classes share a chain."""
    return NONE if object == NONE else predicate


@cython.cclass
class Rows:
    """Facts, found by value and by (predicate, subject) and (predicate, object).

    Finding, inserting and removing cost O(1) expected. `changes` records `(predicate, subject, object, ±1)`
    for each fact that came or went since it was last emptied. A fact beyond `most`, or an array beyond
    `most_bytes` altogether, is `Overfull`.
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
        self.changes = Ints()
        self.most = UNLIMITED_FACTS
        self.most_bytes = UNLIMITED_BYTES
        self.bytes_a_row = ROW.itemsize

    # -- one fact ----------------------------------------------------------------------------------

    def find(self, predicate, subject, object):
        """The fact's row, or `-1 - cell` with the cell of `table` where it would stand."""
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
        """A new row for a fact that has none; level and base -1, in no list, flagged with `edge`: EDGE or 0."""
        row: cython.int
        self.reserve()
        self.know_predicate(predicate)
        row = self.free
        if row >= 0:
            self.free = self.rows[row].next_listed
            self.fetch_row(self.free)
        else:
            row = self.used
            self.used += 1
        self.rows[row].predicate = predicate
        self.rows[row].subject = subject
        self.rows[row].object = object
        self.rows[row].level = -1
        self.rows[row].base = -1
        self.rows[row].held = -1
        self.rows[row].flags = edge
        self.rows[row].sequence = 0
        self.table.put(row, tag_of(predicate, subject, object))
        if self.by_subject[predicate]:
            self.link_subject(row)
        if self.by_object[predicate]:
            self.link_object(row)
        self.live += 1
        self.log(row, 1)
        return row

    def remove(self, row):
        """Forget the fact of `row`, which must be in no list any more."""
        predicate: cython.int = self.rows[row].predicate
        self.log(row, -1)
        if self.by_subject[predicate]:
            self.unlink_subject(row)
        if self.by_object[predicate]:
            self.unlink_object(row)
        self.table.take(row, tag_of(predicate, self.rows[row].subject, self.rows[row].object))
        self.rows[row].predicate = -1
        self.rows[row].level = -1
        self.rows[row].next_listed = self.free
        self.free = row
        self.live -= 1
        return 0

    def log(self, row, sign):
        self.changes.push(self.rows[row].predicate)
        self.changes.push(self.rows[row].subject)
        self.changes.push(self.rows[row].object)
        self.changes.push(sign)
        return 0

    # -- chains: the rows of one (predicate, subject) or (predicate, object) -----------------------

    def first_with_subject(self, predicate, subject, edge):
        """The first row of the chain, or -1; go on through `next_subject`. Only for predicates indexed so.

        With `edge` EDGE it is the chain of edges, with 0 that of the others.
        """
        tag: cython.int = chain_tag(predicate, subject, SUBJECT | edge)
        return self.subject_chains.cells[2 * self.subject_cell(predicate, subject, edge, tag)]

    def first_with_object(self, predicate, object, edge):
        """The same by object; go on through `next_object`."""
        tag: cython.int = chain_tag(predicate, object, OBJECT | edge)
        return self.object_chains.cells[2 * self.object_cell(predicate, object, edge, tag)]

    def subject_cell(self, predicate, subject, edge, tag):
        """The cell of the chain's first row, or the empty one where it would stand."""
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
        """The cell of the chain's first row, or the empty one where it would stand."""
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
        """Put `row` at the start of its subject's chain."""
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
        """Put `row` at the start of its object's chain."""
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
        """Take `row` out of its subject's chain."""
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
            self.subject_chains.take(row, tag)
            return
        cell = self.subject_cell(predicate, self.rows[row].subject, edge, tag)
        self.subject_chains.cells[2 * cell] = after

    def unlink_object(self, row):
        """Take `row` out of its object's chain."""
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
            self.object_chains.take(row, tag)
            return
        cell = self.object_cell(self.rows[row].predicate, self.rows[row].object, edge, tag)
        self.object_chains.cells[2 * cell] = after

    def make_edge(self, row):
        """Flag `row`, which is not yet, as EDGE, and put it into the chains of edges.

        No chain that it stands in may be walked meanwhile.
        """
        predicate: cython.int = self.rows[row].predicate
        if self.subject_chains.is_full() or self.object_chains.is_full():
            self.grow_chains()
        if self.by_subject[predicate]:
            self.unlink_subject(row)
        if self.by_object[predicate]:
            self.unlink_object(row)
        self.rows[row].flags |= EDGE
        if self.by_subject[predicate]:
            self.link_subject(row)
        if self.by_object[predicate]:
            self.link_object(row)
        return 0

    # -- reading ahead -----------------------------------------------------------------------------
    #
    # A step of the kernel is mostly waiting for memory: each fact is somewhere else, and so are the cells and
    # rows that have to be known or changed with it. What comes next is known some facts before, so these
    # begin to read it into the processor's cache and do not wait: first cells, later the rows that the cells
    # name. They change nothing, and uncompiled they do nothing.

    def fetch_row(self, row):
        """Begin to read a row; none where it is negative."""
        if cython.compiled and row >= 0:
            fetch(cython.address(self.rows[row]))

    def fetch_fact(self, predicate, subject, object):
        """Begin to read the cell where a fact is looked for."""
        tag: cython.int = tag_of(predicate, subject, object)
        if cython.compiled:
            fetch(cython.address(self.table.cells[2 * (tag & self.table.mask)]))

    def fetch_found(self, predicate, subject, object):
        """Begin to read the row that this cell names, if it seems to be the fact's."""
        tag: cython.int = tag_of(predicate, subject, object)
        cell: cython.int = tag & self.table.mask
        if self.table.cells[2 * cell + 1] == tag:
            self.fetch_row(self.table.cells[2 * cell])

    def fetch_chain(self, predicate, term, chain):
        """Begin to read the cell of a chain: by SUBJECT or OBJECT, with EDGE that of edges."""
        tag: cython.int = chain_tag(predicate, term, chain)
        if cython.compiled and chain & SUBJECT:
            fetch(cython.address(self.subject_chains.cells[2 * (tag & self.subject_chains.mask)]))
        elif cython.compiled:
            fetch(cython.address(self.object_chains.cells[2 * (tag & self.object_chains.mask)]))

    def fetch_first(self, predicate, term, chain):
        """Begin to read the first row of a chain, as its cell says."""
        tag: cython.int = chain_tag(predicate, term, chain)
        if chain & SUBJECT:
            self.fetch_row(self.subject_chains.cells[2 * (tag & self.subject_chains.mask)])
        else:
            self.fetch_row(self.object_chains.cells[2 * (tag & self.object_chains.mask)])

    def fetch_chains(self, predicate, subject, object, edge):
        """Begin to read the cells of the chains that a fact would enter."""
        if predicate < len(self.by_subject) and self.by_subject[predicate]:
            self.fetch_chain(chained(predicate, object), subject, SUBJECT | edge)
        if predicate < len(self.by_subject) and self.by_object[predicate]:
            self.fetch_chain(predicate, object, OBJECT | edge)

    def fetch_chained(self, predicate, subject, object, edge):
        """Begin to read the first rows of these chains, as the cells say."""
        if predicate < len(self.by_subject) and self.by_subject[predicate]:
            self.fetch_first(chained(predicate, object), subject, SUBJECT | edge)
        if predicate < len(self.by_subject) and self.by_object[predicate]:
            self.fetch_first(predicate, object, OBJECT | edge)

    def fetch_neighbours(self, row):
        """Begin to read what removing a row will change: cells, and the rows beside it in its chains."""
        predicate: cython.int = self.rows[row].predicate
        subject: cython.int = self.rows[row].subject
        object_: cython.int = self.rows[row].object
        self.fetch_fact(predicate, subject, object_)
        self.fetch_chains(predicate, subject, object_, self.rows[row].flags & EDGE)
        if self.by_subject[predicate]:
            self.fetch_row(self.rows[row].next_subject)
            self.fetch_row(self.rows[row].previous_subject)
        if self.by_object[predicate]:
            self.fetch_row(self.rows[row].next_object)
            self.fetch_row(self.rows[row].previous_object)

    # -- room --------------------------------------------------------------------------------------

    def reserve(self):
        """Make room for one more row."""
        if (
            (self.free < 0 and self.used == len(self.rows))
            or self.table.is_full()
            or self.subject_chains.is_full()
            or self.object_chains.is_full()
            or self.live >= self.most
        ):
            self.grow()
        return 0

    def grow(self):
        """Larger arrays where one more row would not fit: the rows by a third, hash tables twofold."""
        sizes = [table.size_for(1) for table in self.tables()]
        beside = 4 * (2 * sum(sizes) + len(self.changes.items))
        count = len(self.rows)
        if self.free < 0 and self.used == count:
            fitting = (self.most_bytes - beside) // self.bytes_a_row
            count = min(count + count // 3 + 8, max(count + 1, fitting))
        self.grow_to(count, sizes, self.live + 1, beside)
        return 0

    def grow_chains(self):
        """Room for one more chain by subject and by object."""
        sizes = [self.table.size, self.subject_chains.size_for(1), self.object_chains.size_for(1)]
        beside = 4 * (2 * sum(sizes) + len(self.changes.items))
        self.grow_to(len(self.rows), sizes, self.live, beside)
        return 0

    def expect(self, count: cython.int):
        """Make room for `count` more facts at once, in the rows and their hash table; free rows are room."""
        sizes = [self.table.size_for(count), self.subject_chains.size, self.object_chains.size]
        changes = max(len(self.changes.items), self.changes.size + 4 * count)
        beside = 4 * (2 * sum(sizes) + changes)
        self.grow_to(max(len(self.rows), self.live + count), sizes, self.live + count, beside)
        self.changes.expect(4 * count)

    def grow_to(self, count, sizes, facts, beside):
        """Have room for `count` rows, and tables of `sizes`, where there will be so many `facts`."""
        needed = self.bytes_a_row * count + beside
        if facts > self.most or needed > self.most_bytes:
            raise Overfull(facts, needed)
        if count > len(self.rows):
            larger = new_rows(count)
            larger[: self.used] = self.rows[: self.used]
            self.rows = larger
        for table, size in zip(self.tables(), sizes, strict=True):
            table.grow_to(size)

    def tables(self):
        """The hash tables: of facts, of chains by subject and of chains by object."""
        return self.table, self.subject_chains, self.object_chains

    def enter_anew(self):
        """Fill the hash tables anew from the rows; the chains stay as they are."""
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

    def know_predicate(self, predicate):
        """Make room for `predicate` in the flags; a new predicate has no chains until asked for."""
        if predicate >= len(self.by_subject):
            self.grow_flags(predicate)
        return 0

    def grow_flags(self, predicate):
        size = max(2 * len(self.by_subject), predicate + 1)
        self.by_subject = lengthened(self.by_subject, size)
        self.by_object = lengthened(self.by_object, size)
        return 0

    # -- for Python --------------------------------------------------------------------------------

    def index(self, predicate: cython.int, by_subject: cython.bint, by_object: cython.bint):
        """Keep chains of this predicate from now on; a class has none by object.

        Costs one pass over all rows, the first time.
        """
        row: cython.int
        self.know_predicate(predicate)
        new_subject: cython.bint = by_subject and not self.by_subject[predicate]
        new_object: cython.bint = by_object and not self.by_object[predicate]
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
        """The fact's row, negative where there is none."""
        return self.find(predicate, subject, object)

    def select(self, predicate: cython.int, subject: cython.int, object: cython.int, chain: cython.int):
        """Rows with a subject or object, edges last, as an int32 array: by subject where `chain` is 0, else by object."""
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

    def columns(self, *names):
        """The named fields of all rows ever used, free ones (predicate -1) too, as int64 copies."""
        if cython.compiled:
            rows = np.frombuffer(self.rows, ROW)[: self.used]
            return [rows[name].astype(np.int64) for name in names]
        return [np.array([getattr(row, name) for row in self.rows[: self.used]], np.int64) for name in names]

    def facts(self, wanted: cython.int[::1]):
        """The facts of the given rows, as an int32 array of shape (n, 3)."""
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
        """Set `predicates[p]` for each predicate of a row, `names[n]` for each name that a row has as subject
        or object, `literals[n - FIRST_LITERAL]` for each literal. Costs a pass over the rows.
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
                if object_ >= _FIRST_LITERAL:
                    literals[object_ - _FIRST_LITERAL] = 1
                elif object_ >= 0:
                    names[object_] = 1

    def rename_terms(self, predicates: cython.int[::1], names: cython.int[::1], literals: cython.int[::1]):
        """Give predicate `p` the number `predicates[p]`, name `n` the number `names[n]`, literal `n` the
        number `literals[n - FIRST_LITERAL]`.

        No two get the same, so chains and lists stay as they are; predicates keep their order, and those of
        the plans their numbers. Costs a pass over the rows and entering each into the hash tables; needs no
        memory.
        """
        row: cython.int
        place: cython.int
        with cython.nogil:
            move_down(self.by_subject, predicates)
            move_down(self.by_object, predicates)
            for row in range(self.used):
                if self.rows[row].predicate >= 0:
                    self.rows[row].predicate = predicates[self.rows[row].predicate]
                    self.rows[row].subject = renamed(self.rows[row].subject, names, literals)
                    self.rows[row].object = renamed(self.rows[row].object, names, literals)
            for place in range(0, self.changes.size, 4):
                self.changes.items[place] = predicates[self.changes.items[place]]
                self.changes.items[place + 1] = renamed(self.changes.items[place + 1], names, literals)
                self.changes.items[place + 2] = renamed(self.changes.items[place + 2], names, literals)
            self.enter_anew()

    def take_changes(self):
        """What came and went since the last call: int32 rows `predicate, subject, object, ±1`."""
        changes = self.changes.array().reshape(-1, 4)
        self.changes.size = 0
        if len(self.changes.items) > _MOST_KEPT:
            self.changes = Ints()
        return changes

    def bytes_used(self) -> int:
        """Bytes held by rows, hash tables and lists."""
        cells = sum(table.size for table in self.tables())
        return ROW.itemsize * len(self.rows) + 4 * (2 * cells + len(self.changes.items))

    def spare_bytes(self) -> int:
        """How many bytes less the same facts would take, at least, in rows made anew; may be negative."""
        count = max(_LEAST_ROOM, self.live + self.live // 3 + 8)
        cells = room_for(2 * _LEAST_ROOM, self.live + 1)
        cells += room_for(_LEAST_ROOM, self.subject_chains.keys + 1)
        cells += room_for(_LEAST_ROOM, self.object_chains.keys + 1)
        now = sum(table.size for table in self.tables())
        changes = len(self.changes.items) - min(_MOST_KEPT, room_for(16, 4 * self.live))
        return self.bytes_a_row * (len(self.rows) - count) + 4 * (2 * (now - cells) + changes)

    def check_invariants(self):
        """Assert that tables, chains and rows agree. Costs O(rows); for tests."""
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
                subjects.add((chained(predicate, object_), subject, edge))
                other = self.first_with_subject(chained(predicate, object_), subject, edge)
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

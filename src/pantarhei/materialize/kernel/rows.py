"""Facts as rows of integers: the storage under the window model.

A fact is `(predicate, subject, object)`; a class fact `C(x)` has object `NONE`. Each fact has one row, found
through

- `table`, an open-addressing hash table over the whole fact; a cell is a row and 31 bits of its hash, so that
  probing touches a row only where it is the right one,
- chains of the rows that share (predicate, subject) or (predicate, object), doubly linked through the rows
  and found by a hash table of their first rows. A predicate has such chains only where a rule or a query
  asks for them.

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

# Which chains a table is of.
SUBJECT = cython.declare(cython.int, 1)
OBJECT = cython.declare(cython.int, 2)

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
    """`count` zeroed rows."""
    return np.zeros(count, ROW) if cython.compiled else [PlainRow() for _ in range(count)]


def new_ints(count, value):
    """`count` 32-bit integers of the given value; uncompiled a memoryview, whose elements are Python ints."""
    array = np.full(count, value, np.int32)
    return array if cython.compiled else memoryview(array)


def new_bytes(count):
    """`count` zero bytes."""
    array = np.zeros(count, np.uint8)
    return array if cython.compiled else memoryview(array)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def renamed(term: cython.int, names: cython.int[::1], literals: cython.int[::1]) -> cython.int:
    """The new number of a term; `NONE` stays."""
    if term < 0:
        return term
    return names[term] if term < _FIRST_LITERAL else literals[term - _FIRST_LITERAL]


def ints_of(array):
    """`array` as 32-bit integers the kernel can read (a copy, since numpy arrays may be read-only)."""
    copy = np.array(array, np.int32)
    return copy if cython.compiled else memoryview(copy)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def tag_of(predicate: cython.int, subject: cython.int, object: cython.int) -> cython.int:
    """31 bits of a fact's hash."""
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
def home_of(predicate: cython.int, term: cython.int, side: cython.int, mask: cython.int) -> cython.int:
    """Where a table of chains is first probed for (predicate, term)."""
    return cython.cast(cython.int, mix(predicate, term, side) & mask)


def _room_for(size, keys):
    """The size of a hash table that holds `keys` keys at most two thirds full, at least `size`."""
    while 3 * keys > 2 * size:
        size *= 2
    return size


def _lengthened(flags, size):
    """A copy of an array of bytes with zeros behind it."""
    longer = np.zeros(size, np.uint8) if cython.compiled else bytearray(size)
    longer[: len(flags)] = flags
    return longer


@cython.cclass
class Ints:
    """A growable array of 32-bit integers."""

    def __init__(self):
        self.items = new_ints(16, 0)
        self.size = 0

    def push(self, item):
        if self.size == len(self.items):
            self.grow()
        self.items[self.size] = item
        self.size += 1
        return 0

    def grow(self):
        """Twice the room. Apart, since a function that handles Python objects takes the GIL when it ends."""
        larger = new_ints(2 * self.size, 0)
        larger[: self.size] = self.items
        self.items = larger
        return 0

    def array(self):
        """A copy as a numpy array."""
        return np.array(self.items[: self.size], np.int32)


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
        self.table = new_ints(4 * size, -1)
        self.subject_index = new_ints(size, -1)
        self.object_index = new_ints(size, -1)
        self.used = 0
        self.live = 0
        self.free = -1
        self.subject_keys = 0
        self.object_keys = 0
        self.by_subject = np.zeros(16, np.uint8) if cython.compiled else bytearray(16)
        self.by_object = np.zeros(16, np.uint8) if cython.compiled else bytearray(16)
        self.changes = Ints()
        self.most = UNLIMITED_FACTS
        self.most_bytes = UNLIMITED_BYTES
        self.bytes_a_row = ROW.itemsize

    # -- one fact ----------------------------------------------------------------------------------

    def find(self, predicate, subject, object):
        """The fact's row, or `-1 - cell` with the cell of `table` where it would stand."""
        mask: cython.int = (len(self.table) >> 1) - 1
        tag: cython.int = tag_of(predicate, subject, object)
        cell: cython.int = tag & mask
        row: cython.int
        while True:
            row = self.table[2 * cell]
            if row < 0:
                return -1 - cell
            if (
                self.table[2 * cell + 1] == tag
                and self.rows[row].subject == subject
                and self.rows[row].object == object
                and self.rows[row].predicate == predicate
            ):
                return row
            cell = (cell + 1) & mask

    def read_ahead(self, predicate, subject, object):
        """Read the cell where the fact would first be looked for, so that it is in the cache by then.

        Several such reads go on at once, where the look-ups themselves would wait for one after another.
        """
        mask: cython.int = (len(self.table) >> 1) - 1
        return self.table[2 * (tag_of(predicate, subject, object) & mask)]

    def read_chain_ahead(self, predicate, subject, object):
        """The same for where the fact would enter its chains."""
        read: cython.int = 0
        row: cython.int
        if self.by_subject[predicate]:
            row = self.subject_index[home_of(predicate, subject, SUBJECT, len(self.subject_index) - 1)]
            if row >= 0:
                read ^= self.rows[row].subject
        if self.by_object[predicate]:
            row = self.object_index[home_of(predicate, object, OBJECT, len(self.object_index) - 1)]
            if row >= 0:
                read ^= self.rows[row].object
        return read

    def insert(self, predicate, subject, object):
        """A new row for a fact that has none; level and base -1, in no list."""
        row: cython.int
        self.reserve()
        self.know_predicate(predicate)
        row = self.free
        if row >= 0:
            self.free = self.rows[row].next_listed
        else:
            row = self.used
            self.used += 1
        self.rows[row].predicate = predicate
        self.rows[row].subject = subject
        self.rows[row].object = object
        self.rows[row].level = -1
        self.rows[row].base = -1
        self.rows[row].held = -1
        self.rows[row].flags = 0
        self.rows[row].sequence = 0
        self.place(row)
        if object != NONE:
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
        if self.rows[row].object != NONE:
            if self.by_subject[predicate]:
                self.unlink_subject(row)
            if self.by_object[predicate]:
                self.unlink_object(row)
        self.vacate(row)
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

    def first_with_subject(self, predicate, subject):
        """The first row of the chain, or -1; go on through `next_subject`. Only for predicates indexed so."""
        return self.subject_index[self.subject_cell(predicate, subject)]

    def first_with_object(self, predicate, object):
        """The first row of the chain, or -1; go on through `next_object`. Only for predicates indexed so."""
        return self.object_index[self.object_cell(predicate, object)]

    def subject_cell(self, predicate, subject):
        mask: cython.int = len(self.subject_index) - 1
        cell: cython.int = home_of(predicate, subject, SUBJECT, mask)
        row: cython.int
        while True:
            row = self.subject_index[cell]
            if row < 0 or (self.rows[row].subject == subject and self.rows[row].predicate == predicate):
                return cell
            cell = (cell + 1) & mask

    def object_cell(self, predicate, object):
        mask: cython.int = len(self.object_index) - 1
        cell: cython.int = home_of(predicate, object, OBJECT, mask)
        row: cython.int
        while True:
            row = self.object_index[cell]
            if row < 0 or (self.rows[row].object == object and self.rows[row].predicate == predicate):
                return cell
            cell = (cell + 1) & mask

    def close_gap(self, index, cell, side):
        """Empty a cell of a chains' table, moving up what probing would no longer find past it."""
        mask: cython.int = len(index) - 1
        probe: cython.int = cell
        row: cython.int
        term: cython.int
        home: cython.int
        while True:
            probe = (probe + 1) & mask
            row = index[probe]
            if row < 0:
                break
            term = self.rows[row].subject if side == SUBJECT else self.rows[row].object
            home = home_of(self.rows[row].predicate, term, side, mask)
            if ((probe - home) & mask) >= ((probe - cell) & mask):
                index[cell] = row
                cell = probe
        index[cell] = -1

    def link_subject(self, row):
        cell: cython.int = self.subject_cell(self.rows[row].predicate, self.rows[row].subject)
        first: cython.int = self.subject_index[cell]
        if first < 0:
            self.subject_keys += 1
        else:
            self.rows[first].previous_subject = row
        self.rows[row].next_subject = first
        self.rows[row].previous_subject = -1
        self.subject_index[cell] = row

    def link_object(self, row):
        cell: cython.int = self.object_cell(self.rows[row].predicate, self.rows[row].object)
        first: cython.int = self.object_index[cell]
        if first < 0:
            self.object_keys += 1
        else:
            self.rows[first].previous_object = row
        self.rows[row].next_object = first
        self.rows[row].previous_object = -1
        self.object_index[cell] = row

    def unlink_subject(self, row):
        after: cython.int = self.rows[row].next_subject
        before: cython.int = self.rows[row].previous_subject
        cell: cython.int
        if after >= 0:
            self.rows[after].previous_subject = before
        if before >= 0:
            self.rows[before].next_subject = after
            return
        cell = self.subject_cell(self.rows[row].predicate, self.rows[row].subject)
        self.subject_index[cell] = after
        if after < 0:
            self.subject_keys -= 1
            self.close_gap(self.subject_index, cell, SUBJECT)

    def unlink_object(self, row):
        after: cython.int = self.rows[row].next_object
        before: cython.int = self.rows[row].previous_object
        cell: cython.int
        if after >= 0:
            self.rows[after].previous_object = before
        if before >= 0:
            self.rows[before].next_object = after
            return
        cell = self.object_cell(self.rows[row].predicate, self.rows[row].object)
        self.object_index[cell] = after
        if after < 0:
            self.object_keys -= 1
            self.close_gap(self.object_index, cell, OBJECT)

    # -- room --------------------------------------------------------------------------------------

    def reserve(self):
        """Make room for one more row; hash tables stay at most two thirds full."""
        if (
            (self.free < 0 and self.used == len(self.rows))
            or 3 * (self.live + 1) > len(self.table)
            or 3 * (self.subject_keys + 1) > 2 * len(self.subject_index)
            or 3 * (self.object_keys + 1) > 2 * len(self.object_index)
            or self.live >= self.most
        ):
            self.grow()
        return 0

    def grow(self):
        """Larger arrays where one more row would not fit: the rows by a third, hash tables twofold."""
        cells = _room_for(len(self.table) >> 1, self.live + 1)
        subjects = _room_for(len(self.subject_index), self.subject_keys + 1)
        objects = _room_for(len(self.object_index), self.object_keys + 1)
        beside = 4 * (2 * cells + subjects + objects + len(self.changes.items))
        count = len(self.rows)
        if self.free < 0 and self.used == count:
            fitting = (self.most_bytes - beside) // self.bytes_a_row
            count = min(count + count // 3 + 8, max(count + 1, fitting))
        needed = self.bytes_a_row * count + beside
        if self.live >= self.most or needed > self.most_bytes:
            raise Overfull(self.live + 1, needed)
        if count > len(self.rows):
            larger = new_rows(count)
            larger[: self.used] = self.rows[: self.used]
            self.rows = larger
        if 2 * cells > len(self.table):
            self.table = new_ints(2 * cells, -1)
            self.rehash()
        if subjects > len(self.subject_index):
            self.subject_index = new_ints(subjects, -1)
            self.rehash_subjects()
        if objects > len(self.object_index):
            self.object_index = new_ints(objects, -1)
            self.rehash_objects()
        return 0

    def expect(self, count: cython.int):
        """Make room for `count` more facts at once, in the rows and their hash table."""
        size: cython.longlong = max(len(self.rows), self.used + count)
        cells: cython.longlong = _room_for(len(self.table) >> 1, self.live + count)
        chains: cython.longlong = len(self.subject_index) + len(self.object_index)
        needed: cython.longlong = self.bytes_a_row * size + 4 * (2 * cells + chains)
        if self.live + count > self.most or needed > self.most_bytes:
            raise Overfull(self.live + count, needed)
        if size > len(self.rows):
            larger = new_rows(size)
            larger[: self.used] = self.rows[: self.used]
            self.rows = larger
        if 2 * cells > len(self.table):
            self.table = new_ints(2 * cells, -1)
            self.rehash()

    def rehash(self):
        """Fill the hash table of facts anew from the rows."""
        row: cython.int
        cell: cython.int
        for cell in range(len(self.table)):
            self.table[cell] = -1
        for row in range(self.used):
            if self.rows[row].predicate >= 0:
                self.place(row)
        return 0

    def rehash_subjects(self):
        """Fill the table of chains by subject anew; the chains stay as they are."""
        row: cython.int
        cell: cython.int
        for cell in range(len(self.subject_index)):
            self.subject_index[cell] = -1
        for row in range(self.used):
            if self.begins_chain(row, self.by_subject, self.rows[row].previous_subject):
                self.subject_index[self.subject_cell(self.rows[row].predicate, self.rows[row].subject)] = row
        return 0

    def rehash_objects(self):
        """Fill the table of chains by object anew; the chains stay as they are."""
        row: cython.int
        cell: cython.int
        for cell in range(len(self.object_index)):
            self.object_index[cell] = -1
        for row in range(self.used):
            if self.begins_chain(row, self.by_object, self.rows[row].previous_object):
                self.object_index[self.object_cell(self.rows[row].predicate, self.rows[row].object)] = row
        return 0

    def begins_chain(self, row, flags, previous):
        """Whether `row` is the first of a chain of the predicates that `flags` tell."""
        predicate: cython.int = self.rows[row].predicate
        return predicate >= 0 and self.rows[row].object != NONE and flags[predicate] and previous < 0

    def place(self, row):
        """Enter `row`, which is not in it, into the hash table of facts."""
        tag: cython.int = tag_of(self.rows[row].predicate, self.rows[row].subject, self.rows[row].object)
        mask: cython.int = (len(self.table) >> 1) - 1
        cell: cython.int = tag & mask
        while self.table[2 * cell] >= 0:
            cell = (cell + 1) & mask
        self.table[2 * cell] = row
        self.table[2 * cell + 1] = tag

    def vacate(self, row):
        """Take `row` out of the hash table of facts, and close the gap."""
        mask: cython.int = (len(self.table) >> 1) - 1
        cell: cython.int = (
            tag_of(self.rows[row].predicate, self.rows[row].subject, self.rows[row].object) & mask
        )
        probe: cython.int
        home: cython.int
        while self.table[2 * cell] != row:
            cell = (cell + 1) & mask
        probe = cell
        while True:
            probe = (probe + 1) & mask
            if self.table[2 * probe] < 0:
                break
            home = self.table[2 * probe + 1] & mask
            if ((probe - home) & mask) >= ((probe - cell) & mask):
                self.table[2 * cell] = self.table[2 * probe]
                self.table[2 * cell + 1] = self.table[2 * probe + 1]
                cell = probe
        self.table[2 * cell] = -1

    def know_predicate(self, predicate):
        """Make room for `predicate` in the flags; a new predicate has no chains until asked for."""
        if predicate >= len(self.by_subject):
            self.grow_flags(predicate)
        return 0

    def grow_flags(self, predicate):
        size = max(2 * len(self.by_subject), predicate + 1)
        self.by_subject = _lengthened(self.by_subject, size)
        self.by_object = _lengthened(self.by_object, size)
        return 0

    # -- for Python --------------------------------------------------------------------------------

    def index(self, predicate: cython.int, by_subject: cython.bint, by_object: cython.bint):
        """Keep chains of this predicate from now on. Costs one pass over all rows, the first time."""
        row: cython.int
        self.know_predicate(predicate)
        new_subject: cython.bint = by_subject and not self.by_subject[predicate]
        new_object: cython.bint = by_object and not self.by_object[predicate]
        linked = [
            row
            for row in range(self.used)
            if self.rows[row].predicate == predicate and self.rows[row].object != NONE
        ]
        if new_subject:
            self.subject_index = new_ints(
                _room_for(len(self.subject_index), self.subject_keys + len(linked)), -1
            )
            self.rehash_subjects()
        if new_object:
            self.object_index = new_ints(
                _room_for(len(self.object_index), self.object_keys + len(linked)), -1
            )
            self.rehash_objects()
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
        """Rows of a chain as an int32 array: by subject where `chain` is 0, else by object."""
        found: Ints = Ints()
        row: cython.int
        if chain == 0:
            row = self.first_with_subject(predicate, subject)
            while row >= 0:
                found.push(row)
                row = self.rows[row].next_subject
        else:
            row = self.first_with_object(predicate, object)
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

    def mark_terms(self, names: cython.uchar[::1], literals: cython.uchar[::1]):
        """Set `names[n]` for each name that a row has as subject or object, `literals[n - FIRST_LITERAL]` for
        each literal. Costs a pass over the rows.
        """
        row: cython.int
        object_: cython.int
        with cython.nogil:
            for row in range(self.used):
                if self.rows[row].predicate < 0:
                    continue
                names[self.rows[row].subject] = 1
                object_ = self.rows[row].object
                if object_ >= _FIRST_LITERAL:
                    literals[object_ - _FIRST_LITERAL] = 1
                elif object_ >= 0:
                    names[object_] = 1

    def rename_terms(self, names: cython.int[::1], literals: cython.int[::1]):
        """Give name `n` the number `names[n]`, literal `n` the number `literals[n - FIRST_LITERAL]`.

        No two get the same, so chains and lists stay as they are. Costs a pass over the rows and entering
        each into the hash tables; needs no memory.
        """
        row: cython.int
        place: cython.int
        with cython.nogil:
            for row in range(self.used):
                if self.rows[row].predicate >= 0:
                    self.rows[row].subject = renamed(self.rows[row].subject, names, literals)
                    self.rows[row].object = renamed(self.rows[row].object, names, literals)
            for place in range(0, self.changes.size, 4):
                self.changes.items[place + 1] = renamed(self.changes.items[place + 1], names, literals)
                self.changes.items[place + 2] = renamed(self.changes.items[place + 2], names, literals)
            self.rehash()
            self.rehash_subjects()
            self.rehash_objects()

    def take_changes(self):
        """What came and went since the last call: int32 rows `predicate, subject, object, ±1`."""
        changes = self.changes.array().reshape(-1, 4)
        self.changes.size = 0
        if len(self.changes.items) > _MOST_KEPT:
            self.changes = Ints()
        return changes

    def bytes_used(self) -> int:
        """Bytes held by rows, hash tables and lists."""
        tables = 4 * (
            len(self.table) + len(self.subject_index) + len(self.object_index) + len(self.changes.items)
        )
        return ROW.itemsize * len(self.rows) + tables

    def spare_bytes(self) -> int:
        """How many bytes less the same facts would take, at least, in rows made anew; may be negative."""
        count = max(_LEAST_ROOM, self.live + self.live // 3 + 8)
        tables = (
            2 * _room_for(2 * _LEAST_ROOM, self.live + 1)
            + _room_for(_LEAST_ROOM, self.subject_keys + 1)
            + _room_for(_LEAST_ROOM, self.object_keys + 1)
        )
        changes = min(_MOST_KEPT, _room_for(16, 4 * self.live))
        now = len(self.table) + len(self.subject_index) + len(self.object_index) + len(self.changes.items)
        return self.bytes_a_row * (len(self.rows) - count) + 4 * (now - tables - changes)

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
            if object_ == NONE:
                continue
            if self.by_subject[predicate]:
                subjects.add((predicate, subject))
                other = self.first_with_subject(predicate, subject)
                while other >= 0 and other != row:
                    other = self.rows[other].next_subject
                assert other == row, "a row is missing in its subject's chain"
            if self.by_object[predicate]:
                objects.add((predicate, object_))
                other = self.first_with_object(predicate, object_)
                while other >= 0 and other != row:
                    other = self.rows[other].next_object
                assert other == row, "a row is missing in its object's chain"
        assert seen == self.live, "the number of live rows is wrong"
        assert len(subjects) == self.subject_keys and len(objects) == self.object_keys, (
            "a chain's key count is wrong"
        )
        assert sum(1 for cell in range(0, len(self.table), 2) if self.table[cell] >= 0) == seen, (
            "the table holds strays"
        )

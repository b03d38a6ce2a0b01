"""Hash tables of rows (open addressing). A cell holds a row and its *tag*, 31 bits of the hash of the row's
key.

Comparing tags avoids reading most rows that have another key. Since a tag also gives the cell where a probe
starts, the table can grow, and close the gap of a removed row, without the keys. The callers compare keys:
they probe `cells`, in which rows and tags alternate, from cell `tag & mask` on until a row is -1.

`Multimap` maps keys of three integers to values; it is built once.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import aligned, ints_of, new_ints


@cython.cclass
class Cells:
    """Table of row numbers, at most two thirds full; `keys` is the number of rows in it.

    Args:
        size: initial number of cells, a power of two.
    """

    def __init__(self, size):
        self.cells = new_cells(size)
        self.mask = size - 1
        self.keys = 0

    @property
    def size(self):
        """Number of cells."""
        return self.mask + 1

    def is_full(self):
        """True if one more key does not fit."""
        return 3 * (self.keys + 1) > 2 * (self.mask + 1)

    def put(self, row, tag):
        """Insert a row that is not in the table. The caller has made room."""
        cell: cython.int = tag & self.mask
        while self.cells[2 * cell] >= 0:
            cell = (cell + 1) & self.mask
        self.put_at(cell, row, tag)

    def put_at(self, cell, row, tag):
        """Insert a row into the empty cell that a probe for its key ended at."""
        self.cells[2 * cell] = row
        self.cells[2 * cell + 1] = tag
        self.keys += 1

    def remove(self, row, tag):
        """Remove a row that is in the table."""
        cell: cython.int = tag & self.mask
        while self.cells[2 * cell] != row:
            cell = (cell + 1) & self.mask
        self.remove_at(cell)

    def remove_at(self, cell):
        """Empty a cell, and move later cells of the probe sequence into the gap."""
        probe: cython.int = cell
        home: cython.int
        while True:
            probe = (probe + 1) & self.mask
            if self.cells[2 * probe] < 0:
                break
            home = self.cells[2 * probe + 1] & self.mask
            if ((probe - home) & self.mask) >= ((probe - cell) & self.mask):
                self.cells[2 * cell] = self.cells[2 * probe]
                self.cells[2 * cell + 1] = self.cells[2 * probe + 1]
                cell = probe
        self.cells[2 * cell] = -1
        self.keys -= 1

    def clear(self):
        """Remove all rows."""
        cell: cython.int
        for cell in range(self.mask + 1):
            self.cells[2 * cell] = -1
        self.keys = 0

    def grow_to(self, size):
        """Enlarge the table to at least `size` cells, a power of two. Reinserts all rows if the table
        grows.
        """
        cell: cython.int
        if size <= self.mask + 1:
            return
        old: cython.int[::1] = self.cells
        self.cells = new_cells(size)
        self.mask = size - 1
        self.keys = 0
        for cell in range(len(old) >> 1):
            if old[2 * cell] >= 0:
                self.put(old[2 * cell], old[2 * cell + 1])

    def count(self):
        """Count the rows."""
        return sum(1 for cell in range(self.mask + 1) if self.cells[2 * cell] >= 0)

    def size_for(self, more):
        """Return the number of cells needed for `more` further keys, at least the present number."""
        return room_for(self.mask + 1, self.keys + more)


def new_cells(size):
    """Return empty cells, aligned so that eight cells share a line of the processor's cache."""
    cells = aligned(np.int32, 2 * size)
    cells.fill(-1)
    return cells if cython.compiled else memoryview(cells)


def room_for(size, keys):
    """Return the smallest number of cells for `keys` keys, at most two thirds full: `size` doubled until it
    suffices.
    """
    while 3 * keys > 2 * size:
        size *= 2
    return size


# odd multipliers as in rows.py
_MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_MIX_AGAIN = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)


def tag_of(first, second, third):
    """Return the tag of a key."""
    key: cython.ulonglong = cython.cast(cython.ulonglong, first)
    key = (key * _MIX) ^ cython.cast(cython.ulonglong, second)
    key = (key * _MIX) ^ cython.cast(cython.ulonglong, third)
    key = key * _MIX_AGAIN
    if not cython.compiled:
        key &= 0xFFFFFFFFFFFFFFFF
    return cython.cast(cython.int, (key >> 32) & 0x7FFFFFFF)


@cython.cclass
class Multimap:
    """Multimap from keys of three integers to integers.

    Args:
        entries: int32 rows `key (3), value`. Entries with equal keys are linked, in this order.
    """

    def __init__(self, entries):
        count: cython.int = len(entries)
        entry: cython.int
        cell: cython.int
        first: cython.int
        second: cython.int
        third: cython.int
        self.entries = ints_of(entries.ravel())
        self.next_entry = new_ints(count, NONE)
        self.cells = Cells(room_for(8, count))
        for entry in range(count - 1, -1, -1):
            first = self.entries[4 * entry]
            second = self.entries[4 * entry + 1]
            third = self.entries[4 * entry + 2]
            cell = self.cell_of(first, second, third)
            self.next_entry[entry] = self.cells.cells[2 * cell]
            if self.next_entry[entry] < 0:
                self.cells.put_at(cell, entry, tag_of(first, second, third))
            else:
                self.cells.cells[2 * cell] = entry

    def find(self, first, second, third):
        """Return the index of the key's first entry, or -1. `next_entry` links the further entries of the
        key.
        """
        return self.cells.cells[2 * self.cell_of(first, second, third)]

    def value_of(self, first, second, third):
        """Return the value of the key's first entry, or -1 if the key is missing."""
        entry: cython.int = self.find(first, second, third)
        return entry if entry < 0 else self.entries[4 * entry + 3]

    def cell_of(self, first, second, third):
        """Return the cell of the key's first entry, or the empty cell for it."""
        tag: cython.int = tag_of(first, second, third)
        cell: cython.int = tag & self.cells.mask
        entry: cython.int
        while True:
            entry = self.cells.cells[2 * cell]
            if entry < 0 or (
                self.cells.cells[2 * cell + 1] == tag
                and self.entries[4 * entry] == first
                and self.entries[4 * entry + 1] == second
                and self.entries[4 * entry + 2] == third
            ):
                return cell
            cell = (cell + 1) & self.cells.mask

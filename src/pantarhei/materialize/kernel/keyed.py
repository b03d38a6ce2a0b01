"""Values by keys of three integers, made once and looked up often."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import ints_of, new_ints
from pantarhei.materialize.kernel.cells import Cells, room_for

# As in rows.py: odd multipliers.
_MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_MIX_AGAIN = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)


def tag_of(first, second, third):
    """31 bits of the hash of a key."""
    key: cython.ulonglong = cython.cast(cython.ulonglong, first)
    key = (key * _MIX) ^ cython.cast(cython.ulonglong, second)
    key = (key * _MIX) ^ cython.cast(cython.ulonglong, third)
    key = key * _MIX_AGAIN
    if not cython.compiled:
        key &= 0xFFFFFFFFFFFFFFFF
    return cython.cast(cython.int, (key >> 32) & 0x7FFFFFFF)


@cython.cclass
class Keyed:
    """The values of each key; what stands for one is its *entry*, the first of those with the same key.

    Args:
        entries: int32 rows `key (3), value`.
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
        """The first entry of the key, or -1; go on through `next_entry`."""
        return self.cells.cells[2 * self.cell_of(first, second, third)]

    def value_of(self, first, second, third):
        """The value of the key's first entry, -1 where there is none."""
        entry: cython.int = self.find(first, second, third)
        return entry if entry < 0 else self.entries[4 * entry + 3]

    def cell_of(self, first, second, third):
        """The cell of the key's first entry, or the empty one where it would stand."""
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

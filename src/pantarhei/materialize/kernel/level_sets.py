"""Sets of levels as bit sets: the levels that hold, assert or lose a row (`keep="every"`).

Bit `i` stands for level `oldest + i`.

Let the body atoms of a rule instance hold at the level sets T_1 … T_k. The instance attaches its head to the
oldest level of each *minimal* set S that meets every T_i. A minimal set with oldest member t exists if and
only if, for some i, t is in T_i and each T_j without t has a member newer than t outside T_i. If so, t and
those members meet every T_j, and only t meets T_i, so every minimal subset contains t. Conversely, a minimal
set contains t because it meets some T_i in t alone. Hence

    attached = ⋃_i ( T_i ∩ ⋂_{j≠i} ( T_j ∪ { t : t < max(T_j − T_i) } ) )

which takes k² passes over the bits.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.store import Store

from pantarhei.materialize.kernel.rows import ROW

_ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
_ONE = cython.declare(cython.ulonglong, 1)


def new_bits(*shape):
    """Return zeroed 64-bit words; in an uncompiled kernel a memoryview, whose items are Python ints."""
    array = np.zeros(shape, np.uint64)
    return array if cython.compiled else memoryview(array)


@cython.cclass
class LevelSets:
    """Three sets of levels for each row of a store: `held`, `asserted` and `lost`.

    The background's interpretation is not a bit: a row of level FOREVER belongs to it, and constrains no set
    of levels. `attached` is one more set, for results; `others` is scratch space.
    """

    def __init__(self, store: Store):
        self.store = store
        self.oldest = 0
        self.words = 1
        self.held = new_bits(len(store.rows), 1)
        self.asserted = new_bits(len(store.rows), 1)
        self.lost = new_bits(len(store.rows), 1)
        self.attached = new_bits(1)
        self.others = new_bits(1)
        store.bytes_per_row = ROW.itemsize + 3 * 8

    def row_for(self, predicate, subject, object):
        """Return the row of a fact. A fact that is not stored gets a new row with empty sets."""
        word: cython.int
        row: cython.int = self.store.find(predicate, subject, object)
        if row >= 0:
            return row
        row = self.store.insert(predicate, subject, object, 0)
        if self.held.shape[0] < len(self.store.rows):
            self.grow()
        for word in range(self.words):
            self.held[row, word] = 0
            self.asserted[row, word] = 0
            self.lost[row, word] = 0
        return row

    def grow(self):
        """Allocate sets for all rows of the store."""
        self.resize(self.words)
        return 0

    def resize(self, words):
        """Reallocate the sets of all rows with `words` 64-bit words each."""
        self.held = self.resized(self.held, words)
        self.asserted = self.resized(self.asserted, words)
        self.lost = self.resized(self.lost, words)
        self.attached = new_bits(words)
        self.others = new_bits(words)
        self.words = words
        self.store.bytes_per_row = ROW.itemsize + 3 * 8 * words

    def resized(self, bits, words):
        """Return a copy of the sets with `words` words for each row of the store."""
        larger = np.zeros((len(self.store.rows), words), np.uint64)
        old = np.asarray(bits)
        larger[: old.shape[0], : old.shape[1]] = old
        return larger if cython.compiled else memoryview(larger)

    def reserve_levels(self, count: cython.int):
        """Make room for a window of `count` levels."""
        words = self.words
        while 64 * words < count:
            words *= 2
        if words > self.words:
            self.resize(words)

    def slide(self, oldest: cython.int):
        """Make `oldest` the level of bit 0. Costs a pass over all rows."""
        for bits in (np.asarray(self.held), np.asarray(self.asserted)):
            _shift_down(bits, oldest - self.oldest)
        self.oldest = oldest

    def holds(self, row, bit):
        """True if the level with this bit holds the row."""
        return (self.held[row, bit >> 6] >> (bit & 63)) & 1

    def asserts(self, row, bit):
        """True if the level with this bit asserts the row."""
        return (self.asserted[row, bit >> 6] >> (bit & 63)) & 1

    def assert_at(self, row, bit):
        """Add the level with this bit to the sets `asserted` and `held` of the row."""
        self.asserted[row, bit >> 6] |= _ONE << (bit & 63)
        self.held[row, bit >> 6] |= _ONE << (bit & 63)

    def retract_at(self, row, bit):
        """Move the level with this bit from the set `asserted` of the row to its set `lost`."""
        self.lost[row, bit >> 6] |= _ONE << (bit & 63)
        self.asserted[row, bit >> 6] &= _ALL ^ (_ONE << (bit & 63))

    def retract_all(self, row):
        """Move all levels from the set `asserted` of the row to its set `lost`."""
        word: cython.int
        for word in range(self.words):
            self.lost[row, word] |= self.asserted[row, word]
            self.asserted[row, word] = 0

    def remove_lost(self, row):
        """Remove the levels of `lost` from `held`, except asserted ones, and empty `lost`."""
        word: cython.int
        for word in range(self.words):
            self.held[row, word] &= _ALL ^ self.lost[row, word]
            self.held[row, word] |= self.asserted[row, word]
            self.lost[row, word] = 0

    def set_attached(self, bit):
        """Set `attached` to the level with this bit only."""
        word: cython.int
        for word in range(self.words):
            self.attached[word] = 0
        self.attached[bit >> 6] = _ONE << (bit & 63)

    def add_attached(self, row):
        """Add the levels of `attached` to the set `held` of `row`; returns true if one of them is new."""
        word: cython.int
        new: cython.ulonglong = 0
        for word in range(self.words):
            new |= self.attached[word] & (_ALL ^ self.held[row, word])
            self.held[row, word] |= self.attached[word]
        return new != 0

    def refresh(self, row):
        """Set the fields `level` and `assertion_level` of the row to the newest levels of `held` and of
        `asserted`.
        """
        newest: cython.int
        if self.store.rows[row].level != FOREVER:
            newest = self.highest(self.held, row)
            self.store.rows[row].level = -1 if newest < 0 else self.oldest + newest
        if self.store.rows[row].assertion_level != FOREVER:
            newest = self.highest(self.asserted, row)
            self.store.rows[row].assertion_level = -1 if newest < 0 else self.oldest + newest

    def highest(self, sets, row):
        """Return the highest bit of the row's set, -1 if it is empty."""
        word: cython.int = self.words - 1
        bit: cython.int
        while word >= 0:
            if sets[row, word]:
                bit = 63
                while not (sets[row, word] >> bit) & 1:
                    bit -= 1
                return 64 * word + bit
            word -= 1
        return -1

    def highest_difference(self, row, other):
        """Return the bit of the newest level that holds `row` but not `other`, -1 if there is none."""
        word: cython.int = self.words - 1
        bit: cython.int
        difference: cython.ulonglong
        while word >= 0:
            difference = self.held[row, word] & (_ALL ^ self.held[other, word])
            if difference:
                bit = 63
                while not (difference >> bit) & 1:
                    bit -= 1
                return 64 * word + bit
            word -= 1
        return -1

    def find_attached(self, body, atoms):
        """Set `attached` to the levels to which the rule instance with the rows of `body` attaches its
        head.
        """
        i: cython.int
        j: cython.int
        word: cython.int
        top: cython.int
        row: cython.int
        other: cython.int
        below: cython.ulonglong
        for word in range(self.words):
            self.attached[word] = 0
        for i in range(atoms):
            row = body[i]
            if self.store.rows[row].level == FOREVER:
                continue
            for word in range(self.words):
                self.others[word] = self.held[row, word]
            for j in range(atoms):
                other = body[j]
                if j == i or self.store.rows[other].level == FOREVER:
                    continue
                top = self.highest_difference(other, row)
                for word in range(self.words):
                    if top >= 64 * (word + 1):
                        below = _ALL
                    elif top <= 64 * word:
                        below = 0
                    else:
                        below = (_ONE << (top - 64 * word)) - 1
                    self.others[word] &= self.held[other, word] | below
            for word in range(self.words):
                self.attached[word] |= self.others[word]

    def overdelete_head(self, row, body, atoms, cause):
        """Overdelete levels of a head whose matched body contains `cause`, a row with lost levels.

        A level of the head is added to its set `lost` if the body may derive it from a lost level of `cause`,
        combined with any levels of the other body rows, not only with minimal ones. Returns 0 if `row` holds
        at no such level; otherwise 1, plus 2 if some of the levels were not in `lost` before.
        """
        atom: cython.int
        word: cython.int
        top: cython.int = self.highest(self.lost, cause)
        other: cython.int
        found: cython.int = 0
        bits: cython.ulonglong
        for word in range(self.words):
            self.others[word] = self.lost[cause, word]
        for atom in range(atoms):
            other = body[atom]
            if other == cause or self.store.rows[other].level == FOREVER:
                continue
            top = min(top, self.highest(self.held, other))
            for word in range(self.words):
                self.others[word] |= self.held[other, word]
        for word in range(self.words):
            if top < 64 * word:
                bits = 0
            elif top >= 64 * word + 63:
                bits = _ALL
            else:
                bits = (_ONE << (top - 64 * word + 1)) - 1
            bits &= self.others[word] & self.held[row, word]
            if bits:
                found |= 1
            bits &= _ALL ^ (self.asserted[row, word] | self.lost[row, word])
            self.lost[row, word] |= bits
            if bits:
                found |= 2
        return found


def _shift_down(bits, shift):
    """Drop the lowest `shift` bits of each row of words."""
    whole, rest = divmod(shift, 64)
    words = bits.shape[1]
    if whole >= words:
        bits[:] = 0
        return
    bits[:, : words - whole] = bits[:, whole:].copy()
    bits[:, words - whole :] = 0
    if rest:
        carried = np.zeros_like(bits)
        carried[:, :-1] = bits[:, 1:] << np.uint64(64 - rest)
        bits[:] = (bits >> np.uint64(rest)) | carried

"""The canonical window model of PB26 Def. 8 in full (`keep="every"`): each fact in every interpretation that
holds it.

A row has a set of levels, `held`, as bits: bit `i` is the level `oldest + i`. `asserted` has the levels that
assert it. The background's interpretation is apart: a row with level FOREVER belongs to it and meets any body
by itself; in other interpretations it stands only where it is asserted. For other rows `level` and `base` are
the newest level held and asserted.

A rule instance whose body atoms hold at the level sets T_1 … T_k attaches its head to the oldest level of
each *minimal* set S that meets every T_i. Such a minimal set with oldest member t exists exactly if for some
i, t is in T_i and each T_j without t has a member newer than t outside T_i: then t and those members meet
every T_j, only t meets T_i, and so every minimal subset keeps t. (Conversely t is kept in a minimal set
because some T_i meets it in t alone.) So

    attached = ⋃_i ( T_i ∩ ⋂_{j≠i} ( T_j ∪ { t : t < max(T_j − T_i) } ) )

which takes k² passes over the bits. Bodies are matched whole.

An arriving ABox is first closed by itself (with the background), then joined with the window. Retraction
overdeletes a head at every level that some combination with the lost level may have attached it to, not only
the minimal ones, then runs the fixpoint again for all heads that were touched: a set that was superfluous may
be minimal now.

This form is for looking at the model, not for speed: each slide costs a pass over all rows.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.proofs import Proofs

from pantarhei.materialize.kernel.rows import ROW

_ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
_ONE = cython.declare(cython.ulonglong, 1)


def new_bits(*shape):
    """Zeroed 64-bit words; uncompiled a memoryview, whose elements are Python ints."""
    array = np.zeros(shape, np.uint64)
    return array if cython.compiled else memoryview(array)


@cython.cclass
class EveryKernel(Proofs):
    """The window model of one program, each fact in all its interpretations."""

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity)
        self.words = 1
        self.store.bytes_a_row = ROW.itemsize + 3 * 8
        self.held = new_bits(len(self.store.rows), 1)
        self.asserted = new_bits(len(self.store.rows), 1)
        self.lost = new_bits(len(self.store.rows), 1)
        self.attached = new_bits(1)
        self.others = new_bits(1)
        self.inner = -1
        self.queue = Ints()
        self.touched = Ints()

    # -- sets of levels ----------------------------------------------------------------------------

    def ensure(self):
        """Give every row its words."""
        if self.held.shape[0] < len(self.store.rows):
            self.grow_sets()
        return 0

    def grow_sets(self):
        self.resize(self.words)
        return 0

    def resize(self, words):
        """Reallocate the sets for all rows, `words` words each."""
        for name in ("held", "asserted", "lost"):
            larger = np.zeros((len(self.store.rows), words), np.uint64)
            old = np.asarray(
                self.held if name == "held" else self.asserted if name == "asserted" else self.lost
            )
            larger[: old.shape[0], : old.shape[1]] = old
            view = larger if cython.compiled else memoryview(larger)
            if name == "held":
                self.held = view
            elif name == "asserted":
                self.asserted = view
            else:
                self.lost = view
        self.attached = new_bits(words)
        self.others = new_bits(words)
        self.words = words
        self.store.bytes_a_row = ROW.itemsize + 3 * 8 * words

    @property
    def room(self):
        """How many levels there is room for."""
        return 64 * self.words

    def widen(self, count: cython.int):
        """Make room for `count` levels in the window at once."""
        words = self.words
        while 64 * words < count:
            words *= 2
        if words > self.words:
            self.resize(words)

    def row_for(self, predicate, subject, object):
        """The fact's row, a new one with empty sets if it has none."""
        word: cython.int
        row: cython.int = self.store.find(predicate, subject, object)
        if row >= 0:
            return row
        row = self.store.insert(predicate, subject, object, 0)
        self.ensure()
        for word in range(self.words):
            self.held[row, word] = 0
            self.asserted[row, word] = 0
            self.lost[row, word] = 0
        return row

    def highest(self, sets, row):
        """The newest level in the row's set, as a bit number; -1 if it is empty."""
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
        """The newest level that holds `row` and not `other`, as a bit number; -1 if there is none."""
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

    def minimal_oldest(self, atoms):
        """Fill `attached` with the oldest levels of the minimal sets that hold the matched body."""
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
            row = self.body[i]
            if self.store.rows[row].level == FOREVER:
                continue
            for word in range(self.words):
                self.others[word] = self.held[row, word]
            for j in range(atoms):
                other = self.body[j]
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

    # -- what a match means ------------------------------------------------------------------------

    def weigh(self, row, level):
        bit: cython.int
        if self.purpose == MATCH:
            return self.seen_level(row)
        if self.store.rows[row].level == FOREVER:
            return FOREVER
        if self.inner >= 0:
            bit = self.inner - self.oldest
            return 0 if (self.held[row, bit >> 6] >> (bit & 63)) & 1 else HIDDEN
        return 0 if self.store.rows[row].level >= 0 else HIDDEN

    def leaf(self, plan, level):
        if self.purpose == DERIVE:
            return self.derive_head(plan)
        if self.purpose == LOSE:
            return self.lose_head(plan)
        if self.purpose == REDERIVE:
            return self.attach_again(plan)
        return self.record_match(plan) if self.purpose == MATCH else self.record_instance(plan)

    def attach_again(self, plan):
        """Attach `explained`, the head of a matched body, to the levels that the body gives it."""
        self.minimal_oldest(self.atoms_of(plan))
        return self.attach(self.explained)

    def derive_head(self, plan):
        """Attach the head of a matched body; the match of a constraint is a violation."""
        self.firings += 1
        if self.code[plan + HEAD] < 0:
            return self.record_violation(plan) if self.detect and self.inner < 0 else 0
        return self.attach_head(plan)

    def attach_head(self, plan):
        """Attach the head of a matched body to the levels that the body gives it."""
        atom: cython.int
        atoms: cython.int = self.atoms_of(plan)
        subject: cython.int = self.value(self.code[plan + HEAD_SUBJECT])
        row: cython.int
        if subject >= FIRST_LITERAL:
            return 0
        row = self.row_for(self.code[plan + HEAD], subject, self.value(self.code[plan + HEAD_OBJECT]))
        for atom in range(atoms):
            if self.store.rows[self.body[atom]].level != FOREVER:
                break
        else:
            if self.store.rows[row].level != FOREVER:
                self.store.rows[row].level = FOREVER
                self.enqueue(row)
            return 0
        if self.inner >= 0:
            for atom in range(self.words):
                self.attached[atom] = 0
            self.attached[(self.inner - self.oldest) >> 6] = _ONE << ((self.inner - self.oldest) & 63)
        else:
            self.minimal_oldest(atoms)
        return self.attach(row)

    def attach(self, row):
        """Add the levels in `attached` to those that hold `row`, and queue it if any is new."""
        word: cython.int
        new: cython.ulonglong = 0
        if self.store.rows[row].level == FOREVER:
            return 0
        for word in range(self.words):
            new |= self.attached[word] & (_ALL ^ self.held[row, word])
            self.held[row, word] |= self.attached[word]
        if new == 0:
            return 0
        self.refresh(row)
        self.enqueue(row)
        return 0

    def refresh(self, row):
        """Bring `level` and `base` in line with the sets."""
        newest: cython.int
        if self.store.rows[row].level != FOREVER:
            newest = self.highest(self.held, row)
            self.store.rows[row].level = -1 if newest < 0 else self.oldest + newest
        if self.store.rows[row].base != FOREVER:
            newest = self.highest(self.asserted, row)
            self.store.rows[row].base = -1 if newest < 0 else self.oldest + newest

    def enqueue(self, row):
        if not self.store.rows[row].flags & PENDING:
            self.store.rows[row].flags |= PENDING
            self.queue.push(row)
        return 0

    def run(self):
        """Fire what is queued, to the fixpoint."""
        row: cython.int
        self.purpose = DERIVE
        while self.queue.size > 0:
            self.queue.size -= 1
            row = self.queue.items[self.queue.size]
            self.store.rows[row].flags &= ~PENDING
            self.pops += 1
            self.fire(row, 0)
        return 0

    # -- adding and sliding ------------------------------------------------------------------------

    def add(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Assert `facts[i]` at `levels[i]`. An ABox of the newest level is closed by itself first.

        `previous[i]` becomes -2 where the fact was asserted at that level already, else -1.
        """
        i: cython.Py_ssize_t
        row: cython.int
        bit: cython.int
        arriving: cython.bint = len(facts) > 0 and levels[0] == self.newest and levels[0] != FOREVER
        rows: Ints = Ints()
        with cython.nogil:
            for i in range(len(facts)):
                row = self.row_for(facts[i, 0], facts[i, 1], facts[i, 2])
                rows.push(row)
                previous[i] = -1
                if levels[i] == FOREVER:
                    self.store.rows[row].base = FOREVER
                    if self.store.rows[row].level != FOREVER:
                        self.store.rows[row].level = FOREVER
                        self.enqueue(row)
                    continue
                bit = levels[i] - self.oldest
                if (self.asserted[row, bit >> 6] >> (bit & 63)) & 1:
                    previous[i] = -2
                self.asserted[row, bit >> 6] |= _ONE << (bit & 63)
                if not (self.held[row, bit >> 6] >> (bit & 63)) & 1:
                    self.held[row, bit >> 6] |= _ONE << (bit & 63)
                    if self.store.rows[row].level != FOREVER:
                        self.enqueue(row)
                self.refresh(row)
        if arriving:
            self.close_alone()
        with cython.nogil:
            self.run()

    def close_alone(self):
        """The closure of the newest ABox with the background alone; leaves it all queued."""
        closed: Ints = Ints()
        i: cython.int
        row: cython.int
        with cython.nogil:
            self.purpose = DERIVE
            self.inner = self.newest
            while self.queue.size > 0:
                self.queue.size -= 1
                row = self.queue.items[self.queue.size]
                self.store.rows[row].flags &= ~PENDING
                closed.push(row)
                self.fire(row, 0)
            self.inner = -1
            for i in range(closed.size):
                self.enqueue(closed.items[i])

    def slide(self, oldest: cython.int):
        """The window now starts at level `oldest`. Fires no rule; costs a pass over the rows."""
        shift: cython.int = oldest - self.oldest
        row: cython.int
        if shift <= 0:
            return
        for bits in (np.asarray(self.held), np.asarray(self.asserted)):
            _shift_down(bits, shift)
        self.oldest = oldest
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0:
                self.refresh(row)
                if self.store.rows[row].level < 0:
                    self.store.remove(row)

    def settle(self):
        """Nothing is ever pending here."""

    def renumber(self, less: cython.int):
        """Lower all levels by `less`."""
        row: cython.int
        self.oldest -= less
        self.newest -= less
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0:
                self.refresh(row)

    def interpretation(self, level: cython.int):
        """The rows that `level` holds, an int32 array; none outside the window. Costs a pass over all."""
        found: Ints = Ints()
        row: cython.int
        bit: cython.int = level - self.oldest
        if level != FOREVER and not 0 <= bit < 64 * self.words:
            return found.array()
        for row in range(self.store.used):
            if self.store.rows[row].predicate < 0:
                continue
            if level == FOREVER:
                if self.store.rows[row].level == FOREVER:
                    found.push(row)
            elif (self.held[row, bit >> 6] >> (bit & 63)) & 1:
                found.push(row)
        return found.array()

    def bytes_used(self) -> int:
        """Bytes held by rows, hash tables and sets of levels."""
        return self.store.bytes_used() + 3 * 8 * self.words * self.held.shape[0]

    # -- retraction --------------------------------------------------------------------------------

    def cut(self, facts: cython.int[:, ::1]):
        """Take out `facts`, each with all its occurrences. Costs what is affected."""
        i: cython.Py_ssize_t
        word: cython.int
        row: cython.int
        for i in range(len(facts)):
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row < 0:
                continue
            for word in range(self.words):
                self.lost[row, word] |= self.asserted[row, word]
                self.asserted[row, word] = 0
            self.touch(row)
        self.retract()

    def withdraw(self, facts: cython.int[:, ::1], previous: cython.int[::1], level: cython.int):
        """Undo `add(facts, [level …], previous)`. Costs what is affected."""
        i: cython.Py_ssize_t
        row: cython.int
        bit: cython.int = level - self.oldest
        for i in range(len(facts)):
            row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
            if row < 0 or not (self.asserted[row, bit >> 6] >> (bit & 63)) & 1:
                continue
            self.lost[row, bit >> 6] |= _ONE << (bit & 63)
            self.asserted[row, bit >> 6] &= _ALL ^ (_ONE << (bit & 63))
            self.touch(row)
        self.retract()

    def touch(self, row):
        """Note that `row` may have lost levels or gained minimal sets."""
        if not self.store.rows[row].flags & TOUCHED:
            self.store.rows[row].flags |= TOUCHED
            self.touched.push(row)
        self.enqueue(row)
        return 0

    def retract(self):
        """Lose what rested on the lost levels of the queued rows, then rederive all that was touched."""
        i: cython.int
        word: cython.int
        row: cython.int
        detect: cython.bint = self.detect
        with cython.nogil:
            self.detect = False
            self.purpose = LOSE
            while self.queue.size > 0:
                self.queue.size -= 1
                row = self.queue.items[self.queue.size]
                self.store.rows[row].flags &= ~PENDING
                if self.store.rows[row].level != FOREVER:
                    self.explained = row
                    self.fire(row, 0)
            for i in range(self.touched.size):
                row = self.touched.items[i]
                for word in range(self.words):
                    self.held[row, word] &= _ALL ^ self.lost[row, word]
                    self.held[row, word] |= self.asserted[row, word]
                    self.lost[row, word] = 0
                self.store.rows[row].flags &= ~TOUCHED
                self.refresh(row)
            for i in range(self.touched.size):
                row = self.touched.items[i]
                self.purpose = REDERIVE
                self.explained = row
                if self.store.rows[row].level != FOREVER:
                    self.explain(row)
            self.run()
            for i in range(self.touched.size):
                row = self.touched.items[i]
                if self.store.rows[row].level < 0:
                    self.store.remove(row)
            self.touched.size = 0
            self.detect = detect

    def lose_head(self, plan):
        """The head of a matched body loses what a lost level of `explained` may have given it."""
        atom: cython.int
        word: cython.int
        top: cython.int = self.highest(self.lost, self.explained)
        other: cython.int
        row: cython.int
        bits: cython.ulonglong
        news: cython.ulonglong = 0
        if self.code[plan + HEAD] < 0:
            return 0
        row = self.store.find(
            self.code[plan + HEAD],
            self.value(self.code[plan + HEAD_SUBJECT]),
            self.value(self.code[plan + HEAD_OBJECT]),
        )
        if row < 0 or self.store.rows[row].level == FOREVER:
            return 0
        for word in range(self.words):
            self.others[word] = self.lost[self.explained, word]
        for atom in range(self.atoms_of(plan)):
            other = self.body[atom]
            if other == self.explained or self.store.rows[other].level == FOREVER:
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
            if bits and not self.store.rows[row].flags & TOUCHED:
                self.store.rows[row].flags |= TOUCHED
                self.touched.push(row)
            bits &= _ALL ^ (self.asserted[row, word] | self.lost[row, word])
            self.lost[row, word] |= bits
            news |= bits
        return self.enqueue(row) if news else 0


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

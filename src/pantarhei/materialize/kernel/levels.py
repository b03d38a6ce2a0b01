"""Lists of rows by level: the partitions of the window, and the queue of facts to process.

Each level has two doubly linked lists of rows. Its *partition* has the settled rows, its *queue* the PENDING
ones. A max-heap, the agenda, has the levels with a nonempty queue.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.store import Store

from pantarhei.materialize.kernel.arrays import new_bytes, new_ints


@cython.cclass
class Levels:
    """Partitions and queues by level.

    Args:
        store: the rows.
        known: number of predicates in the program.

    `oldest` and `newest` are the levels at the ends of the window. Partitions exist from level `kept` on;
    those below `oldest` have expired but are not dropped yet, and their rows match no rule. `streamed` flags
    the predicates with facts outside the background, for joins across interpretations; `streamed_more` is set
    when another predicate is flagged. If the store records levels, `unsettled` has the rows whose level is
    below their renewal level (newest.py). `inert` flags the predicates whose facts settle without being
    queued (`NewestKernel.settle_inert_at_once`). `next_sequence` is the sequence number of the next row that
    settles.
    """

    def __init__(self, store: Store, known: cython.int):
        self.store = store
        self.known = known
        self.oldest = 0
        self.kept = 0
        self.newest = 0
        self.streamed = new_bytes(known)
        self.streamed_more = False
        self.partitions = new_ints(9, -1)
        self.queues = new_ints(9, -1)
        self.queue_ends = new_ints(9, -1)
        self.agenda = new_ints(16, 0)
        self.agenda_size = 0
        self.unsettled = Ints()
        self.inert = new_bytes(0)
        self.next_sequence = 0

    def bucket(self, level):
        """Return the index of a level in `partitions`, `queues` and `queue_ends`. The low bits of a level
        distinguish the levels of a window.
        """
        last: cython.int = len(self.partitions) - 1
        return last if level == FOREVER else level & (last - 1)

    def link(self, row):
        """Insert `row` into a list of its level: a PENDING row at the end of the queue, a settled row at the
        start of the partition.
        """
        at: cython.int = self.bucket(self.store.rows[row].level)
        other: cython.int
        self.store.rows[row].next_listed = -1
        self.store.rows[row].previous_listed = -1
        if self.store.rows[row].flags & PENDING:
            other = self.queue_ends[at]
            self.queue_ends[at] = row
            self.store.rows[row].previous_listed = other
            if other >= 0:
                self.store.rows[other].next_listed = row
            else:
                self.queues[at] = row
        else:
            other = self.partitions[at]
            self.partitions[at] = row
            self.store.rows[row].next_listed = other
            if other >= 0:
                self.store.rows[other].previous_listed = row

    def unlink(self, row):
        """Remove `row` from the list of its level. A row of level -1 is in no list."""
        after: cython.int = self.store.rows[row].next_listed
        before: cython.int = self.store.rows[row].previous_listed
        at: cython.int
        if self.store.rows[row].level < 0:
            return
        at = self.bucket(self.store.rows[row].level)
        if before >= 0:
            self.store.rows[before].next_listed = after
        elif self.store.rows[row].flags & PENDING:
            self.queues[at] = after
        else:
            self.partitions[at] = after
        if after >= 0:
            self.store.rows[after].previous_listed = before
        elif self.store.rows[row].flags & PENDING:
            self.queue_ends[at] = before

    def enqueue(self, row, level):
        """Raise `row` to `level` and queue it there. A row of an inert predicate settles at once instead."""
        predicate: cython.int = self.store.rows[row].predicate
        self.raise_to(row, level)
        if predicate < len(self.inert) and self.inert[predicate]:
            self.settle(row)
            return 0
        self.store.rows[row].flags |= PENDING
        if self.queues[self.bucket(level)] < 0:
            self.agenda_push(level)
        self.link(row)
        return 0

    def settle(self, row):
        """Insert `row`, which is in no list, into the partition of its level, with the next sequence
        number.
        """
        self.store.rows[row].flags &= ~(PENDING | CLOSED)
        self.link(row)
        self.store.rows[row].sequence = self.next_sequence
        self.next_sequence += 1

    def raise_to(self, row, level):
        """Remove `row` from its list and set its level; a merged level up to the new level is cleared."""
        self.mark_streamed(self.store.rows[row].predicate, level)
        self.unlink(row)
        if self.store.records_levels:
            self.store.record_level(row)
        self.store.rows[row].level = level
        if self.store.rows[row].merged_level <= level:
            self.store.rows[row].merged_level = -1
        self.store.rows[row].flags &= ~UNPROVEN
        return 0

    def renewal_level(self, row):
        """Return the level to which the row can be renewed: the largest of its level, assertion level and
        merged level.
        """
        renewal_level: cython.int = self.store.rows[row].level
        if self.store.rows[row].assertion_level > renewal_level:
            renewal_level = self.store.rows[row].assertion_level
        if self.store.rows[row].merged_level > renewal_level:
            renewal_level = self.store.rows[row].merged_level
        return renewal_level

    def renew(self, row):
        """Queue `row` at its renewal level. It becomes UNPROVEN if that is a merged level."""
        self.enqueue(row, self.renewal_level(row))
        if self.store.rows[row].assertion_level < self.store.rows[row].level:
            self.store.rows[row].flags |= UNPROVEN
        return 0

    def record_unsettled(self, row):
        """Add `row` to `unsettled` if its renewal level is above its level."""
        if self.renewal_level(row) > self.store.rows[row].level:
            self.unsettled.push(row)
        return 0

    def mark_streamed(self, predicate, level):
        """Flag `predicate` in `streamed` if `level` is not the background's."""
        if predicate < self.known and not self.streamed[predicate] and level != FOREVER:
            self.streamed[predicate] = 1
            self.streamed_more = True

    def agenda_push(self, level):
        """Add a level to the agenda."""
        at: cython.int = self.agenda_size
        parent: cython.int
        if at > 0 and self.agenda[0] == level:
            return 0
        if at == len(self.agenda):
            self.grow_agenda()
        self.agenda_size += 1
        while at > 0:
            parent = (at - 1) >> 1
            if self.agenda[parent] >= level:
                break
            self.agenda[at] = self.agenda[parent]
            at = parent
        self.agenda[at] = level
        return 0

    def grow_agenda(self):
        larger = new_ints(2 * self.agenda_size, 0)
        larger[: self.agenda_size] = self.agenda
        self.agenda = larger
        return 0

    def agenda_pop(self):
        """Remove the newest level from the agenda."""
        at: cython.int = 0
        child: cython.int
        level: cython.int
        self.agenda_size -= 1
        level = self.agenda[self.agenda_size]
        while True:
            child = 2 * at + 1
            if child >= self.agenda_size:
                break
            if child + 1 < self.agenda_size and self.agenda[child + 1] > self.agenda[child]:
                child += 1
            if self.agenda[child] <= level:
                break
            self.agenda[at] = self.agenda[child]
            at = child
        self.agenda[at] = level

    @property
    def level_capacity(self):
        """Number of levels for which there are lists."""
        return len(self.partitions) - 1

    def reserve_levels(self, count: cython.int):
        """Make room for a window of `count` levels. Costs time linear in the rows whenever the capacity
        doubles.
        """
        row: cython.int
        size: cython.int = len(self.partitions) - 1
        if count <= size:
            return
        while size < count:
            size *= 2
        self.partitions = new_ints(size + 1, -1)
        self.queues = new_ints(size + 1, -1)
        self.queue_ends = new_ints(size + 1, -1)
        for row in range(self.store.used):
            if self.store.rows[row].predicate >= 0:
                self.link(row)

    def partition(self, level: cython.int):
        """Return the rows of the partition of `level`, an int32 array."""
        found: Ints = Ints()
        row: cython.int = self.partitions[self.bucket(level)]
        while row >= 0:
            found.push(row)
            row = self.store.rows[row].next_listed
        return found.array()

    def bytes_used(self) -> int:
        """Return the bytes held by the lists."""
        of_levels = len(self.partitions) + len(self.queues) + len(self.queue_ends) + len(self.agenda)
        return 4 * (of_levels + len(self.unsettled.items))

    def check_invariants(self):
        """Assert that each row is in the partition of its level, that no partition below `kept` has rows, and
        that the queues are empty.

        Costs time linear in the rows; for tests.
        """
        level: cython.int
        row: cython.int
        listed: cython.int = 0
        assert self.agenda_size == 0 or all(self.queues[i] < 0 for i in range(len(self.queues)))
        for level in [*range(self.kept, self.newest + 1), FOREVER]:
            row = self.partitions[self.bucket(level)]
            while row >= 0:
                assert self.store.rows[row].level == level, "a row stands in another level's list"
                listed += 1
                row = self.store.rows[row].next_listed
        assert listed == self.store.live, "a row is in no partition"

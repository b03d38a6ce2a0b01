"""Window model with each fact in its newest interpretation (`keep="newest"`).

A row's `level` is the number of the partition that holds its fact: the maximum over the fact's derivations of
the minimum over their bodies (IM10's expiration time; PB26 Def. 8 with only the newest interpretation of each
fact). Levels number the timestamps of the stream upwards; the background has level `FOREVER`.
`assertion_level` is the newest partition that asserts the fact, -1 if none does; a base older than the window
counts as none.

Facts enter a queue and are taken newest level first, so that each settles at its final level when it is first
taken, as in a widest-path search. Facts of one level are taken first in, first out, so that most supports of
a fact have a lower sequence. Taking a fact enumerates the rule instances that join it with facts taken before
(its *firings*).

Renewal is lazy: a stored fact that is asserted again only gets the newer base. Its level, and the levels of
facts derived from it, are then lower bounds until the window's start passes them (`slide`) or `settle` is
called. Presence is always exact. With `record_levels`, the rows to renew are listed, so that settling after
each step costs only the changes.

A finished interpretation (`merge`) brings the consequences of its ABox along: only joins with earlier facts
are computed. Its facts that are stored already record its level: as `assertion_level` if asserted, else as
`merged_level` (above their level, or -1), to which they are renewed in the same way. A row's *reach* is the
largest of level, base and held. For each rule instance the head's reach is at least the smallest level in the
body.

A level that came with an interpretation has no proof in the order of sequences. Such a row is UNPROVEN, and
so is a head derived from one of the same level; it does not count in proofs of facts of that level, otherwise
two facts that follow from one another could support each other.

Retraction is in retraction.py, the flags of a row in constants.py.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import Ints, new_bytes, new_ints
from pantarhei.materialize.kernel.edges import Edges
from pantarhei.materialize.kernel.fixpoint import Fixpoint
from pantarhei.materialize.kernel.levels import Levels
from pantarhei.materialize.kernel.retraction import Retraction
from pantarhei.materialize.kernel.rows import COMPILED
from pantarhei.materialize.kernel.window_kernel import WindowKernel


@cython.cclass
class NewestKernel(WindowKernel):
    """Window model of one program, each fact stored once.

    Work counters, beside those of `WindowKernel`: `renewals` facts queued again when the window's start
    passed them, `rederivations` facts overdeleted, `searches` rows read in the search for other support.
    """

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity, True)
        self.levels = Levels(self.store, len(plans.forward.start) - 1)
        self.edges = Edges(self.matcher, plans)
        self.fixpoint = Fixpoint(self.triggers, self.levels, self.edges, plans.superclasses)
        self.retraction = Retraction(self.fixpoint)
        self.derivation = self.fixpoint
        self.renewals = 0

    @property
    def oldest(self) -> int:
        """Oldest level of the window."""
        return self.levels.oldest

    @property
    def kept(self) -> int:
        """Oldest level with a partition: the window's oldest, or one not yet dropped."""
        return self.levels.kept

    @property
    def newest(self) -> int:
        """Newest level of the window."""
        return self.levels.newest

    @newest.setter
    def newest(self, level: int) -> None:
        self.levels.newest = level

    @property
    def merged(self) -> bool:
        """True once an interpretation was merged."""
        return self.fixpoint.merged

    @property
    def rederivations(self) -> int:
        return self.retraction.rederivations

    @property
    def searches(self) -> int:
        return self.retraction.support.searches

    def settle_inert_at_once(self):
        """Settle facts of predicates in no rule body on arrival, without queueing them.

        For models whose interpretations are never merged (`merge`).
        """
        predicate: cython.int
        inert = new_bytes(self.triggers.known)
        for predicate in range(self.triggers.known):
            inert[predicate] = self.triggers.are_without_plans(predicate)
        self.levels.inert = inert

    # -- adding and sliding ------------------------------------------------------------------------

    def add(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Assert `facts[i]` at `levels[i]`; `previous[i]` receives its former base (-1 if none).

        Every level is FOREVER or between `oldest` and `newest`. Costs the firings of facts that were not
        stored; O(1) for a stored one.
        """
        i: cython.Py_ssize_t
        row: cython.int
        stored: cython.int = self.store.live
        with cython.nogil:
            for i in range(len(facts)):
                if i % PREFETCH_DISTANCE == 0:
                    self.fixpoint.heads.prefetch_block(facts, i, self.store.live > stored)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row >= 0:
                    previous[i] = self.store.rows[row].assertion_level
                    self.edges.schedule_flag(row)
                else:
                    previous[i] = -1
                    row = self.store.insert(
                        facts[i, 0], facts[i, 1], facts[i, 2], self.edges.edge_flag(facts[i, 0])
                    )
                    self.levels.enqueue(row, levels[i])
                if self.store.rows[row].assertion_level < levels[i]:
                    self.store.rows[row].assertion_level = levels[i]
                    if self.store.records_levels:
                        self.levels.record_unsettled(row)
            self.fixpoint.run()

    def merge(
        self, facts: cython.int[:, ::1], asserted: cython.int, level: cython.int, previous: cython.int[::1]
    ):
        """Assert the first `asserted` of `facts` at `level`; the others are all their consequences with the
        background.

        `level` is the newest, without earlier assertions. `previous` is filled as by `add`. Costs the firings
        of joins with earlier facts, and O(1) for each fact.
        """
        i: cython.Py_ssize_t
        row: cython.int
        if self.levels.streamed_more or not self.triggers.crossing_is_chosen:
            self.levels.streamed_more = False
            self.triggers.choose_crossing(self.levels.streamed)
        with cython.nogil:
            self.fixpoint.merged = True
            for i in range(len(facts)):
                if i % PREFETCH_DISTANCE == 0:
                    self.fixpoint.heads.prefetch_block(facts, i, True)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if i < asserted:
                    previous[i] = -1 if row < 0 else self.store.rows[row].assertion_level
                if row < 0:
                    row = self.store.insert(
                        facts[i, 0], facts[i, 1], facts[i, 2], self.edges.edge_flag(facts[i, 0])
                    )
                    self.levels.enqueue(row, level)
                    self.store.rows[row].flags |= CLOSED | UNPROVEN
                elif (
                    i >= asserted
                    and self.store.rows[row].level < level
                    and self.store.rows[row].merged_level < level
                ):
                    self.store.rows[row].merged_level = level
                if i < asserted and self.store.rows[row].assertion_level < level:
                    self.store.rows[row].assertion_level = level
                if self.store.records_levels:
                    self.levels.record_unsettled(row)
                self.edges.schedule_flag(row)
            self.fixpoint.run()

    def find_levels(self, facts: cython.int[:, ::1], levels: cython.int[::1]):
        """Fill `levels` with the level of each of `facts`, `NONE` where it is not stored."""
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % PREFETCH_DISTANCE == 0:
                    self.fixpoint.heads.prefetch_block(facts, i, False)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                levels[i] = self.store.rows[row].level if row >= 0 else NONE

    def insert_settled(self, facts: cython.int[:, ::1], levels: cython.int[::1], edges: cython.int[::1]):
        """Store `facts[i]` at `levels[i]`, or raise it to that level, settled in this order.

        With nonzero `edges[i]` a new fact is flagged as an edge. Each fact must follow from facts of its
        level before it or of higher levels, or be asserted at its level by the `record_assertions` that
        follows. A level must be higher than that of a stored fact.
        """
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % PREFETCH_DISTANCE == 0:
                    self.fixpoint.heads.prefetch_block(facts, i, True)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row < 0:
                    row = self.store.insert(facts[i, 0], facts[i, 1], facts[i, 2], EDGE if edges[i] else 0)
                self.levels.raise_to(row, levels[i])
                self.fixpoint.settle_row(row)

    def record_assertions(
        self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]
    ):
        """Record that the stored `facts[i]` are asserted at `levels[i]`; fills `previous` as `add` does."""
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % PREFETCH_DISTANCE == 0:
                    self.fixpoint.heads.prefetch_block(facts, i, False)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                previous[i] = self.store.rows[row].assertion_level
                if self.store.rows[row].assertion_level < levels[i]:
                    self.store.rows[row].assertion_level = levels[i]
                    if self.store.records_levels:
                        self.levels.record_unsettled(row)
                self.edges.schedule_flag(row)

    def flag_edges(self, facts: cython.int[:, ::1]):
        """Flag these stored facts as edges; they include all their copies.

        Pending flags of other facts are passed on.
        """
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % PREFETCH_DISTANCE == 0:
                    self.fixpoint.heads.prefetch_block(facts, i, False)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if not self.matcher.is_edge(row):
                    self.store.make_edge(row)
            self.fixpoint.run()

    @property
    def level_capacity(self):
        """Number of levels that fit."""
        return self.levels.level_capacity

    def reserve_levels(self, count: cython.int):
        """Make room for a window of `count` levels. Costs O(rows) when the size doubles."""
        self.levels.reserve_levels(count)

    def interpretation(self, level: cython.int):
        """Return the rows of the partition of `level`, an int32 array, empty outside the window; call
        `settle` first.
        """
        if level == FOREVER or self.levels.oldest <= level <= self.levels.newest:
            return self.levels.partition(level)
        return np.empty(0, np.int32)

    def bytes_used(self) -> int:
        """Return the bytes held by rows, hash tables and lists."""
        return self.store.bytes_used() + self.levels.bytes_used()

    def slide(self, oldest: cython.int):
        """Start the window at level `oldest`: renew facts asserted since, then drop the older partitions.

        Fires no rule for expired facts; costs the firings of renewed ones.
        """
        self.start_window(oldest)
        self.drop_expired()

    def start_window(self, oldest: cython.int):
        """Start the window at level `oldest`; older facts are hidden from rules and exist until
        `drop_expired`.

        Facts may be added in between, so that a fact asserted again costs only its renewal.
        """
        self.levels.oldest = oldest

    def drop_expired(self):
        """Drop the partitions older than the window, after renewing facts asserted since."""
        level: cython.int
        row: cython.int
        after: cython.int
        start: cython.int = self.levels.kept
        oldest: cython.int = self.levels.oldest
        detects: cython.bint = self.fixpoint.detects
        with cython.nogil:
            self.fixpoint.detects = False
            for level in range(start, oldest):
                row = self.levels.partitions[self.levels.bucket(level)]
                while row >= 0:
                    after = self.store.rows[row].next_listed
                    if self.levels.renewal_level(row) >= oldest:
                        self.renewals += 1
                        self.levels.renew(row)
                    row = after
            self.fixpoint.run()
            for level in range(start, oldest):
                self.remove_all(self.levels.partitions[self.levels.bucket(level)])
                self.levels.partitions[self.levels.bucket(level)] = -1
            self.levels.kept = oldest
            self.fixpoint.detects = detects

    def remove_all(self, row):
        """Delete the facts of `row` and of the rows after it in its list."""
        after: cython.int
        ahead: cython.int = row
        distance: cython.int = 0
        while row >= 0:
            while self.store.prefetches and ahead >= 0 and distance < PREFETCH_DISTANCE:
                self.store.prefetch_neighbours(ahead)
                ahead = self.store.rows[ahead].next_listed
                distance += 1
            after = self.store.rows[row].next_listed
            self.store.remove(row)
            row = after
            distance -= 1
        return 0

    def settle(self):
        """Raise all levels to those of repeated assertions. Costs a pass over the rows; with `record_levels`,
        over the waiting rows.
        """
        i: cython.int
        row: cython.int
        noted: cython.bint = self.store.records_levels
        detects: cython.bint = self.fixpoint.detects
        with cython.nogil:
            self.fixpoint.detects = False
            for i in range(self.levels.unsettled.size if noted else self.store.used):
                row = self.levels.unsettled.items[i] if noted else i
                if (
                    self.store.rows[row].predicate >= 0
                    and self.levels.renewal_level(row) > self.store.rows[row].level
                ):
                    self.levels.renew(row)
            self.levels.unsettled.size = 0
            self.fixpoint.run()
            self.fixpoint.detects = detects

    def record_levels(self, wanted: cython.bint):
        """Turn the recording of level changes on or off; call `settle` first."""
        self.levels.unsettled = Ints()
        self.store.record_levels(wanted)

    def renumber(self, less: cython.int):
        """Lower all levels by `less`, a multiple of `level_capacity`: lists stay in place."""
        row: cython.int
        for row in range(self.store.used):
            if 0 <= self.store.rows[row].level < FOREVER:
                self.store.rows[row].level -= less
            if self.store.rows[row].assertion_level < FOREVER:
                self.store.rows[row].assertion_level = max(-1, self.store.rows[row].assertion_level - less)
            self.store.rows[row].merged_level = max(-1, self.store.rows[row].merged_level - less)
        self.store.lower_level_changes(less)
        self.levels.oldest -= less
        self.levels.kept -= less
        self.levels.newest -= less

    # -- retraction --------------------------------------------------------------------------------

    def cut(self, facts: cython.int[:, ::1]):
        """Retract `facts`, each with all its occurrences. Costs as `retract`."""
        self.retract(facts, new_ints(len(facts), -1))

    def withdraw(self, facts: cython.int[:, ::1], previous: cython.int[::1], level: cython.int):
        """Undo `add(facts, [level …], previous)`. Costs as `retract`."""
        # the first occurrence of a repeated fact counts
        kept = [i for i in range(len(facts)) if previous[i] != level]
        if COMPILED:
            self.retract(np.asarray(facts)[kept], np.asarray(previous)[kept])
        else:
            self.retract(memoryview(np.array(facts)[kept]), memoryview(np.array(previous)[kept]))

    def retract(self, facts: cython.int[:, ::1], bases: cython.int[::1]):
        """Lower the base of the stored `facts[i]` to `bases[i]` (-1: not asserted), and retract what depends
        on it.

        Costs the firings of overdeleted facts, and searches for other support.
        """
        i: cython.Py_ssize_t
        row: cython.int
        detects: cython.bint = self.fixpoint.detects
        with cython.nogil:
            self.fixpoint.detects = False
            for i in range(len(facts)):
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row >= 0:
                    self.retraction.lower_assertion(row, bases[i])
            self.retraction.run()
            self.fixpoint.detects = detects
        self.retraction.reset()

    def check_invariants(self):
        """Assert that rows, lists and levels agree. Costs O(rows); for tests."""
        self.store.check_invariants()
        self.levels.check_invariants()
        self.edges.check_invariants(self.levels.oldest)
        row: cython.int
        waiting = set(self.levels.unsettled.array().tolist())
        for row in range(self.store.used):
            assert self.store.rows[row].predicate < 0 or not self.store.rows[row].flags & ~(
                UNPROVEN | EDGE | INSERTED
            ), "a flag is left"
            assert (
                self.store.rows[row].predicate < 0
                or not self.store.records_levels
                or self.levels.renewal_level(row) == self.store.rows[row].level
                or row in waiting
            ), "a row with an unsettled level is not recorded"
            assert (
                self.store.rows[row].merged_level == -1
                or self.store.rows[row].merged_level > self.store.rows[row].level
            ), "a merged level is not above the level of its row"

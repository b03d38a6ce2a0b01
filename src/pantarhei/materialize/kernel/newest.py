"""Window model that stores each fact in its newest interpretation only (`keep="newest"`).

**Levels.** A row's `level` is the number of the partition that holds its fact: the maximum over the
derivations of the fact of the minimum level in the body (IM10's expiration time; PB26 Def. 8 restricted to
the newest interpretation of each fact). Levels number the timestamps of the stream in ascending order; the
background has level `FOREVER`. `assertion_level` is the newest level that asserts the fact, -1 if none does.
An assertion level below the window counts as -1.

**Queue.** New facts enter a queue and are taken newest level first. Each fact therefore has its final level
when it is taken first, as in a widest-path search. Facts of one level are taken first in, first out, so that
most derivations of a fact use facts with a lower sequence number. Taking a fact fires the rule instances that
join it with facts taken before.

**Lazy renewal.** If a stored fact is asserted again, only its assertion level is raised. Its level, and the
levels of facts derived from it, are then lower bounds, until the start of the window passes them (`slide`) or
`settle` is called. The set of facts is always exact. If `record_levels` is on, the rows to renew are
recorded, so that settling after each step costs time linear in the changes.

**Merging.** `merge` inserts a closed interpretation: an ABox with all its consequences, so that only joins
with earlier facts are computed. If a fact of it is stored already, the new level is recorded as its
`assertion_level` if it is asserted, else as its `merged_level` (which is -1 or above the level). Merged
levels are renewed lazily too. The *renewal level* of a row is the largest of its level, assertion level and
merged level. In every rule instance, the renewal level of the head is at least the smallest level in the
body.

**Unproven levels.** A level that comes from a merged interpretation has no derivation from facts with lower
sequence numbers. Such a row is UNPROVEN, and so is a head derived from an UNPROVEN fact of the same level.
UNPROVEN facts do not count as support of facts of their level; otherwise two facts that follow from one
another could support each other.

Retraction is in retraction.py, the flags of rows in constants.py.
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
    """Window model of one program, with one level for each fact.

    Work counters, in addition to those of `WindowKernel`: `renewals` counts facts queued again because the
    start of the window passed their level, `rederivations` overdeleted facts, `searches` rows read in the
    search for other support.
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
        """Oldest level that has a partition; below `oldest` if expired partitions are not dropped yet."""
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
        """Settle the facts of predicates that are in no rule body on arrival, without queueing them.

        Only for models into which no interpretation is merged.
        """
        predicate: cython.int
        inert = new_bytes(self.triggers.known)
        for predicate in range(self.triggers.known):
            inert[predicate] = self.triggers.are_without_plans(predicate)
        self.levels.inert = inert

    # -- adding and sliding ------------------------------------------------------------------------

    def add(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Assert `facts[i]` at `levels[i]`; `previous[i]` is set to its former assertion level (-1 if none).

        Each level is FOREVER, or between `oldest` and `newest`. Costs the rule firings of the facts that were
        not stored; a stored fact costs constant time.
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
        """Assert the first `asserted` of `facts` at `level`; the other facts are all their consequences with
        the background.

        `level` is the newest level, and nothing was asserted at it before. `previous` is set as by `add`.
        Costs the rule firings that join a new fact with earlier facts, and constant time for each fact.
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
        """Store `facts[i]` at `levels[i]`, or raise it to that level. The facts settle in this order.

        If `edges[i]` is not zero, a new fact is flagged as an edge. Each fact must follow from facts that
        precede it at its level and from facts of higher levels, or be asserted at its level by the next call
        of `record_assertions`. The level of a stored fact must increase.
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
        """Record that `facts[i]`, which is stored, is asserted at `levels[i]`; `previous` is set as by
        `add`.
        """
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
        """Flag stored facts as edges. The facts must include the copies of each of them.

        Pending edge flags of other facts are propagated.
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
        """Number of levels for which there are lists."""
        return self.levels.level_capacity

    def reserve_levels(self, count: cython.int):
        """Make room for a window of `count` levels. Costs time linear in the rows whenever the capacity
        doubles.
        """
        self.levels.reserve_levels(count)

    def interpretation(self, level: cython.int):
        """Return the rows of the partition of `level`, an int32 array; empty for a level outside the window.

        Call `settle` first: otherwise facts that were asserted again are in the partition of an older level.
        """
        if level == FOREVER or self.levels.oldest <= level <= self.levels.newest:
            return self.levels.partition(level)
        return np.empty(0, np.int32)

    def bytes_used(self) -> int:
        """Return the bytes held by rows, hash tables and lists."""
        return self.store.bytes_used() + self.levels.bytes_used()

    def slide(self, oldest: cython.int):
        """Start the window at level `oldest`: renew the facts asserted since, then drop the older partitions.

        Expired facts fire no rule. Costs the rule firings of renewed facts, and time linear in the expired
        facts.
        """
        self.start_window(oldest)
        self.drop_expired()

    def start_window(self, oldest: cython.int):
        """Start the window at level `oldest`. Facts of older levels match no rule, and stay stored until
        `drop_expired`.

        Facts may be added before `drop_expired`: an expired fact that is asserted again is then only renewed.
        """
        self.levels.oldest = oldest

    def drop_expired(self):
        """Drop the partitions below `oldest`, after renewing the facts in them that were asserted since."""
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
        """Delete the facts of `row` and of all rows after it in its list."""
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
        """Raise the level of each row to its renewal level, and derive the consequences.

        Reads all rows; with `record_levels` only the unsettled ones.
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
        """Turn the recording of level changes on or off. Call `settle` first."""
        self.levels.unsettled = Ints()
        self.store.record_levels(wanted)

    def renumber(self, less: cython.int):
        """Subtract `less` from all levels except the background's. As a multiple of `level_capacity` it
        leaves all lists in place.
        """
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
        """Retract `facts` at all levels that assert them. Costs as `retract`."""
        self.retract(facts, new_ints(len(facts), -1))

    def withdraw(self, facts: cython.int[:, ::1], previous: cython.int[::1], level: cython.int):
        """Undo `add(facts, levels, previous)` where all `levels` were `level`. Costs as `retract`."""
        # in a repeated fact the first occurrence has the former level
        kept = [i for i in range(len(facts)) if previous[i] != level]
        if COMPILED:
            self.retract(np.asarray(facts)[kept], np.asarray(previous)[kept])
        else:
            self.retract(memoryview(np.array(facts)[kept]), memoryview(np.array(previous)[kept]))

    def retract(self, facts: cython.int[:, ::1], levels: cython.int[::1]):
        """Lower the assertion level of `facts[i]` to `levels[i]` (-1: not asserted), and retract the facts
        that depend on it.

        Facts that are not stored are ignored. Costs the rule firings of overdeleted facts, and the searches
        for other support.
        """
        i: cython.Py_ssize_t
        row: cython.int
        detects: cython.bint = self.fixpoint.detects
        with cython.nogil:
            self.fixpoint.detects = False
            for i in range(len(facts)):
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row >= 0:
                    self.retraction.lower_assertion(row, levels[i])
            self.retraction.run()
            self.fixpoint.detects = detects
        self.retraction.reset()

    def check_invariants(self):
        """Assert that rows, lists and levels agree. Costs time linear in the rows; for tests."""
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

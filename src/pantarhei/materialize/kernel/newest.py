"""The window model with each fact in its newest interpretation (`keep="newest"`).

A row's `level` is the number of the partition that holds its fact: the maximum over the fact's derivations of
the minimum over their bodies (IM10's expiration time; PB26 Def. 8 with only the newest of a fact's
interpretations kept). Levels number the timestamps of the stream upwards; the background has level `FOREVER`.
`base` is the newest partition that asserts the fact, -1 if none does; a base older than the window counts as
none.

Facts enter a queue and are popped newest level first, so that each settles at its final level when it is
first popped, as in a widest-path search. Of one level they are popped first come, first served, so that most
of what supports a fact has the lower sequence. A pop enumerates the rule instances that the fact is part of
with facts that were popped before (their *firings*).

Renewal is lazy: a fact that is stored and asserted again only gets the newer base. Its level, and the levels
of what rests on it, are then lower bounds, made up for when the window's start passes them (`slide`) or
someone asks (`settle`). Presence is exact all the time. Where changes of level are asked for
(`note_levels`), a list has the rows that wait for renewal, so that to settle after each step costs what
changed.

A finished interpretation (`merge`) brings what follows from its ABox along: then only joins with what was
there before are looked for. Facts of it that are stored already just note its level: as `base` if asserted,
else as `held` (above its level, or -1), to which they are renewed in the same way. A row's *reach* is the
largest of level, base and held. For each rule instance the head's reach is at least the smallest level in the
body.

A level that came with an interpretation has no proof in the order of sequences. Such a row is UNPROVEN, and
so is what is derived from one of the same level; as a proof of a fact of that level it does not count, or two
facts that follow from one another could hold each other up.

retraction.py says how facts are taken out, constants.py what the flags of a row mean.
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
    """The window model of one program, each fact stored once.

    Work counters, beside those of `WindowKernel`: `renewals` facts queued again when the window's start
    passed them, `rederivations` facts overdeleted, `searches` rows looked at in search of other support.
    """

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity, True)
        self.levels = Levels(self.store, len(plans.forward.start) - 1)
        self.edges = Edges(self.matcher, plans)
        self.fixpoint = Fixpoint(self.triggers, self.levels, self.edges, plans.superclasses)
        self.retraction = Retraction(self.fixpoint)
        self.deriving = self.fixpoint
        self.renewals = 0

    @property
    def oldest(self) -> int:
        """The oldest level of the window."""
        return self.levels.oldest

    @property
    def kept(self) -> int:
        """The oldest level whose partition is there: the window's, or one that is to be dropped."""
        return self.levels.kept

    @property
    def newest(self) -> int:
        """The newest level of the window."""
        return self.levels.newest

    @newest.setter
    def newest(self, level: int) -> None:
        self.levels.newest = level

    @property
    def merged(self) -> bool:
        """Whether an interpretation ever was merged."""
        return self.fixpoint.merged

    @property
    def rederivations(self) -> int:
        return self.retraction.rederivations

    @property
    def searches(self) -> int:
        return self.retraction.support.searches

    def settle_at_once(self):
        """Let facts that no rule looks at settle as they come, at whatever level; they are not popped.

        For models whose interpretations are never merged (`merge`).
        """
        predicate: cython.int
        inert = new_bytes(self.triggers.known)
        for predicate in range(self.triggers.known):
            inert[predicate] = self.triggers.are_none(predicate)
        self.levels.inert = inert

    # -- adding and sliding ------------------------------------------------------------------------

    def add(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Assert `facts[i]` at `levels[i]`; what base it had before goes to `previous[i]` (-1 if none).

        Every level is FOREVER or between `oldest` and `newest`. Costs the firings of facts that were not
        stored; O(1) for one that was.
        """
        i: cython.Py_ssize_t
        row: cython.int
        stored: cython.int = self.store.live
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fixpoint.heads.fetch_ahead(facts, i, self.store.live > stored)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row >= 0:
                    previous[i] = self.store.rows[row].base
                    self.edges.flag(row)
                else:
                    previous[i] = -1
                    row = self.store.insert(
                        facts[i, 0], facts[i, 1], facts[i, 2], self.edges.edge_of(facts[i, 0])
                    )
                    self.levels.enqueue(row, levels[i])
                if self.store.rows[row].base < levels[i]:
                    self.store.rows[row].base = levels[i]
                    if self.store.notes_levels:
                        self.levels.wait(row)
            self.fixpoint.run()

    def merge(
        self, facts: cython.int[:, ::1], asserted: cython.int, level: cython.int, previous: cython.int[::1]
    ):
        """Assert the first `asserted` of `facts` at `level`; the others are all that follows from these and
        the background.

        `level` is the newest, and nothing was asserted at it before. `previous` is filled as by `add`. Costs
        the firings of joins with what was there before, and O(1) for each fact.
        """
        i: cython.Py_ssize_t
        row: cython.int
        if self.levels.streamed_more or not self.triggers.crossing_is_chosen:
            self.levels.streamed_more = False
            self.triggers.choose_crossing(self.levels.streamed)
        with cython.nogil:
            self.fixpoint.merged = True
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fixpoint.heads.fetch_ahead(facts, i, True)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if i < asserted:
                    previous[i] = -1 if row < 0 else self.store.rows[row].base
                if row < 0:
                    row = self.store.insert(
                        facts[i, 0], facts[i, 1], facts[i, 2], self.edges.edge_of(facts[i, 0])
                    )
                    self.levels.enqueue(row, level)
                    self.store.rows[row].flags |= FINISHED | UNPROVEN
                elif (
                    i >= asserted and self.store.rows[row].level < level and self.store.rows[row].held < level
                ):
                    self.store.rows[row].held = level
                if i < asserted and self.store.rows[row].base < level:
                    self.store.rows[row].base = level
                if self.store.notes_levels:
                    self.levels.wait(row)
                self.edges.flag(row)
            self.fixpoint.run()

    def find_levels(self, facts: cython.int[:, ::1], levels: cython.int[::1]):
        """Put the level of each of `facts` into `levels`, `NONE` where it is not stored."""
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fixpoint.heads.fetch_ahead(facts, i, False)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                levels[i] = self.store.rows[row].level if row >= 0 else NONE

    def enter(self, facts: cython.int[:, ::1], levels: cython.int[::1], edges: cython.int[::1]):
        """Store `facts[i]` at `levels[i]`, or raise it to there, as settled in this order.

        Where `edges[i]` is not 0 it is flagged as an edge if it is new.

        Each must follow from facts of its level before it or of higher levels, or be asserted at its level
        by the `note` that follows. A level is higher than the one that the fact is stored at, if it is.
        """
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fixpoint.heads.fetch_ahead(facts, i, True)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row < 0:
                    row = self.store.insert(facts[i, 0], facts[i, 1], facts[i, 2], EDGE if edges[i] else 0)
                self.levels.raise_to(row, levels[i])
                self.fixpoint.settle_row(row)

    def note(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Note that `facts[i]`, which are stored, are asserted at `levels[i]`; fill `previous` as `add`."""
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fixpoint.heads.fetch_ahead(facts, i, False)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                previous[i] = self.store.rows[row].base
                if self.store.rows[row].base < levels[i]:
                    self.store.rows[row].base = levels[i]
                    if self.store.notes_levels:
                        self.levels.wait(row)
                self.edges.flag(row)

    def flag_settled(self, facts: cython.int[:, ::1]):
        """Flag these facts as edges: they are stored, and all that are copied from them are among them.

        What was noted of others before is handed on.
        """
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fixpoint.heads.fetch_ahead(facts, i, False)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if not self.matcher.is_edge(row):
                    self.store.make_edge(row)
            self.fixpoint.run()

    @property
    def room(self):
        """How many levels there is room for."""
        return self.levels.room

    def widen(self, count: cython.int):
        """Make room for `count` levels in the window at once. Costs O(rows) when it doubles."""
        self.levels.widen(count)

    def interpretation(self, level: cython.int):
        """The rows of the partition of `level`, an int32 array; none outside the window. `settle` first."""
        if level == FOREVER or self.levels.oldest <= level <= self.levels.newest:
            return self.levels.partition(level)
        return np.empty(0, np.int32)

    def bytes_used(self) -> int:
        """Bytes held by rows, hash tables and lists."""
        return self.store.bytes_used() + self.levels.bytes_used()

    def slide(self, oldest: cython.int):
        """The window now starts at level `oldest`: drop the older partitions, after renewing what is asserted
        since.

        Fires no rule for facts that leave; costs the firings of those that are renewed.
        """
        self.hide(oldest)
        self.drop()

    def hide(self, oldest: cython.int):
        """The window now starts at level `oldest`: no rule sees what is older, which is there until `drop`.

        Until then facts may be added, so that what comes again costs no more than its renewal.
        """
        self.levels.oldest = oldest

    def drop(self):
        """Drop the partitions older than the window, after renewing what is asserted since."""
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
                    if self.levels.reach(row) >= oldest:
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
        """Forget the facts of `row` and of those after it in its list."""
        after: cython.int
        ahead: cython.int = row
        distance: cython.int = 0
        while row >= 0:
            while self.store.reads_ahead and ahead >= 0 and distance < AHEAD:
                self.store.fetch_neighbours(ahead)
                ahead = self.store.rows[ahead].next_listed
                distance += 1
            after = self.store.rows[row].next_listed
            self.store.remove(row)
            row = after
            distance -= 1
        return 0

    def settle(self):
        """Bring every level up to date with what was asserted again. Costs a pass over the rows, those that
        wait where levels are noted.
        """
        i: cython.int
        row: cython.int
        noted: cython.bint = self.store.notes_levels
        detects: cython.bint = self.fixpoint.detects
        with cython.nogil:
            self.fixpoint.detects = False
            for i in range(self.levels.waiting.size if noted else self.store.used):
                row = self.levels.waiting.items[i] if noted else i
                if (
                    self.store.rows[row].predicate >= 0
                    and self.levels.reach(row) > self.store.rows[row].level
                ):
                    self.levels.renew(row)
            self.levels.waiting.size = 0
            self.fixpoint.run()
            self.fixpoint.detects = detects

    def note_levels(self, wanted: cython.bint):
        """Note from now on which facts come to other levels, or do so no more. `settle` first."""
        self.levels.waiting = Ints()
        self.store.note_levels(wanted)

    def renumber(self, less: cython.int):
        """Lower all levels by `less`, a multiple of the levels there is room for: lists stay in place."""
        row: cython.int
        for row in range(self.store.used):
            if 0 <= self.store.rows[row].level < FOREVER:
                self.store.rows[row].level -= less
            if self.store.rows[row].base < FOREVER:
                self.store.rows[row].base = max(-1, self.store.rows[row].base - less)
            self.store.rows[row].held = max(-1, self.store.rows[row].held - less)
        self.store.lower_moved(less)
        self.levels.oldest -= less
        self.levels.kept -= less
        self.levels.newest -= less

    # -- retraction --------------------------------------------------------------------------------

    def cut(self, facts: cython.int[:, ::1]):
        """Take out `facts`, each with all its occurrences. Costs as `retract`."""
        self.retract(facts, new_ints(len(facts), -1))

    def withdraw(self, facts: cython.int[:, ::1], previous: cython.int[::1], level: cython.int):
        """Undo `add(facts, [level …], previous)`. Costs as `retract`."""
        # of a fact that came twice the first place counts
        kept = [i for i in range(len(facts)) if previous[i] != level]
        if COMPILED:
            self.retract(np.asarray(facts)[kept], np.asarray(previous)[kept])
        else:
            self.retract(memoryview(np.array(facts)[kept]), memoryview(np.array(previous)[kept]))

    def retract(self, facts: cython.int[:, ::1], bases: cython.int[::1]):
        """Lower the base of `facts[i]`, which are stored, to `bases[i]` (-1: asserted no more), and what
        rested on it.

        Costs what is affected: firings of what is overdeleted, and searches for other support.
        """
        i: cython.Py_ssize_t
        row: cython.int
        detects: cython.bint = self.fixpoint.detects
        with cython.nogil:
            self.fixpoint.detects = False
            for i in range(len(facts)):
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row >= 0:
                    self.retraction.lower(row, bases[i])
            self.retraction.run()
            self.fixpoint.detects = detects
        self.retraction.empty()

    def check_invariants(self):
        """Assert that rows, lists and levels agree. Costs O(rows); for tests."""
        self.store.check_invariants()
        self.levels.check_invariants()
        self.edges.check_invariants(self.levels.oldest)
        row: cython.int
        waiting = set(self.levels.waiting.array().tolist())
        for row in range(self.store.used):
            assert self.store.rows[row].predicate < 0 or not self.store.rows[row].flags & ~(
                UNPROVEN | EDGE | ARRIVED
            ), "a flag is left"
            assert (
                self.store.rows[row].predicate < 0
                or not self.store.notes_levels
                or self.levels.reach(row) == self.store.rows[row].level
                or row in waiting
            ), "a row is to be renewed, and nobody knows"
            assert (
                self.store.rows[row].held == -1 or self.store.rows[row].held > self.store.rows[row].level
            ), "held in vain"

"""Runs: the ticks since when a fact has held without a gap.

Only the last run of each fact is stored: its first and its last tick. A run that ends at the previous tick
may continue at the present one; older runs are deleted. At the present tick the number of supports of each
fact is stored too, so that supports can be withdrawn.
"""

from __future__ import annotations

import cython

if cython.compiled:
    from cython.cimports.pantarhei.materialize.kernel.cells import tag_of
else:
    from pantarhei.materialize.kernel.cells import tag_of
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.fact_selection import FactSelection

from pantarhei.materialize.kernel.arrays import Ints, ints_of, lengthened, new_bytes, new_ints, new_longs
from pantarhei.materialize.kernel.cells import Cells


def facts_of(terms: Ints):
    """Return an array of facts, shape (n, 3)."""
    return terms.array().reshape(-1, 3)


@cython.cclass
class Runs:
    """Runs of facts. A fact with a sufficiently long run is *held*.

    Args:
        sizes: for each predicate the number of ticks that the run must have begun before the present tick.
        first: first tick of the timeline; a run since this tick is long enough.

    `held` is the number of held facts. The first `take_change` of a tick costs time linear in the facts of
    this tick and of the previous one, later calls in the facts added or withdrawn since.
    """

    def __init__(self, sizes, first: cython.longlong):
        self.sizes = ints_of(sizes)
        self.first = first
        self.tick = first
        self.facts = new_ints(3 * MIN_LIST, 0)  # fact of each run, three integers
        self.spans = new_longs(2 * MIN_LIST)  # first and last tick of each run
        self.is_held = new_bytes(MIN_LIST)
        self.support_counts = new_ints(MIN_LIST, 0)  # number of supports of each run at its last tick
        self.touched = Ints()  # runs whose supports changed since the last `take_change`
        self.is_new = True  # true until the first `take_change` at this tick
        self.cells = Cells(2 * MIN_LIST)
        self.listed = Ints()  # runs in use, in arbitrary order
        self.free = Ints()
        self.used = 0
        self.held = 0

    def advance(self, tick: cython.longlong):
        """Set the present tick; `add` adds its facts. Repeating the present tick withdraws the facts added at
        it.
        """
        i: cython.int
        run: cython.int
        if tick == self.tick:
            for i in range(self.listed.size):
                run = self.listed.items[i]
                if self.spans[2 * run + 1] == tick:
                    self.end(run)
        self.tick = tick
        self.is_new = True

    def add(self, selection: FactSelection, facts: cython.int[:, ::1], memberships):
        """Add the facts selected from `facts` at the present tick; a fact that occurs several times has
        several supports.
        """
        i: cython.int
        selection.select(facts, memberships, NONE)
        for i in range(0, selection.found.size, SELECTED_SIZE):
            self.extend(
                selection.found.items[i + 1], selection.found.items[i + 2], selection.found.items[i + 3]
            )

    def withdraw(self, selection: FactSelection, facts: cython.int[:, ::1], memberships):
        """Withdraw supports that `add` added at the present tick."""
        i: cython.int
        run: cython.int
        selection.select(facts, memberships, NONE)
        for i in range(0, selection.found.size, SELECTED_SIZE):
            run = self.run_of(
                selection.found.items[i + 1], selection.found.items[i + 2], selection.found.items[i + 3]
            )
            self.support_counts[run] -= 1
            if self.support_counts[run] == 0:
                self.end(run)
                self.touched.push(run)

    def run_of(self, predicate, subject, object):
        """Return the run of a fact that has a run."""
        return self.cells.cells[
            2 * self.cell_of(predicate, subject, object, tag_of(predicate, subject, object))
        ]

    def end(self, run):
        """End a run before the present tick."""
        self.spans[2 * run + 1] = self.tick - 1 if self.spans[2 * run] < self.tick else self.tick - 2
        return 0

    def extend(self, predicate, subject, object):
        """Add a support of a fact at the present tick: continue its run, or begin a new one."""
        tag: cython.int = tag_of(predicate, subject, object)
        cell: cython.int = self.cell_of(predicate, subject, object, tag)
        run: cython.int = self.cells.cells[2 * cell]
        if run < 0:
            run = self.put(cell, tag, predicate, subject, object)
        if self.spans[2 * run + 1] == self.tick:
            self.support_counts[run] += 1
            return 0
        if self.spans[2 * run + 1] < self.tick - 1:
            self.spans[2 * run] = self.tick
        self.spans[2 * run + 1] = self.tick
        self.support_counts[run] = 1
        self.touched.push(run)
        return 0

    def take_change(self):
        """Return the facts that are held now but were not at the last call, and the facts that no longer are.

        All facts of the present tick must have been added.
        """
        inserted: Ints = Ints()
        deleted: Ints = Ints()
        i: cython.int
        run: cython.int
        kept: cython.int = 0
        if not self.is_new:
            for i in range(self.touched.size):
                self.record_change(self.touched.items[i], inserted, deleted)
            self.touched.size = 0
            return facts_of(inserted), facts_of(deleted)
        for i in range(self.listed.size):
            run = self.listed.items[i]
            self.record_change(run, inserted, deleted)
            if self.spans[2 * run + 1] < self.tick - 1:
                self.delete(run)
            else:
                self.listed.items[kept] = run
                kept += 1
        self.listed.size = kept
        self.touched.size = 0
        self.is_new = False
        return facts_of(inserted), facts_of(deleted)

    def record_change(self, run, inserted: Ints, deleted: Ints):
        """Append the fact of a run to `inserted` or `deleted` if it became held or stopped being held."""
        column: cython.int
        is_long: cython.bint = self.is_long(run)
        list_: Ints = inserted if is_long else deleted
        if is_long != self.is_held[run]:
            self.is_held[run] = is_long
            self.held += 1 if is_long else -1
            for column in range(3):
                list_.push(self.facts[3 * run + column])
        return 0

    def is_long(self, run):
        """Return true if a run includes the present tick and is long enough."""
        begun: cython.longlong = self.tick - self.sizes[self.facts[3 * run]]
        return self.spans[2 * run + 1] == self.tick and self.spans[2 * run] <= max(begun, self.first)

    # -- the runs ----------------------------------------------------------------------------------

    def cell_of(self, predicate, subject, object, tag):
        """Return the hash cell of a fact's run, or the empty cell for it."""
        cell: cython.int = tag & self.cells.mask
        run: cython.int
        while True:
            run = self.cells.cells[2 * cell]
            if run < 0 or (
                self.cells.cells[2 * cell + 1] == tag
                and self.facts[3 * run] == predicate
                and self.facts[3 * run + 1] == subject
                and self.facts[3 * run + 2] == object
            ):
                return cell
            cell = (cell + 1) & self.cells.mask

    def put(self, cell, tag, predicate, subject, object):
        """Create an empty run for a fact, in the empty hash cell found for it."""
        run: cython.int
        if self.free.size > 0:
            self.free.size -= 1
            run = self.free.items[self.free.size]
        else:
            if self.used == len(self.is_held):
                self.grow()
            run = self.used
            self.used += 1
        self.facts[3 * run] = predicate
        self.facts[3 * run + 1] = subject
        self.facts[3 * run + 2] = object
        self.spans[2 * run + 1] = self.tick - 2
        self.is_held[run] = 0
        self.support_counts[run] = 0
        self.listed.push(run)
        self.cells.put_at(cell, run, tag)
        if self.cells.is_full():
            self.cells.grow_to(2 * self.cells.size)
        return run

    def delete(self, run):
        """Delete a run from the hash table; the caller removes it from `listed`."""
        self.cells.remove(run, tag_of(self.facts[3 * run], self.facts[3 * run + 1], self.facts[3 * run + 2]))
        self.free.push(run)
        return 0

    def grow(self):
        """Double the room for runs."""
        size = 2 * self.used
        facts, spans = new_ints(3 * size, 0), new_longs(2 * size)
        facts[: 3 * self.used] = self.facts
        spans[: 2 * self.used] = self.spans
        times = new_ints(size, 0)
        times[: self.used] = self.support_counts
        self.support_counts = times
        self.facts, self.spans, self.is_held = facts, spans, lengthened(self.is_held, size)

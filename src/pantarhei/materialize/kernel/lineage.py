"""Lineage of facts: the rule instances in their derivations."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.matcher import Visitor
    from pantarhei.materialize.kernel.triggers import Triggers

from pantarhei.materialize.kernel.arrays import new_longs

UNLIMITED = cython.declare(cython.longlong, 1 << 40)


@cython.cclass
class LineageWalk(Visitor):
    """Backward search over all rule instances.

    Instances that derive facts which are also asserted, or stored before, are included: leaving them out
    gives wrong conflict sets. For `c→d, c∧d→⊥` with d asserted at 1 and c at 2, the only conflict set is {c}.

    `head` is the row whose instances are enumerated, `recorded` the number of its instances so far. At most
    `max_per_head` instances of one row and `max_instances` in all are recorded. Rows of levels below
    `min_level` match no body. If `counts` is not empty, it counts instances by level, from level `oldest` on.
    """

    def __init__(self, triggers: Triggers):
        self.triggers = triggers
        self.matcher = triggers.matcher
        self.store = triggers.store
        self.head = -1
        self.recorded = 0
        self.max_per_head = UNLIMITED
        self.max_instances = UNLIMITED
        self.min_level = -1
        self.instances = Ints()
        self.counts = new_longs(0)
        self.oldest = 0

    def weigh(self, row, level, atom):
        own: cython.int = self.store.rows[row].level
        return HIDDEN if own < self.min_level else own

    def visit(self, plan, level):
        if self.recorded >= self.max_per_head or self.is_full():
            return 1
        self.recorded += 1
        if len(self.counts) and level < FOREVER:
            self.counts[level - self.oldest] += 1
        self.instances.push(self.head)
        return self.matcher.record(plan, self.instances)

    def is_full(self):
        """Return true if `max_instances` are recorded."""
        return self.instances.size >= self.max_instances * (2 + self.matcher.widest)

    def collect(
        self,
        rows: cython.int[::1],
        most: cython.longlong,
        explains_background: cython.bint,
        lowest: cython.int,
    ):
        """Collect the rule instances in derivations of `rows` that use no level below `lowest`.

        Facts of the background are only explained with `explains_background`. Costs time linear in the
        instances.

        Returns:
            `(reached, instances, cut short)`: the rows met, `rows` first; int32 rows `head row, rule, body
            rows…`; and true if instances are missing because there are more than `most`.
        """
        i: cython.Py_ssize_t
        cut_short: cython.bint = False
        width: cython.int = 2 + self.matcher.widest
        reached: Ints = Ints()
        self.min_level = lowest
        try:
            with cython.nogil:
                for i in range(len(rows)):
                    self.add_reached(rows[i], reached)
                i = 0
                while i < reached.size:
                    if explains_background or self.store.rows[reached.items[i]].level != FOREVER:
                        self.record_instances(reached.items[i], reached)
                    i += 1
                    if self.instances.size > most * width:
                        cut_short = True
                        self.instances.size = 0
        finally:
            self.clear_marks(reached)
        return reached.array(), self.instances.array().reshape(-1, width), cut_short

    def count_by_level(self, rows: cython.int[::1], counts: cython.longlong[::1], oldest: cython.int):
        """Count the instances in derivations of `rows` by the smallest level of their bodies, from `oldest`
        on.
        """
        self.counts = counts
        self.oldest = oldest
        self.collect(rows, 0, False, -1)

    def collect_limited(
        self, rows: cython.int[::1], most: cython.longlong, each: cython.longlong, lowest: cython.int
    ):
        """Collect rule instances in derivations of `rows`, breadth first: at most `most`, and at most `each`
        for one head.

        Rows of levels below `lowest` match no body. The background is explained too. Returns `(reached,
        instances, cut short)` like `collect`, but always with the instances found. Costs time linear in the
        instances.
        """
        i: cython.Py_ssize_t
        cut_short: cython.bint = False
        reached: Ints = Ints()
        self.max_instances, self.max_per_head, self.min_level = most, each, lowest
        try:
            with cython.nogil:
                for i in range(len(rows)):
                    self.add_reached(rows[i], reached)
                i = 0
                while i < reached.size and not (cut_short and self.is_full()):
                    cut_short |= self.record_instances(reached.items[i], reached)
                    i += 1
        finally:
            self.clear_marks(reached)
        return reached.array(), self.instances.array().reshape(-1, 2 + self.matcher.widest), cut_short

    def record_instances(self, row, reached):
        """Record the rule instances with `row` as head, and add the rows of their bodies to `reached`.

        Returns true if instances are missing because of a limit.
        """
        atom: cython.int
        there_are_more: cython.bint
        before: cython.int = self.instances.size
        self.head = row
        self.recorded = 0
        there_are_more = self.triggers.fire_backward(row, self)
        while before < self.instances.size:
            for atom in range(before + 2, before + 2 + self.matcher.widest):
                if self.instances.items[atom] >= 0:
                    self.add_reached(self.instances.items[atom], reached)
            before += 2 + self.matcher.widest
        return there_are_more

    def clear_marks(self, reached: Ints):
        """Clear the marks of the rows met. This must also happen after an exception of a built-in."""
        i: cython.Py_ssize_t
        for i in range(reached.size):
            self.store.rows[reached.items[i]].flags &= ~COLLECTED

    def add_reached(self, row, reached):
        """Append `row` to `reached`, and mark it, unless it is marked."""
        if not self.store.rows[row].flags & COLLECTED:
            reached.push(row)
            self.store.rows[row].flags |= COLLECTED
        return 0

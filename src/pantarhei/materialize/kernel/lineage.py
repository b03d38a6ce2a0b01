"""The lineage of facts: the rule instances behind them."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.triggers import Triggers
    from pantarhei.materialize.kernel.visitor import Visitor


@cython.cclass
class LineageWalk(Visitor):
    """Goes back over *all* rule instances, for a fact that is asserted or was there before too.

    Each shortcut gives wrong conflict sets (`c→d, c∧d→⊥` with d asserted at 1 and c at 2: the only conflict
    set is {c}). `head` is the row whose instances are being recorded.
    """

    def __init__(self, triggers: Triggers):
        self.triggers = triggers
        self.matcher = triggers.matcher
        self.store = triggers.store
        self.head = -1
        self.instances = Ints()

    def weigh(self, row, level, atom):
        return self.store.rows[row].level

    def visit(self, plan, level):
        self.instances.push(self.head)
        return self.matcher.record(plan, self.instances)

    def of(self, rows: cython.int[::1], most: cython.longlong, explains_background: cython.bint):
        """Every rule instance that can take part in a proof of one of `rows`.

        Returns `(reached, instances, cut short)`: rows met, `rows` first; int32 rows `head row, rule, body
        rows…`; and whether there were more than `most`, which are then left out. Facts that hold for ever are
        explained further only on demand. Costs the instances.
        """
        i: cython.Py_ssize_t
        cut_short: cython.bint = False
        width: cython.int = 2 + self.matcher.widest
        reached: Ints = Ints()
        try:
            with cython.nogil:
                for i in range(len(rows)):
                    self.reach(rows[i], reached)
                i = 0
                while i < reached.size:
                    if explains_background or self.store.rows[reached.items[i]].level != FOREVER:
                        self.explain(reached.items[i], reached)
                    i += 1
                    if self.instances.size > most * width:
                        cut_short = True
                        self.instances.size = 0
        finally:  # a built-in may have raised an error, and the rows are used on
            for i in range(reached.size):
                self.store.rows[reached.items[i]].flags &= ~NOTED
        return reached.array(), self.instances.array().reshape(-1, width), cut_short

    def explain(self, row, reached):
        """Record the rule instances with `row` as their head, and reach the rows of their bodies."""
        atom: cython.int
        before: cython.int = self.instances.size
        self.head = row
        self.triggers.explain(row, self)
        while before < self.instances.size:
            for atom in range(before + 2, before + 2 + self.matcher.widest):
                if self.instances.items[atom] >= 0:
                    self.reach(self.instances.items[atom], reached)
            before += 2 + self.matcher.widest
        return 0

    def reach(self, row, reached):
        """Append `row` to what was reached, if it is not there."""
        if not self.store.rows[row].flags & NOTED:
            reached.push(row)
            self.store.rows[row].flags |= NOTED
        return 0

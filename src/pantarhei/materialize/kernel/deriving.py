"""The visitor by which facts are derived; matches of constraints are noted as violations."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.triggers import Triggers
    from pantarhei.materialize.kernel.visitor import Visitor

from pantarhei.materialize.kernel.arrays import Ints


@cython.cclass
class Deriving(Visitor):
    """Derives the heads of matched bodies; how is for subclasses to say.

    `detects` says whether violations are noted. Work counters: `pops` facts popped from the queue, `firings`
    rule instances enumerated.
    """

    def __init__(self, triggers: Triggers):
        self.triggers = triggers
        self.matcher = triggers.matcher
        self.store = triggers.store
        self.detects = False
        self.violations = Ints()
        self.pops = 0
        self.firings = 0

    def visit(self, plan, level):
        self.firings += 1
        if self.matcher.code[plan + HEAD] >= 0:
            return self.derive(plan, level)
        return self.matcher.record(plan, self.violations) if self.detects else 0

    def derive(self, plan, level):
        """Derive the head of a matched body, whose smallest level is `level`."""
        return 0

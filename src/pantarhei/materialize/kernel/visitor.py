"""Who is told of the matches of rule bodies, and says which rows take part in them."""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *


@cython.cclass
class Visitor:
    """What an enumeration of matches is for; each purpose is a subclass."""

    def weigh(self, row, level, atom):
        """The level of `row`, matched to the body's `atom`, in a match that is at `level` so far.

        HIDDEN where the row takes no part in matches, STOP to end the enumeration.
        """
        return HIDDEN

    def bind(self, plan, step, level):
        """Match the atom of a step that is WANTED, and go on. Returns 1 if the enumeration was stopped."""
        return 0

    def visit(self, plan, level):
        """A whole body matched; `level` is the smallest level in it. Return 1 to end the enumeration."""
        return 0

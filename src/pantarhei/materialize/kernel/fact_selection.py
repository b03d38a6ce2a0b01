"""Selection of facts: projections of single facts that meet conditions.

A *projection* of the facts of one predicate has PROJECTION_SIZE integers:

- its *kind*, a number chosen by the caller,
- the predicate of the resulting facts,
- the source of their subject and the source of their object, each an argument position and a term: 1 or 2
  stands for an argument of the fact, TIME_ARGUMENT for the given time, 0 for the constant term,
- the range of its conditions.

A condition has CONDITION_SIZE integers: its type, the argument position of the tested term, and two operands.
IN_RANGES has the index of a byte among the data ranges and the bits required in it, IS_TERM has a term.
IS_NAME tests that the term is not a literal.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import Ints, ints_of, new_ints


@cython.cclass
class FactSelection:
    """Projections, and the facts that they select.

    Args:
        starts: for each predicate the index of its first projection, and the end of the last.
        projections, conditions: as in the module's docstring.
        kinds: number of kinds.
        width: bytes of data ranges for each literal.

    `found` has the facts selected last, SELECTED_SIZE integers each: the kind, the resulting fact, and the
    index of the fact that it was selected from.
    """

    def __init__(self, starts, projections, conditions, kinds, width):
        self.starts = ints_of(starts)
        self.projections = ints_of(projections)
        self.conditions = ints_of(conditions)
        self.width = width
        self.ends = new_ints(kinds, 0)  # scratch space of `group_by_kind`: for each kind the end of its rows
        self.kinds = Ints()  # kinds with rows in `ends`
        self.found = Ints()

    def rows(self, facts: cython.int[:, ::1], memberships, time: cython.int):
        """Select from facts.

        Args:
            memberships: as for `Matcher.use_literals`.
            time: term number for TIME_ARGUMENT.

        Returns:
            The resulting facts, grouped by kind; for each the index of the fact it was selected from; and a
            list of `(kind, start, end)` for the kinds with results.
        """
        self.select(facts, memberships, time)
        count: cython.int = self.found.size // SELECTED_SIZE
        rows = np.empty((count, 3), np.int32)
        places = np.empty(count, np.int32)
        out: cython.int[:, ::1] = rows
        out_places: cython.int[::1] = places
        i: cython.int
        column: cython.int
        at: cython.int
        kind: cython.int
        ranges = self.group_by_kind(count)
        for i in range(count - 1, -1, -1):
            kind = self.found.items[SELECTED_SIZE * i]
            at = self.ends[kind] - 1
            self.ends[kind] = at
            for column in range(3):
                out[at, column] = self.found.items[SELECTED_SIZE * i + 1 + column]
            out_places[at] = self.found.items[SELECTED_SIZE * i + 4]
        return rows, places, ranges

    def group_by_kind(self, count):
        """Set `ends` to the end of the rows of each kind; returns `(kind, start, end)` for the kinds of
        `count` results.
        """
        ranges: list = []
        i: cython.int
        kind: cython.int
        end: cython.int = 0
        for i in range(self.kinds.size):  # kinds of the previous call
            self.ends[self.kinds.items[i]] = 0
        self.kinds.size = 0
        for i in range(count):
            kind = self.found.items[SELECTED_SIZE * i]
            if self.ends[kind] == 0:
                self.kinds.push(kind)
            self.ends[kind] += 1
        for i in range(self.kinds.size):
            kind = self.kinds.items[i]
            ranges.append((kind, end, end + self.ends[kind]))
            end += self.ends[kind]
            self.ends[kind] = end
        return ranges

    def select(self, facts, memberships, time):
        """Set `found` to the results of all projections of the facts."""
        i: cython.int
        projection: cython.int
        predicate: cython.int
        self.memberships = memberships
        self.found.size = 0
        for i in range(len(facts)):
            predicate = facts[i, 0]
            if predicate >= len(self.starts) - 1:
                continue
            for projection in range(self.starts[predicate], self.starts[predicate + 1]):
                if self.meets(projection, facts[i, 1], facts[i, 2]):
                    self.append(projection, facts[i, 1], facts[i, 2], time, i)
        return 0

    def append(self, projection, subject, object, time, place):
        """Append the result of a projection of one fact."""
        at: cython.int = PROJECTION_SIZE * projection
        column: cython.int
        taken: cython.int
        self.found.push(self.projections[at])
        self.found.push(self.projections[at + 1])
        for column in range(2):
            taken = self.projections[at + 2 + 2 * column]
            if taken == 1:
                self.found.push(subject)
            elif taken == 2:
                self.found.push(object)
            elif taken == TIME_ARGUMENT:
                self.found.push(time)
            else:
                self.found.push(self.projections[at + 3 + 2 * column])
        self.found.push(place)
        return 0

    def meets(self, projection, subject, object):
        """Return true if a fact meets the conditions of a projection."""
        place: cython.int
        at: cython.int
        term: cython.int
        start: cython.int = PROJECTION_SIZE * projection
        for place in range(self.projections[start + 6], self.projections[start + 7]):
            at = CONDITION_SIZE * place
            term = subject if self.conditions[at + 1] == 1 else object
            if self.conditions[at] == IN_RANGES:
                if not self.is_in_ranges(term, self.conditions[at + 2], self.conditions[at + 3]):
                    return False
            elif self.conditions[at] == IS_TERM:
                if term != self.conditions[at + 2]:
                    return False
            elif term >= FIRST_LITERAL:
                return False
        return True

    def is_in_ranges(self, literal, byte, wanted):
        """Return true if a term is a literal in all the data ranges of these bits; a name is in no data
        range.
        """
        at: cython.Py_ssize_t = literal - FIRST_LITERAL
        return at >= 0 and (self.memberships[at * self.width + byte] & wanted) == wanted

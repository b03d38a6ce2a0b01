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

A fact that is stored and comes again only notes that; renewal.py says when its level follows.

A finished interpretation (`merge`) brings what follows from its ABox along: then only joins with what was
there before are looked for. Facts of it that are stored already just note its level: as `base` if asserted,
else as `held`. For each rule instance the head's reach is at least the smallest level in the body.

Retraction overdeletes along rule instances whose minimum is the head's level, unless a proof remains that is
well-founded by (level descending, sequence ascending), then rederives what has other support, newest first
(after DRed and B/F, MN19). Where interpretations were merged, a level may rest on the reach of a body, so
minima are taken over that; and a row whose base or held sinks is *shaken*: what noted its level because of it
is shaken too, and all of them look for the level that other support gives.

A level that came with an interpretation has no proof in the order of sequences. Such a row is UNPROVEN, and
so is what is derived from one of the same level; as a proof of a fact of that level it does not count, or two
facts that follow from one another could hold each other up.

The flags of a row are said in constants.py.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.renewal import Renewal

from pantarhei.materialize.kernel.arrays import new_ints
from pantarhei.materialize.kernel.rows import COMPILED

UNLIMITED = cython.declare(cython.longlong, 1 << 62)


@cython.cclass
class NewestKernel(Renewal):
    """The window model of one program, each fact stored once.

    Work counters, beside those of Renewal: `rederivations` facts overdeleted, `searches` rows looked at in
    search of other support.
    """

    def __init__(self, plans, capacity=1024):
        super().__init__(plans, capacity)
        self.mark_level = 0
        self.mark_sequence = 0
        self.best = -1
        self.enough = 0
        self.patience = UNLIMITED
        self.found = Ints()
        self.shaken = Ints()
        self.rederivations = 0
        self.searches = 0

    # -- what a match means, which depends on what it is looked for -------------------------------------

    def weigh(self, row, level):
        if self.purpose == DERIVE:
            return self.settled_level(row)
        if self.purpose == SUPPORT:
            return self.supporting_level(row)
        if self.purpose == OVERDELETE:
            return HIDDEN if self.store.rows[row].flags & PROCESSED else self.rested_on(row)
        return self.seen_level(row)

    def leaf(self, plan, level):
        if self.purpose == DERIVE:
            return self.derive_head(plan, level)
        if self.purpose == SUPPORT:
            return self.note_support(level)
        if self.purpose == OVERDELETE:
            return self.doubt_head(plan, level)
        return self.record_match(plan) if self.purpose == MATCH else self.record_instance(plan)

    def settled_level(self, row):
        """The row's level; it is hidden while it is queued, and once it is older than the window."""
        level: cython.int = self.store.rows[row].level
        return HIDDEN if self.store.rows[row].flags & PENDING or level < self.oldest else level

    def derive_head(self, plan, level):
        """Derive the head of a matched body at `level`; the match of a constraint is a violation."""
        head: cython.int = self.code[plan + HEAD]
        self.firings += 1
        if head < 0:
            return self.record_violation(plan) if self.detect else 0
        return self.note_head(
            head,
            self.value(self.code[plan + HEAD_SUBJECT]),
            self.value(self.code[plan + HEAD_OBJECT]),
            level,
            self.flags_of_head(plan, head, level),
        )

    def supporting_level(self, row):
        """The row's level if it settled before the mark and may raise `best`, else HIDDEN.

        STOP once more rows were looked at than `patience` allows.
        """
        level: cython.int = self.store.rows[row].level
        flags: cython.int = self.store.rows[row].flags
        self.searches += 1
        self.patience -= 1
        if self.patience < 0:
            return STOP
        if flags & DOOMED or level <= self.best or level < self.mark_level:
            return HIDDEN
        if level > self.mark_level:
            return level
        if self.store.rows[row].sequence >= self.mark_sequence:
            return HIDDEN
        return HIDDEN if flags & UNPROVEN and self.store.rows[row].base < level else level

    def note_support(self, level):
        """A body holds its head up at `level`; the search ends when that is enough."""
        if level > self.best:
            self.best = level
        return self.best >= self.enough

    def doubt_head(self, plan, level):
        """A row of a matched body is lost: its head, if stored, may have rested on it as far as `level`."""
        head: cython.int = self.code[plan + HEAD]
        row: cython.int
        if head < 0:
            return 0
        row = self.store.find(
            head, self.value(self.code[plan + HEAD_SUBJECT]), self.value(self.code[plan + HEAD_OBJECT])
        )
        return self.touch(row, level) if row >= 0 else 0

    def is_unproven(self, plan, level):
        """Whether a row of the matched body at `level`, the smallest in it, is unproven."""
        atom: cython.int
        row: cython.int
        for atom in range(self.atoms_of(plan)):
            row = self.body[atom]
            if (
                self.store.rows[row].flags & UNPROVEN
                and self.store.rows[row].level == level
                and self.store.rows[row].base < level
            ):
                return True
        return False

    def flags_of_head(self, plan, head, level):
        """The flags that a new row of the head would have."""
        flags: cython.int = 0
        if self.has_edges(head) and self.makes_edge(plan):
            flags = EDGE
        if self.merged and self.is_unproven(plan, level):
            flags |= UNPROVEN
        return flags

    # -- adding ------------------------------------------------------------------------------------

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
                    self.fetch_ahead(facts, i, self.store.live > stored)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row >= 0:
                    previous[i] = self.store.rows[row].base
                    self.flag(row)
                else:
                    previous[i] = -1
                    row = self.store.insert(facts[i, 0], facts[i, 1], facts[i, 2], self.edge_of(facts[i, 0]))
                    self.levels.enqueue(row, levels[i])
                if self.store.rows[row].base < levels[i]:
                    self.store.rows[row].base = levels[i]
                    if self.store.notes_levels:
                        self.wait(row)
            self.run()

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
        if self.levels.streamed_more or not self.crossing_is_chosen:
            self.levels.streamed_more = False
            self.choose_crossing(self.levels.streamed)
        with cython.nogil:
            self.merged = True
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fetch_ahead(facts, i, True)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if i < asserted:
                    previous[i] = -1 if row < 0 else self.store.rows[row].base
                if row < 0:
                    row = self.store.insert(facts[i, 0], facts[i, 1], facts[i, 2], self.edge_of(facts[i, 0]))
                    self.levels.enqueue(row, level)
                    self.store.rows[row].flags |= FINISHED | UNPROVEN
                elif (
                    i >= asserted and self.store.rows[row].level < level and self.store.rows[row].held < level
                ):
                    self.store.rows[row].held = level
                if i < asserted and self.store.rows[row].base < level:
                    self.store.rows[row].base = level
                if self.store.notes_levels:
                    self.wait(row)
                self.flag(row)
            self.run()

    def find_levels(self, facts: cython.int[:, ::1], levels: cython.int[::1]):
        """Put the level of each of `facts` into `levels`, `NONE` where it is not stored."""
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fetch_ahead(facts, i, False)
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
                    self.fetch_ahead(facts, i, True)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row < 0:
                    row = self.store.insert(facts[i, 0], facts[i, 1], facts[i, 2], EDGE if edges[i] else 0)
                self.levels.raise_to(row, levels[i])
                self.settle_row(row)

    def note(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Note that `facts[i]`, which are stored, are asserted at `levels[i]`; fill `previous` as `add`."""
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fetch_ahead(facts, i, False)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                previous[i] = self.store.rows[row].base
                if self.store.rows[row].base < levels[i]:
                    self.store.rows[row].base = levels[i]
                    if self.store.notes_levels:
                        self.wait(row)
                self.flag(row)

    def flag_settled(self, facts: cython.int[:, ::1]):
        """Flag these facts as edges: they are stored, and all that are copied from them are among them.

        What was noted of others before is handed on.
        """
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fetch_ahead(facts, i, False)
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if not self.is_edge(row):
                    self.store.make_edge(row)
            self.run()

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
        doomed: Ints = Ints()
        detect: cython.bint = self.detect
        with cython.nogil:
            self.detect = False
            for i in range(len(facts)):
                row = self.store.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row >= 0:
                    if self.merged and self.store.rows[row].base > max(bases[i], self.store.rows[row].level):
                        self.store.rows[row].held = max(self.store.rows[row].held, self.store.rows[row].base)
                        self.shake(row)
                    self.store.rows[row].base = bases[i]
                    self.consider(row, doomed)
            self.overdelete(doomed)
            self.rederive(doomed)
            self.detect = detect

    def rested_on(self, row):
        """The level up to which others may rest on the row."""
        return self.reach(row) if self.merged else self.store.rows[row].level

    def shake(self, row):
        """Note that `held` of the row is no longer to be trusted."""
        if not self.store.rows[row].flags & SHAKEN:
            self.store.rows[row].flags |= SHAKEN
            self.shaken.push(row)
        return 0

    def touch(self, row, level):
        """A rule instance that held up `row` as far as `level` may be lost: note what has to be looked at."""
        if level < self.store.rows[row].level:
            return 0
        if 0 <= self.store.rows[row].held <= level:
            self.shake(row)
        if not self.store.rows[row].flags & (NOTED | DOOMED):
            self.store.rows[row].flags |= NOTED
            self.found.push(row)
        return 0

    def consider(self, row, doomed):
        """Overdelete `row` unless its base or a well-founded proof still holds it at its level."""
        level: cython.int = self.store.rows[row].level
        if self.store.rows[row].flags & DOOMED or self.store.rows[row].base >= level:
            return 0
        if self.store.rows[row].held >= level and not self.store.rows[row].flags & SHAKEN:
            return 0
        self.patience = PATIENCE
        if self.support(row, level, level, self.store.rows[row].sequence) >= level:
            return 0
        self.store.rows[row].flags |= DOOMED
        doomed.push(row)
        return 0

    def overdelete(self, doomed):
        """Doom what rests on the doomed, and shake what noted a level because of them or of the shaken, round
        by round, until nothing more does.

        A head is considered once a round, however many of a hub's facts are doomed in it.
        """
        i: cython.int = 0
        j: cython.int
        end: cython.int
        shaken: cython.int = 0
        while i < doomed.size or shaken < self.shaken.size:
            end = doomed.size
            self.purpose = OVERDELETE
            self.found.size = 0
            while i < end:
                self.fire(doomed.items[i], self.rested_on(doomed.items[i]))
                self.store.rows[doomed.items[i]].flags |= PROCESSED
                i += 1
            end = self.shaken.size
            while shaken < end:
                if not self.store.rows[self.shaken.items[shaken]].flags & PROCESSED:
                    self.fire(self.shaken.items[shaken], self.reach(self.shaken.items[shaken]))
                shaken += 1
            for j in range(self.found.size):
                self.store.rows[self.found.items[j]].flags &= ~NOTED
            for j in range(self.found.size):
                self.consider(self.found.items[j], doomed)
        return 0

    def support(self, row, enough, mark_level, mark_sequence):
        """The best level at which rule instances hold up `row`; the search ends once it is `enough`.

        Bodies may use rows that are not doomed and are settled before (mark_level, mark_sequence).
        """
        self.purpose = SUPPORT
        self.best = -1
        self.enough = enough
        self.mark_level = mark_level
        self.mark_sequence = mark_sequence
        self.explain(row)
        return self.best

    def rederive(self, doomed):
        """Queue each doomed row at the level its other support gives, and each shaken one where that raises
        it; run, and remove what found no support.
        """
        i: cython.int
        row: cython.int
        level: cython.int
        self.instances.size = 0  # here: the level of each doomed row, then of each shaken one
        self.rederivations += doomed.size
        for i in range(doomed.size + self.shaken.size):
            row = doomed.items[i] if i < doomed.size else self.shaken.items[i - doomed.size]
            self.patience = UNLIMITED
            level = self.support(row, self.reach(row), -1, 0)  # nothing holds it up above its former reach
            self.instances.push(level)
        for i in range(self.shaken.size):
            self.store.rows[self.shaken.items[i]].held = -1
            self.store.rows[self.shaken.items[i]].flags &= ~SHAKEN
        for i in range(doomed.size):
            row = doomed.items[i]
            self.levels.delist(row)
            if self.store.notes_levels:
                self.store.note_level(row)
            self.store.rows[row].level = -1
            self.store.rows[row].flags &= EDGE | ARRIVED
            self.store.rows[row].flags |= PENDING  # hidden until it is derived again
        for i in range(self.instances.size):
            row = doomed.items[i] if i < doomed.size else self.shaken.items[i - doomed.size]
            level = self.instances.items[i]
            if i < doomed.size and self.reach(row) > level:
                level = self.reach(row)
            if level >= self.oldest and level > self.store.rows[row].level:
                self.levels.enqueue(row, level)
                if self.merged:
                    self.store.rows[row].flags |= UNPROVEN
        self.shaken.size = 0
        self.run()
        for i in range(doomed.size):
            if self.store.rows[doomed.items[i]].level < 0:
                self.store.remove(doomed.items[i])
        self.instances.size = 0
        return 0

    def check_invariants(self):
        """Assert that rows, lists and levels agree. Costs O(rows); for tests."""
        Renewal.check_invariants(self)
        row: cython.int
        for row in range(self.store.used):
            assert self.store.rows[row].predicate < 0 or not self.store.rows[row].flags & ~(
                UNPROVEN | EDGE | ARRIVED
            ), "a flag is left"
            assert (
                self.store.rows[row].held == -1 or self.store.rows[row].held > self.store.rows[row].level
            ), "held in vain"

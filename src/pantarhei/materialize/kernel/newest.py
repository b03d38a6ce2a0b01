"""The window model with each fact in its newest interpretation (`keep="newest"`).

A row's `level` is the number of the partition that holds its fact: the maximum over the fact's derivations of
the minimum over their bodies (IM10's expiration time; PB26 Def. 8 with only the newest of a fact's
interpretations kept). Levels number the timestamps of the stream upwards; the background has level `FOREVER`.
`base` is the newest partition that asserts the fact, -1 if none does; a base older than the window counts as
none.

Facts enter a queue and are taken newest level first, so that each settles at its final level when it is first
taken, as in a widest-path search. Of one level they are taken first come, first served, so that most of what
supports a fact has the lower sequence. Taking a fact (a *pop*) enumerates the rule instances it takes part in
with facts that were taken before (their *firings*).

Renewal is lazy: a fact that is stored and asserted again only gets the newer base. Its level, and the levels
of what rests on it, are then lower bounds, made up for when the window's start passes them (`slide`) or
someone asks (`settle`). Presence is exact all the time.

A finished interpretation (`merge`) brings what follows from its ABox along: then only joins with what was
there before are looked for. Facts of it that are stored already just note its level: as `base` if asserted,
else as `held` (above its level, or -1), to which they are renewed in the same way. A row's *reach* is the
largest of level, base and held. For each rule instance the head's reach is at least the smallest level in the
body.

Retraction overdeletes along rule instances whose minimum is the head's level, unless a proof remains that is
well-founded by (level descending, sequence ascending), then rederives what has other support, newest first
(after DRed and B/F, MN19). Where interpretations were merged, a level may rest on the reach of a body, so
minima are taken over that; and a row whose base or held sinks is *shaken*: what noted its level because of it
is shaken too, and all of them look for the level that other support gives.

A level that came with an interpretation has no proof in the order of sequences. Such a row is UNPROVEN, and
so is what is derived from one of the same level; as a proof of a fact of that level it does not count, or two
facts that follow from one another could hold each other up.

Flags of a row: PENDING in the queue and hidden from joins; DOOMED overdeleted; PROCESSED overdeleted with its
consequences; NOTED already in the list being collected; FINISHED in the queue, its consequences within its
interpretation known; SHAKEN its `held` (with its former base, kept there meanwhile) is not to be trusted;
UNPROVEN as said, unless it is asserted at its level; EDGE and ARRIVED as rows.py says.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from pantarhei.materialize.kernel.arrays import Ints
    from pantarhei.materialize.kernel.constants import *
    from pantarhei.materialize.kernel.taking import TakingRows

from pantarhei.materialize.kernel.arrays import new_ints
from pantarhei.materialize.kernel.rows import COMPILED

UNLIMITED = cython.declare(cython.longlong, 1 << 62)


@cython.cclass
class NewestKernel(TakingRows):
    """The window model of one program, each fact stored once.

    Work counters, beside those of Proofs: `renewals` facts queued again when the window's start passed them,
    `rederivations` facts overdeleted, `searches` rows looked at in search of other support.
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
        self.renewals = 0
        self.rederivations = 0
        self.searches = 0

    # -- what a match means ------------------------------------------------------------------------

    def weigh(self, row, level):
        weight: cython.int = self.rows[row].level
        flags: cython.int = self.rows[row].flags
        if self.purpose == DERIVE:
            return -1 if flags & PENDING or weight < self.oldest else weight
        if self.purpose == SUPPORT:
            self.searches += 1
            self.patience -= 1
            if self.patience < 0:
                return STOP
            if flags & DOOMED or weight <= self.best or weight < self.mark_level:
                return -1
            if weight == self.mark_level:
                if self.rows[row].sequence >= self.mark_sequence:
                    return -1
                if flags & UNPROVEN and self.rows[row].base < weight:
                    return -1
            return weight
        if self.purpose == OVERDELETE:
            return -1 if flags & PROCESSED else self.rested_on(row)
        return weight

    def leaf(self, plan, level):
        row: cython.int
        head: cython.int = self.code[plan + HEAD]
        if self.purpose == DERIVE:
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
        if self.purpose == SUPPORT:
            if level > self.best:
                self.best = level
            return 1 if self.best >= self.enough else 0
        if self.purpose == LINEAGE:
            return self.record_instance(plan)
        if head < 0:
            return 0
        row = self.find(
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
                self.rows[row].flags & UNPROVEN
                and self.rows[row].level == level
                and self.rows[row].base < level
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

    # -- adding and sliding ------------------------------------------------------------------------

    def add(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Assert `facts[i]` at `levels[i]`; what base it had before goes to `previous[i]` (-1 if none).

        Every level is FOREVER or between `oldest` and `newest`. Costs the firings of facts that were not
        stored; O(1) for one that was.
        """
        i: cython.Py_ssize_t
        row: cython.int
        stored: cython.int = self.live
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fetch_block(facts, i)
                    if self.live > stored:
                        self.fetch_entrances(facts, i)
                    stored = self.live
                row = self.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row >= 0:
                    previous[i] = self.rows[row].base
                    self.flag(row)
                else:
                    previous[i] = -1
                    row = self.insert(facts[i, 0], facts[i, 1], facts[i, 2], self.edge_of(facts[i, 0]))
                    self.enqueue(row, levels[i])
                if self.rows[row].base < levels[i]:
                    self.rows[row].base = levels[i]
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
        if self.crossing_is_stale:
            self.choose_crossing()
        with cython.nogil:
            self.merged = True
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fetch_block(facts, i)
                    self.fetch_entrances(facts, i)
                row = self.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if i < asserted:
                    previous[i] = -1 if row < 0 else self.rows[row].base
                if row < 0:
                    row = self.insert(facts[i, 0], facts[i, 1], facts[i, 2], self.edge_of(facts[i, 0]))
                    self.enqueue(row, level)
                    self.rows[row].flags |= FINISHED | UNPROVEN
                elif i >= asserted and self.rows[row].level < level and self.rows[row].held < level:
                    self.rows[row].held = level
                if i < asserted and self.rows[row].base < level:
                    self.rows[row].base = level
                self.flag(row)
            self.run()

    def stored(self, facts: cython.int[:, ::1], answers: cython.int[::1]):
        """Put 1 into `answers` for each of `facts` that has a row, 0 for the others."""
        i: cython.Py_ssize_t
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fetch_block(facts, i)
                answers[i] = self.find(facts[i, 0], facts[i, 1], facts[i, 2]) >= 0

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
                    self.fetch_block(facts, i)
                    self.fetch_entrances(facts, i)
                row = self.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row < 0:
                    row = self.insert(facts[i, 0], facts[i, 1], facts[i, 2], EDGE if edges[i] else 0)
                self.raise_to(row, levels[i])
                self.take(row)

    def note(self, facts: cython.int[:, ::1], levels: cython.int[::1], previous: cython.int[::1]):
        """Note that `facts[i]`, which are stored, are asserted at `levels[i]`; fill `previous` as `add`."""
        i: cython.Py_ssize_t
        row: cython.int
        with cython.nogil:
            for i in range(len(facts)):
                if i % AHEAD == 0:
                    self.fetch_block(facts, i)
                row = self.find(facts[i, 0], facts[i, 1], facts[i, 2])
                previous[i] = self.rows[row].base
                if self.rows[row].base < levels[i]:
                    self.rows[row].base = levels[i]
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
                    self.fetch_block(facts, i)
                row = self.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if not self.is_edge(row):
                    self.make_edge(row)
            self.run()

    def fetch_block(self, facts, start):
        """Begin to read the cells of the facts after the next ones."""
        i: cython.Py_ssize_t
        if not self.reads_ahead:
            return
        for i in range(start + AHEAD if start > 0 else 0, min(start + 2 * AHEAD, len(facts))):
            self.fetch_fact(facts[i, 0], facts[i, 1], facts[i, 2])

    def fetch_entrances(self, facts, start):
        """Begin to read what the next facts will change as they are entered: cells first, then rows."""
        i: cython.Py_ssize_t
        if not self.reads_ahead:
            return
        for i in range(start + AHEAD if start > 0 else 0, min(start + 2 * AHEAD, len(facts))):
            self.fetch_chains(facts[i, 0], facts[i, 1], facts[i, 2], self.edge_of(facts[i, 0]))
        for i in range(start, min(start + AHEAD, len(facts))):
            self.fetch_chained(facts[i, 0], facts[i, 1], facts[i, 2], self.edge_of(facts[i, 0]))

    def slide(self, oldest: cython.int):
        """The window now starts at level `oldest`: drop the older partitions, after renewing what is asserted
        since.

        Fires no rule for facts that leave; costs the firings of those that are renewed.
        """
        level: cython.int
        row: cython.int
        after: cython.int
        start: cython.int = self.oldest
        detect: cython.bint = self.detect
        with cython.nogil:
            self.oldest = oldest
            self.detect = False
            for level in range(start, oldest):
                row = self.partitions[self.bucket(level)]
                while row >= 0:
                    after = self.rows[row].next_listed
                    if self.reach(row) >= oldest:
                        self.renewals += 1
                        self.renew(row)
                    row = after
            self.run()
            for level in range(start, oldest):
                self.remove_all(self.partitions[self.bucket(level)])
                self.partitions[self.bucket(level)] = -1
            self.detect = detect

    def remove_all(self, row):
        """Forget the facts of `row` and of those after it in its list."""
        after: cython.int
        ahead: cython.int = row
        distance: cython.int = 0
        while row >= 0:
            while self.reads_ahead and ahead >= 0 and distance < AHEAD:
                self.fetch_neighbours(ahead)
                ahead = self.rows[ahead].next_listed
                distance += 1
            after = self.rows[row].next_listed
            self.remove(row)
            row = after
            distance -= 1
        return 0

    def settle(self):
        """Bring every level up to date with what was asserted again. Costs a pass over the rows."""
        row: cython.int
        detect: cython.bint = self.detect
        with cython.nogil:
            self.detect = False
            for row in range(self.used):
                if self.rows[row].predicate >= 0 and self.reach(row) > self.rows[row].level:
                    self.renew(row)
            self.run()
            self.detect = detect

    def renumber(self, less: cython.int):
        """Lower all levels by `less`, a multiple of the levels there is room for: lists stay in place."""
        row: cython.int
        for row in range(self.used):
            if 0 <= self.rows[row].level < FOREVER:
                self.rows[row].level -= less
            if self.rows[row].base < FOREVER:
                self.rows[row].base = max(-1, self.rows[row].base - less)
            self.rows[row].held = max(-1, self.rows[row].held - less)
        self.oldest -= less
        self.newest -= less

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
                row = self.find(facts[i, 0], facts[i, 1], facts[i, 2])
                if row >= 0:
                    if self.merged and self.rows[row].base > max(bases[i], self.rows[row].level):
                        self.rows[row].held = max(self.rows[row].held, self.rows[row].base)
                        self.shake(row)
                    self.rows[row].base = bases[i]
                    self.consider(row, doomed)
            self.overdelete(doomed)
            self.rederive(doomed)
            self.detect = detect

    def reach(self, row):
        """The largest of the row's level, base and held."""
        reach: cython.int = self.rows[row].level
        if self.rows[row].base > reach:
            reach = self.rows[row].base
        if self.rows[row].held > reach:
            reach = self.rows[row].held
        return reach

    def rested_on(self, row):
        """The level up to which others may rest on the row."""
        return self.reach(row) if self.merged else self.rows[row].level

    def renew(self, row):
        """Queue `row` at its reach."""
        self.enqueue(row, self.reach(row))
        if self.rows[row].base < self.rows[row].level:
            self.rows[row].flags |= UNPROVEN
        return 0

    def shake(self, row):
        """Note that `held` of the row is no longer to be trusted."""
        if not self.rows[row].flags & SHAKEN:
            self.rows[row].flags |= SHAKEN
            self.shaken.push(row)
        return 0

    def touch(self, row, level):
        """A rule instance that held up `row` as far as `level` may be lost: note what has to be looked at."""
        if level < self.rows[row].level:
            return 0
        if 0 <= self.rows[row].held <= level:
            self.shake(row)
        if not self.rows[row].flags & (NOTED | DOOMED):
            self.rows[row].flags |= NOTED
            self.found.push(row)
        return 0

    def consider(self, row, doomed):
        """Overdelete `row` unless its base or a well-founded proof still holds it at its level."""
        level: cython.int = self.rows[row].level
        if self.rows[row].flags & DOOMED or self.rows[row].base >= level:
            return 0
        if self.rows[row].held >= level and not self.rows[row].flags & SHAKEN:
            return 0
        self.patience = PATIENCE
        if self.support(row, level, level, self.rows[row].sequence) >= level:
            return 0
        self.rows[row].flags |= DOOMED
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
                self.rows[doomed.items[i]].flags |= PROCESSED
                i += 1
            end = self.shaken.size
            while shaken < end:
                if not self.rows[self.shaken.items[shaken]].flags & PROCESSED:
                    self.fire(self.shaken.items[shaken], self.reach(self.shaken.items[shaken]))
                shaken += 1
            for j in range(self.found.size):
                self.rows[self.found.items[j]].flags &= ~NOTED
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
            self.rows[self.shaken.items[i]].held = -1
            self.rows[self.shaken.items[i]].flags &= ~SHAKEN
        for i in range(doomed.size):
            row = doomed.items[i]
            self.delist(row)
            self.rows[row].level = -1
            self.rows[row].flags &= EDGE | ARRIVED
            self.rows[row].flags |= PENDING  # hidden until it is derived again
        for i in range(self.instances.size):
            row = doomed.items[i] if i < doomed.size else self.shaken.items[i - doomed.size]
            level = self.instances.items[i]
            if i < doomed.size and self.reach(row) > level:
                level = self.reach(row)
            if level >= self.oldest and level > self.rows[row].level:
                self.enqueue(row, level)
                if self.merged:
                    self.rows[row].flags |= UNPROVEN
        self.shaken.size = 0
        self.run()
        for i in range(doomed.size):
            if self.rows[doomed.items[i]].level < 0:
                self.remove(doomed.items[i])
        self.instances.size = 0
        return 0

    def check_invariants(self):
        """Assert that rows, lists and levels agree. Costs O(rows); for tests."""
        TakingRows.check_invariants(self)
        row: cython.int
        for row in range(self.used):
            assert self.rows[row].predicate < 0 or not self.rows[row].flags & ~(UNPROVEN | EDGE | ARRIVED), (
                "a flag is left"
            )
            assert self.rows[row].held == -1 or self.rows[row].held > self.rows[row].level, "held in vain"

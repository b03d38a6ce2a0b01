"""Temporal kernel: a materialization whose facts carry expiries, and the operators between its strata.

The kernel is the same as that of the window model, with expiries for levels. The expiry of a fact is the last
tick at which it holds without new input: the maximum over its derivations of the minimum over the body. When
time advances, expired facts are dropped by partition, without evaluating a rule.

An operator evaluates what positive rules cannot: negation, and □ over conclusions. It reads the changes of
some predicates, and inserts or deletes base rows of its own predicate. Operators react in the order of their
ranks (see `numbered.evaluation_ranks`).

□ stores for each fact the start of the present run of ticks at which it holds:

window [n], present tick t               t-n             t
a run that began at t-n or before:   ----|===============|      □ holds
a run that began later:                       |==========|      □ will hold at start + n
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, as_tuples, distinct_facts, net_changes
from pantarhei.materialize.kernel.anti_join import AntiJoin
from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel.newest import NewestKernel
from pantarhei.materialize.kernel.rows import UNLIMITED_BYTES
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import Work
from pantarhei.rules.compilation.program import Program
from pantarhei.temporal.numbered import LiteralEvaluator

Expiries = npt.NDArray[np.int64]

Until = Expiries | int
"""Expiry of each fact, or one expiry for all facts."""

UNTIL_REMOVED: Final = 1 << 61
"""Expiry of facts that hold until they are removed, later than every tick (`ticks.py`)."""

EXPIRED: Final = -(1 << 62)
"""Expiry of a fact that does not hold, earlier than every tick (`ticks.py`)."""


class ExpiryModel:
    """Facts of the temporal kernel at the present tick; ticks ascend.

    Args:
        program: the kernel's rules.
        literals: evaluates functions and data ranges on literals.
        tick: the present tick.
    """

    # The kernel's levels have 32 bits: from this one on they are renumbered, starting near the present tick.
    renumber_at = 1 << 29

    def __init__(self, program: Program, literals: LiteralEvaluator, tick: int) -> None:
        self._kernel: Any = NewestKernel(program.plans)
        self._kernel.detect = False
        self._kernel.settle_inert_at_once()
        self._predicates = len(program.predicates)
        self._consult: Callable[[], None] = lambda: None
        if program.builtins or program.ranges:
            self._consult = lambda: self._kernel.use_literals(literals)
        self._shift = tick  # tick minus level
        self._expiries: list[int] = []  # heap of the ticks in `_scheduled`
        self._scheduled: set[int] = set()
        self._is_hiding = False  # true if expired facts may be stored
        self.tick = tick

    def record_only(self, predicates: Collection[int]) -> None:
        """Record the changes of some predicates only. To be called before facts are added.

        Args:
            predicates: numbers of the predicates.
        """
        for predicate in range(self._predicates):
            if predicate not in predicates:
                self._kernel.store.stop_recording(predicate)

    def limit(self, most_bytes: int) -> None:
        """Limit the size of the arrays from now on.

        Raises:
            CapacityExceededError: (from `add`, `lower` and `advance`) the limit is exceeded; the model is
            unusable afterwards.
        """
        self._kernel.store.max_bytes = min(most_bytes, UNLIMITED_BYTES)

    def advance(self, tick: int) -> None:
        """Advance to a later tick. Costs time linear in the expired facts, however far the tick is.

        Rules no longer match expired facts. The facts are removed at the next call other than `add`, so that
        a fact added again at this tick counts as unchanged.
        """
        self._drop_expired()
        self.tick = tick
        kernel, level = self._kernel, tick - self._shift
        if (
            level > kernel.newest + 1
        ):  # all scheduled expiries have passed: the tick gets the next level, since
            level = kernel.newest + 1  # each skipped level would allocate a partition
            self._shift = tick - level
        if level >= self.renumber_at:
            less = kernel.oldest // kernel.level_capacity * kernel.level_capacity
            kernel.renumber(less)
            self._shift += less
            level -= less
        self._reach(level)
        kernel.start_window(level)
        self._is_hiding = True
        while self._expiries and self._expiries[0] < tick:
            self._scheduled.discard(heappop(self._expiries))

    def _drop_expired(self) -> None:
        """Remove expired facts that are still stored."""
        if self._is_hiding:
            self._kernel.drop_expired()
            self._is_hiding = False

    def next_expiry(self) -> int | None:
        """Return the earliest scheduled expiry, at the present tick or later; None if there is none.

        Some fact may hold at this tick and not at the next one.
        """
        return self._expiries[0] if self._expiries else None

    def add(self, facts: Integers, until: Until) -> Integers:
        """Insert base facts, or raise their expiries; expiries are not before the present tick.

        Returns:
            The kernel's level of each fact before the call. `expiries` converts the levels to expiries, until
            time advances.
        """
        return self._add(facts, self._levels(until, len(facts)))

    def add_parts(self, parts: Sequence[tuple[Integers, int]]) -> tuple[Integers, Integers]:
        """Insert several arrays of facts, each with one expiry; return all facts, and their levels before the
        call.
        """
        if len(parts) == 1:
            return parts[0][0], self.add(*parts[0])
        facts = np.concatenate([facts for facts, _ in parts])
        levels = np.array([self._level(until) for _, until in parts], np.int32)
        return facts, self._add(facts, levels.repeat([len(facts) for facts, _ in parts]))

    def _add(self, facts: Integers, levels: Integers) -> Integers:
        self._consult()
        previous = np.empty(len(facts), np.int32)
        self._kernel.add(contiguous(facts), contiguous(levels), contiguous(previous))
        return previous

    def expiries(self, levels: Integers) -> Expiries:
        """Convert the kernel's levels to expiries; `NONE` becomes `EXPIRED`."""
        found = levels.astype(np.int64) + self._shift
        found[levels == FOREVER] = UNTIL_REMOVED
        found[levels == NONE] = EXPIRED
        return found

    def lower(self, facts: Integers, until: Until) -> None:
        """Lower the expiries of base facts; an expiry before the present tick removes the fact."""
        self._drop_expired()
        self._consult()
        self._kernel.retract(contiguous(facts), contiguous(self._levels(until, len(facts))))

    def take_changes(self) -> Integers:
        """Return changes of recorded predicates since the last call, shape (n, 4).

        The last column is 1 for an inserted fact, -1 for a deleted one. A fact may occur several times.
        """
        self._drop_expired()
        changes: Integers = self._kernel.store.take_changes()
        return changes

    def antijoin(self, negated: int, candidates: int, absent: int, unit: int | None) -> AntiJoin:
        """Return the kernel's incremental antijoin of two predicates; see `NegationGuard`."""
        return AntiJoin(self._kernel.store, negated, candidates, absent, NONE if unit is None else unit)

    def antijoin_changes(self, anti_join: AntiJoin, changed: Integers) -> tuple[Integers, Integers]:
        """Return the rows of an antijoin to insert and to delete after changes of facts; a row may occur
        twice.
        """
        self._drop_expired()
        inserted, deleted = anti_join.changes(contiguous(changed))
        return inserted, deleted

    def present(self, facts: Integers) -> npt.NDArray[np.bool_]:
        """Return a mask of the facts that hold."""
        self._drop_expired()
        return np.asarray(self._kernel.store.present(contiguous(facts)), np.bool_)

    def facts(self, predicates: npt.NDArray[np.bool_] | None = None) -> Integers:
        """Return all facts, or those of some predicates, shape (n, 3). Costs a scan of the rows.

        Args:
            predicates: mask over the predicates; None for all.
        """
        self._drop_expired()
        mask = np.ones(self._predicates, np.uint8) if predicates is None else predicates.view(np.uint8)
        facts: Integers = self._kernel.store.facts_of(mask)
        return facts

    @property
    def work(self) -> Work:
        """The kernel's counters of work."""
        self._drop_expired()
        return Work(*(int(getattr(self._kernel, name)) for name in Work._fields))

    @property
    def bytes_used(self) -> int:
        """Size of the kernel's arrays in bytes."""
        return int(self._kernel.bytes_used())

    @property
    def spare_bytes(self) -> int:
        """Lower bound of the bytes that a rebuild of the model would release."""
        return max(0, int(self._kernel.store.spare_bytes()))

    def check_invariants(self) -> None:
        """Assert that rows, indexes and levels are consistent. Costs time linear in the facts; for tests."""
        self._kernel.check_invariants()

    def _levels(self, until: Until, count: int) -> Integers:
        """Return the kernel's levels for expiries; allocate their partitions."""
        if isinstance(until, int):
            return np.full(count, self._level(until), np.int32)
        kinds, places = np.unique(until, return_inverse=True)
        levels = np.array([self._level(expiry) for expiry in kinds.tolist()], np.int32)
        return levels[places]

    def _level(self, expiry: int) -> int:
        """Return the kernel's level for an expiry, and schedule the expiry."""
        if expiry >= UNTIL_REMOVED:
            return FOREVER
        if expiry < self.tick:
            return NONE
        if expiry not in self._scheduled:
            self._scheduled.add(expiry)
            heappush(self._expiries, expiry)
            self._reach(expiry - self._shift)
        return expiry - self._shift

    def _reach(self, level: int) -> None:
        """Allocate partitions for levels up to `level`."""
        kernel = self._kernel
        if level > kernel.newest:
            kernel.newest = level
            kernel.reserve_levels(level - kernel.kept + 2)


class StateBox:
    """□ over facts that begin and end, such as states and conclusions.

    Args:
        size: length of the window in ticks.
        first: first tick of the timeline; windows are truncated there.
    """

    def __init__(self, size: int, first: int) -> None:
        self._size, self._first = size, first
        self._starts: dict[Fact, int] = {}
        self._due: dict[int, set[Fact]] = {}  # facts by the first tick at which □ holds
        self._dues: list[int] = []  # heap of the keys of `_due`
        # starts of runs that ended at the present tick; a run continues if its fact begins again at this tick
        self._broken: dict[Fact, int] = {}
        self._broken_at = first

    def restore(self, starts: dict[Fact, int], tick: int) -> list[Fact]:
        """Resume at a tick with runs that began earlier; return the facts for which □ holds at the tick."""
        self._starts = starts
        held: list[Fact] = []
        for fact, start in starts.items():
            if self._holds_from(start) <= tick:
                held.append(fact)
            else:
                self._schedule(self._holds_from(start), fact)
        return held

    def next_due(self) -> int | None:
        """Return the next tick at which a run becomes long enough; None if there is none."""
        while self._dues and not self._due[self._dues[0]]:
            del self._due[heappop(self._dues)]
        return self._dues[0] if self._dues else None

    def advance(self, tick: int) -> list[Fact]:
        """Advance to a tick; return the facts whose runs have become long enough."""
        fresh: list[Fact] = []
        while self._dues and self._dues[0] <= tick:
            fresh += sorted(self._due.pop(heappop(self._dues)))
        return fresh

    def change(self, added: list[Fact], removed: list[Fact], tick: int) -> tuple[list[Fact], list[Fact]]:
        """Apply begun and ended facts of the present tick.

        Returns: Facts for which □ begins to hold, and facts for which it ceases to hold.
        """
        if tick != self._broken_at:
            self._broken, self._broken_at = {}, tick
        fresh: list[Fact] = []
        for fact in added:
            start = self._starts[fact] = self._broken.pop(fact, tick)
            holds_from = self._holds_from(start)
            if holds_from <= tick:
                fresh.append(fact)
            else:
                self._schedule(holds_from, fact)
        ended: list[Fact] = []
        for fact in removed:
            start = self._starts.pop(fact)
            if start < tick:
                self._broken[fact] = start
            holds_from = self._holds_from(start)
            if holds_from <= tick:
                ended.append(fact)
            else:
                self._due[holds_from].discard(fact)
        return fresh, ended

    def _schedule(self, due: int, fact: Fact) -> None:
        if due not in self._due:
            heappush(self._dues, due)
        self._due.setdefault(due, set()).add(fact)

    def _holds_from(self, start: int) -> int:
        """Return the first tick whose window, truncated at the start of the timeline, is inside a run."""
        return start if start <= self._first else start + self._size


class RowChanges(NamedTuple):
    """Base rows to insert and to delete; both of shape (n, 3)."""

    inserted: Integers
    deleted: Integers


NO_ROW_CHANGES: Final = RowChanges(NO_FACTS, NO_FACTS)
"""No rows."""


class StratumOperator:
    """Operator between strata: derives base rows of one predicate from the changes of others.

    Attributes:
        watched: predicates whose changes the operator reads.
        derives: predicate of its rows; `NONE` if any other operator may depend on the rows.
    """

    watched: tuple[int, ...]
    derives: int

    def react(self, changed: Integers, model: ExpiryModel) -> RowChanges:
        """Return row changes after changes of the watched predicates.

        Args:
            changed: shape (n, 4); the last column is 1 for inserted facts, -1 for deleted ones. A fact may
                occur several times.
        """
        raise NotImplementedError

    def advance(self, tick: int, model: ExpiryModel) -> RowChanges:
        """Return the row changes at a new tick at which the operator is due."""
        return NO_ROW_CHANGES

    def next_due(self) -> int | None:
        """Return the next tick at which rows change although no watched fact changes, or None."""
        return None


class Negation(StratumOperator):
    """Incremental antijoin: the rows of `candidates` without a matching row of `negated`.

    Args:
        negated, candidates, absent: predicates, as in `temporal_program.NegationGuard`.
        unit: number of the unit if `negated` is a class; None if it is a property.
        model: model with the facts.
    """

    def __init__(
        self, negated: int, candidates: int, absent: int, unit: int | None, model: ExpiryModel
    ) -> None:
        self._anti_join = model.antijoin(negated, candidates, absent, unit)
        self.watched, self.derives = (negated, candidates), absent

    def react(self, changed: Integers, model: ExpiryModel) -> RowChanges:
        inserted, deleted = model.antijoin_changes(self._anti_join, changed)
        return RowChanges(distinct_facts(inserted), distinct_facts(deleted))


class ConclusionBox(StratumOperator):
    """□ over remembered conclusions.

    Args:
        source, target: predicates, as in `temporal_program.ConclusionRun`.
        size: length of the window in ticks.
        first: first tick of the timeline; windows are truncated there.
    """

    def __init__(self, source: int, target: int, size: int, first: int) -> None:
        self.source, self._target = source, target
        self._box = StateBox(size, first)
        self._running: set[Fact] = set()
        self.watched, self.derives = (source,), target

    def restore(self, starts: dict[Fact, int], tick: int) -> Integers:
        """Resume at a tick with runs that began earlier; return the rows that hold at the tick."""
        self._running = set(starts)
        return rows_of(self._box.restore(dict(starts), tick), self._target)

    def react(self, changed: Integers, model: ExpiryModel) -> RowChanges:
        rows = net_changes(changed)[:, :3]
        there = list(zip(as_tuples(rows), model.present(rows).tolist(), strict=True))
        added = [fact for fact, holds in there if holds and fact not in self._running]
        removed = [fact for fact, holds in there if not holds and fact in self._running]
        self._running.update(added)
        self._running.difference_update(removed)
        fresh, ended = self._box.change(added, removed, model.tick)
        return RowChanges(rows_of(fresh, self._target), rows_of(ended, self._target))

    def advance(self, tick: int, model: ExpiryModel) -> RowChanges:
        return RowChanges(rows_of(self._box.advance(tick), self._target), NO_FACTS)

    def next_due(self) -> int | None:
        return self._box.next_due()


def with_predicate(rows: Integers, predicate: int) -> Integers:
    """Return a copy of rows with another predicate."""
    renamed = rows[:, :3].copy()
    renamed[:, 0] = predicate
    return renamed


def rows_of(facts: list[Fact], predicate: int) -> Integers:
    """Return facts as rows of another predicate, shape (n, 3)."""
    return with_predicate(np.array(facts, np.int32).reshape(-1, 3), predicate)

"""The second kernel: facts with the last tick at which they hold unless something new comes.

It is the kernel of the window model, with expiries for levels: a fact's level is the largest over its
derivations of the smallest in their bodies. What expires is dropped by partition, and fires no rule.

□: what has held at each tick of a window, kept as the start of each fact's present run.

window [n], present tick t               t-n             t
a run that began at t-n or before:   ----|===============|      holds
a run that began later:                       |==========|      will hold at its start + n

What goes on between the strata of temporal rules: negation, and boxes over conclusions.

An operator watches some predicates of the second kernel. Told which of their facts have come (1) and gone
(-1, last column) since it was told last, it says which rows of its own are to come and to go. Those that
others rest on go first (see `ordering`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, as_tuples, each_once, net_changes
from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel.guarding import Guarding
from pantarhei.materialize.kernel.newest import NewestKernel
from pantarhei.materialize.kernel.rows import UNLIMITED_BYTES
from pantarhei.materialize.kernel_values import readable
from pantarhei.materialize.model import Work
from pantarhei.rules.compilation.program import Program

Expiries = npt.NDArray[np.int64]

Until = Expiries | int
"""The expiry of each of some facts, or the one that all of them have."""

UNTIL_REMOVED: Final = 1 << 61
"""The expiry of what holds until it is taken out; later ones are the same. Ticks end before (`ticks.py`)."""

EXPIRED: Final = -(1 << 62)
"""The expiry of a fact that does not hold. Every tick is later (`ticks.py`), negative ones too."""


class LiteralFunctions(Protocol):
    """What the kernel asks about literals (`Matcher.consult`)."""

    @property
    def memberships(self) -> npt.NDArray[np.uint8]: ...
    def evaluate(self, builtin: int, left: int, right: int) -> int: ...


class ExpiryModel:
    """Facts of the second kernel; ticks count upwards.

    Args:
        program: its rules.
        literals: what it asks about literals.
        tick: the present one.
    """

    # Levels are 32-bit in the kernel: from here on it counts them anew from the present tick.
    renumber_at = 1 << 29

    def __init__(self, program: Program, literals: LiteralFunctions, tick: int) -> None:
        self._kernel: Any = NewestKernel(program.plans)
        self._kernel.detect = False
        self._kernel.settle_at_once()
        self._predicates = len(program.predicates)
        self._consult: Callable[[], None] = lambda: None
        if program.builtins or program.ranges:
            self._consult = lambda: self._kernel.consult(literals)
        self._shift = tick  # what the kernel's levels are lower by
        self._expiries: list[int] = []  # a heap of the ticks in `_waiting`
        self._waiting: set[int] = set()
        self._is_hiding = False  # whether something that has expired may be there
        self.tick = tick

    def record_only(self, noted: Collection[int]) -> None:
        """Let changes be those of some predicates; before there are facts.

        Args:
            noted: the predicates.
        """
        for predicate in range(self._predicates):
            if predicate not in noted:
                self._kernel.store.leave_unnoted(predicate)

    def limit(self, most_bytes: int) -> None:
        """Let its arrays grow to no more than so many bytes from now on.

        Raises:
            Overfull: (`add`, `lower`, `advance`) that is not enough. The model is of no use any more.
        """
        self._kernel.store.most_bytes = min(most_bytes, UNLIMITED_BYTES)

    def advance(self, tick: int) -> None:
        """Time comes to a tick: no rule sees what has expired. Costs what expires, however far the tick is.

        It goes when something other than `add` is asked for: what comes again at the tick has not changed.
        """
        self._let_go()
        self.tick = tick
        kernel, level = self._kernel, tick - self._shift
        if level > kernel.newest + 1:  # all that expires has: the next level is that of the tick, though it
            level = kernel.newest + 1  # is far away, since there is a partition for each level between
            self._shift = tick - level
        if level >= self.renumber_at:
            less = kernel.oldest // kernel.room * kernel.room
            kernel.renumber(less)
            self._shift += less
            level -= less
        self._reach(level)
        kernel.hide(level)
        self._is_hiding = True
        while self._expiries and self._expiries[0] < tick:
            self._waiting.discard(heappop(self._expiries))

    def _let_go(self) -> None:
        """Have what has expired go, if it is there still."""
        if self._is_hiding:
            self._kernel.drop()
            self._is_hiding = False

    def next_expiry(self) -> int | None:
        """The first tick, not before the present one, after which some fact may hold no more."""
        return self._expiries[0] if self._expiries else None

    def add(self, facts: Integers, until: Until) -> Integers:
        """Let facts hold until their expiries at least; none is before the present tick.

        Returns: Levels of the kernel, which `expiries` reads until time moves on: those that these base facts
            had before.
        """
        return self._add(facts, self._levels(until, len(facts)))

    def add_parts(self, parts: Sequence[tuple[Integers, int]]) -> tuple[Integers, Integers]:
        """As `add`, for the facts of several parts; returns them with their levels before."""
        if len(parts) == 1:
            return parts[0][0], self.add(*parts[0])
        facts = np.concatenate([facts for facts, _ in parts])
        levels = np.array([self._level(until) for _, until in parts], np.int32)
        return facts, self._add(facts, levels.repeat([len(facts) for facts, _ in parts]))

    def _add(self, facts: Integers, levels: Integers) -> Integers:
        self._consult()
        previous = np.empty(len(facts), np.int32)
        self._kernel.add(readable(facts), readable(levels), readable(previous))
        return previous

    def expiries(self, levels: Integers) -> Expiries:
        """Return the expiries of levels of the kernel, `EXPIRED` for `NONE`."""
        found = levels.astype(np.int64) + self._shift
        found[levels == FOREVER] = UNTIL_REMOVED
        found[levels == NONE] = EXPIRED
        return found

    def lower(self, facts: Integers, until: Until) -> None:
        """Lower base facts to their expiries; an expiry before the present tick, as `EXPIRED`, removes."""
        self._let_go()
        self._consult()
        self._kernel.retract(readable(facts), readable(self._levels(until, len(facts))))

    def take_changes(self) -> Integers:
        """Facts that came (1) and went (-1, last column) since the last call, of predicates that are noted; a
        fact may recur.
        """
        self._let_go()
        changes: Integers = self._kernel.store.take_changes()
        return changes

    def guarding(self, denied: int, asked: int, free: int, unit: int | None) -> Guarding:
        """What says of its facts which of `free` are to come and to go, for `next_state`."""
        return Guarding(self._kernel.store, denied, asked, free, NONE if unit is None else unit)

    def guarded_changes(self, guarding: Guarding, changed: Integers) -> tuple[Integers, Integers]:
        """What is to come and to go since facts have changed; a row may recur."""
        self._let_go()
        coming, going = guarding.turned(readable(changed))
        return coming, going

    def present(self, facts: Integers) -> npt.NDArray[np.bool_]:
        """Which facts hold."""
        self._let_go()
        return np.asarray(self._kernel.store.present(readable(facts)), np.bool_)

    def facts(self) -> Integers:
        """All that holds, shape (n, 3). Costs a pass over the rows."""
        self._let_go()
        predicates, subjects, objects = self._kernel.store.columns("predicate", "subject", "object")
        there = predicates >= 0
        return np.stack([predicates[there], subjects[there], objects[there]], axis=1).astype(np.int32)

    def facts_of(self, wanted: npt.NDArray[np.bool_]) -> Integers:
        """All that holds of some predicates, shape (n, 3). Costs a look at each row.

        Args:
            wanted: for each predicate whether it is one of them.
        """
        self._let_go()
        facts: Integers = self._kernel.store.facts_of(wanted.view(np.uint8))
        return facts

    @property
    def work(self) -> Work:
        """The work counters."""
        self._let_go()
        return Work(*(int(getattr(self._kernel, name)) for name in Work._fields))

    @property
    def bytes_used(self) -> int:
        """What its arrays take."""
        return int(self._kernel.bytes_used())

    @property
    def spare_bytes(self) -> int:
        """How many of these one made anew for the same facts would not need, at least."""
        return max(0, int(self._kernel.store.spare_bytes()))

    def check_invariants(self) -> None:
        """Assert that rows, lists and levels agree. Costs the facts; for tests."""
        self._kernel.check_invariants()

    def _levels(self, until: Until, count: int) -> Integers:
        """The levels of the kernel for so many expiries; there is a partition for each then."""
        if isinstance(until, int):
            return np.full(count, self._level(until), np.int32)
        kinds, places = np.unique(until, return_inverse=True)
        levels = np.array([self._level(expiry) for expiry in kinds.tolist()], np.int32)
        return levels[places]

    def _level(self, expiry: int) -> int:
        """The level for an expiry. Notes that something may end then."""
        if expiry >= UNTIL_REMOVED:
            return FOREVER
        if expiry < self.tick:
            return NONE
        if expiry not in self._waiting:
            self._waiting.add(expiry)
            heappush(self._expiries, expiry)
            self._reach(expiry - self._shift)
        return expiry - self._shift

    def _reach(self, level: int) -> None:
        """Make room for levels up to this one."""
        kernel = self._kernel
        if level > kernel.newest:
            kernel.newest = level
            kernel.widen(level - kernel.kept + 2)


class StateBox:
    """Always within a window, of what comes and goes (states, conclusions).

    Args:
        size: how many ticks the window reaches back.
        first: where the timeline begins: windows look back no further.
    """

    def __init__(self, size: int, first: int) -> None:
        self._size, self._first = size, first
        self._starts: dict[Fact, int] = {}
        self._due: dict[int, set[Fact]] = {}  # by the tick they hold from
        self._dues: list[int] = []  # a heap of these ticks
        self._broken: dict[Fact, int] = {}  # runs that ended at a tick, and may go on there yet
        self._broken_at = first

    def restore(self, starts: dict[Fact, int], tick: int) -> list[Fact]:
        """Go on at a tick with what has run since some start; returns what holds then."""
        self._starts = starts
        held: list[Fact] = []
        for fact, start in starts.items():
            if self._holds_from(start) <= tick:
                held.append(fact)
            else:
                self._wait(self._holds_from(start), fact)
        return held

    def next_due(self) -> int | None:
        """The next tick from which a run is long enough."""
        while self._dues and not self._due[self._dues[0]]:
            del self._due[heappop(self._dues)]
        return self._dues[0] if self._dues else None

    def advance(self, tick: int) -> list[Fact]:
        """A new tick has come: what holds from then on, since its run has become long enough."""
        fresh: list[Fact] = []
        while self._dues and self._dues[0] <= tick:
            fresh += sorted(self._due.pop(heappop(self._dues)))
        return fresh

    def change(self, came: list[Fact], went: list[Fact], tick: int) -> tuple[list[Fact], list[Fact]]:
        """What came and went at the present tick; returns what holds now and what no more."""
        if tick != self._broken_at:
            self._broken, self._broken_at = {}, tick
        fresh: list[Fact] = []
        for fact in came:
            start = self._starts[fact] = self._broken.pop(fact, tick)
            holds_from = self._holds_from(start)
            if holds_from <= tick:
                fresh.append(fact)
            else:
                self._wait(holds_from, fact)
        ended: list[Fact] = []
        for fact in went:
            start = self._starts.pop(fact)
            if start < tick:
                self._broken[fact] = start
            holds_from = self._holds_from(start)
            if holds_from <= tick:
                ended.append(fact)
            else:
                self._due[holds_from].discard(fact)
        return fresh, ended

    def _wait(self, due: int, fact: Fact) -> None:
        if due not in self._due:
            heappush(self._dues, due)
        self._due.setdefault(due, set()).add(fact)

    def _holds_from(self, start: int) -> int:
        """The first tick at which the window lies inside a run, cut where the timeline begins."""
        return start if start <= self._first else start + self._size


class RowChanges(NamedTuple):
    """Base rows that are to come, and those that are to go; shape (n, 3)."""

    coming: Integers
    going: Integers


NO_ROW_CHANGES: Final = RowChanges(NO_FACTS, NO_FACTS)
"""No rows."""


class StratumOperator(Protocol):
    """What it must be able to do."""

    @property
    def watched(self) -> tuple[int, ...]:
        """The predicates whose changes it is told of."""

    @property
    def makes(self) -> int:
        """The predicate of its rows; `NONE` for what all others may need."""

    def react(self, changed: Integers, model: ExpiryModel) -> RowChanges:
        """Facts of the watched predicates have changed; shape (n, 4), a fact may recur."""

    def advance(self, tick: int, model: ExpiryModel) -> RowChanges:
        """A new tick has come, at which it is due."""

    def next_due(self) -> int | None:
        """The next tick that brings something without a change; None if there is none."""


class Negation:
    """The rows of `free`: what `asked` has and `denied` has not.

    Args:
        denied, asked, free: predicates, as `program.Guard` has them.
        unit: the number of the unit, where `denied` is a class; else None.
        model: what has them.
    """

    def __init__(self, denied: int, asked: int, free: int, unit: int | None, model: ExpiryModel) -> None:
        self._guarding = model.guarding(denied, asked, free, unit)
        self.watched, self.makes = (denied, asked), free

    def react(self, changed: Integers, model: ExpiryModel) -> RowChanges:
        """See `StratumOperator`."""
        coming, going = model.guarded_changes(self._guarding, changed)
        return RowChanges(each_once(coming), each_once(going))

    def advance(self, tick: int, model: ExpiryModel) -> RowChanges:
        """See `StratumOperator`: what a tick brings is told as a change."""
        return NO_ROW_CHANGES

    def next_due(self) -> int | None:
        """See `StratumOperator`."""
        return None


class ConclusionBox:
    """Always within a window, of remembered conclusions.

    Args:
        source, target: predicates, as `program.Run` has them.
        size: how many ticks the window reaches back.
        first: where the timeline begins.
    """

    def __init__(self, source: int, target: int, size: int, first: int) -> None:
        self.source, self._target = source, target
        self._box = StateBox(size, first)
        self._running: set[Fact] = set()
        self.watched, self.makes = (source,), target

    def restore(self, starts: dict[Fact, int], tick: int) -> Integers:
        """Go on at a tick with runs that began earlier; the rows that hold then."""
        self._running = set(starts)
        return rows_of(self._box.restore(dict(starts), tick), self._target)

    def react(self, changed: Integers, model: ExpiryModel) -> RowChanges:
        """See `StratumOperator`."""
        rows = net_changes(changed)[:, :3]
        there = list(zip(as_tuples(rows), model.present(rows).tolist(), strict=True))
        came = [fact for fact, holds in there if holds and fact not in self._running]
        went = [fact for fact, holds in there if not holds and fact in self._running]
        self._running.update(came)
        self._running.difference_update(went)
        fresh, ended = self._box.change(came, went, model.tick)
        return RowChanges(rows_of(fresh, self._target), rows_of(ended, self._target))

    def advance(self, tick: int, model: ExpiryModel) -> RowChanges:
        """See `StratumOperator`."""
        return RowChanges(rows_of(self._box.advance(tick), self._target), NO_FACTS)

    def next_due(self) -> int | None:
        """See `StratumOperator`."""
        return self._box.next_due()


def with_predicate(rows: Integers, predicate: int) -> Integers:
    """The same rows of another predicate."""
    renamed = rows[:, :3].copy()
    renamed[:, 0] = predicate
    return renamed


def rows_of(facts: list[Fact], predicate: int) -> Integers:
    """Facts as rows of a predicate."""
    return with_predicate(np.array(facts, np.int32).reshape(-1, 3), predicate)

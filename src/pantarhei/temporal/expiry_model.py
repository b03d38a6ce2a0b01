"""The second kernel: facts with the last tick at which they hold unless something new comes.

It is the kernel of the window model, with expiries for levels: a fact's level is the largest over its
derivations of the smallest in their bodies. What expires is dropped by partition, and fires no rule.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel.newest import NewestKernel
from pantarhei.materialize.model import Work
from pantarhei.materialize.readable import readable
from pantarhei.rules.compilation.program import Program

Expiries = npt.NDArray[np.int64]

UNTIL_REMOVED: Final = 1 << 61
"""The expiry of what holds until it is taken out; later ones are the same."""


class Literals(Protocol):
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

    def __init__(self, program: Program, literals: Literals, tick: int) -> None:
        self._kernel: Any = NewestKernel(program.plans)
        self._kernel.detect = False
        self._consult: Callable[[], None] = lambda: None
        if program.builtins:
            self._consult = lambda: self._kernel.consult(literals)
        self._shift = tick  # what the kernel's levels are lower by
        self._expiries: list[int] = []  # a heap of the ticks in `_waiting`
        self._waiting: set[int] = set()
        self.tick = tick

    def come_to(self, tick: int) -> None:
        """Time comes to a tick, and what has expired goes."""
        self.tick = tick
        kernel, level = self._kernel, tick - self._shift
        if level >= self.renumber_at:
            less = kernel.oldest // kernel.room * kernel.room
            kernel.renumber(less)
            self._shift += less
            level -= less
        self._reach(level)
        kernel.slide(level)
        while self._expiries and self._expiries[0] < tick:
            self._waiting.discard(heappop(self._expiries))

    def next_expiry(self) -> int | None:
        """The first tick, not before the present one, after which some fact may hold no more."""
        return self._expiries[0] if self._expiries else None

    def add(self, facts: Integers, expiries: Expiries) -> Expiries:
        """Let facts hold until their expiries at least; none is before the present tick.

        Returns: What the expiries of these base facts were before, `NONE` for those that were none.
        """
        self._wait_for(expiries)
        self._consult()
        previous = np.empty(len(facts), np.int32)
        self._kernel.add(readable(facts), readable(self._levels(expiries)), readable(previous))
        before = previous.astype(np.int64) + self._shift
        before[previous == FOREVER] = UNTIL_REMOVED
        before[previous == NONE] = NONE
        return before

    def lower(self, facts: Integers, expiries: Expiries) -> None:
        """Let base facts hold until their expiries only; with one before the present tick they are none."""
        lasting = expiries >= self.tick
        self._wait_for(expiries[lasting])
        self._consult()
        levels = self._levels(expiries)
        levels[~lasting] = NONE
        self._kernel.retract(readable(facts), readable(levels))

    def take_changes(self) -> Integers:
        """Facts that came (1) and went (-1, last column) since the last call; a fact may recur."""
        changes: Integers = self._kernel.store.take_changes()
        return changes

    def present(self, facts: Integers) -> npt.NDArray[np.bool_]:
        """Which facts hold."""
        return np.asarray(self._kernel.store.present(readable(facts)), np.bool_)

    def facts(self) -> Integers:
        """All that holds, shape (n, 3). Costs a pass over the rows."""
        predicates, subjects, objects = self._kernel.store.columns("predicate", "subject", "object")
        there = predicates >= 0
        return np.stack([predicates[there], subjects[there], objects[there]], axis=1).astype(np.int32)

    @property
    def work(self) -> Work:
        """The work counters."""
        return Work(*(int(getattr(self._kernel, name)) for name in Work._fields))

    @property
    def bytes_used(self) -> int:
        """What its arrays take."""
        return int(self._kernel.bytes_used())

    def check_invariants(self) -> None:
        """Assert that rows, lists and levels agree. Costs the facts; for tests."""
        self._kernel.check_invariants()

    def _levels(self, expiries: Expiries) -> Integers:
        levels = np.full(len(expiries), FOREVER, np.int32)
        ending = expiries < UNTIL_REMOVED
        levels[ending] = expiries[ending] - self._shift
        return levels

    def _wait_for(self, expiries: Expiries) -> None:
        """Have a partition for each expiry, and note that something may end then."""
        for expiry in set(expiries[expiries < UNTIL_REMOVED].tolist()) - self._waiting:
            self._waiting.add(expiry)
            heappush(self._expiries, expiry)
            self._reach(expiry - self._shift)

    def _reach(self, level: int) -> None:
        """Make room for levels up to this one."""
        kernel = self._kernel
        if level > kernel.newest:
            kernel.newest = level
            kernel.widen(level - kernel.oldest + 2)

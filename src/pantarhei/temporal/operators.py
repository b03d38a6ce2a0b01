"""What goes on between the strata of temporal rules: negation, and boxes over conclusions.

An operator watches some predicates of the second kernel. Told which of their facts have come (1) and gone
(-1, last column) since it was told last, it says which rows of its own are to come and to go. Those that
others rest on go first (see `ordering`).
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, Fact, Integers, as_tuples, each_once, net_changes
from pantarhei.temporal.boxes import StateBox
from pantarhei.temporal.expiry_model import ExpiryModel


class Rows(NamedTuple):
    """Base rows that are to come, and those that are to go; shape (n, 3)."""

    coming: Integers
    going: Integers


NOTHING: Final = Rows(NO_FACTS, NO_FACTS)
"""No rows."""


class Operator(Protocol):
    """What it must be able to do."""

    @property
    def watched(self) -> tuple[int, ...]:
        """The predicates whose changes it is told of."""

    @property
    def makes(self) -> int:
        """The predicate of its rows; `NONE` for what all others may need."""

    def react(self, changed: Integers, model: ExpiryModel) -> Rows:
        """Facts of the watched predicates have changed; shape (n, 4), a fact may recur."""

    def come_to(self, tick: int, model: ExpiryModel) -> Rows:
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

    def react(self, changed: Integers, model: ExpiryModel) -> Rows:
        """See `Operator`."""
        coming, going = model.turned(self._guarding, changed)
        return Rows(each_once(coming), each_once(going))

    def come_to(self, tick: int, model: ExpiryModel) -> Rows:
        """See `Operator`: what a tick brings is told as a change."""
        return NOTHING

    def next_due(self) -> int | None:
        """See `Operator`."""
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

    def begin(self, starts: dict[Fact, int], tick: int) -> Integers:
        """Go on at a tick with runs that began earlier; the rows that hold then."""
        self._running = set(starts)
        return rows_of(self._box.begin(dict(starts), tick), self._target)

    def react(self, changed: Integers, model: ExpiryModel) -> Rows:
        """See `Operator`."""
        rows = net_changes(changed)[:, :3]
        there = list(zip(as_tuples(rows), model.present(rows).tolist(), strict=True))
        came = [fact for fact, holds in there if holds and fact not in self._running]
        went = [fact for fact, holds in there if not holds and fact in self._running]
        self._running.update(came)
        self._running.difference_update(went)
        fresh, ended = self._box.change(came, went, model.tick)
        return Rows(rows_of(fresh, self._target), rows_of(ended, self._target))

    def come_to(self, tick: int, model: ExpiryModel) -> Rows:
        """See `Operator`."""
        return Rows(rows_of(self._box.come_to(tick), self._target), NO_FACTS)

    def next_due(self) -> int | None:
        """See `Operator`."""
        return self._box.next_due()


def of(rows: Integers, predicate: int) -> Integers:
    """The same rows of another predicate."""
    renamed = rows[:, :3].copy()
    renamed[:, 0] = predicate
    return renamed


def rows_of(facts: list[Fact], predicate: int) -> Integers:
    """Facts as rows of a predicate."""
    return of(np.array(facts, np.int32).reshape(-1, 3), predicate)

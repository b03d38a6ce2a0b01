"""Conclusions of temporal rules that are asserted at the tick after theirs."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, Integers
from pantarhei.errors import TemporalRuleError
from pantarhei.model.messages import counted
from pantarhei.model.time import TimePoint
from pantarhei.repair.result import Repair

MOST_AT_ONCE: Final = 100_000
"""So many ABoxes of conclusions may be asserted on the way of one step."""


class Feedback(NamedTuple):
    """What is asserted because rules have concluded it at the tick before.

    Args:
        at: when, in the stream's smallest units: the first moment of the tick. Where there are no facts, when
            the rules may conclude some, or time has come to where it is to come to.
        facts: the conclusions, in the vocabulary's numbers.
        not_assertable: how many conclusions are no facts, since they have a literal in first place; at each
            tick on the way to `at`.
    """

    at: int
    facts: Integers
    not_assertable: int = 0


def not_asserted_text(count: int) -> str:
    """That so many conclusions were not asserted, and why.

    >>> not_asserted_text(2)
    '2 conclusions not asserted: a literal in first place'
    """
    return f"{counted(count, 'conclusion')} not asserted: a literal in first place"


class FedBack(NamedTuple):
    """An ABox that the reasoner asserted itself: conclusions of temporal rules with feedback.

    Args:
        at: its timestamp, the first moment of a tick.
        facts: how many conclusions of the tick before it has.
        repair: the repair that it called for, if it contradicts something.
    """

    at: TimePoint
    facts: int
    repair: Repair


class Standstill:
    """Sees when each tick is as the one before it: then so is the next, and what is to come is known.

    That is when the same was asserted, and nothing else changed, at as many ticks as rules look back to, and
    at all that the window holds: the state is the same, but for the time.

    Args:
        reach: how many ticks rules look back; None where they look at the time itself, or count assertions.
    """

    def __init__(self, reach: int | None) -> None:
        self._reach, self._facts, self._ticks = reach, NO_FACTS, 0

    def note(self, facts: Integers, is_all: bool) -> None:
        """These were asserted at the next tick, and whether nothing changed by that."""
        is_same = is_all and len(facts) > 0 and np.array_equal(facts, self._facts)
        self._facts, self._ticks = facts, self._ticks + 1 if is_same else 0

    def is_reached(self, in_window: int) -> bool:
        """Whether it is, where the window holds so many ABoxes."""
        return self._reach is not None and self._ticks > max(self._reach, in_window)


def refuse_endless(asserted: int) -> None:
    """Refuse to assert so many ABoxes, and another, on the way of a step.

    Raises:
        TemporalRuleError: they are `MOST_AT_ONCE`, or more.
    """
    if asserted >= MOST_AT_ONCE:
        problem = f"on the way to a timestamp, conclusions are asserted at {asserted:_} ticks or more"
        raise TemporalRuleError(
            problem, "fewer: give the reasoner's window a slide, or come there in several steps (advance)"
        )

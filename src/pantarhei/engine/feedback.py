"""Conclusions of temporal rules that are asserted at the tick after theirs."""

from __future__ import annotations

from typing import Final, NamedTuple

from pantarhei.encoding.numbers import Integers
from pantarhei.errors import TemporalRuleError
from pantarhei.language.counted import counted
from pantarhei.language.time import TimePoint
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


def refuse_endless(asserted: int) -> None:
    """Refuse to assert yet another ABox on the way of a step.

    Raises:
        TemporalRuleError: `MOST_AT_ONCE` have been.
    """
    if asserted >= MOST_AT_ONCE:
        problem = f"on the way to a timestamp, conclusions were asserted at {asserted:_} ticks"
        raise TemporalRuleError(
            problem, "fewer: give the reasoner's window a slide, or come there in several steps (advance)"
        )

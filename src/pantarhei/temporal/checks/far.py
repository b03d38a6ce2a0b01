"""Jumps of time in which conclusions change at each tick: there must not be too many on the way."""

from __future__ import annotations

from pantarhei.errors import TemporalRuleError
from pantarhei.temporal.checks.form import MOST_IN_WINDOW


def refuse_far(ticks: int) -> None:
    """Refuse to go through so many ticks at once.

    Raises:
        TemporalRuleError: they are more than a window may have.
    """
    if ticks > MOST_IN_WINDOW:
        problem = f"time comes to a timestamp {ticks:_} ticks later, and conclusions change at each of them"
        raise TemporalRuleError(problem, f"at most {MOST_IN_WINDOW:_}: give the reasoner's window a slide")

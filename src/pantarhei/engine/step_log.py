"""What a step did, for the program's log."""

from __future__ import annotations

import logging
import warnings

from pantarhei.engine.books import Counters
from pantarhei.engine.tick import Outcome
from pantarhei.errors import UndecidedRepairWarning
from pantarhei.model.time import show_time
from pantarhei.window.limits import Limits

_limits_log = logging.getLogger("pantarhei.limits")
_repair_log = logging.getLogger("pantarhei.repair")


class StepLog:
    """Logs repairs, counted at INFO and with their conflicts at DEBUG.

    Warns once of facts that a repair removes without having decided it; and of what leaves window or history
    early: at the first, then whenever there have been twice as many as at the last warning.
    """

    def __init__(self, limits: Limits) -> None:
        set_ = {"max_facts": limits.max_facts, "max_bytes": limits.max_bytes}
        self._limits = ", ".join(f"{name}={most}" for name, most in set_.items() if most is not None)
        self._dropped_told = self._forgotten_told = 0
        self._has_warned = False

    def write(self, done: Outcome, before: Counters) -> None:
        """Log what a step did: the last thing before it is stored.

        Args:
            before: the counters before the step.
        """
        repair, remembered, counters = done.update.repair, done.books.repairs, done.books.counters
        if remembered and remembered[-1][1] is repair:
            if _repair_log.isEnabledFor(logging.INFO):
                _repair_log.info("at %s: %s", show_time(repair.at), repair.summary())
            if _repair_log.isEnabledFor(logging.DEBUG):
                for line in str(repair).splitlines()[1:]:  # a record each; the first line is the one above
                    _repair_log.debug("at %s: %s", show_time(repair.at), line.strip())
            if repair.undecided_facts and repair.method == "exact" and not self._has_warned:
                self._has_warned = True
                warnings.warn(
                    UndecidedRepairWarning(show_time(repair.at), repair.undecided_facts), stacklevel=2
                )
        if early := done.update.dropped_early:
            span = " to ".join(dict.fromkeys(map(show_time, (early[0], early[-1]))))
            left = f"{len(early)} of the window's timestamps ({span}) left early"
            self._dropped_told = self._warn(done, left, counters.dropped_early, self._dropped_told)
        if forgotten := counters.forgotten_early - before.forgotten_early:
            left = f"{forgotten} timestamps left the history early"
            self._forgotten_told = self._warn(done, left, counters.forgotten_early, self._forgotten_told)

    def _warn(self, done: Outcome, what: str, so_far: int, told: int) -> int:
        """How many there were when someone was warned last."""
        level = logging.WARNING if so_far >= 2 * told else logging.DEBUG
        at = show_time(done.update.at)
        _limits_log.log(level, "at %s, %s, to keep %s; %d so far", at, what, self._limits, so_far)
        return so_far if level == logging.WARNING else told

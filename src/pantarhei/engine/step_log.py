"""What a step did, for the program's log."""

from __future__ import annotations

import logging

from pantarhei.engine.tick import Outcome
from pantarhei.language.time import show_time
from pantarhei.window.limits import Limits

_limits_log = logging.getLogger("pantarhei.limits")
_repair_log = logging.getLogger("pantarhei.repair")


class StepLog:
    """Tells of repairs, and warns of timestamps that leave early: at the first, then whenever there have been
    twice as many as at the last warning.
    """

    def __init__(self, limits: Limits) -> None:
        set_ = {"max_facts": limits.max_facts, "max_bytes": limits.max_bytes}
        self._limits = ", ".join(f"{name}={most}" for name, most in set_.items() if most is not None)
        self._dropped_told = 0

    def write(self, done: Outcome) -> None:
        """Log what a step did: the last thing before it is stored."""
        repair, remembered = done.update.repair, done.books.repairs
        if remembered and remembered[-1][1] is repair:
            _repair_log.info("%s", repair)
        dropped, early = done.books.counters.dropped_early, done.update.dropped_early
        if not early:
            return
        level = logging.WARNING if dropped >= 2 * self._dropped_told else logging.DEBUG
        _limits_log.log(
            level,
            "at %s, %d of the window's timestamps (%s) left early, to keep %s; %d so far",
            show_time(done.update.at),
            len(early),
            " to ".join(dict.fromkeys(map(show_time, (early[0], early[-1])))),
            self._limits,
            dropped,
        )
        if level == logging.WARNING:
            self._dropped_told = dropped

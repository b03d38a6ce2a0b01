"""Making a window fit its limits: the history gives way, then the oldest timestamps leave, one after the
other, until it does.

A model's arrays do not become smaller when facts leave, and terms are forgotten later. So where bytes are too
many, timestamps leave until a model made anew would fit, with the terms that are in use then; making it anew
is the reasoner's matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

from pantarhei.encoding.renaming import UsedTerms
from pantarhei.engine.memory import Memory
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint
from pantarhei.window.history import Past
from pantarhei.window.limits import Exceeded
from pantarhei.window.log import Entry, Log

# Where timestamps leave early for their bytes, the others are to take no more than this share of the limit:
# making a model anew costs a materialization, and must not come with every push.
_FILLED = Fraction(7, 8)


@dataclass(slots=True)
class Fitting:
    """A log and its model, which slides.

    Args:
        model: the model of `log`.
        log: what is left of the window.
        memory: what counts against the limits.
        past: what has left the window.
        early: the ABoxes that left.
        needs_rebuild: whether the model takes more bytes than it needs, and is to be made anew.
        needs_recheck: whether what is left may take too many bytes still: that is known once the model is
            made anew.
    """

    model: WindowModel
    log: Log
    memory: Memory
    past: Past
    early: list[Entry] = field(default_factory=list)
    needs_rebuild: bool = False
    needs_recheck: bool = False

    def fit(self, at: TimePoint) -> None:
        """Let the history go, then timestamps leave, if that is the policy, until what is left does not
        exceed the limits.

        Costs O(1) where it fits already. Where bytes were too many it costs a pass over the facts.

        Raises:
            MemoryLimitError: nothing is to leave early, or the ABox of `at` alone has too many facts.
        """
        limits, exceeded = self.memory.limits, self.memory.exceeded(self.model, self.log)
        if exceeded is None:
            return
        too_many_bytes = limits.exceeded(0, self.memory.held(self.model, self.log)) is not None
        if self.past and limits.exceeded(len(self.model), 0) is None:
            exceeded = self._exceeded_without_past()
        if exceeded is None:
            return
        if not limits.drops:
            raise limits.error(exceeded, at, self.memory.of_consumers)
        if too_many_bytes:
            self._shrink(at)
        self._drop_while(at, lambda: limits.exceeded(len(self.model), 0))

    def _exceeded_without_past(self) -> Exceeded | None:
        """The limit that is exceeded still when the history has given way, and its terms with it.

        What those took is estimated: nothing leaves early where there is room to spare then, and nothing is
        refused before it is known.
        """
        self.past = self.past.within(0)
        self.memory = self.memory.counting(self._used_terms())
        if self.memory.limits.drops:
            return self.memory.limits.exceeded(0, int(self.memory.held(self.model, self.log) / _FILLED))
        exceeded = self.memory.exceeded(self.model, self.log)
        self.needs_recheck = exceeded is None
        return exceeded

    def _shrink(self, at: TimePoint) -> None:
        """Drop until a model made anew has room enough.

        The terms in use are first taken to become fewer as the facts do, and then counted.
        """
        terms, facts = self.memory.terms, max(1, len(self.model))
        self._drop_while(at, lambda: self._exceeded_anew(terms * len(self.model) // facts))
        self.memory = self.memory.counting(self._used_terms())
        self._drop_while(at, lambda: self._exceeded_anew(self.memory.terms))
        self.needs_rebuild, self.needs_recheck = True, self._is_alone()

    def _exceeded_anew(self, terms: int) -> Exceeded | None:
        """Whether it would be too much in a model made anew, with so many bytes of terms.

        It is an upper bound of what it would take; a timestamp that is alone is not held to it.
        """
        if self._is_alone():
            return None
        needed = self.model.bytes_used - self.model.spare_bytes + self.memory.beside_model(self.log, terms)
        return self.memory.limits.exceeded(0, int(needed / _FILLED))

    def _is_alone(self) -> bool:
        return len(self.log.timeline) == 1

    def _used_terms(self) -> UsedTerms:
        """The terms that model and log use. Costs their facts."""
        used = UsedTerms(*self.memory.vocabulary.counts)
        self.model.mark_terms(used)
        for entry in self.log:
            used.add(entry.facts)
        return used

    def _drop_while(self, at: TimePoint, exceeded: Callable[[], Exceeded | None]) -> None:
        while (found := exceeded()) is not None:
            first_two = list(islice(self.log, 2))
            if len(first_two) < 2:
                raise self.memory.limits.error(found, at, self.memory.of_consumers)
            oldest, following = first_two
            self.early.append(oldest)
            self.model.slide(following.level)
            self.log = self.log.from_level(following.level)

"""Making a window fit its limits: the oldest timestamps leave, one after the other, until it does.

A model's arrays do not become smaller when facts leave, and terms are forgotten later. So where bytes are too
many, timestamps leave until a model made anew would fit, with the terms that are in use then; making it anew
is the reasoner's matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.renaming import UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.time import TimePoint
from pantarhei.materialize.model import WindowModel
from pantarhei.window.limits import Exceeded, Limits
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
        vocabulary: its terms.
        limits: what it must fit.
        unused: how many bytes of the terms are known to be those of terms that nothing uses any more.
        beside: how many bytes there are besides model, log and terms.
        early: the ABoxes that left.
        roomy: whether the model takes more room than it needs, and is to be made anew.
        doubtful: whether the one timestamp left may take too many bytes still: that is known once the model
            is made anew.
    """

    model: WindowModel
    log: Log
    vocabulary: Vocabulary
    limits: Limits
    unused: int = 0
    beside: int = 0
    early: list[Entry] = field(default_factory=list)
    roomy: bool = False
    doubtful: bool = False

    def fit(self, at: TimePoint) -> None:
        """Let timestamps leave, if that is the policy, until what is left does not exceed the limits.

        Costs O(1) where it fits already. Where bytes were too many it costs a pass over the facts.

        Raises:
            MemoryLimitError: nothing is to leave early, or the ABox of `at` alone has too many facts.
        """
        exceeded = self._exceeded()
        if exceeded is None:
            return
        if not self.limits.drops:
            raise self.limits.error(exceeded, at)
        if self.limits.exceeded(0, self._bytes()) is not None:
            self._shrink(at)
        self._drop_while(at, lambda: self.limits.exceeded(len(self.model), 0))

    def _exceeded(self) -> Exceeded | None:
        return self.limits.exceeded(len(self.model), self._bytes())

    def _bytes(self) -> int:
        """What is held against `max_bytes`; 0 if there is no such limit."""
        if self.limits.max_bytes is None:
            return 0
        return self.model.bytes_used + self.log.bytes + self._terms() + self.beside

    def _terms(self) -> int:
        """The bytes of the terms, without those known to be unused."""
        return max(0, vocabulary_bytes(self.vocabulary) - self.unused)

    def _shrink(self, at: TimePoint) -> None:
        """Drop until a model made anew has room enough.

        The terms in use are first taken to become fewer as the facts do, and then counted.
        """
        terms, facts = self._terms(), max(1, len(self.model))
        self._drop_while(at, lambda: self._exceeded_anew(terms * len(self.model) // facts))
        used = int(vocabulary_bytes(self.vocabulary) * self._used_share())
        self._drop_while(at, lambda: self._exceeded_anew(used))
        self.roomy, self.unused = True, max(0, vocabulary_bytes(self.vocabulary) - used)
        self.doubtful = self._is_alone()

    def _exceeded_anew(self, terms: int) -> Exceeded | None:
        """Whether it would be too much in a model made anew, with so many bytes of terms.

        It is an upper bound of what it would take; a timestamp that is alone is not held to it.
        """
        if self._is_alone():
            return None
        needed = self.model.bytes_used - self.model.spare_bytes + self.log.bytes + terms + self.beside
        return self.limits.exceeded(0, int(needed / _FILLED))

    def _is_alone(self) -> bool:
        return len(self.log.timeline) == 1

    def _used_share(self) -> Fraction:
        """Which share of the terms model and log use. Costs their facts."""
        used = UsedTerms(*self.vocabulary.counts)
        self.model.mark_terms(used)
        for entry in self.log:
            used.add(entry.facts)
        return used.share

    def _drop_while(self, at: TimePoint, exceeded: Callable[[], Exceeded | None]) -> None:
        while (found := exceeded()) is not None:
            first_two = list(islice(self.log, 2))
            if len(first_two) < 2:
                raise self.limits.error(found, at)
            oldest, following = first_two
            self.early.append(oldest)
            self.model.slide(following.level)
            self.log = self.log.from_level(following.level)

"""Memory of a reasoner: counting it against the limits, evicting timestamps, collecting unused terms.

Eviction. The past is evicted first, then the oldest timestamps of the window, one after the other, until the
limits hold. The arrays of a model do not shrink when facts leave it, and terms are collected later. If the
limit of bytes is exceeded, timestamps are therefore evicted until a rebuilt model, with the terms that are
then in use, would fit.

Collection of terms. These terms are in use: the terms of the foundation, including the constants of its
rules; the classes and properties of the program in force; the terms of facts and forms in model and history.
They are renumbered and all others are dropped, so that a stream of ever new names, values, classes and
properties takes memory for the stored ones only. Terms are collected when the vocabulary has grown by half.
The cost is linear in the stored facts and terms, hence constant on average for each new term. The new state
is complete before anything is replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import Generic

from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.given_forms import GivenForms
from pantarhei.encoding.lexicon import Tables
from pantarhei.encoding.numbers import Renaming, UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.consumer import Consumers
from pantarhei.engine.stream_history import FACTS_PER_TERM, GroundTruthT
from pantarhei.interpretation.foundation import FoundationCounts
from pantarhei.materialize.model import WindowModel
from pantarhei.model.time import TimePoint
from pantarhei.window.log import Entry, Log
from pantarhei.window.retention import Exceeded, Limits, PastEntries


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory that counts against the limits: window model, log, terms and consumers.

    Args:
        limits: the limits.
        vocabulary: the terms.
        consumers: the consumers.
        unused: bytes of terms that are known to be unused.
        counts_consumers: true if the memory of consumers counts. It does not during a step that may reduce
            it.
    """

    limits: Limits
    vocabulary: Vocabulary
    consumers: Consumers
    unused: int = 0
    counts_consumers: bool = True

    def counting(self, used: UsedTerms) -> Memory:
        """Return these figures completed by the bytes of the terms that nothing uses.

        Terms that registered queries and temporal rules use are added to `used` first.
        """
        self.consumers.used_terms(used)
        terms = vocabulary_bytes(self.vocabulary)
        return replace(self, unused=terms - int(terms * used.share))

    @property
    def of_consumers(self) -> int:
        """Bytes of the consumers, if they count against a limit."""
        counts = self.counts_consumers and self.limits.max_bytes is not None
        return self.consumers.bytes_used if counts else 0

    @property
    def terms(self) -> int:
        """Bytes of the terms, except those known to be unused."""
        return max(0, vocabulary_bytes(self.vocabulary) - self.unused)

    def beside_model(self, log: Log, terms: int) -> int:
        """Return the bytes of log, terms and consumers; `terms` are the bytes of the terms."""
        return log.bytes + terms + self.of_consumers

    def held(self, model: WindowModel | None, log: Log) -> int:
        """Return the bytes that count against `max_bytes`; 0 without such a limit."""
        if self.limits.max_bytes is None:
            return 0
        return (0 if model is None else model.bytes_used) + self.beside_model(log, self.terms)

    def exceeded_since(self, before: int, model: WindowModel, log: Log, spare: int = 0) -> Exceeded | None:
        """Return the limit that is exceeded after the changes of a step were delivered to consumers.

        Returns None if the consumers hold no more bytes than before, since the step has checked the other
        parts.

        Args:
            before: bytes of the consumers before the step; 0 if they did not count.
            spare: bytes of the model that a rebuild will free.
        """
        if self.limits.max_bytes is None or self.consumers.bytes_used <= before:
            return None
        return self.limits.exceeded(0, self.held(model, log) - spare)

    def left_for_model(self, log: Log) -> int | None:
        """Return the bytes to which the model's arrays may grow; None for no limit."""
        most = self.limits.max_bytes
        return None if most is None else max(0, most - self.beside_model(log, self.terms))

    def left_for_history(self, model: WindowModel, log: Log) -> int | None:
        """Return the bytes that the past may take; None without a limit.

        Window and past together may use three quarters of `max_bytes`.
        """
        most = self.limits.max_bytes
        return None if most is None else 3 * most // 4 - self.held(model, log)

    def is_tight(self, model: WindowModel | None, log: Log) -> bool:
        """Return true if more than three quarters of `max_bytes` are in use."""
        most = self.limits.max_bytes
        return most is not None and 4 * self.held(model, log) > 3 * most

    def exceeded(self, model: WindowModel, log: Log) -> Exceeded | None:
        """Return the limit that the facts or the bytes exceed, None if both hold."""
        return self.limits.exceeded(len(model), self.held(model, log))


# Where timestamps leave early for their bytes, the others are to take no more than this share of the limit:
# making a model anew costs a materialization, and must not come with every push.
_MAX_FILL = Fraction(7, 8)


@dataclass(slots=True)
class Eviction:
    """Eviction of the oldest timestamps from a log and its model.

    Args:
        model: the model of `log`; its window slides.
        log: the ABoxes that remain in the window.
        memory: the memory that counts against the limits.
        past: the ABoxes that have left the window.
        early: the evicted ABoxes.
        needs_rebuild: true if the model takes more bytes than it needs and must be rebuilt.
        needs_recheck: true if the limit of bytes may still be exceeded, which is known after the rebuild.
    """

    model: WindowModel
    log: Log
    memory: Memory
    past: PastEntries
    early: list[Entry] = field(default_factory=list)
    needs_rebuild: bool = False
    needs_recheck: bool = False

    def fit(self, at: TimePoint) -> None:
        """Drop the past, then evict timestamps if the policy allows it, until the limits hold.

        Costs O(1) if they hold already, and a pass over the facts if the limit of bytes is exceeded.

        Raises:
            MemoryLimitError: the policy does not allow eviction, or the ABox of `at` alone exceeds a limit.
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
        self._evict_while(at, lambda: limits.exceeded(len(self.model), 0))

    def _exceeded_without_past(self) -> Exceeded | None:
        """Drop the past; returns the limit that is still exceeded without it and its terms, None if all hold.

        The bytes of the remaining terms are estimated. If eviction is allowed, some bytes must be left over
        for the limit to count as held. If it is not, the estimate refuses nothing; `needs_recheck` is set
        instead.
        """
        self.past = self.past.within(0)
        self.memory = self.memory.counting(self._used_terms())
        if self.memory.limits.drops:
            return self.memory.limits.exceeded(0, int(self.memory.held(self.model, self.log) / _MAX_FILL))
        exceeded = self.memory.exceeded(self.model, self.log)
        self.needs_recheck = exceeded is None
        return exceeded

    def _shrink(self, at: TimePoint) -> None:
        """Evict timestamps until a rebuilt model would fit.

        The bytes of terms in use are first assumed to be proportional to the facts, then counted.
        """
        terms, facts = self.memory.terms, max(1, len(self.model))
        self._evict_while(at, lambda: self._exceeded_when_rebuilt(terms * len(self.model) // facts))
        self.memory = self.memory.counting(self._used_terms())
        self._evict_while(at, lambda: self._exceeded_when_rebuilt(self.memory.terms))
        self.needs_rebuild, self.needs_recheck = True, self._is_alone()

    def _exceeded_when_rebuilt(self, terms: int) -> Exceeded | None:
        """Return the limit that a rebuilt model would exceed, if the terms in use have `terms` bytes.

        The estimate of the bytes is an upper bound. A single timestamp is not checked.
        """
        if self._is_alone():
            return None
        needed = self.model.bytes_used - self.model.spare_bytes + self.memory.beside_model(self.log, terms)
        return self.memory.limits.exceeded(0, int(needed / _MAX_FILL))

    def _is_alone(self) -> bool:
        return len(self.log.timeline) == 1

    def _used_terms(self) -> UsedTerms:
        """Return the terms in model and log. Costs time linear in their facts."""
        used = UsedTerms(*self.memory.vocabulary.counts)
        self.model.mark_terms(used)
        for entry in self.log:
            used.add(entry.facts)
        return used

    def _evict_while(self, at: TimePoint, exceeded: Callable[[], Exceeded | None]) -> None:
        while (found := exceeded()) is not None:
            first_two = list(islice(self.log, 2))
            if len(first_two) < 2:
                raise self.memory.limits.error(found, at, self.memory.of_consumers)
            oldest, following = first_two
            self.early.append(oldest)
            self.model.slide(following.level)
            self.log = self.log.from_level(following.level)


# Entries that may be added to a vocabulary in any case; an entry takes some hundred bytes.
MIN_GROWTH = 32_768


def most_entries(vocabulary: Vocabulary, stored: int) -> int:
    """Return the number of vocabulary entries at which terms are collected next, given the number of stored
    facts.
    """
    return vocabulary.size + max(vocabulary.size // 2, MIN_GROWTH, stored // FACTS_PER_TERM)


@dataclass(frozen=True, slots=True)
class Compact(Generic[GroundTruthT]):
    """State of a reasoner reduced to the terms in use.

    Args:
        renaming: the new numbers, for the model.
        tables: the new tables of the vocabulary.
        history, forms: history and forms with the new numbers.
        stored: the number of stored facts, in which each entry of the log counts for some facts more.
        forgets_nothing: true if all terms are in use, so that nothing has changed.
    """

    renaming: Renaming
    tables: Tables
    history: GroundTruthT
    forms: GivenForms
    stored: int
    forgets_nothing: bool = False


def compact(
    vocabulary: Vocabulary,
    common: FoundationCounts,
    history: GroundTruthT,
    forms: GivenForms,
    model: WindowModel,
    consumers: Consumers,
) -> Compact[GroundTruthT]:
    """Return the state without unused terms. The present state is not changed.

    Costs time linear in the stored facts, vectorised; one Python step for each ABox; and if any term is
    dropped, one or two for each term.
    """
    used = UsedTerms(*vocabulary.counts)
    used.add_first(*common)
    model.mark_terms(used)
    stored = len(model) + history.used_terms(used)
    consumers.used_terms(used)
    used.add_forms(forms.known)
    renaming = used.renaming()
    has_only_terms = vocabulary.size == sum(vocabulary.counts)
    if renaming.keeps_all and has_only_terms:
        return Compact(renaming, vocabulary.tables, history, forms, stored, forgets_nothing=True)
    return Compact(
        renaming,
        vocabulary.tables.renamed(renaming),
        history.renamed(renaming),
        forms.renamed(renaming),
        stored,
    )

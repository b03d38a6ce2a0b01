"""How many facts and bytes a reasoner holds, and how many it may: counted here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.renaming import UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.consumer import Consumers
from pantarhei.materialize.model import WindowModel
from pantarhei.window.limits import Exceeded, Limits
from pantarhei.window.log import Log


@dataclass(frozen=True, slots=True)
class Memory:
    """What counts against the limits: a window model, its log, terms and consumers.

    Args:
        limits: how much there may be.
        vocabulary: the terms.
        consumers: the engines beside the model.
        unused: how many bytes of the terms are known to be those of terms that nothing uses any more.
        counts_consumers: whether what consumers hold counts: not while a step leaves open what becomes of it.
    """

    limits: Limits
    vocabulary: Vocabulary
    consumers: Consumers
    unused: int = 0
    counts_consumers: bool = True

    def counting(self, used: UsedTerms) -> Memory:
        """The same, once it is known which terms are in use; those of the consumers are added to `used`."""
        self.consumers.used_terms(used)
        terms = vocabulary_bytes(self.vocabulary)
        return replace(self, unused=terms - int(terms * used.share))

    @property
    def of_consumers(self) -> int:
        """Bytes that consumers hold, as far as they count against a limit."""
        counts = self.counts_consumers and self.limits.max_bytes is not None
        return self.consumers.bytes_used if counts else 0

    @property
    def terms(self) -> int:
        """Bytes of the terms, without those known to be unused."""
        return max(0, vocabulary_bytes(self.vocabulary) - self.unused)

    def beside_model(self, log: Log, terms: int) -> int:
        """Bytes of all but the model, where the terms take so many."""
        return log.bytes + terms + self.of_consumers

    def held(self, model: WindowModel | None, log: Log) -> int:
        """Bytes held against `max_bytes`; 0 if there is no such limit."""
        if self.limits.max_bytes is None:
            return 0
        return (0 if model is None else model.bytes_used) + self.beside_model(log, self.terms)

    def exceeded_since(self, before: int, model: WindowModel, log: Log, spare: int = 0) -> Exceeded | None:
        """The limit that the bytes held are beyond since consumers were told of a step.

        Where they hold no more than before there is none: that was counted when the step was made.

        Args:
            before: the bytes that they held before the step; 0 where these did not count.
            spare: bytes of the model that it will be made anew without.
        """
        if self.limits.max_bytes is None or self.consumers.bytes_used <= before:
            return None
        return self.limits.exceeded(0, self.held(model, log) - spare)

    def left_for_model(self, log: Log) -> int | None:
        """Bytes that the model's arrays may grow to; None for any number."""
        most = self.limits.max_bytes
        return None if most is None else max(0, most - self.beside_model(log, self.terms))

    def left_for_history(self, model: WindowModel, log: Log) -> int | None:
        """Bytes that the history may take; None for any number.

        With it no more than three quarters of `max_bytes` are held: it is there only where nothing is tight.
        """
        most = self.limits.max_bytes
        return None if most is None else 3 * most // 4 - self.held(model, log)

    def is_tight(self, model: WindowModel | None, log: Log) -> bool:
        """Whether more than three quarters of `max_bytes` are held."""
        most = self.limits.max_bytes
        return most is not None and 4 * self.held(model, log) > 3 * most

    def exceeded(self, model: WindowModel, log: Log) -> Exceeded | None:
        """The limit that the model's facts or the bytes held are beyond."""
        return self.limits.exceeded(len(model), self.held(model, log))

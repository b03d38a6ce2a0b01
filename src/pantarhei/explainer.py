"""What `explain` does: proofs of what a stream reasoner holds."""

from __future__ import annotations

from pantarhei.engine.holdings import Holdings
from pantarhei.errors import NotEntailedError, OptionError, TimestampError, check_type
from pantarhei.language.term import Triple, check_triple
from pantarhei.language.time import TimePoint, plain_time, show_time
from pantarhei.proofs.explaining import AssertedAt, Explanations
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.wording import Labels

LIMIT = 10_000
"""How many rule instances an explanation looks at, unless it is told."""


class Explainer:
    """Explains what a stream reasoner holds; not for several threads at once.

    Args:
        labels: what names are called.
    """

    def __init__(self, held: Holdings, labels: Labels) -> None:
        self._held, self._labels = held, labels

    def explain(
        self, triple: Triple, at: TimePoint | None, all_: bool, limit: int
    ) -> Proof | tuple[Proof, ...]:
        """The best proof of a triple, or one for each minimal support."""
        check_type("limit", limit, int, "a whole number")
        if limit < 1:
            raise OptionError("limit", str(limit), "at least one rule instance")
        found = self._explanations(at, limit)
        fact = found.model.find(check_triple(triple))
        if fact is None:
            raise NotEntailedError(" ".join(term.n3() for term in triple), self._time_text(at))
        if all_:
            return tuple(proof.labelled(self._labels) for proof in found.all(fact))
        return found.best(fact).labelled(self._labels)

    def _explanations(self, at: TimePoint | None, limit: int) -> Explanations:
        """What explains the facts at a time."""
        books = self._held.books
        if at is not None and plain_time(at) != books.now:
            raise TimestampError(f"the time {show_time(at)}", f"the present, {self._time_text(None)}")
        model, forms = self._held.state().shown
        return Explanations(model, self._abox, forms, limit)

    def _abox(self, level: int) -> AssertedAt:
        entry = self._held.books.log.timeline.at_level(level)
        assert entry is not None, "what is asserted is in the window"
        return AssertedAt(entry.at, entry.forms.by_fact)

    def _time_text(self, at: TimePoint | None) -> str | None:
        time = self._held.books.now if at is None else at
        return None if time is None else show_time(time)

"""Proofs of contradictions, in a model of their own: the background, and for a moment the assertions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.numbers import as_tuples
from pantarhei.interpretation.foundation import Foundation
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Rule
from pantarhei.proofs.proof import Assertion, Proof
from pantarhei.proofs.sentences import Labels
from pantarhei.proofs.violation import proofs_of_violations
from pantarhei.rdf.ntriples import write_triple

# So many entries for terms of former proofs are kept.
_MOST_TERMS = 100_000


class Prover:
    """Finds how assertions lead to ⊥. Threads take turns; no reasoner is touched.

    Args:
        foundation: makes a foundation of its own. It is called when a proof is first asked for.
        labels: gives what names are called.
    """

    def __init__(self, foundation: Callable[[], Foundation], labels: Callable[[], Labels] = dict) -> None:
        self._make, self._labels = foundation, labels
        self._foundation: Foundation | None = None
        self._model: WindowModel | None = None
        self._level = 0
        self._lock = threading.Lock()

    def proofs(self, assertions: Iterable[Assertion], constraints: Iterable[Rule]) -> tuple[Proof, ...]:
        """A shortest proof of ⊥ for each constraint that the assertions and the background violate.

        Costs what follows from the assertions; the first time a materialization of the background.
        """
        given = sorted(assertions, key=lambda assertion: write_triple(assertion[1]))
        with self._lock:
            found = self._found(given)
        labels = self._labels()
        return tuple(found[each].labelled(labels) for each in constraints if each in found)

    def _found(self, assertions: list[Assertion]) -> dict[Rule, Proof]:
        if self._foundation is None:
            self._foundation = self._make()
        encoded = self._foundation.vocabulary.encode(triple for _, triple in assertions)
        model = self._model_for(self._foundation, encoded)
        asserted = dict(zip(as_tuples(encoded.facts), assertions, strict=True))
        self._model = None  # until it is as it was
        self._level += 1
        previous = model.add(encoded.facts, self._level)
        found = proofs_of_violations(model, asserted)
        model.withdraw(encoded.facts, previous, self._level)
        model.take_changes()
        if self._foundation.vocabulary.size > sum(self._foundation.common) + _MOST_TERMS:
            self._foundation = None  # so many terms of former proofs are not kept
        else:
            self._model = model
        return found

    def _model_for(self, foundation: Foundation, encoded: Encoded) -> WindowModel:
        """The model of the background, with all rules that some facts ask for."""
        if not foundation.growing.covers(encoded.facts):
            foundation.growing.grow(encoded.facts)
            self._model = None
        return foundation.model() if self._model is None else self._model

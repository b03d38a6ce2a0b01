"""The conclusions of temporal rules as what registered queries are asked of.

They hold now, and carry no time: they are the same in each window that ends now.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.forms import FactForms
from pantarhei.encoding.numbers import Integers, Symbols
from pantarhei.encoding.renaming import Renaming
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import WindowModel
from pantarhei.materialize.readable import readable
from pantarhei.query.incremental.contents import Content, StepChanges, StoredContent
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.sources.relation import Source
from pantarhei.query.sparql import CONCLUSIONS_GRAPH
from pantarhei.query.terms import TermSpace
from pantarhei.window.log import Log
from pantarhei.window.sliding import Window


class Conclusions(Protocol):
    """Those that are triples, as facts in the vocabulary's numbers."""

    def are_joined_for(self, needed: Symbols) -> bool:
        """Whether a query of some classes and properties, None for all, finds any in the default graph."""

    def facts(self) -> Integers:
        """All of them, shape (n, 3)."""

    def take_facts(self) -> Integers:
        """Which came (1) and went (-1, last column) since the last call, each once."""


class ConclusionContent(StoredContent):
    """The graph `urn:pantarhei:conclusions`.

    Args:
        window: the reasoner's.
        facts: the conclusions to begin with.
    """

    name = CONCLUSIONS_GRAPH

    def __init__(self, journal: Journal, window: Window, vocabulary: Vocabulary, facts: Integers) -> None:
        super().__init__(journal, window, vocabulary)
        self.hold(facts)
        self.noted = self.change(facts[:0], facts[:0])
        """What the last step changed."""

    def go_on(self, changed: Integers) -> None:
        """A step has changed what is concluded, by facts that came (1) and went (-1, last column)."""
        came, went = (changed[changed[:, 3] == sign, :3] for sign in (1, -1))
        self.noted = self.change(came, went)

    def take(self, changes: StepChanges, model: WindowModel, closing: int | None) -> Integers:
        return self.noted

    def source(self, terms: TermSpace, forms: FactForms) -> Source:
        return super().source(terms, {})  # they are in the first forms of their values


class JoinedContent(StoredContent):
    """What the window has, or a shorter one, and all conclusions, each fact once.

    Args:
        base: what it has of the window.
        model: the window model.
    """

    def __init__(self, base: Content, conclusions: ConclusionContent, model: WindowModel) -> None:
        super().__init__(base.journal, base.window, model.vocabulary)
        self._base, self._conclusions, self.program = base, conclusions, model.program
        self.closed, self.began = base.closed, base.began
        self._fill()

    def _fill(self) -> None:
        self.hold(np.concatenate([self._base.model.facts(), self._conclusions.model.facts()]))

    def refill(self, model: WindowModel) -> None:
        if self.program is not model.program:
            self._base.refill(model)
            self.journal.set(self, "program", model.program)
            self._fill()

    def take(self, changes: StepChanges, model: WindowModel, closing: int | None) -> Integers:
        noted = self._base.take(changes, model, closing)
        facts = np.concatenate([noted[:, :3], self._conclusions.noted[:, :3]])
        are_there = _has(self._base.model, facts) | _has(self._conclusions.model, facts)
        were_there = _has(self.model, facts)
        return self.change(facts[are_there & ~were_there], facts[were_there & ~are_there])

    def first_level(self, log: Log) -> int:
        return self._base.first_level(log)

    @property
    def bytes_used(self) -> int:
        return super().bytes_used + self._base.bytes_used

    def renamed(self, renaming: Renaming) -> None:
        self._base.renamed(renaming)
        super().renamed(renaming)


def _has(model: WindowModel, facts: Integers) -> npt.NDArray[np.bool_]:
    """Which facts a model has."""
    return np.asarray(model.kernel.store.present(readable(facts)), np.bool_)

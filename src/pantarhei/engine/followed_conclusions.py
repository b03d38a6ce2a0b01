"""Conclusions of temporal rules as facts that come and go."""

from __future__ import annotations

from collections.abc import Callable

from pantarhei.encoding.numbers import Integers, Symbols
from pantarhei.engine.concluding import Concluding
from pantarhei.materialize.model import WindowModel


class FollowedConclusions:
    """The conclusions that are triples, for who keeps queries of them up to date.

    Args:
        concluding: says what is concluded.
        model: gives the window model.
        are_joined: whether they are in the default graph too.
    """

    def __init__(self, concluding: Concluding, model: Callable[[], WindowModel], are_joined: bool) -> None:
        self._concluding, self._model, self._are_joined = concluding, model, are_joined
        concluding.follow()

    def are_joined_for(self, needed: Symbols) -> bool:
        """Whether a query of some classes and properties, None for all, finds any in the default graph."""
        return self._are_joined and (needed is None or not needed.isdisjoint(self._concluding.symbols))

    def facts(self) -> Integers:
        """All of them, shape (n, 3)."""
        return self._concluding.facts(self._model())

    def take_facts(self) -> Integers:
        """See `Concluding`."""
        return self._concluding.take_facts()

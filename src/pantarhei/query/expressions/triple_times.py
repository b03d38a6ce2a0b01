"""The times of a graph's triples, which C-SPARQL's `timestamp(subject, predicate, object)` asks for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from rdflib import Literal

from pantarhei.model.term import Term
from pantarhei.values.value import value_of


class TripleTimes:
    """A time for each of some triples; triples of one value have one time.

    Args:
        times: of each triple, if one has several the newest last.
    """

    def __init__(self, times: Iterable[tuple[tuple[Term, Term, Term], Literal]]) -> None:
        self._times: dict[tuple[Hashable, ...], Literal] = {values_of(triple): at for triple, at in times}

    def of(self, triple: tuple[Term, Term, Term]) -> Literal | None:
        """The time of a triple, None where it has none."""
        return self._times.get(values_of(triple))


def values_of(triple: tuple[Term, Term, Term]) -> tuple[Hashable, ...]:
    """What a triple says, whatever form its literals have."""
    return tuple(map(value_of, triple))

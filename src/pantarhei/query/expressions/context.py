"""Context in which a query is evaluated: terms, limits, the clock, and the times of triples."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

import numpy as np
from rdflib import XSD, BNode, Literal

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.model.term import Term
from pantarhei.model.time import TimePoint
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.literal_values import LiteralValues, ValueArrays
from pantarhei.query.solutions import LOCAL, Ids, QueryLimits, TermSpace
from pantarhei.values.value import value_of


class TripleTimes:
    """Times of triples; triples with equal values share one time.

    Args:
        times: pairs of a triple and its time; if a triple occurs several times, the last pair counts.
    """

    def __init__(self, times: Iterable[tuple[tuple[Term, Term, Term], Literal]]) -> None:
        self._times: dict[tuple[Hashable, ...], Literal] = {values_of(triple): at for triple, at in times}

    def of(self, triple: tuple[Term, Term, Term]) -> Literal | None:
        """Return the time of a triple; None if it has none."""
        return self._times.get(values_of(triple))


def values_of(triple: tuple[Term, Term, Term]) -> tuple[Hashable, ...]:
    """Return the keys of the values of a triple's terms, which do not depend on lexical forms."""
    return tuple(map(value_of, triple))


@dataclass(frozen=True)
class Context:
    """Context in which one query is evaluated.

    Args:
        terms: maps term numbers to terms.
        limits: limits of the query.
        literals: values of the vocabulary's literals.
        now: value of NOW().
        times: times of triples by graph name; None is the default graph.
        graph: name of the graph to which patterns are matched; None for the default graph.
    """

    terms: TermSpace
    limits: QueryLimits
    literals: LiteralValues
    now: Literal
    times: Mapping[Term | None, TripleTimes] = field(repr=False, default_factory=dict)
    graph: Term | None = None
    blank_nodes: dict[tuple[int, int, str], BNode] = field(repr=False, default_factory=dict)
    """Blank nodes created by BNODE, by address of the solutions' first column, row index, and argument."""
    pinned: list[Ids] = field(repr=False, default_factory=list)
    """Columns whose addresses are in these keys, kept so that the addresses are not reused."""

    def within(self, graph: Term) -> Context:
        """Return the context for patterns that are matched to a named graph."""
        return replace(self, graph=graph)

    def time_of(self, subject: Term, predicate: Term, object: Term) -> Literal | None:
        """Return the time of a triple in the graph to which patterns are matched; None if it has none."""
        times = self.times.get(self.graph)
        return None if times is None else times.of((subject, predicate, object))

    @cached_property
    def local_values(self) -> LiteralValues:
        """Values of the terms that have local numbers."""
        return LiteralValues(self.terms.locals)

    def values(self, ids: Ids) -> ValueArrays:
        """Return the values of terms, given by number."""
        if _are_known_literals(ids):
            return self.literals.at(ids - FIRST_LITERAL)
        found = ValueArrays.of_kind(kinds.NAME, np.zeros(len(ids)))
        found.kinds[ids == NONE] = kinds.NOTHING
        for values, are_there, first in (
            (self.literals, (ids >= FIRST_LITERAL) & (ids < LOCAL), FIRST_LITERAL),
            (self.local_values, ids >= LOCAL, LOCAL),
        ):
            indexes = np.flatnonzero(are_there)
            if len(indexes):
                found.put(indexes, values.at(ids[indexes] - first))
        return found

    def terms_of(self, ids: Ids) -> Sequence[Term | None]:
        """Return the terms with these numbers."""
        are_known = _are_known_literals(ids)
        return self.literals.terms_at(ids - FIRST_LITERAL) if are_known else self.terms.terms(ids)


def _are_known_literals(ids: Ids) -> bool:
    """Return whether all numbers belong to literals of the vocabulary."""
    return len(ids) > 0 and int(ids.min()) >= FIRST_LITERAL and int(ids.max()) < LOCAL


def clock_at(at: TimePoint | None) -> Literal:
    """Return the value that NOW() has at a time."""
    if isinstance(at, datetime):
        return Literal(at.astimezone(UTC).isoformat(), datatype=XSD.dateTime, normalize=False)
    return Literal("" if at is None else at)

"""What the evaluation of expressions looks at besides the rows."""

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
from pantarhei.query.query_limits import QueryLimits
from pantarhei.query.solutions import LOCAL, Ids, TermSpace
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


@dataclass(frozen=True)
class Context:
    """One for each query.

    Args:
        terms: what the numbers in columns stand for.
        guard: the query's limits.
        literals: the values of the vocabulary's literals.
        now: what NOW() is.
        times: the times of triples, by the graph; None is the default graph.
        graph: the one that patterns are matched against.
    """

    terms: TermSpace
    guard: QueryLimits
    literals: LiteralValues
    now: Literal
    times: Mapping[Term | None, TripleTimes] = field(repr=False, default_factory=dict)
    graph: Term | None = None
    blank_nodes: dict[tuple[int, int, str], BNode] = field(repr=False, default_factory=dict)
    """Those that BNODE made: by the column that identifies the solutions, the row, and the argument."""
    kept: list[Ids] = field(repr=False, default_factory=list)
    """Those columns, so that no other has their place in memory."""

    def within(self, graph: Term) -> Context:
        """The same where patterns are matched against a named graph."""
        return replace(self, graph=graph)

    def time_of(self, subject: Term, predicate: Term, object: Term) -> Literal | None:
        """The time of a triple in the graph that patterns are matched against; None where it has none."""
        times = self.times.get(self.graph)
        return None if times is None else times.of((subject, predicate, object))

    @cached_property
    def local_values(self) -> LiteralValues:
        """The values of the terms that only the query knows."""
        return LiteralValues(self.terms.locals)

    def values(self, ids: Ids) -> ValueArrays:
        """The values of terms."""
        if _are_known_literals(ids):
            return self.literals.at(ids - FIRST_LITERAL)
        found = ValueArrays.of_kind(kinds.NAME, np.zeros(len(ids)))
        found.kinds[ids == NONE] = kinds.NOTHING
        for values, are_there, first in (
            (self.literals, (ids >= FIRST_LITERAL) & (ids < LOCAL), FIRST_LITERAL),
            (self.local_values, ids >= LOCAL, LOCAL),
        ):
            places = np.flatnonzero(are_there)
            if len(places):
                found.put(places, values.at(ids[places] - first))
        return found

    def terms_of(self, ids: Ids) -> Sequence[Term | None]:
        """The terms of numbers."""
        return (
            self.literals.terms_at(ids - FIRST_LITERAL) if _are_known_literals(ids) else self.terms.terms(ids)
        )


def _are_known_literals(ids: Ids) -> bool:
    """Whether all are numbers of the vocabulary's literals."""
    return len(ids) > 0 and int(ids.min()) >= FIRST_LITERAL and int(ids.max()) < LOCAL


def clock_at(at: TimePoint | None) -> Literal:
    """What NOW() is at a time."""
    if isinstance(at, datetime):
        return Literal(at.astimezone(UTC).isoformat(), datatype=XSD.dateTime, normalize=False)
    return Literal("" if at is None else at)

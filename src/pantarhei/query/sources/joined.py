"""Two graphs that share no triple, as one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from pantarhei.model.term import Term
from pantarhei.query.guard import NO_LIMITS, Guard
from pantarhei.query.sources.columns import TripleColumns
from pantarhei.query.sources.relation import Pairs, Relation, Source
from pantarhei.query.table import Ids, Mask


class JoinedFacts:
    """The triples of two graphs. Nothing is copied where a predicate is asked for.

    Args:
        large, small: they share no triple, by value; a predicate that the small one does not have costs what
            it costs in the large one.
    """

    def __init__(self, large: Source, small: Source) -> None:
        self._large, self._small = large, small

    @property
    def has_forms(self) -> bool:
        return self._large.has_forms or self._small.has_forms

    @property
    def is_distinct(self) -> bool:
        return self._large.is_distinct and self._small.is_distinct

    def relation(self, predicate: Term) -> Relation:
        small = self._small.relation(predicate)
        large = self._large.relation(predicate)
        return JoinedRelation(large, small) if len(small) else large

    def members(self, class_: Term) -> Relation:
        small = self._small.members(class_)
        large = self._large.members(class_)
        return JoinedRelation(large, small) if len(small) else large

    def triples(self) -> TripleColumns:
        return self._triples

    def nodes(self) -> Ids:
        return self._triples.nodes

    @cached_property
    def _triples(self) -> TripleColumns:
        both = [self._large.triples().all(), self._small.triples().all()]
        columns = zip(*((m.subjects, m.predicates, m.objects, m.shown) for m in both), strict=True)
        return TripleColumns(*map(np.concatenate, columns))


class JoinedRelation:
    """The pairs of two relations that share none."""

    def __init__(self, large: Relation, small: Relation) -> None:
        self._parts = (large, small)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def pairs(self) -> tuple[Ids, Ids, Ids]:
        found = [part.pairs() for part in self._parts]
        subjects = np.concatenate([each[0] for each in found])
        return subjects, *_others([each[1:] for each in found])

    def forward(self, subjects: Ids, guard: Guard = NO_LIMITS) -> Pairs:
        return _together([part.forward(subjects, guard) for part in self._parts])

    def backward(self, objects: Ids, guard: Guard = NO_LIMITS) -> Pairs:
        return _together([part.backward(objects, guard) for part in self._parts])

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        large, small = (part.holds(subjects, objects) for part in self._parts)
        return large | small


def _together(found: Sequence[Pairs]) -> Pairs:
    rows = np.concatenate([pairs.rows for pairs in found])
    return Pairs(rows, *_others([(pairs.others, pairs.shown) for pairs in found]))


def _others(found: Sequence[tuple[Ids, Ids]]) -> tuple[Ids, Ids]:
    """Terms by value, and as they are shown: one array where that is the same."""
    others = np.concatenate([values for values, _ in found])
    if all(shown is values for values, shown in found):
        return others, others
    return others, np.concatenate([shown for _, shown in found])

"""The facts of one predicate, and of one graph, as they are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from rdflib import URIRef

from pantarhei.model.term import Term
from pantarhei.query.query_limits import NO_LIMITS, QueryLimits
from pantarhei.query.solutions import Ids, Mask, Places


class MatchedPairs(NamedTuple):
    """Which row of a question goes with which term.

    Args:
        rows: places in the question.
        others: the other ends of the facts found, by value.
        shown: the same in the forms they are shown in; the same array where these are the values.
    """

    rows: Places
    others: Ids
    shown: Ids


class Relation(Protocol):
    """Pairs of subject and object. All numbers given to it are of values."""

    def __len__(self) -> int:
        """How many pairs there are."""
        ...

    def pairs(self) -> tuple[Ids, Ids, Ids]:
        """All: subjects, objects by value, and objects as they are shown."""
        ...

    def forward(self, subjects: Ids, guard: QueryLimits = NO_LIMITS) -> MatchedPairs:
        """The objects of each of `subjects`.

        Raises:
            QueryMemoryError: they are more than `guard` lets pass.
        """
        ...

    def backward(self, objects: Ids, guard: QueryLimits = NO_LIMITS) -> MatchedPairs:
        """The subjects of each of `objects`; `shown` has the objects as they are shown.

        Raises:
            QueryMemoryError: as `forward`.
        """
        ...

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        """Which pairs are among them."""
        ...


class TripleLookup(Protocol):
    """All triples of a graph, by value, and their objects as they are shown."""

    def __len__(self) -> int: ...

    def matching(
        self,
        subjects: Ids | None,
        predicates: Ids | None,
        objects: Ids | None,
        guard: QueryLimits = NO_LIMITS,
    ) -> MatchedTriples:
        """The triples that agree with each row of what is given; at least one column is.

        Args:
            subjects, predicates, objects: of equal length; None for what is not given.
        """
        ...

    def all(self) -> MatchedTriples:
        """All triples, as those that agree with one row that says nothing."""
        ...


class MatchedTriples(NamedTuple):
    """Triples that were found for rows of a question."""

    rows: Places
    subjects: Ids
    predicates: Ids
    objects: Ids
    shown: Ids


class FactSource(Protocol):
    """One graph."""

    @property
    def has_forms(self) -> bool:
        """Whether a value may be shown in several forms."""
        ...

    @property
    def is_distinct(self) -> bool:
        """Whether no two of its triples are one by value."""
        ...

    def relation(self, predicate: Term) -> Relation:
        """The facts of a predicate."""
        ...

    def members(self, class_: Term) -> Relation:
        """The members of a class, as pairs with the class."""
        ...

    def triples(self) -> TripleLookup:
        """All triples."""
        ...

    def nodes(self) -> Ids:
        """Each term once that is a subject or an object, by value."""
        ...


class FactSources(Protocol):
    """Several graphs."""

    @property
    def default(self) -> FactSource:
        """The graph that patterns are matched against outside GRAPH."""
        ...

    def names(self) -> Iterable[URIRef]:
        """The names of the others."""
        ...

    def graph(self, name: Term) -> FactSource | None:
        """The graph of a name, None if there is none."""
        ...


# A column is looked up by its numbers as places of an array where the array is no longer than so many times
# the column, and so many cells more.
_DENSE = 8
_SPARE_CELLS = 1 << 16


class Lookup:
    """Where the numbers of a column stand.

    Numbers that lie close together are places of an array; others are searched for in a sorted copy.
    """

    def __init__(self, column: Ids) -> None:
        self._size = len(column)
        self._low = int(column.min()) if len(column) else 0
        span = int(column.max()) - self._low + 1 if len(column) else 0
        self._place_of: Places | None = None
        self._starts: Places | None = None
        if span <= _DENSE * len(column) + _SPARE_CELLS:
            place_of = np.full(span + 1, -1, np.int64)  # the last cell is for numbers that are not there
            place_of[column - self._low] = np.arange(len(column))
            if np.count_nonzero(place_of >= 0) == len(column):
                self._place_of = place_of
                return
            counts = np.bincount(column - self._low, minlength=span)
            self._starts = np.concatenate([[0], np.cumsum(counts), [len(column)]])
        self._order = np.argsort(column, kind="stable")
        self._sorted = column[self._order] if self._starts is None else column[:0]

    def find(self, numbers: Ids, guard: QueryLimits = NO_LIMITS) -> tuple[Places, Places]:
        """For each place of the column that has one of `numbers`: which of these, and the place.

        Raises:
            QueryMemoryError: they are more than `guard` lets pass.
        """
        if self._place_of is not None:
            places = self._place_of[self._cells(numbers, len(self._place_of) - 1)]
            rows = np.flatnonzero(places >= 0)
            return rows, places[rows]
        if self._starts is not None:
            cells = self._cells(numbers, len(self._starts) - 2)
            begins, ends = self._starts[cells], self._starts[cells + 1]
        else:
            begins = np.searchsorted(self._sorted, numbers, "left")
            ends = np.searchsorted(self._sorted, numbers, "right")
        counts = ends - begins
        guard.check_rows(int(counts.sum()))
        rows = np.repeat(np.arange(len(numbers)), counts)
        before = np.cumsum(counts) - counts
        return rows, self._order[np.arange(len(rows)) + np.repeat(begins - before, counts)]

    def count(self, numbers: Ids) -> int:
        """How many places `find` would give."""
        if self._place_of is not None:
            return int(np.count_nonzero(self._place_of[self._cells(numbers, len(self._place_of) - 1)] >= 0))
        if self._starts is not None:
            cells = self._cells(numbers, len(self._starts) - 2)
            return int((self._starts[cells + 1] - self._starts[cells]).sum())
        begins = np.searchsorted(self._sorted, numbers, "left")
        return int((np.searchsorted(self._sorted, numbers, "right") - begins).sum())

    def _cells(self, numbers: Ids, outside: int) -> Ids:
        """The cell of each number, `outside` for what is beyond the column's numbers."""
        cells = numbers - self._low
        cells[(cells < 0) | (cells >= outside)] = outside
        return cells


class ColumnRelation:
    """Pairs in memory.

    Args:
        subjects, objects: by value.
        shown: the objects as they are shown.
    """

    def __init__(self, subjects: Ids, objects: Ids, shown: Ids | None = None) -> None:
        self._subjects, self._objects = subjects, objects
        self._shown = objects if shown is None else shown

    def __len__(self) -> int:
        return len(self._subjects)

    @cached_property
    def _by_subject(self) -> Lookup:
        return Lookup(self._subjects)

    @cached_property
    def _by_object(self) -> Lookup:
        return Lookup(self._objects)

    def pairs(self) -> tuple[Ids, Ids, Ids]:
        return self._subjects, self._objects, self._shown

    def forward(self, subjects: Ids, guard: QueryLimits = NO_LIMITS) -> MatchedPairs:
        rows, places = self._by_subject.find(subjects, guard)
        others = self._objects[places]
        return MatchedPairs(rows, others, others if self._shown is self._objects else self._shown[places])

    def backward(self, objects: Ids, guard: QueryLimits = NO_LIMITS) -> MatchedPairs:
        rows, places = self._by_object.find(objects, guard)
        return MatchedPairs(rows, self._subjects[places], self._shown[places])

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        found = np.zeros(len(subjects), np.bool_)
        rows, others, _ = self.forward(subjects)
        found[rows[others == objects[rows]]] = True
        return found


class IndexedTriples:
    """All triples of a graph in memory, by value.

    Args:
        subjects, predicates, objects: of equal length.
        shown: the objects as they are shown.
    """

    def __init__(self, subjects: Ids, predicates: Ids, objects: Ids, shown: Ids | None = None) -> None:
        self.columns = (subjects, predicates, objects)
        self.shown = objects if shown is None else shown
        self._lookups: dict[int, Lookup] = {}

    def __len__(self) -> int:
        return len(self.shown)

    def all(self) -> MatchedTriples:
        return MatchedTriples(np.zeros(len(self), np.intp), *self.columns, self.shown)

    def matching(
        self,
        subjects: Ids | None,
        predicates: Ids | None,
        objects: Ids | None,
        guard: QueryLimits = NO_LIMITS,
    ) -> MatchedTriples:
        given = [(place, ids) for place, ids in enumerate((subjects, predicates, objects)) if ids is not None]
        place, ids = (
            given[0] if len(given) == 1 else min(given, key=lambda one: self._lookup(one[0]).count(one[1]))
        )
        rows, places = self._lookup(place).find(ids, guard)
        for other, wanted in given:
            if other != place:
                agree = self.columns[other][places] == wanted[rows]
                rows, places = rows[agree], places[agree]
        found = [column[places] for column in self.columns]
        return MatchedTriples(rows, found[0], found[1], found[2], self.shown[places])

    def of_predicate(self, predicate: int) -> ColumnRelation:
        """The pairs of one predicate."""
        _, places = self._lookup(1).find(np.array([predicate], np.int64))
        subjects, _, objects = self.columns
        return ColumnRelation(subjects[places], objects[places], self.shown[places])

    @cached_property
    def nodes(self) -> Ids:
        """Each subject and object once, in order."""
        return np.unique(np.concatenate([self.columns[0], self.columns[2]]))

    def _lookup(self, place: int) -> Lookup:
        found = self._lookups.get(place)
        if found is None:
            found = self._lookups[place] = Lookup(self.columns[place])
        return found

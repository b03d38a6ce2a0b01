"""Interfaces of graphs to which patterns are matched, and their implementation by columns in memory.

All literal forms of a value have one value number; a term number denotes a literal in one form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from rdflib import URIRef

from pantarhei.model.term import Term
from pantarhei.query.solutions import NO_LIMITS, Ids, Indexes, Mask, QueryLimits


class MatchedPairs(NamedTuple):
    """Facts of a relation that match the terms of a column.

    Args:
        rows: index in the column for each fact.
        others: value numbers of the facts' other ends.
        form_ids: term numbers of the facts' objects, in their literal forms; identical to `others` if equal.
    """

    rows: Indexes
    others: Ids
    form_ids: Ids


class Relation(Protocol):
    """Set of pairs of subject and object. Arguments are value numbers."""

    def __len__(self) -> int:
        """Return the number of pairs."""

    def pairs(self) -> tuple[Ids, Ids, Ids]:
        """Return all pairs: value numbers of subjects, value numbers of objects, term numbers of objects."""

    def forward(self, subjects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        """Return the pairs whose subject is one of `subjects`.

        Raises:
            QueryMemoryError: the pairs exceed the limit.
        """

    def backward(self, objects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        """Return the pairs whose object is one of `objects`; `others` are their subjects.

        Raises:
            QueryMemoryError: the pairs exceed the limit.
        """

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        """Return for each pair whether the relation contains it."""


class MatchedTriples(NamedTuple):
    """Triples that match the rows of a table.

    Args:
        rows: index of the matched row for each triple.
        subjects, predicates, objects: value numbers of the triples.
        form_ids: term numbers of the objects, in their literal forms.
    """

    rows: Indexes
    subjects: Ids
    predicates: Ids
    objects: Ids
    form_ids: Ids


class FactSource(Protocol):
    """A graph."""

    @property
    def has_forms(self) -> bool:
        """True if a value can have several literal forms in the graph."""

    @property
    def is_distinct(self) -> bool:
        """True if different triples differ by value."""

    def relation(self, predicate: Term) -> Relation:
        """Return the facts of a predicate."""

    def members(self, class_: Term) -> Relation:
        """Return the members of a class, as pairs of a member and the class."""

    @property
    def triples(self) -> IndexedTriples:
        """All triples."""


class LazyGraphs:
    """Dataset whose named graphs are created at first access.

    Args:
        default: the default graph.
        names: returns the names of the named graphs.
        find: creates a named graph; returns None if it does not exist.
    """

    def __init__(
        self,
        default: FactSource,
        names: Callable[[], Iterable[URIRef]],
        find: Callable[[Term], FactSource | None],
    ) -> None:
        self.default, self.names, self._find = default, names, find
        self._known: dict[Term, FactSource | None] = {}

    def graph(self, name: Term) -> FactSource | None:
        """Return a named graph; None if it does not exist."""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]


# A column is indexed by an array over its range of numbers if the array has at most `_DENSE` times the
# column's length and `_SPARE_CELLS` more cells.
_DENSE = 8
_SPARE_CELLS = 1 << 16


class Lookup:
    """Index of a column of numbers: maps a number to the indexes at which it occurs.

    A dense range of numbers is indexed by an array, other numbers by binary search in a sorted copy.
    """

    def __init__(self, column: Ids) -> None:
        self._size = len(column)
        self._low = int(column.min()) if len(column) else 0
        span = int(column.max()) - self._low + 1 if len(column) else 0
        self._place_of: Indexes | None = None
        self._starts: Indexes | None = None
        if span <= _DENSE * len(column) + _SPARE_CELLS:
            position_of = np.full(span + 1, -1, np.int64)  # the last cell is for absent numbers
            position_of[column - self._low] = np.arange(len(column))
            if np.count_nonzero(position_of >= 0) == len(column):
                self._place_of = position_of
                return
            counts = np.bincount(column - self._low, minlength=span)
            self._starts = np.concatenate([[0], np.cumsum(counts), [len(column)]])
        self._order = np.argsort(column, kind="stable")
        self._sorted = column[self._order] if self._starts is None else column[:0]

    def find(self, numbers: Ids, limits: QueryLimits = NO_LIMITS) -> tuple[Indexes, Indexes]:
        """Return the pairs of an index in `numbers` and an index in the column at which the numbers are
        equal.

        Raises:
            QueryMemoryError: the pairs exceed the limit.
        """
        if self._place_of is not None:
            indexes = self._place_of[self._cells(numbers, len(self._place_of) - 1)]
            rows = np.flatnonzero(indexes >= 0)
            return rows, indexes[rows]
        if self._starts is not None:
            cells = self._cells(numbers, len(self._starts) - 2)
            begins, ends = self._starts[cells], self._starts[cells + 1]
        else:
            begins = np.searchsorted(self._sorted, numbers, "left")
            ends = np.searchsorted(self._sorted, numbers, "right")
        counts = ends - begins
        limits.check_rows(int(counts.sum()))
        rows = np.repeat(np.arange(len(numbers)), counts)
        before = np.cumsum(counts) - counts
        return rows, self._order[np.arange(len(rows)) + np.repeat(begins - before, counts)]

    def count(self, numbers: Ids) -> int:
        """Return the number of pairs that `find` would return."""
        if self._place_of is not None:
            return int(np.count_nonzero(self._place_of[self._cells(numbers, len(self._place_of) - 1)] >= 0))
        if self._starts is not None:
            cells = self._cells(numbers, len(self._starts) - 2)
            return int((self._starts[cells + 1] - self._starts[cells]).sum())
        begins = np.searchsorted(self._sorted, numbers, "left")
        return int((np.searchsorted(self._sorted, numbers, "right") - begins).sum())

    def _cells(self, numbers: Ids, outside: int) -> Ids:
        """Return the array cell of each number; `outside` for a number beyond the column's range."""
        cells = numbers - self._low
        cells[(cells < 0) | (cells >= outside)] = outside
        return cells


class ColumnRelation:
    """Relation in memory.

    Args:
        subjects, objects: value numbers.
        form_ids: term numbers of the objects, in their literal forms; None if they are equal to `objects`.
    """

    def __init__(self, subjects: Ids, objects: Ids, form_ids: Ids | None = None) -> None:
        self._subjects, self._objects = subjects, objects
        self._shown = objects if form_ids is None else form_ids

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

    def forward(self, subjects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        rows, indexes = self._by_subject.find(subjects, limits)
        others = self._objects[indexes]
        return MatchedPairs(rows, others, others if self._shown is self._objects else self._shown[indexes])

    def backward(self, objects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        rows, indexes = self._by_object.find(objects, limits)
        return MatchedPairs(rows, self._subjects[indexes], self._shown[indexes])

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        found = np.zeros(len(subjects), np.bool_)
        rows, others, _ = self.forward(subjects)
        found[rows[others == objects[rows]]] = True
        return found


class IndexedTriples:
    """All triples of a graph in memory; an index of a column is built at its first lookup.

    Args:
        subjects, predicates, objects: value numbers, in columns of equal length.
        form_ids: term numbers of the objects, in their literal forms; None if they are equal to `objects`.
    """

    def __init__(self, subjects: Ids, predicates: Ids, objects: Ids, form_ids: Ids | None = None) -> None:
        self.columns = (subjects, predicates, objects)
        self.form_ids = objects if form_ids is None else form_ids
        self._lookups: dict[int, Lookup] = {}

    def __len__(self) -> int:
        return len(self.form_ids)

    def all(self) -> MatchedTriples:
        """Return all triples, as matches of a single row."""
        return MatchedTriples(np.zeros(len(self), np.intp), *self.columns, self.form_ids)

    def matching(
        self,
        subjects: Ids | None,
        predicates: Ids | None,
        objects: Ids | None,
        limits: QueryLimits = NO_LIMITS,
    ) -> MatchedTriples:
        """Return the triples that match each row of the given columns.

        Args:
            subjects, predicates, objects: value numbers, in columns of equal length; None for a variable. At
                least one column is given.
        """
        columns = enumerate((subjects, predicates, objects))
        given = [(position, ids) for position, ids in columns if ids is not None]
        position, ids = (
            given[0] if len(given) == 1 else min(given, key=lambda one: self._lookup(one[0]).count(one[1]))
        )
        rows, indexes = self._lookup(position).find(ids, limits)
        for other, target in given:
            if other != position:
                agree = self.columns[other][indexes] == target[rows]
                rows, indexes = rows[agree], indexes[agree]
        found = [column[indexes] for column in self.columns]
        return MatchedTriples(rows, found[0], found[1], found[2], self.form_ids[indexes])

    def of_predicate(self, predicate: int) -> ColumnRelation:
        """Return the pairs of subject and object of one predicate."""
        _, indexes = self._lookup(1).find(np.array([predicate], np.int64))
        subjects, _, objects = self.columns
        return ColumnRelation(subjects[indexes], objects[indexes], self.form_ids[indexes])

    @cached_property
    def nodes(self) -> Ids:
        """Value numbers of subjects and objects, sorted, each once."""
        return np.unique(np.concatenate([self.columns[0], self.columns[2]]))

    def _lookup(self, position: int) -> Lookup:
        found = self._lookups.get(position)
        if found is None:
            found = self._lookups[position] = Lookup(self.columns[position])
        return found

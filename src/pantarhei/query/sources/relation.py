"""The facts of one predicate, and of one graph, as they are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from rdflib import URIRef

from pantarhei.model.term import Term
from pantarhei.query.guard import NO_LIMITS, Guard
from pantarhei.query.table import Ids, Mask, Places


class Pairs(NamedTuple):
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

    def forward(self, subjects: Ids, guard: Guard = NO_LIMITS) -> Pairs:
        """The objects of each of `subjects`.

        Raises:
            QueryMemoryError: they are more than `guard` lets pass.
        """
        ...

    def backward(self, objects: Ids, guard: Guard = NO_LIMITS) -> Pairs:
        """The subjects of each of `objects`; `shown` has the objects as they are shown.

        Raises:
            QueryMemoryError: as `forward`.
        """
        ...

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        """Which pairs are among them."""
        ...


class Triples(Protocol):
    """All triples of a graph, by value, and their objects as they are shown."""

    def __len__(self) -> int: ...

    def matching(
        self,
        subjects: Ids | None,
        predicates: Ids | None,
        objects: Ids | None,
        guard: Guard = NO_LIMITS,
    ) -> Matches:
        """The triples that agree with each row of what is given; at least one column is.

        Args:
            subjects, predicates, objects: of equal length; None for what is not given.
        """
        ...

    def all(self) -> Matches:
        """All triples, as those that agree with one row that says nothing."""
        ...


class Matches(NamedTuple):
    """Triples that were found for rows of a question."""

    rows: Places
    subjects: Ids
    predicates: Ids
    objects: Ids
    shown: Ids


class Source(Protocol):
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

    def triples(self) -> Triples:
        """All triples."""
        ...

    def nodes(self) -> Ids:
        """Each term once that is a subject or an object, by value."""
        ...


class Dataset(Protocol):
    """Several graphs."""

    @property
    def default(self) -> Source:
        """The graph that patterns are matched against outside GRAPH."""
        ...

    def names(self) -> Iterable[URIRef]:
        """The names of the others."""
        ...

    def graph(self, name: Term) -> Source | None:
        """The graph of a name, None if there is none."""
        ...

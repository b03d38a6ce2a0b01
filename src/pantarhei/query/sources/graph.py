"""Any triples as a graph to be asked, and several graphs as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from rdflib import URIRef

from pantarhei.model.term import RDF_TYPE, Term, Triple, respelled
from pantarhei.query.sources.columns import ColumnRelation, TripleColumns
from pantarhei.query.sources.relation import Relation, Source
from pantarhei.query.table import Ids
from pantarhei.query.terms import TermSpace


class GraphFacts:
    """A graph whose triples have been copied.

    Args:
        terms: gives their terms numbers.
        columns: the triples.
    """

    def __init__(self, terms: TermSpace, columns: TripleColumns) -> None:
        self._terms, self._columns = terms, columns
        self._relations: dict[Term, Relation] = {}
        self._members: dict[Term, Relation] = {}

    @classmethod
    def of(cls, terms: TermSpace, triples: Iterable[Triple]) -> GraphFacts:
        """The graph of these triples. Costs a look-up for each term."""
        ids = np.array(
            [terms.id_of(respelled(term)) for triple in triples for term in triple], np.int64
        ).reshape(-1, 3)
        subjects, predicates, objects = (np.ascontiguousarray(column) for column in ids.T)
        values = terms.values
        return cls(terms, TripleColumns(values(subjects), values(predicates), values(objects), objects))

    @classmethod
    def merged(cls, terms: TermSpace, sources: Sequence[Source]) -> GraphFacts:
        """The triples of all sources, each once."""
        found = [source.triples().all() for source in sources]
        if not found:
            return cls.of(terms, ())
        rows = np.concatenate(
            [np.stack([m.subjects, m.predicates, m.objects, m.shown]) for m in found], axis=1
        )
        rows = np.unique(rows, axis=1)
        return cls(terms, TripleColumns(*(np.ascontiguousarray(column) for column in rows)))

    def __len__(self) -> int:
        return len(self._columns)

    @cached_property
    def has_forms(self) -> bool:
        return bool(np.any(self._columns.shown != self._columns.columns[2]))

    @property
    def is_distinct(self) -> bool:
        return not self.has_forms

    def relation(self, predicate: Term) -> Relation:
        found = self._relations.get(predicate)
        if found is None:
            number = self._terms.find_value(predicate)
            found = self._columns.of_predicate(-2 if number is None else number)
            self._relations[predicate] = found
        return found

    def members(self, class_: Term) -> Relation:
        found = self._members.get(class_)
        if found is None:
            number = self._terms.find_value(class_)
            subjects, objects, shown = self.relation(RDF_TYPE).pairs()
            places = np.flatnonzero(objects == (-2 if number is None else number))
            found = self._members[class_] = ColumnRelation(subjects[places], objects[places], shown[places])
        return found

    def triples(self) -> TripleColumns:
        return self._columns

    def nodes(self) -> Ids:
        return self._columns.nodes


class Graphs:
    """A dataset of graphs that are made when they are first asked for.

    Args:
        default: the default graph.
        names: of the others.
        find: gives the graph of one of them, None where it has gone.
    """

    def __init__(
        self, default: Source, names: Callable[[], Iterable[URIRef]], find: Callable[[Term], Source | None]
    ) -> None:
        self._default, self._names, self._find = default, names, find
        self._known: dict[Term, Source | None] = {}

    @property
    def default(self) -> Source:
        return self._default

    def names(self) -> Iterable[URIRef]:
        return self._names()

    def graph(self, name: Term) -> Source | None:
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]


def single(source: Source, named: Mapping[URIRef, Source] | None = None) -> Graphs:
    """A dataset with one graph as its default, and others that are there already."""
    others = named or {}
    return Graphs(source, lambda: others, lambda name: others.get(name) if isinstance(name, URIRef) else None)

"""Views of graphs and datasets, over which one query is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
from rdflib import Graph, Literal, URIRef
from rdflib.graph import Dataset

from pantarhei.errors import QueryError
from pantarhei.model.term import RDF_TYPE, Term, Triple, respelled
from pantarhei.query.expressions import LiteralValues
from pantarhei.query.expressions.context import TripleTimes
from pantarhei.query.solutions import TermSpace
from pantarhei.query.sources.relation import ColumnRelation, FactSource, IndexedTriples, LazyGraphs, Relation
from pantarhei.rdf.triple_table import triples_of


class GraphFacts:
    """Graph of copied triples.

    Args:
        terms: term numbers.
        columns: the triples.
    """

    def __init__(self, terms: TermSpace, columns: IndexedTriples) -> None:
        self._terms, self.triples = terms, columns
        self._relations: dict[Term, Relation] = {}
        self._members: dict[Term, Relation] = {}

    @classmethod
    def of(cls, terms: TermSpace, triples: Iterable[Triple]) -> GraphFacts:
        """Copy triples. The cost is a lookup for each of their terms."""
        numbers = [terms.id_of(respelled(term)) for triple in triples for term in triple]
        ids = np.array(numbers, np.int64).reshape(-1, 3)
        subjects, predicates, objects = (np.ascontiguousarray(column) for column in ids.T)
        values = terms.values
        return cls(terms, IndexedTriples(values(subjects), values(predicates), values(objects), objects))

    @classmethod
    def merged(cls, terms: TermSpace, sources: Sequence[FactSource]) -> GraphFacts:
        """Return the union of graphs, with each triple once."""
        found = [source.triples.all() for source in sources]
        if not found:
            return cls.of(terms, ())
        parts = [np.stack([m.subjects, m.predicates, m.objects, m.form_ids]) for m in found]
        rows = np.concatenate(parts, axis=1)
        rows = np.unique(rows, axis=1)
        return cls(terms, IndexedTriples(*(np.ascontiguousarray(column) for column in rows)))

    def __len__(self) -> int:
        return len(self.triples)

    @cached_property
    def has_forms(self) -> bool:
        return bool(np.any(self.triples.form_ids != self.triples.columns[2]))

    @property
    def is_distinct(self) -> bool:
        return not self.has_forms

    def relation(self, predicate: Term) -> Relation:
        found = self._relations.get(predicate)
        if found is None:
            number = self._terms.find_value(predicate)
            found = self.triples.of_predicate(-2 if number is None else number)
            self._relations[predicate] = found
        return found

    def members(self, class_: Term) -> Relation:
        found = self._members.get(class_)
        if found is None:
            number = self._terms.find_value(class_)
            subjects, objects, form_ids = self.relation(RDF_TYPE).pairs()
            indexes = np.flatnonzero(objects == (-2 if number is None else number))
            columns = (column[indexes] for column in (subjects, objects, form_ids))
            found = self._members[class_] = ColumnRelation(*columns)
        return found


def single(source: FactSource, named: Mapping[URIRef, FactSource] | None = None) -> LazyGraphs:
    """Return a dataset that consists of existing graphs."""
    others = named or {}

    def find(name: Term) -> FactSource | None:
        return others.get(name) if isinstance(name, URIRef) else None

    return LazyGraphs(source, lambda: others, find)


@dataclass(frozen=True)
class View:
    """Dataset in one state.

    Args:
        dataset: the graphs.
        terms: term numbers of the view.
        literals: values of the vocabulary's literals.
        has_names: False if GRAPH is invalid, as over a single graph.
        times: times of triples by graph name; None is the default graph.
    """

    dataset: LazyGraphs
    terms: TermSpace
    literals: LiteralValues
    has_names: bool = True
    times: Mapping[Term | None, TripleTimes] = field(repr=False, default_factory=dict)
    _joined: dict[Term, View] = field(init=False, repr=False, compare=False, default_factory=dict)

    def restricted(self, default: Iterable[Term] | None, named: Iterable[Term] | None) -> View:
        """Return a view of the dataset that FROM and FROM NAMED describe.

        Raises:
            QueryError: a graph does not exist.
        """
        if default is None and named is None:
            return self
        merged = GraphFacts.merged(self.terms, [self._graph(name) for name in default or ()])
        left = {URIRef(str(name)): self._graph(name) for name in named or ()}
        return View(single(merged, left), self.terms, self.literals)

    def _graph(self, name: Term) -> FactSource:
        found = self.dataset.graph(name)
        if found is None:
            here = [f"<{known}>" for known in self.dataset.names()]
            known = ", ".join(here[:5]) + (f" and {len(here) - 5} more" if len(here) > 5 else "")
            raise QueryError(
                f"FROM <{name}> names a graph that the dataset does not have, and graphs are not fetched "
                "from the network; expected "
                f"{known if here else 'no FROM, since the dataset has only the default graph'}"
            )
        return found

    def united(self) -> View:
        """Return a view whose default graph is the union of all graphs."""
        named = [self._graph(name) for name in self.dataset.names()]
        union = GraphFacts.merged(self.terms, [self.dataset.default, *named])
        return View(LazyGraphs(union, self.dataset.names, self.dataset.graph), self.terms, self.literals)

    def joined(self, name: Term) -> View:
        """Return a view whose default graph also contains a named graph's triples. The view is cached."""
        found = self._joined.get(name)
        if found is None:
            both = GraphFacts.merged(self.terms, [self.dataset.default, self._graph(name)])
            found = View(LazyGraphs(both, self.dataset.names, self.dataset.graph), self.terms, self.literals)
            self._joined[name] = found
        return found


def graph_view(graph: Graph) -> View:
    """Return a view of an rdflib graph or dataset. The cost is a lookup for each term of its triples."""
    terms = TermSpace()
    literals = LiteralValues([])
    if not isinstance(graph, Dataset):
        facts = GraphFacts.of(terms, triples_of(graph))
        return View(single(facts), terms, literals, has_names=False)
    default = graph.default_graph
    others = {c.identifier: c for c in graph.graphs() if c.identifier != default.identifier and len(c)}
    parts = (default, *others.values()) if graph.default_union else (default,)
    triples = dict.fromkeys(chain.from_iterable(map(triples_of, parts)))

    def find(name: Term) -> FactSource | None:
        found = None if isinstance(name, Literal) else others.get(name)
        return None if found is None else GraphFacts.of(terms, triples_of(found))

    names = sorted(name for name in others if isinstance(name, URIRef))
    return View(LazyGraphs(GraphFacts.of(terms, triples), lambda: names, find), terms, literals)

"""What a query is asked of: graphs whose terms have numbers, at one moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from rdflib import Graph, Literal, URIRef
from rdflib.graph import Dataset

from pantarhei.errors import QueryError
from pantarhei.model.term import Term
from pantarhei.query.expressions import LiteralValues
from pantarhei.query.expressions.triple_times import TripleTimes
from pantarhei.query.sources.graph import GraphFacts, Graphs, single
from pantarhei.query.sources.relation import Dataset as Sources
from pantarhei.query.sources.relation import Source
from pantarhei.query.terms import TermSpace
from pantarhei.rdf.triple_table import triples_of


@dataclass(frozen=True)
class View:
    """A dataset at one moment.

    Args:
        dataset: its graphs.
        terms: what their numbers stand for.
        literals: the values of the literals that have the vocabulary's numbers.
        has_names: whether GRAPH has anything to look at.
        times: those of triples, by the graph; None is the default graph.
    """

    dataset: Sources
    terms: TermSpace
    literals: LiteralValues
    has_names: bool = True
    times: Mapping[Term | None, TripleTimes] = field(repr=False, default_factory=dict)
    _joined: dict[Term, View] = field(init=False, repr=False, compare=False, default_factory=dict)

    def restricted(self, default: Iterable[Term] | None, named: Iterable[Term] | None) -> View:
        """What FROM and FROM NAMED leave of it; None for neither.

        Raises:
            QueryError: there is no graph of such a name here.
        """
        if default is None and named is None:
            return self
        merged = GraphFacts.merged(self.terms, [self._graph(name) for name in default or ()])
        left = {URIRef(str(name)): self._graph(name) for name in named or ()}
        return View(single(merged, left), self.terms, self.literals)

    def _graph(self, name: Term) -> Source:
        found = self.dataset.graph(name)
        if found is None:
            here = [f"<{known}>" for known in self.dataset.names()]
            shown = ", ".join(here[:5]) + (f" and {len(here) - 5} more" if len(here) > 5 else "")
            raise QueryError(
                f"FROM <{name}>: there is no such graph here, and none is fetched from the network; "
                f"there {'are ' + shown if here else 'is the default graph alone'}"
            )
        return found

    def united(self) -> View:
        """The view whose default graph has the triples of all graphs."""
        named = [self._graph(name) for name in self.dataset.names()]
        union = GraphFacts.merged(self.terms, [self.dataset.default, *named])
        return View(Graphs(union, self.dataset.names, self.dataset.graph), self.terms, self.literals)

    def joined(self, name: Term) -> View:
        """The view with a named graph's triples in its default graph as well. It is made once."""
        found = self._joined.get(name)
        if found is None:
            both = GraphFacts.merged(self.terms, [self.dataset.default, self._graph(name)])
            found = View(Graphs(both, self.dataset.names, self.dataset.graph), self.terms, self.literals)
            self._joined[name] = found
        return found


def graph_view(graph: Graph) -> View:
    """A view of an rdflib graph or dataset. Costs a look-up for each of its terms."""
    terms = TermSpace()
    literals = LiteralValues([])
    if not isinstance(graph, Dataset):
        facts = GraphFacts.of(terms, triples_of(graph))
        return View(single(facts), terms, literals, has_names=False)
    default = graph.default_graph
    others = {c.identifier: c for c in graph.graphs() if c.identifier != default.identifier and len(c)}
    parts = (default, *others.values()) if graph.default_union else (default,)
    triples = dict.fromkeys(chain.from_iterable(map(triples_of, parts)))

    def find(name: Term) -> Source | None:
        found = None if isinstance(name, Literal) else others.get(name)
        return None if found is None else GraphFacts.of(terms, triples_of(found))

    names = sorted(name for name in others if isinstance(name, URIRef))
    return View(Graphs(GraphFacts.of(terms, triples), lambda: names, find), terms, literals)

"""SPARQL over the window: `reasoner.graph`, `reasoner.dataset` and `reasoner.query` are made of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from rdflib import Graph, URIRef
from rdflib.graph import Dataset

from pantarhei.language.term import Term, Triple
from pantarhei.language.time import TimePoint
from pantarhei.query.answers import QueryResult
from pantarhei.query.window_store import DatasetStore, TripleSource, WindowDataset, WindowStore

ONTOLOGY_GRAPH = URIRef("urn:pantarhei:ontology")
_AT = "urn:pantarhei:at:"


def window_graph(source: TripleSource) -> Graph:
    """A live, read-only graph over `source`."""
    return Graph(store=WindowStore(source))


def window_dataset(
    source: TripleSource,
    ontology: Graph,
    timestamps: Callable[[], Iterable[TimePoint]],
    interpretation: Callable[[TimePoint], Iterable[Triple]],
) -> Dataset:
    """A live, read-only dataset.

    Its default graph is `source`; `urn:pantarhei:ontology` is the ontology; and for each timestamp of the
    window `urn:pantarhei:at:<timestamp>` (see `timestamp_graph`) is the interpretation of that timestamp.
    """
    return WindowDataset(DatasetStore(source, _WindowGraphs(ontology, timestamps, interpretation)))


def timestamp_graph(at: TimePoint) -> URIRef:
    """The name of the graph that holds a timestamp's interpretation; datetimes are given in UTC.

    >>> timestamp_graph(7), timestamp_graph(datetime(2026, 1, 31, 10, tzinfo=UTC))
    (rdflib.term.URIRef('urn:pantarhei:at:7'), rdflib.term.URIRef('urn:pantarhei:at:2026-01-31T10:00:00Z'))
    """
    if isinstance(at, datetime):
        return URIRef(_AT + at.astimezone(UTC).isoformat().replace("+00:00", "Z"))
    return URIRef(f"{_AT}{at}")


def run_query(
    graph: Graph,
    text: str,
    *,
    namespaces: Mapping[str, Any] | None = None,
    bindings: Mapping[str, Term] | None = None,
) -> QueryResult:
    """The answers of a SPARQL query over a graph or a dataset, evaluated to the end now, without leaving the
    process.

    Args:
        namespaces: prefixes that the query may use without declaring them; by default the graph's.
        bindings: values for variables.

    Raises:
        QueryError: the query is malformed, is an update, or has SERVICE, FROM or FROM NAMED; or it has GRAPH
            and `graph` is a single graph.

    >>> run_query(Graph(), "ASK { ?x a ?c }").askAnswer
    False
    """
    known = dict(graph.namespaces()) if namespaces is None else namespaces
    if isinstance(graph.store, WindowStore | DatasetStore):
        result = graph.query(text, initNs=dict(known), initBindings=dict(bindings or {}))
        assert isinstance(result, QueryResult)
        return result
    from pantarhei.query.evaluate import evaluate  # as in the stores: when the first query comes

    return evaluate(graph, text, known, bindings)


class _WindowGraphs:
    """The named graphs of a window: the ontology, and one for each timestamp."""

    def __init__(
        self,
        ontology: Graph,
        timestamps: Callable[[], Iterable[TimePoint]],
        interpretation: Callable[[TimePoint], Iterable[Triple]],
    ) -> None:
        self._ontology, self._timestamps, self._interpretation = ontology, timestamps, interpretation

    def names(self) -> list[URIRef]:
        return [ONTOLOGY_GRAPH, *map(timestamp_graph, self._timestamps())]

    def graph(self, name: URIRef) -> TripleSource | None:
        if name == ONTOLOGY_GRAPH:
            return _GraphSource(self._ontology)
        if name.startswith(_AT):
            for at in self._timestamps():
                if timestamp_graph(at) == name:
                    return _TripleSet(self._interpretation(at))
        return None


class _GraphSource:
    """An rdflib graph as a `TripleSource`."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def match(self, subject: Term | None, predicate: Term | None, object: Term | None) -> Iterator[Triple]:
        return self._graph.triples((subject, predicate, object))  # type: ignore[arg-type, return-value, unused-ignore]

    def __len__(self) -> int:
        return len(self._graph)


class _TripleSet:
    """Some triples as a `TripleSource`, indexed by each place when a pattern first binds it."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._triples = list(triples)
        self._indexes: list[dict[Term, list[Triple]] | None] = [None, None, None]

    def match(self, subject: Term | None, predicate: Term | None, object: Term | None) -> Iterator[Triple]:
        pattern = (subject, predicate, object)
        bound = [(place, term) for place, term in enumerate(pattern) if term is not None]
        candidates = [self._index(place).get(term, []) for place, term in bound]
        for triple in min(candidates, key=len, default=self._triples):
            if all(triple[place] == term for place, term in bound):
                yield triple

    def _index(self, place: int) -> dict[Term, list[Triple]]:
        index = self._indexes[place]
        if index is None:
            index = self._indexes[place] = {}
            for triple in self._triples:
                index.setdefault(triple[place], []).append(triple)
        return index

    def __len__(self) -> int:
        return len(self._triples)

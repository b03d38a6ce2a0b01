"""rdflib stores over the materialization: live, read-only, in memory.

A pattern is matched when its first match is read, and all matches are copied then. So an iteration reads one
state of all graphs of a dataset even while the window slides, and the next pattern reads the state at its own
time. A query reads one state, as does a serialization.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, NoReturn, Protocol

from rdflib import Graph, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Dataset
from rdflib.store import Store

from pantarhei.errors import ReadOnlyError
from pantarhei.model.term import Place, Term, Triple
from pantarhei.query.answers import QueryResult


class TripleSource(Protocol):
    """Interface of the data of a graph."""

    def match(self, subject: Term | None, predicate: Term | None, object: Term | None) -> Iterator[Triple]:
        """Iterate over the triples that match a pattern; None is a wildcard."""

    def __len__(self) -> int: ...


Matches = Iterator[tuple[Triple, Iterator[Graph | None]]]


class QueryFunction(Protocol):
    """Function that executes queries over the data of a store."""

    def __call__(self, query: Any, name: str, **options: Any) -> QueryResult:
        """Execute a query.

        Args:
            query: a text, or a query prepared by rdflib.
            name: name of the graph to be queried.
            options: keyword arguments of `QueryService.prepare`.
        """


Lock = AbstractContextManager[Any]
"""A reentrant lock that prevents changes of the state."""

_NO_LOCK: Final[Lock] = nullcontext()


class ReadOnlyStore(Store):
    """Base class of the stores. Prefixes can be bound; writes raise `ReadOnlyError`.

    Args:
        ask: executes queries.
        lock: lock that is held during a read of several graphs.
    """

    def __init__(self, ask: QueryFunction, lock: Lock = _NO_LOCK) -> None:
        super().__init__()
        self._ask, self.lock = ask, lock
        self._namespaces: dict[str, URIRef] = {}

    def query(
        self,
        query: Any,
        initNs: Mapping[str, Any],
        initBindings: Mapping[str, Any],
        queryGraph: str,
        **kwargs: Any,
    ) -> Any:
        """Execute the query of a `Graph.query` call; raises the errors of the reasoner's `query`."""
        kwargs.pop("DEBUG", None)
        return self._ask(query, queryGraph, prefixes=initNs, bindings=initBindings, **kwargs)

    # prefixes

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        bound = self.prefix(namespace)
        if not override and (prefix in self._namespaces or bound is not None):
            return
        if bound is not None:
            del self._namespaces[bound]
        self._namespaces[prefix] = namespace

    def prefix(self, namespace: URIRef) -> str | None:
        return next((prefix for prefix, known in self._namespaces.items() if known == namespace), None)

    def namespace(self, prefix: str) -> URIRef | None:
        return self._namespaces.get(prefix)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        return iter(list(self._namespaces.items()))

    # writes

    def add(self, triple: object, context: object, quoted: bool = False) -> NoReturn:
        raise ReadOnlyError("add a triple")

    def addN(self, quads: object) -> NoReturn:
        raise ReadOnlyError("add triples")

    def remove(self, triple: object, context: object = None) -> NoReturn:
        raise ReadOnlyError("remove triples")

    def update(self, *args: object, **kwargs: object) -> NoReturn:
        raise ReadOnlyError("evaluate an update")

    def add_graph(self, graph: Graph) -> None:
        raise ReadOnlyError(f"add the graph {graph.identifier.n3()}")

    def remove_graph(self, graph: object) -> NoReturn:
        raise ReadOnlyError("remove a graph")

    def create(self, configuration: str) -> NoReturn:
        raise ReadOnlyError("create a store")

    def destroy(self, configuration: str) -> NoReturn:
        raise ReadOnlyError("destroy the store")


class WindowStore(ReadOnlyStore):
    """Store of a graph over the present state of a `TripleSource`.

    >>> from rdflib import RDF
    >>> class One:
    ...     triple = (URIRef("urn:a"), RDF.type, URIRef("urn:C"))
    ...     def match(self, subject, predicate, object):
    ...         yield self.triple
    ...     def __len__(self):
    ...         return 1
    >>> graph = Graph(store=WindowStore(One(), ask=None))
    >>> One.triple in graph, len(graph)
    (True, 1)
    """

    def __init__(self, source: TripleSource, ask: QueryFunction, lock: Lock = _NO_LOCK) -> None:
        super().__init__(ask, lock)
        self._source = source

    def triples(self, triple_pattern: Any, context: Graph | None = None) -> Matches:
        for triple in matches(self._source, *triple_pattern):
            yield triple, iter((context,))

    def __len__(self, context: Graph | None = None) -> int:
        return len(self._source)

    def contexts(self, triple: object = None) -> Generator[Graph, None, None]:
        yield from ()


class TripleSet:
    """Triples in memory as a `TripleSource`. The index of a triple position is built when a pattern first has
    a term there.
    """

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._triples = list(triples)
        self._indexes: list[dict[Term, list[Triple]] | None] = [None, None, None]

    def match(self, subject: Term | None, predicate: Term | None, object: Term | None) -> Iterator[Triple]:
        pattern = (subject, predicate, object)
        bound = [(position, term) for position, term in enumerate(pattern) if term is not None]
        candidates = [self._index(position).get(term, []) for position, term in bound]
        for triple in min(candidates, key=len, default=self._triples):
            if all(triple[position] == term for position, term in bound):
                yield triple

    def _index(self, position: int) -> dict[Term, list[Triple]]:
        index = self._indexes[position]
        if index is None:
            index = self._indexes[position] = {}
            for triple in self._triples:
                index.setdefault(triple[position], []).append(triple)
        return index

    def __len__(self) -> int:
        return len(self._triples)


class NamedSources(Protocol):
    """Named graphs of a `DatasetStore`."""

    def names(self) -> Iterable[URIRef]:
        """Return the present graph names."""

    def graph(self, name: URIRef) -> TripleSource | None:
        """Return the graph with this name; None if it does not exist."""


class DatasetStore(ReadOnlyStore):
    """Store of a dataset, which has a default graph and named graphs.

    Each pattern is matched to the present state; a query reads one state of all graphs.
    """

    context_aware = True
    graph_aware = True

    def __init__(
        self, default: TripleSource, named: NamedSources, ask: QueryFunction, lock: Lock = _NO_LOCK
    ) -> None:
        super().__init__(ask, lock)
        self._default, self._named = default, named

    def triples(self, triple_pattern: Any, context: Any = None) -> Matches:
        with self.lock:
            found = [
                (triple, graph)
                for graph in (self._graphs() if context is None else (context,))
                if (source := self._source(_identifier(graph))) is not None
                for triple in matches(source, *triple_pattern)
            ]
        return ((triple, iter((graph,))) for triple, graph in found)

    def __len__(self, context: Any = None) -> int:
        with self.lock:
            graphs = self._graphs() if context is None else [context]
            sources = (self._source(_identifier(graph)) for graph in graphs)
            return sum(len(source) for source in sources if source is not None)

    def contexts(self, triple: Any = None) -> Generator[Graph, None, None]:
        with self.lock:
            sources = [(graph, self._source(_identifier(graph))) for graph in self._graphs()]
            found = [
                graph
                for graph, source in sources
                if triple is None or (source is not None and matches(source, *triple))
            ]
        yield from found

    def add_graph(self, graph: Graph) -> None:
        """Accept a graph that exists, since `Dataset.graph(name)` calls this method at each lookup."""
        if self._source(_identifier(graph)) is None:
            super().add_graph(graph)

    def _graphs(self) -> list[Graph]:
        names = [DATASET_DEFAULT_GRAPH_ID, *self._named.names()]
        return [Graph(store=self, identifier=name) for name in names]

    def _source(self, name: Any) -> TripleSource | None:
        if name == DATASET_DEFAULT_GRAPH_ID:
            return self._default
        return self._named.graph(name) if isinstance(name, URIRef) else None


class WindowGraph(Graph):
    """A graph that is serialized from one state of its store."""

    def serialize(self, *args: Any, **kwargs: Any) -> Any:
        with getattr(self.store, "lock", _NO_LOCK):
            return super().serialize(*args, **kwargs)


class WindowDataset(WindowGraph, Dataset):
    """A dataset that is serialized from one state of its store.

    It suppresses deprecation warnings that rdflib's own query evaluation would cause.
    """

    @property
    def default_context(self) -> Graph:
        return self._default_context

    @default_context.setter
    def default_context(self, value: Graph) -> None:
        self._default_context = value

    def contexts(self, triple: Any = None) -> Generator[Graph, None, None]:
        yield from self.store.contexts(triple)


def matches(source: TripleSource, subject: object, predicate: object, object: object) -> list[Triple]:
    """Return a copy of the matches of a pattern. A term that is invalid in its position has no matches."""
    pattern = ((Place.SUBJECT, subject), (Place.PREDICATE, predicate), (Place.OBJECT, object))
    if not all(term is None or position.admits(term) for position, term in pattern):
        return []
    return list(source.match(subject, predicate, object))  # type: ignore[arg-type]


def _identifier(graph: Any) -> Any:
    return getattr(graph, "identifier", graph)

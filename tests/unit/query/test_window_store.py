"""Stores: views of what there is, which nobody writes to."""

import pytest
from rdflib import RDF, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from pantarhei.errors import ReadOnlyError
from pantarhei.query.window_store import DatasetStore, WindowDataset, WindowStore
from strategies import EX


class Source:
    """A set of triples that may change."""

    def __init__(self, *triples):
        self.triples = set(triples)

    def match(self, *pattern):
        for triple in self.triples:
            if all(wanted in (None, term) for wanted, term in zip(pattern, triple, strict=True)):
                yield triple

    def __len__(self):
        return len(self.triples)


class Named:
    def __init__(self, **sources):
        self.sources = {URIRef(f"urn:{name}"): source for name, source in sources.items()}

    def names(self):
        return self.sources

    def graph(self, name):
        return self.sources.get(name)


ONE, OTHER = (EX.a, RDF.type, EX.C), (EX.b, RDF.type, EX.C)


def test_a_graph_shows_what_there_is_now_and_an_iteration_what_there_was():
    source = Source(ONE)
    graph = Graph(store=WindowStore(source))
    found = graph.triples((None, RDF.type, None))
    first = next(found)
    source.triples.add(OTHER)
    assert [first, *found] == [ONE]
    assert set(graph) == {ONE, OTHER} and len(graph) == 2


@pytest.mark.parametrize("pattern", [(Literal(1), None, None), (None, Literal(1), None)])
def test_what_cannot_stand_in_a_triple_matches_nothing(pattern):
    assert list(Graph(store=WindowStore(Source(ONE))).triples(pattern)) == []


@pytest.mark.parametrize(
    "write",
    [
        lambda graph: graph.add(ONE),
        lambda graph: graph.remove(ONE),
        lambda graph: graph.update("DELETE WHERE { ?a ?b ?c }"),
        lambda graph: graph.parse(data="<urn:a> <urn:b> <urn:c> ."),
    ],
)
def test_nothing_is_written(write):
    source = Source(ONE)
    with pytest.raises(ReadOnlyError):
        write(Graph(store=WindowStore(source)))
    assert source.triples == {ONE}


def test_a_dataset_has_its_graphs_and_makes_no_others():
    dataset = WindowDataset(DatasetStore(Source(ONE), Named(g=Source(OTHER))))
    assert {graph.identifier for graph in dataset.graphs()} == {DATASET_DEFAULT_GRAPH_ID, URIRef("urn:g")}
    assert set(dataset.graph(URIRef("urn:g"))) == {OTHER}
    with pytest.raises(ReadOnlyError):
        dataset.graph(URIRef("urn:other"))


def test_a_query_sees_each_named_graph_as_it_was_at_its_first_look():
    source = Source(ONE)
    store = DatasetStore(Source(), Named(g=source))
    before = store.snapshot(DATASET_DEFAULT_GRAPH_ID)
    name = URIRef("urn:g")
    assert len(before.graph(name)) == 1
    store._named.sources[name] = Source()
    assert len(before.graph(name)) == 1 and len(WindowDataset(store).graph(name)) == 0

"""Stores: views of what there is, which nobody writes to."""

import warnings

import pytest
from rdflib import RDF, RDFS, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from pantarhei import StreamReasoner, Window, load_ontology
from pantarhei.errors import ReadOnlyError
from pantarhei.query import ONTOLOGY_GRAPH, SCHEMA_GRAPH, timestamp_graph
from pantarhei.query.window_store import DatasetStore, TripleSet, WindowDataset, WindowStore
from strategies import EX


class Source:
    """A set of triples that may change, and takes down what it is asked."""

    def __init__(self, *triples):
        self.triples, self.patterns = set(triples), []

    def match(self, *pattern):
        self.patterns.append(pattern)
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


def no_answer(query, name, **options):
    raise AssertionError("nothing is asked")


def graph_of(source):
    return Graph(store=WindowStore(source, no_answer))


def dataset_of(default, **named):
    return WindowDataset(DatasetStore(default, Named(**named), no_answer))


def test_a_graph_shows_what_there_is_now_and_an_iteration_what_there_was():
    source = Source(ONE)
    graph = graph_of(source)
    found = graph.triples((None, RDF.type, None))
    first = next(found)
    source.triples.add(OTHER)
    assert [first, *found] == [ONE]
    assert set(graph) == {ONE, OTHER} and len(graph) == 2


def test_a_pattern_is_passed_on_bound():
    source = Source(ONE)
    list(graph_of(source).triples((EX.a, None, EX.C)))
    assert source.patterns == [(EX.a, None, EX.C)]


@pytest.mark.parametrize("pattern", [(Literal(1), None, None), (None, Literal(1), None)])
def test_what_cannot_stand_in_a_triple_matches_nothing_and_is_not_looked_for(pattern):
    source = Source(ONE)
    assert list(graph_of(source).triples(pattern)) == []
    assert source.patterns == []


def test_a_graph_is_copied_and_the_copy_changed():
    graph = graph_of(Source(ONE))
    copy = Graph() + graph
    copy.add(OTHER)
    assert (len(copy), len(graph)) == (2, 1)


def test_prefixes_are_bound_and_written():
    graph = graph_of(Source(ONE))
    graph.bind("ex", EX)
    graph.bind("other", EX, override=False)
    assert "ex:a a ex:C" in graph.serialize(format="turtle")
    graph.bind("new", EX, replace=True)
    assert dict(graph.namespaces())["new"] == URIRef(EX)


def test_matches_of_a_set_of_triples_are_found_by_any_places():
    triples = TripleSet([ONE, OTHER, (EX.a, EX.p, EX.b)])
    assert set(triples.match(EX.a, None, None)) == {ONE, (EX.a, EX.p, EX.b)}
    assert list(triples.match(EX.a, RDF.type, EX.C)) == [ONE]
    assert list(triples.match(EX.a, None, EX.a)) == []
    assert len(list(triples.match(None, None, None))) == len(triples) == 3


def test_a_dataset_has_its_graphs_and_makes_no_others():
    dataset = dataset_of(Source(ONE), g=Source(OTHER))
    assert {graph.identifier for graph in dataset.graphs()} == {DATASET_DEFAULT_GRAPH_ID, URIRef("urn:g")}
    assert set(dataset.graph(URIRef("urn:g"))) == {OTHER}
    with pytest.raises(ReadOnlyError, match="urn:other"):
        dataset.graph(URIRef("urn:other"))
    with pytest.raises(ReadOnlyError):
        dataset.graph()


# -- over a reasoner ---------------------------------------------------------------------------------------


@pytest.fixture
def reasoner():
    """`a` is C at 1, `b` is C at 2; every C is a D."""
    made = StreamReasoner(load_ontology(Graph().add((EX.C, RDFS.subClassOf, EX.D))), Window(2))
    made.push(1, [ONE])
    made.push(2, [OTHER])
    return made


WRITES = [
    lambda view: view.add(ONE),
    lambda view: view.addN([(*ONE, view)]),
    lambda view: view.remove(ONE),
    lambda view: view.set(ONE),
    lambda view: view.parse(data="<urn:a> <urn:b> <urn:c> .", format="turtle"),
    lambda view: view.update("INSERT DATA { <urn:a> <urn:b> <urn:c> }"),
    lambda view: view.update("DELETE WHERE { ?a ?b ?c }"),
    lambda view: view.__iadd__([ONE]),
    lambda view: view.__isub__([ONE]),
    lambda view: view.destroy(""),
]


@pytest.mark.parametrize("write", WRITES)
def test_nothing_is_written_to_a_graph(reasoner, write):
    for view in (reasoner.graph, reasoner.dataset.default_graph, reasoner.dataset.graph(ONTOLOGY_GRAPH)):
        before = set(view)
        with pytest.raises(ReadOnlyError, match="read-only"):
            write(view)
        assert set(view) == before


@pytest.mark.parametrize(
    "write",
    [
        lambda dataset: dataset.add((*ONE, ONTOLOGY_GRAPH)),
        lambda dataset: dataset.remove((None, None, None, None)),
        lambda dataset: dataset.remove_graph(ONTOLOGY_GRAPH),
        lambda dataset: dataset.update("CLEAR ALL"),
        lambda dataset: dataset.parse(data="<urn:g> { <urn:a> <urn:b> <urn:c> }", format="trig"),
    ],
)
def test_nothing_is_written_to_a_dataset(reasoner, write):
    with pytest.raises(ReadOnlyError):
        write(reasoner.dataset)


def test_a_dataset_has_the_ontology_the_schema_and_a_graph_for_each_timestamp(reasoner):
    dataset = reasoner.dataset
    names = {graph.identifier for graph in dataset.graphs()} - {DATASET_DEFAULT_GRAPH_ID}
    assert names == {ONTOLOGY_GRAPH, SCHEMA_GRAPH, timestamp_graph(1), timestamp_graph(2)}
    assert set(dataset.default_graph) == reasoner.materialization()
    assert set(dataset.graph(timestamp_graph(1))) == {ONE, (EX.a, RDF.type, EX.D)}
    assert set(dataset.graph(ONTOLOGY_GRAPH)) == {(EX.C, RDFS.subClassOf, EX.D)}
    assert (EX.C, RDFS.subClassOf, EX.D) in dataset.graph(SCHEMA_GRAPH)


def test_triples_of_a_dataset_are_those_of_its_default_graph(reasoner):
    assert set(reasoner.dataset.triples((None, RDFS.subClassOf, None))) == set()
    assert set(reasoner.dataset.triples((None, None, None))) == reasoner.materialization()


def test_quads_are_those_of_all_graphs(reasoner):
    names = [quad[3] for quad in reasoner.dataset.quads((None, RDF.type, None, None))]
    assert names.count(timestamp_graph(1)) == names.count(timestamp_graph(2)) == 2
    lines = reasoner.dataset.serialize(format="nquads").splitlines()
    assert sum("urn:pantarhei:at:" in line for line in lines) == 4
    assert "urn:pantarhei:ontology" in reasoner.dataset.serialize(format="trig")


def test_asking_a_dataset_warns_of_nothing(reasoner):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(reasoner.dataset.query("SELECT * { GRAPH ?g { ?s ?p ?o } }"))

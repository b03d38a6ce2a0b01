"""Views: graphs joined, and what FROM leaves."""

from rdflib import RDF, Graph, URIRef
from rdflib.graph import Dataset

from pantarhei.query.view import graph_view

NAME, TRIPLE, OTHER = URIRef("urn:g"), (URIRef("urn:a"), RDF.type, URIRef("urn:C")), URIRef("urn:b")


def test_a_named_graph_is_joined_to_the_default_graph_once_and_each_triple_is_there_once():
    dataset = Dataset()
    dataset.add(TRIPLE)
    for triple in (TRIPLE, (OTHER, *TRIPLE[1:])):
        dataset.graph(NAME).add(triple)
    view = graph_view(dataset)
    joined = view.joined(NAME)
    assert (len(view.dataset.default), len(joined.dataset.default)) == (1, 2)
    assert view.joined(NAME) is joined
    assert list(joined.dataset.names()) == [NAME]


def test_without_from_a_view_is_as_it_was():
    view = graph_view(Graph())
    assert view.restricted(None, None) is view

"""What a query is asked of: graphs and datasets of rdflib, and what FROM leaves of them."""

import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef

from asked import triples
from pantarhei.errors import QueryError
from pantarhei.query.view import graph_view

A, B, G, H = (URIRef(f"urn:{name}") for name in "abgh")


def shown(view, source):
    """The triples of a source as terms."""
    found = source.triples().all()
    columns = map(view.terms.terms, (found.subjects, found.predicates, found.shown))
    return sorted(zip(*columns, strict=True), key=repr)


@pytest.fixture
def dataset():
    data = Dataset()
    for name, text in (
        (None, ":a :p 1 ."),
        (G, ":a :p 2 ."),
        (H, ":a :p 2, 02 ."),
        (BNode("n"), ":a :p 3 ."),
    ):
        for triple in triples(text):
            data.add(triple if name is None else (*triple, name))
    return data


def test_a_single_graph_has_no_names():
    view = graph_view(Graph().add((A, B, Literal(1))))
    assert shown(view, view.dataset.default) == [(A, B, Literal(1))]
    assert not view.has_names and list(view.dataset.names()) == [] and view.dataset.graph(G) is None


def test_a_dataset_has_the_graphs_that_have_triples_and_an_iri(dataset):
    dataset.graph(URIRef("urn:empty"))
    view = graph_view(dataset)
    assert view.has_names and list(view.dataset.names()) == [G, H]
    assert shown(view, view.dataset.default) == triples(":a :p 1 .")
    assert shown(view, view.dataset.graph(G)) == triples(":a :p 2 .")
    assert view.dataset.graph(Literal("urn:g")) is None


def test_a_dataset_whose_default_graph_is_the_union_of_all_stays_so():
    data = Dataset(default_union=True)
    data.add((*triples(":a :p 1 .")[0], G))
    data.add((*triples(":a :p 1 .")[0], H))
    view = graph_view(data)
    assert shown(view, view.dataset.default) == triples(":a :p 1 .")


def test_from_merges_graphs_each_triple_once_in_each_of_its_forms(dataset):
    view = graph_view(dataset).restricted([G, H], None)
    assert shown(view, view.dataset.default) == triples(":a :p 02, 2 .")
    assert list(view.dataset.names()) == []
    assert view.dataset.default.has_forms


def test_from_named_alone_leaves_no_default_graph(dataset):
    view = graph_view(dataset).restricted((), [H])
    assert shown(view, view.dataset.default) == []
    assert list(view.dataset.names()) == [H]
    assert view.dataset.graph(G) is None and view.dataset.graph(H) is not None


def test_without_either_all_stays(dataset):
    view = graph_view(dataset)
    assert view.restricted(None, None) is view


def test_a_graph_that_is_not_here_is_refused_naming_those_that_are(dataset):
    with pytest.raises(QueryError, match=r"FROM <urn:x>: .* there are <urn:g>, <urn:h>"):
        graph_view(dataset).restricted([URIRef("urn:x")], None)
    with pytest.raises(QueryError, match="the default graph alone"):
        graph_view(Graph()).restricted(None, [G])
    for number in range(20):
        dataset.add((A, B, Literal(1), URIRef(f"urn:{number}")))
    with pytest.raises(QueryError, match="and 17 more"):
        graph_view(dataset).restricted([URIRef("urn:x")], None)


def test_a_named_graph_is_joined_to_the_default_one_once_and_each_triple_is_there_once(dataset):
    dataset.graph(G).add(*triples(":a :p 1 ."))
    whole = graph_view(dataset)
    view = whole.joined(G)
    assert whole.joined(G) is view
    assert shown(view, view.dataset.default) == triples(":a :p 1, 2 .")
    assert list(view.dataset.names()) == [G, H]

"""Any triples as a graph to be asked, and several as one."""

import pytest
from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, URIRef

from oracle_answers import short, triples
from pantarhei.errors import QueryError
from pantarhei.query.solutions import TermSpace
from pantarhei.query.sources.relation import LazyGraphs
from pantarhei.query.sources.view import GraphFacts, graph_view, single

A, B, C, P, V = (URIRef(f"urn:{name}") for name in "abCpv")
DATA = ":a a :C . :b a :C, :D . :a :p :b ; :v 1 . :b :v 01, 2 ."


@pytest.fixture
def terms():
    return TermSpace()


def shown(terms, columns):
    return sorted(" ".join(map(short, row)) for row in zip(*map(terms.terms, columns), strict=True))


def test_facts_are_asked_by_predicate_and_by_class(terms):
    facts = GraphFacts.of(terms, triples(DATA))
    assert len(facts) == 7
    subjects, _, values = facts.relation(V).pairs()
    assert shown(terms, (subjects, values)) == ["a 1^integer", "b 01^integer", "b 2^integer"]
    assert shown(terms, facts.members(C).pairs()[:1]) == ["a", "b"]
    assert facts.relation(V) is facts.relation(V) and facts.members(C) is facts.members(C)


def test_a_constant_in_another_form_finds_its_value(terms):
    facts = GraphFacts.of(terms, triples(DATA))
    assert facts.has_forms
    for text, datatype, count in (("001", XSD.integer, 2), ("1.0", XSD.decimal, 2), ("1", XSD.string, 0)):
        other = terms.values(terms.ids_of([Literal(text, datatype=datatype, normalize=False)]))
        assert len(facts.relation(V).backward(other).rows) == count


def test_what_is_unknown_has_no_facts(terms):
    facts = GraphFacts.of(terms, triples(DATA))
    nobody = URIRef("urn:nobody")
    assert len(facts.relation(nobody)) == len(facts.members(nobody)) == len(facts.members(Literal(1))) == 0
    assert not GraphFacts.of(terms, triples(":a :p 1 .")).has_forms


def test_an_empty_graph_is_asked_as_any(terms):
    facts = GraphFacts.of(terms, ())
    assert len(facts) == len(facts.relation(P)) == len(facts.triples.nodes) == 0
    assert not facts.has_forms


def test_merged_graphs_have_each_triple_once_and_each_form(terms):
    one, other = (GraphFacts.of(terms, triples(text)) for text in (":a :v 1 . :a :p :b .", ":a :v 01, 1 ."))
    both = GraphFacts.merged(terms, [one, other])
    found = both.triples.all()
    assert shown(terms, (found.predicates, found.form_ids)) == ["p b", "v 01^integer", "v 1^integer"]
    assert len(GraphFacts.merged(terms, [])) == 0


def test_nodes_are_subjects_and_objects_once_by_value(terms):
    facts = GraphFacts.of(terms, triples(":a :p :b . :b :v 1, 01 ."))
    assert shown(terms, (facts.triples.nodes,)) == ["1^integer", "a", "b"]


def test_a_dataset_makes_a_graph_when_it_is_first_asked_for(terms):
    made = []

    def find(name):
        made.append(name)
        return GraphFacts.of(terms, ()) if name == A else None

    graphs = LazyGraphs(GraphFacts.of(terms, ()), lambda: [A], find)
    assert made == []
    assert graphs.graph(A) is graphs.graph(A) is not None
    assert graphs.graph(B) is graphs.graph(B) is None
    assert made == [A, B] and list(graphs.names()) == [A]


def test_a_single_graph_may_have_others_beside_it(terms):
    default, other = GraphFacts.of(terms, ()), GraphFacts.of(terms, triples(DATA))
    assert list(single(default).names()) == [] and single(default).graph(A) is None
    both = single(default, {A: other})
    assert both.default is default and both.graph(A) is other and both.graph(Literal("urn:a")) is None
    assert RDF.type not in list(both.names())


A_OF_VIEW, B_OF_VIEW, G, H = (URIRef(f"urn:{name}") for name in "abgh")


def shown_of_view(view, source):
    """The triples of a source as terms."""
    found = source.triples.all()
    columns = map(view.terms.terms, (found.subjects, found.predicates, found.form_ids))
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
    view = graph_view(Graph().add((A_OF_VIEW, B_OF_VIEW, Literal(1))))
    assert shown_of_view(view, view.dataset.default) == [(A_OF_VIEW, B_OF_VIEW, Literal(1))]
    assert not view.has_names and list(view.dataset.names()) == [] and view.dataset.graph(G) is None


def test_a_dataset_has_the_graphs_that_have_triples_and_an_iri(dataset):
    dataset.graph(URIRef("urn:empty"))
    view = graph_view(dataset)
    assert view.has_names and list(view.dataset.names()) == [G, H]
    assert shown_of_view(view, view.dataset.default) == triples(":a :p 1 .")
    assert shown_of_view(view, view.dataset.graph(G)) == triples(":a :p 2 .")
    assert view.dataset.graph(Literal("urn:g")) is None


def test_a_dataset_whose_default_graph_is_the_union_of_all_stays_so():
    data = Dataset(default_union=True)
    data.add((*triples(":a :p 1 .")[0], G))
    data.add((*triples(":a :p 1 .")[0], H))
    view = graph_view(data)
    assert shown_of_view(view, view.dataset.default) == triples(":a :p 1 .")


def test_from_merges_graphs_each_triple_once_in_each_of_its_forms(dataset):
    view = graph_view(dataset).restricted([G, H], None)
    assert shown_of_view(view, view.dataset.default) == triples(":a :p 02, 2 .")
    assert list(view.dataset.names()) == []
    assert view.dataset.default.has_forms


def test_from_named_alone_leaves_no_default_graph(dataset):
    view = graph_view(dataset).restricted((), [H])
    assert shown_of_view(view, view.dataset.default) == []
    assert list(view.dataset.names()) == [H]
    assert view.dataset.graph(G) is None and view.dataset.graph(H) is not None


def test_without_either_all_stays(dataset):
    view = graph_view(dataset)
    assert view.restricted(None, None) is view


def test_a_graph_that_is_not_here_is_refused_naming_those_that_are(dataset):
    with pytest.raises(QueryError, match=r"FROM <urn:x> names a graph .* expected <urn:g>, <urn:h>"):
        graph_view(dataset).restricted([URIRef("urn:x")], None)
    with pytest.raises(QueryError, match="only the default graph"):
        graph_view(Graph()).restricted(None, [G])
    for number in range(20):
        dataset.add((A_OF_VIEW, B_OF_VIEW, Literal(1), URIRef(f"urn:{number}")))
    with pytest.raises(QueryError, match="and 17 more"):
        graph_view(dataset).restricted([URIRef("urn:x")], None)


def test_a_named_graph_is_joined_to_the_default_one_once_and_each_triple_is_there_once(dataset):
    dataset.graph(G).add(*triples(":a :p 1 ."))
    whole = graph_view(dataset)
    view = whole.joined(G)
    assert whole.joined(G) is view
    assert shown_of_view(view, view.dataset.default) == triples(":a :p 1, 2 .")
    assert list(view.dataset.names()) == [G, H]

"""Any triples as a graph to be asked, and several as one."""

import pytest
from rdflib import RDF, XSD, Literal, URIRef

from asked import short, triples
from pantarhei.query.sources.graph import GraphFacts, Graphs, single
from pantarhei.query.terms import TermSpace

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
    assert len(facts) == len(facts.relation(P)) == len(facts.nodes()) == 0
    assert not facts.has_forms


def test_merged_graphs_have_each_triple_once_and_each_form(terms):
    one, other = (GraphFacts.of(terms, triples(text)) for text in (":a :v 1 . :a :p :b .", ":a :v 01, 1 ."))
    both = GraphFacts.merged(terms, [one, other])
    found = both.triples().all()
    assert shown(terms, (found.predicates, found.shown)) == ["p b", "v 01^integer", "v 1^integer"]
    assert len(GraphFacts.merged(terms, [])) == 0


def test_nodes_are_subjects_and_objects_once_by_value(terms):
    facts = GraphFacts.of(terms, triples(":a :p :b . :b :v 1, 01 ."))
    assert shown(terms, (facts.nodes(),)) == ["1^integer", "a", "b"]


def test_a_dataset_makes_a_graph_when_it_is_first_asked_for(terms):
    made = []

    def find(name):
        made.append(name)
        return GraphFacts.of(terms, ()) if name == A else None

    graphs = Graphs(GraphFacts.of(terms, ()), lambda: [A], find)
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

"""Triples that CONSTRUCT and DESCRIBE make of rows."""

import pytest
from rdflib import BNode, Graph, URIRef
from rdflib.compare import isomorphic

import pantarhei as pr
from engine_answers import ask, graph

DATA = ':a :v 1, 01 . :b :v 2 ; :name "b" . :a :knows [ :v 3 ; :knows [ :v 4 ] ] . [] :knows :a .'


def made(query, data=DATA):
    return set(ask(query, data).graph)


def test_each_triple_is_made_once_in_the_form_it_is_shown():
    assert made("CONSTRUCT { :x :y ?v } { ?s :v ?v . ?t :v ?w }", ":a :v 1, 01 .") == set(
        graph(":x :y 1, 01 .")
    )
    assert len(ask("CONSTRUCT { :x :y ?v } { ?s :v ?v . ?t :v ?w }", ":a :v 1, 01 .")) == 2


def test_what_is_no_triple_is_left_out():
    text = (
        "CONSTRUCT { ?v :is ?s . ?s ?v :b . ?s :is ?v . ?s :none ?u } { ?s :v ?v OPTIONAL { ?s :name ?u } }"
    )
    assert made(text, ":a :v 1 .") == set(graph(":a :is 1 ."))
    assert made("CONSTRUCT { ?s ?p :x } { ?s :knows ?p }", ":a :knows [] .") == set()


def test_a_blank_node_of_the_template_is_another_in_each_row_and_the_same_again():
    text = "CONSTRUCT { _:n :of ?s ; :value ?v } { ?s :v ?v }"
    first = made(text, ":a :v 1 . :b :v 2 .")
    assert first == made(text, ":a :v 1 . :b :v 2 .")
    assert isomorphic(graph_of(first), graph("[] :of :a ; :value 1 . [] :of :b ; :value 2 ."))
    assert made(text, ":a :v 1 .") <= first


@pytest.mark.parametrize("where", ["{ ?s :v ?v } UNION { ?x :w ?y }", "{ ?y :w ?x } UNION { ?s :v ?v }"])
def test_blank_nodes_are_the_same_asked_once_and_registered(where):
    text = f"CONSTRUCT {{ _:n :of ?s }} {{ {where} }}"
    dynamic = pr.DynamicGraph(pr.load_ontology(Graph()))
    dynamic.change(insert=graph(":a :v 1 ."))
    query = dynamic.register(f"PREFIX : <urn:> {text}")
    assert set(query.answers) == made(text, ":a :v 1 .") and query.answers


def test_two_blank_nodes_of_a_template_are_two():
    found = made("CONSTRUCT { _:n :to _:m } { ?s :v ?v }", ":a :v 1 .")
    ((subject, _, object_),) = found
    assert subject != object_ and isinstance(subject, BNode)


def graph_of(triples):
    found = Graph()
    for triple in triples:
        found.add(triple)
    return found


def test_construct_where_makes_what_it_matches():
    assert made("CONSTRUCT WHERE { ?s :name ?n }") == set(graph(':b :name "b" .'))
    assert made("CONSTRUCT {} { ?s ?p ?o }") == set()


def test_a_description_goes_on_through_blank_nodes():
    expected = graph(":a :v 1, 01 ; :knows [ :v 3 ; :knows [ :v 4 ] ] .")
    assert isomorphic(ask("DESCRIBE :a", DATA).graph, expected)
    assert made("DESCRIBE ?s { ?s :name 'b' }") == set(graph(':b :v 2 ; :name "b" .'))
    assert made("DESCRIBE :a :b") >= made("DESCRIBE ?s { ?s :name 'b' }")


def test_a_description_of_blank_nodes_that_lead_to_each_other_ends():
    found = ask("DESCRIBE :a", ":a :knows _:x . _:x :knows _:y . _:y :knows _:x .").graph
    assert len(found) == 3


def test_what_is_unknown_unbound_or_a_literal_has_no_description():
    for text in ("DESCRIBE :nobody", "DESCRIBE ?x { OPTIONAL { ?x :none ?y } }", "DESCRIBE ?v { ?s :v ?v }"):
        assert made(text) == set()
    assert URIRef("urn:a") in {s for s, _, _ in made("DESCRIBE * { ?s :v 1 }")}

"""Answers are values, of one state of the window: they pickle, and can be read."""

import pickle

import pytest
from rdflib import RDF, RDFS, Graph, Literal, Namespace

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.query import run_query

EX, OTHER = Namespace("http://example.org/"), Namespace("http://other.org/")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x ?c { ?x a ?c }",
        "SELECT ?x ?y { ?x a ?c OPTIONAL { ?x ?p ?y } FILTER(false) }",
        "ASK { ?x a ?c }",
        "CONSTRUCT { ?x <urn:is> ?c } WHERE { ?x a ?c }",
    ],
)
def test_answers_come_back_whole(text):
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(2))
    reasoner.push(1, [(EX.a, RDF.type, EX.C), (EX.b, RDF.type, EX.D)])
    result = reasoner.query(text)
    back = pickle.loads(pickle.dumps(result))
    assert back.type == result.type
    assert back.columns() == result.columns()
    assert back.to_arrow().equals(result.to_arrow())
    assert len(pickle.dumps(result)) < 5000, "an answer does not carry its window along"


GRAPH = Graph().add((EX.belt, EX.speed, Literal(7))).add((EX.b, EX.speed, Literal(12)))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT ?who ?v { ?who ?p ?v }", "QueryResult(SELECT ?who ?v: 2 rows)"),
        ("SELECT ?who { ?who ?p 7 }", "QueryResult(SELECT ?who: 1 row)"),
        ("ASK { ?s ?p ?o }", "QueryResult(ASK: True)"),
        ("CONSTRUCT { ?s a ?o } WHERE { ?s ?p ?o }", "QueryResult(CONSTRUCT: 2 triples)"),
    ],
)
def test_the_repr_says_what_was_asked_and_how_much_there_is(query, text):
    assert repr(run_query(GRAPH, query)) == text


def test_the_text_is_a_table():
    result = run_query(GRAPH, "SELECT ?who ?v ?none { ?who ?p ?v } ORDER BY ?v")
    assert str(result).splitlines() == ["who   v   none", "belt  7", "b     12"]
    assert str(run_query(GRAPH, "SELECT ?who { ?who ?p 1 }")).splitlines() == ["who", "no answers"]
    assert str(run_query(GRAPH, "ASK { ?s ?p 1 }")).splitlines() == ["answer", "false"]


def test_names_with_one_last_part_are_told_apart_in_the_table():
    graph = Graph().add((EX.Sensor, RDFS.seeAlso, OTHER.Sensor))
    assert "<http://example.org/Sensor>  <http://other.org/Sensor>" in str(
        run_query(graph, "SELECT ?s ?o { ?s ?p ?o }")
    )


def test_many_answers_are_counted_and_not_shown():
    graph = Graph()
    for number in range(1500):
        graph.add((EX.belt, EX.speed, Literal(number)))
    lines = str(run_query(graph, "SELECT ?v { ?s ?p ?v } ORDER BY ?v")).splitlines()
    assert lines[:2] == ["v", "0"]
    assert lines[-2:] == ["19", "… and 1,480 more"]

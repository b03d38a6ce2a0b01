"""Answers pickle: they are values, of one state of the window."""

import pickle

import pytest
from rdflib import RDF, Namespace

from pantarhei import Ontology, StreamReasoner, Window

EX = Namespace("http://example.org/")


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

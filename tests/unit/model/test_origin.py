"""Origins: the axiom counts, not where a copy of it is written."""

from __future__ import annotations

import pickle

from rdflib import Graph, URIRef

from pantarhei import load_ontology
from pantarhei.model.origin import Origin
from pantarhei.model.rule import Atom, Rule

A = URIRef("http://example.org/A")
WRITTEN = Origin("SubClassOf(A B)", "plant.nt", 7, A)


def test_an_origin_is_equal_wherever_it_is_written():
    elsewhere = Origin("SubClassOf(A B)", "/copy/plant.ttl")
    assert (elsewhere, hash(elsewhere)) == (WRITTEN, hash(WRITTEN))
    assert Origin("SubClassOf(A C)", "plant.nt", 7, A) != WRITTEN


def test_an_origin_pickles_with_its_place():
    again = pickle.loads(pickle.dumps(WRITTEN))
    assert (again.axiom, again.source, again.line, again.subject) == ("SubClassOf(A B)", "plant.nt", 7, A)


def test_the_axiom_of_a_rule_without_origin_is_the_rule():
    rule = Rule("mine", (Atom(A, (URIRef("http://example.org/i"),)),), None)
    assert rule.axiom == str(rule)
    assert Rule("cax-sco", rule.body, None, origin=WRITTEN).axiom == "SubClassOf(A B)"


def test_a_rule_shows_names_as_its_ontology_does():
    data = """
        @prefix here: <http://example.org/here#> . @prefix there: <http://example.org/there#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        here:Room rdfs:subClassOf there:Room . here:Hall rdfs:subClassOf there:Room ."""
    ontology = load_ontology(Graph().parse(data=data))
    texts = {"there:Room(?x) :- here:Room(?x).", "there:Room(?x) :- Hall(?x)."}
    for rules in (ontology.rules, pickle.loads(pickle.dumps(ontology.rules))):
        assert {str(rule) for rule in rules} == texts

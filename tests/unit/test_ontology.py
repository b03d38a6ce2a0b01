"""Ontologies: what they offer, strictness, contradictions, pickling."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from rdflib import RDF, BNode, Graph, Literal, URIRef, Variable

from pantarhei import StreamReasoner, Window
from pantarhei.errors import InconsistentOntologyError, InvalidTripleError, UnsupportedAxiomError
from pantarhei.language.rule import Atom, Rule
from pantarhei.ontology import Ontology, load_ontology

PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
X = Variable("x")
A, B, I = (URIRef("http://example.org/" + name) for name in "ABi")  # noqa: E741


def graph(text):
    return Graph().parse(data=PREFIXES + text, format="turtle")


def test_rules_constraints_and_background_come_out_of_a_graph():
    ontology = load_ontology(graph(":A rdfs:subClassOf :B . :A owl:disjointWith :C . :i a :A ; :p 1 ."))
    assert ontology.rules == (Rule("cax-sco", (Atom(A, (X,)),), Atom(B, (X,)), (), "SubClassOf(A B)"),)
    assert [constraint.name for constraint in ontology.constraints] == ["cax-dw"]
    assert (I, RDF.type, A) in ontology.background
    assert len(ontology.background) == 2


def test_the_graph_is_a_copy_of_what_was_read():
    given = graph(":A rdfs:subClassOf :B .")
    ontology = load_ontology(given)
    assert set(ontology.graph) == set(given)
    ontology.graph.add((I, RDF.type, A))
    assert len(given) == 1


def test_an_ontology_pickles():
    ontology = load_ontology(graph(":A rdfs:subClassOf :B . :i a :A ; :p [ :q 1 ] ."))
    assert len(ontology.graph) == 4
    again = pickle.loads(pickle.dumps(ontology))
    assert again == ontology
    assert str(again.report()) == str(ontology.report())
    assert len(again.graph) == 4


def test_loading_twice_gives_the_same_rules_in_the_same_order():
    text = ":A owl:equivalentClass [ owl:unionOf (:B :C :D) ] . :p a owl:TransitiveProperty ; rdfs:range :A ."
    assert load_ontology(graph(text)).rules == load_ontology(graph(text)).rules


def test_an_empty_ontology_loads():
    ontology = load_ontology(Graph())
    assert ontology.rules == ontology.constraints == ()
    assert str(ontology.report()) == "no axioms"


def test_strict_loading_names_every_loss():
    lossy = graph(":A owl:hasKey () . :A rdfs:subClassOf [ owl:unionOf (:C :D) ] , :B .")
    with pytest.raises(UnsupportedAxiomError) as caught:
        load_ontology(lossy, strict=True)
    assert len(caught.value.axioms) == 2
    assert "HasKey" in str(caught.value)
    assert len(load_ontology(lossy).rules) == 1


def test_strict_loading_counts_unread_triples_as_losses():
    with pytest.raises(UnsupportedAxiomError, match="rubbish"):
        load_ontology(graph(":A owl:rubbish :B ."), strict=True)


def test_strict_loading_of_what_is_supported_succeeds():
    assert load_ontology(graph(":A rdfs:subClassOf :B ; rdfs:label 'a' ."), strict=True).rules


@pytest.mark.parametrize(
    "text",
    [
        ":i a owl:Nothing .",
        ":i a [ owl:complementOf owl:Thing ] .",
        ":i owl:differentFrom :i .",
        "owl:Thing rdfs:subClassOf owl:Nothing .",
    ],
)
def test_what_contradicts_itself_is_refused(text):
    with pytest.raises(InconsistentOntologyError):
        load_ontology(graph(text))


TWO_PLACES = ":isIn a owl:ObjectProperty, owl:FunctionalProperty . :cart :isIn :hall , :lobby . "


def test_the_report_warns_of_contradictions_that_only_unique_names_make():
    ontology = load_ontology(graph(TWO_PLACES))
    constraint, proof = ontology.report().contradiction
    with pytest.raises(InconsistentOntologyError) as refused:
        StreamReasoner(ontology, Window(1))
    assert (constraint, proof) == (refused.value.constraint, refused.value.proof)
    StreamReasoner(ontology, Window(1), unique_names=False)


def test_the_report_of_what_a_reasoner_takes_warns_of_nothing():
    one_place = TWO_PLACES + ":hall owl:sameAs :lobby ."
    assert load_ontology(graph(one_place)).report().contradiction is None


def test_rules_can_be_given_directly():
    rule = Rule("cax-sco", (Atom(A, (X,)),), Atom(B, (X,)))
    constraint = Rule("cls-nothing2", (Atom(B, (X,)),), None)
    ontology = Ontology.from_rules([rule, constraint, rule], [(BNode("n"), URIRef("urn:x/p"), Literal(1))])
    assert ontology.rules == (rule,)
    assert ontology.constraints == (constraint,)
    assert len(ontology.background) == 1


def test_a_background_that_is_no_triple_is_refused():
    with pytest.raises(InvalidTripleError):
        Ontology.from_rules([], [(Literal("x"), RDF.type, A)])  # type: ignore[list-item]


def test_membership_in_everything_is_no_fact():
    assert load_ontology(graph(":i a owl:Thing, owl:NamedIndividual .")).background == frozenset()


def test_importing_the_package_does_not_load_owlready2():
    program = "import sys, pantarhei.ontology; assert 'owlready2' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


ALIKE = """
@prefix room: <http://example.org/room#> . @prefix saref: <https://saref.etsi.org/core/> .
room:Sensor rdfs:subClassOf saref:Sensor . saref:Sensor owl:disjointWith room:Wall .
room:Odd rdfs:subClassOf room:Sensor , room:Wall ; rdfs:seeAlso <http://example.org/other/Odd> .
room:Wall owl:unionOf ( saref:Sensor room:Odd ) .
"""


def test_names_with_one_last_part_are_told_apart_in_all_that_is_said_of_an_ontology():
    ontology = load_ontology(graph(ALIKE))
    assert {rule.origin for rule in ontology.rules} >= {"SubClassOf(room:Sensor saref:Sensor)"}
    text = ontology.report().text(details=True)
    assert "rules: SubClassOf(room:Sensor saref:Sensor)\n    saref:Sensor(?x) :- room:Sensor(?x)." in text
    assert "type saref:Sensor  (from " in text
    assert "ObjectUnionOf(saref:Sensor Odd) on the right is a choice" in text
    assert " Sensor" not in text
    assert "(Sensor" not in text


def test_reprs_are_one_line():
    ontology = load_ontology(graph(ALIKE))
    assert repr(ontology) == "Ontology(4 rules, 1 constraint, 0 assertions)"
    assert repr(ontology.report()) == "Report(5 axioms, 1 of them lost in whole or in part)"
    assert repr(ontology.inconsistency_normal_form()) == (
        "InconsistencyNormalForm(1 constraint, none of them recursive)"
    )
    assert repr(ontology.schema) == (
        "Schema(1 class, 0 object properties, 0 data properties, 3 without an instance)"
    )

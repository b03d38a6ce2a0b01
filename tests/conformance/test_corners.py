"""Corners of OWL 2 RL: extreme properties, unions in unusual places, datatypes of which nothing is known."""

from __future__ import annotations

import pytest
from rdflib import Graph

import pantarhei as pr

PREFIXES = """
    @prefix : <http://example.org/> .
    @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :p a owl:ObjectProperty . :q a owl:ObjectProperty . :d a owl:DatatypeProperty .
"""


def graph(text):
    return Graph().parse(data=PREFIXES + text, format="turtle")


def restriction(on, says):
    return f"[ a owl:Restriction ; owl:onProperty {on} ; {says} ]"


@pytest.mark.parametrize(
    "text",
    [
        "owl:bottomObjectProperty owl:propertyChainAxiom (:q :q) . :a :q :b . :b :q :c .",
        ":q owl:inverseOf owl:bottomObjectProperty . :a :q :b .",
        f":A rdfs:subClassOf {restriction('owl:bottomObjectProperty', 'owl:hasValue :i')} . :x a :A .",
        f":A rdfs:subClassOf {restriction('owl:bottomObjectProperty', 'owl:hasSelf true')} . :x a :A .",
        f":A rdfs:subClassOf {restriction('owl:bottomDataProperty', 'owl:hasValue 1')} . :x a :A .",
        f":x a {restriction('owl:bottomObjectProperty', 'owl:hasValue :i')} .",
        "owl:bottomObjectProperty a owl:ReflexiveProperty .",
        "owl:topObjectProperty rdfs:subPropertyOf owl:bottomObjectProperty .",
        "owl:topObjectProperty rdfs:domain :C . :C owl:disjointWith :D . :x a :D .",
        "owl:topObjectProperty rdfs:range :C . :C owl:disjointWith :D . :x a :D .",
        ":q owl:propertyDisjointWith owl:topObjectProperty . :a :q :b .",
        "[ owl:unionOf (:A :B) ] owl:hasKey (:d) ."
        " :x a :A ; :d 1 . :y a :B ; :d 1 . :x owl:differentFrom :y .",
        ":a owl:bottomObjectProperty :b .",
        ":a owl:bottomDataProperty 1 .",
        ":A rdfs:subClassOf [ owl:complementOf [ owl:oneOf (:i :j) ] ] . :j a :A .",
        ":p rdfs:range [ owl:complementOf [ owl:oneOf (:i :j) ] ] . :x :p :i .",
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:maxQualifiedCardinality 1 ;"
        " owl:onClass [ owl:unionOf (:B :C) ] ] ."
        " :x a :A ; :p :y, :z . :y a :B . :z a :C . :y owl:differentFrom :z .",
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:maxQualifiedCardinality 0 ;"
        " owl:onClass [ owl:oneOf (:i :j) ] ] . :x a :A ; :p :j .",
    ],
)
def test_nothing_is_lost_and_a_contradiction_is_found(text):
    with pytest.raises(pr.InconsistentOntologyError):
        pr.load_ontology(graph(text))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (":U a rdfs:Datatype . :d rdfs:range :U . :a :d 'plain' .", "U has no definition"),
        (":R a rdfs:Datatype ; owl:equivalentClass xsd:integer, xsd:string .", "another definition"),
        (
            ":R a rdfs:Datatype ; owl:equivalentClass :S . :S a rdfs:Datatype ; owl:equivalentClass :R .",
            "itself",
        ),
        (":note a owl:AnnotationProperty . :note rdfs:subPropertyOf :p .", "annotation property"),
    ],
)
def test_what_has_no_effect_is_said(text, part):
    losses = pr.load_ontology(graph(text)).report().losses
    assert losses and part in losses[0].reasons[0]


def test_values_of_unknown_datatypes_do_not_contradict_without_unique_names():
    ontology = pr.load_ontology(
        graph(":d a owl:FunctionalProperty . :a :d 'PT60M'^^xsd:duration, 'PT1H'^^xsd:duration .")
    )
    with pytest.raises(pr.InconsistentOntologyError):
        pr.load_ontology(graph(":d a owl:FunctionalProperty . :a :d 1, 2 ."))
    assert not ontology.entails(graph(":a a owl:Nothing ."))

"""OWL 2 DL's restrictions on properties: what breaks them, and what does not."""

from __future__ import annotations

import pytest
from rdflib import Graph

from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.global_restrictions import breaches

PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:p a owl:ObjectProperty . :q a owl:ObjectProperty . :r a owl:ObjectProperty . :s a owl:ObjectProperty .
"""
TRANSITIVE = ":p a owl:TransitiveProperty ."


def found(text):
    axioms = read_axioms(Graph().parse(data=PREFIXES + text, format="turtle")).axioms
    return [f"{axiom}: {reason}" for axiom, reason in breaches(axioms)]


@pytest.mark.parametrize(
    ("text", "axiom"),
    [
        (":p a owl:FunctionalProperty .", "FunctionalObjectProperty(p)"),
        (":p a owl:InverseFunctionalProperty .", "InverseFunctionalObjectProperty(p)"),
        (":p a owl:IrreflexiveProperty .", "IrreflexiveObjectProperty(p)"),
        (":p a owl:AsymmetricProperty .", "AsymmetricObjectProperty(p)"),
        (":q owl:propertyDisjointWith :p .", "DisjointObjectProperties(q p)"),
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:maxCardinality 1 ] .",
            "SubClassOf(A ObjectMaxCardinality(1 p))",
        ),
        (
            ":A rdfs:subClassOf [ owl:complementOf [ owl:onProperty :p ; owl:hasSelf true ] ] .",
            "SubClassOf(A ObjectComplementOf(ObjectHasSelf(p)))",
        ),
    ],
)
def test_what_needs_a_simple_property(text, axiom):
    assert found(TRANSITIVE + text) == [f"{axiom}: p is not simple, since it is transitive"]
    assert found(text) == []


def test_a_property_above_a_transitive_one_is_not_simple():
    (reason,) = found(
        f"{TRANSITIVE} :p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r . :r a owl:FunctionalProperty ."
    )
    assert reason.endswith("r is not simple, since p lies below it: it is transitive")
    assert not found(f"{TRANSITIVE} :q rdfs:subPropertyOf :p . :q a owl:FunctionalProperty .")


def test_a_property_that_a_chain_implies_is_not_simple():
    chain = ":p owl:propertyChainAxiom ( :q :r ) ."
    assert found(chain + ":p a owl:AsymmetricProperty .")[0].endswith("since a chain implies it")
    assert not found(chain + ":q a owl:AsymmetricProperty .")


def test_an_inverse_is_as_simple_as_its_property():
    assert found(f"{TRANSITIVE} :q owl:inverseOf :p ; a owl:FunctionalProperty .")
    assert found(f"{TRANSITIVE} [ owl:inverseOf :p ] rdfs:subPropertyOf :q . :q a owl:FunctionalProperty .")


def test_equivalent_properties_are_simple_together():
    assert found(f"{TRANSITIVE} :q owl:equivalentProperty :p ; a owl:FunctionalProperty .")


def test_data_properties_are_simple():
    assert not found(
        ":v a owl:DatatypeProperty , owl:FunctionalProperty ."
        ":w a owl:DatatypeProperty ; rdfs:subPropertyOf :v ."
    )


@pytest.mark.parametrize(
    "chain",
    [
        ":p owl:propertyChainAxiom ( :p :p ) .",
        ":p owl:propertyChainAxiom ( :p :q :r ) .",
        ":p owl:propertyChainAxiom ( :q :r :p ) .",
        ":p owl:propertyChainAxiom ( :q :r ) . :s owl:propertyChainAxiom ( :p :q ) .",
        ":p owl:propertyChainAxiom ( :q :r ) . :q rdfs:subPropertyOf :p .",
        "owl:topObjectProperty owl:propertyChainAxiom ( :q owl:topObjectProperty :r ) .",
    ],
)
def test_regular_chains(chain):
    assert found(chain) == []


@pytest.mark.parametrize(
    "chain",
    [
        ":p owl:propertyChainAxiom ( :q :p :r ) .",
        ":p owl:propertyChainAxiom ( :p :q :p ) .",
        ":p owl:propertyChainAxiom ( [ owl:inverseOf :p ] :q ) .",
    ],
)
def test_a_chain_that_holds_what_it_implies(chain):
    (reason,) = found(chain)
    assert "the chain holds p itself" in reason


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (":p owl:propertyChainAxiom ( :q :r ) . :q owl:propertyChainAxiom ( :p :r ) .", 2),
        (":p owl:propertyChainAxiom ( :q :r ) . :p rdfs:subPropertyOf :q .", 1),
        (":p owl:propertyChainAxiom ( :q :r ) . :p owl:inverseOf :q .", 1),
        (
            ":p owl:propertyChainAxiom ( :q :q ) . :r owl:propertyChainAxiom ( :p :p ) ."
            ":r rdfs:subPropertyOf :q .",
            2,
        ),
    ],
)
def test_chains_in_a_circle_are_irregular(text, number):
    reasons = found(text)
    assert len(reasons) == number
    assert all("is irregular" in reason for reason in reasons)


def test_each_axiom_is_named_once_for_a_property():
    twice = "[ a owl:Restriction ; owl:onProperty :p ; owl:maxCardinality {} ]"
    text = f":A rdfs:subClassOf [ owl:unionOf ( {twice.format(1)} {twice.format(2)} ) ] ."
    assert len(found(TRANSITIVE + text)) == 1

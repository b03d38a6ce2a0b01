"""Axioms from triples: each construct as the mapping reads it, and every triple accounted for."""

# ruff: noqa: E501  (premises stand on one line)

from __future__ import annotations

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, URIRef

from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.rdf.nesting_guard import DEEPEST_EXPRESSION

PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
"""
A, B = URIRef("http://example.org/A"), URIRef("http://example.org/B")


def read(text):
    return read_triples(list(Graph().parse(data=PREFIXES + text, format="turtle")))


def read_triples(triples):
    reading = read_axioms(triples)
    reading.check_invariants(triples)
    return reading


INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
ONE = f'"1"{INTEGER}'
AXIOMS = {
    ":A rdfs:subClassOf :B .": "SubClassOf(A B)",
    ":A rdfs:subClassOf [ a owl:Class ; owl:unionOf (:B owl:Thing) ] .": "SubClassOf(A ObjectUnionOf(B owl:Thing))",
    ":A rdfs:subClassOf [ owl:unionOf (:B) ] .": "SubClassOf(A B)",
    ":A rdfs:subClassOf [ owl:unionOf () ] .": "SubClassOf(A owl:Nothing)",
    ":A rdfs:subClassOf [ owl:onProperty :p ; owl:qualifiedCardinality 3 ; owl:onClass :B ] .": (
        "SubClassOf(A ObjectExactCardinality(3 p B))"
    ),
    ":p a owl:DatatypeProperty . :A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality 1 ] .": (
        "SubClassOf(A DataMaxCardinality(1 p))"
    ),
    ":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom [ a rdfs:Datatype ; owl:onDatatype xsd:decimal ;"
    " owl:withRestrictions ([ xsd:minInclusive 80 ]) ] ] .": (
        "SubClassOf(A DataSomeValuesFrom(p DatatypeRestriction(decimal minInclusive "
        '"80"^^<http://www.w3.org/2001/XMLSchema#integer>)))'
    ),
    ':A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom [ owl:oneOf ("a" "b") ] ] .': (
        'SubClassOf(A DataSomeValuesFrom(p DataOneOf("a" "b")))'
    ),
    ":A owl:oneOf (:i :j) .": "EquivalentClasses(A ObjectOneOf(i j))",
    ":R a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B .": (
        "EquivalentClasses(R ObjectSomeValuesFrom(p B))"
    ),
    ":R owl:onProperty :p ; owl:maxCardinality 1 .": "EquivalentClasses(R ObjectMaxCardinality(1 p))",
    ':R owl:onProperty :p ; owl:hasValue "v" .': 'EquivalentClasses(R DataHasValue(p "v"))',
    ":t owl:onDatatype xsd:integer ; owl:withRestrictions ([ xsd:minInclusive 1 ]) .": (
        f"DatatypeDefinition(t DatatypeRestriction(integer minInclusive {ONE}))"
    ),
    ':t owl:oneOf ("a") .': 'DatatypeDefinition(t DataOneOf("a"))',
    "[] owl:sourceIndividual :i ; owl:assertionProperty :p ; owl:targetIndividual :j .": (
        "NegativeObjectPropertyAssertion(p i j)"
    ),
    ":n owl:sourceIndividual :i ; owl:assertionProperty :p ; owl:targetValue 1 .": (
        f"NegativeDataPropertyAssertion(p i {ONE})"
    ),
    ":A owl:complementOf :B .": "EquivalentClasses(A ObjectComplementOf(B))",
    ":A owl:disjointUnionOf (:B :C) .": "DisjointUnion(A B C)",
    "[] a owl:AllDisjointClasses ; owl:members (:A :B) .": "DisjointClasses(A B)",
    "[] a owl:AllDifferent ; owl:distinctMembers (:i :j) .": "DifferentIndividuals(i j)",
    ":q owl:inverseOf [ owl:inverseOf :p ] .": "InverseObjectProperties(q ObjectInverseOf(p))",
    ":p rdfs:range xsd:integer .": "DataPropertyRange(p integer)",
    ":D a rdfs:Datatype ; owl:equivalentClass [ a rdfs:Datatype ; owl:unionOf (xsd:integer xsd:string) ] .": (
        "DatatypeDefinition(D DataUnionOf(integer string))"
    ),
    "[ owl:oneOf (:i) ] rdfs:subClassOf :A .": "SubClassOf(ObjectOneOf(i) A)",
    # data ranges
    ':D owl:equivalentClass [ a rdfs:Datatype ; owl:oneOf (1 "a") ] .': f'DatatypeDefinition(D DataOneOf({ONE} "a"))',
    "[ a rdfs:Datatype ; owl:oneOf (1) ] owl:equivalentClass :D . :D a rdfs:Datatype .": (
        f"DatatypeDefinition(D DataOneOf({ONE}))"
    ),
    ":D a rdfs:Datatype ; owl:equivalentClass xsd:integer .": "DatatypeDefinition(D integer)",
    ":D a rdfs:Datatype ; owl:oneOf (1) .": f"DatatypeDefinition(D DataOneOf({ONE}))",
    ":D a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ([ xsd:minInclusive 1 ]) .": (
        f"DatatypeDefinition(D DatatypeRestriction(integer minInclusive {ONE}))"
    ),
    ":D a rdfs:Datatype ; owl:datatypeComplementOf xsd:integer .": "DatatypeDefinition(D DataComplementOf(integer))",
    ":p rdfs:range [ a rdfs:Datatype ; owl:datatypeComplementOf xsd:integer ] .": (
        "DataPropertyRange(p DataComplementOf(integer))"
    ),
    ":p rdfs:range [ owl:datatypeComplementOf xsd:integer ] .": "DataPropertyRange(p DataComplementOf(integer))",
    ":p rdfs:range [ a owl:DataRange ; owl:complementOf xsd:integer ] .": (
        "DataPropertyRange(p DataComplementOf(integer))"
    ),
    ":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom [ a rdfs:Datatype ; owl:intersectionOf ([ a rdfs:Datatype ; owl:unionOf (xsd:float xsd:double) ] [ a rdfs:Datatype ; owl:datatypeComplementOf xsd:float ]) ] ] .": (
        "SubClassOf(A DataSomeValuesFrom(p DataIntersectionOf(DataUnionOf(float double) DataComplementOf(float))))"
    ),
    ':A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom [ owl:onDatatype xsd:string ; owl:withRestrictions ([ xsd:pattern "[a-z]+" ] [ xsd:maxLength 1 ]) ] ] .': (
        f'SubClassOf(A DataAllValuesFrom(p DatatypeRestriction(string pattern "[a-z]+" maxLength {ONE})))'
    ),
    # ill-typed literals are read as they stand
    ':A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue "x"^^xsd:integer ] .': (
        f'SubClassOf(A DataHasValue(p "x"{INTEGER}))'
    ),
    ':p rdfs:range [ a rdfs:Datatype ; owl:oneOf ("2000-13-45"^^xsd:date) ] .': (
        'DataPropertyRange(p DataOneOf("2000-13-45"^^<http://www.w3.org/2001/XMLSchema#date>))'
    ),
    ':p rdfs:range [ owl:onDatatype xsd:integer ; owl:withRestrictions ([ xsd:minInclusive "x"^^xsd:integer ]) ] .': (
        f'DataPropertyRange(p DatatypeRestriction(integer minInclusive "x"{INTEGER}))'
    ),
    "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :i ; owl:assertionProperty :p ; owl:targetValue 1 .": (
        'NegativeDataPropertyAssertion(p i "1"^^<http://www.w3.org/2001/XMLSchema#integer>)'
    ),
    ":l a rdfs:Class ; rdfs:subClassOf :A .": "SubClassOf(l A)",
}


@pytest.mark.parametrize("text", AXIOMS)
def test_an_axiom_reads_as_the_mapping_says(text):
    reading = read(text)
    assert [str(axiom) for axiom in reading.axioms] == [AXIOMS[text]]
    assert not reading.leftovers
    assert not reading.assertions


LEFTOVERS = {
    ":A rdfs:subClassOf [ owl:unionOf _:l ] . _:l rdf:first :B ; rdf:rest _:l .": "circle",
    ":A rdfs:subClassOf [ owl:unionOf _:l ] . _:l rdf:first :B, :C ; rdf:rest () .": "2 values of rdf:first",
    ":A rdfs:subClassOf [ owl:unionOf _:l ] . _:l rdf:first :B .": "no values of rdf:rest",
    ":A rdfs:subClassOf [ owl:unionOf :missing ] .": "no values of rdf:first",
    ":A rdfs:subClassOf _:x . _:x owl:complementOf _:x .": "contains itself",
    ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ] .": "exactly one kind",
    ":A rdfs:subClassOf [ owl:onProperty :p, :q ; owl:hasValue :i ] .": "2 values of owl:onProperty",
    ":A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :i ; owl:someValuesFrom :B ] .": "exactly one kind",
    ":A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality -1 ] .": "number not below zero",
    ':A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality "many" ] .': "number not below zero",
    ":A rdfs:subClassOf [ a owl:Class ] .": "exactly one constructor",
    ':A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality "²" ] .': "number not below zero",
    ":p rdfs:range [ a rdfs:Datatype ; owl:oneOf (:i) ] .": "a literal is expected",
    ":p rdfs:range [ a rdfs:Datatype ; owl:onDatatype [ a rdfs:Datatype ] ; owl:withRestrictions () ] .": "named datatype",
    ":p rdfs:range [ a rdfs:Datatype ; owl:onDatatype xsd:integer ] .": "no values of owl:withRestrictions",
    ":p rdfs:range [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions (:i) ] .": "exactly one triple",
    ":p rdfs:range [ a rdfs:Datatype ] .": "exactly one constructor",
    ':A rdfs:subClassOf "B" .': "literal",
    ":A rdfs:subClassOf xsd:integer .": "datatype",
    ":r owl:propertyChainAxiom () .": "without members",
    "[] a owl:AllDisjointClasses .": "no values of owl:members",
    "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :i .": "owl:assertionProperty",
    "[ owl:unionOf (:A :B) ] owl:versionInfo 1 .": "not part of any axiom",
    "_:l rdf:first :B ; rdf:rest () .": "not part of any axiom",
    "[] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B .": (
        "does not contain"
    ),
    "[] a swrl:Imp ; swrl:body ([ a swrl:ClassAtom ; swrl:classPredicate :A ]) ; swrl:head () .": "swrl:argument1",
    ":A rdf:type owl:Rubbish .": "not part of any axiom",
    ":A owl:rubbish :B .": "not part of any axiom",
}


@pytest.mark.parametrize("text", LEFTOVERS)
def test_what_cannot_be_read_is_one_leftover_with_the_reason(text):
    reading = read(text)
    assert not reading.axioms
    assert not reading.assertions
    (leftover,) = reading.leftovers
    assert LEFTOVERS[text] in leftover.reason
    assert str(leftover)


def test_a_list_of_twenty_thousand_members_reads():
    triples = [(A, OWL.oneOf, BNode("c0"))]
    for i in range(20_000):
        rest = BNode(f"c{i + 1}") if i < 19_999 else RDF.nil
        triples += [(BNode(f"c{i}"), RDF.first, URIRef(f"urn:i{i}")), (BNode(f"c{i}"), RDF.rest, rest)]
    reading = read_triples(triples)
    assert len(reading.axioms) == 1


def nested(depth):
    triples = [(A, RDFS.subClassOf, BNode("n0"))]
    triples += [(BNode(f"n{i}"), OWL.complementOf, BNode(f"n{i + 1}")) for i in range(depth - 1)]
    return [*triples, (BNode(f"n{depth - 1}"), OWL.complementOf, B)]


def test_nesting_to_the_limit_reads_and_beyond_is_named():
    assert len(read_triples(nested(DEEPEST_EXPRESSION)).axioms) == 1
    (leftover,) = read_triples(nested(10_000)).leftovers
    assert "nested deeper" in leftover.reason
    assert len(leftover.triples) == 10_001


def test_an_expression_shared_many_times_over_is_named():
    triples = [(A, RDFS.subClassOf, BNode("n0"))]
    for i in range(40):
        node, following = BNode(f"n{i}"), BNode(f"n{i + 1}") if i < 39 else B
        triples += [(node, OWL.unionOf, BNode(f"l{i}")), (BNode(f"l{i}"), RDF.first, following)]
        triples += [(BNode(f"l{i}"), RDF.rest, BNode(f"m{i}")), (BNode(f"m{i}"), RDF.first, following)]
        triples += [(BNode(f"m{i}"), RDF.rest, RDF.nil)]
    (leftover,) = read_triples(triples).leftovers
    assert "parts" in leftover.reason


def test_declarations_annotations_and_assertions_are_told_apart():
    reading = read(
        """: a owl:Ontology ; rdfs:comment "o" ; :creator :me .
        :A a owl:Class ; rdfs:label "a" ; :note "n" .
        :p a owl:ObjectProperty . :note a owl:AnnotationProperty .
        :i a :A, owl:NamedIndividual ; :p :j ; rdfs:label "i" ; :note "n" ; :undeclared 3 .
        :A :p :B ; :undeclared :B ."""
    )
    names = {
        name: {(str(s)[19:], str(p).rsplit("/", 1)[-1]) for s, p, _ in getattr(reading, name)}
        for name in ("assertions", "annotations")
    }
    assert names["assertions"] == {
        ("i", "22-rdf-syntax-ns#type"),
        ("i", "p"),
        ("i", "undeclared"),
        ("A", "p"),
    }
    assert names["annotations"] == {
        ("", "rdf-schema#comment"),
        ("", "creator"),
        ("A", "rdf-schema#label"),
        ("A", "note"),
        ("A", "undeclared"),
        ("i", "rdf-schema#label"),
        ("i", "note"),
    }
    assert len(reading.declarations) == 5


def test_annotations_of_axioms_are_annotations():
    reading = read(
        ":A rdfs:subClassOf :B . [] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ;"
        ' owl:annotatedTarget :B ; rdfs:comment "why" .'
    )
    assert len(reading.annotations) == 5
    assert not reading.leftovers


def test_shapes_are_no_assertions():
    reading = read(":S a sh:NodeShape ; sh:property [ sh:path :p ; sh:minCount 1 ] .")
    assert not reading.assertions
    assert len(reading.annotations) == 4


def test_a_property_that_is_only_an_annotation_property_says_so():
    (axiom,) = read(":p a owl:AnnotationProperty ; rdfs:subPropertyOf rdfs:label .").axioms
    assert str(axiom) == "SubAnnotationPropertyOf(p label)"


def test_what_is_read_does_not_depend_on_the_order_of_the_triples():
    triples = list(Graph().parse(data=PREFIXES + "".join(AXIOMS), format="turtle"))
    assert read_axioms(triples) == read_axioms(reversed(triples))


def test_a_type_that_is_a_literal_is_left_over():
    (leftover,) = read_triples([(A, RDF.type, Literal("B"))]).leftovers
    assert leftover.construct


def test_a_class_that_an_ontology_puts_into_the_owl_namespace_is_a_class():
    reading = read("owl:Kind rdfs:subClassOf :A . :i a owl:Kind .")
    assert len(reading.assertions) == 1
    assert not reading.leftovers

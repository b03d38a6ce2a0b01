"""Axioms from triples: each construct as the mapping reads it, and every triple accounted for."""

from __future__ import annotations

import pickle

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, URIRef, Variable

from pantarhei.owl.axiom import SwrlRule, arguments_of
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.rdf.parse import DEEPEST_EXPRESSION

# ruff: noqa: E501  (premises stand on one line)


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
    ":A rdfs:subClassOf [ owl:unionOf _:l ] . _:l rdf:first :B ; rdf:rest _:l .": "cyclic",
    ":A rdfs:subClassOf [ owl:unionOf _:l ] . _:l rdf:first :B, :C ; rdf:rest () .": "2 values of rdf:first",
    ":A rdfs:subClassOf [ owl:unionOf _:l ] . _:l rdf:first :B .": "no values of rdf:rest",
    ":A rdfs:subClassOf [ owl:unionOf :missing ] .": "no values of rdf:first",
    ":A rdfs:subClassOf _:x . _:x owl:complementOf _:x .": "contains itself",
    ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ] .": "exactly one kind",
    ":A rdfs:subClassOf [ owl:onProperty :p, :q ; owl:hasValue :i ] .": "2 values of owl:onProperty",
    ":A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :i ; owl:someValuesFrom :B ] .": "exactly one kind",
    ":A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality -1 ] .": "nonnegative integer",
    ':A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality "many" ] .': "nonnegative integer",
    ":A rdfs:subClassOf [ a owl:Class ] .": "exactly one constructor",
    ':A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality "²" ] .': "nonnegative integer",
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


@pytest.mark.long
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


@pytest.mark.long
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


# ruff: noqa: E501  (premises stand on one line)


PREFIXES_OF_SWRL_MAPPING = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix swrlb: <http://www.w3.org/2003/11/swrlb#> .
:x a swrl:Variable . :y a swrl:Variable . <urn:other:x> a swrl:Variable . :d a owl:DatatypeProperty . _:b a swrl:Variable .
"""
FIVE = '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'
IS_A = "[ a swrl:ClassAtom ; swrl:classPredicate :A ; swrl:argument1 :x ]"


def read_of_swrl_mapping(text):
    triples = list(Graph().parse(data=PREFIXES_OF_SWRL_MAPPING + text, format="turtle"))
    reading = read_axioms(triples)
    reading.check_invariants(triples)
    return reading


ATOMS = {
    IS_A: "ClassAtom(A Variable(x))",
    "[ a swrl:ClassAtom ; swrl:classPredicate [ owl:onProperty :p ; owl:someValuesFrom :B ] ; swrl:argument1 :i ]": (
        "ClassAtom(ObjectSomeValuesFrom(p B) i)"
    ),
    "[ a swrl:ClassAtom ; swrl:classPredicate xsd:integer ; swrl:argument1 :y ]": "DataRangeAtom(integer Variable(y))",
    "[ a swrl:DataRangeAtom ; swrl:dataRange [ a rdfs:Datatype ; owl:oneOf (5) ] ; swrl:argument1 :y ]": (
        f"DataRangeAtom(DataOneOf({FIVE}) Variable(y))"
    ),
    "[ a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :p ; swrl:argument1 :x ; swrl:argument2 :y ]": (
        "ObjectPropertyAtom(p Variable(x) Variable(y))"
    ),
    "[ a swrl:IndividualPropertyAtom ; swrl:propertyPredicate [ owl:inverseOf :p ] ; swrl:argument1 :x ; swrl:argument2 :i ]": (
        "ObjectPropertyAtom(ObjectInverseOf(p) Variable(x) i)"
    ),
    "[ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :d ; swrl:argument1 :x ; swrl:argument2 5 ]": (
        f"DataPropertyAtom(d Variable(x) {FIVE})"
    ),
    "[ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :undeclared ; swrl:argument1 :x ; swrl:argument2 :y ]": (
        "DataPropertyAtom(undeclared Variable(x) Variable(y))"
    ),
    "[ a swrl:SameIndividualAtom ; swrl:argument1 :x ; swrl:argument2 :i ]": "SameIndividualAtom(Variable(x) i)",
    "[ a swrl:DifferentIndividualsAtom ; swrl:argument1 :x ; swrl:argument2 :y ]": (
        "DifferentIndividualsAtom(Variable(x) Variable(y))"
    ),
    "[ a swrl:BuiltinAtom ; swrl:builtin swrlb:lessThan ; swrl:arguments (:y 5) ]": (
        f"BuiltInAtom(lessThan Variable(y) {FIVE})"
    ),
    "[ a swrl:ClassAtom ; swrl:classPredicate :A ; swrl:argument1 <urn:swrl#z> ]": "ClassAtom(A Variable(z))",
    "[ a swrl:ClassAtom ; swrl:classPredicate :A ; swrl:argument1 <urn:swrl:var#z> ]": "ClassAtom(A Variable(z))",
    "[ a swrl:ClassAtom ; swrl:classPredicate :A ; swrl:argument1 _:b ]": "ClassAtom(A Variable(v))",
    "[ a swrl:SameIndividualAtom ; swrl:argument1 :x ; swrl:argument2 <urn:other:x> ]": (
        "SameIndividualAtom(Variable(x) Variable(x_2))"
    ),
}


@pytest.mark.parametrize("atom", ATOMS)
def test_an_atom_reads_as_written_in_body_and_head(atom):
    reading = read_of_swrl_mapping(f"[] a swrl:Imp ; swrl:body ({atom}) ; swrl:head ({atom}) .")
    assert [str(axiom) for axiom in reading.axioms] == [
        f"DLSafeRule(Body({ATOMS[atom]}) Head({ATOMS[atom]}))"
    ]
    assert not reading.leftovers and not reading.assertions and not reading.annotations


def test_lists_of_either_type_read():
    cell = "[ a {} ; rdf:first {} ; rdf:rest () ]"
    body, head = cell.format("swrl:AtomList", IS_A), cell.format("rdf:List", IS_A)
    assert len(read_of_swrl_mapping(f":r a swrl:Imp ; swrl:body {body} ; swrl:head {head} .").axioms) == 1


def test_an_empty_head_reads():
    (rule,) = read_of_swrl_mapping(f":r a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head () .").axioms
    assert rule.head == ()


@pytest.mark.parametrize("name", [":r", "[]"])
def test_what_is_said_of_a_rule_is_an_annotation(name):
    reading = read_of_swrl_mapping(
        f'{name} a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head () ; rdfs:label "R" ; :enabled true ; :by :me .'
    )
    assert len(reading.axioms) == 1
    assert {p for _, p, _ in reading.annotations} >= {RDFS.label, URIRef("http://example.org/enabled")}
    assert len(reading.annotations) == 3 and not reading.assertions


def test_variables_are_declarations_and_no_individuals():
    reading = read_of_swrl_mapping(
        f":r a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head () . swrlb:add a swrl:Builtin ."
    )
    assert len(reading.declarations) == 6
    assert not reading.assertions


def test_two_rules_share_their_variables():
    rule = f"[] a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head (%s) ."
    reading = read_of_swrl_mapping(rule % "" + rule % IS_A)
    assert [str(axiom)[:40] for axiom in reading.axioms] == ["DLSafeRule(Body(ClassAtom(A Variable(x))"] * 2


MALFORMED = {
    f":r a swrl:Imp ; swrl:body ({IS_A}) .": "swrl:head",
    f":r a swrl:Imp ; swrl:head ({IS_A}) .": "swrl:body",
    f":r a swrl:Imp ; swrl:body ({IS_A}), () ; swrl:head () .": "2 values of swrl:body",
    ":r a swrl:Imp ; swrl:body ([ a :Odd ]) ; swrl:head () .": "exactly one kind of atom",
    ":r a swrl:Imp ; swrl:body ([ a swrl:ClassAtom, swrl:SameIndividualAtom ]) ; swrl:head () .": "exactly one kind",
    ":r a swrl:Imp ; swrl:body ([ a swrl:ClassAtom ; swrl:classPredicate :A ; swrl:argument1 5 ]) ; swrl:head () .": (
        "literal"
    ),
    ":r a swrl:Imp ; swrl:body ([ a swrl:BuiltinAtom ; swrl:builtin 5 ; swrl:arguments () ]) ; swrl:head () .": (
        "name of a built-in"
    ),
    ":r a swrl:Imp ; swrl:body [ rdf:first :a ] ; swrl:head () .": "rdf:",
}


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_rule_is_left_over_with_the_reason(text):
    reading = read_of_swrl_mapping(text)
    assert not reading.axioms
    rules = [leftover for leftover in reading.leftovers if leftover.construct == "SWRL rule"]
    assert MALFORMED[text] in rules[0].reason and len(rules) == 1
    assert {str(p) for _, p, o in reading.assertions} <= {"http://www.w3.org/1999/02/22-rdf-syntax-ns#type"}


def test_an_atom_outside_of_rules_is_left_over():
    reading = read_of_swrl_mapping(f":thing :has {IS_A} .")
    (leftover,) = reading.leftovers
    assert leftover.reason == "not part of any axiom" and len(leftover.triples) == 3


def test_rules_pickle():
    (rule,) = read_of_swrl_mapping(f":r a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head () .").axioms
    assert isinstance(rule, SwrlRule) and pickle.loads(pickle.dumps(rule)) == rule
    assert arguments_of(rule.body[0]) == (Variable("x"),)

"""SWRL rules from triples: each kind of atom, variables, annotations, and rules that are none."""

# ruff: noqa: E501  (premises stand on one line)

from __future__ import annotations

import pickle

import pytest
from rdflib import RDFS, Graph, URIRef, Variable

from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.swrl import SwrlRule, arguments_of

PREFIXES = """
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


def read(text):
    triples = list(Graph().parse(data=PREFIXES + text, format="turtle"))
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
    reading = read(f"[] a swrl:Imp ; swrl:body ({atom}) ; swrl:head ({atom}) .")
    assert [str(axiom) for axiom in reading.axioms] == [
        f"DLSafeRule(Body({ATOMS[atom]}) Head({ATOMS[atom]}))"
    ]
    assert not reading.leftovers and not reading.assertions and not reading.annotations


def test_lists_of_either_type_read():
    cell = "[ a {} ; rdf:first {} ; rdf:rest () ]"
    body, head = cell.format("swrl:AtomList", IS_A), cell.format("rdf:List", IS_A)
    assert len(read(f":r a swrl:Imp ; swrl:body {body} ; swrl:head {head} .").axioms) == 1


def test_an_empty_head_reads():
    (rule,) = read(f":r a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head () .").axioms
    assert rule.head == ()


@pytest.mark.parametrize("name", [":r", "[]"])
def test_what_is_said_of_a_rule_is_an_annotation(name):
    reading = read(
        f'{name} a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head () ; rdfs:label "R" ; :enabled true ; :by :me .'
    )
    assert len(reading.axioms) == 1
    assert {p for _, p, _ in reading.annotations} >= {RDFS.label, URIRef("http://example.org/enabled")}
    assert len(reading.annotations) == 3 and not reading.assertions


def test_variables_are_declarations_and_no_individuals():
    reading = read(f":r a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head () . swrlb:add a swrl:Builtin .")
    assert len(reading.declarations) == 6
    assert not reading.assertions


def test_two_rules_share_their_variables():
    rule = f"[] a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head (%s) ."
    reading = read(rule % "" + rule % IS_A)
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
    reading = read(text)
    assert not reading.axioms
    rules = [leftover for leftover in reading.leftovers if leftover.construct == "SWRL rule"]
    assert MALFORMED[text] in rules[0].reason and len(rules) == 1
    assert {str(p) for _, p, o in reading.assertions} <= {"http://www.w3.org/1999/02/22-rdf-syntax-ns#type"}


def test_an_atom_outside_of_rules_is_left_over():
    reading = read(f":thing :has {IS_A} .")
    (leftover,) = reading.leftovers
    assert leftover.reason == "not part of any axiom" and len(leftover.triples) == 3


def test_rules_pickle():
    (rule,) = read(f":r a swrl:Imp ; swrl:body ({IS_A}) ; swrl:head () .").axioms
    assert isinstance(rule, SwrlRule) and pickle.loads(pickle.dumps(rule)) == rule
    assert arguments_of(rule.body[0]) == (Variable("x"),)

"""Facts that are never repaired: what contradicts itself among them is an error with a proof."""

import pickle

import pytest
from rdflib import Graph, Variable

from pantarhei import InconsistentOntologyError, load_ontology
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Origin, Rule
from pantarhei.repair.consistency import model_of_background, refuse_violations
from pantarhei.rules.compilation.program import compile_
from strategies import A, B, C, a, b, is_a, member

x = Variable("x")
PROGRAM = compile_(
    [
        Rule("cax-sco", (is_a(A, x),), is_a(B, x)),
        Rule("cax-dw", (is_a(B, x), is_a(C, x)), None, origin=Origin("B and C are disjoint")),
    ]
)


def refuse(*triples):
    vocabulary = Vocabulary(PROGRAM)
    background = vocabulary.encode(triples).facts
    refuse_violations(model_of_background(PROGRAM, vocabulary, background), background)


def test_what_is_consistent_passes():
    refuse(member(A, a))


def test_the_error_names_the_axiom_and_the_assertions_and_proves_it():
    with pytest.raises(InconsistentOntologyError, match="B and C are disjoint") as raised:
        refuse(member(A, a), member(C, a))
    assert "cax-sco" in str(raised.value)  # the proof tells how B(a) came


def test_the_error_lists_all_contradictions():
    with pytest.raises(InconsistentOntologyError, match="one of 3 contradictions") as raised:
        refuse(member(A, a), member(B, a), member(C, a), member(A, b), member(C, b))
    assert {each.triples for each in raised.value.contradictions} == {
        frozenset({member(A, a), member(C, a)}),
        frozenset({member(B, a), member(C, a)}),
        frozenset({member(A, b), member(C, b)}),
    }


def test_an_ontology_that_contradicts_itself_lists_axioms_and_assertions():
    text = """
        @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        :A owl:disjointWith :B . :x a :A , :B . :z a owl:Nothing ."""
    with pytest.raises(InconsistentOntologyError, match="one of 2 contradictions") as raised:
        load_ontology(Graph().parse(data=text))
    back = pickle.loads(pickle.dumps(raised.value))
    assert back.contradictions == raised.value.contradictions
    nothing, disjoint = map(str, back.contradictions)
    assert nothing == "ClassAssertion(owl:Nothing z)"
    assert disjoint == "x type A against x type B, by DisjointClasses(A B)"

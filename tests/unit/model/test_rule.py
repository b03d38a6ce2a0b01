"""Origins: the axiom counts, not where a copy of it is written."""

from __future__ import annotations

import pickle

import pytest
from rdflib import RDF, BNode, Graph, Literal, Namespace, URIRef, Variable

from pantarhei import load_ontology
from pantarhei.model.rule import Atom, Different, Origin, Rule, short

EX = Namespace("http://example.org/")
x, y, z = Variable("x"), Variable("y"), Variable("z")


def test_an_atom_with_one_argument_is_a_class_with_two_a_property():
    binding = {x: EX.a, y: Literal(1)}
    assert Atom(EX.C, (x,)).ground(binding) == (EX.a, RDF.type, EX.C)
    assert Atom(EX.p, (x, y)).ground(binding) == (EX.a, EX.p, Literal(1))
    assert Atom(EX.p, (EX.b, EX.c)).ground({}) == (EX.b, EX.p, EX.c)
    assert Atom(EX.p, (x, x)).ground(binding) == (EX.a, EX.p, EX.a)


def test_a_variable_that_is_not_bound_is_an_error():
    with pytest.raises(KeyError):
        Atom(EX.p, (x, y)).ground({x: EX.a})


def test_rules_read_as_datalog():
    body = (Atom(EX.p, (x, y)), Atom(EX.p, (x, z)))
    assert str(Rule("prp-fp", body, None, (Different(y, z),))) == "⊥ :- p(?x, ?y), p(?x, ?z), ?y ≠ ?z."
    assert str(Rule("cax-sco", (Atom(EX.C, (x,)),), Atom(EX.D, (x,)))) == "D(?x) :- C(?x)."
    assert str(Rule("cls-hv1", (Atom(EX.C, (x,)),), Atom(EX.v, (x, Literal(1))))).startswith('v(?x, "1"')


def test_a_rule_without_a_head_is_a_constraint():
    assert Rule("cax-dw", (Atom(EX.C, (x,)),), None).is_constraint
    assert not Rule("cax-sco", (Atom(EX.C, (x,)),), Atom(EX.D, (x,))).is_constraint


def test_rules_are_values():
    rule = Rule("prp-fp", (Atom(EX.p, (x, y)),), Atom(EX.C, (y,)), (Different(x, y),), "an axiom")
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert len({rule, pickle.loads(pickle.dumps(rule))}) == 1


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (URIRef("http://example.org/a"), "a"),
        (URIRef("http://example.org/a#b"), "b"),
        (URIRef("http://example.org/a#"), "a"),
        (URIRef("http://example.org/a/"), "a"),
        (URIRef("urn:a:b"), "urn:a:b"),
        (URIRef(""), ""),
        (URIRef("/"), "/"),
        (BNode("b"), "_:b"),
        (x, "?x"),
        (Literal("a", lang="en"), '"a"@en'),
    ],
)
def test_short_names(term, text):
    assert short(term) == text


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

import pickle

import pytest
from rdflib import RDF, BNode, Literal, Namespace, URIRef, Variable

from pantarhei.model.rule import Atom, Different, Rule, short

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

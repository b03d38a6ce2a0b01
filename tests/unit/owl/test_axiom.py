"""Axioms, expressions and rules as functional-style syntax."""

import pickle

import pytest
from rdflib import Literal

from pantarhei.owl import axiom as owl
from strategies import EX

A, B = owl.Class(EX.A), owl.Class(EX.B)
P, D = owl.Property(EX.p), owl.Property(EX.d, owl.PropertyKind.DATA)
AXIOMS = {
    "SubClassOf(A B)": owl.SubClassOf(A, B),
    "DisjointUnion(A A B)": owl.DisjointUnion(A, (A, B)),
    "SubObjectPropertyOf(p ObjectInverseOf(p))": owl.SubPropertyOf(P, owl.InverseOf(P)),
    "SubObjectPropertyOf(ObjectPropertyChain(p p) p)": owl.SubPropertyChainOf((P, P), P),
    "DataPropertyRange(d Literal)": owl.PropertyRange(D, owl.ANY_LITERAL),
    "FunctionalDataProperty(d)": owl.Characteristic(owl.Trait.FUNCTIONAL, D),
    "TransitiveObjectProperty(p)": owl.Characteristic(owl.Trait.TRANSITIVE, P),
    "HasKey(A (p) (d))": owl.HasKey(A, (D, P)),
    'NegativeDataPropertyAssertion(d a "x")': owl.NegativePropertyAssertion(D, EX.a, Literal("x")),
}


@pytest.mark.parametrize(("text", "axiom"), AXIOMS.items(), ids=AXIOMS)
def test_an_axiom_reads_as_its_property_tells_its_form_and_is_equal_to_its_copy(text, axiom):
    assert str(axiom) == text
    again = pickle.loads(pickle.dumps(axiom))
    assert again == axiom and hash(again) == hash(axiom)

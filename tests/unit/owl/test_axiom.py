"""Axioms, expressions and rules as functional-style syntax."""

import pickle

import pytest
from rdflib import XSD, Literal, URIRef, Variable

from pantarhei.model.data_range import Datatype
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    BuiltInAtom,
    ClassAtom,
    DataRangeAtom,
    DifferentAtom,
    PropertyAtom,
    SameAtom,
    SwrlRule,
    arguments_of,
)
from pantarhei.owl.expression import Class, Property, PropertyKind
from pantarhei.values.scalar_functions import SWRLB
from strategies import EX, R, V, a, x, y
from strategies import A as StrategiesA

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


FIVE = Literal(5)
OBJECT, DATA = Property(R), Property(V, PropertyKind.DATA)
IS_A = ClassAtom(Class(StrategiesA), x)
ATOMS = {
    "ClassAtom(A Variable(x))": IS_A,
    "ClassAtom(A a)": ClassAtom(Class(StrategiesA), a),
    "DataRangeAtom(integer Variable(y))": DataRangeAtom(Datatype(XSD.integer), y),
    "ObjectPropertyAtom(R Variable(x) a)": PropertyAtom(OBJECT, x, a),
    "DataPropertyAtom(V Variable(x) Variable(y))": PropertyAtom(DATA, x, y),
    "SameIndividualAtom(Variable(x) a)": SameAtom(x, a),
    "DifferentIndividualsAtom(a Variable(y))": DifferentAtom(a, y),
    "BuiltInAtom(add Variable(y) Variable(x) Variable(x))": BuiltInAtom(SWRLB.add, (y, x, x)),
}


@pytest.mark.parametrize("text", ATOMS)
def test_an_atom_is_shown_as_the_owl_api_writes_it(text):
    assert str(ATOMS[text]) == text


def test_a_rule_is_shown_with_all_its_atoms_in_order_and_an_empty_head():
    same, different = SameAtom(x, a), DifferentAtom(a, y)
    assert str(SwrlRule((IS_A, same), (different,))) == f"DLSafeRule(Body({IS_A} {same}) Head({different}))"
    assert str(SwrlRule((IS_A,), ())).endswith("Head())")


@pytest.mark.parametrize(
    ("atom", "arguments"),
    [
        (IS_A, (x,)),
        (DataRangeAtom(Datatype(XSD.integer), FIVE), (FIVE,)),
        (PropertyAtom(OBJECT, x, a), (x, a)),
        (SameAtom(a, x), (a, x)),
        (DifferentAtom(x, y), (x, y)),
        (BuiltInAtom(SWRLB.add, (y, x, FIVE)), (y, x, FIVE)),
    ],
)
def test_arguments_come_in_their_order_without_what_is_said_of_them(atom, arguments):
    assert arguments_of(atom) == arguments


def test_a_variable_is_told_from_a_name_of_the_same_text():
    variable, name = (
        ClassAtom(Class(StrategiesA), Variable("urn:x/x")),
        ClassAtom(Class(StrategiesA), URIRef("urn:x/x")),
    )
    assert variable != name and str(variable) != str(name)


def test_rules_are_values_that_pickle():
    rule = SwrlRule(tuple(ATOMS.values()), (IS_A,))
    assert pickle.loads(pickle.dumps(rule)) == rule and len({rule, pickle.loads(pickle.dumps(rule))}) == 1

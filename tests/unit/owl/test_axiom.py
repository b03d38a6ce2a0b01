"""Axioms, expressions and rules as functional-style syntax."""

import pickle

import pytest
from rdflib import XSD, Literal, URIRef, Variable

from pantarhei.model.data_range import Datatype
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    Bound,
    BuiltInAtom,
    Cardinality,
    Class,
    ClassAtom,
    DataRangeAtom,
    DifferentAtom,
    IntersectionOf,
    InverseOf,
    Property,
    PropertyAtom,
    PropertyKind,
    SameAtom,
    SomeValuesFrom,
    SwrlRule,
    UnionOf,
    arguments_of,
    parts,
)
from pantarhei.owl.axiom import Datatype as AxiomDatatype
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


P_OF_EXPRESSION, D_OF_EXPRESSION = Property(EX.p), Property(EX.d, PropertyKind.DATA)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (SomeValuesFrom(P_OF_EXPRESSION, Class(EX.A)), "ObjectSomeValuesFrom(p A)"),
        (SomeValuesFrom(D_OF_EXPRESSION, AxiomDatatype(XSD.integer)), "DataSomeValuesFrom(d integer)"),
        (Cardinality(Bound.MAX, 1, D_OF_EXPRESSION), "DataMaxCardinality(1 d)"),
        (
            Cardinality(Bound.MIN, 2, InverseOf(P_OF_EXPRESSION), Class(EX.A)),
            "ObjectMinCardinality(2 ObjectInverseOf(p) A)",
        ),
    ],
)
def test_the_form_is_that_of_the_filler_or_else_of_the_property(expression, text):
    assert str(expression) == text


def test_an_inverse_is_of_the_kind_of_its_property():
    assert InverseOf(P_OF_EXPRESSION).kind is PropertyKind.OBJECT


def test_an_expression_has_its_parts_from_the_left_and_what_is_whole_is_not_taken_apart():
    one, other = Class(EX.A), Class(EX.B)
    inner = UnionOf((other, one))
    found = list(parts(IntersectionOf((one, inner))))
    assert [part for part in found if isinstance(part, Class)] == [one, other, one]
    assert inner in found
    assert other not in parts(IntersectionOf((one, inner)), whole=UnionOf)

"""SWRL rules as values."""

import pickle

import pytest
from rdflib import XSD, Literal, URIRef, Variable

from pantarhei.model.data_range import Datatype
from pantarhei.owl.expression import Class, Property, PropertyKind
from pantarhei.owl.swrl import (
    BuiltInAtom,
    ClassAtom,
    DataRangeAtom,
    DifferentAtom,
    PropertyAtom,
    SameAtom,
    SwrlRule,
    arguments_of,
)
from pantarhei.values.builtin import SWRLB
from strategies import A, R, V, a, x, y

FIVE = Literal(5)
OBJECT, DATA = Property(R), Property(V, PropertyKind.DATA)
IS_A = ClassAtom(Class(A), x)
ATOMS = {
    "ClassAtom(A Variable(x))": IS_A,
    "ClassAtom(A a)": ClassAtom(Class(A), a),
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
    variable, name = ClassAtom(Class(A), Variable("urn:x/x")), ClassAtom(Class(A), URIRef("urn:x/x"))
    assert variable != name and str(variable) != str(name)


def test_rules_are_values_that_pickle():
    rule = SwrlRule(tuple(ATOMS.values()), (IS_A,))
    assert pickle.loads(pickle.dumps(rule)) == rule and len({rule, pickle.loads(pickle.dumps(rule))}) == 1

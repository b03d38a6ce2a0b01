"""Bodies from expressions."""

import pytest
from rdflib import OWL, XSD, Literal

from pantarhei.owl import axiom as owl
from pantarhei.rules.translation.body import Body, NeverError, NotARuleError, X, Y, property_atom
from strategies import EX, related

A, B = owl.Class(EX.A), owl.Class(EX.B)
P = owl.Property(EX.R)
TOP, BOTTOM = owl.Property(OWL.topObjectProperty), owl.Property(OWL.bottomObjectProperty)


def rule(expression):
    body = Body()
    body.require(expression, X)
    return str(body.rule("r", property_atom(P, X, X), ""))


@pytest.mark.parametrize(
    ("expression", "body"),
    [
        (owl.THING, "Thing(?x)"),
        (owl.IntersectionOf((A, B)), "A(?x), B(?x)"),
        (owl.SomeValuesFrom(P, owl.IntersectionOf((A, owl.HasSelf(P)))), "R(?x, ?y), R(?y, ?y), A(?y)"),
        (owl.HasValue(owl.InverseOf(P), EX.i), "R(i, ?x)"),
        (owl.IntersectionOf((A, owl.OneOf((EX.i,)))), "A(i)"),
    ],
    ids=str,
)
def test_an_expression_is_the_conjunction_that_says_it(expression, body):
    made = rule(expression)
    assert made.partition(" :- ")[2].removesuffix(".") == body


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        (owl.NOTHING, NeverError),
        (owl.SomeValuesFrom(BOTTOM, A), NeverError),
        (owl.SomeValuesFrom(TOP, A), NotARuleError),
        (owl.AllValuesFrom(P, A), NotARuleError),
        (owl.ComplementOf(A), NotARuleError),
    ],
    ids=str,
)
def test_what_is_never_and_what_is_no_rule_are_told_apart(expression, error):
    with pytest.raises(error):
        rule(expression)


def test_an_inverse_turns_the_atom_and_no_literal_has_a_property():
    assert property_atom(owl.InverseOf(P), X, Y) == related(EX.R, Y, X)
    with pytest.raises(NeverError):
        property_atom(P, Literal("1", datatype=XSD.integer), Y)

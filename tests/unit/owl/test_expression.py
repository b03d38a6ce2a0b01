"""Class expressions: whether they are about names or literals is told by filler and property."""

import pytest
from rdflib import XSD

from pantarhei.owl.expression import (
    Bound,
    Cardinality,
    Class,
    Datatype,
    IntersectionOf,
    InverseOf,
    Property,
    PropertyKind,
    SomeValuesFrom,
    UnionOf,
    parts,
)
from strategies import EX

P, D = Property(EX.p), Property(EX.d, PropertyKind.DATA)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (SomeValuesFrom(P, Class(EX.A)), "ObjectSomeValuesFrom(p A)"),
        (SomeValuesFrom(D, Datatype(XSD.integer)), "DataSomeValuesFrom(d integer)"),
        (Cardinality(Bound.MAX, 1, D), "DataMaxCardinality(1 d)"),
        (
            Cardinality(Bound.MIN, 2, InverseOf(P), Class(EX.A)),
            "ObjectMinCardinality(2 ObjectInverseOf(p) A)",
        ),
    ],
)
def test_the_form_is_that_of_the_filler_or_else_of_the_property(expression, text):
    assert str(expression) == text


def test_an_inverse_is_of_the_kind_of_its_property():
    assert InverseOf(P).kind is PropertyKind.OBJECT


def test_an_expression_has_its_parts_from_the_left_and_what_is_whole_is_not_taken_apart():
    one, other = Class(EX.A), Class(EX.B)
    inner = UnionOf((other, one))
    found = list(parts(IntersectionOf((one, inner))))
    assert [part for part in found if isinstance(part, Class)] == [one, other, one]
    assert inner in found
    assert other not in parts(IntersectionOf((one, inner)), whole=UnionOf)

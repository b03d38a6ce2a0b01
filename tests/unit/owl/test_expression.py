"""Class expressions: whether they are about names or literals is told by filler and property."""

import pytest
from rdflib import XSD

from pantarhei.owl.expression import (
    ANY_LITERAL,
    THING,
    Bound,
    Cardinality,
    Class,
    Datatype,
    InverseOf,
    Property,
    PropertyKind,
    SomeValuesFrom,
    is_data_range,
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


def test_literals_are_in_data_ranges_and_an_inverse_is_of_the_kind_of_its_property():
    assert is_data_range(ANY_LITERAL) and not is_data_range(THING)
    assert InverseOf(P).kind is PropertyKind.OBJECT

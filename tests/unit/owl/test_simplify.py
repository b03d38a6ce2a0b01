"""Data ranges inside class expressions, simplified."""

from __future__ import annotations

import pytest
from rdflib import RDFS, XSD, Literal, URIRef

from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import NOTHING, THING, Bound, Cardinality
from pantarhei.owl.simplify import (
    NO_LITERAL,
    datatype_definitions,
    inline_datatypes,
    simplify,
    simplify_range,
)

D = owl.Property(URIRef("urn:x/d"), owl.PropertyKind.DATA)
INTEGER, LITERAL = owl.Datatype(XSD.integer), owl.Datatype(RDFS.Literal)
ONE, TWO = Literal("1", datatype=XSD.integer), Literal("two", datatype=XSD.integer)
NOT_INTEGER = owl.DataComplementOf(INTEGER)


def most(number, range_=INTEGER):
    return Cardinality(Bound.MAX, number, D, range_)


CASES = [
    (owl.ComplementOf(owl.SomeValuesFrom(D, INTEGER)), most(0)),
    (owl.ComplementOf(most(0)), owl.SomeValuesFrom(D, INTEGER)),
    (owl.ComplementOf(owl.AllValuesFrom(D, INTEGER)), owl.SomeValuesFrom(D, NOT_INTEGER)),
    (owl.ComplementOf(owl.AllValuesFrom(D, NOT_INTEGER)), owl.SomeValuesFrom(D, INTEGER)),
    (owl.ComplementOf(owl.AllValuesFrom(D, LITERAL)), NOTHING),
    (owl.ComplementOf(owl.SomeValuesFrom(D, LITERAL)), most(0, LITERAL)),
    (owl.AllValuesFrom(D, LITERAL), THING),
    (owl.AllValuesFrom(D, NO_LITERAL), most(0, LITERAL)),
    (owl.SomeValuesFrom(D, NO_LITERAL), NOTHING),
    (owl.SomeValuesFrom(D, owl.DataUnionOf(())), NOTHING),
    (owl.SomeValuesFrom(D, owl.DataComplementOf(LITERAL)), NOTHING),
    (owl.SomeValuesFrom(D, owl.DataOneOf((ONE,))), owl.HasValue(D, ONE)),
    (owl.SomeValuesFrom(D, owl.DataOneOf((ONE, ONE))), owl.HasValue(D, ONE)),
    (
        owl.SomeValuesFrom(D, owl.DataOneOf((ONE, TWO))),
        owl.UnionOf((owl.HasValue(D, ONE), owl.HasValue(D, TWO))),
    ),
    (Cardinality(Bound.MIN, 1, D, INTEGER), owl.SomeValuesFrom(D, INTEGER)),
    (Cardinality(Bound.MIN, 0, D, INTEGER), THING),
    (Cardinality(Bound.MIN, 2, D, NO_LITERAL), NOTHING),
    (Cardinality(Bound.MIN, 1, D), owl.SomeValuesFrom(D, LITERAL)),
    (most(0), most(0)),
    (most(1), most(1)),
    (most(1, NO_LITERAL), THING),
    (most(0, NO_LITERAL), THING),
    (owl.ComplementOf(most(1)), Cardinality(Bound.MIN, 2, D, INTEGER)),
    (Cardinality(Bound.EXACT, 0, D, INTEGER), most(0)),
    (
        Cardinality(Bound.EXACT, 1, D, INTEGER),
        owl.IntersectionOf((owl.SomeValuesFrom(D, INTEGER), most(1))),
    ),
]


@pytest.mark.parametrize(("expression", "simple"), CASES, ids=lambda e: str(e))
def test_a_data_range_in_a_class_expression_is_simplified(expression, simple):
    assert simplify(expression) == simple
    assert simplify(simple) == simple


RANGES = [
    (owl.DataComplementOf(NOT_INTEGER), INTEGER),
    (owl.DataUnionOf((INTEGER,)), INTEGER),
    (owl.DataUnionOf((INTEGER, LITERAL)), LITERAL),
    (owl.DataUnionOf((INTEGER, NO_LITERAL)), INTEGER),
    (owl.DataIntersectionOf(()), LITERAL),
    (owl.DataIntersectionOf((INTEGER, INTEGER)), INTEGER),
    (owl.DataIntersectionOf((INTEGER, NO_LITERAL)), NO_LITERAL),
    (owl.DataComplementOf(NO_LITERAL), LITERAL),
    (owl.DataOneOf((TWO, TWO)), owl.DataOneOf((TWO,))),
    (owl.DatatypeRestriction(INTEGER, ()), INTEGER),
    (owl.DatatypeRestriction(INTEGER, ((XSD.minInclusive, ONE),)),) * 2,
]


@pytest.mark.parametrize(("range_", "simple"), RANGES, ids=lambda r: str(r))
def test_a_data_range_is_simplified(range_, simple):
    assert simplify_range(range_) == simple
    assert simplify_range(simple) == simple


ONE_OF_DEFINITION, TWO_OF_DEFINITION, THREE = (
    owl.Datatype(URIRef(f"urn:x/{name}")) for name in ("one", "two", "three")
)
INTEGER_OF_DEFINITION, TEXT = owl.Datatype(XSD.integer), owl.Datatype(XSD.string)


def test_definitions_go_through_one_another():
    axioms = [
        owl.DatatypeDefinition(ONE_OF_DEFINITION, owl.DataUnionOf((TWO_OF_DEFINITION, TEXT))),
        owl.DatatypeDefinition(TWO_OF_DEFINITION, INTEGER_OF_DEFINITION),
    ]
    assert datatype_definitions(axioms)[ONE_OF_DEFINITION.iri] == owl.DataUnionOf(
        (INTEGER_OF_DEFINITION, TEXT)
    )


def test_what_leads_back_to_itself_defines_nothing_and_the_first_of_two_counts():
    axioms = [
        owl.DatatypeDefinition(ONE_OF_DEFINITION, TWO_OF_DEFINITION),
        owl.DatatypeDefinition(TWO_OF_DEFINITION, ONE_OF_DEFINITION),
        owl.DatatypeDefinition(THREE, TEXT),
        owl.DatatypeDefinition(THREE, INTEGER_OF_DEFINITION),
    ]
    assert datatype_definitions(axioms) == {THREE.iri: TEXT}


def test_in_a_restriction_only_another_name_of_a_datatype_is_replaced():
    facets = ((XSD.minInclusive, Literal(3)),)
    definitions = {
        ONE_OF_DEFINITION.iri: INTEGER_OF_DEFINITION,
        TWO_OF_DEFINITION.iri: owl.DataUnionOf((INTEGER_OF_DEFINITION, TEXT)),
    }
    restricted, kept = (
        owl.DatatypeRestriction(base, facets) for base in (ONE_OF_DEFINITION, TWO_OF_DEFINITION)
    )
    assert inline_datatypes((restricted, kept), definitions) == (
        owl.DatatypeRestriction(INTEGER_OF_DEFINITION, facets),
        kept,
    )

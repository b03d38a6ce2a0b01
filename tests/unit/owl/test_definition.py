"""Defined datatypes in the place of their names."""

from rdflib import XSD, Literal, URIRef

from pantarhei.owl import axiom as owl
from pantarhei.owl.definition import datatype_definitions, inline_datatypes

ONE, TWO, THREE = (owl.Datatype(URIRef(f"urn:x/{name}")) for name in ("one", "two", "three"))
INTEGER, TEXT = owl.Datatype(XSD.integer), owl.Datatype(XSD.string)


def test_definitions_go_through_one_another():
    axioms = [owl.DatatypeDefinition(ONE, owl.DataUnionOf((TWO, TEXT))), owl.DatatypeDefinition(TWO, INTEGER)]
    assert datatype_definitions(axioms)[ONE.iri] == owl.DataUnionOf((INTEGER, TEXT))


def test_what_leads_back_to_itself_defines_nothing_and_the_first_of_two_counts():
    axioms = [
        owl.DatatypeDefinition(ONE, TWO),
        owl.DatatypeDefinition(TWO, ONE),
        owl.DatatypeDefinition(THREE, TEXT),
        owl.DatatypeDefinition(THREE, INTEGER),
    ]
    assert datatype_definitions(axioms) == {THREE.iri: TEXT}


def test_in_a_restriction_only_another_name_of_a_datatype_is_replaced():
    facets = ((XSD.minInclusive, Literal(3)),)
    definitions = {ONE.iri: INTEGER, TWO.iri: owl.DataUnionOf((INTEGER, TEXT))}
    restricted, kept = (owl.DatatypeRestriction(base, facets) for base in (ONE, TWO))
    assert inline_datatypes((restricted, kept), definitions) == (
        owl.DatatypeRestriction(INTEGER, facets),
        kept,
    )

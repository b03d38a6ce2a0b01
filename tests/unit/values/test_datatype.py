"""Datatypes and facets as OWL 2 has them."""

import pytest
from rdflib import RDFS, XSD, Literal, URIRef

from pantarhei.values import condition as of
from pantarhei.values.datatype import LANG_RANGE, datatype_formula, facet_problem, is_derived, is_known
from pantarhei.values.value import PLAIN_LITERAL


@pytest.mark.parametrize(
    ("narrow", "wide", "derived"),
    [
        (XSD.byte, XSD.integer, True),
        (XSD.integer, XSD.byte, False),
        (XSD.dateTimeStamp, XSD.dateTime, True),
        (XSD.token, XSD.string, True),
        (XSD.float, XSD.double, False),
        (XSD.hexBinary, RDFS.Literal, True),
    ],
)
def test_a_datatype_is_derived_from_those_that_have_all_its_values(narrow, wide, derived):
    assert is_derived(narrow, wide) is derived


@pytest.mark.parametrize(
    ("datatype", "facet", "value", "fits"),
    [
        (XSD.integer, XSD.minInclusive, Literal(3), True),
        (XSD.integer, XSD.minInclusive, Literal("three"), False),
        (XSD.integer, XSD.length, Literal(3), False),
        (XSD.string, XSD.pattern, Literal("[a-z]+"), True),
        (XSD.string, XSD.pattern, Literal("["), False),
        (PLAIN_LITERAL, LANG_RANGE, Literal("de-*"), True),
        (XSD.string, XSD.maxLength, Literal(-1), False),
    ],
)
def test_a_facet_fits_a_datatype_with_a_value_or_it_is_said_why_not(datatype, facet, value, fits):
    assert (facet_problem(datatype, facet, value) is None) is fits


def test_a_datatype_of_another_sort_has_none_of_the_values():
    assert datatype_formula(XSD.string, of.NUMBERS) is False
    assert datatype_formula(XSD.decimal, of.NUMBERS) is not False
    assert is_known(XSD.duration) and not is_known(URIRef("urn:x"))

"""Comparisons of terms, as temporal rules have them: names by name, literals by value, all else apart."""

from itertools import product

import pytest
from rdflib import XSD, BNode, Literal, URIRef

from oracle.lars import comparisons
from pantarhei.values.builtin import EQUAL, SWRLB
from pantarhei.values.comparing import NOT_EQUAL, is_true

A, B = URIRef("http://e/a"), URIRef("http://e/b")
OWN = URIRef("http://e/datatype")


@pytest.mark.parametrize(
    ("left", "right", "are_equal", "differ"),
    [
        (A, A, True, False),
        (A, B, False, True),
        (A, BNode("http://e/a"), False, True),
        (A, Literal("http://e/a"), False, True),
        (A, Literal("x", datatype=XSD.integer), False, True),
        (Literal(7), Literal(7.0), True, False),
        (Literal(7), Literal("abc"), False, True),
        (Literal("7"), Literal(7), False, True),
        (Literal(True), Literal(1), False, True),
        (Literal("a"), Literal("a", lang="en"), False, True),
        (Literal("x", datatype=XSD.integer), Literal("abc"), False, False),
        (Literal("x", datatype=OWN), Literal("y", datatype=OWN), False, False),
        (Literal("x", datatype=OWN), Literal(7), False, False),
        (Literal("2026-01-01T00:00:00Z", datatype=XSD.dateTime), Literal(7), False, True),
    ],
)
def test_what_is_equal_and_what_differs(left, right, are_equal, differ):
    for one, other in ((left, right), (right, left)):
        assert (is_true(EQUAL, one, other), is_true(NOT_EQUAL, one, other)) == (are_equal, differ)


def test_names_have_no_order():
    for name in ("lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"):
        assert not any(is_true(SWRLB[name], A, other) for other in (A, B, Literal(7)))
        assert not any(is_true(SWRLB[name], other, A) for other in (A, B, Literal(7)))


def test_the_definitions_say_the_same():
    terms = [
        A,
        B,
        BNode("x"),
        Literal(7),
        Literal(7.5),
        Literal("7"),
        Literal("b"),
        Literal(True),
        Literal("x", datatype=OWN),
    ]
    terms += [Literal("x", datatype=XSD.integer), Literal("NaN", datatype=XSD.double)]
    for name in ("equal", "notEqual", "lessThan", "greaterThanOrEqual"):
        for left, right in product(terms, terms):
            assert is_true(SWRLB[name], left, right) is comparisons.is_true(SWRLB[name], left, right), (
                left,
                right,
            )

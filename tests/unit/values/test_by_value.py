"""Numbers by value: which decimal a double is, and which ranges it is in."""

from __future__ import annotations

import struct
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, XSD, Literal, URIRef

from pantarhei.model.data_range import (
    DataComplementOf,
    DataIntersectionOf,
    DataOneOf,
    Datatype,
    DatatypeRestriction,
    DataUnionOf,
)
from pantarhei.values import membership
from pantarhei.values.by_value import exact, exact_key, exact_range, exact_value_of
from pantarhei.values.value import value_of


def literal(text, datatype=XSD.double):
    return Literal(text, datatype=datatype, normalize=False)


def restricted(datatype, **facets):
    named = tuple((XSD[name], literal(text, datatype)) for name, text in facets.items())
    return DatatypeRestriction(Datatype(datatype), named)


def contains(range_, term):
    return bool(membership.tester((exact_range(range_),)).of_value(exact_value_of(term)))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_is_the_decimal_that_it_denotes_whatever_its_form(value):
    forms = [
        literal(repr(value)),
        literal(f"{value:.17e}"),
        literal(format(Decimal(value), "f"), XSD.decimal),
    ]
    assert len({exact_value_of(form) for form in forms}) == 1
    assert exact(forms[0]) == exact(forms[1]) and exact(forms[0]).datatype == XSD.decimal


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_is_the_double_of_its_value(value):
    assert exact_value_of(literal(repr(value), XSD.float)) == exact_value_of(literal(repr(value)))


def test_what_is_written_short_in_decimals_may_be_long_in_value():
    assert str(exact(literal("0.1"))) == "0.1000000000000000055511151231257827021181583404541015625"
    assert exact_value_of(literal("0.1")) != exact_value_of(literal("0.1", XSD.decimal))
    assert exact_value_of(literal("0.1")) != exact_value_of(literal("0.1", XSD.float))
    assert exact_value_of(literal("1", XSD.integer)) == exact_value_of(literal("1E0"))


def test_minus_zero_is_zero_and_what_is_no_decimal_stays_apart():
    zeros = [literal("-0"), literal("0"), literal("-0.0", XSD.float), literal("0", XSD.integer)]
    assert len(set(map(exact_value_of, zeros))) == 1
    others = [
        literal(text, datatype) for text in ("NaN", "INF", "-INF") for datatype in (XSD.double, XSD.float)
    ]
    assert len(set(map(exact_value_of, others))) == 6
    assert [exact_value_of(each) for each in others] == [value_of(each) for each in others]
    assert list(map(exact, others)) == others


@pytest.mark.parametrize(
    "term",
    [
        URIRef("urn:x"),
        literal("1.5", XSD.decimal),
        literal("x"),
        literal("1" * 20_000),
        literal("00", XSD.hexBinary),
        Literal("a"),
    ],
)
def test_all_else_is_what_it_was(term):
    assert exact(term) is term and exact_value_of(term) == value_of(term)


def test_a_key_of_bytes_that_is_no_double_stays():
    key = (XSD.hexBinary, struct.pack(">d", 1.0))
    assert exact_key(key) is key


HOT = restricted(XSD.decimal, minInclusive="80.5")


@pytest.mark.parametrize("datatype", [XSD.double, XSD.float, XSD.decimal])
def test_a_threshold_is_met_in_any_datatype(datatype):
    for range_ in (
        HOT,
        restricted(XSD.double, minInclusive="80.5"),
        restricted(XSD.float, minInclusive="80.5"),
    ):
        assert contains(range_, literal("80.5", datatype)) and contains(range_, literal("81", datatype))
        assert not contains(range_, literal("80.25", datatype))
        assert contains(DataComplementOf(range_), literal("80.25", datatype))


def test_infinity_meets_the_thresholds_of_its_datatype_alone():
    assert not contains(HOT, literal("INF"))
    assert contains(restricted(XSD.double, minInclusive="80.5"), literal("INF"))
    assert not contains(restricted(XSD.double, minInclusive="80.5"), literal("INF", XSD.float))


@pytest.mark.parametrize(
    ("facets", "inside"),
    [
        ({"minInclusive": "-INF"}, True),
        ({"maxExclusive": "INF"}, True),
        ({"minInclusive": "INF"}, False),
        ({"maxInclusive": "-INF"}, False),
        ({"minInclusive": "NaN"}, False),
        ({"minInclusive": "-INF", "maxInclusive": "0"}, False),
        ({"minInclusive": "-INF", "maxInclusive": "2"}, True),
    ],
)
def test_limits_that_are_no_decimals(facets, inside):
    range_ = restricted(XSD.double, **facets)
    for term in (literal("1"), literal("1", XSD.decimal)):
        assert contains(range_, term) is inside
    for special in (literal("INF"), literal("-INF"), literal("NaN")):
        assert contains(range_, special) is bool(membership.tester((range_,))(special))


def test_ranges_of_doubles_contain_decimals_and_enumerations_go_by_value():
    for range_ in (
        Datatype(XSD.double),
        Datatype(XSD.float),
        DataIntersectionOf((Datatype(XSD.double), HOT)),
    ):
        assert contains(range_, literal("90", XSD.integer)) and contains(range_, literal("90"))
    assert contains(Datatype(XSD.integer), literal("90.0")) and not contains(
        Datatype(XSD.integer), literal("0.5")
    )
    assert not contains(Datatype(XSD.double), literal("NaN", XSD.float))
    some = DataUnionOf((DataOneOf((literal("0.5"), literal("INF"))), Datatype(XSD.string)))
    assert contains(some, literal("0.50", XSD.decimal)) and contains(some, literal("INF"))
    assert not contains(some, literal("INF", XSD.float)) and contains(some, Literal("a"))
    assert contains(Datatype(OWL.real), literal("0.1"))


def test_the_range_of_exact_values_is_that_of_no_other():
    assert exact_range(HOT) is HOT and exact_range(Datatype(XSD.string)) == Datatype(XSD.string)

"""Which lexical forms a datatype has, and which of them denote one value."""

import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, RDF, XSD, Literal, URIRef

from pantarhei.values.value import (
    ILL_TYPED,
    LONGEST_PARSED_LITERAL,
    is_ill_typed,
    normalized_number,
    value_key,
    value_of,
)

NAMES = {
    "rational": OWL.rational,
    "real": OWL.real,
    "PlainLiteral": RDF.PlainLiteral,
    "XMLLiteral": RDF.XMLLiteral,
}


def literal(text, datatype=None, lang=None):
    return Literal(text, datatype=datatype, lang=lang, normalize=False)


def value(text, datatype):
    return value_key(text, NAMES.get(datatype) or XSD[datatype])


EQUAL = [
    ("integer", "1", "decimal", "1.0"),
    ("integer", "1", "decimal", "+01.000"),
    ("integer", "-0", "integer", "0"),
    ("decimal", "-0.0", "integer", "0"),
    ("integer", "1", "byte", "1"),
    ("integer", "1", "unsignedLong", "01"),
    ("integer", "1", "positiveInteger", "+1"),
    ("integer", " 1\n", "integer", "1"),
    ("decimal", ".5", "decimal", "0.50"),
    ("decimal", "5.", "integer", "5"),
    ("integer", "9" * 60, "decimal", "9" * 60 + ".0"),
    ("double", "1", "double", "1.0E0"),
    ("double", "INF", "double", "1e999"),
    ("double", "NaN", "double", "NaN"),
    ("float", "0.1", "float", "0.10000000149"),
    ("float", "1e39", "float", "INF"),
    ("float", "-1e39", "float", "-INF"),
    ("boolean", "true", "boolean", "1"),
    ("boolean", "0", "boolean", "false"),
    ("string", "a", "token", "a"),
    ("string", "a b", "normalizedString", "a b"),
    ("hexBinary", "0aFf", "hexBinary", "0AFF"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2026-01-01T12:00:00+00:00"),
    ("dateTime", "2025-12-31T24:00:00+05:30", "dateTime", "2026-01-01T00:00:00.0+05:30"),
    ("dateTime", "2026-01-01T12:00:00.5Z", "dateTime", "2026-01-01T12:00:00.500Z"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTimeStamp", "2026-01-01T12:00:00Z"),
    ("dateTime", "2025-12-31T24:00:00", "dateTime", "2026-01-01T00:00:00"),
    ("dateTime", "2024-02-29T24:00:00Z", "dateTime", "2024-03-01T00:00:00Z"),
    ("dateTime", "-0001-01-01T00:00:00Z", "dateTime", "-0001-01-01T00:00:00-00:00"),
    ("dateTime", "12026-12-31T24:00:00-01:00", "dateTime", "12027-01-01T00:00:00-01:00"),
    ("hexBinary", " 0aFf ", "hexBinary", "0AFF"),
    ("base64Binary", "TWFu IFk=", "base64Binary", "TWFuIFk="),
    ("anyURI", " urn:a ", "anyURI", "urn:a"),
    ("rational", "1/2", "decimal", "0.5"),
    ("rational", "-4/2", "integer", "-2"),
    ("rational", "2/6", "rational", "1/3"),
    ("rational", "1/" + str(2**300), "rational", "2/" + str(2**301)),
    ("rational", "1" + "0" * 5000 + "/1", "integer", "1" + "0" * 5000),
    ("PlainLiteral", "a@", "string", "a"),
    ("PlainLiteral", "a@b@", "string", "a@b"),
    ("PlainLiteral", "a@en", "PlainLiteral", "a@EN"),
    ("NCName", "a", "NMTOKEN", "a"),
    ("language", "en", "Name", "en"),
    ("float", "1.000000059604644775390626", "float", "1.0000001"),  # above a tie, by less than a double tells
]
DIFFERENT = [
    ("integer", "1", "integer", "2"),
    ("integer", "1", "double", "1"),
    ("double", "1", "float", "1"),
    ("decimal", "1", "float", "1"),
    ("double", "0", "double", "-0"),
    ("double", "NaN", "double", "INF"),
    ("decimal", "1", "string", "1"),
    ("boolean", "1", "integer", "1"),
    ("double", "0.1", "double", "0.10000000149"),
    ("decimal", "1." + "0" * 60 + "1", "integer", "1"),
    ("string", "a", "string", "a "),
    ("string", "a", "string", "A"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2026-01-01T12:00:00"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2026-01-01T17:30:00+05:30"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2426-01-01T12:00:00Z"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2026-01-01T12:00:00.000001Z"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2026-01-01T12:00:00." + "0" * 30 + "1Z"),
    ("hexBinary", "00", "hexBinary", "0000"),
    ("hexBinary", "61", "string", "a"),
    ("hexBinary", "00", "base64Binary", "AA=="),
    ("anyURI", "urn:a", "string", "urn:a"),
    ("rational", "1/3", "decimal", "0.3333333333333333333333333333333333"),
    ("rational", "1/2", "double", "0.5"),
    ("PlainLiteral", "a@en", "string", "a"),
    ("PlainLiteral", "a@en", "PlainLiteral", "a@nl"),
    ("XMLLiteral", "<a/>", "string", "<a/>"),
    ("date", "2026-01-01", "string", "2026-01-01"),
    ("float", "1.0000000596046447753906", "float", "1.0000001"),
]


@pytest.mark.parametrize(("first", "one", "second", "other"), EQUAL)
def test_two_spellings_of_one_value(first, one, second, other):
    assert value(one, first) == value(other, second)
    assert hash(value(one, first)) == hash(value(other, second))


@pytest.mark.parametrize(("first", "one", "second", "other"), DIFFERENT)
def test_two_values(first, one, second, other):
    assert value(one, first) != value(other, second)


BOUNDS = {
    "byte": (-(2**7), 2**7 - 1),
    "short": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
    "long": (-(2**63), 2**63 - 1),
    "unsignedByte": (0, 2**8 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedLong": (0, 2**64 - 1),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
}


@pytest.mark.parametrize("datatype", BOUNDS)
def test_the_bounds_of_the_integer_datatypes(datatype):
    low, high = BOUNDS[datatype]
    for bound, step in ((low, -1), (high, 1)):
        if bound is not None:
            assert value(str(bound), datatype) == value(str(bound), "integer")
            assert is_ill_typed(value(str(bound + step), datatype))


NO_VALUES = [
    ("integer", ""), ("integer", "1.0"), ("integer", "1e3"), ("integer", "one"), ("integer", "1 2"),
    ("integer", "--1"), ("integer", "0x1"), ("integer", "1_000"), ("integer", "١"), ("integer", "\u00a01"),
    ("decimal", "1e3"), ("decimal", "."), ("decimal", "NaN"), ("decimal", "1,5"), ("decimal", ""),
    ("double", "Infinity"), ("double", "nan"), ("double", "inf"), ("double", "1e"), ("double", "0x1p3"),
    ("float", ""), ("float", "-NaN"), ("boolean", "True"), ("boolean", "TRUE"), ("boolean", "01"),
    ("dateTime", "2026-01-01"), ("dateTime", "2026-13-01T00:00:00"), ("dateTime", "2026-02-30T00:00:00"),
    ("dateTime", "2026-01-01T24:00:01"), ("dateTime", "2026-01-01T25:00:00"),
    ("dateTime", "26-01-01T00:00:00"), ("dateTime", "2023-02-29T00:00:00"),
    ("dateTime", "2026-01-01T00:00:60"), ("dateTime", "2026-01-01T00:00:00+15:00"),
    ("dateTime", "2026-01-01T00:00:00+14:01"), ("dateTime", "2026-01-01T00:00:00+01:60"),
    ("dateTime", "2026-01-01T00:00:00z"), ("dateTime", "2026-01-01 00:00:00"),
    ("dateTimeStamp", "2026-01-01T00:00:00"),
    ("dateTime", "012026-01-01T00:00:00"), ("dateTime", "9" * 5000 + "-13-01T00:00:00"),
    ("hexBinary", "0"), ("hexBinary", "0g"), ("hexBinary", "0a 0b"),
    ("base64Binary", "TWF"), ("base64Binary", "TWFuIFl="), ("base64Binary", "TW=="), ("base64Binary", "-_=="),
    ("rational", "1"), ("rational", "1/0"), ("rational", "1/-2"), ("rational", "1/+2"), ("rational", "1.0/2"),
    ("rational", "1 / 2"), ("real", "1"), ("real", "1/2"),
    ("PlainLiteral", "a"), ("PlainLiteral", "a@e n"), ("PlainLiteral", "a@toolongtag"), ("PlainLiteral", ""),
    ("normalizedString", "a\tb"), ("token", " a"), ("token", "a  b"), ("language", "e_n"), ("language", ""),
    ("Name", "1a"), ("Name", ""), ("NCName", "a:b"), ("NMTOKEN", "a b"), ("NMTOKEN", ""), ("Name", "-a"),
]  # fmt: skip


@pytest.mark.parametrize(("datatype", "text"), NO_VALUES)
def test_what_is_outside_the_lexical_space_has_no_value(datatype, text):
    assert value(text, datatype) == (ILL_TYPED, NAMES.get(datatype) or XSD[datatype], text)


def test_languages_count_and_their_case_does_not():
    assert value_of(literal("a", lang="en")) == value_of(literal("a", lang="EN"))
    assert value_of(literal("a", lang="en")) != value_of(literal("a", lang="de"))
    assert value_of(literal("a", lang="en")) != value_of(literal("a"))
    assert value_of(literal("a")) == value_of(literal("a", XSD.string))


def test_unknown_datatypes_are_compared_by_their_text():
    own = URIRef("urn:mine")
    assert value_of(literal("01", own)) == value_of(literal("01", own)) != value_of(literal("1", own))
    assert value_of(literal("1", own)) != value_of(literal("1", XSD.integer))


def test_very_long_literals_are_compared_by_their_text():
    zeros = "0" * LONGEST_PARSED_LITERAL
    assert value(zeros + "1", "integer") != value("1", "integer")
    assert value(zeros + "1", "integer") == value(zeros + "1", "integer")
    assert value(zeros, "integer") == value("0", "integer")


@given(st.integers(), st.integers(0, 5), st.integers(0, 5))
def test_zeros_in_front_and_behind_do_not_count(number, front, behind):
    sign, digits = "-" if number < 0 else "", str(abs(number))
    assert value(sign + "0" * front + digits + "." + "0" * behind, "decimal") == value(str(number), "integer")


@given(st.floats(allow_nan=False))
def test_doubles_are_told_apart_exactly(number):
    text = repr(number).replace("inf", "INF")
    assert value(text, "double") == value(text, "double")
    assert value(text, "double")[1] == struct.pack(">d", number)


@given(st.fractions())
def test_a_number_is_in_the_narrowest_of_its_forms(fraction):
    found = normalized_number(fraction)
    assert found == fraction and hash(found) == hash(fraction)
    tenths = fraction.denominator
    while tenths % 2 == 0 or tenths % 5 == 0:
        tenths //= 2 if tenths % 2 == 0 else 5
    expected = "int" if fraction.denominator == 1 else "Decimal" if tenths == 1 else "Fraction"
    assert type(found).__name__ == expected
    assert value(f"{fraction.numerator}/{fraction.denominator}", "rational") == (XSD.decimal, found)


TEXTS = [
    "1",
    "1.0",
    "01",
    "0",
    "-0",
    "true",
    "2/2",
    "1/3",
    "a",
    "a@",
    "a@en",
    "",
    "AQ==",
    "01 ",
    "1e0",
    "NaN",
]
DATATYPES = [
    *(XSD[name] for name in ("decimal", "integer", "byte", "float", "double", "boolean", "string", "token")),
    *(XSD[name] for name in ("hexBinary", "base64Binary", "anyURI", "Name", "date")),
    *(OWL.rational, OWL.real, RDF.PlainLiteral, RDF.XMLLiteral, URIRef("urn:mine"), None),
]
KEYS = st.builds(value_key, st.sampled_from(TEXTS), st.sampled_from(DATATYPES))


@given(KEYS, KEYS, KEYS)
def test_having_one_value_is_an_equivalence(one, other, third):
    assert one == one
    assert (one == other) == (other == one)
    if one == other:
        assert hash(one) == hash(other)
        assert (one == third) == (other == third)


@given(st.sampled_from(TEXTS), st.sampled_from(DATATYPES))
def test_an_ill_typed_literal_shares_its_key_with_no_other(text, datatype):
    key = value_key(text, datatype)
    if is_ill_typed(key):
        same = [(t, d) for t in TEXTS for d in DATATYPES if value_key(t, d) == key]
        assert same == [(text, datatype)]


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.integers(1, 3))
def test_floats_are_rounded_once(given, nudge):
    """Just above the middle between two floats comes the upper one, whatever a double would make of it."""
    bits = struct.unpack(">i", struct.pack(">f", abs(given)))[0]
    low, high = (struct.unpack(">f", struct.pack(">i", bits + step))[0] for step in (0, 1))
    if high == float("inf"):
        return
    middle = (Fraction(low) + Fraction(high)) / 2 + Fraction(nudge, 10**400)
    digits = str(int(middle * 10**400)).rjust(401, "0")
    assert value(f"{digits[:-400]}.{digits[-400:]}", "float") == (XSD.float, struct.pack(">f", high))

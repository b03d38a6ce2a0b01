"""What is a triple, and when two literals have one value."""

import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Literal, URIRef, Variable

from pantarhei.errors import IllTypedLiteralError, InvalidTripleError
from pantarhei.language.term import LONGEST_PARSED_LITERAL, check_triple, in_order, value_of

A, P = URIRef("urn:a"), URIRef("urn:p")


def literal(text, datatype=None, lang=None):
    return Literal(text, datatype=datatype, lang=lang, normalize=False)


def value(text, datatype):
    return value_of(literal(text, XSD[datatype]))


@pytest.mark.parametrize(
    "triple",
    [(A, P, A), (BNode(), P, BNode()), (A, P, Literal("x")), (A, RDF.type, A), (A, RDF.type, BNode())],
)
def test_triples_pass(triple):
    assert check_triple(triple) == triple


@pytest.mark.parametrize(
    "given",
    [
        None, "abc", [A, P, A], (A, P), (A, P, A, A), ("urn:a", P, A), (A, "urn:p", A), (A, P, "a"),
        (A, P, 1),
        (Literal("a"), P, A), (A, BNode(), A), (A, Literal("p"), A), (A, RDF.type, Literal("C")),
        (Variable("x"), P, A), (A, Variable("p"), A), (A, P, Variable("o")), (None, P, A),
    ],
)  # fmt: skip
def test_other_things_are_no_triples(given):
    with pytest.raises(InvalidTripleError):
        check_triple(given)


# -- values ----------------------------------------------------------------------------------------

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
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2026-01-01T17:30:00+05:30"),
    ("dateTime", "2026-01-01T12:00:00.5Z", "dateTime", "2026-01-01T12:00:00.500Z"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTimeStamp", "2026-01-01T12:00:00Z"),
    ("dateTime", "2025-12-31T24:00:00", "dateTime", "2026-01-01T00:00:00"),
    ("dateTime", "2024-02-29T24:00:00Z", "dateTime", "2024-03-01T00:00:00Z"),
    ("dateTime", "-0001-01-01T00:00:00Z", "dateTime", "-0001-01-01T01:00:00+01:00"),
    ("dateTime", "12026-12-31T23:00:00-01:00", "dateTime", "12027-01-01T00:00:00Z"),
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
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2426-01-01T12:00:00Z"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2026-01-01T12:00:00.000001Z"),
    ("dateTime", "2026-01-01T12:00:00Z", "dateTime", "2026-01-01T12:00:00." + "0" * 30 + "1Z"),
    ("hexBinary", "00", "hexBinary", "0000"),
    ("hexBinary", "61", "string", "a"),
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
            with pytest.raises(IllTypedLiteralError):
                value(str(bound + step), datatype)


ILL_TYPED = [
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
    ("hexBinary", "0"), ("hexBinary", "0g"), ("hexBinary", "0a 0b"),
]  # fmt: skip


@pytest.mark.parametrize(("datatype", "text"), ILL_TYPED)
def test_what_is_no_value_of_its_datatype_is_refused(datatype, text):
    with pytest.raises(IllTypedLiteralError) as raised:
        value(text, datatype)
    assert raised.value.lexical == text and raised.value.datatype == str(XSD[datatype])


def test_an_ill_typed_literal_is_quoted_in_part():
    with pytest.raises(IllTypedLiteralError) as raised:
        value("x" * 5000, "integer")
    assert len(str(raised.value)) < 500


def test_languages_count_and_their_case_does_not():
    assert value_of(literal("a", lang="en")) == value_of(literal("a", lang="EN"))
    assert value_of(literal("a", lang="en")) != value_of(literal("a", lang="de"))
    assert value_of(literal("a", lang="en")) != value_of(literal("a"))
    assert value_of(literal("a")) == value_of(literal("a", XSD.string))


def test_unknown_datatypes_are_compared_by_their_text():
    own = URIRef("urn:mine")
    assert value_of(literal("01", own)) == value_of(literal("01", own)) != value_of(literal("1", own))
    assert value_of(literal("1", own)) != value_of(literal("1", XSD.integer))


def test_names_are_their_own_value():
    assert value_of(A) is A
    assert value_of(URIRef("x")) != value_of(BNode("x")) and value_of(A) != value_of(literal("urn:a"))


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


@given(
    st.lists(
        st.sampled_from([literal("1", XSD.integer), literal("1"), literal("1", lang="en"), A, BNode("b")])
    )
)
def test_triples_in_order_do_not_depend_on_the_order_given(objects):
    triples = [(A, P, each) for each in objects]
    shuffled = triples[:]
    random.Random(1).shuffle(shuffled)
    assert in_order(shuffled) == in_order(triples)

"""Which literals a data range contains."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, XSD, Literal, URIRef

from pantarhei.model.data_range import (
    ILL_TYPED,
    DataComplementOf,
    DataIntersectionOf,
    DataOneOf,
    Datatype,
    DatatypeRestriction,
    DataUnionOf,
)
from pantarhei.values.datatype import LANG_RANGE
from pantarhei.values.membership import check_range, contains
from pantarhei.values.membership import tester as ranges_of
from pantarhei.values.value import LONGEST_PARSED_LITERAL, is_well_typed, value_of
from ranges import LITERALS, RANGES, literal

NAMES = {
    "rational": OWL.rational,
    "real": OWL.real,
    "Literal": RDFS.Literal,
    "PlainLiteral": RDF.PlainLiteral,
    "langString": RDF.langString,
    "XMLLiteral": RDF.XMLLiteral,
    "mine": URIRef("urn:mine"),
}


def named(name):
    return NAMES.get(name) or XSD[name]


def restricted(datatype, **facets):
    """A restriction; a facet's value is a pair of text and datatype, or a text of the datatype itself."""
    pairs = {
        facet: value if isinstance(value, tuple) else (value, datatype) for facet, value in facets.items()
    }
    return DatatypeRestriction(
        Datatype(named(datatype)),
        tuple((XSD[facet], literal(text, named(type_))) for facet, (text, type_) in pairs.items()),
    )


INTEGERS = "short int long integer decimal rational real Literal"
UNSIGNED = "unsignedByte unsignedShort unsignedInt unsignedLong nonNegativeInteger"
MEMBERS = {  # a literal: the datatypes that contain its value
    ("1", "integer"): f"byte {INTEGERS} {UNSIGNED} positiveInteger",
    ("1.0", "decimal"): f"byte {INTEGERS} {UNSIGNED} positiveInteger",
    ("-129", "short"): f"{INTEGERS} nonPositiveInteger negativeInteger",
    ("0.5", "decimal"): "decimal rational real Literal",
    ("2/4", "rational"): "decimal rational real Literal",
    ("1/3", "rational"): "rational real Literal",
    ("1", "double"): "double Literal",
    ("1", "float"): "float Literal",
    ("true", "boolean"): "boolean Literal",
    ("en", "string"): "string normalizedString token language Name NCName NMTOKEN PlainLiteral Literal",
    ("a:b", "NMTOKEN"): "string normalizedString token Name NMTOKEN PlainLiteral Literal",
    (" a", "string"): "string normalizedString PlainLiteral Literal",
    ("a\n", "string"): "string PlainLiteral Literal",
    ("a@en", "PlainLiteral"): "langString PlainLiteral Literal",
    ("a@", "PlainLiteral"): (
        "string normalizedString token language Name NCName NMTOKEN PlainLiteral Literal"
    ),
    ("2026-01-01T00:00:00Z", "dateTime"): "dateTime dateTimeStamp Literal",
    ("2026-01-01T00:00:00", "dateTime"): "dateTime Literal",
    ("00", "hexBinary"): "hexBinary Literal",
    ("AA==", "base64Binary"): "base64Binary Literal",
    ("urn:a", "anyURI"): "anyURI Literal",
    ("<a/>", "XMLLiteral"): "XMLLiteral Literal",
    ("1", "mine"): "mine Literal",
    ("1" * (LONGEST_PARSED_LITERAL + 1), "unsignedByte"): f"{INTEGERS} {UNSIGNED}",
    ("one", "integer"): "",
    ("1", "real"): "",
}
DATATYPES = sorted({name for names in MEMBERS.values() for name in names.split()})


@pytest.mark.parametrize(("text", "datatype"), MEMBERS, ids=lambda given: given[:20])
def test_a_literal_is_in_the_datatypes_that_have_its_value(text, datatype):
    given = literal(text, named(datatype))
    inside = ranges_of([Datatype(named(name)) for name in DATATYPES])(given)
    assert {DATATYPES[index] for index in inside} == set(MEMBERS[text, datatype].split())


FACETS = [
    (restricted("decimal", minInclusive="80"), {"80": True, "80.0": True, "79.99": False, "81": True}),
    (restricted("decimal", minExclusive="80"), {"80": False, "80.0001": True}),
    (restricted("integer", maxExclusive="5", minInclusive="-5"), {"-5": True, "5": False, "0.5": False}),
    (restricted("byte", maxInclusive=("1000", "integer")), {"127": True, "128": False}),
    (restricted("decimal", minInclusive=("1/3", "rational")), {"0.3333": False, "0.3334": True}),
    (
        restricted("double", minInclusive="0"),
        {("0", "double"): True, ("-0", "double"): True, ("INF", "double"): True, ("NaN", "double"): False},
    ),
    (restricted("double", maxInclusive="NaN"), {("NaN", "double"): True, ("1", "double"): False}),
    (restricted("double", maxExclusive="NaN"), {("NaN", "double"): False, ("1", "double"): False}),
    (restricted("float", maxExclusive="0.5"), {("0.25", "float"): True, ("0.25", "double"): False}),
    (
        restricted("dateTime", minInclusive="2026-01-02T12:00:00Z"),
        {
            ("2026-01-02T13:00:00+01:00", "dateTime"): True,
            ("2026-01-02T11:59:59.9Z", "dateTime"): False,
            ("2026-01-03T02:00:00", "dateTime"): False,  # in a zone 14 hours ahead it is noon the day before
            ("2026-01-03T02:00:00.001", "dateTime"): True,
            ("2026-01-01T00:00:00", "dateTime"): False,
        },
    ),
    (
        restricted("dateTime", maxInclusive="2026-01-02T12:00:00"),
        {
            ("2026-01-02T12:00:00", "dateTime"): True,
            ("2026-01-01T22:00:00Z", "dateTime"): False,
            ("2026-01-01T21:59:59Z", "dateTime"): True,
        },
    ),
    (restricted("string", length=("2", "integer")), {("ab", "string"): True, ("a", "string"): False}),
    (restricted("string", minLength=("2", "integer")), {("ab", "string"): True, ("a", "token"): False}),
    (restricted("string", maxLength=("1", "integer")), {("ab", "string"): False, ("𝄞", "string"): True}),
    (
        restricted("PlainLiteral", maxLength=("1", "integer")),
        {("a@en", "PlainLiteral"): True, ("ab@en", "PlainLiteral"): False, ("a", "string"): True},
    ),
    (
        restricted("hexBinary", length=("1", "integer")),
        {("0f", "hexBinary"): True, ("0f0f", "hexBinary"): False},
    ),
    (restricted("base64Binary", maxLength=("1", "integer")), {("AA==", "base64Binary"): True}),
    (
        restricted("anyURI", minLength=("3", "integer")),
        {("urn", "anyURI"): True, ("urn", "string"): False},
    ),
    (
        restricted("string", pattern=("[A-Z]{2}\\d+", "string")),
        {("AB1", "string"): True, ("AB", "string"): False, ("xAB1", "string"): False},
    ),
    (
        restricted("token", pattern=("a.*", "string")),
        {("a b", "string"): True, ("a  b", "string"): False},
    ),
]


@pytest.mark.parametrize(("range_", "cases"), FACETS, ids=lambda given: str(given)[:60])
def test_facets(range_, cases):
    for key, inside in cases.items():
        text, datatype = key if isinstance(key, tuple) else (key, "decimal")
        assert contains(range_, literal(text, named(datatype))) == inside, key
        assert contains(DataComplementOf(range_), literal(text, named(datatype))) != inside, key


def test_a_language_range_selects_among_strings_in_a_language():
    english = DatatypeRestriction(Datatype(RDF.PlainLiteral), ((LANG_RANGE, Literal("EN")),))
    any_language = DatatypeRestriction(Datatype(RDF.PlainLiteral), ((LANG_RANGE, Literal("*")),))
    british, dutch, plain = literal("a", lang="en-GB"), literal("a", lang="nl"), literal("a")
    assert [contains(english, each) for each in (british, dutch, plain)] == [True, False, False]
    assert [contains(any_language, each) for each in (british, dutch, plain)] == [True, True, False]


def test_a_literal_too_long_to_be_parsed_is_in_no_restriction():
    long = literal("1" * (LONGEST_PARSED_LITERAL + 1), XSD.integer)
    assert contains(Datatype(XSD.decimal), long)
    assert not contains(restricted("integer", minInclusive="0"), long)


def test_a_long_string_has_a_length():
    long = literal("a" * (LONGEST_PARSED_LITERAL + 1))
    assert contains(restricted("string", minLength=(str(LONGEST_PARSED_LITERAL), "integer")), long)
    assert not contains(restricted("string", pattern=("a*", "string")), long)


def test_an_ill_typed_literal_is_in_the_range_of_its_own_alone():
    ill_typed, well_typed = literal("one", XSD.integer), literal("1", XSD.integer)
    anything = Datatype(RDFS.Literal)
    ranges = [
        ILL_TYPED,
        anything,
        DataComplementOf(Datatype(XSD.integer)),
        DataComplementOf(ILL_TYPED),
        DataComplementOf(anything),
        DataOneOf((ill_typed, well_typed)),
        DataUnionOf((anything, ILL_TYPED)),
        DataIntersectionOf((anything, ILL_TYPED)),
    ]
    assert ranges_of(ranges)(ill_typed) == [0, 6]
    assert ranges_of(ranges)(well_typed) == [1, 3, 5, 6]
    assert str(ILL_TYPED) == "ill-typed" and pickle.loads(pickle.dumps(ILL_TYPED)) == ILL_TYPED


def test_an_enumeration_contains_values():
    range_ = DataOneOf((literal("01", XSD.integer), literal("0", XSD.double), literal("NaN", XSD.double)))
    inside = [("1.0", "decimal"), ("0e0", "double"), ("NaN", "double")]
    outside = [("1", "double"), ("-0", "double"), ("0", "integer"), ("01", "string")]
    assert all(contains(range_, literal(text, named(datatype))) for text, datatype in inside)
    assert not any(contains(range_, literal(text, named(datatype))) for text, datatype in outside)


REFUSED = [
    (restricted("boolean", minInclusive="true"), "no facet minInclusive"),
    (restricted("string", minInclusive="a"), "no facet minInclusive"),
    (restricted("decimal", length=("1", "integer")), "no facet length"),
    (restricted("Literal", length=("1", "integer")), "no facet length"),
    (restricted("mine", length=("1", "integer")), "no facet length"),
    (restricted("hexBinary", pattern=("a", "string")), "no facet pattern"),
    (restricted("double", minInclusive=("1", "integer")), "not comparable"),
    (restricted("decimal", minInclusive=("1", "double")), "not comparable"),
    (restricted("decimal", minInclusive=("x", "integer")), "no literal"),
    (restricted("string", length=("-1", "integer")), "whole number"),
    (restricted("string", length=("1.5", "decimal")), "whole number"),
    (restricted("string", length=("1", "string")), "whole number"),
    (restricted("string", pattern=("(", "string")), "not closed"),
    (restricted("string", pattern=("1", "integer")), "no string"),
    (restricted("string", pattern=("\\p{IsGreek}", "string")), "not supported"),
    (DatatypeRestriction(Datatype(RDF.PlainLiteral), ((LANG_RANGE, Literal("e_n")),)), "language range"),
    (DatatypeRestriction(Datatype(XSD.string), ((LANG_RANGE, Literal("en")),)), "no facet langRange"),
    (DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, URIRef("urn:a")),)), "no literal"),
    (DataOneOf((URIRef("urn:a"),)), "no literal"),
    (DatatypeRestriction(Datatype(XSD.decimal), ((XSD.totalDigits, Literal(2)),)), "no facet totalDigits"),
]


@pytest.mark.parametrize(("range_", "reason"), REFUSED, ids=lambda given: str(given)[:60])
def test_what_cannot_be_decided_is_said(range_, reason):
    for each in (range_, DataComplementOf(range_), DataUnionOf((Datatype(XSD.string), range_))):
        assert reason in check_range(each)
        with pytest.raises(ValueError, match=reason):
            ranges_of([Datatype(XSD.string), each])


def test_no_other_range_is_refused():
    assert [check_range(range_) for range_, _ in FACETS] == [None] * len(FACETS)
    assert check_range(DataIntersectionOf(())) is None


def test_ranges_may_be_nested_deeply():
    range_ = Datatype(XSD.integer)
    for _ in range(100):
        range_ = DataComplementOf(DataUnionOf((range_, Datatype(XSD.string))))
    assert contains(range_, literal("1", XSD.integer))


def test_a_tester_pickles():
    test = pickle.loads(
        pickle.dumps(ranges_of([Datatype(XSD.integer), restricted("decimal", minInclusive="5")]))
    )
    assert test(literal("7", XSD.integer)) == [0, 1]


def test_unknown_datatypes_leave_nothing_behind():
    test = ranges_of([Datatype(named("mine")), Datatype(RDFS.Literal)])
    for number in range(100):
        assert test(literal("1", URIRef(f"urn:{number}"))) == [1]
    assert test(literal("1", named("mine"))) == [0, 1]
    assert len(test._tests) == 2


# -- the laws --------------------------------------------------------------------------------------


@given(st.lists(RANGES, max_size=4), st.lists(LITERALS, max_size=5))
def test_a_tester_gives_the_ranges_that_contain_a_literal(ranges, literals):
    test = ranges_of(ranges)
    for each in literals:
        assert test(each) == [index for index, range_ in enumerate(ranges) if contains(range_, each)]


@given(RANGES, RANGES, LITERALS)
def test_boolean_operators_are_what_they_are_called(left, right, given_):
    here, there = contains(left, given_), contains(right, given_)
    assert contains(DataUnionOf((left, right)), given_) == (here or there)
    assert contains(DataIntersectionOf((left, right)), given_) == (here and there)
    assert contains(DataComplementOf(left), given_) == (is_well_typed(given_) and not here)


@given(RANGES, LITERALS, LITERALS)
def test_literals_of_one_value_are_in_the_same_ranges(range_, one, other):
    if value_of(one) == value_of(other):
        assert contains(range_, one) == contains(range_, other)


@given(st.integers(), st.integers(), st.integers(), st.integers(0, 3))
def test_intervals_of_numbers(low, high, number, places):
    range_ = restricted("decimal", minInclusive=str(low), maxExclusive=str(high))
    scaled = f"{'-' if number < 0 else ''}{abs(number) // 10**places}.{abs(number) % 10**places:0{places}d}"
    inside = low * 10**places <= number < high * 10**places
    assert contains(range_, literal(scaled, XSD.decimal)) == inside

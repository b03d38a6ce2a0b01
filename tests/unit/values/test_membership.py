"""Which literals a data range contains."""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, XSD, Literal, URIRef

from counts import cases
from pantarhei.model.data_range import (
    ILL_TYPED,
    DataComplementOf,
    DataIntersectionOf,
    DataOneOf,
    Datatype,
    DatatypeRestriction,
    DataUnionOf,
)
from pantarhei.values import condition, membership
from pantarhei.values.condition import (
    DOUBLES,
    FLOATS,
    NUMBERS,
    UNZONED,
    ZONED,
    All,
    AmongValues,
    Not,
    NumberKind,
    Some,
    ValueBound,
    all_of,
)
from pantarhei.values.condition import test_of as plainly
from pantarhei.values.datatype import LANG_RANGE
from pantarhei.values.membership import MIN_INTERVALS, Intervals, contains, interval_of, range_problem
from pantarhei.values.membership import tester as ranges_of
from pantarhei.values.value import LONGEST_PARSED_LITERAL, is_well_typed, value_of
from ranges import LITERALS, RANGES
from ranges import literal as literal_of_ranges

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
        tuple((XSD[facet], literal_of_ranges(text, named(type_))) for facet, (text, type_) in pairs.items()),
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
    given = literal_of_ranges(text, named(datatype))
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
        assert contains(range_, literal_of_ranges(text, named(datatype))) == inside, key
        assert contains(DataComplementOf(range_), literal_of_ranges(text, named(datatype))) != inside, key


def test_a_language_range_selects_among_strings_in_a_language():
    english = DatatypeRestriction(Datatype(RDF.PlainLiteral), ((LANG_RANGE, Literal("EN")),))
    any_language = DatatypeRestriction(Datatype(RDF.PlainLiteral), ((LANG_RANGE, Literal("*")),))
    british, dutch, plain = (
        literal_of_ranges("a", lang="en-GB"),
        literal_of_ranges("a", lang="nl"),
        literal_of_ranges("a"),
    )
    assert [contains(english, each) for each in (british, dutch, plain)] == [True, False, False]
    assert [contains(any_language, each) for each in (british, dutch, plain)] == [True, True, False]


def test_a_literal_too_long_to_be_parsed_is_in_no_restriction():
    long = literal_of_ranges("1" * (LONGEST_PARSED_LITERAL + 1), XSD.integer)
    assert contains(Datatype(XSD.decimal), long)
    assert not contains(restricted("integer", minInclusive="0"), long)


def test_a_long_string_has_a_length():
    long = literal_of_ranges("a" * (LONGEST_PARSED_LITERAL + 1))
    assert contains(restricted("string", minLength=(str(LONGEST_PARSED_LITERAL), "integer")), long)
    assert not contains(restricted("string", pattern=("a*", "string")), long)


def test_an_ill_typed_literal_is_in_the_range_of_its_own_alone():
    ill_typed, well_typed = literal_of_ranges("one", XSD.integer), literal_of_ranges("1", XSD.integer)
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
    range_ = DataOneOf(
        (
            literal_of_ranges("01", XSD.integer),
            literal_of_ranges("0", XSD.double),
            literal_of_ranges("NaN", XSD.double),
        )
    )
    inside = [("1.0", "decimal"), ("0e0", "double"), ("NaN", "double")]
    outside = [("1", "double"), ("-0", "double"), ("0", "integer"), ("01", "string")]
    assert all(contains(range_, literal_of_ranges(text, named(datatype))) for text, datatype in inside)
    assert not any(contains(range_, literal_of_ranges(text, named(datatype))) for text, datatype in outside)


REFUSED = [
    (restricted("boolean", minInclusive="true"), "no facet minInclusive"),
    (restricted("string", minInclusive="a"), "no facet minInclusive"),
    (restricted("decimal", length=("1", "integer")), "no facet length"),
    (restricted("Literal", length=("1", "integer")), "no facet length"),
    (restricted("mine", length=("1", "integer")), "no facet length"),
    (restricted("hexBinary", pattern=("a", "string")), "no facet pattern"),
    (restricted("double", minInclusive=("1", "integer")), "not comparable"),
    (restricted("decimal", minInclusive=("1", "double")), "not comparable"),
    (restricted("decimal", minInclusive=("x", "integer")), "not a well-typed literal"),
    (restricted("string", length=("-1", "integer")), "whole number"),
    (restricted("string", length=("1.5", "decimal")), "whole number"),
    (restricted("string", length=("1", "string")), "whole number"),
    (restricted("string", pattern=("(", "string")), "not closed"),
    (restricted("string", pattern=("1", "integer")), "not a string"),
    (restricted("string", pattern=("\\p{IsGreek}", "string")), "not supported"),
    (DatatypeRestriction(Datatype(RDF.PlainLiteral), ((LANG_RANGE, Literal("e_n")),)), "language range"),
    (DatatypeRestriction(Datatype(XSD.string), ((LANG_RANGE, Literal("en")),)), "no facet langRange"),
    (
        DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, URIRef("urn:a")),)),
        "not a well-typed literal",
    ),
    (DataOneOf((URIRef("urn:a"),)), "not a literal"),
    (DatatypeRestriction(Datatype(XSD.decimal), ((XSD.totalDigits, Literal(2)),)), "no facet totalDigits"),
]


@pytest.mark.parametrize(("range_", "reason"), REFUSED, ids=lambda given: str(given)[:60])
def test_what_cannot_be_decided_is_said(range_, reason):
    for each in (range_, DataComplementOf(range_), DataUnionOf((Datatype(XSD.string), range_))):
        assert reason in range_problem(each)
        with pytest.raises(ValueError, match=reason):
            ranges_of([Datatype(XSD.string), each])


def test_no_other_range_is_refused():
    assert [range_problem(range_) for range_, _ in FACETS] == [None] * len(FACETS)
    assert range_problem(DataIntersectionOf(())) is None


def test_ranges_may_be_nested_deeply():
    range_ = Datatype(XSD.integer)
    for _ in range(100):
        range_ = DataComplementOf(DataUnionOf((range_, Datatype(XSD.string))))
    assert contains(range_, literal_of_ranges("1", XSD.integer))


def test_a_tester_pickles():
    test = pickle.loads(
        pickle.dumps(ranges_of([Datatype(XSD.integer), restricted("decimal", minInclusive="5")]))
    )
    assert test(literal_of_ranges("7", XSD.integer)) == [0, 1]


def test_unknown_datatypes_leave_nothing_behind():
    test = ranges_of([Datatype(named("mine")), Datatype(RDFS.Literal)])
    for number in range(100):
        assert test(literal_of_ranges("1", URIRef(f"urn:{number}"))) == [1]
    assert test(literal_of_ranges("1", named("mine"))) == [0, 1]
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
    assert contains(range_, literal_of_ranges(scaled, XSD.decimal)) == inside


NUMBER_VALUES = [-1, 0, 1, 2, Decimal("0.5"), Decimal("1.5"), Decimal("1E+30"), 10**30, 2**53 + 1]
NUMBER_VALUES += [Fraction(1, 3), Fraction(-1, 3), Fraction(10**30 + 1, 3)]
FLOAT_VALUES = [-math.inf, -1.0, -0.0, 0.0, 5e-324, 1.0, 2.0, math.inf, math.nan]
VALUES = {NUMBERS: NUMBER_VALUES, FLOATS: FLOAT_VALUES, DOUBLES: FLOAT_VALUES}


def conditions(values):
    bound = st.builds(ValueBound, st.sampled_from(values), st.booleans(), st.booleans())
    other = st.sampled_from(
        [NumberKind(0), NumberKind(1), AmongValues((1, 0.0)), Some((NumberKind(0), AmongValues((0.5,))))]
    )
    return st.lists(bound | bound.map(Not) | other, min_size=1, max_size=4).map(all_of)


@pytest.mark.parametrize("sort", VALUES)
@given(data=st.data())
@settings(max_examples=cases(30, 200))
def test_the_intervals_that_contain_a_value_are_those_whose_formula_holds(sort, data):
    formulas = data.draw(st.lists(conditions(VALUES[sort]), max_size=20))
    found = [(number, interval_of(formula, sort)) for number, formula in enumerate(formulas)]
    intervals = [(number, interval) for number, interval in found if interval is not None]
    index = Intervals(intervals)
    for value in VALUES[sort]:
        expected = [number for number, _ in intervals if plainly(formulas[number], sort)(value)]
        assert sorted(index.containing(value)) == expected


@given(st.lists(RANGES, max_size=20), st.lists(LITERALS, min_size=1))
@settings(max_examples=cases(30, 200), deadline=None)
def test_many_ranges_contain_what_each_contains_by_itself(ranges, literals):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(membership, "MIN_INTERVALS", 1)
        found = ranges_of(ranges)
        together = [found(literal) for literal in literals]
    apart = [ranges_of([each]) for each in ranges]
    assert together == [[i for i, one in enumerate(apart) if one(literal)] for literal in literals]


@pytest.mark.long
@given(st.lists(RANGES, min_size=MIN_INTERVALS, max_size=20), st.lists(LITERALS, min_size=1))
@settings(deadline=None)
def test_positions_come_in_ascending_order(ranges, literals):
    thresholds = [at_least(number) for number in range(-3, 3)]
    found = ranges_of([*thresholds, *ranges, *thresholds])
    for literal in literals:
        assert found(literal) == sorted(set(found(literal)))


def at_least(number, datatype=XSD.decimal):
    limit = Literal(str(number), datatype=datatype)
    return DatatypeRestriction(Datatype(datatype), ((XSD.minInclusive, limit),))


@pytest.mark.parametrize("sort", [ZONED, UNZONED])
def test_times_are_no_intervals(sort):
    assert interval_of(ValueBound((1, 0), True, True), sort) is None


@pytest.mark.parametrize("sort", [FLOATS, DOUBLES])
def test_nan_is_in_no_interval_and_in_complements(sort):
    assert Intervals([(0, interval_of(ValueBound(-math.inf, True, True), sort))]).containing(math.nan) == []
    assert interval_of(Not(ValueBound(0.0, True, True)), sort) is None
    assert interval_of(ValueBound(math.nan, True, True), sort) is None
    assert plainly(Not(ValueBound(0.0, True, True)), sort)(math.nan)


def test_minus_zero_is_where_zero_is():
    intervals = [(0, interval_of(ValueBound(0.0, True, True), DOUBLES))]
    intervals += [(1, interval_of(ValueBound(-0.0, False, False), DOUBLES))]
    assert Intervals(intervals).containing(-0.0) == Intervals(intervals).containing(0.0) == [0]


def test_of_a_thousand_thresholds_few_are_compared_with_a_number():
    compared = []

    class Counted(int):
        def __gt__(self, other):
            compared.append(other)
            return int(self) > other

    intervals = [
        (i, interval_of(all_of([ValueBound(i, True, True), ValueBound(i + 1, False, False)]), NUMBERS))
        for i in range(1000)
    ]
    assert Intervals(intervals).containing(Counted(500)) == [500]
    assert 0 < len(compared) <= 12


def test_few_ranges_are_tested_one_by_one(monkeypatch):
    tests = []

    def counted(formula, sort):
        if isinstance(formula, All):  # an interval compiles what its bounds leave, `NumberKind(0)`, by itself
            tests.append(formula)
        return condition.test_of(formula, sort)

    monkeypatch.setattr(membership, "test_of", counted)
    seven = Literal("7", datatype=XSD.integer)
    thresholds = [at_least(number) for number in range(MIN_INTERVALS)]
    assert ranges_of(thresholds[1:])(seven) == list(range(MIN_INTERVALS - 1))
    assert len(tests) == MIN_INTERVALS - 1
    assert ranges_of(thresholds)(seven) == list(range(MIN_INTERVALS))
    assert len(tests) == MIN_INTERVALS - 1


def test_a_complement_of_a_threshold_of_numbers_is_found_too():
    ranges = [DataComplementOf(at_least(number)) for number in range(20)]
    assert ranges_of(ranges)(Literal("18.5", datatype=XSD.decimal)) == [19]
    assert ranges_of(ranges)(Literal("a")) == list(range(20))

"""Which ranges are empty, and which include others."""

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
from pantarhei.values.datatype import is_recognized
from pantarhei.values.emptiness import MAX_BRANCHES, includes, is_empty
from pantarhei.values.membership import contains
from ranges import ALL_LITERALS, ATOMS, RANGES, literal

INTEGER, DECIMAL, STRING = Datatype(XSD.integer), Datatype(XSD.decimal), Datatype(XSD.string)
ANYTHING = Datatype(RDFS.Literal)
NOTHING = DataOneOf(())


def facets(datatype, *pairs):
    """A restriction whose facets' values are whole numbers, or else literals."""
    values = ((XSD[facet], Literal(value) if isinstance(value, int) else value) for facet, value in pairs)
    return DatatypeRestriction(Datatype(XSD[datatype]), tuple(values))


def between(low, high, datatype="integer"):
    return facets(datatype, ("minInclusive", low), ("maxInclusive", high))


def both(*operands):
    return DataIntersectionOf(operands)


def double(text):
    return literal(text, XSD.double)


EMPTY = [
    NOTHING,
    DataUnionOf(()),
    DataComplementOf(DataUnionOf((ANYTHING, ILL_TYPED))),
    DataComplementOf(ANYTHING),
    both(INTEGER, STRING),
    both(DECIMAL, Datatype(XSD.double)),
    both(Datatype(URIRef("urn:mine")), Datatype(URIRef("urn:yours"))),
    both(Datatype(URIRef("urn:mine")), STRING),
    both(ANYTHING, ILL_TYPED),
    both(facets("integer", ("minExclusive", 5)), facets("integer", ("maxExclusive", 3))),
    both(facets("integer", ("minExclusive", 5)), facets("integer", ("maxExclusive", 6))),
    both(between(1, 3), DataComplementOf(DataOneOf((Literal(1), Literal(2), Literal(3))))),
    between(2, 1),
    facets("decimal", ("minInclusive", 1), ("maxExclusive", 1)),
    both(facets("unsignedByte", ("minExclusive", 255))),
    both(Datatype(XSD.negativeInteger), Datatype(XSD.unsignedLong)),
    both(DataOneOf((Literal(1), Literal("a"))), DataComplementOf(DataUnionOf((DECIMAL, STRING)))),
    both(DataOneOf((literal("1", XSD.byte), literal("9", XSD.byte))), between(2, 8)),
    DataOneOf((literal("one", XSD.integer),)),
    both(DECIMAL, INTEGER, DataComplementOf(Datatype(OWL.rational))),
    both(Datatype(XSD.boolean), DataComplementOf(DataOneOf((Literal(True), Literal(False))))),
    facets("double", ("minExclusive", double("INF"))),
    facets("double", ("minInclusive", double("NaN")), ("maxInclusive", double("0"))),
    facets("string", ("minLength", 3), ("maxLength", 2)),
    both(facets("string", ("length", 3)), facets("string", ("length", 2))),
    both(Datatype(XSD.NCName), DataComplementOf(Datatype(XSD.token))),
    both(Datatype(XSD.dateTimeStamp), DataComplementOf(Datatype(XSD.dateTime))),
]
NOT_EMPTY = [
    ANYTHING,
    ILL_TYPED,
    DataUnionOf((INTEGER, NOTHING)),
    between(1, 1),
    facets("integer", ("minExclusive", 5), ("maxExclusive", 7)),
    facets("decimal", ("minExclusive", 5), ("maxExclusive", 6)),
    both(DECIMAL, DataComplementOf(INTEGER)),
    both(Datatype(OWL.rational), DataComplementOf(DECIMAL)),
    both(Datatype(XSD.Name), DataComplementOf(Datatype(XSD.NCName))),
    DataComplementOf(STRING),
    facets("double", ("minInclusive", double("0")), ("maxInclusive", double("-0"))),
]


@pytest.mark.parametrize("range_", EMPTY, ids=lambda range_: str(range_)[:70])
def test_an_empty_range_is_included_in_all(range_):
    assert is_empty(range_)
    assert includes(NOTHING, range_)


@pytest.mark.parametrize("range_", NOT_EMPTY, ids=lambda range_: str(range_)[:70])
def test_a_range_with_literals_is_not_empty(range_):
    assert not is_empty(range_)


INCLUDED = [
    (DECIMAL, INTEGER),
    (Datatype(OWL.rational), DECIMAL),
    (Datatype(XSD.long), Datatype(XSD.unsignedInt)),
    (Datatype(XSD.token), Datatype(XSD.NCName)),
    (Datatype(RDF.PlainLiteral), STRING),
    (Datatype(XSD.dateTime), Datatype(XSD.dateTimeStamp)),
    (ANYTHING, Datatype(URIRef("urn:mine"))),
    (facets("decimal", ("minInclusive", 80)), facets("integer", ("minInclusive", 80))),
    (facets("integer", ("minInclusive", 0)), Datatype(XSD.nonNegativeInteger)),
    (Datatype(XSD.byte), between(-128, 127)),
    (facets("integer", ("minInclusive", 6)), facets("integer", ("minExclusive", 5))),
    (DataUnionOf((between(0, 4), between(5, 9))), between(0, 9)),
    (DataUnionOf((INTEGER, STRING)), DataUnionOf((STRING, Datatype(XSD.byte)))),
    (DataOneOf((Literal(1), Literal(2), Literal(3))), between(1, 3)),
    (Datatype(XSD.byte), DataOneOf((literal("1.0", XSD.decimal), literal("x", XSD.integer)))),
    (DataComplementOf(STRING), INTEGER),
    (DataComplementOf(INTEGER), DataComplementOf(DECIMAL)),
    (facets("string", ("pattern", Literal("a+"))), facets("NCName", ("pattern", Literal("a+")))),
    (facets("string", ("maxLength", 5)), facets("string", ("minLength", 2), ("maxLength", 3))),
    (DataUnionOf((DataComplementOf(INTEGER), DECIMAL)), ANYTHING),
]


@pytest.mark.parametrize(("wide", "narrow"), INCLUDED, ids=lambda range_: str(range_)[:50])
def test_a_range_includes_another(wide, narrow):
    assert includes(wide, narrow)
    assert includes(wide, wide) and includes(narrow, narrow)


NOT_INCLUDED = [
    (INTEGER, DECIMAL),
    (DECIMAL, Datatype(OWL.rational)),
    (Datatype(OWL.rational), Datatype(OWL.real)),
    (Datatype(XSD.unsignedInt), Datatype(XSD.long)),
    (Datatype(XSD.NCName), Datatype(XSD.token)),
    (STRING, Datatype(RDF.PlainLiteral)),
    (INTEGER, STRING),
    (ANYTHING, ILL_TYPED),
    (STRING, Datatype(URIRef("urn:mine"))),
    (DataComplementOf(Datatype(URIRef("urn:mine"))), ANYTHING),
    (DataUnionOf((between(0, 4), between(6, 9))), between(0, 9)),
    (DataUnionOf((between(0, 4, "decimal"), between(5, 9, "decimal"))), between(0, 9, "decimal")),
    (facets("integer", ("minInclusive", 80)), facets("decimal", ("minInclusive", 80))),
    (facets("double", ("minInclusive", double("-INF"))), Datatype(XSD.double)),  # NaN
    (facets("string", ("minLength", 2), ("maxLength", 3)), facets("string", ("maxLength", 3))),
    (facets("string", ("pattern", Literal("a+"))), facets("string", ("pattern", Literal("b+")))),
]


@pytest.mark.parametrize(("wide", "narrow"), NOT_INCLUDED, ids=lambda range_: str(range_)[:50])
def test_a_range_does_not_include_another(wide, narrow):
    assert not includes(wide, narrow)


@given(RANGES)
def test_a_range_that_contains_a_literal_is_not_empty(range_):
    if is_empty(range_):
        assert not any(contains(range_, each) for each in ALL_LITERALS)


@given(RANGES, RANGES)
def test_what_includes_a_range_contains_its_literals(wide, narrow):
    # of a literal that may denote any value it is not always seen that it must be in a range
    recognized = [each for each in ALL_LITERALS if each.datatype is None or is_recognized(each.datatype)]
    if includes(wide, narrow):
        assert all(contains(wide, each) for each in recognized if contains(narrow, each))


@given(ATOMS, ATOMS)
def test_inclusion_follows_from_the_operators(one, other):
    assert includes(one, one)
    assert includes(DataUnionOf((one, other)), other)
    assert includes(one, both(one, other))
    assert is_empty(both(one, DataComplementOf(one))) and includes(one, NOTHING)


SMALL = st.recursive(
    st.builds(lambda low, width: between(low, low + width), st.integers(0, 6), st.integers(-1, 4))
    | st.lists(st.integers(0, 6), max_size=3).map(lambda ns: DataOneOf(tuple(map(Literal, ns)))),
    lambda inner: st.one_of(
        inner.map(DataComplementOf),
        st.tuples(inner, inner).map(DataIntersectionOf),
        st.tuples(inner, inner).map(DataUnionOf),
    ),
    max_leaves=6,
)


@given(SMALL, SMALL)
def test_whole_numbers_between_bounds_are_decided(wide, narrow):
    universe = between(-1, 12)
    members = [Literal(number) for number in range(-1, 13)]
    inside = [each for each in members if contains(narrow, each)]
    assert is_empty(both(universe, narrow)) == (not inside)
    assert includes(wide, both(universe, narrow)) == all(contains(wide, each) for each in inside)


def test_too_many_cases_are_answered_with_false():
    halves = [
        DataUnionOf(
            (
                facets("string", ("pattern", Literal(f"a{number}.*"))),
                facets("string", ("pattern", Literal(f"b{number}.*"))),
            )
        )
        for number in range(40)
    ]
    impossible = both(*halves, facets("string", ("pattern", Literal("c"))))
    assert MAX_BRANCHES < 2**40 and not is_empty(impossible)


def test_a_range_that_cannot_be_decided_is_refused():
    range_ = facets("string", ("pattern", Literal("(")))
    with pytest.raises(ValueError, match="not closed"):
        is_empty(range_)
    with pytest.raises(ValueError, match="not closed"):
        includes(ANYTHING, range_)

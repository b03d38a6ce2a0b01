"""Formulas of conditions say of a value what logic says."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, URIRef

from pantarhei.values.condition import (
    DOUBLES,
    ILL,
    NUMBERS,
    STRINGS,
    TAGGED,
    UNZONED,
    ZONED,
    All,
    AmongValues,
    InLanguage,
    Length,
    MatchesForm,
    Not,
    NumberKind,
    Some,
    ValueBound,
    all_of,
    any_of,
    negation,
    sort_and_value,
    test_of,
    text_sort,
)
from pantarhei.values.value import value_key

test_of.__test__ = False  # it makes tests of values, and is none of ours

NUMBER = st.integers(0, 3)
CONDITIONS = st.one_of(
    st.builds(ValueBound, NUMBER, st.booleans(), st.booleans()),
    st.lists(NUMBER, max_size=2).map(lambda values: AmongValues(tuple(values))),
    st.booleans(),
)


def conjunction(parts):
    return all_of([formula for formula, _ in parts]), lambda n: all(holds(n) for _, holds in parts)


def disjunction(parts):
    return any_of([formula for formula, _ in parts]), lambda n: any(holds(n) for _, holds in parts)


def negated_part(part):
    formula, holds = part
    return negation(formula), lambda n: not holds(n)


def meaning(condition):
    """What a condition says, in Python's words."""
    match condition:
        case ValueBound(limit, True, is_inclusive):
            return lambda n: n > limit or (is_inclusive and n == limit)
        case ValueBound(limit, False, is_inclusive):
            return lambda n: n < limit or (is_inclusive and n == limit)
        case AmongValues(values):
            return lambda n: n in values
    return lambda n: condition


FORMULAS = st.recursive(
    CONDITIONS.map(lambda condition: (condition, meaning(condition))),
    lambda inner: st.one_of(
        inner.map(negated_part),
        st.lists(inner, max_size=3).map(conjunction),
        st.lists(inner, max_size=3).map(disjunction),
    ),
    max_leaves=6,
)


@given(FORMULAS, NUMBER)
def test_a_formula_holds_of_a_value_as_logic_has_it(formula_and_meaning, number):
    formula, holds = formula_and_meaning
    assert test_of(formula, NUMBERS)(number) == holds(number)


@given(FORMULAS)
def test_true_and_false_are_not_inside_a_formula(formula_and_meaning):
    def inner(formula):
        match formula:
            case All(parts) | Some(parts):
                return [found for part in parts for found in (part, *inner(part))]
            case Not(condition):
                return [condition]
        return []

    formula, _ = formula_and_meaning
    assert not any(isinstance(part, bool) for part in inner(formula))


@pytest.mark.parametrize(
    ("condition", "sort", "inside", "outside"),
    [
        (NumberKind(0), NUMBERS, [1], [Decimal("0.5"), Fraction(1, 3)]),
        (NumberKind(1), NUMBERS, [1, Decimal("0.5")], [Fraction(1, 3)]),
        (Length(1, 2), STRINGS, ["a", "ab"], ["", "abc"]),
        (Length(1, None), TAGGED, [("abc", "en")], [("", "en")]),
        (MatchesForm("a", "a".__eq__), STRINGS, ["a"], ["b"]),
        (MatchesForm("a", "a".__eq__), TAGGED, [("a", "en")], [("en", "a")]),
        (InLanguage("en"), TAGGED, [("a", "en"), ("a", "en-gb")], [("a", "de")]),
        (AmongValues((math.nan, 0.0)), DOUBLES, [math.nan, 0.0], [-0.0, 1.0]),
    ],
)
def test_a_condition_is_put_to_the_values_of_its_sort(condition, sort, inside, outside):
    holds = test_of(condition, sort)
    assert all(map(holds, inside)) and not any(map(holds, outside))


@pytest.mark.parametrize(
    ("text", "datatype", "sort", "value"),
    [
        ("01", XSD.integer, NUMBERS, 1),
        ("1.5", XSD.double, DOUBLES, 1.5),
        ("a", XSD.token, STRINGS, "a"),
        ("a@EN", RDF.PlainLiteral, TAGGED, ("a", "en")),
        ("0000-01-01T00:00:00", XSD.dateTime, UNZONED, (0, 0, None)),
        ("0000-01-01T00:00:01.5Z", XSD.dateTime, ZONED, (1, Decimal("0.5"), 0)),
        ("x", XSD.integer, ILL, (XSD.integer, "x")),
        ("x", URIRef("urn:mine"), text_sort(URIRef("urn:mine")), "x"),
    ],
)
def test_a_literal_has_one_sort_and_the_value_that_conditions_are_put_to(text, datatype, sort, value):
    assert sort_and_value(value_key(text, datatype)) == (sort, value)

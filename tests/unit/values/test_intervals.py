"""Intervals found by bisection are those whose bounds, looked at one by one, let a value pass."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import XSD, Literal

from counts import cases
from pantarhei.model.data_range import DataComplementOf, Datatype, DatatypeRestriction
from pantarhei.values import condition, membership
from pantarhei.values.condition import (
    DOUBLES,
    FLOATS,
    NUMBERS,
    UNZONED,
    ZONED,
    AmongValues,
    Kind,
    Not,
    Some,
    ValueBound,
    all_of,
)
from pantarhei.values.condition import test_of as plainly
from pantarhei.values.intervals import Intervals, interval_of
from pantarhei.values.membership import LEAST_INTERVALS
from pantarhei.values.membership import tester as ranges_of
from ranges import LITERALS, RANGES

NUMBER_VALUES = [-1, 0, 1, 2, Decimal("0.5"), Decimal("1.5"), Decimal("1E+30"), 10**30, 2**53 + 1]
NUMBER_VALUES += [Fraction(1, 3), Fraction(-1, 3), Fraction(10**30 + 1, 3)]
FLOAT_VALUES = [-math.inf, -1.0, -0.0, 0.0, 5e-324, 1.0, 2.0, math.inf, math.nan]
VALUES = {NUMBERS: NUMBER_VALUES, FLOATS: FLOAT_VALUES, DOUBLES: FLOAT_VALUES}


def conditions(values):
    bound = st.builds(ValueBound, st.sampled_from(values), st.booleans(), st.booleans())
    other = st.sampled_from([Kind(0), Kind(1), AmongValues((1, 0.0)), Some((Kind(0), AmongValues((0.5,))))])
    return st.lists(bound | bound.map(Not) | other, min_size=1, max_size=4).map(all_of)


@pytest.mark.parametrize("sort", VALUES)
@given(data=st.data())
@settings(max_examples=cases(60, 200))
def test_the_intervals_that_contain_a_value_are_those_whose_formula_holds(sort, data):
    formulas = data.draw(st.lists(conditions(VALUES[sort]), max_size=20))
    found = [(number, interval_of(formula, sort)) for number, formula in enumerate(formulas)]
    intervals = [(number, interval) for number, interval in found if interval is not None]
    index = Intervals(intervals)
    for value in VALUES[sort]:
        expected = [number for number, _ in intervals if plainly(formulas[number], sort)(value)]
        assert sorted(index.containing(value)) == expected


@given(st.lists(RANGES, max_size=20), st.lists(LITERALS, min_size=1))
@settings(max_examples=cases(60, 200), deadline=None)
def test_many_ranges_contain_what_each_contains_by_itself(ranges, literals):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(membership, "LEAST_INTERVALS", 1)
        found = ranges_of(ranges)
        together = [found(literal) for literal in literals]
    apart = [ranges_of([each]) for each in ranges]
    assert together == [[i for i, one in enumerate(apart) if one(literal)] for literal in literals]


@given(st.lists(RANGES, min_size=LEAST_INTERVALS, max_size=20), st.lists(LITERALS, min_size=1))
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
    monkeypatch.setattr(
        membership, "test_of", lambda formula, sort: tests.append(formula) or condition.test_of(formula, sort)
    )
    seven = Literal("7", datatype=XSD.integer)
    thresholds = [at_least(number) for number in range(LEAST_INTERVALS)]
    assert ranges_of(thresholds[1:])(seven) == list(range(LEAST_INTERVALS - 1))
    assert len(tests) == LEAST_INTERVALS - 1
    assert ranges_of(thresholds)(seven) == list(range(LEAST_INTERVALS))
    assert len(tests) == LEAST_INTERVALS - 1


def test_a_complement_of_a_threshold_of_numbers_is_found_too():
    ranges = [DataComplementOf(at_least(number)) for number in range(20)]
    assert ranges_of(ranges)(Literal("18.5", datatype=XSD.decimal)) == [19]
    assert ranges_of(ranges)(Literal("a")) == list(range(20))

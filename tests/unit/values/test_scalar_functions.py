"""SWRL's built-ins: which comparisons hold, and what computations give."""

import decimal
import math
import operator
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, RDF, XSD, BNode, Literal, URIRef, Variable

from oracle.lars import comparisons
from pantarhei.model.rule import Builtin
from pantarhei.values.membership import contains
from pantarhei.values.numeric import MAX_DIGITS, PRECISION
from pantarhei.values.scalar_functions import (
    COMPARISONS,
    COMPUTATIONS,
    NOT_EQUAL,
    SWRLB,
    as_member,
    compute,
    holds,
    is_true,
)
from pantarhei.values.scalar_functions import EQUAL as BuiltinEQUAL
from pantarhei.values.value import LONGEST_PARSED_LITERAL, is_well_typed, value_of
from ranges import LITERALS, literal

X = Variable("x")
NAMES = {"rational": OWL.rational, "PlainLiteral": RDF.PlainLiteral, "mine": URIRef("urn:mine")}


def lit(text, datatype="integer"):
    return literal(text, NAMES.get(datatype) or XSD[datatype])


# -- comparisons -----------------------------------------------------------------------------------

LESS, EQUAL, DIFFERENT, NOTHING = (
    {"lessThan", "lessThanOrEqual", "notEqual"},
    {"equal", "lessThanOrEqual", "greaterThanOrEqual"},
    {"notEqual"},
    set(),
)
MIRRORED = {
    "lessThan": "greaterThan",
    "lessThanOrEqual": "greaterThanOrEqual",
    "greaterThanOrEqual": "lessThanOrEqual",
}


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (lit("1"), lit("2"), LESS),
        (lit("01"), lit("1.0", "decimal"), EQUAL),
        (lit("1"), lit("1.5", "double"), LESS),
        (lit("0.1", "decimal"), lit("0.1", "double"), EQUAL),  # the decimal becomes a double
        (lit("0.1", "float"), lit("0.1", "double"), {"notEqual", "greaterThan", "greaterThanOrEqual"}),
        (lit("0.1", "float"), lit("0.1", "decimal"), EQUAL),
        (lit("9" * 400), lit("INF", "double"), EQUAL),
        (lit("1/3", "rational"), lit("0.34", "decimal"), LESS),
        (lit("-0", "double"), lit("0", "double"), EQUAL),
        (lit("NaN", "double"), lit("NaN", "double"), DIFFERENT),
        (lit("NaN", "double"), lit("1"), DIFFERENT),
        (lit("a", "string"), lit("b", "token"), LESS),
        (lit("Z", "string"), lit("a", "string"), LESS),
        (lit("a", "string"), lit("a@", "PlainLiteral"), EQUAL),
        (literal("a", lang="en"), literal("a", lang="EN"), {"equal"}),
        (literal("a", lang="en"), literal("a", lang="nl"), DIFFERENT),
        (literal("a", lang="en"), literal("a"), NOTHING),
        (lit("false", "boolean"), lit("1", "boolean"), LESS),
        (lit("true", "boolean"), lit("1"), NOTHING),
        (lit("1", "string"), lit("1"), NOTHING),
        (lit("2026-01-01T00:00:00Z", "dateTime"), lit("2026-01-01T00:00:00.5Z", "dateTimeStamp"), LESS),
        (lit("2026-01-01T02:00:00+01:00", "dateTime"), lit("2026-01-01T01:00:00Z", "dateTime"), EQUAL),
        (lit("2026-01-01T00:00:00Z", "dateTime"), lit("2026-01-01T14:00:00", "dateTime"), NOTHING),
        (lit("2026-01-01T00:00:00Z", "dateTime"), lit("2026-01-01T00:00:00", "dateTime"), NOTHING),
        (lit("2026-01-01T00:00:00Z", "dateTime"), lit("2026-01-01T14:00:00.1", "dateTime"), LESS),
        (lit("00", "hexBinary"), lit("00", "hexBinary"), {"equal"}),
        (lit("00", "hexBinary"), lit("01", "hexBinary"), DIFFERENT),
        (lit("urn:a", "anyURI"), lit("urn:b", "anyURI"), DIFFERENT),
        (lit("urn:a", "anyURI"), lit("urn:a", "string"), NOTHING),
        (lit("1", "mine"), lit("1", "mine"), {"equal"}),
        (lit("1", "mine"), lit("01", "mine"), NOTHING),
        (lit("2026-01-01", "date"), lit("2026-01-02", "date"), NOTHING),
        (lit("x"), lit("x"), NOTHING),
        (lit("x"), lit("y"), NOTHING),
        (lit("1" * (LONGEST_PARSED_LITERAL + 1)), lit("1"), NOTHING),
        (URIRef("urn:a"), URIRef("urn:a"), NOTHING),
        (URIRef("urn:a"), lit("1"), NOTHING),
        (BNode("b"), BNode("c"), NOTHING),
    ],
    ids=lambda given_: given_.n3()[:30] if isinstance(given_, Literal) else "",
)
def test_comparisons(left, right, expected):
    mirrored = {MIRRORED.get(name, {v: k for k, v in MIRRORED.items()}.get(name, name)) for name in expected}
    assert {name for name in COMPARISONS if holds(name, left, right)} == {SWRLB[name] for name in expected}
    assert {name for name in COMPARISONS if holds(name, right, left)} == {SWRLB[name] for name in mirrored}


@given(LITERALS, LITERALS, LITERALS)
def test_a_comparison_depends_on_the_values_alone(one, other, third):
    if value_of(one) == value_of(other):
        for name in COMPARISONS:
            assert holds(name, one, third) == holds(name, other, third)
            assert holds(name, third, one) == holds(name, third, other)


@given(LITERALS, LITERALS)
def test_comparisons_do_not_contradict_each_other(one, other):
    def is_(name):
        return holds(SWRLB[name], one, other)

    assert not (is_("equal") and is_("notEqual"))
    assert not (is_("lessThan") and is_("greaterThanOrEqual"))
    assert is_("lessThan") == holds(SWRLB.greaterThan, other, one)
    if is_("lessThan"):
        assert is_("notEqual") and is_("lessThanOrEqual")
    if is_("lessThanOrEqual"):
        assert is_("equal") or is_("lessThan")


# -- computations ----------------------------------------------------------------------------------


@given(LITERALS, LITERALS)
def test_a_comparison_with_a_constant_is_a_range_that_the_other_operand_is_in(one, constant):
    for name in COMPARISONS:
        for arguments in ((X, constant), (constant, X)):
            member = as_member(Builtin(name, arguments))
            operands = (one if each is X else each for each in arguments)
            assert member.argument is X and contains(member.range, one) is holds(name, *operands)


def test_what_compares_no_constant_is_no_range():
    for test in (
        Builtin(SWRLB.lessThan, (X, Variable("y"))),
        Builtin(SWRLB.lessThan, (Literal(1), Literal(2))),
        Builtin(SWRLB.abs, (X, Literal(2))),
        Builtin(SWRLB.equal, (X, URIRef("urn:x"))),
    ):
        assert as_member(test) is test


RESULTS = [
    ("add", ["1", "2"], "3"),
    ("add", ["1", "0.5 decimal"], "1.5 decimal"),
    ("add", ["0.5 decimal", "0.5 decimal"], "1 decimal"),
    ("add", ["1", "0.5 double"], "1.5E0 double"),
    ("add", ["0.5 float", "0.25 double"], "7.5E-1 double"),
    ("add", ["16777216 float", "1 float"], "1.6777216E7 float"),
    ("add", ["1/3 rational", "2/3 rational"], "1 decimal"),
    ("add", ["1/3 rational", "1/3 rational"], "0." + "6" * (PRECISION - 1) + "7 decimal"),
    ("add", ["INF double", "-INF double"], "NaN double"),
    ("subtract", ["1", "2"], "-1"),
    ("subtract", ["0 double", "0 double"], "0.0E0 double"),
    ("multiply", ["1.50 decimal", "2"], "3 decimal"),
    ("multiply", ["1e308 double", "10"], "INF double"),
    ("multiply", ["1e38 float", "10"], "INF float"),
    ("multiply", ["0 double", "INF double"], "NaN double"),
    ("divide", ["6", "3"], "2 decimal"),
    ("divide", ["1", "3"], "0." + "3" * PRECISION + " decimal"),
    ("divide", ["-2", "3"], "-0." + "6" * (PRECISION - 1) + "7 decimal"),
    ("divide", ["1", "0"], None),
    ("divide", ["0.0 decimal", "0"], None),
    ("divide", ["1", "0 double"], "INF double"),
    ("divide", ["1", "-0 double"], "-INF double"),
    ("divide", ["0", "0 double"], "NaN double"),
    ("integerDivide", ["7", "2"], "3"),
    ("integerDivide", ["-7", "2"], "-3"),
    ("integerDivide", ["7.5 decimal", "-2"], "-3"),
    ("integerDivide", ["7.5 double", "2"], "3"),
    ("integerDivide", ["7", "INF double"], "0"),
    ("integerDivide", ["INF double", "7"], None),
    ("integerDivide", ["NaN double", "7"], None),
    ("integerDivide", ["7", "0"], None),
    ("integerDivide", ["7", "0 double"], None),
    ("mod", ["7", "3"], "1"),
    ("mod", ["-7", "3"], "-1"),
    ("mod", ["7", "-3"], "1"),
    ("mod", ["4.5 decimal", "1.2 decimal"], "0.9 decimal"),
    ("mod", ["-4.5 double", "2"], "-5.0E-1 double"),
    ("mod", ["7", "0"], None),
    ("mod", ["7", "0 double"], "NaN double"),
    ("mod", ["7", "INF double"], "7.0E0 double"),
    ("pow", ["2", "10"], "1024"),
    ("pow", ["2", "0"], "1"),
    ("pow", ["0", "0"], "1"),
    ("pow", ["-1", "999999999999999999999"], "-1"),
    ("pow", ["0", "999999999999999999999"], "0"),
    ("pow", ["2", "-2"], "0.25 decimal"),
    ("pow", ["0", "-1"], None),
    ("pow", ["1.5 decimal", "2"], "2.25 decimal"),
    ("pow", ["4", "0.5 decimal"], "2.0E0 double"),
    ("pow", ["-4", "0.5 decimal"], None),
    ("pow", ["2 double", "3"], "8.0E0 double"),
    ("pow", ["0 double", "-1"], "INF double"),
    ("pow", ["-0 double", "-1"], "-INF double"),
    ("pow", ["-10 double", "999"], "-INF double"),
    ("pow", ["-8 double", "0.5 double"], "NaN double"),
    ("pow", ["2", "999999999"], None),
    ("pow", ["1.1 decimal", "999999999999"], None),
    ("unaryMinus", ["5"], "-5"),
    ("unaryMinus", ["0 double"], "-0.0E0 double"),
    ("unaryPlus", ["+05"], "5"),
    ("unaryPlus", ["00.50 decimal"], "0.5 decimal"),
    ("unaryPlus", ["0.1 float"], "1.0E-1 float"),
    ("unaryPlus", ["1e300 double"], "1.0E300 double"),
    ("abs", ["-5.5 decimal"], "5.5 decimal"),
    ("abs", ["-INF double"], "INF double"),
    ("ceiling", ["5"], "5"),
    ("ceiling", ["-1.5 decimal"], "-1 decimal"),
    ("ceiling", ["-0.5 double"], "-0.0E0 double"),
    ("floor", ["-1.5 decimal"], "-2 decimal"),
    ("floor", ["NaN double"], "NaN double"),
    ("round", ["2.5 decimal"], "3 decimal"),
    ("round", ["-2.5 decimal"], "-2 decimal"),
    ("round", ["-0.2 double"], "-0.0E0 double"),
    ("round", ["0.49999999999999994 double"], "0.0E0 double"),
    ("roundHalfToEven", ["2.5 decimal"], "2 decimal"),
    ("roundHalfToEven", ["2.345 decimal", "2"], "2.34 decimal"),
    ("roundHalfToEven", ["35612.25", "2"], None),
    ("roundHalfToEven", ["35612.25 decimal", "-2"], "35600 decimal"),
    ("roundHalfToEven", ["150", "-2"], "200"),
    ("roundHalfToEven", ["2.5 double"], "2.0E0 double"),
    ("roundHalfToEven", ["INF double"], "INF double"),
    ("roundHalfToEven", ["2.5 decimal", "0.5 decimal"], None),
    ("roundHalfToEven", ["1.5 decimal", "999999999999"], "1.5 decimal"),
    ("roundHalfToEven", ["15", "-999999999999"], "0"),
    ("add", ["1"], None),
    ("add", ["1", "2", "3"], None),
    ("abs", [], None),
    ("roundHalfToEven", ["1", "2", "3"], None),
    ("add", ["1", "a string"], None),
    ("add", ["1", "true boolean"], None),
    ("add", ["1", "x"], None),
]


def parsed(text):
    return lit(*text.split())


@pytest.mark.parametrize(("name", "operands", "expected"), RESULTS, ids=lambda given_: str(given_)[:30])
def test_computations(name, operands, expected):
    result = compute(SWRLB[name], *map(parsed, operands))
    found = None if result is None else result.n3()
    assert found == (None if expected is None else parsed(expected).n3())


def test_names_are_not_computed_with():
    assert compute(SWRLB.add, lit("1"), URIRef("urn:a")) is None


def test_there_is_an_end_to_what_is_computed():
    largest = lit("9" * MAX_DIGITS)
    assert compute(SWRLB.unaryPlus, largest).n3() == largest.n3()
    assert compute(SWRLB.add, largest, lit("1")) is None
    assert compute(SWRLB.multiply, largest, largest) is None
    tiny = lit("0." + "0" * 5000 + "1", "decimal")
    assert compute(SWRLB.unaryPlus, tiny) is None
    longest = lit("9" * LONGEST_PARSED_LITERAL)
    assert compute(SWRLB.divide, longest, longest).n3() == lit("1", "decimal").n3()
    assert compute(SWRLB.subtract, longest, longest).n3() == lit("0").n3()
    assert compute(SWRLB.multiply, longest, lit("1", "double")).n3() == lit("INF", "double").n3()
    assert compute(SWRLB.unaryPlus, lit("9" * (LONGEST_PARSED_LITERAL + 1))) is None


def test_results_do_not_depend_on_the_context_of_the_thread():
    operands = lit("1", "decimal"), lit("7", "decimal")
    expected = compute(SWRLB.divide, *operands).n3()
    with decimal.localcontext() as context:
        context.prec, context.rounding, context.Emax = 2, decimal.ROUND_UP, 3
        context.traps[decimal.Inexact] = context.traps[decimal.FloatOperation] = True
        assert compute(SWRLB.divide, *operands).n3() == expected
        assert holds(SWRLB.lessThan, lit("0.5", "decimal"), lit("1e300", "double"))
        assert value_of(lit("123456789.123456789", "decimal")) == value_of(
            lit("123456789123456789/1000000000", "rational")
        )
        assert compute(SWRLB.multiply, lit("1e0", "double"), lit("0.1", "float")) is not None


NUMBERS = st.builds(
    lambda whole, part: lit(f"{whole}.{part:02d}", "decimal"), st.integers(-999, 999), st.integers(0, 99)
) | st.integers(-(10**20), 10**20).map(lambda number: lit(str(number)))


@given(NUMBERS, NUMBERS)
def test_exact_arithmetic_is_that_of_fractions(left, right):
    one, other = Fraction(str(left)), Fraction(str(right))
    for name, operator_ in (("add", operator.add), ("subtract", operator.sub), ("multiply", operator.mul)):
        result = compute(SWRLB[name], left, right)
        assert Fraction(str(result)) == operator_(one, other)
        whole = left.datatype == right.datatype == XSD.integer
        if whole or operator_(one, other).denominator != 1:
            assert result.datatype == (XSD.integer if whole else XSD.decimal)
    if other:
        quotient = Fraction(str(compute(SWRLB.integerDivide, left, right)))
        remainder = Fraction(str(compute(SWRLB.mod, left, right)))
        assert quotient * other + remainder == one and abs(remainder) < abs(other)
        assert quotient == math.trunc(one / other)
        error = Fraction(str(compute(SWRLB.divide, left, right))) - one / other
        assert abs(error) * 10 ** (PRECISION - 1) <= abs(one / other)


@given(st.floats(), st.floats())
def test_floating_point_is_that_of_the_machine(left, right):
    one, other = (
        lit(repr(each).replace("inf", "INF").replace("nan", "NaN"), "double") for each in (left, right)
    )
    result = float(str(compute(SWRLB.add, one, other)).replace("INF", "inf"))
    assert result == left + right or (math.isnan(result) and math.isnan(left + right))
    assert holds(SWRLB.lessThan, one, other) == (left < right)


@given(st.sampled_from(sorted(COMPUTATIONS)), st.lists(LITERALS, max_size=3))
def test_a_result_is_well_typed_and_canonical(name, operands):
    result = compute(name, *operands)
    if result is not None:
        assert is_well_typed(result)
        again = compute(SWRLB.unaryPlus, result)
        assert value_of(again) == value_of(result)
        assert str(again) == str(result)


@given(st.sampled_from(sorted(COMPUTATIONS)), LITERALS, LITERALS, LITERALS)
def test_a_result_depends_on_the_values_alone(name, one, other, third):
    if value_of(one) == value_of(other):
        assert compute(name, one, third) == compute(name, other, third)
        assert compute(name, third, one) == compute(name, third, other)
        assert compute(name, one) == compute(name, other)


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
        assert (is_true(BuiltinEQUAL, one, other), is_true(NOT_EQUAL, one, other)) == (are_equal, differ)


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

"""Literals of values, in the canonical forms of XML Schema."""

from decimal import Decimal

import pytest
from rdflib import Literal

from pantarhei.query.expressions import kinds
from pantarhei.values import canonical
from pantarhei.values.numeric import NumberError, Numeric


@pytest.mark.parametrize(
    ("value", "text"),
    [("2", "2"), ("2.50", "2.5"), ("-0", "0"), ("1E+3", "1000"), ("1E-10", "0.0000000001")],
)
def test_decimals_have_a_point_where_they_need_one_and_no_exponent(value: str, text: str) -> None:
    assert str(canonical.decimal(Decimal(value))) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0E0"),
        (150.0, "1.5E2"),
        (1e22, "1.0E22"),
        (5e-324, "5.0E-324"),
        (0.1, "1.0E-1"),
        (1 / 3, "3.333333333333333E-1"),
        (float("nan"), "NaN"),
        (float("-inf"), "-INF"),
    ],
)
def test_doubles_have_a_mantissa_and_an_exponent(value: float, text: str) -> None:
    assert str(canonical.double(value)) == text


def test_floats_have_no_more_digits_than_they_need() -> None:
    assert str(canonical.float_(0.10000000149011612)) == "1.0E-1"
    assert str(canonical.float_(16777216.0)) == "1.6777216E7"
    assert str(canonical.float_(float("inf"))) == "INF"


@pytest.mark.parametrize(("value", "text"), [(0.1, "0.1"), (2.0, "2"), (1e-7, "0.0000001"), (-0.0, "0")])
def test_decimals_are_read_off_their_nearest_float(value: float, text: str) -> None:
    assert str(canonical.decimal_of_float(value)) == text


def test_literals_carry_their_python_values() -> None:
    assert canonical.integer(7).toPython() == 7
    assert canonical.decimal(Decimal("1.5")).toPython() == Decimal("1.5")
    assert canonical.double(1.5).toPython() == 1.5
    assert canonical.boolean(True).toPython() is True
    assert canonical.number(Numeric(kinds.FLOAT, 0.5)) == canonical.float_(0.5)


def test_results_become_terms() -> None:
    assert [str(canonical.of_result(each)) for each in (True, 3, Literal("a"))] == ["true", "3", "a"]
    assert canonical.with_language_of("a", Literal("b", lang="en")) == Literal("a", lang="en")


def test_an_integer_may_have_a_thousand_digits() -> None:
    assert canonical.integer_text(10**1000 - 1) == "9" * 1000
    with pytest.raises(NumberError):
        canonical.integer_text(-(10**1000))

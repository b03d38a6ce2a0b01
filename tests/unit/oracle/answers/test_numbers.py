"""Arithmetic: expected results are those of XPath's functions and operators, sections 6.2 and 6.4."""

import pytest

from oracle_answers import result, rows


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 2", "3^integer"),
        ("01 + 0", "1^integer"),
        ('"1"^^xsd:byte + 1', "2^integer"),
        ("7 / 2", "3.5^decimal"),
        ("6 / 2", "3^decimal"),
        ("1 / 3", "0.3333333333333333333333333333^decimal"),
        ("2 / 3", "0.6666666666666666666666666667^decimal"),
        ("1 / 0", "-"),
        ("1 / 0e0", "INF^double"),
        ("-1 / 0e0", "-INF^double"),
        ("0 / 0e0", "NaN^double"),
        ("0.1 + 0.2", "0.3^decimal"),
        ("1.50 * 2", "3^decimal"),
        ("0.1 + 0.2e0", "3.0000000000000004E-1^double"),
        ("1e0 + 9", "1.0E1^double"),
        ('"0.1"^^xsd:float + 0', "1.0E-1^float"),
        ('"0.1"^^xsd:float + 0e0', "1.0000000149011612E-1^double"),
        ('"16777216"^^xsd:float + 1', "1.6777216E7^float"),
        ("1 - 2 - 3", "-4^integer"),
        ("2 + 3 * 4", "14^integer"),
        ("2 -1", "1^integer"),
        ("-(1.5)", "-1.5^decimal"),
        ("-(0)", "0^integer"),
        ("-(0e0)", "-0.0E0^double"),
        ("+(01)", "1^integer"),
        ('"x"^^xsd:integer + 1', "-"),
        ('"1" + 1', "-"),
        ("12345678901234567890 * 98765432109876543210", "1219326311370217952237463801111263526900^integer"),
        ("ABS(-1.5)", "1.5^decimal"),
        ("CEIL(1.2)", "2^decimal"),
        ("CEIL(-0.5e0)", "-0.0E0^double"),
        ("FLOOR(-1.2)", "-2^decimal"),
        ("ROUND(2.5)", "3^decimal"),
        ("ROUND(-2.5)", "-2^decimal"),
        ("ROUND(0.5e0)", "1.0E0^double"),
        ("ROUND(1)", "1^integer"),
        ('ROUND("NaN"^^xsd:double)', "NaN^double"),
        ('isNumeric("1"^^xsd:byte)', "true^boolean"),
        ('isNumeric("300"^^xsd:byte)', "false^boolean"),
        ('isNumeric("1")', "false^boolean"),
    ],
)
def test_arithmetic(expression, expected):
    assert result(expression) == expected


def test_an_integer_that_is_too_large_is_an_error():
    power = " * ".join(["1" + "0" * 400] * 3)
    assert result(power) == "-"
    assert result(f"1.5 * {power.replace(' *', '.0 *')}.0") == "-"


@pytest.mark.parametrize(
    ("values", "total"),
    [
        ("", "0^integer"),
        ("1 01 2", "4^integer"),
        ("1 0.5", "1.5^decimal"),
        ("0.1e0 0.2e0 0.3e0", "6.0E-1^double"),  # one after the other it would be 0.6000000000000001
        ("1e308 1e308 -1e308", "1.0E308^double"),
        ("1e308 1e308", "INF^double"),
        ("1e0 1e100 1e0 -1e100", "2.0E0^double"),
        ('1 "INF"^^xsd:double', "INF^double"),
        ('"INF"^^xsd:double "-INF"^^xsd:double', "NaN^double"),
        ('"0.1"^^xsd:float 0.1', "2.0E-1^float"),
        ("1 UNDEF", "-"),
        ('1 "x"', "-"),
    ],
)
def test_a_sum_is_exact_until_it_is_rounded(values, total):
    assert rows(f"SELECT (SUM(?v) AS ?s) {{ VALUES ?v {{ {values} }} }}") == [total]

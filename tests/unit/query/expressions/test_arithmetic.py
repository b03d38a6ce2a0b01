"""Arithmetic on single terms and on columns."""

import pytest
from rdflib import Variable

from expressions import call, context, shown, table_of, term
from pantarhei.query.algebra.nodes import Call
from pantarhei.query.expressions import compute, truth

BIG = "1" + "0" * 30


@pytest.mark.parametrize(
    ("left", "name", "right", "result"),
    [
        ("1", "+", "2", '"3"^^xsd:integer'),
        ("1", "+", '"2"^^xsd:byte', '"3"^^xsd:integer'),
        ("9007199254740991", "+", "2", '"9007199254740993"^^xsd:integer'),
        (BIG, "+", "1", f'"{BIG[:-1]}1"^^xsd:integer'),
        ("9007199254740993", "*", "3", '"27021597764222979"^^xsd:integer'),
        ("0.1", "+", "0.2", '"0.3"^^xsd:decimal'),
        ("0.1", "-", "0.1", '"0"^^xsd:decimal'),
        ("1", "+", "0.5", '"1.5"^^xsd:decimal'),
        ("1.10", "*", "2", '"2.2"^^xsd:decimal'),
        ("123456789012345.6", "+", "0.00000001", '"123456789012345.60000001"^^xsd:decimal'),
        ("0.1", "+", "0.2e0", '"3.0000000000000004E-1"^^xsd:double'),
        ("0.1", "+", '"0.2"^^xsd:float', '"3.0E-1"^^xsd:float'),
        ("1", "+", '"16777216"^^xsd:float', '"1.6777216E7"^^xsd:float'),
        ("0.1e0", "+", '"0.2"^^xsd:float', '"3.000000029802322E-1"^^xsd:double'),
        ("4", "/", "2", '"2"^^xsd:decimal'),
        ("1", "/", "3", f'"0.{"3" * 28}"^^xsd:decimal'),
        ("1", "/", "8", '"0.125"^^xsd:decimal'),
        ("1", "/", "64", '"0.015625"^^xsd:decimal'),
        ("1", "/", "0", None),
        ("1.0", "/", "0.0", None),
        ("1", "/", "0e0", '"INF"^^xsd:double'),
        ("-1e0", "/", "0", '"-INF"^^xsd:double'),
        ("0e0", "/", "0", '"NaN"^^xsd:double'),
        ("1e308", "*", "10", '"INF"^^xsd:double'),
        ("1", "+", '"a"', None),
        ("1", "+", '"x"^^xsd:integer', None),
        ("1", "+", "<urn:a>", None),
        ("1", "+", None, None),
        (
            '"2020-01-31T00:00:00Z"^^xsd:dateTime',
            "+",
            '"P1M"^^xsd:yearMonthDuration',
            '"2020-02-29T00:00:00Z"^^xsd:dateTime',
        ),
    ],
)
def test_results_have_the_greater_type_and_are_exact(
    left: str, name: str, right: str | None, result: str | None
) -> None:
    assert call(name, left, right) == result


def test_decimals_are_rounded_to_28_digits() -> None:
    assert call("*", "1.00000000000000001", "1.00000000000000003") == '"1.00000000000000004"^^xsd:decimal'
    assert call("/", "2", "3") == f'"0.{"6" * 27}7"^^xsd:decimal'


def test_an_integer_of_more_than_a_thousand_digits_is_an_error() -> None:
    most = "9" * 1000
    assert call("+", most, "0") == f'"{most}"^^xsd:integer'
    assert call("+", most, "1") is None


@pytest.mark.parametrize(
    ("name", "given", "result"),
    [
        ("neg", "1", '"-1"^^xsd:integer'),
        ("neg", "0.0", '"0"^^xsd:decimal'),
        ("neg", "0e0", '"-0.0E0"^^xsd:double'),
        ("neg", '"a"', None),
        ("+", "007", '"7"^^xsd:integer'),
        ("+", '"a"', None),
        ("ABS", "-1.5", '"1.5"^^xsd:decimal'),
        ("ABS", '"-3"^^xsd:byte', '"3"^^xsd:integer'),
        ("ABS", '"-INF"^^xsd:double', '"INF"^^xsd:double'),
        ("ROUND", "2.5", '"3"^^xsd:decimal'),
        ("ROUND", "-2.5", '"-2"^^xsd:decimal'),
        ("ROUND", "2.4999", '"2"^^xsd:decimal'),
        ("ROUND", "0.49999999999999999999", '"0"^^xsd:decimal'),
        ("ROUND", "-0.2e0", '"-0.0E0"^^xsd:double'),
        ("ROUND", "0.49999999999999994e0", '"0.0E0"^^xsd:double'),
        ("ROUND", "7", '"7"^^xsd:integer'),
        ("CEIL", "-1.6", '"-1"^^xsd:decimal'),
        ("CEIL", "-0.5e0", '"-0.0E0"^^xsd:double'),
        ("CEIL", '"1.5"^^xsd:float', '"2.0E0"^^xsd:float'),
        ("FLOOR", "-1.6", '"-2"^^xsd:decimal'),
        ("FLOOR", '"NaN"^^xsd:double', '"NaN"^^xsd:double'),
        ("FLOOR", "12345678901234567890.7", '"12345678901234567890"^^xsd:decimal'),
        ("FLOOR", '"a"', None),
        ("FLOOR", None, None),
    ],
)
def test_functions_of_one_number_keep_its_type(name: str, given: str | None, result: str | None) -> None:
    assert call(name, given) == result


def test_long_sums_stay_exact_through_further_operations() -> None:
    given = context()
    rows = table_of([term("1.0000000000000000001"), term("1.5"), term('"a"')], given)
    nearly_zero = Call("-", (Variable("x"), term("1")))
    times = Call("*", (nearly_zero, term("1000000000000000000")))
    found = [shown(each) for each in given.terms.terms(compute(times, rows, given))]
    assert found == ['"0.1"^^xsd:decimal', '"500000000000000000"^^xsd:decimal', None]
    assert truth(Call("<", (nearly_zero, term("0.000000000000000001"))), rows, given).tolist() == [1, 0, -1]
    negative = Call("neg", (Call("/", (Variable("x"), term("3"))),))
    assert truth(Call("<", (negative, term("-0.4"))), rows, given).tolist() == [0, 1, -1]

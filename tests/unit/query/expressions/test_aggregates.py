"""Aggregates of groups."""

import random

import numpy as np
import pytest
from rdflib import Variable

from expressions import X, aggregated, context, shown, table_of, term
from pantarhei.query.algebra.nodes import Aggregate, Call
from pantarhei.query.expressions import aggregate

Y = Variable("y")


@pytest.mark.parametrize(
    ("function", "values", "result"),
    [
        ("COUNT", ["1", None, '"a"'], '"2"^^xsd:integer'),
        ("COUNT", [], '"0"^^xsd:integer'),
        ("SUM", [], '"0"^^xsd:integer'),
        ("SUM", ["1", None], None),
        ("SUM", ["1", "<urn:a>"], None),
        ("AVG", [], '"0"^^xsd:integer'),
        ("AVG", ["1", '"x"^^xsd:integer'], None),
        ("MIN", ["2", "<urn:b>", "_:a", None], "_:a"),
        ("MAX", ["2", "<urn:b>", '"a"', "10"], '"a"'),
        ("MIN", [], None),
        ("MAX", [None], None),
        ("MIN", ["1.0", "01", "1", "2"], '"01"^^xsd:integer'),  # of those alike the least text
        ("MAX", ["1.0", "01", "1", "0"], '"01"^^xsd:integer'),
        ("SAMPLE", ["2", "1", "<urn:b>"], "<urn:b>"),
        ("SAMPLE", [], None),
        ("GROUP_CONCAT", ['"b"', "10", "9", '"a"@en', "<urn:a>"], '"urn:a|9|10|b|a"'),
        ("GROUP_CONCAT", ["_:a", None, '"a"', '"a"'], '"a|a"'),
        ("GROUP_CONCAT", [], '""'),
    ],
)
def test_errors_and_nothing_are_what_the_standard_says(
    function: str, values: list[str | None], result: str | None
) -> None:
    assert aggregated(function, *values) == result


@pytest.mark.parametrize(
    ("function", "values", "result"),
    [
        ("COUNT", ["1", "01", "1", None], '"2"^^xsd:integer'),
        ("SUM", ["1", "01", "1"], '"2"^^xsd:integer'),
        ("AVG", ["1", "3.0", "1"], '"2"^^xsd:decimal'),
        ("MAX", ["1", "1"], '"1"^^xsd:integer'),
        ("GROUP_CONCAT", ['"b"', '"a"', '"b"'], '"a|b"'),
        ("SUM", ["1", None], None),
    ],
)
def test_distinct_goes_by_the_form_shown(function: str, values: list[str | None], result: str | None) -> None:
    assert aggregated(function, *values, distinct=True) == result


def test_each_group_has_its_own() -> None:
    given = context()
    rows = table_of([term(text) for text in ("1", "2.5", "3", '"a"', "5e0")], given)
    rows = rows.with_column(Y, given.terms.ids_of([term('"y"')] * 5))
    groups = np.array([0, 2, 0, 3, 2])
    wanted = [
        Aggregate("SUM", X, False, " ", Variable("sum")),
        Aggregate("COUNT", None, False, " ", Variable("rows")),
        Aggregate("MAX", Call("*", (X, term("2"))), False, " ", Variable("most")),
        Aggregate("COUNT", Call(">", (X, term("1"))), False, " ", Variable("comparable")),
    ]
    found = [
        list(map(shown, given.terms.terms(column))) for column in aggregate(wanted, rows, groups, 5, given)
    ]
    zero, one, two = (f'"{n}"^^xsd:integer' for n in range(3))
    assert found == [
        ['"4"^^xsd:integer', zero, '"7.5E0"^^xsd:double', None, zero],
        [two, zero, two, one, zero],
        ['"6"^^xsd:integer', None, '"1.0E1"^^xsd:double', None, None],
        [two, zero, two, zero, zero],
    ]


def test_distinct_rows_are_counted_by_all_their_columns() -> None:
    given = context()
    rows = table_of([term(text) for text in ("1", "1", "01", "1")], given)
    rows = rows.with_column(Y, given.terms.ids_of([term(text) for text in ('"a"', '"a"', '"a"', '"b"')]))
    counting = Aggregate("COUNT", None, True, " ", Variable("rows"))
    (found,) = aggregate([counting], rows, np.array([0, 0, 0, 1]), 2, given)
    assert [shown(each) for each in given.terms.terms(found)] == ['"2"^^xsd:integer', '"1"^^xsd:integer']


@pytest.mark.parametrize(("function", "result"), [("MIN", "2.0E0"), ("MAX", "1.0E1"), ("SAMPLE", "2.0E0")])
def test_extremes_of_computed_numbers_need_no_terms_for_the_rest(function: str, result: str) -> None:
    given = context()
    rows = table_of([term(f"{n}e0") for n in range(1, 6)], given)
    before = len(given.terms.locals)
    wanted = Aggregate(function, Call("*", (X, term("2"))), False, " ", Variable("most"))
    (found,) = aggregate([wanted], rows, np.zeros(5, np.intp), 1, given)
    assert shown(given.terms.terms(found)[0]) == f'"{result}"^^xsd:double'
    assert len(given.terms.locals) == before + 2  # the 2 and the result


@pytest.mark.parametrize(
    ("values", "total", "average"),
    [
        (["1", "2"], '"3"^^xsd:integer', '"1.5"^^xsd:decimal'),
        (["1", "1", "2"], '"4"^^xsd:integer', f'"1.{"3" * 27}"^^xsd:decimal'),
        (['"1"^^xsd:byte', "2"], '"3"^^xsd:integer', '"1.5"^^xsd:decimal'),
        (["0.1", "0.2", "1"], '"1.3"^^xsd:decimal', f'"0.4{"3" * 27}"^^xsd:decimal'),
        (["0.1", "0.1", "0.10"], '"0.3"^^xsd:decimal', '"0.1"^^xsd:decimal'),
        (["9" * 18, "9" * 18], f'"1{"9" * 17}8"^^xsd:integer', f'"{"9" * 18}"^^xsd:decimal'),
        (["9" * 40, "1"], f'"1{"0" * 40}"^^xsd:integer', f'"5{"0" * 39}"^^xsd:decimal'),
        (["9007199254740992", "1"], '"9007199254740993"^^xsd:integer', '"4503599627370496.5"^^xsd:decimal'),
        (
            ["0.1234567890123456789", "0.1"],
            '"0.2234567890123456789"^^xsd:decimal',
            '"0.11172839450617283945"^^xsd:decimal',
        ),
        (["1", "0.5e0"], '"1.5E0"^^xsd:double', '"7.5E-1"^^xsd:double'),
        (["0.1", "0.2e0"], '"3.0000000000000004E-1"^^xsd:double', '"1.5000000000000002E-1"^^xsd:double'),
        (["1e308", "1e308", "-1e308"], '"1.0E308"^^xsd:double', '"3.333333333333333E307"^^xsd:double'),
        (["1e308", "1e308"], '"INF"^^xsd:double', '"INF"^^xsd:double'),
        (['"INF"^^xsd:double', "1"], '"INF"^^xsd:double', '"INF"^^xsd:double'),
        (['"INF"^^xsd:double', '"-INF"^^xsd:double'], '"NaN"^^xsd:double', '"NaN"^^xsd:double'),
        (["1e308", "1e308", '"-INF"^^xsd:double'], '"-INF"^^xsd:double', '"-INF"^^xsd:double'),
        (['"NaN"^^xsd:double', "1"], '"NaN"^^xsd:double', '"NaN"^^xsd:double'),
        (["-0.0e0"], '"0.0E0"^^xsd:double', '"0.0E0"^^xsd:double'),
        (['"0.1"^^xsd:float', "0.2"], '"3.0E-1"^^xsd:float', '"1.5E-1"^^xsd:float'),
        (
            ['"0.1"^^xsd:float', "0.1e0"],
            '"2.0000000149011612E-1"^^xsd:double',
            '"1.0000000074505806E-1"^^xsd:double',
        ),
        (['"16777216"^^xsd:float', '"1"^^xsd:float'], '"1.6777216E7"^^xsd:float', '"8388608.0"^^xsd:float'),
        # the middle of two xsd:floats, and a little more than a double holds beside it
        (
            ['"16777216"^^xsd:float', '"1"^^xsd:float', '"1e-20"^^xsd:float'],
            '"1.6777218E7"^^xsd:float',
            '"5592406.0"^^xsd:float',
        ),
    ],
)
def test_sums_are_exact_and_rounded_once(values: list[str], total: str, average: str) -> None:
    assert aggregated("SUM", *values) == aggregated("SUM", *reversed(values)) == total
    found = aggregated("AVG", *values)
    if "xsd:float" in average and found is not None:
        assert float(found.split('"')[1]) == pytest.approx(float(average.split('"')[1]))
    else:
        assert found == average


def test_sums_of_doubles_do_not_depend_on_their_order() -> None:
    numbers = [f"{random.Random(7).uniform(-1, 1) * 10.0**place}e0" for place in range(-30, 30)]
    totals = {aggregated("SUM", *random.Random(seed).sample(numbers, len(numbers))) for seed in range(5)}
    assert len(totals) == 1


def test_decimals_of_thirty_digits_are_added_digit_by_digit() -> None:
    one, other = "0.123456789012345678901234567", "0.000000000000000000000000001"
    assert aggregated("SUM", one, other) == '"0.123456789012345678901234568"^^xsd:decimal'

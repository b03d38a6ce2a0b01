"""Sums and averages: exact, in the greatest type of the group, whatever the order."""

import random

import pytest

from expressions import aggregated


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

"""`=`, `<`, truth and the order of ORDER BY."""

from itertools import combinations

import pytest

from oracle_answers import result, rows_in_order


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 = 1.0", "true"),
        ("01 = 1e0", "true"),
        ('0.1 = "0.1"^^xsd:float', "true"),
        ('0.1e0 = "0.1"^^xsd:float', "false"),
        ('"NaN"^^xsd:double = "NaN"^^xsd:double', "false"),
        ('"NaN"^^xsd:double != 1', "true"),
        ('"-0.0"^^xsd:double = 0', "true"),
        ('"a" = "a"^^xsd:string', "true"),
        ('"a" = "a"@en', "false"),
        ('"a"@EN = "a"@en', "true"),
        ('"1" = 1', "false"),
        ("true = 1", "false"),
        ('true = "1"^^xsd:boolean', "true"),
        (":a = :a", "true"),
        (":a = 1", "false"),
        ('"x"^^xsd:integer = "x"^^xsd:integer', "true"),
        ('"x"^^xsd:integer = 1', "-"),
        ('"x"^^xsd:integer = "y"^^xsd:integer', "-"),
        ('"x"^^xsd:integer = :a', "false"),
        ('"a"^^:unknown = "a"^^:unknown', "true"),
        ('"a"^^:unknown != "b"^^:unknown', "-"),
        ('"a"^^:unknown = "a"', "-"),
        ('"2020-01-01T00:00:00Z"^^xsd:dateTime = "2020-01-01T01:00:00+01:00"^^xsd:dateTime', "true"),
        ('"2020-01-01T00:00:00Z"^^xsd:dateTime = "2020-01-01T00:00:00"^^xsd:dateTime', "-"),
        ('"2020-01-01T00:00:00Z"^^xsd:dateTime < "2020-01-01T14:00:00"^^xsd:dateTime', "-"),
        ('"2020-01-01T00:00:00Z"^^xsd:dateTime < "2020-01-01T14:00:01"^^xsd:dateTime', "true"),
        ('"2020-01-01T00:00:00Z"^^xsd:dateTime = "2020-01-01T14:00:01"^^xsd:dateTime', "false"),
        ("1 < 1.5", "true"),
        ('"a" < "b"', "true"),
        ('"a"@en < "b"@en', "-"),
        ("false < true", "true"),
        ('"a" < 1', "-"),
        (":a < :b", "-"),
        (":a <= :a", "-"),
        ("2 >= 2.0", "true"),
        ('"NaN"^^xsd:double <= "NaN"^^xsd:double', "false"),
        ('"2020-01-01"^^xsd:date < "2020-01-02"^^xsd:date', "true"),
        ('"2020-01-01"^^xsd:date = "2020-01-01T00:00:00"^^xsd:dateTime', "false"),
        ('"2020-01-01"^^xsd:date < "2020-01-02T00:00:00"^^xsd:dateTime', "-"),
        ('"2020-01-01Z"^^xsd:date = "2020-01-01+00:00"^^xsd:date', "true"),
        ('"12:00:00Z"^^xsd:time < "12:00:00-01:00"^^xsd:time', "true"),
        ('"24:00:00Z"^^xsd:time = "00:00:00Z"^^xsd:time', "true"),
        ('"PT36H"^^xsd:dayTimeDuration = "P1DT12H"^^xsd:duration', "true"),
        ('"PT9S"^^xsd:dayTimeDuration < "PT10S"^^xsd:dayTimeDuration', "true"),
        ('"P1Y"^^xsd:yearMonthDuration < "P13M"^^xsd:yearMonthDuration', "true"),
        ('"P1M"^^xsd:duration < "P2M"^^xsd:duration', "true"),
        ('"P1M"^^xsd:duration < "P32D"^^xsd:dayTimeDuration', "true"),
        ('"P1M"^^xsd:duration < "P31D"^^xsd:duration', "-"),
        ('"P1M"^^xsd:duration >= "P28D"^^xsd:duration', "-"),
        ('"P1M"^^xsd:dayTimeDuration = "P2M"^^xsd:dayTimeDuration', "-"),
        ('"PT1S"^^xsd:dayTimeDuration = 1', "false"),
        ("sameTerm(1, 01)", "false"),
    ],
)
def test_comparisons(expression, expected):
    assert result(expression).removesuffix("^boolean") == expected


@pytest.mark.parametrize(
    ("term", "is_true"),
    [
        ("true", "true"),
        ('"0"^^xsd:boolean', "false"),
        ('"maybe"^^xsd:boolean', "false"),
        ("0", "false"),
        ('"NaN"^^xsd:double', "false"),
        ('"x"^^xsd:integer', "false"),
        ("0.1", "true"),
        ('""', "false"),
        ('"false"', "true"),
        ('""@en', "false"),
        ('"a"@en', "true"),
        (":a", "-"),
        ('"a"^^:unknown', "-"),
        ('"2020-01-01T00:00:00Z"^^xsd:dateTime', "-"),
    ],
)
def test_the_truth_of_a_term(term, is_true):
    assert result(f"IF({term}, true, false)").removesuffix("^boolean") == is_true


IN_ORDER = (
    ":a",
    ":b",
    '"NaN"^^xsd:double',
    '"-INF"^^xsd:double',
    "-1",
    "0",
    "0.1",
    "0.1e0",
    '"0.1"^^xsd:float',
    "1",
    "100000000000000000000",
    '""',
    '"1"',
    '"a"',
    '"a"@de',
    '"a"@en',
    '"b"@de',
    "false",
    "true",
    '"2019-12-31T23:00:00-01:00"^^xsd:dateTime',
    '"2020-01-01T00:00:00.5"^^xsd:dateTime',
    '"x"^^xsd:integer',
    '"a"^^xsd:token',
    '"a"^^<urn:unknown>',
)


def test_order_by_puts_all_terms_in_one_order():
    for reverse in (False, True):
        values = sorted(IN_ORDER, reverse=reverse)
        found = rows_in_order(f"SELECT ?v {{ VALUES ?v {{ {' '.join(values)} UNDEF }} }} ORDER BY ?v")
        expected = rows_in_order(f"SELECT ?v {{ VALUES ?v {{ UNDEF {' '.join(IN_ORDER)} }} }}")
        assert found == expected


def test_less_agrees_with_the_order():
    for earlier, later in combinations(IN_ORDER, 2):
        assert result(f"{later} < {earlier}").removesuffix("^boolean") in ("false", "-"), (earlier, later)


def test_descending_order_and_a_second_key():
    values = "(1 1) (2 1) (1 2) (UNDEF 3)"
    query = f"SELECT ?v ?w {{ VALUES (?v ?w) {{ {values} }} }} ORDER BY DESC(?v) ?w"
    assert rows_in_order(query) == [
        "2^integer 1^integer",
        "1^integer 1^integer",
        "1^integer 2^integer",
        "- 3^integer",
    ]

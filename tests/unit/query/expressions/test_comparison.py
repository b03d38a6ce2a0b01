"""`=` and `<`, by column and by term, and the order of ORDER BY."""

import random

import pytest
from rdflib import Variable

from expressions import X, context, ordered, table_of, term, truths
from pantarhei.query.algebra.nodes import Call, OrderKey
from pantarhei.query.expressions import least, order, truth
from pantarhei.query.expressions.comparison import is_equal
from pantarhei.query.expressions.scalars import ExpressionError

EQUAL = [
    ("1", "1.0", 1),
    ("1", "01", 1),
    ("1", "1e0", 1),
    ("0.1", "0.1e0", 1),  # the decimal is promoted to a double
    ("0.1", '"0.1"^^xsd:float', 1),
    ("0.1e0", '"0.1"^^xsd:float', 0),
    ("16777217", '"16777216"^^xsd:float', 1),
    ("0.0e0", "-0.0e0", 1),
    ('"NaN"^^xsd:double', '"NaN"^^xsd:double', 0),
    ("9007199254740993", "9007199254740992", 0),
    ("9007199254740993", "9007199254740992.0e0", 1),
    ("0.10000000000000000000000000001", "0.1", 0),
    ('"a"', '"a"^^xsd:string', 1),
    ('"a"', '"b"', 0),
    ('"a"', "1", 0),
    ('"a"', '"a"@en', 0),
    ('"a"@en', '"a"@EN', 1),
    ('"a"', '"a"^^xsd:token', 1),
    ("true", '"1"^^xsd:boolean', 1),
    ("true", "1", 0),
    ("<urn:a>", "<urn:a>", 1),
    ("<urn:a>", "<urn:b>", 0),
    ("<urn:a>", '"a"', 0),
    ("<urn:a>", '"x"^^xsd:integer', 0),
    ('"x"^^xsd:integer', '"x"^^xsd:integer', 1),
    ('"x"^^xsd:integer', "1", -1),
    ('"a"^^<urn:t>', '"a"^^<urn:t>', 1),
    ('"a"^^<urn:t>', '"b"^^<urn:t>', -1),
    ('"a"^^<urn:t>', '"a"', -1),
    ('"0a"^^xsd:hexBinary', '"0A"^^xsd:hexBinary', 1),
    ('"0a"^^xsd:hexBinary', '"0b"^^xsd:hexBinary', 0),
    ('"2020-01-01T00:00:00Z"^^xsd:dateTime', '"2020-01-01T01:00:00+01:00"^^xsd:dateTime', 1),
    ('"2020-01-01T00:00:00Z"^^xsd:dateTime', '"2020-01-01T13:00:00"^^xsd:dateTime', -1),
    ('"2020-01-01T00:00:00Z"^^xsd:dateTime', '"2020-01-01T15:00:00"^^xsd:dateTime', 0),
    ('"2020-01-01"^^xsd:date', '"2020-01-01"^^xsd:dateTime', -1),
    ('"P1D"^^xsd:dayTimeDuration', '"PT24H"^^xsd:duration', 1),
    (None, "1", -1),
]
LESS = [
    ("1", "1.5", 1),
    ("-1e0", "0", 1),
    ('"NaN"^^xsd:double', "1", 0),
    ('"INF"^^xsd:double', "1" + "0" * 30, 0),
    ("9007199254740992", "9007199254740993", 1),
    ("123456789012345678901234567890.1", "123456789012345678901234567890.2", 1),
    ('"a"', '"b"', 1),
    ('"\U0001f600"', '"\ufb00"', 0),  # by code points, not by UTF-16
    ("false", "true", 1),
    ('"a"', "1", -1),
    ('"a"@en', '"b"@en', -1),
    ("<urn:a>", "<urn:b>", -1),
    ('"a"^^<urn:t>', '"a"^^<urn:t>', -1),
    ('"2020-01-01T00:00:00+01:00"^^xsd:dateTime', '"2020-01-01T00:00:00Z"^^xsd:dateTime', 1),
    ('"2020-01-01T00:00:00.0000001Z"^^xsd:dateTime', '"2020-01-01T00:00:00.0000002Z"^^xsd:dateTime', 1),
    ('"-0044-03-15T12:00:00Z"^^xsd:dateTime', '"2020-01-01T00:00:00Z"^^xsd:dateTime', 1),
    ('"2020-01-01"^^xsd:date', '"2020-01-02"^^xsd:date', 1),
    ('"10:00:00"^^xsd:time', '"09:00:00"^^xsd:time', 0),
    ('"PT1H"^^xsd:dayTimeDuration', '"P1D"^^xsd:dayTimeDuration', 1),
    ('"P1M"^^xsd:duration', '"P30D"^^xsd:duration', -1),
    ('"x"^^xsd:integer', "1", -1),
]


@pytest.mark.parametrize(("left", "right", "expected"), EQUAL)
def test_equality_is_of_values(left: str | None, right: str, expected: int) -> None:
    assert truths("=", left, right) == truths("=", right, left) == expected
    assert truths("!=", left, right) == {1: 0, 0: 1, -1: -1}[expected]


@pytest.mark.parametrize(("left", "right", "expected"), [case for case in EQUAL if case[0] is not None])
def test_equality_by_term_is_that_by_column(left: str, right: str, expected: int) -> None:
    try:
        assert is_equal(term(left), term(right)) == expected
    except ExpressionError:
        assert expected == -1


@pytest.mark.parametrize(("left", "right", "expected"), LESS)
def test_orders_are_of_values(left: str, right: str, expected: int) -> None:
    assert truths("<", left, right) == truths(">", right, left) == expected
    if "NaN" not in left + right:
        opposite = {1: 0, 0: 1, -1: -1}[expected]
        assert truths(">=", left, right) == truths("<=", right, left) == opposite


def test_all_pairs_of_a_column_are_compared_as_each_pair_is() -> None:
    texts = sorted({text for case in EQUAL + LESS for text in case[:2] if text is not None})
    pairs = [(one, other) for one in texts for other in texts]
    given = context()
    left = table_of([term(one) for one, _ in pairs], given)
    right = table_of([term(other) for _, other in pairs], given, Variable("y"))
    rows = left.with_column(Variable("y"), right.column(Variable("y")))
    for name in ("=", "<"):
        found = truth(Call(name, (Variable("x"), Variable("y"))), rows, given).tolist()
        assert found[::7] == [truths(name, *pair) for pair in pairs[::7]]


def test_computed_numbers_are_compared_without_becoming_terms() -> None:
    given = context()
    rows = table_of([term(str(n)) for n in range(10)], given)
    before = len(given.terms.locals)
    third = Call("/", (Variable("x"), term("3")))
    found = truth(Call(">", (third, term("2"))), rows, given)
    assert found.tolist() == [0] * 7 + [1] * 3
    assert len(given.terms.locals) <= before + 2


def test_no_rows_are_compared() -> None:
    given = context()
    rows = table_of([], given)
    assert truth(Call("=", (Variable("x"), term("1"))), rows, given).shape == (0,)


# -- the order of ORDER BY

# one after the other; those of one line are alike
ORDER = [
    [None],
    ["_:b", "_:a"],
    ["<urn:a>"],
    ["<urn:b>"],
    ['"NaN"^^xsd:double', '"NaN"^^xsd:float'],
    ['"-INF"^^xsd:float'],
    ["-1"],
    ["0", "-0.0e0", "0.0"],
    ["0.1", "0.10"],
    ["0.1e0"],  # a little more than a tenth
    ['"0.1"^^xsd:float'],
    ["1", "01", "1.0", "1e0"],
    ["9007199254740992", "9007199254740992.0e0"],
    ["9007199254740993"],
    ['"INF"^^xsd:double'],
    ['""'],
    ['"B"'],
    ['"a"'],
    ['"\ufb00"'],
    ['"\U0001f600"'],
    ['"a"@de', '"a"@DE'],
    ['"a"@en'],
    ['"b"@de'],
    ["false", '"0"^^xsd:boolean'],
    ["true"],
    ['"-0044-03-15T12:00:00Z"^^xsd:dateTime'],
    ['"2020-01-01T00:00:00"^^xsd:dateTime', '"2020-01-01T01:00:00+01:00"^^xsd:dateTime'],
    ['"2020-01-01T00:00:00.0000001Z"^^xsd:dateTime'],
    ['"a"^^xsd:anyURI'],
    ['"2020-01-01"^^xsd:date'],
    ['"x"^^xsd:integer'],
    ['"a"^^<urn:t>'],
]


@pytest.mark.parametrize("seed", range(5))
def test_terms_of_all_sorts_are_in_one_order(seed: int) -> None:
    texts = [text for line in ORDER for text in line]
    shuffled = random.Random(seed).sample(texts, len(texts))
    place_of = {text: place for place, line in enumerate(ORDER) for text in line}
    expected = sorted(shuffled, key=place_of.__getitem__)  # those alike stay as they come
    assert ordered(shuffled) == expected
    assert ordered(shuffled, descending=True) == sorted(shuffled, key=lambda text: -place_of[text])


@pytest.mark.parametrize(
    "texts",
    [["3", "1.5", "2"], ["2e0", "1", "1e-3"], ["true", "false"], ['"b"', '"a"', '""']],
    ids=["exact", "double", "boolean", "string"],
)
def test_columns_of_one_sort_are_ordered(texts: list[str]) -> None:
    assert ordered(texts * 2) == [text for text in ordered(texts) for _ in range(2)]
    assert ordered(ordered(texts)) == ordered(texts)


def test_later_keys_order_what_earlier_ones_leave_open() -> None:
    given = context()
    rows = table_of([term(text) for text in ("1", "2", "1", "2")], given)
    y = Variable("y")
    rows = rows.with_column(y, given.terms.ids_of([term(text) for text in ('"a"', '"b"', '"b"', '"a"')]))
    assert order([OrderKey(X, True), OrderKey(y)], rows, given).tolist() == [3, 1, 0, 2]
    assert order([OrderKey(Call("neg", (X,)))], rows, given).tolist() == [1, 3, 0, 2]
    assert order([OrderKey(term("1"))], rows, given).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("most", [0, 1, 3, 7, 20, 30])
def test_the_least_rows_are_the_first_of_the_order(most: int) -> None:
    given = context()
    rows = table_of([term(str(n * 7 % 5)) for n in range(20)], given)
    y = Variable("y")
    rows = rows.with_column(y, given.terms.ids_of([term(str(n % 3)) for n in range(20)]))
    for keys in ([OrderKey(X)], [OrderKey(X, True), OrderKey(y)], []):
        expected = order(keys, rows, given)
        assert least(keys, rows, given, most).tolist() == expected[:most].tolist()

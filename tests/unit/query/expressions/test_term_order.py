"""The order of ORDER BY."""

import random

import pytest
from rdflib import Variable

from expressions import X, context, ordered, table_of, term
from pantarhei.query.algebra.expressions import Call, OrderKey
from pantarhei.query.expressions import least, order

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

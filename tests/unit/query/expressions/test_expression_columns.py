"""The truth tables of SPARQL 1.1, section 17.2."""

import decimal
import re

import numpy as np
import pytest
from rdflib import Literal, Variable

from expressions import context, shown, table_of, term
from pantarhei.encoding.numbers import NONE
from pantarhei.errors import QueryError, QueryTimeoutError
from pantarhei.model.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.expression_columns import (
    IdColumn,
    NumberColumn,
    TruthColumn,
    call,
    choose_rows,
    column_of,
    common_size,
    distinct,
    distinct_rows,
    exactly,
    have_value,
    logical_and,
    logical_not,
    logical_or,
    result_of,
    results_of,
    spread,
)
from pantarhei.query.expressions.literal_values import ValueArrays
from pantarhei.query.solutions import QueryLimits

LEFT = np.array([1, 1, 1, 0, 0, 0, -1, -1, -1], np.int8)
RIGHT = np.array([1, 0, -1] * 3, np.int8)


def test_a_conjunction_is_false_if_one_is_false_whatever_the_other() -> None:
    assert logical_and(LEFT, RIGHT).tolist() == [1, 0, -1, 0, 0, 0, -1, 0, -1]


def test_a_disjunction_is_true_if_one_is_true_whatever_the_other() -> None:
    assert logical_or(LEFT, RIGHT).tolist() == [1, 1, 1, 1, 0, -1, 1, -1, -1]


def test_the_negation_of_an_error_is_one() -> None:
    assert logical_not(np.array([1, 0, -1], np.int8)).tolist() == [0, 1, -1]


@pytest.mark.parametrize("values", [[5, 3, 5, -1], [1 << 40, 0, 1 << 40], [7], []], ids=str)
def test_each_row_has_the_place_of_its_value(values: list[int]) -> None:
    column = np.array(values, np.int64)
    found, places = distinct(column)
    assert found.tolist() == sorted(set(values))
    assert found[places].tolist() == values


def test_each_row_has_the_place_of_its_combination() -> None:
    one, other = np.array([2, 1, 2, 2]), np.array([1 << 40, 5, 1 << 40, 5])
    rows, places = distinct_rows([one, other])
    assert rows.tolist() == [1, 3, 0]  # (1, 5), (2, 5), (2, 1 << 40), each where it stands first
    assert places.tolist() == [2, 0, 2, 1]


def test_no_rows_have_no_combinations() -> None:
    rows, places = distinct_rows([np.empty(0, np.int64), np.empty(0, np.int64)])
    assert (len(rows), len(places)) == (0, 0)


def test_a_combination_is_asked_once() -> None:
    given, asked = context(), []

    def function(one: Term, other: Term) -> Term:
        asked.append((str(one), str(other)))
        return Literal(f"{one}{other}")

    rows = table_of([term(text) for text in ('"a"', '"b"', '"a"', '"a"')], given)
    constant = IdColumn(given.terms.ids_of([term('"!"')]), given)
    found = call(function, (IdColumn(rows.column(Variable("x")), given), constant), given)
    assert [str(each) for each in given.terms.terms(found.ids)] == ["a!", "b!", "a!", "a!"]
    assert sorted(asked) == [("a", "!"), ("b", "!")]


@pytest.mark.parametrize(
    "error",
    [ValueError, OverflowError, TypeError, decimal.InvalidOperation, re.error("x"), RecursionError, KeyError],
)
def test_whatever_a_function_raises_is_an_error(error: type[Exception] | Exception) -> None:
    def function(given: Term) -> Term:
        raise error

    assert result_of(function, [Literal("a")]) is None


@pytest.mark.parametrize("error", [MemoryError, QueryError("stop"), KeyboardInterrupt])
def test_what_stops_a_query_is_passed_on(error: type[BaseException] | BaseException) -> None:
    def function(given: Term) -> Term:
        raise error

    with pytest.raises(error if isinstance(error, type) else type(error)):
        result_of(function, [Literal("a")])


def test_an_error_among_the_arguments_is_one() -> None:
    assert result_of(lambda given: given, [None]) is None


def test_the_limit_is_looked_at_on_the_way() -> None:
    with pytest.raises(QueryTimeoutError):
        results_of(lambda given: given, [[Literal("a")] * 10], context(limits=QueryLimits(0.0)))


def test_a_function_without_arguments_has_one_result_for_all_rows() -> None:
    given = context()
    assert len(call(lambda: Literal("a"), (), given)) == 1
    column = call(lambda: True, (), given)
    assert common_size([column, IdColumn(np.zeros(3, np.int64), given)]) == 3


def test_terms_are_asked_for_by_row() -> None:
    given = context()
    column = IdColumn(given.terms.ids_of([term("1"), term("2")]), given)
    assert exactly(lambda one: Literal(f"{one}!"), (column,), given)(np.array([1])) == [Literal("2!")]


TRUTHS = [
    ("true", 1),
    ('"0"^^xsd:boolean', 0),
    ('"maybe"^^xsd:boolean', 0),
    ("0", 0),
    ("0.0", 0),
    ('"x"^^xsd:integer', 0),
    ('"NaN"^^xsd:double', 0),
    ("-1e0", 1),
    ("1" * 40, 1),
    ('""', 0),
    ('"a"', 1),
    ('""@en', 0),
    ('"a"@en', 1),
    ('"2020-01-01T00:00:00Z"^^xsd:dateTime', -1),
    ('"a"^^<urn:t>', -1),
    ("<urn:a>", -1),
    (None, -1),
]


@pytest.mark.parametrize(("given", "truth"), TRUTHS)
def test_terms_have_the_effective_boolean_value_of_the_standard(given: str | None, truth: int) -> None:
    here = context()
    column = IdColumn(here.terms.ids_of([None if given is None else term(given)]), here)
    assert column.truth.tolist() == [truth]


def test_numbers_become_terms_in_canonical_form_once_each() -> None:
    here = context()
    values = ValueArrays(
        np.array(
            [kinds.INTEGER, kinds.DECIMAL, kinds.DOUBLE, kinds.NOTHING, kinds.INTEGER, kinds.DOUBLE], np.int8
        ),
        np.array([2.0, 2.0, 2.0, 0.0, 2.0, -0.0]),
        np.array([0, 1, 0, 0, 0, 0], np.int16),
    )
    column = NumberColumn.of(values, here)
    expected = ['"2"^^xsd:integer', '"2"^^xsd:decimal', '"2.0E0"^^xsd:double', None, '"2"^^xsd:integer']
    assert [shown(each) for each in here.terms.terms(column.ids)] == [*expected, '"-0.0E0"^^xsd:double']
    assert len(here.terms.locals) == 4
    assert [shown(each) for each in column.at(np.arange(5))] == expected
    assert column.truth.tolist() == [1, 1, 1, -1, 1, 0]
    assert have_value(column).tolist() == [True, True, True, False, True, True]
    assert column.take(np.array([3, 0])).kinds.tolist() == [kinds.NOTHING, kinds.INTEGER]


def test_long_numbers_are_asked_for_exactly() -> None:
    here = context()
    long = ValueArrays.of_kind(kinds.LONG_DECIMAL, np.array([0.1, 0.2]))
    column = NumberColumn(long, here, lambda rows: [Literal(f"exactly {row}") for row in rows.tolist()])
    assert [str(each) for each in here.terms.terms(column.ids)] == ["exactly 0", "exactly 1"]
    assert [str(each) for each in column.take(np.array([1])).at(np.array([0]))] == ["exactly 1"]


def test_truth_values_are_booleans() -> None:
    here = context()
    column = TruthColumn(np.array([1, 0, -1], np.int8), here)
    expected = ['"true"^^xsd:boolean', '"false"^^xsd:boolean', None]
    assert [shown(each) for each in here.terms.terms(column.ids)] == expected
    assert [shown(each) for each in column.at(np.arange(3))] == expected
    assert column.kinds.tolist() == [kinds.BOOLEAN, kinds.BOOLEAN, kinds.NOTHING]
    assert column.take(np.array([2])).truth.tolist() == [-1]


def test_results_make_the_column_that_fits() -> None:
    here, codes = context(), np.array([1, 0])
    assert isinstance(column_of([True, None], codes, here), TruthColumn)
    assert column_of([True, None], codes, here).truth.tolist() == [-1, 1]
    assert isinstance(column_of([1, 2], codes, here), NumberColumn)
    assert [shown(each) for each in here.terms.terms(column_of([1, None], codes, here).ids)] == [
        None,
        '"1"^^xsd:integer',
    ]
    assert isinstance(column_of([2**60, 1], codes, here), IdColumn)
    assert column_of([None, None], codes, here).ids.tolist() == [NONE, NONE]


def test_branches_are_put_together_by_their_rows() -> None:
    here = context()
    one, other = np.array([True, False, False]), np.array([False, False, True])
    truth = choose_rows(
        3,
        [
            (one, TruthColumn(np.array([1], np.int8), here)),
            (other, TruthColumn(np.array([0], np.int8), here)),
        ],
        here,
    )
    assert truth.truth.tolist() == [1, -1, 0]
    numbers = NumberColumn.of_type(kinds.INTEGER, np.array([7.0]), here)
    found = choose_rows(3, [(one, numbers), (other, numbers)], here)
    assert isinstance(found, NumberColumn) and found.kinds.tolist() == [kinds.INTEGER, 0, kinds.INTEGER]
    mixed = choose_rows(3, [(one, numbers), (other, truth.take(np.array([2])))], here)
    assert [shown(each) for each in here.terms.terms(mixed.ids)] == [
        '"7"^^xsd:integer',
        None,
        '"false"^^xsd:boolean',
    ]
    assert choose_rows(2, [], here).ids.tolist() == [NONE, NONE]


def test_one_value_stands_for_all_rows() -> None:
    assert spread(np.array([7]), 3).tolist() == [7, 7, 7]
    assert spread(np.array([7]), 0).tolist() == []

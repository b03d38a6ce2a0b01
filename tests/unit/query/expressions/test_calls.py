"""Functions are called once for each combination of arguments."""

import decimal
import re

import numpy as np
import pytest
from rdflib import Literal, Variable

from expressions import context, table_of, term
from pantarhei.errors import QueryError, QueryTimeoutError
from pantarhei.model.term import Term
from pantarhei.query.expressions.calls import call, common_size, exactly, result_of, results_of
from pantarhei.query.expressions.columns import TermColumn
from pantarhei.query.query_limits import Guard


def test_a_combination_is_asked_once() -> None:
    given, asked = context(), []

    def function(one: Term, other: Term) -> Term:
        asked.append((str(one), str(other)))
        return Literal(f"{one}{other}")

    rows = table_of([term(text) for text in ('"a"', '"b"', '"a"', '"a"')], given)
    constant = TermColumn(given.terms.ids_of([term('"!"')]), given)
    found = call(function, (TermColumn(rows.column(Variable("x")), given), constant), given)
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
        results_of(lambda given: given, [[Literal("a")] * 10], context(guard=Guard(0.0)))


def test_a_function_without_arguments_has_one_result_for_all_rows() -> None:
    given = context()
    assert len(call(lambda: Literal("a"), (), given)) == 1
    column = call(lambda: True, (), given)
    assert common_size([column, TermColumn(np.zeros(3, np.int64), given)]) == 3


def test_terms_are_asked_for_by_row() -> None:
    given = context()
    column = TermColumn(given.terms.ids_of([term("1"), term("2")]), given)
    assert exactly(lambda one: Literal(f"{one}!"), (column,), given)(np.array([1])) == [Literal("2!")]

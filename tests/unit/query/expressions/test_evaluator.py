"""Expressions over rows: functional forms, errors, and which rows a part is evaluated for."""

import numpy as np
import pytest
from rdflib import Literal, URIRef, Variable
from rdflib.plugins.sparql.operators import register_custom_function, unregister_custom_function

from expressions import X, call, context, shown, table_of, term, truths
from pantarhei.errors import QueryError, QueryTimeoutError
from pantarhei.query.algebra.nodes import Call, Expression
from pantarhei.query.expressions import compute, truth
from pantarhei.query.solutions import QueryLimits, SolutionTable

Y = Variable("y")
ERROR = Call("/", (term("1"), term("0")))


def _values(expression: Expression, *values: str | None) -> list[str | None]:
    given = context()
    rows = table_of([None if value is None else term(value) for value in values], given)
    return [shown(each) for each in given.terms.terms(compute(expression, rows, given))]


def test_a_variable_is_its_column_and_a_term_stands_in_every_row() -> None:
    assert _values(X, "1", None) == ['"1"^^xsd:integer', None]
    assert _values(Y, "1", None) == [None, None]
    assert _values(term('"a"'), "1", None) == ['"a"', '"a"']


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("&&", ["true", '"x"^^<urn:t>'], -1),
        ("&&", ["false", '"x"^^<urn:t>'], 0),
        ("&&", ['"x"^^<urn:t>', "false"], 0),
        ("&&", ["true", "1", '"a"'], 1),
        ("||", ['"x"^^<urn:t>', "true"], 1),
        ("||", ['"x"^^<urn:t>', "false"], -1),
        ("||", ["0", '""', "false"], 0),
        ("!", ['""'], 1),
        ("!", ["<urn:a>"], -1),
        ("BOUND", [None], 0),
        ("BOUND", ["1"], 1),
        ("IN", ["1", "2", "1.0"], 1),
        ("IN", ["1", "2", '"a"^^<urn:t>'], -1),
        ("IN", ["1", '"a"^^<urn:t>', "1"], 1),
        ("IN", ["<urn:a>", "<urn:b>", "<urn:a>"], 1),
        ("IN", ["1", "<urn:b>"], 0),
        ("IN", [None, "<urn:b>"], -1),
        ("IN", ["1"], 0),
    ],
)
def test_errors_count_where_they_decide(name: str, operands: list[str | None], expected: int) -> None:
    assert truths(name, *operands) == expected


def test_members_of_a_constant_set_are_looked_up() -> None:
    members = tuple(map(term, ("<urn:a>", '"b"', "<urn:c>", "7")))
    given = context()
    rows = table_of(
        [None if t is None else term(t) for t in ("<urn:c>", "7.0", '"x"', None, "<urn:d>")], given
    )
    assert truth(Call("IN", (X, *members)), rows, given).tolist() == [1, 1, 0, -1, 0]
    assert truth(Call("IN", (X,)), rows, given).tolist() == [0] * 5


def test_if_takes_one_branch_a_row() -> None:
    choice = Call("IF", (X, Call("+", (X, term("1"))), term('"no"')))
    assert _values(choice, "1", "0", '"x"^^<urn:t>', None) == ['"2"^^xsd:integer', '"no"', None, None]
    assert call("IF", "true", "1", None) == '"1"^^xsd:integer'
    assert call("IF", "false", "1", None) is None
    assert _values(Call("IF", (term("true"), X, ERROR)), "1", "2") == ['"1"^^xsd:integer', '"2"^^xsd:integer']
    assert _values(Call("IF", (term("<urn:a>"), X, X)), "1") == [None]


def test_coalesce_takes_the_first_without_error() -> None:
    choices = Call("COALESCE", (Call("+", (X, term("1"))), X, term('"none"')))
    assert _values(choices, "1", '"a"', None) == ['"2"^^xsd:integer', '"a"', '"none"']
    assert _values(Call("COALESCE", (ERROR, Y)), "1") == [None]
    assert _values(Call("COALESCE", ()), "1") == [None]


def test_a_decided_row_is_not_asked_again() -> None:
    asked: list[str] = []
    iri = URIRef("urn:f:asked")

    def function(given: Literal) -> Literal:
        asked.append(str(given))
        return Literal(True)

    register_custom_function(iri, function)  # type: ignore[arg-type]
    try:
        given = context()
        rows = table_of([term(str(n)) for n in range(10)], given)
        both = Call("&&", (Call(">", (X, term("7"))), Call(str(iri), (X,))))
        assert truth(both, rows, given).tolist() == [0] * 8 + [1, 1]
        either = Call("||", (Call("<", (X, term("9"))), Call(str(iri), (X,))))
        assert truth(either, rows, given).tolist() == [1] * 10
        none = Call("&&", (term("false"), Call(str(iri), (X,))))
        assert truth(none, rows, given).tolist() == [0] * 10
    finally:
        unregister_custom_function(iri)
    assert sorted(asked) == ["8", "9", "9"]


def test_there_may_be_no_rows() -> None:
    given = context()
    rows = table_of([], given)
    for expression in (
        X,
        term("1"),
        ERROR,
        Call("IF", (X, X, X)),
        Call("COALESCE", (X, Y)),
        Call("RAND", ()),
    ):
        assert compute(expression, rows, given).tolist() == []
        assert truth(expression, rows, given).tolist() == []


def test_a_row_may_have_no_columns() -> None:
    given = context()
    assert truth(Call("=", (term("1"), term("1.0"))), SolutionTable({}, 3), given).tolist() == [1, 1, 1]


def test_results_are_written_over_by_nobody_else() -> None:
    given = context()
    rows = table_of([term("true")], given)
    found = truth(X, rows, given)
    found[0] = 0
    assert truth(X, rows, given).tolist() == [1]
    assert np.shares_memory(compute(X, rows, given), rows.column(X))


def test_an_expression_that_is_nested_too_deeply_is_refused() -> None:
    expression: Expression = X
    for _ in range(5000):
        expression = Call("neg", (expression,))
    given = context()
    with pytest.raises(QueryError, match="nested too deeply"):
        compute(expression, table_of([term("1")], given), given)


def test_the_limit_of_time_is_asked_for() -> None:
    given = context(limits=QueryLimits(0.0))
    with pytest.raises(QueryTimeoutError):
        truth(X, table_of([term("1")], given), given)


def test_a_wrong_number_of_arguments_is_an_error() -> None:
    assert call("STRLEN", '"a"', '"b"') is None
    assert call("ABS") is None

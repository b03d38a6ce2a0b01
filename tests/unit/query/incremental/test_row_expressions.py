"""What an expression comes to is remembered by what it looks at."""

from rdflib import Literal, Variable

from pantarhei.query.algebra.expressions import Call
from pantarhei.query.incremental.operator import table_of
from pantarhei.query.incremental.row_expressions import RowExpression
from signed_bags import Bench, rows_with


def expression(bench, call, names="x y z"):
    return RowExpression(call, rows_with(names).variables, bench.shared)


def test_it_comes_to_terms_by_row():
    bench = Bench()
    sum_ = expression(bench, Call("+", (Variable("y"), Literal(1))))
    ids = sum_.ids([bench.row("a 1 b"), bench.row("a c b"), bench.row("b 1 -")])
    assert bench.shown(dict.fromkeys(((id_,) for id_ in ids), 1)) == {"2": 1, "-": 1}
    assert ids[0] == ids[2]


def test_an_error_is_not_true():
    bench = Bench()
    larger = expression(bench, Call(">", (Variable("y"), Variable("z"))))
    rows = ["a 2 1", "a 1 2", "a b 2", "a 1 -"]
    assert larger.truths(map(bench.row, rows)) == [True, False, False, False]


def test_of_one_variable_it_is_a_test_of_single_rows_that_learns():
    bench = Bench()
    larger = expression(bench, Call(">", (Variable("y"), Literal(3))))
    assert larger.test.place == 1 and larger.test.known == {}
    rows = list(map(bench.row, ["a 5 b", "a 1 b", "a c b"]))
    assert list(map(larger.test.learn, rows)) == [True, False, False]
    assert [larger.test.known[row[1]] for row in rows] == [True, False, None]
    known = larger.test.known
    larger.forget()
    assert known == {}
    assert expression(bench, Call(">", (Variable("y"), Variable("z")))).test is None
    assert expression(bench, Call("STRUUID", ())).test is None


def test_of_one_variable_it_learns_a_whole_table():
    bench = Bench()
    larger = expression(bench, Call(">", (Variable("y"), Literal(3))))
    rows = list(map(bench.row, ["a 5 b", "a 1 b", "c 5 d", "a c b"]))
    assert larger.learn_all(table_of(rows, rows_with("x y z").variables)).tolist() == [
        True,
        False,
        True,
        False,
    ]
    assert larger.test.known == {rows[0][1]: True, rows[1][1]: False, rows[3][1]: False}


def test_what_it_does_not_look_at_makes_no_difference():
    bench = Bench()
    texts = expression(bench, Call("STRLEN", (Call("STR", (Variable("y"),)),)))
    texts.ids([bench.row("a b c"), bench.row("c b d"), bench.row('- "12" -')])
    assert len(texts._known) == 2
    texts.forget()
    assert not texts._known


def test_a_variable_that_no_row_has_is_unbound():
    bench = Bench()
    assert expression(bench, Call("BOUND", (Variable("w"),))).truths([bench.row("a b c")]) == [False]

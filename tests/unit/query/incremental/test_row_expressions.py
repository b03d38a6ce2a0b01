"""What an expression comes to is remembered by what it looks at."""

import pytest
from rdflib import Literal, Variable

from engine_answers import pattern
from pantarhei.encoding.numbers import NONE
from pantarhei.query.algebra.nodes import Call
from pantarhei.query.incremental.operator import table_of
from pantarhei.query.incremental.row_expressions import Compiler, Deoptimize, NotCompilable, RowExpression
from signed_bags import Bench, rows_with, text_of


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
    assert larger.test.column == 1 and larger.test.known == {}
    rows = list(map(bench.row, ["a 5 b", "a 1 b", "a c b"]))
    assert list(map(larger.test.evaluate, rows)) == [True, False, False]
    assert [larger.test.known[row[1]] for row in rows] == [True, False, None]
    known = larger.test.known
    larger.clear_caches()
    assert known == {}
    assert expression(bench, Call(">", (Variable("y"), Variable("z")))).test is None
    assert expression(bench, Call("STRUUID", ())).test is None


def test_of_one_variable_it_learns_a_whole_table():
    bench = Bench()
    larger = expression(bench, Call(">", (Variable("y"), Literal(3))))
    rows = list(map(bench.row, ["a 5 b", "a 1 b", "c 5 d", "a c b"]))
    assert larger.cache_truths(table_of(rows, rows_with("x y z").variables)).tolist() == [
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
    texts.clear_caches()
    assert not texts._known


def test_a_variable_that_no_row_has_is_unbound():
    bench = Bench()
    assert expression(bench, Call("BOUND", (Variable("w"),))).truths([bench.row("a b c")]) == [False]


ROW = 'a 5 2.5 - "x"'
VARIABLES = tuple(map(Variable, "axyzw"))


def of(text):
    return pattern(f"BIND({text} AS ?made)").expression


def compiler(bench):
    return Compiler(VARIABLES, bench.shared.values, bench.terms)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?x", "5"),
        ("?x + 1", "6"),
        ("?x * ?y", "12.5"),
        ("?x / 2", "2.5"),
        ("-?x", "-5"),
        ("?x / 0", None),
        ("?x / 0e0", "INF"),
        ("?x + ?a", None),
        ("?x + ?z", None),
        ("?unknown + 1", None),
        ("IF(?x > ?y, ?a, ?w)", "a"),
        ("IF(?x < ?y, ?a, ?w)", '"x"'),
        ("IF(?z, ?a, ?w)", None),
        ("COALESCE(?z, 1 / 0, ?x)", "5"),
        ("COALESCE(?z)", None),
    ],
)
def test_an_expression_results_in_a_term(text, expected):
    bench = Bench()
    number = compiler(bench).result(of(text))(bench.row(ROW))
    assert (None if number == NONE else text_of(bench.terms.term(number))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?x = 5.0", True),
        ("?x != 5", False),
        ("?x > ?y && ?y > 1", True),
        ("?z > 1", None),
        ("?z > 1 && ?x < 1", False),
        ("?z > 1 || ?x > 1", True),
        ("?x > ?w", None),
        ('?w = "x"', True),
        ('?w < "y"', True),
        ("?a = <urn:a>", True),
        ("?a != ?x", True),
        ("?a < ?x", None),
        ("!(?x > 1)", False),
        ("!?z", None),
        ("BOUND(?z) || !BOUND(?x)", False),
        ("?x IN (1, 5)", True),
        ("?x IN (1, ?z)", None),
        ("?x IN ()", False),
        ("?x", True),
        ("?x - 5", False),
        ("?w", True),
        ("?a", None),
    ],
)
def test_an_expression_is_true_false_or_an_error(text, expected):
    bench = Bench()
    assert compiler(bench).truth(of(text))(bench.row(ROW)) is expected


@pytest.mark.parametrize("text", ["?x = ?y", "?x < ?y", "?x + ?y", "?x", "?x || false", "-?x"])
def test_a_row_with_a_value_of_another_kind_is_odd(text):
    bench = Bench()
    truth = compiler(bench).truth(of(text))
    with pytest.raises(Deoptimize):
        truth(bench.row('- "a"@en "b"@en - -'))


@pytest.mark.parametrize("text", ["STRLEN(?x) > 1", "IF(RAND() > 0.5, 1, 2)", "?x + YEAR(?y)"])
def test_what_is_only_known_by_column_is_not_compiled(text):
    with pytest.raises(NotCompilable):
        compiler(Bench()).result(of(text))


def test_a_variable_results_in_the_form_that_it_shows():
    bench = Bench()
    row = bench.row("a 05 2.50 - -")
    assert compiler(bench).result(of("COALESCE(?z, ?x)"))(row) == row[1]

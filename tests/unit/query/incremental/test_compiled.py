"""Expressions over a row: what is compiled, what is odd, what is an error."""

import pytest
from rdflib import Variable

from answered import pattern
from pantarhei.encoding.numbers import NONE
from pantarhei.query.incremental.compiled import Compiler, NotCompiled, Odd
from signed_bags import Bench, text_of

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
    with pytest.raises(Odd):
        truth(bench.row('- "a"@en "b"@en - -'))


@pytest.mark.parametrize("text", ["STRLEN(?x) > 1", "IF(RAND() > 0.5, 1, 2)", "?x + ABS(?y)"])
def test_what_is_only_known_by_column_is_not_compiled(text):
    with pytest.raises(NotCompiled):
        compiler(Bench()).result(of(text))


def test_a_variable_results_in_the_form_that_it_shows():
    bench = Bench()
    row = bench.row("a 05 2.50 - -")
    assert compiler(bench).result(of("COALESCE(?z, ?x)"))(row) == row[1]

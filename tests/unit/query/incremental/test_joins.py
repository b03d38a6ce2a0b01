"""Joins, OPTIONAL, MINUS and EXISTS of signed rows."""

import pytest
from rdflib import Literal, Variable

from pantarhei.query.algebra.nodes import Call, Exists, Join, LeftJoin, Minus
from pantarhei.query.incremental.joins import (
    ExistsOperator,
    JoinOperator,
    LeftJoinOperator,
    MinusOperator,
    index_of,
)
from signed_bags import Bench, rows_with

TRUE, FALSE = (f'"{value}"^^<http://www.w3.org/2001/XMLSchema#boolean>' for value in ("true", "false"))
LARGE = Call(">", (Variable("z"), Literal(3)))


def made(kind, node, left="x y", right="y z", certain=True, **options):
    bench = Bench()
    inputs = bench.input(left, certain), bench.input(right)
    return bench, kind(node(*(each.node for each in inputs), **options), bench.shared, *inputs)


def test_a_join_has_the_product_of_copies_and_of_signs():
    bench, join = made(JoinOperator, Join)
    assert bench.change(join, {"a b": 2}, {}) == {}
    assert bench.change(join, {}, {"b c": 3, "d c": 1}) == {"a b c": 6}
    assert bench.change(join, {"a b": -1}, {"b c": 1}) == {"a b c": 4 - 6}
    assert bench.change(join, {"a b": -1}, {"b c": -4}) == {"a b c": -4}
    assert bench.change(join, {"a d": 1}, {"d c": -1}) == {}


def test_both_sides_of_a_join_may_bring_what_belongs_together():
    bench, join = made(JoinOperator, Join)
    assert bench.change(join, {"a b": 1}, {"b c": 1}) == {"a b c": 1}


def test_a_join_by_value_shows_the_form_of_the_left():
    bench, join = made(JoinOperator, Join)
    assert bench.change(join, {"a 01": 1}, {"1 c": 1, "001 d": 1}) == {"a 01 c": 1, "a 01 d": 1}
    assert bench.change(join, {"a 01": -1, "a 1": 1}, {}) == {
        "a 01 c": -1,
        "a 01 d": -1,
        "a 1 c": 1,
        "a 1 d": 1,
    }


def test_what_the_left_leaves_unbound_is_filled():
    bench, join = made(JoinOperator, Join, certain=False)
    assert bench.change(join, {"a -": 1}, {"b c": 1}) == {"a b c": 1}


def test_without_a_variable_in_common_all_rows_meet():
    bench, join = made(JoinOperator, Join, "x", "z")
    assert bench.change(join, {"a": 1, "b": 1}, {"c": 2}) == {"a c": 2, "b c": 2}


def test_optional_shows_a_row_alone_until_it_meets_one():
    bench, optional = made(LeftJoinOperator, LeftJoin)
    assert bench.change(optional, {"a b": 2}, {}) == {"a b -": 2}
    assert bench.change(optional, {}, {"b c": 1, "b d": 1}) == {"a b -": -2, "a b c": 2, "a b d": 2}
    assert bench.change(optional, {}, {"b c": -1}) == {"a b c": -2}
    assert bench.change(optional, {"a b": -1}, {}) == {"a b d": -1}
    assert bench.change(optional, {}, {"b d": -1}) == {"a b d": -1, "a b -": 1}


def test_optional_has_a_row_alone_where_the_condition_keeps_all_others_away():
    bench, optional = made(LeftJoinOperator, LeftJoin, condition=LARGE)
    assert bench.change(optional, {"a b": 1}, {"b 1": 1}) == {"a b -": 1}
    assert bench.change(optional, {}, {"b 5": 1}) == {"a b -": -1, "a b 5": 1}
    assert bench.change(optional, {}, {"b 5": -1, "b 1": -1}) == {"a b 5": -1, "a b -": 1}


def test_a_row_that_comes_and_its_match_that_goes_at_once_are_both_seen():
    bench, optional = made(LeftJoinOperator, LeftJoin)
    bench.change(optional, {}, {"b c": 1})
    assert bench.change(optional, {"a b": 1}, {"b c": -1}) == {"a b -": 1}


def test_minus_takes_away_what_it_meets_however_often():
    bench, minus = made(MinusOperator, Minus)
    assert bench.change(minus, {"a b": 2, "a c": 1}, {"b d": 1}) == {"a c": 1}
    assert bench.change(minus, {}, {"b e": 1}) == {}
    assert bench.change(minus, {}, {"b d": -1}) == {}
    assert bench.change(minus, {}, {"b e": -1}) == {"a b": 2}


def test_minus_leaves_rows_that_share_nothing():
    bench, minus = made(MinusOperator, Minus, certain=False)
    assert bench.change(minus, {"a -": 1}, {"b c": 1}) == {"a -": 1}


def test_exists_turns_when_the_first_match_comes_and_the_last_goes():
    bench = Bench()
    left, right = bench.input("x y"), bench.input("y z")
    node = Exists(left.node, right.node, Variable("#m"))
    exists = ExistsOperator(node, bench.shared, left, right, ())
    assert bench.change(exists, {"a b": 1}, {}) == {f"a b {FALSE}": 1}
    assert bench.change(exists, {}, {"b c": 1}) == {f"a b {FALSE}": -1, f"a b {TRUE}": 1}
    assert bench.change(exists, {}, {"b d": 1}) == {}
    assert bench.change(exists, {"a b": -1}, {}) == {f"a b {TRUE}": -1}


def test_exists_looks_at_the_row_outside_through_its_conditions():
    bench = Bench()
    left, right = bench.input("x w"), bench.input("x z")
    node = Exists(left.node, right.node, Variable("#m"))
    smaller = Call("<", (Variable("w"), Variable("z")))
    exists = ExistsOperator(node, bench.shared, left, right, (smaller,))
    assert bench.change(exists, {"a 5": 1}, {"a 4": 1}) == {f"a 5 {FALSE}": 1}
    assert bench.change(exists, {}, {"a 6": 1}) == {f"a 5 {FALSE}": -1, f"a 5 {TRUE}": 1}


@pytest.mark.parametrize("kind", [JoinOperator, LeftJoinOperator, MinusOperator])
def test_what_is_gone_leaves_nothing_behind(kind):
    node = {JoinOperator: Join, LeftJoinOperator: LeftJoin, MinusOperator: Minus}[kind]
    bench, operator = made(kind, node)
    bench.change(operator, {"a b": 1}, {"b c": 1})
    bench.change(operator, {"a b": -1}, {"b c": -1})
    assert [rows for rows in bench.rows(operator) if rows] == []


def index(bench, shared="x y", mine="x y z", theirs="y x", sure=False):
    return index_of(*(rows_with(names).variables for names in (shared, mine, theirs)), bench.shared, sure)


def found(bench, index, row, **options):
    return sorted(bench.shown(dict(index.compatible(bench.row(row), **options))).items())


@pytest.mark.parametrize("sure", [True, False])
def test_rows_that_agree_are_found_with_their_copies(sure):
    bench = Bench()
    rows = index(bench, sure=sure)
    for row, weight in (("a b c", 2), ("a b d", 1), ("a c c", 1)):
        rows.add(bench.row(row), weight)
    assert found(bench, rows, "b a") == [("a b c", 2), ("a b d", 1)]
    assert found(bench, rows, "c b") == []
    assert rows.add(bench.row("a b c"), -2) == (2, 0)
    assert found(bench, rows, "b a") == [("a b d", 1)]
    assert rows.weight(bench.row("a b d")) == 1


@pytest.mark.parametrize(
    ("row", "expected", "overlapping"),
    [
        ("b a", ["- b 2", "a - 1", "a b 0"], ["- b 2", "a - 1", "a b 0"]),
        ("- a", ["- b 2", "a - 1", "a b 0"], ["a - 1", "a b 0"]),
        ("b -", ["- b 2", "a - 1", "a b 0"], ["- b 2", "a b 0"]),
        ("- -", ["- b 2", "a - 1", "a b 0"], []),
        ("c a", ["a - 1"], ["a - 1"]),
    ],
)
def test_what_one_of_two_leaves_unbound_may_be_anything(row, expected, overlapping):
    bench = Bench()
    rows = index(bench)
    for each in ("a b 0", "a - 1", "- b 2"):
        rows.add(bench.row(each), 1)
    assert [text for text, _ in found(bench, rows, row)] == expected
    assert [text for text, _ in found(bench, rows, row, overlap=True)] == overlapping


@pytest.mark.parametrize("sure", [True, False])
def test_rows_agree_by_value_and_keep_their_forms(sure):
    bench = Bench()
    rows = index(bench, "x", "x", "x", sure)
    rows.add(bench.row("01"), 1)
    rows.add(bench.row("1"), 1)
    assert found(bench, rows, "1") == [("01", 1), ("1", 1)]


@pytest.mark.parametrize("sure", [True, False])
def test_what_came_is_gone_again_where_a_step_is_undone(sure):
    bench = Bench()
    rows = index(bench, sure=sure)
    rows.add(bench.row("a b c"), 1)
    mark = bench.journal.savepoint()
    rows.add(bench.row("a b d"), 1)
    assert len(found(bench, rows, "b a")) == 2
    bench.journal.restore(mark)
    assert found(bench, rows, "b a") == [("a b c", 1)]
    rows.renumber(lambda row: row)
    assert found(bench, rows, "b a") == [("a b c", 1)]

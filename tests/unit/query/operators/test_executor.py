"""Operators upon each other, cases worked by hand: what is bound outside, and what a group sees of it."""

import pytest

from engine_answers import ask, pattern, rows
from pantarhei.query.operators import executor
from pantarhei.query.operators.executor import Profile

DATA = ":a :p 1 ; :q 2 ; :r :b . :b :p 2 ; :q 2 . :c :p 3 ."


def found(text, data=DATA, select="*"):
    return sorted(rows(f"SELECT {select} {{ {text} }}", data))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?x :p ?y OPTIONAL { ?x :q ?z }", ["a 1 2", "b 2 2", "c 3 -"]),
        ("?x :p ?y OPTIONAL { ?x :q ?z FILTER(?z > ?y) }", ["a 1 2", "b 2 -", "c 3 -"]),
        ("?x :p ?y OPTIONAL { ?x :q ?z } OPTIONAL { ?y :none ?z }", ["a 1 2", "b 2 2", "c 3 -"]),
        ("?x :p ?y OPTIONAL { { ?x :q ?z FILTER(?z > ?y) } }", ["a 1 -", "b 2 -", "c 3 -"]),
        ("?x :p ?y OPTIONAL { ?x :r ?z . FILTER EXISTS { ?z :q ?y } }", ["a 1 -", "b 2 -", "c 3 -"]),
        ("?x :p 3 OPTIONAL { ?x :q ?z } ?w :q ?z", ["c 2 a", "c 2 b"]),
        ("OPTIONAL { ?x :none ?y }", ["- -"]),
    ],
)
def test_optional_keeps_rows_without_a_match(pattern, expected):
    assert [row.replace("^integer", "") for row in found(pattern)] == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?x :p ?y MINUS { ?x :q ?z }", ["c 3"]),
        ("?x :p ?y MINUS { ?z :q ?w }", ["a 1", "b 2", "c 3"]),
        ("?x :p ?y MINUS { ?z :q ?y }", ["a 1", "c 3"]),
        ("?x :p ?y MINUS { OPTIONAL { ?x :none ?y } }", ["a 1", "b 2", "c 3"]),
        ("?x :p ?y MINUS { { ?x :q ?z } UNION { ?w :r ?y } }", ["c 3"]),
        ("?x :p ?y MINUS { ?x :q ?z FILTER(?y = 1) }", ["a 1", "b 2", "c 3"]),
    ],
)
def test_minus_takes_out_rows_that_share_a_variable_and_agree(pattern, expected):
    assert [row.replace("^integer", "") for row in found(pattern)] == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?x :p ?y FILTER EXISTS { ?x :q ?z }", ["a 1", "b 2"]),
        ("?x :p ?y FILTER EXISTS { FILTER EXISTS { ?z :r ?x } }", ["b 2"]),
        ("?x :p ?y FILTER EXISTS { ?x :q ?z FILTER NOT EXISTS { ?w :r ?x } }", ["a 1"]),
        (
            "?x :p ?y FILTER EXISTS { ?z :q ?w OPTIONAL { ?z :r ?v FILTER EXISTS { ?x :p 3 } } "
            "FILTER(!BOUND(?v)) }",
            ["a 1", "b 2", "c 3"],
        ),
        ("?x :p ?y FILTER NOT EXISTS { ?x :q ?y }", ["a 1", "c 3"]),
        ("?x :p ?y FILTER EXISTS { ?x :q ?z FILTER(?z > ?y) }", ["a 1"]),
        ("?x :p ?y FILTER NOT EXISTS { ?z :q ?w FILTER(?w = ?y) }", ["a 1", "c 3"]),
        ("?x :p ?y FILTER EXISTS { ?z :p ?w MINUS { ?z :q ?y } }", ["a 1", "b 2", "c 3"]),
        ("?x :p ?y FILTER EXISTS { BIND(?y AS ?z) FILTER(?z = 2) }", ["b 2"]),
        ("?x :p ?y FILTER EXISTS { ?x :r ?b FILTER EXISTS { ?b :q ?z FILTER(?z > ?y) } }", ["a 1"]),
        ("?x :p ?y FILTER(EXISTS { ?x :r ?b } || ?y = 3)", ["a 1", "c 3"]),
    ],
)
def test_exists_sees_the_values_of_its_row(pattern, expected):
    assert [row.replace("^integer", "") for row in found(pattern)] == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?x :p ?y { BIND(?y AS ?z) }", ["a 1 -", "b 2 -", "c 3 -"]),
        ("?x :p ?y { FILTER(?y = 1) }", []),
        ("?x :p ?y { ?x :q ?z FILTER(BOUND(?y)) }", []),
        ("?x :p ?y { SELECT ?x (COUNT(*) AS ?n) { ?x :q ?y } GROUP BY ?x }", ["a 1 1", "b 2 1"]),
        ("?x :p ?y { SELECT ?z { ?z :r ?y } }", ["a 1 a", "b 2 a", "c 3 a"]),
        ("?x :p ?y { SELECT ?y { ?z :q ?y } LIMIT 1 }", ["b 2"]),
        ("VALUES ?x { :c } { ?x :q ?y } UNION { ?x :p ?y }", ["c 3"]),
    ],
)
def test_a_group_does_not_see_what_is_bound_outside(pattern, expected):
    assert [row.replace("^integer", "") for row in found(pattern)] == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT (COUNT(*) AS ?n) (SUM(?y) AS ?s) { ?x :p ?y }", ["3 6"]),
        ("SELECT (COUNT(*) AS ?n) (MIN(?y) AS ?s) { ?x :none ?y }", ["0 -"]),
        ("SELECT ?y (COUNT(*) AS ?n) { ?x :none ?y } GROUP BY ?y", []),
        (
            "SELECT ?z (COUNT(?x) AS ?n) { ?x :p ?y OPTIONAL { ?x :q ?z } } GROUP BY ?z ORDER BY ?z",
            ["- 1", "2 2"],
        ),
        ("SELECT (COUNT(DISTINCT *) AS ?n) { { ?x :p ?y } UNION { ?x :p ?y } }", ["3"]),
        ("SELECT DISTINCT ?z { ?x :q ?z }", ["2"]),
        ("SELECT ?y { ?x :p ?y } ORDER BY DESC(?y) LIMIT 2", ["3", "2"]),
        ("SELECT ?y { ?x :p ?y } ORDER BY ?y OFFSET 1", ["2", "3"]),
        ("SELECT ?y { ?x :p ?y } LIMIT 0", []),
        ("SELECT ?y { ?x :p ?y } ORDER BY ?y OFFSET 5", []),
        ("SELECT ?y { ?x :p ?y } ORDER BY ?y LIMIT 1 OFFSET 2", ["3"]),
    ],
)
def test_groups_orders_and_slices(query, expected):
    assert [row.replace("^integer", "") for row in rows(query, DATA)] == expected


def test_distinct_tells_forms_apart_and_joins_do_not():
    data = ":a :p 1 . :b :p 01 ."
    assert len(ask("SELECT DISTINCT ?v { ?x :p ?v }", data)) == 2
    assert len(ask("SELECT * { ?x :p ?v . ?y :p ?v }", data)) == 4
    assert found("?x :p ?v MINUS { ?y :p ?v FILTER(?y = :a) }", data) == []
    assert found("?x :p ?v FILTER NOT EXISTS { ?y :p ?v FILTER(?y = :a) }", data) == []


def test_an_expression_that_errs_leaves_its_variable_unbound():
    assert found("?x :r ?y BIND(?y + 1 AS ?z)") == ["a b -"]
    assert rows('SELECT (1 / 0 AS ?a) (STRLEN(1) AS ?b) (IF(1 = "a", 1, 2) AS ?c) {}')[0].startswith("- -")


def test_what_stands_deep_in_exists_is_looked_at_once_for_each_value(monkeypatch):
    calls = []
    bound = executor.substitute
    monkeypatch.setattr(
        executor, "substitute", lambda node, values: calls.append(values) or bound(node, values)
    )
    data = " ".join(f":s{i} :p {i % 3} ." for i in range(300))
    query = "SELECT ?x { ?x :p ?y FILTER EXISTS { { ?z :p ?w BIND(?w + 1 AS ?next) FILTER(?next = ?y) } } }"
    ask(query, data)
    assert len(calls) <= 3


@pytest.mark.parametrize(
    ("condition", "limit", "count"),
    [("?y > 290", 5, 5), ("?y > 290", 20, 9), ("?y > 300", 5, 0), ("true", 300, 300)],
)
def test_a_limit_is_found_among_filters_and_optionals(condition, limit, count):
    data = " ".join(f":s{i} :p {i} ; :q :s{i + 1} ." for i in range(300))
    pattern = f"?x :p ?y FILTER({condition}) OPTIONAL {{ ?x :q ?z }}"
    assert len(ask(f"SELECT ?x ?z {{ {pattern} }} LIMIT {limit}", data)) == count


def test_rows_of_a_node_that_is_evaluated_in_parts_are_added_up():
    profile, node = Profile(), pattern("?x :p ?y")
    assert profile.rows(node) is None
    profile.note(node, 2)
    profile.note(node, 3)
    assert profile.rows(node) == 5


def test_equal_nodes_in_two_places_are_told_apart():
    profile, one, other = Profile(), pattern("?x :p ?y"), pattern("?x :p ?y")
    profile.note(one, 2)
    assert one == other and profile.rows(other) is None


def test_the_steps_of_the_first_part_are_kept():
    profile, node = Profile(), pattern("?x :p ?y")
    assert list(profile.steps(node)) == []
    (triple,) = node.patterns
    profile.note_steps(node, [(triple, 2.0, 3)])
    profile.note_steps(node, [(triple, 9.0, 9)])
    assert list(profile.steps(node)) == [(triple, 2.0, 3)]

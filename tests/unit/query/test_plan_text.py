"""Plans as people read them."""

import pickle

import pytest

from engine_answers import ask, pattern, read
from pantarhei.model.term import short
from pantarhei.query.operators.executor import Profile
from pantarhei.query.plan_text import expression_text, plan_text

DATA = ":a :v 1 . :b :v 2 . :a :knows :b ."


def text_of(node):
    return plan_text(node, Profile(), short)


def test_a_plan_has_its_rows_and_those_that_were_expected():
    plan = ask("SELECT ?x ?y { ?x :v ?y FILTER(?y > 1) } ORDER BY ?y LIMIT 1", DATA).plan()
    assert [line.split("  → ")[0].strip() for line in plan.splitlines()][:2] == [
        "Slice limit 1",
        "Project ?x ?y",
    ]
    assert "expected" in plan and "1 row" in plan
    assert "?y > 1" in plan


def test_a_node_that_was_not_evaluated_says_nothing_of_rows():
    assert text_of(pattern("?x :v ?y")) == "Match\n  ?x urn:v ?y"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("?x :v ?y OPTIONAL { ?y :v ?z FILTER(?z = 1) }", "Optional if (?z = 1)"),
        ("?x :v ?y MINUS { ?y :v ?z }", "Minus"),
        ("{} UNION {}", "Union"),
        ("?x :v+ ?y", "Path ?x (+) ?y"),
        ("?x :v* ?y", "Path ?x (*) ?y"),
        ("?x !(:v|:w) ?y", "NegatedSet ?x !(urn:v urn:w) ?y"),
        ("BIND(1 + ?x AS ?y)", "Bind (1 + ?x) as ?y"),
        ("VALUES (?x ?y) { (1 2) (3 4) }", "Values ?x ?y, 2 rows"),
        ("GRAPH ?g { ?x :v ?y }", "Graph ?g"),
    ],
)
def test_each_operator_has_a_line(text, line):
    assert text_of(pattern(text)).splitlines()[0] == line


def test_groups_say_by_what_and_what_is_computed():
    node = read("SELECT (COUNT(DISTINCT ?x) AS ?n) (SUM(?y) AS ?s) { ?x :v ?y } GROUP BY ?y").node
    assert "Group by ?y; COUNT(DISTINCT ?x), SUM(?y)" in text_of(node)
    assert "Group all rows; COUNT(*)" in text_of(read("SELECT (COUNT(*) AS ?n) {}").node)


def test_exists_is_a_line_below_the_filter_that_looks_at_it():
    lines = text_of(pattern("?x :v ?y FILTER NOT EXISTS { ?y :v ?z }")).splitlines()
    (mark,) = (line for line in lines if "Exists as" in line)
    (condition,) = (line for line in lines if "Filter" in line)
    assert mark.split()[-1] in condition


def written(text):
    return expression_text(pattern(f"BIND({text} AS ?result)").expression, short)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("?a", "?a"),
        ("-?a", "-?a"),
        ("!(?a = ?b)", "!(?a = ?b)"),
        ("?a || ?b || ?c", "(?a || ?b || ?c)"),
        ("?a IN (?b, ?c)", "?a IN (?b, ?c)"),
        ("strlen(?a)", "STRLEN(?a)"),
        ("xsd:integer(?a)", "<http://www.w3.org/2001/XMLSchema#integer>(?a)"),
    ],
)
def test_expressions_are_written_as_in_a_query(text, shown):
    assert written(text) == shown


def test_a_result_from_another_process_has_no_plan():
    assert pickle.loads(pickle.dumps(ask("ASK {}"))).plan() == ""

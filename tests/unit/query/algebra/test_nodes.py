"""Nodes know what their rows may bind, and what each of them binds."""

import pickle

import pytest
from rdflib import Literal, Variable

from engine_answers import pattern, read
from pantarhei.query.algebra.nodes import (
    BGP,
    UNIT,
    Call,
    Filter,
    Group,
    is_hidden,
    is_volatile,
    nodes_of,
    parts_of,
    replaced,
    variables_of,
)


@pytest.mark.parametrize(
    ("text", "variables", "certain"),
    [
        ("", "", ""),
        ("?x :p ?y . ?y :p ?z", "xyz", "xyz"),
        ("?x :p ?y OPTIONAL { ?y :p ?z }", "xyz", "xy"),
        ("{ ?x :p ?y } UNION { ?x :p ?z }", "xyz", "x"),
        ("?x :p ?y MINUS { ?y :p ?z }", "xy", "xy"),
        ("?x :p ?y FILTER(?z = 1)", "xy", "xy"),
        ("?x :p ?y FILTER EXISTS { ?y :p ?z }", "xy", "xy"),
        ("?x :p ?y BIND(1 / ?y AS ?z)", "xyz", "xy"),
        ("GRAPH ?g { ?x :p ?y }", "gxy", "gxy"),
        ("GRAPH :g { ?x :p ?y }", "xy", "xy"),
        ("VALUES (?x ?y) { (1 2) (3 UNDEF) }", "xy", "x"),
        ("VALUES ?x {}", "x", "x"),
        ("?x :p* ?y", "xy", "xy"),
        ("?x :p* :a", "x", "x"),
        ("?x !:p ?y", "xy", "xy"),
        ("{ ?x :p ?y } { ?y :p ?z OPTIONAL { ?z :p ?w } }", "xyzw", "xyz"),
        ("{ SELECT ?y ?w { ?x :p ?y } }", "yw", "y"),
        ("{ SELECT DISTINCT ?y { ?x :p ?y } ORDER BY ?x LIMIT 1 }", "y", "y"),
    ],
)
def test_a_node_knows_its_variables_in_order_and_those_each_row_binds(text, variables, certain):
    node = pattern(text)
    assert tuple(v for v in node.variables if not is_hidden(v)) == tuple(map(Variable, variables))
    assert {v for v in node.certain if not is_hidden(v)} == set(map(Variable, certain))


def test_a_group_binds_its_keys_as_its_rows_do_and_counts_for_certain():
    text = "SELECT (COUNT(*) AS ?n) (SUM(?y) AS ?s) { ?x :p ?y OPTIONAL { ?y :p ?z } } GROUP BY ?x ?z"
    (group,) = (node for node in nodes_of(read(text).node) if isinstance(node, Group))
    count, total = (aggregate.variable for aggregate in group.aggregates)
    assert group.variables == (Variable("x"), Variable("z"), count, total)
    assert group.certain == {Variable("x"), count}


def test_all_nodes_are_walked_those_of_exists_in_a_condition_too():
    node = pattern("?x :p ?y OPTIONAL { ?y :p ?z FILTER EXISTS { ?z :q ?w } }")
    assert sum(isinstance(part, BGP) for part in nodes_of(node)) == 3


def test_filters_upon_each_other_are_known_as_one():
    node = pattern("?x :p ?y FILTER(?x != ?y && ?y > 1) FILTER(?z)")
    assert isinstance(node, Filter) and node.base == pattern("?x :p ?y")
    assert [variables for _, variables in node.tests] == [
        frozenset(map(Variable, names)) for names in ("xy", "y", "z")
    ]
    assert node.used == set(map(Variable, "xyz"))


def test_a_query_is_a_value():
    text = "SELECT ?x (COUNT(*) AS ?n) { ?x :p+ ?y OPTIONAL { VALUES ?y { 1 } } } GROUP BY ?x"
    assert read(text) == read(text)
    back = pickle.loads(pickle.dumps(read(text)))
    assert (back.node, back.variables) == (read(text).node, read(text).variables)


def test_one_row_that_binds_nothing_is_the_empty_pattern():
    assert pattern("") == UNIT == BGP(())
    assert is_hidden(Variable("#row")) and not is_hidden(Variable("row"))


A, B, ONE = Variable("a"), Variable("b"), Literal(1)
SUM = Call("+", (A, ONE))
TEST = Call("&&", (Call("<", (SUM, B)), Call("BOUND", (A,))))


def test_parts_come_from_the_outside_in_their_order():
    assert list(parts_of(TEST)) == [TEST, Call("<", (SUM, B)), SUM, A, ONE, B, Call("BOUND", (A,)), A]


def test_the_variables_of_an_expression_are_those_at_its_leaves():
    assert variables_of(TEST) == {A, B}
    assert variables_of(ONE) == frozenset()


def test_other_expressions_stand_in_the_places_of_variables():
    assert replaced(TEST, {B: SUM}) == Call("&&", (Call("<", (SUM, SUM)), Call("BOUND", (A,))))
    assert replaced(ONE, {A: B}) == ONE
    assert replaced(TEST, {}) == TEST


@pytest.mark.parametrize("name", ["RAND", "UUID", "STRUUID", "BNODE"])
def test_what_has_another_value_each_time_is_known_wherever_it_stands(name):
    assert is_volatile(Call("+", (ONE, Call(name, ()))))
    assert not is_volatile(TEST) and not is_volatile(Call("NOW", ()))


def test_deep_expressions_are_looked_through():
    deep = ONE
    for _ in range(100_000):
        deep = Call("!", (deep,))
    assert sum(1 for _ in parts_of(deep)) == 100_001

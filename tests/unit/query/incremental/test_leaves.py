"""Rows that are always the same, and nodes that are evaluated anew as wholes."""

import pytest
from rdflib import Literal, URIRef, Variable

from engine_answers import pattern, read
from oracle_answers import PREFIXES
from pantarhei.query.algebra.nodes import BGP, Join, Project, Values, nodes_of
from pantarhei.query.algebra.passes import optimize
from pantarhei.query.incremental.leaves import (
    RecomputeLeaf,
    ValuesLeaf,
    instantiate,
    is_kernel_pattern,
    parameters_of,
    shape_of,
    split_pattern,
)
from pantarhei.query.incremental.operator import table_of
from signed_bags import Bench, rows_with

X, Y = Variable("x"), Variable("y")


def test_given_rows_come_at_the_beginning_with_their_copies():
    bench = Bench()
    leaf = ValuesLeaf(Values((X, Y), ((Literal(1), None), (Literal(1), None))), bench.shared)
    assert bench.shown(leaf.initial_rows()) == {"1 -": 2}


def test_what_is_evaluated_anew_is_compared_with_what_it_was():
    bench = Bench()
    node, now = rows_with("x"), ["a", "b", "b"]
    leaf = RecomputeLeaf(node, bench.shared, lambda node: table_of([*map(bench.row, now)], node.variables))
    assert bench.shown(leaf.initial_rows()) == {"a": 1, "b": 2}
    now[:] = ["b", "c"]
    assert bench.change(leaf) == {"a": -1, "b": -1, "c": 1}
    assert bench.change(leaf) == {}


def node(text):
    return optimize(read(text).node, has_forms=True)


def named(*names):
    return tuple(URIRef(PREFIXES[""] + name) for name in names)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x ?y { ?x :p ONE . ?x :q ?y . OTHER :r ?x }",
        "SELECT * { ?x :p ONE ; :q ONE , OTHER ; a :C }",
        "SELECT DISTINCT (?y + 1 AS ?z) { ?x :p ONE ; :q ?y . OTHER :r ?x FILTER(?y > 1) } ORDER BY ?y",
        "SELECT ?x (COUNT(*) AS ?n) { ?x :p ONE , OTHER } GROUP BY ?x HAVING(COUNT(*) > 1)",
        "SELECT (SUM(?x) AS ?n) { OTHER :q ?y . ?y :p ?x ; :q ONE }",
        "ASK { ONE :p OTHER }",
    ],
)
def test_other_names_change_what_the_parameters_stand_for_and_nothing_else(text):
    some = node(text.replace("ONE", ":a").replace("OTHER", ":b"))
    others = node(text.replace("ONE", ":c").replace("OTHER", ":d"))
    shape, other = shape_of(some), shape_of(others)
    assert shape.node == other.node
    assert dict(zip(shape.names, other.names, strict=True)) == dict(
        zip(named("a", "b"), named("c", "d"), strict=True)
    )
    for one, of in ((some, shape), (others, other)):
        names = dict(zip(parameters_of(of.node), of.names, strict=True))
        assert instantiate(of.node, names) == Project(one, one.variables)


def test_the_parameters_are_the_last_variables():
    shape = shape_of(node("SELECT (AVG(?v) AS ?a) { ?x :p :a ; :q ?v }"))
    assert [str(v) for v in shape.node.variables] == ["a", "#parameter0"]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?x :p ?y ; a :C }",  # a class is no end of a pattern
        "SELECT * { ?x :p :a , 1 }",
        "SELECT * { ?x :p :a OPTIONAL { ?x :q ?y } }",
        "SELECT * { ?x :p :a . ?y :q :b }",  # two patterns that share nothing
        "SELECT * { ?x ?p :a }",
        "SELECT * { ?x :p* :a }",
        "SELECT * { ?x :p :a } LIMIT 1",
        "SELECT * { ?x :p :a BIND(RAND() AS ?r) }",
        "SELECT * { ?x :p :a BIND(NOW() AS ?r) }",
    ],
)
def test_other_nodes_have_none(text):
    assert shape_of(node(text)) is None


def parts(text):
    node = pattern(text)
    found = split_pattern(node)
    assert found.variables == node.variables
    written = []
    for part in nodes_of(found):
        assert isinstance(part, BGP | Join | Project)
        if isinstance(part, BGP):
            written.append([node.patterns.index(each) for each in part.patterns])
    return written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?x a :A . ?x :p ?y", [[0, 1]]),
        ("?x a :A . ?y a :B", [[0], [1]]),
        ("?x a :A . ?y a :B . ?x :p ?y", [[0, 1, 2]]),
        ("?x a :A . :a :p :b", [[0], [1]]),
        ("?x ?p ?y", [[0]]),
        ("?x a :A . ?x ?p ?o . ?x :r ?y", [[0, 2], [1]]),
        ("?x a ?c . ?x :p ?y . ?x :q ?z", [[0], [1, 2]]),
        ("?y a :A . ?z a :B . ?y ?p ?z", [[0], [2], [1]]),
        ("?x :p ?v . ?x ?q ?v . ?x :r ?v", [[0], [1], [2]]),
        ("?x ?q ?v . ?x :p ?v . ?x :r ?v", [[0], [1, 2]]),
    ],
)
def test_a_pattern_is_a_join_of_parts(text, expected):
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("?x a :A", True), ("?x :p 1", True), ("?x a ?c", False), ("?x ?p :a", False), ("?x a ?x", False)],
)
def test_the_kernel_matches_patterns_of_one_class_or_property(text, expected):
    (only,) = pattern(text).patterns
    assert is_kernel_pattern(only) is expected

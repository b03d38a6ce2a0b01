"""Nodes that differ in the names in their patterns have one shape."""

import pytest
from rdflib import URIRef

from answered import read
from asked import PREFIXES
from pantarhei.query.algebra.nodes import Project
from pantarhei.query.algebra.passes import simplified
from pantarhei.query.incremental.shapes import parameters_of, particular, shape_of


def node(text):
    return simplified(read(text).node, has_forms=True)


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
        assert particular(of.node, names) == Project(one, one.variables)


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

"""Values that stand for variables before a query is answered, and what is looked at from inside."""

import pytest
from rdflib import Literal, URIRef, Variable

from answered import pattern
from pantarhei.query.algebra.binding import bound, looks_outside, tells_time, with_bindings
from pantarhei.query.algebra.nodes import Join, Values, nodes_of

X, Y, Z = map(Variable, "xyz")
A = URIRef("urn:a")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("?x :p ?y", ""),
        ("?x :p ?y FILTER(?y = ?z)", "z"),
        ("?x :p ?y FILTER(?y = 1)", ""),
        ("OPTIONAL { ?x :p ?y } FILTER(?y = 1)", "y"),
        ("?x :p ?y OPTIONAL { ?y :p ?z FILTER(?z = ?w && ?x = 1) }", "w"),
        ("?x :p ?y BIND(?z AS ?w)", "z"),
        ("?x :p ?y MINUS { ?y :p ?z }", "yz"),
        ("{ SELECT ?x { ?x :p ?y FILTER(?z) } }", "z"),
        ("?x :p ?y FILTER EXISTS { ?z :p ?y }", "z"),
        ("OPTIONAL { ?x :p ?y } FILTER EXISTS { ?z :p ?y }", "yz"),
    ],
)
def test_a_node_looks_outside_for_what_its_own_patterns_may_leave_unbound(text, seen):
    assert looks_outside(pattern(text)) == set(map(Variable, seen))


def test_a_node_tells_the_time_where_an_expression_in_it_does():
    assert tells_time(pattern("{ SELECT ?x { ?x :p ?y FILTER(?y < NOW()) } }"))
    assert not tells_time(pattern("{ SELECT ?x { ?x :p ?y FILTER(?y < RAND()) } }"))


def test_a_value_stands_in_patterns_and_expressions_and_is_still_a_column():
    node = bound(pattern("?x :p ?y FILTER(?x != ?y)"), {X: A})
    assert node.variables == (Y, X)
    assert A in node.condition.arguments
    assert all(X not in getattr(part, "patterns", ()) for part in nodes_of(node))


@pytest.mark.parametrize(
    "text",
    [
        "?x :p+ ?y",
        "?y !:p ?x",
        "GRAPH ?x { ?y :p ?z }",
        "OPTIONAL { ?y :p ?z FILTER(?z = ?x) }",
        "OPTIONAL { ?y :p ?z FILTER EXISTS { ?z :p ?x } }",
        "?y :p ?z FILTER NOT EXISTS { ?x :p ?z }",
        "{ SELECT ?y (COUNT(?x) AS ?n) { ?x :p ?y } GROUP BY ?y }",
        "{ SELECT ?y { ?y :p ?z } ORDER BY ?x }",
    ],
)
def test_a_value_stands_everywhere(text):
    """What is left of the variable names a column, and is computed from nothing."""
    for part in nodes_of(bound(pattern(text), {X: A})):
        for triple in getattr(part, "patterns", ()):
            assert X not in triple.places
        assert X not in (getattr(part, "subject", None), getattr(part, "object", None))
        assert X not in looks_outside(part)


def test_without_values_a_node_stays_itself():
    node = pattern("?x :p ?y")
    assert bound(node, {}) is node


def test_values_from_outside_are_joined_with_the_query():
    node = with_bindings(pattern("?y :p ?z"), {X: A, Y: Literal(1)})
    assert isinstance(node, Join) and node.left == Values((X, Y), ((A, Literal(1)),))

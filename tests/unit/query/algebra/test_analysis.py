"""The classes and properties that queries look at."""

import pytest
from rdflib import OWL, RDF, BNode, Literal, Namespace, URIRef, Variable

from engine_answers import pattern, read
from oracle_answers import PREFIXES
from pantarhei.query.algebra.analysis import (
    correlated_variables,
    depends_on_clock,
    substitute,
    symbols_of_pattern,
    symbols_of_query,
    with_bindings,
)
from pantarhei.query.algebra.nodes import Join, Values, nodes_of

EX = Namespace(PREFIXES[""])


def names(query):
    found = symbols_of_query(read(query))
    return None if found is None else {(str(name).removeprefix(str(EX)), arity) for name, arity in found}


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("?x a :C", {("C", 1)}),
        ("?x :p ?y . ?y a :C", {("p", 2), ("C", 1)}),
        ("?x :p/:q+ ?y", {("p", 2), ("q", 2)}),
        ("?x ^:p ?y OPTIONAL { ?x a :C }", {("p", 2), ("C", 1)}),
        ("?x :p ?y MINUS { ?x :q ?y } FILTER NOT EXISTS { ?y a :C }", {("p", 2), ("q", 2), ("C", 1)}),
        ("?x :p ?y OPTIONAL { ?y :q ?z FILTER EXISTS { ?x a :C } }", {("p", 2), ("q", 2), ("C", 1)}),
        ("{ SELECT ?x { ?x :p ?y } LIMIT 1 } UNION { ?x a :C }", {("p", 2), ("C", 1)}),
        ("VALUES ?x { 1 }", set()),
        (
            "?x :p ?y GRAPH <urn:pantarhei:conclusions> { ?x a ?c FILTER NOT EXISTS { ?x !:q ?z } }",
            {("p", 2)},
        ),
        ("GRAPH <urn:pantarhei:schema> { ?c ?p ?d } ?x a :C", {("C", 1)}),
    ],
)
def test_a_query_looks_at_what_it_names_wherever_that_stands(where, found):
    assert names(f"SELECT * {{ {where} }}") == found


@pytest.mark.parametrize(
    "where",
    [
        "?x ?p ?y",
        "?x a ?c",
        "?x a []",
        "?x !:p ?y",
        "?x :p* ?y",
        "?x :p? ?y",
        "GRAPH ?g { ?x :p ?y }",
        "GRAPH <urn:pantarhei:at:7> { ?x :p ?y }",
        "GRAPH <urn:pantarhei:conclusions> { GRAPH ?g { ?x :p ?y } }",
    ],
)
def test_an_open_class_or_property_looks_at_all_and_so_do_graphs_and_paths_of_no_step(where):
    assert names(f"SELECT * {{ {where} }}") is None


def test_other_graphs_and_descriptions_look_at_all():
    assert names("SELECT * FROM <urn:pantarhei:schema> { ?x :p ?y }") is None
    assert names("DESCRIBE ?x { ?x :p ?y }") is None
    assert names("CONSTRUCT { ?x ?p ?y } WHERE { ?x :p ?y BIND(:q AS ?p) }") == {("p", 2)}


@pytest.mark.parametrize(
    ("predicate", "object_"), [(None, EX.a), (RDF.type, None), (RDF.type, BNode("b")), (Literal(1), None)]
)
def test_a_pattern_looks_at_all_unless_it_names_what_it_looks_at(predicate, object_):
    assert symbols_of_pattern(predicate, object_) is None
    assert symbols_of_pattern(OWL.sameAs, object_) == {(OWL.sameAs, 2)}


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
    assert correlated_variables(pattern(text)) == set(map(Variable, seen))


def test_a_node_tells_the_time_where_an_expression_in_it_does():
    assert depends_on_clock(pattern("{ SELECT ?x { ?x :p ?y FILTER(?y < NOW()) } }"))
    assert not depends_on_clock(pattern("{ SELECT ?x { ?x :p ?y FILTER(?y < RAND()) } }"))


def test_a_value_stands_in_patterns_and_expressions_and_is_still_a_column():
    node = substitute(pattern("?x :p ?y FILTER(?x != ?y)"), {X: A})
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
    for part in nodes_of(substitute(pattern(text), {X: A})):
        for triple in getattr(part, "patterns", ()):
            assert X not in triple.terms
        assert X not in (getattr(part, "subject", None), getattr(part, "object", None))
        assert X not in correlated_variables(part)


def test_without_values_a_node_stays_itself():
    node = pattern("?x :p ?y")
    assert substitute(node, {}) is node


def test_values_from_outside_are_joined_with_the_query():
    node = with_bindings(pattern("?y :p ?z"), {X: A, Y: Literal(1)})
    assert isinstance(node, Join) and node.left == Values((X, Y), ((A, Literal(1)),))

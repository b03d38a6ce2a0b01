"""The classes and properties that queries look at."""

import pytest
from rdflib import OWL, RDF, BNode, Literal, Namespace

from answered import read
from asked import PREFIXES
from pantarhei.query.algebra.symbols import symbols_of_pattern, symbols_of_query

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

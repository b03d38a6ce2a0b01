"""Paths: expected pairs are worked out by hand from SPARQL 1.1, section 18.4."""

import pytest
from rdflib import URIRef

from oracle_answers import rows, triples

#   a -p-> b -p-> c -q-> d      a -q-> c      e -p-> e
DATA = ":a :p :b ; :q :c . :b :p :c . :c :q :d . :e :p :e ."


@pytest.mark.parametrize(
    ("path", "pairs"),
    [
        (":p", ["a b", "b c", "e e"]),
        ("^:p", ["b a", "c b", "e e"]),
        (":p/:p", ["a c", "e e"]),
        (":p/:q", ["b d"]),
        (":p|:q", ["a b", "a c", "b c", "c d", "e e"]),
        (":p|:p", ["a b", "a b", "b c", "b c", "e e", "e e"]),
        (":p+", ["a b", "a c", "b c", "e e"]),
        (":p*", ["a a", "a b", "a c", "b b", "b c", "c c", "d d", "e e"]),
        (":p?", ["a a", "a b", "b b", "b c", "c c", "d d", "e e"]),
        ("(:p|:q)+", ["a b", "a c", "a d", "b c", "b d", "c d", "e e"]),
        ("(^:q/:p)+", ["c b"]),
        ("!:p", ["a c", "c d"]),
        ("!(:p|:q)", []),
        ("!^:p", ["c a", "d c"]),
        ("!(:p|^:q)", ["a c", "b a", "c b", "c d", "e e"]),
        ("!(^:p|^:q)", []),
        ("^!(:p|^:q)", ["a b", "b c", "c a", "d c", "e e"]),
        ("(:p/:p)?", ["a a", "a c", "b b", "c c", "d d", "e e"]),
    ],
)
def test_a_path_relates(path, pairs):
    assert rows(f"SELECT * {{ ?x {path} ?y }}", DATA) == pairs


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (":a :p* ?y", ["a", "b", "c"]),
        ("?y :p* :c", ["a", "b", "c"]),
        (":none :p* ?y", ["none"]),
        ("?y :p? 7", ["7^integer"]),
        (":none :p+ ?y", []),
        (":none :p*/:q? ?y", []),  # between them stands a variable, which is a node of the graph
        (":none (:p*/:q)? ?y", ["none"]),
        ("?y :p* ?y", ["a", "b", "c", "d", "e"]),
        ("?y :p+ ?y", ["e"]),
    ],
)
def test_an_end_may_be_a_constant_or_the_other_end(pattern, found):
    assert rows(f"SELECT ?y {{ {pattern} }}", DATA) == found


def test_two_ways_are_two_rows_but_for_repeated_paths():
    data = ":a :p :b, :c . :b :p :d . :c :p :d ."
    assert rows("SELECT ?y { :a :p/:p ?y }", data) == ["d", "d"]
    assert rows("SELECT ?y { :a :p+ ?y }", data) == ["b", "c", "d"]


def test_what_is_bound_elsewhere_is_no_constant():
    assert rows("SELECT ?x ?y { BIND(:none AS ?x) ?x :p* ?y }", DATA) == []
    assert rows("SELECT ?x { VALUES ?x { :none } FILTER EXISTS { ?x :p* ?y } }", DATA) == ["none"]


def test_a_literal_is_one_end_in_all_its_forms():
    data = ':a :p 1 . :b :p "01"^^xsd:integer . :c :p "+1"^^xsd:integer .'
    assert rows("SELECT ?x { :a :p/^:p ?x }", data) == ["a", "b", "c"]
    assert rows("SELECT ?x { 1 (^:p/:p)+ ?x }", data) == ["+1^integer"]
    assert rows("SELECT ?x { ?x :none? ?y FILTER isNumeric(?y) }", data) == ["+1^integer"]
    assert rows("SELECT ?x ?y { :b :p ?x . ?x :none? ?y }", data) == ["01^integer +1^integer"]


def test_inside_graph_a_path_is_one_of_that_graph():

    named = {URIRef("urn:g"): triples(":x :p :y ."), URIRef("urn:h"): triples(":y :p :z .")}
    assert rows("SELECT ?g ?b { GRAPH ?g { ?a :p+ ?b } }", DATA, named=named) == ["g y", "h z"]
    assert rows("SELECT ?g ?b { GRAPH ?g { ?a :none? ?b } }", DATA, named=named) == [
        "g x",
        "g y",
        "h y",
        "h z",
    ]

"""Texts as algebra: what is refused, and which columns there are."""

import pytest

from oracle.answers import answers
from oracle_answers import rows, triples
from pantarhei.errors import QueryError


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT ?x {", "malformed"),
        ("SELECT ?x { ?x ex:p 1 }", "prefix ex:"),
        ("SELECT ?x { SERVICE <urn:s> { ?x ?p ?o } }", "SERVICE"),
        ("SELECT * { ?x ?p ?o } GROUP BY ?x", "cannot be grouped"),
        ("SELECT ?o { ?x ?p ?o } GROUP BY ?x", r"\?o"),
        ("SELECT (?o + 1 AS ?n) { ?x ?p ?o } GROUP BY ?x", r"\?o"),
        ("SELECT * { ?x ?p ?o BIND(1 AS ?o) }", r"\?o is assigned"),
        ("SELECT (1 AS ?x) { ?x ?p ?o }", r"\?x is assigned"),
        ("SELECT * { VALUES (?x ?y) { (1) } }", "VALUES"),
    ],
)
def test_what_breaks_a_rule_is_refused(query, reason):
    with pytest.raises(QueryError, match=reason):
        answers(query, ())


@pytest.mark.parametrize(
    ("pattern", "columns"),
    [
        ("?b ?a ?c . ?a ?d ?b", "b a c d"),
        ("FILTER(?z > 1) ?b ?a 1", "b a"),
        ("?x ?y 1 MINUS { ?x ?q ?w } FILTER EXISTS { ?v ?u ?t }", "x y"),
        ("OPTIONAL { ?x ?y ?z } { ?w ?x 1 } UNION { ?v ?u ?x }", "x y z w v u"),
        ("{ SELECT ?b ?a { ?a ?b ?c } } ?c ?a 1", "b a c"),
        ("GRAPH ?g { ?x ?y 1 } BIND(?x AS ?w)", "g x y w"),
        ("VALUES (?b ?a) { } ?a ?c []", "b a c"),
        ("?x ?p [ ?q ?y ] , ( ?z )", "x p q y z"),
    ],
)
def test_the_columns_of_select_all_are_in_the_order_of_the_text(pattern, columns):
    assert " ".join(answers(f"SELECT * {{ {pattern} }}", ()).variables) == columns


def test_constants_keep_their_form():
    assert rows("SELECT * { VALUES ?v { 01 +1 1.50 -0.0 1e0 } }") == [
        "+1^integer",
        "-0.0^decimal",
        "01^integer",
        "1.50^decimal",
        "1e0^double",
    ]


def test_a_later_expression_sees_an_earlier_one():
    assert rows("SELECT (1 AS ?a) (?a + 1 AS ?b) {}") == ["1^integer 2^integer"]
    assert rows("SELECT (COUNT(*) AS ?n) (?n + 1 AS ?m) {}") == ["1^integer 2^integer"]


def test_having_takes_a_sample_of_what_is_not_grouped():
    query = "SELECT ?x { ?x :p ?v } GROUP BY ?x HAVING(?v < 2)"
    assert rows(query, ":a :p 1, 3 . :b :p 3 .") == ["a"]


def test_blank_nodes_with_one_label_are_one_in_a_basic_pattern():
    assert rows("SELECT ?v { _:n :p ?v . FILTER(?v > 0) _:n :q 1 }", ":a :p 1 ; :q 1 . :b :p 2 .") == [
        "1^integer"
    ]


def test_construct_makes_triples_and_blank_nodes_for_each_row():
    data = triples(":a :p 1, 2 ; :q :b .")
    found = answers("CONSTRUCT { ?x <urn:n> _:n . _:n <urn:v> ?v . ?v <urn:w> ?x } { ?x <urn:p> ?v }", data)
    assert len(found.triples) == 4
    short = answers("CONSTRUCT WHERE { ?x <urn:q> ?y }", data)
    assert short.triples == frozenset(triples(":a :q :b ."))


def test_describe_follows_blank_nodes():
    data = triples(":a :p [ :q 1 ] . :b :p 2 . :c :r :a .")
    assert len(answers("DESCRIBE <urn:a>", data).triples) == 2
    assert len(answers("DESCRIBE ?x { ?x <urn:r> ?y }", data).triples) == 1

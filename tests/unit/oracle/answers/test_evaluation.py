"""Solutions of patterns: expected rows are worked out by hand from SPARQL 1.1, section 18."""

from rdflib import XSD, Literal, URIRef

from oracle.answers import answers
from oracle_answers import rows, rows_in_order, triples

DATA = """
    :a :p 1 ; :q "01"^^xsd:integer ; :r :b .
    :b :p 2 ; :q 3 ; :r :c .
    :c :p "1"^^xsd:double .
    :d :q 2.0 .
"""


def literal(text, datatype=XSD.integer):
    return Literal(text, datatype=datatype, normalize=False)


def test_a_join_goes_by_value_and_shows_the_form_that_comes_first():
    assert rows("SELECT ?x ?v { ?x :p ?v . ?x :q ?v }", DATA) == ["a 1^integer"]
    assert rows("SELECT ?x ?v { ?x :q ?v . ?x :p ?v }", DATA) == ["a 01^integer"]


def test_a_double_and_an_integer_have_no_value_in_common():
    assert rows("SELECT ?x ?y { ?x :p ?v . ?y :q ?v FILTER(?x != ?y) }", DATA) == ["b d"]
    assert rows("SELECT ?x { ?x :p 1e0 }", DATA) == ["c"]


def test_a_constant_matches_by_value():
    assert rows("SELECT ?x ?v { ?x :q 1, ?v }", DATA) == ["a 01^integer"]
    assert answers("ASK { <urn:d> <urn:q> 02 }", triples(DATA)).ask is True


def test_optional_minus_and_exists_join_by_value():
    assert rows("SELECT ?x ?y { ?x :p ?v OPTIONAL { ?y :q ?v } }", DATA) == ["a a", "b d", "c -"]
    assert rows("SELECT ?x { ?x :p ?v MINUS { ?y :q ?v } }", DATA) == ["c"]
    assert rows("SELECT ?x { ?x :p ?v FILTER NOT EXISTS { ?y :q ?v } }", DATA) == ["c"]
    assert rows("SELECT ?x { ?x :p ?v VALUES ?v { 1.0 02 } }", DATA) == ["a", "b"]


def test_distinct_and_groups_go_by_form():
    data = ':a :p 1 . :b :p "01"^^xsd:integer . :c :p 1 .'
    assert rows("SELECT DISTINCT ?v { ?x :p ?v }", data) == ["01^integer", "1^integer"]
    assert rows("SELECT ?v (COUNT(*) AS ?n) { ?x :p ?v } GROUP BY ?v", data) == [
        "01^integer 1^integer",
        "1^integer 2^integer",
    ]
    assert rows("SELECT (COUNT(DISTINCT ?v) AS ?n) { ?x :p ?v }", data) == ["2^integer"]


def test_the_filter_of_an_optional_group_sees_both_sides():
    assert rows("SELECT ?x ?w { ?x :p ?v OPTIONAL { ?x :q ?w FILTER(?v < ?w) } }", DATA) == [
        "a -",
        "b 3^integer",
        "c -",
    ]
    assert rows("SELECT ?x ?w { ?x :p ?v OPTIONAL { { ?x :q ?w FILTER(?v < ?w) } } }", DATA) == [
        "a -",
        "b -",
        "c -",
    ]


def test_minus_takes_away_only_what_shares_a_variable():
    assert rows("SELECT ?x { ?x :p ?v MINUS { ?z :q ?w } }", DATA) == ["a", "b", "c"]
    assert rows("SELECT ?x { ?x :p ?v MINUS { OPTIONAL { ?x :q ?w } } }", DATA) == ["c"]


def test_union_keeps_duplicates_and_reduced_is_the_bag():
    assert rows("SELECT REDUCED ?x { { ?x :p 1 } UNION { ?x :r :b } }", DATA) == ["a", "a"]


def test_values_may_leave_a_variable_open():
    assert rows("SELECT ?x ?v { VALUES (?x ?v) { (:a UNDEF) (UNDEF 2.0) (:c 5) } ?x :p ?v }", DATA) == [
        "a 1^integer",
        "b 2.0^decimal",
    ]
    assert rows("SELECT ?x { ?x :p ?v } VALUES (?x ?v) { (:a 1) (:a 01) }", DATA) == ["a", "a"]


def test_a_bind_of_an_error_leaves_its_variable_unbound():
    assert rows("SELECT ?x ?y { ?x :r ?z BIND(?z + 1 AS ?y) }", DATA) == ["a -", "b -"]


def test_exists_sees_the_row_in_filters_and_deep_inside():
    nested = "FILTER EXISTS { ?x :q ?w FILTER(?w > ?v) FILTER NOT EXISTS { ?x :r ?z FILTER(?v > 2) } }"
    assert rows(f"SELECT ?x {{ ?x :p ?v {nested} }}", DATA) == ["b"]
    assert rows("SELECT ?x { ?x :p ?v FILTER EXISTS { BIND(?v + 1 AS ?w) FILTER(?w = 3) } }", DATA) == ["b"]
    assert rows('SELECT ?x { ?x :p ?v FILTER EXISTS { ?y :q ?v FILTER(STR(?v) = "1") } }', DATA) == ["a"]


def test_a_nested_select_hides_what_it_does_not_select_from_exists():
    hidden = "{ SELECT ?y { ?y :q ?v } }"
    assert rows(f"SELECT ?x {{ ?x :p ?v FILTER EXISTS {{ {hidden} }} }}", DATA) == ["a", "b", "c"]
    assert rows("SELECT ?x { ?x :p ?v FILTER EXISTS { { SELECT ?v { ?y :q ?v } } } }", DATA) == ["a", "b"]
    assert rows("SELECT ?x { ?x :p ?v FILTER EXISTS { VALUES ?v { 1.0 } } }", DATA) == ["a"]


def test_minus_inside_exists_sees_the_variables_of_the_row():
    assert rows("SELECT ?x { ?x :p ?v FILTER EXISTS { ?x :p ?w MINUS { ?x :q 3 } } }", DATA) == ["a", "c"]


def test_groups_without_rows_have_none_and_no_groups_have_one_row():
    assert rows("SELECT ?x (COUNT(*) AS ?n) { ?x :none ?v } GROUP BY ?x", DATA) == []
    assert rows("SELECT (COUNT(*) AS ?n) (SUM(?v) AS ?s) (MIN(?v) AS ?m) { ?x :none ?v }", DATA) == [
        "0^integer 0^integer -"
    ]


def test_having_and_order_by_take_aggregates():
    query = "SELECT ?x (SUM(?v) AS ?s) { ?x ?p ?v FILTER isNumeric(?v) } GROUP BY ?x HAVING(COUNT(*) > 1)"
    assert rows(query, DATA) == ["a 2^integer", "b 5^integer"]
    assert rows_in_order(f"{query} ORDER BY DESC(SUM(?v) + 1)", DATA) == ["b 5^integer", "a 2^integer"]


def test_a_group_can_be_of_expressions():
    assert rows(
        "SELECT ?k (COUNT(*) AS ?n) { ?x :p ?v } GROUP BY (DATATYPE(?v) AS ?k) ORDER BY ?k", DATA
    ) == [
        "double 1^integer",
        "integer 2^integer",
    ]
    assert rows("SELECT (COUNT(*) AS ?n) { ?x :r ?z } GROUP BY (?z + 1)", DATA) == ["2^integer"]


def test_the_graphs_of_a_dataset_are_reached_by_name_and_by_variable():
    named = {URIRef("urn:g"): triples(":a :p 1 ."), URIRef("urn:h"): triples(":a :p 2 .")}
    assert rows("SELECT ?g ?v { GRAPH ?g { ?x :p ?v } }", DATA, named=named) == ["g 1^integer", "h 2^integer"]
    assert rows("SELECT ?v { GRAPH :h { ?x :p ?v } }", DATA, named=named) == ["2^integer"]
    assert rows("SELECT ?g { GRAPH ?g { } }", DATA, named=named) == ["g", "h"]
    assert rows("SELECT ?g { GRAPH :none { } }", DATA, named=named) == []
    assert rows("SELECT ?v FROM :g { ?x :p ?v }", DATA, named=named) == ["1^integer"]
    assert rows(
        "SELECT ?g ?v FROM :g FROM NAMED :h { ?x :p ?w GRAPH ?g { ?x :p ?v } }", DATA, named=named
    ) == ["h 2^integer"]


def test_bindings_stand_for_their_variables_everywhere():
    least = {"least": literal("02")}
    assert rows("SELECT ?x { ?x :p ?v FILTER(?v >= ?least) }", DATA, bindings=least) == ["b"]
    assert rows("SELECT ?x ?least { { SELECT ?x { ?x :p ?least } } }", DATA, bindings=least) == [
        "b 02^integer"
    ]
    assert rows("SELECT ?v { OPTIONAL { :none :p ?v } }", DATA, bindings={"v": literal("7")}) == ["7^integer"]


def test_a_limit_on_an_open_order_in_a_nested_select_is_not_determined():
    def is_determined(order):
        inner = f"SELECT ?x {{ ?x :p ?v }} {order} LIMIT 1"
        text = f"SELECT * {{ {{ {inner} }} }}".replace(":p", "<urn:p>")
        return answers(text, triples(DATA)).is_determined

    assert not is_determined("")
    assert is_determined("ORDER BY ?x")
    assert is_determined("ORDER BY DESC(?v)")
    assert not is_determined("ORDER BY ?v")

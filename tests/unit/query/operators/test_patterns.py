"""Basic graph patterns: what they match, in which forms, and from which pattern on."""

import pytest
from rdflib import RDF

from answered import ask, rows
from pantarhei.query.operators import patterns as matching
from pantarhei.query.sources.view import GraphFacts

DATA = """
    :a a :C ; :p :b ; :v 1 . :b a :C, :D ; :p :c, :b ; :v 01, 2 . :c :p :a ; :v 1.0 .
    :p a :Property .
"""


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?x a :D", ["b"]),
        ("?x a ?y", ["a C", "b C", "b D", "p Property"]),
        (":a ?x ?y", ["p b", "rdf:type C", "v 1^integer"]),
        ("?x :p ?x", ["b"]),
        ("?x ?y ?x", ["b p"]),
        (":a :p :b", [""]),
        (":a :p :c", []),
        ("?x :v 1", ["a", "b", "c"]),
        ("?x :p ?y . ?y :p ?z . ?z :p ?x", ["a b c", "b b b", "b c a", "c a b"]),
        ("?x :p ?y . ?x a ?c . ?y a ?c", ["a b C", "b b C", "b b D"]),
        ("?x a ?c . ?y ?q ?c . :a :p ?y", ["a C b rdf:type", "b C b rdf:type", "b D b rdf:type"]),
        ("?x ?q ?y . ?q a :Property", ["a p b", "b p b", "b p c", "c p a"]),
        ("?x a :D . ?y a :Property", ["b p"]),
        ("?x :none ?y", []),
        ('"a" :p ?x', []),
    ],
)
def test_patterns_match_together(pattern, expected):
    found = [row.replace(str(RDF), "rdf:") for row in rows(f"SELECT * {{ {pattern} }}", DATA)]
    assert sorted(found) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (":a :v ?v . :b :v ?v", ["1^integer"]),
        (":b :v ?v . :a :v ?v", ["01^integer"]),
        ("?x :v ?v . ?y :v ?v FILTER(?x = :a && ?y = :b)", ["1^integer"]),
        ("VALUES ?v { 001 } :b :v ?v", ["001^integer"]),
        (":b :v ?v VALUES ?v { 001 }", ["01^integer"]),
    ],
)
def test_matches_agree_by_value_and_show_the_form_of_the_first_in_the_text(pattern, expected):
    assert rows(f"SELECT ?v {{ {pattern} }}", DATA) == expected


def test_two_forms_of_a_value_are_two_facts():
    assert rows("SELECT ?v { :x :v ?v } ORDER BY STR(?v)", ":x :v 1, 01 .") == ["01^integer", "1^integer"]


STAR = " ".join(f":s{i} a :Sensor ; :kind :k{i % 2} ; :v {i} ; :room :r{i % 100} ." for i in range(500))


def steps(query, data=STAR):
    """The predicates of the patterns in the order in which they are matched, and the rows after each."""
    lines = [line.strip() for line in ask(query, data).plan().splitlines() if " there" in line]
    return [(line.split()[1], int(line.split()[-2].replace(",", ""))) for line in lines]


def test_the_most_selective_pattern_is_matched_first_wherever_it_stands():
    query = "SELECT ?x { ?x :kind ?k . ?x :v ?v . ?x :room :r7 }"
    assert steps(query)[0] == ("urn:room", 5)
    assert all(count <= 5 for _, count in steps(query))


def test_patterns_are_gone_on_from_rows_that_are_there_before_others_are_begun():
    order = [name for name, _ in steps("SELECT * { :s1 :room ?r . ?y :kind ?k . ?y :room ?r }")]
    assert order == ["urn:room", "urn:room", "urn:kind"]


def test_nothing_is_matched_any_more_once_no_row_is_left():
    assert steps("SELECT * { :s1 :room :r2 . ?y :kind ?k . ?y :v ?v }") == [("urn:room", 0)]


def test_a_condition_is_tested_before_the_next_pattern(monkeypatch):
    sizes = []
    test = matching.truth

    def noted(condition, table, context):
        sizes.append(table.size)
        return test(condition, table, context)

    monkeypatch.setattr(matching, "truth", noted)
    query = "SELECT * { ?x :v ?v . ?y :v ?w . ?x :room ?r FILTER(?v = 3 && ?w = 4) }"
    assert len(ask(query, STAR)) == 1
    assert max(sizes) <= 500, "the product of 500 times 500 rows is never made"


def test_a_limit_without_an_order_does_not_match_all_facts(monkeypatch):
    sizes = []
    make = matching.PatternMatcher.join

    def noted(self, start):
        found = make(self, start)
        sizes.append(found.size)
        return found

    monkeypatch.setattr(matching.PatternMatcher, "join", noted)
    assert len(ask("SELECT * { ?x :kind ?k . ?y :kind ?k } LIMIT 3", STAR)) == 3
    assert sum(sizes) < 500 * 250 / 4
    sizes.clear()
    assert ask("ASK { ?x :kind ?k . ?y :kind ?k }", STAR).askAnswer
    assert sum(sizes) < 500 * 250 / 4


def test_a_graph_is_asked_for_each_predicate_once(monkeypatch):
    asked = []
    relation = GraphFacts.relation
    monkeypatch.setattr(GraphFacts, "relation", lambda self, name: asked.append(name) or relation(self, name))
    ask("SELECT * { ?x :v ?v . ?x :room ?r }", STAR)
    assert {str(name) for name in asked} == {"urn:v", "urn:room"}


def test_rows_that_leave_a_variable_open_are_matched_by_themselves():
    query = "SELECT * { VALUES (?x ?v) { (:s1 UNDEF) (UNDEF 2) (:s3 4) } ?x :v ?v }"
    assert sorted(rows(query, STAR)) == ["s1 1^integer", "s2 2^integer"]

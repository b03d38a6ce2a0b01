"""Basic graph patterns of many queries are a few bodies of the kernel; rows show the forms of the facts."""

import pytest

from pantarhei.query.incremental.leaves import RecomputeLeaf
from pantarhei.query.incremental.pattern_changes import FactLeaf
from registered_queries import RegisteredQueries


def bodies(followed):
    return len(followed.reasoner._registrar._registry._sources.whole.patterns._bodies)


def test_patterns_that_differ_in_constants_and_names_are_one_body():
    followed = RegisteredQueries(":a :p ?x . ?x a :C", ":b :p ?y . ?y a :C", "?x :p :a")
    assert bodies(followed) == 2
    rows = followed.push(":a :p :c . :b :p :d . :c a :C . :d :p :a . :a a :C .")
    assert [list(found) for found in rows] == [["c"], [], ["d"]]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?x :p ?x", {"a": 1}),
        (":a :p :a", {"": 1}),
        ("?x :p ?y . ?y :p ?x", {"a a": 1, "b c": 1, "c b": 1}),
        ("?x :p ?y . ?x :p ?y", {"a a": 1, "b c": 1, "c b": 1}),
        (":b :p ?y . :c :p ?z", {"c b": 1}),
        ("?x :p :c . :a :p :a", {"b": 1}),
        (":a :p :b", {}),
        ("?x a :C . ?y a :C", {}),
    ],
)
def test_matches_bind_what_the_pattern_says(pattern, expected):
    followed = RegisteredQueries(pattern)
    assert followed.push(":a :p :a . :b :p :c . :c :p :b .") == [expected]
    assert followed.push("") == [{}] or expected == {}


def test_a_value_is_shown_in_the_form_of_the_first_pattern_that_has_it():
    followed = RegisteredQueries("?x :p ?v . ?x :q ?v", "?x :q ?v . ?x :p ?v")
    assert followed.push(":a :p 1 ; :q 01 .") == [{"a 1": 1}, {"a 01": 1}]
    assert followed.push("") == [{}, {}]
    assert followed.push(":a :p 01 ; :q 001 .") == [{"a 01": 1}, {"a 001": 1}]


def test_a_constant_agrees_by_value():
    followed = RegisteredQueries("?x :p 1")
    assert followed.push(":a :p 01 . :b :p 1.0 . :c :p 2 .") == [{"a": 1, "b": 1}]


def test_a_query_that_is_closed_leaves_the_others_alone():
    followed = RegisteredQueries(":a :p ?x", ":b :p ?x", ":a :p ?y")
    followed.queries[0].close()
    assert followed.push(":a :p :c . :b :p :d .")[1:] == [{"d": 1}, {"c": 1}]
    followed.queries[1].close()
    followed.queries[2].close()
    assert bodies(followed) == 0


def test_a_pattern_costs_nothing_before_each_of_its_predicates_has_had_facts():
    followed = RegisteredQueries("?x :p ?y ; a :C", "?x :p ?y")
    planned = followed.reasoner._registrar._registry._sources.whole.patterns
    assert followed.push(":a :p :b .") == [{}, {"a b": 1}]
    assert len(planned._planned) == 1
    assert followed.push(":a :p :b ; a :C .") == [{"a b": 1}, {"a b": 1}]
    assert followed.push("") == [{}, {}]
    assert followed.push(":a :p :b ; a :C .") == [{"a b": 1}, {"a b": 1}]
    assert len(planned._planned) == 2


def test_what_a_step_brings_last_and_what_it_takes_are_both_seen():
    followed = RegisteredQueries("?x :p ?y . ?y :q ?z")
    assert followed.push(":a :p :b .") == [{}]
    assert followed.push(":b :q :c .") == [{}]
    assert followed.push(":a :p :b . :b :q :c .") == [{"a b c": 1}]


def test_what_goes_right_after_a_query_was_registered_is_seen():
    followed = RegisteredQueries()
    followed.push(":a :p :b .")
    followed.queries.append(followed.register("SELECT * { ?x :p ?y }"))
    assert followed.push("") == [{}]


DATA = ":a :p :b ; :q 01 ; a :C . :b :p :b . :p :p :p ."


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (":a ?p ?o", ["p b", "q 01", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> C"]),
        ("?s ?p 1", ["a q"]),
        ("?x a ?c", ["a C"]),
        (":a ?p :b", ["p"]),
        ("?x ?p ?x", ["b p", "p p"]),
        ("?x ?x ?y", ["p p"]),
        ("?x ?x ?x", ["p"]),
        ("?s !(:p|:q) ?o", ["a C"]),
        (":a !:q ?o", ["b", "C"]),
        ("?x !:q ?x", ["b", "p"]),
        ("?s ?p ?o . ?o :p ?o", ["a p b", "b p b", "p p p"]),
        ("?s a ?c . ?s ?p ?v . ?s :q ?v", ["a C q 01"]),
        ("?s ?p ?o . :b :p :b . FILTER isLiteral(?o)", ["a q 01"]),
    ],
)
def test_facts_that_come_and_go_are_seen(pattern, expected):
    followed = RegisteredQueries(pattern)
    (rows,) = followed.push(DATA)
    texts = [text.replace("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "type") for text in expected]
    shown = [row.replace("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "type") for row in rows]
    assert sorted(shown) == sorted(texts)
    assert followed.push(":p :p :p .")[0].keys() <= rows.keys()
    assert followed.push("") == [{}]


def test_nothing_is_evaluated_anew():
    followed = RegisteredQueries("?s ?p ?o . ?s a ?c . ?s !:q ?o", ":a ?p ?o")
    network = followed.reasoner._registrar._registry.network
    assert [operator for operator in network if isinstance(operator, RecomputeLeaf)] == []
    assert len([operator for operator in network if isinstance(operator, FactLeaf)]) == 4


def test_a_fact_is_not_shown_to_leaves_of_other_constants():
    followed = RegisteredQueries(":a ?p ?o", ":b ?p ?o", "?s ?p :c")
    facts = followed.reasoner._registrar._registry._sources.whole.facts
    followed.push(":d :p :e .")
    assert None not in facts._by_constant
    assert len(facts._by_constant) == 3
    followed.queries[0].close()
    del followed.queries[0]
    assert followed.push(":b :p :c .") == [{"p c": 1}, {"b p": 1}]
    assert len(facts._by_constant) == 2

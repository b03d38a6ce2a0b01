"""Patterns that leave open which class or property, and paths of other predicates, follow the facts."""

import pytest

from followed_queries import Followed
from pantarhei.query.incremental.facts import FactLeaf
from pantarhei.query.incremental.leaves import WholeLeaf

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
    followed = Followed(pattern)
    (rows,) = followed.push(DATA)
    texts = [text.replace("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "type") for text in expected]
    shown = [row.replace("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "type") for row in rows]
    assert sorted(shown) == sorted(texts)
    assert followed.push(":p :p :p .")[0].keys() <= rows.keys()
    assert followed.push("") == [{}]


def test_nothing_is_evaluated_anew():
    followed = Followed("?s ?p ?o . ?s a ?c . ?s !:q ?o", ":a ?p ?o")
    network = followed.reasoner._registrar._registry.network
    assert [operator for operator in network if isinstance(operator, WholeLeaf)] == []
    assert len([operator for operator in network if isinstance(operator, FactLeaf)]) == 4


def test_a_fact_is_not_shown_to_leaves_of_other_constants():
    followed = Followed(":a ?p ?o", ":b ?p ?o", "?s ?p :c")
    facts = followed.reasoner._registrar._registry._contents.whole.facts
    followed.push(":d :p :e .")
    assert None not in facts._by_given
    assert len(facts._by_given) == 3
    followed.queries[0].close()
    del followed.queries[0]
    assert followed.push(":b :p :c .") == [{"p c": 1}, {"b p": 1}]
    assert len(facts._by_given) == 2

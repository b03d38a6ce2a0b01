"""Basic graph patterns of many queries are a few bodies of the kernel; rows show the forms of the facts."""

from collections import Counter

import pytest
from rdflib import Graph

from asked import PREFIXES, triples
from pantarhei import StreamReasoner, Window, load_ontology
from signed_bags import text_of

DECLARED = "".join(f"PREFIX {prefix}: <{iri}> " for prefix, iri in PREFIXES.items())


class Case:
    def __init__(self, *patterns):
        self.reasoner = StreamReasoner(load_ontology(Graph()), Window(range=0))
        self.queries = [
            self.reasoner.register(f"{DECLARED} SELECT * {{ {pattern} }}") for pattern in patterns
        ]
        self.now = 0

    def push(self, data):
        self.now += 1
        self.reasoner.push(self.now, triples(data))
        return [self.rows(query) for query in self.queries]

    @staticmethod
    def rows(query):
        return Counter({" ".join(map(text_of, row)): n for row, n in dict(query.answers).items()})

    @property
    def shapes(self):
        return len(self.reasoner._registrar._registry._whole.patterns._shapes)


def test_patterns_that_differ_in_constants_and_names_are_one_body():
    case = Case(":a :p ?x . ?x a :C", ":b :p ?y . ?y a :C", "?x :p :a")
    assert case.shapes == 2
    rows = case.push(":a :p :c . :b :p :d . :c a :C . :d :p :a . :a a :C .")
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
    case = Case(pattern)
    assert case.push(":a :p :a . :b :p :c . :c :p :b .") == [expected]
    assert case.push("") == [{}] or expected == {}


def test_a_value_is_shown_in_the_form_of_the_first_pattern_that_has_it():
    case = Case("?x :p ?v . ?x :q ?v", "?x :q ?v . ?x :p ?v")
    assert case.push(":a :p 1 ; :q 01 .") == [{"a 1": 1}, {"a 01": 1}]
    assert case.push("") == [{}, {}]
    assert case.push(":a :p 01 ; :q 001 .") == [{"a 01": 1}, {"a 001": 1}]


def test_a_constant_agrees_by_value():
    case = Case("?x :p 1")
    assert case.push(":a :p 01 . :b :p 1.0 . :c :p 2 .") == [{"a": 1, "b": 1}]


def test_a_query_that_is_closed_leaves_the_others_alone():
    case = Case(":a :p ?x", ":b :p ?x", ":a :p ?y")
    case.queries[0].close()
    assert case.push(":a :p :c . :b :p :d .")[1:] == [{"d": 1}, {"c": 1}]
    case.queries[1].close()
    case.queries[2].close()
    assert case.shapes == 0

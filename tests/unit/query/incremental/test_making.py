"""Which nodes are kept up from the changes of what is below, and which are evaluated anew as wholes."""

import pytest

from answered import read
from followed_queries import Followed
from pantarhei.query.algebra.nodes import nodes_of
from pantarhei.query.incremental.making import is_whole


@pytest.mark.parametrize(
    ("query", "is_any"),
    [
        ("SELECT * { ?s ?p ?o . OPTIONAL { ?s :p ?v FILTER(?v > 1) } MINUS { ?s a :A } }", False),
        ("SELECT (AVG(?v) AS ?a) { ?s :p+ ?v . ?s !:q ?t FILTER EXISTS { ?s a ?c } } GROUP BY ?s", False),
        ("SELECT DISTINCT ?s { ?s :p* ?o BIND(RAND() AS ?r) } ORDER BY ?s LIMIT 5", False),
        ("SELECT * { GRAPH ?g { ?s ?p ?o } }", True),
        ("SELECT * { ?s :p ?v FILTER(?v < NOW()) }", True),
        ("SELECT (MAX(NOW()) AS ?m) { ?s :p ?v }", True),
        ("SELECT * { ?s :p ?v FILTER(RAND() < 0.5) }", True),
        ("SELECT * { ?s (:p*)* ?v }", True),
        ("SELECT * { ?s a :A OPTIONAL { ?s :p ?v FILTER EXISTS { ?v a :A } } }", True),
        ("SELECT * { ?s :p ?v FILTER EXISTS { { ?s a ?c FILTER(?v > 1) } UNION { ?s a :A } } }", True),
        ("SELECT DISTINCT ?s { ?s :p ?v } ORDER BY ?v LIMIT 5", True),
    ],
)
def test_a_query_has_parts_that_are_evaluated_anew_or_not(query, is_any):
    assert any(map(is_whole, nodes_of(read(query).node))) is is_any


@pytest.mark.parametrize(
    ("query", "operators"),
    [
        ("SELECT * { ?s :p ?v FILTER(?v > 1) }", ["FilteredLeaf"]),
        ("SELECT ?s { ?s :p ?v ; a :A FILTER(?v > 1 || ?v < 0) }", ["ProjectOperator", "FilteredLeaf"]),
        ("SELECT * { ?s :p ?v ; :q ?w FILTER(?v > ?w) }", ["FilterOperator", "PatternLeaf"]),
        ("SELECT * { ?s ?p ?v FILTER(?v > 1) }", ["FilterOperator", "FactLeaf"]),
    ],
)
def test_a_condition_on_one_variable_is_looked_at_by_what_matches_the_pattern(query, operators):
    followed = Followed()
    followed.push(":a :p 2 ; a :A ; :q 1 . :b :p 1 ; a :A ; :q 3 . :c :p :d .")
    followed.queries.append(followed.register(query))
    (registered,) = followed.reasoner._registrar._registry.queries.values()
    found, operator = [], registered.root
    while operator is not None:
        found.append(type(operator).__name__)
        operator = next(iter(operator.inputs), None)
    assert found == operators
    followed.push(":c :p 2.0 ; a :A ; :q 1 . :b :p 9 .")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("SELECT ?s (AVG(?v) AS ?a) { ?s :p ?v } GROUP BY ?s", "Group by ?s; AVG(?v) as ?a"),
        ("SELECT (MAX(?v) AS ?m) (?s AS ?t) ?s { ?s :p ?v } GROUP BY ?s", "Project ?m ?t ?s"),
        ("SELECT (MAX(?v) AS ?m) ?s { ?s :p ?v } GROUP BY ?s", "Group by ?s; MAX(?v) as ?m"),
        ("SELECT (MAX(?v) AS ?m) { ?s :p ?v } GROUP BY ?s", "Project ?m"),
        ("SELECT (MAX(?v) AS ?m) { ?s :p ?v ; :in :hall }", "Group all rows; MAX(?v) as ?m"),
    ],
)
def test_a_group_says_its_rows_as_they_are_selected_where_each_stays_one(query, first):
    followed = Followed()
    followed.push(":a :p 1 ; :in :hall . :b :p 1 ; :in :hall .")
    assert followed.register(query).plan().startswith(f"{first}  (")

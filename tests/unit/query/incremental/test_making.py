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

"""A plan says of each part of a query what a change costs, and shows its patterns."""

import pytest

from followed_queries import Followed

DATA = ":s1 :value 20.5 ; :in :hall . :s2 :value 21.5 ; :in :hall ."


def plan(query, data=DATA):
    followed = Followed()
    followed.push(data)
    return followed.register(query).plan()


def test_it_shows_operators_their_rows_and_patterns():
    assert (
        plan("SELECT ?r (AVG(?v) AS ?a) { ?s :value ?v ; :in ?r FILTER(?v > 20) } GROUP BY ?r")
        == """\
Group by ?r; AVG(?v) as ?a  (exact per row)  → 2 rows kept
  Project ?v ?r  (exact per row)
    Filter (?v > 20)  (exact per row)
      Match
        ?s urn:value ?v
        ?s urn:in ?r"""
    )


@pytest.mark.parametrize(
    ("query", "line"),
    [
        (
            "SELECT (MAX(?v) AS ?m) { ?s :value ?v }",
            "Group all rows; MAX(?v) as ?m  (each changed group anew)",
        ),
        ("SELECT * { ?s :in+ ?r }", "Path ?s (+) ?r  (each source anew from which a change is reached)"),
        ("SELECT * { ?s :in* ?r }", "Terms of the graph  (exact per row)"),
        ("SELECT * { ?s :in ?r } LIMIT 1", "Slice limit 1  (the slice anew, of rows kept in order)"),
        ("SELECT * { ?s :in ?r OPTIONAL { ?s :value ?v FILTER(?v > 1) } }", "  Filter (?v > 1)"),
        ("SELECT * { ?s :in ?r OPTIONAL { ?s :value ?v FILTER(?v > ?r) } }", "Optional if (?v > ?r)"),
        ("SELECT * { ?s :in ?r FILTER EXISTS { ?s :value ?v FILTER(?v > 1) } }", "  Filter (?v > 1)"),
        ("SELECT * { GRAPH ?g { ?s :in ?r } }", "Graph ?g  (anew as a whole, and compared)"),
        ("SELECT * { GRAPH ?g { ?s :in ?r } }", "  ?s urn:in ?r"),
        ("SELECT * { ?s ?p ?o }", "Match  (exact per row)"),
        ("ASK { ?s :in ?r }", "Ask  (exact per row)"),
        ("CONSTRUCT { ?r :has ?s } { ?s :in ?r }", "Construct  (exact per row)"),
        ("DESCRIBE ?s { ?s :in ?r }", "Describe  (anew as a whole, and compared)"),
    ],
)
def test_it_says_what_a_change_costs(query, line):
    assert any(line in each for each in plan(query).splitlines())

"""What registered queries need to be derived."""

from datetime import UTC, datetime, timedelta

import pytest
from rdflib import URIRef

from answered import read
from asked import PREFIXES
from followed_queries import Followed
from pantarhei import Window
from pantarhei.encoding.numbers import Symbol
from pantarhei.query.continuous_query import PLAIN, ReportPolicy
from pantarhei.query.incremental.query_state import SavedQuery, from_bytes, needed_symbols, to_bytes

QUERY = read("SELECT * { ?x a :C }")
NAMED = {Symbol(URIRef(PREFIXES[""] + "C"), 1)}


def test_a_query_needs_what_it_names():
    assert needed_symbols(QUERY, PLAIN) == NAMED
    assert needed_symbols(read("SELECT * { ?x ?p ?y }"), PLAIN) is None


@pytest.mark.parametrize(
    ("on", "emit", "needed"),
    [
        ("change", "rstream", None),  # any fact may be the one that has changed
        (("change", "close"), "rstream", None),
        ("close", "rstream", NAMED),
        ("change", "istream", NAMED),
    ],
)
def test_one_that_tells_all_answers_whenever_something_has_changed_needs_all(on, emit, needed):
    assert needed_symbols(QUERY, ReportPolicy.of(on, emit)) == needed


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
            "Group all rows; MAX(?v) as ?m  (recomputes each changed group)",
        ),
        ("SELECT * { ?s :in+ ?r }", "Path ?s (+) ?r  (recomputes each source that reaches a change)"),
        ("SELECT * { ?s :in* ?r }", "Terms of the graph  (exact per row)"),
        ("SELECT * { ?s :in ?r } LIMIT 1", "Slice limit 1  (recomputes the slice from sorted rows)"),
        ("SELECT * { ?s :in ?r OPTIONAL { ?s :value ?v FILTER(?v > 1) } }", "  Filter (?v > 1)"),
        ("SELECT * { ?s :in ?r OPTIONAL { ?s :value ?v FILTER(?v > ?r) } }", "Optional if (?v > ?r)"),
        ("SELECT * { ?s :in ?r FILTER EXISTS { ?s :value ?v FILTER(?v > 1) } }", "  Filter (?v > 1)"),
        ("SELECT * { GRAPH ?g { ?s :in ?r } }", "Graph ?g  (re-evaluates the node, and compares the rows)"),
        ("SELECT * { GRAPH ?g { ?s :in ?r } }", "  ?s urn:in ?r"),
        ("SELECT * { ?s ?p ?o }", "Match  (exact per row)"),
        ("ASK { ?s :in ?r }", "Ask  (exact per row)"),
        ("CONSTRUCT { ?r :has ?s } { ?s :in ?r }", "Construct  (exact per row)"),
        ("DESCRIBE ?s { ?s :in ?r }", "Describe  (re-evaluates the node, and compares the rows)"),
    ],
)
def test_it_says_what_a_change_costs(query, line):
    assert any(line in each for each in plan(query).splitlines())


WINDOWS = [
    None,
    Window(3),
    Window(2.5, 1.5, 0.5, "right"),
    Window("PT5M", "PT1M", datetime(2026, 1, 2, 3, tzinfo=UTC), "left"),
    Window(timedelta(minutes=5), timedelta(seconds=30)),
]
POLICIES = [
    PLAIN,
    ReportPolicy.of(("close", "non-empty"), "rstream"),
    ReportPolicy.of(("change", "PT1M"), "istream"),
]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("policy", POLICIES)
def test_queries_come_back_as_they_were(window, policy):
    rows = None if policy.is_plain else [['"a\\u00e4"@de', None, 2], ["<urn:x>", "_:b", 1]]
    moved = [["<urn:x>", "<urn:p>", '"1"^^<http://www.w3.org/2001/XMLSchema#byte>', -1]]
    query = SavedQuery("q", "ASK {}", policy, window, 7, rows, moved)
    (found,) = from_bytes(to_bytes([query]))
    assert (found.name, found.text, found.policy, found.window) == ("q", "ASK {}", policy, window)
    assert (found.closed, found.changed_facts) == (7, moved)
    assert (found.rows is None) if rows is None else sorted(found.rows, key=str) == sorted(rows, key=str)


def test_the_same_queries_are_the_same_bytes_whatever_the_order_of_rows():
    one, other = (
        SavedQuery("q", "ASK {}", POLICIES[1], None, None, rows, [])
        for rows in ([["<urn:a>", 1], ["<urn:b>", 2]], [["<urn:b>", 2], ["<urn:a>", 1]])
    )
    assert to_bytes([one]) == to_bytes([other])

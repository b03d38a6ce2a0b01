"""What registered queries need to be derived."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from rdflib import Literal, URIRef

from counts import seeds
from engine_answers import read
from oracle_answers import PREFIXES
from pantarhei import Window
from pantarhei.encoding.numbers import Symbol
from pantarhei.query.continuous_query import PLAIN, ReportPolicy
from pantarhei.query.incremental.persistent_terms import Decoder
from pantarhei.query.incremental.query_state import (
    ReadAnswers,
    SavedQuery,
    Version,
    from_bytes,
    needed_symbols,
    to_bytes,
)
from registered_queries import RegisteredQueries
from threads import run

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
    followed = RegisteredQueries()
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


class Made:
    """A decoder that counts the terms that it makes."""

    def __init__(self):
        self.count = 0
        self.decoder = Decoder([], self.term)

    def term(self, number):
        self.count += 1
        return Literal(number)


def terms(answers):
    return Counter({tuple(map(Literal, row)): copies for row, copies in answers.items()})


def changes(random, answers):
    """A change of the answers, which it makes in them."""
    change = {}
    for _ in range(random.choice((0, 1, 2, 9))):
        row = (random.randrange(9), random.randrange(3))
        before = answers.get(row, 0) - change.get(row, 0)
        after = random.choice((0, 0, 1, 2))
        change[row] = after - before
        answers[row] = after
        if not after:
            del answers[row]
    return {row: weight for row, weight in change.items() if weight}


@pytest.mark.parametrize("seed", seeds(10, 200, long=20_000))
def test_each_version_is_the_answers_at_its_time(seed, monkeypatch):
    monkeypatch.setattr("pantarhei.query.incremental.query_state._MIN_HELD", 3)
    random, answers, version, made = Random(seed), {}, None, Made()
    known, read = [], ReadAnswers()
    for _ in range(30):
        if random.random() < 0.1:
            made = Made()  # terms have other numbers, which here are the same ones
        change = changes(random, answers)
        version = Version.after(version, change, answers, made.decoder)
        known.append((version, terms(answers)))
        if random.random() < 0.3:
            assert read.rows(answers, made.decoder) == terms(answers)
        if random.random() < 0.4:
            some, expected = random.choice(known)
            assert some.rows() == expected
    random.shuffle(known)
    assert all(some.rows() == expected for some, expected in known)


def test_a_version_costs_what_has_changed():
    made, answers = Made(), {(number,): 1 for number in range(1000)}
    version = Version.after(None, {}, answers, made.decoder)
    assert made.count == 0
    version.rows()
    for number in range(1000, 3000):
        change = {(number,): 1, (number - 1000,): -1}
        answers[number,] = 1
        del answers[number - 1000,]
        version = Version.after(version, change, answers, made.decoder)
        version.rows()
    assert made.count == 3000


def test_versions_that_nobody_reads_hold_no_more_than_the_answers():
    made, answers, version = Made(), {(number,): 1 for number in range(1000)}, None
    for number in range(1000, 20_000):
        change = {(number,): 1, (number - 1000,): -1}
        answers[number,] = 1
        del answers[number - 1000,]
        version = Version.after(version, change, answers, made.decoder)
        assert version.held <= 1000
    assert made.count == 0 and version.rows() == terms(answers)


def test_a_caller_may_change_what_it_gets():
    version = Version.after(None, {}, {(1,): 2}, Made().decoder)
    version.rows().clear()
    assert version.rows() == {(Literal(1),): 2}


def test_threads_read_versions_at_once():
    made, answers, versions = Made(), {}, [None]
    expected = []
    for number in range(200):
        answers[number,] = 1
        versions.append(Version.after(versions[-1], {(number,): 1}, answers, made.decoder))
        expected.append(terms(answers))

    def read(order):
        assert all(versions[place + 1].rows() == expected[place] for place in order)

    assert run([lambda: read(range(200)), lambda: read(range(199, -1, -1)), lambda: read(range(200))]) == []

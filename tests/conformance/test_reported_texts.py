"""What texts in the languages report over small streams, worked by hand."""

from datetime import UTC, datetime, timedelta

import pytest
from rdflib import Namespace

from continuous_reports import engine_reports, oracle_reports, without_empty
from pantarhei.model.time import TimeKind

EX = Namespace("http://example.org/")
PREFIX = "PREFIX : <http://example.org/>"


def at(person, room):
    return EX[person], EX.isIn, EX[room]


#   time      1        2        3        4        5        6        7
#            ann a    bob a    ann b             bob b
POSITIONS = [
    (1, [at("ann", "a")]),
    (2, [at("bob", "a")]),
    (3, [at("ann", "b")]),
    (5, [at("bob", "b")]),
]


def told(text, streams=None, kind=TimeKind.INTEGER, until=8, **options):
    """`3: ann a | bob a` for two rows at 3."""
    given = streams or {EX.positions: POSITIONS}
    found = oracle_reports(f"{PREFIX} {text}", given, kind, until=until, **options)
    run = engine_reports(f"{PREFIX} {text}", given, until=until, **options)
    assert without_empty(run) == without_empty(found)
    assert all(report in found for report in run)
    return [f"{time}: {' | '.join(sorted(map(shown, rows.elements())))}".strip() for time, rows in found]


def shown(row):
    return " ".join(str(term).removeprefix(EX) for term in row) or "yes"


# -- one query in each language ----------------------------------------------------------------------


def test_c_sparql_reports_windows_that_are_not_empty_when_they_close():
    assert told("SELECT ?who ?where FROM STREAM :positions [RANGE 2 STEP 2] { ?who :isIn ?where }") == [
        "2: ann a | bob a",
        "4: ann b",
        "6: bob b",
    ]


def test_rsp_ql_reports_each_whole_window():
    window = "FROM NAMED WINDOW :w ON :positions [RANGE 4 STEP 2]"
    text = f"SELECT ?who ?where {window} {{ WINDOW :w {{ ?who :isIn ?where }} }}"
    assert told(text) == [
        "4: ann a | ann b | bob a",
        "6: ann b | bob b",
    ]
    assert told(f"REGISTER ISTREAM :o AS {text}") == ["4: ann a | ann b | bob a", "6: bob b"]
    assert told(f"REGISTER DSTREAM :o AS {text}", until=13) == [
        "4:",
        "6: ann a | bob a",
        "8: ann b",
        "10: bob b",
        "12:",
    ]


def test_cqels_streams_what_is_new_at_each_timestamp():
    text = "SELECT ?who ?where { STREAM :positions [RANGE 3] { ?who :isIn ?where } }"
    assert told(text) == ["1: ann a", "2: bob a", "3: ann b", "5: bob b"]


def test_cqels_joins_windows_of_one_stream():
    """Who is now where another has been within the last three."""
    text = """SELECT ?new ?old { STREAM :positions [NOW] { ?new :isIn ?where }
    STREAM :positions [RANGE 3] { ?old :isIn ?where } FILTER(?new != ?old) }"""
    assert told(text) == ["1:", "2: bob ann", "3:", "5: bob ann"]


def test_all_that_a_stream_has_brought_stays():
    text = "SELECT (COUNT(*) AS ?n) { STREAM :positions [ALL] { ?who :isIn ?where } }"
    assert told(text) == ["1: 1", "2: 2", "3: 3", "5: 4"]


#   1 ann a | 2 bob a, 3 ann b | 5 bob b             the windows of two triples
def test_c_sparql_counts_triples_window_by_window():
    text = "SELECT ?who ?where FROM STREAM :positions [RANGE TRIPLES {}] {{ ?who :isIn ?where }}"
    assert told(text.format(2)) == ["2: ann a | bob a", "5: ann b | bob b"]
    assert told(text.format(3)) == ["3: ann a | ann b | bob a"]
    together = {
        EX.positions: [(1, [at("ann", "a")]), (2, [at("bob", "a"), at("ann", "b")]), (5, [at("bob", "b")])]
    }
    assert told(text.format(2), together) == ["2: ann a | ann b | bob a"]


def test_cqels_counts_the_newest_triples():
    text = "SELECT ?who ?where { STREAM :positions [TRIPLES 2] { ?who :isIn ?where } }"
    assert told(text) == ["1: ann a", "2: bob a", "3: ann b", "5: bob b"]
    assert told(text.replace("?who ?where {", "(COUNT(*) AS ?n) {")) == ["1: 1", "2: 2", "3:", "5:"]


def test_c_sparql_asks_when_a_triple_came():
    """Who was in a room before another came, and since when he is there."""
    text = """PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#>
    SELECT ?first ?second (f:timestamp(?first, :isIn, ?where) AS ?since)
    FROM STREAM :positions [RANGE 6 STEP 6] {
    ?first :isIn ?where . ?second :isIn ?where
    FILTER(f:timestamp(?first, :isIn, ?where) < timestamp(?second, :isIn, ?where)) }"""
    assert told(text) == ["6: ann bob 1 | ann bob 3"]


# -- what windows are joined with --------------------------------------------------------------------


def test_streams_are_joined_with_static_graphs_and_with_each_other():
    streams = {EX.positions: POSITIONS, EX.calls: [(2, [(EX.ann, EX.calls, EX.bob)]), (6, [])]}
    text = """SELECT ?who ?where FROM STREAM :positions [RANGE 2 STEP 2]
    FROM NAMED STREAM :calls [RANGE 4 STEP 4] FROM :plan
    WHERE { ?who :isIn ?where . ?where :x :y GRAPH :calls { ?who :calls ?other } }"""
    plan = {EX.plan: [(EX.a, EX.x, EX.y), (EX.b, EX.x, EX.y)]}
    assert told(text, streams, static=plan) == ["2: ann a", "4: ann b", "6:"]


def test_a_graph_that_is_not_named_is_not_seen():
    text = "SELECT ?who FROM STREAM :positions [RANGE 2 STEP 2] {} { ?who :isIn ?where . ?where :x :y }"
    plan = {EX.plan: [(EX.a, EX.x, EX.y)]}
    assert told(text.replace("{}", "", 1), static=plan) == ["2:", "4:", "6:"]
    assert told(text.replace("{}", "FROM :plan", 1), static=plan) == ["2: ann | bob", "4:", "6:"]


def test_the_past_is_another_window():
    """Who is where he was not between four and two ago."""
    text = """SELECT ?who ?where FROM NAMED WINDOW :now ON :positions [RANGE 2 STEP 2]
    FROM NAMED WINDOW :then ON :positions [FROM NOW-4 TO NOW-2 STEP 2]
    { WINDOW :now { ?who :isIn ?where } MINUS { WINDOW :then { ?who :isIn ?where } } }"""
    assert told(text) == ["2: ann a | bob a", "4: ann b", "6: bob b"]


# -- forms, policies, times --------------------------------------------------------------------------


def test_ask_and_construct_report_too():
    window = "FROM STREAM :positions [RANGE 1 STEP 1]"
    assert told(f"ASK {window} {{ :ann :isIn ?where }}") == ["1: yes", "2:", "3: yes", "5:"]
    assert told(f"CONSTRUCT {{ ?where :holds ?who }} {window} {{ ?who :isIn ?where }}", until=3) == [
        "1: a holds ann",
        "2: a holds bob",
        "3: b holds ann",
    ]


def test_reports_may_be_asked_for_otherwise():
    text = """SELECT ?who FROM NAMED WINDOW :w ON :positions [RANGE 2 STEP 1
    REPORT PERIODIC 3 TICK BATCH_DRIVEN] { WINDOW :w { ?who :isIn ?where } }"""
    assert told(text) == ["3: ann | bob"]


def test_a_period_leaves_windows_out():
    text = """REGISTER QUERY q COMPUTED EVERY 4 AS
    SELECT ?who FROM STREAM :positions [RANGE 2 STEP 2] { ?who ?p ?o }"""
    assert told(text) == ["4: ann"]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ("RANGE 1m STEP 30s", ["30: ann a", "60: ann a | bob a", "90: bob a"]),
        ("RANGE PT1M TUMBLING", ["60: ann a | bob a"]),
    ],
)
def test_durations_are_of_streams_of_datetimes(bounds, expected):
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    stream = [
        (noon + timedelta(seconds=10), [at("ann", "a")]),
        (noon + timedelta(seconds=50), [at("bob", "a")]),
    ]
    text = f"SELECT ?who ?where FROM STREAM :positions [{bounds}] {{ ?who :isIn ?where }}"
    end = noon + timedelta(seconds=140)
    found = oracle_reports(f"{PREFIX} {text}", {EX.positions: stream}, TimeKind.DATETIME, until=end)
    assert [
        f"{(time - noon).seconds}: {' | '.join(sorted(map(shown, rows.elements())))}" for time, rows in found
    ] == expected

"""Queries over streams: what is refused, what runs, and what the handle says meanwhile."""

import asyncio
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.errors import (
    LateABoxError,
    MissingOptionError,
    OptionError,
    QueryError,
    QueryTextError,
    StreamsEndedError,
    TimestampError,
)

EX = Namespace("http://example.org/")
HEAD = "PREFIX : <http://example.org/> "
ONTOLOGY = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:A rdfs:subClassOf :B . :B owl:disjointWith :C .
"""
C_SPARQL = "SELECT ?x FROM STREAM :s [RANGE 2 STEP 2] { ?x a :A }"
RSP_QL = "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 2 STEP 2] { WINDOW :w { ?x a :A } }"
TWO = """SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 2 STEP 2] FROM NAMED WINDOW :v ON :s [RANGE 4 STEP 2]
{ WINDOW :w { ?x a :A } WINDOW :v { ?x a :B } }"""
COUNTING = "SELECT ?x FROM STREAM :s [TRIPLES 2] { ?x a :A }"
TIMES = "SELECT ?x ?t FROM STREAM :s [RANGE 4 STEP 4] { ?x a :B BIND(timestamp(?x, rdf:type, :B) AS ?t) }"


def member(name, class_):
    return EX[name], RDF.type, EX[class_]


def ontology():
    return pr.load_ontology(Graph().parse(data=ONTOLOGY))


STREAM = [(1, [member("a", "A")]), (2, [member("b", "A")]), (5, [member("a", "C")])]


def made(text, *stream, **options):
    streams = options.pop("streams", {EX.s: list(stream) or STREAM})
    return pr.register(HEAD + text, options.pop("ontology", None), streams, **options)


def told(query):
    """`2: a b` for two rows at 2, `-a` for one that went."""
    return [
        f"{at}: {' '.join([*sorted(map(shown, came)), *(f'-{shown(row)}' for row in sorted(went))])}".strip()
        for at, came, went in query.run()
    ]


def shown(row):
    return ",".join(str(term).removeprefix(EX) for term in row)


# -- what runs ---------------------------------------------------------------------------------------


def test_a_query_says_what_it_holds():
    for text, kept in ((C_SPARQL, 0), (TWO.replace(":B", ":A"), 2), (COUNTING, 2)):
        query = made(text, (1, [member("a", "A")]), (2, [member("b", "A")]), (3, []), since=0)
        next(query.run())
        assert query.stats().kept == kept and query.stats().answers == len(query.answers)


def test_windows_over_one_stream_are_kept_up_to_date_and_the_plan_says_what_each_is():
    assert made(C_SPARQL).plan().startswith("Maintained over one window\n  the default graph: Window(")
    assert (
        made(TWO).plan()
        == """\
Maintained over windows that are views of one window
  <http://example.org/w>: Window(range=2, slide=2, origin=0, closed='right') over <http://example.org/s>
  <http://example.org/v>: Window(range=4, slide=2, origin=0, closed='right') over <http://example.org/s>
Join  (exact per row)
  Graph w
    Match  (exact per row)
      ?x type A
  Graph v
    Match  (exact per row)
      ?x type B"""
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ASK FROM NAMED WINDOW :w ON :s [FROM NOW-4 TO NOW-2 STEP 2] { WINDOW :w { ?x a :A } }", "the past"),
        ("ASK { STREAM :s [ALL] { ?x a :A } }", "no end"),
        (C_SPARQL.replace("RANGE 2 STEP 2", "TRIPLES 3"), "its window counts triples"),
        ("ASK { STREAM :s [ELEMENTS 3] { ?x a :A } }", "its window counts ABoxes"),
        (C_SPARQL.replace("?x a :A", "?x a :A FILTER(timestamp(?x, :p, :o) > 1)"), "the times of triples"),
        ("ASK FROM NAMED WINDOW :w ON :s [RANGE 2 STEP 2] { GRAPH ?w { ?x a :A } }", "GRAPH has a variable"),
        (
            "ASK FROM STREAM :s [RANGE 2 STEP 2] FROM NAMED :g { ?x a :A GRAPH :g { ?x a :B } }",
            "static named graph",
        ),
        (
            TWO.replace("RANGE 4 STEP 2", "FROM NOW-4 TO NOW-2 STEP 2"),
            "window <http://example.org/v> is in the past",
        ),
        (TWO.replace(":v ON :s", ":v ON :t"), "its windows are over several streams"),
        (
            "ASK FROM STREAM :s [RANGE 2 STEP 2] FROM STREAM :s [RANGE 4 STEP 2] { ?x a :A }",
            "its default graph consists of several windows",
        ),
        (
            "ASK FROM STREAM :s [RANGE 2 STEP 2] FROM NAMED STREAM :s [RANGE 4 STEP 2] FROM :g { ?x a :A }",
            "a window with static graphs, which other windows do not contain",
        ),
    ],
)
def test_the_plan_says_why_a_query_is_evaluated_anew(text, reason):
    query = made(text, streams={EX.s: STREAM, EX.t: STREAM}, static={EX.g: [member("g", "B")]})
    assert query.plan().splitlines()[0].startswith("Re-evaluated at each report: ")
    assert reason in query.plan()


@pytest.mark.parametrize("text", [C_SPARQL, TWO])
def test_windows_are_closed_under_the_ontology(text):
    assert told(made(text.replace(":A", ":B"), ontology=ontology(), since=0))[0] == "2: a b"


@pytest.mark.parametrize("given", [None, ontology()])
def test_several_windows_are_repaired_newest_wins(given):
    """The newer of two contradicting facts hides the older one, in the longer window too."""
    stream = [(1, [member("a", "A")]), (3, [member("a", "C")])]
    text = TWO.replace(":A", ":C").replace(":B", ":A")
    expected = "4:" if given else "4: a"
    assert told(made(text, *stream, ontology=given, since=0)) == ["2:", expected, "6:"]


def test_static_graphs_are_part_of_the_default_graph_and_of_what_follows():
    text = "SELECT ?x FROM STREAM :s [RANGE 2 STEP 2] FROM :plan { ?x a :B ; :in :lab }"
    placed = (EX.b, EX["in"], EX.lab)
    query = made(text, ontology=ontology(), static={EX.plan: [placed, placed, member("c", "A")]})
    assert told(query) == ["2: b", "6:"]
    assert told(made(text, ontology=ontology(), static={EX.plan: []})) == ["2:", "6:"]


@pytest.mark.parametrize("text", [RSP_QL, TWO])
def test_static_graphs_are_no_part_of_named_windows(text):
    query = made(text.replace("FROM", "FROM :plan FROM", 1), static={EX.plan: [member("c", "A")]}, since=0)
    assert "c" not in " ".join(told(query)).split()


def test_sparql_has_a_window_that_is_given():
    query = made("SELECT ?x { ?x a :A }", window=pr.Window(2))
    assert told(query) == ["1: a", "2: b", "5: -a -b"]


def test_streams_may_be_files(tmp_path):
    path = tmp_path / "s.nq"
    path.write_text("".join(f"<{x}> <{p}> <{c}> <urn:at:{at}> .\n" for at, [(x, p, c)] in STREAM))
    for given in (path, str(path)):
        assert told(made(C_SPARQL, streams={str(EX.s): given})) == ["2: a b", "6:"]


def test_times_may_be_datetimes():
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    stream = [(noon + timedelta(seconds=at), abox) for at, abox in STREAM]
    text = C_SPARQL.replace("RANGE 2 STEP 2", "RANGE 2s STEP 2s")
    ends = [(report.at - noon).seconds for report in made(text, *stream).run()]
    assert ends == [2, 6]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT ?x { STREAM :s [NOW] { ?x a :A } }", ["1: a", "2: b"]),
        ("SELECT ?x { STREAM :s [ALL] { ?x a :A } }", ["1: a", "2: b"]),
        ("REGISTER QUERY q COMPUTED EVERY 2s AS SELECT ?x { STREAM :s [NOW] { ?x a :A } }", ["2: b"]),
        ("SELECT ?x { STREAM :s [NOW] { ?x a :C } STREAM :s [RANGE 9s] { ?x a :A } }", ["5: a"]),
    ],
)
def test_the_newest_timestamp_and_everything_may_be_asked_for_on_a_clock_too(text, expected):
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    query = made(text, *((noon + timedelta(seconds=at), abox) for at, abox in STREAM))
    assert [line.removeprefix("2026-03-01 12:00:0").replace("+00:00", "") for line in told(query)] == expected


@pytest.mark.parametrize("text", [C_SPARQL, TWO])
def test_a_range_in_numbers_needs_times_that_are_numbers(text):
    with pytest.raises(TimestampError, match=r"the duration [24] .* since the stream's time is a datetime"):
        list(made(text, (datetime(2026, 3, 1, tzinfo=UTC), [])).run())


@pytest.mark.parametrize("text", [C_SPARQL, TWO])
def test_a_stream_of_floats_has_integers_too(text):
    stream = [(1, [member("a", "A")]), (1.5, [member("b", "A")]), (2, [member("c", "A")])]
    assert (
        told(made(text.replace("RANGE 2", "RANGE 2.0"), *stream, ontology=ontology(), since=0))[0]
        == "2.0: a b c"
    )


@pytest.mark.parametrize("text", [C_SPARQL, TWO])
def test_blank_nodes_of_tables_are_their_own(text):
    columns = {"subject": ["_:b"], "predicate": [RDF.type.n3()], "object": [EX.A.n3()]}
    stream = [(1, pa.table(columns)), (2, pa.table(columns))]
    report = next(made(text, *stream, ontology=ontology(), since=0).run())
    assert (report.at, len(report.added)) == (2, 2)


def test_streams_are_read_no_further_than_needed():
    read = []

    def stream():
        for at in range(1, 100):
            read.append(at)
            yield at, [member("a", "A")]

    reports = made(C_SPARQL, streams={EX.s: stream()}).run()
    assert read == []
    assert next(reports).at == 2 and read == [1, 2, 3]


def test_at_the_end_all_windows_close_that_hold_something():
    text = C_SPARQL.replace("RANGE 2 STEP 2", "RANGE 4 STEP 1")
    assert told(made(text, (1, [member("a", "A")]))) == ["1: a", "2: a", "3: a", "4: a"]
    assert told(made(text, (1, [member("a", "A")]), until=3)) == ["1: a", "2: a"]


def test_windows_lie_where_they_are_said_to():
    assert told(made(C_SPARQL, origin=1)) == ["1: a", "3: b", "5:"]
    assert told(made(C_SPARQL, closed="left")) == ["2: a", "4: b", "6:"]
    assert told(made(RSP_QL)) == ["4:", "6:"]
    assert told(made(RSP_QL, since=0)) == ["2: a b", "4:", "6:"]


# -- contents that change ----------------------------------------------------------------------------

# a is A (and so B), which C contradicts: of one timestamp neither is kept, until A comes again.
AGAIN = [(1, [member("a", "A")]), (3, [member("a", "A"), member("a", "C")]), (5, [member("a", "A")])]
ON_CHANGE = " REPORT ON_CONTENT_CHANGE"
CHANGED = "SELECT ?x { STREAM :s [RANGE 100] { ?x a :B } }"


@pytest.mark.parametrize(
    "bounds",
    ["RANGE 100", "ALL", "TRIPLES 9", "RANGE 100] { } STREAM :s [RANGE 50"],
)
def test_an_assertion_that_comes_again_and_is_kept_this_time_changes_a_content(bounds):
    query = made(CHANGED.replace("RANGE 100", bounds), *AGAIN, ontology=ontology())
    assert told(query) == ["1: a", "5: a"]
    assert dict(query.answers) == {(EX.a,): 1}


@pytest.mark.parametrize(
    "bounds", ["RANGE 100", "RANGE 100] { } STREAM :s [RANGE 50", "ALL", "FROM NOW-100 TO NOW-0"]
)
def test_what_holds_already_changes_no_content(bounds):
    """What follows already, what comes again, and another form of a number."""
    low, high = (Literal(each, datatype=XSD.integer, normalize=False) for each in ("1", "01"))
    stream = [
        (1, [member("a", "A"), (EX.a, EX.size, low)]),
        (2, [member("a", "B")]),
        (3, [member("b", "A"), member("a", "A")]),
        (4, [(EX.a, EX.size, high)]),
        (5, [member("c", "A")]),
    ]
    bounds = bounds.replace("] { } STREAM", f"{ON_CHANGE}] FROM NAMED WINDOW :v ON")
    text = f"SELECT ?x FROM NAMED WINDOW :w ON :s [{bounds}{ON_CHANGE}] {{ WINDOW :w {{ ?x a :B }} }}"
    query = made(text, *stream, ontology=ontology())
    assert told(query) == ["1: a", "3: a b", "5: a b c"]


@pytest.mark.parametrize("bounds", ["RANGE 100", "ALL"])
def test_what_always_holds_is_no_change_when_a_stream_says_it(bounds):
    text = f"SELECT ?x FROM STREAM :s [{bounds}{ON_CHANGE}] FROM :plan {{ ?x a :B }}"
    stream = [(1, [member("a", "A")]), (2, [member("b", "A")])]
    query = made(text, *stream, ontology=ontology(), static={EX.plan: [member("a", "A")]})
    assert told(query) == ["2: a b"]


@pytest.mark.parametrize("bounds", ["RANGE 2 STEP 2", "TRIPLES 2"])
def test_a_window_holds_something_where_a_repair_has_cut_all_of_it(bounds):
    text = C_SPARQL.replace("RANGE 2 STEP 2", bounds)
    assert told(made(text, (2, [member("a", "A"), member("a", "C")]), ontology=ontology())) == ["2:"]


def test_an_assertion_that_comes_again_changes_a_content_whose_times_are_asked_for():
    text = TIMES.replace("RANGE 4 STEP 4", f"RANGE 9 STEP 1{ON_CHANGE}").replace(":B", ":A")
    stream = [(1, [member("a", "A")]), (3, [member("a", "A")]), (5, [member("b", "A")])]
    query = made(f"PREFIX rdf: <{RDF}> {text}", *stream, until=9)
    assert told(query) == ["1: a,1", "3: a,3", "5: a,3 b,5"]


def test_what_contradicts_a_static_graph_is_refused_before_the_streams_are_read():
    text = TWO.replace("{", "FROM :plan {", 1)
    with pytest.raises(pr.InconsistentOntologyError):
        made(text, ontology=ontology(), static={EX.plan: [member("a", "A"), member("a", "C")]})


# -- windows that count, and the times of triples ----------------------------------------------------


def test_a_window_that_counts_reports_when_it_is_full_and_what_is_left_is_not_reported():
    more = [member("d", "A"), member("e", "A"), member("f", "A")]
    stream = [(1, [member("a", "A")]), (1, []), (1, [member("b", "A")]), (3, [member("c", "A")]), (4, more)]
    assert told(made(COUNTING, *stream)) == ["1: a b", "4: c d e f"]
    assert told(made(COUNTING, *stream, (9, [member("g", "A")]), until=20)) == ["1: a b", "4: c d e f"]


def test_a_window_that_counts_is_closed_under_the_ontology_and_repaired():
    stream = [(1, [member("a", "A")]), (2, [member("b", "A"), member("a", "C")])]
    text = COUNTING.replace("TRIPLES 2", "TRIPLES 3").replace(":A", ":B")
    assert told(made(text, *stream, ontology=ontology())) == ["2: b"]


def test_a_query_that_is_computed_every_so_often_looks_then_at_what_its_windows_have_counted():
    text = f"REGISTER QUERY q COMPUTED EVERY 4 AS {COUNTING.replace('TRIPLES 2', 'TRIPLES 3')}"
    assert told(made(text, *STREAM[:2])) == ["4: a b"]
    assert told(made(text, *STREAM[:2], (3, [member("c", "A")]), (6, [member("d", "A")]))) == [
        "4: a b c",
        "8: d",
    ]


def test_a_window_beside_one_that_counts_closes_by_itself():
    text = "SELECT ?x FROM STREAM :s [TRIPLES 2] FROM STREAM :t [RANGE 2 STEP 2] { ?x a :A }"
    streams = {EX.s: [(1, [member("a", "A")]), (3, [member("b", "A")])], EX.t: [(2, [member("c", "A")])]}
    assert told(made(text, streams=streams)) == ["2: a c", "3: a b", "4: a b"]


def test_what_follows_has_the_time_of_the_oldest_assertion_of_its_newest_proof():
    """What always holds has none, and what a repair has cut no more."""
    stream = [
        (1, [member("a", "A"), member("b", "A"), member("d", "A")]),
        (2, [member("a", "A"), member("b", "C")]),
    ]
    always = {EX.plan: [member("c", "A"), member("d", "B")]}
    text = f"PREFIX rdf: <{RDF}> {TIMES.replace('{', 'FROM :plan {', 1)}"
    assert told(made(text, *stream, ontology=ontology(), static=always)) == ["4: a,2 c,None d,None"]


def test_times_are_written_as_those_of_the_stream():
    noon = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    for at, length, time in (
        (3, "4", Literal(3)),
        (1.5, "4", Literal(1.5)),
        (1, "4.0", Literal(1.0)),
        (noon, "4s", Literal("2026-03-01T10:00:00+00:00", datatype=XSD.dateTime)),
    ):
        text = f"PREFIX rdf: <{RDF}> {TIMES.replace(':B', ':A')}".replace("4", length)
        report = next(made(text, (at, [member("a", "A")])).run())
        assert set(report.added) == {(EX.a, time)}


# -- the handle --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [C_SPARQL, TWO])
def test_the_handle_has_the_answers_of_the_last_report(text):
    query = made(text, (1, [member("a", "A"), member("a", "B")]), (3, []), since=0)
    assert dict(query.answers) == {} and query.variables == ("x",)
    reports = query.run()
    assert next(reports) == (2, Counter({(EX.a,): 1}), Counter())
    assert dict(query.answers) == {(EX.a,): 1}
    assert query.text == HEAD + text and query.name == "query"


def test_followers_are_told_and_what_they_raise_is_counted():
    query, seen = made(C_SPARQL), []
    query.subscribe(lambda change: seen.append(change.at))
    query.subscribe(lambda change: 1 / 0)
    assert [report.at for report in query.run()] == [2, 6]
    assert len(seen) == query.failures == 2


def test_a_query_that_is_closed_reads_no_further():
    query = made(C_SPARQL)
    reports = query.run()
    next(reports)
    query.close()
    assert list(reports) == []


def test_streams_are_read_once():
    query = made(C_SPARQL)
    assert next(query.run()).at == 2 and [report.at for report in query.run()] == [6]  # it goes on
    with pytest.raises(StreamsEndedError, match=r"query query .* register its text again"):
        query.run()
    failing = made(C_SPARQL, (5, []), (1, []))
    with pytest.raises(LateABoxError):
        list(failing.run())
    with pytest.raises(StreamsEndedError):
        failing.run()


def test_changes_may_be_awaited():
    query = made(C_SPARQL)

    async def follow():
        return [change.reports[0].at async for change in query]  # until the streams have ended

    threading.Timer(0.05, lambda: list(query.run())).start()
    assert asyncio.run(asyncio.wait_for(follow(), 20)) == [2, 6]
    assert asyncio.run(asyncio.wait_for(follow(), 20)) == []


@pytest.mark.parametrize("text", [C_SPARQL, TWO])
def test_who_waits_for_changes_waits_no_longer_when_a_stream_fails(text):
    query = made(text, (5, [member("a", "A")]), (1, []))

    async def follow():
        waits = asyncio.ensure_future(anext(aiter(query), None))
        await asyncio.sleep(0)
        with pytest.raises(LateABoxError):
            list(query.run())
        return await waits

    assert asyncio.run(asyncio.wait_for(follow(), 20)) is None


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "option"),
    [
        (C_SPARQL, {"streams": {}}, "streams"),
        (C_SPARQL, {"streams": {EX.other: STREAM}}, "streams"),
        (C_SPARQL, {"streams": {EX.s: 7}}, "stream"),
        (C_SPARQL, {"streams": STREAM}, "streams"),
        (C_SPARQL, {"static": [EX.g]}, "static"),
        *((C_SPARQL, {"streams": {name: STREAM}}, "streams") for name in (3, None, b"urn:s", ("urn:s",))),
        *((C_SPARQL, {"static": {name: []}}, "static") for name in (3, None, b"urn:g")),
        *((C_SPARQL, {"static": {EX.g: graph}}, "static") for graph in (None, 5, 7)),
        (C_SPARQL, {"streams": {EX.s: None}}, "streams"),
        (C_SPARQL, {"ontology": "o.ttl"}, "ontology"),
        (C_SPARQL, {"window": pr.Window(2)}, "window"),
        (C_SPARQL, {"closed": "open"}, "closed"),
        (C_SPARQL.replace("{", "FROM :g {"), {}, "static"),
        (C_SPARQL.replace("?x a :A", "?x a :A GRAPH :g { ?x a :A }"), {}, "static"),
        ("ASK { ?x a :A }", {}, "window"),
        ("ASK { ?x a :A }", {"window": pr.Window(2), "streams": {EX.s: [], EX.t: []}}, "streams"),
        ("ASK { ?x a :A }", {"window": pr.Window(2), "origin": 1}, "origin"),
        ("ASK { ?x a :A }", {"window": pr.Window(2), "closed": "left"}, "closed"),
    ],
)
def test_an_option_that_does_not_go_with_the_text_is_named(text, options, option):
    with pytest.raises(OptionError) as error:
        made(text, **options)
    assert error.value.option == option


def test_a_stream_that_has_no_iri_is_shown():
    with pytest.raises(OptionError, match=r"streams=\{3: …\} is invalid: expected streams by their IRIs"):
        made(C_SPARQL, streams={EX.s: STREAM, 3: []})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (C_SPARQL.replace("RANGE 2 STEP 2", "ALL"), "never closes"),
        (
            f"REGISTER RSTREAM :o UNDER ENTAILMENT REGIME <http://www.w3.org/ns/entailment/RDFS> AS {RSP_QL}",
            "no ontology is given; pass one",
        ),
    ],
)
def test_a_text_that_cannot_be_registered_is_refused_with_the_reason(text, reason):
    with pytest.raises(QueryError, match=reason):
        made(text)


def test_a_step_of_nothing_is_refused_with_its_place():
    with pytest.raises(QueryTextError, match="a step of 0"):
        made(C_SPARQL.replace("STEP 2", "STEP 0"))


@pytest.mark.parametrize("text", [C_SPARQL, TWO])
def test_a_range_in_seconds_needs_a_clock(text):
    with pytest.raises(TimestampError):
        told(
            made(
                text.replace("STEP 2", "STEP 2s")
                .replace("RANGE 2", "RANGE 2s")
                .replace("RANGE 4", "RANGE 4s")
            )
        )


@pytest.mark.parametrize("text", [C_SPARQL, TWO])
def test_a_stream_out_of_order_is_refused(text):
    with pytest.raises(LateABoxError):
        told(made(text, (3, []), (1, [])))


def test_streams_have_times_of_one_kind():
    text = "ASK FROM STREAM :s [RANGE 2 STEP 2] FROM STREAM :t [RANGE 2 STEP 2] { ?x a :A }"
    with pytest.raises(TimestampError, match="same kind"):
        told(made(text, streams={EX.s: STREAM, EX.t: [(datetime(2026, 3, 1, tzinfo=UTC), [])]}))


def test_a_graph_and_a_stream_that_are_missing_are_named_with_the_clause_that_reads_them():
    text = "SELECT ?x {0} FROM STREAM <urn:s> [RANGE 4 STEP 2] {{ ?x ?p ?y {1} }}"
    for clause, block, reads in (
        ("FROM <urn:g>", "", "FROM"),
        ("FROM NAMED <urn:g>", "GRAPH ?g { ?x ?q ?z }", "FROM NAMED"),
        ("", "GRAPH <urn:g> { ?x ?q ?z }", "GRAPH"),
    ):
        with pytest.raises(MissingOptionError) as raised:
            pr.register(text.format(clause, block), streams={"urn:s": []})
        assert str(raised.value) == f'The query reads {reads} <urn:g>. Pass it: static={{"urn:g": graph}}.'
    with pytest.raises(MissingOptionError) as raised:
        pr.register(text.format("", ""))
    said = 'The query reads the stream <urn:s>. Pass it: streams={"urn:s": stream}.'
    assert str(raised.value) == said

"""A gap in time costs the changes at its boundaries, not their number; each boundary is reported."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from rdflib import Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.continuous import making
from pantarhei.query.incremental.reporting import Reporting

EX = Namespace("http://example.org/")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECOND, HOURS, MONTH = timedelta(seconds=1), timedelta(hours=3), timedelta(days=30)
PAIRS = f"SELECT ?x ?y {{ ?x <{EX.p}> ?y }}"
BACKGROUND = [(EX.always, EX.p, EX.here)]


@pytest.fixture
def looks(monkeypatch):
    """Times at which queries are evaluated, those of equal reports together."""
    known, look = [], Reporting._look_at
    monkeypatch.setattr(
        Reporting,
        "_look_at",
        lambda self, query, log, times: known.append(times) or look(self, query, log, times),
    )
    return known


def stream_reasoner(window="PT10S", background=BACKGROUND):
    return pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=window), background)


def seen(*names):
    return [(EX[name], EX.p, EX.here) for name in names]


@pytest.mark.parametrize("closed", ["both", "right", "left"])
def test_boundaries_of_a_gap_share_their_report(looks, closed):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT1S", closed=closed)
    query = reasoner.register(PAIRS, window=window, on="close", emit="rstream")
    reasoner.push(NOON, seen("a"))
    reports = reasoner.push(NOON + MONTH, seen("b")).answers[query].reports
    assert len(looks) <= 8
    assert len(reports) == MONTH // SECOND == sum(each.repeats for each in reports.distinct)
    first = NOON + (closed == "left") * SECOND
    assert [reports[place].at for place in (0, 1, -1)] == [first, first + SECOND, first + MONTH - SECOND]
    both, one = {EX.a: 1, EX.always: 1}, {EX.always: 1}
    names = [Counter({x: n for (x, _), n in each.added.items()}) for each in reports[:9]]
    inside = 5 + (closed == "both")
    assert names == [both] * inside + [one] * (9 - inside)
    assert reports[-1].added is reports[100].added
    assert reasoner.push(NOON + MONTH + 3 * SECOND, ()).answers[query].reports[0].at > reports[-1].at


@pytest.mark.parametrize("emit", ["delta", "istream", "dstream"])
def test_a_gap_brings_no_report_where_nothing_comes_or_goes(looks, emit):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT1S", closed="right")
    query = reasoner.register(PAIRS, window=window, on="close", emit=emit)
    reasoner.push(NOON, seen("a"))
    change = reasoner.advance(NOON + MONTH).answers[query]
    assert len(looks) <= 6
    at = {"delta": [0, 5], "istream": [0], "dstream": [5]}[emit]
    assert [report.at for report in change.reports] == [NOON + each * SECOND for each in at]


def test_a_period_picks_boundaries_of_a_gap(looks):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT2S", closed="right")
    query = reasoner.register(PAIRS, window=window, on=("close", "PT3S"), emit="rstream")
    reasoner.push(NOON, seen("a"))
    reports = reasoner.advance(NOON + MONTH).answers[query].reports
    assert len(looks) <= 8 and len(reports) == MONTH // (6 * SECOND)
    assert [report.at for report in reports[:3]] == [NOON, NOON + 6 * SECOND, NOON + 12 * SECOND]


def test_a_window_that_is_empty_in_a_gap_reports_none_of_it(looks):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT1S", closed="right")
    query = reasoner.register(PAIRS, window=window, on=("close", "non-empty"), emit="rstream")
    reasoner.push(NOON, ())
    reasoner.push(NOON + SECOND, seen("a"))
    assert len(reasoner.advance(NOON + MONTH).answers[query].reports) == 5
    assert len(looks) <= 8


def test_several_queries_stop_where_any_of_them_may_report_something_else():
    reasoner = stream_reasoner()
    queries = [
        reasoner.register(PAIRS, window=pr.Window("PT6S", slide, closed=closed), on="close", emit="rstream")
        for slide, closed in (("PT1S", "right"), ("PT4S", "left"), ("PT7S", "both"), ("PT1H", "right"))
    ]
    reasoner.push(NOON, seen("a"))
    answers = reasoner.push(NOON + MONTH, seen("b")).answers
    assert [len(answers[query].reports) for query in queries] == [2592000, 648000, 370286, 720]


def test_a_query_that_asks_for_the_time_looks_at_each_boundary(looks):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT1S", closed="right")
    query = reasoner.register("SELECT (NOW() AS ?now) {}", window=window, on="close", emit="rstream")
    reasoner.push(NOON, seen("a"))
    reports = reasoner.advance(NOON + 100 * SECOND).answers[query].reports
    assert len(looks) == len(reports) == 100
    assert all({Literal(report.at)} == {now for (now,) in report.added} for report in reports)


def test_a_gap_is_undone_and_restored_as_any_step():
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT1S", closed="right")
    reasoner.register(PAIRS, name="q", window=window, on="close", emit="rstream")
    reasoner.push(NOON, seen("a"))
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.advance(NOON + HOURS)
        raise ZeroDivisionError
    restored = pr.StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    with restored.all_or_nothing():
        restored.advance(NOON + HOURS / 2)
        last = restored.advance(NOON + HOURS)
    assert last.answers["q"].reports == reasoner.advance(NOON + HOURS).answers["q"].reports


def test_many_aboxes_leave_on_the_way_through_a_gap():
    reasoner = stream_reasoner("PT1H")
    window = pr.Window(range="PT1H", slide="PT1S", closed="right")
    query = reasoner.register(PAIRS, window=window, on="close")
    with reasoner.all_or_nothing():
        for place in range(600):
            reasoner.push(NOON + place * SECOND, seen(f"a{place}"))
    reports = reasoner.advance(NOON + MONTH).answers[query].reports
    assert len(reports) == 601 and [len(report.removed) for report in reports] == [0] + [1] * 600


TEXTS = {
    "RSP-QL": "REGISTER RSTREAM <urn:q> AS SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:s> "
    "[RANGE PT5S STEP PT1S] WHERE { WINDOW <urn:w> { ?x ?p ?y } }",
    "RSP-QL, two": "REGISTER RSTREAM <urn:q> AS SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:s> "
    "[RANGE PT5S STEP PT1S] FROM NAMED WINDOW <urn:v> ON <urn:s> [RANGE PT1H STEP PT1M] "
    "WHERE { { WINDOW <urn:w> { ?x ?p ?y } } UNION { WINDOW <urn:v> { ?x ?p ?y } } }",
    "RSP-QL, the past": "REGISTER RSTREAM <urn:q> AS SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:s> "
    "[FROM NOW-PT1H TO NOW-PT5M STEP PT1S] WHERE { WINDOW <urn:w> { ?x ?p ?y } }",
    "C-SPARQL, counted": "REGISTER STREAM q COMPUTED EVERY 1s AS SELECT ?x "
    "FROM STREAM <urn:s> [TRIPLES 1] WHERE { ?x ?p ?y }",
}


@pytest.mark.parametrize("is_anew", [False, True], ids=["views", "anew"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts_report_each_boundary_of_a_gap(text, is_anew, monkeypatch):
    if is_anew:
        monkeypatch.setattr(making, "views_of", lambda asked: "it is to be compared")
    stream = [(NOON, seen("a")), (NOON + HOURS, seen("b"))]
    query = pr.register(text, streams={"urn:s": stream}, since=NOON - timedelta(days=1))
    count = shown = 0
    for report in query.run():
        if report.at == NOON + HOURS:
            break
        count, shown = count + 1, shown + bool(report.added)
    assert count == HOURS // SECOND
    inside = {"RSP-QL": 5, "RSP-QL, two": 3541, "RSP-QL, the past": 3300, "C-SPARQL, counted": count}
    assert shown == inside[next(name for name, each in TEXTS.items() if each == text)]


def test_windows_that_are_empty_end_soon_whatever_their_range():
    text = TEXTS["RSP-QL"].replace("PT5S", "P3650D")
    query = pr.register(text, streams={"urn:s": [(NOON, seen("a"))]}, since=NOON - timedelta(days=4000))
    reports = iter(query.run())
    assert [next(reports).at for _ in range(2)] == [NOON, NOON + SECOND]

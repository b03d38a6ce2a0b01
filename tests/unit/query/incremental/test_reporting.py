"""A gap in time costs the changes at its boundaries, not their number; each boundary is reported."""

import pickle
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from rdflib import RDF, Graph, Literal, Namespace, URIRef

import pantarhei as pr
from interrupting import interrupted
from pantarhei import InvalidTripleError, StreamReasoner, Window
from pantarhei.continuous import build
from pantarhei.query.answer_reports import AnswerChange
from pantarhei.query.continuous_query import BYTES_A_ROW
from pantarhei.query.incremental import reporting
from pantarhei.query.incremental.reporting import ReportScheduler

EX = Namespace("http://example.org/")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECOND, HOURS, MONTH = timedelta(seconds=1), timedelta(hours=3), timedelta(days=30)
PAIRS = f"SELECT ?x ?y {{ ?x <{EX.p}> ?y }}"
BACKGROUND = [(EX.always, EX.p, EX.here)]


@pytest.fixture
def looks_of_reporting(monkeypatch):
    """Times at which queries are evaluated, those of equal reports together."""
    known, look = [], ReportScheduler._evaluate
    monkeypatch.setattr(
        ReportScheduler,
        "_evaluate",
        lambda self, query, log, times: known.append(times) or look(self, query, log, times),
    )
    return known


def stream_reasoner(window="PT10S", background=BACKGROUND):
    return pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=window), background)


def seen(*names):
    return [(EX[name], EX.p, EX.here) for name in names]


@pytest.mark.parametrize("closed", ["both", "right", "left"])
def test_boundaries_of_a_gap_share_their_report(looks_of_reporting, closed):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT1S", closed=closed)
    query = reasoner.register(PAIRS, window=window, on="close", emit="rstream")
    reasoner.push(NOON, seen("a"))
    reports = reasoner.push(NOON + MONTH, seen("b")).answers[query].reports
    assert len(looks_of_reporting) <= 8
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
def test_a_gap_brings_no_report_where_nothing_comes_or_goes(looks_of_reporting, emit):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT1S", closed="right")
    query = reasoner.register(PAIRS, window=window, on="close", emit=emit)
    reasoner.push(NOON, seen("a"))
    change = reasoner.advance(NOON + MONTH).answers[query]
    assert len(looks_of_reporting) <= 6
    at = {"delta": [0, 5], "istream": [0], "dstream": [5]}[emit]
    assert [report.at for report in change.reports] == [NOON + each * SECOND for each in at]


def test_a_period_picks_boundaries_of_a_gap(looks_of_reporting):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT2S", closed="right")
    query = reasoner.register(PAIRS, window=window, on=("close", "PT3S"), emit="rstream")
    reasoner.push(NOON, seen("a"))
    reports = reasoner.advance(NOON + MONTH).answers[query].reports
    assert len(looks_of_reporting) <= 8 and len(reports) == MONTH // (6 * SECOND)
    assert [report.at for report in reports[:3]] == [NOON, NOON + 6 * SECOND, NOON + 12 * SECOND]


def test_a_window_that_is_empty_in_a_gap_reports_none_of_it(looks_of_reporting):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT1S", closed="right")
    query = reasoner.register(PAIRS, window=window, on=("close", "non-empty"), emit="rstream")
    reasoner.push(NOON, ())
    reasoner.push(NOON + SECOND, seen("a"))
    assert len(reasoner.advance(NOON + MONTH).answers[query].reports) == 5
    assert len(looks_of_reporting) <= 8


def test_several_queries_stop_where_any_of_them_may_report_something_else():
    reasoner = stream_reasoner()
    queries = [
        reasoner.register(PAIRS, window=pr.Window("PT6S", slide, closed=closed), on="close", emit="rstream")
        for slide, closed in (("PT1S", "right"), ("PT4S", "left"), ("PT7S", "both"), ("PT1H", "right"))
    ]
    reasoner.push(NOON, seen("a"))
    answers = reasoner.push(NOON + MONTH, seen("b")).answers
    assert [len(answers[query].reports) for query in queries] == [2592000, 648000, 370286, 720]


def test_a_query_that_asks_for_the_time_looks_at_each_boundary(looks_of_reporting):
    reasoner = stream_reasoner()
    window = pr.Window(range="PT5S", slide="PT1S", closed="right")
    query = reasoner.register("SELECT (NOW() AS ?now) {}", window=window, on="close", emit="rstream")
    reasoner.push(NOON, seen("a"))
    reports = reasoner.advance(NOON + 100 * SECOND).answers[query].reports
    assert len(looks_of_reporting) == len(reports) == 100
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
        monkeypatch.setattr(build, "views_of", lambda asked: "it is to be compared")
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


EX_OF_AUDIENCES = "http://example.org/"
ALL = f"PREFIX : <{EX_OF_AUDIENCES}> SELECT ?x ?v {{ ?x a :A ; :v ?v }}"
ONE = f"PREFIX : <{EX_OF_AUDIENCES}> SELECT ?x {{ ?x :in :NAME }}"


def of(name, value=1):
    one = URIRef(EX_OF_AUDIENCES + name)
    return [
        (one, RDF.type, URIRef(EX_OF_AUDIENCES + "A")),
        (one, URIRef(EX_OF_AUDIENCES + "v"), Literal(value)),
    ]


@pytest.fixture
def reasoner():
    return StreamReasoner(pr.load_ontology(Graph()), Window(range=2))


def kept(query):
    """What it holds of its answers, without looking at them."""
    return len(query._maintainer.registered.reported)


def names(query):
    return sorted(str(row[0]).removeprefix(EX_OF_AUDIENCES) for row in query.answers)


def test_changes_wait_until_somebody_looks(reasoner):
    query = reasoner.register(ALL)
    for at in range(4):
        reasoner.push(at, of(f"x{at}"))
    assert kept(query) == 0
    assert len(query.answers) == 3 and kept(query) == 3
    assert names(query) == ["x1", "x2", "x3"]


def test_many_rows_do_not_wait(reasoner):
    query = reasoner.register(ALL)
    reasoner.push(0, [fact for i in range(reporting._MIN_DEFERRED + 1) for fact in of(f"x{i}")])
    assert kept(query) == reporting._MIN_DEFERRED + 1
    waiting = reasoner._registrar._registry.scheduler.pending_rows
    reasoner.push(1, of("y"))
    assert (waiting, reasoner._registrar._registry.scheduler.pending_rows) == (0, 1)


def test_rows_that_wait_are_counted_as_held(reasoner):
    reasoner.register(ALL)
    before = reasoner._registrar._registry.bytes_used
    reasoner.push(0, [fact for i in range(100) for fact in of(f"x{i}")])
    waiting = reasoner._registrar._registry.bytes_used
    assert waiting >= before + 100 * BYTES_A_ROW
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing(each_step=True):
        reasoner.push(1, [fact for i in range(100) for fact in of(f"y{i}")])
        assert reasoner._registrar._registry.bytes_used >= waiting + 100 * BYTES_A_ROW
        raise ZeroDivisionError
    assert reasoner._registrar._registry.bytes_used == waiting


def test_who_shares_a_plan_is_brought_up_to_date_whoever_looks(reasoner):
    queries = [reasoner.register(ONE.replace("NAME", name)) for name in ("lab", "hall", "lab")]
    for at, name in enumerate(("lab", "hall", "lab")):
        reasoner.push(
            at,
            [
                (
                    URIRef(f"{EX_OF_AUDIENCES}x{at}"),
                    URIRef(EX_OF_AUDIENCES + "in"),
                    URIRef(EX_OF_AUDIENCES + name),
                )
            ],
        )
    assert [kept(query) for query in queries] == [0, 0, 0]
    assert names(queries[1]) == ["x1"]
    assert [kept(query) for query in queries] == [2, 1, 2]
    assert names(queries[0]) == names(queries[2]) == ["x0", "x2"]


@pytest.mark.parametrize("looks", [False, True])
def test_what_is_undone_was_never_there_whether_or_not_somebody_looked(reasoner, looks):
    query = reasoner.register(ALL)
    reasoner.push(0, of("x"))
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing(each_step=True):
        reasoner.push(1, of("y"))
        assert not looks or names(query) == ["x", "y"]
        reasoner.push(2, of("z"))
        raise ZeroDivisionError
    reasoner.push(1, of("w"))
    assert names(query) == ["w", "x"]


def test_one_that_is_registered_or_closed_later_finds_all_up_to_date(reasoner):
    first = reasoner.register(ALL)
    reasoner.push(0, of("x"))
    second = reasoner.register(ALL)
    reasoner.push(1, of("y"))
    first.close()
    reasoner.push(2, of("z"))
    assert (names(first), names(second)) == (["x", "y"], ["x", "y", "z"])


def test_a_query_closed_inside_a_block_keeps_its_answers_though_the_block_is_undone(reasoner):
    query, other = reasoner.register(ALL), reasoner.register(ALL)
    reasoner.push(0, of("x"))
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing(each_step=True):
        reasoner.push(1, of("y"))
        query.close()
        raise ZeroDivisionError
    assert (names(query), names(other)) == (["x", "y"], ["x"])


def test_a_closed_query_keeps_its_answers_when_terms_are_forgotten(reasoner):
    query, other = reasoner.register(ALL), reasoner.register(ALL)
    for at in range(5):
        reasoner.push(at, of(f"x{at}", at / 3))
    query.close()
    before = dict(query.answers)
    reasoner._held.most_entries = 0
    for at in range(5, 9):
        reasoner.push(at, of(f"y{at}", at / 3))
    assert dict(query.answers) == before != {}
    assert names(other) == ["y6", "y7", "y8"]


def test_answers_are_those_that_they_are_wherever_looking_at_them_was_interrupted(reasoner):
    query, nth, going = reasoner.register(ALL), 0, True
    while going:
        nth += 1
        reasoner.push(nth, of(f"x{nth}"))
        going = interrupted(
            lambda: len(query.answers), nth, lambda file: file == reporting.__file__ or "journal" in file
        )
        assert names(query) == sorted(f"x{at}" for at in range(max(1, nth - 2), nth + 1))
    assert nth > 10


EX_OF_STEP_REPORTS = "http://example.org/"
ALL_OF_STEP_REPORTS = f"PREFIX : <{EX_OF_STEP_REPORTS}> SELECT ?x {{ ?x a :A }}"
OTHERS = ALL_OF_STEP_REPORTS.replace(":A", ":B")


def a(name, class_="A"):
    return (URIRef(EX_OF_STEP_REPORTS + name), RDF.type, URIRef(EX_OF_STEP_REPORTS + class_))


@pytest.fixture
def reasoner_of_step_reports():
    data = (
        f"@prefix : <{EX_OF_STEP_REPORTS}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :A a owl:Class ."
    )
    return StreamReasoner(pr.load_ontology(Graph().parse(data=data)), Window(range=2))


@pytest.fixture
def made(monkeypatch):
    """Of which queries changes have been made."""
    known, make = [], AnswerChange.__init__
    monkeypatch.setattr(
        AnswerChange, "__init__", lambda change, at, *given: (known.append(at), make(change, at, *given))[1]
    )
    return known


def rows(counter):
    return sorted(str(row[0]).removeprefix(EX_OF_STEP_REPORTS) for row in counter.elements())


def test_nothing_is_made_of_a_step_at_which_nobody_looks(reasoner_of_step_reports, made):
    query = reasoner_of_step_reports.register(ALL_OF_STEP_REPORTS)
    updates = [reasoner_of_step_reports.push(at, [a(f"x{at}")]) for at in (1, 2, 3)]
    assert made == []
    assert len(updates[1].answers) == 1 and made == [2]
    assert updates[1].answers[query] is updates[1].answers["query-1"] and made == [2]


def test_who_follows_a_query_hears_of_it_without_looking_at_the_update(reasoner_of_step_reports):
    heard = []
    reasoner_of_step_reports.register(ALL_OF_STEP_REPORTS).subscribe(
        lambda change: heard.append(rows(change.added))
    )
    reasoner_of_step_reports.register(OTHERS)
    reasoner_of_step_reports.push(1, [a("x"), a("y", "B")])
    reasoner_of_step_reports.push(2, [a("z", "B")])
    assert heard == [["x"]]


def test_what_is_looked_at_late_is_that_of_its_step(reasoner_of_step_reports):
    query, other = (
        reasoner_of_step_reports.register(ALL_OF_STEP_REPORTS),
        reasoner_of_step_reports.register(OTHERS, "other"),
    )
    first = reasoner_of_step_reports.push(1, [a("x"), a("y", "B")])
    saved = pickle.dumps(first.answers)
    for at in range(2, 9):
        reasoner_of_step_reports.push(at, [a(f"x{at}"), a(f"y{at}", "B")])
    other.close()
    again = reasoner_of_step_reports.register(ALL_OF_STEP_REPORTS, "other")
    with pytest.raises(InvalidTripleError), reasoner_of_step_reports.all_or_nothing():
        reasoner_of_step_reports.push(9, [a("z")])
        reasoner_of_step_reports.push(10, 7)
    for answers in (first.answers, pickle.loads(saved)):
        assert len(answers) == 2 and rows(answers[query].added) == ["x"]
        assert rows(answers["other"].added) == ["y"] and not answers["other"].removed
    assert list(first.answers) == [query, other] and again not in list(first.answers)


def test_an_update_of_a_block_that_fails_keeps_what_it_said(reasoner_of_step_reports):
    query = reasoner_of_step_reports.register(ALL_OF_STEP_REPORTS)
    with pytest.raises(InvalidTripleError), reasoner_of_step_reports.all_or_nothing(each_step=True):
        update = reasoner_of_step_reports.push(1, [a("x")])
        reasoner_of_step_reports.push(2, 7)
    assert rows(update.answers[query].added) == ["x"] and not query.answers
    assert rows(reasoner_of_step_reports.push(1, [a("y")]).answers[query].added) == ["y"]


def test_a_step_that_fails_says_nothing_in_the_block_that_goes_on(reasoner_of_step_reports):
    query, closing = (
        reasoner_of_step_reports.register(ALL_OF_STEP_REPORTS),
        reasoner_of_step_reports.register(OTHERS, on="close", window=Window(2, slide=1)),
    )
    with reasoner_of_step_reports.all_or_nothing():
        reasoner_of_step_reports.push(1, [a("x"), a("y", "B")])
        with pytest.raises(InvalidTripleError):
            reasoner_of_step_reports.push(2, 7)
        last = reasoner_of_step_reports.push(2, [a("z")])
    assert rows(last.answers[query].added) == ["x", "z"]
    assert [report.at for report in last.answers[closing].reports] == [1]


def test_a_query_closed_inside_a_block_is_not_in_what_the_block_says(reasoner_of_step_reports):
    query, other = (
        reasoner_of_step_reports.register(ALL_OF_STEP_REPORTS, on="close", window=Window(2, slide=1)),
        reasoner_of_step_reports.register(OTHERS),
    )
    with reasoner_of_step_reports.all_or_nothing():
        reasoner_of_step_reports.push(1, [a("x"), a("y", "B")])
        reasoner_of_step_reports.push(2, [a("z")])
        query.close()
        last = reasoner_of_step_reports.push(3, [a("y", "B")])
    assert list(last.answers) == [other]

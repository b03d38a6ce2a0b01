"""Reports of a step as a sequence: one for each boundary, equal ones held once."""

import asyncio
import pickle
import threading
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Literal, Namespace, URIRef

from counts import cases
from notebooks import shown
from pantarhei import FollowerOverflowError, OptionError, StreamReasoner, Window, load_ontology, register
from pantarhei.model.time import TimeKind, TimePoint
from pantarhei.query.answer_reports import AnswerChange, AnswerReport, AnswerReports, RepeatedReport
from pantarhei.window.sliding import Times

A, B = (Literal(1),), (Literal("01"),)
EVERY = Times(TimeKind.INTEGER, (range(10, 10**12, 10),))
REPORTS = AnswerReports(
    [
        RepeatedReport((3,), Counter({A: 2}), Counter({B: 1})),
        RepeatedReport(EVERY, Counter({B: 1}), Counter()),
    ]
)


def test_each_boundary_has_a_report_and_equal_ones_share_their_rows():
    assert len(REPORTS) == 10**11 and REPORTS.distinct[1].repeats == 10**11 - 1
    assert [report.at for report, _ in zip(REPORTS, range(4), strict=False)] == [3, 10, 20, 30]
    assert REPORTS[0] == AnswerReport(3, Counter({A: 2}), Counter({B: 1}))
    assert REPORTS[-1].at == 10**12 - 10 and REPORTS[-1].added is REPORTS[1].added
    assert [report.at for report in REPORTS[:3]] == [3, 10, 20]
    with pytest.raises(IndexError):
        REPORTS[len(REPORTS)]


def test_reports_are_equal_where_each_of_them_is():
    apart = AnswerReports(RepeatedReport((at,), Counter({A: 1}), Counter()) for at in (1, 2, 3))
    together = AnswerReports(
        [RepeatedReport(Times(TimeKind.INTEGER, (range(1, 4),)), Counter({A: 1}), Counter())]
    )
    assert apart == together == tuple(apart) and together != tuple(apart)[:2]
    assert AnswerReports([]) == () and len(AnswerReports([])) == 0


def test_what_came_with_one_report_and_went_with_the_next_did_neither():
    first, second = (
        RepeatedReport((1,), Counter({A: 2}), Counter({B: 1})),
        RepeatedReport((2,), Counter({B: 1}), Counter({A: 1})),
    )
    reports = AnswerReports([first, second])
    assert reports.total(is_delta=True) == ({A: 1}, {})
    assert reports.total(is_delta=False) == ({A: 2, B: 1}, {B: 1, A: 1})


def test_all_that_equal_reports_added_is_added_up():
    change = AnswerChange(9, lambda: REPORTS)
    assert change.added == {A: 2, B: 10**11 - 1} and change.removed == {B: 1}


def test_a_change_is_not_decoded_to_be_shown():
    decoded = []
    change = AnswerChange(9, lambda: decoded.append(1) or REPORTS)
    assert repr(change) == "AnswerChange(at 9)" and not decoded
    assert change.added and repr(change) == f"AnswerChange(at 9: +{10**11 + 1:,} -1)"


def test_a_notebook_has_the_rows_of_a_change_with_their_copies():
    rows, text = shown(AnswerChange(9, lambda: AnswerReports(REPORTS.distinct[:1])))
    assert "added" in text and "removed" in text and rows == [["1", "2"], ["01"]]


def test_reports_pickle_as_they_are_held():
    data = pickle.dumps(REPORTS)
    again = pickle.loads(data)
    assert len(data) < 2000 and again == REPORTS and str(next(iter(again[0].removed))[0]) == "01"


def test_a_text_says_how_many_reports_there_are():
    assert repr(REPORTS) == "AnswerReports(100,000,000,000 reports: at 3 to 999999999990)"
    assert repr(AnswerReports(REPORTS.distinct[:1])) == "AnswerReports(at 3: +2 -1)"


EX = Namespace("http://example.org/")
ALL = "SELECT ?x { ?x a <http://example.org/A> }"
MANY = 50


@pytest.fixture
def reasoner():
    return StreamReasoner(load_ontology(Graph()), Window(0))


def push(reasoner, *times: TimePoint):
    for at in times:
        reasoner.push(at, [(EX[f"x{at}"], RDF.type, EX.A)])


def unread(reasoner, follower, work=None):
    """Changes read by a follower that pauses during many steps, and the error at its end."""

    async def follow():
        found, changes = [], aiter(follower)
        first = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        push(reasoner, 0)
        found.append(await first)
        (work or push)(reasoner, *range(1, MANY))
        reasoner.queries["all"].close()
        try:
            async for change in changes:
                found.append(change)  # noqa: PERF401, for what was found before an error
        except FollowerOverflowError as error:
            return found, error
        return found, None

    return asyncio.run(asyncio.wait_for(follow(), 60))


def names(rows):
    return sorted(str(x).rpartition("/")[2] for (x,) in rows.elements())


def test_all_is_read_where_no_more_waits_than_may(reasoner):
    follower = reasoner.register(ALL, "all").follow()
    found, error = unread(reasoner, follower)
    assert [change.at for change in found] == list(range(MANY))
    assert (error, follower.dropped) == (None, 0)


@pytest.mark.parametrize("overflow", ["error", "block"])  # steps are taken in the loop's own thread
def test_an_overflow_is_an_error_after_what_waits(reasoner, overflow):
    follower = reasoner.register(ALL, "all").follow(10, overflow)
    found, error = unread(reasoner, follower)
    assert [change.at for change in found] == list(range(11))
    assert (error.query, error.limit, error.dropped) == ("all", 10, MANY - 11)
    assert follower.dropped == MANY - 11 and "39 changes" in str(error)


def test_a_loop_over_the_query_itself_is_bounded(reasoner, monkeypatch):
    query = reasoner.register(ALL, "all")
    monkeypatch.setattr(type(query).follow, "__defaults__", (10, "error"))
    found, error = unread(reasoner, query)
    assert len(found) == 11 and error.dropped == MANY - 11


def test_the_oldest_may_be_left_out(reasoner):
    follower = reasoner.register(ALL, "all").follow(10, "drop_oldest")
    found, error = unread(reasoner, follower)
    assert error is None and follower.dropped == MANY - 11
    assert [change.at for change in found] == [0, *range(MANY - 10, MANY)]


def test_changes_may_be_made_one_that_says_the_same(reasoner):
    query = reasoner.register(ALL, "all")
    follower = query.follow(10, "coalesce")
    found, error = unread(reasoner, follower)
    assert error is None
    assert [change.at for change in found] == [*range(11), MANY - 1]
    assert names(found[-1].added) == [f"x{MANY - 1}"] and names(found[-1].removed) == ["x10"]
    present = Counter()
    for change in found:
        present.update(change.added)
        present.subtract(change.removed)
    assert +present == Counter(dict(query.answers)) and not -present
    assert len(found[-1].reports) == 1 and follower.dropped == MANY - 12


def test_of_other_reports_than_changes_the_oldest_is_left_out(reasoner):
    follower = reasoner.register(ALL, "all", emit="istream").follow(10, "coalesce")
    found, error = unread(reasoner, follower)
    assert error is None and follower.dropped == MANY - 11 and len(found) == 11


def test_a_step_may_wait_until_there_is_room(reasoner):
    follower = reasoner.register(ALL, "all").follow(3, "block")

    def push_and_close():
        push(reasoner, *range(MANY))
        reasoner.queries["all"].close()

    async def follow():
        found = []
        worker = threading.Thread(target=push_and_close)
        changes = aiter(follower)
        first = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        worker.start()
        found.append(await first)
        await asyncio.sleep(0.2)
        waits = reasoner.newest
        async for change in changes:
            found.append(change)  # noqa: PERF401
        worker.join()
        return found, waits

    found, waits = asyncio.run(asyncio.wait_for(follow(), 60))
    assert [change.at for change in found] == list(range(MANY)) and follower.dropped == 0
    assert waits <= 5


def test_a_step_does_not_wait_for_a_loop_that_has_ended(reasoner):
    query = reasoner.register(ALL, "all")

    async def begin():
        changes = aiter(query.follow(1, "block"))
        waits = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        return changes, waits

    loop = asyncio.new_event_loop()
    kept = loop.run_until_complete(begin())
    push(reasoner, *range(5))  # the loop is paused, and nobody reads
    loop.close()
    push(reasoner, *range(5, 9))
    assert reasoner.newest == 8 and kept


def test_one_call_waits_in_a_loop_that_does_not_run(reasoner):
    query, loop = reasoner.register(ALL, "all"), asyncio.new_event_loop()
    changes = aiter(query.follow(2, "drop_oldest"))
    waits = loop.create_task(anext(changes))
    loop.run_until_complete(asyncio.sleep(0))
    push(reasoner, *range(MANY))
    assert len(loop._ready) <= 1
    assert loop.run_until_complete(waits).at == MANY - 2
    loop.run_until_complete(changes.aclose())
    assert not query.has_followers
    loop.close()


TABLES = {
    "values": "SELECT ?v { ?x <urn:v> ?v }",
    "pairs": "SELECT ?x ?at { ?x a ?c OPTIONAL { ?x <urn:v> ?at } }",
    "ordered": "SELECT ?v ?x { ?x <urn:v> ?v } ORDER BY DESC(?v) ?x",
    "any": "ASK { ?x <urn:v> 1 }",
    "triples": "CONSTRUCT { ?x <urn:w> ?v } WHERE { ?x <urn:v> ?v }",
}


def table_rows(columns):
    return sorted(zip(*columns.values(), strict=True), key=str)


@given(st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=6))
@settings(max_examples=cases(15, 100, 2000), deadline=None)
def test_tables_of_answers_and_of_changes_have_the_rows_of_the_query(steps):
    reasoner = StreamReasoner(load_ontology(Graph()), Window(2))
    queries = {name: reasoner.register(text, name) for name, text in TABLES.items()}
    sums = {name: Counter() for name in TABLES}
    for at, values in enumerate(steps):
        facts = [(EX[f"x{value % 2}"], URIRef("urn:v"), Literal(value)) for value in values]
        update = reasoner.push(at, [*facts, *((EX[f"x{value}"], RDF.type, EX.C) for value in values)])
        for name, query in queries.items():
            expected = reasoner.query(query.text)
            found = query.answers.columns()
            assert list(found) == list(expected.columns())
            assert table_rows(found) == table_rows(expected.columns())
            assert query.answers.to_arrow().num_rows == len(query.answers.to_pandas()) == len(expected)
            if name == "ordered":
                assert found == expected.columns()
            if (change := update.answers.get(query)) is not None:
                back = pickle.loads(pickle.dumps(change))
                assert back.columns() == change.columns() and list(change.to_polars().columns)[1] == "change"
                for time, sign, *row in zip(*change.columns().values(), strict=True):
                    assert time == Literal(at)
                    sums[name][tuple(row)] += 1 if str(sign) == "+" else -1
            if name == "any":
                assert found == {"answer": [Literal(bool(+sums[name]))]}
            else:
                assert table_rows(found) == sorted(sums[name].elements(), key=str)


def test_changes_of_windows_that_closed_have_the_times_of_their_reports():
    reasoner = StreamReasoner(load_ontology(Graph()), Window(2))
    window, text = Window(2, slide=1), "SELECT ?x { ?x a ?c }"
    query = reasoner.register(text, window=window, on="close", emit="rstream")
    push(reasoner, 1)
    assert reasoner.advance(4).answers[query].to_pandas()["at"].tolist() == [1, 2, 3]


def test_a_query_over_streams_has_tables_of_its_changes():
    text = "SELECT ?x FROM STREAM <urn:s> [RANGE 4 STEP 4] { ?x a ?c }"
    query, found = register(text, streams={"urn:s": [(1, [(EX.x, RDF.type, EX.C)])]}), []
    query.subscribe(lambda change: found.append(change.to_pandas()))
    assert len(list(query.run())) == len(found) and found[0].values.tolist() == [[4, "+", str(EX.x)]]
    assert query.answers.to_pandas()["x"].tolist() == [str(EX.x)]


def test_merged_changes_have_tables(reasoner):
    query = reasoner.register(ALL, "all")

    async def read():
        changes = aiter(query.follow(1, "coalesce"))
        waits = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        push(reasoner, 1, 2, 3)
        return [await waits, await anext(changes)]

    assert [set(change.columns()) for change in asyncio.run(read())] == [
        {"at", "change", *query.variables}
    ] * 2


def test_a_variable_that_has_the_name_of_the_column_of_changes_is_refused(reasoner):
    query = reasoner.register("SELECT ?change { ?change a ?c }")
    change = reasoner.push(1, [(EX.x, RDF.type, EX.C)]).answers[query]
    with pytest.raises(OptionError, match=r"\?change AS \?other"):
        change.to_arrow()


@pytest.mark.parametrize(("limit", "overflow"), [(0, "error"), (1.5, "error"), (True, "block"), (1, "no")])
def test_other_limits_and_policies_are_refused(reasoner, limit, overflow):
    with pytest.raises(OptionError):
        reasoner.register(ALL, "all").follow(limit, overflow)

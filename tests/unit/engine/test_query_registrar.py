"""Registered queries as their users meet them: names, followers, windows, blocks, and what is refused."""

import asyncio
import logging
import pickle
import re
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from rdflib import RDF, Graph, Literal, URIRef

import pantarhei as pr
from pantarhei import OptionError, QueryError, StreamReasoner, Window
from pantarhei.engine.query_registrar import QueryRegistrar
from pantarhei.query.continuous_query import Registration

EX = "http://example.org/"
PREFIX = f"PREFIX : <{EX}> "
ALL = PREFIX + "SELECT ?x { ?x a :A }"


def ex(name):
    return URIRef(EX + name)


def a(name, class_="A"):
    return (ex(name), RDF.type, ex(class_))


@pytest.fixture
def reasoner():
    data = f"@prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :A owl:disjointWith :B ."
    return StreamReasoner(pr.load_ontology(Graph().parse(data=data)), Window(range=5))


def rows(counter):
    return sorted(str(row[0]).removeprefix(EX) for row in counter.elements())


def test_an_update_has_the_queries_whose_answers_changed_and_no_others(reasoner):
    query, other = reasoner.register(ALL), reasoner.register(ALL.replace(":A", ":B"), name="other")
    update = reasoner.push(1, [a("x")])
    assert list(update.answers) == [query]
    assert rows(update.answers[query].added) == ["x"] and not update.answers["query-1"].removed
    assert other not in update.answers
    with pytest.raises(KeyError, match="'other' reported nothing in this step"):
        update.answers[other]


def test_a_repair_takes_answers_away(reasoner):
    query = reasoner.register(ALL)
    reasoner.push(1, [a("x"), a("y")])
    update = reasoner.push(2, [a("x", "B")])
    assert rows(update.answers[query].removed) == ["x"] and not update.answers[query].added


def test_what_is_there_already_is_in_the_answers_and_never_reported(reasoner):
    reasoner.push(1, [a("x")])
    query = reasoner.register(ALL)
    assert list(query.answers) == [(ex("x"),)] and len(query.answers) == 1
    assert not reasoner.push(2, [a("x")]).answers
    assert query.variables == ("x",)


def test_a_row_is_in_the_answers_where_it_is_one_of_them(reasoner):
    reasoner.push(1, [a("x")])
    query, asked = reasoner.register(ALL), reasoner.register(PREFIX + "ASK { :no a :A }")
    assert (ex("x"),) in query.answers and query.answers[ex("x"),] == 1
    assert (ex("y"),) not in query.answers and query.answers.get((ex("y"),)) is None
    assert () not in asked.answers
    with pytest.raises(KeyError):
        query.answers[ex("y"),]
    query.close()
    assert (ex("x"),) in query.answers and (ex("y"),) not in query.answers


def test_queries_by_name_are_read_alone_and_handles_are_not_pickled(reasoner):
    query = reasoner.register(ALL, name="all")
    with pytest.raises(TypeError):
        reasoner.queries["other"] = query
    with pytest.raises(TypeError, match=r"a snapshot\(\) of the reasoner"):
        pickle.dumps(query)
    assert dict(reasoner.queries) == {"all": query}


def test_a_query_goes_on_after_a_restart_when_a_graph_of_its_from_has_left_the_window(reasoner):
    reasoner.push(1, [a("x")])
    query = reasoner.register(PREFIX + "SELECT ?x FROM <urn:pantarhei:at:1> { ?x a :A }", name="of 1")
    assert rows(reasoner.push(8, [a("y")]).answers[query].removed) == ["x"]
    again = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    assert again.queries["of 1"].answers == {}
    assert not again.push(9, [a("z")]).answers


@pytest.mark.parametrize("forgets", [False, True])
def test_values_that_a_query_computes_are_as_before_after_a_jump_that_was_refused(forgets):
    # on its way a window closes, so that the queries are told several times of what is undone then
    narrow = StreamReasoner(pr.load_ontology(Graph()), Window(range=3), max_facts=6)
    narrow.register(PREFIX + "SELECT (SUM(?v) AS ?s) { ?x :v ?v }")  # 0, which nothing has brought
    window = Window(range=1, slide=1)
    narrow.register(PREFIX + "SELECT ?x { ?x :q ?y }", window=window, on="close", emit="rstream")
    narrow.push(1, [(ex("x"), ex("q"), Literal(5))])
    with pytest.raises(pr.MemoryLimitError):
        narrow.push(9, [(ex("y"), ex("u"), Literal(i)) for i in range(9)])
    if forgets:
        narrow._held.most_entries = 0
    joined = narrow.register(PREFIX + "SELECT ?y { { SELECT (SUM(?v) AS ?s) { ?x :v ?v } } ?y :w ?s }")
    for at in (10, 11):
        narrow.push(at, [(ex("z"), ex("w"), Literal(100 * at + k)) for k in range(2)])
        assert Counter(dict(joined.answers)) == Counter(narrow.query(joined.text).rows) == Counter()
    assert narrow.push(12, [(ex("z"), ex("w"), Literal(0))]).answers[joined].added == {(ex("z"),): 1}


def test_now_is_the_time_that_the_stream_has_come_to():
    day = datetime(2026, 3, 1, tzinfo=UTC)
    on_a_clock = StreamReasoner(pr.load_ontology(Graph()), Window("PT1M", "PT1M"))
    text = "SELECT (NOW() AS ?now) {}"
    on_a_clock.push(day, [a("x")])
    query = on_a_clock.register(text)
    on_a_clock.advance(day + timedelta(minutes=3))
    ((now,),) = on_a_clock.query(text)
    assert now.toPython() == day + timedelta(minutes=3)
    assert list(query.answers) == [(now,)]


def test_a_step_that_fails_leaves_the_answers(reasoner):
    query = reasoner.register(ALL)
    reasoner.push(1, [a("x")])
    with pytest.raises(pr.InvalidTripleError):
        reasoner.push(2, [a("y"), ("no", "triple", "at all")])
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(2, [a("y")])
        raise ZeroDivisionError
    assert rows(Counter(dict(query.answers))) == ["x"]
    assert rows(reasoner.push(2, [a("y")]).answers[query].added) == ["y"]


def test_the_last_update_of_a_block_has_what_the_block_changed(reasoner):
    query = reasoner.register(ALL)
    with reasoner.all_or_nothing():
        first = reasoner.push(1, [a("x"), a("z")])
        last = reasoner.push(2, [a("x", "B"), a("y")])
        assert not first.answers and not last.answers
        with pytest.raises(QueryError, match="register it before the block"):
            reasoner.register(ALL)
    assert not first.answers
    assert rows(last.answers[query].added) == ["y", "z"] and not last.answers[query].removed


def test_followers_are_told_after_the_step_and_their_errors_are_logged_and_counted(reasoner, caplog):
    query, told = reasoner.register(ALL), []

    def fails(change):
        raise ValueError("no")

    forget = query.subscribe(lambda change: told.append((rows(change.added), len(reasoner.query(ALL)))))
    query.subscribe(fails)
    with caplog.at_level(logging.ERROR, "pantarhei.queries"):
        reasoner.push(1, [a("x")])
    assert told == [(["x"], 1)] and query.failures == 1 and "ValueError: no" in caplog.text
    forget()
    reasoner.push(2, [a("y")])
    assert len(told) == 1 and query.failures == 2
    with pytest.raises(QueryError, match="a function"):
        query.subscribe("print")

    async def waits(change):
        """Is never awaited."""

    with pytest.raises(QueryError, match="async for change in query"):
        query.subscribe(waits)


def test_who_follows_is_told_though_another_is_interrupted(reasoner):
    one, other = reasoner.register(ALL, name="one"), reasoner.register(ALL, name="other")
    told = []

    def interrupted(change):
        raise KeyboardInterrupt

    forget = one.subscribe(interrupted)
    one.subscribe(lambda change: told.append(("one", change.at)))
    other.subscribe(lambda change: told.append(("other", change.at)))
    with pytest.raises(KeyboardInterrupt):
        reasoner.push(1, [a("x")])
    assert told == [("one", 1), ("other", 1)] and one.failures == 0
    forget()
    reasoner.push(2, [a("y")])
    assert told[2:] == [("one", 2), ("other", 2)] and len(one.answers) == 2


def test_followers_hear_of_steps_in_their_order_also_of_those_that_a_follower_takes(reasoner):
    query, heard = reasoner.register(ALL), []
    query.subscribe(lambda change: change.at < 4 and reasoner.push(change.at + 1, [a(f"x{change.at}")]))
    query.subscribe(lambda change: heard.append(change.at))
    reasoner.push(1, [a("x")])
    assert heard == [1, 2, 3, 4] and not query.failures


def test_changes_can_be_awaited_from_another_thread(reasoner):
    query = reasoner.register(ALL)

    def push_and_close():
        for at in (1, 2):
            reasoner.push(at, [a(f"x{at}")])
        query.close()

    async def follow():
        found = []
        threading.Timer(0.05, push_and_close).start()
        async for change in query:
            found += rows(change.added)
        return found

    assert asyncio.run(asyncio.wait_for(follow(), 20)) == ["x1", "x2"]


def test_a_stream_goes_on_where_the_loop_of_one_who_waits_was_closed(reasoner):
    query, loop = reasoner.register(ALL), asyncio.new_event_loop()
    changes = aiter(query)
    waits = loop.create_task(anext(changes))
    loop.run_until_complete(asyncio.sleep(0))
    waits.cancel()
    loop.close()
    assert rows(reasoner.push(1, [a("x")]).answers[query].added) == ["x"]


def test_a_closed_query_keeps_its_answers_and_gives_its_name_back(reasoner):
    query = reasoner.register(ALL, name="all")
    reasoner.push(1, [a("x")])
    query.close()
    query.close()
    assert not reasoner.push(2, [a("y")]).answers and not reasoner.queries
    assert "closed" in repr(query) and rows(Counter(dict(query.answers))) == ["x"]
    assert list(reasoner.register(ALL, name="all").answers)


def test_no_step_comes_between_the_answers_that_a_query_keeps_and_its_end(reasoner, monkeypatch):
    query, drop, entered = reasoner.register(ALL), QueryRegistrar.drop, []

    def dropped_beside_another_thread(registrar, kept):
        other = threading.Thread(target=lambda: entered.append(reasoner._lock.acquire(blocking=False)))
        other.start()
        other.join()
        drop(registrar, kept)

    monkeypatch.setattr(QueryRegistrar, "drop", dropped_beside_another_thread)
    query.close()
    assert entered == [False] and "closed" in repr(query)


def test_answers_of_updates_pickle_and_are_found_by_name(reasoner):
    reasoner.register(ALL, name="all")
    told = reasoner.push(1, [a("x")])
    update = pickle.loads(pickle.dumps(told))
    assert update == told and update.answers != reasoner.push(1, [a("y")]).answers
    assert rows(update.answers["all"].added) == ["x"] and list(update.answers) == ["all"]
    assert repr(update.answers) == "AnswerChanges(1 query, all)"
    assert repr(update.answers["all"]) == "AnswerChange(at 1: +1 -0)"
    assert update.answers.get(7) is None and 7 not in update.answers


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"name": "known"}, "no other registered query"),
        ({"name": 7}, "a non-empty text, such as .*, or None"),
        ({"name": ""}, "a non-empty text"),
        ({"name": ex("iri")}, "str\\(iri\\) for an IRI"),
        ({"window": 5}, "a Window"),
        ({"window": Window(6)}, "a range of 6 or more"),
        ({"window": Window(2), "on": "close"}, "a Window with a slide"),
        ({"on": "close"}, "a Window with a slide"),
        ({"on": "now"}, "'change', 'close'"),
        ({"emit": "all"}, "'delta' or"),
        ({"on": ("change", "PT0S")}, "a duration"),
        ({"on": ["close"]}, "'change', 'close'"),
        ({"on": "PT10S"}, "a number, since the stream's time is an integer"),
        ({"on": 1.5}, "a whole number"),
        ({"window": Window("PT3S")}, "a number, since the stream's time is an integer"),
    ],
)
def test_what_cannot_be_is_refused_with_what_could(reasoner, options, reason):
    reasoner.register(ALL, name="known")
    with pytest.raises(OptionError, match=reason):
        reasoner.register(ALL, **options)
    with pytest.raises(QueryError):
        reasoner.register("SELECT ?x { ?x a }")
    assert list(reasoner.queries) == ["known"]


def test_a_window_and_a_period_in_numbers_are_no_lengths_of_time_on_a_clock(reasoner):
    clock = StreamReasoner(reasoner.ontology, Window("PT10S"))
    for options in ({"on": 2}, {"window": Window(2)}):
        with pytest.raises(OptionError, match="PT5M, since the stream's time is a datetime"):
            clock.register(ALL, **options)
    assert clock.register(ALL, window=Window(0), on="PT2S").plan()
    newest = StreamReasoner(reasoner.ontology, Window(0))
    assert newest.register(ALL, on="PT2S").plan()


def test_windows_of_queries_need_one_timestamp_a_fact(reasoner):
    every = StreamReasoner(reasoner.ontology, Window(range=5), keep="every")
    with pytest.raises(OptionError, match='"newest"'):
        every.register(ALL, window=Window(2))
    assert not every.queries
    assert every.register(ALL, window=Window(5)).plan()


def test_from_says_which_graphs_are_asked_and_one_that_has_left_is_empty(reasoner):
    for window in (None, Window(2)):
        with pytest.raises(QueryError, match="names a graph that the dataset does not have"):
            reasoner.register(PREFIX + "ASK FROM <urn:pantarhei:at:1> { ?x a :A }", window=window)
    assert not reasoner.queries
    assert not reasoner._registrar._registry.needs_levels  # nobody has that window
    reasoner.push(1, [a("x")])
    schema = reasoner.register("SELECT ?x FROM <urn:pantarhei:schema> { ?x a ?c }")
    first = reasoner.register(PREFIX + "SELECT ?x FROM <urn:pantarhei:at:1> { ?x a :A }")
    assert rows(Counter(dict(first.answers))) == ["x"]
    assert Counter(dict(schema.answers)) == Counter(reasoner.query(schema.text).rows)
    assert not reasoner.push(3, [a("y")]).answers
    assert rows(reasoner.push(9, [a("z")]).answers[first].removed) == ["x"]


@pytest.mark.long
def test_a_text_nested_too_deeply_is_refused_and_leaves_nothing(reasoner):
    reasoner.push(1, [a("x")])
    conditions = "&&".join(["?x = ?x"] * 400)
    with pytest.raises(QueryError, match="nested too deeply"):
        reasoner.register(PREFIX + f"SELECT ?x {{ ?x a :A FILTER({conditions}) }}")
    assert not reasoner.queries and reasoner.push(2, [a("y")])


def test_a_product_of_too_many_rows_is_refused_and_leaves_nothing(reasoner, monkeypatch):
    monkeypatch.setattr("pantarhei.query.incremental.joins._MAX_ROWS", 100)
    reasoner.push(1, [a(f"x{i}") for i in range(20)])
    with pytest.raises(pr.QueryMemoryError):
        reasoner.register(PREFIX + "SELECT * { ?x a :A . ?y a :A }")
    assert not reasoner.queries and reasoner.push(2, [a("y")])


TUMBLING = {"window": Window(2, 2, closed="right"), "on": "close"}


def test_a_query_that_would_hold_more_than_there_is_room_for_is_refused_and_leaves_nothing():
    reasoner = StreamReasoner(pr.load_ontology(Graph()), Window(range=100), max_bytes=1_000_000)
    reasoner.push(1, [a(f"x{number}") for number in range(80)])
    with pytest.raises(pr.RegistrationMemoryError) as raised:
        reasoner.register(PREFIX + "SELECT DISTINCT ?x ?y { ?x a :A . ?y a :A }")
    error, kept = raised.value, reasoner.stats().bytes
    assert (error.max_bytes, error.rows) == (10**6, 6400)
    assert kept < 10**6 < error.needed and 6400 * 250 <= error.beside <= error.needed - kept // 2
    told = rf"\(6_400 rows\) was .* {error.needed:_} bytes, .* the limit max_bytes=1_000_000; raise the limit"
    assert re.search(told, str(error))
    assert not reasoner.queries and not reasoner.push(2, [a("y")]).answers


def test_windows_that_close_on_the_way_through_a_block_are_reported_at_its_end(reasoner):
    query, plain = reasoner.register(ALL, **TUMBLING), reasoner.register(ALL)
    reasoner.push(1, [a("x")])
    with reasoner.all_or_nothing():
        reasoner.push(3, [a("y")])
        with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
            reasoner.push(5, [a("no")])
            raise ZeroDivisionError
        last = reasoner.push(6, [a("z")])
    reports = last.answers[query].reports
    assert [(each.at, rows(each.added), rows(each.removed)) for each in reports] == [
        (2, ["x"], []),
        (4, ["y"], ["x"]),
    ]
    assert rows(last.answers[plain].added) == ["y", "z"]


def test_a_block_can_tell_of_each_step_and_followers_hear_of_all_at_its_end(reasoner):
    query, closing, told = reasoner.register(ALL), reasoner.register(ALL, **TUMBLING), []
    query.subscribe(lambda change: told.append((change.at, rows(change.added), rows(change.removed))))
    with reasoner.all_or_nothing(each_step=True):
        first = reasoner.push(1, [a("x")])
        with reasoner.all_or_nothing():  # as the outer block says
            second = reasoner.push(3, [a("x", "B"), a("y")])
        with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
            reasoner.push(4, [a("no")])
            raise ZeroDivisionError
        third = reasoner.advance(8)
        assert rows(first.answers[query].added) == ["x"] and closing not in first.answers
        assert rows(second.answers[query].added) == ["y"] and rows(second.answers[query].removed) == ["x"]
        assert [each.at for each in second.answers[closing].reports] == [2]
        assert query not in third.answers
        assert [each.at for each in third.answers[closing].reports] == [4, 6]
        assert rows(Counter(dict(query.answers))) == ["y"] and not told
    assert told == [(1, ["x"], []), (3, ["y"], ["x"])]


def test_a_block_that_fails_takes_back_what_its_steps_told(reasoner):
    query, told = reasoner.register(ALL), []
    query.subscribe(told.append)
    reasoner.push(1, [a("x")])
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing(each_step=True):
            assert rows(reasoner.push(2, [a("x", "B"), a("y")]).answers[query].added) == ["y"]
            raise ZeroDivisionError
        assert rows(Counter(dict(query.answers))) == ["x"] and len(told) == 1
    assert not reasoner.push(2, [a("x")]).answers
    assert rows(reasoner.advance(9).answers[query].removed) == ["x"]


def test_the_first_report_can_bring_what_is_there_already_also_after_an_error_and_a_restart(reasoner):
    reasoner.push(1, [a("x"), a("y")])
    query = reasoner._query_registrar().register(ALL, "all", reports_present=True)
    assert not query.answers
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing(each_step=True):
        assert rows(reasoner.push(2, [a("z")]).answers[query].added) == ["x", "y", "z"]
        raise ZeroDivisionError
    again = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    for each in (reasoner, again):
        change = each.push(2, [a("x", "B")]).answers["all"]
        assert rows(change.added) == ["y"] and not change.removed
        assert not each.push(3, [a("y")]).answers
        assert rows(Counter(dict(each.queries["all"].answers))) == ["y"]
    assert not again.push(4, [a("y")]).answers


def test_answers_of_a_slice_come_in_its_order_by_what_is_not_shown(reasoner):
    given = {"z": 1, "a": 2, "y": 1, "x": 1}
    reasoner.push(1, [(ex(name), ex("k"), Literal(number)) for name, number in given.items()])
    query = reasoner.register(PREFIX + "SELECT ?x { ?x :k ?n } ORDER BY ?n OFFSET 1")
    assert [row[0].removeprefix(EX) for row in query.answers] == ["y", "z", "a"]
    reasoner.push(2, [(ex("v"), ex("k"), Literal(1)), (ex("w"), ex("k"), Literal(0))])
    assert [row[0].removeprefix(EX) for row in query.answers] == ["v", "x", "y", "z", "a"]


def test_time_that_stands_still_is_no_step_also_after_a_restart(reasoner):
    reasoner.push(3, [a("x")])
    query = reasoner.register(ALL, "all", on="non-empty", emit="rstream")
    again = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    for each in (reasoner, again):
        assert not each.advance(3).answers
        assert rows(each.advance(4).answers["all"].added) == ["x"]
        assert not each.advance(4).answers
    assert query.answers == again.queries["all"].answers


def test_a_query_says_what_it_holds(reasoner):
    pairs = reasoner.register(PREFIX + "SELECT * { ?x a :A . ?y a :B }")
    plain = reasoner.register(PREFIX + "SELECT ?x { ?x a :A }")
    assert pairs.stats() == plain.stats() == (0, 0, 0, 0)
    reasoner.push(1, [a("x"), a("y"), a("z", "B")])
    assert pairs.stats()[:3] == (2, 0, 3) and plain.stats()[:3] == (2, 0, 0)
    assert pairs.stats().bytes > plain.stats().bytes > 0


def test_what_is_drawn_anew_after_a_restart_is_reported(reasoner):
    reasoner.push(1, [a("x")])
    reasoner.register(PREFIX + "SELECT ?x ?drawn { ?x a :A BIND(UUID() AS ?drawn) }", "drawn")
    again = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    last = Counter(dict(again.queries["drawn"].answers))
    assert last == Counter(dict(reasoner.queries["drawn"].answers))
    change = again.push(2, []).answers["drawn"]
    assert change.removed == last and rows(change.added) == ["x"]
    assert last - change.removed + change.added == Counter(dict(again.queries["drawn"].answers))


def test_going_on_with_a_registered_query_needs_it_to_be_registered_alike(reasoner):
    timed = StreamReasoner(reasoner.ontology, Window("PT1H"))
    given = Registration(ALL, Window("PT10M", "PT5M"), ("close", "PT10M"), "rstream")
    query = timed.register(given.text, "q", given.window, given.on, given.emit)
    again = StreamReasoner.restore(timed.snapshot(), timed.ontology)._query_registrar()
    same = given._replace(window=Window(timedelta(minutes=10), "PT300S"), on=(timedelta(minutes=10), "close"))
    assert timed._query_registrar().resume("q", same) is query
    assert again.resume("q", same).text == ALL
    others = [
        {"text": ALL + " "},
        {"window": None, "on": "change"},
        {"window": Window("PT10M", "PT10M")},
        {"on": "close"},
        {"on": ("close", "PT20M")},
        {"emit": "delta"},
    ]
    for other in others:
        with pytest.raises(OptionError, match="the query of the checkpoint") as raised:
            again.resume("q", given._replace(**other))
        assert raised.value.option == "queries['q']" and "on=('close', 'PT10M')" in raised.value.expected
    plain = timed.register(ALL, "plain")
    assert timed._query_registrar().resume("plain", Registration(ALL, Window("PT60M"))) is plain
    with pytest.raises(OptionError, match="window=None, on='change', emit='delta'"):
        timed._query_registrar().resume("plain", given)


@pytest.mark.parametrize("closed", ["both", "right", "left"])
def test_a_block_reports_the_windows_that_its_steps_alone_would_and_looks_once_itself(reasoner, closed):
    #   at       1   2   3   4   5   6   7   8
    #   A        x   y   z           w
    def followed(*blocks):
        one, reports = StreamReasoner(reasoner.ontology, Window(8)), Counter()
        closing = one.register(ALL, "closing", Window(2, 2, closed=closed), "close", "rstream")
        looking = one.register(ALL, "looking", on=("change", "non-empty"), emit="rstream")
        plain = one.register(ALL, "plain")
        for block in blocks:
            with one.all_or_nothing():
                for at, name in block:
                    update = one.push(at, [a(name)] if name else [])
            reports.update(query.name for query in (looking, plain) if query in update.answers)
            for report in update.answers[closing].reports if closing in update.answers else ():
                reports[report.at, *rows(report.added)] += 1
        assert rows(Counter(dict(plain.answers))) == ["w", "x", "y", "z"]
        return reports

    pushed = [(1, "x"), (2, "y"), (3, "z"), (6, "w"), (7, ""), (8, "")]
    singly = followed(*([each] for each in pushed))
    assert singly["looking"] == singly["plain"] == 4 and len(singly) >= 5
    for cuts in ([6], [1, 6], [2, 6], [1, 4, 6], [3, 5, 6]):
        blocks = [pushed[start:end] for start, end in zip([0, *cuts], cuts, strict=False)]
        looks = sum(any(name for _, name in block) for block in blocks)
        assert followed(*blocks) == {**singly, "looking": looks, "plain": looks}, cuts


def test_inside_a_block_no_query_is_registered_not_even_the_first(reasoner):
    with pytest.raises(QueryError, match="register it before the block"), reasoner.all_or_nothing():
        reasoner.register(ALL)
    assert not reasoner.queries
    query = reasoner.register(ALL)
    assert rows(reasoner.push(1, [a("x")]).answers[query].added) == ["x"]


def test_what_was_asked_before_a_query_was_registered_is_answered_so_afterwards(reasoner):
    reasoner.register(ALL.replace("a :A", ":p ?y"))
    reasoner.push(1, [a("x")])
    for _ in range(2):
        assert len(reasoner.query(ALL)) == 1
        reasoner.register(ALL)  # gives the class a number among names

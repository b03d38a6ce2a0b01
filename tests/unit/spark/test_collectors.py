"""The rows that come out of a stream, without Spark."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from rdflib import Literal

from pantarhei import Ontology, StreamReasoner, Window, load_rules
from pantarhei.errors import OptionError, QueryError
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind
from pantarhei.query.answer_reports import AnswerReport
from pantarhei.query.continuous_query import Registration
from pantarhei.spark.collectors import (
    ConclusionCollector,
    FactChanges,
    RecomputedAnswers,
    RegisteredAnswers,
    changed_rows,
    register_queries,
    registrations,
)
from pantarhei.spark.collectors import Registration as CollectorsRegistration
from strategies import EX, A, B, C, is_a, member, x

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("disjoint", (is_a(B, x), is_a(C, x)), None)]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def reasoner_of(range=5):
    return StreamReasoner(Ontology.from_rules(RULES), Window(range))


def test_changes_are_rows_of_what_went_and_came_with_batch_time_and_window():
    reasoner = reasoner_of()
    collector = FactChanges(TimeKind.INTEGER)
    collector.begin(7)
    collector.note(reasoner.push(3, [member(A, EX.a)]))
    collector.note(reasoner.push(4, [member(C, EX.a)]))
    rows = [tuple(row.values()) for row in collector.table().to_pylist()]
    assert [(*row[:4], row[6].rpartition("/")[2], row[7]) for row in rows] == [
        (7, 3, -2, 3, "A>", 1),
        (7, 3, -2, 3, "B>", 1),
        (7, 4, -1, 4, "A>", -1),
        (7, 4, -1, 4, "B>", -1),
        (7, 4, -1, 4, "C>", 1),
    ]
    collector.begin(8)
    assert not len(collector.table()) and collector.table().schema == collector.schema


@pytest.mark.parametrize(
    ("query", "columns", "rows"),
    [
        ("SELECT ?x ?y { ?x a ex:B OPTIONAL { ?x ex:no ?y } }", ["x", "y"], [(EX.a.n3(), None)]),
        ("ASK { ?x a ex:C }", ["answer"], [('"false"^^<http://www.w3.org/2001/XMLSchema#boolean>',)]),
        (
            "CONSTRUCT { ?x ex:is 'b\\n' } { ?x a ex:B }",
            ["subject", "predicate", "object"],
            [(EX.a.n3(), EX["is"].n3(), '"b\\n"')],
        ),
        ("SELECT ?x { ?x a ex:C }", ["x"], []),
    ],
)
def test_answers_are_rows_with_a_column_a_variable(query, columns, rows):
    reasoner = reasoner_of("PT1H")
    collector = RecomputedAnswers(TimeKind.DATETIME, reasoner, f"PREFIX ex: <{EX}> {query}")
    collector.begin(0)
    collector.note(reasoner.push(NOON, [member(A, EX.a)]))
    assert collector.table().column_names == ["batch", "at", "start", "end", *columns]
    assert [tuple(row.values())[4:] for row in collector.table().to_pylist()] == rows
    assert all(row["at"] == NOON for row in collector.table().to_pylist())


def test_queries_that_cannot_be_answered_are_refused_at_once():
    with pytest.raises(
        OptionError, match=r"query=\?at, \?batch is invalid: expected variables with other names"
    ):
        RecomputedAnswers(TimeKind.INTEGER, reasoner_of(), "SELECT ?at ?x ?batch { ?x ?at ?batch }")
    with pytest.raises(QueryError):
        RecomputedAnswers(TimeKind.INTEGER, reasoner_of(), "SELECT ?x {")


def test_conclusions_are_rows_of_what_went_and_came_at_each_time_on_the_way():
    rules = load_rules(
        "on :- :C(X).\nquiet(X, 1) :- :B(X), not asserted :A(X) in [1].", prefixes={"": str(EX)}
    )
    reasoner = StreamReasoner(Ontology.from_rules(RULES), Window(3), temporal=rules)
    collector = ConclusionCollector(TimeKind.INTEGER, rules, reasoner.window)
    collector.begin(7)
    collector.note(reasoner.push(3, [member(A, EX.a)]))
    collector.note(reasoner.push(9, [member(C, EX.a)]))
    quiet = f"<{EX}quiet>", EX.a.n3(), '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    columns = ["batch", "at", "start", "end", "predicate", "argument1", "argument2", "change"]
    assert collector.table().column_names == columns
    assert [tuple(row.values()) for row in collector.table().to_pylist()] == [
        (7, 5, 2, 5, *quiet, 1),
        (7, 7, 4, 7, *quiet, -1),
        (7, 9, 6, 9, f"<{EX}on>", None, None, 1),
    ]


def kept_up(registration, reasoner, kind=TimeKind.INTEGER):
    given = registration._replace(text=f"PREFIX ex: <{EX}> {registration.text}")
    query = reasoner._query_registrar().register(*given[:1], "q", *given[1:], reports_present=True)
    return RegisteredAnswers(kind, query, given, reasoner.window)


def collected(collector, *updates):
    collector.begin(4)
    for update in updates:
        collector.note(update)
    return [tuple(row.values()) for row in collector.table().to_pylist()]


def test_reports_are_rows_with_how_many_times_more_or_less_each_answer_is_there():
    reasoner = reasoner_of()
    reasoner.push(1, [member(B, EX.b)])
    collector = kept_up(Registration("SELECT ?who ?y { { ?who a ex:B } UNION { ?who a ex:A } }"), reasoner)
    assert collector.table().column_names == ["batch", "at", "start", "end", "who", "y", "change"]
    assert [str(field.type) for field in collector.schema] == ["int64"] * 4 + ["string"] * 2 + ["int32"]
    a, b = EX.a.n3(), EX.b.n3()
    updates = [reasoner.push(2, [member(A, EX.a)]), reasoner.push(3, [member(C, EX.a)]), reasoner.advance(8)]
    assert collected(collector, *updates) == [
        (4, 2, -3, 2, a, None, 2),
        (4, 2, -3, 2, b, None, 1),
        (4, 3, -2, 3, a, None, -2),
        (4, 8, 3, 8, b, None, -1),
    ]


@pytest.mark.parametrize(
    ("query", "columns", "row"),
    [
        ("ASK { ?x a ex:B }", [], ()),
        (
            "CONSTRUCT { ?x ex:is 1 } { ?x a ex:B }",
            ["subject", "predicate", "object"],
            (EX.a.n3(), EX["is"].n3(), None),
        ),
        ("DESCRIBE ex:a", ["subject", "predicate", "object"], (EX.a.n3(), None, A.n3())),
    ],
)
def test_other_forms_have_columns_of_triples_or_none(query, columns, row):
    reasoner = reasoner_of("PT1H")
    collector = kept_up(Registration(query), reasoner, TimeKind.DATETIME)
    assert collector.schema.names == ["batch", "at", "start", "end", *columns, "change"]
    first, *_ = collected(collector, reasoner.push(NOON, [member(A, EX.a)]))
    assert first[1] == NOON and first[3] - first[2] == timedelta(hours=1) and first[-1] == 1
    assert all(given in (None, found) for given, found in zip(row, first[4:-1], strict=True))


@pytest.mark.parametrize(
    ("closed", "rows"),
    [
        ("both", [(2, 0, 2, "a", 1), (4, 2, 4, "a", -1), (4, 2, 4, "b", 1)]),
        ("right", [(2, 0, 2, "a", 1), (4, 2, 4, "a", -1), (4, 2, 4, "b", 1), (6, 4, 6, "b", -1)]),
        ("left", [(2, 0, 2, "a", 1), (4, 2, 4, "a", -1), (6, 4, 6, "b", 1)]),
    ],
)
def test_a_window_that_closes_is_the_one_of_the_row(closed, rows):
    #   at       0   1   2   3   4   5   6   7
    #   A            a           b
    reasoner = reasoner_of(8)
    on_close = Registration("SELECT ?x { ?x a ex:A }", Window(2, 2, closed=closed), "close")
    collector = kept_up(on_close, reasoner)
    updates = [reasoner.push(1, [member(A, EX.a)]), reasoner.push(4, [member(A, EX.b)]), reasoner.advance(7)]
    found = collected(collector, *updates)
    assert [(at, start, end, who[-2], change) for _, at, start, end, who, change in found] == rows


def test_times_of_windows_are_of_the_streams_kind():
    reasoner = reasoner_of(2.5)
    collector = kept_up(Registration("ASK { ?x a ex:A }", Window(0.5)), reasoner, TimeKind.FLOAT)
    assert collected(collector, reasoner.push(1.5, [member(A, EX.a)])) == [(4, 1.5, 1.0, 1.5, 1)]


def test_variables_with_the_name_of_a_column_are_refused_with_the_querys_name():
    with pytest.raises(OptionError, match=r"queries\['q'\]=\?Change, \?end is invalid") as raised:
        kept_up(Registration("SELECT ?Change ?end { ?Change a ?end }"), reasoner_of())
    assert raised.value.option == "queries['q']"


def test_rows_are_in_the_order_of_their_texts_with_how_many_more_there_are_or_fewer():
    a, b, one = EX.a, EX.b, Literal("one\n")
    report = AnswerReport(1, Counter({(b, None): 2, (a, one): 1}), Counter({(b, one): 3, (None, a): 1}))
    assert changed_rows(report) == [
        ((None, a.n3()), -1),
        ((a.n3(), '"one\\n"'), 1),
        ((b.n3(), None), 2),
        ((b.n3(), '"one\\n"'), -3),
    ]


ALL_A, ALL_B = (f"SELECT ?x {{ ?x a <{each}> }}" for each in (A, B))


@pytest.mark.parametrize(
    ("queries", "query", "said"),
    [
        ({"a": ALL_A}, ALL_A, "query and queries exclude each other"),
        ([ALL_A], None, "a mapping of names to queries"),
        ({}, None, "a mapping of names to queries"),
        ({"a": 7}, None, r"queries\['a'\]=7 .* a text or a Registration"),
        ({7: ALL_A}, None, "names that are valid for folders"),
        ({"Hot": ALL_A, "hot": ALL_B}, None, "'Hot', 'hot' .* not only in upper and lower case"),
        *(
            ({name: ALL_A}, None, "names that are valid for folders")
            for name in ("", "a/b", "..", "_a", "a=b", "a" * 101)
        ),
    ],
)
def test_what_cannot_be_registered_is_refused(queries, query, said):
    with pytest.raises(OptionError, match=said):
        registrations(queries, query)


def test_a_text_is_a_registration_with_nothing_else_said():
    given = {"a": ALL_A, "b-2.x_ü": CollectorsRegistration(ALL_B, emit="istream")}
    assert registrations(given, None) == {**given, "a": CollectorsRegistration(ALL_A)}
    assert registrations(None, ALL_A) == {}


def test_a_reasoner_comes_to_have_the_queries_that_are_asked_and_no_others():
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(5))
    asked = registrations({"a": ALL_A, "b": ALL_B}, None)
    assert register_queries(reasoner, asked) == {"a", "b"}
    reasoner.push(1, [member(A, EX.a), member(B, EX.b)])
    again = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    assert register_queries(again, {"b": asked["b"], "c": CollectorsRegistration(ALL_A)}) == {"c"}
    assert set(again.queries) == {"b", "c"}
    update = again.push(2, [member(B, EX.c)])
    assert {name: set(update.answers[name].added) for name in "bc"} == {"b": {(EX.c,)}, "c": {(EX.a,)}}
    with pytest.raises(OptionError, match="the query of the checkpoint"):
        register_queries(again, {"b": asked["a"]})
    with pytest.raises(QueryError):
        register_queries(again, {"d": CollectorsRegistration("SELECT ?x {")})

"""Several windows over one stream, kept up to date: what is reported, worked by hand."""

from datetime import timedelta

import pytest
from rdflib import RDF, Graph, Namespace, URIRef

import pantarhei as pr
from pantarhei import InconsistentOntologyError, Window
from pantarhei.continuous import build
from pantarhei.continuous.stream_query import StreamQuerySpec
from pantarhei.continuous.windowed_query import WindowViews, views_of
from pantarhei.query.languages import read_stream_text

EX = Namespace("http://example.org/")
ONTOLOGY = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:A rdfs:subClassOf :B . :B owl:disjointWith :C .
"""


def member(name, class_="A"):
    return EX[name], RDF.type, EX[class_]


def made(text, *stream, **options):
    ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
    stream = [(at, [member(*each.split()) for each in facts]) for at, *facts in stream]
    return pr.register(f"PREFIX : <{EX}> {text}", ontology, {EX.s: stream}, **options)


def told(text, *stream, **options):
    """`2: a b` for two rows that came at 2, `-a` for one that went."""
    query = made(text, *stream, **options)
    assert query.plan().startswith("Maintained over")
    return [
        f"{at}: {' '.join([*sorted(map(shown, came)), *(f'-{shown(row)}' for row in sorted(went))])}".strip()
        for at, came, went in query.run()
    ]


def shown(row):
    return ",".join(str(term).removeprefix(EX) for term in row)


def windows(*bounds):
    return " ".join(f"FROM NAMED WINDOW :w{place} ON :s [{each}]" for place, each in enumerate(bounds))


TWO = windows("RANGE 2 STEP 2", "RANGE 4 STEP 2")


#   time     1     2     3     4     5     6
#            a     b           c
#        (-----------]
#                    (-----------]           w0: range 2, step 2
#        (-----------------------]           w1: range 4, step 2
def test_windows_that_close_at_one_boundary_report_once():
    text = f"SELECT ?x {TWO} WHERE {{ {{0}} }}"
    stream = [(1, "a"), (2, "b"), (4, "c")]
    both = "WINDOW :w0 { ?x a :B } WINDOW :w1 { ?x a :A }"
    assert told(text.replace("{0}", both), *stream, since=0) == ["2: a b", "4: c", "6:"]
    only = "WINDOW :w1 { ?x a :A } MINUS { WINDOW :w0 { ?x a :B } }"
    assert told(text.replace("{0}", only), *stream, since=0) == ["2:", "4: a b", "6: c"]


def test_a_window_that_nobody_looks_at_reports_too():
    text = f"SELECT ?x {windows('RANGE 2 STEP 2', 'RANGE 3 STEP 3')} WHERE {{ WINDOW :w0 {{ ?x a :A }} }}"
    assert told(text, (1, "a"), (4, "b"), since=-9, until=7) == ["2: a", "3:", "4: b", "6:"]


def test_what_leaves_one_window_and_comes_to_another_is_a_change_of_both():
    #  2 is in w0, 3 in w1 and in no w0: what w0 loses, w1 gains
    bounds = [f"RANGE 1 STEP {step} REPORT ON_CONTENT_CHANGE" for step in (2, 3)]
    text = f"SELECT ?x {windows(*bounds)} WHERE {{ WINDOW :w1 {{ ?x a :A }} }}"
    assert told(text, (2, "x"), (3, "x"), (4, "y")) == ["2:", "3: x", "4:"]


def test_any_window_may_hold_something():
    bounds = [f"{each} REPORT NON_EMPTY_CONTENT TICK BATCH_DRIVEN" for each in ("RANGE 1", "RANGE 4")]
    text = f"SELECT ?x {windows(*bounds)} WHERE {{ WINDOW :w0 {{ ?x a :A }} }}"
    assert told(text, (1, "a"), (3,), (9,)) == ["1: a", "3:"]


def test_windows_closed_to_the_left_are_looked_at_before_what_comes_with_their_boundary():
    text = f"SELECT ?x {windows('RANGE 2 STEP 2', 'RANGE 4 STEP 1')} WHERE {{ WINDOW :w1 {{ ?x a :A }} }}"
    assert told(text, (1, "a"), (2, "b"), since=-9, closed="left", until=5) == [
        "2: a",
        "3: a b",
        "4: a b",
        "5: a b",
    ]


def test_the_static_graph_is_closed_by_itself_and_in_no_window():
    text = f"SELECT ?x ?y {TWO} FROM :plan WHERE"
    static = {"static": {EX.plan: [member("p")]}, "since": 0}
    joined = f"{text} {{ ?x a :B WINDOW :w1 {{ ?y a :B }} }}"
    assert told(joined, (1, "a"), (2, "p C"), **static) == ["2: p,a", "4: p,a"]
    assert told(f"{text} {{ WINDOW :w1 {{ ?y a :C }} }}", (2, "p C"), **static) == ["2: None,p", "4: None,p"]


def test_what_always_holds_must_not_contradict_itself():
    text = f"ASK {TWO} FROM :plan WHERE {{ ?x a :B }}"
    with pytest.raises(InconsistentOntologyError):
        made(text, static={EX.plan: [member("p"), member("p", "C")]})


def test_a_further_part_of_a_timestamp_is_seen_in_all_windows():
    bounds = [f"RANGE {each} REPORT ON_CONTENT_CHANGE TICK BATCH_DRIVEN" for each in (1, 4)]
    both = "WINDOW :w0 { ?x a :B } WINDOW :w1 { ?y a :C }"
    text = f"REGISTER ISTREAM :o AS SELECT ?x ?y {windows(*bounds)} WHERE {{ {both} }}"
    assert told(text, (1, "a C"), (3, "b"), (3, "a"), (3, "c")) == ["3: b,a"]  # then a is B, and no C


def test_a_part_that_is_evaluated_as_a_whole_sees_all_windows_after_the_step():
    optional = "OPTIONAL { WINDOW :w1 { ?y a :A } FILTER EXISTS { WINDOW :w0 { ?y a :B } } }"
    text = f"SELECT ?x ?y {TWO} WHERE {{ WINDOW :w1 {{ ?x a :A }} {optional} }}"
    assert "re-evaluates the node" in made(text).plan()
    assert told(text, (1, "a"), (3, "b"), since=0) == ["2: a,a", "4: a,b b,b", "6: b,None"]


def test_answers_are_in_the_order_that_is_asked_for():
    text = f"SELECT ?x {TWO} WHERE {{ WINDOW :w1 {{ ?x a :A }} }} ORDER BY DESC(?x)"
    query = made(text, (1, "a", "c", "b"), (3,), since=0)
    next(query.run())
    assert [shown(row) for row in query.answers] == ["c", "b", "a"]


def test_a_default_window_beside_a_named_one_and_what_it_describes():
    text = "FROM STREAM :s [RANGE 2 STEP 2] FROM NAMED STREAM :s [RANGE 4 STEP 2]"
    stream = [(1, "a"), (4, "b")]
    assert told(f"SELECT ?x ?y {text} {{ ?x a :A GRAPH :s {{ ?y a :B }} }}", *stream) == [
        "2: a,a",
        "4: b,a b,b",
        "6:",
    ]
    described = [*made(f"DESCRIBE ?y {text} {{ GRAPH :s {{ ?y a :A }} }}", *stream).run()]
    assert [{row[0].removeprefix(EX) for row in report.added} for report in described] == [
        {"a"},
        {"b"},
        set(),
    ]


@pytest.mark.parametrize("is_anew", [False, True], ids=["views", "anew"])
def test_reads_between_reports_share_the_rows(is_anew, monkeypatch):
    if is_anew:
        monkeypatch.setattr(build, "views_of", lambda asked: "it is to be compared")
    query = made(f"SELECT ?x {TWO} WHERE {{ WINDOW :w1 {{ ?x a :A }} }}", (1, "a"), (2, "b"), (3, "c"))
    reports = query.run()
    next(reports)
    rows = query._maintainer.rows()
    assert rows and dict(query.answers) == query.answers.copy() == rows
    assert query._maintainer.rows() is rows


PLAN = {URIRef("urn:plan"): []}


def views(text, closed="right", origin=0):
    return views_of(StreamQuerySpec.of(read_stream_text(text), PLAN, origin, closed, None))


def text(*bounds, body="{ WINDOW <urn:w0> { ?x a ?c } }"):
    windows = " ".join(f"FROM NAMED WINDOW <urn:w{i}> ON <urn:s> [{each}]" for i, each in enumerate(bounds))
    return f"SELECT ?x {windows} WHERE {body}"


@pytest.mark.parametrize(
    ("bounds", "closed", "held"),
    [
        (("RANGE 2 STEP 1", "RANGE 6 STEP 2"), "right", Window(6, 2, closed="right")),
        (
            ("RANGE 5 STEP 1", "RANGE 6 STEP 4"),
            "right",
            Window(6),
        ),  # else it ends up to 3 after the other one
        (("RANGE 2 STEP 2", "RANGE 6 STEP 2"), "right", Window(6, 2, closed="right")),
        (("RANGE 2 STEP 4", "RANGE 6 STEP 2"), "both", Window(6, 2)),
        (("RANGE 2 STEP 2", "RANGE 6 STEP 2"), "left", Window(6)),  # no reasoner's window is closed so
        (("RANGE 2 STEP 2", "RANGE 3 STEP 5"), "right", Window(3)),  # it leaves times out
        (("RANGE 2.5 STEP 1", "RANGE 6 STEP 1"), "right", Window(6.0)),
    ],
)
def test_a_window_of_a_reasoner_holds_what_all_of_them_do(bounds, closed, held):
    assert views(text(*bounds), closed).reasoner_window == held


def test_the_newest_timestamp_is_held_by_a_window_of_any_kind_of_time():
    found = views("ASK { STREAM <urn:s> [NOW] { ?x a ?c } STREAM <urn:s> [RANGE 2s] { ?x a ?c } }")
    assert found.reasoner_window == Window(timedelta(seconds=2), closed="right")
    assert views("ASK { STREAM <urn:s> [NOW] { ?x a ?c } ?x a ?d }").reasoner_window == Window(0)


def test_one_window_that_all_is_asked_of_is_the_default_graph():
    found = views(text("RANGE 2 STEP 2"))
    assert (
        isinstance(found, WindowViews) and found.default == Window(2, 2, closed="right") and not found.named
    )


@pytest.mark.parametrize(
    "body", ["{ WINDOW <urn:w0> { ?x a ?c } ?x a ?d }", "{ WINDOW <urn:w0> { ?x a ?c } ?x !<urn:p> ?d }"]
)
def test_one_window_beside_the_default_graph_has_its_name(body):
    found = views(text("RANGE 2 STEP 2", body=body))
    assert found.default is None and found.uses_default_graph
    assert found.named == {URIRef("urn:w0"): Window(2, 2, closed="right")}
    assert found.by_name(()).always == ()


def test_windows_that_nobody_looks_at_are_views_too():
    found = views(text("RANGE 2 STEP 2", "RANGE 4 STEP 1"))
    assert [*found.named] == [URIRef("urn:w0"), URIRef("urn:w1")] and not found.uses_default_graph


def test_of_a_default_window_and_a_named_one_neither_has_what_always_holds():
    windows = "FROM STREAM <urn:s> [RANGE 2 STEP 2] FROM NAMED STREAM <urn:s> [RANGE 4 STEP 2]"
    found = views(f"SELECT ?x {windows} {{ ?x a ?c }}")
    assert found.default == Window(2, 2, closed="right") and found.by_name(()).always is None

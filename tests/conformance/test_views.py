"""Which windows are views of one model, and which are not: the smallest case of each kind.

A view of `[s, now]` has the facts of the model whose newest support is at `s` or later. A separate reasoner
with that window has the same, since repairs decide newest first.
"""

import pytest
from rdflib import RDF, Graph, Namespace

import pantarhei as pr

EX = Namespace("http://example.org/")
HEAD = "PREFIX : <http://example.org/> "
CLASSES = HEAD + "SELECT ?c { :x a ?c }"
ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:A owl:disjointWith :B . :B owl:disjointWith :C .
"""


def x_is(*classes):
    return [(EX.x, RDF.type, EX[each]) for each in classes]


def ontology():
    return pr.load_ontology(Graph().parse(data=ONTOLOGY))


def reasoner(width, **options):
    return pr.StreamReasoner(ontology(), pr.Window(width), **options)


def names(rows):
    return sorted(str(row[0]).removeprefix(EX) for row in rows)


def test_a_shorter_window_that_ends_now_is_a_view():
    whole, alone = reasoner(10), reasoner(1)
    view, own = whole.register(CLASSES, window=pr.Window(1)), alone.register(CLASSES)
    for at, abox in [(1, x_is("A")), (2, x_is("C")), (3, x_is("B")), (5, [])]:
        whole.push(at, abox)
        alone.push(at, abox)
        assert view.answers == own.answers


def test_the_fold_is_what_a_view_has_and_not_a_repair_of_what_came():
    # A - B - C: B takes A away, then C takes B away. Of all three at once {A, C} would be kept.
    whole = reasoner(10)
    view = whole.register(CLASSES, window=pr.Window(5))
    for at, name in enumerate("ABC", 1):
        whole.push(at, x_is(name))
    assert names(view.answers) == ["C"]
    at_once = reasoner(10)
    with at_once.all_or_nothing():
        at_once.push(1, x_is("A", "C"))
    assert names(at_once.query(CLASSES)) == ["A", "C"]


def test_a_window_in_the_past_is_told_of_as_it_closes_and_not_after_what_comes_has_repaired_it():
    whole = reasoner(10)
    closing = whole.register(CLASSES, window=pr.Window(1, slide=1), on="close", emit="rstream")
    whole.push(1, x_is("A"))
    (report,) = whole.push(2, x_is("B")).answers[closing].reports
    assert (report.at, names(report.added)) == (1, ["A"])
    assert names(whole.query(HEAD + "SELECT ?c { GRAPH <urn:pantarhei:at:1> { :x a ?c } }")) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT ?c { STREAM :s [FROM NOW-6 TO NOW-3 STEP 1] { :x a ?c } }", "its window is in the past"),
        ("SELECT ?c FROM STREAM :s [TRIPLES 2] { :x a ?c }", "count"),
    ],
    ids=["the past", "a count of triples"],
)
def test_a_text_whose_window_is_no_view_is_evaluated_anew_and_its_plan_says_so(text, reason):
    query = pr.register(HEAD + text, ontology(), {EX.s: [(1, x_is("A"))]})
    assert "Re-evaluated at each report" in query.plan()
    assert reason in query.plan()


def test_several_streams_have_a_reasoner_each():
    # A and B contradict in one stream; in two each has its own
    text = """SELECT ?c
        FROM NAMED WINDOW :w ON :s [RANGE 4 STEP 4] FROM NAMED WINDOW :v ON :t [RANGE 4 STEP 4]
        { { WINDOW :w { :x a ?c } } UNION { WINDOW :v { :x a ?c } } }"""
    streams = {EX.s: [(0, []), (5, x_is("A")), (9, [])], EX.t: [(0, []), (6, x_is("B")), (9, [])]}
    query = pr.register(HEAD + text, ontology(), streams)
    found = [names(report.added) for report in query.run()]
    assert ["A", "B"] in found
    assert "http://example.org/t" in query.plan()


def test_another_background_is_another_model():
    with_background, without = reasoner(5, background=x_is("B")), reasoner(5)
    for each in (with_background, without):
        each.push(1, x_is("A"))
    assert names(with_background.query(CLASSES)) == ["B"]
    assert names(without.query(CLASSES)) == ["A"]


def test_a_step_whose_repair_ran_out_of_its_budget_says_so():
    # not all of L0 … L5, and no Li with Ri: to be searched for, and here there is no time for it
    left, right = ([f"{side}{i}" for i in range(6)] for side in "LR")
    hard = (
        f"""[ owl:intersectionOf ({" ".join(f":{each}" for each in left)}) ] rdfs:subClassOf owl:Nothing ."""
    )
    hard += "".join(f":{one} owl:disjointWith :{other} . " for one, other in zip(left, right, strict=True))
    prefixes = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
    graph = Graph().parse(data=prefixes + ONTOLOGY + hard)
    whole = pr.StreamReasoner(pr.load_ontology(graph), pr.Window(10), budget=pr.Budget(steps=1))
    view = whole.register(CLASSES, window=pr.Window(5))
    update = whole.push(1, x_is(*left, *right))
    assert len(update.repair.undecided) == 12
    assert not view.answers


def test_timestamps_that_leave_early_for_want_of_room_are_told_of():
    whole = reasoner(1000, max_facts=20, on_limit="drop")
    view = whole.register(HEAD + "SELECT ?y { ?y a :A }", window=pr.Window(500))
    left = ()
    for at in range(40):
        left += whole.push(at, [(EX[f"y{at}"], RDF.type, EX.A)]).dropped_early
    assert left and len(view.answers) == 40 - len(left)

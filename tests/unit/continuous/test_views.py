"""Which windows are views of one, and the window of a reasoner that holds them."""

from datetime import timedelta

import pytest
from rdflib import URIRef

from pantarhei import Window
from pantarhei.continuous.asked_of_streams import AskedOfStreams
from pantarhei.continuous.views import Views, views_of
from pantarhei.query.languages import read_stream_text

PLAN = {URIRef("urn:plan"): []}


def views(text, closed="right", origin=0):
    return views_of(AskedOfStreams.of(read_stream_text(text), PLAN, origin, closed, None))


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
    assert views(text(*bounds), closed).holding == held


def test_the_newest_timestamp_is_held_by_a_window_of_any_kind_of_time():
    found = views("ASK { STREAM <urn:s> [NOW] { ?x a ?c } STREAM <urn:s> [RANGE 2s] { ?x a ?c } }")
    assert found.holding == Window(timedelta(seconds=2), closed="right")
    assert views("ASK { STREAM <urn:s> [NOW] { ?x a ?c } ?x a ?d }").holding == Window(0)


def test_one_window_that_all_is_asked_of_is_the_default_graph():
    found = views(text("RANGE 2 STEP 2"))
    assert isinstance(found, Views) and found.default == Window(2, 2, closed="right") and not found.named


@pytest.mark.parametrize(
    "body", ["{ WINDOW <urn:w0> { ?x a ?c } ?x a ?d }", "{ WINDOW <urn:w0> { ?x a ?c } ?x !<urn:p> ?d }"]
)
def test_one_window_beside_the_default_graph_has_its_name(body):
    found = views(text("RANGE 2 STEP 2", body=body))
    assert found.default is None and found.looks_outside
    assert found.named == {URIRef("urn:w0"): Window(2, 2, closed="right")}
    assert found.by_name(()).always == ()


def test_windows_that_nobody_looks_at_are_views_too():
    found = views(text("RANGE 2 STEP 2", "RANGE 4 STEP 1"))
    assert [*found.named] == [URIRef("urn:w0"), URIRef("urn:w1")] and not found.looks_outside


def test_of_a_default_window_and_a_named_one_neither_has_what_always_holds():
    windows = "FROM STREAM <urn:s> [RANGE 2 STEP 2] FROM NAMED STREAM <urn:s> [RANGE 4 STEP 2]"
    found = views(f"SELECT ?x {windows} {{ ?x a ?c }}")
    assert found.default == Window(2, 2, closed="right") and found.by_name(()).always is None

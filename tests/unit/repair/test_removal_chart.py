"""Pictures of repairs."""

import pickle
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, URIRef

import pantarhei as pr
from pantarhei.proofs.interval_chart import FOUND, KEPT, REMOVED
from svg_checks import SVG, assert_apart

ONTOLOGY = pr.load_ontology(
    Graph().parse(
        data="""
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :OpenValve owl:disjointWith :ShutValve . :ShutValve owl:disjointWith :StuckValve .
    :v1 rdfs:label "the first <valve>" .
"""
    )
)
E = "http://example.org/"
OPEN, SHUT, STUCK = (
    (URIRef(f"{E}v1"), RDF.type, URIRef(f"{E}{kind}Valve")) for kind in ("Open", "Shut", "Stuck")
)


def update_of(*aboxes, repair="exact"):
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(20), repair=repair)
    return [reasoner.push(at, abox) for at, abox in enumerate(aboxes)][-1]


def drawn(repair):
    root = ElementTree.fromstring(repair.to_svg())
    texts = [text.text for text in root.iter(f"{SVG}text") if text.get("text-anchor") is None]
    marks = [(path.get("stroke"), path[0].text) for path in root.iter(f"{SVG}path")]
    return texts, marks + [(dot.get("fill"), dot[0].text) for dot in root.iter(f"{SVG}circle")]


def test_a_removed_fact_is_above_the_facts_that_contradict_it():
    texts, marks = drawn(update_of([OPEN], [OPEN], [SHUT]).repair)
    assert texts == [
        "Repair at 2: 1 conflict, 2 assertions removed",
        "nothing is both an open valve and a shut valve",
        *("✗", "the first <valve> is an open valve"),
        *("●", "the first <valve> is a shut valve"),
    ]
    assert marks == [(REMOVED, "0"), (REMOVED, "1"), (KEPT, "2")]


def test_facts_that_removed_each_other_are_in_one_section():
    texts, marks = drawn(update_of([OPEN, SHUT]).repair)
    assert texts.count("✗") == 2 and "●" not in texts
    assert sum(text.startswith("nothing is both") for text in texts) == 1
    assert marks == [(REMOVED, "0"), (REMOVED, "0")]


def test_conflicts_that_are_not_repaired_are_drawn_as_found():
    texts, marks = drawn(update_of([OPEN], [SHUT], repair="off").repair)
    assert "✗" not in texts and {colour for colour, _ in marks} == {FOUND}


def test_a_repair_without_recorded_conflicts_shows_the_removed_facts():
    repair = update_of([OPEN], [SHUT]).repair.without_evidence()
    assert "the conflict is not recorded" in drawn(repair)[0]


def test_a_picture_is_the_same_after_pickling():
    repair = update_of([OPEN], [SHUT]).repair
    assert pickle.loads(pickle.dumps(repair)).to_svg() == repair.to_svg()


@given(st.lists(st.sets(st.sampled_from([OPEN, SHUT, STUCK])), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_all_removed_facts_are_drawn_and_nothing_overlaps(aboxes):
    repair = update_of(*map(sorted, aboxes)).repair
    texts, _ = drawn(repair)
    for _, (_, _, kind) in repair.removed:
        name = kind.removeprefix(E).removesuffix("Valve").lower()
        assert any(text.endswith(f"{name} valve") for text in texts)
    assert_apart(repair.to_svg())

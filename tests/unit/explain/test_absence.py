"""Absences as text and JSON."""

import json
import pickle
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph

from counts import cases
from pantarhei import Ontology, StreamReasoner, Window, load_ontology
from pantarhei.explain.absence import Absence, RetractedAssertion
from pantarhei.model.rule import Rule
from pantarhei.ontology.unknown_names import UnknownName
from pantarhei.proofs.sentences import sentence
from pantarhei.repair.result import Conflict
from strategies import EX, A, B, C, R, a, b, is_a, member, related, x, y

OPEN = member(EX.Open, EX.door)
SHUT_AT_2 = Conflict(frozenset({(1, OPEN), (2, member(EX.Shut, EX.door))}), ())


@pytest.mark.parametrize(
    ("absence", "said"),
    [
        (Absence(OPEN, 3), "No rule concludes it, and no such facts are asserted."),
        (Absence(OPEN, 3, asserted=True), "No rule concludes it. Such facts are asserted, but not this one."),
        (
            Absence(OPEN, 3, (RetractedAssertion(1, 3),), asserted=True),
            "It was asserted at 1 and left the window at 3.",
        ),
        (
            Absence(OPEN, 3, (RetractedAssertion(1, None, 2),)),
            "It was asserted at 1 and removed at 2.",
        ),
        (
            Absence(OPEN, 3, (RetractedAssertion(2, None, 2),)),
            "It was asserted at 2 and removed at 2.",
        ),
        (
            Absence(OPEN, 3, (RetractedAssertion(1, None, 2, (SHUT_AT_2,)),)),
            "It was asserted at 1 and removed at 2, contradicted by door is shut.",
        ),
        (
            Absence(OPEN, 3, (RetractedAssertion(2, None, 3, (SHUT_AT_2,)),)),
            "It was asserted at 2 and removed at 3, contradicted by door is shut (at 2).",
        ),
        (
            Absence(OPEN, 3, (RetractedAssertion(1, 2, left_early=True),)),
            "before its time because of the memory limit",
        ),
        (Absence(OPEN, 3, concluded=True), "Nothing that could be added would make it follow."),
        (Absence(OPEN, 3, concluded=True, complete=False), "Not everything was explored: there may be one."),
    ],
)
def test_without_a_way_it_is_said_what_is_known(absence, said):
    first, *others = str(absence).split("\n")
    assert first == "It does not hold at 3 that door is open."
    assert any(said in line for line in others)


def test_the_newest_retractions_are_told_and_the_number_of_the_others():
    gone = tuple(RetractedAssertion(at, at + 1) for at in range(2009, 0, -2))
    lines = str(Absence(OPEN, 2010, gone)).split("\n")
    assert [line.split()[4] for line in lines if "left the window" in line] == ["2009", "2007", "2005"]
    assert lines[4] == "Before, it was asserted and retracted 1,002 more times."


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=2), min_size=2, max_size=4))
@example([["a"], ["b"]])
@settings(max_examples=cases(10, 60, 1000), deadline=None)
def test_a_removal_has_the_words_that_the_repair_has(steps):
    reasoner = StreamReasoner(load_ontology(Graph().parse(data=APART)), Window(5))
    for at, kinds in enumerate(steps):
        update = reasoner.push(at, [member(EX[kind], EX.m) for kind in kinds])
        for text, conflict in update.repair.removals():
            found = re.search(r"contradicted by [^;(]+", text)
            for _, fact in conflict.assertions if found else ():
                if f"removed: {sentence(fact)}" in text and " and " not in text.split(", contradicted")[0]:
                    assert found[0].strip() in str(reasoner.why_not(fact))


def test_before_any_time_none_is_told():
    assert str(Absence(OPEN, None)).startswith("It does not hold that door")


def test_an_unknown_name_is_followed_by_what_may_be_meant():
    unknown = UnknownName(EX.Opne, "class", (EX.Open, EX.Opaque))
    text = str(Absence(member(EX.Opne, EX.door), 3, unknown=(unknown,)))
    assert "Nothing is known of the class" in text and "; did you mean " in text
    assert text.index("pen or ") < text.index("paque?")


@pytest.fixture
def absence():
    ontology = Ontology.from_rules([Rule("cls-svf1", (related(R, x, y), is_a(A, y)), is_a(C, x))])
    reasoner = StreamReasoner(ontology, Window(range=5))
    reasoner.push(1, [(EX.a, R, EX.b), (EX.a, R, EX.c), member(A, EX.d)])
    return reasoner.why_not(member(C, EX.a))


def test_ways_that_differ_in_names_are_told_once(absence):
    text = str(absence)
    assert len(absence.ways) == 3 and text.count("missing: ") == 2
    assert "(or the same for c)" in text and "It would hold with one of these:" in text


def test_where_more_may_be_found_that_is_said(absence):
    assert "further ways" not in str(absence)
    assert str(replace(absence, complete=False)).endswith("there may be further ways.")


def test_what_the_stream_does_not_assert_is_told_apart(absence):
    text = str(replace(absence, ways=(), beyond=absence.ways))
    assert "It cannot follow from facts of the asserted classes and properties." in text
    assert "It would hold if it were given" in text


TYPE = f"<{RDF.type}>"


def terms(*names):
    return [TYPE if name is None else f"<{EX[name]}>" for name in names]


def test_all_keys_are_there_where_nothing_is_known():
    said = Absence(member(A, a), None).to_json()
    assert said == {
        "text": "a is in class A",
        "fact": terms("a", None, "A"),
        "at": None,
        "complete": True,
        "concluded": False,
        "asserted": False,
        "unknown": [],
        "gone": [],
        "ways": [],
        "beyond": [],
        "temporal": [],
    }


def test_times_are_those_of_iso_8601_and_names_are_whole():
    at = datetime(2026, 3, 2, 7, tzinfo=UTC)
    unknown = UnknownName(EX.Aa, "class", (A,))
    said = Absence(
        member(EX.Aa, a), at, (RetractedAssertion(at, at, left_early=True),), unknown=(unknown,)
    ).to_json()
    assert said["at"] == "2026-03-02T07:00:00+00:00"
    assert said["unknown"] == [{"kind": "class", "name": f"<{EX.Aa}>", "nearest": [f"<{A}>"]}]
    (gone,) = said["gone"]
    assert (gone["asserted_at"], gone["left_at"], gone["removed_at"]) == (said["at"], said["at"], None)
    assert gone["left_early"] and gone["conflicts"] == []


def test_a_way_has_what_is_missing_and_there_and_what_contradicts_it():
    rules = [
        Rule("cls-int1", (is_a(A, x), related(R, x, b)), is_a(EX.Both, x)),
        Rule("cax-dw", (is_a(A, x), is_a(B, x)), None),
    ]
    reasoner = StreamReasoner(Ontology.from_rules(rules), Window(range=5))
    reasoner.push(1, [(a, R, b), member(B, a), member(A, b)])
    said = reasoner.why_not(member(EX.Both, a)).to_json()
    assert json.loads(json.dumps(said)) == said
    (way,) = said["ways"]
    assert [each["fact"] for each in way["missing"]] == [terms("a", None, "A")]
    assert way["present"] == [terms("a", "R", "b")] and way["rule"] == "cls-int1"
    (conflict,) = way["conflicts"]
    assert way["contradicted"] and len(conflict["assertions"]) == 2 and len(conflict["proofs"]) == 1


APART = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    [] a owl:AllDisjointClasses ; owl:members ( :a :b :c ) ."""
LABELLED = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    :X1 rdfs:subClassOf :X2 ; rdfs:label "milling process" . :X2 skos:prefLabel "occurrent" .
    :Y1 rdfs:subClassOf :Y2 ; rdfs:label "product" . :Y2 rdfs:label "continuant" .
    :X2 owl:disjointWith :Y2 ."""


def test_names_that_only_the_proof_of_a_contradiction_mentions_have_their_labels():
    reasoner = StreamReasoner(load_ontology(Graph().parse(data=LABELLED)), Window(10))
    reasoner.push(1, [member(EX.X1, EX.m)])
    reasoner.push(2, [member(EX.Y1, EX.m)])
    absence = reasoner.why_not(member(EX.X2, EX.m))
    assert str(absence) == (
        "It does not hold at 2 that m is an occurrent.\n"
        "It would hold with:\n"
        "  missing: m is a milling process; it was asserted at 1 and removed at 2, "
        "contradicted by m is a product\n"
        "  by 'milling process' SubClassOf 'occurrent'\n"
        "  it was removed because of\n"
        "    a contradiction: nothing is both an occurrent and a continuant\n"
        "    ├─ because m is an occurrent\n"
        "    │  └─ because m is a milling process (asserted at 1)\n"
        "    └─ and m is a continuant\n"
        "       └─ because m is a product (asserted at 2)\n"
        "  and it would be removed again"
    )
    (way,) = absence.to_json()["ways"]
    assert way["axiom"] == "SubClassOf(X1 X2)"
    assert way["manchester"] == "'milling process' SubClassOf 'occurrent'"
    assert str(pickle.loads(pickle.dumps(absence))) == str(absence)

"""Absences as JSON."""

import json
from datetime import UTC, datetime

from rdflib import RDF

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.explain.absence import Absence, Gone, UnknownName
from pantarhei.model.rule import Rule
from strategies import EX, A, B, R, a, b, is_a, member, related, x

TYPE = f"<{RDF.type}>"


def terms(*names):
    return [TYPE if name is None else f"<{EX[name]}>" for name in names]


def test_all_keys_are_there_where_nothing_is_known():
    said = Absence(member(A, a), None).to_json()
    assert said == {
        "text": "a is an A",
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
    said = Absence(member(EX.Aa, a), at, (Gone(at, at, left_early=True),), unknown=(unknown,)).to_json()
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

"""Steps of temporal rules in proofs, in all formats."""

import json
from datetime import UTC, datetime

import pytest
from rdflib import PROV, RDF, RDFS, Literal, Variable

from lars_programs import EX, always, atom, no, some
from lars_programs import at as at_time
from pantarhei.model.rule import Origin, Rule
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.renderers import TERMS
from pantarhei.proofs.sentences import TimeFormat
from pantarhei.proofs.step import (
    Conclusion,
    EvidenceBasis,
    ObservedInterval,
    ProofStep,
    StepKind,
    TemporalCondition,
)

HEATED, ALARMED = atom("Heated", "v"), atom("Alarmed", "v")
IN_FULL = TimeFormat(None, None)


def proof_of():
    """v was heated from 1 to 3, so that it is alarmed at 3."""
    rule = Rule("temporal-1", (), None, origin=Origin("Alarmed(X) :- Heated(X) always in [2].", line=4))
    said = ProofStep(HEATED.triple, temporal=ObservedInterval(HEATED, 1, 2, EvidenceBasis.HELD))
    now = ProofStep(HEATED.triple, at=3)
    condition = ProofStep(None, premises=(0, 1), temporal=TemporalCondition(always(HEATED, 2), 1, 3))
    concluded = Conclusion(ALARMED, 3, 3, ((Variable("X"), EX.v),))
    last = ProofStep(ALARMED.triple, rule, (2,), temporal=concluded)
    return Proof((said, now, condition, last))


def test_each_step_has_a_kind():
    kinds = [step.kind for step in proof_of().steps]
    assert kinds == [StepKind.SAID, StepKind.ASSERTED, StepKind.CONDITION, StepKind.CONCLUDED]
    assert not any(step.is_background for step in proof_of().steps)


def test_the_tree_says_when():
    assert (
        str(proof_of())
        == """\
v is alarmed [1]
└─ because always from 1 to 3: v is heated
   ├─ because v is heated (held from 1 to 2)
   └─ and v is heated (asserted at 3)
It rests on an assertion made at 3 and observations from 1 to 2.
By the temporal rules:
[1] Alarmed(X) :- Heated(X) always in [2]. (line 4)"""
    )


def test_lines_say_it_in_short():
    assert proof_of().lines() == [
        "1. v is heated (held from 1 to 2)",
        "2. v is heated (asserted at 3)",
        "3. always from 1 to 3: v is heated (from 1, 2)",
        "4. v is alarmed (from 3 by temporal-1, Alarmed(X) :- Heated(X) always in [2].)",
    ]


def test_json_has_ticks_and_bindings():
    told = json.loads(json.dumps(proof_of().to_json()))
    said, _, condition, concluded = told["steps"]
    when = {"from": 1, "until": 2, "atom": "Heated(v)"}
    assert said.items() >= (when | {"kind": "said", "known": "held"}).items()
    assert condition["fact"] is None and condition["premises"] == [0, 1]
    assert (condition["condition"], condition["times"]) == ("Heated(v) always in [2]", [])
    assert concluded["bindings"] == {"X": f"<{EX.v}>"} and concluded["axiom"]["line"] == 4


def test_rdf_has_what_follows_from_a_condition_and_when_it_was_so():
    graph = proof_of().to_rdf()
    (condition,) = graph.subjects(RDF.type, TERMS.Condition)
    assert graph.value(condition, TERMS["from"]) == Literal(1) and graph.value(
        condition, TERMS.until
    ) == Literal(3)
    assert len(list(graph.objects(condition, PROV.wasDerivedFrom))) == 2
    assert graph.value(condition, RDFS.label) == Literal("always from 1 to 3: v is heated")


def test_pictures_have_a_box_for_each_step_and_a_condition_its_window():
    proof = proof_of()
    assert proof.to_dot().count("fillcolor") == len(proof.steps)
    assert "in [2]" in proof.to_svg() and "held from 1 to 2" in proof.to_svg()
    assert "always from 1 to 3" in proof._repr_html_()


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        (some(HEATED, 2), "sometime from 1 to 3: v is heated"),
        (some(HEATED, 2, times=2), "at least 2 times from 1 to 3: v is heated"),
        (no(some(HEATED, 2, times=2)), "fewer than 2 times from 1 to 3: v is heated"),
        (no(some(atom("asserted Heated", "v"), 2)), "never asserted from 1 to 3: v is heated"),
        (no(always(HEATED, 2)), "not always from 1 to 3: v is heated"),
        (always(HEATED, "4 #"), "always among the last 4 assertions, from 1 to 3: v is heated"),
        (some(atom("on"), 2), "sometime from 1 to 3: on"),
    ],
)
def test_a_condition_is_a_sentence(formula, sentence):
    assert TemporalCondition(formula, 1, 3).sentence({}, IN_FULL) == sentence


def test_what_is_not_so_at_one_tick_names_it():
    assert TemporalCondition(no(at_time(2, HEATED)), 2, 2).sentence({}, IN_FULL) == "not at 2: v is heated"


def test_a_conclusion_tells_its_tick_where_it_is_another_and_what_it_does_not_show():
    bindings = ((Variable("T"), Literal(1)), (Variable("X"), EX.v))
    concluded = Conclusion(ALARMED, 1, 3, bindings)
    assert (concluded.sentence({}, IN_FULL), concluded.further_bindings) == ("at 1: v is alarmed", "T = 1")
    assert Conclusion(ALARMED, 3, 3, bindings[1:]).further_bindings == ""


def test_the_day_is_said_once():
    first, last = (datetime(2026, 3, 2, 14, minute, tzinfo=UTC) for minute in (0, 5))
    said = ProofStep(HEATED.triple, temporal=ObservedInterval(HEATED, first, last, EvidenceBasis.ASSERTED))
    assert str(Proof((said,))).splitlines() == [
        "v is heated (asserted from 14:00 to 14:05)",
        "It rests on observations from 14:00 to 14:05 on 2026-03-02 (UTC).",
    ]

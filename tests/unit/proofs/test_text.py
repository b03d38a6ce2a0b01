"""Proofs as trees of sentences."""

import pickle

from rdflib import RDF

import pantarhei as pr
from pantarhei.model.rule import Origin, Rule
from pantarhei.proofs.outline import outline
from pantarhei.proofs.proof import Proof, ProofStep
from pantarhei.proofs.text import text_of
from shown_proofs import chain, contradiction, evil, plant
from strategies import EX, A, B, C, R, a, b, is_a, member, x

WASTEFUL = """\
room is a wasteful room [1]
├─ because room is an empty [2]
│  ├─ because room houses counter [3]
│  │  └─ because counter is installed in room (always so)
│  └─ and counter is a counter at zero (asserted at 07:05)
└─ and room is heated [4]
   ├─ because room houses main valve [3]
   │  └─ because main valve is installed in room (always so)
   └─ and main valve is an open valve (asserted at 07:00)
It rests on 2 assertions made from 07:00 to 07:05 on 2026-03-02 (UTC).
By the axioms:
[1] SubClassOf(ObjectIntersectionOf(Heated Empty) Wasteful)  (rule cls-int1)
[2] SubClassOf(ObjectSomeValuesFrom(houses CounterAtZero) Empty)  (rule cls-svf1)
[3] InverseObjectProperties(houses installedIn)  (rule prp-inv2)
[4] SubClassOf(ObjectSomeValuesFrom(houses OpenValve) Heated)  (rule cls-svf1)"""


def test_a_proof_reads_as_sentences():
    assert str(plant().explain((EX.room, RDF.type, EX.Wasteful))) == WASTEFUL


def test_a_proof_reads_the_same_after_a_checkpoint_and_in_another_process():
    reasoner, asked = plant(), (EX.room, RDF.type, EX.Wasteful)
    restored = pr.StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    assert str(restored.explain(asked)) == WASTEFUL
    assert str(pickle.loads(pickle.dumps(reasoner.explain(asked)))) == WASTEFUL


def test_what_is_asserted_or_always_so_is_told_in_two_lines():
    assert str(plant().explain((EX.valve, RDF.type, EX.OpenValve))) == (
        "main valve is an open valve (asserted at 07:00)\n"
        "It rests on an assertion made at 07:00 on 2026-03-02 (UTC)."
    )
    assert str(plant().explain((EX.valve, EX.installedIn, EX.room))) == (
        "main valve is installed in room (always so)\n"
        "Nothing of the stream is needed for it: it always holds."
    )


def test_a_contradiction_is_told_on_both_sides():
    assert str(contradiction()) == (
        "a contradiction: nothing is both an alarm and a safe [1]\n"
        "├─ because hall is an alarm [2]\n"
        "│  └─ because hall is a danger [3]\n"
        "│     └─ because hall is a smoke (asserted at 1)\n"
        "└─ and hall is a safe (asserted at 2)\n"
        "It rests on 2 assertions made from 1 to 2.\n"
        "By the axioms:\n"
        "[1] DisjointClasses(Safe Alarm)  (rule cax-dw)\n"
        "[2] SubClassOf(Danger Alarm)  (rule cax-sco)\n"
        "[3] SubClassOf(Smoke Danger)  (rule cax-sco)"
    )


def test_what_goes_deep_is_told_in_sections():
    assert text_of(chain(5), deepest=2).splitlines()[:11] == [
        "n0 has R n5 [1]",
        "├─ because n0 has R n4 [1]",
        "│  ├─ because n0 has R n3 (see (2) below)",
        "│  └─ and n3 has R n4 (asserted at 3)",
        "└─ and n4 has R n5 (asserted at 4)",
        "",
        "(2) n0 has R n3 [1]",
        "├─ because n0 has R n2 [1]",
        "│  ├─ because n0 has R n1 (asserted at 0)",
        "│  └─ and n1 has R n2 (asserted at 1)",
        "└─ and n2 has R n3 (asserted at 2)",
    ]
    assert max(map(len, str(chain(3_000)).splitlines())) < 120


def test_each_fact_is_told_once():
    steps = chain(50).steps
    told = outline(steps, 3)
    here = [
        entry.step for section in told.sections for entry in section.entries if entry.mention.name == "HERE"
    ]
    assert sorted(here) == list(range(len(steps)))
    shared = Rule("pr-x", (is_a(A, x), is_a(B, x)), is_a(C, x))
    up = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
    proof = Proof(
        (
            ProofStep(member(A, a), at=1),
            ProofStep(member(B, a), up, (0,)),
            ProofStep(member(C, a), shared, (0, 1)),
        )
    )
    assert str(proof).splitlines()[:4] == [
        "a is a C [1]",
        "├─ because a is an A (asserted at 1)",
        "└─ and a is a B [2]",
        "   └─ because a is an A (as above)",
    ]


def test_an_axiom_is_said_with_its_place():
    def rule(text, *place):
        return Rule("cax-sco", (is_a(A, x),), is_a(B, x), origin=Origin(text, *place))

    def last(*rules):
        steps = [ProofStep(member(A, a), at=1)]
        steps += [ProofStep((EX[f"n{i}"], R, b), each, (i,)) for i, each in enumerate(rules)]
        return str(Proof(tuple(steps))).splitlines()[-1 - len(rules) :]

    assert last(rule("one", "plant.nt", 12)) == [
        "By the axioms of plant.nt:",
        "[1] one  (rule cax-sco, line 12)",
    ]
    assert last(rule("one", "plant.nt", 12), rule("what equality is")) == [
        "By the axioms of plant.nt:",
        "[1] what equality is  (rule cax-sco, of OWL itself)",
        "[2] one  (rule cax-sco, line 12)",
    ]
    assert last(rule("one", "plant.ttl", None, A), rule("two", "site.nt", 3)) == [
        "By the axioms:",
        "[1] two  (rule cax-sco, site.nt, line 3)",
        "[2] one  (rule cax-sco, plant.ttl, at A)",
    ]


def test_what_the_limit_left_out_is_said():
    up = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
    proof = Proof((ProofStep(member(A, a), is_open=True), ProofStep(member(B, a), up, (0,))), complete=False)
    assert str(proof).splitlines()[1:4] == [
        "└─ because a is an A (derived, not looked into)",
        "It rests on facts that were not looked into.",
        "The limit was reached before everything was looked at: there may be a better explanation.",
    ]


def test_hostile_texts_stay_on_their_line():
    lines = str(evil()).splitlines()
    assert lines[0] == "a is a ]]>'-- [1]"
    assert lines[1] == '├─ because a is a "]; <script>alert(1)</script> <!-- (derived, not looked into)'
    assert lines[2].startswith('└─ and a has R “</script>" \\x1b[2J&amp;\\xxx') and len(lines[2]) < 200
    assert not any("\x1b" in line for line in lines)

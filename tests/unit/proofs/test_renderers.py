"""Proofs as text, JSON, Graphviz, HTML and RDF."""

import json
import pickle
import re
from html.parser import HTMLParser

import pytest
from rdflib import PROV, RDF, RDFS, XSD, Graph, Literal

import pantarhei as pr
from pantarhei.model.rule import Origin, Rule
from pantarhei.proofs.formatter import ProofFormatter, outline
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.renderers import TERMS, render_text
from pantarhei.proofs.step import ProofStep
from proof_examples import EVIL, chain, contradiction, malicious, plant
from strategies import EX, A, B, C, R, a, b, is_a, member, x

WASTEFUL = """\
room is a wasteful room [1]
├─ because room is empty [2]
│  ├─ because room houses counter [3]
│  │  └─ because counter is installed in room (always so)
│  └─ and counter is a counter at zero (asserted at 07:05)
└─ and room is heated [4]
   ├─ because room houses main valve [3]
   │  └─ because main valve is installed in room (always so)
   └─ and main valve is an open valve (asserted at 07:00)
It rests on 2 assertions made from 07:00 to 07:05 on 2026-03-02 (UTC).
By the axioms:
[1] Heated and Empty SubClassOf 'wasteful room'
[2] houses some 'counter at zero' SubClassOf Empty
[3] houses InverseOf installedIn
[4] houses some OpenValve SubClassOf Heated"""


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
        "main valve is installed in room (always so)\nIt needs no assertion: it always holds."
    )


def test_a_contradiction_is_told_on_both_sides():
    assert str(contradiction()) == (
        "a contradiction: nothing is both an alarm and safe [1]\n"
        "├─ because hall is an alarm [2]\n"
        "│  └─ because hall is a danger [3]\n"
        "│     └─ because hall is in class 'smoke' (asserted at 1)\n"
        "└─ and hall is safe (asserted at 2)\n"
        "It rests on 2 assertions made from 1 to 2.\n"
        "By the axioms:\n"
        "[1] Safe DisjointWith Alarm\n"
        "[2] Danger SubClassOf Alarm\n"
        "[3] Smoke SubClassOf Danger"
    )


def test_what_goes_deep_is_told_in_sections():
    assert render_text(ProofFormatter(chain(5).steps, True, {}, deepest=2)).splitlines()[:11] == [
        "n0 —R→ n5 [1]",
        "├─ because n0 —R→ n4 [1]",
        "│  ├─ because n0 —R→ n3 (see (2) below)",
        "│  └─ and n3 —R→ n4 (asserted at 3)",
        "└─ and n4 —R→ n5 (asserted at 4)",
        "",
        "(2) n0 —R→ n3 [1]",
        "├─ because n0 —R→ n2 [1]",
        "│  ├─ because n0 —R→ n1 (asserted at 0)",
        "│  └─ and n1 —R→ n2 (asserted at 1)",
        "└─ and n2 —R→ n3 (asserted at 2)",
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
        "a is in class C [1]",
        "├─ because a is in class A (asserted at 1)",
        "└─ and a is in class B [2]",
        "   └─ because a is in class A (as above)",
    ]


def test_an_axiom_is_said_with_its_place():
    def rule(text, *place):
        return Rule("cax-sco", (is_a(A, x),), is_a(B, x), origin=Origin(text, *place))

    def last(*rules):
        steps = [ProofStep(member(A, a), at=1)]
        steps += [ProofStep((EX[f"n{i}"], R, b), each, (i,)) for i, each in enumerate(rules)]
        return str(Proof(tuple(steps))).splitlines()[-1 - len(rules) :]

    assert last(rule("one", "plant.nt", 12)) == [
        "By the axioms:",
        "[1] one (plant.nt, line 12)",
    ]
    assert last(rule("one", "plant.nt", 12), rule("the definition of equality")) == [
        "By the axioms:",
        "[1] the definition of equality (of OWL itself)",
        "[2] one (plant.nt, line 12)",
    ]
    assert last(rule("one", "plant.ttl", None, A), rule("two", "site.nt", 3)) == [
        "By the axioms:",
        "[1] two (site.nt, line 3)",
        "[2] one (plant.ttl)",
    ]


def test_what_the_limit_left_out_is_said():
    up = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
    proof = Proof((ProofStep(member(A, a), is_open=True), ProofStep(member(B, a), up, (0,))), complete=False)
    assert str(proof).splitlines()[1:4] == [
        "└─ because a is in class A (derived, not explored)",
        "It rests on facts that were not explored.",
        "The limit was reached before everything was explored: there may be a better explanation.",
    ]


def test_hostile_texts_stay_on_their_line():
    lines = str(malicious()).splitlines()
    assert lines[0] == "a is in class ']]>\\'--' [1]"
    assert (
        lines[1] == "├─ because a is in class '\"]; <script>alert(1)</script> <!--' (derived, not explored)"
    )
    assert lines[2].startswith('└─ and a —R→ “</script>" \\x1b[2J&amp;\\xxx') and len(lines[2]) < 200
    assert not any("\x1b" in line for line in lines)


def test_a_proof_is_said_in_json():
    said = plant().explain((EX.room, RDF.type, EX.Wasteful)).to_json()
    assert json.loads(json.dumps(said)) == said
    ex, type_ = "http://example.org/", f"<{RDF.type}>"
    assert said["text"] == "room is a wasteful room"
    assert said["fact"] == [f"<{ex}room>", type_, f"<{ex}Wasteful>"]
    assert (said["timestamp"], said["complete"]) == ("2026-03-02T07:00:00+00:00", True)
    steps = said["steps"]
    assert [step["kind"] for step in steps if "rule" not in step] == ["background", "asserted"] * 2
    assert steps[2] == {
        "fact": [f"<{ex}counter>", type_, f"<{ex}CounterAtZero>"],
        "text": "counter is a counter at zero",
        "kind": "asserted",
        "at": "2026-03-02T07:05:00+00:00",
    }
    assert steps[1] == {
        "fact": [f"<{ex}room>", f"<{ex}houses>", f"<{ex}counter>"],
        "text": "room houses counter",
        "kind": "derived",
        "rule": "prp-inv2",
        "axiom": {
            "text": "InverseObjectProperties(houses installedIn)",
            "manchester": "houses InverseOf installedIn",
            "subject": f"{ex}houses",
        },
        "premises": [0],
    }


def test_a_contradiction_has_no_fact():
    said = contradiction().to_json()
    assert said["fact"] is None
    assert said["steps"][-1]["kind"] == "contradiction"
    assert said["timestamp"] == 1


def test_json_has_texts_whole():
    said = malicious().to_json()
    assert len(said["steps"][0]["fact"][2]) > len(EVIL)
    assert [step["kind"] for step in said["steps"]] == ["asserted", "unexplored", "derived"]
    assert not said["complete"]
    assert json.loads(json.dumps(said)) == said


def test_equal_proofs_say_the_same():
    proof = chain(20)
    assert pickle.loads(pickle.dumps(proof)).to_json() == Proof(proof.steps).to_json()


LINE = re.compile(
    r'(digraph proof \{|\}|  (graph|node|f\d+) \[(\w+="(?:[^"\\]|\\.)*"(, )?)+\];|  f\d+ -> f\d+;)'
)


@pytest.mark.parametrize("make", [contradiction, malicious, lambda: chain(5)])
def test_each_fact_is_a_node_and_each_premise_an_arrow(make):
    proof = make()
    lines = proof.to_dot().splitlines()
    assert all(LINE.fullmatch(line) for line in lines)
    assert sum(line.startswith("  f") and "[" in line for line in lines) == len(proof.steps)
    assert sum("->" in line for line in lines) == sum(len(set(step.premises)) for step in proof.steps)


def test_labels_are_escaped():
    text = malicious().to_dot()
    assert r"is in class '\"];" in text
    assert r"\\x1b[2J&amp;am" in text


class Nested(HTMLParser):
    """Whether each element that is opened is closed, and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.tags = [], [], set()

    def handle_starttag(self, tag, attrs):
        assert not [key for key, _ in attrs if key not in ("class", "open")]
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("make", [contradiction, malicious, lambda: chain(3), lambda: chain(60)])
def test_a_notebook_shows_the_tree_of_the_text(make):
    proof, parser = make(), Nested()
    parser.feed(proof._repr_html_())
    parser.close()
    assert parser.open == []
    assert parser.tags <= {"div", "ul", "li", "details", "summary", "p"}
    said = [
        line.lstrip("│├└─ ").removeprefix("because ").removeprefix("and ") for line in str(proof).splitlines()
    ]
    assert parser.text == [line for line in said if line]


BEHIND = """
    PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
    SELECT ?subject ?time {
        [] <urn:pantarhei:proof#conclusion> ?fact . ?fact prov:wasDerivedFrom+ ?given .
        ?given rdf:subject ?subject ; prov:generatedAtTime|<urn:pantarhei:proof#at> ?time }
    ORDER BY ?time"""


def wasteful():
    return plant().explain((EX.room, RDF.type, EX.Wasteful))


def test_assertions_behind_a_conclusion_are_found_by_query():
    times = [Literal(f"2026-03-02T07:0{minute}:00+00:00", datatype=XSD.dateTime) for minute in (0, 5)]
    assert [tuple(row) for row in wasteful().to_rdf().query(BEHIND)] == [
        (EX.valve, times[0]),
        (EX.counter, times[1]),
    ]
    assert [row.time for row in chain(4).to_rdf().query(BEHIND)] == [Literal(at) for at in range(4)]


@pytest.mark.parametrize("make", [wasteful, contradiction, malicious, lambda: chain(5)])
def test_a_proof_is_valid_provenance(make):
    """Nothing is entity and activity, each is generated once, what is derived from was used."""
    proof = make()
    graph = Graph().parse(data=proof.to_rdf().serialize(format="nt"), format="nt")
    entities, activities = (set(graph.subjects(RDF.type, kind)) for kind in (PROV.Entity, PROV.Activity))
    assert not entities & activities
    for made, activity in graph.subject_objects(PROV.wasGeneratedBy):
        assert made in entities and activity in activities
        assert len(list(graph.objects(made, PROV.wasGeneratedBy))) == 1
        assert not list(graph.objects(made, PROV.generatedAtTime))
        used = set(graph.objects(activity, PROV.used))
        assert used <= entities
        assert set(graph.objects(made, PROV.wasDerivedFrom)) <= used
    facts = {tuple(graph.value(s, p) for p in (RDF.subject, RDF.predicate, RDF.object)) for s in entities}
    assert facts - {(None, None, None)} == {step.fact for step in proof.steps if step.fact}
    rules = sorted(str(rule) for rule in graph.objects(None, TERMS.rule))
    assert rules == sorted(step.rule.name for step in proof.steps if step.rule)


def test_n_triples_come_in_the_same_order_each_time():
    one, other = (wasteful().to_rdf().serialize(format="nt") for _ in range(2))
    assert one == other


def test_proofs_in_one_graph_stay_apart():
    graph = wasteful().to_rdf() + contradiction().to_rdf() + wasteful().to_rdf()
    assert len(list(graph.subjects(RDF.type, TERMS.Proof))) == 2
    assert len(list(graph.subjects(RDF.type, TERMS.Contradiction))) == 1


def test_rdf_has_literals_whole():
    graph = malicious().to_rdf()
    assert Literal(EVIL) in set(graph.objects(None, RDF.object))
    assert all("\n" not in label for label in graph.objects(None, RDFS.label))

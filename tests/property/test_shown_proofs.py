"""However a proof comes about, each of its forms says all of it, and the same after a checkpoint."""

import json
import pickle
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, RDFS, Graph, Literal

from counts import cases
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.errors import InconsistentOntologyError
from pantarhei.model.term import in_order
from pantarhei.proofs.formatter import Mention, outline
from pantarhei.proofs.svg import MOST
from scenes import scenes
from strategies import A, B, R, a, b

pytestmark = pytest.mark.usefixtures("quiet")
LABELS = ["open valve", "pump", "", "]]><script>", 'a "quoted" \\ & <b>\n', "é\u202e\x00", "is in"]


@settings(max_examples=cases(5, 150, long=3_000), deadline=None)
@given(scenes(), st.lists(st.sampled_from(LABELS), min_size=5, max_size=5), st.randoms(use_true_random=False))
def test_each_form_says_all_facts(scene, labels, random):
    rules, background, pool, options = scene
    said = [(name, RDFS.label, Literal(label)) for name, label in zip((A, B, R, a, b), labels, strict=True)]
    options["background"] = [*options["background"], *said]
    try:
        ontology = Ontology.from_rules(rules, background)
        reasoner = StreamReasoner(ontology, Window(3), **options)
    except InconsistentOntologyError:
        return
    for at in range(5):
        update = reasoner.push(at, random.sample(pool, min(3, len(pool))))
        for conflict in list(update.repair.conflicts)[:2]:
            for proof in conflict.proofs:
                check(proof)
    restored = StreamReasoner.restore(reasoner.snapshot(), ontology)
    held = in_order(reasoner.materialization())
    for fact in random.sample(held, min(5, len(held))):
        proof = reasoner.explain(fact)
        check(proof)
        assert str(restored.explain(fact)) == str(proof)


def check(proof):
    lines = str(proof).split("\n")
    assert all(line.isprintable() for line in lines)
    told = outline(proof.steps)
    entries = [entry for section in told.sections for entry in section.entries]
    assert sorted(entry.step for entry in entries if entry.mention is Mention.HERE) == list(
        range(len(proof.steps))
    )
    assert len(lines) >= len(entries) + 1
    again = pickle.loads(pickle.dumps(proof))
    assert str(again) == str(proof)
    said = proof.to_json()
    assert json.loads(json.dumps(said)) == said == again.to_json()
    assert len(said["steps"]) == len(proof.steps)
    graph = Graph().parse(data=proof.to_rdf().serialize(format="nt"), format="nt")
    assert len(set(graph.subjects(RDF.subject))) == sum(step.fact is not None for step in proof.steps)
    root = ElementTree.fromstring(proof.to_svg())
    boxes = [box for box in root.iter("{http://www.w3.org/2000/svg}rect") if box.get("rx")]
    assert len(boxes) == len(proof.steps) or len(proof.steps) > MOST >= len(boxes)
    assert sum("->" in line for line in proof.to_dot().splitlines()) >= len(proof.steps) - 1
    assert proof._repr_html_().count("<li>") == len(entries)

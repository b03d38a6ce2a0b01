import json
import pickle

from rdflib import RDF

from pantarhei.proofs.proof import Proof
from shown_proofs import EVIL, chain, contradiction, evil, plant
from strategies import EX


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
        "axiom": {"text": "InverseObjectProperties(houses installedIn)", "subject": f"{ex}houses"},
        "premises": [0],
    }


def test_a_contradiction_has_no_fact():
    said = contradiction().to_json()
    assert said["fact"] is None
    assert said["steps"][-1]["kind"] == "contradiction"
    assert said["timestamp"] == 1


def test_json_has_texts_whole():
    said = evil().to_json()
    assert len(said["steps"][0]["fact"][2]) > len(EVIL)
    assert [step["kind"] for step in said["steps"]] == ["asserted", "unexplored", "derived"]
    assert not said["complete"]
    assert json.loads(json.dumps(said)) == said


def test_equal_proofs_say_the_same():
    proof = chain(20)
    assert pickle.loads(pickle.dumps(proof)).to_json() == Proof(proof.steps).to_json()

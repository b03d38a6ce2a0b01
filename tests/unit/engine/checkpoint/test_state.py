"""A reasoner is restored as it was, with what it was made of, and with nothing else."""

import pytest
from rdflib import Literal

from checkpoints import COLUMNS, DISJOINT, FUNCTIONAL, HEADER, ODD, ONTOLOGY, SUBCLASS, same, simple
from pantarhei import Budget, Ontology, StreamReasoner, Window
from pantarhei.engine.checkpoint.container import pack
from pantarhei.errors import CheckpointError, CheckpointMismatchError, PantarheiError
from strategies import A, C, V, a, b, c, member


@pytest.mark.parametrize(
    ("name", "bad", "reason"),
    [
        ("kind", "SUNDIAL", "SUNDIAL"),
        ("kind", "FLOAT", "a number, since"),
        ("kind", None, "shorter"),
        ("now", 0, "do not ascend"),
        ("times", [["datetime", None, 10**18, 0]], "out of range"),
        ("times", [["int"]], "timestamp"),
        ("window", {}, "range"),
        ("window", {**HEADER["window"], "range": {"microseconds": -1}}, "negative"),
        ("budget", {"width": 3}, "width"),
        ("limits", {"max_facts": 0}, "max_facts"),
        ("counters", {"pushes": 1, "sneezes": 2}, "sneezes"),
        ("constraints", [["cax-dw", "no such text"]], "no constraint cax-dw"),
        ("constraints", [], "out of range"),
    ],
)
def test_an_entry_of_the_header_that_makes_no_sense_is_refused(name, bad, reason):
    with pytest.raises(CheckpointError, match=f"makes no sense: .*{reason}"):
        StreamReasoner.restore(pack({**HEADER, name: bad}, COLUMNS), ODD)


def test_another_ontology_is_refused_with_both_fingerprints():
    data = simple().snapshot()
    other = Ontology.from_rules([SUBCLASS, DISJOINT])
    with pytest.raises(CheckpointMismatchError) as caught:
        StreamReasoner.restore(data, other)
    error = caught.value
    assert (error.saved, error.given) == (ONTOLOGY.fingerprints.rules, other.fingerprints.rules)
    assert "rules" in error.what
    assert error.saved in str(error) and error.given in str(error)


def test_other_assertions_in_the_ontology_are_refused():
    other = Ontology.from_rules([SUBCLASS, DISJOINT, FUNCTIONAL], [member(A, c)])
    with pytest.raises(CheckpointMismatchError, match="assertions in the ontology"):
        StreamReasoner.restore(simple().snapshot(), other)


def test_a_reasoner_that_saw_nothing():
    fresh = StreamReasoner(ONTOLOGY, Window(3), keep="every", repair="grounded", budget=Budget(sets=3))
    restored = StreamReasoner.restore(fresh.snapshot(), ONTOLOGY)
    assert same(restored, fresh) and restored.note == {} and restored.timestamps == ()
    assert restored.push(5, [member(A, a)]).delta == fresh.push(5, [member(A, a)]).delta
    assert same(restored, fresh)


def test_blank_nodes_of_tables_stay_apart_from_later_ones():
    import pyarrow as pa

    message = pa.table({"subject": ["_:x"], "predicate": ["<urn:p>"], "object": ["_:x"]})
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(9))
    reasoner.push(1, message)
    restored = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    for each in (reasoner, restored):
        each.push(2, message)
    assert restored.assertions() == reasoner.assertions()
    assert len(restored.materialization()) == 2


def test_a_restored_reasoner_is_as_it_was_after_an_error():
    reasoner = simple()
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    for bad in ([(a, V)], [(Literal(1), V, a)]):
        for at in (2, 3):
            with pytest.raises(PantarheiError):
                restored.push(at, [member(A, c), *bad])
    assert same(restored, reasoner)
    assert restored.push(2, [member(C, b)]).repair == reasoner.push(2, [member(C, b)]).repair
    assert same(restored, reasoner)

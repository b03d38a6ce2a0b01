"""How conflicts lead to ⊥, told when someone looks."""

import pickle

import pytest
from rdflib import RDF, Namespace, URIRef, Variable

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.model.rule import Atom, Different, Origin, Rule

EX = Namespace("http://example.org/")
x, y, z = map(Variable, "xyz")


def subclass(sub, of):
    axiom = f"SubClassOf({sub.split('/')[-1]} {of.split('/')[-1]})"
    return Rule("cax-sco", (Atom(sub, (x,)),), Atom(of, (x,)), origin=Origin(axiom))


DISJOINT = Rule(
    "cax-dw", (Atom(EX.Alarm, (x,)), Atom(EX.Safe, (x,))), None, origin=Origin("DisjointClasses(Alarm Safe)")
)
PLACED = Rule("prp-fp", (Atom(EX.at, (x, y)), Atom(EX.at, (x, z))), None, (Different(y, z),))
RULES = [
    subclass(EX.Smoke, EX.Danger),
    subclass(EX.Danger, EX.Alarm),
    subclass(EX.Quiet, EX.Safe),
    DISJOINT,
    PLACED,
]
ROOM = EX.room


def reasoner_after(*aboxes, background=()):
    reasoner = StreamReasoner(Ontology.from_rules(RULES), Window(range=10), background)
    for at, triples in enumerate(aboxes):
        reasoner.push(at, triples)
    return reasoner


def is_a(class_):
    return (ROOM, RDF.type, class_)


def steps_of(proof):
    return [(step.fact, step.rule and step.rule.name, step.at) for step in proof.steps]


def test_a_conflict_tells_the_whole_derivation_on_both_sides():
    reasoner = reasoner_after([is_a(EX.Quiet)], [is_a(EX.Smoke)])
    ((conflict,),) = (repair.conflicts for repair in reasoner.repairs)
    (proof,) = conflict.proofs
    assert steps_of(proof) == [
        (is_a(EX.Smoke), None, 1),
        (is_a(EX.Danger), "cax-sco", None),
        (is_a(EX.Alarm), "cax-sco", None),
        (is_a(EX.Quiet), None, 0),
        (is_a(EX.Safe), "cax-sco", None),
        (None, "cax-dw", None),
    ]
    assert proof.supports == conflict.assertions and proof.complete


@pytest.mark.parametrize("again", [lambda c: c, lambda c: pickle.loads(pickle.dumps(c))])
def test_the_proofs_are_the_same_after_a_pickle_and_a_checkpoint(again):
    reasoner = reasoner_after([is_a(EX.Quiet)], [is_a(EX.Smoke), (ROOM, EX.at, EX.a)], [(ROOM, EX.at, EX.b)])
    restored = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    for before, after in zip(reasoner.repairs, restored.repairs, strict=True):
        for one, other in zip(before.conflicts, after.conflicts, strict=True):
            assert one == again(other) and one.proofs == again(other).proofs != ()


def test_what_the_background_entails_is_part_of_the_proof():
    reasoner = reasoner_after([is_a(EX.Smoke), (EX.other, RDF.type, EX.Smoke)], background=[is_a(EX.Quiet)])
    ((conflict,),) = (repair.conflicts for repair in reasoner.repairs)
    (proof,) = conflict.proofs
    assert proof.background == {is_a(EX.Quiet)} and proof.supports == {(0, is_a(EX.Smoke))}


def test_asking_for_proofs_changes_nothing_and_terms_do_not_gather():
    reasoner = reasoner_after([is_a(EX.Quiet)], [is_a(EX.Smoke)])
    before, facts = str(reasoner.stats()), reasoner.materialization()
    proofs = [repair.conflicts[0].proofs for repair in reasoner.repairs]
    assert proofs == [repair.conflicts[0].proofs for repair in reasoner.repairs]
    assert (str(reasoner.stats()), reasoner.materialization()) == (before, facts)


def test_the_terms_of_former_proofs_are_forgotten_in_the_end(monkeypatch):
    monkeypatch.setattr("pantarhei.interpretation.prover._MOST_TERMS", 3)
    reasoner = reasoner_after()
    for at in range(6):
        reasoner.push(at, [(URIRef(f"{EX}r{at // 2}"), RDF.type, EX.Smoke if at % 2 else EX.Quiet)])
    proofs = [conflict.proofs for repair in reasoner.repairs for conflict in repair.conflicts]
    assert [len(steps_of(proof)) for (proof,) in proofs] == [6, 6, 6]


def test_a_constraint_over_unequal_names_is_told_too():
    reasoner = reasoner_after([(ROOM, EX.at, EX.a)], [(ROOM, EX.at, EX.b)])
    ((conflict,),) = (repair.conflicts for repair in reasoner.repairs)
    assert [steps_of(proof)[-1] for proof in conflict.proofs] == [(None, "prp-fp", None)]

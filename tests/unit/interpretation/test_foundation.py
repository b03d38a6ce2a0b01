"""What foundations have in common, and how they are told apart."""

import pickle
import subprocess
import sys

import pytest
from rdflib import OWL, RDF, Namespace, URIRef, Variable

from pantarhei import Foundation, Ontology, Rule, StreamReasoner, Window
from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Atom, Different, Member, Origin

ONE, TWO = Namespace("http://one.example/"), Namespace("http://two.example/")
X, Y = Variable("x"), Variable("y")
A_OF_A = (ONE.a, RDF.type, ONE.A)


def subclass(lower, upper):
    return Rule("cax-sco", (Atom(lower, (X,)),), Atom(upper, (X,)))


def of_datatype(datatype):
    body = (Atom(ONE.V, (X, Y)),)
    return Rule("pr-data", body, Atom(ONE.B, (X,)), tests=(Member(Y, Datatype(datatype)),))


FIRST = Rule("pr-first", tuple(Atom(c, (X,)) for c in (ONE.A, TWO.A, ONE.B, ONE.C)), Atom(ONE.D, (X,)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (([], [A_OF_A]), ([], [A_OF_A, (ONE.a, OWL.sameAs, ONE.b)])),
        (
            ([FIRST, subclass(ONE.A, ONE.B), subclass(TWO.A, ONE.C)], []),
            ([FIRST, subclass(TWO.A, ONE.B), subclass(ONE.A, ONE.C)], []),
        ),
        (([of_datatype(ONE.t)], []), ([of_datatype(TWO.t)], [])),
        (([], [A_OF_A]), ([], [(ONE.b, RDF.type, ONE.A)])),
    ],
)
def test_foundations_that_do_not_understand_one_another_have_other_digests(one, other):
    digests = {
        Foundation.of(Ontology.from_rules(rules), background).digest for rules, background in (one, other)
    }
    assert len(digests) == 2


def test_a_foundation_is_shown_in_a_line():
    foundation = Foundation.of(Ontology.from_rules([subclass(ONE.A, ONE.B)]), [A_OF_A])
    assert repr(foundation) == "Foundation(1 rule, 1 background fact, unique_names=True)"


def test_the_reading_of_names_is_in_the_digest():
    ontology = Ontology.from_rules([subclass(ONE.A, ONE.B)])
    assert Foundation.of(ontology).digest != Foundation.of(ontology, unique_names=False).digest


def test_a_digest_is_the_same_in_another_process_with_another_seed_of_hashes():
    script = (
        "import pantarhei as pr; print(pr.Foundation.of(pr.load_ontology('ontologies/building.ttl')).digest)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1 and len(found.pop().strip()) == 64


def test_numbers_below_the_common_ones_mean_the_same_terms():
    ontology = Ontology.from_rules([subclass(ONE.A, ONE.B)], [A_OF_A])
    one, other = (Foundation.of(ontology, [(ONE.z, ONE.p, ONE.y)]) for _ in "12")
    one.vocabulary.encode([(URIRef("urn:later"), ONE.p, ONE.a)])
    assert one.common == other.common and one.digest == other.digest
    assert one.vocabulary.names[: one.common.names] == list(other.vocabulary.names)


EX = Namespace("http://example.org/")
x, y, z = map(Variable, "xyz")


def subclass_of_prover(sub, of):
    axiom = f"SubClassOf({sub.split('/')[-1]} {of.split('/')[-1]})"
    return Rule("cax-sco", (Atom(sub, (x,)),), Atom(of, (x,)), origin=Origin(axiom))


DISJOINT = Rule(
    "cax-dw", (Atom(EX.Alarm, (x,)), Atom(EX.Safe, (x,))), None, origin=Origin("DisjointClasses(Alarm Safe)")
)
PLACED = Rule("prp-fp", (Atom(EX.at, (x, y)), Atom(EX.at, (x, z))), None, (Different(y, z),))
RULES = [
    subclass_of_prover(EX.Smoke, EX.Danger),
    subclass_of_prover(EX.Danger, EX.Alarm),
    subclass_of_prover(EX.Quiet, EX.Safe),
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
    monkeypatch.setattr("pantarhei.interpretation.foundation._MOST_TERMS", 3)
    reasoner = reasoner_after()
    for at in range(6):
        reasoner.push(at, [(URIRef(f"{EX}r{at // 2}"), RDF.type, EX.Smoke if at % 2 else EX.Quiet)])
    proofs = [conflict.proofs for repair in reasoner.repairs for conflict in repair.conflicts]
    assert [len(steps_of(proof)) for (proof,) in proofs] == [6, 6, 6]


def test_a_constraint_over_unequal_names_is_told_too():
    reasoner = reasoner_after([(ROOM, EX.at, EX.a)], [(ROOM, EX.at, EX.b)])
    ((conflict,),) = (repair.conflicts for repair in reasoner.repairs)
    assert [steps_of(proof)[-1] for proof in conflict.proofs] == [(None, "prp-fp", None)]

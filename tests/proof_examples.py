"""Proofs for tests of renderers: a small plant's, a deep one, and one with malicious texts."""

from datetime import UTC, datetime

from rdflib import RDF, RDFS, Graph, Literal

import pantarhei as pr
from pantarhei.model.rule import Rule
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import ProofStep
from strategies import EX, A, B, R, a, is_a, member, related, x, y, z

PLANT = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :houses owl:inverseOf :installedIn .
    :CounterAtZero rdfs:label "counter at zero" .
    [ a owl:Restriction ; owl:onProperty :houses ; owl:someValuesFrom :CounterAtZero ]
        rdfs:subClassOf :Empty .
    [ a owl:Restriction ; owl:onProperty :houses ; owl:someValuesFrom :OpenValve ] rdfs:subClassOf :Heated .
    [ a owl:Class ; owl:intersectionOf ( :Heated :Empty ) ] rdfs:subClassOf :Wasteful .
    :Wasteful rdfs:label "wasteful room"@en, "verschwenderischer Raum"@de .
    :counter :installedIn :room . :valve :installedIn :room .
    :Smoke rdfs:subClassOf :Danger . :Danger rdfs:subClassOf :Alarm . :Safe owl:disjointWith :Alarm .
"""


def plant():
    """Return a reasoner of a room that is heated although it is empty."""
    ontology = pr.load_ontology(Graph().parse(data=PLANT))
    reasoner = pr.StreamReasoner(ontology, pr.Window("PT1H"), [(EX.valve, RDFS.label, Literal("main valve"))])
    reasoner.push(datetime(2026, 3, 2, 7, tzinfo=UTC), [(EX.valve, RDF.type, EX.OpenValve)])
    reasoner.push(datetime(2026, 3, 2, 7, 5, tzinfo=UTC), [(EX.counter, RDF.type, EX.CounterAtZero)])
    return reasoner


TRANSITIVE = Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z))


def chain(length):
    """Return a proof as deep as its number of given facts."""
    steps = [ProofStep((EX.n0, R, EX.n1), at=0)]
    for n in range(1, length):
        steps.append(ProofStep((EX[f"n{n}"], R, EX[f"n{n + 1}"]), at=n))
        last = 0 if n == 1 else len(steps) - 2
        steps.append(ProofStep((EX.n0, R, EX[f"n{n + 1}"]), TRANSITIVE, (last, len(steps) - 1)))
    return Proof(tuple(steps))


EVIL = '</script>"\n\x1b[2J&amp;\\' + "x" * 10_000


def malicious():
    """Return a proof with a malicious literal and a malicious label."""
    up = Rule("cax-sco", (is_a(A, x), related(R, x, y)), is_a(B, x))
    steps = (
        ProofStep((a, R, Literal(EVIL)), at=1),
        ProofStep(member(A, a), is_open=True),
        ProofStep(member(B, a), up, (1, 0)),
    )
    return Proof(steps, False).labelled({A: '"]; <script>alert(1)</script>\n<!--', B: "]]>'--"})


def contradiction():
    """Return a proof of ⊥: smoke in a hall that is safe."""
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph().parse(data=PLANT)), pr.Window(5))
    reasoner.push(1, [(EX.hall, RDF.type, EX.Smoke)])
    update = reasoner.push(2, [(EX.hall, RDF.type, EX.Safe)])
    ((proof,),) = (conflict.proofs for conflict in update.repair.conflicts)
    return proof

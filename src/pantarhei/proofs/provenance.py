"""Proofs as RDF, in the words of W3C's PROV-O.

Facts and axioms are entities, rule instances are activities. Names are made from what a proof says: those of
two proofs in one graph do not meet unless they are the same.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING

from rdflib import PROV, RDF, RDFS, XSD, Graph, Literal, Namespace, URIRef

from pantarhei.model.rule import Rule
from pantarhei.proofs.json_form import json_of
from pantarhei.proofs.telling import Telling

if TYPE_CHECKING:
    from pantarhei.model.term import Term, Triple
    from pantarhei.model.time import TimePoint
    from pantarhei.proofs.proof import Proof, ProofStep

TERMS = Namespace("urn:pantarhei:proof#")
"""What PROV-O has no word for."""


def graph_of(proof: Proof) -> Graph:
    """What the proof says; a timestamp is `prov:generatedAtTime`, or `TERMS.at` where it is a number."""
    graph = Graph()
    graph.bind("prov", PROV)
    graph.bind("proof", TERMS)
    telling = Telling(proof)
    for triple in telling.told(lambda: list(_Statements(telling).all())):
        graph.add(triple)
    return graph


class _Statements:
    """The triples that say a proof."""

    def __init__(self, telling: Telling) -> None:
        self._telling, self._proof = telling, telling.proof
        said = json.dumps(json_of(self._proof), sort_keys=True)
        self._name = f"urn:pantarhei:proof:{hashlib.sha256(said.encode()).hexdigest()[:32]}"
        self._found: list[Triple] = []

    def all(self) -> list[Triple]:
        """The triples, in no order that matters."""
        proof = URIRef(self._name)
        self._say(proof, RDF.type, TERMS.Proof)
        self._say(proof, TERMS.conclusion, self._fact(len(self._proof.steps) - 1))
        self._say(proof, TERMS.complete, Literal(self._proof.complete))
        for place, step in enumerate(self._proof.steps):
            self._describe(place, step)
        for number, rule in self._telling.rules.values():
            self._describe_axiom(number, rule)
        return self._found

    def _describe(self, place: int, step: ProofStep) -> None:
        fact = self._fact(place)
        self._say(fact, RDF.type, PROV.Entity)
        self._say(fact, RDF.type, TERMS[step.kind.value.capitalize()])
        self._say(fact, RDFS.label, Literal(self._telling.fact(step)))
        if step.fact is not None:
            self._say(fact, RDF.type, RDF.Statement)
            for property_, term in zip((RDF.subject, RDF.predicate, RDF.object), step.fact, strict=True):
                self._say(fact, property_, term)
        if step.at is not None:
            self._say(fact, *_time(step.at))
        if step.temporal is not None:
            self._say(fact, TERMS["from"], _time(step.temporal.first)[1])
            self._say(fact, TERMS.until, _time(step.temporal.last)[1])
        if step.rule is not None:
            self._describe_instance(place, step, step.rule)
        elif step.premises:
            for premise in step.premises:
                self._say(fact, PROV.wasDerivedFrom, self._fact(premise))

    def _describe_instance(self, place: int, step: ProofStep, rule: Rule) -> None:
        fact, instance = self._fact(place), URIRef(f"{self._name}#instance{place + 1}")
        self._say(instance, RDF.type, PROV.Activity)
        self._say(instance, TERMS.rule, Literal(rule.name))
        self._say(instance, PROV.used, self._axiom(self._telling.number(step)))
        self._say(fact, PROV.wasGeneratedBy, instance)
        for premise in step.premises:
            self._say(instance, PROV.used, self._fact(premise))
            self._say(fact, PROV.wasDerivedFrom, self._fact(premise))

    def _describe_axiom(self, number: int, rule: Rule) -> None:
        axiom, origin = self._axiom(number), rule.origin
        self._say(axiom, RDF.type, PROV.Entity)
        self._say(axiom, RDF.type, TERMS.Axiom)
        self._say(axiom, PROV.value, Literal(rule.axiom))
        if origin is None:
            return
        if origin.source is not None:
            self._say(axiom, TERMS.file, Literal(origin.source))
        if origin.line is not None:
            self._say(axiom, TERMS.line, Literal(origin.line))
        if origin.subject is not None:
            self._say(axiom, TERMS.about, origin.subject)

    def _fact(self, place: int) -> URIRef:
        return URIRef(f"{self._name}#fact{place + 1}")

    def _axiom(self, number: int | None) -> URIRef:
        return URIRef(f"{self._name}#axiom{number}")

    def _say(self, subject: URIRef, predicate: URIRef, object_: Term) -> None:
        self._found.append((subject, predicate, object_))


def _time(at: TimePoint) -> tuple[URIRef, Literal]:
    if isinstance(at, datetime):
        return PROV.generatedAtTime, Literal(at.isoformat(), datatype=XSD.dateTime)
    return TERMS.at, Literal(at)

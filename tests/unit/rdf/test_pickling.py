"""What is pickled, or copied, has its literals as they were written."""

import copy
import pickle

import pytest
from rdflib import XSD, Literal

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.io.abox import TimestampedABox
from pantarhei.model.rule import Rule
from pantarhei.rdf.pickling import exactly
from strategies import EX, V, related, x, y

LITERALS = [
    Literal("2020-01-01T00:00:00Z", datatype=XSD.dateTime, normalize=False),
    Literal("007", datatype=XSD.integer, normalize=False),
    Literal("20", datatype=XSD.double, normalize=False),
    Literal("1", datatype=XSD.boolean, normalize=False),
    Literal("high", datatype=XSD.integer, normalize=False),
    Literal("Tor", lang="de"),
    Literal("plain"),
]
FACTS = [(EX[f"i{number}"], V, literal) for number, literal in enumerate(LITERALS)]
RULES = [
    Rule("prp-spo1", (related(V, x, y),), related(EX.W, x, y)),
    Rule("cls-hv1", (related(EX.Q, x, y),), related(V, x, LITERALS[1])),
]


def exact(triples):
    return sorted((t[0], t[1], str(t[2]), t[2].datatype, t[2].language or "") for t in triples)


@pytest.mark.parametrize("again", [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy])
class TestAgain:
    def test_an_ontology_is_the_same_one(self, again):
        ontology = Ontology.from_rules(RULES, FACTS[1:4])
        made = again(ontology)
        assert made == ontology
        assert made.fingerprint == ontology.fingerprint
        assert exact(made.background) == exact(FACTS[1:4])

    def test_a_foundation_is_the_same_one(self, again):
        foundation = Foundation.of(Ontology.from_rules(RULES, FACTS[1:4]), FACTS[:1])
        assert again(foundation).digest == foundation.digest

    def test_an_interpretation_of_a_copy_is_understood(self, again):
        ontology = Ontology.from_rules(RULES, FACTS[:1])
        worker = ABoxMaterializer(again(Foundation.of(ontology)))
        reasoner = StreamReasoner(ontology, Window(5))
        reasoner.push_materialized(1, worker.materialize(FACTS[1:4]))
        assert exact(triple for _, triple in reasoner.assertions()) == exact(FACTS[1:4])

    def test_updates_and_aboxes_tell_the_same(self, again):
        reasoner = StreamReasoner(Ontology.from_rules(RULES), Window(5))
        update = reasoner.push(1, FACTS[:4])
        assert exact(again(update).delta.added) == exact(update.delta.added)
        assert exact(again(TimestampedABox(1, FACTS)).triples) == exact(FACTS)


def test_any_literal_comes_back():
    make, arguments = exactly(list, LITERALS)
    assert exact((EX.a, V, literal) for literal in make(*arguments)) == exact(
        (EX.a, V, each) for each in LITERALS
    )

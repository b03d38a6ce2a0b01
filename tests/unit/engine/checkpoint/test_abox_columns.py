"""The background beside the ontology is saved, and another one is refused."""

import pytest
from rdflib import OWL, BNode

from checkpoints import ONTOLOGY, same, simple
from pantarhei import Ontology, StreamReasoner
from pantarhei.engine.checkpoint import GivenBackground
from pantarhei.errors import CheckpointMismatchError
from strategies import A, R, a, b, c, member


def test_another_background_is_refused_and_none_is_the_saved_one():
    background = [(c, R, b), (BNode("here"), R, c)]
    reasoner = simple(background=background)
    data = reasoner.snapshot()
    assert same(StreamReasoner.restore(data, ONTOLOGY), reasoner)
    again = StreamReasoner.restore(data, ONTOLOGY, background=[(BNode("there"), R, c), (c, R, b)])
    assert (BNode("there"), R, c) in again.background
    for other in ([], [(c, R, b)], [(c, R, b), (c, R, c)]):
        with pytest.raises(CheckpointMismatchError, match="background"):
            StreamReasoner.restore(data, ONTOLOGY, background=other)


def test_names_that_are_merged_are_merged_again():
    background = [(a, OWL.sameAs, b), (b, OWL.sameAs, c), (c, R, a)]
    reasoner = simple(background=background)
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert same(restored, reasoner)
    for each in (reasoner, restored):
        each.push(3, [member(A, c)])
    assert restored.materialization() == reasoner.materialization()


def test_what_the_ontology_asserts_anyway_is_not_given_beside_it():
    ontology = Ontology.from_rules([], [(c, R, b)])
    assert GivenBackground.beside(ontology, [(c, R, b), (c, R, a), (c, R, a)]).triples == ((c, R, a),)


def test_the_order_in_which_triples_are_given_is_neither_in_the_columns_nor_in_the_fingerprint():
    triples = (c, R, b), (a, R, c), (b, R, a)
    one, other = GivenBackground(triples), GivenBackground(triples[::-1])
    assert one.fingerprint == other.fingerprint != GivenBackground(triples[1:]).fingerprint
    assert {name: column.tolist() for name, column in one.columns.items()} == {
        name: column.tolist() for name, column in other.columns.items()
    }

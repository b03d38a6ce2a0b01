"""An interpretation is a value that whoever has the foundation can read."""

import pickle

from rdflib import RDF, Literal
from rdflib.util import from_n3

from pantarhei import Ontology
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Rule
from strategies import EX, A, B, C, R, V, a, is_a, member, x

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("disjoint", (is_a(B, x), is_a(C, x)), None)]
ABOX = [(EX.own, EX.p, a), member(EX.Own, EX.own), member(A, EX.own), (EX.own, V, Literal("v"))]


def foundation():
    return Foundation.of(Ontology.from_rules(RULES), [(a, R, a), (a, V, Literal("known"))])


def made_of(abox):
    return ABoxMaterializer(foundation()).materialize(abox)


def read(made):
    """The triples of an interpretation by what `Interpretation` and `Terms` say of its numbers."""
    vocabulary, common = foundation().vocabulary, foundation().common
    own = [tuple(map(from_n3, texts)) for texts in made.terms]
    symbols = [*(symbol.name for symbol in vocabulary.symbols[: common.symbols]), *own[0], *own[1]]
    names = [*vocabulary.names[: common.names], *own[2]]
    literals = [*vocabulary.literals[: common.literals], *own[3]]
    return [
        (names[who], RDF.type, symbols[predicate])
        if what == NONE
        else (
            names[who],
            symbols[predicate],
            literals[what - FIRST_LITERAL] if what >= FIRST_LITERAL else names[what],
        )
        for predicate, who, what in made.facts.tolist()
    ]


def test_its_numbers_mean_the_terms_of_any_equal_foundation_and_then_its_own():
    made = made_of(ABOX)
    assert set(read(made)) == {*ABOX, member(B, EX.own)}
    assert set(read(made)[: made.asserted]) == set(ABOX)


def test_conflicts_are_places_of_asserted_facts():
    made = made_of([member(C, EX.own), *ABOX])
    (conflict,) = made.conflicts
    assert made.contradictory
    assert {read(made)[place] for place in conflict} == {member(A, EX.own), member(C, EX.own)}


def test_it_comes_back_from_a_pickle_and_does_not_depend_on_what_was_made_before():
    maker = ABoxMaterializer(foundation())
    maker.materialize([member(EX.Other, EX.other), (EX.other, EX.q, EX.another)])
    made = maker.materialize(ABOX)
    again = pickle.loads(pickle.dumps(made))
    assert read(again) == read(made) == read(made_of(ABOX))
    assert pickle.dumps(again) == pickle.dumps(made_of(ABOX))
    assert again.foundation == foundation().digest

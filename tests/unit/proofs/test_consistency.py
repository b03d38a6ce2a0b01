"""Facts that are never repaired: what contradicts itself among them is an error with a proof."""

import pytest
from rdflib import Variable

from pantarhei import InconsistentOntologyError
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.origin import Origin
from pantarhei.language.rule import Rule
from pantarhei.proofs.consistency import model_of_background, refuse_violations
from pantarhei.rules.compilation.program import compile_
from strategies import A, B, C, a, is_a, member

x = Variable("x")
PROGRAM = compile_(
    [
        Rule("cax-sco", (is_a(A, x),), is_a(B, x)),
        Rule("cax-dw", (is_a(B, x), is_a(C, x)), None, origin=Origin("B and C are disjoint")),
    ]
)


def refuse(*triples):
    vocabulary = Vocabulary(PROGRAM)
    background = vocabulary.encode(triples).facts
    refuse_violations(model_of_background(PROGRAM, vocabulary, background), background)


def test_what_is_consistent_passes():
    refuse(member(A, a))


def test_the_error_names_the_axiom_and_the_assertions_and_proves_it():
    with pytest.raises(InconsistentOntologyError, match="B and C are disjoint") as raised:
        refuse(member(A, a), member(C, a))
    assert "cax-sco" in str(raised.value)  # the proof tells how B(a) came

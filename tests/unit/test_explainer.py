"""How far an explanation looks."""

import pytest
from rdflib import Variable

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.language.rule import Atom, Rule
from strategies import EX, SUBCLASS, TRANSITIVE, A, B, R, a, b, c, member


def reasoner_after(*facts):
    reasoner = StreamReasoner(Ontology.from_rules([SUBCLASS[0], TRANSITIVE[0]]), Window(5))
    reasoner.push(1, facts)
    return reasoner


def test_a_limit_of_as_many_instances_as_there_are_is_enough():
    assert reasoner_after(member(A, a)).explain(member(B, a), limit=1).complete
    path = reasoner_after((a, R, b), (b, R, c), (c, R, A))
    assert path.explain((a, R, c), limit=1).complete
    assert path.explain((a, R, A), limit=2).complete


@pytest.mark.parametrize("power", (40, 61, 63, 70))
def test_a_limit_can_be_as_high_as_one_likes(power):
    reasoner = reasoner_after((a, R, b), (b, R, c))
    for limit in (2**power - 1, 2**power):
        assert reasoner.explain((a, R, c), limit=limit) == reasoner.explain((a, R, c))
        assert len(reasoner.explain((a, R, c), all=True, limit=limit)) == 1


def test_beyond_the_limit_a_chain_is_told_as_far_as_it_was_looked_at():
    x, y = Variable("x"), Variable("y")
    # A(x) :- R(x, y), A(y).
    along = Rule("cls-svf1", (Atom(R, (x, y)), Atom(A, (y,))), Atom(A, (x,)))
    reasoner = StreamReasoner(Ontology.from_rules([along]), Window(5))
    reasoner.push(1, [(EX[f"n{i}"], R, EX[f"n{i + 1}"]) for i in range(200)] + [member(A, EX.n200)])
    proof = reasoner.explain(member(A, EX.n0), limit=50)
    assert not proof.complete and "derived, not looked into" in str(proof)
    assert len([step for step in proof.steps if step.rule is not None]) == 50
    assert [step.fact for step in proof.steps if step.is_open] == [member(A, EX.n50)]

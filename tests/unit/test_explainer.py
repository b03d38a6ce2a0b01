"""How far an explanation looks."""

import pytest

from pantarhei import Ontology, StreamReasoner, Window
from strategies import SUBCLASS, TRANSITIVE, A, B, R, a, b, c, member


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

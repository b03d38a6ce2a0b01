"""Which rows are edges of a transitive property, and that joining with these alone is enough."""

import pytest

from pantarhei.materialize.kernel.constants import EDGE
from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import EX, A, R, S, a, b, c, is_a, member, related, x, y, z

TRANSITIVE = Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z))
SYMMETRIC = Rule("prp-symp", (related(R, x, y),), related(R, y, x))
HAS_VALUE = Rule("hv", (is_a(A, x),), related(R, x, c))
PATH = [(a, R, b), (b, R, c)]


def test_what_transitivity_derives_is_no_edge_and_what_is_asserted_or_derived_otherwise_is():
    model = RuleModel(TRANSITIVE, HAS_VALUE)
    model.add(0, *PATH, member(A, EX.d), (a, S, b))
    assert model.flagged(EDGE) == {*PATH, (EX.d, R, c)}
    assert (a, R, c) in model.facts


@pytest.mark.parametrize("later", [[(a, R, c)], [member(A, a)]])
def test_a_path_becomes_an_edge_when_it_is_asserted_or_derived_otherwise_later(later):
    model = RuleModel(TRANSITIVE, HAS_VALUE)
    model.add(0, *PATH)
    model.add(1, *later)
    assert (a, R, c) in model.flagged(EDGE)


def test_an_edge_turned_round_is_an_edge_and_a_path_turned_round_is_none():
    model = RuleModel(TRANSITIVE, SYMMETRIC)
    model.add(0, *PATH)
    assert {(b, R, a), (c, R, b)} <= model.flagged(EDGE) and (c, R, a) in model.facts
    assert (c, R, a) not in model.flagged(EDGE)
    model.add(1, (a, R, c))
    assert {(a, R, c), (c, R, a)} <= model.flagged(EDGE), "the flag is handed on"


def test_a_chain_is_closed_with_one_firing_for_each_path_and_its_next_edge():
    """Of n edges n (n + 1) / 2 paths follow; to join all pairs of paths would take about n³ / 6."""
    model, n = RuleModel(TRANSITIVE), 30
    model.add(0, *((EX[f"n{i}"], R, EX[f"n{i + 1}"]) for i in range(n)))
    assert len(model.facts) == n * (n + 1) // 2
    assert model.kernel.firings == n * (n - 1) // 2


def test_paths_stand_and_fall_with_their_edges():
    model = RuleModel(TRANSITIVE)
    model.add(0, *PATH)
    model.add(1, (c, R, EX.d), (a, R, c))
    model.cut((b, R, c))
    assert model.facts == {(a, R, b), (c, R, EX.d), (a, R, c), (a, R, EX.d)}

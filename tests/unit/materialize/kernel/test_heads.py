"""Heads of matched rules: noted, entered some at a time, and never lost on the way."""

import pytest
from rdflib import Literal

from pantarhei.materialize.kernel.constants import HEADS_AT_ONCE, MOST_HEADS
from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import EX, A, B, R, V, a, b, is_a, member, related, x, y, z

SYMMETRIC = Rule("prp-symp", (related(V, x, y),), related(V, y, x))
RANGE = Rule("prp-rng", (related(V, x, y),), is_a(A, y))
SPREAD = Rule("svf", (is_a(A, x), related(R, x, y)), is_a(A, y))


def test_a_literal_is_the_subject_of_no_fact():
    model = RuleModel(SYMMETRIC, RANGE)
    model.add(0, (a, V, Literal(1)), (a, V, b))
    assert model.facts == {(a, V, Literal(1)), (a, V, b), (b, V, a), member(A, b), member(A, a)}


@pytest.mark.parametrize("count", [HEADS_AT_ONCE - 1, HEADS_AT_ONCE, HEADS_AT_ONCE + 1, MOST_HEADS + 1])
def test_all_heads_of_one_fact_are_entered_however_many(count):
    model = RuleModel(SPREAD)
    model.add(0, *((a, R, EX[f"n{i}"]) for i in range(count)))
    model.add(1, member(A, a))
    assert len(model.facts) == 2 * count + 1
    model.kernel.check_invariants()


def test_a_fact_that_several_bodies_derive_is_stored_once_at_the_highest_of_their_levels():
    both = Rule("both", (related(R, x, y), related(R, x, z)), is_a(B, x))
    model = RuleModel(both)
    model.model.fill([(model.rows([(a, R, EX[f"n{level}"])]), level) for level in range(40)])
    assert model.levels[member(B, a)] == 39 and model.kernel.pops == len(model.facts) == 41


def test_reading_ahead_changes_nothing():
    levels = []
    for ahead in (True, False):
        model = RuleModel(SPREAD, SYMMETRIC)
        model.kernel.store.reads_ahead = ahead
        model.add(0, *((EX[f"n{i}"], R, EX[f"n{2 * i % 97}"]) for i in range(97)))
        model.add(1, *(member(A, EX[f"n{i}"]) for i in range(0, 97, 3)), (a, V, b))
        levels.append(model.levels)
    assert levels[0] == levels[1]

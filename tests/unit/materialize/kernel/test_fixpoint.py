"""Facts settle newest level first, each at its final level, and what follows from them is there."""

from __future__ import annotations

import pytest
from rdflib import Literal

from pantarhei.materialize.kernel.constants import HEAD_BLOCK, MAX_HEADS
from pantarhei.materialize.model import FOREVER
from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import EX, A, B, C, D, R, V, a, b, c, is_a, member, related, x, y, z

SYMMETRIC = Rule("prp-symp", (related(V, x, y),), related(V, y, x))
RANGE = Rule("prp-rng", (related(V, x, y),), is_a(A, y))
SPREAD = Rule("svf", (is_a(A, x), related(R, x, y)), is_a(A, y))


def test_a_literal_is_the_subject_of_no_fact():
    model = RuleModel(SYMMETRIC, RANGE)
    model.add(0, (a, V, Literal(1)), (a, V, b))
    assert model.facts == {(a, V, Literal(1)), (a, V, b), (b, V, a), member(A, b), member(A, a)}


@pytest.mark.parametrize("count", [HEAD_BLOCK - 1, HEAD_BLOCK, HEAD_BLOCK + 1, MAX_HEADS + 1])
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
        model.kernel.store.prefetches = ahead
        model.add(0, *((EX[f"n{i}"], R, EX[f"n{2 * i % 97}"]) for i in range(97)))
        model.add(1, *(member(A, EX[f"n{i}"]) for i in range(0, 97, 3)), (a, V, b))
        levels.append(model.levels)
    assert levels[0] == levels[1]


CHAIN = [Rule("sub", (is_a(lower, x),), is_a(upper, x)) for lower, upper in ((A, B), (B, C), (C, D))]
BOTH = Rule("int", (is_a(A, x), is_a(B, x)), is_a(C, x))
SVF = Rule("svf", (related(R, x, y), is_a(A, y)), is_a(A, x))


def test_a_level_is_the_largest_over_the_derivations_of_the_smallest_in_the_body():
    model = RuleModel(SVF)
    model.add(1, (a, R, b), member(A, c))
    model.add(2, member(A, b))
    model.add(3, (a, R, c))
    assert model.levels[member(A, a)] == 1
    model.add(4, member(A, c))
    assert model.levels[member(A, a)] == 3


def test_what_follows_from_the_background_alone_holds_for_ever():
    model = RuleModel(SVF)
    model.model.add_background(model.rows([(a, R, b), member(A, b)]))
    model.add(1, (c, R, a))
    assert model.levels[member(A, a)] == FOREVER and model.levels[member(A, c)] == 1
    model.slide(5)
    assert model.facts == {(a, R, b), member(A, b), member(A, a)}


def test_a_fact_with_many_derivations_is_popped_once():
    model = RuleModel(SVF)
    model.add(1, *((a, R, EX[f"n{i}"]) for i in range(50)), *(member(A, EX[f"n{i}"]) for i in range(50)))
    assert model.kernel.pops == 101 == len(model.facts)


def test_the_newest_comes_first_so_that_no_fact_is_popped_again_at_a_higher_level():
    model = RuleModel(SVF)
    facts = [((a, R, EX[f"n{i}"]), member(A, EX[f"n{i}"])) for i in range(8)]
    model.model.fill([(model.rows(pair), level) for level, pair in enumerate(facts)])
    assert model.levels[member(A, a)] == 7 and model.kernel.pops == 17


@pytest.mark.parametrize("order", [1, -1])
def test_superclasses_settle_with_their_class_whatever_comes_first(order):
    model = RuleModel(*CHAIN, BOTH)
    model.add(1, *[member(A, a), member(C, b), member(B, c)][::order])
    assert model.facts == {
        *(member(class_, a) for class_ in (A, B, C, D)),
        *(member(class_, b) for class_ in (C, D)),
        *(member(class_, c) for class_ in (B, C, D)),
    }
    model.kernel.check_invariants()


def test_a_superclass_that_is_there_rises_with_its_class():
    model = RuleModel(*CHAIN)
    model.add(1, member(B, a))
    model.add(2, member(A, a))
    assert {model.levels[member(class_, a)] for class_ in (A, B, C, D)} == {2}

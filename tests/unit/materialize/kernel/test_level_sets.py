"""Sets of levels, in words of 64 bits: which interpretations hold a row."""

import numpy as np
import pytest

from pantarhei.materialize.kernel.level_sets import LevelSets, new_bits
from pantarhei.materialize.kernel.store import Store
from pantarhei.materialize.model import FOREVER
from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import A, B, C, R, a, b, is_a, member, related, x, y

BOTH = Rule("int", (is_a(A, x), is_a(B, x)), is_a(C, x))
SVF = Rule("svf", (related(R, x, y), is_a(A, y)), is_a(A, x))
BORDERS = [0, 1, 62, 63, 64, 65, 127, 128, 200]


@pytest.mark.parametrize(("levels", "words"), [(1, 1), (64, 1), (65, 2), (128, 2), (129, 4), (300, 8)])
def test_there_are_words_for_all_levels_of_the_window(levels, words):
    sets = LevelSets(Store())
    sets.reserve_levels(levels)
    assert sets.words == words
    sets.reserve_levels(1)
    assert sets.words == words, "room is never given up"


def test_new_bits_are_zero_and_64_to_a_word():
    assert np.asarray(new_bits(3, 2)).tolist() == [[0, 0]] * 3
    assert np.asarray(new_bits(3, 2)).dtype == np.uint64


def held(model, fact):
    (row,) = model.rows([fact]).tolist()
    return [level for level in BORDERS if row in model.model.interpretation(level).tolist()]


def test_a_row_is_held_at_the_levels_that_assert_it_across_words():
    model = RuleModel(BOTH, keep="every")
    for level in BORDERS:
        model.add(level, member(A, a))
    assert held(model, member(A, a)) == BORDERS
    model.slide(63)
    assert held(model, member(A, a)) == BORDERS[3:]
    model.slide(129)
    assert held(model, member(A, a)) == [200]


def test_a_level_that_is_lost_takes_its_combinations_along_and_leaves_the_others():
    model = RuleModel(BOTH, keep="every")
    model.add(1, member(A, a))
    model.add(64, member(B, a))
    undo = model.add(128, member(A, a))
    assert held(model, member(C, a)) == [1, 64]  # {1, 64} and {64, 128} have these oldest members
    model.model.withdraw(model.rows([member(A, a)]), undo, 128)
    assert held(model, member(C, a)) == [1]
    model.kernel.check_invariants()


def test_a_cut_loses_all_levels_of_a_row_and_of_what_rested_on_it():
    model = RuleModel(SVF, keep="every")
    for level in (0, 64, 65):
        model.add(level, (a, R, b), member(A, b))
    model.cut(member(A, b))
    assert held(model, member(A, b)) == held(model, member(A, a)) == []
    assert held(model, (a, R, b)) == [0, 64, 65]


def test_the_background_is_a_level_of_its_own():
    model = RuleModel(SVF, keep="every")
    model.model.add_background(model.rows([member(A, b)]))
    model.add(64, (a, R, b))
    assert held(model, member(A, a)) == [64] and held(model, member(A, b)) == []
    assert model.rows([member(A, b)]).tolist()[0] in model.model.interpretation(FOREVER).tolist()

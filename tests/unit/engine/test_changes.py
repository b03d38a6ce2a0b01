"""What a step changed: what came and went on the way adds up, what was cut is no assertion."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.changes import Changes
from pantarhei.materialize.level_changes import LevelChanges
from pantarhei.materialize.model import WindowModel
from pantarhei.rules.compilation.program import compile_
from pantarhei.window.log import Entry


def facts(*numbers):
    return np.array([(number, 0, NONE) for number in numbers], np.int32).reshape(-1, 3)


def noted(*signed):
    """Facts that came, and with a minus in front those that went; none has the number 0."""
    return np.array([(abs(n), 0, NONE, np.sign(n)) for n in signed], np.int32).reshape(-1, 4)


def entry(level, asserted, cut=()):
    return Entry(level, level, level, facts(*asserted), facts(*cut))


def signs(changes):
    return {fact: sign for fact, _, _, sign in changes.signed.tolist()}


@pytest.mark.parametrize(
    ("given", "net"),
    [
        ([], {}),
        ([3], {3: 1}),
        ([3, -2, 5], {2: -1, 3: 1, 5: 1}),
        ([-2, 2], {}),
        ([-2, 2, -2, 3], {2: -1, 3: 1}),
        ([2, -2, 2, 4, -4], {2: 1}),
    ],
)
def test_what_went_and_came_again_adds_up_to_nothing(given, net):
    changes = Changes(noted(*given))
    assert signs(changes) == net and len(changes.signed) == len(net)


def test_asserted_is_what_was_not_cut_in_its_order_and_as_often_as_it_came():
    changes = Changes(noted(), (entry(1, [5, 4, 5], [4, 9]), entry(2, [4, 3])))
    assert changes.asserted[:, 0].tolist() == [5, 5, 4, 3]
    assert changes.cut[:, 0].tolist() == [4, 9]
    assert Changes(noted()).asserted.shape == Changes(noted()).cut.shape == (0, 3)


@pytest.mark.parametrize(
    "changes",
    [
        Changes(noted(1)),
        Changes(noted(), (entry(1, []),)),
        Changes(noted(), dropped=(entry(1, []),)),
        Changes(noted(), levels=LevelChanges(facts(1), np.array([1]), np.array([2]))),
    ],
)
def test_changes_are_empty_when_all_their_parts_are(changes):
    assert not changes.is_empty
    assert Changes(noted()).is_empty


def test_steps_told_together_have_an_abox_in_parts_once_as_it_was_last():
    steps = [
        Changes(noted(1), (entry(7, [1]),), (entry(3, []),)),
        Changes(noted(-1, 2), (entry(7, [1, 2]),), (entry(4, []),)),
        Changes(noted(1), (entry(8, [1]),)),
    ]
    together = Changes.together(steps)
    assert signs(together) == {1: 1, 2: 1}
    assert [(each.level, len(each.facts)) for each in together.entries] == [(7, 2), (8, 1)]
    assert [each.level for each in together.dropped] == [3, 4]


def test_levels_are_known_of_steps_together_only_where_each_of_them_noted_them():
    levels = LevelChanges(facts(1), np.array([NONE]), np.array([2]))
    with_levels, without = Changes(noted(1), levels=levels), Changes(noted(2))
    assert Changes.together([with_levels, without]).levels is None
    assert Changes.together([with_levels, with_levels]).levels is not None


def test_a_model_as_a_whole_comes_or_goes_with_its_levels():
    program = compile_([])
    model = WindowModel(program, "newest", Vocabulary(program))
    model.note_levels()
    model.add(facts(1, 2), 4)
    came, went = (Changes.of_all(model, sign) for sign in (1, -1))
    assert signs(came) == {1: 1, 2: 1} and signs(went) == {1: -1, 2: -1}
    assert came.levels.old.tolist() == went.levels.new.tolist() == [NONE, NONE]
    assert came.levels.new.tolist() == went.levels.old.tolist() == [4, 4]

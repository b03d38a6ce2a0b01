"""Each fact in its newest interpretation: renewal, undoing, finished interpretations, levels counted anew."""

import pytest

from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import A, B, C, R, a, b, c, is_a, member, related, x, y

SUBCLASS = Rule("sub", (is_a(A, x),), is_a(B, x))
SVF = Rule("svf", (related(R, x, y), is_a(B, y)), is_a(C, x))


def a_model():
    return RuleModel(SUBCLASS, SVF)


def test_what_is_asserted_again_outlives_the_level_at_which_it_came():
    model = a_model()
    model.add(0, member(A, a), member(A, b))
    model.add(1, member(A, a))
    model.slide(1)
    assert model.facts == {member(A, a), member(B, a)} and set(model.levels.values()) == {1}
    assert model.kernel.renewals == 1
    model.slide(2)
    assert model.facts == set()


def test_what_is_hidden_is_seen_by_no_rule_until_it_is_asserted_again():
    model = a_model()
    model.add(0, member(A, b), member(A, c))
    model.kernel.newest = 1
    model.kernel.start_window(1)
    model.add(1, (a, R, b), (a, R, c))
    assert member(C, a) not in model.facts and (model.kernel.kept, model.kernel.oldest) == (0, 1)
    model.add(1, member(A, b))
    model.kernel.drop_expired()
    model.kernel.check_invariants()
    assert {member(C, a), member(A, b)} < model.facts and member(A, c) not in model.facts
    assert (model.kernel.kept, model.kernel.renewals) == (1, 1)


def test_what_no_rule_looks_at_settles_without_being_popped():
    queued, at_once = a_model(), a_model()
    at_once.kernel.settle_inert_at_once()
    for model in (queued, at_once):
        model.add(0, (a, R, b), member(A, b))
        model.add(1, member(A, b), member(C, c))
        model.slide(1)
        model.add(1, (a, R, b))
        model.kernel.check_invariants()
    assert at_once.levels == queued.levels
    inert = {member(C, a), member(C, c)}
    assert inert < at_once.facts and at_once.kernel.pops < queued.kernel.pops
    for model in (queued, at_once):
        model.cut(member(A, b))
        model.kernel.check_invariants()
    assert at_once.levels == queued.levels and member(C, a) not in at_once.facts


def test_asserting_again_costs_no_firing_until_the_window_passes():
    model = a_model()
    model.add(0, member(A, b), (a, R, b))
    fired = model.kernel.firings
    model.add(1, member(A, b), (a, R, b))
    assert model.kernel.firings == fired
    assert model.levels[member(C, a)] == 1


@pytest.mark.parametrize(
    "more", [[member(A, b)], [(a, R, b), member(A, a)], [member(C, a), member(C, a)], [member(B, c)]]
)
def test_what_was_added_can_be_withdrawn(more):
    model = a_model()
    model.add(0, (a, R, b), member(A, c))
    model.add(1, member(A, b))
    before = model.levels
    undo = model.add(2, *more)
    model.model.withdraw(model.rows(more), undo, 2)
    model.kernel.check_invariants()
    assert model.levels == before


def test_a_finished_interpretation_comes_to_what_its_assertions_come_to():
    added, merged = a_model(), a_model()
    for model in (added, merged):
        model.add(0, (a, R, b), member(B, c))
    added.add(1, member(A, b), member(A, c))
    merged.merge(1, [member(A, b), member(A, c)], [member(B, b), member(B, c)])
    assert merged.facts == added.facts and merged.levels == added.levels
    for model in (added, merged):
        model.cut(member(A, b))
        model.slide(1)
    assert merged.facts == added.facts == {member(A, c), member(B, c)}


def test_levels_counted_anew_mean_the_same():
    plain, anew = a_model(), a_model()
    anew.model.renumber_at = 20
    for level in range(60):
        for model in (plain, anew):
            model.add(level, (a, R, b), member(A, b if level % 3 else c))
            model.slide(level - 4)
        assert anew.levels == plain.levels and anew.facts == plain.facts
    assert anew.kernel.oldest < 20 < plain.kernel.oldest


def test_a_fact_is_in_the_partition_of_its_level_alone():
    model = a_model()
    model.add(0, member(A, a))
    model.add(1, member(A, b))
    assert [set(model.vocabulary.decode(model.model.interpretation(level))) for level in (0, 1, 7)] == [
        {member(A, a), member(B, a)},
        {member(A, b), member(B, b)},
        set(),
    ]

"""Facts taken out, and what rested on them: no more and no less."""

import random

import pytest

from oracle.materialization import closure
from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import A, B, C, R, a, b, c, is_a, member, related, x, y, z

SUBCLASS = Rule("sub", (is_a(A, x),), is_a(B, x))
BACK = Rule("sub", (is_a(B, x),), is_a(A, x))
SVF = Rule("svf", (related(R, x, y), is_a(B, y)), is_a(B, x))
TRANSITIVE = Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z))
POOL = [(s, R, o) for s in (a, b, c) for o in (a, b, c)] + [
    member(class_, who) for class_ in (A, B) for who in (a, b, c)
]


def test_two_facts_that_follow_from_one_another_do_not_hold_each_other_up():
    model = RuleModel(SUBCLASS, BACK)
    model.add(0, member(A, a))
    model.cut(member(A, a))
    assert model.facts == set()


@pytest.mark.parametrize("merged", [False, True])
def test_not_in_a_finished_interpretation_either(merged):
    model = RuleModel(SUBCLASS, BACK)
    if merged:
        model.merge(0, [member(A, a)], [member(B, a)])
    else:
        model.add(0, member(A, a))
    model.add(1, member(C, a))
    model.cut(member(A, a))
    assert model.facts == {member(C, a)}


def test_what_other_facts_hold_up_falls_to_the_level_that_these_give():
    model = RuleModel(SUBCLASS, SVF)
    model.add(1, (a, R, b), member(B, b))
    model.add(2, member(A, a))
    assert model.levels[member(B, a)] == 2
    model.cut(member(A, a))
    assert model.levels[member(B, a)] == 1


def test_what_is_asserted_itself_stays():
    model = RuleModel(SUBCLASS)
    model.add(0, member(A, a), member(B, a))
    model.cut(member(A, a))
    assert model.facts == {member(B, a)}


def test_to_cut_what_is_not_there_does_nothing():
    model = RuleModel(SUBCLASS)
    model.add(0, member(A, a))
    model.cut(member(A, b), member(C, a))
    assert model.facts == {member(A, a), member(B, a)}


def test_what_is_not_affected_is_not_looked_at():
    model = RuleModel(SVF)
    model.add(0, (a, R, b), member(B, b), *((c, R, member(C, c)[2]) for _ in range(3)))
    model.cut((c, R, C))
    assert model.kernel.rederivations == 1, "itself"


@pytest.mark.parametrize("seed", range(20))
def test_after_a_cut_the_closure_of_what_is_left_is_left(seed):
    rules, chance = [SUBCLASS, BACK, SVF, TRANSITIVE], random.Random(seed)
    model, asserted = RuleModel(*rules), {}
    for level in range(4):
        came = chance.sample(POOL, 4)
        model.add(level, *came)
        asserted.update(dict.fromkeys(came, level))
    gone = chance.sample(sorted(asserted), 3)
    model.cut(*gone)
    kept = {fact: level for fact, level in asserted.items() if fact not in gone}
    assert model.facts == set(closure(rules, set(kept)))
    for fact, level in model.levels.items():  # the largest from which on what is asserted proves it
        assert fact in closure(rules, {one for one, at in kept.items() if at >= level})
        assert fact not in closure(rules, {one for one, at in kept.items() if at > level})

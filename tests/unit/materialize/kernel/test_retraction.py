"""Facts taken out, and what rested on them: no more and no less."""

from __future__ import annotations

import random

import pytest

from oracle.materialization import closure
from pantarhei.materialize.kernel.constants import MAX_SUPPORT_READS
from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import EX, A, B, C, R, a, b, c, is_a, member, related, x, y, z

SVF = Rule("svf", (related(R, x, y), is_a(A, y)), is_a(B, x))
CLASSES = [Rule("sub", (is_a(class_, x),), is_a(B, x)) for class_ in (A, C)]


def test_a_fact_with_two_derivations_survives_the_cut_of_one_without_being_doomed():
    model = RuleModel(*CLASSES)
    model.add(0, member(A, a))
    model.add(0, member(C, a))
    model.cut(member(C, a))
    assert model.facts == {member(A, a), member(B, a)}
    assert model.kernel.rederivations == 1, "only what was cut"
    model.cut(member(A, a))
    assert model.facts == set()


@pytest.mark.parametrize("first", [member(A, a), member(C, a)])
def test_it_does_not_matter_which_derivation_goes(first):
    model = RuleModel(*CLASSES)
    model.add(0, member(A, a), member(C, a))
    model.cut(first)
    assert member(B, a) in model.facts


def test_of_all_that_holds_a_fact_up_the_best_gives_its_level():
    model = RuleModel(SVF)
    for level in range(6):
        model.add(level, (a, R, EX[f"n{level}"]), member(A, EX[f"n{level}"]))
    for level in (5, 3, 4):
        model.cut(member(A, EX[f"n{level}"]))
        assert model.levels[member(B, a)] == (4 if level == 5 else 4 if level == 3 else 2)


@pytest.mark.parametrize("order", [[0, 3, 1, 2], [3, 2, 1, 0], [1, 0, 2, 3]])
def test_the_best_support_counts_wherever_it_stands_in_a_chain(order):
    model = RuleModel(SVF)
    model.add(0, *((a, R, EX[f"n{place}"]) for place in order))
    for level in range(4):
        model.add(level, (a, R, EX[f"n{level}"]), member(A, EX[f"n{level}"]))
    assert model.levels[member(B, a)] == 3
    model.cut(member(A, EX.n3))
    assert model.levels[member(B, a)] == 2


def test_what_settled_after_a_fact_does_not_hold_it_up():
    model = RuleModel(*CLASSES, Rule("sub", (is_a(B, x),), is_a(A, x)))
    model.add(0, member(C, a))
    model.cut(member(C, a))
    assert model.facts == set()


def test_support_beyond_the_patience_is_found_all_the_same():
    """A proof that is missed dooms the fact, which is then derived again."""
    model, count = RuleModel(SVF), 4 * MAX_SUPPORT_READS
    model.add(
        0, *((a, R, EX[f"n{i}"]) for i in range(count)), member(A, EX.n0), member(A, EX[f"n{count - 1}"])
    )
    for last in (EX.n0, EX[f"n{count - 1}"]):
        assert member(B, a) in model.facts
        model.cut(member(A, last))
    assert member(B, a) not in model.facts


def test_a_search_looks_at_what_is_needed_and_is_counted():
    model = RuleModel(*CLASSES)
    model.add(0, member(A, a), member(C, a), member(A, b))
    model.cut(member(A, b))
    assert model.kernel.searches <= 4


SUBCLASS = Rule("sub", (is_a(A, x),), is_a(B, x))
BACK = Rule("sub", (is_a(B, x),), is_a(A, x))
RECURSIVE_SVF = Rule("svf", (related(R, x, y), is_a(B, y)), is_a(B, x))
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
    model = RuleModel(SUBCLASS, RECURSIVE_SVF)
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
    model = RuleModel(RECURSIVE_SVF)
    model.add(0, (a, R, b), member(B, b), *((c, R, member(C, c)[2]) for _ in range(3)))
    model.cut((c, R, C))
    assert model.kernel.rederivations == 1, "itself"


@pytest.mark.parametrize("seed", range(20))
def test_after_a_cut_the_closure_of_what_is_left_is_left(seed):
    rules, chance = [SUBCLASS, BACK, RECURSIVE_SVF, TRANSITIVE], random.Random(seed)
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

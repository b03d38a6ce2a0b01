"""Facts settle newest level first, each at its final level, and what follows from them is there."""

import pytest

from pantarhei.materialize.model import FOREVER
from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import EX, A, B, C, D, R, a, b, c, is_a, member, related, x, y

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

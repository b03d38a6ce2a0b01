"""Derivations from rule instances; rows are numbers."""

from pantarhei.proofs.rule_instances import RuleInstance, RuleInstances, used_by
from pantarhei.proofs.supports import StepBudget

GIVEN = (1, 2)
# 5 follows from 4 and 3, which rest on 11 and in part on one another; or by a detour over 6, 7, 8, 12.
FOUND = (
    RuleInstance(3, 0, (11,)),
    RuleInstance(4, 1, (2, 3)),
    RuleInstance(3, 2, (4,)),
    RuleInstance(5, 3, (4, 3)),
    RuleInstance(6, 4, (1,)),
    RuleInstance(7, 5, (6,)),
    RuleInstance(8, 6, (7,)),
    RuleInstance(12, 7, (8,)),
    RuleInstance(5, 8, (12,)),
    RuleInstance(11, 9, (1,)),
    RuleInstance(9, 10, (10,)),
)


def test_heights_say_what_follows_and_how_high_it_stands_at_least():
    heights = RuleInstances(FOUND).heights(GIVEN)
    assert heights == {1: 0, 2: 0, 11: 1, 6: 1, 3: 2, 7: 2, 4: 3, 8: 3, 5: 4, 12: 4}
    assert 5 not in RuleInstances(FOUND).heights([2])


def test_the_cheapest_derivation_pays_twice_for_what_it_uses_twice():
    assert RuleInstances(FOUND).cheapest({1: 0, 2: 0})[5].rule == 8  # costs 5; by 4 and 3 it is 1 + 3 + 2


def test_the_fewest_instances_count_what_is_used_twice_once():
    derivation, is_fewest = RuleInstances(FOUND).fewest(5, GIVEN, StepBudget(100, 100))
    assert is_fewest and {each.rule for each in derivation.values()} == {9, 0, 1, 3}
    assert used_by(derivation, 5) == {1, 2, 11, 3, 4, 5}


def test_a_search_without_steps_gives_the_best_that_is_known_and_says_so():
    derivation, is_fewest = RuleInstances(FOUND).fewest(5, GIVEN, StepBudget(100, 0))
    assert not is_fewest and derivation[5].rule == 8


def test_there_is_a_choice_where_a_row_follows_in_two_ways_or_is_given_besides():
    assert RuleInstances(FOUND[:2]).leave_no_choice(GIVEN)
    assert not RuleInstances(FOUND[:3]).leave_no_choice(GIVEN)
    assert not RuleInstances(FOUND[:2]).leave_no_choice((*GIVEN, 3))

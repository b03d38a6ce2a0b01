"""The least number of rule instances of a proof."""

import pytest
from hypothesis import given, settings

from oracle.explanations.shortest import fewest_instances
from oracle.materialization import closure, instances
from pantarhei.model.rule import Rule
from strategies import TRANSITIVE, A, B, C, D, R, S, a, b, c, facts, is_a, member, related, rules, x, y

A_IS_B, B_IS_A = Rule("cax-sco", (is_a(A, x),), is_a(B, x)), Rule("cax-sco", (is_a(B, x),), is_a(A, x))
B_IS_C = Rule("cax-sco", (is_a(B, x),), is_a(C, x))


def test_what_is_given_needs_none_even_if_it_is_concluded_too():
    assert fewest_instances([A_IS_B], {member(A, a), member(B, a)}, member(B, a)) == 0


def test_a_chain_needs_one_for_each_link():
    assert fewest_instances([A_IS_B, B_IS_C], {member(A, a)}, member(C, a)) == 2


def test_the_shorter_way_counts():
    assert fewest_instances([A_IS_B, B_IS_C], {member(A, a), member(B, a)}, member(C, a)) == 1
    direct = Rule("cax-sco", (is_a(A, x),), is_a(C, x))
    assert fewest_instances([A_IS_B, B_IS_C, direct], {member(A, a)}, member(C, a)) == 1


def test_a_fact_that_is_used_twice_is_concluded_once():
    rules = [A_IS_B, B_IS_C, Rule("cls-int1", (is_a(B, x), is_a(C, x)), is_a(D, x))]
    assert fewest_instances(rules, {member(A, a)}, member(D, a)) == 3


def test_facts_in_a_circle_do_not_conclude_one_another():
    start = Rule("prp-dom", (related(R, x, y),), is_a(C, x))
    rules = [A_IS_B, B_IS_A, start, Rule("cax-sco", (is_a(C, x),), is_a(B, x))]
    assert fewest_instances(rules, {(a, R, b)}, member(A, a)) == 3


def test_a_path_of_four_edges_needs_three_joins_and_a_shortcut_saves_one():
    path = {(a, R, b), (b, R, c), (c, R, S), (S, R, A)}
    assert fewest_instances(TRANSITIVE[:1], path, (a, R, A)) == 3
    assert fewest_instances(TRANSITIVE[:1], path | {(a, R, c)}, (a, R, A)) == 2


def test_a_contradiction_needs_the_constraint_as_well():
    disjoint = Rule("cax-dw", (is_a(A, x), is_a(C, x)), None)
    assert fewest_instances([A_IS_B, B_IS_C, disjoint], {member(A, a)}, None) == 3
    assert fewest_instances([disjoint], {member(A, a), member(C, a)}, None) == 1


def test_what_does_not_follow_is_refused():
    with pytest.raises(ValueError, match="does not follow"):
        fewest_instances([A_IS_B], {member(B, a)}, member(A, a))


@settings(max_examples=60, deadline=None)
@given(rules(max_rules=5), facts(max_size=4))
def test_it_is_the_least_number_of_applications_that_reach_the_fact(rules, facts):
    """Forwards: all sets of facts that n applications reach, from n = 0 on."""
    everything, deriving = closure(rules, facts), [rule for rule in rules if not rule.is_constraint]
    reached = {frozenset(facts)}
    seen = set()
    for number in range(3):
        for fact in set().union(*reached) - seen:
            assert fewest_instances(rules, facts, fact) == number
        seen = seen.union(*reached)
        reached = {known | {head} for known in reached for _, _, head in instances(deriving, known)}
    for fact in everything - seen:
        assert fewest_instances(rules, facts, fact) >= 3

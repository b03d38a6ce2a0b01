"""The order of rules with negation."""

import pickle

import pytest

from lars_programs import atom, no, rule, some
from oracle.lars.strata import NotStratifiedError, strata

a, b, x, c = atom("a", "X"), atom("b", "X"), atom("x", "X"), atom("c", "X")


def test_what_a_rule_negates_is_complete_before_it():
    first, second, third = rule(a, c), rule(b, c, no(a)), rule(x, b, no(some(c, 2)))
    assert strata([third, second, first]) == [[first], [third, second]]


def test_rules_that_rest_on_one_another_without_negation_are_one_stratum():
    assert len(strata([rule(a, b), rule(b, a), rule(b, some(c, 1))])) == 1


def test_a_conclusion_that_rests_on_its_own_negation_is_refused():
    with pytest.raises(NotStratifiedError, match="no order of the rules") as refused:
        strata([rule(a, c, no(some(b, 3))), rule(b, c, no(a)), rule(x, c)])
    assert [name.rpartition("/")[2] for name, _, _ in refused.value.kinds] == ["a", "b"]
    assert pickle.loads(pickle.dumps(refused.value)).kinds == refused.value.kinds


def test_what_is_asserted_is_no_conclusion_and_predicates_are_told_apart_by_their_arguments():
    asserted, pair = atom("asserted a", "X"), atom("a", "X", "X")
    assert len(strata([rule(a, c, no(asserted), no(pair))])) == 1


def test_no_rules_have_no_strata():
    assert strata([]) == []

"""Instances of rules."""

from itertools import permutations

import pytest

from lars_programs import at, atom, compared, computed, no, rule, some
from oracle.lars.grounding import ground, instances
from oracle.lars.streams import Stream


def shown(rules):
    return sorted(map(str, rules))


def test_variables_stand_for_the_terms_that_occur_and_times_for_the_timeline():
    stream = Stream.of(3, 4, {3: [atom("c", "i")]})
    found = ground([rule(atom("a", "X"), at("T", atom("c", "X"), 2))], stream)
    terms = {(instance.head.atom.arguments[0], instance.body[0].time) for instance in found}
    assert len(found) == len(terms) == 6  # i, 3 and 4, each at 3 and 4


def test_the_instances_whose_body_holds_are_among_all():
    stream = Stream.of(0, 1, {0: [atom("c", "i"), atom("c", "j")], 1: [atom("c", "j"), atom("e", "i")]})
    rules = [rule(at("T", atom("a", "X")), at("T", atom("c", "X"), 1), no(atom("e", "X")))]
    found = list(instances(rules, stream))
    assert [str(each) for each in found if each not in ground(rules, stream)] == []
    assert len(found) == 2


def test_computed_variables_get_results_and_comparisons_are_decided():
    stream = Stream.of(0, 0, {0: [atom("d", "i", 1), atom("d", "j", 2)]})
    rules = [
        rule(
            atom("b", "X", "W"),
            atom("d", "X", "V"),
            computed("W", "add", "V", 1),
            compared("W", "lessThan", 3),
        )
    ]
    assert [each.head.atom for each in instances(rules, stream)] == list(
        Stream.of(0, 0, {0: [atom("b", "i", 2)]}).at(0)
    )
    assert {each.head.atom for each in instances(rules, stream)} < {
        each.head.atom for each in ground(rules, stream)
    }


def test_the_order_of_tests_makes_no_difference():
    stream = Stream.of(0, 0, {0: [atom("d", "i", 1), atom("d", "j", 2)]})
    tests = [computed("W", "add", "V", 1), computed("Y", "add", "W", 1), compared("Y", "lessThan", 4)]
    programs = [[rule(atom("b", "X", "Y"), atom("d", "X", "V"), *order)] for order in permutations(tests)]
    first, *others = [[each.head for each in instances(program, stream)] for program in programs]
    assert len(first) == 1
    assert others == [first] * 5


def test_a_computed_tick_is_that_of_a_body_and_of_a_head():
    #   tick:  0   1   2
    #          c   e          a at 2 for c one tick before e
    stream = Stream.of(0, 2, {0: [atom("c", "i")], 1: [atom("e", "i")]})
    body = [at("T", atom("c", "X"), 2), computed("U", "add", "T", 1), at("U", atom("e", "X"), 2)]
    (found,) = instances([rule(at("W", atom("a", "X")), *body, computed("W", "add", "U", 1))], stream)
    assert [str(found.head.time), str(found.body[1].time)] == ["2", "1"]


def test_a_variable_that_nothing_binds_is_refused():
    stream = Stream.of(0, 0, {0: [atom("c", "i")]})
    for unsafe in (
        rule(atom("a", "Y"), atom("c", "X")),
        rule(atom("a", "X"), atom("c", "X"), no(atom("e", "Y"))),
    ):
        for grounding in (ground, instances):
            with pytest.raises(KeyError):
                list(grounding([unsafe], stream))


def test_in_a_tuple_window_an_assertion_matches_with_and_without_the_word():
    stream = Stream.of(0, 0, {0: [atom("asserted c", "i")]})
    for written in (atom("asserted c", "X"), atom("c", "X")):
        assert len(list(instances([rule(atom("a", "X"), some(written, "1 #"))], stream))) == 1
    assert not list(instances([rule(atom("a", "X"), atom("c", "X"))], stream))

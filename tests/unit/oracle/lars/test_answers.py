"""Answer streams by fixpoint and by enumeration."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import cases
from lars_programs import FRAGMENTS, at, atom, no, random_case, random_ground_case, rule, some
from oracle.lars.answers import answer_stream, answer_streams, derived_atoms
from oracle.lars.grounding import body_holds, ground
from oracle.lars.strata import NotStratifiedError
from oracle.lars.streams import Stream

a, b, c = atom("a"), atom("b"), atom("c")


def both(rules, stream):
    """The answer stream, which is the only minimal model."""
    answer = answer_stream(rules, stream)
    assert answer_streams(rules, stream) == [answer]
    return answer


def test_conclusions_hold_at_the_end_of_the_stream():
    assert both([rule(a, some(c, 3))], Stream.of(0, 2, {1: [c]})) == Stream.of(0, 2, {1: [c], 2: [a]})


def test_what_rests_on_itself_does_not_hold():
    assert both([rule(a, b), rule(b, some(a, 1))], Stream.of(0, 1, {0: [c]})) == Stream.of(0, 1, {0: [c]})


def test_a_head_at_an_earlier_tick_is_seen_by_windows_and_one_outside_the_timeline_is_none():
    rules = [rule(at(0, b), c), rule(a, some(b, 1)), rule(at(2, b), c), rule(at(-1, b), c)]
    assert both(rules, Stream.of(0, 1, {1: [c]})) == Stream.of(0, 1, {0: [b], 1: [c, a]})


def test_negation_takes_what_is_complete():
    rules = [rule(a, no(b)), rule(b, no(some(c, 1)))]
    assert both(rules, Stream.of(0, 2, {0: [c]})) == Stream.of(0, 2, {0: [c], 2: [b]})


def test_two_that_exclude_each_other_have_two_answers_and_one_that_excludes_itself_has_none():
    nothing = Stream.of(0, 0, {})
    excluding = [rule(a, no(b)), rule(b, no(a))]
    assert answer_streams(excluding, nothing) == [Stream.of(0, 0, {0: [a]}), Stream.of(0, 0, {0: [b]})]
    assert answer_streams([rule(a, no(a))], nothing) == []
    with pytest.raises(NotStratifiedError):
        answer_stream(excluding, nothing)


@given(st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_fixpoint_is_the_only_answer_of_random_ground_programs_with_strata(rnd: random.Random):
    case = random_ground_case(rnd)
    for tick in case.stream.timeline:
        stream = case.stream.until(tick)
        try:
            answer = answer_stream(case.rules, stream)
        except NotStratifiedError:
            return
        assert answer_streams(case.rules, stream) == [answer]


@given(st.sampled_from(list(FRAGMENTS.values())), st.randoms(use_true_random=False))
@settings(max_examples=cases(12, 60), deadline=None)
def test_an_answer_has_the_data_and_the_heads_of_all_instances_whose_body_holds_in_it(
    parts, rnd: random.Random
):
    case = random_case(rnd, parts, ticks=3)
    answer = answer_stream(case.rules, case.stream)
    reduct = [each for each in ground(case.rules, case.stream) if body_holds(each, answer)]
    heads = [head for each in reduct for head in derived_atoms(each, case.stream)]
    assert answer == case.stream.joined(
        {tick: [one for when, one in heads if when == tick] for tick, _ in heads}
    )

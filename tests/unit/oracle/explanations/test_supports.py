"""Minimal supports, the timestamps they give, and which of them an explanation has to choose among."""

import pytest
from hypothesis import given, settings

from counts import cases
from oracle.canonical_literals import canonical_triple
from oracle.conflicts import conflict_sets
from oracle.explanations.supports import (
    best_supports,
    minimal_supports,
    newest_occurrences,
    settled_timestamp,
)
from oracle.materialization import closure
from oracle.window import INFINITY, newest
from pantarhei.model.rule import Rule
from strategies import (
    EX,
    ONE,
    ONE_POINT_ZERO,
    OVER_LITERALS,
    TRANSITIVE,
    A,
    B,
    C,
    D,
    R,
    V,
    a,
    b,
    c,
    is_a,
    member,
    ontologies,
    related,
    streams,
    x,
    y,
)  # fmt: skip

TRANSITIVE_R = TRANSITIVE[0]
SUBCLASS = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
E = EX.E
BOTH = Rule("cls-int1", (is_a(A, x), is_a(B, x)), is_a(C, x))


def supports(rules, assertions, conclusion, background=()):
    return {frozenset(each) for each in minimal_supports(rules, assertions, background, conclusion)}


def test_an_assertion_supports_itself_at_its_newest_timestamp():
    assert supports([], {(1, member(A, a)), (3, member(A, a))}, member(A, a)) == {
        frozenset({(3, member(A, a))})
    }


def test_an_asserted_fact_that_is_also_derivable_has_both_supports():
    assertions = {(1, member(A, a)), (2, member(B, a))}
    assert supports([SUBCLASS], assertions, member(B, a)) == {frozenset({one}) for one in assertions}


def test_what_does_not_follow_has_no_support():
    assert supports([SUBCLASS], {(1, member(B, a))}, member(A, a)) == set()


def test_what_the_background_entails_rests_on_nothing_that_is_asserted():
    assert supports([SUBCLASS], {(1, member(B, a))}, member(B, a), {member(A, a)}) == {frozenset()}


def test_a_support_has_no_background():
    assert supports([BOTH], {(1, member(A, a))}, member(C, a), {member(B, a)}) == {
        frozenset({(1, member(A, a))})
    }


def test_a_support_holds_no_more_than_it_needs():
    assertions = {(1, member(A, a)), (2, member(B, a))}
    assert supports([SUBCLASS, BOTH], assertions, member(C, a)) == {frozenset({(1, member(A, a))})}


def test_each_path_through_a_cycle_is_a_support():
    path, short = {(1, (a, R, b)), (2, (b, R, c))}, {(3, (a, R, c))}
    assertions = path | short | {(4, (c, R, a))}
    assert supports([TRANSITIVE_R], assertions, (a, R, c)) == {frozenset(path), frozenset(short)}


def test_facts_that_support_one_another_in_a_circle_need_something_from_outside():
    circle = [SUBCLASS, Rule("cax-sco", (is_a(B, x),), is_a(A, x))]
    assert supports(circle, {(1, member(C, a))}, member(A, a)) == set()
    assert supports(circle, {(1, member(B, a))}, member(A, a)) == {frozenset({(1, member(B, a))})}


def test_literals_of_one_value_are_one_fact():
    has_one = OVER_LITERALS[0]
    assertions = {(1, (a, V, ONE)), (2, (a, V, ONE_POINT_ZERO))}
    expected = {frozenset({(2, canonical_triple((a, V, ONE)))})}
    assert supports([has_one], assertions, member(A, a)) == expected
    assert supports([has_one], assertions, (a, V, ONE_POINT_ZERO)) == expected


def test_the_supports_of_a_contradiction_are_its_conflict_sets():
    smoke, safe = member(EX.Smoke, a), member(EX.Safe, a)
    rules = [
        Rule("cax-sco", (is_a(EX.Smoke, x),), is_a(EX.Danger, x)),
        Rule("cax-sco", (is_a(EX.Danger, x),), is_a(EX.Alarm, x)),
        Rule("cax-dw", (is_a(EX.Safe, x), is_a(EX.Alarm, x)), None),
    ]
    assertions = {(1, smoke), (2, smoke), (3, safe), (3, member(EX.Safe, b))}
    assert supports(rules, assertions, None) == {frozenset({(2, smoke), (3, safe)})}


class TestPB26:
    """The paper's examples; all facts are about `a`."""

    @pytest.mark.parametrize(
        ("first", "last", "expected"),
        [
            (1, 2, {D: [{(1, A), (2, C)}], E: [{(1, A), (1, B), (2, C)}]}),
            (1, 3, {D: [{(3, A), (2, C)}], E: [{(3, A), (1, B), (2, C)}]}),
            (2, 3, {D: [{(3, A), (2, C)}], E: []}),
            (2, 4, {D: [{(3, A), (2, C)}], E: [{(3, A), (4, B), (2, C)}]}),
        ],
        ids=["W1", "W2", "W4", "W3"],
    )
    def test_example_4_what_d_and_e_rest_on_in_each_window(self, first, last, expected):
        rules = (
            Rule("cls-int1", (is_a(A, x), is_a(C, x)), is_a(D, x)),
            Rule("cls-int1", (is_a(B, x), is_a(D, x)), is_a(E, x)),
        )
        stream = [(1, A), (1, B), (2, C), (3, A), (4, B)]
        window = {(at, member(class_, a)) for at, class_ in stream if first <= at <= last}
        for class_, found in expected.items():
            assert supports(rules, window, member(class_, a)) == {
                frozenset((at, member(each, a)) for at, each in one) for one in found
            }
            if found:
                weakest = max(min(at for at, _ in one) for one in found)
                assert settled_timestamp(rules, window, (), member(class_, a)) == weakest

    @pytest.mark.parametrize("steps", range(1, 5))
    def test_example_5_a_recursive_constraint_rests_on_the_whole_path(self, steps):
        path = [EX[f"i{n}"] for n in range(steps + 1)]
        rules = (
            Rule("cls-svf1", (related(R, x, y), is_a(B, y)), is_a(B, x)),
            Rule("cax-dw", (is_a(A, x), is_a(B, x)), None),
        )
        edges = {(n, (path[n], R, path[n + 1])) for n in range(steps)}
        assertions = frozenset(edges | {(9, member(A, path[0])), (9, member(B, path[-1]))})
        assert supports(rules, assertions, None) == {assertions}
        assert supports(rules, assertions, member(B, path[0])) == {assertions - {(9, member(A, path[0]))}}

    def test_example_6_both_contradictions_have_their_supports(self):
        rules = (
            Rule("cls-com", (is_a(A, x), is_a(B, x), is_a(C, x)), None),
            Rule("cls-com", (is_a(B, x), is_a(D, x)), None),
        )
        old, middle, new, other = (1, member(A, a)), (2, member(B, a)), (3, member(C, a)), (3, member(D, a))
        assert supports(rules, {old, middle, new, other}, None) == {
            frozenset({old, middle, new}), frozenset({middle, other}),
        }  # fmt: skip


# ----- timestamps and the choice ------------------------------------------------------------------


def test_a_fact_settles_at_the_greatest_of_its_weakest_timestamps():
    assertions = {(2, (a, R, c)), (1, (a, R, b)), (5, (b, R, c))}
    assert settled_timestamp([TRANSITIVE_R], assertions, (), (a, R, c)) == 2
    assert settled_timestamp([TRANSITIVE_R], assertions | {(3, (a, R, b))}, (), (a, R, c)) == 3


def test_what_rests_on_the_background_alone_has_no_timestamp():
    assert settled_timestamp([SUBCLASS], {(1, member(A, a))}, {member(A, a)}, member(B, a)) is None


def test_the_timestamp_of_what_does_not_follow_is_refused():
    with pytest.raises(ValueError, match="does not follow"):
        settled_timestamp([SUBCLASS], (), (), member(B, a))


def test_the_best_support_has_the_greatest_weakest_timestamp_and_then_the_fewest_assertions():
    old, two, pair = {(1, "old")}, {(2, "p"), (9, "q"), (9, "r")}, {(2, "s"), (3, "t")}
    found = best_supports([frozenset(each) for each in (old, two, pair, {(2, "u"), (2, "v")})])
    assert found == {frozenset(pair), frozenset({(2, "u"), (2, "v")})}


def test_nothing_is_best_where_there_is_no_support_and_no_assertion_where_none_is_needed():
    assert best_supports([]) == frozenset()
    assert best_supports([frozenset()]) == {frozenset()}


# ----- the laws -----------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(ontologies(literals=True), streams(literals=True))
def test_supports_suffice_are_minimal_and_give_the_annotations_of_the_window_model(ontology, stream):
    rules, background = ontology
    assertions = {(at, fact) for at, abox in stream for fact in abox}
    everything = closure(rules, background.union(fact for _, fact in assertions))
    annotations = newest(rules, dict(stream), background)
    for fact in everything:
        found = minimal_supports(rules, assertions, background, fact)
        assert found and found >= best_supports(found)
        settled = settled_timestamp(rules, assertions, background, fact)
        assert (INFINITY if settled is None else settled) == annotations[fact]
        for support in found:
            assert support <= newest_occurrences(assertions)
            assert fact in closure(rules, background.union(each for _, each in support))
            for left_out in support:
                rest = background.union(each for _, each in support - {left_out})
                assert fact not in closure(rules, rest)


@settings(max_examples=cases(20, 60), deadline=None)
@given(ontologies(literals=True), streams(literals=True))
def test_the_supports_of_a_contradiction_are_the_conflict_sets_of_the_newest_occurrences(ontology, stream):
    rules, background = ontology
    assertions = {(at, fact) for at, abox in stream for fact in abox}
    found = minimal_supports(rules, assertions, background, None)
    assert found == conflict_sets(rules, newest_occurrences(assertions), background)

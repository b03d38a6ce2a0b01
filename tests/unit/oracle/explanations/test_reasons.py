"""Reasons for absence: the minimal sets of triples with which what is missing would follow."""

from hypothesis import given, settings

from counts import cases
from oracle.canonical_literals import canonical_facts, canonical_triple
from oracle.explanations.reasons import NEW_NAME, ReasonForAbsence, reasons_for_absence
from oracle.materialization import closure, is_consistent
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
    R,
    V,
    a,
    b,
    c,
    facts,
    is_a,
    member,
    ontologies,
    related,
    x,
    y,
)  # fmt: skip

A_IS_B = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
CLASSES, ALL = {(A, 1), (B, 1), (C, 1)}, {(A, 1), (B, 1), (C, 1), (R, 2), (V, 2)}


def missing(rules, given, triple, assumable=ALL, names=(a, b), most=2, background=()):
    assertions = [(1, fact) for fact in given]
    reasons = reasons_for_absence(rules, assertions, background, triple, assumable, names, most)
    assert len({reason.missing for reason in reasons}) == len(reasons)
    return {reason.missing for reason in reasons}


def test_what_no_rule_concludes_has_no_reason():
    assert missing([A_IS_B], {member(B, a)}, member(A, a)) == set()


def test_the_triple_itself_is_no_reason():
    assert missing([A_IS_B], (), member(B, a)) == {frozenset({member(A, a)})}


def test_what_follows_lacks_nothing():
    assert missing([A_IS_B], {member(A, a)}, member(B, a)) == {frozenset()}


def test_only_what_is_not_there_is_missing():
    both = Rule("cls-int1", (is_a(A, x), is_a(B, x)), is_a(C, x))
    assert missing([both], {member(A, a)}, member(C, a)) == {frozenset({member(B, a)})}
    assert missing([both], (), member(C, a)) == {frozenset({member(A, a), member(B, a)})}
    assert missing([both], (), member(C, a), background={member(B, a)}) == {frozenset({member(A, a)})}
    assert missing([both], (), member(C, a), most=1) == set()


def test_only_predicates_that_can_be_assumed_are_missing():
    chain = [A_IS_B, Rule("cax-sco", (is_a(B, x),), is_a(C, x))]
    assert missing(chain, (), member(C, a)) == {frozenset({member(A, a)}), frozenset({member(B, a)})}
    assert missing(chain, (), member(C, a), {(A, 1)}) == {frozenset({member(A, a)})}


def test_a_value_may_have_a_known_name_or_a_new_one():
    some = Rule("cls-svf1", (related(R, x, y), is_a(A, y)), is_a(B, x))
    assert missing([some], {(a, R, b)}, member(B, a)) == {
        frozenset({member(A, b)}),
        frozenset({(a, R, a), member(A, a)}),
        frozenset({(a, R, NEW_NAME), member(A, NEW_NAME)}),
    }


def test_a_literal_is_missing_by_its_value_and_never_as_a_subject():
    has_one = OVER_LITERALS[0]
    expected = {frozenset({canonical_triple((a, V, ONE))})}
    assert missing([has_one], (), member(A, a), names=(a, ONE, ONE_POINT_ZERO)) == expected
    assert missing([has_one], {(a, V, ONE_POINT_ZERO)}, member(A, a), names=(a, ONE)) == {frozenset()}


def test_a_path_may_be_closed_by_any_edge_that_is_missing():
    assert missing(TRANSITIVE[:1], {(a, R, b)}, (a, R, c), {(R, 2)}, (a, b, c), most=1) == {
        frozenset({(b, R, c)})
    }


def test_a_reason_that_contradicts_names_the_conflict_sets():
    smoke, danger, alarm, safe = (member(EX[name], a) for name in ("Smoke", "Danger", "Alarm", "Safe"))
    rules = [
        Rule("cax-sco", (is_a(EX.Smoke, x),), is_a(EX.Danger, x)),
        Rule("cax-sco", (is_a(EX.Danger, x),), is_a(EX.Alarm, x)),
        Rule("cax-dw", (is_a(EX.Safe, x), is_a(EX.Alarm, x)), None),
    ]
    classes = {(EX.Smoke, 1), (EX.Danger, 1)}
    found = reasons_for_absence(rules, [(1, safe), (2, member(A, a))], (), alarm, classes, [a], 2)
    assert found == {
        ReasonForAbsence(frozenset({smoke}), frozenset({frozenset({smoke, safe})})),
        ReasonForAbsence(frozenset({danger}), frozenset({frozenset({danger, safe})})),
    }
    calm = reasons_for_absence(rules, [(2, member(A, a))], (), alarm, classes, [a], 2)
    assert {reason.conflicts for reason in calm} == {frozenset()}


@settings(max_examples=cases(8, 30), deadline=None)
@given(ontologies(literals=True), facts(max_size=4, literals=True), facts(max_size=2, literals=True))
def test_with_what_is_missing_it_follows_and_without_any_part_it_does_not(ontology, given, wanted):
    rules, background = ontology
    for triple in wanted:
        reasons = reasons_for_absence(
            rules, [(1, fact) for fact in given], background, triple, ALL, (a, b, ONE), 2
        )
        known = canonical_facts(given | background)
        for reason in reasons:
            assert canonical_triple(triple) not in reason.missing
            assert canonical_triple(triple) in closure(rules, known | reason.missing)
            for left_out in reason.missing:
                assert canonical_triple(triple) not in closure(rules, known | (reason.missing - {left_out}))
            assert bool(reason.conflicts) != is_consistent(rules, known | reason.missing)

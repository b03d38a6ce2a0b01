"""Temporal rules through the public face: at each tick what the definitions say (LA17 Definitions 1 to 6)."""

import random
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rdflib import RDF, Literal

import pantarhei as pr
from counts import cases
from driven_rules import DRIVING, Driven, DrivenWithFeedback, E
from lars_programs import Case, Part, random_case, random_ontology
from lars_reasoners import (
    COVERED,
    NO_AXIOMS,
    as_pushed,
    case_of,
    closed,
    expected,
    have_strata,
    reasoner_for,
    triple,
    with_jumps,
)
from oracle.lars.coupling import couple
from oracle.lars.output import output_stream
from oracle.lars.streams import canonical
from pantarhei.errors import TemporalRuleError

SEEDS = st.integers(0, 1 << 30)
BEGINS = (0, -5, -40)
"""When streams begin: they may pass 0, or stay below it."""


@pytest.mark.parametrize("fragment", COVERED)
@settings(max_examples=cases(2, 50, long=2_000), deadline=None)
@given(seed=SEEDS)
def test_each_tick_concludes_what_the_definitions_say(fragment, seed):
    case = case_of(seed, COVERED[fragment])
    wanted = expected(case)
    if wanted is None:
        with pytest.raises(TemporalRuleError):
            reasoner_for(case)
        return
    reasoner, followed = reasoner_for(case), set()
    for tick in case.stream.timeline:
        changes = reasoner.push(
            tick, [triple(atom) for atom in case.stream.at(tick) if atom.is_asserted]
        ).conclusions
        assert not followed & changes.atoms_added and changes.atoms_removed <= followed
        followed = followed - changes.atoms_removed | changes.atoms_added
        assert followed == reasoner.atoms()
        assert set(map(canonical, followed)) == wanted[tick], f"at {tick}\n{case}"


@pytest.mark.parametrize("fragment", COVERED)
@settings(max_examples=cases(2, 60, long=1_000), deadline=None)
@given(seed=SEEDS)
def test_time_that_jumps_over_the_start_comes_by_it(fragment, seed):
    rnd = random.Random(seed)
    case, pushed, window = with_jumps(case_of(seed, COVERED[fragment]), rnd)
    wanted = expected(case, max(case.stream.start, min(pushed)))
    if wanted is None:
        return
    reasoner, followed = reasoner_for(case, window=window), set()
    for tick, facts in pushed.items():
        if rnd.random() < 0.1:
            reasoner = pr.StreamReasoner.restore(reasoner.snapshot(), NO_AXIOMS)
        for turn in reasoner.push(tick, facts).conclusions.turns:
            followed = followed - turn.removed | turn.added
            assert set(map(canonical, followed)) == wanted[turn.at], f"at {turn.at}\n{case}"
        assert followed == reasoner.atoms()
        assert set(map(canonical, followed)) == wanted.get(tick, set()), f"at {tick}\n{case}"


def test_after_a_restart_a_box_looks_at_conclusions_of_its_own_predicate_alone():
    rules = pr.load_rules("""@prefix : <http://e/> .
        remember a, d.
        a(X) :- asserted e(X).
        d(X) :- c(X).
        long(X) :- a(X) always in [1].
        late(X) :- d(X) in [3].
    """)
    reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=0), temporal=rules)
    reasoner.push(1, [(E.k, RDF.type, E.c)])
    reasoner.push(2, [])
    reasoner = pr.StreamReasoner.restore(reasoner.snapshot(), NO_AXIOMS)
    reasoner.push(3, [])
    assert [atom.predicate for atom in reasoner.atoms()] == [E.late]


def test_a_stream_of_floats_has_ticks_too():
    rules = pr.load_rules(
        "@prefix : <http://e/> .\na(X) :- asserted c(X) in [2].\nb(X) :- asserted c(X) at 1."
    )
    reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=1, slide=0.5), temporal=rules)
    c = (E.x, RDF.type, E.c)
    held = []
    for at in (0.5, 1.0, 2.0, 2.5):
        if at == 2.0:
            reasoner = pr.StreamReasoner.restore(reasoner.snapshot(), NO_AXIOMS)
        reasoner.push(at, [c] if at == 1.0 else [])
        held.append("".join(sorted(atom.predicate[-1] for atom in reasoner.atoms())))
    assert held == ["", "ab", "ab", "b"]


def test_the_last_assertions_are_read_with_their_ticks():
    rules = pr.load_rules("""@prefix : <http://e/> .
        rise(S, N, M) :- asserted temp(S, N) at T in [3 #], asserted temp(S, M) at T2 in [3 #], T2 > T, M > N.
        again(S) :- tuple_win(3, @(T, temp(S, N))) and tuple_win(3, @(T2, temp(S, N))) and COMP(<, T, T2).
    """)
    reasoner, held = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=1), temporal=rules), []
    for at, degrees in ((1, [20, 30]), (4, [25]), (4, [30]), (9, [10])):
        reasoner.push(at, [(E.s, E.temp, Literal(each)) for each in degrees])
        held.append(sorted(" ".join(str(each) for each in atom.arguments[1:]) for atom in reasoner.atoms()))
    assert held == [[], ["20 25"], [""], []]


def test_what_is_denied_may_be_known_by_computation_alone():
    rules = pr.load_rules("""@prefix : <http://e/> .
        alone(X) :- asserted v(X, N), M = N + 1, not asserted v(k, M) in [1].
    """)
    reasoner, held = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=0), temporal=rules), []
    for at, of_k in ((1, 3), (2, 2), (3, 3), (4, 3)):
        reasoner.push(at, [(E.x, E.v, Literal(1)), (E.k, E.v, Literal(of_k))])
        held.append("".join(sorted(atom.arguments[0][-1] for atom in reasoner.atoms())))
    assert held == ["kx", "", "k", "kx"]


def test_what_is_not_evaluated_yet_is_refused_by_name():
    for text, said in (
        ("a(X) :- c(X, Y, Z).", r"c\(X, Y, Z\) has 3 arguments, but no rule concludes it"),
        ("c(X, Y, Z) :- b(X, Y), asserted c(X, Y, Z).", r"has 3 arguments, but no rule concludes it"),
    ):
        rules = pr.load_rules(f"@prefix : <http://e/> .\n{text}")
        with pytest.raises(TemporalRuleError, match=said):
            pr.StreamReasoner(NO_AXIOMS, pr.Window(range=1), temporal=rules)


@settings(max_examples=cases(3, 50, long=2_000), deadline=None)
@given(seed=SEEDS)
def test_what_the_ontology_says_follows_from_conclusions_too(seed):
    rnd = random.Random(seed)
    ontology = random_ontology(rnd)
    case = case_of(seed, COVERED[rnd.choice(sorted(COVERED))])
    rules, remembered = couple(case.rules, case.remembered, ontology)
    axioms = pr.Ontology.from_rules(ontology)
    if not have_strata(rules):
        with pytest.raises(TemporalRuleError, match="depends on"):
            reasoner_for(case, axioms)
        return
    wanted = output_stream(rules, closed(case.stream, ontology), remembered)
    reasoner = reasoner_for(case, axioms)
    for tick in case.stream.timeline:
        if rnd.random() < 0.1:
            reasoner = pr.StreamReasoner.restore(reasoner.snapshot(), axioms)
        if rnd.random() < 0.1:
            reasoner._held.most_entries = 0  # terms that are not used are forgotten at the next step
        reasoner.push(tick, [triple(atom) for atom in case.stream.at(tick) if atom.is_asserted])
        assert set(map(canonical, reasoner.atoms())) == wanted[tick], f"at {tick}\n{case}\n{ontology}"


LITERALS = """@prefix : <http://example.org/> .
a(X) :- v(X, N), not c(N).
b(X) :- v(X, N), not c(N) in [1], not s(X).
"""


@settings(max_examples=cases(2, 20), deadline=None)
@given(seed=SEEDS)
def test_what_is_not_said_of_a_literal_is_not_there(seed):
    case = random_case(random.Random(seed), Part.SOMETIME)
    case = Case(pr.load_rules(LITERALS).rules, as_pushed(case.stream))
    wanted, reasoner = expected(case), reasoner_for(case)
    for tick in case.stream.timeline:
        reasoner.push(tick, [triple(atom) for atom in case.stream.at(tick) if atom.is_asserted])
        assert set(map(canonical, reasoner.atoms())) == wanted[tick], f"at {tick}\n{case}"


# -- over a repaired window ------------------------------------------------------------------------


@settings(max_examples=cases(3, 50, long=2_000), deadline=None)
@given(seed=SEEDS)
@example(seed=1041)  # a fact is asserted twice in a tick, and the first of these is cut
@example(seed=100000)  # a further part of a contradicted timestamp, after a block of steps was rolled back
def test_over_a_repaired_window_the_past_is_what_was_said(seed):
    driven = Driven(random.Random(seed))
    rnd, at = driven.rnd, BEGINS[seed % 3]
    for _ in range(10):
        for _ in range(rnd.choice((1, 1, 2))):
            driven.disturb(at)
            changes, output = driven.push(at, driven.facts()).conclusions, driven.expected()
            driven.follow(changes, output)
            wanted = output[max(driven.recorded)]
            assert driven.reasoner.atoms() == wanted == driven.followed, f"at {at}\n{driven}"
        at += rnd.choice((0, 1, 1, 1, 2, 5))


@settings(max_examples=cases(3, 50, long=2_000), deadline=None)
@given(seed=SEEDS, tick=st.sampled_from((1, 2, 3, 5, 7)))
def test_ticks_that_differ_from_the_slide_have_the_conclusions_of_the_definition(seed, tick):
    driven = Driven(random.Random(seed), tick)
    rnd, at = driven.rnd, BEGINS[seed % 3]
    for _ in range(10):
        driven.disturb(at)
        changes, output = driven.push(at, driven.facts()).conclusions, driven.expected()
        driven.follow(changes, output)
        assert driven.reasoner.atoms() == output[max(driven.recorded)] == driven.followed, (
            f"at {at}\n{driven}"
        )
        at += rnd.choice((0, 1, 1, 1, 2, 5))


@settings(max_examples=cases(2, 50, long=2_000), deadline=None)
@given(seed=SEEDS, tick=st.sampled_from((1, 2, 3, 5)))
def test_feedback_of_ticks_that_differ_from_the_slide_is_asserted_at_the_next_tick(seed, tick):
    driven = DrivenWithFeedback(random.Random(seed), tick)
    rnd, at = driven.rnd, BEGINS[seed % 3]
    for _ in range(8):
        driven.disturb(at)
        changes, output = driven.push(at, driven.facts()).conclusions, driven.expected()
        driven.follow(changes, output)
        reasoner, plain = driven.reasoner, driven.plain
        assert reasoner.atoms() == output[max(driven.recorded)] == driven.followed, f"at {at}\n{driven}"
        assert reasoner.materialization() == plain.materialization() == driven.held
        at += rnd.choice((0, 1, 1, 1, 2, 4))


@settings(max_examples=cases(2, 30), deadline=None)
@given(seed=SEEDS)
def test_a_tick_equal_to_the_slide_changes_nothing(seed):
    one, other = Driven(random.Random(seed)), Driven(random.Random(seed))
    given = pr.StreamReasoner(DRIVING, one.window, temporal=one.rules, tick=one.slide)
    at = BEGINS[seed % 3]
    for _ in range(10):
        facts = one.facts()
        update, same = given.push(at, facts), other.reasoner.push(at, facts)
        assert update.conclusions.turns == same.conclusions.turns
        assert given.next_turn == other.reasoner.next_turn
        at += one.rnd.choice((0, 1, 2, 5))


# -- conclusions that are asserted at the next tick -------------------------------------------------


@settings(max_examples=cases(3, 50, long=2_000), deadline=None)
@given(seed=SEEDS)
def test_with_feedback_what_is_concluded_at_a_tick_is_asserted_at_the_next(seed):
    driven = DrivenWithFeedback(random.Random(seed))
    rnd, at = driven.rnd, BEGINS[seed % 3]
    for _ in range(8):
        for _ in range(rnd.choice((1, 1, 2))):
            driven.disturb(at)
            changes, output = driven.push(at, driven.facts()).conclusions, driven.expected()
            driven.follow(changes, output)
            reasoner, plain = driven.reasoner, driven.plain
            assert reasoner.atoms() == output[max(driven.recorded)] == driven.followed, f"at {at}\n{driven}"
            assert reasoner.materialization() == plain.materialization() == driven.held
            assert set(reasoner.assertions()) == set(plain.assertions())
            assert reasoner.stats().fed_back == driven.count
            rows = Counter((who, class_) for who, _, class_ in driven.held)
            assert +driven.answers == rows
        at += rnd.choice((0, 1, 1, 1, 2, 4))

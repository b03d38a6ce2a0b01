"""All answer streams of rules without strata: those that looking at all interpretations finds."""

import random
from collections import Counter
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pantarhei as pr
from counts import cases, of_many
from lars_programs import FRAGMENTS, Case, random_case, random_ground_case
from oracle.lars.answers import answer_streams as all_answer_streams
from oracle.lars.answers import derived_atoms
from oracle.lars.grounding import ground
from oracle.lars.streams import Stream, canonical
from pantarhei.model.temporal_rule import Mode, TemporalRule
from pantarhei.temporal.answer_sets import AtomStream, TickAtoms, answer_streams
from pantarhei.temporal.ticks import Ticks, default_time_kind

pytest.importorskip("clingo", reason="the extra clingo is not installed")

SEEDS = st.integers(0, 1 << 30)
WINDOW = pr.Window(range=0)
TICKS = Ticks(WINDOW, default_time_kind(WINDOW))
MOST_FREE = 9
COUNTS = Counter()


def said(stream):
    told = [
        TickAtoms(
            tick,
            frozenset(atom for atom in stream.at(tick) if not atom.is_asserted),
            tuple(replace(atom, is_asserted=False) for atom in stream.at(tick) if atom.is_asserted),
        )
        for tick in stream.timeline
    ]
    return AtomStream(stream.start, stream.end, tuple(told))


def wanted(rules, stream):
    """Each answer stream as what it has of concluded predicates at the present tick, and at others."""
    heads = {(rule.head.atom.predicate, len(rule.head.atom.arguments)) for rule in rules}
    found = set()
    for answer in all_answer_streams(rules, stream):
        concluded = [
            (tick, atom)
            for tick in answer.timeline
            for atom in answer.at(tick)
            if not atom.is_asserted and (atom.predicate, len(atom.arguments)) in heads
        ]
        found.add(frozenset(concluded))
    return found


def found(rules, stream):
    answers = answer_streams(rules, said(stream), TICKS)
    made = [
        frozenset((tick, canonical(atom)) for tick, atom in ((stream.end, atom) for atom in each.atoms))
        | frozenset((tick, canonical(atom)) for tick, atom in each.elsewhere)
        for each in answers
    ]
    assert len(set(made)) == len(made)
    return set(made)


def is_small(rules, stream):
    program = ground(rules, stream)
    heads = {head for rule in program for head in derived_atoms(rule, stream)}
    return len([1 for tick, atom in heads if atom not in stream.at(tick)]) <= MOST_FREE


def cyclic(rnd, rules):
    """The rules, some with a conclusion negated that may rest on their head."""
    heads = [rule.head for rule in rules if rule.head.mode is Mode.NOW]

    def turned(rule):
        others = [head for head in heads if head.variables <= _bound(rule)]
        if not others or rnd.random() < 0.4:
            return rule
        return TemporalRule(rule.head, (*rule.body, replace(rnd.choice(others), is_negated=True)), rule.tests)

    return tuple(map(turned, rules)) + tuple(_choice(rnd, rules) if rnd.random() < 0.6 else ())


def _choice(rnd, rules):
    """Two rules of which each concludes what the other does not."""
    given = rnd.choice(rules)
    heads = {
        rule.head for rule in rules if rule.head.mode is Mode.NOW and rule.head.variables <= _bound(given)
    }
    if len(heads) > 1:
        body = given.body if _bound(given) else ()
        for head, other in permutations(rnd.sample(sorted(heads, key=str), 2)):
            yield TemporalRule(head, (*body, replace(other, is_negated=True)), given.tests)


def _bound(rule):
    return {variable for each in rule.body if not each.is_negated for variable in each.variables}


def compare(rules, stream):
    answers = wanted(rules, stream)
    COUNTS["programs"] += 1
    COUNTS["without answer"] += not answers
    COUNTS["with several"] += len(answers) > 1
    assert found(rules, stream) == answers, str(Case(rules, stream))


@settings(max_examples=cases(15, 300, long=5_000), deadline=None)
@given(seed=SEEDS)
def test_clingo_finds_the_answer_streams_of_rules_without_variables(seed):
    rnd = random.Random(seed)
    case = random_ground_case(rnd)
    compare(cyclic(rnd, case.rules), case.stream)


def with_variables(seed):
    rnd = random.Random(seed)
    case = random_case(rnd, FRAGMENTS[rnd.choice(sorted(FRAGMENTS))], ticks=3)
    atoms = {
        tick: [atom for atom in case.stream.at(tick) if rnd.random() < 0.5] for tick in case.stream.timeline
    }
    stream = Stream.of(case.stream.start, case.stream.end, atoms)
    rules = cyclic(rnd, rnd.sample(case.rules, min(len(case.rules), 2)))
    if is_small(rules, stream):
        compare(rules, stream)


@settings(max_examples=cases(5, 100, long=2_000), deadline=None)
@given(seed=SEEDS)
def test_clingo_finds_the_answer_streams_of_rules_with_variables(seed):
    with_variables(seed)


@of_many
def test_there_are_programs_with_several_answer_streams_and_with_none():
    COUNTS.clear()
    for seed in range(300):
        rnd = random.Random(seed)
        case = random_ground_case(rnd)
        compare(cyclic(rnd, case.rules), case.stream)
    assert COUNTS["without answer"] >= 10 and COUNTS["with several"] >= 20

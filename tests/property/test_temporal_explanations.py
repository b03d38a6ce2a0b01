"""Why temporal rules conclude something: the definitions judge each step of each proof."""

import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conclusion_proofs import ConclusionProofs
from counts import cases
from driven_rules import Driven
from lars_programs import EX, random_ontology
from lars_reasoners import COVERED, case_of, closed, expected, have_strata, reasoner_for, triple
from oracle.lars.answers import answer_stream
from oracle.lars.coupling import couple
from oracle.lars.output import output_stream
from oracle.lars.streams import canonical
from pantarhei import NotEntailedError, Ontology
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.proofs.step import StepKind

SEEDS = st.integers(0, 1 << 30)


def check_all(reasoner, judge, wanted, rnd):
    """All proofs of some conclusions."""
    for atom in sorted(rnd.sample(sorted(wanted, key=str), min(4, len(wanted))), key=str):
        best, *others = reasoner.explain(atom, all=True)
        for proof in (reasoner.explain(atom), best, *others):
            is_input = canonical(atom) in judge.input.at(judge.now)  # by the stream itself
            if proof.steps[-1].kind is StepKind.CONCLUDED or not is_input:
                judge.check(proof, atom)
                assert pickle.loads(pickle.dumps(proof)) == proof
                assert str(proof) and proof.to_json() and proof.to_dot()


@pytest.mark.parametrize("fragment", COVERED)
@settings(max_examples=cases(1, 20, long=1_000), deadline=None)
@given(seed=SEEDS)
def test_each_step_of_a_proof_is_what_the_definitions_say(fragment, seed):
    case, rnd = case_of(seed, COVERED[fragment]), random.Random(seed)
    wanted = expected(case)
    if wanted is None:
        return
    reasoner = reasoner_for(case)
    for tick in case.stream.timeline:
        if rnd.random() < 0.1:
            reasoner = type(reasoner).restore(reasoner.snapshot(), reasoner.ontology)
        reasoner.push(tick, [triple(atom) for atom in case.stream.at(tick) if atom.is_asserted])
        remembered = remembered_until(tick, wanted, case.remembered)
        judge = ConclusionProofs(case.rules, case.stream.until(tick), remembered)
        check_all(reasoner, judge, reasoner.atoms(), rnd)
        with pytest.raises(NotEntailedError):
            reasoner.explain(TemporalAtom(EX.a, (EX.nobody,)))


@settings(max_examples=cases(1, 20, long=1_000), deadline=None)
@given(seed=SEEDS)
def test_over_a_repaired_window_a_proof_tells_what_was_said(seed):
    driven = Driven(random.Random(seed))
    rnd, at = driven.rnd, 0
    for _ in range(8):
        driven.disturb(at)
        driven.push(at, driven.facts())
        output, now = driven.expected(), max(driven.recorded)
        remembered = remembered_until(now, output, driven.rules.remembered)
        judge = ConclusionProofs(driven.rules.rules, driven.stream(), remembered, driven.tick_of)
        check_all(driven.reasoner, judge, driven.reasoner.atoms(), rnd)
        at += rnd.choice((0, 1, 1, 1, 2, 5))


@settings(max_examples=cases(1, 20, long=1_000), deadline=None)
@given(seed=SEEDS)
def test_rules_of_the_ontology_are_steps_too(seed):
    rnd = random.Random(seed)
    ontology = random_ontology(rnd)
    case = case_of(seed, COVERED[rnd.choice(sorted(COVERED))])
    rules, remembered = couple(case.rules, case.remembered, ontology)
    if not have_strata(rules):
        return
    stream = closed(case.stream, ontology)
    output, reasoner = (
        output_stream(rules, stream, remembered),
        reasoner_for(case, Ontology.from_rules(ontology)),
    )
    for tick in case.stream.timeline:
        reasoner.push(tick, [triple(atom) for atom in case.stream.at(tick) if atom.is_asserted])
        kept = remembered_until(tick, output, remembered)
        answer = answer_stream(rules, stream.until(tick).joined(kept))
        judge = ConclusionProofs(case.rules, stream.until(tick), kept, ontology=ontology, answer=answer)
        check_all(reasoner, judge, reasoner.atoms(), rnd)


def remembered_until(now, output, remembered):
    """What is remembered of the ticks before one."""
    return {
        tick: [atom for atom in atoms if atom.predicate in remembered]
        for tick, atoms in output.items()
        if tick < now
    }

"""Extracted proofs are well-founded; each step is an instance of its rule."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, XSD, Literal, Variable

from counts import cases
from oracle.canonical_literals import canonical_triple
from oracle.materialization import instances, is_consistent
from pantarhei import InconsistentOntologyError, Ontology, StreamReasoner, Window
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.data_range import Datatype, DatatypeRestriction
from pantarhei.model.rule import Builtin, Different, Member, Origin, Rule
from pantarhei.model.term import in_order
from pantarhei.proofs.extraction import proof_of_violation
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import ProofStep
from pantarhei.repair.consistency import Contradiction, inconsistency, model_of_background
from pantarhei.repair.result import ConflictList
from pantarhei.rules.compilation.program import compile_
from pantarhei.rules.translation.demand import has_class_variables, over_one_relation
from pantarhei.values.scalar_functions import SWRLB
from strategies import EX, ONE, A, B, C, D, R, S, V, a, b, c, facts, is_a, member, related, rules, x, y, z


def proof_from(rules, given):
    """The proof that `given` contradicts `rules`; None if it does not."""
    over_types = has_class_variables(rules)
    program = compile_(over_one_relation(rules) if over_types else rules)
    vocabulary = Vocabulary(program, has_class_variables=over_types)
    model = model_of_background(program, vocabulary, vocabulary.encode(in_order(given)).facts)
    return proof_of_violation(model)


def check(proof, rules, given):
    """What makes a sequence of steps a proof of ⊥ from `given`."""
    asserted = set(map(canonical_triple, given))
    *steps, last = proof.steps
    assert last.fact is None and last.rule is not None and last.rule.is_constraint
    facts = [step.fact and canonical_triple(step.fact) for step in proof.steps]
    assert len(set(facts)) == len(facts), "each fact is proved once"
    used = {premise for step in proof.steps for premise in step.premises}
    assert used == set(range(len(steps))), "each step is used"
    for number, step in enumerate(proof.steps):
        assert all(premise < number for premise in step.premises), "premises come first"
        if step.rule is None:
            assert facts[number] in asserted and not step.premises
            continue
        assert step.rule in {*rules, *over_one_relation(rules)}
        body = tuple(facts[premise] for premise in step.premises)
        assert (body, facts[number]) in {(body, head) for _, body, head in instances([step.rule], set(body))}


@given(rules=rules(8, 4, literals=True), given=facts(8, literals=True))
@settings(max_examples=cases(65, 400), deadline=None)
def test_there_is_a_proof_exactly_if_there_is_a_contradiction(rules, given):
    proof = proof_from(rules, given)
    assert (proof is None) is is_consistent(rules, given)
    if proof is not None:
        check(proof, rules, given)
        assert pickle.loads(pickle.dumps(proof)) == proof


u = Variable("u")
HOT = DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, ONE),))
OVER_LITERALS = [
    Rule("cls-svf1", (related(V, x, y),), is_a(A, x), tests=(Member(y, HOT),)),
    Rule("pr-swrl", (related(V, x, y),), related(S, x, u), tests=(Builtin(SWRLB.add, (u, y, ONE)),)),
    Rule(
        "pr-swrl", (related(V, x, y), related(S, x, z)), is_a(B, x), tests=(Builtin(SWRLB.lessThan, (y, z)),)
    ),
    Rule("prp-fp", (related(S, x, y), related(S, x, z)), None, (Different(y, z),)),
    Rule("cax-dw", (is_a(A, x), is_a(B, x)), None),
    Rule("prp-rng", (related(S, x, y),), None, tests=(Member(y, HOT, inside=False),)),
]
NUMBERS = [Literal(number) for number in (-2, -1, 0, 1)]


@given(
    rules=st.lists(st.sampled_from(OVER_LITERALS), min_size=1, unique=True),
    given=st.sets(
        st.tuples(st.sampled_from((a, b)), st.sampled_from((V, S)), st.sampled_from(NUMBERS)), max_size=4
    ),
)
@settings(max_examples=cases(15, 100), deadline=None)
def test_conditions_on_literals_are_part_of_a_proof(rules, given):
    proof = proof_from(rules, given)
    assert (proof is None) is is_consistent(rules, given)
    if proof is not None:
        check(proof, rules, given)


def test_facts_that_derive_each_other_prove_nothing_by_themselves():
    """A and B follow from each other, and B from C: the proof goes by C."""
    one, two = Rule("cax-sco", (is_a(A, x),), is_a(B, x)), Rule("cax-sco", (is_a(B, x),), is_a(A, x))
    bridge, denied = Rule("cax-sco", (is_a(C, x),), is_a(B, x)), Rule("cls-nothing2", (is_a(A, x),), None)
    proof = proof_from([one, two, bridge, denied], [member(C, a)])
    assert proof == Proof(
        (
            ProofStep(member(C, a)),
            ProofStep(member(B, a), bridge, (0,)),
            ProofStep(member(A, a), two, (1,)),
            ProofStep(None, denied, (2,)),
        )
    )
    assert proof.facts == (member(A, a),)
    assert proof.rules == (bridge, two, denied)
    assert proof_from([one, two, denied], [member(D, a)]) is None


def test_a_symmetric_and_transitive_property_has_a_proof_without_circles():
    symmetric = Rule("prp-symp", (related(R, x, y),), related(R, y, x))
    transitive = Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z))
    irreflexive = Rule("prp-irp", (related(R, x, x),), None)
    given = [(a, R, b), (b, R, c)]
    proof = proof_from([symmetric, transitive, irreflexive], given)
    check(proof, [symmetric, transitive, irreflexive], given)
    assert len(proof.steps) == 4  # a R b, b R a, one of both R itself, ⊥


def test_a_proof_says_its_steps():
    subclass = Rule("cax-sco", (is_a(C, x),), is_a(A, x), origin=Origin("SubClassOf(C A)"))
    disjoint = Rule("cax-dw", (is_a(A, x), is_a(B, x)), None)
    assert proof_from([subclass, disjoint], [member(C, a), member(B, a)]).lines() == [
        "1. a is in class C (always so)",
        "2. a is in class A (from 1 by cax-sco, SubClassOf(C A))",
        "3. a is in class B (always so)",
        "4. a contradiction: nothing is in both classes A and B (from 2, 3 by cax-dw, ⊥ :- A(?x), B(?x).)",
    ]


def test_the_error_of_a_contradiction_has_the_proof_and_pickles():
    subclass = Rule("cax-sco", (is_a(C, x),), is_a(A, x), origin=Origin("SubClassOf(C A)"))
    disjoint = Rule("cax-dw", (is_a(A, x), is_a(B, x)), None, origin=Origin("DisjointClasses(A B)"))
    rules, given = [subclass, disjoint], [member(C, a), member(B, a)]
    found = Contradiction(frozenset(given), (disjoint,))
    expected = inconsistency(ConflictList.of((replace(found, _prove=lambda: proof_from(rules, given)),)))
    with pytest.raises(InconsistentOntologyError) as raised:
        StreamReasoner(Ontology.from_rules(rules, given), Window(1))
    for error in (expected, raised.value, pickle.loads(pickle.dumps(raised.value))):
        assert error.contradictions == (found,) and error.unlisted is None
        (contradiction,) = error.contradictions
        assert contradiction.rule == disjoint
        assert [each.axiom for each in contradiction.axioms] == ["SubClassOf(C A)", "DisjointClasses(A B)"]
        assert set(contradiction.proof.facts) == {member(A, a), member(B, a)}
        assert contradiction.proof.lines()[-1].startswith("4. a contradiction: ")
        assert str(contradiction) in str(error)


@pytest.mark.parametrize(
    ("background", "unique_names", "constraint"),
    [
        ([(a, OWL.sameAs, b), (b, OWL.differentFrom, a)], False, "eq-diff1"),
        ([(a, OWL.sameAs, b), (b, OWL.differentFrom, a)], True, "eq-diff1"),
        ([(a, V, Literal("x", datatype=XSD.integer, normalize=False))], True, "dt-not-type"),
        ([member(OWL.Nothing, a)], True, "cls-nothing2"),
        ([(a, EX.p, b), (a, EX.p, c)], True, "prp-fp"),
    ],
)
def test_what_is_demanded_takes_part_in_proofs(background, unique_names, constraint):
    functional = Rule("prp-fp", (related(EX.p, x, y), related(EX.p, x, z)), None, (Different(y, z),))
    with pytest.raises(InconsistentOntologyError) as raised:
        StreamReasoner(Ontology.from_rules([functional]), Window(1), background, unique_names=unique_names)
    (found,) = raised.value.contradictions
    assert found.rule.name == constraint
    assert found.proof.lines()[-1].partition(" by ")[2].startswith(constraint)

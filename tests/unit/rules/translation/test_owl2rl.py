"""Rules of normal axioms, by their names in the W3C's tables."""

import pytest
from rdflib import OWL

from pantarhei.owl import axiom as owl
from pantarhei.rules.translation.body import NotARuleError
from pantarhei.rules.translation.owl2rl import differences, is_tautology, rules_of
from strategies import EX

A, B = owl.Class(EX.A), owl.Class(EX.B)
P, Q = owl.Property(EX.P), owl.Property(EX.Q)
TOP = owl.Property(OWL.topObjectProperty)


@pytest.mark.parametrize(
    ("axiom", "rules"),
    [
        (owl.SubClassOf(A, B), ["cax-sco B(?x) :- A(?x)."]),
        (owl.SubClassOf(A, owl.HasValue(P, EX.i)), ["cls-hv1 P(?x, i) :- A(?x)."]),
        (owl.SubPropertyOf(P, owl.InverseOf(Q)), ["prp-spo1 Q(?y, ?x) :- P(?x, ?y)."]),
        (owl.SubPropertyOf(P, TOP), []),
        (owl.Characteristic(owl.Trait.SYMMETRIC, P), ["prp-symp P(?y, ?x) :- P(?x, ?y)."]),
        (owl.SubClassOf(A, owl.THING), []),
    ],
    ids=str,
)
def test_an_axiom_is_the_rules_of_its_kind(axiom, rules):
    assert [f"{rule.name} {rule}" for rule in rules_of(axiom, "")] == rules


@pytest.mark.parametrize("conclusion", [owl.SomeValuesFrom(P, A), owl.UnionOf((A, B))], ids=str)
def test_what_is_outside_owl_2_rl_on_the_right_says_so(conclusion):
    with pytest.raises(NotARuleError, match="outside OWL 2 RL"):
        rules_of(owl.SubClassOf(A, conclusion), "")


def test_the_origin_goes_with_the_rule():
    (rule,) = rules_of(owl.SubClassOf(A, B), "the axiom")
    assert rule.origin == "the axiom" and not is_tautology(rule)
    assert is_tautology(rules_of(owl.SubClassOf(A, A), "")[0])


def test_different_individuals_are_a_fact_a_pair():
    found = differences(owl.DifferentIndividuals((EX.a, EX.b, EX.c)))
    assert {(s, o) for s, _, o in found} == {(EX.a, EX.b), (EX.a, EX.c), (EX.b, EX.c)}

"""What a question finds in what has been said and concluded; asking changes nothing."""

import pytest
from rdflib import Literal

from pantarhei.temporal.reasons.writing import Sources
from testimonies import EX, a, reasoner_after, what_is_seen

UNKNOWN = Sources(holds=lambda _: None, asserted_at=lambda _, tick: None)
TEXT = "alarm(X) :- asserted :Hot(X) in [5]. alarm(X) :- asserted :Jammed(X). told(X, Y, 3) :- :on(X, Y)."


@pytest.mark.parametrize(
    ("atom", "holds"),
    [
        (a("alarm"), True),
        (a("alarm", "w"), False),
        (a("alarm", "never-heard-of"), False),
        (a("told", "v", "w", Literal(3)), True),
        (a("told", "v", "w", Literal(4)), False),
        (a("Hot"), False),  # what is said is not concluded
    ],
)
def test_it_knows_what_rules_conclude_now(atom, holds):
    seen = what_is_seen(reasoner_after(TEXT, "Hot on(v,w)"))
    assert seen.concludes(atom) is holds
    assert bool(seen.proofs(atom, UNKNOWN, is_all=False, limit=9)) is holds


def test_all_proofs_are_one_for_each_instance():
    seen = what_is_seen(reasoner_after(TEXT, "Hot", "Hot Jammed"))
    (best,) = seen.proofs(a("alarm"), UNKNOWN, is_all=False, limit=9)
    proofs = seen.proofs(a("alarm"), UNKNOWN, is_all=True, limit=9)
    assert best in proofs
    assert sorted(proof.steps[-1].rule.name for proof in proofs) == ["temporal-1", "temporal-2"]


def test_a_proof_that_looks_at_too_many_instances_says_so():
    text = "alarm(X) :- near(X, Y). near(X, Y) :- :on(X, Y)."
    seen = what_is_seen(reasoner_after(text, "on(v,a) on(v,b) on(v,c)"))
    (whole,) = seen.proofs(a("alarm"), UNKNOWN, is_all=False, limit=99)
    (cut_short,) = seen.proofs(a("alarm"), UNKNOWN, is_all=False, limit=2)
    assert whole.complete and not cut_short.complete


def test_what_is_missing_is_told_of_each_rule_that_could_conclude_it():
    seen = what_is_seen(reasoner_after(TEXT, "Hot"))
    found = seen.missing(a("alarm", "w"))
    assert [each.rule.name for each in found] == ["temporal-1", "temporal-2"]
    assert [each.lacking.atom.predicate for each in found] == [EX.Hot, EX.Jammed]
    assert seen.missing(a("Hot")) == ()


def test_what_a_question_names_is_forgotten_with_the_answer():
    reasoner = reasoner_after("alarm(X) :- :level(X, N), M = N + 1, M > 9.", "level(v,3)")
    seen = what_is_seen(reasoner)
    before = seen.vocabulary.counts
    seen.missing(a("alarm"))
    seen.concludes(a("alarm", "nobody", Literal(77)))
    seen.proofs(a("alarm", "somebody"), UNKNOWN, is_all=True, limit=9)
    assert seen.vocabulary.counts == before


def test_before_the_first_tick_nothing_has_been_seen():
    assert what_is_seen(reasoner_after(TEXT)) is None

"""Limits of explanations, and explanations with temporal rules."""

import pytest
from rdflib import RDF, RDFS, SKOS, Graph, Literal, Variable

from pantarhei import (
    History,
    InvalidTripleError,
    NotEntailedError,
    Ontology,
    StreamReasoner,
    Window,
    load_ontology,
    load_rules,
)
from pantarhei.model.rule import Atom, Rule
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.proofs.step import StepKind
from strategies import EX, SUBCLASS, TRANSITIVE, A, B, R, a, b, c, member


def reasoner_after(*facts):
    reasoner = StreamReasoner(Ontology.from_rules([SUBCLASS[0], TRANSITIVE[0]]), Window(5))
    reasoner.push(1, facts)
    return reasoner


def test_a_limit_of_as_many_instances_as_there_are_is_enough():
    assert reasoner_after(member(A, a)).explain(member(B, a), limit=1).complete
    path = reasoner_after((a, R, b), (b, R, c), (c, R, A))
    assert path.explain((a, R, c), limit=1).complete
    assert path.explain((a, R, A), limit=2).complete


@pytest.mark.parametrize("power", (40, 61, 63, 70))
def test_a_limit_can_be_as_high_as_one_likes(power):
    reasoner = reasoner_after((a, R, b), (b, R, c))
    for limit in (2**power - 1, 2**power):
        assert reasoner.explain((a, R, c), limit=limit) == reasoner.explain((a, R, c))
        assert len(reasoner.explain((a, R, c), all=True, limit=limit)) == 1


def test_beyond_the_limit_a_chain_is_told_as_far_as_it_was_looked_at():
    x, y = Variable("x"), Variable("y")
    # A(x) :- R(x, y), A(y).
    along = Rule("cls-svf1", (Atom(R, (x, y)), Atom(A, (y,))), Atom(A, (x,)))
    reasoner = StreamReasoner(Ontology.from_rules([along]), Window(5))
    reasoner.push(1, [(EX[f"n{i}"], R, EX[f"n{i + 1}"]) for i in range(200)] + [member(A, EX.n200)])
    proof = reasoner.explain(member(A, EX.n0), limit=50)
    assert not proof.complete and "derived, not explored" in str(proof)
    assert len([step for step in proof.steps if step.rule is not None]) == 50
    assert [step.fact for step in proof.steps if step.is_open] == [member(A, EX.n50)]


# -- what temporal rules conclude ------------------------------------------------------------------

RULES = load_rules(":B(X) :- :A(X) in [3].\n", prefixes={"": str(EX)})


def concluding_reasoner(**options):
    """`SUBCLASS` says that A is a subclass of B; the rules conclude B a while longer."""
    reasoner = StreamReasoner(Ontology.from_rules([SUBCLASS[0]]), Window(1), temporal=RULES, **options)
    reasoner.push(1, [member(A, a)])
    return reasoner


def test_what_the_window_holds_too_is_explained_by_the_window_first_and_an_atom_by_the_rules():
    reasoner, atom = concluding_reasoner(), TemporalAtom(B, (a,))
    window, rules = reasoner.explain(member(B, a), all=True)
    assert reasoner.explain(member(B, a)) == window and window.steps[-1].kind is StepKind.DERIVED
    assert reasoner.explain(atom) == rules and rules.steps[-1].kind is StepKind.CONCLUDED
    assert set(reasoner.explain(atom, all=True)) == {window, rules}


def test_an_atom_that_no_rule_concludes_is_explained_by_the_window():
    reasoner = concluding_reasoner()
    assert reasoner.explain(TemporalAtom(A, (a,))) == reasoner.explain(member(A, a))


def test_conclusions_of_older_times_are_not_known():
    reasoner = concluding_reasoner(history=History(steps=10))
    reasoner.advance(3)
    assert reasoner.explain(member(B, a), at=1) and reasoner.explain(member(B, a))
    reasoner.advance(9)
    with pytest.raises(NotEntailedError, match="before the present tick is not known"):
        reasoner.explain(member(B, a), at=3)
    with pytest.raises(NotEntailedError, match="why_not"):
        reasoner.explain(member(B, a))


def test_what_is_asked_for_is_an_atom_without_variables():
    for asked in (TemporalAtom(B, (Variable("x"),)), TemporalAtom(A, (a,), is_asserted=True)):
        with pytest.raises(InvalidTripleError, match="can be concluded"):
            concluding_reasoner().explain(asked)


def test_an_explanation_leaves_no_trace():
    reasoner = concluding_reasoner()
    before = reasoner.snapshot(), reasoner.stats()
    reasoner.explain(TemporalAtom(B, (a,)))
    with pytest.raises(NotEntailedError):
        reasoner.explain((EX.nobody, EX.knows, Literal(7)))
    assert (reasoner.snapshot(), reasoner.stats()) == before


def test_where_only_what_is_needed_is_derived_conclusions_have_the_same_proofs():
    asked = TemporalAtom(B, (a,))
    assert concluding_reasoner(derive="needed").explain(asked) == concluding_reasoner().explain(asked)


def test_labels_come_from_ontology_background_and_stream_in_this_order():
    ontology = load_ontology(
        Graph().parse(
            data="@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
            ':feeds rdfs:domain :Pump . :a rdfs:label "of the ontology" .'
        )
    )
    background = [(EX.b, RDFS.label, Literal("of the background"))]
    reasoner = StreamReasoner(ontology, Window(10), background)
    labels = [
        (name, SKOS.prefLabel, Literal(f"of the stream {name[-1]}", lang="de")) for name in (EX.a, EX.b, EX.c)
    ]
    reasoner.push(1, [*labels, (EX.c, SKOS.prefLabel, Literal("tank", lang="en"))])
    reasoner.push(2, [(EX.c, EX.feeds, EX.a), (EX.b, EX.feeds, EX.c)])
    assert str(reasoner.explain((EX.c, RDF.type, EX.Pump))).startswith(
        "tank is a pump [1]\n└─ because tank feeds of the ontology (asserted at 2)"
    )
    assert str(reasoner.explain((EX.b, EX.feeds, EX.c))).startswith(
        "of the background feeds tank (asserted at 2)"
    )
    assert "that tank feeds tank." in str(reasoner.why_not((EX.c, EX.feeds, EX.c)))

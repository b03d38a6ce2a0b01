"""Limits of explanations, and explanations with temporal rules."""

import pytest
from hypothesis import given, settings
from rdflib import RDF, RDFS, SKOS, XSD, Graph, Literal, Variable

from counts import cases
from pantarhei import (
    ContradictionError,
    DynamicGraph,
    EntailedError,
    History,
    InconsistentOntologyError,
    InvalidTripleError,
    NotEntailedError,
    Ontology,
    OptionError,
    StreamReasoner,
    Window,
    load_ontology,
    load_rules,
)
from pantarhei.model.rule import Atom, Rule
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import in_order
from pantarhei.proofs.step import StepKind
from strategies import EX, SUBCLASS, TRANSITIVE, A, B, R, a, b, c, facts, member, rules


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


# -- a graph without time --------------------------------------------------------------------------

PLANT = load_ontology(
    Graph().parse(
        data="""
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:feeds rdfs:domain :Pump . :Pump rdfs:subClassOf :Machine ; rdfs:label "water pump" .
:Hot rdfs:subClassOf :Alert . :Alert owl:disjointWith :Calm .
[ owl:intersectionOf ( :Pump :Hot ) ] rdfs:subClassOf :Danger . :z a :Pump .
"""
    )
)


def plant(*changes):
    graph = DynamicGraph(PLANT)
    for change in changes:
        graph.change(insert=change)
    return graph


def test_a_graph_explains_facts_by_the_changes_that_inserted_them():
    first, second, hot = (EX.p, EX.feeds, EX.tank), (EX.p, EX.feeds, EX.valve), member(EX.Hot, EX.p)
    graph = plant([first], [first, second], [hot])
    assert [sorted(proof.supports) for proof in graph.explain(member(EX.Machine, EX.p), all=True)] == [
        [(1, first)],
        [(2, second)],
    ]
    assert graph.explain(member(EX.Danger, EX.p)).supports == {(1, first), (3, hot)}
    assert graph.explain(member(EX.Machine, EX.z)).background == {member(EX.Pump, EX.z)}
    graph.change(delete=[first], insert=[(EX.q, EX.feeds, EX.p)])
    assert graph.explain(member(EX.Danger, EX.p)).supports == {(2, second), (3, hot)}
    assert str(graph.explain(member(EX.Machine, EX.q))).splitlines()[1:3] == [
        "└─ because q is a water pump [2]",
        "   └─ because q feeds p (asserted at 4)",
    ]


def test_a_graph_names_what_is_missing_and_is_left_as_it_was():
    graph = plant([(EX.p, EX.feeds, EX.tank)], [member(EX.Calm, EX.q)])
    before = graph.materialization()
    (way,) = graph.why_not(member(EX.Danger, EX.p)).beyond
    assert way.triples == {member(EX.Hot, EX.p)} and not way.is_contradicted
    assert way.proof.supports == {(1, (EX.p, EX.feeds, EX.tank)), (2, member(EX.Hot, EX.p))}
    contradicted, *_ = graph.why_not(member(EX.Danger, EX.q)).beyond
    assert contradicted.is_contradicted and contradicted.conflicts[0].proofs
    assert graph.materialization() == before
    graph.change(insert=way.triples)
    assert graph.explain(member(EX.Danger, EX.p)).complete
    with pytest.raises(EntailedError):
        graph.why_not(member(EX.Danger, EX.p))
    with pytest.raises(NotEntailedError) as raised:
        graph.explain(member(EX.Dangr, EX.p))
    assert str(raised.value).endswith("Unknown class Dangr; did you mean Danger?")
    for wrong in (graph.explain, graph.why_not):
        with pytest.raises(OptionError):
            wrong(member(EX.Danger, EX.r), limit=0)


def test_literals_have_the_forms_that_were_inserted():
    one = Literal("01", datatype=XSD.integer, normalize=False)
    graph = plant([(EX.a, EX.level, Literal(1))], [(EX.b, EX.level, one)])
    (proof,) = graph.explain((EX.b, EX.level, Literal(1)), all=True)
    assert proof.triple[2].n3() == one.n3() and proof.timestamp == 2


def test_terms_that_were_collected_do_not_matter():
    graph = plant(*([(EX[f"n{i}"], EX.feeds, EX.p)] for i in range(20)))
    for i in range(19):
        graph.change(delete=[(EX[f"n{i}"], EX.feeds, EX.p)])
    (proof,) = graph.explain(member(EX.Machine, EX.n19), all=True)
    assert proof.supports == {(20, (EX.n19, EX.feeds, EX.p))}


@settings(max_examples=cases(60, 400), deadline=None)
@given(rules(), facts())
def test_a_graph_and_a_reasoner_give_the_same_explanations(theory, asserted):
    try:
        ontology = Ontology.from_rules(theory)
        graph = DynamicGraph(ontology)
        graph.change(insert=asserted)
    except (ContradictionError, InconsistentOntologyError):
        return
    reasoner = StreamReasoner(ontology, Window(5))
    reasoner.push(1, asserted)
    assert graph.materialization() == reasoner.materialization()
    for fact in graph.materialization():
        assert graph.explain(fact) == reasoner.explain(fact)  # both at 1
        assert graph.explain(fact, all=True) == reasoner.explain(fact, all=True)
    absent = {(s, p, o) for s, p, _ in asserted for _, _, o in asserted} - graph.materialization()
    for fact in in_order(absent)[:3]:
        mine, theirs = graph.why_not(fact), reasoner.why_not(fact)
        assert [way.triples for way in mine.ways] == [way.triples for way in theirs.ways]


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

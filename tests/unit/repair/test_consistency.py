"""Contradictions: minimal, made into triples when looked at, in the forms given."""

import pickle

import pytest
from rdflib import OWL, RDF, RDFS, XSD, Graph, Literal, Variable

from pantarhei import Contradiction, DynamicGraph, InconsistentOntologyError, Ontology, load_ontology
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Different, Origin, Rule
from pantarhei.proofs.sentences import class_phrases
from pantarhei.repair.conflict import Budget
from pantarhei.repair.consistency import model_of_background, refuse_violations
from pantarhei.rules.compilation.program import compile_
from strategies import DISJOINT_CLASSES, EX, A, B, C, V, a, b, is_a, member, related, y, z
from strategies import x as x_of_strategies

DISJOINT = DISJOINT_CLASSES[0]
FIRST, SECOND = (atom.predicate for atom in DISJOINT.body)
ONE_VALUE = Rule(
    "prp-fp", (related(V, x_of_strategies, y), related(V, x_of_strategies, z)), None, (Different(y, z),)
)


def test_it_names_the_assertions_as_given_and_the_constraints():
    graph = DynamicGraph(Ontology.from_rules([ONE_VALUE]), on_conflict="report")
    one, two = (Literal(text, datatype=XSD.integer, normalize=False) for text in ("01", "2"))
    graph.change(insert=[(a, V, Literal(1))])
    graph.change(delete=[(a, V, Literal(1))])
    (found,) = graph.change(insert=[(a, V, one), (a, V, two)]).conflicts
    assert {triple[2].n3() for triple in found.triples} == {one.n3(), two.n3()}
    assert found.constraints == (ONE_VALUE,)
    assert pickle.loads(pickle.dumps(found)) == found


def test_it_reads_well():
    found = Contradiction(frozenset([(a, RDF.type, FIRST), (a, RDF.type, SECOND)]), (DISJOINT,))
    assert str(found) == f"a is {class_phrases(sorted((FIRST, SECOND)))}, which are disjoint"


def report(rules, budget, *names):
    """The conflicts of some members of the first two disjoint classes."""
    graph = DynamicGraph(Ontology.from_rules(rules), on_conflict="report", budget=budget)
    update = graph.change(insert=[(EX[name], RDF.type, each) for name in names for each in (FIRST, SECOND)])
    assert not update.is_consistent
    return update.conflicts


def test_small_contradictions_come_first_and_then_those_of_smaller_text():
    never = Rule("never", (is_a(FIRST, x_of_strategies), is_a(EX.Never, x_of_strategies)), None)
    alone = Rule(
        "sub",
        (is_a(FIRST, x_of_strategies), related(EX.off, x_of_strategies, x_of_strategies)),
        is_a(EX.Never, x_of_strategies),
    )
    graph = DynamicGraph(Ontology.from_rules([DISJOINT, never, alone]), on_conflict="report")
    names = [EX[name] for name in "cab"]
    facts = [(who, RDF.type, each) for who in names for each in (FIRST, SECOND)]
    conflicts = graph.change(insert=[*facts, (EX.c, EX.off, EX.c), (EX.d, RDF.type, SECOND)]).conflicts
    found = [(len(each.triples), min(each.triples)[0]) for each in conflicts]
    assert found == [(2, EX.a), (2, EX.b), (2, EX.c), (2, EX.c)] and conflicts.complete


def test_without_steps_pairs_are_not_listed_and_the_list_is_incomplete():
    conflicts = report([DISJOINT], Budget(steps=0), "b")
    assert len(conflicts) == 0 and not conflicts.complete
    assert report([DISJOINT], Budget(), "b", "c").complete


def test_past_the_instances_fewer_are_listed_and_the_list_is_incomplete():
    sub = Rule("sub", (is_a(EX.Below, x_of_strategies),), is_a(FIRST, x_of_strategies))
    graph = DynamicGraph(
        Ontology.from_rules([DISJOINT, sub]), on_conflict="report", budget=Budget(instances=0)
    )
    update = graph.change(insert=[(EX.b, RDF.type, EX.Below), (EX.b, RDF.type, SECOND)])
    assert not update.is_consistent and len(update.conflicts) == 0 and not update.conflicts.complete


def test_facts_that_many_rules_lead_to_make_no_more_contradictions_than_there_are():
    """A thousand members of a class below the first; one is in the second too."""
    rules = [
        DISJOINT,
        Rule("svf", (related(EX.part, x_of_strategies, y), is_a(EX.Below, y)), is_a(FIRST, x_of_strategies)),
    ]
    graph = DynamicGraph(Ontology.from_rules(rules), on_conflict="report")
    parts = [(EX.whole, EX.part, EX[f"p{number}"]) for number in range(300)]
    below = [(EX[f"p{number}"], RDF.type, EX.Below) for number in range(300)]
    whole = [(EX.whole, RDF.type, FIRST), (EX.whole, RDF.type, SECOND)]
    conflicts = graph.change(insert=[*parts, *below, *whole]).conflicts
    assert len(conflicts) == 301 and conflicts.complete
    assert conflicts[0].triples == set(whole)
    assert all(len(each.triples) == 3 for each in conflicts[1:])


x = Variable("x")
PROGRAM = compile_(
    [
        Rule("cax-sco", (is_a(A, x),), is_a(B, x)),
        Rule("cax-dw", (is_a(B, x), is_a(C, x)), None, origin=Origin("B and C are disjoint")),
    ]
)


def refuse(*triples):
    vocabulary = Vocabulary(PROGRAM)
    background = vocabulary.encode(triples).facts
    refuse_violations(model_of_background(PROGRAM, vocabulary, background), background)


def test_what_is_consistent_passes():
    refuse(member(A, a))


def test_the_error_names_the_axiom_and_the_assertions_and_proves_it():
    with pytest.raises(InconsistentOntologyError) as raised:
        refuse(member(A, a), member(C, a))
    (found,) = raised.value.contradictions
    assert found.axioms[-1].axiom == "B and C are disjoint"
    assert "cax-sco" in " ".join(found.proof.lines())  # the proof tells how B(a) came
    assert str(found).endswith("; this follows from: a is in class A")


def test_the_error_lists_all_contradictions():
    with pytest.raises(InconsistentOntologyError, match="inconsistent, in 3 ways") as raised:
        refuse(member(A, a), member(B, a), member(C, a), member(A, b), member(C, b))
    assert {each.triples for each in raised.value.contradictions} == {
        frozenset({member(A, a), member(C, a)}),
        frozenset({member(B, a), member(C, a)}),
        frozenset({member(A, b), member(C, b)}),
    }


def test_an_ontology_that_contradicts_itself_lists_axioms_and_assertions():
    text = """
        @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        :A owl:disjointWith :B . :x a :A , :B . :z a owl:Nothing ."""
    with pytest.raises(InconsistentOntologyError, match="inconsistent, in 2 ways") as raised:
        load_ontology(Graph().parse(data=text))
    back = pickle.loads(pickle.dumps(raised.value))
    assert back.contradictions == raised.value.contradictions
    nothing, disjoint = map(str, back.contradictions)
    assert nothing == "z is in owl:Nothing, which has no members"
    assert disjoint == "x is in classes A and B, which are disjoint"


@pytest.mark.parametrize("pairs", [1, 2, 3])
def test_one_assertion_that_violates_several_constraints_is_listed_once_for_each(pairs):
    disjoint = [(EX[f"A{n}"], EX[f"B{n}"]) for n in range(pairs)]
    graph = Graph()
    for left, right in disjoint:
        graph.add((left, OWL.disjointWith, right))
        for each in (left, right):
            graph.add((C, RDFS.subClassOf, each))
    graph.add((a, RDF.type, C))
    with pytest.raises(InconsistentOntologyError) as refused:
        load_ontology(graph)
    listed = refused.value.contradictions
    assert {each.triples for each in listed} == {frozenset([(a, RDF.type, C)])}
    violated = [{atom.predicate for atom in each.rule.body} for each in listed]
    assert sorted(map(sorted, violated)) == sorted(map(sorted, disjoint))
    for each in listed:
        assert each.proof.steps[-1].rule == each.rule and len(each.constraints) == 1

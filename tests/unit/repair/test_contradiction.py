"""Contradictions: minimal, made into triples when looked at, in the forms given."""

import pickle

from rdflib import RDF, XSD, Literal

from pantarhei import Contradiction, DynamicGraph, Ontology
from pantarhei.language.rule import Different, Rule
from pantarhei.repair.conflict import Budget
from strategies import DISJOINT_CLASSES, EX, V, a, related, x, y, z

DISJOINT = DISJOINT_CLASSES[0]
FIRST, SECOND = (atom.predicate for atom in DISJOINT.body)
ONE_VALUE = Rule("prp-fp", (related(V, x, y), related(V, x, z)), None, (Different(y, z),))


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
    first, second = sorted(str(each).rpartition("/")[2] for each in (FIRST, SECOND))
    assert str(found) == f"a type {first} against a type {second}, by {DISJOINT.axiom}"


def test_past_the_budget_none_are_listed():
    graph = DynamicGraph(Ontology.from_rules([DISJOINT]), on_conflict="report", budget=Budget(instances=0))
    update = graph.change(insert=[(EX.b, RDF.type, FIRST), (EX.b, RDF.type, SECOND)])
    assert not update.is_consistent or update.conflicts

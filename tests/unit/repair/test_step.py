"""Repairs with many proofs: what is found, and what is kept past the budget."""

import pytest
from rdflib import RDF, Namespace, Variable

from pantarhei import Budget, Ontology, StreamReasoner, Window
from pantarhei.language.rule import Atom, Different, Rule

EX = Namespace("http://example.org/")
x, y, z = Variable("x"), Variable("y"), Variable("z")
BEFORE = [
    Rule("prp-trp", (Atom(EX.before, (x, y)), Atom(EX.before, (y, z))), Atom(EX.before, (x, z))),
    Rule("prp-irp", (Atom(EX.before, (x, x)),), None),
]
ONE_VALUE = Rule("prp-fp", (Atom(EX.at, (x, y)), Atom(EX.at, (x, z))), None, (Different(y, z),))


def chain(length):
    return [(EX[f"n{i}"], EX.before, EX[f"n{i + 1}"]) for i in range(length)]


@pytest.mark.parametrize("length", [2, 5, 12])
def test_closing_a_cycle_is_one_conflict_and_cuts_its_oldest_edge(length):
    reasoner = StreamReasoner(Ontology.from_rules(BEFORE), Window(1000))
    edges = chain(length)
    for at, edge in enumerate(edges):
        reasoner.push(at, [edge])
    closing = (EX[f"n{length}"], EX.before, EX.n0)
    update = reasoner.push(length, [closing])
    assert list(update.repair.conflict_sets) == [frozenset([*enumerate(edges), (length, closing)])]
    assert update.repair.removed == {(0, edges[0])}
    assert not update.repair.undecided


@pytest.mark.timeout(60)
@pytest.mark.parametrize("length", [30, 60])
def test_past_the_budget_the_newest_stay_while_they_are_consistent(length):
    """The same cut, though the conflict set itself is not listed."""
    reasoner = StreamReasoner(Ontology.from_rules(BEFORE), Window(1000), budget=Budget(steps=1000))
    edges = chain(length)
    for at, edge in enumerate(edges):
        reasoner.push(at, [edge])
    update = reasoner.push(length, [(EX[f"n{length}"], EX.before, EX.n0)])
    assert len(update.repair.conflict_sets) == 0
    assert update.repair.removed == update.repair.undecided == {(0, edges[0])}


@pytest.mark.timeout(60)
def test_past_the_instances_all_that_takes_part_goes_and_the_rest_stays():
    reasoner = StreamReasoner(Ontology.from_rules(BEFORE), Window(1000), budget=Budget(instances=50))
    reasoner.push(0, [*chain(20), (EX.n0, RDF.type, EX.Event)])
    update = reasoner.push(1, [(EX.n20, EX.before, EX.n0)])
    assert update.repair.removed == {*((0, edge) for edge in chain(20)), (1, (EX.n20, EX.before, EX.n0))}
    assert reasoner.materialization() == {(EX.n0, RDF.type, EX.Event)}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("method", ["exact", "grounded", "algorithm3"])
def test_many_values_of_a_functional_property_at_one_time_cut_one_another_and_the_older(method):
    reasoner = StreamReasoner(Ontology.from_rules([ONE_VALUE]), Window(10), repair=method)
    reasoner.push(1, [(EX.badge, EX.at, EX.old), (EX.other, EX.at, EX.old)])
    count = 40
    update = reasoner.push(2, [(EX.badge, EX.at, EX[f"room{i}"]) for i in range(count)])
    assert len(update.repair.conflict_sets) == count * (count - 1) // 2 + count
    assert len(update.repair.removed) == count + 1
    assert reasoner.materialization() == {(EX.other, EX.at, EX.old)}


@pytest.mark.parametrize("keep", ["newest", "every"])
def test_off_reports_all_contradictions_of_the_window_at_each_step(keep):
    a, b, c = ((EX.i, RDF.type, EX[name]) for name in "ABC")
    rules = [
        Rule("cax-dw", (Atom(EX.A, (x,)), Atom(EX.B, (x,))), None),
        Rule("cls-com", (Atom(EX.A, (x,)), Atom(EX.B, (x,)), Atom(EX.C, (x,))), None),
    ]
    reasoner = StreamReasoner(Ontology.from_rules(rules), Window(10), repair="off", keep=keep)
    assert list(reasoner.push(1, [a, b]).repair.conflict_sets) == [frozenset({(1, a), (1, b)})]
    assert list(reasoner.push(2, [c]).repair.conflict_sets) == [frozenset({(1, a), (1, b)})]
    update = reasoner.push(3, [a])
    assert list(update.repair.conflict_sets) == [frozenset({(3, a), (1, b)})]
    assert not update.repair.removed
    assert reasoner.materialization() == {a, b, c}

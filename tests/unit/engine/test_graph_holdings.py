"""The state of a graph without time: what a change costs, and what becomes of the model."""

import pytest
from rdflib import RDF

from pantarhei import ContradictionError, DynamicGraph, Ontology
from pantarhei.model.rule import Rule
from strategies import DISJOINT_CLASSES, EX, A, B, a, is_a, x

SUBCLASS = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
DISJOINT = DISJOINT_CLASSES[0]
FIRST, SECOND = (atom.predicate for atom in DISJOINT.body)


def graph_of(*rules, **options):
    return DynamicGraph(Ontology.from_rules(rules), **options)


def test_what_the_background_asserts_stays_when_its_assertion_is_deleted():
    graph = graph_of(SUBCLASS, background=[(a, RDF.type, A)])
    assert not graph.change(insert=[(a, RDF.type, A)]).delta.added
    assert len(graph) == 1
    assert not graph.change(delete=[(a, RDF.type, A)]).delta.removed
    assert graph.materialization() == {(a, RDF.type, A), (a, RDF.type, B)}
    assert len(graph) == 0


def test_a_refused_change_costs_no_materialization():
    graph = graph_of(DISJOINT)
    graph.change(insert=[(EX[f"i{i}"], RDF.type, FIRST) for i in range(200)])
    model, before = graph._held.model, graph.work.firings
    with pytest.raises(ContradictionError):
        graph.change(insert=[(EX.i1, RDF.type, SECOND)])
    assert graph._held.model is model
    assert graph.work.firings < before + 10


def test_what_a_change_costs_does_not_grow_with_the_graph():
    def work_of(size):
        graph = graph_of(SUBCLASS)
        graph.change(insert=[(EX[f"i{i}"], RDF.type, A) for i in range(size)])
        before = sum(graph.work)
        graph.change(insert=[(a, RDF.type, A)], delete=[(EX.i1, RDF.type, A)])
        return sum(graph.work) - before

    assert work_of(2_000) == work_of(20) > 0


def test_terms_that_are_gone_take_no_room(monkeypatch):
    import pantarhei.engine.compaction as compaction

    monkeypatch.setattr(compaction, "FLOOR", 0)
    graph = graph_of(SUBCLASS)
    before = []
    for number in range(300):
        fresh = [(EX[f"i{number}.{i}"], RDF.type, A) for i in range(5)]
        graph.change(insert=fresh, delete=before)
        before = fresh
    assert graph.stats().names < 100
    assert graph.assertions() == set(before)


def test_stats_count_what_is_held():
    graph = graph_of(SUBCLASS)
    graph.change(insert=[(a, RDF.type, A)])
    stats = graph.stats()
    assert (stats.facts, stats.assertions, stats.pushes, stats.partitions) == (2, 1, 1, 0)
    assert stats.books_bytes > 0

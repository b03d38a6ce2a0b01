"""The state of a graph without time: what a change costs, and what becomes of the model."""

import numpy as np
import pytest
from rdflib import RDF, XSD, Literal

from pantarhei import ContradictionError, DynamicGraph, Ontology
from pantarhei.encoding.numbers import NO_FACTS, NO_FORMS, Encoded, Forms, UsedTerms, as_tuples
from pantarhei.engine.graph_state import Assertions, NetChange, facts_of, keys_of
from pantarhei.model.rule import Rule
from strategies import DISJOINT_CLASSES, EX, a, is_a, x
from strategies import A as StrategiesA
from strategies import B as StrategiesB

SUBCLASS = Rule("cax-sco", (is_a(StrategiesA, x),), is_a(StrategiesB, x))
DISJOINT = DISJOINT_CLASSES[0]
FIRST, SECOND = (atom.predicate for atom in DISJOINT.body)


def graph_of(*rules, **options):
    return DynamicGraph(Ontology.from_rules(rules), **options)


def test_what_the_background_asserts_stays_when_its_assertion_is_deleted():
    graph = graph_of(SUBCLASS, background=[(a, RDF.type, StrategiesA)])
    assert not graph.change(insert=[(a, RDF.type, StrategiesA)]).delta.added
    assert len(graph) == 1
    assert not graph.change(delete=[(a, RDF.type, StrategiesA)]).delta.removed
    assert graph.materialization() == {(a, RDF.type, StrategiesA), (a, RDF.type, StrategiesB)}
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
        graph.change(insert=[(EX[f"i{i}"], RDF.type, StrategiesA) for i in range(size)])
        before = sum(graph.work)
        graph.change(insert=[(a, RDF.type, StrategiesA)], delete=[(EX.i1, RDF.type, StrategiesA)])
        return sum(graph.work) - before

    assert work_of(2_000) == work_of(20) > 0


def test_terms_that_are_gone_take_no_room(monkeypatch):
    import pantarhei.engine.memory as compaction

    monkeypatch.setattr(compaction, "MIN_GROWTH", 0)
    graph = graph_of(SUBCLASS)
    before = []
    for number in range(300):
        fresh = [(EX[f"i{number}.{i}"], RDF.type, StrategiesA) for i in range(5)]
        graph.change(insert=fresh, delete=before)
        before = fresh
    assert graph.stats().names < 100
    assert graph.assertions() == set(before)


def test_stats_count_what_is_held():
    graph = graph_of(SUBCLASS)
    graph.change(insert=[(a, RDF.type, StrategiesA)])
    stats = graph.stats()
    assert (stats.facts, stats.assertions, stats.pushes, stats.partitions) == (2, 1, 1, 0)
    assert stats.books_bytes > 0


A, B, C = (0, 1, 2), (0, 2, 3), (1, 2, -1)
ONE = Literal("01", datatype=XSD.integer, normalize=False)


def facts(*given):
    return np.array(given, np.int32).reshape(-1, 3)


def encoded(*given, forms=None):
    return Encoded(facts(*given), NO_FORMS if forms is None else Forms(forms))


def asserting(*given):
    history = Assertions()
    return history.after(history.net(encoded(*given), encoded()), True)


def test_a_fact_and_its_key_lead_to_each_other():
    assert as_tuples(facts_of(keys_of(facts(A, B, C)))) == [A, B, C]
    assert len(facts_of([])) == len(keys_of(NO_FACTS)) == 0
    assert {type(key) for key in keys_of(facts(A))} == {bytes}


def test_what_is_deleted_and_inserted_is_asserted_afterwards():
    net = asserting(A).net(encoded(A, B), encoded(A, B))
    assert (as_tuples(facts_of(net.inserted)), net.deleted) == ([B], [])
    assert (net.already_asserted, net.not_asserted) == (0, 1)


def test_what_is_in_vain_is_counted_each_fact_once():
    net = asserting(A).net(encoded(A, A, B), encoded(C, C))
    assert (net.already_asserted, net.not_asserted) == (1, 1)
    assert as_tuples(facts_of(net.inserted)) == [B]


def test_facts_stand_in_the_order_in_which_they_came():
    history = asserting(C, A, B)
    assert as_tuples(history.facts) == [C, A, B]
    history = history.after(history.net(encoded(), encoded(A)), True)
    assert as_tuples(history.facts) == [C, B]
    assert (history.step, history.now, len(history.log.timeline)) == (2, 2, 0)


def test_the_form_of_what_was_asserted_already_stays():
    history = asserting(A)
    net = history.net(encoded(A, B, forms={A: ONE, B: ONE}), encoded())
    assert net.forms == {B: ONE}
    history = history.after(net, True)
    assert history.forms == {B: ONE}
    assert history.after(history.net(encoded(), encoded(B)), True).forms == {}


def test_a_change_that_was_broken_off_is_made_at_the_next_look():
    class Broken(dict):
        def update(self, *others):
            if self.breaks:
                self.breaks = False
                raise MemoryError
            super().update(*others)

    keys = Broken(dict.fromkeys(keys_of(facts(A))))
    keys.breaks = True
    history = Assertions(1, True, keys, {}, NetChange(keys_of(facts(B)), keys_of(facts(A))))
    with pytest.raises(MemoryError):
        history.facts  # noqa: B018
    assert as_tuples(history.facts) == [B]


def test_a_copy_is_on_its_own():
    history = asserting(A)
    copy = history.copy()
    after = history.after(history.net(encoded(B), encoded(A)), True)
    assert (as_tuples(after.facts), as_tuples(copy.facts)) == ([B], [A])


def test_terms_are_noted_and_renamed():
    history = asserting(B)
    used = UsedTerms(2, 4, 0)
    assert history.used_terms(used) == 1
    assert (used.symbols.tolist(), used.names.tolist()) == ([1, 0], [0, 0, 1, 1])
    assert as_tuples(history.renamed(used.renaming()).facts) == [(0, 0, 1)]

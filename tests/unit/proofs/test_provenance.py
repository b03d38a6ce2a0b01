"""Proofs in PROV-O."""

import pytest
from rdflib import PROV, RDF, RDFS, XSD, Graph, Literal

from pantarhei.proofs.provenance import TERMS
from shown_proofs import EVIL, chain, contradiction, evil, plant
from strategies import EX

BEHIND = """
    PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
    SELECT ?subject ?time {
        [] <urn:pantarhei:proof#conclusion> ?fact . ?fact prov:wasDerivedFrom+ ?given .
        ?given rdf:subject ?subject ; prov:generatedAtTime|<urn:pantarhei:proof#at> ?time }
    ORDER BY ?time"""


def wasteful():
    return plant().explain((EX.room, RDF.type, EX.Wasteful))


def test_assertions_behind_a_conclusion_are_found_by_query():
    times = [Literal(f"2026-03-02T07:0{minute}:00+00:00", datatype=XSD.dateTime) for minute in (0, 5)]
    assert [tuple(row) for row in wasteful().to_rdf().query(BEHIND)] == [
        (EX.valve, times[0]),
        (EX.counter, times[1]),
    ]
    assert [row.time for row in chain(4).to_rdf().query(BEHIND)] == [Literal(at) for at in range(4)]


@pytest.mark.parametrize("make", [wasteful, contradiction, evil, lambda: chain(5)])
def test_a_proof_is_valid_provenance(make):
    """Nothing is entity and activity, each is generated once, what is derived from was used."""
    proof = make()
    graph = Graph().parse(data=proof.to_rdf().serialize(format="nt"), format="nt")
    entities, activities = (set(graph.subjects(RDF.type, kind)) for kind in (PROV.Entity, PROV.Activity))
    assert not entities & activities
    for made, activity in graph.subject_objects(PROV.wasGeneratedBy):
        assert made in entities and activity in activities
        assert len(list(graph.objects(made, PROV.wasGeneratedBy))) == 1
        assert not list(graph.objects(made, PROV.generatedAtTime))
        used = set(graph.objects(activity, PROV.used))
        assert used <= entities
        assert set(graph.objects(made, PROV.wasDerivedFrom)) <= used
    facts = {tuple(graph.value(s, p) for p in (RDF.subject, RDF.predicate, RDF.object)) for s in entities}
    assert facts - {(None, None, None)} == {step.fact for step in proof.steps if step.fact}
    rules = sorted(str(rule) for rule in graph.objects(None, TERMS.rule))
    assert rules == sorted(step.rule.name for step in proof.steps if step.rule)


def test_n_triples_come_in_the_same_order_each_time():
    one, other = (wasteful().to_rdf().serialize(format="nt") for _ in range(2))
    assert one == other


def test_proofs_in_one_graph_stay_apart():
    graph = wasteful().to_rdf() + contradiction().to_rdf() + wasteful().to_rdf()
    assert len(list(graph.subjects(RDF.type, TERMS.Proof))) == 2
    assert len(list(graph.subjects(RDF.type, TERMS.Contradiction))) == 1


def test_rdf_has_literals_whole():
    graph = evil().to_rdf()
    assert Literal(EVIL) in set(graph.objects(None, RDF.object))
    assert all("\n" not in label for label in graph.objects(None, RDFS.label))

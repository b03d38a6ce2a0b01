"""A reasoner that is given a stream by column is where it would be had it been given triples."""

from __future__ import annotations

import io
import random

import pytest
from rdflib import BNode

import pantarhei as pr
from counts import seeds
from pantarhei.io import stream_reader
from pantarhei.rdf import plain_quads
from pantarhei.rdf.triple_table import ColumnarTriples

EX = "http://example.org/"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
XSD = "http://www.w3.org/2001/XMLSchema#"
ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Open owl:disjointWith :Shut . :in a owl:TransitiveProperty . :level a owl:FunctionalProperty .
:level rdfs:domain :Tank ; rdfs:range xsd:decimal . :feeds rdfs:range :Tank . :Tank rdfs:subClassOf :Thing .
:tank0 :in :hall . :tank1 :level 1.0 .
"""
LEVELS = ['"1"', '"1.0"', '"01"', '"2.5"', '"2.50"', '"oops"']


def a_line(chance, at):
    name = lambda: chance.choice([f"<{EX}tank{chance.randrange(6)}>"] * 3 + ["_:a", "_:b"])  # noqa: E731
    tail = f"<urn:at:{at}> ."
    kind = chance.randrange(4)
    if kind == 0:
        return f"{name()} {TYPE} <{EX}{chance.choice(['Open', 'Shut', 'Tank', 'New'])}> {tail}"
    if kind == 1:
        return f"{name()} <{EX}level> {chance.choice(LEVELS)}^^<{XSD}decimal> {tail}"
    return f"{name()} <{EX}{chance.choice(['in', 'feeds', 'other'])}> {name()} {tail}"


def a_stream(seed):
    chance = random.Random(seed)
    lines = [a_line(chance, at) for at in range(12) for _ in range(chance.randrange(1, 9))]
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(lines))
        lines.insert(place, chance.choice(["# a comment", "", lines[place].replace(" ", "\t", 1)]))
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def ontology(tmp_path_factory):
    path = tmp_path_factory.mktemp("tanks") / "tanks.ttl"
    path.write_text(ONTOLOGY)
    return pr.load_ontology(path)


@pytest.mark.parametrize("seed", seeds(5, 60))
@pytest.mark.parametrize(("unique_names", "keep"), [(True, "newest"), (False, "newest"), (True, "every")])
def test_columns_and_triples_come_to_the_same_at_each_step(seed, unique_names, keep, ontology, monkeypatch):
    monkeypatch.setattr(stream_reader, "FEWEST_BYTES", 1)
    monkeypatch.setattr(plain_quads, "_SHORT", 1)
    options = {"unique_names": unique_names, "keep": keep}
    by_column, by_triple = (pr.StreamReasoner(ontology, pr.Window(range=4), **options) for _ in range(2))
    columnar = 0
    for at, abox in pr.read_stream(io.BytesIO(a_stream(seed)), format="nquads"):
        columnar += isinstance(abox, ColumnarTriples)
        found, expected = by_column.push(at, abox), by_triple.push(at, list(abox))
        assert found.repair.removed == expected.repair.removed
        assert set(found.delta.added) == set(expected.delta.added)
        assert set(found.delta.removed) == set(expected.delta.removed)
        assert shown(by_column.materialization()) == shown(by_triple.materialization())
        assert shown(t for _, t in by_column.assertions()) == shown(t for _, t in by_triple.assertions())
    assert columnar > 3


def shown(triples):
    """Terms as they are written, blank nodes by name."""
    return {tuple((type(t) is BNode, t.n3()) for t in triple) for triple in triples}


def test_an_abox_by_column_is_materialized_like_its_triples(ontology, monkeypatch):
    monkeypatch.setattr(stream_reader, "FEWEST_BYTES", 1)
    monkeypatch.setattr(plain_quads, "_SHORT", 1)
    makers = [pr.ABoxMaterializer(pr.Foundation.of(ontology)) for _ in range(2)]
    reasoners = [pr.StreamReasoner(ontology, pr.Window(range=4)) for _ in range(2)]
    for at, abox in pr.read_stream(io.BytesIO(a_stream(1)), format="nquads"):
        for reasoner, maker, given in zip(reasoners, makers, (abox, tuple(abox)), strict=True):
            reasoner.push_materialized(at, maker.materialize(given))
        assert len({len(reasoner.graph) for reasoner in reasoners}) == 1
        assert len({frozenset(without_names(r)) for r in reasoners}) == 1


def without_names(reasoner):
    return {
        tuple("_" if isinstance(term, BNode) else term.n3() for term in triple)
        for triple in reasoner.materialization()
    }


def test_no_term_is_made_on_the_way_from_a_file_to_the_window(ontology, monkeypatch):
    data = "".join(
        f"<{EX}tank{i}> <{EX}in> <{EX}hall{i % 5}> <urn:at:{at}> .\n" for at in range(3) for i in range(300)
    )
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=4))
    for at, abox in pr.read_stream(io.BytesIO(data.encode()), format="nquads"):
        reasoner.push(at, abox)
        assert isinstance(abox, ColumnarTriples) and abox._made is None and len(abox) == 300

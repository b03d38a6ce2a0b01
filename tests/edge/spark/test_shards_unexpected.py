"""What a sharded stream asserts that is likely a mistake: told of all shards together, and warned of once."""

import warnings

import pytest
from rdflib import RDF, RDFS, Graph, Literal

from pantarhei import AxiomsInStreamWarning, NumbersApartWarning, StreamReasoner, Window, load_ontology
from pantarhei.spark import reason_stream
from spark_streams import NOW, Folder, rows_of
from strategies import EX

ONTOLOGY = f"""
@prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Sensor a owl:Class ; rdfs:subClassOf :Device . :reads a owl:DatatypeProperty .
"""
NAMES = [EX[f"sensor{number}"] for number in range(9)]
FIRST = [
    (1, [(name, RDF.type, EX.Senser) for name in NAMES]),
    (2, [(name, RDFS.subClassOf, EX.Sensor) for name in NAMES[:6]]),
    (3, [(name, EX.reads, Literal((2, 2.5)[place % 2])) for place, name in enumerate(NAMES)]),
]
SECOND = [
    (4, [(name, RDFS.subClassOf, EX.Device) for name in NAMES]),
    (5, [(name, EX.reeds, Literal(1)) for name in NAMES]),
    (6, [(name, EX.level, Literal(7) if name == NAMES[0] else Literal(7.25)) for name in NAMES]),
]


@pytest.mark.long
def test_what_is_unexpected_is_told_of_all_shards_and_after_a_restart(spark, tmp_path):
    folder, ontology = Folder(tmp_path / "in"), load_ontology(Graph().parse(data=ONTOLOGY))
    whole = StreamReasoner(ontology, Window(3))

    def follow(stream):
        for at, abox in stream:
            folder.write(rows_of([(at, abox)]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                whole.push(at, abox)
        query = reason_stream(
            folder.stream(spark),
            ontology,
            Window(3),
            shard_by="subject",
            shards=3,
            output=tmp_path / "out",
            checkpoint=tmp_path / "state",
            trigger=NOW,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            query.await_termination()
        return query, [each.category for each in caught if issubclass(each.category, UserWarning)]

    query, warned = follow(FIRST)
    assert warned.count(AxiomsInStreamWarning) == 1
    assert warned.count(NumbersApartWarning) <= 1  # values of one shard
    assert set(query.unexpected().lines()) == set(whole.unexpected().lines())
    assert (query.unexpected().axioms, len(query.unexpected().numbers)) == (6, 1)
    (unknown,) = query.unexpected().unknown
    assert (unknown.name, unknown.nearest[0]) == (EX.Senser, EX.Sensor)
    query, _ = follow(SECOND)
    told, expected = query.unexpected(), whole.unexpected()
    assert (told.axioms, set(told.unknown)) == (15, set(expected.unknown)) and len(told.unknown) == 3
    assert {each.property for each in told.numbers} == {each.property for each in expected.numbers}
    assert {each.property for each in told.numbers} == {EX.reads, EX.level}


@pytest.mark.filterwarnings("ignore::pantarhei.AxiomsInStreamWarning")
def test_a_query_that_is_not_sharded_tells_the_same(spark, tmp_path):
    folder, ontology = Folder(tmp_path / "in"), load_ontology(Graph().parse(data=ONTOLOGY))
    for each in FIRST[:2]:
        folder.write(rows_of([each]))
    query = reason_stream(folder.stream(spark), ontology, Window(3), trigger=NOW)
    query.await_termination()
    assert query.unexpected() == query.reasoner.unexpected()
    assert query.unexpected().axioms == 6

"""What a stream should not say: axioms, and names that nobody knows."""

from __future__ import annotations

import pickle
import warnings

import pyarrow as pa
import pytest
from rdflib import OWL, RDF, RDFS, Graph, Literal, Namespace, URIRef

from pantarhei import (
    AxiomsInStreamWarning,
    DynamicGraph,
    Ontology,
    StreamReasoner,
    Unexpected,
    Window,
    load_ontology,
)

EX, OTHER = Namespace("http://example.org/"), Namespace("http://example.org/other#")
ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Temperature_Sensor rdfs:subClassOf :Sensor . :note a owl:AnnotationProperty .
:isPartOf a owl:ObjectProperty .
"""
AXIOM = (EX.Own, RDFS.subClassOf, EX.Sensor)


def made(background=None, **options):
    return StreamReasoner(load_ontology(Graph().parse(data=ONTOLOGY)), Window(3), background, **options)


def test_an_axiom_in_a_stream_is_counted_each_time_and_warned_of_once():
    reasoner = made()
    with pytest.warns(AxiomsInStreamWarning, match=r"\(Own subClassOf Sensor\).*of the background"):
        reasoner.push(1, [AXIOM, (EX.x, RDF.type, EX.Own)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(2, [AXIOM, (EX.p, RDF.type, OWL.TransitiveProperty)])
    assert reasoner.stats().axioms == reasoner.unexpected().axioms == 3
    assert "3 assertions write axioms, from which nothing follows" in str(reasoner.unexpected())


def test_axioms_are_counted_in_tables_and_when_their_numbers_have_changed():
    reasoner = made()
    table = pa.table({"subject": ["<urn:A>"], "predicate": [f"<{RDFS.domain}>"], "object": ["<urn:B>"]})
    with pytest.warns(AxiomsInStreamWarning):
        reasoner.push(1, table)
    for at in range(2, 60):  # terms are forgotten meanwhile
        reasoner.push(at, [(EX[f"x{at}-{n}"], EX[f"p{at}"], EX.y) for n in range(300)])
    reasoner.push(60, table)
    assert reasoner.unexpected().axioms == 2


def test_equality_and_declarations_are_no_axioms():
    reasoner = made(unique_names=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(
            1, [(EX.x, OWL.sameAs, EX.y), (EX.x, OWL.differentFrom, EX.z), (EX.Own, RDF.type, OWL.Class)]
        )
    assert not reasoner.unexpected()


def test_a_warning_that_is_an_error_leaves_all_as_it_was():
    reasoner = made()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(AxiomsInStreamWarning):
                reasoner.push(1, [AXIOM])
    assert not reasoner.assertions() and not reasoner.unexpected()
    with pytest.warns(AxiomsInStreamWarning):
        assert reasoner.push(1, [AXIOM]).delta.added


def test_names_that_nobody_knows_are_told_with_the_nearest():
    reasoner = made([(EX.a, EX.feeds, EX.b), (EX.Only, EX.feeds, EX.b)])
    known = [
        (EX.x, RDF.type, EX.Sensor),
        (EX.x, EX.isPartOf, EX.y),
        (EX.x, EX.note, EX.y),
        (EX.x, EX.feeds, EX.y),
    ]
    known += [(EX.x, RDFS.label, Literal("x")), (EX.x, RDF.type, OWL.Thing), (EX.x, RDF.type, EX.Only)]
    reasoner.push(1, known)
    assert reasoner.stats().unknown == 0
    reasoner.push(2, [(EX.x, RDF.type, EX.Temprature_Sensor), (EX.x, EX.fedes, EX.y), (EX.x, EX.zzz, EX.y)])
    reasoner.push(3, [(EX.x, RDF.type, OTHER.Sensor), (EX.x, EX.zzz, EX.y)])
    assert reasoner.stats().unknown == 4
    found = reasoner.unexpected()
    assert [(each.name, each.kind) for each in found.unknown] == [
        (EX.Temprature_Sensor, "class"),
        (EX.fedes, "property"),
        (EX.zzz, "property"),
        (OTHER.Sensor, "class"),
    ]
    assert [each.nearest[:1] for each in found.unknown] == [
        (EX.Temperature_Sensor,),
        (EX.feeds,),
        (),
        (EX.Sensor,),
    ]
    assert str(found) == (
        "4 names of the stream known to neither ontology nor background: "
        "class Temprature_Sensor (did you mean Temperature_Sensor?); property fedes (did you mean feeds?); "
        "property zzz; class http://example.org/other#Sensor (did you mean http://example.org/Sensor?)"
    )


def test_a_push_that_is_refused_leaves_no_trace():
    reasoner = made(max_facts=2)
    with pytest.raises(Exception, match="max_facts"):
        reasoner.push(1, [(EX[f"x{n}"], EX.zzz, EX.y) for n in range(9)])
    assert not reasoner.unexpected()


def test_an_ontology_that_says_nothing_knows_no_names():
    reasoner = StreamReasoner(Ontology.from_rules(()), Window(3))
    reasoner.push(1, [(EX.x, EX.zzz, EX.y)])
    assert not reasoner.unexpected()


def test_the_usual_properties_of_times_are_known():
    reasoner = made()
    reasoner.push(1, [(EX.x, URIRef("http://www.w3.org/ns/sosa/resultTime"), Literal(1))])
    assert not reasoner.unexpected()


def test_many_unknown_names_are_told_in_one_line():
    reasoner = made()
    reasoner.push(1, [(EX.x, EX[f"q{n}x"], EX.y) for n in range(1500)])
    assert reasoner.stats().unknown == 1000
    (line,) = reasoner.unexpected().lines()
    assert line.endswith("… and 990 more")


def test_a_graph_without_time_tells_the_same():
    graph = DynamicGraph(load_ontology(Graph().parse(data=ONTOLOGY)))
    with pytest.warns(AxiomsInStreamWarning):
        graph.change(insert=[AXIOM, (EX.x, EX.fedes, EX.y)])
    assert (graph.stats().axioms, graph.stats().unknown) == (1, 1)
    assert len(list(graph.unexpected().lines())) == 2


@pytest.mark.filterwarnings("ignore::pantarhei.NumbersApartWarning")
def test_a_restored_reasoner_counts_on_and_warns_of_nothing_twice():
    half, whole = made(), made()
    first = [AXIOM, (EX.x, RDF.type, EX.Senser), (EX.x, EX.zzz, Literal(5)), (EX.x, EX.zzz, Literal(5.0))]
    second = [AXIOM, (EX.y, RDF.type, EX.Senser), (EX.x, EX.zzzz, Literal(6)), (EX.x, EX.zzz, Literal(6.0))]
    for reasoner in (half, whole):
        with pytest.warns(AxiomsInStreamWarning):
            reasoner.push(1, first)
    restored = StreamReasoner.restore(half.snapshot(), load_ontology(Graph().parse(data=ONTOLOGY)))
    assert restored.unexpected() == half.unexpected()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for reasoner in (restored, whole):
            reasoner.push(9, second)
            reasoner.push(10, [(EX.x, EX.zzz, Literal(7))])
            reasoner.push(11, [(EX.x, EX.zzz, Literal(7.5))])
    assert restored.unexpected() == whole.unexpected()
    assert (restored.unexpected().axioms, len(restored.unexpected().unknown)) == (2, 3)
    assert len(restored.unexpected().numbers) == 1


def test_the_warning_pickles():
    assert str(pickle.loads(pickle.dumps(AxiomsInStreamWarning("a")))) == str(AxiomsInStreamWarning("a"))


@pytest.mark.filterwarnings("ignore::pantarhei.NumbersApartWarning")
@pytest.mark.filterwarnings("ignore::pantarhei.AxiomsInStreamWarning")
def test_what_parts_of_a_stream_have_is_told_together_as_of_the_whole():
    ontology = load_ontology(Graph().parse(data=ONTOLOGY))
    whole, parts = made(), [made(), made(), made()]
    stream = [
        [AXIOM, (EX.x, EX.zzz, Literal(5)), (EX.x, RDF.type, EX.Senser)],
        [AXIOM, (EX.y, EX.zzz, Literal(5.5)), (EX.y, RDF.type, EX.Senser), (EX.y, EX.fedes, EX.x)],
        [(EX.z, EX.zzz, Literal(6)), (EX.z, EX.other, Literal(1)), (EX.z, EX.other, Literal(1.5))],
    ]
    for at, abox in enumerate(stream):
        whole.push(at, abox)
        parts[at].push(at, abox)
    rules = (*ontology.rules, *ontology.constraints)
    together = Unexpected.together([part.unexpected() for part in parts], rules)
    assert (together.axioms, set(together.unknown)) == (2, set(whole.unexpected().unknown))
    assert sorted(together.numbers) == sorted(whole.unexpected().numbers) and len(together.numbers) == 2
    assert together.seen == whole.unexpected().seen
    assert Unexpected.together([], rules) == Unexpected()

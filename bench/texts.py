"""A text with two windows over one stream: what an element costs with views of one model, and evaluated anew.

An element brings what some sensors noticed in rooms; clear rooms are not smoky, so that repairs cut. The
windows are the last ten and the last sixty seconds; both ways must report the same.

Streams of answers: a window over a hundred seconds with a step of one, a hundred readings a second, so that
each triple is in a hundred reports. All rows are read. A gap: a day and a month without readings, in steps of
a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from rdflib import Graph, Literal, Namespace, URIRef

import pantarhei as pr
from bench.measuring import SEED, Figure, check, cpu_seconds, figure, ratios
from pantarhei.continuous.recomputed_query import RecomputedQuery
from pantarhei.continuous.stream_query import StreamElement, StreamQuerySpec
from pantarhei.continuous.windowed_query import WindowedQuery, views_of
from pantarhei.query.answer_reports import AnswerChange
from pantarhei.query.languages import read_stream_text

EX = Namespace("http://example.org/rooms#")
STREAM = URIRef(EX.noticed)
PROPERTIES = ("smokeIn", "hotIn", "hotIn", "clearIn")
ONTOLOGY = f"""
    @prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :smokeIn rdfs:subPropertyOf :eventIn ; rdfs:range :Smoky . :eventIn rdfs:domain :Sensor .
    :hotIn rdfs:subPropertyOf :eventIn ; rdfs:range :Hot . :clearIn rdfs:range :Clear .
    :Clear owl:disjointWith :Smoky .
    :Hot rdfs:subClassOf :InputDiagnostics . :Smoky rdfs:subClassOf :InputDiagnostics .
"""
TEXT = f"""
    PREFIX : <{EX}>
    REGISTER ISTREAM :told AS SELECT ?room (COUNT(*) AS ?n)
    FROM NAMED WINDOW :short ON :noticed [RANGE 10s STEP 1s]
    FROM NAMED WINDOW :long ON :noticed [RANGE 60s STEP 10s]
    WHERE {{
      WINDOW :short {{ ?s :hotIn ?room . ?room a :InputDiagnostics }}
      WINDOW :long {{ ?t :smokeIn ?room . ?room a :Smoky }}
    }} GROUP BY ?room
"""


def elements(count: int, each: int) -> list[StreamElement]:
    """An element a second, with so many assertions each."""
    random, begin = Random(SEED), datetime(2026, 3, 1, tzinfo=UTC)

    def noticed() -> tuple[URIRef, URIRef, URIRef]:
        sensor, room = random.randrange(50), random.randrange(40)
        return EX[f"sensor{sensor}"], EX[random.choice(PROPERTIES)], EX[f"room{room}"]

    return [
        StreamElement(begin + timedelta(seconds=second), STREAM, [noticed() for _ in range(each)])
        for second in range(count)
    ]


def run(
    driven: WindowedQuery | RecomputedQuery, stream: list[StreamElement]
) -> tuple[float, list[AnswerChange | None]]:
    """CPU microseconds an element, and what is reported with each."""
    told: list[AnswerChange | None] = []
    seconds = cpu_seconds(lambda: told.extend(map(driven.push, stream)))
    return 1e6 * seconds / len(stream), told


ANSWERS = {
    "ISTREAM": "REGISTER ISTREAM :q AS SELECT ?x ?v FROM NAMED WINDOW :w ON :noticed [RANGE 100s STEP 1s] "
    "WHERE { WINDOW :w { ?x :value ?v } }",
    "RSTREAM": "REGISTER RSTREAM :q AS SELECT ?x ?v FROM NAMED WINDOW :w ON :noticed [RANGE 100s STEP 1s] "
    "WHERE { WINDOW :w { ?x :value ?v } }",
    "C-SPARQL": "SELECT ?x ?v FROM STREAM :noticed [RANGE 100s STEP 1s] { ?x :value ?v }",
}


def readings(seconds: Iterable[int], each: int) -> list[tuple[datetime, list[Any]]]:
    """So many readings at each of some seconds."""
    random, begin = Random(SEED), datetime(2026, 3, 1, tzinfo=UTC)
    return [
        (
            begin + timedelta(seconds=at),
            [(EX[f"o{at}-{place}"], EX.value, Literal(random.randrange(1000))) for place in range(each)],
        )
        for at in seconds
    ]


def rows_read(text: str, stream: list[tuple[datetime, list[Any]]]) -> tuple[float, int]:
    """CPU seconds of a run in which all rows are read, and how many there are."""
    begin = stream[0][0] - timedelta(seconds=100)
    query = pr.register(f"PREFIX : <{EX}> {text}", streams={STREAM: stream}, since=begin)
    counts: list[int] = []
    seconds = cpu_seconds(lambda: counts.extend(len(report.added) for report in query.run()))
    return seconds, sum(counts)


def of_answers(quick: bool) -> Iterator[Figure]:
    """Microseconds a triple by the stream of answers; seconds of a gap."""
    count, each, rounds = (60, 20, 1) if quick else (300, 100, 3)
    stream = readings(range(count), each)
    for name, text in ANSWERS.items():
        runs = [rows_read(text, stream) for _ in range(rounds)]
        micros = [1e6 * seconds / (count * each) for seconds, _ in runs]
        yield figure(f"{each} readings a second, window of 100 seconds", name, micros, "µs a triple")
    for days in (1,) if quick else (1, 30):
        gap = readings([0, days * 86_400], each)
        runs = [rows_read(ANSWERS["RSTREAM"], gap) for _ in range(rounds)]
        workload = f"a gap of {days} days in steps of a second"
        yield figure(workload, "RSTREAM", [seconds for seconds, _ in runs], "s")


def measure(quick: bool) -> Iterator[Figure]:
    """Microseconds an element; how many times more it is where the query is evaluated anew."""
    yield from of_answers(quick)
    ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
    asked = StreamQuerySpec.of(read_stream_text(TEXT), {}, 0, "right", None)
    views = views_of(asked)
    assert not isinstance(views, str), "the windows are views of one"
    for each in (5,) if quick else (5, 10):
        stream = elements(90 if quick else 300, each)
        rounds = 1 if quick else 3
        kept = [run(WindowedQuery(asked, views, "query", ontology), stream) for _ in range(rounds)]
        anew = [
            run(RecomputedQuery(asked, "for comparison", "query", ontology), stream) for _ in range(rounds)
        ]
        check("what is reported", kept[0][1], anew[0][1])
        ours, others = ([micros for micros, _ in runs] for runs in (kept, anew))
        workload = f"two windows over one stream, {60 * each} assertions in the longer"
        yield figure(workload, "views of one model", ours, "µs an element")
        yield figure(workload, "evaluated anew at each report", others, "µs an element")
        yield figure(workload, "anew : views", ratios(others, ours), "times")

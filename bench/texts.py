"""Text with two windows over one stream: cost per element with views of one model, and with re-evaluation.

An element has observations of some sensors in rooms; clear rooms are not smoky, so that repairs cut facts.
The windows cover the last ten and the last sixty seconds; both methods must report equal answers.

Streams of answers: a window of a hundred seconds with a slide of one, a hundred readings per second, so that
each triple is in a hundred reports. All rows are read. Gaps: a day and a month without readings, with a slide
of one second.
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
STREAM = URIRef(EX.observations)
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
    """Return `count` elements, one per second, with `each` assertions."""
    random, begin = Random(SEED), datetime(2026, 3, 1, tzinfo=UTC)

    def observations() -> tuple[URIRef, URIRef, URIRef]:
        sensor, room = random.randrange(50), random.randrange(40)
        return EX[f"sensor{sensor}"], EX[random.choice(PROPERTIES)], EX[f"room{room}"]

    return [
        StreamElement(begin + timedelta(seconds=second), STREAM, [observations() for _ in range(each)])
        for second in range(count)
    ]


def run(
    driven: WindowedQuery | RecomputedQuery, stream: list[StreamElement]
) -> tuple[float, list[AnswerChange | None]]:
    """Return CPU microseconds per element, and the reports of each element."""
    reports: list[AnswerChange | None] = []
    seconds = cpu_seconds(lambda: reports.extend(map(driven.push, stream)))
    return 1e6 * seconds / len(stream), reports


ANSWERS = {
    "ISTREAM": "REGISTER ISTREAM :q AS SELECT ?x ?v FROM NAMED WINDOW :w ON :noticed [RANGE 100s STEP 1s] "
    "WHERE { WINDOW :w { ?x :value ?v } }",
    "RSTREAM": "REGISTER RSTREAM :q AS SELECT ?x ?v FROM NAMED WINDOW :w ON :noticed [RANGE 100s STEP 1s] "
    "WHERE { WINDOW :w { ?x :value ?v } }",
    "C-SPARQL": "SELECT ?x ?v FROM STREAM :noticed [RANGE 100s STEP 1s] { ?x :value ?v }",
}


def readings(seconds: Iterable[int], each: int) -> list[tuple[datetime, list[Any]]]:
    """Return `each` readings for each of the seconds."""
    random, begin = Random(SEED), datetime(2026, 3, 1, tzinfo=UTC)
    return [
        (
            begin + timedelta(seconds=at),
            [(EX[f"o{at}-{place}"], EX.value, Literal(random.randrange(1000))) for place in range(each)],
        )
        for at in seconds
    ]


def rows_read(text: str, stream: list[tuple[datetime, list[Any]]]) -> tuple[float, int]:
    """Return the CPU seconds of a run in which all rows are read, and the number of rows."""
    begin = stream[0][0] - timedelta(seconds=100)
    query = pr.register(f"PREFIX : <{EX}> {text}", streams={STREAM: stream}, since=begin)
    counts: list[int] = []
    seconds = cpu_seconds(lambda: counts.extend(len(report.added) for report in query.run()))
    return seconds, sum(counts)


def answer_streams(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per triple for each kind of answer stream, and seconds per gap."""
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
    """Yield microseconds per element, and the ratio of re-evaluation to views."""
    yield from answer_streams(quick)
    ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
    spec = StreamQuerySpec.of(read_stream_text(TEXT), {}, 0, "right", None)
    views = views_of(spec)
    assert not isinstance(views, str), "the windows are views of one"
    for each in (5,) if quick else (5, 10):
        stream = elements(90 if quick else 300, each)
        rounds = 1 if quick else 3
        kept = [run(WindowedQuery(spec, views, "query", ontology), stream) for _ in range(rounds)]
        anew = [
            run(RecomputedQuery(spec, "for comparison", "query", ontology), stream) for _ in range(rounds)
        ]
        check("what is reported", kept[0][1], anew[0][1])
        ours, others = ([micros for micros, _ in runs] for runs in (kept, anew))
        workload = f"two windows over one stream, {60 * each} assertions in the longer"
        yield figure(workload, "views of one model", ours, "µs an element")
        yield figure(workload, "evaluated anew at each report", others, "µs an element")
        yield figure(workload, "anew : views", ratios(others, ours), "times")

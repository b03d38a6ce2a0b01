"""One reading per tick, and the first answer of a new process.

10,000 sensors report in turn, one per tick, each time another level; the rules are those of `readings`. The
window holds 300 or 100,000 ticks.

First answer: a new process imports the package, loads ontologies/pedals.ttl, pushes an ABox and executes a
query. Its times have no target; the wall time includes other work on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from bench.engine import (
    ARROW_DICTIONARY,
    TRIPLES,
    KernelLane,
    PushLane,
    Rows,
    check_facts,
    dictionary_table,
    ontology_of,
    rdflib_triples,
)
from bench.fresh import timed_runs
from bench.measuring import Figure, check, figure, fill, race
from bench.readings import BACKGROUND, ONTOLOGY, SENSORS, Reports, expected

FIRST_ANSWER = """
import json, time
def now(): return time.process_time()
stages = [now()]
import pantarhei as pr
stages.append(now())
ontology = pr.load_ontology("ontologies/pedals.ttl")
stages.append(now())
from rdflib import RDF, Namespace
pedals = Namespace("http://example.org/pedals#")
reasoner = pr.StreamReasoner(ontology, pr.Window(range=2))
reasoner.push(1, [(pedals.car, RDF.type, pedals.BrakesPressed)])
stages.append(now())
answers = [str(row[0]) for row in reasoner.query("SELECT ?car WHERE { ?car a :Attended }")]
stages.append(now())
print(json.dumps([stages, answers]))
"""
STAGES = ("import", "load ontology", "first push", "first query")


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per tick, and seconds to the first answer."""
    for width in (300, 10_000) if quick else (300, 100_000):
        yield from _ticks(width, quick)
    yield from _first_answer(3 if quick else 5)


def _ticks(width: int, quick: bool) -> Iterator[Figure]:
    reports = Reports()

    @lru_cache(maxsize=4096)
    def rows(tick: int) -> Rows:
        turn, sensor = divmod(tick, SENSORS)
        return [reports.report(sensor, turn)]

    ontology = ontology_of(ONTOLOGY)
    kernel = KernelLane(ontology, BACKGROUND, width, rows)
    pushed = [
        PushLane(ontology, BACKGROUND, width, rows, TRIPLES, rdflib_triples),
        PushLane(ontology, BACKGROUND, width, rows, ARROW_DICTIONARY, dictionary_table),
    ]
    block, rounds = (500, 3) if quick else (1000, 5)
    # a warm-up round of reports, so that no name is new
    start = width + SENSORS
    fill([kernel, *pushed], range(start), warm=SENSORS)
    seconds = race([kernel, *pushed], start, block, rounds)
    last = start + block * rounds
    right = expected(rows(tick) for tick in range(last - width, last))
    for lane in (kernel, *pushed):
        check_facts(lane, right)
    for name, samples in seconds.items():
        each = [1e6 * sample for sample in samples]
        yield figure(f"ticks, window {width:,}", name, each, "µs a tick")


def _first_answer(rounds: int) -> Iterator[Figure]:
    runs = list(timed_runs(FIRST_ANSWER, rounds))
    for run in runs:
        check("first answer", run.output, [["http://example.org/pedals#car"]])
    yield figure("first answer", "wall time", [run.wall for run in runs], "s")
    yield figure("first answer", "CPU time", [run.cpu for run in runs], "s")
    for stage, samples in zip(STAGES, zip(*(run.stages for run in runs), strict=True), strict=True):
        yield figure("first answer", f"of it {stage}", samples, "s")

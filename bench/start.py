"""Start of a new process up to its first answers: import, a small ontology, a window, and a query."""

from __future__ import annotations

from collections.abc import Iterator

from bench.fresh import timed_runs
from bench.measuring import Figure, check, figure

STAGES = ("Python alone", "import", "ontology", "first window", "first SPARQL answer")
START = """
import time
marks = [0.0, time.process_time()]
def mark(): marks.append(time.process_time())

import pantarhei as pr; mark()
ontology = pr.load_ontology("ontologies/pedals.ttl"); mark()
from rdflib import RDF, Namespace
PEDALS = Namespace("http://example.org/pedals#")
reasoner = pr.StreamReasoner(ontology, pr.Window(range=2))
reasoner.push(0, [(PEDALS.x, RDF.type, PEDALS.GasPedalPressed)])
facts = len(reasoner.graph); mark()
answers = len(list(reasoner.query("SELECT ?x { ?x a <http://example.org/pedals#GasPedalPressed> }"))); mark()
import json; print(json.dumps([marks, facts, answers]))
"""


def measure(quick: bool) -> Iterator[Figure]:
    """Yield the CPU time of each stage, and CPU and wall time of the process up to the first window."""
    runs = list(timed_runs(START, 3 if quick else 11))
    for run in runs:
        facts, answers = run.output
        check("start", (facts > 0, answers), (True, 1))
    stages = [run.stages for run in runs]
    for name, samples in zip(STAGES, zip(*stages, strict=True), strict=True):
        yield figure("start", name, samples, "s CPU")
    first = [sum(stage[:-1]) for stage in stages]
    yield figure("start", "a fresh process to its first window", first, "s CPU", at_most=0.5)
    yield figure("start", "a fresh process to its first SPARQL answer", list(map(sum, stages)), "s CPU")
    yield figure("start", "the whole process", [run.wall for run in runs], "s wall")

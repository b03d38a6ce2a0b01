"""Ontologies loaded, each in a process of its own, after the imports.

The university ontology is nearly as large as LUBM's. Brick comes with the package `brickschema`. Rules and
classes are counted, and must be as many each time. A program is what a worker of a cluster gets.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from bench.fresh import ROOT, timed_runs
from bench.measuring import Figure, check, figure

UNIVERSITY = ROOT / "ontologies" / "university.ttl"

LOAD = """
import json, pickle, sys, time
import pantarhei as pr
from pantarhei.rules.program import compile_

marks = [time.process_time()]
def mark(): marks.append(time.process_time())

ontology = pr.load_ontology(sys.argv[1], imports="skip"); mark()
schema = ontology.schema; mark()
program = compile_((*ontology.rules, *ontology.constraints)); mark()
pickled = pickle.dumps(program); mark()
again = pickle.loads(pickled); mark()
same = again.rules == program.rules
print(json.dumps([marks, len(pickled), len(ontology.rules), len(schema.superclasses), same]))
"""
STAGES = ("load", "schema", "compile", "pickle the program", "unpickle it")


def measure(quick: bool) -> Iterator[Figure]:
    """Figures of both ontologies; of Brick none where its package is missing."""
    rounds = 2 if quick else 5
    yield from _loading("loading, university", UNIVERSITY, rounds, load_at_most=0.5)
    brick = find_spec("brickschema")
    if brick is not None and brick.submodule_search_locations:
        (folder,) = brick.submodule_search_locations
        (path,) = Path(folder).glob("ontologies/1.4/Brick.ttl")
        yield from _loading("loading, Brick 1.4", path, rounds, load_at_most=2)


def _loading(workload: str, path: Path, rounds: int, load_at_most: float) -> Iterator[Figure]:
    runs = list(timed_runs(LOAD, rounds, str(path)))
    for run in runs:
        check(workload, run.told, [*runs[0].told[:-1], True])
    size, rules, classes, _ = runs[0].told
    aims = {"load": load_at_most, "unpickle it": 1.0}
    for stage, samples in zip(STAGES, zip(*(run.stages for run in runs), strict=True), strict=True):
        yield figure(workload, stage, samples, "s", at_most=aims.get(stage))
    yield Figure(workload, "the program, pickled", size / 1e6, "MB", at_most=20)
    yield Figure(workload, "rules", rules, "rules")
    yield Figure(workload, "classes of the schema", classes, "classes")

"""Loading of ontologies, each in a process of its own, after the imports.

The university ontology is nearly as large as LUBM's; Brick is part of the package `brickschema`. The numbers
of rules and classes must be equal in each run. A program is the value that is sent to a cluster's workers.

An axiom of pairwise disjoint classes yields a constraint for each pair: 44,850 for 300 classes, 499,500 for
1,000.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.fresh import ROOT, timed_runs
from bench.measuring import Figure, check, figure

UNIVERSITY = ROOT / "ontologies" / "university.ttl"

LOAD = """
import json, pickle, sys, time
import pantarhei as pr
from pantarhei.rules.compilation.program import compile_

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
DISJOINT = """
import json, sys, time
import pantarhei as pr

marks = [time.process_time()]
def mark(): marks.append(time.process_time())

ontology = pr.load_ontology(sys.argv[1]); mark()
pr.StreamReasoner(ontology, pr.Window(range=10)); mark()
print(json.dumps([marks, len(ontology.constraints)]))
"""
STAGES = ("load", "schema", "compile", "pickle the program", "unpickle it")


def measure(quick: bool) -> Iterator[Figure]:
    """Yield the figures of both ontologies; Brick is left out if its package is not installed."""
    rounds = 2 if quick else 5
    yield from _loading("loading, university", UNIVERSITY, rounds, load_at_most=0.5)
    brick = find_spec("brickschema")
    if brick is not None and brick.submodule_search_locations:
        (folder,) = brick.submodule_search_locations
        (path,) = Path(folder).glob("ontologies/1.4/Brick.ttl")
        yield from _loading("loading, Brick 1.4", path, rounds, load_at_most=2)
    for classes, load_at_most in ((300, 0.5), (1000, 4)):
        if classes == 300 or not quick:
            yield from _disjoint(classes, rounds, load_at_most)


def _disjoint(classes: int, rounds: int, load_at_most: float) -> Iterator[Figure]:
    workload = f"loading, {classes:,} disjoint classes"
    members = " ".join(f":C{number}" for number in range(classes))
    text = (
        "@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
        f"[] a owl:AllDisjointClasses ; owl:members ( {members} ) ."
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, "disjoint.ttl")
        path.write_text(text, encoding="utf-8")
        runs = list(timed_runs(DISJOINT, rounds, str(path)))
    for run in runs:
        check(workload, run.output, [classes * (classes - 1) // 2])
    load, compiling = zip(*(run.stages for run in runs), strict=True)
    yield figure(workload, "load", load, "s", at_most=load_at_most)
    yield figure(workload, "compile, in a reasoner", compiling, "s")


def _loading(workload: str, path: Path, rounds: int, load_at_most: float) -> Iterator[Figure]:
    runs = list(timed_runs(LOAD, rounds, str(path)))
    for run in runs:
        check(workload, run.output, [*runs[0].output[:-1], True])
    size, rules, classes, _ = runs[0].output
    aims = {"load": load_at_most, "unpickle it": 1.0}
    for stage, samples in zip(STAGES, zip(*(run.stages for run in runs), strict=True), strict=True):
        yield figure(workload, stage, samples, "s", at_most=aims.get(stage))
    yield Figure(workload, "the program, pickled", size / 1e6, "MB", at_most=20)
    yield Figure(workload, "rules", rules, "rules")
    yield Figure(workload, "classes of the schema", classes, "classes")
